#include "detectors/engine/query_track.hpp"

#include "support/ascii.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string_view>

namespace agent_audit::detectors {
namespace {

enum class Letters : std::uint8_t { only, with_digits };

// A letter of any script.
bool is_letter_of_any(char c) { return is_letter(c) || static_cast<unsigned char>(c) >= 0x80; }

constexpr std::uint32_t kHashSeed = 2166136261u;
constexpr std::uint32_t hash_with(std::uint32_t hash, unsigned char c) { return (hash ^ c) * 16777619u; }
constexpr std::uint32_t mixed(std::uint32_t hash) {
    hash ^= hash >> 15;
    hash *= 0x2c1b3c6du;
    return hash ^ hash >> 13;
}

// Words that ask nothing: "mayor of Oslo in 1911" is "Oslo mayor 1911".
constexpr auto kFillers = [] {
    constexpr std::string_view kWords[] = {
        "about", "an",   "and", "are",  "as",   "at",   "be",   "been",  "by",    "did", "do",  "does", "for",
        "from",  "had",  "has", "have", "how",  "in",   "is",   "it",    "its",   "of",  "on",  "or",   "that",
        "the",   "this", "to",  "was",  "were", "what", "when", "where", "which", "who", "with"};
    std::array<std::uint32_t, std::size(kWords)> hashes{};
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        std::uint32_t hash = kHashSeed;
        for (const char c : kWords[i]) hash = hash_with(hash, static_cast<unsigned char>(c));
        hashes[i] = mixed(hash);
    }
    return hashes;
}();
bool is_filler(std::uint32_t hash) { return std::ranges::find(kFillers, hash) != kFillers.end(); }

// A name in front of its value ("query": …) says how the tool is called, not what was asked.
bool names_a_field(std::string_view text, std::size_t end) {
    while (end < text.size() && text[end] == '\\') ++end;
    if (end >= text.size() || text[end] != '"') return false;
    ++end;
    while (end < text.size() && text[end] == ' ') ++end;
    return end < text.size() && text[end] == ':';
}

// A character of a script that puts no blanks between its words: Chinese, Japanese. As it is, or as the escape that
// JSON has for it.
struct Ideograph {
    std::uint32_t code = 0;  // 0 = it is none
    std::size_t size = 0;    // bytes
};
Ideograph ideograph_at(std::string_view text, std::size_t i) {
    constexpr std::uint32_t kFirst = 0x3040,
                            kLast = 0x9fff;  // kana to the unified ideographs; the marks before them part words
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
    Ideograph sign;
    if (byte(i) >= 0xe3 && byte(i) <= 0xe9 && i + 2 < text.size()) {
        sign = {(byte(i) & 0xfu) << 12 | (byte(i + 1) & 0x3fu) << 6 | (byte(i + 2) & 0x3fu), 3};
    } else if (byte(i) == '\\') {
        constexpr std::size_t kDigits = 4;
        std::size_t at = i;
        while (at < text.size() && text[at] == '\\') ++at;
        if (at + kDigits >= text.size() || text[at] != 'u') return {};
        const char* const digits = text.data() + at + 1;
        if (std::from_chars(digits, digits + kDigits, sign.code, 16).ptr != digits + kDigits) return {};
        sign.size = at + 1 + kDigits - i;
    }
    return sign.code >= kFirst && sign.code <= kLast ? sign : Ideograph{};
}

// Those that ask nothing: particles, "who", "what", "this".
bool is_particle(std::uint32_t code) {
    constexpr char32_t kParticles[] = U"的了是由谁这那什么哪在和与吗呢个请问有被为のはがをにとでかもへ何誰";
    return std::ranges::find(kParticles, static_cast<char32_t>(code)) != std::end(kParticles);
}

// Of a row of such characters every two neighbours count as a word, of a question each one, in whatever order it is
// put; the place behind them.
template <class Take>
std::size_t take_ideographs(std::string_view text, std::size_t i, Ideograph sign, bool question, Take&& take) {
    std::uint32_t before = 0;
    while (sign.size > 0) {
        i += sign.size;
        const Ideograph next = i < text.size() ? ideograph_at(text, i) : Ideograph{};
        if (question && !is_particle(sign.code)) take(mixed(kHashSeed ^ sign.code));
        if (!question && (before != 0 || next.size == 0)) take(mixed(kHashSeed ^ (before << 16 | sign.code)));
        before = sign.code;
        sign = next;
    }
    return i;
}

// Calls take(hash) for every word of at least `shortest` letters. Escapes of JSON strings end a word, unless they are
// letters themselves.
template <class Take>
void each_word(std::string_view text, Letters letters, std::size_t shortest, Take&& take) {
    text = text.substr(0, WordSketch::kLongest);
    for (std::size_t i = 0; i < text.size();) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c == '\\' || (c >= 0xe3 && c <= 0xe9)) {
            if (const Ideograph sign = ideograph_at(text, i); sign.size > 0) {
                i = take_ideographs(text, i, sign, letters == Letters::with_digits, take);
                continue;
            }
            if (c != '\\') {  // one of their marks
                i += 3;
                continue;
            }
        }
        if (c == '\\') {
            while (i < text.size() && text[i] == '\\') ++i;
            ++i;
            continue;
        }
        if (!is_letter_of_any(text[i]) && !(letters == Letters::with_digits && is_digit(text[i]))) {
            ++i;
            continue;
        }
        const std::size_t begin = i;
        std::uint32_t hash = kHashSeed;
        for (; i < text.size(); ++i) {
            const auto d = static_cast<unsigned char>(text[i]);
            const bool digit = letters == Letters::with_digits && is_digit(text[i]);
            if ((!is_letter_of_any(text[i]) && !digit) || (d >= 0xe3 && d <= 0xe9)) break;
            hash = hash_with(hash, d < 0x80 && !digit ? static_cast<unsigned char>(d | 0x20) : d);
        }
        if (i - begin < shortest || names_a_field(text, i)) continue;
        take(mixed(hash));
    }
}

std::uint8_t percent(std::uint32_t part, std::uint32_t whole) {
    return whole == 0 ? 0 : static_cast<std::uint8_t>(std::uint64_t{part} * 100 / whole);
}

// "score", "@search.rerankerScore", "latency_ms": what a search engine says of its own work, as a number behind it.
bool measures_search(std::string_view name) {
    constexpr std::string_view kEnds[] = {"score",     "similarity", "distance", "relevance",
                                          "certainty", "_ms",        "latency",  "took"};
    constexpr std::size_t kLongest = 10;  // bytes, of them
    // "items 12" counts.
    if (name == "ms" || name.ends_with("Ms")) return true;
    const std::string lower = lowered(name.substr(name.size() - std::min(name.size(), kLongest)));
    return std::ranges::any_of(kEnds, [&](std::string_view end) { return lower.ends_with(end); });
}

// The hashes of all words and numbers of an answer, added up: the same for the same documents in another order, and
// with other scores. 0 = too few to tell, or too many to read them all.
std::uint64_t sum_of_words(std::string_view text) {
    constexpr std::size_t kFewest = 24;  // words
    const auto in_word = [](char c) { return is_letter_of_any(c) || is_digit(c) || c == '_'; };
    std::uint64_t sum = 0;
    std::size_t count = 0;
    std::string_view before;
    if (text.size() > WordSketch::kLongest) return 0;
    for (std::size_t i = 0; i < text.size();) {
        if (!in_word(text[i])) {
            ++i;
            continue;
        }
        const bool number = is_digit(text[i]);
        const std::size_t begin = i;
        const auto goes_on = [&] { return in_word(text[i]) || (number && text[i] == '.'); };
        while (i < text.size() && goes_on()) ++i;
        const std::string_view word = text.substr(begin, i - begin);
        ++count;
        if (!(number && measures_search(before))) sum += stable_hash(word);
        before = word;
    }
    return count < kFewest ? 0 : sum | 1;
}

/// "?doc=7a4e0" is drawn anew for each visit, "?page=3" is not.
std::string_view without_drawn_query(std::string_view address) {
    const std::size_t query = std::min(address.find('?'), address.size());
    for (std::size_t i = query + 1; i < address.size(); ++i) {
        const bool turns = is_digit(address[i]) != is_digit(address[i - 1]);
        if (turns && is_alnum(address[i]) && is_alnum(address[i - 1])) return address.substr(0, query);
    }
    return address;
}

/// The title and the address of a page that was read off the screen: "[Quern](https://mill.example/quern)".
std::uint64_t titled_address(std::string_view head) {
    constexpr std::string_view kTitled = "screenshot of [", kLink = "](http", kEnds = ") \t\r\n\\#";
    const std::size_t title = head.find(kTitled);
    const std::size_t link = title == head.npos ? title : head.find(kLink, title);
    if (link == head.npos) return 0;
    const std::string_view address = head.substr(link + 2);
    return mix_hash(stable_hash(head.substr(title, link - title)),
                    stable_hash(without_drawn_query(address.substr(0, address.find_first_of(kEnds))))) |
           1;
}

/// Hash of the address that stands behind "URL" near the beginning of a page, or behind its title; 0 when none is told.
/// What follows # is a place on the same page.
std::uint64_t address_in(std::string_view text) {
    constexpr std::size_t kHead = 2048, kBetween = 16, kLongest = 2048;
    const std::string_view head = text.substr(0, kHead);
    for (const std::string_view word : {"URL", "url"}) {
        for (std::size_t at = head.find(word); at != head.npos; at = head.find(word, at + 1)) {
            const std::size_t begin = text.substr(0, at + kBetween + 8).find("http", at);
            if (begin == text.npos) continue;
            const std::string_view rest = text.substr(begin, kLongest);
            return stable_hash(rest.substr(0, rest.find_first_of(" \t\r\n\"'\\<>)]#"))) | 1;
        }
    }
    return titled_address(head);
}

WordSketch::Spelling spelling_of(std::string_view page) {
    return is_read_off_screen(page) ? WordSketch::Spelling::guessed : WordSketch::Spelling::exact;
}

}  // namespace

bool is_read_off_screen(std::string_view page) {
    constexpr std::size_t kHead = 256;
    return page.substr(0, kHead).find("screenshot of") != page.npos;
}

WordSketch::WordSketch(RawText text) {
    each_word(text.bytes, Letters::only, 3, [this](std::uint32_t hash) { hashes_.push_back(hash); });
    std::ranges::sort(hashes_);
    hashes_.erase(std::unique(hashes_.begin(), hashes_.end()), hashes_.end());
    full_ = hashes_.size() > kKept;
    if (full_) hashes_.resize(kKept);
    hashes_.shrink_to_fit();
}

bool WordSketch::same_but_noise(const WordSketch& other, Spelling spelling, std::size_t too_few) const {
    constexpr std::size_t kFewestApart = 3;
    constexpr double kAlike = 0.75;
    constexpr std::uint32_t kNoLimit = ~std::uint32_t{0};
    // Above the highest hash of a full sketch nothing is known about its text.
    const std::uint32_t limit =
        std::min(full_ ? hashes_.back() : kNoLimit, other.full_ ? other.hashes_.back() : kNoLimit);
    const auto known = [limit](const std::vector<std::uint32_t>& hashes) {
        return std::span(hashes.begin(), std::ranges::upper_bound(hashes, limit));
    };
    const auto mine = known(hashes_), theirs = known(other.hashes_);
    std::size_t both = 0;
    for (const std::uint32_t hash : mine) both += std::ranges::binary_search(theirs, hash);
    const auto [fewer, more] = std::minmax({mine.size(), theirs.size()});
    const bool guessed = spelling == Spelling::guessed;
    if (fewer < too_few || static_cast<double>(both) < kAlike * static_cast<double>(guessed ? fewer : more))
        return false;
    return guessed || (both < fewer && mine.size() + theirs.size() - 2 * both >= kFewestApart);
}

std::uint64_t PageMemory::name(std::uint64_t call, RawText text, std::uint64_t name, bool led_on) {
    constexpr std::size_t kTooFew = 10, kTooFewBehindClick = 16;
    const WordSketch words(text);
    const std::uint64_t address = address_in(text.bytes);
    const WordSketch::Spelling spelling = spelling_of(text.bytes);
    const std::size_t too_few = led_on && spelling == WordSketch::Spelling::exact ? kTooFewBehindClick : kTooFew;
    for (const Page& page : pages_) {
        if (page.call != call) continue;
        const bool elsewhere = page.address != 0 && address != 0 && page.address != address;
        if (page.name == name || (!elsewhere && page.words.same_but_noise(words, spelling, too_few))) return page.name;
    }
    if (pages_.size() == kPages) pages_.erase(pages_.begin());
    pages_.push_back({call, name, address, words});
    return name;
}

void QueryTrack::ask(RawText query, QueryLook& look) {
    std::uint32_t count = 0, known = 0;
    WordSet<1024> here;
    each_word(query.bytes, Letters::with_digits, 2, [&](std::uint32_t hash) {
        if (is_filler(hash) || !here.add(hash)) return;
        ++count;
        known += !words().asked.add(hash);
    });
    look.words = static_cast<std::uint16_t>(std::min(count, 0xffffu));
    look.known_percent = percent(known, count);
}

std::uint64_t QueryTrack::name_of_documents(RawText text, std::uint64_t name) {
    const std::uint64_t sum = sum_of_words(text.bytes);
    if (sum == 0) return name;
    Words& known = words();
    for (const Found& found : known.found) {
        if (found.words == sum) return found.name;
    }
    known.found[known.next_found++ % known.found.size()] = {sum, name};
    return name;
}

void QueryTrack::answer(RawText text, QueryLook& look) {
    std::uint32_t count = 0, fresh = 0;
    WordSet<16384> here;
    each_word(text.bytes, Letters::only, 3, [&](std::uint32_t hash) {
        if (!here.add(hash)) return;
        ++count;
        fresh += words().answered.add(hash);
    });
    look.answered = true;
    look.new_percent = percent(fresh, count);
}

}  // namespace agent_audit::detectors
