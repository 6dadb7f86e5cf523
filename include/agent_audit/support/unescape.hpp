#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace agent_audit {

/// Decodes the inside of a JSON string to UTF-8, at most `max_bytes` of output (cut at a code point).
/// Never fails: an unknown escape is kept as it stands, an unpaired surrogate becomes U+FFFD.
std::string decode_json_string(std::string_view raw, std::size_t max_bytes = std::string_view::npos);

/// Appends a code point as UTF-8; it must be none of a surrogate's halves and at most 0x10FFFF.
void append_utf8(std::string& out, std::uint32_t code_point);

/// `text` cut to at most `max_bytes` at a code point border.
std::string_view cut_utf8(std::string_view text, std::size_t max_bytes);

/// The inside of a JSON string that was cut at some byte, without the part of an escape, or the half of a surrogate
/// pair, that a cut may have left at its end.
std::string_view without_torn_escape(std::string_view raw);

}  // namespace agent_audit
