#include <agent_audit/report/saved_result.hpp>

#include <agent_audit/support/time.hpp>

#include "model/unmeasured.hpp"
#include "report/json_parts.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>

namespace agent_audit {
namespace {

using Json = nlohmann::json;

// ---- fields, whatever stands there --------------------------------------------------------------------------

const Json& at(const Json& object, const char* key) {
    static const Json nothing;
    if (!object.is_object()) return nothing;
    const auto found = object.find(key);
    return found == object.end() ? nothing : *found;
}

std::uint64_t number(const Json& object, const char* key) {
    const Json& value = at(object, key);
    return value.is_number_unsigned() ? value.get<std::uint64_t>() : 0;
}

std::optional<std::uint64_t> known(const Json& object, const char* key) {
    const Json& value = at(object, key);
    return value.is_number_unsigned() ? std::optional(value.get<std::uint64_t>()) : std::nullopt;
}

std::uint32_t small(const Json& object, const char* key) {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(number(object, key), std::numeric_limits<std::uint32_t>::max()));
}

std::string text(const Json& object, const char* key) {
    const Json& value = at(object, key);
    return value.is_string() ? value.get<std::string>() : std::string();
}

bool flag(const Json& object, const char* key, bool otherwise = false) {
    const Json& value = at(object, key);
    return value.is_boolean() ? value.get<bool>() : otherwise;
}

template <class Each>
void each(const Json& object, const char* key, const Each& use) {
    const Json& list = at(object, key);
    if (!list.is_array()) return;
    for (const Json& element : list) use(element);
}

std::vector<std::string> texts(const Json& object, const char* key) {
    std::vector<std::string> out;
    each(object, key, [&](const Json& element) {
        if (element.is_string()) out.push_back(element.get<std::string>());
    });
    return out;
}

template <class T, std::size_t N>
T choice(const std::string& word, const T (&all)[N], T otherwise) {
    for (const T value : all) {
        if (word == name(value)) return value;
    }
    return otherwise;
}

// ---- parts of a report --------------------------------------------------------------------------------------

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

ModelTokens model_tokens(const Json& j) {
    const std::uint64_t requests = number(j, "requests");
    return {text(j, "model"), token_counts(j), requests, request_cost(j, requests)};
}

TokenLedgerTotals ledger(const Json& j) {
    TokenLedgerTotals out;
    out.source = tokens_source(j);
    out.total = token_counts(j);
    out.requests = number(j, "requests");
    out.copied_requests = number(j, "copied_requests");
    out.cost = request_cost(j, out.requests);
    out.cost_microusd = known(j, "cost_microusd");
    out.peak_context = number(j, "peak_context");
    out.peak_context_line = number(j, "peak_context_line");
    out.window_tokens = number(j, "window");
    each(j, "by_model", [&](const Json& e) { out.by_model.push_back(model_tokens(e)); });
    each(j, "by_lane", [&](const Json& e) {
        out.by_lane.push_back({small(e, "lane"), text(e, "label"), token_counts(e), number(e, "requests")});
    });
    each(j, "top_turns", [&](const Json& e) {
        out.top_turns.push_back(
            {small(e, "lane"), small(e, "turn"), number(e, "first_line"), token_counts(e), number(e, "requests")});
    });
    return out;
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

SessionCounts session_counts(const Json& j) {
    SessionCounts out;
    for (const CountField& count : kCounts) out.*count.field = number(j, count.name);
    return out;
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
    return out;
}

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

ContextReport context_report(const Json& j) {
    ContextReport out;
    each(j, "lanes", [&](const Json& e) { out.lanes.push_back(lane_context(e)); });
    each(j, "dearest_requests", [&](const Json& e) {
        const TokenCounts tokens{.input = number(e, "prompt"), .output = number(e, "output")};
        out.dearest.push_back({small(e, "lane"), number(e, "line"), tokens, micro_dollars(number(e, "micro_dollars"))});
    });
    return out;
}

std::optional<PeerReaction> peer_reaction(const Json& j, const char* key) {
    const Json& e = at(j, key);
    if (!e.is_object()) return {};
    return PeerReaction{text(e, "rule"), number(e, "line"), number(e, "event"), number(e, "step"), small(e, "lane")};
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

DriftSeries drift_series(const Json& j);
SessionGoal session_goal(const Json& j);
ActivityCourse activity_course(const Json& j);
SimilaritySeries similarity_series(const Json& j);
ResetSuggestion reset_suggestion(const Json& j);
RemoteUse remote_use(const Json& j);
std::optional<Judgement> judgement(const Json& j);

double share(const Json& value) {
    const double x = value.is_number() ? value.get<double>() : 0;
    return x > 0 ? std::min(x, 1.0) : 0;
}

double positive(const Json& value) {
    const double x = value.is_number() ? value.get<double>() : 0;
    return x > 0 ? x : 0;
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

bool counts(const Finding& f) { return !f.suppressed && f.baseline != BaselineState::unchanged; }

SessionGoal session_goal(const Json& j) {
    constexpr StatedLimit::What kLimits[] = {StatedLimit::What::turns, StatedLimit::What::tool_calls, StatedLimit::What::seconds};
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
        out.limits.push_back({choice(text(e, "of"), kLimits, StatedLimit::What::turns), number(e, "most"), number(e, "used"),
                              number(e, "line"), number(e, "passed_line"), text(e, "sentence")});
    });
    each(j, "success", [&](const Json& e) {
        if (out.measures.size() >= SessionGoal::kMostMeasures) return;
        out.measures.push_back(
            {choice(text(e, "measure"), kMeasures, StatedMeasure::What::tests), number(e, "line"), text(e, "sentence")});
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
                                number(e, "last_line"), number(e, "first_turn"), number(e, "last_turn"), number(e, "turns"),
                                number(e, "calls")});
    });
    return out;
}

SimilaritySeries similarity_series(const Json& j) {
    const auto real = [](const Json& value) { return value.is_number() ? std::clamp(value.get<double>(), -1e6, 1e6) : 0.0; };
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

// ---- sums of several results --------------------------------------------------------------------------------

template <class T, class Same, class Add>
void merge(std::vector<T>& into, std::vector<T> more, const Same& same, const Add& add) {
    for (T& entry : more) {
        const auto found = std::ranges::find_if(into, [&](const T& other) { return same(other, entry); });
        if (found == into.end())
            into.push_back(std::move(entry));
        else
            add(*found, entry);
    }
}

// Counted and estimated figures together are an estimate.
TokensSource together(TokensSource a, TokensSource b) {
    if (a == TokensSource::none || a == b) return b;
    return b == TokensSource::none ? a : TokensSource::estimated;
}

void add_totals(TokenLedgerTotals& into, TokenLedgerTotals more) {
    into.source = together(into.source, more.source);
    into.total += more.total;
    into.requests += more.requests;
    into.copied_requests += more.copied_requests;
    into.cost += more.cost;
    if (more.cost_microusd) into.cost_microusd = into.cost_microusd.value_or(0) + *more.cost_microusd;
    if (more.peak_context > into.peak_context) {
        into.peak_context = more.peak_context;
        into.peak_context_line = more.peak_context_line;
    }
    into.window_tokens = std::max(into.window_tokens, more.window_tokens);
    merge(
        into.by_model, std::move(more.by_model), [](auto& a, auto& b) { return a.model == b.model; },
        [](auto& a, auto& b) {
            a.tokens += b.tokens;
            a.requests += b.requests;
            a.cost += b.cost;
        });
    std::ranges::sort(into.by_model, {}, &ModelTokens::model);
}

void add_totals(std::vector<ToolStats>& into, std::vector<ToolStats> more) {
    merge(
        into, std::move(more), [](auto& a, auto& b) { return a.tool == b.tool; },
        [](auto& a, auto& b) {
            a.calls += b.calls;
            for (std::size_t i = 0; i < kErrorClassCount; ++i) a.failures[i] += b.failures[i];
            a.longest_failure_streak = std::max(a.longest_failure_streak, b.longest_failure_streak);
        });
    std::ranges::stable_sort(into, [](auto& a, auto& b) { return a.calls > b.calls; });
}

void add_totals(std::vector<RuleRun>& into, std::vector<RuleRun> more) {
    merge(
        into, std::move(more), [](auto& a, auto& b) { return a.id == b.id; },
        [](auto& a, auto& b) {
            a.findings += b.findings;
            a.not_shown += b.not_shown;
        });
    std::ranges::sort(into, {}, &RuleRun::id);
}

void add_totals(std::vector<PeerTotals>& into, std::vector<PeerTotals> more) {
    merge(
        into, std::move(more), [](auto& a, auto& b) { return a.profile == b.profile; },
        [](auto& a, auto& b) {
            a.sessions += b.sessions;
            a.warned += b.warned;
            a.stopped += b.stopped;
            a.right += b.right;
            a.false_alarms += b.false_alarms;
            a.missed += b.missed;
            a.silent_right += b.silent_right;
        });
}

}  // namespace

// One result, part by part.
class ResultReader {
public:
    explicit ResultReader(SavedResults& into) : into_(into) {}

    /// True when `kind` is one of ours and a part of a result.
    bool part(std::string_view kind, const Json& j) {
        Report& report = into_.report_;
        if (kind == "run") return true;
        if (kind == "metric") return true;  // the summary has them again
        if (kind == "input") {
            report.inputs.push_back(input_report(j));
        } else if (kind == "session") {
            report.sessions.push_back(session(j));
        } else if (kind == "finding") {
            Finding f = finding_of(j);
            (counts(f) ? report.findings : report.silenced).push_back(std::move(f));
        } else if (kind == "note") {
            note(j);
        } else if (kind == "summary") {
            summary(j);
        } else {
            return false;
        }
        return true;
    }

    bool complete() const { return summary_; }

private:
    SessionReport session(const Json& j) {
        SessionReport s;
        s.input = small(j, "input");
        s.id = text(j, "id");
        s.parent_id = text(j, "parent_id");
        s.label = text(j, "label");
        s.format = text(j, "format");
        s.product_version = text(j, "product_version");
        s.cwd = text(j, "cwd");
        s.model = text(j, "model");
        s.sub_agent = flag(j, "sub_agent");
        s.housekeeping = flag(j, "housekeeping");
        s.output_incomplete = flag(j, "output_incomplete");
        s.first_line = number(j, "first_line");
        s.last_line = number(j, "last_line");
        s.first_time_ms = parse_time_ms(text(j, "first_time")).value_or(kNoTime);
        s.last_time_ms = parse_time_ms(text(j, "last_time")).value_or(kNoTime);
        s.counts = session_counts(at(j, "counts"));
        s.provider_errors = provider_errors(at(j, "provider_errors"));
        s.tools = tool_stats(j);
        s.tokens = ledger(at(j, "tokens"));
        s.context = context_report(at(j, "context"));
        s.goal = session_goal(at(j, "goal"));
        s.activity = activity_course(at(j, "activity"));
        s.drift = drift_series(at(j, "drift"));
        each(j, "similarity", [&](const Json& e) { s.similarity.push_back(similarity_series(e)); });
        each(j, "resets", [&](const Json& e) { s.resets.push_back(reset_suggestion(e)); });
        each(j, "skipped_rules", [&](const Json& e) {
            const bool format = text(e, "reason") == name(SkipReason::format);
            s.skipped_rules.push_back({into_.kept(text(e, "rule")), missing_named(text(e, "needs")),
                                       format ? SkipReason::format : SkipReason::session});
        });
        each(j, "not_shown", [&](const Json& e) {
            s.not_shown.push_back({text(e, "rule"), {number(e, "info"), number(e, "warning"), number(e, "error")}});
        });
        each(j, "peers", [&](const Json& e) { s.peers.push_back(peer_outcome(e)); });
        return s;
    }

    // An input that led nowhere is saved as a note of severity error, and no other note is.
    void note(const Json& j) {
        const Severity severity = severity_from(text(j, "severity")).value_or(Severity::info);
        if (severity == Severity::error)
            into_.report_.problems.push_back(text(j, "text"));
        else
            into_.report_.notes.push_back({severity, text(j, "text")});
    }

    void summary(const Json& j) {
        Report& report = into_.report_;
        summary_ = true;
        constexpr Policy kAll[] = {Policy::balanced, Policy::strict, Policy::permissive};
        report.policy = choice(text(j, "policy"), kAll, Policy::balanced);
        report.errors = number(at(j, "findings"), "error");
        report.warnings = number(at(j, "findings"), "warning");
        report.infos = number(at(j, "findings"), "info");
        report.least = severity_from(text(j, "min_severity")).value_or(Severity::info);
        report.skipped_inputs = number(j, "skipped_inputs");
        report.filtered_inputs = number(j, "filtered_inputs");
        report.ingest = ingest_stats(j);
        report.counts = session_counts(at(j, "counts"));
        report.tools = tool_stats(j);
        report.tokens = ledger(at(j, "tokens"));
        each(j, "rules", [&](const Json& e) {
            report.rules.push_back({text(e, "rule"), number(e, "findings"), number(e, "not_shown")});
        });
        each(j, "limits", [&](const Json& e) { report.limits.push_back({text(e, "limit"), positive(at(e, "most"))}); });
        each(j, "peers", [&](const Json& e) { report.peers.push_back(peer_totals(e)); });
        each(j, "endpoints", [&](const Json& e) { report.remotes.push_back(remote_use(e)); });
        report.baselined = number(at(j, "findings"), "baselined");
        report.suppressed = number(at(j, "findings"), "suppressed");
        report.baseline = baseline_report(at(j, "baseline"));
    }

    SavedResults& into_;
    bool summary_ = false;
};

namespace {

constexpr std::string_view kBroken = "a saved result breaks off: what it held behind that is missing";

bool is_our_schema(const Json& j) { return text(j, "schema") == report::kResultSchema; }

// The lists of a result are read element by element and their JSON dropped at once.
struct Lists {
    const char* key;
    const char* kind;
};
constexpr Lists kLists[] = {{"inputs", "input"}, {"sessions", "session"}, {"findings", "finding"}, {"notes", "note"}};

const char* kind_of_list(std::string_view key) {
    const auto* found = std::ranges::find(kLists, key, [](const Lists& list) { return std::string_view(list.key); });
    return found == std::end(kLists) ? nullptr : found->kind;
}

// A summary counts findings beyond those listed too; one that is missing or counts less is none.
void count_listed(Report& report) {
    Report listed;
    for (const Finding& finding : report.findings) ++listed.counted(finding.severity);
    for (const Severity s : {Severity::info, Severity::warning, Severity::error})
        report.counted(s) = std::max(report.counted(s), listed.counted(s));
}

std::uint32_t shifted(std::uint32_t index, std::size_t by) {
    constexpr std::uint64_t kMax = std::numeric_limits<std::uint32_t>::max();
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(index + by, kMax));
}

template <class List>
void append(List& into, List& more) {
    into.insert(into.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

namespace {

// A session that two results agree on in all of this is one session: the same file may have grown in between.
std::set<std::string> sessions_of(const Report& report) {
    std::set<std::string> keys;
    for (const SessionReport& s : report.sessions) {
        const std::string path = s.input < report.inputs.size() ? report.inputs[s.input].path : std::string();
        keys.insert(fmt::format("{}\n{}\n{} {} {} {} {}", path, s.id, s.first_line, s.last_line, s.first_time_ms, s.counts.events,
                                s.tokens.total.total()));
    }
    return keys;
}

}  // namespace

std::string_view SavedResults::kept(std::string_view rule) { return *names_.emplace(rule).first; }

void SavedResults::read_lines(std::string_view lines) {
    ResultReader reader(*this);
    bool broken = false;
    while (!lines.empty()) {
        const std::string_view line = lines.substr(0, lines.find('\n'));
        lines.remove_prefix(std::min(line.size() + 1, lines.size()));
        if (line.find_first_not_of(" \t\r") == line.npos) continue;
        const Json part = Json::parse(line, nullptr, false);
        broken = broken || !part.is_object();
        if (part.is_object()) reader.part(text(part, "kind"), part);
    }
    if (broken || !reader.complete()) report_.problems.emplace_back(kBroken);
}

bool SavedResults::read_object(std::string_view object) {
    ResultReader reader(*this);
    const char* kind = nullptr;
    const auto take_elements = [&](int depth, Json::parse_event_t event, Json& parsed) {
        if (event == Json::parse_event_t::key && depth == 1) {
            kind = parsed.is_string() ? kind_of_list(parsed.get_ref<const std::string&>()) : nullptr;
        }
        if (event != Json::parse_event_t::object_end || depth != 2 || !kind) return true;
        reader.part(kind, parsed);
        return false;
    };
    const Json result = Json::parse(object, take_elements, false);
    if (!is_our_schema(result)) return false;
    reader.part("summary", at(result, "summary"));
    return true;
}

void SavedResults::append(SavedResults&& next) {
    if (!any_) {
        *this = std::move(next);
        any_ = true;
        return;
    }
    Report& more = next.report_;
    for (std::size_t i = 0; i < more.sessions.size(); ++i) {
        more.sessions.change(i, [&](SessionReport& session) {
            session.input = shifted(session.input, report_.inputs.size());
            for (SkippedRule& skipped : session.skipped_rules) skipped.rule = kept(skipped.rule);
        });
    }
    for (auto* list : {&more.findings, &more.silenced}) {
        for (Finding& finding : *list) finding.session = shifted(finding.session, report_.sessions.size());
    }
    ::agent_audit::append(report_.inputs, more.inputs);
    report_.sessions.append(std::move(more.sessions));
    ::agent_audit::append(report_.findings, more.findings);
    ::agent_audit::append(report_.silenced, more.silenced);
    ::agent_audit::append(report_.remotes, more.remotes);
    report_.baselined += more.baselined;
    report_.suppressed += more.suppressed;
    if (!report_.baseline) report_.baseline = std::move(more.baseline);
    ::agent_audit::append(report_.notes, more.notes);
    ::agent_audit::append(report_.problems, more.problems);
    report_.errors += more.errors;
    report_.warnings += more.warnings;
    report_.infos += more.infos;
    report_.skipped_inputs += more.skipped_inputs;
    report_.filtered_inputs += more.filtered_inputs;
    report_.ingest += more.ingest;
    for (const CountField& count : kCounts) report_.counts.*count.field += more.counts.*count.field;
    report_.least = std::max(report_.least, more.least);
    if (report_.limits != more.limits) report_.limits.clear();  // of different runs: there is no one limit
    add_totals(report_.tools, std::move(more.tools));
    add_totals(report_.tokens, std::move(more.tokens));
    add_totals(report_.rules, std::move(more.rules));
    add_totals(report_.peers, std::move(more.peers));
}

void SavedResults::note_sessions(std::set<std::string> added) {
    sessions_again_ = static_cast<std::size_t>(std::ranges::count_if(added, [&](const std::string& key) { return sessions_.contains(key); }));
    sessions_.merge(added);
}

namespace {

// What cannot be read may still be ours.
Error not_readable(std::string_view saved, std::size_t bytes) {
    constexpr std::string_view kName = "agent-audit/result/";
    constexpr std::size_t kHead = 512;  // bytes in which a result names its schema
    const std::size_t named = saved.starts_with('{') ? saved.substr(0, kHead).find(kName) : saved.npos;
    if (named == saved.npos) return {"no result of agent-audit (what -f json or -f ndjson writes)"};
    std::string_view schema = saved.substr(named);
    schema = schema.substr(0, schema.find_first_not_of("0123456789", kName.size()));
    if (schema != report::kResultSchema) {
        return {"written by another version of agent-audit: " + std::string(schema) + ", and this one reads " + std::string(report::kResultSchema)};
    }
    const std::size_t last = saved.find_last_not_of(" \t\r\n");
    if (saved[last] != '}') return {"a result of agent-audit that is cut off at byte " + std::to_string(bytes)};
    return {"a result of agent-audit that is damaged: it is no JSON"};
}

}  // namespace

std::optional<Error> SavedResults::add(std::string_view saved) {
    const std::size_t bytes = saved.size();
    const std::size_t start = std::min(saved.find_first_not_of(" \t\r\n"), saved.size());
    saved.remove_prefix(start);
    // The first line of ndjson stands on its own; that of json, as we write it, does not.
    const Json head = Json::parse(saved.substr(0, saved.find('\n')), nullptr, false);
    SavedResults next;
    if (text(head, "kind") == "run") {
        if (!is_our_schema(head)) return not_readable(saved, bytes);
        next.read_lines(saved);
    } else if (!next.read_object(saved)) {
        return not_readable(saved, bytes);
    }
    count_listed(next.report_);
    std::set<std::string> added = sessions_of(next.report_);
    append(std::move(next));
    note_sessions(std::move(added));
    return std::nullopt;
}

// How sure a finding was that is not listed is not known, how severe it was is.
void SavedResults::drop_below(Severity min_severity, NotShown& entry) {
    const auto rule = std::ranges::find(report_.rules, entry.rule, &RuleRun::id);
    for (const Severity severity : {Severity::info, Severity::warning}) {
        if (severity >= min_severity) break;
        std::uint64_t& count = entry.by_severity[static_cast<std::size_t>(severity)];
        report_.counted(severity) -= std::min(report_.counted(severity), count);
        if (rule != report_.rules.end()) {
            rule->findings -= std::min(rule->findings, count);
            rule->not_shown -= std::min(rule->not_shown, count);
        }
        count = 0;
    }
}

void SavedResults::filter(Severity min_severity, double min_confidence) {
    report_.least = std::max(report_.least, min_severity);
    for (std::size_t i = 0; i < report_.sessions.size(); ++i) {
        report_.sessions.change(i, [&](SessionReport& session) {
            for (NotShown& entry : session.not_shown) drop_below(min_severity, entry);
            std::erase_if(session.not_shown, [](const NotShown& entry) { return entry.from(Severity::info) == 0; });
        });
    }
    std::erase_if(report_.findings, [&](const Finding& finding) {
        if (finding.severity >= min_severity && finding.confidence >= min_confidence) return false;
        --report_.counted(finding.severity);
        const auto rule = std::ranges::find(report_.rules, finding.rule, &RuleRun::id);
        if (rule != report_.rules.end() && rule->findings > 0) --rule->findings;
        return true;
    });
}

}  // namespace agent_audit
