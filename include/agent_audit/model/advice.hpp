#pragma once

#include <agent_audit/model/money.hpp>
#include <agent_audit/model/tokens.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace agent_audit {

/// What speaks for beginning anew.
enum class ResetTrigger : std::uint8_t {
    loop,             ///< the agent repeats itself and does not get out, or only at great cost
    post_compaction,  ///< what was forgotten is done again
    thrash,           ///< one compaction after the other
    stale_window,     ///< the window is nearly full, and little of it is in use
    drift,            ///< the agent is no longer at its task
};
constexpr std::string_view name(ResetTrigger trigger) {
    switch (trigger) {
        case ResetTrigger::loop: return "loop";
        case ResetTrigger::post_compaction: return "post-compaction";
        case ResetTrigger::thrash: return "thrash";
        case ResetTrigger::stale_window: return "stale-window";
        case ResetTrigger::drift: return "drift";
    }
    return "loop";
}

/// A place at which a fresh session with a summary would have been better than going on. All figures are estimates of
/// cost, not of another outcome.
struct ResetSuggestion {
    static constexpr std::size_t kMost = 5;  ///< in a session

    ResetTrigger trigger = ResetTrigger::loop;
    std::string rule;                          ///< whose finding it was; empty = none, the course of the context tells
    std::uint64_t line = 0;                    ///< last record worth keeping; 0 = none
    bool verified = false;                     ///< a check had passed on all that was changed up to `line`
    std::uint32_t turn = 0;                    ///< human turn at the onset, from 1; 0 = before the first
    std::uint64_t first_line = 0;              ///< of the evidence: the onset
    std::uint64_t known_line = 0;              ///< of the evidence: from here on it can be known
    std::uint64_t tokens_before = 0;           ///< prompt of the request at `known_line`
    std::uint64_t tokens_after = 0;            ///< of the first one of a fresh session; estimated
    TokensSource source = TokensSource::none;  ///< of tokens_before
    std::uint64_t break_even_turns = 1;        ///< requests after which the reset has cost no more than going on
    std::optional<Money> saved_money;  ///< by each request after the first, at cache prices; absent = no known price
    double confidence = 0;             ///< 0 to 1

    /// Tokens of each later request.
    std::uint64_t saving_per_turn() const { return tokens_before > tokens_after ? tokens_before - tokens_after : 0; }
};

}  // namespace agent_audit
