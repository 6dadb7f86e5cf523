#pragma once

#include <string>
#include <string_view>

namespace agent_audit::report {

/// Text as it stands in a manual page (groff's man macros): every character means itself. Backslashes, quotes, hyphens,
/// accents and whatever is not ASCII are written as escapes, and a line never begins with a dot or a quote, which would
/// make it a request. Line ends stay; blank lines do not.
std::string roff_text(std::string_view text);

}  // namespace agent_audit::report
