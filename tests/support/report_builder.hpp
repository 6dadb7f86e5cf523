#pragma once

#include <agent_audit/report/renderer.hpp>

#include <string>
#include <utility>

namespace agent_audit::test {

/// Hand-made reports for the renderers: what a pipeline would have found, said in a few words.
class ReportBuilder {
public:
    ReportBuilder& input(std::string path, std::string format = "claude-code") {
        InputReport in;
        in.path = std::move(path);
        in.format = std::move(format);
        report_.inputs.push_back(std::move(in));
        return records(LineFate::understood, 10);
    }
    ReportBuilder& records(LineFate fate, std::uint64_t n) {
        for (IngestStats* stats : {&report_.inputs.back().stats, &report_.ingest}) {
            stats->fates[static_cast<std::size_t>(fate)] += n;
            stats->bytes += n * 100;
        }
        return *this;
    }
    ReportBuilder& bad(std::uint64_t line, LineFate fate, std::string reason) {
        report_.inputs.back().bad.push_back({line, fate, std::move(reason)});
        return records(fate, 1);
    }
    ReportBuilder& unreadable(std::string path, std::string error) {
        InputReport in;
        in.path = std::move(path);
        in.error = std::move(error);
        report_.inputs.push_back(std::move(in));
        return *this;
    }

    ReportBuilder& session(std::string id, std::uint64_t output_tokens = 0, std::string model = "model-a") {
        SessionReport s;
        s.input = static_cast<std::uint32_t>(report_.inputs.size() - 1);
        s.id = std::move(id);
        s.format = report_.inputs.back().format;
        s.first_line = 1;
        s.last_line = 10;
        s.counts.events = 20;
        s.counts.calls = s.counts.steps = 7;
        s.counts.lanes = 1;
        report_.counts.events += 20;
        report_.counts.calls += 7;
        report_.counts.steps += 7;
        report_.sessions.push_back(std::move(s));
        if (output_tokens) tokens(output_tokens, std::move(model));
        return *this;
    }
    void change_last_session(auto&& change) { report_.sessions.change(report_.sessions.size() - 1, change); }

    Finding& finding(Severity severity, std::string rule, std::uint64_t first_line = 3, std::uint64_t last_line = 9) {
        Finding f;
        f.rule = std::move(rule);
        f.code = "AA101";
        f.severity = severity;
        f.confidence = 0.98;
        f.message = "Bash was called 4 times with the same arguments and the same result.";
        f.action = "Stop the session and say what is known to fail.";
        f.session = static_cast<std::uint32_t>(report_.sessions.size() - 1);
        f.first_line = first_line;
        f.last_line = last_line;
        f.evidence = {{first_line, 5, "call", "Bash `npm test`"}, {last_line, 15, "result", "1 failing"}};
        f.round = {"Bash `npm test`: 1 failing"};
        f.because = {{"repeats", "4"}, {"distinct results", "1"}};
        f.period = 1;
        f.repeats = 4;
        f.wasted_steps = 3;
        f.reset_line = first_line - 1;
        f.finding_fingerprint = std::string(32, 'a');
        f.pattern_fingerprint = std::string(32, 'b');
        report_.errors += severity == Severity::error;
        report_.warnings += severity == Severity::warning;
        report_.infos += severity == Severity::info;
        report_.findings.push_back(std::move(f));
        return report_.findings.back();
    }

    Report& report() { return report_; }

private:
    void tokens(std::uint64_t output, std::string model) {
        const TokenCounts counts{
            .input = output / 2, .cache_write = output / 4, .cache_read = output * 3, .output = output};
        const ModelTokens by_model{std::move(model), counts, 2};
        SessionReport session = report_.sessions.back();
        for (TokenLedgerTotals* ledger : {&session.tokens, &report_.tokens}) {
            ledger->source = TokensSource::reported;
            ledger->total += counts;
            ledger->requests += 2;
            auto& models = ledger->by_model;
            if (!models.empty() && models.back().model == by_model.model) {
                models.back().tokens += counts;
                models.back().requests += 2;
            } else {
                models.push_back(by_model);
            }
        }
        change_last_session([&](SessionReport& last) { last = session; });
    }

    Report report_;
};

/// A session that was taken out of a report and changed goes back to its place.
inline void put(Report& report, std::size_t at, const SessionReport& changed) {
    report.sessions.change(at, [&](SessionReport& session) { session = changed; });
}

/// The whole output of a format as one string.
inline std::string rendered(const Report& report, std::string_view format, const RenderOptions& options) {
    std::string out;
    find_renderer(format)->render(report, options, [&](std::string_view piece) {
        out += piece;
        return true;
    });
    return out;
}

/// A report in which every field that can be there is there.
inline Report full_report() {
    ReportBuilder builder;
    builder.input("logs/stuck.jsonl").bad(4, LineFate::malformed_json, "line 4: unclosed string");
    builder.records(LineFate::ignored_kind, 3).records(LineFate::blank, 1);
    builder.session("11111111-aaaa", 4000);
    SessionReport s = builder.report().sessions.back();
    s.parent_id = "00000000-bbbb";
    s.label = "agent a1";
    s.product_version = "2.1.0";
    s.cwd = "/home/alice/project";
    s.model = "model-a";
    s.sub_agent = true;
    s.housekeeping = true;
    s.first_time_ms = 1'770'000'000'123;
    s.last_time_ms = 1'770'000'100'000;
    s.skipped_rules = {{"budget/limits", signals(Signal::token_usage), SkipReason::session}};
    s.tokens.by_lane = {{0, "", s.tokens.total, 2}, {1, "explorer", {}, 0}};
    s.tokens.top_turns = {{0, 1, 2, s.tokens.total, 2}};
    s.tokens.turns_by_cost = true;
    for (TokenLedgerTotals* ledger : {&s.tokens, &builder.report().tokens}) {
        ledger->total.reasoning = 100;
        ledger->copied_requests = 1;
        ledger->cost_microusd = 3'200'000;
        ledger->peak_context = 154'000;
        ledger->peak_context_line = 8;
        ledger->window_tokens = 200'000;
    }
    Finding& stuck = builder.finding(Severity::error, "loop/exact-repeat");
    stuck.wasted_tokens = TokenCounts{.input = 10, .output = 20, .reasoning = 5};
    stuck.tokens_source = TokensSource::reported;
    stuck.wasted_cost_microusd = 9'000;
    stuck.first_step = 2;
    stuck.last_step = 5;
    stuck.recovered = stuck.persisted_after_notice = stuck.persisted_across_compaction = true;
    stuck.contiguous = false;
    stuck.also = {"loop/same-error"};
    ResetSuggestion reset;
    reset.rule = "loop/exact-repeat";
    reset.line = 2;
    reset.verified = true;
    reset.turn = 1;
    reset.first_line = 3;
    reset.known_line = 9;
    reset.tokens_before = 154'000;
    reset.tokens_after = 32'000;
    reset.source = TokensSource::reported;
    reset.break_even_turns = 4;
    reset.saved_money = Money(61'000'000'000);
    reset.confidence = 0.9;
    s.resets = {reset};
    builder.finding(Severity::warning, "loop/cycle");
    builder.unreadable("logs/broken.bin", "binary data: no session");
    s.peers = {{"gemini-cli", PeerReaction{"same calls 5x", 6, 12, 5, 0}, PeerReaction{"chanting", 8, 14, 6, 2},
                PeerVerdict::right},
               {"qwen-code+heuristics", {}, {}, PeerVerdict::missed},
               {"last3-equals-previous3",
                {},
                PeerReaction{"last 3 = 3 before", 123'456, 14, 1'234, 0},
                PeerVerdict::false_alarm},
               {"roo", {}, {}, PeerVerdict::silent_right}};
    s.goal.text = "Make the tests of the parser pass";
    s.goal.line = 1;
    s.goal.latest = "and keep the old names";
    s.goal.latest_line = 7;
    s.goal.messages = 2;
    s.goal.paths = {"src/parser"};
    s.goal.limits = {{StatedLimit::What::turns, 10, 12, 1, 8, "in at most 10 turns"}};
    s.goal.measures = {{StatedMeasure::What::tests, 1, "until the tests pass"}};
    s.goal.rules = {{StatedRule::Kind::forbid_path, "src/api/", 1, "do not touch src/api/"}};
    s.activity.segments = {{Activity::explore, 1, 4, 1, 2, 2, 3}, {Activity::edit, 5, 10, 3, 4, 2, 4}};
    s.activity.more = 3;
    s.similarity = {{"word-vectors", "vectors.txt", 1, 4, 0.5, 0.25, 9, {{2, 0.75}, {9, 0.25}}, {9, 0.75, 0.25, 4.0}}};
    ToolStats failing{"Bash", 5, {}, 2};
    for (std::size_t i = 1; i < kErrorClassCount; ++i) failing.failures[i] = 1;
    s.tools = {failing, {"Read", 2, {}, 0}};
    Report report = std::move(builder.report());
    put(report, 0, s);
    report.limits = {{"tokens", 1'000'000}, {"max-cost", 2.5}, {"window-share", 80}};
    report.peers = {{"gemini-cli", 1, 1, 1, 1, 0, 0, 0},
                    {"qwen-code+heuristics", 1, 0, 0, 0, 0, 1, 0},
                    {"last3-equals-previous3", 1, 0, 1, 0, 1, 0, 0},
                    {"roo", 1, 0, 0, 0, 0, 0, 1}};
    report.inputs.front().still_growing = true;
    report.rules = {{"loop/cycle", 1, 0}, {"loop/exact-repeat", 1, 7}};
    report.notes = {{Severity::info, "7 more findings"}};
    report.problems = {"missing.jsonl: no such file"};
    report.skipped_inputs = 2;
    report.tools = s.tools;
    return report;
}

}  // namespace agent_audit::test
