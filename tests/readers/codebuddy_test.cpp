#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using test::score_text;
using test::slurp;
using Lines = std::vector<std::string>;

namespace {

std::string buddy_data(std::string_view name) {
    return slurp(test::source_dir() / "testdata/readers/codebuddy" / name);
}
test::Reading read_buddy(std::string_view name) { return test::read_text(readers::codebuddy(), buddy_data(name)); }

}  // namespace

TEST_SUITE("codebuddy") {
    TEST_CASE("events of one messageId are one response, and cached tokens are part of the prompt") {
        const auto seen = read_buddy("minimal.jsonl");
        CHECK(seen.lines() == Lines{
                                  "SessionStart id=s-harbour cwd=/home/ada/harbour",
                                  "TurnStart",
                                  "Message user/human 'How high is the water?'",
                                  "ContextChange model=glm-5.2",
                                  "Thinking 'A gauge.'",
                                  "ToolCall call_1 Read 'gauge.txt'",
                                  "Usage in=50 write=10 read=40 out=20",
                                  "ToolResult call_1 unknown '2 m'",
                                  "Message assistant/agent 'Two metres.'",
                                  "Usage in=50 write=0 read=100 out=10",
                              });
        CHECK(seen.events.heads[4].response == seen.events.heads[5].response);
        CHECK(seen.events.heads[5].response != seen.events.heads[8].response);
        CHECK(seen.events.heads[2].time_ms == 1772355601000);
        CHECK(seen.events.usages[0].tokens.reasoning == 5);
    }

    TEST_CASE("calls at once, what stands in the user's place, and a summary") {
        const auto seen = read_buddy("full.jsonl");
        CHECK(seen.those("Message") ==
              Lines{R"(Message user/injected '<system-reminder>\nThe gate is shut.\n</system-reminder>')",
                    "Message user/human 'Is the gate shut?'", "Message assistant/agent 'I look twice.'",
                    "Message user/injected '<command-name>/model</command-name>'",
                    "Message user/human 'And this?' media=1", "Message assistant/agent 'A lock.'"});
        CHECK(seen.count("TurnStart") == 2);
        CHECK(seen.those("ToolResult") ==
              Lines{"ToolResult call_a unknown 'shut'", "ToolResult call_b error 'no such file'"});
        CHECK(seen.count("Compaction") == 1);
        REQUIRE(seen.events.usages.size() == 5);
        // Repeated with each of its events.
        CHECK(seen.events.usages[0].message_key == seen.events.usages[2].message_key);
        CHECK(seen.events.usages[4].tokens == TokenCounts{10, 0, 30, 3, 0});
        CHECK(seen.those("ContextChange") == Lines{"ContextChange model=glm-5.2", "ContextChange model=tide-2"});
        CHECK(seen.count(LineFate::ignored_kind) == 3);
        CHECK(seen.count(LineFate::ignored_kind) + seen.count(LineFate::understood) == seen.fates.size());
    }

    TEST_CASE("a sub-agent's file belongs to its parent's session, and its prompt is no person's") {
        const auto seen = read_buddy("sub-agent.jsonl");
        CHECK(seen.lines().front() == "SessionStart parent=s-harbour cwd=/home/ada/harbour");
        CHECK(seen.those("Message").front().starts_with("Message user/agent"));
        CHECK(seen.count("ToolCall") == 1);
    }

    TEST_CASE("records without what they need are counted") {
        const auto seen = read_buddy("bad-fields.jsonl");
        CHECK(seen.fates == std::vector{LineFate::missing_field, LineFate::missing_field, LineFate::missing_field,
                                        LineFate::missing_field, LineFate::unknown_kind, LineFate::missing_field,
                                        LineFate::understood, LineFate::unknown_kind, LineFate::understood,
                                        LineFate::understood, LineFate::understood, LineFate::malformed_json});
    }

    TEST_CASE("it is told from the formats whose words it uses") {
        for (const char* name : {"minimal.jsonl", "full.jsonl", "sub-agent.jsonl", "bad-fields.jsonl"}) {
            CAPTURE(name);
            CHECK(score_text(readers::codebuddy(), buddy_data(name)) >= 98);
            CHECK(score_text(readers::openai_responses(), buddy_data(name)) < 98);
            CHECK(score_text(readers::claude_code(), buddy_data(name)) < 98);
        }
        CHECK(score_text(readers::codebuddy(), R"({"type":"function_call","callId":"c","name":"f"})") == 0);
        CHECK(score_text(readers::codebuddy(), R"({"type":"user","sessionId":"s","message":{"role":"user"}})") == 0);
    }
}
