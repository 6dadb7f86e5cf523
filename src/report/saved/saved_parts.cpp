#include "report/saved/saved_parts.hpp"

#include "model/unmeasured.hpp"
#include "report/json/json_parts.hpp"

#include <agent_audit/support/time.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace agent_audit::saved {
namespace {

TokenCounts token_counts(const Json& j) {
    return {.input = number(j, "input"),
            .cache_write = number(j, "cache_write"),
            .cache_read = number(j, "cache_read"),
            .output = number(j, "output"),
            .reasoning = number(j, "reasoning"),
            .cache_write_1h = number(j, "cache_write_1h")};
}

TokensSource tokens_source(const Json& j) {
    constexpr TokensSource kAll[] = {TokensSource::none, TokensSource::reported, TokensSource::estimated};
    return choice(text(j, "source"), kAll, TokensSource::none);
}

Money micro_dollars(std::uint64_t value) {
    constexpr std::uint64_t kParts = 1'000'000;
    return Money(std::min(value, std::numeric_limits<std::uint64_t>::max() / kParts) * kParts);
}

RequestCost request_cost(const Json& j, std::uint64_t requests) {
    RequestCost cost;
    cost.unpriced_requests = number(j, "unpriced_requests");
    if (const auto known_cost = known(j, "micro_dollars")) {
        cost.known = micro_dollars(*known_cost);
        cost.priced_requests = requests > cost.unpriced_requests ? requests - cost.unpriced_requests : 1;
    }
    return cost;
}

CostParts cost_parts(const Json& j) {
    const auto part = [&j](const char* key) { return micro_dollars(number(j, key)); };
    return {part("input"), part("cache_write"), part("cache_read"), part("output")};
}

ModelTokens model_tokens(const Json& j) {
    const std::uint64_t requests = number(j, "requests");
    return {text(j, "model"), token_counts(j), requests, request_cost(j, requests)};
}

struct CountField {
    const char* name;
    std::uint64_t SessionCounts::*field;
};
constexpr CountField kCounts[] = {
    {"events", &SessionCounts::events},
    {"human_messages", &SessionCounts::human_messages},
    {"assistant_messages", &SessionCounts::assistant_messages},
    {"responses", &SessionCounts::responses},
    {"turns", &SessionCounts::turns},
    {"calls", &SessionCounts::calls},
    {"results", &SessionCounts::results},
    {"paired", &SessionCounts::paired},
    {"unanswered", &SessionCounts::unanswered},
    {"unanswered_at_end", &SessionCounts::unanswered_at_end},
    {"unanswered_stopped", &SessionCounts::unanswered_stopped},
    {"unanswered_compacted", &SessionCounts::unanswered_compacted},
    {"orphans", &SessionCounts::orphans},
    {"errors", &SessionCounts::errors},
    {"denied", &SessionCounts::denied},
    {"steps", &SessionCounts::steps},
    {"compactions", &SessionCounts::compactions},
    {"rewinds", &SessionCounts::rewinds},
    {"aborted_turns", &SessionCounts::aborted_turns},
    {"provider_errors", &SessionCounts::provider_errors},
    {"lanes", &SessionCounts::lanes},
};

std::vector<ContextUser> context_users(const Json& j, const char* list, const char* field) {
    std::vector<ContextUser> out;
    each(j, list, [&](const Json& e) { out.push_back({text(e, field), number(e, "tokens"), number(e, "results")}); });
    return out;
}

LaneContext lane_context(const Json& j) {
    LaneContext out;
    out.lane = small(j, "lane");
    out.requests = number(j, "requests");
    out.window = number(j, "window");
    out.first = number(j, "first");
    out.last = number(j, "last");
    out.peak = number(j, "peak");
    out.peak_line = number(j, "peak_line");
    out.grown = number(j, "grown");
    for (std::size_t i = 0; i < kContextParts; ++i) {
        out.parts[i] = number(at(j, "parts"), std::string(name(static_cast<ContextPart>(i))).c_str());
    }
    out.shrank_untold = flag(j, "shrank_untold");
    out.tools = context_users(j, "tools", "tool");
    out.files = context_users(j, "files", "file");
    out.rereads = number(j, "rereads");
    out.reread_tokens = number(j, "reread_tokens");
    out.compactions = number(j, "compactions");
    out.freed = number(j, "freed");
    out.prompt = number(j, "prompt");
    out.cache_read = number(j, "cache_read");
    each(j, "cache_misses", [&](const Json& e) {
        for (std::size_t i = 1; i < kCacheMisses; ++i) {
            if (text(e, "reason") != name(static_cast<CacheMiss>(i))) continue;
            out.misses[i] = number(e, "requests");
            out.missed_tokens[i] = number(e, "tokens");
        }
    });
    each(j, "course", [&](const Json& e) {
        if (e.is_number_unsigned()) out.course.push_back(e.get<std::uint64_t>());
    });
    return out;
}

std::optional<PeerReaction> peer_reaction(const Json& j, const char* key) {
    const Json& e = at(j, key);
    if (!e.is_object()) return {};
    return PeerReaction{text(e, "rule"), number(e, "line"), number(e, "event"), number(e, "step"), small(e, "lane")};
}

std::optional<Judgement> judgement(const Json& j) {
    constexpr JudgeVerdict kAll[] = {JudgeVerdict::confirmed, JudgeVerdict::denied, JudgeVerdict::added,
                                     JudgeVerdict::unanswered};
    if (!j.is_object()) return {};
    return Judgement{choice(text(j, "verdict"), kAll, JudgeVerdict::unanswered),
                     severity_from(text(j, "severity_before")).value_or(Severity::info),
                     text(j, "reason"),
                     texts(j, "suggestions"),
                     texts(j, "next_actions"),
                     flag(j, "cached")};
}

}  // namespace

TokenLedgerTotals ledger(const Json& j) {
    TokenLedgerTotals out;
    out.source = tokens_source(j);
    out.total = token_counts(j);
    out.requests = number(j, "requests");
    out.copied_requests = number(j, "copied_requests");
    out.cost = request_cost(j, out.requests);
    out.cost_parts = cost_parts(at(j, "cost_parts"));
    out.cost_microusd = known(j, "cost_microusd");
    out.peak_context = number(j, "peak_context");
    out.peak_context_line = number(j, "peak_context_line");
    out.window_tokens = number(j, "window");
    each(j, "by_model", [&](const Json& e) { out.by_model.push_back(model_tokens(e)); });
    each(j, "by_lane", [&](const Json& e) {
        out.by_lane.push_back({small(e, "lane"), text(e, "label"), token_counts(e), number(e, "requests"),
                               request_cost(e, number(e, "requests"))});
    });
    each(j, "top_turns", [&](const Json& e) {
        out.top_turns.push_back({small(e, "lane"), small(e, "turn"), number(e, "first_line"), token_counts(e),
                                 number(e, "requests"), request_cost(e, number(e, "requests"))});
    });
    out.turns_by_cost = flag(j, "turns_by_cost");
    return out;
}

SessionCounts session_counts(const Json& j) {
    SessionCounts out;
    for (const CountField& count : kCounts) out.*count.field = number(j, count.name);
    return out;
}

void add_counts(SessionCounts& into, const SessionCounts& more) {
    for (const CountField& count : kCounts) into.*count.field += more.*count.field;
}

ProviderErrors provider_errors(const Json& j) {
    ProviderErrors out{number(j, "first_line"), number(j, "last_line"), {}, number(j, "other")};
    each(j, "kinds", [&](const Json& e) { out.kinds.push_back({text(e, "code"), number(e, "count")}); });
    return out;
}

std::vector<ToolStats> tool_stats(const Json& j) {
    std::vector<ToolStats> out;
    each(j, "tools", [&](const Json& e) {
        ToolStats tool{text(e, "tool"), number(e, "calls"), {}, small(e, "longest_failure_streak")};
        const Json& classes = at(e, "failures_by_class");
        for (std::size_t i = 0; i < kErrorClassCount; ++i) {
            const auto error = static_cast<ErrorClass>(i);
            const std::string word(error == ErrorClass::user_denied ? "user_denied" : name(error));
            tool.failures[i] = small(classes, word.c_str());
        }
        out.push_back(std::move(tool));
    });
    return out;
}

IngestStats ingest_stats(const Json& j) {
    IngestStats out;
    const Json& records = at(j, "records");
    for (std::size_t i = 0; i < kLineFateCount; ++i) {
        out.fates[i] = number(records, std::string(kLineFates[i].name).c_str());
    }
    out.bytes = number(j, "bytes");
    return out;
}

InputReport input_report(const Json& j) {
    InputReport out;
    out.path = text(j, "path");
    out.format = text(j, "format");
    out.stats = ingest_stats(j);
    each(j, "bad_records", [&](const Json& e) {
        BadRecord bad{number(e, "line"), LineFate::malformed_json, text(e, "reason")};
        for (std::size_t i = 0; i < kLineFateCount; ++i) {
            if (kLineFates[i].name == text(e, "fate")) bad.fate = static_cast<LineFate>(i);
        }
        out.bad.push_back(std::move(bad));
    });
    if (at(j, "error").is_string()) out.error = text(j, "error");
    out.still_growing = flag(j, "still_growing");
    out.counts_records = flag(j, "counts_records");
    return out;
}

ContextReport context_report(const Json& j) {
    ContextReport out;
    each(j, "lanes", [&](const Json& e) { out.lanes.push_back(lane_context(e)); });
    each(j, "dearest_requests", [&](const Json& e) {
        const TokenCounts tokens{.input = number(e, "prompt"), .output = number(e, "output")};
        out.dearest.push_back({small(e, "lane"), number(e, "line"), tokens, micro_dollars(number(e, "micro_dollars"))});
    });
    return out;
}

PeerOutcome peer_outcome(const Json& j) {
    constexpr PeerVerdict kAll[] = {PeerVerdict::silent_right, PeerVerdict::right, PeerVerdict::missed,
                                    PeerVerdict::false_alarm};
    return {text(j, "profile"), peer_reaction(j, "warned"), peer_reaction(j, "stopped"),
            choice(text(j, "verdict"), kAll, PeerVerdict::silent_right)};
}

PeerTotals peer_totals(const Json& j) {
    return {text(j, "profile"), number(j, "sessions"),    number(j, "warned"), number(j, "stopped"),
            number(j, "right"), number(j, "false_alarm"), number(j, "missed"), number(j, "silent_right")};
}

Finding finding_of(const Json& j) {
    Finding f;
    const Json& span = at(j, "span");
    f.rule = text(j, "rule");
    f.code = text(j, "code");
    f.severity = severity_from(text(j, "severity")).value_or(Severity::info);
    f.confidence = share(at(j, "confidence"));
    f.message = text(j, "message");
    f.action = text(j, "action");
    f.session = small(j, "session");
    f.lane = small(j, "lane");
    f.first_line = number(span, "first_line");
    f.last_line = number(span, "last_line");
    f.first_seq = number(span, "first_event");
    f.last_seq = number(span, "last_event");
    f.first_step = number(span, "first_step");
    f.last_step = number(span, "last_step");
    f.first_offset = number(span, "first_offset");
    f.end_offset = number(span, "end_offset");
    if (const auto first = known(span, "first_file_line"))
        f.file_lines = {*first, std::max(*first, number(span, "last_file_line"))};
    each(j, "evidence", [&](const Json& e) {
        f.evidence.push_back({number(e, "line"), number(e, "event"), text(e, "role"), text(e, "text")});
    });
    f.round = texts(j, "round");
    each(j, "because", [&](const Json& e) { f.because.push_back({text(e, "name"), text(e, "value")}); });
    f.period = small(j, "period");
    f.repeats = number(j, "repeats");
    const Json& wasted = at(j, "wasted");
    f.wasted_steps = number(wasted, "steps");
    if (const Json& tokens = at(wasted, "tokens"); tokens.is_object()) {
        f.wasted_tokens = token_counts(tokens);
        f.tokens_source = tokens_source(tokens);
    }
    f.wasted_cost_microusd = known(wasted, "cost_microusd");
    f.reset_line = known(j, "reset_line");
    f.recovered = flag(j, "recovered");
    f.contiguous = flag(j, "contiguous", true);
    f.persisted_after_notice = flag(j, "persisted_after_notice");
    f.persisted_across_compaction = flag(j, "persisted_across_compaction");
    f.also = texts(j, "also");
    const Json& prints = at(j, "fingerprints");
    f.finding_fingerprint = text(prints, "agentAuditFinding/v1");
    f.pattern_fingerprint = text(prints, "agentAuditPattern/v1");
    const std::string state = text(j, "baseline_state");
    if (state == "new") f.baseline = BaselineState::fresh;
    if (state == "unchanged") f.baseline = BaselineState::unchanged;
    if (const Json& by = at(j, "suppressed"); by.is_object()) {
        f.suppressed = SuppressedBy{text(by, "reason"), text(by, "until"), text(by, "origin")};
    }
    f.judgement = judgement(at(j, "judge"));
    return f;
}

SessionGoal session_goal(const Json& j) {
    constexpr StatedLimit::What kLimits[] = {StatedLimit::What::turns, StatedLimit::What::tool_calls,
                                             StatedLimit::What::seconds};
    constexpr StatedMeasure::What kMeasures[] = {StatedMeasure::What::tests, StatedMeasure::What::build,
                                                 StatedMeasure::What::lint};
    constexpr StatedRule::Kind kRules[] = {StatedRule::Kind::forbid_path, StatedRule::Kind::forbid_command,
                                           StatedRule::Kind::forbid_tool, StatedRule::Kind::only_path};
    SessionGoal out;
    out.text = text(j, "text");
    out.line = number(j, "line");
    out.given = flag(j, "given");
    out.messages = small(j, "messages");
    out.latest = text(j, "latest");
    out.latest_line = number(j, "latest_line");
    out.paths = texts(j, "paths");
    if (out.paths.size() > SessionGoal::kMostPaths) out.paths.resize(SessionGoal::kMostPaths);
    each(j, "limits", [&](const Json& e) {
        if (out.limits.size() >= SessionGoal::kMostLimits) return;
        out.limits.push_back({choice(text(e, "of"), kLimits, StatedLimit::What::turns), number(e, "most"),
                              number(e, "used"), number(e, "line"), number(e, "passed_line"), text(e, "sentence")});
    });
    each(j, "success", [&](const Json& e) {
        if (out.measures.size() >= SessionGoal::kMostMeasures) return;
        out.measures.push_back({choice(text(e, "measure"), kMeasures, StatedMeasure::What::tests), number(e, "line"),
                                text(e, "sentence")});
    });
    each(j, "rules", [&](const Json& e) {
        if (out.rules.size() >= SessionGoal::kMostRules) return;
        out.rules.push_back({choice(text(e, "kind"), kRules, StatedRule::Kind::forbid_path), text(e, "target"),
                             number(e, "line"), text(e, "sentence")});
    });
    return out;
}

ActivityCourse activity_course(const Json& j) {
    constexpr Activity kAll[] = {Activity::explore, Activity::edit, Activity::verify,     Activity::run,
                                 Activity::deploy,  Activity::plan, Activity::communicate};
    ActivityCourse out;
    out.more = number(j, "more");
    each(j, "segments", [&](const Json& e) {
        if (out.segments.size() >= ActivityCourse::kMost) return;
        out.segments.push_back({choice(text(e, "activity"), kAll, Activity::run), number(e, "first_line"),
                                number(e, "last_line"), number(e, "first_turn"), number(e, "last_turn"),
                                number(e, "turns"), number(e, "calls")});
    });
    return out;
}

SimilaritySeries similarity_series(const Json& j) {
    const auto real = [](const Json& value) {
        return value.is_number() ? std::clamp(value.get<double>(), -1e6, 1e6) : 0.0;
    };
    SimilaritySeries out;
    out.measure = text(j, "measure");
    out.source = text(j, "source");
    out.goal_line = number(j, "goal_line");
    out.turns = number(j, "turns");
    out.mean = real(at(j, "mean"));
    out.lowest = real(at(j, "lowest"));
    out.lowest_line = number(j, "lowest_line");
    each(j, "points", [&](const Json& e) {
        if (!e.is_array() || e.size() != 2 || out.points.size() >= SimilaritySeries::kMostPoints) return;
        if (!e[0].is_number_unsigned()) return;
        out.points.push_back({e[0].get<std::uint64_t>(), real(e[1])});
    });
    if (const Json& drop = at(j, "drop"); drop.is_object())
        out.drop = {number(drop, "line"), real(at(drop, "before")), real(at(drop, "after")), real(at(drop, "weight"))};
    return out;
}

DriftSeries drift_series(const Json& j) {
    DriftSeries out;
    out.turns = number(j, "turns");
    out.peak = share(at(j, "peak"));
    out.last = share(at(j, "last"));
    each(j, "points", [&](const Json& e) {
        if (!e.is_array() || e.size() != 3 || out.points.size() >= DriftSeries::kMostPoints) return;
        if (!e[0].is_number_unsigned() || !e[1].is_number_unsigned()) return;
        out.points.push_back(drift_point(e[0].get<std::uint64_t>(), e[1].get<std::uint64_t>(), share(e[2])));
    });
    each(j, "changes", [&](const Json& e) {
        out.changes.push_back(
            {number(e, "line"), number(e, "turn"), text(e, "rule"), share(at(e, "before")), share(at(e, "after"))});
    });
    each(j, "reflections", [&](const Json& e) {
        if (out.reflections.size() >= DriftSeries::kMostReflections) return;
        out.reflections.push_back(
            {number(e, "turn"), number(e, "line"), share(at(e, "score")), texts(e, "recent"), text(e, "prompt")});
    });
    return out;
}

ResetSuggestion reset_suggestion(const Json& j) {
    constexpr ResetTrigger kAll[] = {ResetTrigger::loop, ResetTrigger::post_compaction, ResetTrigger::thrash,
                                     ResetTrigger::stale_window, ResetTrigger::drift};
    ResetSuggestion out;
    out.trigger = choice(text(j, "trigger"), kAll, ResetTrigger::loop);
    out.rule = text(j, "rule");
    out.line = number(j, "line");
    out.verified = flag(j, "verified");
    out.turn = small(j, "turn");
    out.first_line = number(j, "first_line");
    out.known_line = number(j, "known_line");
    out.tokens_before = number(j, "tokens_before");
    out.tokens_after = number(j, "tokens_after");
    constexpr TokensSource kSources[] = {TokensSource::none, TokensSource::reported, TokensSource::estimated};
    out.source = choice(text(j, "tokens_source"), kSources, TokensSource::none);
    out.break_even_turns = number(j, "break_even_turns");
    if (const auto saved = known(j, "saving_per_turn_micro_dollars")) out.saved_money = micro_dollars(*saved);
    out.confidence = share(at(j, "confidence"));
    return out;
}

RemoteUse remote_use(const Json& j) {
    RemoteUse out;
    out.purpose = text(j, "purpose");
    out.endpoint = text(j, "endpoint");
    out.model = text(j, "model");
    out.questions = number(j, "questions");
    out.calls = number(j, "calls");
    out.cached = number(j, "cached");
    out.failed = number(j, "failed");
    out.not_asked = number(j, "not_asked");
    out.prompt_tokens = number(j, "prompt_tokens");
    out.output_tokens = number(j, "output_tokens");
    if (const auto cost = known(j, "cost_microusd")) out.cost = micro_dollars(*cost);
    out.problem = text(j, "problem");
    return out;
}

std::optional<BaselineReport> baseline_report(const Json& j) {
    if (!j.is_object()) return {};
    BaselineReport out{text(j, "source"), number(j, "entries"), number(j, "unchanged"), {}};
    each(j, "absent", [&](const Json& e) { out.absent.push_back({text(e, "rule"), text(e, "fingerprint")}); });
    return out;
}

}  // namespace agent_audit::saved
