#pragma once

#include <agent_audit/model/event.hpp>
#include <agent_audit/model/finding.hpp>
#include <agent_audit/model/money.hpp>
#include <agent_audit/model/severity.hpp>
#include <agent_audit/model/tokens.hpp>
#include <agent_audit/policy/action.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace agent_audit::policy {

/// An action that was not chosen.
struct Alternative {
    Action action = Action::notify;
    std::string why_not;
};

/// One intervention. Everything in it was known when `known_line` was read: there is no look-ahead.
struct Decision {
    Action action = Action::notify;
    Trigger trigger = Trigger::pattern;
    std::uint64_t line = 0;        ///< the last record before the intervention
    std::uint64_t seq = 0;         ///< its event
    std::uint64_t known_line = 0;  ///< the record that showed that the response was over; a live host knows it before
    std::uint32_t lane = 0;        ///< 0 = the main conversation
    std::uint64_t response = 0;    ///< ordinal of the model response in the lane, from 1
    std::uint64_t step = 0;        ///< calls of the lane so far
    std::int64_t time_ms = kNoTime;
    std::size_t rung = 0;  ///< place on the ladder, from 1; 0 = not of the ladder
    Severity severity = Severity::info;
    double confidence = 1;
    std::string rule;              ///< of a pattern: the rule; of a peer: its name; of a limit: which
    std::string reason;            ///< one sentence
    std::string message;           ///< what the model (or the human) would be told
    std::string advice;            ///< of a pattern: what to do instead, a sentence without its full stop
    std::uint64_t first_line = 0;  ///< where the pattern begins; 0 = there is none
    std::vector<Evidence> evidence;
    std::vector<Alternative> alternatives;
    std::optional<std::uint64_t> back_to_line;  ///< rollback and reset: the last record worth keeping
    std::int64_t delay_ms = 0;                  ///< back-off: still to wait
    std::string tool, substitute;
    ReflectionLevel reflection = ReflectionLevel::none;
    bool tell_human = false;
    TokenCounts spent;          ///< by the session so far
    std::optional<Money> cost;  ///< the same by list price
};

/// The run is over with it, and not only a sub-agent's conversation: limits are of the whole run, whoever reaches one.
inline bool ends_run(const Decision& d) {
    return d.action == Action::stop && (d.lane == 0 || d.trigger == Trigger::limit);
}

}  // namespace agent_audit::policy
