#pragma once

#include <agent_audit/model/event.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace agent_audit {

/// How the values of an event's enumerations are called where events are written down. Part of the published form:
/// words are only ever added.
template <class Enum>
inline constexpr std::array<std::string_view, 0> kWords{};

template <>
inline constexpr std::array<std::string_view, 6> kWords<LanePurpose>{"task",     "compaction", "suggestion",
                                                                     "guardian", "fork",       "unknown"};
template <>
inline constexpr std::array<std::string_view, 4> kWords<TurnStatus>{"completed", "aborted", "failed", "unknown"};
template <>
inline constexpr std::array<std::string_view, 3> kWords<Role>{"system", "user", "assistant"};
template <>
inline constexpr std::array<std::string_view, 6> kWords<Origin>{"human",  "agent", "injected",
                                                                "queued", "hook",  "summary"};
template <>
inline constexpr std::array<std::string_view, 3> kWords<Caller>{"model", "user", "code"};
template <>
inline constexpr std::array<std::string_view, 6> kWords<ResultStatus>{"unknown", "ok",        "error",
                                                                      "denied",  "cancelled", "running"};
template <>
inline constexpr std::array<std::string_view, 3> kWords<Refuser>{"unknown", "person", "rule"};
template <>
inline constexpr std::array<std::string_view, 2> kWords<UsageScope>{"request", "session"};
template <>
inline constexpr std::array<std::string_view, 3> kWords<UsageMode>{"add", "replace", "cumulative"};
template <>
inline constexpr std::array<std::string_view, 3> kWords<CompactionPhase>{"begin", "end", "failed"};
template <>
inline constexpr std::array<std::string_view, 4> kWords<CompactionKind>{"summary", "clear_tool_results", "truncate",
                                                                        "reset"};
template <>
inline constexpr std::array<std::string_view, 4> kWords<CompactionTrigger>{"automatic", "manual", "overflow",
                                                                           "unknown"};
template <>
inline constexpr std::array<std::string_view, 6> kWords<Keep>{"unknown",    "none", "from_record",
                                                              "from_index", "ids",  "replacement"};
template <>
inline constexpr std::array<std::string_view, 5> kWords<RewindTarget>{"to_record", "before_record", "last_turns",
                                                                      "last_events", "all"};
template <>
inline constexpr std::array<std::string_view, 4> kWords<NoticeLayer>{"provider", "harness", "hook", "reader"};
template <>
inline constexpr std::array<std::string_view, 3> kWords<NoticeLevel>{"info", "warning", "error"};

template <class Enum>
constexpr std::string_view word(Enum value) {
    return kWords<Enum>[static_cast<std::size_t>(value)];
}

template <class Enum>
constexpr std::optional<Enum> from_word(std::string_view text) {
    for (std::size_t i = 0; i < kWords<Enum>.size(); ++i) {
        if (kWords<Enum>[i] == text) return static_cast<Enum>(i);
    }
    return std::nullopt;
}

/// The kinds of events, in the order of EventBody.
inline constexpr std::array<std::string_view, std::variant_size_v<EventBody>> kEventKinds{
    "session_start", "context_change", "lane_open",   "lane_close", "turn_start", "turn_end", "message",
    "thinking",      "tool_call",      "tool_result", "usage",      "compaction", "rewind",   "notice"};

inline constexpr std::array<std::pair<EventFlags, std::string_view>, 5> kFlagWords{
    {{kCopied, "copied"}, {kPartial, "partial"}, {kSynthetic, "synthetic"}, {kHidden, "hidden"}, {kStale, "stale"}}};

}  // namespace agent_audit
