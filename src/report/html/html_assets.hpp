#pragma once

#include <cstddef>
#include <string_view>

namespace agent_audit::report {

/// A script, and the base64 of its SHA-256: the page's security policy allows what has this hash and nothing else.
struct HtmlScript {
    std::string_view text;
    std::string_view sha256;
};

/// What a report carries besides its data. The code is written by the build (cmake/agent_audit_html.cmake).
struct HtmlAssets {
    std::string_view style;
    HtmlScript script;
    std::string_view chart_style;  ///< empty, as the next two, where the program was built without the library
    HtmlScript chart_script;
    std::string_view chart_licence;  ///< without "--", so that it can stand in a comment
};

const HtmlAssets& html_assets();

}  // namespace agent_audit::report
