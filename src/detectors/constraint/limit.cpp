#include "detectors/all.hpp"
#include "detectors/commands/constraints.hpp"
#include "detectors/engine/context_words.hpp"
#include "detectors/engine/copyable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "constraint/limit";

constexpr std::string_view kDoc = R"(## What it finds
A session that went over a limit of the table `constraints`: tool calls, characters, wall time, turns, tokens, cost. The
finding stands at the record with which the limit was passed.

## Why it matters
Limits are how a goal that quietly grows shows first.

## Example
`agent-audit scan --set constraints.max-tool-calls=50 --set constraints.max-wall-time=1h session.jsonl`

`agent-audit scan --set constraints.preset=published session.jsonl` sets 50 tool calls, 1,000,000 characters and one hour.

## What is not flagged
Nothing without a limit. History carried over from another session does not count, wall time needs times in the
recording, tokens and cost those that the recording (or the estimate) gives.

## What to do
Stop at the limit next time, or split the task.

## When it is wrong
The limit is too low for the task: raise it, or `--ignore constraint/limit`.
)";

class Limit final : public Detector {
public:
    explicit Limit(const RunConstraints& allowed) : allowed_(allowed) {}

    void on_event(const Event& event, const TokenCounts& spent) override {
        if ((event.head.flags & (kCopied | kPartial)) != 0) return;
        const Place at{event.head.where.line, event.head.seq, event.head.where.offset, event.head.where.length};
        if (const auto* message = std::get_if<Message>(&event.body)) count(kChars, message->text.size(), at);
        // What a script called is a part of it, and what it got is in what it said.
        const auto* result = std::get_if<ToolResult>(&event.body);
        if (result && (event.head.flags & kHidden) == 0) count(kChars, result->text.size(), at);
        if (const auto* call = std::get_if<ToolCall>(&event.body); call && call->caller != Caller::code)
            count(kCalls, 1, at);
        if (std::holds_alternative<TurnStart>(event.body)) count(kTurns, 1, at);
        if (allowed_.max_tokens > 0) reach(kTokens, spent.total(), at);
        if (allowed_.max_wall_time_s > 0 && event.head.time_ms != kNoTime) {
            if (start_ms_ == kNoTime) start_ms_ = end_ms_ = event.head.time_ms;
            // Clocks may run back.
            start_ms_ = std::min(start_ms_, event.head.time_ms);
            end_ms_ = std::max(end_ms_, event.head.time_ms);
            if (end_ms_ > start_ms_) reach(kSeconds, static_cast<std::uint64_t>(end_ms_ - start_ms_) / 1000, at);
        }
    }

    void on_request(const ContextRequest& request, const LaneTrack&) override {
        if (allowed_.max_cost_usd <= 0 || !request.figures.session_cost) return;
        reach(kCost, request.figures.session_cost->micro_dollars(),
              {request.where.line, request.seq, request.where.offset, request.where.length});
    }

    void finish(const LaneTrack*) override {
        for (std::size_t what = 0; what < kKinds; ++what) {
            if (reached_[what].line > 0) found(static_cast<What>(what));
        }
    }

private:
    enum What : std::uint8_t { kCalls, kChars, kSeconds, kTurns, kTokens, kCost, kKinds };
    struct Reached {
        std::uint64_t value = 0;
        std::uint64_t line = 0, seq = 0, offset = 0, length = 0;  // 0 = not passed
    };

    std::uint64_t limit(What what) const {
        switch (what) {
            case kCalls: return allowed_.max_tool_calls;
            case kChars: return allowed_.max_message_chars;
            case kSeconds: return allowed_.max_wall_time_s;
            case kTurns: return allowed_.max_turns;
            case kTokens: return allowed_.max_tokens;
            default: return static_cast<std::uint64_t>(allowed_.max_cost_usd * 1e6);
        }
    }

    void count(What what, std::uint64_t more, const Place& at) { reach(what, reached_[what].value + more, at); }

    void reach(What what, std::uint64_t value, const Place& at) {
        Reached& now = reached_[what];
        now.value = std::max(now.value, value);
        const std::uint64_t most = limit(what);
        if (most == 0 || now.line != 0 || value <= most) return;
        now.line = at.line;
        now.seq = at.seq;
        now.offset = at.offset;
        now.length = at.length;
    }

    static std::string amount(What what, std::uint64_t value) {
        constexpr std::array<std::string_view, kKinds> kWords{"tool calls", "characters", "seconds",
                                                              "turns",      "tokens",     ""};
        if (what == kCost) return fmt::format("${:.2f}", static_cast<double>(value) / 1e6);
        return fmt::format("{} {}", grouped(value), kWords[what]);
    }

    void found(What what) {
        constexpr std::array<std::string_view, kKinds> kKeys{"max-tool-calls", "max-message-chars", "max-wall-time",
                                                             "max-turns",      "max-tokens",        "max-cost"};
        const Reached& now = reached_[what];
        DraftFinding draft;
        Finding& f = draft.finding;
        f.rule = kId;
        f.code = "AA802";
        f.severity = Severity::error;
        f.confidence = 1.0;
        f.first_line = f.last_line = now.line;
        f.first_seq = f.last_seq = now.seq;
        f.first_offset = now.offset;
        f.end_offset = now.offset + now.length;
        f.repeats = now.value;
        f.reset_line = now.line;
        f.message = fmt::format("the session took {}; {} allows {} (passed at line {})", amount(what, now.value),
                                kKeys[what], amount(what, limit(what)), now.line);
        f.action = "stop at the limit next time, or split the task";
        f.pattern_key = what + 1U;
        f.because = {{"constraint", std::string(kKeys[what])},
                     {"limit", std::to_string(limit(what))},
                     {"value", std::to_string(now.value)}};
        f.evidence.push_back({now.line, now.seq, "crossing", fmt::format("more than {}", amount(what, limit(what)))});
        report(std::move(draft));
    }

    RunConstraints allowed_;
    std::array<Reached, kKinds> reached_{};
    std::int64_t start_ms_ = kNoTime, end_ms_ = kNoTime;  // the earliest and the latest
};

Result<DetectorFactory> bind(const Settings& settings) {
    auto allowed = constraints_of(settings);
    if (!allowed) return allowed.error();
    return DetectorFactory([a = *allowed]() -> std::unique_ptr<Detector> {
        if (!a.limits()) return nullptr;
        return copyable<Limit>(a);
    });
}

}  // namespace

DetectorSpec constraint_limit() {
    return {kId,
            "AA802",
            "a limit of [constraints] is passed",
            Severity::error,
            1.0,
            Stage::stable,
            Scope::session,
            0,
            Signals{},
            [] { return std::vector<ParamDoc>{}; },
            kDoc,
            bind};
}

}  // namespace agent_audit::detectors
