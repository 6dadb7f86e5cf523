#pragma once

#include <string>
#include <string_view>

namespace agent_audit::readers {

/// Raw control characters and broken UTF-8 make a record unreadable for a strict parser, but they sit inside tool
/// output that nobody needs byte for byte: here they are blanks and question marks. Of the same length, so places stay
/// right, with kRecordPadding bytes behind it.
std::string repaired_copy(std::string_view text);

}  // namespace agent_audit::readers
