#include "detectors/all.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "budget/limits";

constexpr std::string_view kDoc = R"(## What it finds
A session that went over a limit you set: human turns, model responses, tool calls, tokens, or wall time.

## Why it matters
A headless run has nobody who says "enough". A limit in CI turns a runaway session into a failed step.

## Example
`agent-audit scan --set budget/limits.tool-calls=200 session.jsonl`

## What is not flagged
Nothing without a limit: all limits are 0 (off) unless you set them. Tokens are those billed (or estimated, as the report
says), each request once; wall time runs from the first to the last recorded time and needs times in the recording.

## What to do
The finding names the record at which the limit was crossed: stop there next time, or split the task.

## When it is wrong
The limit is too low for the task. Raise it, or `--ignore budget/limits`.
)";

struct Params {
    std::int64_t turns = 0;
    std::int64_t responses = 0;
    std::int64_t tool_calls = 0;
    std::int64_t tokens = 0;
    std::int64_t minutes = 0;

    bool sets_a_limit() const { return turns > 0 || responses > 0 || tool_calls > 0 || tokens > 0 || minutes > 0; }
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
};

// 1234567 as 1,234,567.
std::string grouped(std::uint64_t value) {
    std::string digits = std::to_string(value);
    for (std::size_t at = digits.size(); at > 3;) {
        at -= 3;
        digits.insert(at, ",");
    }
    return digits;
}

class Limits final : public Detector {
public:
    explicit Limits(Params params) : params_(params) {}

    void on_event(const Event& event, const TokenCounts& spent) override {
        if ((event.head.flags & kCopied) != 0) return;
        if (std::holds_alternative<TurnStart>(event.body)) count(turns_, params_.turns, "human turns", event);
        if (std::holds_alternative<ToolCall>(event.body)) count(calls_, params_.tool_calls, "tool calls", event);
        if (event.head.response != 0 && event.head.response != last_response_) {
            last_response_ = event.head.response;
            count(responses_, params_.responses, "model responses", event);
        }
        if (params_.tokens > 0) crossed(tokens_, spent.total(), params_.tokens, "tokens", event);
        if (params_.minutes > 0 && event.head.time_ms != kNoTime) time(event);
    }

    void finish(const LaneTrack*) override {
        for (const Crossing* crossing : {&turns_, &responses_, &calls_, &tokens_, &minutes_}) {
            if (crossing->line != 0) report_crossing(*crossing);
        }
    }

private:
    struct Crossing {
        std::uint64_t value = 0;
        std::int64_t limit = 0;
        std::string_view what;
        std::uint64_t line = 0;  // 0 = not crossed
        std::uint64_t seq = 0;
    };

    void count(Crossing& c, std::int64_t limit, std::string_view what, const Event& event) {
        crossed(c, c.value + 1, limit, what, event);
    }

    static void crossed(Crossing& c, std::uint64_t value, std::int64_t limit, std::string_view what,
                        const Event& event) {
        c.value = value;
        if (limit <= 0 || c.line != 0 || value <= static_cast<std::uint64_t>(limit)) return;
        c.limit = limit;
        c.what = what;
        c.line = event.head.where.line;
        c.seq = event.head.seq;
    }

    void time(const Event& event) {
        if (start_ms_ == kNoTime) start_ms_ = event.head.time_ms;
        const std::int64_t minutes = (event.head.time_ms - start_ms_) / 60'000;
        if (minutes > 0) crossed(minutes_, static_cast<std::uint64_t>(minutes), params_.minutes, "minutes", event);
    }

    void report_crossing(const Crossing& c) {
        DraftFinding draft;
        Finding& f = draft.finding;
        f.rule = kId;
        f.code = "AA501";
        f.severity = Severity::error;
        f.confidence = 1.0;
        f.first_line = f.last_line = c.line;
        f.first_seq = f.last_seq = c.seq;
        f.repeats = c.value;
        f.message = fmt::format("the session took {} {}, over the limit of {} (crossed at line {})", grouped(c.value),
                                c.what, grouped(static_cast<std::uint64_t>(c.limit)), c.line);
        f.action = "stop at the limit next time, or split the task";
        f.because = {
            {"limit", std::to_string(c.limit)}, {"value", std::to_string(c.value)}, {"unit", std::string(c.what)}};
        f.evidence.push_back({c.line, c.seq, "crossing",
                              fmt::format("{} {} exceeded", grouped(static_cast<std::uint64_t>(c.limit)), c.what)});
        f.reset_line = c.line;
        report(std::move(draft));
    }

    Params params_;
    Crossing turns_, responses_, calls_, tokens_, minutes_;
    IdHash last_response_ = 0;
    std::int64_t start_ms_ = kNoTime;
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
