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

}  // namespace

TEST_SUITE("swe-agent") {
    TEST_CASE("a run becomes its task, a thought, a call and a result for each step, and its end") {
        const auto seen = read_text(readers::swe_agent(), fixture("swe-agent/minimal.traj"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart cwd=/notes label=toy_main",
                                  "Message system/injected 'You work in a terminal.'",
                                  "TurnStart",
                                  "Message user/human 'What is in here?'",
                                  R"(Message assistant/agent 'Look first.\n')",
                                  "ToolCall  bash 'ls'",
                                  R"(ToolResult  unknown 'todo.txt\n')",
                                  R"(Message assistant/agent 'Done.\n')",
                                  "ToolCall  submit 'submit'",
                                  "ToolResult  unknown",
                                  "Usage in=900 write=0 read=0 out=40 cost=250000",
                                  "TurnEnd completed",
                              });
        CHECK(seen.events.usages[0].scope == UsageScope::session);
        CHECK(seen.events.heads[5].response != seen.events.heads[8].response);
        CHECK(seen.events.heads[8].where.line == 2);
    }

    TEST_CASE("of a run that was stopped before an attempt was chosen, each attempt is a session") {
        const std::string one = fixture("swe-agent/minimal.traj");
        const std::string cut = "{\"attempts\": [" + one + ", " + one + "]}";
        const auto alone = read_text(readers::swe_agent(), one), seen = read_text(readers::swe_agent(), cut);
        CHECK(seen.lines().size() == 2 * alone.lines().size());
        CHECK(Lines(seen.lines().begin(), seen.lines().begin() + static_cast<std::ptrdiff_t>(alone.lines().size())) ==
              alone.lines());
        CHECK(seen.fates == std::vector{LineFate::understood});
        CHECK(score_text(readers::swe_agent(), cut) == 95);
        // The best one is there as a copy: it counts once.
        const auto chosen =
            read_text(readers::swe_agent(), cut.substr(0, cut.size() - 1) + "," + one.substr(one.find('{') + 1));
        CHECK(chosen.lines() == alone.lines());
    }

    TEST_CASE("a demonstration is a copy, a refused edit an error, a step without command a complaint") {
        const auto seen = read_text(readers::swe_agent(), fixture("swe-agent/full.traj"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart label=main",
                                  "Message system/injected 'You work in a terminal.'",
                                  "Message user/injected 'Here is how it is done: ls, then submit.'",
                                  "Message assistant/agent 'ls'",
                                  "TurnStart",
                                  "Message user/human 'Fix the basket.'",
                                  "Message assistant/agent 'Edit.'",
                                  R"(ToolCall  edit 'edit 1:1\nfix\nend_of_edit')",
                                  "ToolResult  error 'Your proposed edit has introduced new syntax error(s).'",
                                  "ToolCall  bash 'python basket.py'",
                                  R"(ToolResult  unknown 'Traceback (most recent call last):\nKeyError: 'apple'\n')",
                                  "Message assistant/agent 'I think it is fixed.'",
                                  "Message user/injected 'Your output was not formatted correctly.'",
                                  "Message assistant/agent 'Search.'",
                                  R"(ToolCall  search_dir 'search_dir \"apple\"')",
                                  "ToolResult  unknown 'Found 1 match'",
                                  "Usage in=10 write=0 read=0 out=1",
                                  "Notice harness/warning exit_cost",
                                  "TurnEnd failed",
                              });
        CHECK((seen.events.heads[2].flags & kCopied) != 0);
        CHECK((seen.events.heads[5].flags & kCopied) == 0);
    }

    TEST_CASE("an edit names its file: the one that it shows, or that was opened last") {
        const auto step = [](std::string_view action, std::string_view observation, std::string_view state) {
            return fmt::format(R"({{"action":"{}","observation":"{}","thought":"t","state":{}}})", action, observation,
                               state);
        };
        const std::string_view object = R"({"open_file":"n/a","working_dir":"/repo"})",
                               text = R"("{\"open_file\": \"n/a\", \"working_dir\": \"/repo\"}\n")";
        for (const std::string_view state : {object, text}) {
            const auto seen = read_text(
                readers::swe_agent(),
                R"({"environment":"e","trajectory":[)" +
                    step("create new.py", R"([File: new.py (1 lines total)]\n1:)", state) + "," +
                    step(R"(insert 'x = 1')", R"([File: /repo/new.py (2 lines total)]\n1:x = 1)", state) + "," +
                    step(R"(open \"src/fields.py\" 14)", R"([File: src/fields.py (1998 lines total)]\n14:a)", state) +
                    "," +
                    step(R"(edit 14:14\nb\nend_of_edit)", "Your proposed edit has introduced new syntax error(s).",
                         state) +
                    "," + step("str_replace_editor view /repo/a.py --view_range 1 9", "a", state) + "," +
                    step("str_replace_editor str_replace /repo/a.py --old_str 'a b' --new_str c", "done", state) + "," +
                    step("cat src/other.py", R"([File: /etc/x (1 lines total)])", state) + "," +
                    step(R"(edit 'a' 'b')", "Text replaced.", state) + R"(],"history":[],"info":{}})");
            CHECK(seen.lines().at(0) == "SessionStart cwd=/repo label=e");
            CHECK(seen.those("ToolCall") ==
                  Lines{"ToolCall  create '/repo/new.py'", "ToolCall  insert '/repo/new.py'",
                        "ToolCall  open '/repo/src/fields.py'", "ToolCall  edit '/repo/src/fields.py'",
                        "ToolCall  str_replace_editor '/repo/a.py'", "ToolCall  str_replace_editor '/repo/a.py'",
                        "ToolCall  bash 'cat src/other.py'", "ToolCall  edit '/repo/src/fields.py'"});
        }
    }

    TEST_CASE("with what the harness leaves is no word and no command of the model") {
        const auto last = [](std::string_view step) {
            return read_text(readers::swe_agent(),
                             R"({"trajectory":[{"action":"ls","observation":"a","thought":"t"},)" + std::string(step) +
                                 R"(],"info":{"exit_status":"exit_cost"}})");
        };
        const Lines end = {"Message user/injected 'Exit due to cost limit'",
                           "Message user/injected 'Exited (autosubmitted)'", "Notice harness/warning exit_cost",
                           "TurnEnd failed"};
        for (const std::string_view action : {"", "exit_cost"}) {
            const auto seen = last(fmt::format(R"x({{"action":"{}","response":"Exit due to cost limit",)x"
                                               R"x("thought":"Exit due to cost limit",)x"
                                               R"x("observation":"Exited (autosubmitted)"}})x",
                                               action));
            CHECK(seen.count("ToolCall") == 1);
            const auto lines = seen.lines();
            CHECK(Lines(lines.end() - 4, lines.end()) == end);
        }
        CHECK(last(R"({"action":"exit_forfeit","thought":"I give up.","observation":""})").those("ToolCall").back() ==
              "ToolCall  exit_forfeit 'exit_forfeit'");
    }

    TEST_CASE("the model is the one of the settings") {
        const auto seen = read_text(
            readers::swe_agent(),
            R"({"trajectory":[{"action":"ls","observation":"a","thought":"t"}],"info":{"model_stats":{"tokens_sent":9}},)"
            R"("replay_config":"{\"agent\":{\"tools\":{},\"model\":{\"name\":\"toy-model\",\"top_p\":1}}}"})");
        CHECK(seen.lines().front() == "SessionStart model=toy-model");
        CHECK(seen.those("Usage") == Lines{"Usage in=9 write=0 read=0 out=0 model=toy-model"});
    }

    TEST_CASE("steps of odd types are left out and said to be") {
        const auto seen = read_text(readers::swe_agent(), fixture("swe-agent/bad-fields.traj"));
        CHECK(seen.fates == std::vector{LineFate::understood});
        CHECK(seen.those("Notice").size() == 1);
        CHECK(seen.those("ToolCall") == Lines{"ToolCall  bash 'ls'"});
        CHECK(read_text(readers::swe_agent(), R"({"trajectory":"none","history":[]})").fates ==
              std::vector{LineFate::unknown_kind});
    }

    TEST_CASE("a document whose second trajectory is broken is read in part, not called malformed") {
        const auto seen = read_text(readers::swe_agent(), R"({"trajectory":[{"action":"ls","observation":"a"}],)"
                                                          R"("trajectory":[{"action":"l" 5}],"info":{}})");
        CHECK(seen.fates == std::vector{LineFate::partial});
        CHECK(seen.count("ToolCall") == 1);
    }

    TEST_CASE("it claims its own documents and not those of its neighbours") {
        CHECK(score_text(readers::swe_agent(), fixture("swe-agent/full.traj")) == kCertain);
        CHECK(score_text(readers::swe_agent(), fixture("mini-swe-agent/full.json")) == 0);
        CHECK(score_text(readers::chat_completions(), fixture("swe-agent/full.traj")) == 0);
    }
}

TEST_SUITE("mini-swe-agent") {
    TEST_CASE("the command of a text is the call, the next user message its result") {
        const auto seen = read_text(readers::mini_swe_agent(), fixture("mini-swe-agent/minimal.json"));
        CHECK(seen.lines() ==
              Lines{
                  "SessionStart model=toy-model",
                  "Message system/injected 'You have a shell.'",
                  "TurnStart",
                  "Message user/human 'What is in here?'",
                  R"(Message assistant/agent 'THOUGHT: look\n\n```bash\nls\n```')",
                  "ToolCall  bash 'ls'",
                  R"(ToolResult  ok exit=0 '<returncode>0</returncode>\n<output>\ntodo.txt\n</output>')",
                  R"(Message assistant/agent 'Done.\n\n```bash\necho COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\n```')",
                  "ToolCall  bash 'echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT'",
                  "ToolResult  unknown 'one file'",
                  "Usage in=0 write=0 read=0 out=0 cost=500000",
                  "TurnEnd completed",
              });
        CHECK(seen.events.heads[4].where.line == 3);
    }

    TEST_CASE("recorded actions, return codes, usage and cost are taken as they stand") {
        const auto seen = read_text(readers::mini_swe_agent(), fixture("mini-swe-agent/full.json"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart",
                                  "Message system/injected 'You have a shell.'",
                                  "TurnStart",
                                  "Message user/human 'Fix the basket.'",
                                  "Thinking 'Both at once.'",
                                  "Message assistant/agent 'Two looks.'",
                                  "ToolCall c1 bash 'npm test'",
                                  "ToolCall c2 bash 'ls'",
                                  "Usage in=40 write=0 read=60 out=20 model=toy-model cost=10000",
                                  "ToolResult c1 error exit=1 '1 failing'",
                                  "ToolResult c2 ok exit=0 'basket.js'",
                                  "Message assistant/agent 'No command here.'",
                                  "Message user/injected 'You must call a tool.'",
                                  "ToolCall c3 bash 'sleep 99'",
                                  "TurnStart",
                                  "Message user/human 'Stop that.'",
                                  "ToolCall c4 bash 'git diff'",
                                  "ToolResult c4 ok exit=0 'nothing'",
                                  "Notice harness/warning LimitsExceeded",
                                  "TurnEnd failed",
                              });
        CHECK(seen.events.heads[9].time_ms - seen.events.heads[8].time_ms == 1000);
    }

    TEST_CASE("a message that is a response as a whole has its words, its model and its usage in itself") {
        const auto seen = read_text(
            readers::mini_swe_agent(),
            R"({"trajectory_format":"mini-swe-agent-1.1","messages":[)"
            R"({"id":"resp_0000000000000001","model":"toy-model","object":"response","output":[)"
            R"({"summary":[{"text":"First the test.","type":"summary_text"}],"type":"reasoning","content":null},)"
            R"({"content":[{"text":"I run it.","type":"output_text"}],"role":"assistant","type":"message"},)"
            R"({"arguments":"{}","call_id":"c1","name":"bash","type":"function_call"}],)"
            R"("usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":60},"output_tokens":20,)"
            R"("output_tokens_details":{"reasoning_tokens":5}},)"
            R"("extra":{"actions":[{"command":"npm test","tool_call_id":"c1"}],"cost":0.01}},)"
            R"({"type":"function_call_output","call_id":"c1","output":"1 failing","extra":{"returncode":1}}]})");
        CHECK(seen.lines() == Lines{"SessionStart model=toy-model", "Thinking 'First the test.'",
                                    "Message assistant/agent 'I run it.'", "ToolCall c1 bash 'npm test'",
                                    "Usage in=40 write=0 read=60 out=20 model=toy-model cost=10000",
                                    "ToolResult c1 error exit=1 '1 failing'"});
    }

    TEST_CASE("an answer that could not be carried out is told with the complaint about it") {
        const auto complaint = [](std::string_view extra) {
            return fmt::format(
                R"({{"role":"user","content":"No tool call.","extra":{{"interrupt_type":"FormatError",{}}}}})", extra);
        };
        const auto seen = read_text(
            readers::mini_swe_agent(),
            R"({"trajectory_format":"mini-swe-agent-1.1","messages":[{"role":"user","content":"Go."},)" +
                complaint(R"("response":{"id":"r1","choices":[{"message":{"content":"I am done.","role":"assistant",)"
                          R"("tool_calls":null}}],"usage":{"prompt_tokens":9,"completion_tokens":3}})") +
                "," +
                complaint(R"("response":{"id":"r2","choices":[{"message":{"content":null,"tool_calls":[{"id":"c1",)"
                          R"("function":{"name":"python","arguments":"{\"code\":\"1\"}"}}]}}]})") +
                "," + complaint(R"("n_actions":0,"model_response":"Done?")") + "," +
                complaint(R"("response":{"object":"response","output":[{"type":"message","content":[{"text":"Yes.",)"
                          R"("type":"output_text"}]}]})") +
                R"(]})");
        CHECK(seen.lines() == Lines{"SessionStart", "TurnStart", "Message user/human 'Go.'",
                                    "Message assistant/agent 'I am done.'", "Usage in=9 write=0 read=0 out=3",
                                    "Message user/injected 'No tool call.'", "ToolCall c1 python '1'",
                                    "ToolResult c1 error 'No tool call.'", "Message assistant/agent 'Done?'",
                                    "Message user/injected 'No tool call.'", "Message assistant/agent 'Yes.'",
                                    "Message user/injected 'No tool call.'"});
        CHECK(seen.events.heads[3].response != 0);
        CHECK(seen.events.heads[5].response == 0);
    }

    TEST_CASE("what the user says between begins a turn, what the user types is the user's call") {
        const auto said = [](std::string_view text, std::string_view interrupt) {
            return fmt::format(R"(,{{"role":"user","content":"{}","extra":{{"interrupt_type":"{}"}}}})", text,
                               interrupt);
        };
        const std::string call = R"(,{"role":"assistant","content":"","extra":{"actions":[{"command":"rm a",)"
                                 R"("tool_call_id":"c1"}]}})",
                          left_out = R"(,{"role":"tool","tool_call_id":"c1","content":"<returncode>-1</returncode>",)"
                                     R"("extra":{"returncode":-1,"exception_info":"action was not executed"}})";
        const auto seen =
            read_text(readers::mini_swe_agent(),
                      R"({"trajectory_format":"mini-swe-agent-1.1","messages":[)"
                      R"({"role":"user","content":"Go."})" +
                          call + left_out + said("Keep it.", "UserRejection") + call + left_out +
                          said("Sort it, too.", "UserNewTask") +
                          R"(,{"role":"user","content":"User command: ls","extra":{"actions":[)"
                          R"({"command":"ls"}]}},{"role":"user","content":"a","extra":{"returncode":0}}]})");
        CHECK(seen.lines() == Lines{"SessionStart", "TurnStart", "Message user/human 'Go.'", "ToolCall c1 bash 'rm a'",
                                    "ToolResult c1 cancelled '<returncode>-1</returncode>'", "TurnStart",
                                    "Message user/human 'Keep it.'", "ToolCall c1 bash 'rm a'",
                                    "ToolResult c1 cancelled '<returncode>-1</returncode>'", "TurnStart",
                                    "Message user/human 'Sort it, too.'", "ToolCall  bash 'ls' by-user",
                                    "ToolResult  ok exit=0 'a'"});
    }

    TEST_CASE("in the first version the user is known by the words, and a command that took too long failed") {
        const auto message = [](std::string_view role, std::string_view text) {
            return fmt::format(R"(,{{"role":"{}","content":"{}"}})", role, text);
        };
        const std::string call = message("assistant", R"(```bash\nls\n```)");
        const auto seen = read_text(readers::mini_swe_agent(),
                                    R"({"trajectory_format":"mini-swe-agent-1","messages":[)"
                                    R"({"role":"user","content":"Go."})" +
                                        call + message("user", "Interrupted by user: look at b") + call +
                                        message("user", "Command not executed. The user rejected it: no") + call +
                                        message("user", "The user added a new task: c") + call +
                                        message("user", "The last command <command>ls</command> timed out") + R"(]})");
        CHECK(seen.those("Message user/human") ==
              Lines{"Message user/human 'Go.'", "Message user/human 'Interrupted by user: look at b'",
                    "Message user/human 'Command not executed. The user rejected it: no'",
                    "Message user/human 'The user added a new task: c'"});
        CHECK(seen.those("ToolResult") ==
              Lines{"ToolResult  error 'The last command <command>ls</command> timed out'"});
    }

    TEST_CASE("a text with two commands has none: the harness asks for one") {
        const auto calls = [](std::string_view text) {
            return read_text(
                       readers::mini_swe_agent(),
                       fmt::format(R"({{"trajectory_format":"mini-swe-agent-1","messages":[)"
                                   R"({{"role":"assistant","content":"{}"}},{{"role":"user","content":"One!"}}]}})",
                                   text))
                .those("ToolCall");
        };
        CHECK(calls(R"(a\n```bash\nls\n```\nb\n```bash\npwd\n```)").empty());
        CHECK(calls(R"(a\n```bash\nls\n```\nb\n```python\n1\n```)") == Lines{"ToolCall  bash 'ls'"});
        CHECK(calls(R"(```bash\nls\n```\n```mswea_bash_command\npwd\n```)") == Lines{"ToolCall  bash 'pwd'"});
        CHECK(calls(R"(a\n```bash\nls\n```\nb\n```bash\nand so on)") == Lines{"ToolCall  bash 'ls'"});
    }

    TEST_CASE("the folder of the run and what it wrote to the cache are known") {
        const auto seen = read_text(
            readers::mini_swe_agent(),
            R"({"info":{"config":{"model":{"model_name":"toy"},"environment":{"cwd":"/app"}}},)"
            R"("trajectory_format":"mini-swe-agent-1.1","messages":[{"role":"assistant","content":"x","extra":{"actions":[],)"
            R"("response":{"usage":{"prompt_tokens":100,"completion_tokens":5,"prompt_tokens_details":)"
            R"({"cached_tokens":60},"cache_creation_input_tokens":30,"cache_read_input_tokens":60}}}}]})");
        CHECK(seen.lines() == Lines{"SessionStart cwd=/app model=toy", "Message assistant/agent 'x'",
                                    "Usage in=10 write=30 read=60 out=5"});
    }

    TEST_CASE("a bare list of messages is read element by element") {
        const std::string text = fixture("mini-swe-agent/bare-list.json");
        const auto seen = read_text(readers::mini_swe_agent(), text);
        CHECK(seen.count(LineFate::understood) == 4);
        CHECK(seen.those("ToolCall") == Lines{"ToolCall  bash 'ls'"});
        CHECK(seen.lines().back() ==
              R"(ToolResult  error exit=2 '<returncode>2</returncode>\n<output>\nno such folder\n</output>')");
        CHECK(score_text(readers::mini_swe_agent(), text) > score_text(readers::chat_completions(), text));
    }

    TEST_CASE("messages of odd types are left out and said to be") {
        const auto seen = read_text(readers::mini_swe_agent(), fixture("mini-swe-agent/bad-fields.json"));
        CHECK(seen.fates == std::vector{LineFate::understood});
        CHECK(seen.those("Notice").size() == 1);
        CHECK(seen.those("ToolCall") == Lines{"ToolCall  bash"});
    }

    TEST_CASE("an ordinary conversation about shell commands is not its") {
        CHECK(score_text(readers::mini_swe_agent(), fixture("chat-completions/minimal.jsonl")) == 0);
        CHECK(score_text(readers::mini_swe_agent(), fixture("swe-agent/minimal.traj")) == 0);
    }
}
