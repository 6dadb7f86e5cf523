#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using test::read_text;
using test::score_text;
using test::slurp;
using Lines = std::vector<std::string>;

namespace {

std::string fixture(std::string_view name) { return slurp(test::source_dir() / "testdata/readers" / name); }
test::Reading read(std::string_view name) {
    return read_text(readers::openhands(), fixture(fmt::format("openhands/{}", name)));
}

}  // namespace

TEST_SUITE("openhands") {
    TEST_CASE("events of version 0 become turn, thought, call, usage, result and answer, in this order") {
        const auto seen = read("minimal.jsonl");
        CHECK(seen.lines() == Lines{
                                  "SessionStart",
                                  "TurnStart",
                                  "Message user/human 'what is in here?'",
                                  "Message assistant/agent 'Look first.'",
                                  "ToolCall 1 execute_bash 'ls'",
                                  "Usage in=100 write=0 read=400 out=20 model=toy-model",
                                  "ToolResult 1 ok exit=0 'todo.txt'",
                                  "Message assistant/agent 'One file: todo.txt.'",
                                  "TurnEnd completed",
                              });
        CHECK(seen.events.heads[6].time_ms - seen.events.heads[4].time_ms == 1000);
        CHECK(seen.events.usages.at(0).mode == UsageMode::replace);
    }

    TEST_CASE("what is kept beside the events tells the model, the folder and what each response used") {
        const auto seen = read("state.jsonl");
        CHECK(seen.lines().front().starts_with("SessionStart"));
        CHECK(seen.lines().front().find("model=large-1") != std::string::npos);
        // One for each response, however many calls it had, and none for running totals; the condenser's comes last.
        CHECK(seen.those("Usage") == Lines{"Usage in=40 write=0 read=60 out=7 model=large-1 cost=10000",
                                           "Usage in=120 write=0 read=0 out=9 model=large-1 cost=20000",
                                           "Usage in=300 write=0 read=0 out=20 model=small-1"});
        CHECK(seen.events.heads.back().lane == 1);
        CHECK(score_text(readers::openhands(), fixture("openhands/state.jsonl")) == kCertain);
    }

    TEST_CASE("results are told apart: failed, still running, refused edit, rejected by the user, just a thought") {
        const auto seen = read("full.jsonl");
        CHECK(seen.those("ToolResult") == Lines{
                                              "ToolResult 4 error exit=1 '1 failing'",
                                              "ToolResult 5 unknown 'Your thought has been logged.'",
                                              "ToolResult 8 running 'listening'",
                                              R"(ToolResult 10 error 'ERROR:\nNo replacement was performed.')",
                                              "ToolResult 12 denied 'no'",
                                          });
        CHECK(seen.those("Notice") == Lines{"Notice harness/error error 'Parameter 'command' is missing.'"});
        CHECK(seen.those("TurnEnd") == Lines{"TurnEnd completed", "TurnEnd aborted"});
        CHECK(seen.those("Compaction") == Lines{"Compaction summary 'tested'"});
        CHECK(seen.count(LineFate::ignored_kind) == 3);
    }

    TEST_CASE("what the editor views is a look and no edit, and an MCP server's own error mark is believed") {
        const auto seen = read_text(
            readers::openhands(),
            R"({"id":1,"source":"agent","action":"read","tool_call_metadata":{"function_name":"str_replace_editor","tool_call_id":"a"},"args":{"path":"/w/a.py","start":0,"end":-1}}
{"id":2,"source":"agent","observation":"read","cause":1,"tool_call_metadata":{"function_name":"str_replace_editor","tool_call_id":"a"},"content":"x = 1"}
{"id":3,"source":"agent","action":"call_tool_mcp","tool_call_metadata":{"function_name":"ask","tool_call_id":"b"},"args":{"name":"ask","arguments":{"q":1}}}
{"id":4,"source":"agent","observation":"mcp","cause":3,"content":"{\"content\": [], \"isError\": true}"}
{"id":5,"source":"agent","action":"call_tool_mcp","tool_call_metadata":{"function_name":"ask","tool_call_id":"c"},"args":{"name":"ask","arguments":{"q":2}}}
{"id":6,"source":"agent","observation":"mcp","cause":5,"content":"{\"content\": [], \"isError\": false}"}
)");
        CHECK(seen.those("ToolCall").at(0).starts_with("ToolCall 1 read "));
        CHECK(seen.those("ToolResult").at(1).starts_with("ToolResult 3 error"));
        CHECK(seen.those("ToolResult").at(2).starts_with("ToolResult 5 unknown"));
    }

    TEST_CASE("where running totals are kept, only they are the usage") {
        const auto seen = read("full.jsonl");
        CHECK(seen.those("Usage") == Lines{
                                         "Usage in=40 write=20 read=40 out=10 model=toy-model cost=10000",
                                         "Usage in=190 write=20 read=90 out=15 cost=30000",
                                     });
        for (const Usage& usage : seen.events.usages) CHECK(usage.mode == UsageMode::cumulative);
        CHECK(seen.events.usages[0].context_tokens == 100);
    }

    TEST_CASE("thoughts differ by what is thought, commands do not by the thought that leads to them") {
        const auto digest = [](std::string_view action, std::string_view args) {
            const auto seen =
                read_text(readers::openhands(),
                          fmt::format(R"({{"id":1,"source":"agent","action":"{}","args":{}}})", action, args));
            return seen.events.digests.at(0).canonical;
        };
        CHECK(digest("think", R"({"thought":"a"})") != digest("think", R"({"thought":"b"})"));
        CHECK(digest("run", R"({"command":"ls","thought":"a"})") == digest("run", R"({"thought":"b","command":"ls"})"));
        CHECK(digest("run", R"({"command":"ls"})") != digest("run", R"({"command":"pwd"})"));
    }

    TEST_CASE("events of version 1 become the same things") {
        const auto seen = read("events-v1.jsonl");
        CHECK(seen.lines() == Lines{
                                  "SessionStart",
                                  "Message system/injected 'You are an agent.'",
                                  "TurnStart",
                                  "Message user/human 'fix it'",
                                  "Thinking 'First the test.'",
                                  "Message assistant/agent 'Test.'",
                                  "ToolCall c1 terminal 'npm test'",
                                  "ToolCall c2 think 'Perhaps the basket.'",
                                  "ToolResult c1 error exit=1 '1 failing'",
                                  "ToolResult c2 ok 'Your thought has been logged.'",
                                  "Usage in=110 write=0 read=40 out=15 model=m cost=750000",
                                  "ToolCall c3 terminal 'rm -rf /'",
                                  "ToolResult c3 denied 'no'",
                                  "ToolCall c4 browser",
                                  "ToolResult c4 error 'unknown tool'",
                                  "Compaction summary 'tested'",
                                  "Thinking 'Hm.'",
                                  "Message assistant/agent 'I am lost.'",
                                  "TurnEnd aborted",
                                  "Message user/injected 'hook says no'",
                                  "Notice provider/error LLMError 'overloaded'",
                                  "ToolCall c9 shop_search 'basket'",
                                  "ToolResult c9 ok 'two baskets'",
                              });
        CHECK(seen.events.heads[6].response == seen.events.heads[7].response);
        CHECK(seen.events.usages.at(0).context_tokens == 110);
    }

    TEST_CASE("a call that could not be read as an action has the arguments that the model wrote") {
        const auto with = [](std::string_view action, std::string_view arguments) {
            return read_text(
                readers::openhands(),
                fmt::format(R"({{"id":"a","source":"agent","thought":[],"action":{},"tool_name":"terminal",)"
                            R"("tool_call_id":"c","tool_call":{{"id":"c","name":"terminal","arguments":"{}"}},)"
                            R"("llm_response_id":"r","kind":"ActionEvent"}})",
                            action, arguments));
        };
        const auto first = with("null", R"({\"command\": \"make\"})"),
                   second = with("null", R"({\"command\": \"ls\"})");
        CHECK(first.those("ToolCall") == Lines{"ToolCall c terminal 'make'"});
        CHECK(first.events.digests.at(0).canonical != second.events.digests.at(0).canonical);
        CHECK(with(R"({"command":"pwd","kind":"TerminalAction"})", R"({\"command\": \"ls\"})").those("ToolCall") ==
              Lines{"ToolCall c terminal 'pwd'"});
    }

    TEST_CASE("a call of another agent behind its protocol is told once, when it is over") {
        const auto event = [](std::string_view id, std::string_view status, std::string_view rest) {
            return fmt::format(
                R"({{"id":"e","source":"agent","tool_call_id":"{}","title":"make check","status":"{}",{},)"
                R"("kind":"ACPToolCallEvent"}})"
                "\n",
                id, status, rest);
        };
        const auto seen = read_text(
            readers::openhands(),
            event("t1", "pending", R"("tool_kind":"execute","raw_input":{},"raw_output":null,"is_error":false)") +
                event("t1", "in_progress", R"("tool_kind":"execute","raw_input":{"command":"make check"})") +
                event("t1", "failed",
                      R"("tool_kind":"execute","raw_input":{"command":"make check"},"raw_output":null,)"
                      R"("content":[{"type":"content","content":{"type":"text","text":"Error 2"}}],"is_error":true)") +
                event(
                    "t2", "completed",
                    R"("tool_kind":"other","raw_input":null,"raw_output":{"exit_code":0,"formatted_output":"fine"})") +
                event("t3", "completed", R"("tool_kind":"read","raw_input":{"path":"a.py"},"raw_output":"x = 1")") +
                event("t4", "completed", R"("tool_kind":"execute","raw_input":{},"raw_output":{"exit_code":3})"));
        CHECK(seen.lines() == Lines{"SessionStart", "ToolCall t1 execute 'make check'", "ToolResult t1 error 'Error 2'",
                                    "ToolCall t2 make check 'make check'", "ToolResult t2 ok exit=0 'fine'",
                                    "ToolCall t3 read 'a.py'", "ToolResult t3 ok 'x = 1'",
                                    "ToolCall t4 execute 'make check'", "ToolResult t4 error exit=3"});
        CHECK(seen.fates.at(0) == LineFate::ignored_kind);
    }

    TEST_CASE("an interruption ends the turn, a limit is the harness's, and an answer to a question is no call") {
        const auto seen = read_text(
            readers::openhands(),
            R"({"id":"u","source":"user","llm_message":{"content":"go on"},"kind":"MessageEvent"})"
            "\n"
            R"({"id":"i","source":"user","reason":"User requested interrupt","kind":"InterruptEvent"})"
            "\n"
            R"({"id":"v","source":"user","llm_message":{"content":"now"},"kind":"MessageEvent"})"
            "\n"
            R"({"id":"q","source":"user","request_id":"r","action":"accept","answers":{},"kind":"AskUserResponseEvent"})"
            "\n"
            R"({"id":"c","source":"environment","code":"MaxIterationsReached","detail":"500","kind":"ConversationErrorEvent"})"
            "\n");
        CHECK(seen.lines() == Lines{"SessionStart", "TurnStart", "Message user/human 'go on'", "TurnEnd aborted",
                                    "TurnStart", "Message user/human 'now'",
                                    "Notice harness/error MaxIterationsReached '500'", "TurnEnd failed"});
        CHECK(seen.fates.at(3) == LineFate::ignored_kind);
    }

    TEST_CASE("what headless runs print between their events is no broken record") {
        const auto seen =
            read_text(readers::openhands(),
                      "--JSON Event--\n{\n  \"id\": \"u\",\n  \"kind\": \"MessageEvent\",\n"
                      "  \"llm_message\": {\n    \"content\": \"go on\"\n  },\n  \"source\": \"user\"\n}\n"
                      "--JSON Event--\n{\n  \"id\": \"p\",\n  \"kind\": \"PauseEvent\",\n"
                      "  \"source\": \"user\"\n}\n");
        CHECK(seen.lines() == Lines{"SessionStart", "TurnStart", "Message user/human 'go on'", "TurnEnd aborted"});
        CHECK(seen.count(LineFate::malformed_json) == 0);
    }

    TEST_CASE("a call that the harness could not read is told by its complaint") {
        const auto error = [](std::string_view source, std::string_view text) {
            return read_text(readers::openhands(),
                             fmt::format(R"({{"id":7,"timestamp":"2026-01-06T15:22:27.2","source":"{}","message":"m",)"
                                         R"("observation":"error","content":"{}","extras":{{"error_id":""}}}})",
                                         source, text));
        };
        const auto seen = error("agent", "Missing required parameters for function 'edit': {'path'}");
        CHECK(seen.lines() == Lines{"SessionStart", "ToolCall 7 edit opaque",
                                    "ToolResult 7 error 'Missing required parameters for function 'edit': {'path'}'"});
        CHECK(seen.events.heads.at(1).response != 0);
        const auto tool = [&](std::string_view text) { return error("agent", text).those("ToolCall"); };
        CHECK(tool(R"(Missing required argument \"command\" in tool call execute_bash)") ==
              Lines{"ToolCall 7 execute_bash opaque"});
        CHECK(tool("Tool shell is not registered. (arguments: {}).") == Lines{"ToolCall 7 shell opaque"});
        CHECK(tool("Failed to parse tool call arguments: {") == Lines{"ToolCall 7 unknown opaque"});
        CHECK(tool("The Tool that you want is not registered").empty());
        CHECK(error("agent", "No answer").those("Notice") == Lines{"Notice harness/error error 'No answer'"});
        CHECK(error("environment", "function 'f' is not there").count("ToolCall") == 0);
    }

    TEST_CASE("calls of the sub-agents of such an agent have lanes of their own") {
        const auto event = [](std::string_view id, std::string_view parent) {
            return fmt::format(R"({{"id":"e","source":"agent","tool_call_id":"{}","title":"Read","status":"completed",)"
                               R"("tool_kind":"read","raw_input":{{"path":"a"}},"raw_output":"x",)"
                               R"("parent_tool_call_id":{},"kind":"ACPToolCallEvent"}})"
                               "\n",
                               id, parent);
        };
        const auto seen =
            read_text(readers::openhands(), event("1", "null") + event("2", R"("task-a")") + event("3", R"("task-b")") +
                                                event("4", R"("task-a")") + event("5", "null"));
        CHECK(seen.count("LaneOpen") == 2);
        std::vector<std::uint32_t> lanes;
        for (const auto& head : seen.events.heads) lanes.push_back(head.lane);
        CHECK(lanes == std::vector<std::uint32_t>{0, 0, 0, 1, 1, 1, 2, 2, 2, 1, 1, 0, 0});
    }

    TEST_CASE("what the context of the agent puts behind prompts and results is in the prompt, too") {
        const auto seen = read_text(
            readers::openhands(),
            R"({"id":"s","source":"agent","system_prompt":{"type":"text","text":"You are."},"tools":[],)"
            R"("dynamic_context":{"type":"text","text":"Hosts: a"},"kind":"SystemPromptEvent"})"
            "\n"
            R"({"id":"u","source":"user","llm_message":{"content":"go on"},"extended_content":[{"type":"text",)"
            R"("text":"Skill: b"}],"kind":"MessageEvent"})"
            "\n"
            R"({"id":"o","source":"environment","tool_name":"t","tool_call_id":"c","observation":{"content":"x"},)"
            R"("action_id":"a","extended_content":[{"type":"text","text":"Rule: c"}],"kind":"ObservationEvent"})"
            "\n"
            R"({"id":"v","source":"user","llm_message":{"content":"more"},"extended_content":[],"kind":"MessageEvent"})"
            "\n");
        CHECK(seen.lines() == Lines{"SessionStart", "Message system/injected 'You are.'",
                                    "Message system/injected 'Hosts: a'", "TurnStart", "Message user/human 'go on'",
                                    "Message user/injected 'Skill: b'", "ToolResult c ok 'x'",
                                    "Message user/injected 'Rule: c'", "TurnStart", "Message user/human 'more'"});
    }

    TEST_CASE("the events are read that a server answers with") {
        const std::string events =
            R"([{"id":0,"timestamp":"2026-01-06T15:22:27.2","source":"user","action":"message","args":{"content":"go"}},)"
            R"({"id":1,"timestamp":"2026-01-06T15:22:28.2","source":"agent","action":"run","args":{"command":"ls"}},)"
            R"({"id":2,"timestamp":"2026-01-06T15:22:29.2","source":"agent","observation":"run","cause":1,"content":"a",)"
            R"("extras":{"exit_code":0}}])";
        for (const std::string& answer :
             {R"({"trajectory":)" + events + "}", R"({"items":)" + events + R"(,"next_page_id":null})"}) {
            CHECK(read_text(readers::openhands(), answer).lines() ==
                  Lines{"SessionStart", "TurnStart", "Message user/human 'go'", "ToolCall 1 execute_bash 'ls'",
                        "ToolResult 1 ok exit=0 'a'"});
            CHECK(score_text(readers::openhands(), answer) == 90);
            CHECK(score_text(readers::swe_agent(), answer) == 0);
        }
        CHECK(score_text(readers::openhands(), R"({"items":[{"observation":"rain","source":"radar"}]})") == 0);
    }

    TEST_CASE("a sum of several models is that of none") {
        const auto model_of = [](std::string_view second) {
            const std::string metrics = R"("accumulated_token_usage":{"prompt_tokens":100,"completion_tokens":10}})";
            const auto seen = read_text(
                readers::openhands(),
                R"({"id":"e1","timestamp":"2026-06-02T10:00:05","source":"environment","key":"stats","value":{"usage_to_metrics":)"
                R"({"default":{"model_name":"m",)" +
                    metrics + R"(,"idle":{"model_name":"n"},"other":{"model_name":")" + std::string(second) + "\"," +
                    metrics + "}},\"kind\":\"ConversationStateUpdateEvent\"}\n");
            return seen.those("Usage");
        };
        CHECK(model_of("m") == Lines{"Usage in=200 write=0 read=0 out=20 model=m"});
        CHECK(model_of("n") == Lines{"Usage in=200 write=0 read=0 out=20"});
    }

    TEST_CASE("a record of an evaluation is a session, without ids paired by position") {
        const auto seen = read("evaluation.jsonl");
        CHECK(seen.lines() == Lines{
                                  "SessionStart id=toy__toy-1 model=toy-model label=toy__toy-1",
                                  "TurnStart",
                                  "Message user/human 'fix it'",
                                  "Message assistant/agent 'Look.'",
                                  "ToolCall  execute_bash 'ls'",
                                  "ToolResult  ok exit=0 'a.ts'",
                                  "ToolCall  execute_ipython_cell '1/0'",
                                  "ToolResult  unknown 'ZeroDivisionError'",
                                  "Usage in=90 write=0 read=0 out=9 cost=500000",
                                  "Notice harness/error error 'RuntimeError: Agent reached maximum iteration'",
                                  "TurnEnd failed",
                                  "SessionStart id=toy__toy-2 label=toy__toy-2",
                                  "TurnStart",
                                  "Message user/human 'fix that'",
                                  "Message assistant/agent 'Nothing to do.'",
                                  "TurnEnd completed",
                              });
    }

    TEST_CASE("events without what they need are counted, and of a torn record the whole events are read") {
        const auto seen = read("bad-fields.jsonl");
        CHECK(seen.fates == std::vector{LineFate::missing_field, LineFate::missing_field, LineFate::missing_field,
                                        LineFate::unknown_kind, LineFate::understood, LineFate::unknown_kind,
                                        LineFate::missing_field, LineFate::partial});
        CHECK(seen.lines().back() == "Message user/human 'half'");
    }

    TEST_CASE("arguments that break off make the event malformed, and nothing of it is told") {
        for (const char* args :
             {R"({"a":[1,})", R"({"forgotten_event_ids":[1,2})", R"({"content":["x")", R"({"a" "b"})"}) {
            CAPTURE(args);
            const auto seen = read_text(readers::openhands(),
                                        fmt::format(R"({{"id":1,"source":"agent","action":"run","args":{}}})", args));
            CHECK(seen.lines().empty());
            CHECK(seen.count(LineFate::understood) == 0);
        }
    }

    TEST_CASE("it claims its own files and not other histories") {
        for (const char* name : {"minimal.jsonl", "full.jsonl", "events-v1.jsonl", "evaluation.jsonl"}) {
            CAPTURE(name);
            CHECK(score_text(readers::openhands(), fixture(fmt::format("openhands/{}", name))) == kCertain);
        }
        CHECK(score_text(readers::openhands(), fixture("swe-agent/minimal.traj")) == 0);
        CHECK(score_text(readers::openhands(), R"({"id":0,"timestamp":"t","source":"sensor","action":"open"})") == 0);
        CHECK(score_text(readers::openhands(), R"({"id":0,"timestamp":"t","source":"user","action":"message"})") ==
              kCertain);
        CHECK(score_text(readers::openhands(), R"({"history":[{"content":"x","role":"human"}],"mistake_agent":"a"})") ==
              0);
    }
}
