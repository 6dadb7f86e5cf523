#include "readers/json/torn_document.hpp"

#include "readers/json/json_bytes.hpp"
#include "readers/json/json_util.hpp"

namespace agent_audit::readers {
namespace {

// Where the last whole element of the array `key` of a document ends, or npos. The text is no JSON, so this looks at
// quotes and brackets only.
std::size_t last_element_end(std::string_view text, std::string_view key) {
    std::size_t depth = 0, string_start = 0, end = text.npos;
    std::string_view last_string;
    bool in_string = false, in_records = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        i = in_string ? find_quote_or_backslash(text, i) : find_structural(text, i);
        if (i >= text.size()) break;
        const char c = text[i];
        if (c == '\\') {
            ++i;
        } else if (c == '"') {
            if (in_string && depth == 1) last_string = text.substr(string_start, i - string_start);
            in_string = !in_string;
            string_start = i + 1;
        } else if (c == '{' || c == '[') {
            if (++depth == 2) in_records = c == '[' && last_string == key;
        } else {
            if (depth == 0 || --depth == 0) break;
            if (depth == 1) in_records = false;
            if (depth == 2 && in_records) end = i + 1;
        }
    }
    return end;
}

}  // namespace

std::size_t close_torn(std::string_view text, std::string_view key, std::string& closed) {
    const std::size_t end = last_element_end(text, key);
    if (end == text.npos) return 0;
    closed.assign(text.substr(0, end));
    closed += "]}";
    const std::size_t size = closed.size();
    closed.resize(size + kRecordPadding);
    return size;
}

}  // namespace agent_audit::readers
