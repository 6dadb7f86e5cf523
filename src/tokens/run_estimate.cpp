#include <agent_audit/tokens/calibration.hpp>
#include <agent_audit/tokens/estimate.hpp>

#include "support/block64.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <string_view>

namespace agent_audit {
namespace {

enum class Run : std::uint8_t { none, lower, upper, digit, punctuation, newline, blank, cjk, other };

constexpr auto kAscii = [] {
    std::array<Run, 128> table{};
    for (int c = 0; c < 128; ++c) {
        Run& run = table[static_cast<std::size_t>(c)];
        run = Run::punctuation;
        if (c >= 'a' && c <= 'z') run = Run::lower;
        if (c >= 'A' && c <= 'Z') run = Run::upper;
        if (c >= '0' && c <= '9') run = Run::digit;
        if (c == '\n' || c == '\r') run = Run::newline;
        if (c == ' ' || c == '\t') run = Run::blank;
    }
    return table;
}();

// Hundredths of a token.
constexpr std::uint64_t kOne = 100, kPunctuationMore = 35, kCjk = 80, kOther = 130;

bool is_cjk(std::uint32_t cp) {
    return (cp >= 0x2E80 && cp <= 0x9FFF) || (cp >= 0xAC00 && cp <= 0xD7AF) || (cp >= 0xF900 && cp <= 0xFAFF) ||
           (cp >= 0xFF00 && cp <= 0xFFEF) || (cp >= 0x20000 && cp <= 0x3134F);
}

std::uint64_t run_cost(Run run, std::uint64_t length) {
    switch (run) {
        case Run::lower:
        case Run::upper: return length <= 7 ? kOne : kOne + (length - 7) * kOne / 5;
        case Run::digit: return (length + 2) / 3 * kOne;
        case Run::punctuation: return length <= 2 ? kOne : kOne + (length - 2) * kPunctuationMore;
        case Run::newline: return kOne;
        case Run::blank: return length == 1 ? 0 : kOne;
        case Run::cjk: return length * kCjk;
        case Run::other: return length * kOther;
        case Run::none: break;
    }
    return 0;
}

// The classes of up to 64 characters, as bits; what is in none is punctuation.
struct Classes {
    std::uint64_t lower = 0, upper = 0, digit = 0, newline = 0, blank = 0;
    std::size_t size = 0;

    std::uint64_t all() const { return low_bits(size); }
    std::uint64_t punctuation() const { return all() & ~(lower | upper | digit | newline | blank); }
    Run at(std::size_t place) const {
        const auto in = [place](std::uint64_t bits) { return (bits >> place & 1) != 0; };
        if (in(lower)) return Run::lower;
        if (in(upper)) return Run::upper;
        if (in(digit)) return Run::digit;
        if (in(newline)) return Run::newline;
        return in(blank) ? Run::blank : Run::punctuation;
    }
    void put(std::size_t place, Run run) {
        const std::uint64_t bit = std::uint64_t{1} << place;
        for (std::uint64_t* bits : {&lower, &upper, &digit, &newline, &blank}) *bits &= ~bit;
        if (run == Run::newline) newline |= bit;
        if (run == Run::blank) blank |= bit;
    }
    void remove(std::size_t place) {
        const std::uint64_t below = low_bits(place);
        for (std::uint64_t* bits : {&lower, &upper, &digit, &newline, &blank})
            *bits = (*bits & below) | (*bits >> 1 & ~below);
        --size;
    }
};

std::uint64_t count(std::uint64_t bits) { return static_cast<std::uint64_t>(std::popcount(bits)); }

// What run_cost says of one run, for many runs of a class at once. `begins` are the places where runs begin, `more` those
// that continue one.
std::uint64_t letters_cost(std::uint64_t letters, std::uint64_t begins, std::uint64_t more) {
    const std::uint64_t two = more & more << 1, four = two & two << 2;
    const std::uint64_t eighth = four & two << 4 & more << 6;  // seven of the run stand before it
    return count(letters & begins) * kOne + count(letters & eighth) * kOne / 5;
}

std::uint64_t digits_cost(std::uint64_t digits, std::uint64_t begins, std::uint64_t more) {
    const std::uint64_t third = more & more << 1 & more << 2;
    std::uint64_t threes = 0;
    for (std::uint64_t at = digits & begins; at != 0; at = at << 3 & third) threes += count(at);
    return threes * kOne;
}

std::uint64_t punctuation_cost(std::uint64_t punctuation, std::uint64_t begins, std::uint64_t more) {
    return count(punctuation & begins) * kOne + count(punctuation & more & more << 1) * kPunctuationMore;
}

std::uint64_t blanks_cost(std::uint64_t blanks, std::uint64_t begins, std::uint64_t more) {
    return count(blanks & more & begins << 1) * kOne;
}

// Tells a sink what runs cost as they end. The sink is held by value: its sums stay in registers.
template <class Sink>
class Runs {
public:
    explicit Runs(Sink sink) : sink_(sink) {}

    void add(std::uint32_t cp) {
        const Run run = cp < 0x80 ? kAscii[cp] : is_cjk(cp) ? Run::cjk : Run::other;
        // A capital opens a new piece; small letters continue it: HttpServer is two pieces, HTTP is one.
        if (run != run_ && !joins(run)) close();
        run_ = run;
        ++length_;
    }

    void add(const Classes& c) {
        if (c.size == 0) return;
        const auto open = [this](Run run) { return std::uint64_t{run_ == run}; };
        const std::uint64_t letters = c.lower | c.upper, punctuation = c.punctuation();
        const std::uint64_t alone = c.upper & ~(c.upper << 1 | open(Run::upper));  // the first capital of its run
        std::uint64_t more = (c.lower & (c.lower << 1 | open(Run::lower) | alone << 1)) |
                             (c.upper & (c.upper << 1 | open(Run::upper))) |
                             (c.digit & (c.digit << 1 | open(Run::digit))) |
                             (c.newline & (c.newline << 1 | open(Run::newline))) |
                             (c.blank & (c.blank << 1 | open(Run::blank))) |
                             (punctuation & (punctuation << 1 | open(Run::punctuation)));
        more |= c.lower & std::uint64_t{joins(Run::lower)};
        std::uint64_t begins = c.all() & ~more;
        const Run last = c.at(c.size - 1);
        if (begins == 0) {
            run_ = last;
            length_ += c.size;
            return;
        }
        const auto first = static_cast<std::size_t>(std::countr_zero(begins));
        const auto end = static_cast<std::size_t>(63 - std::countl_zero(begins));  // of the runs that begin and end here
        if (first > 0) run_ = c.at(first - 1);
        length_ += first;
        close();
        const std::uint64_t here = low_bits(end) & ~low_bits(first);
        begins &= here;
        more &= here;
        sink_(Run::lower, letters_cost(letters, begins, more), 0);
        sink_(Run::digit, digits_cost(c.digit, begins, more), 0);
        sink_(Run::punctuation, punctuation_cost(punctuation, begins, more), 0);
        sink_(Run::newline, count(c.newline & begins) * kOne, 0);
        sink_(Run::blank, blanks_cost(c.blank, begins, more), end - first);
        run_ = last;
        length_ = c.size - end;
    }

    Sink finish() {
        close();
        return sink_;
    }

private:
    bool joins(Run run) const { return run == Run::lower && run_ == Run::upper && length_ == 1; }
    void close() {
        sink_(run_, run_cost(run_, length_), length_);
        length_ = 0;
    }

    Sink sink_;
    std::uint64_t length_ = 0;
    Run run_ = Run::none;
};

// One code point of UTF-8; broken bytes count as one each.
std::uint32_t code_point(std::string_view text, std::size_t& i) {
    const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u; };
    const std::uint32_t lead = byte(i);
    const std::size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
    std::uint32_t cp = lead & (0x7Fu >> (more + 1));
    for (std::size_t k = 1; k <= more; ++k) {
        if ((byte(i + k) & 0xC0) != 0x80) {
            ++i;
            return 0xFFFD;
        }
        cp = cp << 6 | (byte(i + k) & 0x3F);
    }
    i += more + 1;
    return more == 0 ? 0xFFFD : cp;
}

int hex(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 0;
}

// A JSON escape at `i`; counts as what it stands for. A surrogate pair is one code point.
std::uint32_t escape(std::string_view text, std::size_t& i) {
    const char c = i + 1 < text.size() ? text[i + 1] : '\\';
    if (c == 'u' && i + 6 <= text.size()) {
        const auto unit = [&](std::size_t at) {
            return static_cast<std::uint32_t>(hex(text[at]) << 12 | hex(text[at + 1]) << 8 | hex(text[at + 2]) << 4 | hex(text[at + 3]));
        };
        const std::uint32_t first = unit(i + 2);
        i += 6;
        if (first >= 0xD800 && first < 0xDC00 && i + 6 <= text.size() && text[i] == '\\' && text[i + 1] == 'u') {
            const std::uint32_t second = unit(i + 2);
            i += 6;
            return 0x10000 + ((first - 0xD800) << 10) + (second & 0x3FF);
        }
        return first;
    }
    i += i + 1 < text.size() ? 2 : 1;
    switch (c) {
        case 'n': return '\n';
        case 'r': return '\r';
        case 't': return '\t';
        default: return static_cast<unsigned char>(c) < 0x80 ? static_cast<std::uint32_t>(c) : 0xFFFD;
    }
}

// The plain characters at the front of a text: up to 64 bytes of it, ending before what needs a closer look. `taken` is
// how many bytes they are.
Classes classes_of(std::string_view text, bool escapes, std::size_t& taken) {
    const Block64 bytes = Block64::of(text.data(), text.size());
    Classes c{bytes.between('a', 'z'), bytes.between('A', 'Z'), bytes.between('0', '9'),
              bytes.equal('\n') | bytes.equal('\r'), bytes.equal(' ') | bytes.equal('\t'), 0};
    std::size_t size = std::min(text.size(), Block64::kSize);
    size = std::min<std::size_t>(size, static_cast<std::size_t>(std::countr_zero(bytes.high())));
    std::uint64_t gone = 0;
    for (std::uint64_t left = escapes ? bytes.equal('\\') : 0; left != 0;) {
        const auto at = static_cast<std::size_t>(std::countr_zero(left));
        if (at >= size) break;
        const char meant = at + 1 < size ? text[at + 1] : 'u';
        if (meant == 'u') {
            size = at;
            break;
        }
        gone |= std::uint64_t{1} << at;
        if (meant == 'n' || meant == 'r') c.put(at + 1, Run::newline);
        if (meant == 't') c.put(at + 1, Run::blank);
        left &= ~low_bits(at + 2);
    }
    taken = size;
    c.size = size;
    for (std::uint64_t* bits : {&c.lower, &c.upper, &c.digit, &c.newline, &c.blank}) *bits &= low_bits(size);
    for (; gone != 0; gone &= ~(std::uint64_t{1} << (63 - std::countl_zero(gone))))
        c.remove(static_cast<std::size_t>(63 - std::countl_zero(gone)));
    return c;
}

template <class Sink>
Sink each_run(RawText text, Sink sink) {
    Runs<Sink> runs(sink);
    const std::string_view bytes = text.bytes;
    const bool escapes = text.form != TextForm::plain;
    for (std::size_t i = 0; i < bytes.size();) {
        if (static_cast<unsigned char>(bytes[i]) >= 0x80) {
            runs.add(code_point(bytes, i));
            continue;
        }
        std::size_t taken = 0;
        runs.add(classes_of(bytes.substr(i), escapes, taken));
        i += taken;
        if (taken == 0) runs.add(escape(bytes, i));
    }
    return runs.finish();
}

Feature feature_of(Run run) {
    switch (run) {
        case Run::lower:
        case Run::upper: return Feature::letters;
        case Run::digit: return Feature::digits;
        case Run::punctuation: return Feature::punctuation;
        case Run::newline: return Feature::newlines;
        case Run::blank: return Feature::blanks;
        case Run::cjk: return Feature::cjk;
        case Run::other:
        case Run::none: break;
    }
    return Feature::other;
}

struct Sum {
    std::uint64_t hundredths = 0;

    void operator()(Run, std::uint64_t cost, std::uint64_t) { hundredths += cost; }
};

struct ByFeature {
    TextFeatures features;

    void operator()(Run run, std::uint64_t cost, std::uint64_t length) {
        features.hundredths[static_cast<std::size_t>(feature_of(run))] += cost;
        features.chars += length;
    }
};

}  // namespace

std::uint64_t estimate_tokens(RawText text) { return (each_run(text, Sum{}).hundredths + kOne - 1) / kOne; }

void TextFeatures::add(RawText text) { *this = each_run(text, ByFeature{*this}).features; }

}  // namespace agent_audit
