#pragma once

#include <string>
#include <string_view>

namespace agent_audit::cli {

/// What a change does to a text, line by line: lines that go begin with "- ", those that come with "+ ", and up to two
/// on either side that stay with "  "; "..." stands for those between. Empty: nothing changes. Texts of more than 5,000
/// lines are shown as gone and come as wholes.
std::string line_diff(std::string_view before, std::string_view after);

}  // namespace agent_audit::cli
