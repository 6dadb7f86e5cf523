#include "cli/replays/replay_json.hpp"

#include "report/json/json_remote_use.hpp"
#include "report/redaction/redact.hpp"

#include <cmath>

namespace agent_audit::cli {
namespace {

using report::JsonWriter;
using simulator::PolicyOutcome;
using simulator::SessionOutcome;
using simulator::TurnRow;

std::uint64_t rounded(double value) { return value > 0 ? static_cast<std::uint64_t>(std::llround(value)) : 0; }

void money(JsonWriter& json, std::string_view name, const std::optional<Money>& amount) {
    if (amount) json.number(name, amount->micro_dollars());
}

void optional(JsonWriter& json, std::string_view name, const std::optional<std::uint64_t>& value) {
    if (value) json.number(name, *value);
}

void write_edits(JsonWriter& json, const PolicyOutcome::CacheTotals& cache) {
    if (cache.edits == 0) return;
    json.key("edits").begin_object();
    json.number("count", cache.edits);
    money(json, "extra_microusd", cache.edits_extra);
    money(json, "saved_microusd", cache.edits_saved);
    optional(json, "break_even_requests", cache.break_even);
    if (cache.edits_extra) json.number("paid_off", cache.paid_off);
    json.end_object();
}

void write_policy(JsonWriter& json, const PolicyOutcome& policy) {
    json.newline();
    json.begin_object();
    json.text("context", policy.policy);
    json.number("requests", policy.requests);
    json.number("peak_tokens", policy.peak_tokens);
    json.number("mean_tokens", rounded(policy.mean_tokens));
    json.number("compactions", policy.compactions);
    json.number("overflows", policy.overflows);
    json.number("cleared_results", policy.cleared_results);
    json.number("dropped_messages", policy.dropped_messages);
    json.number("summary_tokens_in", policy.summary_tokens_in);
    json.number("summary_tokens_out", policy.summary_tokens_out);
    money(json, "cost_microusd", policy.cost);
    money(json, "summary_cost_microusd", policy.summary_cost);
    json.known_number("unpriced_requests", policy.unpriced_requests);
    if (policy.cache) {
        json.key("cache").begin_object();
        json.number("read", policy.cache->read);
        json.number("write", policy.cache->write);
        json.number("input", policy.cache->input);
        json.number("misses", policy.cache->misses);
        json.known_number("recorded_misses", policy.cache->recorded_misses);
        if (policy.cache->assumed) json.flag("assumed", true);
        if (policy.cache->recorded_deviation) json.real("recorded_deviation", *policy.cache->recorded_deviation);
        if (policy.cache->scaled_by) json.real("scaled_by", *policy.cache->scaled_by);
        write_edits(json, *policy.cache);
        json.end_object();
    }
    if (policy.regret) {
        json.key("regret").begin_object();
        json.number("tokens", policy.regret->tokens);
        json.number("rereads", policy.regret->rereads);
        json.number("lost_identifiers", policy.regret->lost_identifiers);
        json.number("repeated_failures", policy.regret->repeated_failures);
        json.number("lost_instructions", policy.regret->lost_instructions);
        if (policy.regret->first_loss_turn) json.number("first_loss_turn", *policy.regret->first_loss_turn);
        json.end_object();
    }
    json.end_object();
}

void write_session(JsonWriter& json, const SessionOutcome& session) {
    json.newline();
    json.begin_object();
    json.known_text("session", session.session);
    json.known_text("label", session.label);
    json.known_number("first_line", session.first_line);
    json.number("requests", session.requests);
    json.number("messages", session.messages);
    json.number("turns", session.turns);
    json.known_number("other_lane_events", session.other_lanes);
    json.known_number("copied_answers", session.copied_answers);
    json.known_number("reasoning_left", session.reasoning_left);
    json.number("window_tokens", rounded(session.window_tokens));
    json.text("window_source", window_source_name(session.window_source));
    json.known_text("model", session.model);
    json.flag("priced", session.priced);
    json.known_number("unpriced_requests", session.unpriced_requests);
    json.number("unseen_tokens", rounded(session.unseen_tokens));
    json.key("calibration").begin_object();
    json.number("billed_requests", session.billed_requests);
    json.number("samples", session.samples);
    json.real("median_error", session.median_error);
    json.end_object();
    json.key("recorded").begin_object();
    json.known_number("peak_tokens", session.recorded_peak);
    json.known_number("mean_tokens", rounded(session.recorded_mean));
    json.number("compactions", session.recorded_compactions);
    json.known_number("requests", session.bill.requests);
    money(json, "cost_microusd", session.bill.cost ? session.bill.cost : session.billed_cost);
    money(json, "replayed_cost_microusd", session.billed_cost);
    json.end_object();
    json.key("summaries").begin_object();
    json.real("share", session.summary_share);
    json.number("fitted_from", session.fitted_summaries);
    json.end_object();
    json.key("contexts").begin_array();
    for (const PolicyOutcome& policy : session.policies) write_policy(json, policy);
    json.end_array();
    json.end_object();
}

}  // namespace

void write_replay(JsonWriter& json, const ReplayOutcome& outcome, const std::optional<RemoteUse>& summarizer) {
    json.begin_object();
    json.text("schema", "agent-audit/replay/1");
    json.text("format", outcome.format);
    json.flag("teacher_forced", true);
    json.known_number("lost_records", outcome.lost_records);
    json.known_text("problem", outcome.problem);
    if (summarizer) {
        report::Redactor redact(Redact::secrets);
        json.key("summarizer").begin_object();
        report::write_remote_use(json, *summarizer, redact);
        json.end_object();
    }
    json.key("sessions").begin_array();
    for (const SessionOutcome& session : outcome.sessions) write_session(json, session);
    json.end_array();
    json.end_object();
    json.newline();
}

void write_turn(JsonWriter& json, std::size_t session, std::string_view context, const TurnRow& row) {
    json.begin_document();
    json.begin_object();
    json.text("kind", "turn");
    json.number("session", session);
    json.text("context", context);
    json.number("request", row.request);
    json.number("turn", row.turn);
    json.known_number("line", row.line);
    if (row.time_ms) json.number("time_ms", rounded(*row.time_ms));
    if (row.tokens_recorded) json.number("tokens_recorded", *row.tokens_recorded);
    json.number("tokens_before", row.tokens_before);
    json.number("tokens_after", row.tokens_after);
    json.real("ratio", std::round(row.ratio * 1e4) / 1e4);
    if (!row.pruned.empty()) {
        json.key("pruned").begin_array();
        for (const simulator::PrunedRow& one : row.pruned) {
            json.begin_object();
            json.number("message", one.source_index);
            json.text("action", simulator::action_name(one.action));
            json.number("tokens_before", one.tokens_before);
            json.number("tokens_after", one.tokens_after);
            json.end_object();
        }
        json.end_array();
    }
    if (!row.compactions.empty()) {
        json.key("compactions").begin_array();
        for (const simulator::CompactionRow& one : row.compactions) {
            json.begin_object();
            json.number("tokens_in", one.tokens_in);
            json.number("tokens_summary", one.tokens_summary);
            json.number("kept_from", one.kept_from);
            json.flag("split_turn", one.split_turn);
            json.end_object();
        }
        json.end_array();
    }
    if (row.overflow) json.flag("overflow", true);
    if (row.cache) {
        json.key("cache").begin_object();
        json.number("read", row.cache->read);
        json.number("write", row.cache->write);
        json.number("input", row.cache->input);
        json.known_text("miss_reason", row.cache->miss_reason);
        if (const auto& edit = row.cache->edit) {
            json.key("edit").begin_object();
            json.number("position", edit->position);
            json.number("removed", edit->removed);
            money(json, "extra_microusd", edit->extra);
            money(json, "saved_microusd", edit->saved);
            optional(json, "break_even_requests", edit->break_even);
            json.end_object();
        }
        json.end_object();
    }
    money(json, "cost_microusd", row.cost);
    if (!row.regret.empty()) {
        json.key("regret").begin_array();
        for (const simulator::RegretRow& one : row.regret) {
            json.begin_object();
            json.text("kind", one.kind);
            json.number("message", one.source_index);
            json.number("tokens", one.tokens);
            json.end_object();
        }
        json.end_array();
    }
    json.end_object();
    json.newline();
}

}  // namespace agent_audit::cli
