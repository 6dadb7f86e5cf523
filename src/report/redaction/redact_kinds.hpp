#pragma once

#include <string_view>
#include <vector>

namespace agent_audit::report {

/// One kind of secret that is taken out of texts, for the reference page.
struct RedactKind {
    std::string_view name;   ///< what stands in its place: [redacted NAME]
    std::string_view marks;  ///< no text without one of these is looked at twice; lower case, separated by blanks
    bool strict = false;     ///< with Redact::strict only
    bool weighed = false;    ///< only what looks random counts
};

/// In the order in which they are looked for. A name may occur more than once.
std::vector<RedactKind> redact_kinds();

}  // namespace agent_audit::report
