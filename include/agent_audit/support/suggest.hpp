#pragma once

#include <span>
#include <string>
#include <string_view>

namespace agent_audit {

/// The candidate that was most likely meant by `word`, whatever its case: the one that an edit makes of it, else one
/// that begins with it (from 3 characters on), else the nearest by edit distance. Empty when none is near enough to be
/// a likely slip (more than a third of the longer word, or more than 3 edits). Of equals the first: give the likelier
/// ones first.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace agent_audit
