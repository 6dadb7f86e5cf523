#pragma once

#include <string>
#include <string_view>

namespace agent_audit::advice {

/// The line of an error that says what went wrong: the last line of a traceback, the first line that names an error and
/// says which, an HTTP status. Banners, warnings, progress and the echo of the command come last. One line, cut; empty
/// for a text without words.
std::string telling_line(std::string_view clean);

/// The same, but empty where no line of the text names an error: for texts of which it is not known that they tell one.
std::string error_in(std::string_view clean);

}  // namespace agent_audit::advice
