#pragma once

#include <string_view>

namespace agent_audit::readers {

/// A text as it stands in JSON without the blanks, tabs and line ends in front, as they are or as escapes (\n, \r, \t).
std::string_view without_blanks_in_front(std::string_view raw);
/// The same at its end, where an escape may be an escaped backslash with a letter behind it: C:\\n keeps its n.
std::string_view without_blanks_behind(std::string_view raw);

}  // namespace agent_audit::readers
