#include "readers/codex/codex_score.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace agent_audit::readers {
namespace {

bool is_one_of(std::string_view word, std::span<const std::string_view> words) {
    return std::ranges::find(words, word) != words.end();
}

constexpr std::array<std::string_view, 5> kRecordTypes{"compacted", "event_msg", "response_item", "session_meta",
                                                       "turn_context"};

constexpr std::array<std::string_view, 11> kItemTypes{
    "custom_tool_call",      "custom_tool_call_output", "function_call",  "function_call_output",
    "image_generation_call", "local_shell_call",        "message",        "reasoning",
    "tool_search_call",      "tool_search_output",      "web_search_call"};

}  // namespace

Score codex_score_rollout(std::span<const ProbeRecord> sample, Framing) {
    std::size_t mine = 0, all = 0;
    for (const ProbeRecord& r : sample) {
        if (!r.is_object()) continue;
        ++all;
        const auto payload = r.raw("payload");
        if (!payload || payload->front() != '{' || !is_one_of(r.text("type"), kRecordTypes)) continue;
        if (r.has("timestamp")) return kCertain;
        ++mine;
    }
    return mine > 0 ? (2 * mine >= all ? 80 : 50) : 0;
}

Score codex_score_legacy(std::span<const ProbeRecord> sample, Framing) {
    bool opened = false, state = false;
    std::size_t items = 0;
    for (const ProbeRecord& r : sample) {
        if (!r.is_object() || r.has("payload")) continue;
        const std::string_view type = r.text("type");
        if (type.empty()) {
            opened = opened || (!r.text("id").empty() && r.has("timestamp") && (r.has("instructions") || r.has("git")));
            state = state || r.text("record_type") == "state";
        } else if (is_one_of(type, kItemTypes) && (type != "message" || (r.has("role") && r.has("content"))) &&
                   !r.has("parentId") && !r.has("sessionId") && !r.has("messageID")) {
            ++items;
        }
    }
    if ((opened && (state || items > 0)) || (state && items > 0)) return kCertain;
    if (opened) return 75;
    return items > 0 ? 45 : 0;
}

}  // namespace agent_audit::readers
