#include "readers/all.hpp"
#include "readers/event_lines.hpp"
#include "readers/messages/text_calls.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace agent_audit;
using readers::answers_in;
using readers::calls_in;
using readers::report_in;
using readers::TextCall;
using test::read_text;
using test::score_text;
using test::slurp;
using Lines = std::vector<std::string>;

namespace {

std::string testdata(std::string_view name) {
    return slurp(test::source_dir() / "testdata/readers/agent-history" / name);
}
test::Reading read(std::string_view text) { return read_text(readers::agent_history(), text); }
test::Reading chat(std::string_view text) { return read_text(readers::chat_completions(), text); }

std::string text_calls() { return slurp(test::source_dir() / "testdata/readers/chat-completions/text-calls.jsonl"); }

}  // namespace

TEST_SUITE("agent-history") {
    TEST_CASE("a member's report is what was done, and what was seen then") {
        const auto seen = read(testdata("minimal.jsonl"));
        REQUIRE(seen.lines().size() == 7);
        CHECK(seen.lines()[4].find("I typed 'depth of lake Tarn' into the browser search bar.") != std::string::npos);
        CHECK(seen.lines()[5].starts_with("ToolCall  web_search 'depth of lake Tarn'"));
        CHECK(seen.lines()[6].starts_with("ToolResult  unknown 'Here is a screenshot of"));
        CHECK(seen.events.heads[5].where.line == 3);
        CHECK(seen.events.heads[5].response == seen.events.heads[4].response);
    }

    TEST_CASE("what the machinery notes under the orchestrator's name no model said") {
        const std::string task = "{\"role\":\"human\",\"content\":\"How deep is the lake?\"}\n";
        const auto line = [&](std::string_view role, std::string_view text) {
            return read(task + fmt::format(R"({{"role":"{}","content":"{}"}})", role, text) + "\n");
        };
        for (const char* text : {"Next speaker WebSurfer", R"(Next speaker Assistant\n/w/a.py:5: UserWarning: old)",
                                 "Stalled.... Replanning...", "Replan counter exceeded... Terminating.", "(replanning)",
                                 "Request satisfied."}) {
            CAPTURE(text);
            const auto seen = line("Orchestrator (thought)", text);
            CHECK(seen.those("Message system/injected").size() == 1);
            CHECK(seen.those("Message assistant").empty());
            CHECK(seen.count("Notice") == 0);
        }
        CHECK(line("Orchestrator (termination condition)", "Max rounds (30) reached.")
                  .those("Message system/injected")
                  .size() == 1);
        for (const auto& [role, text] :
             {std::pair{"Orchestrator (thought)", "New plan: ask the survey. Next speaker: WebSurfer"},
              std::pair{"Orchestrator (-> WebSurfer)", "Next speaker lists: please look for one."},
              std::pair{"WebSurfer", "Next speaker WebSurfer"},
              std::pair{"Orchestrator (termination condition)", R"(No agent selected.\nFINAL ANSWER: 40 m)"}}) {
            CHECK(line(role, text).those("Message assistant").size() == 1);
        }
    }

    TEST_CASE("each kind of report has its tool, and words alone have none") {
        Lines tools;
        for (const std::string& line : read(testdata("full.jsonl")).those("ToolCall"))
            tools.push_back(line.substr(0, line.find(" '")));
        CHECK(tools == Lines{"ToolCall  web_search", "ToolCall  click", "ToolCall  input_text", "ToolCall  visit_url",
                             "ToolCall  scroll_down", "ToolCall  history_back", "ToolCall  open_file",
                             "ToolCall  open_file", "ToolCall  python"});
    }

    TEST_CASE("a page about an error in place of a file is a failure, a page that has one in its name is not") {
        const auto outcome = [](std::string_view title) {
            const auto seen = read(fmt::format(
                R"({{"role":"human","content":"How deep is the lake?"}})"
                "\n"
                R"({{"role":"FileSurfer","content":"Address: file:///w/lake.pdf\nTitle: {}\nViewport position: Showing page 1 of 1.\n=====\n# Lake"}})"
                "\n",
                title));
            return seen.those("ToolResult").at(0).substr(0, 19);
        };
        CHECK(outcome("Error 404") == "ToolResult  error '");
        CHECK(outcome("Error 503") == "ToolResult  error '");
        CHECK(outcome("Error 404 of 1998, a novel").starts_with("ToolResult  unknown"));
        CHECK(outcome("Lake").starts_with("ToolResult  unknown"));
    }

    TEST_CASE("a file opened again is the same call with the same answer, whenever that was") {
        const auto seen = read(testdata("full.jsonl"));
        std::vector<std::size_t> opened;
        for (std::size_t i = 0; i < seen.lines().size(); ++i) {
            if (seen.lines()[i].starts_with("ToolCall  open_file")) opened.push_back(i);
        }
        REQUIRE(opened.size() == 2);
        CHECK(seen.lines()[opened[0] + 1] == seen.lines()[opened[1] + 1]);
        CHECK(seen.events.digests.at(6).canonical == seen.events.digests.at(7).canonical);
        CHECK(seen.events.digests.at(5).canonical != seen.events.digests.at(6).canonical);
    }

    TEST_CASE("code is a call only when the next message shows what it printed") {
        const auto seen = read(testdata("group.jsonl"));
        CHECK(seen.those("ToolCall").size() == 1);
        CHECK(seen.those("ToolCall").at(0) == "ToolCall  python 'print(sum(sacks))\nprint(len(sacks))'");
        CHECK(seen.those("ToolResult").at(0).starts_with("ToolResult  unknown 'exitcode: 1"));
        CHECK(seen.count("TurnStart") == 1);
    }

    TEST_CASE("a call stands where it was written, its answer where it was given") {
        const auto seen = read(testdata("group.jsonl"));
        for (std::size_t i = 0; i < seen.lines().size(); ++i) {
            if (seen.lines()[i].starts_with("ToolCall")) CHECK(seen.events.heads[i].where.line == 2);
            if (seen.lines()[i].starts_with("ToolResult")) CHECK(seen.events.heads[i].where.line == 3);
        }
    }

    TEST_CASE("where outcomes are kept back, an attempt failed when the agent's next words say so") {
        const auto seen = read(testdata("unrecorded.jsonl"));
        Lines pairs;
        for (const std::string& line : seen.lines()) {
            if (line.starts_with("ToolCall")) pairs.push_back(line.substr(10, line.find(' ', 10) - 10));
            if (line.starts_with("ToolResult")) pairs.back() += line.substr(11);
        }
        CHECK(pairs.size() == 6);
        CHECK(pairs.at(0).starts_with("open_file ok"));
        CHECK(pairs.at(1).starts_with("editor error"));
        CHECK(pairs.at(3).starts_with("editor ok"));
        CHECK(pairs.at(4).starts_with("bash unknown"));
    }

    TEST_CASE("a new instance begins a turn: what it does again is no repetition") {
        CHECK(read(testdata("unrecorded.jsonl")).count("TurnStart") == 2);
    }

    TEST_CASE("a document with a history is a session, and its lines are the messages") {
        const auto seen = read(testdata("document.json"));
        CHECK(seen.those("ToolCall") == Lines{"ToolCall  click 'Sacks'"});
        CHECK(seen.count("TurnStart") == 1);
    }

    TEST_CASE("wrong types and half-written calls lose nothing else") {
        const auto seen = read(testdata("bad-fields.jsonl"));
        CHECK(seen.count("TurnStart") >= 1);
        CHECK(seen.count(LineFate::malformed_json) == 0);
    }

    TEST_CASE("a recording cut at any byte is read up to there") {
        for (const char* name : {"full.jsonl", "unrecorded.jsonl", "group.jsonl", "document.json"}) {
            const std::string whole = testdata(name);
            const std::size_t events = read(whole).lines().size();
            for (std::size_t cut = 0; cut < whole.size(); cut += 3)
                CHECK(read(whole.substr(0, cut)).lines().size() <= events);
        }
    }

    TEST_CASE("a history that is cut off gives its whole messages") {
        const auto seen =
            read(R"({"question":"q","history":[{"role":"human","content":"a"},{"role":"Coder","content":"b"},{"ro)");
        CHECK(seen.fates == std::vector<LineFate>{LineFate::partial});
        CHECK(seen.count("Message") == 2);
    }

    TEST_CASE("teams and histories are recognised, plain chats and other formats with a history are not") {
        const auto score = [](std::string_view text) { return score_text(readers::agent_history(), text); };
        CHECK(score(testdata("minimal.jsonl")) == 78);
        CHECK(score(testdata("group.jsonl")) == 78);
        CHECK(score(testdata("unrecorded.jsonl")) == 78);
        CHECK(score(testdata("document.json")) == 85);
        CHECK(score(text_calls()) == 0);
        CHECK(score(R"({"role":"user","name":"ada","content":"a"})") == 0);
        CHECK(score(R"({"trajectory":[],"history":[{"role":"user","content":"a"}],"info":{}})") == 0);
        CHECK(score(R"({"instance_id":"x","history":[{"role":"user"}]})") == 0);
        CHECK(
            score(
                R"({"sessionId":"x","workspaceDirectory":"/w","history":[{"message":{"role":"user","content":"a"}}]})") ==
            0);
        CHECK(score(R"({"conversation_id":"x","history":[{"user":"a","role":"b"}]})") == 0);
    }

    TEST_CASE("the result of a chat between agents is a history, what a user asked before is none") {
        const std::string_view result =
            R"({"chat_id":1,"chat_history":[{"content":"plot it","role":"assistant","name":"boss"},)"
            R"({"content":"```python\nplot()\n```","role":"user","name":"coder"},)"
            R"({"content":"exitcode: 1 (execution failed)\nCode output: NameError","role":"assistant","name":"boss"}],)"
            R"("summary":"","cost":{}})";
        CHECK(score_text(readers::agent_history(), result) == 85);
        const auto seen = read(result);
        CHECK(seen.those("Message user") == Lines{"Message user/human 'plot it'"});
        CHECK(seen.those("ToolCall").size() == 1);
        CHECK(seen.those("ToolResult").size() == 1);
        for (const char* other : {R"({"question":"b","chat_history":[{"role":"user","content":"a"}],"summary":""})",
                                  R"({"chat_history":[{"role":"user","name":"ada","content":"a"}]})"})
            CHECK(score_text(readers::agent_history(), other) == 0);
    }
}

TEST_SUITE("calls in texts") {
    TEST_CASE("tags, Action lines, shell blocks and function lines count when they are answered") {
        CHECK(chat(text_calls()).those("ToolCall") ==
              Lines{R"(ToolCall  flight_status '{"flight": 12}')", "ToolCall  find 'gates'", "ToolCall  lookup '12'",
                    "ToolCall  Search 'gate of flight 12'", "ToolCall  bash 'cat gates.txt'",
                    R"(ToolCall  search_gate '"12"')", R"(ToolCall  search_hall '"B"')",
                    "ToolCall  search 'gate of flight 12'"});
    }

    TEST_CASE("an answer ends no turn, and what a human says does") {
        const auto seen = chat(text_calls());
        CHECK(seen.count("ToolResult") == 8);
        CHECK(seen.count("TurnStart") == 2);
    }

    TEST_CASE("a session with calls of its own takes no text for one") {
        const auto seen = chat(
            R"({"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"ls","arguments":"{}"}}]})"
            "\n"
            R"({"role":"assistant","content":"<tool_call>{\"name\":\"rm\",\"arguments\":{}}</tool_call>"})"
            "\n"
            R"({"role":"user","content":"<tool_response>gone</tool_response>"})"
            "\n");
        CHECK(seen.those("ToolCall") == Lines{"ToolCall 1 ls"});
    }

    TEST_CASE("arguments in a tag compare like arguments anywhere: order and spelling of numbers do not count") {
        const auto seen = chat(
            R"({"role":"assistant","content":"<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1,\"b\":2}}</tool_call>"})"
            "\n"
            R"({"role":"user","content":"<tool_response>x</tool_response>"})"
            "\n"
            R"({"role":"assistant","content":"<tool_call>{\"arguments\":{\"b\":2,\"a\":1.0},\"name\":\"f\"}</tool_call>"})"
            "\n"
            R"({"role":"user","content":"<tool_response>x</tool_response>"})"
            "\n");
        REQUIRE(seen.events.digests.size() == 2);
        CHECK(seen.events.digests[0].canonical == seen.events.digests[1].canonical);
    }

    TEST_CASE("an action that is a sentence behind a thought is a call, and what the world says next is its answer") {
        for (const std::string_view action :
             {"Thought: It may be there.\\nAction: go to shelf 1", "THOUGHT: It may be there.\\nACTION: go to shelf 1",
              "Thought:\\nIt may be there.\\n\\nAction:\\ngo to shelf 1"}) {
            CAPTURE(action);
            const auto seen = chat(R"({"role":"user","content":"Find the mug."})"
                                   "\n"
                                   R"({"role":"assistant","content":")" +
                                   std::string(action) +
                                   R"("})"
                                   "\n"
                                   R"({"role":"user","content":"Nothing happens."})"
                                   "\n");
            REQUIRE(seen.count("ToolCall") == 1);
            CHECK(seen.count("ToolResult") == 1);
            CHECK(seen.count("TurnStart") == 1);
        }
        const auto marked = chat(R"({"role":"assistant","content":"Thought: Look.\nAction: search[red scarf]"})"
                                 "\n"
                                 R"({"role":"user","content":"Ten scarves"})"
                                 "\n");
        CHECK(marked.count("ToolResult") == 1);
    }

    TEST_CASE("marks may be numbered") {
        const auto seen =
            chat(R"({"role":"assistant","content":"Thought 2: Which mayor?\nAction 2: Search[mayor of Oslo]"})"
                 "\n"
                 R"({"role":"user","content":"Observation 2: Three of them."})"
                 "\n"
                 R"({"role":"assistant","content":"Thought 3: Which one?\nAction 3: Lookup\nAction Input 3: mayor"})"
                 "\n"
                 R"({"role":"user","content":"Observation 3: The first."})"
                 "\n");
        CHECK(seen.those("ToolCall") == Lines{"ToolCall  Search 'mayor of Oslo'", "ToolCall  Lookup 'mayor'"});
        CHECK(seen.those("ToolResult") ==
              Lines{"ToolResult  unknown 'Three of them.'", "ToolResult  unknown 'The first.'"});
        for (const std::string_view text : {"Action 2", "Actions: a(b)", "Action points: rest"}) {
            CAPTURE(text);
            CHECK(calls_in(text).empty());
        }
    }

    TEST_CASE("a human who answers advice, a question behind an action or the end of a task speaks for himself") {
        for (const std::string_view said : {"Action: restart the mill", "Thought: I know.\\nAction: finish[42]",
                                            "Thought: I know.\\nAction: go to shelf 1\\nShall I?",
                                            "Thought: hm\\nAction: answer", "I had a thought: the mill"}) {
            CAPTURE(said);
            const auto seen = chat(R"({"role":"user","content":"go"})"
                                   "\n"
                                   R"({"role":"assistant","content":")" +
                                   std::string(said) +
                                   R"("})"
                                   "\n"
                                   R"({"role":"user","content":"Thanks."})"
                                   "\n");
            CHECK(seen.count("ToolCall") == 0);
            CHECK(seen.count("TurnStart") == 2);
        }
    }

    TEST_CASE("nothing is found in half a call") {
        for (const std::string_view text : {"<tool_call>", "<tool_call>{", "Action:", "Action:\n```", "```bash\nls",
                                            "```", "f(", ")", "()", "Action: a", "Action Input: b", "a(b) and so on"}) {
            CAPTURE(text);
            CHECK(calls_in(text).empty());
        }
    }

    TEST_CASE("a thousand calls are a listing: the first few count") {
        std::string text;
        for (int i = 0; i < 1000; ++i) text += "step_" + std::to_string(i) + "(x)\n";
        CHECK(calls_in(text).size() == readers::kMaxTextCalls);
    }

    TEST_CASE("only an executor's words answer code, and its refusal does not") {
        CHECK(answers_in("Computer_terminal", "42", TextCall::Form::code).size() == 1);
        CHECK(answers_in("CodeExecutor", "42", TextCall::Form::code).size() == 1);
        CHECK(answers_in("user", "42", TextCall::Form::code).empty());
        CHECK(
            answers_in("Computer_terminal", "There is no code from the last 1 message", TextCall::Form::code).empty());
        CHECK(answers_in("Computer_terminal", "42", TextCall::Form::tagged).empty());
    }

    TEST_CASE("a report without a place is talk") {
        CHECK_FALSE(report_in("I clicked 'Next'.").has_value());
        CHECK_FALSE(report_in("Address: a\nViewport position: 1").has_value());
        CHECK_FALSE(report_in("She said: I clicked.\n\nHere is a screenshot of [x](y).").has_value());
    }
}
