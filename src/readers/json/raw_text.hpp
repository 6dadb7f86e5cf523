#pragma once

#include <agent_audit/model/text.hpp>
#include <agent_audit/support/unescape.hpp>

#include <cstddef>
#include <string>
#include <string_view>

// Texts as they stand in a recording.

namespace agent_audit::readers {

/// Without its escapes, from so many of its bytes at most.
inline std::string decoded(RawText text, std::size_t most) {
    return text.form == TextForm::json_string ? decode_json_string(text.bytes, most)
                                              : std::string(text.bytes.substr(0, most));
}

/// The inside of a JSON string without the blanks and line ends that it ends in, escapes intact.
inline std::string_view trim_back(std::string_view raw) {
    for (;;) {
        if (raw.ends_with(' '))
            raw.remove_suffix(1);
        else if (raw.ends_with("\\n") || raw.ends_with("\\r") || raw.ends_with("\\t"))
            raw.remove_suffix(2);
        else
            return raw;
    }
}

}  // namespace agent_audit::readers
