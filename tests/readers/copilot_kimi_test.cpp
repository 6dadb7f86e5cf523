#include "readers/all.hpp"
#include "readers/event_lines.hpp"
#include "readers/input/session_names.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using test::read_text;
using test::score_text;
using test::slurp;
using Lines = std::vector<std::string>;

namespace {

std::string fixture(std::string_view name) { return slurp(test::source_dir() / "testdata/readers" / name); }

TokenCounts sum(const std::vector<Usage>& usages) {
    TokenCounts total;
    for (const Usage& usage : usages) total += usage.tokens;
    return total;
}

// As whoever adds up takes them: of one response the best record counts.
TokenCounts billed_once(const std::vector<Usage>& usages) {
    std::vector<Usage> kept;
    for (const Usage& usage : usages) {
        const auto known = std::find_if(kept.begin(), kept.end(), [&usage](const Usage& k) {
            return usage.message_key != 0 && k.message_key == usage.message_key;
        });
        if (known == kept.end())
            kept.push_back(usage);
        else if (usage.tokens.total() > known->tokens.total())
            *known = usage;
    }
    return sum(kept);
}

std::string copilot_event(std::string_view type, std::string_view data, std::string_view id = "e") {
    return fmt::format(
        R"({{"type":"{}","data":{{{}}},"id":"{}","timestamp":"2026-03-02T09:00:01.000Z","parentId":null}})"
        "\n",
        type, data, id);
}
std::string copilot_start() {
    return copilot_event("session.start", R"("sessionId":"cop-9","copilotVersion":"1.0.10","context":{"cwd":"/x"})");
}
std::string copilot_answer(std::string_view id, int output, std::string_view more = {}) {
    return copilot_event(
        "assistant.message",
        fmt::format(R"("messageId":"{}","content":"hi","outputTokens":{},"model":"toy"{})", id, output, more));
}
std::string copilot_bill(int input, int cached, int output, std::string_view more = {}) {
    return copilot_event("assistant.usage",
                         fmt::format(R"("model":"toy","inputTokens":{},"cacheReadTokens":{},"outputTokens":{}{})",
                                     input, cached, output, more),
                         "bill");
}
std::string copilot_end(int input, int cached, int output, std::string_view model = "toy") {
    return copilot_event(
        "session.shutdown",
        fmt::format(
            R"("modelMetrics":{{"{}":{{"usage":{{"inputTokens":{},"cacheReadTokens":{},"outputTokens":{}}}}}}})", model,
            input, cached, output));
}

// Why each compaction was made.
struct CompactionReasons final : EventSink {
    std::vector<CompactionTrigger> triggers;
    void on_event(const Event& event) override {
        if (const auto* compaction = std::get_if<Compaction>(&event.body)) triggers.push_back(compaction->trigger);
    }
};

std::vector<CompactionTrigger> compaction_triggers(std::string_view text) {
    CompactionReasons seen;
    InputBuffers buffers;
    const auto source = memory_input(text, 0, InputLimits{}, buffers, 4096);
    const auto reader = readers::copilot_cli().make();
    Record next;
    while (source->next(next) == RecordSource::Next::record) reader->read(next, seen);
    return seen.triggers;
}

}  // namespace

TEST_SUITE("copilot-cli") {
    TEST_CASE("a session becomes start, turn, thought, call, usage, result and answer, in this order") {
        const auto seen = read_text(readers::copilot_cli(), fixture("copilot-cli/minimal.jsonl"));
        CHECK(seen.lines() ==
              Lines{
                  "SessionStart id=cop-1 cwd=/home/ada/notes model=toy-model", "TurnStart",
                  "Message user/human 'what is in here?'", "Thinking 'A list will do.' opaque=4",
                  "Message assistant/agent 'Look first.'", "ToolCall c1 bash 'ls'",
                  "Usage in=0 write=0 read=0 out=30 model=toy-model", "ToolResult c1 ok exit=0 'todo.txt'",
                  "Message assistant/agent 'One file.'", "Usage in=0 write=0 read=0 out=5 model=toy-model",
                  "Usage in=500 write=100 read=400 out=5 model=toy-model",  // the last one again, and more
              });
        CHECK(seen.count(LineFate::ignored_kind) == 2);
    }

    TEST_CASE("a call that no message told is known from its beginning, and from there only once") {
        const std::string begins =
            copilot_event("tool.execution_start", R"("toolCallId":"c","toolName":"bash","arguments":{"command":"ls"})");
        const std::string asks = copilot_answer(
            "m", 5, R"(,"toolRequests":[{"toolCallId":"c","name":"bash","arguments":{"command":"ls"}}])");
        const auto calls = [](const std::string& text) {
            return read_text(readers::copilot_cli(), text).those("ToolCall");
        };
        CHECK(calls(begins) == Lines{"ToolCall c bash 'ls'"});
        CHECK(calls(asks + begins) == Lines{"ToolCall c bash 'ls'"});
        CHECK(calls(begins + asks + begins) == Lines{"ToolCall c bash 'ls'"});
        CHECK(read_text(readers::copilot_cli(), asks + begins).count(LineFate::ignored_kind) == 1);
        // Another session may number its calls in the same way.
        const std::string other = copilot_event("session.start", R"("sessionId":"cop-10","copilotVersion":"1.0.10")");
        CHECK(calls(copilot_start() + begins + other + asks + begins).size() == 2);
        CHECK(calls(copilot_start() + asks + other + begins).size() == 2);
    }

    TEST_CASE("what the shell says below the output gives the exit code and is no part of it") {
        const auto result_of = [](std::string_view content) {
            const auto seen = read_text(
                readers::copilot_cli(),
                copilot_start() +
                    copilot_event(
                        "tool.execution_complete",
                        fmt::format(R"("toolCallId":"c","success":true,"result":{{"content":"{}"}})", content)));
            return seen.those("ToolResult").at(0);
        };
        CHECK(result_of(R"(1 failing\n<exited with exit code 1>)") == "ToolResult c error exit=1 '1 failing'");
        CHECK(result_of(R"(1 failing\n<shellId: 51 completed with exit code 128>)") ==
              "ToolResult c error exit=128 '1 failing'");
        CHECK(result_of(R"(C:\\\n<shellId: 51 completed with exit code 1>)") == R"(ToolResult c error exit=1 'C:\\')");
        CHECK(result_of("<shellId: build-2 completed with exit code 0>") == "ToolResult c ok exit=0");
        CHECK(result_of(R"(a\n<command with shellId: 22 is still running after 30 seconds. Use read_bash to wait.>)") ==
              "ToolResult c running 'a'");
        for (const char* text :
             {R"(<shellId: 51 completed with exit code 1>\nis what it prints)",
              "see <shellId: 51 completed with exit code 1>", R"(a\n<shellId: 51, pid: 7, status: completed>)",
              R"(a\n<p>exit code 1</p>)", R"(C:\\n<shellId: 51 completed with exit code 1>)"}) {
            CAPTURE(text);
            CHECK(result_of(text) == fmt::format("ToolResult c ok '{}'", text));
        }
    }

    TEST_CASE("newer versions tell the exit code beside the output, and success of the call is not the command's") {
        const auto done = [](std::string_view id, std::string_view more) {
            return copilot_event("tool.execution_complete",
                                 fmt::format(R"("toolCallId":"{}","success":true,{})", id, more));
        };
        const auto seen = read_text(
            readers::copilot_cli(),
            copilot_start() + done("c1", R"("result":{"content":"no rule"},"shellExecution":{"exitCode":2})") +
                done("c2", R"("result":{"content":"fine"},"shellExecution":{"exitCode":0})") +
                done("c3",
                     R"("result":{"contents":[{"type":"shell_exit","shellId":"4","exitCode":1}],"content":"x"})") +
                done("c4", R"("result":{"content":"a page","contents":[{"type":"text","text":"a page"}]})"));
        CHECK(seen.those("ToolResult") == Lines{"ToolResult c1 error exit=2 'no rule'",
                                                "ToolResult c2 ok exit=0 'fine'", "ToolResult c3 error exit=1 'x'",
                                                "ToolResult c4 ok 'a page'"});
    }

    TEST_CASE("messages and shutdown together tell each token once") {
        const auto seen = read_text(readers::copilot_cli(), fixture("copilot-cli/minimal.jsonl"));
        CHECK(billed_once(seen.events.usages) == TokenCounts{500, 100, 400, 35, 10});
        CHECK(seen.events.usages.back().context_tokens == 620);
    }

    TEST_CASE("newer versions tell what a response used in the record of the model's call, in either order") {
        const auto call = [](std::string_view id, int input, int cached, int output, std::string_view api = "api") {
            return copilot_event(
                "model.model_call_success",
                fmt::format(R"("model":"toy","modelCall":{{"api_id":"{}"}},"responseUsage":{{"prompt_tokens":{},)"
                            R"("completion_tokens":{},"prompt_tokens_details":{{"cached_tokens":{}}},)"
                            R"("completion_tokens_details":{{"reasoning_tokens":1}}}},"requestMessages":[])",
                            api, input, output, cached),
                id);
        };
        const auto spent = [](const std::string& events) {
            return billed_once(read_text(readers::copilot_cli(), copilot_start() + events).events.usages);
        };
        const std::string first = "00000000-0000-4000-8000-000000000001",
                          second = "00000000-0000-4000-8000-000000000002";
        const std::string bare = copilot_event("assistant.message", R"("messageId":"m","content":"hi","model":"toy")");
        CHECK(spent(call(first, 1000, 800, 40) + bare) == TokenCounts{200, 0, 800, 40, 1});
        CHECK(spent(call(first, 1000, 800, 40) + copilot_answer("m", 40, R"(,"apiCallId":"api")")) ==
              TokenCounts{200, 0, 800, 40, 1});
        CHECK(spent(copilot_answer("m", 40, R"(,"apiCallId":"other")") + call(first, 1000, 800, 40)) ==
              TokenCounts{200, 0, 800, 40, 1});
        CHECK(spent(call(first, 1000, 800, 40) + copilot_answer("m", 40, R"(,"apiCallId":"other")")) ==
              TokenCounts{200, 0, 800, 40, 1});
        CHECK(spent(call(first, 1000, 800, 40, "a") + copilot_answer("m1", 40, R"(,"apiCallId":"a")") +
                    call(second, 1500, 1000, 40, "b") + copilot_answer("m2", 40, R"(,"apiCallId":"b")")) ==
              TokenCounts{700, 0, 1800, 80, 2});
        CHECK(spent(call(first, 1000, 800, 40) + bare + copilot_end(1000, 800, 40)) == TokenCounts{200, 0, 800, 40, 1});
        const auto others = copilot_start() + copilot_event("model.turn_started", R"("turn":0)") +
                            copilot_event("model.messages_snapshot", R"("messages":[{"role":"user","content":"x"}])") +
                            copilot_event("model.model_call_success", R"("model":"toy")");
        CHECK(read_text(readers::copilot_cli(), others).count(LineFate::ignored_kind) == 3);
    }

    TEST_CASE("each response has a record of its use since 1.0.102, and each counts once") {
        const auto record = [](std::string_view session, int number, int input, int output, std::string_view call) {
            return copilot_event(
                "session.usage_record",
                fmt::format(R"("usage":{{"model":"toy","inputTokens":{},"outputTokens":{},)"
                            R"("cacheReadTokens":100,"cacheWriteTokens":0,"reasoningTokens":3,)"
                            R"("apiCallId":"{}","accounting":{{"sourceSessionId":"{}","sequence":{}}}}})",
                            input, output, call, session, number));
        };
        const auto bare = [](std::string_view id, std::string_view call) {
            return copilot_event(
                "assistant.message",
                fmt::format(R"("messageId":"{}","content":"hi","model":"toy","apiCallId":"{}")", id, call));
        };
        const auto used = [](const std::string& events) {
            return read_text(readers::copilot_cli(), copilot_start() + events).events.usages;
        };
        const std::string two = record("cop-9", 1, 300, 20, "chat-1") + bare("m1", "chat-1") +
                                record("cop-9", 2, 400, 20, "chat-1") + bare("m2", "chat-1");
        CHECK(used(two).size() == 2);  // a server may give one id twice
        CHECK(billed_once(used(two)) == TokenCounts{500, 0, 200, 40, 6});
        CHECK(billed_once(used(two + copilot_end(700, 200, 40))) == TokenCounts{500, 0, 200, 40, 6});
        CHECK(used(two + copilot_end(700, 200, 40)).size() == 2);
        // A session that goes on tells the totals of all its runs.
        const std::string on = copilot_event("session.resume", R"("sessionId":"cop-9")") +
                               record("cop-9", 3, 500, 10, "chat-2") + bare("m3", "chat-2");
        CHECK(billed_once(used(two + copilot_end(700, 200, 40) + on + copilot_end(1200, 300, 50))) ==
              TokenCounts{900, 0, 300, 50, 9});
        CHECK(billed_once(used(two + copilot_end(700, 200, 40) + on + copilot_end(500, 100, 10))) ==
              TokenCounts{900, 0, 300, 50, 9});
        // The records of a sub-agent have numbers of their own.
        CHECK(billed_once(used(record("cop-9", 1, 300, 20, "a") + record("sub-1", 1, 400, 30, "b"))) ==
              TokenCounts{500, 0, 200, 50, 6});
    }

    TEST_CASE("the record of a response tells how long its prompt might have been") {
        const auto record = [](int number, std::string_view more) {
            return copilot_event("session.usage_record",
                                 fmt::format(R"("usage":{{"model":"toy","inputTokens":300,"outputTokens":20,{})"
                                             R"("accounting":{{"sourceSessionId":"cop-9","sequence":{}}}}})",
                                             more, number));
        };
        const auto usages = read_text(readers::copilot_cli(),
                                      copilot_start() + record(1, R"("maxPromptTokens":922000,)") + record(2, ""))
                                .events.usages;
        REQUIRE(usages.size() == 2);
        CHECK(usages[0].window_tokens == 922'000);
        CHECK(usages[1].window_tokens == 0);
    }

    TEST_CASE("what the requests of a summary used counts, whether the totals know of it or not") {
        const std::string answer = copilot_event(
                              "session.usage_record",
                              R"("usage":{"model":"toy","inputTokens":300,"outputTokens":20,)"
                              R"("apiCallId":"c-1","accounting":{"sourceSessionId":"cop-9","sequence":1}})"),
                          summary =
                              copilot_event("session.compaction_complete",
                                            R"("success":true,"preCompactionTokens":900,"postCompactionTokens":90,)"
                                            R"("compactionTokensUsed":{"requestCount":2,"inputTokens":500,)"
                                            R"("outputTokens":40,"cacheReadTokens":100,"model":"toy"})",
                                            "00000000-0000-4000-8000-000000000007");
        for (const std::string& end : {std::string(), copilot_end(300, 0, 20), copilot_end(800, 100, 60)}) {
            CAPTURE(end);
            const auto usages =
                read_text(readers::copilot_cli(), copilot_start() + answer + summary + end).events.usages;
            CHECK(billed_once(usages) == TokenCounts{700, 0, 100, 60});
            REQUIRE(usages.size() == 2);
            CHECK(usages[1].scope == UsageScope::session);  // no prompt of this size was sent
        }
    }

    TEST_CASE("without the id of the call, a message and the usage beside it with its output are one response") {
        const std::string one = copilot_answer("m1", 50), usage = copilot_bill(300, 200, 50);
        for (const std::string& text : {one + usage, usage + one}) {
            const auto seen = read_text(readers::copilot_cli(), copilot_start() + text + copilot_end(300, 200, 50));
            REQUIRE(seen.events.usages.size() == 2);  // nothing is left for the shutdown
            CHECK(billed_once(seen.events.usages) == TokenCounts{100, 0, 200, 50, 0});
        }
        const auto other = read_text(readers::copilot_cli(), copilot_start() + one + copilot_bill(300, 200, 51));
        CHECK(billed_once(other.events.usages) == TokenCounts{100, 0, 200, 101, 0});
        const auto twice = read_text(readers::copilot_cli(), copilot_start() + one + usage + copilot_answer("m2", 50));
        CHECK(billed_once(twice.events.usages) == TokenCounts{100, 0, 200, 100, 0});
    }

    TEST_CASE("the better one of two records of a call is what was told, whichever comes first") {
        const std::string call = R"(,"apiCallId":"call-1")";
        const auto seen =
            read_text(readers::copilot_cli(), copilot_start() + copilot_bill(300, 200, 50, call) +
                                                  copilot_answer("m1", 50, call) + copilot_end(300, 200, 50));
        CHECK(seen.events.usages.size() == 2);
        CHECK(billed_once(seen.events.usages) == TokenCounts{100, 0, 200, 50, 0});
    }

    TEST_CASE("what the shutdown adds belongs to the last response of the model, else it is a request of its own") {
        const auto seen = read_text(readers::copilot_cli(), copilot_start() + copilot_answer("m1", 20) +
                                                                copilot_answer("m2", 30) + copilot_end(500, 100, 50));
        REQUIRE(seen.events.usages.size() == 3);
        CHECK(seen.events.usages[2].message_key == seen.events.usages[1].message_key);
        CHECK(billed_once(seen.events.usages) == TokenCounts{400, 0, 100, 50, 0});
        const auto other = read_text(readers::copilot_cli(),
                                     copilot_start() + copilot_answer("m1", 20) + copilot_end(500, 100, 50, "other"));
        CHECK(other.events.usages.back().message_key == 0);
        CHECK(billed_once(other.events.usages) == TokenCounts{400, 0, 100, 50, 0});
    }

    TEST_CASE("totals of a run are its own in older versions, and of the whole session in newer ones") {
        const std::string first = copilot_start() + copilot_answer("m1", 50) + copilot_end(300, 200, 50);
        const std::string second =
            copilot_event("session.resume", R"("resumeTime":"t","context":{"cwd":"/x"})") + copilot_answer("m2", 70);
        const auto own = read_text(readers::copilot_cli(), first + second + copilot_end(900, 200, 70));
        CHECK(billed_once(own.events.usages) == TokenCounts{800, 0, 400, 120, 0});
        const auto whole = read_text(readers::copilot_cli(), first + second + copilot_end(1200, 400, 120));
        CHECK(billed_once(whole.events.usages) == TokenCounts{800, 0, 400, 120, 0});
        const auto idle =
            read_text(readers::copilot_cli(),
                      first + copilot_event("session.resume", R"("resumeTime":"t")") + copilot_end(300, 200, 50));
        CHECK(billed_once(idle.events.usages) == TokenCounts{100, 0, 200, 50, 0});
    }

    TEST_CASE("what a run told that was cut off is not in the totals of the next one") {
        const std::string cut = copilot_start() + copilot_answer("m1", 50) +
                                copilot_event("session.resume", R"("resumeTime":"t")") + copilot_answer("m2", 70);
        const auto own = read_text(readers::copilot_cli(), cut + copilot_end(300, 200, 90));
        CHECK(billed_once(own.events.usages) == TokenCounts{100, 0, 200, 140, 0});
        const auto whole = read_text(readers::copilot_cli(), cut + copilot_end(600, 200, 120));
        CHECK(billed_once(whole.events.usages) == TokenCounts{400, 0, 200, 120, 0});
        const auto empty =
            read_text(readers::copilot_cli(), copilot_start() + copilot_answer("m1", 50) +
                                                  copilot_event("session.shutdown", R"("modelMetrics":{})") +
                                                  copilot_answer("m2", 70) + copilot_end(600, 200, 120));
        CHECK(billed_once(empty.events.usages) == TokenCounts{400, 0, 200, 120, 0});
    }

    TEST_CASE("a session that is resumed need not be named again") {
        const auto seen = read_text(readers::copilot_cli(),
                                    copilot_start() + copilot_event("session.resume", R"("context":{"cwd":"/y"})"));
        CHECK(seen.count(LineFate::understood) == 2);
        CHECK(seen.those("SessionStart").back() == "SessionStart id=cop-9 cwd=/y resumed");
    }

    TEST_CASE("checkpoints of usage and what newer versions say of themselves are not needed") {
        std::string text = copilot_start();
        for (const char* kind :
             {"session.usage_checkpoint", "session.auto_mode_resolved", "skill.context_delivered_ref"})
            text += copilot_event(kind, R"("totalNanoAiu":5)");
        CHECK(read_text(readers::copilot_cli(), text).count(LineFate::ignored_kind) == 3);
    }

    TEST_CASE("what newer versions write of schedules, settings, tools and routes beside the conversation is known") {
        constexpr const char* kBeside[] = {"session.schedule_created",
                                           "session.autopilot_objective_changed",
                                           "session.session_limits_changed",
                                           "session.todos_changed",
                                           "session.remote_steerable_changed",
                                           "session.binary_asset",
                                           "session.fusion_resolved",
                                           "session.custom_notification",
                                           "session.canvas.opened",
                                           "session.managed_settings_resolved",
                                           "assistant.fusion_phase_completed",
                                           "assistant.server_tool_progress",
                                           "assistant.tool_call_delta",
                                           "assistant.idle",
                                           "model.call_failure",
                                           "tool_search.activated",
                                           "sampling.requested",
                                           "mcp.oauth_required",
                                           "mcp_app.tool_call_complete",
                                           "command.execute",
                                           "capabilities.changed",
                                           "exit_plan_mode.requested",
                                           "session_limits_exhausted.requested",
                                           "factory.run_updated",
                                           "sandbox.decision",
                                           "session.mode_notice_delivered"};
        std::string text = copilot_start();
        for (const char* kind : kBeside) text += copilot_event(kind, R"("model":"toy")");
        const auto seen = read_text(readers::copilot_cli(), text);
        CHECK(seen.count(LineFate::ignored_kind) == std::size(kBeside));
        CHECK(seen.lines().size() == 1);
    }

    TEST_CASE("a prompt is a person's unless the program, another agent or another session says it") {
        const auto prompt = [](std::string_view text, std::string_view more) {
            return copilot_event("user.message", fmt::format(R"("content":"{}",{})", text, more));
        };
        const auto seen = read_text(
            readers::copilot_cli(),
            copilot_start() + prompt("tidy up", R"("delivery":"idle","agentMode":"interactive")") +
                prompt("not that file", R"("delivery":"steering")") +
                prompt("then the tests", R"("delivery":"queued")") + prompt("and this", R"("source":"user")") +
                prompt("go on", R"("isAutopilotContinuation":true)") + prompt("a skill", R"("source":"skill-pdf")") +
                prompt("found it", R"("source":"agent-7")") +
                prompt("hello", R"("crossSession":{"version":1,"origin":"authenticated-cross-session"})"));
        CHECK(seen.those("Message") == Lines{"Message user/human 'tidy up'", "Message user/queued 'not that file'",
                                             "Message user/human 'then the tests'", "Message user/human 'and this'",
                                             "Message user/injected 'go on'", "Message user/injected 'a skill'",
                                             "Message user/injected 'found it'", "Message user/injected 'hello'"});
        CHECK(seen.count("TurnStart") == 3);
    }

    TEST_CASE("a compaction says why it was made, and a context that is cleared is empty") {
        const std::string text =
            copilot_start() + copilot_event("session.compaction_start", R"("trigger":"threshold")") +
            copilot_event("session.compaction_complete", R"("success":true,"trigger":"context_limit_retry")") +
            copilot_event("session.compaction_complete", R"("success":true,"trigger":"manual")") +
            copilot_event("session.compaction_complete", R"("success":true)") +
            copilot_event("session.context_cleared", R"("messagesCleared":4,"initialMessage":"Begin anew.")");
        using enum CompactionTrigger;
        CHECK(compaction_triggers(text) == std::vector{automatic, overflow, manual, unknown, manual});
        const auto seen = read_text(readers::copilot_cli(), text);
        CHECK(seen.count(LineFate::understood) == 6);
        CHECK(seen.those("Compaction").back() == "Compaction reset");
        CHECK(seen.lines().back() == "Message user/injected 'Begin anew.'");
    }

    TEST_CASE("a task that is found not to be done ends no turn") {
        const auto seen = read_text(
            readers::copilot_cli(),
            copilot_start() + copilot_event("session.task_complete", R"("outcome":"continue","success":false)") +
                copilot_event("session.task_complete", R"("success":false)") +
                copilot_event("session.task_complete", R"("outcome":"blocked","success":false)") +
                copilot_event("session.task_complete", R"("outcome":"completed","success":true)") +
                copilot_event("session.task_complete", R"("summary":"all of it")"));
        CHECK(seen.those("TurnEnd") == Lines{"TurnEnd failed", "TurnEnd completed", "TurnEnd completed"});
    }

    TEST_CASE("what a run prints ends in how the program ended") {
        const std::string said = copilot_event("user.message", R"("content":"hi")") + copilot_answer("m", 3);
        const auto ended = [&](int code) {
            return read_text(
                readers::copilot_cli(),
                said + fmt::format(R"({{"type":"result","timestamp":"2026-03-02T09:00:02.000Z","sessionId":"cop-9",)"
                                   R"("exitCode":{},"usage":{{"premiumRequests":1}}}})"
                                   "\n",
                                   code));
        };
        CHECK(score_text(readers::copilot_cli(), said) > 0);
        CHECK(ended(0).lines().back() == "TurnEnd completed");
        CHECK(ended(1).lines().back() == "TurnEnd failed");
    }

    TEST_CASE("which model answers in what a run prints, without a start and without usage, its messages tell") {
        const auto said = [](std::string_view id, std::string_view model, std::string_view more = {}) {
            return copilot_event("assistant.message",
                                 fmt::format(R"("messageId":"{}","content":"hi","model":"{}"{})", id, model, more));
        };
        const std::string run = copilot_event("user.message", R"("content":"tidy up")") + said("m1", "toy") +
                                said("m2", "toy") + said("s1", "small", R"(,"parentToolCallId":"c")") +
                                copilot_event("session.model_change", R"("newModel":"big")") + said("m3", "big") +
                                said("m4", "toy");
        const auto seen = read_text(readers::copilot_cli(), run);
        CHECK(seen.lines().at(3) == "ContextChange model=toy");
        CHECK(seen.those("ContextChange") ==
              Lines{"ContextChange model=toy", "ContextChange model=big", "ContextChange model=toy"});
        CHECK(read_text(readers::copilot_cli(), copilot_start() + run).those("ContextChange") ==
              Lines{"ContextChange model=big"});
    }

    TEST_CASE("a response has the same key where a run prints it and where the session is stored") {
        constexpr std::string_view kStart =
            R"({"type":"session.start","id":"e0","data":{"sessionId":"5c1d0a3e-0000-4000-8000-000000000001"}})"
            "\n";
        const auto key = [](std::string_view start, std::string_view message) {
            const auto seen = read_text(
                readers::copilot_cli(),
                fmt::format(R"({}{{"type":"assistant.message","id":"e2","data":{{"messageId":"{}","content":"Ground.",)"
                            R"("outputTokens":20,"model":"stone-1"}}}})",
                            start, message));
            REQUIRE(seen.events.usages.size() == 1);
            return seen.events.usages[0].message_key;
        };
        constexpr std::string_view kId = "4eaa7b50-0000-4000-8000-000000000002";
        CHECK(key(kStart, kId) != 0);
        CHECK(key(kStart, kId) == key("", kId));
        CHECK(key(kStart, "m1") != 0);
        CHECK(key("", "m1") == 0);
    }

    TEST_CASE("the notice of a new mode that the model is given counts with its words") {
        const auto seen = read_text(readers::copilot_cli(),
                                    copilot_start() + copilot_event("session.mode_notice_delivered",
                                                                    R"("mode":"plan","content":"Plan first.")"));
        CHECK(seen.those("Message") == Lines{"Message user/injected 'Plan first.'"});
    }

    TEST_CASE("the totals of a model go to what its own messages told") {
        const std::string text =
            copilot_start() + copilot_answer("m1", 50) +
            copilot_event("session.shutdown",
                          R"("modelMetrics":{"small":{"usage":{"inputTokens":90,"outputTokens":40}},)"
                          R"("toy":{"usage":{"inputTokens":300,"outputTokens":50}}})");
        const auto seen = read_text(readers::copilot_cli(), text);
        REQUIRE(seen.events.usages.size() == 3);
        CHECK(seen.events.usages[1].tokens == TokenCounts{90, 0, 0, 40, 0});
        CHECK(seen.events.usages[2].tokens == TokenCounts{300, 0, 0, 50, 0});
    }

    TEST_CASE("a message and its usage record tell of one response") {
        const auto seen = read_text(readers::copilot_cli(), fixture("copilot-cli/full.jsonl"));
        REQUIRE(seen.events.usages.size() == 3);  // nothing is left for the shutdown
        CHECK(seen.events.usages[0].mode == UsageMode::replace);
        CHECK(seen.events.usages[0].message_key == seen.events.usages[1].message_key);
        CHECK(seen.events.usages[1].tokens == TokenCounts{200, 0, 300, 50, 0});
    }

    TEST_CASE("results are told apart: failed command, failed tool, refusal") {
        const auto seen = read_text(readers::copilot_cli(), fixture("copilot-cli/full.jsonl"));
        CHECK(seen.those("ToolResult") == Lines{
                                              "ToolResult c1 error exit=1 '1 failing'",
                                              "ToolResult c2 error 'Path does not exist'",
                                              "ToolResult c3 denied 'The user rejected this tool call.'",
                                              "ToolResult s1 ok 'a.ts'",
                                              "ToolResult c4 ok 'a.ts is all'",
                                          });
    }

    TEST_CASE("pictures that a result gives the model count, once where a run prints them among the contents as well") {
        const auto result = [](std::string_view more) {
            const std::string text = copilot_event(
                "tool.execution_complete",
                fmt::format(R"("toolCallId":"c","success":true,"result":{{"content":"the shelf",{}}})", more));
            return read_text(readers::copilot_cli(), copilot_start() + text).those("ToolResult").at(0);
        };
        CHECK(result(R"("binaryResultsForLlm":[{"type":"image","assetId":"sha256:1","mimeType":"image/png"}])") ==
              "ToolResult c ok 'the shelf' media=1");
        const std::string picture = R"({"type":"image","data":"AAAA","mimeType":"image/png"})";
        CHECK(result(R"("contents":[{"type":"text","text":"the shelf"},)" + picture + R"(],"binaryResultsForLlm":[)" +
                     picture + "]") == "ToolResult c ok 'the shelf' media=1");
        CHECK(result(R"("binaryResultsForLlm":[])") == "ToolResult c ok 'the shelf'");
    }

    TEST_CASE("who denied a call is told by the record of the permission, whatever the result says of it") {
        const auto ended = [](std::string_view kind) {
            const std::string asked =
                copilot_event("permission.completed",
                              fmt::format(R"("requestId":"r","toolCallId":"c","result":{{"kind":"{}"}})", kind));
            const std::string told =
                copilot_event("tool.execution_complete",
                              R"("toolCallId":"c","success":false,"error":{"message":"no","code":"failure"})");
            return read_text(readers::copilot_cli(), copilot_start() + asked + told).those("ToolResult").at(0);
        };
        CHECK(ended("denied-interactively-by-user") == "ToolResult c denied by=person 'no'");
        for (const std::string_view kind :
             {"denied-by-rules", "denied-no-approval-rule-and-could-not-request-from-user",
              "denied-by-content-exclusion-policy", "denied-by-permission-request-hook"}) {
            CAPTURE(kind);
            CHECK(ended(kind) == "ToolResult c denied by=rule 'no'");
        }
        CHECK(ended("approved") == "ToolResult c error 'no'");
    }

    TEST_CASE("a sub-agent has its lane, a compaction its tokens, a rewind its record") {
        const auto seen = read_text(readers::copilot_cli(), fixture("copilot-cli/full.jsonl"));
        for (std::size_t i = 0; i < seen.lines().size(); ++i) {
            const std::string& line = seen.lines()[i];
            if (line.find(" s1 ") != line.npos || line.starts_with("Lane")) CHECK(seen.events.heads[i].lane == 1);
        }
        CHECK(seen.count("LaneOpen") == 1);
        CHECK(seen.count("LaneClose") == 1);
        CHECK(seen.those("Compaction") == Lines{"Compaction summary", "Compaction summary 'the story' before=9000",
                                                "Compaction truncate before=800"});
        CHECK(seen.those("Rewind") == Lines{"Rewind to e5"});
        CHECK(seen.those("TurnEnd") == Lines{"TurnEnd aborted"});
        CHECK(seen.those("Notice") == Lines{"Notice provider/error rate_limit 'slow down'"});
        CHECK(seen.those("SessionStart").back() == "SessionStart id=cop-2 resumed");
    }

    TEST_CASE("records without what they need are counted") {
        const auto seen = read_text(readers::copilot_cli(), fixture("copilot-cli/bad-fields.jsonl"));
        CHECK(seen.fates == std::vector{LineFate::missing_field, LineFate::missing_field, LineFate::missing_field,
                                        LineFate::missing_field, LineFate::unknown_kind, LineFate::unknown_kind,
                                        LineFate::understood, LineFate::malformed_json});
    }

    TEST_CASE("events without the first one are recognised") {
        const std::string text = fixture("copilot-cli/minimal.jsonl");
        CHECK(score_text(readers::copilot_cli(), text.substr(text.find('\n') + 1)) == 90);
        CHECK(score_text(readers::copilot_cli(), fixture("openclaw/minimal.jsonl")) == 0);
    }

    TEST_CASE("a tool that is called think makes no file of Kimi's, a block of that type does") {
        constexpr std::string_view kTool =
            R"({"role":"assistant","content":[{"type":"tool_use","id":"t1","name": "think","input":{"thought":"Ask."}}]})"
            "\n";
        constexpr std::string_view kBlock =
            R"({"role":"assistant","content":[{"think":"Ask.","type" : "think"},{"type":"text","text":"Who?"}]})"
            "\n";
        CHECK(score_text(readers::kimi_cli(), kTool) == 0);
        CHECK(score_text(readers::anthropic_messages(), kTool) == 85);
        CHECK(score_text(readers::kimi_cli(), kBlock) == 90);
    }
}

TEST_SUITE("kimi-cli") {
    TEST_CASE("an event of a sub-agent is read with its keys in any order") {
        const auto seen =
            read_text(readers::kimi_cli(),
                      R"({"message":{"payload":{"protocol_version":"1.10"},"type":"TurnBegin"},"timestamp":1})"
                      "\n"
                      R"({"message":{"payload":{"event":{"payload":{"text":"sub","type":"text"},"type":"ContentPart"},)"
                      R"("parent_tool_call_id":"c"},"type":"SubagentEvent"},"timestamp":2})"
                      "\n");
        CHECK(seen.those("Message assistant") == Lines{"Message assistant/agent 'sub'"});
    }
    TEST_CASE("arguments that come in pieces are one call, told before what follows it") {
        const auto seen = read_text(readers::kimi_cli(), fixture("kimi-cli/minimal.jsonl"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart",
                                  "TurnStart",
                                  "Message user/human 'what is in here?'",
                                  "Thinking 'A list will do.'",
                                  "ToolCall Shell:0 Shell 'ls'",
                                  "Usage in=100 write=0 read=500 out=20",
                                  "ToolResult Shell:0 ok 'todo.txt'",
                                  "Message assistant/agent 'One file.'",
                                  "TurnEnd completed",
                              });
        CHECK(seen.events.heads[4].where.line == 5);
        CHECK(seen.events.heads[4].response == seen.events.heads[5].response);
        CHECK(seen.events.heads[4].response != seen.events.heads[7].response);
        CHECK(seen.events.usages[0].context_tokens == 600);
        CHECK(seen.events.usages[0].window_tokens == 1000);
        CHECK(seen.events.heads[6].time_ms - seen.events.heads[4].time_ms == 1000);
    }

    TEST_CASE("a sub-agent between the pieces does not disturb them, nor they it") {
        const auto seen = read_text(readers::kimi_cli(), fixture("kimi-cli/full.jsonl"));
        CHECK(seen.those("ToolCall") == Lines{"ToolCall a Agent 'look'", "ToolCall g Glob '*'",
                                              "ToolCall b Shell 'npm test'", "ToolCall c Shell 'rm -rf /'",
                                              R"(ToolCall d Shell '{"command":')"});
        for (std::size_t i = 0; i < seen.lines().size(); ++i) {
            if (seen.lines()[i].find(" g ") != std::string::npos) CHECK(seen.events.heads[i].lane == 1);
        }
    }

    TEST_CASE("results are told apart: failed command, refusal, parts") {
        const auto seen = read_text(readers::kimi_cli(), fixture("kimi-cli/full.jsonl"));
        const Lines results = seen.those("ToolResult");
        REQUIRE(results.size() == 4);
        CHECK(results[0] == "ToolResult g ok 'a.ts'");
        CHECK(results[2] == "ToolResult b error exit=1 '1 failing'");
        CHECK(results[3].starts_with("ToolResult c denied"));
        CHECK(seen.those("TurnEnd") == Lines{"TurnEnd aborted"});
        CHECK(seen.those("Message user/queued") == Lines{"Message user/queued 'rather not'"});
        CHECK(seen.count("Compaction") == 2);
    }

    TEST_CASE("the context file tells the same conversation") {
        const auto seen = read_text(readers::kimi_cli(), fixture("kimi-cli/context.jsonl"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart",
                                  "Message system/injected 'You are an agent.'",
                                  "TurnStart",
                                  "Message user/human 'what is in here?'",
                                  "Message user/injected '<system>CHECKPOINT 1</system>'",
                                  "Usage in=0 write=0 read=0 out=0",
                                  "Thinking 'A list will do.'",
                                  "Message assistant/agent 'Look first.'",
                                  "ToolCall Shell:0 Shell 'ls'",
                                  "Usage in=600 write=0 read=0 out=0",
                                  "ToolResult Shell:0 error '<system>ERROR: Command failed</system>'",
                              });
        const readers::SessionName name = readers::session_name("context.jsonl");
        CHECK(name.wanted);
        CHECK(name.unless == std::vector<std::string>{"wire.jsonl"});
    }

    TEST_CASE(
        "a result of the context file fails or is refused by what Kimi says before it, in one part or in several") {
        const auto result = [](std::string_view parts) {
            const auto seen = read_text(readers::kimi_cli(), R"({"role":"_checkpoint","id":0})"
                                                             "\n"
                                                             R"({"role":"tool","tool_call_id":"c","content":)" +
                                                                 std::string(parts) + "}\n");
            return seen.lines().back();
        };
        const auto text = [](std::string_view inside) {
            return fmt::format(R"({{"type":"text","text":"{}"}})", inside);
        };
        const std::string failed = text("<system>ERROR: Command failed with exit code: 2.</system>"),
                          output = text("no such file");
        CHECK(result("[" + failed + "," + output + "]") ==
              R"(ToolResult c error exit=2 '<system>ERROR: Command failed with exit code: 2.</system>\nno such file')");
        CHECK(result("[" + text("<system>ERROR</system>") + "," + text("<system>Failed to read.</system>") + "]") ==
              R"(ToolResult c error '<system>ERROR</system>\n<system>Failed to read.</system>')");
        CHECK(result(R"("<system>ERROR: The call is rejected by the user.</system>")")
                  .starts_with("ToolResult c denied"));
        // What a tool printed says nothing.
        CHECK(
            result("[" + text("<system>2 lines.</system>") + "," + text("<system>ERROR</system> exit code: 9") + "]") ==
            R"(ToolResult c unknown '<system>2 lines.</system>\n<system>ERROR</system> exit code: 9')");
    }

    TEST_CASE("the context file says how full it was before and after a response: its prompt and its output") {
        const std::string before = R"({"role":"_usage","token_count":600})"
                                   "\n",
                          answer = R"({"role":"assistant","content":"Done."})"
                                   "\n";
        const std::string after = R"({"role":"_usage","token_count":620})"
                                  "\n",
                          less = R"({"role":"_usage","token_count":90})"
                                 "\n";
        const auto requests = [](const std::string& text) {
            std::vector<TokenCounts> all;
            for (const Usage& u : read_text(readers::kimi_cli(), text).events.usages)
                if (u.tokens.total() > 0) all.push_back(u.tokens);
            return all;
        };
        CHECK(requests(before + answer + after) == std::vector<TokenCounts>{{600, 0, 0, 20, 0}});
        CHECK(requests(before + answer + after + after + answer + after) ==
              std::vector<TokenCounts>{{600, 0, 0, 20, 0}, {620, 0, 0, 0, 0}});
        CHECK(requests(before + answer) == std::vector<TokenCounts>{{600, 0, 0, 0, 0}});
        CHECK(requests(before + answer + less) == std::vector<TokenCounts>{{600, 0, 0, 0, 0}});
        CHECK(requests(before + answer + answer) == std::vector<TokenCounts>{{600, 0, 0, 0, 0}});
        CHECK(requests(answer + after).empty());
        CHECK(requests(before + after).empty());

        const auto seen = read_text(readers::kimi_cli(), before + answer + after);
        REQUIRE(seen.events.heads.size() == 4);
        CHECK(seen.events.heads[2].response == seen.events.heads[3].response);
        CHECK(seen.events.usages.back().context_tokens == 620);
    }

    TEST_CASE("usage without the id of its message is known by time and figures: a fork copies it") {
        const auto key = [](std::string_view time, int output) {
            const std::string text = fmt::format(
                R"({{"timestamp":{},"message":{{"type":"StatusUpdate","payload":{{"token_usage":{{"input_other":5,"output":{}}}}}}}}})"
                "\n",
                time, output);
            return read_text(readers::kimi_cli(), text).events.usages.at(0).message_key;
        };
        CHECK(key("1772445600.25", 3) != 0);
        CHECK(key("1772445600.25", 3) == key("1772445600.25", 3));
        CHECK(key("1772445600.25", 3) != key("1772445600.5", 3));
        CHECK(key("1772445600.25", 3) != key("1772445600.25", 4));
        CHECK(key("null", 3) == 0);
    }

    TEST_CASE("records without what they need are counted") {
        const auto seen = read_text(readers::kimi_cli(), fixture("kimi-cli/bad-fields.jsonl"));
        CHECK(seen.fates == std::vector{LineFate::understood, LineFate::missing_field, LineFate::missing_field,
                                        LineFate::missing_field, LineFate::missing_field, LineFate::ignored_kind,
                                        LineFate::unknown_kind, LineFate::unknown_kind, LineFate::unknown_kind,
                                        LineFate::malformed_json});
    }
}
