#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace agent_audit::remote {

/// The answer that was kept under `key` (hexadecimal digits); nothing when there is none that can be read.
std::optional<std::string> read_cache_file(const std::string& dir, const std::string& key, std::size_t most);
/// Whole or not at all, readable by its owner only. False: it could not be written.
bool write_cache_file(const std::string& dir, const std::string& key, const std::string& body);

}  // namespace agent_audit::remote
