#include "pipeline/audit/build_report.hpp"

#include "detectors/engine/context_words.hpp"
#include "detectors/engine/tool_stats.hpp"
#include "pipeline/audit/copied_findings.hpp"
#include "pipeline/audit/incomplete_output.hpp"
#include "pipeline/audit/limit_needs.hpp"
#include "pipeline/audit/shared_history.hpp"
#include "pipeline/watches/peers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_audit {
namespace {

void add_counts(SessionCounts& into, const SessionCounts& from) {
    into.events += from.events;
    into.human_messages += from.human_messages;
    into.assistant_messages += from.assistant_messages;
    into.responses += from.responses;
    into.turns += from.turns;
    into.calls += from.calls;
    into.results += from.results;
    into.paired += from.paired;
    into.unanswered += from.unanswered;
    into.unanswered_at_end += from.unanswered_at_end;
    into.unanswered_stopped += from.unanswered_stopped;
    into.unanswered_compacted += from.unanswered_compacted;
    into.orphans += from.orphans;
    into.errors += from.errors;
    into.denied += from.denied;
    into.steps += from.steps;
    into.compactions += from.compactions;
    into.rewinds += from.rewinds;
    into.aborted_turns += from.aborted_turns;
    into.provider_errors += from.provider_errors;
    into.lanes += from.lanes;
}

// What is silenced is listed too, and counts for nothing.
void collect_silenced(Report& report, Finding& f, AuditRun& run) {
    report.suppressed += f.suppressed.has_value();
    report.baselined += !f.suppressed;
    if (run.silenced[f.rule]++ < run.plan.max_findings_per_rule) report.silenced.push_back(std::move(f));
}

// What is not listed is still counted where it was found: formats that judge each session must not take it for absent.
void count_not_shown(SessionReport& session, std::string_view rule, Severity severity) {
    auto entry = std::ranges::find(session.not_shown, rule, &NotShown::rule);
    if (entry == session.not_shown.end()) entry = session.not_shown.insert(entry, {std::string(rule), {}});
    ++entry->by_severity[static_cast<std::size_t>(severity)];
}

// Lists a finding, unless its rule has as many as are shown: then the last of its less severe ones makes room.
void list_finding(Report& report, Finding& f, RuleRun& rule, Listed& listed, std::uint64_t most) {
    ++rule.findings;
    auto& own = listed.by_severity[static_cast<std::size_t>(f.severity)];
    if (rule.findings - rule.not_shown > most) {
        ++rule.not_shown;
        const auto lesser = std::ranges::find_if_not(listed.by_severity, &std::vector<std::size_t>::empty);
        if (lesser >= listed.by_severity.begin() + static_cast<std::ptrdiff_t>(f.severity)) {
            report.sessions.change(f.session,
                                   [&](SessionReport& session) { count_not_shown(session, rule.id, f.severity); });
            return;
        }
        Finding& last = report.findings[lesser->back()];
        report.sessions.change(last.session,
                               [&](SessionReport& session) { count_not_shown(session, rule.id, last.severity); });
        last.rule.clear();  // what is taken out below
        lesser->pop_back();
    }
    own.push_back(report.findings.size());
    report.findings.push_back(std::move(f));
}

void collect_findings(Report& report, std::vector<Finding>& findings, std::uint32_t session,
                      const TokenLedgerTotals& tokens, AuditRun& run) {
    const AuditPlan& plan = run.plan;
    for (Finding& f : findings) {
        f.session = session;
        if (f.wasted_tokens) f.tokens_source = tokens.source;
        if (f.severity < plan.min_severity || f.confidence < plan.min_confidence) continue;
        if (run.silences.silences(f)) {
            collect_silenced(report, f, run);
            continue;
        }
        ++report.counted(f.severity);
        const auto rule = std::ranges::find(report.rules, f.rule, &RuleRun::id);
        if (rule == report.rules.end()) {
            report.findings.push_back(std::move(f));
        } else {
            const auto index = static_cast<std::size_t>(rule - report.rules.begin());
            list_finding(report, f, *rule, run.listed[index], plan.max_findings_per_rule);
        }
    }
    findings.clear();
}

// Room for the findings of a usual run: a large list must not exist twice while it grows.
std::size_t room_for_findings(const AuditRun& run) {
    constexpr std::size_t kMost = 4096;
    std::size_t count = 0;
    for (const InputResult& result : run.results) {
        for (const SessionPart& part : result.sessions) count += part.findings.size();
    }
    return std::min(count, kMost);
}

void add_session(Report& report, const SessionSummary& session, const TokenLedgerTotals& tokens,
                 detectors::ToolTotals& tools) {
    add_peers(report.peers, session.peers);
    add_counts(report.counts, session.counts);
    add_totals(report.tokens, tokens);
    for (const ToolStats& stats : session.tools) tools.add(stats);
}

// One note a rule, in the order of rules.
void note_unlisted(Report& report, const std::map<std::string_view, std::uint64_t>& unlisted) {
    for (const auto& [rule, count] : unlisted) {
        report.notes.push_back(
            {Severity::info, fmt::format("{} further finding{} of {} {} not listed: a conversation keeps {} of a rule",
                                         detectors::grouped(count), count == 1 ? "" : "s", rule,
                                         count == 1 ? "is" : "are", Detector::kMaxFindings)});
    }
}

void note_other_file(Report& report, bool named, InputResult& result) {
    // A folder holds other files too; only what the user named must be a session.
    if (named || !result.no_session) return;
    result.report->error.reset();
    result.report->format.clear();
    result.report->bad.clear();
    result.report->stats = {};  // nor is it said to have been read
    ++report.skipped_inputs;
}

// One note a layout, however many files it has.
void note_layouts(Report& report, const std::map<std::string_view, std::uint64_t>& layouts) {
    for (const auto& [layout, files] : layouts)
        report.notes.push_back({Severity::warning, fmt::format("{} other file{}: {}", detectors::grouped(files),
                                                               files == 1 ? "" : "s", layout)});
}

// All findings, before it is asked of any whether it is lived with: a baseline counts them over the whole report.
void see_silenced(AuditRun& run) {
    if (!run.silences.any()) return;
    for (InputResult& result : run.results) {
        for (SessionPart& part : result.sessions)
            run.silences.see(part.findings, part.session.look(), result.report->path);
    }
}

// What is learnt of all inputs before it can be told.
struct Learnt {
    explicit Learnt(const AuditRun& run) : unmeasured(run.needs) {}

    void tell(Report& report) const {
        note_unlisted(report, unlisted);
        note_layouts(report, layouts);
        unmeasured.tell(report.notes);
        incomplete.tell(report.notes);
        copies.tell(report.notes);
    }

    UnmeasuredLimits unmeasured;
    IncompleteOutputs incomplete;
    CopiedFindings copies;
    detectors::ToolTotals tools;
    std::map<std::string_view, std::uint64_t> unlisted, layouts;
};

void collect_session(Report& report, SessionPart& part, Learnt& learnt, AuditRun& run) {
    for (const UnlistedFindings& rule : part.unlisted) learnt.unlisted[rule.rule] += rule.count;
    learnt.unmeasured.see(part);
    learnt.incomplete.add(part.incomplete);
    const auto index = static_cast<std::uint32_t>(report.sessions.size());
    PackedSession session = part.session.take();
    const PackedTotals bill = std::exchange(run.bills[part.merged_as], {});
    const TokenLedgerTotals tokens = bill.unpack();
    session.bill(bill);
    add_session(report, session.summary(), tokens, learnt.tools);
    report.sessions.push_back(std::move(session));
    collect_findings(report, part.findings, index, tokens, run);
}

void collect_input(Report& report, const InputPath& input, InputResult& result, Learnt& learnt, AuditRun& run) {
    const bool left_empty = run.plan.empty_is_a_problem && input.size == 0;
    const bool asked_for = input.named || left_empty;
    note_other_file(report, asked_for, result);
    if (!asked_for && !result.layout.empty()) ++learnt.layouts[result.layout];
    report.ingest += result.report->stats;
    for (SessionPart& part : result.sessions) collect_session(report, part, learnt, run);
    result.sessions = std::vector<SessionPart>();  // not {}, which would keep the memory
}

void note_not_shown(Report& report) {
    for (const RuleRun& rule : report.rules) {
        if (rule.not_shown == 0) continue;
        report.notes.push_back(
            {Severity::info, fmt::format("{}: {} more finding{} not shown (--max-findings)", rule.id,
                                         detectors::grouped(rule.not_shown), rule.not_shown == 1 ? "" : "s")});
    }
}

void note_printed(Report& report, std::uint64_t sessions) {
    if (sessions == 0) return;
    report.notes.push_back(
        {Severity::info,
         fmt::format("{} printed run{} stored by the agent as well: tokens count once, findings are listed for "
                     "each recording",
                     detectors::grouped(sessions), sessions == 1 ? " is" : "s are")});
}

void note_forgotten(Report& report, bool forgot) {
    if (!forgot) return;
    report.notes.push_back({Severity::warning,
                            "more requests than are remembered for finding copies: totals may count "
                            "some copied history twice"});
}

void note_idle(Report& report, bool idle) {
    if (!idle) return;
    report.notes.push_back(
        {Severity::warning,
         "nothing was checked: the rules of this run have no limit to watch (agent-audit explain budget/limits)"});
}

}  // namespace

Report build_report(AuditRun& run) {
    Report report;
    report.policy = run.plan.policy;
    report.filtered_inputs = run.filtered;
    for (const BoundDetector& rule : run.rules) {
        if (rule.only_tool.empty()) report.rules.push_back({std::string(rule.spec->id), 0, 0});
    }
    run.listed.resize(report.rules.size());
    report.limits = run.set_limits;
    Learnt learnt(run);
    drop_copied_findings(run, learnt.copies);
    see_silenced(run);
    report.problems = std::move(run.problems);
    for (const ProfileSpec* profile : run.profiles) report.peers.emplace_back().profile = profile->name;

    report.findings.reserve(room_for_findings(run));
    for (std::size_t i = 0; i < run.results.size(); ++i)
        collect_input(report, run.paths[i], run.results[i], learnt, run);
    report.inputs = std::move(run.inputs);
    std::erase_if(report.findings, [](const Finding& f) { return f.rule.empty(); });
    report.tools = learnt.tools.listed();
    run.silences.finish(report);
    note_forgotten(report, run.merger_forgot);
    note_printed(report, run.printed_copies);
    note_not_shown(report);
    learnt.tell(report);
    note_idle(report, !run.idle.empty());
    return report;
}

}  // namespace agent_audit
