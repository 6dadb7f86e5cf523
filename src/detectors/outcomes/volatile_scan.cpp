#include "detectors/outcomes/volatile_scan.hpp"

#include "support/triple_filter.hpp"

#include <algorithm>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kAny{};
constexpr std::string_view kDigit = "0123456789";
constexpr std::string_view kHex = "0123456789abcdefABCDEF";

constexpr bool is_word(std::size_t c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

struct ByteList {
    std::array<char, 256> bytes{};
    std::size_t size = 0;
    constexpr std::string_view view() const { return {bytes.data(), size}; }
};

constexpr ByteList bytes_but_letters() {
    ByteList list;
    for (std::size_t c = 0; c < 256; ++c) {
        if (!is_word(c) || (c >= '0' && c <= '9')) list.bytes[list.size++] = static_cast<char>(c);
    }
    return list;
}

constexpr ByteList kNoLetterList = bytes_but_letters();
constexpr std::string_view kNoLetter = kNoLetterList.view();

/// Five sets of bytes that follow each other: one before, the three the filter sees, one after. Beyond the ends of the
/// text stands a 0. The filter knows eight groups of rules, and a set by its low and its high nibbles, any of these
/// with any of those: rules were put together so that this lets little else through.
struct Rule {
    std::uint8_t group;
    PartBegin begin;
    std::string_view bytes[5];
};

// Where several rules speak of one place, the part that begins first comes first.
constexpr std::array<Rule, 32> kRules{{
    {0, PartBegin::number, {kAny, kDigit, "dhms", kNoLetter, kAny}},  // 3h 2m30s
    {0, PartBegin::number, {kAny, kDigit, "mnu", "s", kAny}},         // 12ms 12msec 12us 12ns
    {0, PartBegin::number, {kAny, kDigit, "hm", "oir", kAny}},        // 3hrs 3hours 3min 3months
    {0, PartBegin::number, {kAny, kDigit, "swy", "e", kAny}},         // 3sec 3weeks 3years
    {0, PartBegin::number, {kAny, kDigit, "d", "a", kAny}},           // 3days
    {0, PartBegin::first, {kAny, "0", "x", kHex, kHex}},              // 0x7f…

    {1, PartBegin::number, {kAny, kDigit, " ", "mnu", "s"}},  // the same after a blank
    {1, PartBegin::number, {kAny, kDigit, " ", "hm", "oir"}},
    {1, PartBegin::number, {kAny, kDigit, " ", "swy", "e"}},
    {1, PartBegin::number, {kAny, kDigit, " ", "d", "a"}},
    {1, PartBegin::number, {kAny, kDigit, " ", "s", kNoLetter}},  // 1.5 s

    {2, PartBegin::uuid, {kHex, kHex, "-", kDigit, kHex}},               // …-9b1d-4abc-…
    {2, PartBegin::date, {kDigit, kDigit, "-/", "01", kDigit}},          // 2026-02-…
    {2, PartBegin::digits, {kAny, kDigit, ":", "012345", kDigit}},       // 12:34
    {2, PartBegin::digits, {"(0123456789", kDigit, "/", kDigit, kAny}},  // (2/5) attempts
    {2, PartBegin::counted, {"dytDYT\\", "\"", ":", kDigit, kAny}},      // "pid":12

    {3, PartBegin::counted, {"iI", "dD", " :=", kDigit, kAny}},       // pid 12
    {3, PartBegin::counted, {"rR", "yY", " :=", kDigit, kAny}},       // retry=3
    {3, PartBegin::counted, {"pP", "tT", " :=", kDigit, kAny}},       // attempt:3
    {3, PartBegin::counted, {"dytDYT\"' ", ":", " ", kDigit, kAny}},  // "pid": 12
    {3, PartBegin::counted, {kDigit, "]", " ", kDigit, kAny}},        // [1] 4711

    {4, PartBegin::counted, {"dytDYT", " ", "#(", kDigit, kAny}},        // attempt #3, attempt (3
    {4, PartBegin::number, {kAny, "0123456789 ", "\xc2", "\xb5", "s"}},  // 12µs, 12 µs

    {5, PartBegin::name, {"t", "m", "p", "/", kAny}},       // /tmp/
    {5, PartBegin::name, {"eE", "mM", "pP", "/\\", kAny}},  // \Temp\ \TEMP\ .
    {5, PartBegin::name, {kAny, "/", "T", "/", kAny}},      // /var/folders/xx/name/T/

    {6, PartBegin::first, {kAny, "\x1b", "[", kAny, kAny}},  // ESC[
    {6, PartBegin::first, {kAny, "\\", "u", "0", "0"}},      // \u001b[
    {6, PartBegin::first, {kAny, "\\", "x0", "13", "bB3"}},  // \x1b[ \033[
    {6, PartBegin::first, {kAny, "\\", "e", "[", kAny}},     // \e[

    {7, PartBegin::first, {kAny, "j", "u", "s", "t"}},       // just now
    {7, PartBegin::counted, {"iI", "dD", "=", kHex, kHex}},  // id=4bf92f3577b34da6
}};

constexpr TripleTables make_tables() {
    std::array<Triple, kRules.size()> triples;
    for (std::size_t i = 0; i < kRules.size(); ++i) {
        triples[i] = {kRules[i].group, {kRules[i].bytes[1], kRules[i].bytes[2], kRules[i].bytes[3]}};
    }
    return TripleTables(triples);
}

constexpr TripleTables kTables = make_tables();

constexpr std::array<std::array<std::uint32_t, 256>, 5> make_rule_bits() {
    std::array<std::array<std::uint32_t, 256>, 5> bits{};
    for (std::size_t rule = 0; rule < kRules.size(); ++rule) {
        for (std::size_t place = 0; place < 5; ++place) {
            for (const char c : kRules[rule].bytes[place]) bits[place][static_cast<unsigned char>(c)] |= 1u << rule;
            for (std::size_t c = 0; c < 256 && kRules[rule].bytes[place].empty(); ++c) bits[place][c] |= 1u << rule;
        }
    }
    return bits;
}

/// The rules that each byte obeys in each of the five places.
constexpr auto kRuleBits = make_rule_bits();

}  // namespace

PartBegin part_begin(unsigned rule) { return kRules[rule].begin; }

namespace {

std::uint32_t rules(std::size_t place, char c) { return kRuleBits[place][static_cast<unsigned char>(c)]; }

}  // namespace

void find_suspect_at_end(std::string_view text, std::size_t from, Suspects& suspects) {
    const std::size_t last = text.size();
    const char before = last >= 3 ? text[last - 3] : '\0';
    const std::uint32_t obeyed =
        rules(0, before) & rules(1, text[last - 2]) & rules(2, text[last - 1]) & rules(3, '\0') & rules(4, '\0');
    suspects.list[0] = {static_cast<std::uint32_t>(last - from), obeyed};
    suspects.count = obeyed != 0;
}

void find_suspects(std::string_view text, std::size_t from, Suspects& suspects, SimdLevel level) {
    std::array<std::uint64_t, kScanChunk / kTripleBlock> masks;
    const std::size_t blocks =
        find_triples(kTables, text, from, std::min(kScanChunk, text.size() - from), masks, level);

    // Both loops write every entry and then keep it or not: what is there cannot be predicted.
    std::array<std::uint16_t, kScanChunk + 4> lasts;
    std::size_t found = 0;
    for (std::size_t k = 0; k < blocks; ++k) {
        std::uint64_t mask = masks[k];
        const auto bits = static_cast<std::size_t>(__builtin_popcountll(mask));
        for (std::size_t n = 0; n < bits; n += 4) {
            for (std::size_t i = 0; i < 4; ++i) {
                lasts[found + n + i] = static_cast<std::uint16_t>(
                    k * kTripleBlock + static_cast<unsigned>(__builtin_ctzll(mask | 1ULL << 63)));
                mask &= mask - 1;
            }
        }
        found += bits;
    }

    suspects.count = 0;
    for (std::size_t i = 0; i < found; ++i) {
        const std::size_t last = from + lasts[i];
        const char before = last >= 3 ? text[last - 3] : '\0';
        const char after = last + 1 < text.size() ? text[last + 1] : '\0';
        const std::uint32_t obeyed = rules(0, before) & rules(1, text[last - 2]) & rules(2, text[last - 1]) &
                                     rules(3, text[last]) & rules(4, after);
        suspects.list[suspects.count] = {lasts[i], obeyed};
        suspects.count += obeyed != 0;
    }
}

}  // namespace agent_audit::detectors
