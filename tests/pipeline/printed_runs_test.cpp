#include "pipeline/files.hpp"

#include <fmt/format.h>

using namespace agent_audit;
using namespace agent_audit::test;

namespace {

constexpr std::string_view kThread = "0199aaaa-0000-7000-8000-000000000001";

// Two runs of one thread as it is stored: each takes 100 tokens in and 10 out for each request.
std::string rollout(int requests) {
    std::string text = fmt::format(
        R"({{"timestamp":"2026-03-02T10:00:00.000Z","type":"session_meta","payload":{{"id":"{}","cwd":"/w","cli_version":"0.171.0"}}}})"
        "\n",
        kThread);
    for (int i = 1; i <= requests; ++i)
        text += fmt::format(
            R"({{"timestamp":"2026-03-02T10:00:0{0}.000Z","type":"event_msg","payload":{{"type":"token_count","info":{{)"
            R"("total_token_usage":{{"input_tokens":{1},"output_tokens":{2}}},)"
            R"("last_token_usage":{{"input_tokens":100,"output_tokens":10}}}}}}}})"
            "\n",
            i, i * 100, i * 10);
    return text;
}

// A run as it is printed, with the totals of the thread after so many requests.
std::string printed(int requests) {
    return fmt::format(R"({{"type":"thread.started","thread_id":"{}"}})"
                       "\n"
                       R"({{"type":"turn.started"}})"
                       "\n"
                       R"({{"type":"item.completed","item":{{"id":"item_0","type":"agent_message","text":"Done."}}}})"
                       "\n"
                       R"({{"type":"turn.completed","usage":{{"input_tokens":{},"output_tokens":{}}}}})"
                       "\n",
                       kThread, requests * 100, requests * 10);
}

std::size_t told(const Report& report) {
    return static_cast<std::size_t>(std::ranges::count_if(report.notes, [](const Note& note) {
        return note.text.find("stored by the agent as well") != note.text.npos;
    }));
}

}  // namespace

TEST_SUITE("runs that were printed and stored") {
    TEST_CASE("a folder with both counts each request once and says so, with any number of jobs") {
        Folder folder;
        folder.write("job/printed-1.jsonl", printed(2));
        folder.write("job/printed-2.jsonl", printed(3));
        folder.write("job/sessions/rollout-2026-03-02T10-00-00-x.jsonl", rollout(3));
        AuditPlan plan;
        plan.inputs = {folder / "job"};
        std::string first;
        for (const unsigned jobs : {1u, 2u, 8u}) {
            plan.jobs = jobs;
            const Report report = report_of(plan);
            CHECK(report.sessions.size() == 3);
            CHECK(report.tokens.total == TokenCounts{300, 0, 0, 30, 0});
            CHECK(report.tokens.requests == 3);
            CHECK(told(report) == 1);
            if (first.empty()) first = json_of(report);
            CHECK(json_of(report) == first);
        }
    }

    TEST_CASE("runs of one thread that were only printed count what each of them took") {
        Folder folder;
        const Report report = report_of({folder.write("2.jsonl", printed(3)), folder.write("1.jsonl", printed(2))});
        CHECK(report.tokens.total == TokenCounts{300, 0, 0, 30, 0});
        CHECK(told(report) == 0);
    }

    // Letta Code's first conversation is "local-conv-1" wherever it is kept.
    TEST_CASE("sessions that are only counted are one where they ran in one folder") {
        const auto sums = [](std::string_view cwd) {
            Folder folder;
            const std::string run = folder.write(
                "printed.jsonl",
                R"({"type":"system","subtype":"init","session_id":"agent-local-1","agent_id":"agent-local-1",)"
                R"("conversation_id":"local-conv-1","model":"toy","tools":[],"cwd":"/home/ada/mill"}
{"type":"message","id":"m1","message_type":"assistant_message","content":"Ground.","session_id":"agent-local-1"}
{"type":"message","id":"m2","message_type":"usage_statistics","prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"session_id":"agent-local-1"}
)");
            const std::string stored = folder.write(
                "messages.jsonl",
                fmt::format(
                    R"({{"type":"session","version":3,"id":"local-conv-1","timestamp":"2026-03-02T09:00:00.000Z","cwd":"{}"}})"
                    "\n"
                    R"({{"type":"message","id":"a1","parentId":null,"timestamp":"2026-03-02T09:00:01.000Z","message":{{"role":)"
                    R"("assistant","provider":"toy","api":"toy","model":"toy","content":[{{"type":"text","text":"Ground."}}],)"
                    R"("usage":{{"input":100,"output":20,"cacheRead":0,"cacheWrite":0,"totalTokens":120}},"timestamp":1772442001000}}}})"
                    "\n",
                    cwd));
            return report_of({run, stored}).tokens.total;
        };
        CHECK(sums("/home/ada/mill") == TokenCounts{100, 0, 0, 20, 0});
        CHECK(sums("/home/ben/mill") == TokenCounts{200, 0, 0, 40, 0});
    }

    // Neither names the session of the other.
    TEST_CASE("what Cline prints is told from its session's file by calls") {
        Folder folder;
        const std::string stored = folder.write(
            "s.messages.json",
            R"({"version":1,"agent":"lead","sessionId":"17_a","messages":[)"
            R"({"id":"u1","role":"user","content":[{"type":"text","text":"look"}],"ts":1772442000000},)"
            R"({"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"call_Qw8rTz1Lk94x","name":"run_commands","input":{"commands":["ls"]}}],"ts":1772442001007,"modelInfo":{"id":"gpt-x"},"metrics":{"inputTokens":100,"outputTokens":12,"cacheReadTokens":0,"cacheWriteTokens":0}},)"
            R"({"id":"u2","role":"user","content":[{"type":"tool_result","tool_use_id":"call_Qw8rTz1Lk94x","content":[{"query":"ls","result":"a","success":true}]}],"ts":1772442002000},)"
            R"({"id":"m2","role":"assistant","content":[{"type":"text","text":"One file."}],"ts":1772442003009,"modelInfo":{"id":"gpt-x"},"metrics":{"inputTokens":150,"outputTokens":5,"cacheReadTokens":100,"cacheWriteTokens":0}}]})");
        const std::string run = folder.write(
            "run.jsonl",
            R"({"ts":"2026-03-02T09:00:00.000Z","type":"hook_event","hookEventName":"agent_start","agentId":"agent_1","parentAgentId":null}
{"ts":"2026-03-02T09:00:01.000Z","type":"agent_event","event":{"type":"iteration_start","iteration":1}}
{"ts":"2026-03-02T09:00:01.001Z","type":"agent_event","event":{"type":"usage","inputTokens":100,"outputTokens":12}}
{"ts":"2026-03-02T09:00:01.002Z","type":"agent_event","event":{"type":"content_start","contentType":"tool","toolName":"run_commands","toolCallId":"call_Qw8rTz1Lk94x","input":{"commands":["ls"]}}}
{"ts":"2026-03-02T09:00:02.000Z","type":"agent_event","event":{"type":"content_end","contentType":"tool","toolName":"run_commands","toolCallId":"call_Qw8rTz1Lk94x","output":[{"query":"ls","result":"a","success":true}]}}
{"ts":"2026-03-02T09:00:02.001Z","type":"agent_event","event":{"type":"iteration_end","iteration":1}}
{"ts":"2026-03-02T09:00:02.002Z","type":"agent_event","event":{"type":"iteration_start","iteration":2}}
{"ts":"2026-03-02T09:00:03.001Z","type":"agent_event","event":{"type":"usage","inputTokens":150,"outputTokens":5,"cacheReadTokens":100}}
{"ts":"2026-03-02T09:00:03.002Z","type":"agent_event","event":{"type":"content_end","contentType":"text","text":"One file."}}
{"ts":"2026-03-02T09:00:03.003Z","type":"agent_event","event":{"type":"iteration_end","iteration":2}}
{"ts":"2026-03-02T09:00:03.004Z","type":"run_result","finishReason":"completed","text":"One file."}
)");
        const TokenCounts took{150, 0, 100, 17, 0};
        for (const auto& inputs : {std::vector{stored}, {run}, {stored, run}, {run, stored}}) {
            const Report report = report_of(inputs);
            CHECK(report.tokens.total == took);
            CHECK(report.tokens.requests == 2);
            CHECK(told(report) == (inputs.size() > 1 ? 1 : 0));
        }
    }
}
