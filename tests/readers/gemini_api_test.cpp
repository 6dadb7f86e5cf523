#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using test::read_text;
using test::score_text;
using test::slurp;
using Lines = std::vector<std::string>;

namespace {

test::Reading read_gemini_api(std::string_view text) { return read_text(readers::gemini_api(), text); }
std::string gemini_api_data(std::string_view name) {
    return slurp(test::source_dir() / "testdata/readers/gemini-api" / name);
}

}  // namespace

TEST_SUITE("gemini-api") {
    TEST_CASE("parts are words, calls and results; a result answers the oldest open call") {
        const auto seen = read_gemini_api(gemini_api_data("minimal.jsonl"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart",
                                  "TurnStart",
                                  "Message user/human 'Who wrote the logbook?'",
                                  "ToolCall  read_page",
                                  "ToolResult  unknown 'by Ines Okoro'",
                                  "Message assistant/agent 'Ines Okoro.'",
                              });
    }

    TEST_CASE("requests and responses are one conversation; only the first candidate counts") {
        const auto seen = read_gemini_api(gemini_api_data("full.jsonl"));
        CHECK(seen.count("SessionStart") == 1);
        CHECK(seen.count("TurnStart") == 1);
        CHECK(seen.those("Message") == Lines{"Message user/human 'Compare the two pages.' media=1",
                                             "Message assistant/agent 'Page 2 is missing.'"});
        CHECK(seen.those("ToolResult") ==
              Lines{"ToolResult  unknown 'rain'", "ToolResult  error 'page 2 is missing'", "ToolResult  ok '2\\n'"});
    }

    TEST_CASE("thoughts are billed beside the output, cached tokens inside the prompt") {
        const auto seen = read_gemini_api(gemini_api_data("full.jsonl"));
        REQUIRE(seen.events.usages.size() == 2);
        const TokenCounts& first = seen.events.usages[0].tokens;
        CHECK(first.input == 200);
        CHECK(first.cache_read == 100);
        CHECK(first.output == 30);
        CHECK(first.reasoning == 5);
    }

    TEST_CASE("what Python writes is the same in other words, with nulls") {
        const auto seen = read_gemini_api(gemini_api_data("python.json"));
        CHECK(seen.count("ToolCall") == 1);
        CHECK(seen.those("ToolCall").front().starts_with("ToolCall  sort_shelf 'year'"));
        // A result with several fields is the function's own.
        CHECK(seen.those("ToolResult").front().find("sorted") != std::string::npos);
        CHECK(seen.events.heads.back().where.line == 4);
    }

    TEST_CASE("an error that says something is a failure, and a code how a command ended") {
        const auto result = [](std::string_view response) {
            const auto seen = read_gemini_api(fmt::format(
                R"({{"role":"user","parts":[{{"functionResponse":{{"name":"f","response":{}}}}}]}})", response));
            return seen.those("ToolResult").front();
        };
        CHECK(result(R"({"error":"torn"})") == "ToolResult  error 'torn'");
        CHECK(result(R"({"error":null,"rows":1})").starts_with("ToolResult  unknown"));
        CHECK(result(R"({"error":"","rows":3})").starts_with("ToolResult  unknown"));
        CHECK(result(R"({"output":"no such file","exit_code":2})").find("exit=2") != std::string::npos);
    }

    TEST_CASE("it is told from its neighbours") {
        for (const char* name : {"minimal.jsonl", "full.jsonl", "python.json", "bad-fields.jsonl"}) {
            CAPTURE(name);
            CHECK(score_text(readers::gemini_api(), gemini_api_data(name)) > 0);
            CHECK(score_text(readers::chat_completions(), gemini_api_data(name)) == 0);
        }
        // Parts with a type are those of a user interface.
        CHECK(score_text(readers::gemini_api(), R"({"id":"m","role":"user","parts":[{"type":"text","text":"hi"}]})") ==
              0);
    }
}
