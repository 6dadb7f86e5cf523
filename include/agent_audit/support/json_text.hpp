#pragma once

#include <string>
#include <string_view>

namespace agent_audit {

/// Well-formed UTF-8: nothing overlong, no surrogates, nothing beyond U+10FFFF.
bool is_utf8(std::string_view text);

/// May stand between two quotes in JSON as it is: UTF-8, known escapes, no raw quote and no control character.
/// \u escapes of lone surrogates are well-formed.
bool is_json_string(std::string_view inside);

/// Exactly one JSON value without white space around it and without a line break, nested at most `max_depth` deep.
bool is_json_on_one_line(std::string_view text, std::size_t max_depth = 256);

/// Appends UTF-8 text as the inside of a JSON string.
void append_json_escaped(std::string& out, std::string_view text);

/// RFC 4648, with padding and without line breaks.
std::string base64(std::string_view bytes);
/// False when `text` is no base64; `out` is then not to be used.
bool from_base64(std::string_view text, std::string& out);

}  // namespace agent_audit
