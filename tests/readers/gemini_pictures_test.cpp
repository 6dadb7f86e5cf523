#include "readers/all.hpp"
#include "readers/codex_recorder.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace agent_audit;
using test::Recorder;

namespace {

constexpr std::string_view kAnswered =
    R"({{"functionResponse":{{"id":"c","name":"take_screenshot","response":{{"output":"Took a screenshot."}}{}}}}}{})";

// A picture stands in the response, or behind it.
std::string answer(std::string_view inside, std::string_view behind) {
    const auto picture = [](std::string_view data) {
        return fmt::format(R"({{"inlineData":{{"mimeType":"image/png","data":"{}"}}}})", data);
    };
    return fmt::format(fmt::runtime(kAnswered), inside.empty() ? "" : R"(,"parts":[)" + picture(inside) + "]",
                       behind.empty() ? "" : "," + picture(behind));
}

ToolResult of(const ReaderSpec& spec, const std::string& line) {
    return Recorder(spec).read(line).all<ToolResult>().at(0);
}

ToolResult of_gemini(const std::string& parts) {
    return of(readers::gemini_cli(),
              R"({"id":"m","timestamp":"2026-03-02T10:00:00Z","type":"gemini","content":"","toolCalls":[{"id":"c",)"
              R"("name":"take_screenshot","args":{},"status":"success","result":[)" +
                  parts + "]}]}");
}

ToolResult of_qwen(const std::string& parts) {
    return of(readers::qwen_code(),
              R"({"uuid":"b","parentUuid":"a","sessionId":"s","timestamp":"2026-03-02T10:00:00Z","type":"tool_result",)"
              R"("cwd":"/w","version":"0.15.10","message":{"role":"user","parts":[)" +
                  parts + R"(]},"toolCallResult":{"callId":"c","status":"success"}})");
}

}  // namespace

TEST_SUITE("pictures that tools of Gemini CLI and Qwen Code give") {
    TEST_CASE("a picture counts, in the response and behind it, and tells results with one text apart") {
        for (const auto& read : {of_gemini, of_qwen}) {
            const ToolResult none = read(answer("", ""));
            CHECK(none.media_count == 0);
            CHECK(none.media_hash == 0);
            for (const bool inside : {true, false}) {
                CAPTURE(inside);
                const auto picture = [&](std::string_view data) {
                    return read(inside ? answer(data, "") : answer("", data));
                };
                CHECK(picture("AAAA").media_count == 1);
                CHECK(picture("AAAA").media_hash != 0);
                CHECK(picture("AAAA").media_hash == picture("AAAA").media_hash);
                CHECK(picture("AAAA").media_hash != picture("AAAB").media_hash);
            }
            CHECK(read(answer("AAAA", "AAAB")).media_count == 2);
        }
    }
}
