#include "detectors/engine/retry_names.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
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

// Hashes what it is given in pieces of a fixed size.
class Hasher {
public:
    void add(std::string_view text) {
        while (!text.empty()) {
            const std::size_t n = std::min(text.size(), piece_.size() - size_);
            std::memcpy(piece_.data() + size_, text.data(), n);
            size_ += n;
            text.remove_prefix(n);
            if (size_ == piece_.size()) flush();
        }
    }
    std::uint64_t hash() {
        flush();
        return hash_;
    }

private:
    void flush() {
        hash_ = mix_hash(hash_, stable_hash({piece_.data(), size_}));
        size_ = 0;
    }
    std::array<char, 2048> piece_;
    std::size_t size_ = 0;
    std::uint64_t hash_ = 0;
};

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

void add_unplaced(std::string_view text, Hasher& hasher) {
    std::size_t done = 0, place_ends = text.npos - 1;
    for (std::size_t i = 0; i < text.size();) {
        if (!is_digit(text[i])) {
            ++i;
            continue;
        }
        std::size_t end = i;
        while (end < text.size() && is_digit(text[end])) ++end;
        if (is_place(text, i, end, place_ends)) {
            hasher.add(text.substr(done, i - done));
            hasher.add(kMask);
            done = place_ends = end;
        }
        i = end;
    }
    hasher.add(text.substr(done));
}

constexpr std::size_t kCount = 3;  // digits of a number that may be a count of failures

// Words with digits, but of a check short numbers that tell no place.
void add_masked(std::string_view text, bool check, Hasher& hasher) {
    std::size_t place_ends = text.npos - 1;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i, digits = 0;
        for (; end < text.size() && kind(text[end]) != Byte::other; ++end) digits += is_digit(text[end]);
        bool masked = digits > 0;
        if (check && masked && digits == end - i && digits <= kCount) {
            masked = is_place(text, i, end, place_ends);
            if (masked) place_ends = end;
        }
        if (end > i) hasher.add(masked ? kMask : text.substr(i, end - i));
        i = end;
        while (end < text.size() && kind(text[end]) == Byte::other) ++end;
        hasher.add(text.substr(i, end - i));
        i = end;
    }
}

template <class Add>
std::uint64_t hash_of_ends(std::string_view bytes, Add&& add) {
    Hasher hasher;
    add(bytes.substr(0, kMostBytes / 2), hasher);
    if (bytes.size() > kMostBytes / 2) add(bytes.substr(std::max(bytes.size() - kMostBytes / 2, kMostBytes / 2)), hasher);
    return hasher.hash();
}

}  // namespace

std::uint64_t masked_hash(std::string_view text, bool check) {
    Hasher hasher;
    add_masked(text, check, hasher);
    return hasher.hash();
}

std::uint64_t unplaced_hash(std::string_view text) {
    Hasher hasher;
    add_unplaced(text, hasher);
    return hasher.hash();
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
        const bool at_once = ordinal == known->ordinal + 1 && masked_hash(now, check) == masked_hash(known->ends, check);
        if (at_once || (check && unplaced_hash(now) == unplaced_hash(known->ends))) names = known->names;
    }
    known->call = call;
    known->ordinal = ordinal;
    known->ends.assign(head).append(tail);
    known->names = names;
    return names;
}

}  // namespace agent_audit::detectors
