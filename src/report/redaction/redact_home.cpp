#include "report/redaction/redact.hpp"

#include "support/ascii.hpp"
#include "support/find_near.hpp"
#include "support/home_folder.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

// The home directory in texts and paths, which names a person.

namespace agent_audit::report {
namespace {

bool is_name_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.' || static_cast<unsigned char>(c) >= 0x80;
}

bool ends_in_hex(std::string_view text, std::string_view mark, std::size_t digits) {
    if (text.size() < mark.size() + digits) return false;
    const std::string_view end = text.substr(text.size() - digits - mark.size());
    return end.starts_with(mark) && std::ranges::all_of(end.substr(mark.size()), is_hex);
}

// What kEscape (redact_rules.hpp) says: the last letter or digit is not the end of a name.
bool ends_in_escape(std::string_view text) {
    if (text.size() < 2) return false;
    const char last = text.back();
    if (text[text.size() - 2] == '\\' && std::string_view("bfnrt").find(last) != std::string_view::npos) return true;
    if (ends_in_hex(text, "\\u", 4) || ends_in_hex(text, "\\x", 2) || ends_in_hex(text, "%", 2)) return true;
    const std::string_view colour = text.substr(0, text.size() - 1);
    const std::size_t open = colour.find_last_not_of("0123456789;:?");
    if (open == colour.npos) return last == 'm';  // what cut the text out began behind the bracket
    if (!is_letter(last) || colour[open] != '[') return false;
    const std::string_view before = colour.substr(0, open);
    return (last == 'm' && open + 1 < colour.size()) || before.ends_with('\x1B') || before.ends_with("\\e") ||
           before.ends_with("\\033") || before.ends_with("\\x1b") || before.ends_with("\\u001b");
}

// May an absolute path begin where this text ends? Behind :// it is the host or the user of an address.
bool path_may_begin(std::string_view before) {
    if (before.empty()) return true;
    if (before.ends_with(":/")) return false;
    return !is_name_byte(before.back()) || ends_in_escape(before);
}

// Where a home directory that starts at `pos` ends, or npos.
std::size_t home_end(std::string_view text, std::size_t pos) {
    const std::size_t length = home_length(text.substr(pos));
    return length == 0 || !path_may_begin(text.substr(0, pos)) ? text.npos : pos + length;
}

// Writes the text to `out` if there is a home directory in it.
bool without_home(std::string_view text, std::string& out) {
    out.clear();
    std::size_t copied = 0;
    for (std::size_t pos = find_near(text, 0, '/', ':'); pos != text.npos; pos = find_near(text, pos, '/', ':')) {
        const std::size_t start = text[pos] == ':' && pos > 0 ? pos - 1 : pos;
        const std::size_t end = start >= copied ? home_end(text, start) : text.npos;
        if (end == text.npos) {
            ++pos;
            continue;
        }
        out += text.substr(copied, start - copied);
        out += '~';
        pos = copied = end;
    }
    if (copied == 0) return false;
    out += text.substr(copied);
    return true;
}

}  // namespace

std::string_view Redactor::at_home(std::string_view raw) {
    if (level_ == Redact::none || !without_home(raw, home_)) return raw;
    return home_;
}

}  // namespace agent_audit::report
