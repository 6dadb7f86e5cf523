#pragma once

#include <string_view>

// Is a value a secret? Names, types and placeholders are assigned to key-like names all day.

namespace agent_audit::report {

/// Of a value at the end of `match`, which is the value and what names it: it looks random, is a phrase with digits in
/// its words, or the name says that it is a password, and no reference to one.
bool is_password(std::string_view match, std::string_view value);

/// NAME:PASSWORD in base64. A word that only could be base64 says bytes that are no text.
bool is_login(std::string_view value);

/// A key that was taken for a path, as base64 has slashes: cases and digits change in it as they do in no names.
bool is_key_like_a_path(std::string_view value);

}  // namespace agent_audit::report
