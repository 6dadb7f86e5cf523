#include "detectors/words/words.hpp"

#include "support/json_escape.hpp"

#include <algorithm>
#include <array>

namespace agent_audit::detectors {
namespace {

enum class Kind : std::uint8_t {
    gap,  ///< blanks, punctuation, drawing
    letter,
    digit,
    sign,  ///< a word by itself: scripts without blanks, emoji
    mark,  ///< separates, but a long run of it is a word: "!!!!…"
};

struct Range {
    char32_t first, last;
    Kind kind;
};

// Beyond ASCII, in order; what is not named is a letter.
constexpr std::array kRanges{
    Range{0x80, 0xBF, Kind::gap},        Range{0xD7, 0xD7, Kind::gap},
    Range{0xF7, 0xF7, Kind::gap},        Range{0x0E00, 0x0EFF, Kind::sign},  // Thai, Lao
    Range{0x1000, 0x109F, Kind::sign},   Range{0x1780, 0x17FF, Kind::sign},  // Burmese, Khmer
    Range{0x2000, 0x2BFF, Kind::gap},                                        // punctuation, arrows, boxes, blocks
    Range{0x2E00, 0x2E7F, Kind::gap},    Range{0x2E80, 0x2FFF, Kind::sign},
    Range{0x3000, 0x3004, Kind::gap},    Range{0x3005, 0x3007, Kind::sign},
    Range{0x3008, 0x3020, Kind::gap},    Range{0x3021, 0x9FFF, Kind::sign},  // kana, Chinese characters
    Range{0xD800, 0xDFFF, Kind::gap},    Range{0xE000, 0xF8FF, Kind::gap},
    Range{0xF900, 0xFAFF, Kind::sign},   Range{0xFE00, 0xFE6F, Kind::gap},
    Range{0xFF00, 0xFF0F, Kind::gap},    Range{0xFF1A, 0xFF20, Kind::gap},
    Range{0xFF3B, 0xFF40, Kind::gap},    Range{0xFF5B, 0xFF65, Kind::gap},
    Range{0xFF66, 0xFF9F, Kind::sign},   Range{0xFFE0, 0xFFFF, Kind::gap},
    Range{0x1F000, 0x1F77F, Kind::sign}, Range{0x1F780, 0x1F8FF, Kind::gap},  // emoji; squares and arrows between
    Range{0x1F900, 0x1FAFF, Kind::sign}, Range{0x20000, 0x3FFFF, Kind::sign},
};

constexpr bool is_between(char32_t c, char32_t first, char32_t last) { return c >= first && c <= last; }

constexpr auto kAsciiKinds = [] {
    std::array<Kind, 0x80> kinds{};
    for (char32_t c = 0; c < 0x80; ++c) {
        if (is_between(c, 'a', 'z') || is_between(c, 'A', 'Z')) kinds[c] = Kind::letter;
        if (is_between(c, '0', '9')) kinds[c] = Kind::digit;
    }
    for (const char mark : std::string_view("!?()[]{}$%&@;")) kinds[static_cast<unsigned char>(mark)] = Kind::mark;
    return kinds;
}();

Kind kind_of(char32_t c) {
    if (c < 0x80) return kAsciiKinds[c];
    const auto after = std::ranges::upper_bound(kRanges, c, {}, &Range::first);
    if (after == kRanges.begin()) return Kind::letter;
    const Range& range = *(after - 1);
    return c <= range.last ? range.kind : Kind::letter;
}

constexpr std::uint32_t kSeed = 2166136261u;

// Latin with accents, Greek, Cyrillic: "Сейчас" is "сейчас".
char32_t in_lower_case(char32_t c) {
    if (is_between(c, 0xC0, 0xDE) || is_between(c, 0x391, 0x3A9) || is_between(c, 0x410, 0x42F)) return c + 0x20;
    if (is_between(c, 0x400, 0x40F)) return c + 0x50;
    if (c == 0x138 || c == 0x178) return c == 0x178 ? 0xFF : c;  // ĸ has no capital, and ÿ is far from Ÿ
    // Pairs, the capital first.
    const bool odd_first = is_between(c, 0x139, 0x148) || is_between(c, 0x179, 0x17E);
    return is_between(c, 0x100, 0x17E) && (c % 2 == 1) == odd_first ? c + 1 : c;
}

std::uint32_t hashed(std::uint32_t hash, char32_t c) {
    if (is_between(c, 'A', 'Z')) c += 'a' - 'A';
    return (hash ^ static_cast<std::uint32_t>(c)) * 16777619u;
}

}  // namespace

Words::Glyph Words::escape(std::size_t at) const {
    if (at + 1 >= text_.size()) return {' ', 1};
    const char c = text_[at + 1];
    if (c == 'n') return {'\n', 2};
    if (c != 'u')
        return {
            c == 't' || c == 'r' || c == 'b' || c == 'f' ? U' ' : static_cast<char32_t>(static_cast<unsigned char>(c)),
            2};
    const int unit = hex4(text_, at + 2);
    if (unit < 0) return {' ', 2};
    if (unit >= 0xD800 && unit < 0xDC00 && at + 7 < text_.size() && text_[at + 6] == '\\' && text_[at + 7] == 'u') {
        const int low = hex4(text_, at + 8);
        if (low >= 0xDC00 && low < 0xE000) {
            return {0x10000u + (static_cast<char32_t>(unit - 0xD800) << 10) + static_cast<char32_t>(low - 0xDC00), 12};
        }
    }
    return {in_lower_case(static_cast<char32_t>(unit)), 6};
}

// Bytes that are no UTF-8 separate.
Words::Glyph Words::glyph(std::size_t at) const {
    const auto lead = static_cast<unsigned char>(text_[at]);
    if (lead < 0x80) return escaped_ && lead == '\\' ? escape(at) : Glyph{lead, 1};
    const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    if (size == 1 || at + size > text_.size()) return {0xFFFD, 1};
    char32_t code = lead & (0x7Fu >> size);
    for (std::size_t i = at + 1; i < at + size; ++i) {
        const auto byte = static_cast<unsigned char>(text_[i]);
        if ((byte & 0xC0) != 0x80) return {0xFFFD, 1};
        code = code << 6 | (byte & 0x3F);
    }
    return {in_lower_case(code), size};
}

bool Words::next(Word& word) {
    constexpr int kPiece = 64;  // glyphs of a word that never ends
    std::uint32_t gap = 0;
    while (at_ < text_.size()) {
        Glyph g = glyph(at_);
        Kind kind = kind_of(g.code);
        if (kind == Kind::gap) {
            if (g.code > ' ') gap = hashed(gap, g.code);
            at_ += g.size;
            continue;
        }
        word = {hashed(kSeed, g.code),
                gap,
                static_cast<std::uint32_t>(at_),
                0,
                kind == Kind::sign || kind == Kind::mark,
                false};
        const bool marks = kind == Kind::mark;
        int glyphs = 1, letters = kind == Kind::letter;
        at_ += g.size;
        while (kind != Kind::sign && at_ < text_.size() && glyphs < kPiece) {
            g = glyph(at_);
            kind = kind_of(g.code);
            if (marks ? kind != Kind::mark : kind != Kind::letter && kind != Kind::digit) break;
            word.hash = hashed(word.hash, g.code);
            letters += kind == Kind::letter;
            ++glyphs;
            at_ += g.size;
        }
        if (marks && glyphs < kPiece) {
            gap = hashed(gap, word.hash);
            continue;
        }
        word.end = static_cast<std::uint32_t>(at_);
        word.speaks = word.speaks || letters >= 2;
        return true;
    }
    return false;
}

namespace {

// The line that begins at `from`, without its end; `from` moves on to the next one.
std::string_view next_line(RawText text, std::size_t& from) {
    const std::string_view bytes = text.bytes;
    const std::size_t begin = from;
    std::size_t at = begin;
    if (text.form == TextForm::plain) {
        at = std::min(bytes.find('\n', begin), bytes.size());
        from = at + 1;
        return bytes.substr(begin, at - begin);
    }
    for (;;) {
        at = bytes.find('\\', at);
        if (at == bytes.npos || at + 1 >= bytes.size()) break;
        if (bytes[at + 1] == 'n') {
            from = at + 2;
            return bytes.substr(begin, at - begin);
        }
        at += 2;
    }
    from = bytes.size();
    return bytes.substr(begin);
}

// What stands before the first character of a line: blanks, and the marks of a quotation.
std::string_view without_indent(std::string_view line, bool escaped) {
    while (!line.empty()) {
        const char c = line.front();
        const bool tab = escaped && line.starts_with("\\t");
        if (c != ' ' && c != '\t' && c != '>' && !tab) break;
        line.remove_prefix(tab ? 2 : 1);
    }
    return line;
}

bool is_table_row(std::string_view line) {
    constexpr std::size_t kLongestRow = 400;  // longer lines with bars inside are no rows, unless they begin with one
    for (const std::string_view bar :
         {"|", "\xE2\x94\x82", "\xE2\x94\x83", "\xE2\x95\x91", "\\u2502", "\\u2503", "\\u2551"}) {
        if (line.starts_with(bar)) return true;
    }
    return line.size() <= kLongestRow && line.find(" | ") != line.npos;
}

// Which lines of a text are framed, asked from the first to the last.
class Frames {
public:
    bool holds(std::string_view line) {
        const std::size_t run = fence_run(line);
        if (run >= 3 && fence_ == 0) {
            fence_ = line.front();
            return true;
        }
        if (fence_ == 0) return is_table_row(line);
        if (run >= 3 && line.front() == fence_ && line.find_first_not_of(" \\r", run) == line.npos) fence_ = 0;
        return true;
    }

private:
    static std::size_t fence_run(std::string_view line) {
        if (line.empty() || (line.front() != '`' && line.front() != '~')) return 0;
        return std::min(line.find_first_not_of(line.front()), line.size());
    }

    char fence_ = 0;  // what opened the fence that is open
};

}  // namespace

std::vector<Word> framed_words(RawText text) {
    std::vector<Word> words;
    Frames frames;
    for (std::size_t next = 0; next < text.bytes.size();) {
        const auto begin = static_cast<std::uint32_t>(next);
        const std::string_view line = next_line(text, next);
        const bool framed = frames.holds(without_indent(line, text.form != TextForm::plain));
        Words of_line({line, text.form});
        for (Word word; of_line.next(word);) {
            word.begin += begin;
            word.end += begin;
            word.framed = framed;
            words.push_back(word);
        }
    }
    return words;
}

void word_set(RawText text, std::vector<std::uint32_t>& set) {
    set.clear();
    Words words(text);
    for (Word word; words.next(word);) set.push_back(word.hash);
    std::ranges::sort(set);
    set.erase(std::unique(set.begin(), set.end()), set.end());
}

double jaccard(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
    std::size_t both = 0;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        both += a[i] == b[j];
        const bool step_a = a[i] <= b[j], step_b = b[j] <= a[i];
        i += step_a;
        j += step_b;
    }
    const std::size_t any = a.size() + b.size() - both;
    return any == 0 ? 0 : static_cast<double>(both) / static_cast<double>(any);
}

}  // namespace agent_audit::detectors
