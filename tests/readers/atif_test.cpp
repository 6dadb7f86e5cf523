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

TEST_SUITE("atif") {
    TEST_CASE("a step becomes thought, message, call, usage and result, in this order") {
        const auto seen = read_text(readers::atif(), fixture("atif/minimal.json"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart id=atif-1 model=toy-model label=toy",
                                  "TurnStart",
                                  "Message user/human 'What is in here?'",
                                  "Thinking 'A list will do.'",
                                  "Message assistant/agent 'Look first.'",
                                  "ToolCall c1 bash 'ls'",
                                  "Usage in=100 write=0 read=400 out=20 model=toy-model cost=1000",
                                  "ToolResult c1 unknown 'todo.txt'",
                                  "Message assistant/agent 'One file.'",
                                  "Usage in=530 write=0 read=0 out=5",
                              });
        CHECK(seen.events.heads[5].response == seen.events.heads[6].response);
        CHECK(seen.events.heads[5].response != seen.events.heads[8].response);
        CHECK(seen.events.heads[8].where.line == 3);
        CHECK(seen.events.heads[8].time_ms - seen.events.heads[3].time_ms == 2000);
    }

    TEST_CASE("every kind of step has its events") {
        const auto seen = read_text(readers::atif(), fixture("atif/full.json"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart id=atif-2 label=toy",
                                  "Message system/injected 'You work in a terminal.'",
                                  "TurnStart",
                                  "Message user/human 'Fix it.' media=1",
                                  "Message assistant/agent 'Looked before.'",
                                  "ToolCall c1 bash 'npm test'",
                                  "ToolCall c2 bash 'ls'",
                                  "ToolResult c1 unknown '1 failing'",
                                  "ToolResult c2 unknown 'a.ts'",
                                  "Message assistant/agent 'Both.'",
                                  "ToolCall c3 keys 'q'",
                                  "ToolCall c4 keys 'x'",
                                  "ToolResult c3 unknown 'one screen for both'",
                                  "ToolResult c4 unknown 'one screen for both'",
                                  R"(Message assistant/agent '{\"keystrokes\": \"ls\"}')",
                                  "Message user/injected 'a screen without a call'",
                                  "Message assistant/agent 'Read.'",
                                  "ToolCall c5 read 'b.ts'",
                                  "Usage in=40 write=60 read=0 out=30",
                                  "ToolResult c5 error 'no such file'",
                                  "Compaction summary 'Performed context summarization.'",
                                  "Message user/summary 'Here is where you are.'",
                                  "TurnStart",
                                  "Message user/human 'And please hurry.'",
                                  "LaneOpen",
                                  "Message user/agent 'Explore.'",
                                  "Message assistant/agent 'Done.'",
                                  "Usage in=11 write=0 read=0 out=2",
                              });
        CHECK((seen.events.heads[4].flags & kCopied) != 0);
        CHECK((seen.events.heads[5].flags & kCopied) == 0);
        CHECK(seen.events.heads.back().lane == 1);
    }

    TEST_CASE("a screen that several keys share is cut at their echoes, when it shows them") {
        const auto results = [](std::string_view second) {
            return read_text(
                       readers::atif(),
                       fmt::format(R"({{"schema_version":"ATIF-v1.7","steps":[{{"source":"agent","message":"",)"
                                   R"("tool_calls":[{{"tool_call_id":"a","function_name":"bash_command",)"
                                   R"("arguments":{{"keystrokes":"mend it\n"}}}},{{"tool_call_id":"b",)"
                                   R"("function_name":"bash_command","arguments":{{"keystrokes":"{}\n"}}}}],)"
                                   R"("observation":{{"results":[{{"content":"$ mend it\n$ check\nred"}}]}}}}]}})",
                                   second))
                .those("ToolResult");
        };
        CHECK(results("check") == Lines{"ToolResult a unknown '$ mend it'", "ToolResult b unknown '$ check\\nred'"});
        CHECK(results("other") == Lines{"ToolResult a unknown '$ mend it\\n$ check\\nred'",
                                        "ToolResult b unknown '$ mend it\\n$ check\\nred'"});
    }

    TEST_CASE("in the file of a sub-agent nobody is human") {
        const auto seen =
            read_text(readers::atif(), R"({"schema_version":"ATIF-v1.7","session_id":"b","agent":{"name":"s","extra":)"
                                       R"({"parent_session_id":"a"}},"steps":[{"source":"user","message":"sum up"}]})");
        CHECK(seen.lines() == Lines{"SessionStart id=b parent=a label=s", "Message user/agent 'sum up'"});
    }

    TEST_CASE("of totals counts what the steps do not tell") {
        const auto document = [](std::string_view steps, std::string_view totals, std::string_view more = "") {
            return fmt::format(R"({{"schema_version":"ATIF-v1.7","steps":[{}],"final_metrics":{}{}}})", steps, totals,
                               more);
        };
        const auto usage = [&](std::string_view steps, std::string_view totals, std::string_view more = "") {
            return read_text(readers::atif(), document(steps, totals, more)).those("Usage");
        };
        constexpr std::string_view kTold =
            R"({"source":"agent","message":"x","metrics":{"prompt_tokens":10,"cached_tokens":4,)"
            R"("completion_tokens":3,"cost_usd":0.01}})";
        constexpr std::string_view kSilent = R"({"source":"agent","message":"y"})";
        const std::string both = fmt::format("{},{}", kTold, kSilent);
        constexpr std::string_view kTotals = R"({"total_prompt_tokens":30,"total_cached_tokens":9,)"
                                             R"("total_completion_tokens":5,"total_cost_usd":0.03})";
        const std::string told = "Usage in=6 write=0 read=4 out=3 cost=10000";
        CHECK(usage(both, kTotals) == Lines{told, "Usage in=15 write=0 read=5 out=2 cost=20000"});
        // A request that timed out came to no step.
        CHECK(usage(kTold, kTotals) == Lines{told, "Usage in=15 write=0 read=5 out=2 cost=20000"});
        // Totals that agree, or that tell less, add nothing.
        CHECK(usage(kTold, R"({"total_prompt_tokens":10,"total_cached_tokens":4,"total_completion_tokens":3})") ==
              Lines{told});
        CHECK(usage(both, R"({"total_prompt_tokens":2,"total_completion_tokens":1,"total_cost_usd":0.001})") ==
              Lines{told});
        CHECK(usage(kTold, R"({"total_prompt_tokens":10,"total_completion_tokens":3,"total_cost_usd":0.03})") ==
              Lines{told, "Usage in=0 write=0 read=0 out=0 cost=20000"});
        // They count earlier files, too, and sub-agents in others.
        const std::string copied =
            fmt::format(R"({{"source":"user","message":"go","is_copied_context":true}},{})", kTold);
        CHECK(usage(copied, kTotals) == Lines{told});
        const std::string refers =
            fmt::format(R"({},{{"source":"system","message":"","observation":{{"results":[{{"subagent_trajectory_ref":)"
                        R"([{{"trajectory_path":"b.json"}}]}}]}}}})",
                        kTold);
        CHECK(usage(refers, kTotals) == Lines{told});
        // Those in the document itself are part of what is told.
        const std::string embedded =
            fmt::format(R"(,"subagent_trajectories":[{{"trajectory_id":"t","steps":[{}]}}])", kTold);
        CHECK(usage(refers, kTotals, embedded) == Lines{told, told, "Usage in=9 write=0 read=1 out=0 cost=10000"});
    }

    TEST_CASE("totals are the usage where no step tells any") {
        const auto seen =
            read_text(readers::atif(), R"({"schema_version":"ATIF-v1.0","steps":[{"source":"agent","message":"x"}],)"
                                       R"("final_metrics":{"total_prompt_tokens":10,"total_cached_tokens":4,)"
                                       R"("total_completion_tokens":3}})");
        CHECK(seen.those("Usage") == Lines{"Usage in=6 write=0 read=4 out=3"});
    }

    TEST_CASE("what failed is told by the mark of the result, or of a step that has one only") {
        const auto step = [](std::string_view extra, std::string_view result_extra) {
            return fmt::format(R"({{"source":"agent","message":"","tool_calls":[{{"tool_call_id":"c","function_name":)"
                               R"("Bash","arguments":{{"command":"make"}}}}],"observation":{{"results":[{{)"
                               R"("source_call_id":"c","content":"x","extra":{}}}]}},"extra":{}}})",
                               result_extra, extra);
        };
        const auto seen =
            read_text(readers::atif(),
                      R"({"schema_version":"ATIF-v1.7","steps":[)" + step("{}", R"({"tool_result_is_error":true})") +
                          "," + step("null", R"({"tool_result_is_error":false})") + "," +
                          step("{}", R"({"is_error":true})") + "," + step(R"({"tool_result_is_error":true})", "null") +
                          "," + step(R"({"tool_metadata":{"exit_code":2}})", "null") + "," +
                          step(R"({"tool_metadata":{"exit_code":0}})", "null") + "," +
                          step("{}", R"({"exit_code":7})") + "," + step("{}", "{}") + R"(]})");
        CHECK(seen.those("ToolResult") == Lines{"ToolResult c error 'x'", "ToolResult c ok 'x'",
                                                "ToolResult c error 'x'", "ToolResult c error 'x'",
                                                "ToolResult c error exit=2 'x'", "ToolResult c ok exit=0 'x'",
                                                "ToolResult c error exit=7 'x'", "ToolResult c unknown 'x'"});
    }

    TEST_CASE("steps of sub-agents among those of the agent have lanes of their own and no human in them") {
        const auto step = [](std::string_view source, std::string_view message, bool side) {
            return fmt::format(R"({{"source":"{}","message":"{}","extra":{{"is_sidechain":{}}}}})", source, message,
                               side);
        };
        const auto seen = read_text(
            readers::atif(), R"({"schema_version":"ATIF-v1.7","steps":[)" + step("user", "Mend it.", false) + "," +
                                 step("agent", "Two helpers.", false) + "," + step("user", "Find the callers.", true) +
                                 "," + step("agent", "Two.", true) + "," + step("agent", "And?", false) + "," +
                                 step("user", "Read the docs.", true) + "," + step("agent", "Read.", true) + "," +
                                 step("user", "Go on.", false) +
                                 R"(],"subagent_trajectories":[{"steps":[{"source":"agent",)"
                                 R"("message":"Three."}]}]})");
        CHECK(seen.lines() == Lines{"SessionStart", "TurnStart", "Message user/human 'Mend it.'",
                                    "Message assistant/agent 'Two helpers.'", "LaneOpen",
                                    "Message user/agent 'Find the callers.'", "Message assistant/agent 'Two.'",
                                    "Message assistant/agent 'And?'", "LaneOpen", "Message user/agent 'Read the docs.'",
                                    "Message assistant/agent 'Read.'", "TurnStart", "Message user/human 'Go on.'",
                                    "LaneOpen", "Message assistant/agent 'Three.'"});
        std::vector<std::uint32_t> lanes;
        for (const auto& head : seen.events.heads) lanes.push_back(head.lane);
        CHECK(lanes == std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1, 1, 0, 2, 2, 2, 0, 0, 3, 3});
    }

    TEST_CASE("sub-agents with names that work side by side keep to their lanes") {
        const auto step = [](std::string_view source, std::string_view agent) {
            return fmt::format(R"({{"source":"{}","message":"x","extra":{{"is_sidechain":true{}}}}},)", source,
                               agent.empty() ? "" : fmt::format(R"(,"agent_id":"{}")", agent));
        };
        const auto seen = read_text(readers::atif(), R"({"schema_version":"ATIF-v1.7","steps":[)" + step("user", "") +
                                                         step("user", "") + step("agent", "a") + step("agent", "b") +
                                                         step("agent", "a") + step("agent", "b") + step("agent", "c") +
                                                         R"({"source":"agent","message":"done"}]})");
        std::vector<std::uint32_t> lanes;
        for (std::size_t i = 0; i < seen.lines().size(); ++i) {
            if (seen.lines()[i].starts_with("Message")) lanes.push_back(seen.events.heads[i].lane);
        }
        CHECK(lanes == std::vector<std::uint32_t>{1, 2, 1, 2, 1, 2, 3, 0});
        CHECK(seen.count("LaneOpen") == 3);
    }

    TEST_CASE("what a program says in the place of a human begins no turn, and a summary is none") {
        const auto step = [](std::string_view source, std::string_view message) {
            return fmt::format(R"({{"source":"{}","message":"{}"}},)", source, message);
        };
        const auto seen = read_text(
            readers::atif(), R"({"schema_version":"ATIF-v1.7","steps":[)" +
                                 step("user", R"(<environment_context>\n  <cwd>/app</cwd>)") +
                                 step("user", "Mend it.") + step("agent", "How?") +
                                 step("user", R"(<system-reminder>\nThe list is empty.\n</system-reminder>)") +
                                 step("user", R"(This session is being continued from a previous conversation that)") +
                                 step("agent", "On I go.") + R"({"source":"user","message":"Faster."}]})");
        CHECK(seen.lines() ==
              Lines{"SessionStart", R"(Message user/injected '<environment_context>\n  <cwd>/app</cwd>')", "TurnStart",
                    "Message user/human 'Mend it.'", "Message assistant/agent 'How?'",
                    R"(Message user/injected '<system-reminder>\nThe list is empty.\n</system-reminder>')",
                    "Compaction summary",
                    "Message user/summary 'This session is being continued from a previous conversation that'",
                    "Message assistant/agent 'On I go.'", "TurnStart", "Message user/human 'Faster.'"});
    }

    TEST_CASE("what a session cost and where it was is found where converters of other agents' sessions put it") {
        const auto seen = read_text(
            readers::atif(),
            R"({"schema_version":"ATIF-v1.7","agent":{"name":"a","extra":{"cwd":"/app"}},"steps":[)"
            R"({"source":"agent","message":"x","metrics":{"prompt_tokens":100,"completion_tokens":9,"cached_tokens":50,)"
            R"("extra":{"cache_write_input_tokens":20,"reasoning_output_tokens":4}}},)"
            R"({"source":"agent","message":"y","metrics":{"prompt_tokens":100,"completion_tokens":9,"cached_tokens":50,)"
            R"("extra":{"cache_creation_input_tokens":20,"cache_creation":{"ephemeral_1h_input_tokens":15}}}}]})");
        CHECK(seen.lines().front() == "SessionStart cwd=/app label=a");
        CHECK(seen.those("Usage") == Lines{"Usage in=30 write=20 read=50 out=9", "Usage in=30 write=20 read=50 out=9"});
        CHECK(seen.events.usages.at(0).tokens.reasoning == 4);
        CHECK(seen.events.usages.at(1).tokens.cache_write_1h == 15);
        const auto where = [](std::string_view cwds) {
            return read_text(
                       readers::atif(),
                       fmt::format(R"({{"schema_version":"ATIF-v1.7","agent":{{"extra":{{"cwds":{}}}}},"steps":[]}})",
                                   cwds))
                .lines()
                .front();
        };
        CHECK(where(R"(["/app","/app"])") == "SessionStart cwd=/app");
        CHECK(where(R"(["/app","/tmp"])") == "SessionStart");
    }

    TEST_CASE("a step that says what becomes of the context is a compaction, its observation the summary") {
        const auto step = [](std::string_view management, std::string_view results) {
            return fmt::format(R"({{"source":"system","message":"Compacted.","observation":{{"results":[{}]}},)"
                               R"("extra":{{"context_management":{{{}}}}}}},{{"source":"user","message":"Go on."}})",
                               results, management);
        };
        const auto lines = [&](std::string_view management, std::string_view results) {
            return read_text(readers::atif(),
                             R"({"schema_version":"ATIF-v1.7","steps":[)" + step(management, results) + "]}")
                .lines();
        };
        const std::string_view all = R"({"content":"All of it.","subagent_trajectory_ref":[{"trajectory_id":"c"}]})";
        CHECK(lines(R"("type":"compaction","boundary":"replace")", all) ==
              Lines{"SessionStart", "Compaction summary 'All of it.'", "Message user/summary 'All of it.'", "TurnStart",
                    "Message user/human 'Go on.'"});
        CHECK(lines(R"("type":"pruning","boundary":"truncate")", "") ==
              Lines{"SessionStart", "Compaction truncate", "TurnStart", "Message user/human 'Go on.'"});
        CHECK(lines(R"("type":"injection","boundary":"append")", R"({"content":"A fact."})") ==
              Lines{"SessionStart", "Message system/injected 'Compacted.'", "Message system/injected 'A fact.'",
                    "TurnStart", "Message user/human 'Go on.'"});
    }

    TEST_CASE("steps of odd types are left out and said to be") {
        const auto seen = read_text(readers::atif(), fixture("atif/bad-fields.json"));
        CHECK(seen.fates == std::vector{LineFate::understood});
        CHECK(seen.those("Notice").size() == 1);
        CHECK(seen.count("ToolCall") == 1);
    }

    TEST_CASE("it claims its own documents and no others") {
        CHECK(score_text(readers::atif(), fixture("atif/full.json")) == kCertain);
        for (const char* other : {"swe-agent/full.traj", "gemini-cli/full.json", "openhands/evaluation.jsonl"})
            CHECK(score_text(readers::atif(), fixture(other)) == 0);
    }
}
