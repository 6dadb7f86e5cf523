#include "detectors/all.hpp"
#include "detectors/engine/context_words.hpp"
#include "detectors/engine/trouble.hpp"

#include <agent_audit/config/config_file.hpp>
#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "budget/limits";

constexpr std::string_view kDoc = R"(## What it finds
A session that went over a limit you set: human turns, model responses, tool calls, tokens, money, share of the context
window, tokens wasted in loops, wall time, failed tool calls, or calls that were denied by a rule or by a person.

## Why it matters
A headless run has nobody who says "enough". A limit in CI turns a runaway session into a failed step.

## Example
`agent-audit scan --set budget/limits.tool-calls=200 session.jsonl`

`agent-audit scan --set budget/limits.max-cost=5 --set budget/limits.window-share=80 session.jsonl`

`agent-audit scan --set budget/limits.denied-by-rule-from=1 session.jsonl` fails a run in which any call was denied

## What is not flagged
Nothing without a limit: all limits are 0 (off) unless you set them. Tokens are those billed (or estimated, as the
report says), each request once; wall time runs from the first to the last recorded time and needs times in the
recording. Cost is by list price (`--prices` overlays the shipped ones): requests of models without a known price cost
nothing here, so the limit can only be passed late. A limit that could not be measured to the end, for want of prices,
times, usage, states of results or a known window, is named: the rule is skipped there and a warning says which limit and why. Wasted
tokens are those that other findings of the same run name; a rule that is switched off names none. The share of the
window needs recorded token figures and a model whose window is known.

The three limits whose names end in `-from` say which one is the first too many, for "none" is what is mostly wanted
there: 1 = none is allowed, 4 = three are, 0 = no limit. Calls of the model count, in sub-agents too, each result once.
A call that was denied did not fail. By a rule means a permission rule, a hook, a sandbox or a mode that asks nobody, or
that nobody was there to ask; who is not named counts as a person. Calls cancelled with the turn count nowhere.

## What to do
The finding names the record at which the limit was crossed: stop there next time, or split the task. Of failures and
denials it names the first few with their tools: allow what the task needs, or say in the prompt what is not allowed.

## When it is wrong
The limit is too low for the task. Raise it, or `--ignore budget/limits`.
)";

struct Params {
    std::int64_t turns = 0;
    std::int64_t responses = 0;
    std::int64_t tool_calls = 0;
    std::int64_t tokens = 0;
    std::int64_t minutes = 0;
    double max_cost = 0;
    double window_share = 0;
    std::int64_t wasted_tokens = 0;
    std::int64_t failed_from = 0, rule_from = 0, person_from = 0;

    bool sets_a_limit() const {
        return turns > 0 || responses > 0 || tool_calls > 0 || tokens > 0 || minutes > 0 || max_cost > 0 ||
               window_share > 0 || wasted_tokens > 0 || failed_from > 0 || rule_from > 0 || person_from > 0;
    }
};

constexpr std::int64_t kHuge = 1'000'000'000'000;
constexpr std::tuple kTable{
    Param<Params, std::int64_t>{"turns", &Params::turns, 0, kHuge, "human turns a session may take; 0 = no limit"},
    Param<Params, std::int64_t>{"responses", &Params::responses, 0, kHuge,
                                "model responses a session may take; 0 = no limit"},
    Param<Params, std::int64_t>{"tool-calls", &Params::tool_calls, 0, kHuge,
                                "tool calls a session may make; 0 = no limit"},
    Param<Params, std::int64_t>{"tokens", &Params::tokens, 0, kHuge,
                                "tokens a session may be billed for, prompt and output; 0 = no limit"},
    Param<Params, std::int64_t>{"minutes", &Params::minutes, 0, kHuge,
                                "minutes from the first to the last recorded time; 0 = no limit"},
    Param<Params, double>{"max-cost", &Params::max_cost, 0.0, 1e9,
                          "dollars a session may cost by list price; 0 = no limit"},
    Param<Params, double>{
        "window-share", &Params::window_share, 0.0, 100.0,
        "percent of the context window that a request may fill (up to 1 it is a share); 0 = no limit"},
    Param<Params, std::int64_t>{"wasted-tokens", &Params::wasted_tokens, 0, kHuge,
                                "tokens that the loops found in a session may have wasted; 0 = no limit"},
    Param<Params, std::int64_t>{"failed-calls-from", &Params::failed_from, 0, kHuge,
                                "how many failed tool calls are too many: 1 = none may fail; 0 = no limit"},
    Param<Params, std::int64_t>{
        "denied-by-rule-from", &Params::rule_from, 0, kHuge,
        "how many calls denied by a rule, a hook or a mode are too many: 1 = none may be; 0 = no limit"},
    Param<Params, std::int64_t>{"denied-by-person-from", &Params::person_from, 0, kHuge,
                                "how many calls denied by a person are too many: 1 = none may be; 0 = no limit"},
};

class Limits final : public Detector, public TroubleListener {
public:
    explicit Limits(Params params)
        : params_(params),
          failed_{"failed tool call", "failure", params.failed_from},
          by_rule_{"call denied by a rule", "denial", params.rule_from},
          by_person_{"call denied by a person", "denial", params.person_from} {}

    void on_event(const Event& event, const TokenCounts& spent) override {
        if ((event.head.flags & kCopied) != 0) return;
        if (std::holds_alternative<TurnStart>(event.body)) count(turns_, params_.turns, "human turns", event);
        if (const auto* call = std::get_if<ToolCall>(&event.body); call && call->caller != Caller::code)
            count(calls_, params_.tool_calls, "tool calls", event);
        if (event.head.response != 0 && event.head.response != last_response_) {
            last_response_ = event.head.response;
            count(responses_, params_.responses, "model responses", event);
        }
        if (params_.tokens > 0) crossed(tokens_, spent.total(), params_.tokens, "tokens", event);
        if (params_.minutes > 0 && event.head.time_ms != kNoTime) time(event);
    }

    void on_request(const ContextRequest& request, const LaneTrack&) override {
        const RequestFigures& now = request.figures;
        if (params_.max_cost > 0 && now.session_cost) {
            // However small a limit is, it is one.
            const auto limit =
                std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(params_.max_cost * kMicro)));
            crossed(cost_, now.session_cost->micro_dollars(), limit, Unit::money, "cost", request.where.line,
                    request.seq);
        }
        if (params_.window_share > 0 && now.window > 0) {
            const std::uint64_t share = hundredths(now.context * 100, now.window);
            if (share >= window_.value) {
                const auto limit =
                    static_cast<std::uint64_t>(std::llround(window_percent(params_.window_share) * kHundred));
                crossed(window_, share, limit, Unit::percent, "percent of the window", request.where.line, request.seq);
            }
        }
    }

    // The finding with which the sum went over the limit is where to look.
    void on_findings(std::span<const Finding> findings) override {
        if (params_.wasted_tokens <= 0) return;
        std::uint64_t sum = 0;
        for (const Finding& f : findings) {
            if (!f.wasted_tokens) continue;
            sum += f.wasted_tokens->total();
            crossed(wasted_, sum, static_cast<std::uint64_t>(params_.wasted_tokens), Unit::count, "wasted tokens",
                    f.last_line, f.last_seq);
        }
    }

    void on_trouble(Trouble trouble, Place at, std::string_view tool) override {
        Troubles& t = trouble == Trouble::failed ? failed_ : trouble == Trouble::denied_by_rule ? by_rule_ : by_person_;
        if (t.from <= 0) return;
        if (++t.count <= kFirstFew) t.first.push_back({at.line, at.seq, std::string(t.role), std::string(tool)});
        if (t.count == static_cast<std::uint64_t>(t.from)) t.crossed = at;
    }

    void finish(const LaneTrack*) override {
        for (const Troubles* t : {&failed_, &by_rule_, &by_person_}) {
            if (t->crossed.line != 0) report_troubles(*t);
        }
        for (const Crossing* crossing :
             {&turns_, &responses_, &calls_, &tokens_, &minutes_, &cost_, &window_, &wasted_}) {
            if (crossing->line != 0) report_crossing(*crossing);
        }
    }

private:
    enum class Unit : std::uint8_t { count, money, percent, minutes };  // the last two are counted in hundredths
    static constexpr std::uint64_t kHundred = 100;
    static constexpr double kMicro = 1e6;  // micro-dollars of a dollar

    struct Crossing {
        std::uint64_t value = 0;
        std::uint64_t limit = 0;
        Unit unit = Unit::count;
        std::string_view what;
        std::uint64_t line = 0;  // 0 = not crossed
        std::uint64_t seq = 0;
    };

    static constexpr std::uint64_t kFirstFew = 4;

    // Calls that came to nothing, of one kind.
    struct Troubles {
        std::string_view what;  // of one
        std::string_view role;
        std::int64_t from = 0;
        std::uint64_t count = 0;
        Place crossed{};                // line 0 = not crossed
        std::vector<Evidence> first{};  // the first few

        // "2 calls denied by a rule"
        std::string words(std::uint64_t n) const {
            constexpr std::string_view kCall = "call";
            std::string text(what);
            if (n != 1) text.insert(text.find(kCall) + kCall.size(), "s");
            return fmt::format("{} {}", grouped(n), text);
        }
    };

    void count(Crossing& c, std::int64_t limit, std::string_view what, const Event& event) {
        crossed(c, c.value + 1, limit, what, event);
    }

    static void crossed(Crossing& c, std::uint64_t value, std::int64_t limit, std::string_view what,
                        const Event& event) {
        crossed(c, value, limit > 0 ? static_cast<std::uint64_t>(limit) : 0, Unit::count, what, event.head.where.line,
                event.head.seq);
    }

    // A limit of 0 is none.
    static void crossed(Crossing& c, std::uint64_t value, std::uint64_t limit, Unit unit, std::string_view what,
                        std::uint64_t line, std::uint64_t seq) {
        c.value = value;
        if (limit == 0 || c.line != 0 || value <= limit) return;
        c.limit = limit;
        c.unit = unit;
        c.what = what;
        c.line = line;
        c.seq = seq;
    }

    // Rounded up, so that what is over a limit is shown to be over it.
    static std::uint64_t hundredths(std::uint64_t value, std::uint64_t whole) {
        return (value * kHundred + whole - 1) / whole;
    }

    static bool in_hundredths(const Crossing& c) { return c.unit == Unit::percent || c.unit == Unit::minutes; }

    static std::string figure(const Crossing& c, std::uint64_t value) {
        if (!in_hundredths(c)) return std::to_string(value);
        std::string out = std::to_string(value / kHundred);
        if (value % kHundred == 0) return out;
        out += fmt::format(".{:02}", value % kHundred);
        return out.ends_with('0') ? out.substr(0, out.size() - 1) : out;
    }

    // The whole part of a figure in groups of three.
    static std::string in_groups(const std::string& figure) {
        const std::size_t whole = std::min(figure.find('.'), figure.size());
        return std::string(grouped(std::stoull(figure.substr(0, whole)))) + figure.substr(whole);
    }

    // With as few decimals as show that it is over the limit.
    static std::string passed(const Crossing& c) {
        for (const std::uint64_t step : {kHundred, kHundred / 10}) {
            const std::uint64_t rounded = (c.value + step / 2) / step * step;
            if (rounded > c.limit) return figure(c, rounded);
        }
        return figure(c, c.value);
    }

    // Cents, and as many decimals more as the figure has.
    static std::string dollars(std::uint64_t micro) {
        constexpr std::size_t kCents = 2;
        std::string out = fmt::format("${:.6f}", static_cast<double>(micro) / kMicro);
        while (out.back() == '0' && out.size() - out.find('.') > kCents + 1) out.pop_back();
        return out;
    }

    static std::string passed_money(const Crossing& c) {
        for (std::uint64_t step = 10'000; step > 1; step /= 10) {
            const std::uint64_t rounded = (c.value + step / 2) / step * step;
            if (rounded > c.limit) return dollars(rounded);
        }
        return dollars(c.value);
    }

    static std::string amount(const Crossing& c, std::uint64_t value) {
        if (c.unit == Unit::money) return value == c.limit ? dollars(value) : passed_money(c);
        if (c.unit == Unit::percent) return (value == c.limit ? figure(c, value) : passed(c)) + " % of the window";
        if (c.unit == Unit::minutes) return in_groups(value == c.limit ? figure(c, value) : passed(c)) + " minutes";
        return fmt::format("{} {}", grouped(value), c.what);
    }

    // The limit in the same words, without what the first figure said already.
    static std::string limit_words(const Crossing& c) {
        if (c.unit == Unit::percent) return fmt::format("{} %", figure(c, c.limit));
        if (c.unit == Unit::minutes) return in_groups(figure(c, c.limit));
        return c.unit == Unit::money ? amount(c, c.limit) : grouped(c.limit);
    }

    void time(const Event& event) {
        if (start_ms_ == kNoTime) start_ms_ = end_ms_ = event.head.time_ms;
        // Clocks may run back.
        start_ms_ = std::min(start_ms_, event.head.time_ms);
        end_ms_ = std::max(end_ms_, event.head.time_ms);
        if (end_ms_ == start_ms_) return;
        constexpr std::uint64_t kMinute = 60'000;
        crossed(minutes_, hundredths(static_cast<std::uint64_t>(end_ms_ - start_ms_), kMinute),
                static_cast<std::uint64_t>(params_.minutes) * kHundred, Unit::minutes, "minutes", event.head.where.line,
                event.head.seq);
    }

    // What the findings of all limits have in common. Two may be crossed at one line, and each is a pattern of its own.
    static DraftFinding draft_at(std::uint64_t line, std::uint64_t seq, std::string_view what) {
        DraftFinding draft;
        Finding& f = draft.finding;
        f.rule = kId;
        f.code = "AA501";
        f.severity = Severity::error;
        f.confidence = 1.0;
        f.first_line = f.last_line = line;
        f.reset_line = line;
        f.first_seq = f.last_seq = seq;
        f.first_call_id = f.pattern_key = stable_hash(what);
        return draft;
    }

    void report_crossing(const Crossing& c) {
        DraftFinding draft = draft_at(c.line, c.seq, c.what);
        Finding& f = draft.finding;
        f.repeats = in_hundredths(c) ? c.value / kHundred : c.value;
        f.message = fmt::format("the session took {}, over the limit of {} (crossed at line {})", amount(c, c.value),
                                limit_words(c), c.line);
        f.action = "stop at the limit next time, or split the task";
        f.because = {{"limit", figure(c, c.limit)},
                     {"value", in_hundredths(c) ? passed(c) : figure(c, c.value)},
                     {"unit", c.unit == Unit::money ? std::string("micro-dollars") : std::string(c.what)}};
        f.evidence.push_back({c.line, c.seq, "crossing", fmt::format("{} exceeded", amount(c, c.limit))});
        report(std::move(draft));
    }

    void report_troubles(const Troubles& t) {
        const auto most = static_cast<std::uint64_t>(t.from - 1);
        DraftFinding draft = draft_at(t.crossed.line, t.crossed.seq, t.what);
        Finding& f = draft.finding;
        f.repeats = t.count;
        f.message = fmt::format("the session had {}, {} (crossed at line {})", t.words(t.count),
                                most == 0 ? "and none is allowed" : fmt::format("over the limit of {}", grouped(most)),
                                t.crossed.line);
        f.action = t.role == "failure" ? "see what failed first, and mend what it needs"
                                       : "allow what the task needs, or say in the prompt what is not allowed";
        f.because = {
            {"limit", std::to_string(most)}, {"value", std::to_string(t.count)}, {"unit", t.words(0).substr(2)}};
        f.evidence = t.first;
        if (t.count > kFirstFew && static_cast<std::uint64_t>(t.from) > kFirstFew)
            f.evidence.push_back(
                {t.crossed.line, t.crossed.seq, "crossing", fmt::format("{} exceeded", t.words(most))});
        report(std::move(draft));
    }

    Params params_;
    Troubles failed_, by_rule_, by_person_;
    Crossing turns_, responses_, calls_, tokens_, minutes_, cost_, window_, wasted_;
    IdHash last_response_ = 0;
    std::int64_t start_ms_ = kNoTime, end_ms_ = kNoTime;  // the earliest and the latest
};

Result<DetectorFactory> bind(const Settings& settings) {
    auto params = bind_params(kId, kTable, settings);
    if (!params) return params.error();
    return DetectorFactory([p = *params]() -> std::unique_ptr<Detector> {
        if (!p.sets_a_limit()) return nullptr;
        return std::make_unique<Limits>(p);
    });
}

}  // namespace

DetectorSpec budget_limits() {
    return {kId,
            "AA501",
            "a session over the limits you set",
            Severity::error,
            1.0,
            Stage::stable,
            Scope::session,
            0,
            Signals{},
            [] { return describe(kTable); },
            kDoc,
            bind};
}

}  // namespace agent_audit::detectors
