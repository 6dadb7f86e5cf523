#pragma once

#include "readers/input/byte_source.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace agent_audit::readers {

/// True for bytes that begin with the mark of UTF-16, as Windows PowerShell writes it when output is redirected, and
/// behind it a character of ASCII, with which every recording begins. Two stray bytes before a text of another kind
/// cost a line and not the whole; the mark of UTF-32 begins alike and is none. Needs four bytes, where there are so
/// many.
bool is_utf16(std::string_view beginning);

/// The text of `units` as UTF-8, without its mark; `first` was already read of it and begins with the mark. What is no
/// UTF-16 becomes U+FFFD.
std::unique_ptr<ByteSource> utf8_of_utf16(std::unique_ptr<ByteSource> units, std::string_view first);

}  // namespace agent_audit::readers
