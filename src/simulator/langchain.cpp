#include "simulator/js_text.hpp"
#include "simulator/json_size.hpp"
#include "simulator/method.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_set>

namespace agent_audit::simulator::langchain {
namespace {

constexpr std::uint64_t kExtraTokens = 3;  // of every message

std::string_view role_of(const Msg& message) {
    switch (message.role) {
        case Role::assistant: return "assistant";
        case Role::system: return "system";
        case Role::tool_result: return "tool";
        default: return "user";
    }
}

bool parts_a_pair(const View& view, std::size_t asker, std::size_t cut) {
    std::unordered_set<std::string_view> ids;
    for (const Block& block : view[asker]->blocks) {
        if (block.kind == BlockKind::tool_call) ids.insert(block.id);
    }
    if (ids.empty()) return false;
    // A result stands behind its call, so only those on the other side of the cut matter.
    if (asker >= cut) return false;
    for (std::size_t i = cut; i < view.size(); ++i) {
        if (!view[i] || view[i]->role != Role::tool_result) continue;
        if (ids.contains(view[i]->call_id)) return true;
    }
    return false;
}

bool is_safe(const View& view, std::size_t cut, std::size_t range) {
    if (cut >= view.size()) return true;
    for (std::size_t i = cut - std::min(cut, range); i < std::min(view.size(), cut + range); ++i) {
        if (view[i] && view[i]->role == Role::assistant && parts_a_pair(view, i, cut)) return false;
    }
    return true;
}

}  // namespace

std::size_t safe_cut(const View& view, std::size_t cut, std::size_t range) {
    while (cut > 0 && !is_safe(view, cut, range)) --cut;
    return cut;
}

double tokens_of(const Compaction&, const Msg& message) {
    // Calls are counted as Python writes the list of them.
    static constexpr std::string_view kList = "[]", kBetween = ", ";
    static constexpr std::string_view kCall = "{'name': '', 'args': , 'id': '', 'type': 'tool_call'}";
    std::uint64_t chars = text_code_points(message) + role_of(message).size();
    if (message.role == Role::tool_result) chars += message.call_id.size() + message.tool_name.size();
    std::uint64_t calls = 0;
    for (const Block& block : message.blocks) {
        if (block.kind != BlockKind::tool_call) continue;
        chars += kCall.size() + block.name.size() + block.id.size() + block.text.sizes().code_points;
        ++calls;
    }
    if (calls > 0) chars += kList.size() + (calls - 1) * kBetween.size();
    return static_cast<double>(quarters_up(chars) + kExtraTokens);
}

bool due(const Compaction& settings, const ContextSize& size, double window_tokens) {
    if (size.refused) return true;
    if (settings.trigger_tokens > 0 && size.estimated >= settings.trigger_tokens) return true;
    if (settings.trigger_messages > 0 && size.view &&
        static_cast<double>(size.view->size()) >= settings.trigger_messages) {
        return true;
    }
    return settings.trigger_share > 0 && size.estimated >= std::floor(window_tokens * settings.trigger_share);
}

Planned plan(const Compaction& settings, const View& view, const ContextSize&, double) {
    const std::size_t from = after_system(view), keep = whole(settings.keep_messages);
    if (view.size() - from <= keep) return std::nullopt;
    const std::size_t cut = safe_cut(view, view.size() - keep, whole(settings.search_range));
    if (cut <= from) return std::nullopt;
    return gives_up(from, cut, settings.max_summary);
}

}  // namespace agent_audit::simulator::langchain
