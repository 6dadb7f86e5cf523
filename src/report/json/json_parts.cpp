#include "report/json/json_parts.hpp"

#include "model/unmeasured.hpp"
#include "report/json/json_remote_use.hpp"

#include <agent_audit/support/time.hpp>

#include <algorithm>
#include <set>
#include <tuple>

namespace agent_audit::report {
namespace {

constexpr std::string_view kToolName = "agent-audit";

}  // namespace

void JsonParts::safe_text(std::string_view name, std::string_view raw) {
    if (!raw.empty()) json_.text(name, redact_.shown_text(raw));
}

void JsonParts::safe_path(std::string_view name, std::string_view raw) {
    if (!raw.empty())
        json_.text(name, redact_.shown_text(raw));  // recorded, and no input that somebody must find again
}

void JsonParts::strings(std::string_view name, const std::vector<std::string>& values, bool redact) {
    if (values.empty()) return;
    json_.key(name).begin_array();
    for (const std::string& value : values) json_.text(redact ? redact_.shown_text(value) : value);
    json_.end_array();
}

std::vector<const Finding*> all_findings(const Report& report) {
    std::vector<const Finding*> all;
    for (const auto* list : {&report.findings, &report.silenced}) {
        for (const Finding& finding : *list) all.push_back(&finding);
    }
    const auto place = [](const Finding* f) { return std::tie(f->session, f->first_line, f->last_line, f->rule); };
    if (!report.silenced.empty()) std::ranges::stable_sort(all, {}, place);
    return all;
}

void JsonParts::head() {
    json_.text("schema", kResultSchema);
    json_.key("tool").begin_object();
    json_.text("name", kToolName);
    json_.known_text("version", options_.tool_version);
    json_.end_object();
}

void JsonParts::tokens(const TokenCounts& t) {
    json_.number("input", t.input);
    json_.number("cache_write", t.cache_write);
    json_.number("cache_read", t.cache_read);
    json_.number("output", t.output);
    json_.known_number("reasoning", t.reasoning);
    json_.known_number("cache_write_1h", t.cache_write_1h);
    json_.number("total", t.total());
}

void JsonParts::list_price(const RequestCost& cost) {
    if (const auto known = cost.micro_dollars()) json_.number("micro_dollars", *known);
    json_.known_number("unpriced_requests", cost.unpriced_requests);
}

void JsonParts::cost_parts(const CostParts& parts) {
    json_.key("cost_parts").begin_object();
    json_.number("input", parts.input.micro_dollars());
    json_.number("cache_write", parts.cache_write.micro_dollars());
    json_.number("cache_read", parts.cache_read.micro_dollars());
    json_.number("output", parts.output.micro_dollars());
    json_.end_object();
}

void JsonParts::requests(const TokenCounts& t, std::uint64_t requests) {
    tokens(t);
    json_.number("requests", requests);
}

// Without a source there are no figures at all: unknown is absent, never 0.
void JsonParts::ledger(const TokenLedgerTotals& ledger, bool details) {
    json_.key("tokens").begin_object();
    json_.text("source", name(ledger.source));
    if (ledger.source != TokensSource::none) {
        requests(ledger.total, ledger.requests);
        json_.known_number("copied_requests", ledger.copied_requests);
        list_price(ledger.cost);
        if (ledger.cost.priced_requests > 0) cost_parts(ledger.cost_parts);
    }
    if (ledger.cost_microusd) json_.number("cost_microusd", *ledger.cost_microusd);
    json_.known_number("peak_context", ledger.peak_context);
    json_.known_number("peak_context_line", ledger.peak_context_line);
    json_.known_number("window", ledger.window_tokens);
    if (details && !ledger.by_model.empty()) {
        json_.key("by_model").begin_array();
        for (const ModelTokens& entry : ledger.by_model) {
            json_.begin_object();
            model(entry);
            json_.end_object();
        }
        json_.end_array();
    }
    if (details && ledger.by_lane.size() > 1) {
        json_.key("by_lane").begin_array();
        for (const LaneTokens& lane : ledger.by_lane) {
            json_.begin_object();
            json_.number("lane", lane.lane);
            safe_text("label", lane.label);
            requests(lane.tokens, lane.requests);
            list_price(lane.cost);
            json_.end_object();
        }
        json_.end_array();
    }
    if (details && !ledger.top_turns.empty()) {
        json_.key("top_turns").begin_array();
        for (const TurnTokens& turn : ledger.top_turns) {
            json_.begin_object();
            json_.number("lane", turn.lane);
            json_.number("turn", turn.turn);
            json_.known_number("first_line", turn.first_line);
            requests(turn.tokens, turn.requests);
            list_price(turn.cost);
            json_.end_object();
        }
        json_.end_array();
        if (ledger.turns_by_cost) json_.flag("turns_by_cost", true);
    }
    json_.end_object();
}

void JsonParts::model(const ModelTokens& entry) {
    safe_text("model", entry.model);
    requests(entry.tokens, entry.requests);
    list_price(entry.cost);
}

void JsonParts::counts(const SessionCounts& c) {
    json_.key("counts").begin_object();
    json_.number("events", c.events);
    json_.number("human_messages", c.human_messages);
    json_.number("assistant_messages", c.assistant_messages);
    json_.number("responses", c.responses);
    json_.number("turns", c.turns);
    json_.number("calls", c.calls);
    json_.number("results", c.results);
    json_.number("paired", c.paired);
    json_.number("unanswered", c.unanswered);
    json_.number("unanswered_at_end", c.unanswered_at_end);
    json_.number("unanswered_stopped", c.unanswered_stopped);
    json_.number("unanswered_compacted", c.unanswered_compacted);
    json_.number("orphans", c.orphans);
    json_.number("errors", c.errors);
    json_.number("denied", c.denied);
    json_.number("steps", c.steps);
    json_.number("compactions", c.compactions);
    json_.number("rewinds", c.rewinds);
    json_.number("aborted_turns", c.aborted_turns);
    json_.number("provider_errors", c.provider_errors);
    json_.number("lanes", c.lanes);
    json_.end_object();
}

void JsonParts::provider_errors(const ProviderErrors& errors) {
    if (errors.kinds.empty()) return;
    json_.key("provider_errors").begin_object();
    json_.known_number("first_line", errors.first_line);
    json_.known_number("last_line", errors.last_line);
    json_.key("kinds").begin_array();
    for (const ProviderErrors::Kind& kind : errors.kinds) {
        json_.begin_object();
        json_.text("code", redact_.shown_text(kind.code));
        json_.number("count", kind.count);
        json_.end_object();
    }
    json_.end_array();
    json_.known_number("other", errors.other);
    json_.end_object();
}

void JsonParts::tools(const std::vector<ToolStats>& tools) {
    if (tools.empty()) return;
    json_.key("tools").begin_array();
    for (const ToolStats& tool : tools) {
        json_.begin_object();
        json_.text("tool", redact_.shown_text(tool.tool));
        json_.number("calls", tool.calls);
        json_.number("failures", tool.failed());
        if (tool.failed() > 0) {
            json_.key("failures_by_class").begin_object();
            for (std::size_t i = 0; i < kErrorClassCount; ++i) {
                const auto error = static_cast<ErrorClass>(i);
                json_.known_number(error == ErrorClass::user_denied ? "user_denied" : name(error), tool.failures[i]);
            }
            json_.end_object();
        }
        json_.known_number("longest_failure_streak", tool.longest_failure_streak);
        json_.end_object();
    }
    json_.end_array();
}

void JsonParts::records(const IngestStats& stats) {
    json_.key("records").begin_object();
    json_.number("total", stats.records());
    for (std::size_t i = 0; i < kLineFateCount; ++i) json_.known_number(kLineFates[i].name, stats.fates[i]);
    json_.end_object();
    json_.number("bytes", stats.bytes);
}

void JsonParts::summary() {
    json_.text("policy", name(report_.policy));
    if (report_.least != Severity::info) json_.text("min_severity", name(report_.least));
    if (!report_.limits.empty()) {
        json_.key("limits").begin_array();
        for (const RunLimit& limit : report_.limits) {
            json_.begin_object();
            safe_text("limit", limit.what);
            json_.real("most", limit.most);
            json_.end_object();
        }
        json_.end_array();
    }
    json_.number("inputs", report_.inputs.size());
    json_.known_number("skipped_inputs", report_.skipped_inputs);
    json_.known_number("filtered_inputs", report_.filtered_inputs);
    json_.number("sessions", report_.sessions.size());
    json_.number("events", report_.counts.events);
    json_.number("steps", report_.counts.steps);
    json_.key("findings").begin_object();
    json_.number("error", report_.errors);
    json_.number("warning", report_.warnings);
    json_.number("info", report_.infos);
    json_.known_number("baselined", report_.baselined);
    json_.known_number("suppressed", report_.suppressed);
    json_.end_object();
    baseline();
    counts(report_.counts);
    tools(report_.tools);
    ledger(report_.tokens, true);
    records(report_.ingest);
    json_.key("rules").begin_array();
    for (const RuleRun& entry : report_.rules) {
        json_.begin_object();
        rule(entry);
        json_.end_object();
    }
    json_.end_array();

    const std::vector<SkippedTotal> skipped = skipped_totals(report_);
    std::set<std::string_view> rules;
    for (const SkippedTotal& total : skipped) rules.insert(total.rule.rule);
    json_.key("skipped_rules").begin_array();
    for (const std::string_view rule_id : rules) json_.text(rule_id);
    json_.end_array();
    skipped_sums(skipped);
    peer_totals(report_.peers);
    remotes();
}

void JsonParts::peer_totals(const std::vector<PeerTotals>& totals) {
    if (totals.empty()) return;
    json_.key("peers").begin_array();
    for (const PeerTotals& t : totals) {
        json_.begin_object();
        json_.text("profile", t.profile);
        json_.number("sessions", t.sessions);
        json_.number("warned", t.warned);
        json_.number("stopped", t.stopped);
        json_.number("right", t.right);
        json_.number("false_alarm", t.false_alarms);
        json_.number("missed", t.missed);
        json_.number("silent_right", t.silent_right);
        json_.end_object();
    }
    json_.end_array();
}

void JsonParts::peers(const std::vector<PeerOutcome>& outcomes) {
    if (outcomes.empty()) return;
    json_.key("peers").begin_array();
    for (const PeerOutcome& peer : outcomes) {
        json_.begin_object();
        json_.text("profile", peer.profile);
        json_.text("verdict", name(peer.verdict));
        reaction("warned", peer.warned);
        reaction("stopped", peer.stopped);
        json_.end_object();
    }
    json_.end_array();
}

void JsonParts::reaction(std::string_view field, const std::optional<PeerReaction>& r) {
    if (!r) return;
    json_.key(field).begin_object();
    json_.text("rule", r->rule);
    json_.number("line", r->line);
    json_.number("event", r->seq);
    json_.number("step", r->step);
    json_.number("lane", r->lane);
    json_.end_object();
}

void JsonParts::rule(const RuleRun& entry) {
    json_.text("rule", entry.id);
    json_.number("findings", entry.findings);
    json_.known_number("not_shown", entry.not_shown);
}

void JsonParts::input(const InputReport& in) {
    json_.text("path", redact_.shown_input(in.path));
    json_.known_text("format", in.format);
    records(in.stats);
    if (!in.bad.empty()) {
        json_.key("bad_records").begin_array();
        for (const BadRecord& bad : in.bad) {
            json_.begin_object();
            json_.number("line", bad.line);
            json_.text("fate", info(bad.fate).name);
            safe_text("reason", bad.reason);
            json_.end_object();
        }
        json_.end_array();
    }
    if (in.error) json_.text("error", redact_.shown_text(*in.error));
    if (in.still_growing) json_.flag("still_growing", true);
    if (in.counts_records) json_.flag("counts_records", true);
}

void JsonParts::skipped_rule(const SkippedRule& skipped) {
    json_.text("rule", skipped.rule);
    json_.text("needs", missing_names(skipped.missing));
    json_.text("reason", name(skipped.reason));
}

void JsonParts::skipped_rules(const std::vector<SkippedRule>& skipped) {
    if (skipped.empty()) return;
    json_.key("skipped_rules").begin_array();
    for (const SkippedRule& entry : skipped) {
        json_.begin_object();
        skipped_rule(entry);
        json_.end_object();
    }
    json_.end_array();
}

void JsonParts::skipped_sums(const std::vector<SkippedTotal>& totals) {
    if (totals.empty()) return;
    json_.key("skipped").begin_array();
    for (const SkippedTotal& total : totals) {
        json_.begin_object();
        skipped_rule(total.rule);
        json_.number("sessions", total.sessions);
        json_.end_object();
    }
    json_.end_array();
}

void JsonParts::session(std::size_t index) {
    const SessionReport s = report_.sessions[index];
    json_.number("index", index);
    json_.number("input", s.input);
    if (s.input < report_.inputs.size()) json_.text("path", redact_.shown_input(report_.inputs[s.input].path));
    safe_text("id", s.id);
    safe_text("parent_id", s.parent_id);
    safe_text("label", s.label);
    json_.known_text("format", s.format);
    safe_text("product_version", s.product_version);
    safe_path("cwd", s.cwd);
    safe_text("model", s.model);
    if (s.sub_agent) json_.flag("sub_agent", true);
    if (s.housekeeping) json_.flag("housekeeping", true);
    if (s.output_incomplete) json_.flag("output_incomplete", true);
    if (s.counts_records) json_.flag("counts_records", true);
    json_.known_number("first_line", s.first_line);
    json_.known_number("last_line", s.last_line);
    if (s.first_time_ms != kNoTime) json_.text("first_time", format_time_ms(s.first_time_ms));
    if (s.last_time_ms != kNoTime) json_.text("last_time", format_time_ms(s.last_time_ms));
    counts(s.counts);
    provider_errors(s.provider_errors);
    tools(s.tools);
    ledger(s.tokens, true);
    context(s.context);
    resets(s.resets);
    goal(s.goal);
    activity(s.activity);
    drift(s.drift);
    similarity(s.similarity);
    skipped_rules(s.skipped_rules);
    not_shown(s.not_shown);
    peers(s.peers);
}

void JsonParts::not_shown(const std::vector<NotShown>& rules) {
    if (rules.empty()) return;
    json_.key("not_shown").begin_array();
    for (const NotShown& entry : rules) {
        json_.begin_object();
        json_.text("rule", entry.rule);
        for (const Severity severity : {Severity::error, Severity::warning, Severity::info}) {
            json_.known_number(name(severity), entry.by_severity[static_cast<std::size_t>(severity)]);
        }
        json_.end_object();
    }
    json_.end_array();
}

void JsonParts::span(const Finding& f) {
    json_.key("span").begin_object();
    json_.number("first_line", f.first_line);
    json_.number("last_line", f.last_line);
    json_.number("first_event", f.first_seq);
    json_.number("last_event", f.last_seq);
    json_.known_number("first_step", f.first_step);
    json_.known_number("last_step", f.last_step);
    json_.number("first_offset", f.first_offset);
    json_.number("end_offset", f.end_offset);
    if (f.file_lines) {
        json_.number("first_file_line", f.file_lines->first);
        json_.number("last_file_line", f.file_lines->last);
    }
    json_.end_object();
}

void JsonParts::pattern(const Finding& f) {
    strings("round", f.round, true);
    json_.known_number("period", f.period);
    json_.known_number("repeats", f.repeats);
    if (f.recovered) json_.flag("recovered", true);
    if (!f.contiguous) json_.flag("contiguous", false);
    if (f.persisted_after_notice) json_.flag("persisted_after_notice", true);
    if (f.persisted_across_compaction) json_.flag("persisted_across_compaction", true);
}

void JsonParts::wasted(const Finding& f) {
    if (f.wasted_steps == 0 && !f.wasted_tokens && !f.wasted_cost_microusd) return;
    json_.key("wasted").begin_object();
    json_.known_number("steps", f.wasted_steps);
    if (f.wasted_tokens) {
        json_.key("tokens").begin_object();
        json_.text("source", name(f.tokens_source));
        tokens(*f.wasted_tokens);
        json_.end_object();
    }
    if (f.wasted_cost_microusd) json_.number("cost_microusd", *f.wasted_cost_microusd);
    json_.end_object();
}

void JsonParts::because(const Finding& f) {
    if (f.because.empty()) return;
    json_.key("because").begin_array();
    for (const Fact& fact : f.because) {
        json_.begin_object();
        json_.text("name", fact.name);
        json_.text("value", redact_.shown_text(fact.value));
        json_.end_object();
    }
    json_.end_array();
}

// How a finding stands to the baseline and to suppressions: what has one of them never counts.
void JsonParts::standing(const Finding& f) {
    if (f.baseline != BaselineState::none && !f.suppressed) {
        json_.text("baseline_state", f.baseline == BaselineState::unchanged ? "unchanged" : "new");
    }
    if (!f.suppressed) return;
    json_.key("suppressed").begin_object();
    safe_text("reason", f.suppressed->reason);
    json_.known_text("until", f.suppressed->until);
    safe_text("origin", f.suppressed->origin);
    json_.end_object();
}

void JsonParts::baseline() {
    if (!report_.baseline) return;
    const BaselineReport& known = *report_.baseline;
    json_.key("baseline").begin_object();
    json_.text("source", redact_.shown_input(known.source));
    json_.number("entries", known.entries);
    json_.number("unchanged", known.unchanged);
    json_.key("absent").begin_array();
    for (const BaselineReport::Gone& gone : known.absent) {
        json_.begin_object();
        json_.text("rule", gone.rule);
        json_.text("fingerprint", gone.pattern_fingerprint);
        json_.end_object();
    }
    json_.end_array();
    json_.end_object();
}

void JsonParts::judgement(const Finding& f) {
    if (!f.judgement) return;
    const Judgement& word = *f.judgement;
    json_.key("judge").begin_object();
    json_.text("verdict", name(word.verdict));
    json_.text("severity_before", name(word.severity_before));
    json_.text("reason", redact_.shown_text(word.reason));
    strings("suggestions", word.suggestions, true);
    strings("next_actions", word.next_actions, true);
    if (word.cached) json_.flag("cached", true);
    json_.end_object();
}

void JsonParts::remotes() {
    if (report_.remotes.empty()) return;
    json_.key("endpoints").begin_array();
    for (const RemoteUse& use : report_.remotes) {
        json_.begin_object();
        write_remote_use(json_, use, redact_);
        json_.end_object();
    }
    json_.end_array();
}

void JsonParts::finding(const Finding& f) {
    json_.known_text("id", f.finding_fingerprint);
    json_.text("rule", f.rule);
    json_.known_text("code", f.code);
    json_.text("severity", name(f.severity));
    json_.real("confidence", f.confidence);
    json_.text("message", redact_.shown_text(f.message));
    json_.number("session", f.session);
    if (f.session < report_.sessions.size()) {
        safe_text("session_id", report_.sessions.id(f.session));
        const std::uint32_t input = report_.sessions.input(f.session);
        if (input < report_.inputs.size()) json_.text("path", redact_.shown_input(report_.inputs[input].path));
    }
    json_.number("lane", f.lane);
    span(f);
    json_.key("evidence").begin_array();
    for (const Evidence& evidence : f.evidence) {
        json_.begin_object();
        json_.number("line", evidence.line);
        json_.number("event", evidence.seq);
        json_.known_text("role", evidence.role);
        json_.text("text", redact_.shown_text(evidence.text));
        json_.end_object();
    }
    json_.end_array();
    pattern(f);
    wasted(f);
    because(f);
    safe_text("action", f.action);
    judgement(f);
    if (f.reset_line) json_.number("reset_line", *f.reset_line);
    strings("also", f.also, false);
    standing(f);
    if (f.finding_fingerprint.empty() && f.pattern_fingerprint.empty()) return;
    json_.key("fingerprints").begin_object();
    json_.known_text("agentAuditFinding/v1", f.finding_fingerprint);
    json_.known_text("agentAuditPattern/v1", f.pattern_fingerprint);
    json_.end_object();
}

void JsonParts::note(const Note& entry) {
    json_.text("severity", name(entry.severity));
    json_.text("text", redact_.shown_text(entry.text));
}

void JsonParts::problem(const std::string& text) {
    json_.text("severity", name(Severity::error));
    json_.text("text", redact_.shown_input(text));
}

}  // namespace agent_audit::report
