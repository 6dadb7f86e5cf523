#pragma once

#include <map>
#include <string>

namespace agent_audit::cli {

/// File below docs/reference, and its text in Markdown.
using ReferencePages = std::map<std::string, std::string>;

/// All pages of the reference, made from the program's own tables.
ReferencePages reference_pages();

}  // namespace agent_audit::cli
