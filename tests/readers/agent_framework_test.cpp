#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using test::read_text;
using test::score_text;
using Lines = std::vector<std::string>;

namespace {

std::string framework_file(std::string_view name) {
    return test::slurp(test::source_dir() / "testdata/readers/agent-framework" / name);
}

}  // namespace

TEST_SUITE("agent-framework") {
    TEST_CASE("messages of Microsoft.Extensions.AI one a line are a session") {
        const auto seen = read_text(readers::agent_framework(), framework_file("minimal.jsonl"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart",
                                  "Message system/injected 'You mend clocks.'",
                                  "TurnStart",
                                  "Message user/human 'Why is it slow?' media=1",
                                  "Thinking 'A spring?'",
                                  "ToolCall c1 measure 'spring'",
                                  "Usage in=24 write=0 read=16 out=9",
                                  "ToolResult c1 unknown 'tired'",
                                  "Message assistant/agent 'The spring is tired.'",
                              });
        CHECK(seen.events.usages[0].tokens.reasoning == 3);
        CHECK(seen.events.heads[4].time_ms == 1795766401000);
    }

    TEST_CASE("the thread of the Python framework: results of all kinds, and a member of a team") {
        const auto seen = read_text(readers::agent_framework(), framework_file("full.json"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart",
                                  "TurnStart",
                                  "Message user/human 'Wind it'",
                                  "Thinking 'first the key'",
                                  "ToolCall c1 find_key",
                                  "ToolCall c2 wind",
                                  "ToolCall c3 shell 'tick'",
                                  "Usage in=20 write=0 read=10 out=8",
                                  "ToolResult c1 error 'Error: Function failed.'",
                                  "ToolResult c2 denied 'Error: Tool call invocation was rejected by user.'",
                                  R"(ToolResult c3 error exit=2 '{"stdout": "", "exit_code": 2}')",
                                  "Message user/agent 'I looked, it is stuck'",
                                  "Notice provider/error 429 'too busy'",
                              });
    }

    TEST_CASE("a history of Semantic Kernel: a function has its plugin's name, a result its words once") {
        const auto seen = read_text(readers::agent_framework(), framework_file("kernel.json"));
        CHECK(seen.those("Tool") == Lines{"ToolCall c1 clock-now 'CET'", "ToolResult c1 unknown 'noon'"});
        CHECK(seen.those("Message") == Lines{"Message system/injected 'You mend clocks.'",
                                             "Message user/human 'What time is it?'",
                                             "Message assistant/agent 'Noon.'"});
        CHECK(seen.those("Usage") == Lines{"Usage in=10 write=0 read=2 out=4 model=clock-1"});
    }

    TEST_CASE("states repeat the conversation; what an answer took stands beside its messages") {
        const auto seen = read_text(readers::agent_framework(), framework_file("states.jsonl"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart",
                                  "TurnStart",
                                  "Message user/human 'one?'",
                                  "Message assistant/agent '1'",
                                  "TurnStart",
                                  "Message user/human 'two?'",
                                  "SessionStart",
                                  "TurnStart",
                                  "Message user/human 'else?'",
                                  "ToolCall c f",
                                  "ToolResult c unknown '1'",
                                  "Message assistant/agent 'nothing'",
                                  "Usage in=70 write=0 read=0 out=6",
                                  "SessionStart model=clock-1",
                                  "Message assistant/agent 'alone'",
                                  "Usage in=7 write=0 read=0 out=1 model=clock-1",
                              });
        CHECK(seen.events.usages[0].scope == UsageScope::session);
        CHECK(seen.events.usages[1].scope == UsageScope::request);
    }

    TEST_CASE("an answer of which no message could be read says nothing of the messages behind it") {
        const auto seen = read_text(readers::agent_framework(),
                                    R"({"modelId":"clock-1","usage":{"inputTokenCount":7},"messages":[{"contents":[]}]}
{"role":"user","contents":[{"$type":"text","text":"hello"}]})");
        CHECK(seen.lines() == Lines{"SessionStart", "TurnStart", "Message user/human 'hello'"});
    }

    TEST_CASE("records without what they need are counted, and messages of others are none of it") {
        const auto seen = read_text(readers::agent_framework(), framework_file("bad-fields.jsonl"));
        CHECK(seen.fates == std::vector{LineFate::understood, LineFate::understood, LineFate::unknown_kind,
                                        LineFate::missing_field, LineFate::missing_field, LineFate::unknown_kind,
                                        LineFate::malformed_json});
        CHECK(seen.count("SessionStart") == 1);
        for (const std::string_view name : {"minimal.jsonl", "full.json", "kernel.json", "states.jsonl"})
            CHECK(score_text(readers::agent_framework(), framework_file(name)) == 95);
        for (const std::string_view other : {R"({"role":"user","content":[{"type":"text","text":"x"}]})",
                                             R"({"contents":[{"role":"user","parts":[{"text":"x"}]}]})",
                                             R"({"role":"user","contents":[{"kind":"text"}]})",
                                             R"({"messages":[{"role":"user","content":"x"}],"state":{"messages":[]}})"})
            CHECK(score_text(readers::agent_framework(), other) == 0);
    }
}
