#include "pipeline/inputs/detect.hpp"

#include <agent_audit/readers/input.hpp>

#include "pipeline/files.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace agent_audit;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kSnapshot =
    R"({"type":"file-history-snapshot","messageId":"m1","snapshot":{},"isSnapshotUpdate":false})";
constexpr std::string_view kTitle = R"({"type":"summary","summary":"Mend the build","leafUuid":"u9"})";
constexpr std::string_view kClaude =
    R"({"parentUuid":null,"isSidechain":false,"sessionId":"s","uuid":"u1","type":"user",)"
    R"("message":{"role":"user","content":"go on"}})";
constexpr std::string_view kChat = R"({"role":"user","content":"go on"})";
constexpr std::string_view kRollout =
    R"({"timestamp":"2026-01-02T03:04:05Z","type":"session_meta","payload":{"id":"s"}})";

std::string format_of(std::initializer_list<std::string_view> lines) {
    std::string text;
    for (const std::string_view line : lines) text.append(line).push_back('\n');
    InputBuffers buffers;
    const auto source = memory_input(text, 0, InputLimits{}, buffers, text.size() + 1);
    const Detection found = detect_format(*source);
    return found.reader ? std::string(found.reader->id) : found.problem;
}

// Between the words of the first text of each line.
std::string with_bad_bytes(std::string_view text, char bad) {
    const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
    std::string out;
    bool done = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\n') done = false;
        if (!done && c == ' ' && i > 1 && i + 2 < text.size() && is_letter(text[i - 1]) && is_letter(text[i - 2]) &&
            is_letter(text[i + 1]) && is_letter(text[i + 2])) {
            out.push_back(bad);
            done = true;
        }
        out.push_back(c);
    }
    return out;
}

}  // namespace

TEST_SUITE("formats are told by their records") {
    TEST_CASE("a layout that is known and not read is called by its name") {
        for (const char* piece : {R"({"id":"ses_1","version":"1.0.9","projectID":"p"})",
                                  R"({"id":"msg_1","sessionID":"ses_1","role":"user"})",
                                  R"({"id":"prt_1","messageID":"msg_1","type":"step-start"})"}) {
            CAPTURE(piece);
            CHECK(format_of({piece}).find("pieces of a session of opencode") != std::string::npos);
        }
        CHECK(
            format_of(
                {R"({"sessionId":"x","workspaceDirectory":"/w","history":[{"message":{"role":"user","content":"a"}}]})"}) ==
            "continue");
        for (const char* chat : {R"({"version":3,"responderUsername":"R","requests":[]})",
                                 R"({"kind":0,"v":{"version":3,"responderUsername":"R","requests":[]}})"})
            CHECK(format_of({chat}) == "copilot-chat");
        CHECK(format_of({R"({"id":"ses_1","history":[]})"}).starts_with("no known session format"));
    }

    TEST_CASE("messages of LangChain that were printed are told, and what to write instead") {
        for (const char* printed :
             {R"({"messages":["content='Where?' additional_kwargs={} response_metadata={} id='a'"]})",
              R"({"agent":{"messages":["content=\"It's here\" additional_kwargs={} response_metadata={}"]}})",
              R"("content=[{'type': 'text', 'text': 'so'}] additional_kwargs={}")",
              R"({"tools":{"messages":["content='b' name='find' tool_call_id='c1'"]}})"}) {
            CAPTURE(printed);
            CHECK(format_of({printed}).find("messages_to_dict()") != std::string::npos);
        }
        CHECK(format_of({R"({"note":"content='x' and more"})"}).starts_with("no known session format"));
        CHECK(
            format_of(
                {R"({"type":"human","content":"content='x' additional_kwargs={}","additional_kwargs":{},"response_metadata":{}})"}) ==
            "langchain");
    }

    TEST_CASE("notes in front of a session do not hide it") {
        CHECK(format_of({kClaude}) == "claude-code");
        CHECK(format_of({kTitle, kClaude}) == "claude-code");
        CHECK(format_of({kTitle, kSnapshot, kSnapshot, kClaude}) == "claude-code");
        CHECK(format_of({kTitle, kTitle, kTitle, kTitle, kTitle, kTitle, kSnapshot, kClaude}) == "claude-code");
        CHECK(format_of({kTitle, kSnapshot}) == "claude-code");
    }

    TEST_CASE("a byte that JSON forbids, in each record, does not hide the format") {
        std::size_t looked_at = 0;
        for (const auto& folder : fs::directory_iterator(test::project() / "testdata/readers")) {
            for (const char* ending : {".json", ".jsonl", ".traj"}) {
                const fs::path path = folder.path() / (std::string("minimal") + ending);
                if (!fs::exists(path)) continue;
                const std::string text = test::content(path);
                const std::string format = format_of({text});
                if (find_reader(format) == nullptr) continue;
                for (const char bad : {'\xff', '\x01', '\0'}) {
                    CAPTURE(path.string());
                    CAPTURE(static_cast<int>(bad));
                    CHECK(format_of({with_bad_bytes(text, bad)}) == format);
                    ++looked_at;
                }
            }
        }
        CHECK(looked_at > 90);
    }

    TEST_CASE("notes of one format in front of another's session: the session says what it is") {
        CHECK(format_of({kRollout}) == "codex");
        CHECK(format_of({kTitle, kRollout}) == "codex");
        CHECK(format_of({kTitle, kSnapshot, kTitle, kRollout, kRollout}) == "codex");
        CHECK(format_of({kChat, kClaude}) == format_of({kChat, kClaude, kClaude}));
    }
}
