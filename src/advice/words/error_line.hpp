#pragma once

#include <string>
#include <string_view>

namespace agent_audit::advice {

/// The line of an error that says what went wrong: the last line of a traceback, the first line that names an error and
/// says which, an HTTP status. Banners, warnings, progress and the echo of the command come last. One line, cut; empty
/// for a text without words.
std::string telling_line(std::string_view clean);

/// The error that a person pasted into a message: the last line of a traceback, or the first line that has the form in
/// which programs print them. Empty where there is none: what people say of errors, ask, order, list or quote as code
/// is none.
std::string pasted_error(std::string_view clean);

}  // namespace agent_audit::advice
