#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using test::read_text;
using test::score_text;
using test::slurp;

namespace {

std::string hook_fixture(std::string_view name) {
    return slurp(test::source_dir() / "testdata/readers/hook-log" / name);
}
test::Reading read_hooks(std::string_view text) { return read_text(readers::hook_log(), text); }

std::string behind_tool(std::string_view response, std::string_view client = "codex") {
    return R"({"agent_audit_hook":1,"client":")" + std::string(client) +
           R"(","payload":{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls"},)" +
           R"("tool_use_id":"c","tool_response":)" + std::string(response) + "}}\n";
}
std::string result_of(std::string_view response, std::string_view client = "codex") {
    const auto found = read_hooks(behind_tool(response, client)).those("ToolResult");
    REQUIRE(found.size() == 1);
    return found[0];
}

}  // namespace

using HookLines = std::vector<std::string>;

TEST_SUITE("hook-log") {
    TEST_CASE("bare payloads are a session") {
        CHECK(read_hooks(hook_fixture("minimal.jsonl")).lines() == HookLines{
                                                                       "SessionStart id=a41c-dyke cwd=/home/mina/dyke",
                                                                       "TurnStart",
                                                                       "Message user/human 'How high is the dyke?'",
                                                                       "ToolCall c1 Read 'survey.txt'",
                                                                       "ToolResult c1 unknown '7.4 m above datum'",
                                                                       "Message assistant/agent '7.4 metres.'",
                                                                       "TurnEnd completed",
                                                                   });
    }

    TEST_CASE("a hook that is set twice tells everything twice, and it counts once") {
        std::int64_t now = 1'790'000'000'000;
        const auto line = [&now](std::string_view event, std::string_view rest) {
            return fmt::format(
                R"({{"agent_audit_hook":1,"client":"opencode","time_ms":{},"payload":{{"session_id":"s","hook_event_name":"{}",{}}}}})"
                "\n",
                now += 300, event, rest);
        };
        const std::string tool = R"("tool_name":"bash","tool_use_id":"c","tool_input":{"command":"ls"})";
        const std::string answer = tool + R"(,"tool_response":{"content":"ok","isError":false})";
        std::string text;
        for (int round = 0; round < 2; ++round) {  // with the same id, as some models give it
            for (int k = 0; k < 2; ++k) text += line("UserPromptSubmit", R"("prompt":"go")");
            for (int k = 0; k < 2; ++k) text += line("PreToolUse", tool);
            for (int k = 0; k < 2; ++k) text += line("PostToolUse", answer);
        }
        const auto seen = read_hooks(text);
        CHECK(seen.count("TurnStart") == 2);
        CHECK(seen.count("ToolCall") == 2);
        CHECK(seen.count("ToolResult") == 2);
        CHECK(read_hooks(line("PostToolUse", answer) + line("PostToolUse", answer)).count("ToolCall") == 2);
    }

    TEST_CASE("every kind of our own log") {
        const auto seen = read_hooks(hook_fixture("full.jsonl"));
        CHECK(seen.lines() == HookLines{
                                  "SessionStart id=b52d-lock cwd=/home/mina/lock",
                                  "TurnStart",
                                  "Message user/human 'Make the gate test pass.'",
                                  "ToolCall g1 Bash 'make gate'",
                                  "ToolCall g2 Grep 'gate'",
                                  "ToolResult g2 ok 'gate.c:12: open()'",
                                  R"(ToolResult g1 error exit=2 'Exit code 2\nmake: *** no rule')",
                                  "ToolCall g3 Agent 'look into gate.c'",
                                  "LaneOpen",
                                  "ToolCall g4 Read 'gate.c'",
                                  "ToolResult g4 ok 'int open() { return 0; }'",
                                  "ToolResult g3 ok 'open() does nothing.'",
                                  "ToolCall g5 Bash 'make gate'",
                                  "ToolResult g5 denied by=rule '[agent-audit loop/exact-repeat] The same again.'",
                                  "ToolCall g6 Bash 'make all'",
                                  R"(ToolResult g6 ok 'built\n1 warning')",
                                  "ToolCall g7 Bash 'sleep 99'",
                                  "ToolResult g7 cancelled",
                                  "Compaction summary 'The gate opens.'",
                                  "Compaction reset",
                                  "Message assistant/agent 'It passes.'",
                                  "TurnEnd completed",
                              });
        CHECK(seen.count(LineFate::ignored_kind) == 2);
    }

    TEST_CASE("calls without ids are answered by their tool and arguments") {
        const auto seen = read_hooks(hook_fixture("gemini.jsonl"));
        const auto calls = seen.those("ToolCall"), results = seen.those("ToolResult");
        REQUIRE(calls.size() == 2);
        REQUIRE(results.size() == 2);
        const auto id = [](const std::string& line) { return line.substr(line.find(' ') + 1, 21); };
        CHECK(id(calls[0]) == id(results[0]));
        CHECK(id(calls[1]) == id(results[1]));
        CHECK(id(calls[0]) != id(calls[1]));
        CHECK(results[0].find("error") != std::string::npos);
    }

    TEST_CASE("records with something missing or wrong cost themselves") {
        const auto seen = read_hooks(hook_fixture("bad-records.jsonl"));
        CHECK(seen.fates == std::vector<LineFate>{LineFate::missing_field, LineFate::missing_field,
                                                  LineFate::unknown_kind, LineFate::missing_field, LineFate::understood,
                                                  LineFate::malformed_json, LineFate::missing_field});
        CHECK(seen.count("ToolCall") == 1);
    }

    TEST_CASE("what a call returned is said in many shapes") {
        CHECK(result_of(R"("plain")") == "ToolResult c unknown 'plain'");
        CHECK(result_of(R"({"stdout":"a","stderr":"","exitCode":3})") == "ToolResult c error exit=3 'a'");
        CHECK(result_of(R"({"stdout":"","stderr":""})", "claude-code") == "ToolResult c ok");
        CHECK(result_of(R"([{"type":"text","text":"t"}])") == "ToolResult c unknown 't'");
        CHECK(result_of(R"({"llmContent":{"text":"t"},"error":null})") == "ToolResult c unknown 't'");
        CHECK(result_of(R"({"content":"no","is_error":true})") == "ToolResult c error 'no'");
        CHECK(result_of(R"({"content":"no","isError":false})", "pi") == "ToolResult c ok 'no'");
        CHECK(result_of(R"({"content":"no","isError":false,"exit_code":3})", "opencode") ==
              "ToolResult c error exit=3 'no'");
        CHECK(result_of(R"({"numFiles":3})").find("numFiles") != std::string::npos);
    }

    TEST_CASE("calls that were turned down are read, also where their arguments are JSON in a string") {
        const std::string call =
            R"({"tool_name":"Edit","tool_use_id":"%","tool_input":"{\"file_path\":\"a.c\",\"n\":[1,{\"x\":2}]}",)"
            R"("tool_response":"<tool_use_error>not read</tool_use_error>"})";
        std::string calls;
        for (const char* id : {"e1", "e2", "e3"}) {
            calls += (calls.empty() ? "" : ",") + call;
            calls.replace(calls.find('%'), 1, id);
        }
        const auto seen =
            read_hooks(R"({"session_id":"s","hook_event_name":"PostToolBatch","tool_calls":[)" + calls + "]}\n");
        CHECK(seen.those("ToolCall") ==
              HookLines{"ToolCall e1 Edit 'a.c'", "ToolCall e2 Edit 'a.c'", "ToolCall e3 Edit 'a.c'"});
        CHECK(seen.those("ToolResult").size() == 3);
    }

    TEST_CASE("calls of one response, and those of the next, are told apart") {
        const auto seen = read_hooks(hook_fixture("full.jsonl"));
        std::vector<IdHash> responses;
        for (std::size_t i = 0; i < seen.lines().size(); ++i) {
            if (seen.lines()[i].starts_with("ToolCall")) responses.push_back(seen.events.heads[i].response);
        }
        REQUIRE(responses.size() == 7);
        CHECK(responses[0] == responses[1]);
        CHECK(responses[1] != responses[2]);
        CHECK(responses[2] != responses[3]);  // the sub-agent's
    }

    TEST_CASE("a prompt that Qwen Code hands over again is no new turn, and elsewhere it is") {
        const auto turns = [](std::string_view client) {
            const std::string line =
                R"({"agent_audit_hook":1,"client":")" + std::string(client) +
                R"(","payload":{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"go on"}})"
                "\n";
            return read_hooks(line + line).count("TurnStart");
        };
        CHECK(turns("qwen") == 1);
        CHECK(turns("claude-code") == 2);
    }

    TEST_CASE("payloads are known by their own keys") {
        CHECK(score_text(readers::hook_log(), hook_fixture("full.jsonl")) == kCertain);
        CHECK(score_text(readers::hook_log(), hook_fixture("minimal.jsonl")) > 90);
        CHECK(score_text(readers::hook_log(),
                         slurp(test::source_dir() / "testdata/readers/cursor-stream/minimal.jsonl")) == 0);
    }
}
