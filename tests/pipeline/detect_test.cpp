#include "pipeline/detect.hpp"

#include <agent_audit/readers/input.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace agent_audit;

namespace {

constexpr std::string_view kSnapshot = R"({"type":"file-history-snapshot","messageId":"m1","snapshot":{},"isSnapshotUpdate":false})";
constexpr std::string_view kTitle = R"({"type":"summary","summary":"Mend the build","leafUuid":"u9"})";
constexpr std::string_view kClaude = R"({"parentUuid":null,"isSidechain":false,"sessionId":"s","uuid":"u1","type":"user",)"
                                     R"("message":{"role":"user","content":"go on"}})";
constexpr std::string_view kChat = R"({"role":"user","content":"go on"})";
constexpr std::string_view kRollout = R"({"timestamp":"2026-01-02T03:04:05Z","type":"session_meta","payload":{"id":"s"}})";

std::string format_of(std::initializer_list<std::string_view> lines) {
    std::string text;
    for (const std::string_view line : lines) text.append(line).push_back('\n');
    InputBuffers buffers;
    const auto source = memory_input(text, 0, InputLimits{}, buffers, text.size() + 1);
    const Detection found = detect_format(*source);
    return found.reader ? std::string(found.reader->id) : found.problem;
}

}  // namespace

TEST_SUITE("formats are told by their records") {
    TEST_CASE("notes in front of a session do not hide it") {
        CHECK(format_of({kClaude}) == "claude-code");
        CHECK(format_of({kTitle, kClaude}) == "claude-code");
        CHECK(format_of({kTitle, kSnapshot, kSnapshot, kClaude}) == "claude-code");
        CHECK(format_of({kTitle, kTitle, kTitle, kTitle, kTitle, kTitle, kSnapshot, kClaude}) == "claude-code");
        CHECK(format_of({kTitle, kSnapshot}) == "claude-code");
    }

    TEST_CASE("notes of one format in front of another's session: the session says what it is") {
        CHECK(format_of({kRollout}) == "codex");
        CHECK(format_of({kTitle, kRollout}) == "codex");
        CHECK(format_of({kTitle, kSnapshot, kTitle, kRollout, kRollout}) == "codex");
        CHECK(format_of({kChat, kClaude}) == format_of({kChat, kClaude, kClaude}));
    }
}
