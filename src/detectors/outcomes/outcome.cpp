#include "detectors/outcomes/outcome.hpp"

#include "detectors/outcomes/volatile_parts.hpp"
#include "detectors/words/opaque_ids.hpp"
#include "support/ascii.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace agent_audit::detectors {
namespace {

constexpr std::uint64_t kErrorSeed = 0x6661696c65640a01ULL;  // so that an error never equals a result
constexpr std::size_t kErrorKeyChars = 200;
constexpr std::size_t kErrorKeyBytes = 1024;  // looked at for those characters
constexpr std::size_t kShortestCode = 8;
constexpr char kVolatileMark = '\x01', kDigitsMark = '\x02';

// F4R86YNEYU: the number under which a service filed that it said no.
bool is_drawn_code(std::string_view word) {
    constexpr std::ptrdiff_t kFewest = 2;                         // letters, and digits
    if (word.front() >= 'a' || word.back() >= 'a') return false;  // most words
    const auto digits = std::ranges::count_if(word, is_digit);
    const auto capitals = std::ranges::count_if(word, [](char c) { return c >= 'A' && c <= 'Z'; });
    if (std::min(digits, capitals) < kFewest || digits + capitals != std::ssize(word)) return false;
    const auto first = std::ranges::find_if(word, is_digit);
    return std::any_of(first, word.end(), [](char c) { return !is_digit(c); });  // no name with a number behind it
}

/// Columns shift when a volatile value grows by a digit: blanks beside one do not count.
std::string_view trim(std::string_view t, bool left, bool right) {
    while (left && !t.empty() && t.front() == ' ') t.remove_prefix(1);
    while (right && !t.empty() && t.back() == ' ') t.remove_suffix(1);
    return t;
}

/// Calls visit(segment, more) for every stretch between volatile parts; `more` says that a part follows.
/// Stops when visit returns false.
template <class Visit>
void for_each_segment(std::string_view text, Visit visit) {
    VolatileParts parts(text);
    std::size_t done = 0;
    for (VolatilePart part; parts.next(part); done = part.end) {
        if (!visit(trim(text.substr(done, part.begin - done), done != 0, true), true)) return;
    }
    visit(done == 0 ? text : trim(text.substr(done), true, false), false);
}

// ---- placeholders

bool contains_any(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view w) { return text.find(w) != text.npos; });
}

/// A placeholder's words, in lower case: "old tool result content cleared", "image #2".
bool names_a_gap(std::string_view words) {
    while (!words.empty() && !(words.front() >= 'a' && words.front() <= 'z')) words.remove_prefix(1);
    const std::size_t end = std::min(words.find_first_not_of("abcdefghijklmnopqrstuvwxyz"), words.size());
    const std::string_view first = words.substr(0, end);
    static constexpr std::array<std::string_view, 8> kAlone{"image",   "screenshot", "audio",     "redacted",
                                                            "omitted", "elided",     "truncated", "binary"};
    const bool name_goes_on = end < words.size() && (words[end] == '.' || words[end] == '=');
    if (!name_goes_on && std::ranges::find(kAlone, first) != kAlone.end()) return true;
    return contains_any(words,
                        {"content", "output", "result", "lines", "characters", "chars", "bytes", "tokens", "text"}) &&
           contains_any(words,
                        {"cleared", "truncated", "omitted", "elided", "redacted", "removed", "pruned", "compacted"});
}

/// Takes one placeholder, "[…]", "<…>", "(…)" or the bare word, from the front of `t`.
bool take_placeholder(std::string_view& t) {
    constexpr std::size_t kLongest = 160;
    constexpr std::string_view kBegins = "[<(rR";  // most results begin with something else
    if (kBegins.find(t.front()) == kBegins.npos) return false;
    std::array<char, kLongest> buffer;
    const std::size_t size = std::min(t.size(), kLongest);
    std::transform(t.begin(), t.begin() + static_cast<std::ptrdiff_t>(size), buffer.begin(), lower);
    const std::string_view words(buffer.data(), size);
    static constexpr std::string_view kBare = "redacted";
    if (words.starts_with(kBare)) {
        t.remove_prefix(kBare.size());
        return true;
    }
    static constexpr std::string_view kOpen = "[<(", kClose = "]>)";
    const std::size_t kind = kOpen.find(words.front());
    if (kind == kOpen.npos) return false;
    const std::size_t close = words.find(kClose[kind]);
    if (close == words.npos || !names_a_gap(words.substr(1, close - 1))) return false;
    if (words.substr(1, close - 1).find_first_of("\"{}") != words.npos) return false;  // data, not words
    t.remove_prefix(close + 1);
    return true;
}

std::string_view skip_blank(std::string_view t) {
    for (;;) {
        if (t.size() >= 2 && t[0] == '\\' && (t[1] == 'n' || t[1] == 'r' || t[1] == 't'))
            t.remove_prefix(2);
        else if (!t.empty() && static_cast<unsigned char>(t.front()) <= ' ')
            t.remove_prefix(1);
        else
            return t;
    }
}

/// Content blocks of which none is text: images and documents say nothing that could be compared.
bool is_media_only(RawText text) {
    if (text.form != TextForm::json_value || (!text.bytes.starts_with('[') && !text.bytes.starts_with('{')))
        return false;
    const std::string_view head = text.bytes.substr(0, 200);
    static constexpr std::array<std::string_view, 5> kMedia{"\"image\"", "\"image_url\"", "\"input_image\"",
                                                            "\"document\"", "\"audio\""};
    // As a value only: {"image":"nginx"} is data.
    const bool media = std::ranges::any_of(kMedia, [&](std::string_view kind) {
        const std::size_t at = head.find(kind);
        if (at == head.npos) return false;
        const std::size_t after = head.find_first_not_of(" \t\r\n", at + kind.size());
        return after == head.npos || head[after] != ':';
    });
    return media && memmem(text.bytes.data(), text.bytes.size(), "text\"", 5) == nullptr;
}

bool is_placeholder(RawText text) {
    constexpr std::size_t kLongest = 1000;
    if (is_media_only(text)) return true;
    std::string_view t = text.bytes;
    if (t.size() > kLongest) return false;
    if (t.size() >= 2 && text.form == TextForm::json_value && t.front() == '"') t = t.substr(1, t.size() - 2);
    t = skip_blank(t);
    if (t.empty()) return false;
    while (!t.empty()) {
        if (!take_placeholder(t)) return false;
        t = skip_blank(t);
    }
    return true;
}

/// Copies characters with every run of digits as one mark, up to a number of characters.
class KeyText {
public:
    bool add(std::string_view text) {
        for (std::size_t i = 0; i < text.size(); ++i) {
            const char c = text[i];
            if (!is_of_word(c)) {
                if (i - word_ >= kShortestCode) end_word(text, i);
                if (!add(c)) return false;
                begin_word(i + 1);
            } else if (!is_digit(c) || size_ == 0 || bytes_[size_ - 1] != kDigitsMark) {
                if (!add(is_digit(c) ? kDigitsMark : c)) return false;
            }
        }
        end_word(text, text.size());
        begin_word(0);
        return true;
    }
    bool add(char c) {
        const bool continues = (static_cast<unsigned char>(c) & 0xc0) == 0x80;
        if (!continues && chars_ == kErrorKeyChars) return false;
        chars_ += !continues;
        if (size_ == bytes_.size()) return false;
        bytes_[size_++] = c;
        return true;
    }
    std::string_view view() const { return {bytes_.data(), size_}; }

private:
    static bool is_of_word(char c) {
        return is_digit(c) || static_cast<unsigned char>((c | 0x20) - 'a') < 26 || c == '_' || c == '-';
    }

    void begin_word(std::size_t at) {
        word_ = at;
        size_before_ = size_;
        chars_before_ = chars_;
    }
    // An id that was drawn for this answer gives way to a mark.
    void end_word(std::string_view text, std::size_t end) {
        if (end - word_ < kShortestCode || (end - word_ < kShortestOpaqueId && text[word_] >= 'a')) return;
        const std::string_view word = text.substr(word_, end - word_);
        if (!is_opaque_id(word) && !is_drawn_code(word)) return;
        size_ = size_before_;
        chars_ = chars_before_;
        add(kVolatileMark);
    }

    std::array<char, 4 * kErrorKeyChars> bytes_;
    std::size_t size_ = 0;
    std::size_t chars_ = 0;
    std::size_t word_ = 0, size_before_ = 0, chars_before_ = 0;  // where the word began: in the text, and in the key
};

}  // namespace

bool is_opaque_outcome(RawText text) { return is_placeholder(text); }

OutcomeDigest digest_outcome(RawText text, bool error) {
    std::uint64_t hash = 0;
    bool plain = true;
    for_each_segment(text.bytes, [&](std::string_view segment, bool more) {
        const std::uint64_t h = stable_hash(segment);
        hash = plain && !more ? h : mix_hash(hash, h);
        plain = false;
        return true;
    });
    return {error ? mix_hash(hash, kErrorSeed) : hash, is_placeholder(text)};
}

std::uint64_t error_key(RawText text) {
    KeyText key;
    for_each_segment(text.bytes.substr(0, kErrorKeyBytes), [&](std::string_view segment, bool more) {
        return key.add(segment) && (!more || key.add(kVolatileMark));
    });
    return stable_hash(key.view(), kErrorSeed);
}

std::uint64_t shape_hash(RawText text) {
    // Hashed in pieces of a fixed size, so that the shape of a text is the shape of its pieces, whatever its length.
    std::array<char, 4096> piece;
    std::size_t size = 0;
    std::uint64_t hash = 0;
    const auto flush = [&] {
        hash = mix_hash(hash, stable_hash({piece.data(), size}));
        size = 0;
    };
    bool in_digits = false;
    for (const char c : text.bytes) {
        const bool digit = is_digit(c);
        piece[size] = digit ? kDigitsMark : c;
        size += !(digit && in_digits);
        in_digits = digit;
        if (size == piece.size()) flush();
    }
    flush();
    return hash;
}

std::string_view without_reminder(std::string_view text) {
    constexpr std::string_view kOpen = "<system-reminder>", kClose = "</system-reminder>";
    const std::string_view rest = without_line_ends(text);
    if (!rest.ends_with(kClose)) return text;
    const std::size_t open = rest.rfind(kOpen);
    return open == rest.npos || open == 0 ? text : without_line_ends(rest.substr(0, open));
}

}  // namespace agent_audit::detectors
