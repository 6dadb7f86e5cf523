#pragma once

#include <span>
#include <string_view>

namespace agent_audit {

/// What the class of a tool may be called in a file of settings: the names of the classes, and "polling".
std::span<const std::string_view> tool_class_words();

}  // namespace agent_audit
