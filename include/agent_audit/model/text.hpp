#pragma once

#include <cstdint>
#include <string_view>

namespace agent_audit {

/// How the bytes of a RawText are to be read.
enum class TextForm : std::uint8_t {
    plain,        ///< the text itself, UTF-8
    json_string,  ///< the inside of a JSON string: escapes such as \n and \u00e9 are still there
    json_value,   ///< one JSON value: an object, an array of content blocks, a number
};

/// Text exactly as it stands in the recording. Nothing is unescaped while scanning: hashes and token
/// estimates work on these bytes, and only what is printed is decoded (decode_json_string in support/unescape.hpp).
/// The bytes are valid only during the callback that hands them over.
struct RawText {
    std::string_view bytes;
    TextForm form = TextForm::json_string;

    bool empty() const { return bytes.empty(); }
    std::size_t size() const { return bytes.size(); }
};

}  // namespace agent_audit
