#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace agent_audit {

/// What a log format can tell us. Readers offer, detectors ask; a detector whose needs are not
/// covered is skipped *and named in the report*, never quietly "clean".
enum class Signal : std::uint16_t {
    tool_calls = 1,
    tool_results = 2,
    result_status = 4,
    token_usage = 8,
    timestamps = 16,
    response_ids = 32,
    reasoning = 64,
    sub_agents = 128,
    compaction = 256,
    cost = 512,
};

struct Signals {
    std::uint16_t bits = 0;

    constexpr bool covers(Signals needed) const { return (needed.bits & ~bits) == 0; }
    constexpr bool has(Signal s) const { return (bits & static_cast<std::uint16_t>(s)) != 0; }
    constexpr Signals operator|(Signal s) const {
        return {static_cast<std::uint16_t>(bits | static_cast<std::uint16_t>(s))};
    }
    constexpr Signals operator|(Signals o) const { return {static_cast<std::uint16_t>(bits | o.bits)}; }
    friend constexpr bool operator==(Signals, Signals) = default;
};

constexpr Signals operator|(Signal a, Signal b) { return Signals{} | a | b; }
constexpr Signals signals(Signal a) { return Signals{} | a; }

struct SignalInfo {
    Signal signal;
    std::string_view name;
    std::string_view doc;
};

inline constexpr SignalInfo kSignals[] = {
    {Signal::tool_calls, "tool_calls", "which tools were called with which arguments"},
    {Signal::tool_results, "tool_results", "what the calls returned"},
    {Signal::result_status, "result_status", "whether a call failed, as a field and not only in the text"},
    {Signal::token_usage, "token_usage", "tokens billed for each request"},
    {Signal::timestamps, "timestamps", "wall-clock times"},
    {Signal::response_ids, "response_ids", "which calls belong to one model response"},
    {Signal::reasoning, "reasoning", "the model's reasoning, as text or as size"},
    {Signal::sub_agents, "sub_agents", "which records belong to a sub-agent"},
    {Signal::compaction, "compaction", "where the context was compacted"},
    {Signal::cost, "cost", "money, as the producer computed it"},
};

/// Names of the signals in `bits`, comma separated, in the order of kSignals.
inline std::string describe(Signals set) {
    std::string out;
    for (const auto& s : kSignals) {
        if (!set.has(s.signal)) continue;
        if (!out.empty()) out += ", ";
        out += s.name;
    }
    return out.empty() ? "nothing in particular" : out;
}

}  // namespace agent_audit
