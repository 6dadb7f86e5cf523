#pragma once

#include <string>
#include <string_view>

namespace agent_audit::report {

/// One line of text (see visible()) as Markdown prose that shows exactly that: no markup, HTML, link, image, mention or
/// address a service would link by itself. Fits into a cell of a table.
std::string markdown_prose(std::string_view line);

/// One line of text as a code span, outside of tables (a | would end a cell). Empty for empty text.
std::string markdown_code(std::string_view line);

/// Lines of text as a block, behind a fence that none of them can close.
std::string markdown_block(std::string_view lines);

}  // namespace agent_audit::report
