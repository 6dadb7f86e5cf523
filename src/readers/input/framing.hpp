#pragma once

#include <agent_audit/readers/reader.hpp>

#include <string_view>

namespace agent_audit::readers {

/// How an input is cut, judged by its first kilobytes. `text` begins at the first byte that is not blank;
/// `whole` means that nothing follows it.
Framing decide_framing(std::string_view text, bool whole);

/// True when the beginning of an input cannot be that of a log: many control characters, or NULs where no
/// record begins. A few NULs in a log of JSON lines are the mark of a torn write, not of a binary file.
bool looks_like_binary(std::string_view beginning);

/// What a file of some other kind is, and what to do about it, as one line; empty for what is not known.
std::string_view known_binary(std::string_view beginning);

}  // namespace agent_audit::readers
