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
    exit_codes = 1024,
};

/// A set of signals.
struct Signals {
    std::uint16_t bits = 0;

    constexpr bool covers(Signals needed) const { return (needed.bits & ~bits) == 0; }
    constexpr bool has(Signal s) const { return (bits & static_cast<std::uint16_t>(s)) != 0; }
    constexpr Signals operator|(Signal s) const {
        return {static_cast<std::uint16_t>(bits | static_cast<std::uint16_t>(s))};
    }
    constexpr Signals operator&(Signals o) const { return {static_cast<std::uint16_t>(bits & o.bits)}; }
    constexpr Signals without(Signals o) const { return {static_cast<std::uint16_t>(bits & ~o.bits)}; }
    constexpr Signals operator|(Signals o) const { return {static_cast<std::uint16_t>(bits | o.bits)}; }
    friend constexpr bool operator==(Signals, Signals) = default;
};

constexpr Signals operator|(Signal a, Signal b) { return Signals{} | a | b; }
constexpr Signals signals(Signal a) { return Signals{} | a; }

/// A signal, as documentation and reports name it.
struct SignalInfo {
    Signal signal;
    std::string_view name;
    std::string_view column;  ///< heads a column of the support table: three letters
    std::string_view doc;
};

inline constexpr SignalInfo kSignals[] = {
    {Signal::tool_calls, "tool_calls", "cal", "which tools were called with which arguments"},
    {Signal::tool_results, "tool_results", "res", "what the calls returned"},
    {Signal::result_status, "result_status", "sta", "whether a call failed, as a field and not only in the text"},
    {Signal::exit_codes, "exit_codes", "exi", "how a command ended, as a number"},
    {Signal::token_usage, "token_usage", "use", "tokens billed for each request"},
    {Signal::timestamps, "timestamps", "tim", "wall-clock times"},
    {Signal::response_ids, "response_ids", "rsp", "which calls belong to one model response"},
    {Signal::reasoning, "reasoning", "thk", "the model's reasoning, as text or as size"},
    {Signal::sub_agents, "sub_agents", "sub", "which records belong to a sub-agent"},
    {Signal::compaction, "compaction", "cmp", "where the context was compacted"},
    {Signal::cost, "cost", "usd", "money, as the producer computed it"},
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
