#pragma once

#include <string>
#include <string_view>

namespace agent_audit::readers {

/// Writes as JSON text what SQLite keeps as JSONB, its binary form of JSON. False, and nothing is written, for anything
/// else. What is written is bounded by some times the size of `blob`.
bool append_jsonb(std::string_view blob, std::string& out);

}  // namespace agent_audit::readers
