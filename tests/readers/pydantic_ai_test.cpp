#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using test::read_text;
using test::score_text;
using Lines = std::vector<std::string>;

namespace {

std::string pydantic_file(std::string_view name) {
    return test::slurp(test::source_dir() / "testdata/readers/pydantic-ai" / name);
}

}  // namespace

TEST_SUITE("pydantic-ai") {
    TEST_CASE("messages one a line are a session, with usage under its names of today and of before") {
        const auto seen = read_text(readers::pydantic_ai(), pydantic_file("minimal.jsonl"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart",
                                  "Message system/injected 'You keep bees.'",
                                  "TurnStart",
                                  "Message user/human 'How many hives are awake?'",
                                  "Thinking 'I should count them.'",
                                  "ToolCall call_1 count_hives",
                                  "Usage in=30 write=0 read=20 out=12 model=hive-1",
                                  "ToolResult call_1 ok '3'",
                                  "Message assistant/agent 'Three.'",
                                  "Usage in=50 write=0 read=30 out=2 model=hive-1",
                              });
        CHECK(seen.events.usages[0].tokens.reasoning == 8);
    }

    TEST_CASE("results of all kinds; a prompt beside them is no person's; instructions count where they change") {
        const auto seen = read_text(readers::pydantic_ai(), pydantic_file("full.json"));
        CHECK(seen.lines().front() == "SessionStart id=cv-1");
        CHECK(seen.those("ToolCall").size() == 5);
        CHECK(
            seen.those("ToolResult") ==
            Lines{
                R"(ToolResult b1 unknown '{"hits": 2}')",
                R"(ToolResult c1 error '[{"type": "int_parsing", "loc": ["comb"], "msg": "not a number", "input": "one"}]')",
                "ToolResult c2 ok media=1", "ToolResult c3 denied 'The tool call was denied.'",
                R"(ToolResult c4 error '["ouch", {"n": 1}]')"});
        CHECK(seen.those("Message system") ==
              Lines{"Message system/injected 'Be short.'", "Message system/injected 'Be long.'"});
        CHECK(seen.those("Message user") ==
              Lines{"Message user/human 'What is on this comb?' media=1", "Message user/injected 'This is file a:'",
                    "Message user/injected 'Answer with a list.'", "Message user/human 'Thanks'",
                    R"(Message user/human '["and", "bye"]')"});
        CHECK(seen.those("Thinking") == Lines{"Thinking opaque=8"});
        CHECK(seen.those("Compaction") == Lines{"Compaction summary 'A comb was weighed.'"});
        CHECK(seen.those("Notice") == Lines{"Notice provider/error content_filter"});
        CHECK(seen.count("TurnStart") == 2);
        CHECK(seen.fates == std::vector{LineFate::understood});
    }

    TEST_CASE("a list that repeats an earlier one, or belongs to its conversation, goes on with the session") {
        const auto seen = read_text(readers::pydantic_ai(), pydantic_file("histories.jsonl"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart",
                                  "TurnStart",
                                  "Message user/human 'one?'",
                                  "Message assistant/agent '1'",
                                  "TurnStart",
                                  "Message user/human 'two?'",
                                  "SessionStart id=k",
                                  "TurnStart",
                                  "Message user/human 'else?'",
                                  "TurnStart",
                                  "Message user/human 'more?'",
                                  "Message assistant/agent 'no more'",
                              });
    }

    TEST_CASE("runs that were asked the same are runs of their own, where no time says that it is one") {
        constexpr std::string_view run =
            R"([{"kind":"request","parts":[{"part_kind":"user-prompt","content":"a?"}]},{"kind":"response","parts":[{"part_kind":"text","content":"b"}]}])";
        const auto seen = read_text(readers::pydantic_ai(), std::string(run) + "\n" + std::string(run) + "\n");
        CHECK(seen.count("SessionStart") == 2);
        CHECK(seen.those("Message").size() == 4);
    }

    TEST_CASE("records without what they need are counted, and messages of others are none of it") {
        const auto seen = read_text(readers::pydantic_ai(), pydantic_file("bad-fields.jsonl"));
        CHECK(seen.fates == std::vector{LineFate::understood, LineFate::understood, LineFate::unknown_kind,
                                        LineFate::unknown_kind, LineFate::missing_field, LineFate::understood,
                                        LineFate::missing_field, LineFate::unknown_kind, LineFate::malformed_json});
        CHECK(seen.count("SessionStart") == 1);
        for (const std::string_view name : {"minimal.jsonl", "full.json", "histories.jsonl"})
            CHECK(score_text(readers::pydantic_ai(), pydantic_file(name)) == 97);
        CHECK(score_text(readers::pydantic_ai(), R"({"role":"user","parts":[{"type":"text","text":"x"}]})") == 0);
        CHECK(score_text(readers::pydantic_ai(), R"({"kind":"request","parts":[{"text":"x"}]})") == 0);
        CHECK(score_text(readers::pydantic_ai(), R"({"messages":[{"role":"user","content":"part_kind"}]})") == 0);
    }
}
