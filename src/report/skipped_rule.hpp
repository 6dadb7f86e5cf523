#pragma once

#include <string_view>

namespace agent_audit::report {

/// SessionReport::skipped_rules entries: a rule id, optionally followed by " (needs a, b)".
struct SkippedRule {
    std::string_view rule;
    std::string_view needs;  ///< comma separated signals; empty when not said
};

constexpr SkippedRule split_skipped(std::string_view entry) {
    constexpr std::string_view kMark = " (needs ";
    const std::size_t at = entry.find(kMark);
    if (at == entry.npos) return {entry, {}};
    std::string_view needs = entry.substr(at + kMark.size());
    if (needs.ends_with(')')) needs.remove_suffix(1);
    return {entry.substr(0, at), needs};
}

}  // namespace agent_audit::report
