#include "pipeline/files.hpp"

#include <agent_audit/readers/input.hpp>

// Real recordings lie beside the project, not in it: without them these tests say so and pass. The figures were counted
// by other means than our readers.

using namespace agent_audit;
using namespace agent_audit::test;

namespace {

struct Recorded {
    const char* file;
    const char* format;
    std::uint64_t calls, unanswered, errors, turns, tokens, orphans = 0;
};

constexpr Recorded kRecordings[] = {
    {"aider/car-game.aider.chat.history.md", "aider", 5, 0, 1, 22, 250760},
    {"anthropic/managed-agents-events-mcp-reject.jsonl", "managed-agents", 2, 0, 0, 1, 34117},
    {"atif/hello-world-context-summarization-linear-history.trajectory.cont-1.json", "atif", 0, 0, 0, 0, 4780},
    {"atif/hello-world-context-summarization-linear-history.trajectory.json", "atif", 0, 0, 0, 1, 2412},
    {"atif/hello-world-context-summarization.trajectory.json", "atif", 7, 0, 0, 1, 7192},
    {"atif/hello-world-context-summarization.trajectory.summarization-1-summary.json", "atif", 0, 0, 0, 0, 700},
    {"atif/hello-world-timeout.trajectory.json", "atif", 3, 0, 0, 1, 1127},
    {"atif/nemo-relay-v1.7-redacted.json", "atif", 4, 3, 0, 0, 8990},  // its call ids are all blacked out
    {"cline/sdk-agentic.compaction.json", "cline", 0, 0, 0, 1, 12248},
    {"cline/sdk-session.messages.json", "cline", 11, 0, 0, 5, 634649},
    {"copilot-cli/agentv-551events.jsonl", "copilot-cli", 68, 0, 2, 1, 19254},
    {"copilot-cli/agentv-abort.jsonl", "copilot-cli", 55, 0, 2, 3, 39467},
    {"copilot-cli/agentv-shutdown-metrics.jsonl", "copilot-cli", 0, 0, 0, 1, 15562},
    {"copilot-cli/computermode-2tools.jsonl", "copilot-cli", 2, 0, 0, 1, 40690},
    {"cursor-agent/computermode-1.jsonl", "cursor-agent", 0, 0, 0, 5, 0},
    {"cursor-agent/computermode-2.jsonl", "cursor-agent", 1, 1, 0, 2, 0},
    {"factory-droid/computermode-1.jsonl", "factory-droid", 0, 0, 0, 1, 0},
    {"factory-droid/computermode-2.jsonl", "factory-droid", 0, 0, 0, 1, 0},
    {"gemini-cli/agentcmd-session-2025-10.json", "gemini-cli", 13, 0, 3, 3, 109261},
    {"gemini-cli/computermode-1.json", "gemini-cli", 1, 0, 0, 1, 12809},
    {"gemini-cli/computermode-2.json", "gemini-cli", 1, 0, 0, 1, 12859},
    {"gemini-cli/entire-session-13msgs.json", "gemini-cli", 9, 0, 0, 1, 133187},
    {"gemini-cli/metaphi-session-32msgs.json", "gemini-cli", 62, 0, 3, 1,
     1082939},  // one said in JSON: {"status":"error"}
    {"gemini-cli/metaphi-stream-json.jsonl", "gemini-stream", 34, 1, 4, 2, 0},
    {"inspect/2025-05-browser.json", "inspect", 4, 0, 0, 1, 15516},
    {"inspect/log_message_deduplication.eval", "inspect", 5, 0, 0, 1, 0},
    {"inspect/log_tool_call_error.json", "inspect", 0, 0, 10, 0, 0, 11},  // results only: its calls were left out
    {"kimi-cli/large-100msgs/context.jsonl", "kimi-cli", 34, 0, 0, 3, 996882},
    {"kimi-cli/large-100msgs/wire.jsonl", "kimi-cli", 28, 0, 0, 2, 563628},
    {"kimi-cli/legacy-protocol-1.3/wire.jsonl", "kimi-cli", 1, 0, 0, 1, 9722},
    {"kimi-cli/recent-protocol-1.10/wire.jsonl", "kimi-cli", 0, 0, 0, 2, 0},
    {"kimi-cli/with-subagent-collapsed/wire.jsonl", "kimi-cli", 2, 2, 0, 1, 0},
    {"kiro/computermode-1.json", "kiro", 1, 1, 0, 1, 0},
    {"kiro/computermode-2.json", "kiro", 0, 0, 0, 2, 0},
    {"langsmith/wrap_openai_reasoning.json", "langsmith", 0, 0, 0, 1, 2540},
    {"mini-swe-agent/github_issue-v0-list.traj.json", "mini-swe-agent", 10, 0, 2, 1, 0},
    {"opencode/nimbus-export-150msgs.json", "opencode", 107, 0, 3, 25, 9334308},
    {"openhands/v0-eval-output.jsonl", "openhands", 103, 0, 41, 3, 1926683},
    {"openhands/v0-resolver-output-old.jsonl", "openhands", 24, 0, 8, 2, 0},
    {"openhands/v1-sdk-events.jsonl", "openhands", 2, 0, 3, 0, 108805, 1},
    {"sharegpt/glaive_toolcall_en_first60.json", "sharegpt", 44, 0, 0, 156, 0},
    {"sharegpt/reason_tool_use_first10.jsonl", "sharegpt", 16, 6, 0, 12,
     0},  // three conversations end with their calls
    {"otel/genai-client-span-tool-calls.json", "otel", 1, 0, 0, 1, 149},
    {"otel/genai-execute-tool-span.json", "otel", 1, 0, 0, 0, 0},
    {"otel/vercel-ai-sdk-v6-spans.json", "otel", 0, 0, 0, 5, 439},
    {"swe-agent/ctf-flash.traj", "swe-agent", 4, 0, 0, 1, 0},
    {"swe-agent/ctf-i-got-id.traj", "swe-agent", 21, 0, 0, 1, 0},
    {"swe-agent/marshmallow-function-calling.traj", "swe-agent", 13, 0, 0, 1, 0},
    {"swe-agent/pydicom-gpt4.traj", "swe-agent", 12, 0, 4, 1, 123981},
    {"tau-bench/gpt-4o-airline-first40.json", "tau-bench", 254, 0, 17, 357, 0},
};

fs::path corpus() { return project() / "../shared/corpus"; }

}  // namespace

TEST_SUITE("corpus, other formats") {
    TEST_CASE("recordings give the calls, errors, turns and tokens that stand in them") {
        if (!fs::exists(corpus())) {
            MESSAGE("skipped: ../shared/corpus is not there");
            return;
        }
        for (const Recorded& known : kRecordings) {
            CAPTURE(known.file);
            const Report report = report_of({(corpus() / known.file).string()});
            CHECK(report.inputs.at(0).format == known.format);
            CHECK(report.inputs[0].error.value_or("") == "");
            CHECK(report.ingest.bad() == 0);
            CHECK(report.ingest[LineFate::unknown_kind] == 0);
            CHECK(report.counts.calls == known.calls);
            CHECK(report.counts.unanswered == known.unanswered);
            CHECK(report.counts.orphans == known.orphans);
            CHECK(report.counts.errors == known.errors);
            CHECK(report.counts.turns == known.turns);
            CHECK(report.tokens.source == (known.tokens > 0 ? TokensSource::reported : TokensSource::estimated));
            if (known.tokens > 0) CHECK(report.tokens.total.total() == known.tokens);
        }
    }

    TEST_CASE("a trace about other things than models is recognised, and is no session") {
        if (!fs::exists(corpus())) {
            MESSAGE("skipped: ../shared/corpus is not there");
            return;
        }
        const Report report = report_of({(corpus() / "otel/dazzaji-otlp-export.json").string()});
        CHECK(report.inputs.at(0).format == "otel");
        CHECK(report.sessions.empty());
        CHECK(report.ingest[LineFate::ignored_kind] == 2);
    }
}
