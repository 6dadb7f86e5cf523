#pragma once

#include <agent_audit/model/text.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace agent_audit {

/// Lengths of a text as the agents themselves count them, on text that is kept as WTF-8: UTF-8 in which an unpaired
/// UTF-16 surrogate may stand as three bytes (ED A0..BF xx), because some agents cut between the halves of a pair.
/// Bytes that are neither count as U+FFFD, one for each sequence a browser would replace.
///
///  UTF-16 code units  JavaScript's length: OpenClaw, pi, Gemini CLI, opencode, Cline
///  code points        Python's len: OpenHands, Aider, Kimi CLI, LangChain
///  bytes              Codex; string_view::size()
std::size_t utf16_length(std::string_view wtf8);
std::size_t code_points(std::string_view wtf8);

/// All of them at once, and what estimates count.
struct TextSizes {
    std::uint32_t bytes = 0;
    std::uint32_t units = 0;  ///< UTF-16 code units
    std::uint32_t code_points = 0;
    std::uint32_t ascii = 0;     ///< bytes below 0x80
    std::uint32_t json = 0;      ///< UTF-16 code units between the quotes of its JSON string
    std::uint64_t weighted = 0;  ///< OpenClaw's CJK-weighted length
};

/// Where a UTF-16 index falls in the bytes.
struct Utf16Place {
    std::size_t byte = 0;      ///< start of the code point the index falls into; size() at and beyond the end
    bool inside_pair = false;  ///< the index stands between the halves of a surrogate pair
};
/// Of an index in UTF-16 units.
Utf16Place utf16_place(std::string_view wtf8, std::size_t units);

/// text.slice(from, to) of JavaScript for from, to >= 0: units [from, to), cut at the end, empty when to <= from. A cut
/// inside a surrogate pair leaves its half as a lone surrogate.
std::string utf16_slice(std::string_view wtf8, std::size_t from, std::size_t to = std::string_view::npos);

/// out += more. Halves of a surrogate pair that meet become one code point again, as they do in JavaScript.
void append_wtf8(std::string& out, std::string_view more);

/// For people and for files: lone surrogates and broken bytes become U+FFFD.
std::string utf8_of_wtf8(std::string_view wtf8);

/// The text itself, lone surrogates kept (decode_json_string of support replaces them). The text of a json_value is its
/// JSON as recorded.
std::string wtf8_of(RawText text);
/// The same, written to the front of `scratch`, which grows where it is too short and is not cut where it is too long:
/// its memory can be used again and again. `text` is no part of it.
std::string_view wtf8_into(RawText text, std::string& scratch);

/// JSON.stringify of a string: with quotes; lone surrogates as \ud83d. Appends.
void append_json_string(std::string& out, std::string_view wtf8);
/// UTF-16 length of the same, quotes included.
std::size_t json_string_length(std::string_view wtf8);

/// JSON.stringify(JSON.parse(raw)): no blanks, integer-like keys first and in order, of keys that repeat the last value
/// at the first place, numbers in their shortest form. nullopt when `raw` is not one JSON value, or nested deeper than
/// kMaxJsonDepth. Control characters inside strings and invalid UTF-8 are tolerated.
std::optional<std::string> json_stringify(std::string_view raw);
/// UTF-16 length of the same, without building it.
std::optional<std::size_t> json_stringify_length(std::string_view raw);

inline constexpr std::size_t kMaxJsonDepth = 1000;

/// A finite number as JavaScript prints it: 100, 1e+21, 1e-7, 0 for -0.
std::string js_number(double value);

}  // namespace agent_audit
