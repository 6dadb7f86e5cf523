#include "readers/langchain/stream_lines.hpp"

#include "readers/json/format_util.hpp"

#include <algorithm>
#include <array>

namespace agent_audit::readers {

ToldState told_state(std::string_view record) {
    record = trim_blank(record);
    const auto brace = record.find('{');
    if (!record.starts_with('[') || !record.ends_with("}]") || brace == record.npos) return {};
    std::string_view before = trim_blank(record.substr(1, brace - 1));
    if (!before.ends_with(',')) return {};
    before = trim_blank(before.substr(0, before.size() - 1));
    bool has_mode = false;
    for (const std::string_view mode : {"\"values\"", "\"updates\""}) {
        if (!before.ends_with(mode)) continue;
        has_mode = true;
        before = trim_blank(before.substr(0, before.size() - mode.size()));
        if (before.ends_with(',')) before = trim_blank(before.substr(0, before.size() - 1));
    }
    before.remove_prefix(std::min(before.find_first_not_of(" \t"), before.size()));
    const bool graphs = before == "[]" || (before.starts_with("[\"") && before.ends_with("\"]"));
    if (!has_mode && !graphs) return {};
    return {record.substr(brace, record.size() - 1 - brace), graphs ? before : std::string_view{}};
}

std::string joined_graphs(std::string_view names) {
    std::string graph;
    if (!names.starts_with('[')) return std::string(names);
    for (std::size_t open = 0; (open = names.find('"', open)) != names.npos;) {
        const auto close = names.find('"', open + 1);
        if (close == names.npos) break;
        if (!graph.empty()) graph += '|';
        graph += names.substr(open + 1, close - open - 1);
        open = close + 1;
    }
    return graph;
}

std::string_view stream_mode(std::string_view word) {
    word = word.substr(0, word.find('|'));
    constexpr std::array<std::string_view, 5> kModes{"messages", "messages/partial", "messages/complete", "values",
                                                     "updates"};
    return is_one_of(word, kModes) ? word : std::string_view{};
}

}  // namespace agent_audit::readers
