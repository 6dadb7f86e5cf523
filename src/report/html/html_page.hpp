#pragma once

#include "report/html/html_chart.hpp"
#include "report/html/html_writer.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::report {

/// Up to the opened <main>: the security policy, which allows the scripts of this page by their hashes and no address
/// at all, the style, and nothing that is loaded. `charts`: the page holds curves, so the chart library comes with it.
void open_page(Html& html, const std::string& title, bool charts);

/// The end of the page: data for the charts, the scripts, and the licence of what is not ours.
void close_page(Html& html, const std::vector<const Chart*>& charts, bool with_library, std::string_view tool_version);

}  // namespace agent_audit::report
