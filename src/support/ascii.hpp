#pragma once

namespace agent_audit {

/// A letter of ASCII, of either case; bytes of other characters are none.
constexpr bool is_letter(char c) { return static_cast<unsigned char>((c | 0x20) - 'a') < 26; }

}  // namespace agent_audit
