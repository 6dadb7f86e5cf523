#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace agent_audit::readers {

/// Makes a document of one that ends too early: its text up to the last whole element of the top-level array `key`,
/// with the brackets behind it closed and padding for the parser. Returns its size without the padding; 0 when there is
/// no whole element.
std::size_t close_torn(std::string_view text, std::string_view key, std::string& closed);

}  // namespace agent_audit::readers
