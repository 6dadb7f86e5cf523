#pragma once

#include "policy/policy_keys.hpp"

#include <string>
#include <string_view>
#include <vector>

/// Paths of the keys of policy files, and texts as they are written there.
namespace agent_audit::policy {

/// A part of a key that stands for a name, such as <rule>.
inline bool is_wild(std::string_view part) { return part.starts_with('<'); }

/// The parts of a key of the table.
std::vector<std::string_view> parts_of(std::string_view key);

/// A basic string of TOML.
std::string in_quotes(std::string_view text);

/// A path as it is written in a file.
std::string shown(const Path& path);

}  // namespace agent_audit::policy
