#include "readers/all.hpp"
#include "readers/event_lines.hpp"
#include "readers/input/companion_records.hpp"
#include "readers/input_support.hpp"

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

}  // namespace

TEST_SUITE("hermes") {
    TEST_CASE("a session file has the messages of the database, behind what the session began with") {
        const auto seen = read(readers::hermes(), "session-file.jsonl");
        CHECK(seen.lines() ==
              Lines{"SessionStart model=large-1", "TurnStart", "Message user/human 'run the tests'",
                    "Thinking 'Run them.'", "ToolCall c1 terminal 'make test'",
                    R"(ToolResult c1 error exit=2 '{\"output\": \"1 failed\", \"exit_code\": 2, \"error\": null}')",
                    "Compaction summary '[CONTEXT COMPACTION] Tests were run.'", "TurnStart",
                    "Message user/human 'look' media=1", "Message assistant/agent 'One fails.'"});
        const std::string text = slurp(test::source_dir() / "testdata/readers/hermes/session-file.jsonl");
        CHECK(score_text(readers::hermes(), text) > score_text(readers::chat_completions(), text));
        const std::string middle = text.substr(text.find('\n') + 1);
        CHECK(score_text(readers::hermes(), middle) > score_text(readers::chat_completions(), middle));
    }
}

TEST_SUITE("cursor-agent") {
    TEST_CASE("queries begin turns, calls have no results") {
        const auto seen = read(readers::cursor_agent(), "minimal.jsonl");
        CHECK(seen.lines() == Lines{
                                  "SessionStart",
                                  "TurnStart",
                                  "Message user/human 'what is in here?'",
                                  "Message assistant/agent 'Look first.'",
                                  "ToolCall  Shell 'ls'",
                                  "Message assistant/agent 'One file.'",
                              });
    }
    TEST_CASE("other tags than the query's are injected, and results are read where they stand") {
        const auto seen = read(readers::cursor_agent(), "full.jsonl");
        CHECK(seen.lines() == Lines{
                                  "SessionStart",
                                  R"(Message user/injected '<external_links>\nnone\n</external_links>')",
                                  "TurnStart",
                                  "Message user/human 'fix it'",
                                  "Thinking opaque=4",
                                  "ToolCall c1 Read 'a.ts'",
                                  "ToolCall c2 Shell 'npm test'",
                                  "ToolResult c1 error 'no such file'",
                                  "ToolResult c2 unknown '1 failing'",
                                  "TurnStart",
                                  "Message user/human 'a plain string'",
                              });
    }
    TEST_CASE("what the editor adds to a query is nobody's word, and of its turn") {
        const auto seen = read_text(
            readers::cursor_agent(),
            R"({"role":"user","message":{"content":"<web>Never log out.</web>\n<user_query>\nfix it\n</user_query>"}})"
            "\n");
        CHECK(seen.lines() == Lines{"SessionStart", "TurnStart", "Message user/injected '<web>Never log out.</web>'",
                                    "Message user/human 'fix it'"});
    }
    TEST_CASE("a word that stands for a thought is no word of the model's") {
        const auto said = [](std::string_view text) {
            return read_text(readers::cursor_agent(),
                             R"({"role":"assistant","message":{"content":[{"type":"text","text":")" +
                                 std::string(text) + R"("}]}})");
        };
        CHECK(said(R"(Done.\n\n[REDACTED])").those("Message") == Lines{"Message assistant/agent 'Done.'"});
        CHECK(said(R"(Done.\n\n[REDACTED])").count("Thinking") == 1);
        CHECK(said("[REDACTED]").count("Message") == 0);
        CHECK(said("[REDACTED] is what I see").count("Thinking") == 0);
    }

    TEST_CASE("the task of a sub-agent is no human's words") {
        const auto seen = read(readers::cursor_agent(), "sub-agent.jsonl");
        CHECK(seen.those("Message user/") == Lines{"Message user/agent 'List the tests.'"});
        CHECK(seen.count("SessionStart") == 1);
    }

    TEST_CASE("records without what they need are counted") {
        CHECK(read(readers::cursor_agent(), "bad-fields.jsonl").fates ==
              std::vector{LineFate::missing_field, LineFate::unknown_kind, LineFate::unknown_kind, LineFate::understood,
                          LineFate::malformed_json});
    }
}

TEST_SUITE("cursor-agent of 2026") {
    TEST_CASE("turns are closed by a record, contents may be plain, and times are read") {
        const auto seen = read(readers::cursor_agent(), "turns.jsonl");
        CHECK(seen.count(LineFate::understood) == seen.fates.size());
        CHECK(seen.those("TurnEnd") ==
              Lines{"TurnEnd completed", "TurnEnd aborted", "TurnEnd failed", "TurnEnd unknown"});
        CHECK(seen.those("Notice") == Lines{"Notice provider/error error 'no answer from the model'"});
        CHECK(seen.count("TurnStart") == 3);
        CHECK(seen.events.heads[0].time_ms == 1772359200000);
    }
    TEST_CASE("records that close turns, times and plain contents do not hide the format") {
        const std::string user = R"({"role":"user","message":{"content":"fix it"}})";
        const std::string end = R"({"type":"turn_ended","status":"success"})";
        CHECK(score_text(readers::cursor_agent(), user + "\n" + end + "\n") == 95);
        CHECK(score_text(readers::cursor_agent(), R"({"role":"user","timestamp":"t","message":{"content":[]}})") == 95);
        CHECK(score_text(readers::cursor_agent(), end + "\n") == 0);
        CHECK(score_text(readers::cursor_agent(), R"({"role":"user","uuid":"u","message":{"content":"a"}})") == 0);
        CHECK(score_text(readers::cursor_agent(), R"({"role":"user","message":{"role":"user","content":"a"}})") == 0);
    }
}

TEST_SUITE("factory-droid") {
    TEST_CASE("what a session took stands beside it, and an exit code behind what a command printed") {
        const std::string beside =
            R"({"assistantActiveTimeMs":9,"model":"custom:stone-2","tokenUsage":{"inputTokens":10,"outputTokens":5,)"
            R"("cacheCreationTokens":1,"cacheReadTokens":30,"thinkingTokens":2},"lastCallTokenUsage":{"inputTokens":4}})"
            "\n";
        const std::string session =
            R"({"type":"session_start","id":"d9","title":"t","owner":"ada","version":2,"cwd":"/w"})"
            "\n"
            R"({"type":"message","id":"m1","timestamp":"2026-03-02T10:00:02.000Z","message":{"role":"user","content":[)"
            R"({"type":"tool_result","tool_use_id":"c1","is_error":true,"content":"no rye\n\n[Process exited with code 3]"},)"
            R"({"type":"tool_result","tool_use_id":"c2","is_error":false,"content":"[Process exited with code 3] they said"}]}})"
            "\n"
            R"({"type":"agent_turn_outcome","turnId":"m0","reason":"model_request_rejected"})"
            "\n";
        const auto seen = read_text(readers::factory_droid(), beside + session);
        CHECK(seen.lines().at(0) == "SessionStart id=d9 cwd=/w");
        CHECK(seen.lines().at(1) == "Usage in=10 write=1 read=30 out=5 model=custom:stone-2");
        CHECK(seen.count("Usage") == 1);
        CHECK(seen.events.usages[0].scope == UsageScope::session);
        CHECK(seen.events.usages[0].tokens.reasoning == 2);
        CHECK(seen.those("ToolResult") ==
              Lines{R"(ToolResult c1 error exit=3 'no rye\n\n[Process exited with code 3]')",
                    "ToolResult c2 ok '[Process exited with code 3] they said'"});
        CHECK(seen.those("Notice") == Lines{"Notice provider/error error 'model_request_rejected'"});
        CHECK(seen.those("TurnEnd") == Lines{"TurnEnd failed"});
    }

    TEST_CASE("the settings of a session are read with it, and are no session") {
        const test::TempDir dir;
        const std::string id = "0f6e1d2c-3b4a-4958-8776-655443322110";
        dir.write("s/" + id + ".jsonl", "{}\n");
        dir.write("s/" + id + ".settings.json", R"({"model":"m"})");
        const readers::Companion found = readers::companion_of(dir / ("s/" + id + ".jsonl"));
        CHECK(found.path == dir / ("s/" + id + ".settings.json"));
        CHECK(found.format == "factory-droid");
        const InputList list = expand_inputs({dir.str()});
        REQUIRE(list.paths.size() == 1);
        CHECK(list.paths[0].path == dir / ("s/" + id + ".jsonl"));
    }

    TEST_CASE("a fork begins with what stands in the other session too, up to the message that it names") {
        const auto seen = read_text(readers::factory_droid(),
                                    slurp(test::source_dir() / "testdata/readers/factory-droid/fork.jsonl"));
        Lines copied;
        for (std::size_t i = 0; i < seen.lines().size(); ++i) {
            if ((seen.events.heads[i].flags & kCopied) != 0) copied.push_back(seen.lines()[i]);
        }
        CHECK(copied == Lines{"TurnStart", "Message user/human 'grind the rye'", "ContextChange model=stone-1",
                              "ToolCall c1 Execute 'make grind'",
                              R"(ToolResult c1 ok exit=0 'ground\n\n\n[Process exited with code 0]')",
                              "Message assistant/agent 'It is ground.'", "TurnEnd completed"});
        CHECK(seen.lines().size() == copied.size() + 5);
    }

    TEST_CASE("what answers the message that a fork names is its own, also where that message cannot be read") {
        std::string text = slurp(test::source_dir() / "testdata/readers/factory-droid/fork.jsonl");
        const std::size_t point = text.find(R"({"type":"message","id":"m4")");
        REQUIRE(point != text.npos);
        text[point] = '[';
        const auto seen = read_text(readers::factory_droid(), text);
        std::size_t own = 0;
        for (std::size_t i = 0; i < seen.lines().size(); ++i) own += (seen.events.heads[i].flags & kCopied) == 0;
        CHECK(own == 5);
    }

    TEST_CASE("the model, its reasoning, pictures, where a session comes from and how turns ended are told") {
        const auto seen =
            read_text(readers::factory_droid(),
                      R"({"type":"session_start","id":"d","owner":"ada","parent":"d0","forkedAtMessageId":"m0"}
{"type":"message","id":"m1","timestamp":"2026-03-02T10:00:00.000Z","message":{"role":"user","content":[{"type":"text","text":"look"},{"type":"image","source":{"type":"base64","data":"AA","media_type":"image/png"}}]}}
{"type":"message","id":"m2","timestamp":"2026-03-02T10:00:01.000Z","message":{"role":"assistant","modelId":"toy","openaiReasoningSummary":"A car.","openaiEncryptedContent":"xyz","content":"A car."}}
{"type":"agent_turn_outcome","turnId":"m1","reason":"completed"}
{"type":"message","id":"m3","timestamp":"2026-03-02T10:00:02.000Z","message":{"role":"assistant","modelId":"toy","content":"Yes."}}
{"type":"agent_turn_outcome","turnId":"m1","reason":"cancelled"}
{"type":"agent_turn_outcome","turnId":"m1","reason":"error"}
)");
        CHECK(seen.lines() == Lines{"SessionStart id=d forked=d0", "TurnStart", "Message user/human 'look' media=1",
                                    "ContextChange model=toy", "Thinking 'A car.' opaque=3",
                                    "Message assistant/agent 'A car.'", "TurnEnd completed",
                                    "Message assistant/agent 'Yes.'", "TurnEnd aborted", "TurnEnd failed"});
    }
    TEST_CASE("what only the model sees and what automation wrote is no person's, nor is what a sub-agent is asked") {
        const auto said = [](std::string_view start, std::string_view fields) {
            return read_text(
                readers::factory_droid(),
                fmt::format(R"({{"type":"session_start","id":"d","owner":"ada"{}}})"
                            "\n"
                            R"({{"type":"message","id":"m","timestamp":"2026-03-02T10:00:00.000Z","message":)"
                            R"({{"role":"user","content":"go on"{}}}}})"
                            "\n",
                            start, fields));
        };
        for (const char* fields : {R"(,"visibility":"llm_only")", R"(,"userMessageSource":"automation")"}) {
            CHECK(said("", fields).those("Message") == Lines{"Message user/injected 'go on'"});
            CHECK(said("", fields).count("TurnStart") == 0);
        }
        CHECK(said("", "").those("Message") == Lines{"Message user/human 'go on'"});
        CHECK(said(R"(,"callingSessionId":"p")", "").those("Message") == Lines{"Message user/agent 'go on'"});
    }
    TEST_CASE("what the program notes down beside the messages is ignored") {
        for (const char* type : {"todo_state", "session_end"}) {
            CAPTURE(type);
            CHECK(read_text(readers::factory_droid(), fmt::format(R"({{"type":"{}"}})", type)).fates ==
                  std::vector{LineFate::ignored_kind});
        }
    }

    TEST_CASE("a session becomes start, reminder, turn, thought, call, result and answer") {
        const auto seen = read(readers::factory_droid(), "minimal.jsonl");
        CHECK(seen.lines() == Lines{
                                  "SessionStart id=droid-1 cwd=/home/ada/notes",
                                  "Message user/injected '<system-reminder>be brief</system-reminder>'",
                                  "TurnStart",
                                  "Message user/human 'what is in here?'",
                                  "Thinking 'A list will do.' opaque=4",
                                  "Message assistant/agent 'Look first.'",
                                  "ToolCall c1 Execute 'ls'",
                                  "ToolResult c1 ok 'todo.txt'",
                                  "Message assistant/agent 'One file.'",
                              });
    }
    TEST_CASE("what only the human sees is a notice, a compaction is one") {
        const auto seen = read(readers::factory_droid(), "full.jsonl");
        CHECK(seen.those("Notice") == Lines{"Notice harness/warning user_only 'Token limit reached.'"});
        CHECK((seen.events.heads.back().flags & kHidden) != 0);
        CHECK(seen.those("Compaction") == Lines{"Compaction summary 'tested'"});
        CHECK(seen.those("ToolResult").at(0) == "ToolResult c1 error '1 failing'");
        CHECK(seen.those("TurnEnd") == Lines{"TurnEnd completed"});
        CHECK(seen.lines().at(0) == "SessionStart id=droid-2 parent=droid-1 cwd=/w");
        CHECK(seen.count(LineFate::ignored_kind) == 2);
    }
    TEST_CASE("records without what they need are counted") {
        CHECK(read(readers::factory_droid(), "bad-fields.jsonl").fates ==
              std::vector{LineFate::missing_field, LineFate::missing_field, LineFate::unknown_kind,
                          LineFate::unknown_kind, LineFate::understood, LineFate::malformed_json});
    }
}

TEST_SUITE("amp") {
    TEST_CASE("a thread becomes start, turn, thought, call, usage, result and answer") {
        const auto seen = read(readers::amp(), "minimal.json");
        CHECK(seen.lines() == Lines{
                                  "SessionStart id=T-0001",
                                  "TurnStart",
                                  "Message user/human 'what is in here?'",
                                  "Thinking 'A list will do.' opaque=4",
                                  "ToolCall toolu_1 Bash 'ls'",
                                  "Usage in=10 write=30 read=400 out=20 model=toy-model",
                                  R"(ToolResult toolu_1 ok exit=0 '{"output": "todo.txt", "exitCode": 0}')",
                                  "Message assistant/agent 'One file.'",
                              });
    }
    TEST_CASE("the ledger of a thread is read where no message tells its usage") {
        const auto usages = [](std::string_view usage) {
            const auto seen = read_text(
                readers::amp(), R"({"id":"T-9","created":1772445600000,"messages":[{"role":"assistant","content":[])" +
                                    std::string(usage) +
                                    R"(}],"usageLedger":{"events":[{"model":"a","tokens":{"input":7,"output":3}},)"
                                    R"({"model":"b","tokens":{"input":0,"output":0}},7,{"tokens":{"output":2}}]}})");
            CHECK(seen.count(LineFate::understood) == 1);
            return seen.those("Usage");
        };
        CHECK(usages("") == Lines{"Usage in=7 write=0 read=0 out=3 model=a", "Usage in=0 write=0 read=0 out=2"});
        CHECK(usages(R"(,"usage":{"model":"a","inputTokens":7,"outputTokens":3,"cacheReadInputTokens":50})") ==
              Lines{"Usage in=7 write=0 read=50 out=3 model=a"});
    }
    TEST_CASE("the status of a run decides, for commands the exit code") {
        const auto seen = read(readers::amp(), "full.json");
        CHECK(seen.those("ToolResult") == Lines{
                                              R"(ToolResult a error exit=1 '{"output": "1 failing", "exitCode":1}')",
                                              R"(ToolResult b error '{"message": "no such file"}')",
                                              "ToolResult c denied",
                                              "ToolResult d cancelled",
                                          });
        CHECK(seen.lines().back() == "TurnEnd aborted");
    }
    TEST_CASE("messages of odd types are left out and said to be") {
        const auto seen = read(readers::amp(), "bad-fields.json");
        CHECK(seen.fates == std::vector{LineFate::understood});
        CHECK(seen.those("Notice").size() == 1);
    }
}

TEST_SUITE("kiro") {
    TEST_CASE("an exchange becomes turn, answer, call, and its results begin the next one") {
        const auto seen = read(readers::kiro(), "minimal.json");
        CHECK(seen.lines() == Lines{
                                  "SessionStart id=kiro-1",
                                  "TurnStart",
                                  "Message user/human 'what is in here?'",
                                  "Message assistant/agent 'Look first.'",
                                  "ToolCall c1 execute_bash 'ls'",
                                  R"(ToolResult c1 ok exit=0 '{"exit_status":"0","stdout":"todo.txt"}')",
                                  "Message assistant/agent 'One file.'",
                              });
    }
    TEST_CASE("failed commands, failed tools and cancelled ones are told apart") {
        const auto seen = read(readers::kiro(), "full.json");
        CHECK(seen.those("ToolResult") ==
              Lines{
                  R"(ToolResult a error exit=1 '{"exit_status":"1", "stderr": "1 failing"}')",
                  "ToolResult b error 'no such file'",
                  "ToolResult c denied 'Tool use was cancelled by the user'",
              });
        CHECK(seen.those("Message user/human") ==
              Lines{"Message user/human 'fix it'", "Message user/human 'not that'"});
        CHECK(seen.count("TurnStart") == 2);
    }
    TEST_CASE("exchanges of odd types are left out and said to be") {
        const auto seen = read(readers::kiro(), "bad-fields.json");
        CHECK(seen.fates == std::vector{LineFate::understood});
        CHECK(seen.those("Notice").size() == 1);
    }
}

TEST_SUITE("goose") {
    TEST_CASE("the accumulated input includes what was cached, and what only the total has was generated") {
        const auto usage = [](std::string_view figures) {
            const auto seen = read_text(readers::goose(), R"({"row":"goose.session","id":"s","working_dir":"/w",)" +
                                                              std::string(figures) + "}\n");
            REQUIRE(seen.events.usages.size() == 1);
            return seen.events.usages.front().tokens;
        };
        CHECK(usage(R"("accumulated_input_tokens":900,"accumulated_output_tokens":40)") ==
              TokenCounts{900, 0, 0, 40, 0});
        CHECK(usage(R"("accumulated_input_tokens":900,"accumulated_output_tokens":40,"accumulated_total_tokens":940,)"
                    R"("accumulated_cache_read_tokens":500,"accumulated_cache_write_tokens":100)") ==
              TokenCounts{300, 100, 500, 40, 0});
        CHECK(
            usage(R"("accumulated_input_tokens":900,"accumulated_output_tokens":40,"accumulated_total_tokens":1000)") ==
            TokenCounts{900, 0, 0, 100, 60});
        CHECK(
            usage(
                R"("accumulated_input_tokens":9,"accumulated_output_tokens":4,"accumulated_cache_read_tokens":500)") ==
            TokenCounts{0, 0, 9, 4, 0});
    }

    TEST_CASE("a session becomes start with totals, turn, call, result and answer") {
        const auto seen = read(readers::goose(), "minimal.jsonl");
        CHECK(seen.lines() == Lines{
                                  "SessionStart cwd=/home/ada/notes",
                                  "Usage in=900 write=0 read=0 out=40",
                                  "TurnStart",
                                  "Message user/human 'what is in here?'",
                                  "Message assistant/agent 'Look first.'",
                                  "ToolCall c1 developer__shell 'ls'",
                                  "ToolResult c1 ok 'todo.txt'",
                                  "Message assistant/agent 'One file.'",
                              });
    }
    TEST_CASE("a call that could not be read is a notice; refusals and failures are told apart") {
        const auto seen = read(readers::goose(), "full.jsonl");
        CHECK(seen.those("ToolCall") == Lines{"ToolCall a developer__shell 'npm test'"});
        CHECK(seen.those("ToolResult") ==
              Lines{"ToolResult a error '1 failing'", "ToolResult c denied 'The user has declined to run this tool.'"});
        CHECK(seen.those("Notice") == Lines{"Notice harness/warning toolRequest 'Invalid tool name'",
                                            "Notice harness/info systemNotification 'compacted'"});
        CHECK(seen.count("Compaction") == 2);
        CHECK(seen.events.heads[2].flags == 0);  // compacted away later: it was sent until then
    }
    TEST_CASE("what a tool writes for the user alone is not given to the model, and thoughts have two names") {
        const auto result = [](std::string_view content) {
            return read_text(
                       readers::goose(),
                       fmt::format(
                           R"({{"role":"user","created":1,"content":[{{"type":"toolResponse","id":"a","toolResult":)"
                           R"({{"status":"success","value":{{"content":{},"isError":false}}}}}}]}})"
                           "\n",
                           content))
                .those("ToolResult");
        };
        constexpr std::string_view kForModel =
                                       R"({"type":"text","text":"a.txt","annotations":{"audience":["assistant"]}})",
                                   kForUser = R"({"type":"text","text":"1 file","annotations":{"audience":["user"]}})";
        CHECK(result(fmt::format("[{},{}]", kForModel, kForUser)) == Lines{"ToolResult a ok 'a.txt'"});
        CHECK(result(fmt::format("[{}]", kForModel)) == Lines{"ToolResult a ok 'a.txt'"});
        CHECK(result(R"([{"type":"text","text":"x"},{"type":"text","text":"y"}])") ==
              Lines{R"(ToolResult a ok '[{"type":"text","text":"x"},{"type":"text","text":"y"}]')"});
        CHECK(result(R"([{"type":"text","text":"It says: )" + std::string(90, '.') +
                     R"( The user has declined to run this tool."}])")[0]
                  .starts_with("ToolResult a ok"));
        const auto thought = read_text(
            readers::goose(),
            R"({"role":"assistant","created":1,"content":[{"type":"reasoning","text":"Hm."},{"type":"text","text":"So."}]})"
            "\n");
        CHECK(thought.those("Thinking") == Lines{"Thinking 'Hm.'"});
        CHECK(thought.those("Message") == Lines{"Message assistant/agent 'So.'"});
    }
    TEST_CASE("of what goose prints pieces of one message are joined, and its end is the turn's") {
        const auto seen = read(readers::goose(), "stream.jsonl");
        CHECK(seen.lines() == Lines{
                                  "SessionStart",
                                  "Thinking 'Build first.'",
                                  "Message assistant/agent 'I build the stones.'",
                                  "ToolCall c1 developer__shell 'make stones'",
                                  "ToolResult c1 error 'no rule'",
                                  "Message assistant/agent 'The stones do not turn.'",
                                  "Usage in=800 write=0 read=0 out=100",
                                  "TurnEnd completed",
                              });
        CHECK(seen.count(LineFate::ignored_kind) == 2);
        CHECK(seen.events.heads[1].response == seen.events.heads[3].response);  // one message, one response
        CHECK(seen.events.heads[3].response != seen.events.heads[5].response);
        const auto failed = read_text(readers::goose(), R"({"type":"error","error":"no credit"})");
        CHECK(failed.those("Notice") == Lines{"Notice provider/error error 'no credit'"});
        CHECK(failed.those("TurnEnd") == Lines{"TurnEnd failed"});
        // What no end follows is told all the same.
        CHECK(read_text(readers::goose(), R"({"type":"message","message":{"id":"m","role":"assistant","created":1,)"
                                          R"("content":[{"type":"text","text":"half"}]}})")
                  .count("Message") == 1);
    }

    TEST_CASE("a compaction is a summary in the user's name, and the prompt behind it is a copy") {
        const auto message = [](std::string_view role, std::string_view text, bool user_sees, bool agent_sees) {
            return fmt::format(R"({{"role":"{}","created":1772445600,"content":[{{"type":"text","text":"{}"}}],)"
                               R"("metadata":{{"userVisible":{},"agentVisible":{}}}}})"
                               "\n",
                               role, text, user_sees, agent_sees);
        };
        const std::string asked = message("user", "fix it", true, false);
        const std::string summary = message("user", "It was asked to fix it.", false, true);
        const std::string go_on = message("assistant", "Compacted at the user's request. Go on.", false, true);
        const std::string copy = message("user", "fix it", true, true),
                          answer = message("assistant", "Done.", true, true);
        const Lines compacted{"SessionStart",
                              "TurnStart",
                              "Message user/human 'fix it'",
                              "Compaction summary 'It was asked to fix it.'",
                              "Message assistant/injected 'Compacted at the user's request. Go on.'",
                              "Message user/injected 'fix it'",
                              "Message assistant/agent 'Done.'"};
        const auto once = read_text(readers::goose(), asked + summary + go_on + copy + answer);
        CHECK(once.lines() == compacted);
        CHECK(once.events.heads[4].flags == kSynthetic);

        // A prompt that was not sent yet: nobody sees it, and its copy is the one that counts.
        const std::string unsent = message("user", "now test", false, false);
        const auto kept =
            read_text(readers::goose(), asked + unsent + summary + go_on + message("user", "now test", true, true));
        CHECK(kept.those("Message user") == Lines{"Message user/human 'fix it'", "Message user/injected 'now test'",
                                                  "Message user/human 'now test'"});
        CHECK(kept.count("TurnStart") == 2);
        CHECK((kept.events.heads[3].flags & kHidden) != 0);

        // Compacted again, and the end of the file comes where another message would tell.
        const std::string old_summary = message("user", "Old.", false, false),
                          old_words = message("assistant", "Go on.", false, false);
        const auto twice =
            read_text(readers::goose(), asked + old_summary + old_words + copy + summary + go_on + summary);
        CHECK(twice.those("Compaction") ==
              Lines{"Compaction summary 'Old.'", "Compaction summary 'It was asked to fix it.'"});
        CHECK(twice.count("TurnStart") == 1);
        CHECK(twice.lines().back() == "Message user/injected 'It was asked to fix it.'");
    }
    TEST_CASE("records without what they need are counted") {
        CHECK(read(readers::goose(), "bad-fields.jsonl").fates ==
              std::vector{LineFate::understood, LineFate::missing_field, LineFate::unknown_kind, LineFate::unknown_kind,
                          LineFate::understood, LineFate::malformed_json});
    }
}

TEST_SUITE("detection") {
    TEST_CASE("no reader takes a whole fixture of another format") {
        for (const ReaderSpec& spec : all_readers()) {
            for (const auto& entry :
                 std::filesystem::directory_iterator(test::source_dir() / "testdata/readers" / spec.id)) {
                const std::string name = entry.path().filename().string();
                if (name.starts_with("bad-") || name.ends_with(".events")) continue;
                const std::string text = slurp(entry.path());
                const Score own = score_text(spec, text);
                CAPTURE(entry.path().string());
                for (const ReaderSpec& other : all_readers()) {
                    CAPTURE(other.id);
                    if (other.id != spec.id && own > 0) CHECK(score_text(other, text) < own);
                }
            }
        }
    }
}
