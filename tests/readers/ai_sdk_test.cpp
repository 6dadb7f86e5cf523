#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using test::read_text;
using test::score_text;
using test::slurp;
using Lines = std::vector<std::string>;

namespace {

test::Reading read_ai_sdk(std::string_view text) { return read_text(readers::ai_sdk(), text); }
std::string ai_sdk_data(std::string_view name) { return slurp(test::source_dir() / "testdata/readers/ai-sdk" / name); }

}  // namespace

TEST_SUITE("ai-sdk") {
    TEST_CASE("calls and results are parts of a content") {
        const auto seen = read_ai_sdk(ai_sdk_data("minimal.jsonl"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart",
                                  "TurnStart",
                                  "Message user/human 'Which tram goes to the pier?'",
                                  "ToolCall call_1 timetable 'pier'",
                                  "ToolResult call_1 ok 'line 4'",
                                  "Message assistant/agent 'Line 4.'",
                              });
    }

    TEST_CASE("an output says by its type what became of the call") {
        const auto seen = read_ai_sdk(ai_sdk_data("full.json"));
        std::vector<std::string> starts;
        for (const std::string& line : seen.those("ToolResult")) starts.push_back(line.substr(0, line.find(" '")));
        CHECK(starts == Lines{"ToolResult call_a ok", "ToolResult call_b error", "ToolResult call_c denied",
                              "ToolResult call_d ok", "ToolResult call_e error", "ToolResult call_x ok"});
        CHECK(seen.those("ToolResult")[1] == "ToolResult call_b error 'no such stop'");
        CHECK(seen.those("ToolResult")[4] == "ToolResult call_e error 'out of paper'");
    }

    TEST_CASE("cached tokens are part of the input") {
        const auto seen = read_ai_sdk(ai_sdk_data("full.json"));
        REQUIRE(seen.events.usages.size() == 1);
        CHECK(seen.events.usages[0].tokens.input == 100);
        CHECK(seen.events.usages[0].tokens.cache_read == 20);
        CHECK(seen.events.usages[0].tokens.reasoning == 8);
    }

    TEST_CASE("what a tool gave may itself be an object with a type") {
        const auto seen = read_ai_sdk(
            R"({"role":"tool","content":[{"type":"tool-result","toolCallId":"c","toolName":"t","output":{"type":"lamp","value":3}}]})");
        CHECK(seen.those("ToolResult") == Lines{R"(ToolResult c ok '{"type":"lamp","value":3}')"});
    }

    TEST_CASE("it is told from its neighbours") {
        for (const char* name : {"minimal.jsonl", "full.json", "bad-fields.jsonl"}) {
            CAPTURE(name);
            CHECK(score_text(readers::ai_sdk(), ai_sdk_data(name)) > 0);
            CHECK(score_text(readers::chat_completions(), ai_sdk_data(name)) == 0);
        }
    }
}
