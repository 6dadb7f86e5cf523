#include <agent_audit/pipeline/audit.hpp>

#include "detectors/engine/context_words.hpp"
#include "detectors/engine/tool_stats.hpp"
#include "model/unmeasured.hpp"
#include "pipeline/audit/copied_findings.hpp"
#include "pipeline/audit/file_lines.hpp"
#include "pipeline/audit/incomplete_output.hpp"
#include "pipeline/audit/limit_needs.hpp"
#include "pipeline/audit/printed_formats.hpp"
#include "pipeline/audit/session_audit.hpp"
#include "pipeline/audit/shared_history.hpp"
#include "pipeline/inputs/inputs.hpp"
#include "pipeline/inputs/work_order.hpp"
#include "pipeline/settings/plan.hpp"
#include "pipeline/settings/silence.hpp"
#include "pipeline/watches/peers.hpp"

#include <agent_audit/config/config_file.hpp>
#include <agent_audit/pipeline/run_settings.hpp>
#include <agent_audit/pipeline/text_tokens.hpp>
#include <agent_audit/readers/input.hpp>
#include <agent_audit/support/hash.hpp>
#include <agent_audit/support/jobs.hpp>
#include <agent_audit/tokens/ledger.hpp>
#include <agent_audit/tokens/prices.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <tuple>

namespace agent_audit {
namespace {

// The rules that apply to one format.
struct FormatRules {
    std::vector<BoundDetector> rules;
    std::vector<SkippedRule> skipped;
    Signals offered{};
};

// Worked out when the first input of that format is met: a run meets few of some forty.
struct LazyRules {
    std::once_flag once;
    FormatRules made;
};

struct InputResult {
    InputReport* report = nullptr;  // in Run::inputs
    std::uint32_t input = 0;        // its place there
    std::vector<SessionPart> sessions;
    std::size_t merged = 0;   // of them
    bool no_session = false;  // it was read, and is something else: nobody who named a folder wants to know
    std::string_view layout;  // but of a layout whose sessions no reader reads
};

// Where the findings of a rule stand in Report::findings, the oldest first.
struct Listed {
    std::array<std::vector<std::size_t>, 3> by_severity;
};

struct Run {
    Run(const AuditPlan& p, const std::vector<BoundDetector>& r, const ModelTable& m)
        : plan(p), rules(r), models(m), merger(std::in_place, &m) {}

    const AuditPlan& plan;
    const std::vector<BoundDetector>& rules;
    const ModelTable& models;
    RunOptions options;
    std::vector<RunLimit> set_limits;
    std::vector<LimitNeed> needs;   // of these
    std::vector<SkippedRule> idle;  // all rules, where none has anything to watch for
    const ReaderSpec* forced = nullptr;
    InputLimits limits;
    std::size_t course_points = 0;
    mutable std::vector<LazyRules> formats = std::vector<LazyRules>(all_readers().size());  // by format_index()
    std::vector<const ProfileSpec*> profiles;
    Silences silences;
    std::map<std::string, std::uint64_t, std::less<>> silenced;  // findings listed as such, by rule
    std::vector<Listed> listed;                                  // by position in Report::rules
    std::vector<InputPath> paths;
    std::vector<IdHash> own_files;    // sub-agents with a file of their own, sorted
    std::vector<InputReport> inputs;  // on their way into the report; `results` beside them
    std::vector<InputResult> results;
    std::optional<WorkOrder> order;

    // Requests are counted once over the run, in the order above whatever thread was faster, and then let go: a run
    // over a terabyte must not keep every request until its end.
    std::mutex merging;
    std::vector<char> finished;         // by position in `order`
    std::size_t merged = 0;             // positions before this one are merged
    std::optional<UsageMerger> merger;  // until the workers are done
    std::deque<PackedTotals> bills;     // then, by SessionPart::merged_as
    bool merger_forgot = false;
    std::uint64_t printed_copies = 0;
};

void merge_sessions(UsageMerger& merger, InputResult& result) {
    for (; result.merged < result.sessions.size(); ++result.merged) {
        SessionPart& part = result.sessions[result.merged];
        const std::size_t requests = part.usage->requests.size();
        part.merged_as = merger.add(std::move(*part.usage));
        part.shared = merger.shared_beginning();
        part.all_shared = part.shared > 0 && part.shared == requests;
        part.usage.reset();
        part.session.rest();
    }
}

// The input at this position is done: merge what can be merged now.
void merge_finished(Run& run, std::size_t position) {
    const std::scoped_lock lock(run.merging);
    run.finished[position] = 1;
    for (; run.merged < run.order->size() && run.finished[run.merged] != 0; ++run.merged) {
        merge_sessions(*run.merger, run.results[(*run.order)[run.merged]]);
    }
}

// The input at this position goes on. Where its turn has come, its sessions need not wait for its end: a file may hold
// thousands.
void merge_begun(Run& run, std::size_t position) {
    const std::scoped_lock lock(run.merging);
    if (run.merged == position) merge_sessions(*run.merger, run.results[(*run.order)[position]]);
}

std::size_t format_index(const ReaderSpec* reader) { return static_cast<std::size_t>(reader - all_readers().data()); }

const FormatRules& rules_for(const Run& run, const ReaderSpec* reader) {
    LazyRules& rules = run.formats[format_index(reader)];
    std::call_once(rules.once, [&] {
        rules.made.rules = covered_rules(run.rules, reader->signals, rules.made.skipped);
        rules.made.offered = reader->signals;
    });
    return rules.made;
}

// What a thread keeps from one input to the next: memory that has grown to the size it needs.
struct Worker {
    InputBuffers buffers;
    std::vector<std::unique_ptr<SessionAudit>> audits;  // by format

    SessionAudit& audit(const Run& run, const ReaderSpec* reader) {
        audits.resize(run.formats.size());
        auto& slot = audits[format_index(reader)];
        if (!slot)
            slot = std::make_unique<SessionAudit>(rules_for(run, reader).rules, run.own_files, run.options.engine,
                                                  run.profiles, &run.models, run.course_points);
        return *slot;
    }
};

// Whose recording it is, and of which kind. Where an agent only counts its sessions (Letta Code's "local-conv-1"),
// others have the same number elsewhere.
void name_recording(SessionUsage& usage, const SessionReport& session, std::string_view format) {
    constexpr std::size_t kUnique = 16;  // bytes
    usage.printed = is_printed(format);
    if (session.id.empty()) return;
    usage.session_key = stable_hash(session.id);
    if (session.id.size() < kUnique) usage.session_key = mix_hash(usage.session_key, stable_hash(session.cwd));
}

// Two recordings of the same have as much of it.
std::uint64_t recording_of(const SessionUsage& usage, const SessionCounts& counts) {
    const std::uint64_t heard = usage.heard.empty() ? 0 : usage.heard.back();
    return mix_hash(mix_hash(heard, usage.requests.size()), counts.calls) | 1;
}

void take_sessions(const Run& run, std::vector<SessionPart> parts, const FormatRules& rules, std::string_view format,
                   InputResult& result) {
    for (SessionPart& part : parts) {
        SessionReport& session = part.session.open();
        session.input = result.input;
        session.format = format;
        session.skipped_rules = rules.skipped;
        name_recording(*part.usage, session, format);
        part.recording = recording_of(*part.usage, session.counts);
        note_untold(rules.rules, part.untold, part.findings, session.skipped_rules);
        // Of a format without states of results the texts tell some of the failures, and no denial for certain.
        if (session.counts.calls > 0) part.untold = part.untold | signals(Signal::result_status).without(rules.offered);
        if (!session.housekeeping) note_unmeasured(run.needs, rules.offered, part, session.skipped_rules);
        std::ranges::copy(run.idle, std::back_inserter(session.skipped_rules));
        if (&part != &parts.back()) part.session.rest();
    }
    if (result.sessions.empty()) {
        result.sessions = std::move(parts);
    } else {
        std::ranges::move(parts, std::back_inserter(result.sessions));
    }
}

void finish_sessions(const Run& run, SessionAudit& audit, const FormatRules& rules, std::string_view format,
                     InputResult& result) {
    take_sessions(run, audit.finish(), rules, format, result);
}

// Events that were made from other formats: each is audited with the rules that its first format allows.
class Relay final : public EventSink {
public:
    Relay(const Run& run, const RecordReader& reader, InputResult& result)
        : run_(run), reader_(reader), result_(result) {}

    void on_event(const Event& event) override {
        const RelayedFormat format = reader_.relayed();
        if (!audit_ || format.id != now_.id || format.signals != now_.signals) change_to(format);
        audit_->on_event(event);
    }

    void finish() {
        if (audit_) finish_sessions(run_, *audit_, rules_, now_.id.empty() ? result_.report->format : now_.id, result_);
    }

private:
    void change_to(const RelayedFormat& format) {
        finish();
        const bool same_rules = audit_ && format.signals == now_.signals;
        now_ = format;
        if (same_rules) return;
        rules_.skipped.clear();
        rules_.rules = covered_rules(run_.rules, format.signals, rules_.skipped);
        rules_.offered = format.signals;
        audit_ = std::make_unique<SessionAudit>(rules_.rules, run_.own_files, run_.options.engine, run_.profiles,
                                                &run_.models, run_.course_points);
    }

    const Run& run_;
    const RecordReader& reader_;
    InputResult& result_;
    RelayedFormat now_;
    FormatRules rules_;
    std::unique_ptr<SessionAudit> audit_;
};

void audit_records(Run& run, std::size_t position, RecordSource& source, RecordReader& reader, SessionAudit& audit,
                   const OpenedInput& opened) {
    InputResult& result = run.results[(*run.order)[position]];
    const FormatRules& rules = rules_for(run, opened.reader);
    read_records(source, reader, audit, *result.report, [&] {
        if (audit.any_ended()) [[unlikely]] {
            take_sessions(run, audit.take_ended(), rules, opened.reader->id, result);
            merge_begun(run, position);
            result.sessions.back().session.rest();
        }
        return true;
    });
    reader.finish(audit);
    finish_sessions(run, audit, rules, opened.reader->id, result);
}

// `position`: in Run::order.
void audit_input(Run& run, std::size_t position, Worker& worker) {
    const std::size_t index = (*run.order)[position];
    InputResult& result = run.results[index];
    const std::string& path = run.paths[index].path;
    result.report->path = path;
    OpenedInput opened = open_session(path, static_cast<std::uint32_t>(index), run.forced, run.limits, worker.buffers);
    if (!opened.reader) {
        result.report->error = opened.problem;
        result.no_session = !opened.unread;
        result.layout = opened.layout;
        // Looked at, if in vain: its size is what there was to read.
        if (opened.looked_into) result.report->stats.bytes = run.paths[index].size;
        return;
    }
    RecordSource& source = *opened.source;
    result.report->format = opened.reader->id;
    const auto reader = opened.reader->make();
    if (run.options.calls) reader->use(*run.options.calls);
    if (opened.reader->relays) {
        Relay relay(run, *reader, result);
        read_records(source, *reader, relay, *result.report, [] { return true; });
        reader->finish(relay);
        relay.finish();
    } else {
        SessionAudit& audit = worker.audit(run, opened.reader);
        audit.begin_input(path);
        audit_records(run, position, source, *reader, audit, opened);
    }
    result.report->stats.bytes = source.bytes();
    const bool has_lines = source.has_lines();
    const bool find_lines = has_lines && source.counts_records();
    result.report->counts_records = find_lines || !has_lines;
    if (source.error()) {
        result.report->error = *source.error();
        result.report->still_growing = false;  // it was cut off, and nothing comes any more
    } else if (auto problem = not_one_understood(*result.report)) {
        // Readers tell of a session with the first record of any kind: here is none. In a folder that is read as of one
        // format, files of another are other files.
        result.report->error = std::move(*problem);
        result.no_session = run.forced != nullptr;
        result.sessions = std::vector<SessionPart>();
    }
    opened.source.reset();  // gives the buffers back
    if (find_lines) find_file_lines(result.sessions, path, run.limits, worker.buffers);
    if (result.report->counts_records) call_lines_records(result.sessions);
}

void work(Run& run) {
    Worker worker;
    while (const auto share = run.order->take()) {
        for (std::size_t at = share->first; at < share->second; ++at) {
            audit_input(run, at, worker);
            merge_finished(run, at);
        }
    }
}

void in_threads(Run& run, void (*work)(Run&)) {
    run.order.emplace(run.paths);
    const std::size_t jobs = std::min<std::size_t>(thread_count(run.plan.jobs), run.order->shares());
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < jobs; ++i) threads.emplace_back([&run, work] { work(run); });
    work(run);
}

void run_workers(Run& run) {
    run.finished.resize(run.paths.size());
    in_threads(run, work);
}

// ---- history that sessions share --------------------------------------------------------------------------

// All of it counts elsewhere.
void leave_to_others(Run& run, SessionPart& part) {
    part.own_from = part.own_from_line = ~std::uint64_t{0};
    keep_nothing(part);
    const std::scoped_lock lock(run.merging);
    run.merger->keep_own_turns(part.merged_as, {});
}

// A session whose beginning another one has, too, is read once more, with that beginning marked as copied.
void read_again(Run& run, std::size_t index, InputBuffers& buffers) {
    InputResult& result = run.results[index];
    if (run.paths[index].size == 0) return;  // what comes through a pipe came once
    OpenedInput opened =
        open_session(run.paths[index].path, static_cast<std::uint32_t>(index), run.forced, run.limits, buffers);
    if (!opened.reader) return;
    const auto reader = opened.reader->make();
    if (run.options.calls) reader->use(*run.options.calls);
    SessionAudit audit({}, run.own_files, run.options.engine, run.profiles, &run.models);
    audit.begin_input(run.paths[index].path);
    std::vector<std::size_t> shared;
    for (const SessionPart& part : result.sessions) shared.push_back(part.shared);
    HistoryMarker marker(audit, shared);
    InputReport ignored;
    read_records(*opened.source, *reader, marker, ignored, [] { return true; });
    reader->finish(marker);
    std::vector<SessionPart> own = audit.finish();
    if (own.size() != result.sessions.size()) return;  // a file that is written to meanwhile
    for (std::size_t i = 0; i < own.size(); ++i) {
        SessionPart& part = result.sessions[i];
        if (part.shared == 0 || marker.ends()[i].seq == 0) continue;
        part.own_from = marker.ends()[i].seq;
        part.own_from_line = marker.ends()[i].line;
        keep_own(part, own[i]);
        const std::scoped_lock lock(run.merging);
        run.merger->keep_own_turns(part.merged_as, std::move(*own[i].usage));
    }
}

void work_on_shared(Run& run) {
    InputBuffers buffers;
    while (const auto share = run.order->take()) {
        for (std::size_t at = share->first; at < share->second; ++at) {
            const std::size_t index = (*run.order)[at];
            std::vector<SessionPart>& sessions = run.results[index].sessions;
            if (!std::ranges::any_of(sessions, [](const SessionPart& part) { return part.shared > 0; })) continue;
            read_again(run, index, buffers);
            for (SessionPart& part : sessions)
                if (part.all_shared && part.own_from == 0) leave_to_others(run, part);
        }
    }
}

// Of history that several sessions have, one counts: the others are told without.
void count_shared_once(Run& run) {
    const bool any = std::ranges::any_of(run.results, [](const InputResult& result) {
        return std::ranges::any_of(result.sessions, [](const SessionPart& part) { return part.shared > 0; });
    });
    if (any) in_threads(run, work_on_shared);
}

// A finding that was made in such history is that of the session in which it counts, where there is the same.
void drop_copied_findings(Run& run, CopiedFindings& copies) {
    const auto each_part = [&](auto&& look) {
        for (InputResult& result : run.results) {
            for (SessionPart& part : result.sessions) look(part);
        }
    };
    bool any = false;
    each_part([&](const SessionPart& part) { any = any || part.own_from > 0; });
    if (!any) return;
    each_part([&](const SessionPart& part) {
        for (const Finding& f : part.findings) {
            if (!part.in_history(f)) copies.see(f, part.recording);
        }
    });
    each_part([&](SessionPart& part) {
        std::erase_if(part.findings,
                      [&](const Finding& f) { return part.in_history(f) && copies.drops(f, part.recording); });
    });
}

// Pictures of ten thousand sessions need not be as fine as that of one, and may not need as much memory.
std::size_t course_points(const AuditPlan& plan, std::size_t inputs) {
    constexpr std::size_t kOfAllInputs = std::size_t{1} << 18, kLeast = 64;
    if (plan.course_points == 0) return 0;
    return std::min(plan.course_points, std::max(kLeast, kOfAllInputs / std::max<std::size_t>(inputs, 1)));
}

// ---- from results to report -------------------------------------------------------------------------------

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
void collect_silenced(Report& report, Finding& f, Run& run) {
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
                      const TokenLedgerTotals& tokens, Run& run) {
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
std::size_t room_for_findings(const Run& run) {
    constexpr std::size_t kMost = 4096;
    std::size_t count = 0;
    for (const InputResult& result : run.results) {
        for (const SessionPart& part : result.sessions) count += part.findings.size();
    }
    return std::min(count, kMost);
}

constexpr std::string_view kLimitsRule = "budget/limits";

// What was set; the rule has read the same texts and found them right.
std::vector<RunLimit> limits_of(const Run& run) {
    std::vector<RunLimit> limits;
    const DetectorSpec* rule = find_detector(kLimitsRule);
    if (!rule || std::ranges::none_of(run.rules, [&](const BoundDetector& bound) { return bound.spec == rule; }))
        return limits;
    for (const ParamDoc& parameter : rule->params()) {
        const Setting* set = run.plan.settings.find(fmt::format("{}.{}", kLimitsRule, parameter.name));
        double most = 0;
        if (set) std::from_chars(set->value.data(), set->value.data() + set->value.size(), most);
        if (parameter.name == "window-share") most = window_percent(most);
        if (most > 0) limits.push_back({std::string(parameter.name), most});
    }
    return limits;
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

// A run in which no rule has anything to watch for says of each that it was skipped, and not that all is well.
std::vector<SkippedRule> idle_rules(const Run& run) {
    std::vector<SkippedRule> idle;
    if (std::ranges::any_of(run.rules, [](const BoundDetector& rule) { return rule.make() != nullptr; })) return idle;
    for (const BoundDetector& rule : run.rules) {
        if (rule.only_tool.empty()) idle.push_back({rule.spec->id, unmeasured::kLimit, SkipReason::session});
    }
    return idle;
}

// All findings, before it is asked of any whether it is lived with: a baseline counts them over the whole report.
void see_silenced(Run& run) {
    if (!run.silences.any()) return;
    for (InputResult& result : run.results) {
        for (SessionPart& part : result.sessions)
            run.silences.see(part.findings, part.session.look(), result.report->path);
    }
}

// What is learnt of all inputs before it can be told.
struct Learnt {
    explicit Learnt(const Run& run) : unmeasured(run.needs) {}

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

void collect_session(Report& report, SessionPart& part, Learnt& learnt, Run& run) {
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

void collect_input(Report& report, const InputPath& input, InputResult& result, Learnt& learnt, Run& run) {
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

Report build_report(Run& run, InputList& list) {
    Report report;
    report.policy = run.plan.policy;
    for (const BoundDetector& rule : run.rules) {
        if (rule.only_tool.empty()) report.rules.push_back({std::string(rule.spec->id), 0, 0});
    }
    run.listed.resize(report.rules.size());
    report.limits = run.set_limits;
    Learnt learnt(run);
    drop_copied_findings(run, learnt.copies);
    see_silenced(run);
    for (std::string& problem : list.problems) report.problems.push_back(std::move(problem));
    for (const ProfileSpec* profile : run.profiles) report.peers.emplace_back().profile = profile->name;

    report.findings.reserve(room_for_findings(run));
    for (std::size_t i = 0; i < run.results.size(); ++i)
        collect_input(report, run.paths[i], run.results[i], learnt, run);
    report.inputs = std::move(run.inputs);
    std::erase_if(report.findings, [](const Finding& f) { return f.rule.empty(); });
    report.tools = learnt.tools.listed();
    run.silences.finish(report);
    if (run.merger_forgot) {
        report.notes.push_back({Severity::warning,
                                "more requests than are remembered for finding copies: totals may count "
                                "some copied history twice"});
    }
    note_printed(report, run.printed_copies);
    note_not_shown(report);
    learnt.tell(report);
    if (!run.idle.empty()) {
        report.notes.push_back(
            {Severity::warning,
             "nothing was checked: the rules of this run have no limit to watch (agent-audit explain budget/limits)"});
    }
    return report;
}

// The command line lets nothing else through; another program may.
std::optional<Error> odd_figure(const AuditPlan& plan) {
    if (!(plan.min_confidence >= 0 && plan.min_confidence <= 1)) {
        return Error{fmt::format("min_confidence = {}: a confidence is a number from 0 to 1", plan.min_confidence)};
    }
    if (plan.max_line_bytes == 0) return Error{"max_line_bytes = 0: no record would be read"};
    return std::nullopt;
}

}  // namespace

Result<Report> audit(const AuditPlan& plan) {
    if (auto odd = odd_figure(plan)) return *odd;
    auto rules = bind_some_rules(plan);
    if (!rules) return rules.error();
    auto profiles = bind_profiles(plan.profiles);
    if (!profiles) return profiles.error();
    auto forced = reader_named(plan.input_format);
    if (!forced) return forced.error();
    auto options = bind_run_settings(plan.settings);
    if (!options) return options.error();
    if (auto problem = use_tool_classes(plan.tool_classes, options->engine)) return *problem;
    options->engine.policy = plan.policy;
    auto silences = Silences::make(plan);
    if (!silences) return silences.error();
    const auto models = load_models(plan.price_file);
    if (!models) return models.error();
    Run run(plan, *rules, *models);
    run.set_limits = limits_of(run);
    run.needs = limit_needs(*rules, run.set_limits, plan.settings);
    run.idle = idle_rules(run);
    run.forced = *forced;
    run.options = std::move(*options);
    run.silences = std::move(*silences);
    run.profiles = std::move(*profiles);
    run.limits.max_record_bytes = plan.max_line_bytes;
    InputList list = expand_inputs(plan.inputs);
    const std::uint64_t filtered = plan.filter.active() ? filter_inputs(list, plan.filter, plan.input_format) : 0;
    if (filtered > 0 && list.paths.empty()) {
        list.problems.push_back(
            fmt::format("nothing is left to read: of {} file{}, none is of the time or project asked for", filtered,
                        filtered == 1 ? "" : "s"));
    }
    run.paths = std::move(list.paths);
    if (plan.inputs_found) std::ranges::for_each(run.paths, [](InputPath& input) { input.named = false; });
    run.own_files = sub_agents_with_files(run.paths);
    run.inputs.resize(run.paths.size());
    run.results = std::vector<InputResult>(run.paths.size());
    for (std::size_t i = 0; i < run.results.size(); ++i) {
        run.results[i].report = &run.inputs[i];
        run.results[i].input = static_cast<std::uint32_t>(i);
    }
    run.course_points = course_points(plan, run.paths.size());
    run_workers(run);
    count_shared_once(run);
    run.merger_forgot = run.merger->forgot();
    run.bills = run.merger->finish();
    run.printed_copies = run.merger->printed_copies();
    run.merger.reset();
    Report report = build_report(run, list);
    std::ranges::move(overtaken_fail_counts(plan, *rules), std::back_inserter(report.notes));
    report.filtered_inputs = filtered;
    return report;
}

}  // namespace agent_audit
