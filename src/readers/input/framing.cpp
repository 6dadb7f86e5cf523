#include "readers/input/framing.hpp"

#include "readers/json/json_bytes.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace agent_audit::readers {
namespace {

/// How far the JSON value at the beginning of a line gets before the line ends.
struct FirstLine {
    bool closed = false;     ///< the value ends within the line
    std::size_t end = 0;     ///< where, if so
    bool in_string = false;  ///< otherwise: the line ends inside a string,
    bool in_array = false;   ///< the innermost open container is an array,
    std::size_t depth = 0;   ///< and so many are open
};

/// Nobody who spreads a document over lines opens more than a few containers on the first one.
constexpr std::size_t kDeepestFirstLine = 8;

FirstLine measure(std::string_view line) {
    FirstLine found;
    std::string open;  // the closers still to come, innermost last
    for (std::size_t i = 0; i < line.size(); ++i) {
        i = found.in_string ? find_quote_or_backslash(line, i) : find_structural(line, i);
        if (i == line.size()) break;
        const char c = line[i];
        if (c == '\\') {
            ++i;
        } else if (c == '"') {
            found.in_string = !found.in_string;
        } else if (c == '{' || c == '[') {
            open.push_back(c);
        } else {
            open.pop_back();
            if (open.empty()) return {.closed = true, .end = i + 1};
        }
    }
    found.in_array = open.ends_with('[');
    found.depth = open.size();
    return found;
}

std::string_view without_blanks_around(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

/// Whether a value that is open at the end of a line can go on with `next`, the first byte of what follows. If
/// it cannot, the line is a torn record and not the first line of a pretty-printed document.
bool goes_on(std::string_view line, const FirstLine& first, char next) {
    if (first.in_string || first.depth > kDeepestFirstLine) return false;
    switch (without_blanks_around(line).back()) {
        case '{': return next == '"' || next == '}';
        case '[': return begins_json_value(next) || next == ']';
        case ':': return begins_json_value(next);
        case ',': return first.in_array ? begins_json_value(next) : next == '"';
        default: return next == ',' || next == '}' || next == ']' || next == ':';
    }
}

bool first_element_is_object(std::string_view array) {
    const auto rest = without_blanks_around(array.substr(1));
    return !rest.empty() && rest.front() == '{';
}

/// Lines that a terminal, a wrapper or a logger wrote in front of a session.
constexpr int kLinesInFront = 5;

/// `text` without a first line that is no record. Itself when it is one, or all there is.
std::string_view behind_junk(std::string_view text) {
    const std::size_t newline = text.find('\n');
    if (newline == text.npos) return text;
    const std::string_view line = without_blanks_around(text.substr(0, newline));
    if (!is_no_record(line)) return text;
    std::string_view rest = text.substr(newline + 1);
    while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
    return rest.empty() ? text : rest;
}

/// Whether an array that closes on its line is a document rather than the first line of a log: nothing follows it, or
/// what does is no line of its own but what a crash, or a longer file that stood there before, left behind it.
bool stands_alone(std::string_view rest_of_line, std::string_view after) {
    const std::string_view rest = without_blanks_around(rest_of_line);
    return rest.empty() ? after.empty() : rest.front() != ',' && rest.front() != '[';
}

Framing spanning(char opener) { return opener == '[' ? Framing::elements : Framing::document; }

}  // namespace

Framing decide_framing(std::string_view text, bool whole) {
    for (int i = 0; i < kLinesInFront; ++i) {
        const std::string_view rest = behind_junk(text);
        if (rest.size() == text.size()) break;
        text = rest;
    }
    if (text.empty() || (text.front() != '{' && text.front() != '[')) return Framing::lines;
    const char opener = text.front();
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::string_view after = without_blanks_around(text.substr(line.size()));
    const bool line_ends = line.size() < text.size() || whole;

    // The usual log needs no closer look: an object that a line closes is never followed by another opening.
    if (opener == '{' && (!line_ends || after.starts_with('{')) && without_blanks_around(line).ends_with('}')) {
        return Framing::lines;
    }
    const FirstLine first = measure(line);
    if (first.closed) {
        const bool document = stands_alone(line.substr(first.end), after);
        return opener == '[' && document && first_element_is_object(line) ? Framing::elements : Framing::lines;
    }
    // An array longer than what was read, or cut: of objects it is a document; a line of a log begins with a name.
    if (!line_ends || after.empty())
        return opener == '[' && first_element_is_object(line) ? Framing::elements : Framing::lines;
    return goes_on(line, first, after.front()) ? spanning(opener) : Framing::lines;
}

bool looks_like_binary(std::string_view beginning) {
    const std::string_view sample = beginning.substr(0, 4096);
    if (sample.empty()) return false;
    const auto nuls = static_cast<std::size_t>(std::ranges::count(sample, '\0'));
    const auto others = static_cast<std::size_t>(std::ranges::count_if(
        sample, [](char c) { return c > '\0' && c < ' ' && !is_blank(c) && c != '\b' && c != '\x1b'; }));
    constexpr std::size_t kFew = 8;  // in a short log a single NUL is a large share
    if (others * 10 > sample.size() || (nuls > kFew && nuls * 50 > sample.size())) return true;
    if (nuls == 0) return false;
    const auto first = std::ranges::find_if(sample, [](char c) { return !is_blank(c); });
    return first == sample.end() || std::string_view("{[\"#>-*`").find(*first) == std::string_view::npos;
}

std::string_view known_binary(std::string_view beginning) {
    using namespace std::string_view_literals;
    struct Kind {
        std::string_view begins, words;
    };
    constexpr std::array kKinds{
        Kind{"\xfd\x37zXZ\0"sv, "compressed with xz, which is not read: unpack it first (xz -dk), or use gzip or zstd"},
        Kind{"BZh"sv, "compressed with bzip2, which is not read: unpack it first (bzip2 -dk), or use gzip or zstd"},
        Kind{"\x04\x22\x4d\x18"sv,
             "compressed with lz4, which is not read: unpack it first (lz4 -dk), or use gzip or zstd"},
        Kind{"7z\xbc\xaf\x27\x1c"sv, "a 7z archive, which is not read: unpack it first, or use ZIP or tar"},
        Kind{"Rar!\x1a\x07"sv, "a RAR archive, which is not read: unpack it first, or use ZIP or tar"},
        Kind{"PAR1"sv, "a Parquet table, which is not read: write its sessions as JSON lines first"},
        Kind{"ARROW1"sv, "an Arrow table, which is not read: write its sessions as JSON lines first"},
    };
    const auto found =
        std::ranges::find_if(kKinds, [beginning](const Kind& kind) { return beginning.starts_with(kind.begins); });
    return found == kKinds.end() ? std::string_view{} : found->words;
}

}  // namespace agent_audit::readers
