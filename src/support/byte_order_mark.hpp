#pragma once

#include <string_view>

namespace agent_audit {

/// A text without the mark of UTF-8 at its beginning, which some editors and shells write.
constexpr std::string_view without_byte_order_mark(std::string_view text) {
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
    return text;
}

}  // namespace agent_audit
