#pragma once

#include "support/ascii.hpp"

#include <agent_audit/model/text.hpp>
#include <agent_audit/simulator/js_value.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::advice {

/// The words of a recorded text as UTF-8, without control characters (line breaks stay), direction changes and
/// characters that nobody sees. At most about `max_bytes` of the recording are looked at.
std::string words_of(RawText raw, std::size_t max_bytes = 256u << 10);

/// The same for text that is decoded already.
std::string clean(std::string_view utf8);

/// On one line: white space runs become one blank; at most `max_chars` code points, the last of them an ellipsis when
/// something was cut.
std::string one_line(std::string_view clean, std::size_t max_chars);

/// At most `max_chars` code points: the beginning and the end, with a mark between them.
std::string head_and_tail(std::string_view clean, std::size_t max_chars);

/// The sentences of a text without its fenced code blocks, tags and quoted lines; views of `clean`.
std::vector<std::string_view> sentences(std::string_view clean);

/// What a person wrote without what programs put beside it in tags of their own: reminders, the state of the editor.
std::string without_program_tags(std::string text);

/// The arguments of a call; nothing when they are no JSON, or longer than `max_bytes`.
std::optional<simulator::JsValue> arguments_of(RawText raw, std::size_t max_bytes);

/// The name of an argument as all tools would write it: file_path, filePath and file-path are "filepath".
std::string plain_key(std::string_view key);

/// Whether the word or phrase occurs between word borders (ASCII), or anywhere (otherwise). Both in lower case.
bool has_word(std::string_view text, std::string_view word);

}  // namespace agent_audit::advice
