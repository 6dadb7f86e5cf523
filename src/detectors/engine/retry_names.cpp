#include "detectors/engine/retry_names.hpp"

#include "detectors/engine/outcome_words.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kMostBytes = 8'192;  // kept of a text, half from each end
constexpr std::string_view kMask = "#";

enum class Byte : std::uint8_t { other, letter, digit };

constexpr auto kBytes = [] {
    std::array<Byte, 256> bytes{};
    for (unsigned c = 0; c < 256; ++c) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
        bytes[c] = c >= '0' && c <= '9' ? Byte::digit : letter ? Byte::letter : Byte::other;
    }
    return bytes;
}();

Byte kind(char c) { return kBytes[static_cast<unsigned char>(c)]; }

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return kind(c) == Byte::digit; }

// "net.cpp" at the end of a text: a dot and at most five letters or digits that begin with a letter.
bool ends_in_file_name(std::string_view text) {
    std::size_t from = text.size();
    while (from > 0 && text.size() - from < 6 && (is_letter(text[from - 1]) || is_digit(text[from - 1]))) --from;
    return from >= 2 && from < text.size() && text[from - 1] == '.' && is_letter(text[from]) && kind(text[from - 2]) != Byte::other;
}

bool ends_with_line(std::string_view text) {
    constexpr std::string_view kLine = "ine ";
    return text.size() > kLine.size() && text.ends_with(kLine) && (text[text.size() - 5] | 0x20) == 'l';
}

// Digits of a gutter: nothing but blanks before them in their line, and a bar behind.
bool is_gutter(std::string_view before, std::string_view after) {
    after.remove_prefix(std::min(after.find_first_not_of(' '), after.size()));
    if (!after.starts_with('|')) return false;
    const std::size_t last = before.find_last_not_of(' ');
    return last == before.npos || before[last] == '\n' || (before[last] == 'n' && last > 0 && before[last - 1] == '\\');
}

// "0.49s", "120 ms": what stands behind the first digits of a duration, or behind its last ones.
bool ends_duration(std::string_view after) {
    if (after.starts_with('.')) {
        after.remove_prefix(1);
        while (!after.empty() && is_digit(after.front())) after.remove_prefix(1);
    }
    if (after.starts_with(' ')) after.remove_prefix(1);
    const auto is_unit = [&](std::string_view unit) {
        return after.starts_with(unit) && (after.size() == unit.size() || !is_letter(after[unit.size()]));
    };
    return is_unit("s") || is_unit("ms") || is_unit("sec") || is_unit("seconds");
}

// Do the digits between these two tell a place? `place_ends`: where the place before them ended.
bool is_place(std::string_view text, std::size_t begin, std::size_t end, std::size_t place_ends) {
    const std::string_view before = text.substr(0, begin), after = text.substr(end);
    if (after.starts_with('%') || ends_duration(after)) return true;
    if (before.empty()) return is_gutter(before, after);
    const char mark = before.back();
    if (mark == ':' || mark == '(' || mark == ',') {
        return place_ends + 1 == begin || (mark != ',' && ends_in_file_name(before.substr(0, begin - 1)));
    }
    return ends_with_line(before) || is_gutter(before, after);
}

// "30.9 MB", "load 0.56": half a test never fails.
bool is_fraction(std::string_view text, std::size_t begin, std::size_t end) {
    const bool whole = end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1]);
    return whole || (begin > 1 && text[begin - 1] == '.' && is_digit(text[begin - 2]));
}

constexpr std::size_t kCount = 3;  // digits of a number that may be a count of failures

}  // namespace

std::string masked(std::string_view text, bool check) {
    std::string out;
    std::size_t place_ends = text.npos - 1;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i, digits = 0;
        for (; end < text.size() && kind(text[end]) != Byte::other; ++end) digits += is_digit(text[end]);
        bool hidden = digits > 0;
        if (check && hidden && digits == end - i && digits <= kCount) {
            hidden = is_place(text, i, end, place_ends);
            if (hidden) place_ends = end;
            hidden = hidden || is_fraction(text, i, end);
        }
        out += hidden ? kMask : text.substr(i, end - i);
        for (i = end; i < text.size() && kind(text[i]) == Byte::other; ++i) out += text[i];
    }
    return out;
}

std::string unplaced(std::string_view text) {
    std::string out;
    std::size_t place_ends = text.npos - 1;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i;
        while (end < text.size() && is_digit(text[end])) ++end;
        if (end == i) {
            out += text[i++];
            continue;
        }
        const bool place = is_place(text, i, end, place_ends);
        if (place) place_ends = end;
        out += place ? kMask : text.substr(i, end - i);
        i = end;
    }
    return out;
}

void RetryNames::clear() {
    for (Failure& failure : failures_) failure.call = 0;
    next_ = 0;
}

RetryNames::Names RetryNames::name(std::uint64_t call, std::uint64_t ordinal, bool check, RawText text, const Names& given) {
    const std::string_view bytes = text.bytes;
    const std::string_view head = bytes.substr(0, kMostBytes / 2);
    const std::string_view tail = bytes.substr(std::max(head.size(), bytes.size() - std::min(bytes.size(), kMostBytes / 2)));
    auto known = std::ranges::find(failures_, call, &Failure::call);
    Names names = given;
    if (known == failures_.end()) {
        known = failures_.begin() + static_cast<std::ptrdiff_t>(next_++ % failures_.size());
    } else {
        const std::string now = std::string(head).append(tail);
        const bool measured = check && differs_in_measure(known->ends, now);  // "340 ms, must be below 100 ms": the time is the outcome
        const bool at_once = ordinal == known->ordinal + 1 && masked(now, check) == masked(known->ends, check);
        if (!measured && (at_once || (check && unplaced(now) == unplaced(known->ends)))) names = known->names;
    }
    known->call = call;
    known->ordinal = ordinal;
    known->ends.assign(head).append(tail);
    known->names = names;
    return names;
}

}  // namespace agent_audit::detectors
