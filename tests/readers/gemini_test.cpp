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

std::string result_of(std::string_view name, std::string_view status, std::string_view response) {
    const std::string line = fmt::format(
        R"({{"id":"m","timestamp":"2026-03-02T10:00:00Z","type":"gemini","content":"","toolCalls":[{{"id":"c","name":"{}",)"
        R"("args":{{}},"status":"{}","result":[{{"functionResponse":{{"response":{}}}}}]}}]}})",
        name, status, response);
    const auto results = read_text(readers::gemini_cli(), line).those("ToolResult");
    return results.empty() ? "none" : results.at(0);
}

}  // namespace

TEST_SUITE("gemini-cli") {
    TEST_CASE("a document becomes start, turn, thought, call, usage, result and answer, in this order") {
        const auto seen = read_text(readers::gemini_cli(), fixture("gemini-cli/minimal.json"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart id=5b0c7a52-0000-4000-8000-000000000001",
                                  "TurnStart",
                                  "Message user/human 'what is in here?'",
                                  "Thinking 'List it first.'",
                                  "ToolCall list_directory-1 list_directory '/home/ada/notes'",
                                  "Usage in=100 write=0 read=400 out=50 model=gemini-2.5-pro",
                                  "ToolResult list_directory-1 ok 'todo.txt'",
                                  "Message assistant/agent 'One file: todo.txt.'",
                                  "Usage in=565 write=0 read=0 out=8 model=gemini-2.5-pro",
                              });
        CHECK(seen.fates == std::vector{LineFate::understood});
        CHECK(seen.events.heads[3].response != 0);
        CHECK(seen.events.heads[3].response == seen.events.heads[5].response);
        CHECK(seen.events.heads[6].time_ms - seen.events.heads[4].time_ms == 1000);
        CHECK(seen.events.usages[0].tokens.reasoning == 30);
        CHECK(seen.events.heads[7].where.line == 3);
    }

    TEST_CASE("an image that a tool has read is no prompt, and what a sub-agent is asked no person says") {
        const auto file = [](std::string_view kind) {
            return fmt::format(
                R"({{"sessionId":"5b0c7a52-0000-4000-8000-000000000009","projectHash":"p",)"
                R"("startTime":"2026-03-02T10:00:00Z","kind":"{}"}})"
                "\n"
                R"({{"id":"u1","timestamp":"2026-03-02T10:00:01Z","type":"user","content":[{{"text":"look"}}]}})"
                "\n"
                R"({{"id":"u2","timestamp":"2026-03-02T10:00:02Z","type":"user","content":[{{"functionResponse":)"
                R"({{"id":"c","name":"read_file","response":{{"output":"1 item"}}}}}},)"
                R"({{"inlineData":{{"mimeType":"image/png","data":"AAAA"}}}}]}})"
                "\n",
                kind);
        };
        const auto main = read_text(readers::gemini_cli(), file("main"));
        CHECK(main.those("Message user") == Lines{"Message user/human 'look'", "Message user/injected media=1"});
        CHECK(main.count("TurnStart") == 1);
        const auto helper = read_text(readers::gemini_cli(), file("subagent"));
        CHECK(helper.those("Message user").at(0) == "Message user/agent 'look'");
        CHECK(helper.count("TurnStart") == 0);
    }

    TEST_CASE("the session is known before its first message even when its id stands last") {
        const auto seen = read_text(readers::gemini_cli(), fixture("gemini-cli/full.json"));
        CHECK(seen.lines().at(0) == "SessionStart id=5b0c7a52-0000-4000-8000-000000000002");
        CHECK(score_text(readers::gemini_cli(), fixture("gemini-cli/full.json")) == kCertain);
    }

    TEST_CASE("what became of a call is told apart: failed command, failed tool, refusal, interruption, not over") {
        const auto seen = read_text(readers::gemini_cli(), fixture("gemini-cli/full.json"));
        CHECK(seen.count("ToolCall") == 6);
        CHECK(seen.those("ToolResult") ==
              Lines{
                  "ToolResult c1 error exit=1 '1 failing'",
                  "ToolResult c2 error 'File path must be absolute: basket.ts'",
                  "ToolResult c3 denied '[Operation Cancelled] Reason: User did not allow tool call'",
                  "ToolResult c4 cancelled '[Operation Cancelled] Reason: User cancelled the operation.'",
                  "ToolResult c6 ok 'Remembered.'",
              });
        CHECK(result_of("run_shell_command", "success", R"({"output":"Exit Code: 0"})") ==
              "ToolResult c ok exit=0 'Exit Code: 0'");
        CHECK(result_of("read_file", "success", R"({"output":"Exit Code: 1"})") == "ToolResult c ok 'Exit Code: 1'");
        CHECK(result_of("read_file", "awaiting_approval", R"({"output":"x"})") == "none");
    }

    TEST_CASE("notices say who complains, and a cancelled request ends the turn") {
        const auto seen = read_text(readers::gemini_cli(), fixture("gemini-cli/full.json"));
        CHECK(seen.those("Notice") == Lines{
                                          "Notice harness/info info 'A new version is available.'",
                                          "Notice harness/warning warning 'Approaching the limit.'",
                                          "Notice provider/error error '[API Error: 503 The model is overloaded.]'",
                                          "Notice harness/info info 'Request cancelled.'",
                                      });
        CHECK(seen.lines().back() == "TurnEnd aborted");
    }

    TEST_CASE("a message that is written again while it grows is told once, call, result and usage included") {
        const auto seen = read_text(readers::gemini_cli(), fixture("gemini-cli/lines.jsonl"));
        CHECK(seen.those("Message assistant/agent 'Looking.'").size() == 1);
        CHECK(seen.those("ToolCall") == Lines{"ToolCall c1 list_directory '/n'"});
        CHECK(seen.those("ToolResult") == Lines{"ToolResult c1 ok 'todo.txt'"});
        CHECK(seen.those("Usage").size() == 3);
        CHECK(seen.count(LineFate::understood) == 13);
        CHECK(seen.count(LineFate::ignored_kind) == 1);
    }

    TEST_CASE("a rewind goes to a message that is known, and to the beginning otherwise") {
        const auto seen = read_text(readers::gemini_cli(), fixture("gemini-cli/lines.jsonl"));
        CHECK(seen.those("Rewind") == Lines{"Rewind to m4", "Rewind all"});
    }

    TEST_CASE("messages set anew are a compaction: known ones are copies, a new user message is the summary") {
        const auto seen = read_text(readers::gemini_cli(), fixture("gemini-cli/lines.jsonl"));
        CHECK(seen.count("Compaction") == 1);
        CHECK(seen.those("Message user/summary").size() == 1);
        CHECK(seen.count("TurnStart") == 3);
        std::size_t copies = 0;
        for (const EventHeader& head : seen.events.heads) copies += (head.flags & kCopied) != 0 ? 1 : 0;
        CHECK(copies == 2);
    }

    TEST_CASE("messages set in a session that has said nothing yet are its beginning") {
        const auto seen =
            read_text(readers::gemini_cli(), R"({"sessionId":"s","projectHash":"p"})"
                                             "\n"
                                             R"({"$set":{"messages":[{"id":"a","type":"user","content":"hi"}]}})"
                                             "\n");
        CHECK(seen.lines() == Lines{"SessionStart id=s", "TurnStart", "Message user/human 'hi'"});
    }

    TEST_CASE("so are those of the second session of a file") {
        const auto session = [](std::string_view id) {
            return fmt::format(R"({{"sessionId":"{0}","projectHash":"p"}})"
                               "\n"
                               R"({{"$set":{{"messages":[{{"id":"m-{0}","type":"user","content":"hi"}}]}}}})"
                               "\n",
                               id);
        };
        const auto seen = read_text(readers::gemini_cli(), session("a") + session("b"));
        CHECK(seen.lines() == Lines{"SessionStart id=a", "TurnStart", "Message user/human 'hi'", "SessionStart id=b",
                                    "TurnStart", "Message user/human 'hi'"});
    }

    TEST_CASE("what the program says in the user's place is no prompt, and answers of tools are none") {
        const auto user = [](std::string_view id, std::string_view parts) {
            return fmt::format(R"({{"id":"{}","type":"user","timestamp":"2026-09-01T10:00:01.000Z","content":[{}]}})"
                               "\n",
                               id, parts);
        };
        const std::string head =
            R"({"sessionId":"s","projectHash":"h","startTime":"2026-09-01T10:00:00.000Z"})"
            "\n"
            R"({"$set":{"messages":[{"id":"c","type":"user","content":[{"text":"<session_context>\nIt is )"
            R"(Tuesday."}]}]}})"
            "\n";
        const auto seen = read_text(
            readers::gemini_cli(),
            head + user("u", R"({"text":"tidy up"})") +
                user("t", R"({"functionResponse":{"id":"c1","name":"ls","response":{"output":"a"}}})") +
                user("l", R"({"text":"System: Potential loop detected. Details: ls. Please take a step back."})"));
        CHECK(seen.those("Message user/human") == Lines{"Message user/human 'tidy up'"});
        CHECK(seen.count("Message") == 3);
        CHECK(seen.those("Message user/injected").size() == 2);
        CHECK(seen.count("TurnStart") == 1);
    }

    TEST_CASE("a history that is written once more is no compaction, and one that is shorter is taken back") {
        const auto message = [](std::string_view id, std::string_view type) {
            return fmt::format(
                R"({{"id":"{}","type":"{}","timestamp":"2026-09-01T10:00:01.000Z","content":"said {}"}})", id, type,
                id);
        };
        const std::string setting =
            R"({"id":"c","type":"user","content":[{"text":"<session_context>\nIt is Tuesday."}]})";
        const std::string answer =
            R"({"id":"f","type":"user","content":[{"functionResponse":{"id":"c1","response":{"output":"a"}}}]})";
        const auto set = [](const std::string& messages) {
            return fmt::format(R"({{"$set":{{"messages":[{}]}}}})"
                               "\n",
                               messages);
        };
        const std::string said =
            set(setting) + message("u1", "user") + "\n" + message("g1", "gemini") + "\n" + message("u2", "user") + "\n";
        const std::string until = setting + "," + message("u1", "user") + "," + message("g1", "gemini");
        const auto after = [&](const std::string& update) {
            auto lines = read_text(readers::gemini_cli(), said + update).lines();
            lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(
                                                           read_text(readers::gemini_cli(), said).lines().size()));
            return lines;
        };
        CHECK(after(set(until + "," + answer + "," + message("u2", "user"))).empty());
        CHECK(after(set(until)) == Lines{"Rewind to g1"});
        CHECK(after(set(until) + message("u3", "user") + "\n" + set(until + "," + message("u3", "user"))) ==
              Lines{"Rewind to g1", "TurnStart", "Message user/human 'said u3'"});
        CHECK(after(set(setting + "," + message("s", "user") + "," + answer + "," + message("u2", "user"))) ==
              Lines{"Compaction summary", "Message user/injected '<session_context>\\nIt is Tuesday.'",
                    "Message user/summary 'said s'", "Message user/human 'said u2'"});
    }

    TEST_CASE("texts of several parts are one, and what the person typed is told from what it stands for") {
        const auto told = [](std::string_view content) {
            return read_text(
                       readers::gemini_cli(),
                       fmt::format(R"({{"id":"u","type":"user","timestamp":"2026-10-01T10:00:01.000Z",{}}})", content))
                .those("Message");
        };
        CHECK(
            told(
                R"("content":[{"text":"port the "},{"text":"loader"},{"inlineData":{"mimeType":"image/png","data":""}}])") ==
            Lines{"Message user/human 'port the loader' media=1"});
        CHECK(told(R"("content":{"text":"port it"})") == Lines{"Message user/human 'port it'"});
        CHECK(told(R"("content":["port ","it"])") == Lines{"Message user/human 'port it'"});
        CHECK(
            told(
                R"("content":[{"text":"sum up @a.md"},{"text":" --- a.md ---"}],"displayContent":[{"text":"sum up @a.md"}])") ==
            Lines{"Message user/human 'sum up @a.md'", "Message user/injected ' --- a.md ---'"});
        CHECK(told(R"("displayContent":"/review","content":"Look at each change.")") ==
              Lines{"Message user/human '/review'", "Message user/injected 'Look at each change.'"});
        CHECK(told(R"("displayContent":"hi","content":[{"text":"hi"}])") == Lines{"Message user/human 'hi'"});
        CHECK(told(R"("content":[{"functionResponse":{"id":"c"}},{"functionResponse":{"id":"d"}}])").empty());
    }

    TEST_CASE("what hooks add to a prompt is not the person's") {
        const auto told = [](std::string_view content) {
            return read_text(
                       readers::gemini_cli(),
                       fmt::format(R"({{"id":"u","type":"user","timestamp":"2026-10-01T10:00:01.000Z","content":{}}})",
                                   content))
                .lines();
        };
        CHECK(told(R"("<hook_context>It is late.</hook_context>\n\ngo on")") ==
              Lines{"SessionStart", "Message user/injected '<hook_context>It is late.</hook_context>'", "TurnStart",
                    "Message user/human 'go on'"});
        CHECK(told(R"([{"text":"go on"},{"text":"<hook_context>It is late.</hook_context>"}])") ==
              Lines{"SessionStart", "TurnStart", "Message user/human 'go on'",
                    "Message user/injected '<hook_context>It is late.</hook_context>'"});
        CHECK(told(R"("<hook_context>It is late.</hook_context>")").size() == 2);
        CHECK(told(R"("what does </hook_context> mean")").back() ==
              "Message user/human 'what does </hook_context> mean'");
    }

    TEST_CASE("a summary that is written as a line is a compaction, and what stayed behind it is a copy") {
        const auto line = [](std::string_view id, std::string_view type, std::string_view text) {
            return fmt::format(R"({{"id":"{}","type":"{}","timestamp":"2026-10-01T10:00:01.000Z","content":"{}"}})"
                               "\n",
                               id, type, text);
        };
        const std::string said = line("a", "user", "alpha") + line("ga", "gemini", "one") + line("b", "user", "beta") +
                                 line("gb", "gemini", "two");
        const std::string compressed = R"({"$set":{"sessionId":"s"}})"
                                       "\n" +
                                       line("s", "user", "<state_snapshot>of alpha</state_snapshot>") +
                                       line("k", "gemini", "Got it.") + line("b2", "user", "beta") +
                                       line("gb2", "gemini", "two") +
                                       R"({"$patch":{"removeIds":["a","ga","b","gb"]}})"
                                       "\n" +
                                       line("c", "user", "gamma");
        const auto seen = read_text(readers::gemini_cli(), said + compressed);
        CHECK(seen.count("Compaction") == 1);
        CHECK(seen.count("TurnStart") == 3);
        CHECK(seen.count("Rewind") == 0);
        CHECK(seen.count(LineFate::unknown_kind) == 0);
        Lines copies;
        for (std::size_t i = 0; i < seen.lines().size(); ++i)
            if ((seen.events.heads[i].flags & kCopied) != 0) copies.push_back(seen.lines()[i]);
        CHECK(copies ==
              Lines{"Message assistant/agent 'Got it.'", "Message user/human 'beta'", "Message assistant/agent 'two'"});
        CHECK(seen.lines().back() == "Message user/human 'gamma'");
        const auto document = read_text(
            readers::gemini_cli(),
            R"({"sessionId":"s","projectHash":"p","messages":[{"id":"s","type":"user","content":"<state_snapshot>x"},)"
            R"({"id":"c","type":"user","content":"gamma"}]})");
        CHECK(document.count("Compaction") == 1);
        CHECK(document.count("TurnStart") == 1);
    }

    TEST_CASE("a history that is written again with masked outputs is one compaction and nothing new") {
        const auto user = [](std::string_view id, std::string_view part) {
            return fmt::format(R"({{"id":"{}","type":"user","timestamp":"2026-05-01T10:00:00Z","content":[{}]}})"
                               "\n",
                               id, part);
        };
        const auto model = [](std::string_view id, std::string_view part, std::string_view more) {
            return fmt::format(R"({{"id":"{}","type":"gemini","content":[{}],{}}})"
                               "\n",
                               id, part, more);
        };
        const auto answer = [](std::string_view call, std::string_view output) {
            return fmt::format(R"({{"functionResponse":{{"id":"{}","name":"mill","response":{{"output":"{}"}}}}}})",
                               call, output);
        };
        const std::string figures = R"("tokens":{"input":9,"output":1,"total":10},"model":"g")";
        const auto called = [&](std::string_view id) {
            return figures + fmt::format(R"(,"toolCalls":[{{"id":"{0}","name":"mill","args":{{}},"status":"success",)"
                                         R"("result":[{1}]}}])",
                                         id, answer(id, "rye"));
        };
        const std::string setting = R"({"text":"<session_context>a mill</session_context>"})",
                          prompt = R"({"text":"grind"})", step = R"({"text":"Step."})",
                          updated = R"({"$set":{"lastUpdated":"2026-05-01T10:00:00Z"}})"
                                    "\n";
        const std::string said = R"({"sessionId":"s","projectHash":"p"})"
                                 "\n" +
                                 user("s0", setting) + user("u1", prompt) + model("g1", step, called("c1")) +
                                 user("r1", answer("c1", "rye")) + model("g2", step, called("c2"));
        const std::string again = user("s9", setting + "," + prompt) + updated +
                                  model("g8", step + R"(,{"functionCall":{"name":"mill","args":{},"id":"c1"}})",
                                        R"("thoughts":[],"tokens":null)") +
                                  updated + user("r8", answer("c1", "<tool_output_masked>\\nr…</tool_output_masked>")) +
                                  updated;
        const std::string whole = R"({"$set":{"messages":[{"id":"s9","type":"user"},{"id":"g8","type":"gemini"},)"
                                  R"({"id":"r8","type":"user"}],"lastUpdated":"2026-05-01T10:00:00Z"}})"
                                  "\n";
        const std::string rest = user("r2", answer("c2", "rye")) + model("g3", R"({"text":"Ground."})", figures);
        for (const std::string& end : {whole, std::string()}) {  // with the update, and without
            const auto seen = read_text(readers::gemini_cli(), said + again + end + rest);
            CHECK(seen.count("Compaction") == 1);
            CHECK(seen.those("Message").size() == 5);
            CHECK(seen.those("Message").back() == "Message assistant/agent 'Ground.'");
            CHECK(seen.count("Usage") == 3);
            CHECK(seen.count("ToolCall") == 2);
            CHECK(seen.count("ToolResult") == 2);
            CHECK(seen.count("TurnStart") == 1);
            CHECK(seen.count("Rewind") == 0);
            CHECK(seen.count(LineFate::unknown_kind) == 0);
        }
        // The program ended in the midst of it, and went on.
        const auto ended = read_text(readers::gemini_cli(), said + again +
                                                                R"({"sessionId":"s","projectHash":"p"})"
                                                                "\n" +
                                                                user("u7", prompt));
        CHECK(ended.count("Compaction") == 0);
        CHECK(ended.count("TurnStart") == 2);
        // A session that goes on has the setting once more, alone.
        const auto resumed = read_text(readers::gemini_cli(), said + user("s5", setting) + user("u5", prompt));
        CHECK(resumed.count("Compaction") == 0);
        CHECK(resumed.count("TurnStart") == 2);
    }

    TEST_CASE("a patch that removes the last messages takes them back, others change nothing that was told") {
        const auto line = [](std::string_view id, std::string_view type) {
            return fmt::format(R"({{"id":"{}","type":"{}","timestamp":"2026-10-01T10:00:01.000Z","content":"x"}})"
                               "\n",
                               id, type);
        };
        const std::string said = line("a", "user") + line("g", "gemini") + line("b", "user") + line("h", "gemini");
        const auto rewinds = [&](std::string_view patch) {
            return read_text(readers::gemini_cli(), said + fmt::format(R"({{"$patch":{{{}}}}})"
                                                                       "\n",
                                                                       patch))
                .those("Rewind");
        };
        CHECK(rewinds(R"("removeIds":["b","h"],"orderIds":["a","g"])") == Lines{"Rewind to b"});
        CHECK(rewinds(R"("removeIds":["a","g"])").empty());
        CHECK(rewinds(R"("updates":[{"id":"h","content":"y","toolCalls":[{"id":"c","result":null}]}])").empty());
        CHECK(rewinds(R"("id":"h","content":"y")").empty());
    }

    TEST_CASE("of a document that ends too early the whole messages are read") {
        const auto seen = read_text(readers::gemini_cli(), fixture("gemini-cli/bad-torn.json"));
        CHECK(seen.fates == std::vector{LineFate::partial});
        CHECK(seen.lines() == Lines{
                                  "SessionStart id=5b0c7a52-0000-4000-8000-000000000004",
                                  "TurnStart",
                                  "Message user/human 'count to three'",
                                  "Message assistant/agent 'One, two'",
                                  "Usage in=10 write=0 read=0 out=3",
                              });
    }

    TEST_CASE("a document cut at any byte gives each of its events at most once and in order") {
        const std::string whole = fixture("gemini-cli/minimal.json");
        const Lines all = read_text(readers::gemini_cli(), whole).lines();
        for (std::size_t size = 1; size < whole.size(); size += 7) {
            CAPTURE(size);
            const auto seen = read_text(readers::gemini_cli(), whole.substr(0, size));
            REQUIRE(seen.lines().size() <= all.size());
            CHECK(std::equal(seen.lines().begin(), seen.lines().end(), all.begin()));
        }
    }

    TEST_CASE("fields of odd types are missing fields, never a crash") {
        const auto seen = read_text(readers::gemini_cli(), fixture("gemini-cli/bad-fields.jsonl"));
        CHECK(seen.fates == std::vector{LineFate::understood, LineFate::missing_field, LineFate::understood,
                                        LineFate::unknown_kind, LineFate::ignored_kind, LineFate::unknown_kind,
                                        LineFate::malformed_json});
    }

    TEST_CASE("lines without the first one are recognised by the model's messages") {
        const std::string text = fixture("gemini-cli/lines.jsonl");
        CHECK(score_text(readers::gemini_cli(), text.substr(text.find('\n') + 1)) == 90);
        CHECK(score_text(readers::gemini_cli(), fixture("gemini-stream/minimal.jsonl")) == 0);
        CHECK(score_text(readers::gemini_cli(), fixture("qwen-code/full.jsonl")) == 0);
    }
}

TEST_SUITE("gemini-stream") {
    TEST_CASE("pieces of an answer are one message, and the totals of the run are its usage") {
        const auto seen = read_text(readers::gemini_stream(), fixture("gemini-stream/minimal.jsonl"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart id=stream-1 model=gemini-2.5-pro",
                                  "TurnStart",
                                  "Message user/human 'what is in here?'",
                                  "ToolCall list_directory-1 list_directory '.'",
                                  "ToolResult list_directory-1 ok 'todo.txt'",
                                  "Message assistant/agent 'One file: todo.txt.'",
                                  "Usage in=600 write=0 read=400 out=130",
                                  "TurnEnd completed",
                              });
        CHECK(seen.events.usages[0].mode == UsageMode::cumulative);
        CHECK(seen.events.usages[0].tokens.reasoning == 30);
        CHECK(seen.events.heads[5].where.line == 5);
        CHECK(seen.count(LineFate::understood) == 7);
    }

    TEST_CASE("a prompt before the stream belongs to its session") {
        const auto seen = read_text(readers::gemini_stream(), fixture("gemini-stream/full.jsonl"));
        CHECK(seen.lines().at(0) == "SessionStart id=stream-2 model=gemini-2.5-pro");
        CHECK(seen.lines().at(2) == "Message user/human 'the prompt, written by whoever started the run'");
        CHECK(seen.events.heads[2].where.line == 1);
        const auto alone =
            read_text(readers::gemini_stream(), R"({"type":"message","role":"user","content":"only this"})");
        CHECK(alone.lines() == Lines{"SessionStart", "TurnStart", "Message user/human 'only this'"});
    }

    TEST_CASE("a command that ran is judged by its text, other results by their status") {
        const auto seen = read_text(readers::gemini_stream(), fixture("gemini-stream/full.jsonl"));
        CHECK(seen.those("ToolResult") ==
              Lines{
                  R"(ToolResult run_shell_command-1 error exit=1 '1 failing\nExit Code: 1')",
                  "ToolResult run_shell_command-2 unknown 'no problems'",
                  "ToolResult write_file-3 denied by=rule 'Tool execution denied by policy.'",
                  "ToolResult read_file-4 error 'File not found.'",
              });
        CHECK(seen.those("Notice") ==
              Lines{"Notice harness/warning error 'Loop detected'", "Notice provider/error error 'quota exceeded'"});
        CHECK(seen.lines().back() == "TurnEnd failed");
    }

    TEST_CASE("of a failure that is printed as one line whatever it was, the error says what it was") {
        const auto answer = [](std::string_view id, std::string_view output, std::string_view message) {
            return fmt::format(R"({{"type":"tool_result","tool_id":"{}","status":"error","output":"{}",)"
                               R"("error":{{"type":"mcp_tool_error","message":"{}"}}}})"
                               "\n",
                               id, output, message);
        };
        const auto refused = [](std::string_view why) {
            return fmt::format(R"(MCP tool 'ask' reported tool error for function call: {{\"name\":\"ask\"}})"
                               R"( with response: [{{\"functionResponse\":{{\"name\":\"ask\",\"response\":)"
                               R"({{\"content\":[{{\"type\":\"text\",\"text\":\"{}\"}}],\"isError\":true}}}}}}])",
                               why);
        };
        constexpr std::string_view kSame = "Error: MCP tool 'ask' reported an error.";
        const auto seen =
            read_text(readers::gemini_stream(),
                      R"({"type":"init","session_id":"s","model":"gemini-2.5-pro"})"
                      "\n" +
                          answer("mcp_mill_ask-1", kSame, refused("no such mill")) +
                          answer("mcp_mill_ask-2", kSame, refused("the wheel stands still")) +
                          answer("run_shell_command-3", R"(1 failing\nExit Code: 1)", "Command failed.") +
                          R"({"type":"tool_result","tool_id":"mcp_mill_ask-4","status":"error","output":"closed"})");
        CHECK(seen.those("ToolResult") ==
              Lines{
                  "ToolResult mcp_mill_ask-1 error 'no such mill'",
                  "ToolResult mcp_mill_ask-2 error 'the wheel stands still'",
                  R"(ToolResult run_shell_command-3 error exit=1 '1 failing\nExit Code: 1')",
                  "ToolResult mcp_mill_ask-4 error 'closed'",
              });
    }

    TEST_CASE("records without what they need are counted, and the last piece is not lost") {
        const auto seen = read_text(readers::gemini_stream(), fixture("gemini-stream/bad-fields.jsonl"));
        CHECK(seen.count(LineFate::missing_field) == 4);
        CHECK(seen.count(LineFate::unknown_kind) == 3);
        CHECK(seen.lines().back() == "Message assistant/agent 'unfinished'");
    }
}

TEST_SUITE("qwen-code") {
    TEST_CASE("a session becomes start, turn, thought, call, usage, result and answer, in this order") {
        const auto seen = read_text(readers::qwen_code(), fixture("qwen-code/minimal.jsonl"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart id=qwen-1 cwd=/home/ada/notes",
                                  "TurnStart",
                                  "Message user/human 'what is in here?'",
                                  "Thinking 'List it first.'",
                                  "ToolCall call_1 list_directory '.'",
                                  "Usage in=100 write=0 read=800 out=30 model=qwen3-coder-plus",
                                  "ToolResult call_1 ok 'todo.txt'",
                                  "Message assistant/agent 'One file: todo.txt.'",
                                  "Usage in=950 write=0 read=0 out=30 model=qwen3-coder-plus",
                              });
        CHECK(seen.events.usages[1].tokens.reasoning == 20);  // the total says that they are inside
    }

    TEST_CASE("every kind of record has its events") {
        const auto seen = read_text(readers::qwen_code(), fixture("qwen-code/full.jsonl"));
        CHECK(seen.those("ToolResult") ==
              Lines{
                  R"(ToolResult c1 error exit=1 '1 failing\nExit Code: 1')",
                  "ToolResult c2 denied '[Operation Cancelled] Reason: User did not allow tool call'",
                  "ToolResult c9 ok 'a.ts'",
                  "ToolResult c3 error 'sub-agent failed'",
              });
        CHECK(seen.those("Compaction").size() == 1);
        CHECK(seen.those("Rewind") == Lines{"Rewind to u1", "Rewind to "});
        CHECK(seen.count("LaneOpen") == 1);
        CHECK(seen.count("TurnStart") == 2);
        CHECK(seen.those("Message user/queued") == Lines{"Message user/queued 'hurry'"});
        CHECK(seen.count(LineFate::understood) == 15);
        CHECK(seen.count(LineFate::ignored_kind) == 1);
    }

    TEST_CASE("thoughts are a part of the answer unless the total has them on top") {
        const auto tokens = [](std::string_view counts) {
            const std::string text =
                R"({"uuid":"u","parentUuid":null,"sessionId":"s","timestamp":"2026-03-02T09:00:02.000Z","type":"assistant",)"
                R"("model":"toy","message":{"role":"model","parts":[{"text":"x"}]},"usageMetadata":{"promptTokenCount":100,)" +
                std::string(counts) + "}}\n";
            return read_text(readers::qwen_code(), text).events.usages.at(0).tokens;
        };
        CHECK(tokens(R"("candidatesTokenCount":30,"thoughtsTokenCount":20,"totalTokenCount":150)") ==
              TokenCounts{100, 0, 0, 50, 20});
        CHECK(tokens(R"("candidatesTokenCount":30,"thoughtsTokenCount":20,"totalTokenCount":130)") ==
              TokenCounts{100, 0, 0, 30, 20});
        // Estimated thoughts are no output that the total does not have.
        CHECK(tokens(R"("candidatesTokenCount":30,"thoughtsTokenCount":40,"totalTokenCount":130)") ==
              TokenCounts{100, 0, 0, 30, 30});
        for (const std::string_view none : {"", R"(,"totalTokenCount":0)"}) {
            CAPTURE(none);
            CHECK(tokens(R"("candidatesTokenCount":30,"thoughtsTokenCount":20)" + std::string(none)) ==
                  TokenCounts{100, 0, 0, 30, 20});
            CHECK(tokens(R"("candidatesTokenCount":10,"thoughtsTokenCount":20)" + std::string(none)) ==
                  TokenCounts{100, 0, 0, 30, 20});
        }
    }

    TEST_CASE("an answer says how large the window of its model is") {
        const auto seen = read_text(
            readers::qwen_code(),
            R"({"uuid":"u","parentUuid":null,"sessionId":"s","timestamp":"2026-03-02T09:00:02.000Z","type":"assistant",)"
            R"("model":"toy","message":{"role":"model","parts":[{"text":"x"}]},"usageMetadata":{"promptTokenCount":100,)"
            R"("candidatesTokenCount":2,"totalTokenCount":102},"contextWindowSize":131072})");
        CHECK(seen.events.usages.at(0).window_tokens == 131072);
    }

    TEST_CASE("an answer that is not there, or of which only the sum is told, was paid for") {
        const auto tokens = [](std::string_view fields) {
            const auto seen = read_text(
                readers::qwen_code(),
                R"({"uuid":"u","parentUuid":null,"sessionId":"s","timestamp":"2026-03-02T09:00:02.000Z","type":"assistant","model":"toy",)" +
                    std::string(fields) + "}\n");
            CHECK(seen.fates == std::vector{LineFate::understood});
            return seen.events.usages.at(0).tokens;
        };
        CHECK(tokens(R"("usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":2,"totalTokenCount":11})") ==
              TokenCounts{9, 0, 0, 2, 0});
        CHECK(tokens(R"("message":{"parts":[]},"usageMetadata":{"totalTokenCount":11,"cachedContentTokenCount":4})") ==
              TokenCounts{7, 0, 4, 0, 0});
        CHECK(tokens(R"("message":{"parts":[]},"usageMetadata":{"totalTokenCount":11,"thoughtsTokenCount":3})") ==
              TokenCounts{8, 0, 0, 3, 3});
    }

    TEST_CASE("how a turn ended is told, and results of calls that a program made are not the model's") {
        std::string parent = "null", text;
        int count = 0;
        const auto add = [&](std::string_view more) {
            const std::string id = fmt::format("\"r{}\"", ++count);
            text +=
                fmt::format(R"({{"uuid":{},"parentUuid":{},"sessionId":"s","timestamp":"2026-10-02T09:00:00.000Z",{}}})"
                            "\n",
                            id, parent, more);
            parent = id;
        };
        add(R"("type":"user","message":{"role":"user","parts":[{"text":"tidy up"}]})");
        add(R"("type":"assistant","message":{"role":"model","parts":[{"functionCall":{"id":"c","name":"exec","args":{}}}]})");
        add(R"("type":"tool_result","subtype":"code_mode_tool_result","message":{"role":"user","parts":[)"
            R"({"functionResponse":{"id":"c:1","name":"read_file","response":{"output":"x"}}}]})");
        add(R"("type":"tool_result","message":{"role":"user","parts":[)"
            R"({"functionResponse":{"id":"c","name":"exec","response":{"output":"done"}}}]})");
        for (const char* state : {"completed", "cancelled", "error"})
            add(fmt::format(
                R"("type":"system","subtype":"turn_result","systemPayload":{{"promptId":"p","state":"{}"}})", state));
        const auto seen = read_text(readers::qwen_code(), text);
        CHECK(seen.those("ToolResult").size() == 1);
        REQUIRE(seen.those("ToolCall").size() == 1);
        CHECK(seen.those("ToolCall")[0].ends_with(" script"));
        CHECK(seen.those("TurnEnd") == Lines{"TurnEnd completed", "TurnEnd aborted", "TurnEnd failed"});
        CHECK(seen.count("Rewind") == 0);
    }

    TEST_CASE("a call through the tool that calls deferred ones is one of the tool that was meant") {
        std::string parent = "null", text;
        int count = 0;
        const auto add = [&](std::string_view more) {
            const std::string id = fmt::format("\"r{}\"", ++count);
            text +=
                fmt::format(R"({{"uuid":{},"parentUuid":{},"sessionId":"s","timestamp":"2026-11-28T09:00:00.000Z",{}}})"
                            "\n",
                            id, parent, more);
            parent = id;
        };
        const auto call = [&add](std::string_view id, std::string_view function) {
            add(fmt::format(
                R"("type":"assistant","message":{{"role":"model","parts":[{{"functionCall":{{"id":"{}",{}}}}}]}})", id,
                function));
        };
        call("c1", R"("name":"tool_call","args":{"name":"mcp__shop__price","arguments":{"path":"tea"}})");
        add(R"("type":"tool_result","message":{"role":"user","parts":[)"
            R"({"functionResponse":{"id":"c1","name":"tool_call","response":{"output":"4"}}}]})");
        call("c2", R"("name":"mcp__shop__price","args":{"path":"tea"})");
        call("c3", R"("args":{"arguments":{"path":"rice"},"name":"mcp__shop__price"},"name":"tool_call")");
        call("c4", R"("name":"tool_call","args":{"name":"mcp__shop__stock","arguments":{}})");
        const auto seen = read_text(readers::qwen_code(), text);
        CHECK(seen.those("ToolCall") == Lines{"ToolCall c1 mcp__shop__price 'tea'",
                                              "ToolCall c2 mcp__shop__price 'tea'",
                                              "ToolCall c3 mcp__shop__price 'rice'", "ToolCall c4 mcp__shop__stock"});
        CHECK(seen.those("ToolResult") == Lines{"ToolResult c1 ok '4'"});
        CHECK(seen.events.digests.at(0).canonical == seen.events.digests.at(1).canonical);
        CHECK(seen.events.digests.at(0).canonical != seen.events.digests.at(2).canonical);

        for (const char* other : {R"({"name":"mcp__shop__price"})", R"({"name":"mcp__shop__price","arguments":"{}"})",
                                  R"({"name":7,"arguments":{}})", R"({"name":"","arguments":{}})", "null",
                                  R"({"name":"mcp__shop__price","arguments":{},"reason":"x"})"}) {
            CAPTURE(other);
            text.clear();
            call("c", fmt::format(R"("name":"tool_call","args":{})", other));
            const Lines calls = read_text(readers::qwen_code(), text).those("ToolCall");
            REQUIRE(calls.size() == 1);
            CHECK(calls[0].starts_with("ToolCall c tool_call"));
        }
    }

    TEST_CASE("what a sub-agent's response used stands in a record of its own before its call") {
        std::string text;
        const auto add = [&text](std::string_view id, std::string_view fields) {
            text +=
                fmt::format(R"({{"uuid":"3d1a3c1e-0000-4000-8000-00000000000{}","sessionId":"s","isSidechain":true,)"
                            R"("agentId":"a","timestamp":"2026-03-02T10:00:00Z","type":{}}})"
                            "\n",
                            id, fields);
        };
        add("1", R"("user","message":{"role":"user","parts":[{"text":"look"}]})");
        add("2", R"("assistant","message":{"role":"model","parts":[]},"agentRound":1,)"
                 R"("usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":2,"totalTokenCount":11})");
        add("3",
            R"("assistant","message":{"role":"model","parts":[{"functionCall":{"id":"c","name":"ls","args":{}}}]})");
        add("4", R"("tool_result","message":{"role":"user","parts":[)"
                 R"({"functionResponse":{"id":"c","name":"ls","response":{"output":"x"}}}]})");
        add("5", R"("assistant","message":{"role":"model","parts":[{"text":"done"}]})");
        const auto seen = read_text(readers::qwen_code(), text);
        const auto response_of = [&seen](std::string_view start) {
            for (std::size_t i = 0; i < seen.lines().size(); ++i)
                if (seen.lines()[i].starts_with(start)) return seen.events.heads[i].response;
            return IdHash{0};
        };
        CHECK(response_of("Usage") != 0);
        CHECK(response_of("ToolCall") == response_of("Usage"));
        CHECK(response_of("Message assistant") != response_of("Usage"));
    }

    TEST_CASE("the telemetry tells of requests that have no record: of summaries and of the program's own helpers") {
        const auto record = [](int id, std::string_view fields) {
            return fmt::format(R"({{"uuid":"3d1a3c1e-0000-4000-8000-0000000001{:02}","sessionId":"s",)"
                               R"("timestamp":"2026-03-02T10:00:{:02}Z","type":{}}})"
                               "\n",
                               id, id, fields);
        };
        const auto event = [&record](int id, int prompt, int output, std::string_view more = {}) {
            return record(id, fmt::format(R"("system","subtype":"ui_telemetry","systemPayload":{{"uiEvent":{{)"
                                          R"("event.name":"qwen-code.api_response","response_id":"resp-{:08}",)"
                                          R"("model":"toy","input_token_count":{},"output_token_count":{},)"
                                          R"("cached_content_token_count":4,"thoughts_token_count":0,)"
                                          R"("total_token_count":{}{}}}}})",
                                          id, prompt, output, prompt + output, more));
        };
        const auto answer = [&record](int id, int prompt, int output) {
            return record(id, fmt::format(R"("assistant","model":"toy","message":{{"role":"model","parts":[)"
                                          R"({{"text":"hi"}}]}},"usageMetadata":{{"promptTokenCount":{},)"
                                          R"("candidatesTokenCount":{},"cachedContentTokenCount":4,)"
                                          R"("totalTokenCount":{}}})",
                                          prompt, output, prompt + output));
        };
        const auto used = [](const std::string& text) { return read_text(readers::qwen_code(), text).those("Usage"); };
        const std::string one = "Usage in=6 write=0 read=4 out=2 model=toy";
        CHECK(used(event(1, 10, 2) + answer(2, 10, 2)) == Lines{one});
        CHECK(used(answer(1, 10, 2) + event(2, 10, 2)) == Lines{one});
        const std::string summary = "Usage in=26 write=0 read=4 out=5 model=toy";
        const std::string next = "Usage in=16 write=0 read=4 out=2 model=toy";
        CHECK(used(event(1, 10, 2) + answer(2, 10, 2) + event(3, 30, 5) + event(4, 20, 2) + answer(5, 20, 2)) ==
              Lines{one, summary, next});
        CHECK(used(event(1, 10, 2) + answer(2, 10, 2) + event(3, 30, 5)) == Lines{one, summary});
        CHECK(used(event(1, 10, 2) + answer(2, 10, 2) + event(3, 30, 5, R"(,"subagent_name":"managed-helper")")) ==
              Lines{one, summary});
        // Another sub-agent has a file that tells it.
        CHECK(used(event(1, 10, 2) + answer(2, 10, 2) + event(3, 30, 5, R"(,"subagent_name":"explore")")) ==
              Lines{one});
    }

    TEST_CASE("a sub-agent's records stand in its own lane and do not break the main chain") {
        const auto seen = read_text(readers::qwen_code(), fixture("qwen-code/full.jsonl"));
        for (std::size_t i = 0; i < seen.lines().size(); ++i) {
            const bool agents = seen.lines()[i].find(" c9 ") != std::string::npos || seen.lines()[i] == "LaneOpen";
            if (agents) CHECK(seen.events.heads[i].lane == 1);
            if (seen.lines()[i].starts_with("Rewind")) CHECK(seen.events.heads[i].where.line >= 13);
        }
    }

    TEST_CASE("Claude Code, whose envelope it shares, claims none of its records and the other way round") {
        for (const char* name : {"qwen-code/minimal.jsonl", "qwen-code/full.jsonl"}) {
            CHECK(score_text(readers::qwen_code(), fixture(name)) == kCertain);
            CHECK(score_text(readers::claude_code(), fixture(name)) < 90);
        }
        CHECK(score_text(readers::qwen_code(), fixture("claude-code/full.jsonl")) == 0);
    }

    TEST_CASE("records without what they need are counted") {
        const auto seen = read_text(readers::qwen_code(), fixture("qwen-code/bad-fields.jsonl"));
        CHECK(seen.fates == std::vector{LineFate::missing_field, LineFate::understood, LineFate::understood,
                                        LineFate::missing_field, LineFate::unknown_kind, LineFate::unknown_kind,
                                        LineFate::unknown_kind, LineFate::malformed_json});
    }
}
