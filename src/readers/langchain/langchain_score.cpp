#include "readers/langchain/langchain_score.hpp"

#include "readers/json/array_record.hpp"
#include "readers/langchain/langchain_message.hpp"
#include "readers/langchain/stream_lines.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace agent_audit::readers {
namespace {

bool is_message(const ProbeRecord& r) {
    if (!r.is_object() || r.has("role")) return false;
    const std::string_view type = r.text("type");
    if (type == "constructor") {
        const auto id = r.raw("id");
        return r.has("lc") && r.child("kwargs").has("content") && id && id->find("Message") != id->npos;
    }
    if (langchain_kind(type) == LangChainKind::unknown) return false;
    const ProbeRecord data = r.child("data");
    const ProbeRecord& m = data.is_object() ? data : r;
    return m.has("content") && (m.has("additional_kwargs") || m.has("response_metadata") || m.has("usage_metadata") ||
                                (m.has("tool_calls") && m.has("invalid_tool_calls")));
}

bool begins_with_message(const ProbeRecord& r) {
    const auto first = first_in(r, "messages");
    return first && is_message(*first);
}

// [message, metadata], alone or behind the name of its mode.
bool is_streamed_message(std::string_view record) {
    const auto brace = record.find('{'), end = record.rfind('}');
    if (!record.starts_with('[') || brace == record.npos || record.find("\"langgraph_", brace) == record.npos)
        return false;
    return is_message(ProbeRecord(record.substr(brace, end + 1 - brace)));
}

// {"type":"updates","ns":[],"data":{…}}
bool is_stream_part(const ProbeRecord& r) {
    if (!r.is_object() || stream_mode(r.has("event") ? r.text("event") : r.text("type")).empty()) return false;
    const auto data = r.raw("data");
    if (!data) return false;
    if (is_streamed_message(*data)) return true;
    if (const auto first = first_of(ProbeRecord(*data)); first && is_message(*first)) return true;
    constexpr std::array<std::string_view, 3> kNodes{"agent", "model", "tools"};
    const ProbeRecord state(*data);
    return begins_with_message(state) || std::ranges::any_of(kNodes, [&state](std::string_view node) {
               return begins_with_message(state.child(node));
           });
}

}  // namespace

Score langchain_score(std::span<const ProbeRecord> sample, Framing) {
    constexpr std::array<std::string_view, 11> kWrappers{
        "values", "channel_values", "output", "outputs", "result", "state", "input", "agent", "model", "tools", "data"};
    for (const ProbeRecord& record : sample) {
        if (is_streamed_message(record.json()) || is_stream_part(record)) return 92;
        const std::string_view state = told_state(record.json()).state;
        const auto inner = state.empty() ? first_of(record) : std::optional<ProbeRecord>(ProbeRecord(state));
        const ProbeRecord& r = inner ? *inner : record;
        if (!r.is_object() || r.has("run_type")) continue;
        if (is_message(r) || begins_with_message(r)) return 92;
        for (const std::string_view wrapper : kWrappers) {
            if (begins_with_message(r.child(wrapper))) return 92;
        }
    }
    return 0;
}

}  // namespace agent_audit::readers
