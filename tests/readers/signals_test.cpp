#include "readers/event_lines.hpp"

#include <agent_audit/model/signals.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>

// The support table says what each format can tell. The fixtures are the witnesses.

using namespace agent_audit;
namespace fs = std::filesystem;

namespace {

class Witness final : public EventSink {
public:
    Signals seen;

    void on_event(const Event& event) override {
        if (event.head.time_ms != kNoTime) add(Signal::timestamps);
        if (event.head.response != 0) add(Signal::response_ids);
        if (event.head.lane != 0) add(Signal::sub_agents);
        std::visit([this](const auto& body) { look(body); }, event.body);
    }

private:
    void add(Signal signal) { seen = seen | signal; }
    template <class Body>
    void look(const Body&) {}
    void look(const SessionStart& start) {
        if (start.sub_agent) add(Signal::sub_agents);
    }
    void look(const ToolCall&) { add(Signal::tool_calls); }
    void look(const ToolResult& result) {
        add(Signal::tool_results);
        if (result.status != ResultStatus::unknown) add(Signal::result_status);
        if (result.exit_code) add(Signal::exit_codes);
    }
    void look(const Thinking&) { add(Signal::reasoning); }
    void look(const Compaction&) { add(Signal::compaction); }
    void look(const Usage& usage) {
        if (usage.tokens.total() > 0) add(Signal::token_usage);
        if (usage.cost_microusd) add(Signal::cost);
    }
};

Signals seen_in_fixtures(const ReaderSpec& spec) {
    Witness witness;
    const fs::path folder = test::source_dir() / "testdata/readers" / spec.id;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".events") continue;
        const std::string bytes = test::slurp(entry.path());
        InputBuffers buffers;
        const auto source = memory_input(bytes, 0, InputLimits{}, buffers, std::size_t{1} << 16);
        const auto reader = spec.make();
        Record record;
        using Next = RecordSource::Next;
        for (Next next = source->next(record); next != Next::end; next = source->next(record)) {
            if (next == Next::record) (void)reader->read(record, witness);
        }
        reader->finish(witness);
    }
    return witness.seen;
}

/// What a format's row and its fixtures do not agree about, and why that is so. A test holds the list to the facts.
struct Known {
    std::string_view format;
    Signals signals;
};

// Said to be told, and read by code shared with another format whose fixtures show it.
constexpr Known kWithoutWitness[] = {
    {"agent-history", Signal::token_usage | Signal::reasoning},
    {"anthropic-messages", signals(Signal::compaction)},
    {"claude-code-stream", Signal::exit_codes | Signal::reasoning},
    {"codex", signals(Signal::sub_agents)},
    {"openclaw", Signal::reasoning | Signal::cost},
};

// Told by some of the sessions only, or by one record of them: too little for a rule to rely on.
constexpr Known kToldSometimes[] = {
    {"aider", signals(Signal::timestamps)},
    {"amp", signals(Signal::timestamps)},
    {"bedrock-converse", signals(Signal::timestamps)},
    {"braintrust", signals(Signal::cost)},
    {"chat-completions", Signal::timestamps | Signal::cost},
    {"cline-ui", Signal::tool_results | Signal::compaction},
    {"codex-legacy", signals(Signal::timestamps)},
    {"cursor", Signal::exit_codes | Signal::token_usage | Signal::timestamps},
    {"cursor-agent", signals(Signal::timestamps)},
    {"goose", signals(Signal::token_usage)},
    {"hermes", signals(Signal::exit_codes)},
    {"inspect", signals(Signal::cost)},
    {"kiro", signals(Signal::timestamps)},
    {"kiro-cli", Signal::token_usage | Signal::timestamps},
    {"langsmith", signals(Signal::cost)},
    {"mini-swe-agent", signals(Signal::timestamps)},
    {"openai-responses", Signal::exit_codes | Signal::timestamps},
    {"otel", signals(Signal::cost)},
    {"tau-bench", Signal::token_usage | Signal::timestamps | Signal::cost},
    {"weave", signals(Signal::cost)},
};

Signals known(std::span<const Known> list, std::string_view format) {
    const auto found = std::ranges::find(list, format, &Known::format);
    return found == list.end() ? Signals{} : found->signals;
}

}  // namespace

TEST_SUITE("signals") {
    TEST_CASE("every signal a format is said to offer occurs in one of its fixtures") {
        for (const ReaderSpec& spec : all_readers()) {
            CAPTURE(spec.id);
            const Signals unseen = spec.signals.without(seen_in_fixtures(spec));
            CHECK(describe(unseen) == describe(known(kWithoutWitness, spec.id)));
        }
    }

    TEST_CASE("calls, results, exit codes, usage, times, compactions and money occur only where they are offered") {
        const Signals told = Signal::tool_calls | Signal::tool_results | signals(Signal::exit_codes) |
                             Signal::token_usage | Signal::timestamps | Signal::compaction | Signal::cost;
        for (const ReaderSpec& spec : all_readers()) {
            CAPTURE(spec.id);
            const Signals extra = (seen_in_fixtures(spec) & told).without(spec.signals);
            CHECK(describe(extra) == describe(known(kToldSometimes, spec.id)));
        }
    }

    TEST_CASE("columns of the support table are three letters, each once") {
        std::set<std::string_view> columns;
        for (const SignalInfo& signal : kSignals) {
            CHECK(signal.column.size() == 3);
            CHECK(columns.insert(signal.column).second);
        }
    }
}
