#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace agent_audit::policy {

/// What a supervisor can do to a run, the mildest first. The order is that of every output; a policy has a ladder of
/// its own.
enum class Action : std::uint8_t {
    notify,    ///< a message to the model
    reflect,   ///< the model is made to think: a prompt with goal, recent turns, what repeats, what else there is
    back_off,  ///< the call waits before it is tried again
    substitute_tool,  ///< another tool is offered for the one that does not get on
    open_breaker,     ///< calls of a failing tool are refused for a while
    explore,          ///< the model is told to take another path
    rollback,         ///< back to the last record worth keeping, in the same conversation
    reset_context,    ///< a fresh conversation that begins with what is known
    ask_human,        ///< the run waits for a person
    stop,             ///< the run ends
};
inline constexpr std::size_t kActions = 10;
inline constexpr std::array<std::string_view, kActions> kActionNames{
    "notify",  "reflect",  "back-off",      "substitute-tool", "open-breaker",
    "explore", "rollback", "reset-context", "ask-human",       "stop"};
inline constexpr std::array<std::string_view, kActions> kActionDocs{
    "a message to the model",
    "a prompt that makes the model think: goal, recent turns, what repeats, what else there is",
    "the call waits before it is tried again",
    "another tool is offered (per-tool.<tool>.substitute)",
    "calls of a failing tool are refused for a while",
    "the model is told to take another path",
    "back to the last record worth keeping, in the same conversation",
    "a fresh conversation that begins with what is known",
    "the run waits for a person",
    "the run ends"};

constexpr std::string_view name(Action action) { return kActionNames[static_cast<std::size_t>(action)]; }

/// Why a supervisor did something.
enum class Trigger : std::uint8_t {
    pattern,     ///< a rule sees a repetition that goes on
    peer,        ///< another agent's own loop detector reacts (`follow`)
    retries,     ///< the same call failed again with an error that goes away by itself
    breaker,     ///< a tool failed too often in a row
    limit,       ///< the run reached one of the policy's limits
    context,     ///< the context is too full
    stagnation,  ///< too few different calls among the recent ones
    failure,     ///< a call failed
    iterations,  ///< so many responses since a human spoke
    interval,    ///< it was time
    similarity,  ///< few words of the goal in what was done of late
};
inline constexpr std::array<std::string_view, 11> kTriggerNames{"pattern",    "peer",     "retries",    "breaker",
                                                                "limit",      "context",  "stagnation", "failure",
                                                                "iterations", "interval", "similarity"};
constexpr std::string_view name(Trigger trigger) { return kTriggerNames[static_cast<std::size_t>(trigger)]; }

/// How much a reflection is given to think about: bytes of recent history in its prompt.
enum class ReflectionLevel : std::uint8_t { none, minimal, standard, deep, critical };
inline constexpr std::array<std::string_view, 5> kReflectionNames{"none", "minimal", "standard", "deep", "critical"};
constexpr std::string_view name(ReflectionLevel level) { return kReflectionNames[static_cast<std::size_t>(level)]; }
constexpr std::size_t memory_bytes(ReflectionLevel level) {
    constexpr std::array<std::size_t, 5> kBytes{0, 0, 2u << 10, 5u << 10, 10u << 10};
    return kBytes[static_cast<std::size_t>(level)];
}

/// What of a replay makes the exit status 1.
enum class FailOn : std::uint8_t { never, stop, unrecovered_error, error, warning, intervention };
inline constexpr std::array<std::string_view, 6> kFailOnNames{"never", "stop",    "unrecovered-error",
                                                              "error", "warning", "intervention"};
constexpr std::string_view name(FailOn what) { return kFailOnNames[static_cast<std::size_t>(what)]; }

}  // namespace agent_audit::policy
