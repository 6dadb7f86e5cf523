#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using test::read_text;
using test::score_text;
using test::slurp;
using Lines = std::vector<std::string>;

namespace {

std::string fixture(std::string_view name) {
    return slurp(test::source_dir() / "testdata/readers/factory-droid-stream" / name);
}
test::Reading read(std::string_view text) { return read_text(readers::factory_droid_stream(), text); }

}  // namespace

TEST_SUITE("factory-droid-stream") {
    TEST_CASE("a printed run becomes start, turn, call, result, answer, usage and end") {
        const auto seen = read(fixture("minimal.jsonl"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart id=d-mill-1 cwd=/home/ada/mill model=claude-sonnet-4-5",
                                  "TurnStart",
                                  "Message user/human 'what does the mill grind?'",
                                  "ToolCall c1 Read '/home/ada/mill/README.md'",
                                  R"(ToolResult c1 ok 'It grinds rye.\n')",
                                  "Message assistant/agent 'It grinds rye.'",
                                  "Usage in=90 write=10 read=500 out=20 model=claude-sonnet-4-5",
                                  "TurnEnd completed",
                              });
        CHECK(seen.events.usages[0].scope == UsageScope::session);
        CHECK(seen.events.usages[0].tokens.reasoning == 5);
        CHECK(seen.events.heads[2].time_ms == 1790000000000);
    }

    TEST_CASE("thoughts printed twice count once, results without an id answer the oldest call") {
        const auto seen = read(fixture("full.jsonl"));
        CHECK(seen.count("Thinking") == 1);
        CHECK(seen.those("ToolResult") ==
              Lines{R"(ToolResult  error exit=2 'no rule to make stones\n\n[Process exited with code 2]')",
                    R"(ToolResult  ok '["stone.c"]')", "ToolResult c3 error 'not found'"});
        CHECK(seen.those("Notice") == Lines{"Notice harness/error error 'connection lost'",
                                            "Notice harness/error error 'The stones do not turn.'"});
        CHECK(seen.those("TurnEnd") == Lines{"TurnEnd failed"});
    }

    TEST_CASE("an HTTP status is the provider's answer, and ends the run") {
        const auto seen = read(R"({"type":"error","source":"agent_loop","message":"400 no such stone","timestamp":1})"
                               "\n"
                               R"({"type":"error","source":"cli","message":"Exec failed","timestamp":2})");
        CHECK(seen.those("Notice") ==
              Lines{"Notice provider/error error '400 no such stone'", "Notice harness/error error 'Exec failed'"});
        CHECK(seen.those("TurnEnd") == Lines{"TurnEnd failed"});
    }

    TEST_CASE("records without what they need are counted") {
        CHECK(read(fixture("bad-fields.jsonl")).fates == std::vector{LineFate::missing_field, LineFate::unknown_kind,
                                                                     LineFate::missing_field, LineFate::unknown_kind,
                                                                     LineFate::understood, LineFate::understood,
                                                                     LineFate::malformed_json});
    }

    TEST_CASE("a stream that begins like another's is told by what follows") {
        CHECK(score_text(readers::factory_droid_stream(), fixture("minimal.jsonl")) == 100);
        CHECK(score_text(readers::claude_code_stream(), fixture("minimal.jsonl")) == 0);
        CHECK(score_text(readers::factory_droid(), fixture("minimal.jsonl")) < 90);
    }
}
