#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using test::read_text;
using test::score_text;
using test::slurp;
using Lines = std::vector<std::string>;

namespace {

test::Reading read(const ReaderSpec& spec, std::string_view name) {
    return read_text(spec, slurp(test::source_dir() / "testdata/readers" / spec.id / name));
}

// One message of a user with one text block.
test::Reading user(std::string_view text) {
    return read_text(
        readers::cline(),
        fmt::format(R"([{{"role":"user","content":[{{"type":"text","text":"{}"}}],"ts":1772442000000}}])", text));
}

test::Reading assistant(std::string_view text) {
    return read_text(
        readers::cline(),
        fmt::format(R"([{{"role":"assistant","content":[{{"type":"text","text":"{}"}}],"ts":1772442000000}}])", text));
}

// What a tool of the SDK gave back, as it stands in its result.
test::Reading sdk_result(std::string_view content) {
    return read_text(
        readers::cline(),
        fmt::format(
            R"([{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"c","content":{}}}],"ts":1772442000000}}])",
            content));
}

}  // namespace

TEST_SUITE("cline") {
    TEST_CASE("a result that is only text answers the call before it") {
        const auto seen = read(readers::cline(), "minimal.json");
        CHECK(seen.those("Tool") == Lines{"ToolCall toolu_1 list_files '.'", "ToolResult  ok 'todo.txt'",
                                          "ToolCall toolu_2 attempt_completion 'One file.'"});
        CHECK(seen.those("Usage") == Lines{"Usage in=100 write=0 read=400 out=20 model=toy-model cost=12500"});
        CHECK(seen.count("TurnStart") == 1);
        CHECK(seen.events.heads[0].time_ms == 1772442000000);
    }
    TEST_CASE("calls in tags become calls, and their results tell failed, denied and not run apart") {
        const auto seen = read(readers::cline(), "full.json");
        CHECK(seen.those("ToolCall") == Lines{R"(ToolCall  read_file 'a \"b\".ts')", "ToolCall  write_to_file 'a.ts'",
                                              "ToolCall  execute_command 'npm test'",
                                              "ToolCall t1 execute_command 'npm test'",
                                              "ToolCall t2 read_file 'a.ts'"});
        const auto results = seen.those("ToolResult");
        REQUIRE(results.size() == 5);
        CHECK(results[0].starts_with("ToolResult  error 'The tool execution failed"));
        CHECK(results[1].starts_with("ToolResult  denied"));
        CHECK(results[2].starts_with("ToolResult  cancelled"));
        CHECK(results[3].starts_with("ToolResult t1 error exit=1"));
        CHECK(results[4] == "ToolResult t2 ok 'let x;'");
        CHECK(seen.those("Message user/human") ==
              Lines{"Message user/human '<task>fix it</task>'", "Message user/human 'not there'",
                    R"(Message user/human '<user_message>\nand b.ts?\n</user_message>' media=1)"});
        CHECK(seen.those("Compaction") == Lines{"Compaction summary 'Summary: x is let.'", "Compaction truncate"});
    }
    TEST_CASE("a session of the SDK has its id, its prompt and tokens without those of the cache") {
        const auto seen = read(readers::cline(), "sdk.json");
        CHECK(seen.lines().front() == "SessionStart id=1772442000000_toy label=lead");
        CHECK(seen.those("Compaction") == Lines{R"(Compaction summary '## Goal\nToys.' before=21000)"});
        CHECK(seen.those("Usage") == Lines{"Usage in=100 write=0 read=900 out=50 model=toy-model cost=10000"});
        CHECK(seen.events.usages[0].message_key != 0);
        CHECK(seen.count("TurnStart") == 1);
    }
    TEST_CASE("a summary that a call made is a compaction, once the call is answered") {
        constexpr std::string_view kSummed =
            R"(This session is being continued from a previous conversation that ran out of context. The conversation )"
            R"(is summarized below:\n1. Toys.)";
        const auto by_id = sdk_result(fmt::format("\"{}\"", kSummed));
        CHECK(sdk_result(fmt::format("\"\\n{}\"", kSummed)).count("Compaction") == 1);
        CHECK(by_id.those("ToolResult").size() == 1);
        CHECK(by_id.those("Compaction") == Lines{fmt::format("Compaction summary '{}'", kSummed)});
        CHECK(user(fmt::format("[summarize_task] Result:\\n{}", kSummed)).count("Compaction") == 1);
        const auto condensed = user(
            "[condense] Result:\\nThe user has accepted the condensed conversation summary you generated. It is "
            "short.");
        CHECK(condensed.those("Compaction") == Lines{"Compaction summary"});
        CHECK(user("[read_file for 'a'] Result:\\nSays: This session is being continued").count("Compaction") == 0);
    }
    TEST_CASE("feedback in JSON is a human's as well, and no part of the result") {
        CHECK(sdk_result(R"("{\"status\":\"denied\",\"feedback\":\"Not \\\"a\\\".\\nUse b.\"}")").lines() ==
              Lines{"SessionStart", R"(ToolResult c denied '{\"status\":\"denied\"')", "TurnStart",
                    R"(Message user/human 'Not \"a\".\nUse b.')"});
        CHECK(sdk_result(R"("{\"status\":\"approved\",\"feedback\":\"Be quick.\"}\n\nError: no such file")").lines() ==
              Lines{"SessionStart", "ToolResult c error 'Error: no such file'", "TurnStart",
                    "Message user/human 'Be quick.'"});
        CHECK(user(R"({\"status\":\"guidance\",\"feedback\":\"Look at b.\"})").those("Message") ==
              Lines{"Message user/human 'Look at b.'"});
        for (const char* text : {R"("{\"status\":\"approved\",\"feedback\":\"open")", R"("{\"status\":\"approved\"}")",
                                 R"("{\"status\":\"approved\",\"feedback\":\"a\\")"})
            CHECK(sdk_result(text).count("TurnStart") == 0);
    }
    TEST_CASE("a history in parts of the AI SDK is read like one in Anthropic's blocks") {
        const std::string text =
            R"({"version":2,"messages":[{"role":"user","content":[{"type":"text","text":"<user_message>Mend it.)"
            R"(</user_message>"}],"ts":1},{"role":"assistant","content":[{"type":"reasoning","text":"Look."},)"
            R"({"type":"text","text":"Reading."},)"
            R"({"type":"tool-call","toolCallId":"c1","toolName":"read_file","input":{"path":"a.ts"}},)"
            R"({"type":"tool-call","toolCallId":"c2","toolName":"read_file","input":{"path":"b.ts"}}],"ts":2},)"
            R"({"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"read_file",)"
            R"("output":{"type":"text","value":"let a;"}},{"type":"tool-result","toolCallId":"c2",)"
            R"("toolName":"read_file","output":{"type":"error-text","value":"not there"}}],"ts":3},)"
            R"({"role":"user","content":[{"type":"text","text":"<environment_details>x"}],"ts":3}]})";
        CHECK(score_text(readers::cline(), text) > 90);
        const auto seen = read_text(readers::cline(), text);
        CHECK(seen.those("Tool") == Lines{"ToolCall c1 read_file 'a.ts'", "ToolCall c2 read_file 'b.ts'",
                                          "ToolResult c1 ok 'let a;'", "ToolResult c2 error 'not there'"});
        CHECK(seen.those("Message") == Lines{"Message user/human '<user_message>Mend it.</user_message>'",
                                             "Message assistant/agent 'Reading.'",
                                             "Message user/injected '<environment_details>x'"});
        CHECK(seen.those("Thinking").size() == 1);
    }
    TEST_CASE("what a provider ran for the SDK is a call with its result, and what went wrong is a notice") {
        const auto seen = read_text(
            readers::cline(),
            R"([{"role":"assistant","content":"Found.","ts":1,"metadata":{"modelToolActivities":[)"
            R"({"toolCallId":"s1","toolName":"web_search","execution":"provider","input":{"query":"toys"},"output":"Toys."},)"
            R"({"toolCallId":"s2","toolName":"web_search","input":{"query":"more"},"isError":true},)"
            R"({"toolCallId":"s3","toolName":"web_search","input":{"query":"last"}}]}},)"
            R"({"role":"error","content":"401 no key","ts":2}])");
        CHECK(seen.those("Tool") == Lines{"ToolCall s1 web_search 'toys'", "ToolResult s1 ok 'Toys.'",
                                          "ToolCall s2 web_search 'more'", "ToolResult s2 error",
                                          "ToolCall s3 web_search 'last'"});
        CHECK(seen.those("Message") == Lines{"Message assistant/agent 'Found.'"});
        CHECK(seen.those("Notice").size() == 1);
        const auto shown = read_text(
            readers::cline(), R"([{"role":"assistant","content":[{"type":"text","text":"400 no such model"}],"ts":1,)"
                              R"("metadata":{"displayOnly":true,"displayRole":"error"}}])");
        CHECK(shown.count("Message") == 0);
        CHECK(shown.those("Notice").size() == 1);
    }
    TEST_CASE("what the SDK did not let through is denied, and what it did not know has failed") {
        for (const auto& [error, status] :
             {std::pair{R"(Tool \\\"editor\\\" requires approval -- NOT a tool or system failure. Ask first.)",
                        "denied"},
              {"Command not executed: `rm` can change files, which is blocked in plan mode.", "denied"},
              {"Tool call x was rejected before execution: no such tool", "error"}}) {
            const auto seen = read_text(
                readers::cline(),
                fmt::format(R"([{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"c","is_error":true,)"
                            R"("content":"{{\"error\":\"{}\"}}"}}],"ts":1}}])",
                            error));
            CHECK(seen.those(fmt::format("ToolResult c {}", status)).size() == 1);
        }
    }
    TEST_CASE("the SDK's sub-agents are told from the sessions that they work for") {
        constexpr std::string_view kDocument =
            R"({{"version":1,"agent":"{}","sessionId":"root","systemPrompt":"Help.","messages":[)"
            R"({{"role":"user","content":"Look at a.ts","ts":1}}]}})";
        for (const char* agent : {"subagent", "teammate"}) {
            const auto seen = read_text(readers::cline(), fmt::format(fmt::runtime(kDocument), agent));
            CHECK(seen.lines().front() == fmt::format("SessionStart parent=root label={}", agent));
            CHECK(seen.those("Message") == Lines{"Message user/agent 'Look at a.ts'"});
            CHECK(seen.those("ContextChange") == Lines{"ContextChange system=5"});
        }
        std::string named = fmt::format(fmt::runtime(kDocument), "subagent");
        named.replace(named.find("root"), 4, "root__agent_1");
        CHECK(read_text(readers::cline(), named).lines().front() ==
              "SessionStart id=root__agent_1 parent=root label=subagent");
        const auto lead = read_text(readers::cline(), fmt::format(fmt::runtime(kDocument), "lead"));
        CHECK(lead.lines().front() == "SessionStart id=root label=lead");
    }
    TEST_CASE("a call that does several things is told by its commands, its only file or its only search") {
        const auto primary = [](std::string_view name, std::string_view input) {
            const auto seen = read_text(
                readers::cline(),
                fmt::format(
                    R"([{{"role":"assistant","content":[{{"type":"tool_use","id":"c","name":"{}","input":{}}}],"ts":1772442000000}}])",
                    name, input));
            return seen.those("ToolCall").at(0);
        };
        CHECK(primary("run_commands", R"({"commands":["npm \"test\""]})") ==
              R"(ToolCall c run_commands 'npm \"test\"')");
        CHECK(primary("run_commands", R"({"commands":["cd a",{"command":"git","args":["log","-1"]}]})") ==
              R"(ToolCall c run_commands 'cd a\ngit log -1')");
        CHECK(primary("read_files", R"({"files":[{"path":"a.ts","start_line":1,"end_line":4}]})") ==
              "ToolCall c read_files 'a.ts'");
        CHECK(primary("read_files", R"({"file_paths":["a.ts"]})") == "ToolCall c read_files 'a.ts'");
        CHECK(primary("search_codebase", R"({"queries":["Jar"]})") == "ToolCall c search_codebase 'Jar'");
        CHECK(primary("fetch_web_content", R"({"requests":[{"url":"http://h/","prompt":"p"}]})") ==
              "ToolCall c fetch_web_content 'http://h/'");
        for (const std::string_view several : {R"({"files":[{"path":"a.ts"},{"path":"b.ts"}]})", R"({"files":[]})",
                                               R"({"files":7})", R"({"todos":[{"path":"x"}]})", R"({"commands":[7]})"})
            CHECK(primary("read_files", several) == "ToolCall c read_files");
    }

    TEST_CASE("what tools of the SDK did is read from their lists, and has failed when all of it did") {
        const std::string done = R"({"query":"a.ts","result":"let a;","success":true})";
        const std::string failed =
            R"({"query":"make","result":"","error":"Command failed: Command exited with code 2",)"
            R"("success":false})";
        CHECK(sdk_result("[" + done + "]").those("ToolResult") == Lines{"ToolResult c ok 'let a;'"});
        CHECK(sdk_result("[" + failed + "]").those("ToolResult") ==
              Lines{"ToolResult c error exit=2 'Command failed: Command exited with code 2'"});
        CHECK(sdk_result("[" + failed + "," + failed + "]").those("ToolResult c error exit=2").size() == 1);
        CHECK(sdk_result("[" + done + "," + failed + "]").those("ToolResult c ok '[{").size() == 1);
        CHECK(sdk_result(R"([{"query":"foo","result":"No results found","success":false}])").those("ToolResult") ==
              Lines{"ToolResult c ok 'No results found'"});
        CHECK(sdk_result(R"([{"query":"p.png","result":[{"type":"image","data":"AAAA"}],"success":true}])")
                  .those("ToolResult") == Lines{"ToolResult c ok media=1 opaque"});
        CHECK(sdk_result(R"([{"type":"text","text":"plain"}])").those("ToolResult") ==
              Lines{"ToolResult c ok 'plain'"});
        constexpr std::string_view kEdit = R"({{\"query\":\"edit:a.ts\",\"result\":\"{}\",\"success\":{}}})";
        for (const auto& [result, success, status] :
             {std::tuple{"", "false", "error"}, {"edited", "true", "ok"}, {R"(\\\"success\\\":false)", "true", "ok"}}) {
            const std::string text = fmt::format(fmt::runtime(kEdit), result, success);
            CHECK(sdk_result('"' + text + '"').those(fmt::format("ToolResult c {} ", status)).size() == 1);
        }
    }
    TEST_CASE(
        "what was typed is told without the SDK's tags, and what its program says in the user's place is injected") {
        CHECK(user(R"(<user_input mode=\"act\">Mend it.</user_input>)").those("Message") ==
              Lines{"Message user/human 'Mend it.'"});
        CHECK(user(R"(<user_input mode=\"act\"><mode_notice>Act now.</mode_notice>\nGo on.</user_input>)")
                  .those("Message") == Lines{"Message user/human 'Go on.'"});
        CHECK(user(R"(<user_command slash=\"goal\">Tests pass.</user_command>)").those("Message") ==
              Lines{"Message user/human 'Tests pass.'"});
        CHECK(user(R"(What is <user_input mode=\"act\">?)").those("Message user/human 'What is").size() == 1);
        for (const char* text : {R"(<user_input mode=\"act\">[TASK RESUMPTION] x</user_input>)", "[SYSTEM] Go on.",
                                 R"(<hook_context source=\"PostToolUse\">x</hook_context>)",
                                 "Are you sure you've completed the goal: x\\nIf yes, call mark_goal_complete.",
                                 "The user approved switching to act mode. Continue with the approved plan now."})
            CHECK(user(text).those("Message user/injected").size() == 1);
        CHECK(user("Are you sure you've completed the goal: x").those("Message user/human").size() == 1);
    }
    TEST_CASE("the SDK notes what its messages are") {
        const auto noted = [](std::string_view metadata) {
            return read_text(
                readers::cline(),
                fmt::format(R"([{{"role":"user","metadata":{{{}}},"content":[{{"type":"text","text":"x"}}],"ts":1}}])",
                            metadata));
        };
        CHECK(noted(R"("displayRole":"system","userRunSpan":0)").those("Message") ==
              Lines{"Message user/injected 'x'"});
        CHECK(noted(R"("kind":"recovery_notice")").those("Message") == Lines{"Message user/injected 'x'"});
        const auto steered = noted(R"("userRunSpan":0)");
        CHECK(steered.those("Message") == Lines{"Message user/queued 'x'"});
        CHECK(steered.count("TurnStart") == 0);
        CHECK(noted(R"("userRunSpan":1)").those("Message") == Lines{"Message user/human 'x'"});
        CHECK(noted(R"("kind":"overflow_truncation","userRunSpan":2)").those("Compaction") ==
              Lines{"Compaction truncate"});
    }
    TEST_CASE("what surrounds a task is no human's, and a headline needs its end") {
        for (const char* text : {"<environment_details>x", "[TASK RESUMPTION] x", "[ERROR] x", "<feedback>x"})
            CHECK(user(text).those("Message user/injected").size() == 1);
        CHECK(user("[read_file for 'a'] Results differ").those("Message user/human").size() == 1);
        CHECK(user("[read_file for 'a'] Result:\\nx").those("ToolResult") == Lines{"ToolResult  ok 'x'"});
        CHECK(user("[attempt_completion] Result:").those("ToolResult") == Lines{"ToolResult  ok"});
        CHECK(user("[see below] Result:\\nx").those("ToolResult").empty());
    }
    TEST_CASE("feedback is a human's, alone, behind a headline and in a result") {
        CHECK(user("<feedback>\\nIt still fails.\\n</feedback>").those("Message") ==
              Lines{"Message user/human 'It still fails.'"});
        CHECK(user("[attempt_completion] Result:\\nThe user has provided feedback on the results.\\n<feedback>\\nAdd a "
                   "test.\\n</feedback>")
                  .lines() == Lines{"SessionStart", "ToolResult  ok 'The user has provided feedback on the results.'",
                                    "TurnStart", "Message user/human 'Add a test.'"});
        CHECK(user("[execute_command for 'rm a'] Result:\\nThe user denied this operation and provided the following "
                   "feedback:\\n"
                   "<feedback>\\nkeep it\\n</feedback>")
                  .those("ToolResult") ==
              Lines{"ToolResult  denied 'The user denied this operation and provided the following feedback:'"});
        const auto roo =
            read_text(readers::cline(),
                      R"([{"role":"user","content":[{"type":"tool_result","tool_use_id":"q","content":)"
                      R"([{"type":"text","text":"<user_message>\nno\n</user_message>"}]}],"ts":1772442000000}])");
        CHECK(roo.those("Message") == Lines{"Message user/human 'no'"});
        CHECK(roo.those("ToolResult").size() == 1);
        // What a file holds is not said by anybody.
        for (const char* text : {"<feedback>x</feedback> is a tag", "The page: <feedback>x</feedback>",
                                 "The user <b>a</b> <feedback>x</feedback>"}) {
            CAPTURE(text);
            CHECK(user(std::string("[read_file for 'a'] Result:\\n") + text).count("Message") == 0);
        }
    }
    TEST_CASE("a request that was sent again stands before the answer, not between its calls and their results") {
        const auto sent = [](int ts, int in) {
            return fmt::format(
                R"({{"ts":17724420000{:02},"type":"say","say":"api_req_started","text":"{{\"tokensIn\":{}}}"}})", ts,
                in);
        };
        const auto seen = read_text(
            readers::cline(),
            "[" + sent(1, 700) + "," + sent(2, 800) +
                R"(,{"role":"assistant","content":"<read_file><path>a</path></read_file>","ts":1772442000003})"
                R"(,{"role":"user","content":"[read_file for 'a'] Result:\nx","ts":1772442000004}])");
        CHECK(seen.lines() == Lines{"SessionStart", "Usage in=700 write=0 read=0 out=0",
                                    "Message assistant/agent '<read_file><path>a</path></read_file>'",
                                    "ToolCall  read_file 'a'", "Usage in=800 write=0 read=0 out=0",
                                    "ToolResult  ok 'x'"});
        CHECK(seen.events.heads[1].response != seen.events.heads[3].response);
        CHECK(seen.events.heads[4].response == seen.events.heads[3].response);
    }
    TEST_CASE("only tags of tools are calls, and what a file holds ends none") {
        CHECK(assistant("<b>bold</b> <read_file> alone").count("ToolCall") == 0);
        const auto written =
            assistant("<write_to_file><path>a.md</path><content><path>b</path></content></write_to_file>");
        CHECK(written.those("ToolCall") == Lines{"ToolCall  write_to_file 'a.md'"});
        const auto other =
            assistant("<write_to_file>\\n<path>\\na.md\\n</path>\\n<content>x</content></write_to_file>");
        const auto same = assistant("<write_to_file><content>x</content><path>a.md</path></write_to_file>");
        REQUIRE(other.events.digests.size() == 1);
        REQUIRE(same.events.digests.size() == 1);
        CHECK(other.events.digests[0].canonical == same.events.digests[0].canonical);
        CHECK(other.events.digests[0].canonical != written.events.digests[0].canonical);
    }
    TEST_CASE("an array on one line behind something else is found and read") {
        std::string text = "{\"note\":\"x\"}\n";
        for (const char c : slurp(test::source_dir() / "testdata/readers/cline/minimal.json"))
            if (c != '\n') text += c;
        CHECK(score_text(readers::cline(), text) > 90);
        CHECK(read_text(readers::cline(), text).count("ToolCall") == 2);
    }
    TEST_CASE("plain Anthropic messages are left to their reader") {
        const std::string text =
            R"([{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[]}])";
        CHECK(score_text(readers::cline(), text) == 0);
        CHECK(score_text(readers::cline(), R"({"role":"user","content":"a","ts":1772442000000})") == 0);
    }
    TEST_CASE("messages without what they need are counted") {
        CHECK(read(readers::cline(), "bad-fields.json").fates ==
              std::vector{LineFate::missing_field, LineFate::missing_field, LineFate::unknown_kind,
                          LineFate::understood, LineFate::understood, LineFate::missing_field, LineFate::malformed_json,
                          LineFate::cut_at_end});
    }
}

TEST_SUITE("cline-ui") {
    TEST_CASE("the panel gives usage, calls and the output of commands") {
        const auto seen = read(readers::cline_ui(), "minimal.json");
        CHECK(seen.lines() == Lines{
                                  "SessionStart",
                                  "TurnStart",
                                  "Message user/human 'what is in here?'",
                                  "Usage in=100 write=30 read=400 out=20 cost=12500",
                                  "Message assistant/agent 'Look first.'",
                                  "ToolCall  execute_command 'ls'",
                                  "ToolResult  unknown 'todo.txt'",
                                  "Message assistant/agent 'One file.'",
                              });
    }
    TEST_CASE("what --json prints is the session: calls, what came of them, figures, and sub-agents in lanes") {
        const auto seen = read(readers::cline_stream(), "full.jsonl");
        CHECK(score_text(readers::cline_stream(),
                         slurp(test::source_dir() / "testdata/readers/cline-stream/minimal.jsonl")) == kCertain);
        CHECK(seen.those("ToolCall") == Lines{"ToolCall c1 run_commands 'make'", "ToolCall c2 editor 'Makefile'",
                                              "ToolCall c3 run_commands 'rm -r out'",
                                              "ToolCall c4 spawn_agent 'Help.'"});
        CHECK(seen.those("ToolResult c1 error exit=2").size() == 1);
        CHECK(seen.those("ToolResult c2") == Lines{"ToolResult c2 error 'text not found'"});
        CHECK(seen.those("ToolResult c3 denied").size() == 1);
        CHECK(seen.those("ToolResult c4") == Lines{"ToolResult c4 ok 'It is empty.'"});
        CHECK(seen.those("Usage") ==
              Lines{"Usage in=100 write=100 read=300 out=40 cost=10000", "Usage in=80 write=0 read=0 out=9"});
        CHECK(seen.those("TurnEnd") == Lines{"TurnEnd failed"});
        CHECK(seen.those("Notice").size() == 3);
        std::size_t beside = 0;
        for (const EventHeader& head : seen.events.heads) beside += head.lane == 1 ? 1 : 0;
        CHECK(beside == 4);  // LaneOpen, Usage, Message, LaneClose
    }
    TEST_CASE("the figures of a response that was cut off before its calls are told in the end") {
        const auto seen = read_text(
            readers::cline_stream(),
            R"({"ts":"2026-03-02T09:00:01Z","type":"agent_event","event":{"type":"iteration_start","iteration":1}})"
            "\n"
            R"({"ts":"2026-03-02T09:00:02Z","type":"agent_event","event":{"type":"usage","inputTokens":9,"outputTokens":2}})"
            "\n");
        CHECK(seen.those("Usage") == Lines{"Usage in=9 write=0 read=0 out=2"});
    }
    TEST_CASE("a call whose outcome was not shown is closed without one") {
        const auto seen = read(readers::cline_ui(), "full.json");
        CHECK(seen.those("ToolResult") == Lines{"ToolResult  ok opaque", "ToolResult  error 'a.ts'",
                                                "ToolResult  unknown '1 failing'", "ToolResult  unknown 'none'"});
        CHECK(seen.count("ToolCall") == 4);
        CHECK(seen.those("TurnEnd") == Lines{"TurnEnd aborted"});
        CHECK(seen.count(LineFate::ignored_kind) == 3);
    }
    TEST_CASE(
        "the panel shows plans, compactions and what helpers used up, and much that is no part of the conversation") {
        const auto shown = [](std::string_view said, std::string_view text) {
            return read_text(readers::cline_ui(),
                             fmt::format(R"([{{"ts":1,"type":"say","say":"{}","text":"{}"}}])", said, text));
        };
        CHECK(shown("plan_completion_result", "First a, then b.").those("Message") ==
              Lines{"Message assistant/agent 'First a, then b.'"});
        CHECK(shown("compaction", R"({\"status\":\"completed\",\"mode\":\"auto\",\"tokensBefore\":900})")
                  .those("Compaction") == Lines{"Compaction summary before=900"});
        CHECK(shown("compaction", R"({\"status\":\"failed\",\"mode\":\"auto\"})").count("Compaction") == 0);
        CHECK(shown("subagent_usage", R"({\"tokensIn\":10,\"tokensOut\":2,\"cost\":0.5})").those("Usage") ==
              Lines{"Usage in=10 write=0 read=0 out=2 cost=500000"});
        CHECK(shown("use_subagents", R"({\"prompts\":[\"look\"]})").count("ToolCall") == 1);
        for (const char* said : {"conditional_rules_applied", "api_req_rate_limited", "user_edit_todos", "subagent"})
            CHECK(shown(said, "x").count(LineFate::unknown_kind) == 0);
    }
    TEST_CASE("a compaction says how big the context was and became, and what its summary cost") {
        const auto seen = read_text(
            readers::cline_ui(),
            R"([{"ts":1,"type":"say","say":"condense_context","contextCondense":{"cost":0.25,"prevContextTokens":900,)"
            R"("newContextTokens":80,"summary":"Toys."}},{"ts":2,"type":"say","say":"sliding_window_truncation",)"
            R"("contextTruncation":{"truncationId":"t","messagesRemoved":4,"prevContextTokens":700,"newContextTokens":300}}])");
        CHECK(seen.those("Compaction") ==
              Lines{"Compaction summary 'Toys.' before=900", "Compaction truncate before=700"});
        CHECK(seen.those("Usage") == Lines{"Usage in=0 write=0 read=0 out=0 cost=250000"});
    }
    TEST_CASE("entries without what they need are counted") {
        const auto seen = read(readers::cline_ui(), "bad-fields.json");
        CHECK(seen.count(LineFate::unknown_kind) == 2);
        CHECK(seen.count(LineFate::missing_field) == 1);
        CHECK(seen.count(LineFate::cut_at_end) == 1);
    }
}
