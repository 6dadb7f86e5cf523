#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using test::read_text;
using test::score_text;
using Lines = std::vector<std::string>;

namespace {

std::string vercel_file(std::string_view name) {
    return test::slurp(test::source_dir() / "testdata/readers/vercel-ai" / name);
}

}  // namespace

TEST_SUITE("vercel-ai") {
    TEST_CASE("a message holds several responses; calls of one stand before their results") {
        const auto seen = read_text(readers::vercel_ai(), vercel_file("minimal.jsonl"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart",
                                  "TurnStart",
                                  "Message user/human 'Which train is late?'",
                                  "ContextChange model=rail-1",
                                  "Thinking 'Ask the board.'",
                                  "ToolCall c1 departures 'Ulm'",
                                  "ToolCall c2 departures 'Aulendorf'",
                                  "ToolResult c1 unknown 'ICE 9: +5'",
                                  "ToolResult c2 ok 'RE 5: +0'",
                                  "Message assistant/agent 'ICE 9.'",
                                  "Usage in=50 write=0 read=40 out=12 model=rail-1",
                              });
        CHECK(seen.events.usages[0].scope == UsageScope::session);  // a sum over two requests
        CHECK(seen.events.heads[5].response == seen.events.heads[6].response);
        CHECK(seen.events.heads[5].response != seen.events.heads[9].response);
    }

    TEST_CASE("a call fails, is denied, waits, or tells by itself how it went") {
        const auto seen = read_text(readers::vercel_ai(), vercel_file("full.json"));
        CHECK(seen.lines().front() == "SessionStart id=chat-1");
        CHECK(seen.those("ToolCall").size() == 4);
        CHECK(seen.those("ToolResult") ==
              Lines{"ToolResult c1 error 'sold out'", "ToolResult c2 denied",
                    R"(ToolResult c4 error exit=1 '{"success": false, "exitCode": 1, "output": "no paper"}')"});
        CHECK(seen.those("Message") == Lines{"Message system/injected 'You know trains.'",
                                             "Message user/human 'Book one' media=1",
                                             "Message assistant/agent media=1"});
        CHECK(seen.those("Usage") == Lines{"Usage in=20 write=5 read=25 out=7"});
        CHECK(seen.events.usages[0].scope == UsageScope::request);
    }

    TEST_CASE("messages of version 4, with their calls among the parts or beside what was said") {
        const auto seen = read_text(readers::vercel_ai(), vercel_file("version4.json"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart",
                                  "TurnStart",
                                  "Message user/human 'Weather?' media=1",
                                  "Thinking 'hm'",
                                  "Message assistant/agent 'Look. '",
                                  "ToolCall c1 sky 'Ulm'",
                                  R"(ToolResult c1 unknown '{"rain": true}')",
                                  "Message assistant/agent 'Rain.'",
                                  "Usage in=8 write=0 read=0 out=3",
                                  "TurnStart",
                                  "Message user/human 'And in Aulendorf?'",
                                  "ToolCall c2 sky 'A'",
                                  "ToolCall c3 sky 'B'",
                                  "ToolResult c2 unknown 'none'",
                                  "ToolResult c3 unknown 'none'",
                                  "ToolCall c4 sky 'Aulendorf'",
                                  "Message assistant/agent 'Sun.'",
                              });
        CHECK(seen.events.heads[1].time_ms == 1795766400000);
        CHECK(seen.count(LineFate::ignored_kind) == 1);
    }

    TEST_CASE("Mux marks no steps: a call ends one; programs, compactions and breaks are told") {
        const auto seen = read_text(readers::vercel_ai(), vercel_file("mux.jsonl"));
        CHECK(seen.those("SessionStart") == Lines{"SessionStart id=w1"});
        CHECK(seen.those("ContextChange") == Lines{"ContextChange model=colour-1"});
        CHECK(seen.those("Tool") == Lines{
                                        "ToolCall c1 bash 'ls'",
                                        R"(ToolResult c1 ok exit=0 '{"success":true,"output":"a.css","exitCode":0}')",
                                        "ToolCall c2 code_execution 'mux.bash()' script",
                                        "ToolCall n1 bash 'pwd' by-code",
                                        "ToolResult n1 unknown '/x'",
                                        "ToolCall n2 bash 'cd' by-code",
                                        "ToolResult n2 error",
                                        R"(ToolResult c2 unknown '{"success":true,"result":1}')",
                                    });
        CHECK(seen.those("Turn") == Lines{"TurnStart", "TurnEnd aborted"});
        CHECK(seen.those("Message user") == Lines{"Message user/human 'Make it green'",
                                                  "Message user/injected 'Summarise'",
                                                  "Message user/injected 'Continue'"});
        CHECK(seen.those("Compaction") == Lines{"Compaction summary 'The page is green.'"});
        CHECK(seen.those("Notice") == Lines{"Notice provider/error error 'overloaded'"});
        CHECK(seen.events.usages[0].context_tokens == 130);
    }

    TEST_CASE("a request repeats its chat: what is new in it is told, and what a call gave since") {
        const auto seen = read_text(readers::vercel_ai(), vercel_file("requests.jsonl"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart id=chat-1",
                                  "TurnStart",
                                  "Message user/human 'one?'",
                                  "ToolCall c1 ask",
                                  "ToolResult c1 unknown 'yes'",
                                  "Message assistant/agent '1'",
                                  "SessionStart id=chat-2",
                                  "TurnStart",
                                  "Message user/human 'two?'",
                                  "SessionStart id=chat-1 resumed",
                                  "TurnStart",
                                  "Message user/human 'again'",
                              });
    }

    TEST_CASE("records without what they need are counted, and messages of others are none of it") {
        const auto seen = read_text(readers::vercel_ai(), vercel_file("bad-fields.jsonl"));
        CHECK(seen.fates == std::vector{LineFate::understood, LineFate::understood, LineFate::missing_field,
                                        LineFate::unknown_kind, LineFate::missing_field, LineFate::missing_field,
                                        LineFate::malformed_json});
        CHECK(seen.count("SessionStart") == 1);
        for (const std::string_view name :
             {"minimal.jsonl", "full.json", "version4.json", "mux.jsonl", "requests.jsonl"})
            CHECK(score_text(readers::vercel_ai(), vercel_file(name)) == 90);
        // Gemini's contents, opencode's messages, ModelMessages of the same library, messages of A2A
        for (const std::string_view other :
             {R"({"role":"user","parts":[{"text":"x"}]})",
              R"({"info":{"id":"m","role":"user"},"parts":[{"type":"text","text":"x"}]})",
              R"({"role":"assistant","content":[{"type":"tool-call","toolCallId":"c","toolName":"f","input":{}}]})",
              R"({"role":"user","parts":[{"kind":"text","text":"x"}],"messageId":"m"})",
              R"({"role":"user","content":"x","toolInvocations":[]})"})
            CHECK(score_text(readers::vercel_ai(), other) == 0);
    }

    TEST_CASE("messages in the storage of Mastra have their parts in the content, and a thread each") {
        const auto message = [](std::string_view role, std::string_view thread, std::string_view parts) {
            return fmt::format(
                R"({{"id":"{0}-{1}","role":"{0}","threadId":"{1}","content":{{"format":2,"parts":[{2}],"content":"x"}}}})"
                "\n",
                role, thread, parts);
        };
        const std::string done =
            R"({"type":"tool-invocation","toolInvocation":{"state":"result","toolCallId":"c1","toolName":"departures","args":{"from":"Ulm"},"result":"on time"}})";
        const std::string stored = message("user", "t1", R"({"type":"text","text":"Late?"})") +
                                   message("assistant", "t1", done) +
                                   message("user", "t2", R"({"type":"text","text":"And now?"})");
        CHECK(score_text(readers::vercel_ai(), stored) > score_text(readers::chat_completions(), stored));
        const auto seen = read_text(readers::vercel_ai(), stored);
        CHECK(seen.count("SessionStart") == 2);
        CHECK(seen.those("Tool") == Lines{"ToolCall c1 departures 'Ulm'", "ToolResult c1 unknown 'on time'"});
    }
}
