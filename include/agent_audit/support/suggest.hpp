#pragma once

#include <span>
#include <string>
#include <string_view>

namespace agent_audit {

/// The candidate nearest to `word` by edit distance, or empty when none is near enough to be a likely slip
/// (more than a third of the longer word, or more than 3 edits).
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace agent_audit
