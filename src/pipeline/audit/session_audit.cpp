#include "pipeline/audit/session_audit.hpp"

#include "model/unmeasured.hpp"
#include "pipeline/watches/peers.hpp"
#include "tokens/waste_cost.hpp"

#include <agent_audit/support/hash.hpp>
#include <agent_audit/support/unescape.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace agent_audit {
namespace {

constexpr std::size_t kMaxField = 500;  // bytes of an id, path or version kept: more is hostile

std::string field(RawText raw) {
    return raw.form == TextForm::plain ? std::string(cut_utf8(raw.bytes, kMaxField))
                                       : decode_json_string(raw.bytes.substr(0, 4 * kMaxField), kMaxField);
}

// The model of the last request of the main conversation, or of the last one at all. Empty: no usage names a model.
std::string last_answering(const SessionUsage& usage) {
    const auto model = [&usage](const RequestRecord& r) {
        return r.model < usage.models.size() ? usage.models[r.model] : std::string();
    };
    const std::size_t known = std::min(usage.requests.size(), RequestList::kOpen);
    for (std::size_t back = 0; back < known; ++back) {
        if (const RequestRecord& r = usage.requests.recent(back); r.lane == 0 && !model(r).empty()) return model(r);
    }
    return known > 0 ? model(usage.requests.recent(0)) : std::string();
}

// Stable across re-scans of a growing file: rule, session, first call.
std::string finding_fingerprint(const Finding& f, std::string_view session) {
    const std::string first =
        f.first_call_id != 0 ? fmt::format("call:{:016x}", f.first_call_id) : fmt::format("line:{}", f.first_line);
    return fingerprint_hex(fmt::format("agentAuditFinding/v1\n{}\n{}\n{}\n{}", f.rule, session, f.lane, first));
}

// Stable across sessions and machines: rule, canonical action cycle, class of the outcome.
std::string pattern_fingerprint(const Finding& f) {
    return fingerprint_hex(fmt::format("agentAuditPattern/v1\n{}\n{:016x}", f.rule, f.pattern_key));
}

// What is missing though there was occasion for it. A conversation without calls, compactions or sub-agents tells
// that there were none; calls without any result do not. One open call is how a killed session ends.
Signals untold(const SessionReport& session, const SessionUsage& usage) {
    Signals missing;
    if (session.counts.calls > 1 && session.counts.results == 0) missing = missing | Signal::tool_results;
    if (session.counts.responses > 0 && usage.requests.empty()) missing = missing | Signal::token_usage;
    if (session.counts.events > 0 && session.first_time_ms == kNoTime) missing = missing | Signal::timestamps;
    return missing;
}

}  // namespace

void SessionOpening::on_event(const Event& event) {
    if (texts_ == kTexts) return;
    const RawText* text = nullptr;
    if (const auto* message = std::get_if<Message>(&event.body)) text = &message->text;
    if (const auto* call = std::get_if<ToolCall>(&event.body)) text = &call->args;
    if (const auto* result = std::get_if<ToolResult>(&event.body)) text = &result->text;
    if (!text) return;
    ++texts_;
    hash_ = stable_hash(text->bytes, hash_);
}

std::string SessionOpening::name(std::size_t number) const { return fmt::format("opening:{:016x}:{}", hash_, number); }

void SessionAudit::on_event(const Event& event) {
    if (const auto* start = std::get_if<SessionStart>(&event.body); start && !start->resumed)
        begin_session(event, *start);
    if (muted_.mutes(event)) return;
    open_ = true;
    // Spans of a trace are told in the order in which they began, not in which they were written.
    if (current_.first_line == 0 || event.head.where.line < current_.first_line)
        current_.first_line = event.head.where.line;
    current_.last_line = std::max(current_.last_line, event.head.where.line);
    if (event.head.time_ms != kNoTime && (event.head.flags & kCopied) == 0) {
        if (current_.first_time_ms == kNoTime || event.head.time_ms < current_.first_time_ms)
            current_.first_time_ms = event.head.time_ms;
        if (event.head.time_ms > current_.last_time_ms) current_.last_time_ms = event.head.time_ms;
    }
    if (current_.id.empty()) opening_.on_event(event);
    if (const auto* change = std::get_if<ContextChange>(&event.body)) {
        if (current_.model.empty()) current_.model = field(change->model);
    }
    ledger_.on_event(event);
    requests_.hear(event);
    resets_.on_event(event, ledger_);
    if (peers_) peers_->on_event(event);
    static constexpr TokenCounts kNotAsked;
    const bool asked = engine_.asks_spending(event);
    engine_.on_event(event, asked ? ledger_.lane_spent(event.head.lane) : kNotAsked,
                     asked ? ledger_.session_spent() : kNotAsked);
    if (const auto* usage = std::get_if<Usage>(&event.body)) {
        if (const RequestFigures* figures = requests_.on_usage(event, *usage, ledger_)) {
            engine_.on_request(event.head, *figures);
            if (courses_) courses_->on_request(event.head, figures->context);
        }
    } else if (const auto* change = std::get_if<ContextChange>(&event.body)) {
        requests_.on_change(*change, (event.head.flags & kSynthetic) == 0);
    } else if (courses_) {
        if (const auto* compaction = std::get_if<Compaction>(&event.body))
            courses_->on_compaction(event.head, *compaction);
    }
}

void SessionAudit::begin_session(const Event& event, const SessionStart& start) {
    end_session();
    open_ = true;
    current_.id = field(start.session_id);
    current_.parent_id = field(start.parent_session_id);
    current_.label = field(start.label);
    current_.product_version = field(start.product_version);
    current_.cwd = field(start.cwd);
    engine_.in_folder(current_.cwd);
    current_.model = field(start.model);
    current_.sub_agent = start.sub_agent;
    current_.housekeeping = start.housekeeping;
    current_.first_line = current_.last_line = event.head.where.line;
}

void SessionAudit::end_session() {
    if (!open_) return;
    if (!parts_.empty()) parts_.back().session.rest();  // the last one is looked at once more soon
    ++ended_;
    SessionPart& part = parts_.emplace_back();
    SessionOutcome outcome = engine_.finish();
    requests_.see_late_window(outcome.contexts, ledger_);
    ContextReport context{std::move(outcome.contexts), requests_.finish(ledger_)};
    part.unpriced = requests_.unpriced();
    part.windowless = requests_.windowless();
    // After the engine is finished and before the ledger is.
    std::vector<ResetSuggestion> advised = resets_.finish(outcome.findings, ledger_, models_);
    part.usage = std::make_unique<SessionUsage>(ledger_.finish());
    const SessionUsage& usage = *part.usage;
    part.incomplete.see(usage);
    SessionReport report = std::move(current_);
    report.output_incomplete = output_incomplete(usage);
    report.counts = outcome.counts;
    report.provider_errors = std::move(outcome.provider_errors);
    report.context = std::move(context);
    if (courses_) report.courses = courses_->finish();
    if (!report.housekeeping) report.resets = std::move(advised);
    report.tools = std::move(outcome.tools);
    report.goal = std::move(outcome.goal);
    report.activity = std::move(outcome.activity);
    report.drift = std::move(outcome.drift);
    report.counts.lanes = outcome.counts.lanes + 1;
    part.untold = untold(report, usage);
    // A summariser's own conversation is housekeeping: it repeats by design.
    if (!report.housekeeping) {
        if (part.unpriced > 0) part.untold = part.untold | unmeasured::kPrice;
        if (part.windowless > 0) part.untold = part.untold | unmeasured::kWindow;
        part.findings = std::move(outcome.findings);
        part.unlisted = std::move(outcome.unlisted);
    }
    if (peers_) {
        report.peers = peers_->finish();
        if (report.housekeeping) report.peers.clear();
        judge_peers(report.peers, part.findings);
    }
    if (std::ranges::find(usage.models, report.model) == usage.models.end()) {
        if (std::string answered = last_answering(usage); !answered.empty()) report.model = std::move(answered);
    }
    const std::string session = report.id.empty() ? opening_.name(ended_) : report.id;
    std::optional<WasteCost> prices;
    if (models_) prices.emplace(usage, *models_);
    for (Finding& f : part.findings) {
        if (f.first_line > f.last_line) std::swap(f.first_line, f.last_line);
        if (prices && f.wasted_tokens) {
            const auto cost = prices->of(f.lane, {f.first_seq, f.last_seq}, *f.wasted_tokens);
            if (cost) f.wasted_cost_microusd = cost->micro_dollars();
        }
        f.finding_fingerprint = finding_fingerprint(f, session);
        f.pattern_fingerprint = pattern_fingerprint(f);
    }
    part.findings.shrink_to_fit();  // they stay until the run is over
    part.session.open(std::move(report));
    current_ = SessionReport{};
    opening_ = {};
    muted_.clear();
    open_ = false;
}

std::vector<SessionPart> SessionAudit::take_ended() { return std::exchange(parts_, {}); }

std::vector<SessionPart> SessionAudit::finish() {
    end_session();
    ended_ = 0;
    return take_ended();
}

}  // namespace agent_audit
