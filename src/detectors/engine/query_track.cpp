#include "detectors/engine/query_track.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <string_view>

namespace agent_audit::detectors {
namespace {

enum class Letters : std::uint8_t { only, with_digits };

bool is_letter(unsigned char c) { return c >= 0x80 || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'); }
bool is_digit(unsigned char c) { return c >= '0' && c <= '9'; }

// A name in front of its value ("query": …) says how the tool is called, not what was asked.
bool names_a_field(std::string_view text, std::size_t end) {
    while (end < text.size() && text[end] == '\\') ++end;
    if (end >= text.size() || text[end] != '"') return false;
    ++end;
    while (end < text.size() && text[end] == ' ') ++end;
    return end < text.size() && text[end] == ':';
}

// Calls take(hash) for every word of at least `shortest` letters. Escapes of JSON strings end a word.
template <class Take>
void each_word(std::string_view text, Letters letters, std::size_t shortest, Take&& take) {
    text = text.substr(0, WordSketch::kLongest);
    for (std::size_t i = 0; i < text.size();) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c == '\\') {
            while (i < text.size() && text[i] == '\\') ++i;
            ++i;
            continue;
        }
        if (!is_letter(c) && !(letters == Letters::with_digits && is_digit(c))) {
            ++i;
            continue;
        }
        const std::size_t begin = i;
        std::uint32_t hash = 2166136261u;
        for (; i < text.size(); ++i) {
            const auto d = static_cast<unsigned char>(text[i]);
            const bool digit = letters == Letters::with_digits && is_digit(d);
            if (!is_letter(d) && !digit) break;
            hash = (hash ^ (d < 0x80 && !digit ? d | 0x20u : d)) * 16777619u;
        }
        if (i - begin < shortest || names_a_field(text, i)) continue;
        hash ^= hash >> 15;
        hash *= 0x2c1b3c6du;
        take(hash ^ hash >> 13);
    }
}

std::uint8_t percent(std::uint32_t part, std::uint32_t whole) {
    return whole == 0 ? 0 : static_cast<std::uint8_t>(std::uint64_t{part} * 100 / whole);
}

/// Hash of the address that stands behind "URL" near the beginning of a page; 0 when none is told. What follows # is a
/// place on the same page.
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
    return 0;
}

}  // namespace

WordSketch::WordSketch(RawText text) {
    each_word(text.bytes, Letters::only, 3, [this](std::uint32_t hash) {
        if (full_ && hash > hashes_[kKept - 1]) return;
        const auto end = hashes_.begin() + static_cast<std::ptrdiff_t>(used_);
        const auto at = std::lower_bound(hashes_.begin(), end, hash);
        if (at != end && *at == hash) return;
        if (used_ == kKept) full_ = true;
        if (at == hashes_.end()) return;
        std::move_backward(at, used_ == kKept ? end - 1 : end, used_ == kKept ? end : end + 1);
        *at = hash;
        if (used_ < kKept) ++used_;
    });
}

double WordSketch::shared_with(const WordSketch& other) const {
    constexpr std::size_t kTooFew = 10;
    constexpr std::uint32_t kNoLimit = ~std::uint32_t{0};
    // Above the highest hash of a full sketch nothing is known about its text.
    const std::uint32_t limit =
        std::min(full_ ? hashes_[used_ - 1] : kNoLimit, other.full_ ? other.hashes_[other.used_ - 1] : kNoLimit);
    std::size_t mine = 0, theirs = 0, both = 0;
    while (mine < used_ && hashes_[mine] <= limit && theirs < other.used_ && other.hashes_[theirs] <= limit) {
        const std::uint32_t a = hashes_[mine], b = other.hashes_[theirs];
        both += a == b;
        mine += a <= b;
        theirs += b <= a;
    }
    while (mine < used_ && hashes_[mine] <= limit) ++mine;
    while (theirs < other.used_ && other.hashes_[theirs] <= limit) ++theirs;
    const std::size_t shorter = std::min(mine, theirs);
    return shorter < kTooFew ? 0 : static_cast<double>(both) / static_cast<double>(shorter);
}

std::uint64_t PageMemory::name(std::uint64_t call, RawText text, std::uint64_t name) {
    constexpr double kSamePage = 0.75;
    const WordSketch words(text);
    const std::uint64_t address = address_in(text.bytes);
    for (const Page& page : pages_) {
        if (page.call != call) continue;
        const bool elsewhere = page.address != 0 && address != 0 && page.address != address;
        if (page.name == name || (!elsewhere && page.words.shared_with(words) >= kSamePage)) return page.name;
    }
    if (pages_.size() == kPages) pages_.erase(pages_.begin());
    pages_.push_back({call, name, address, words});
    return name;
}

void QueryTrack::ask(RawText query, QueryLook& look) {
    std::uint32_t count = 0, known = 0;
    WordSet<1024> here;
    each_word(query.bytes, Letters::with_digits, 2, [&](std::uint32_t hash) {
        if (!here.add(hash)) return;
        ++count;
        known += !words().asked.add(hash);
    });
    look.words = static_cast<std::uint16_t>(std::min(count, 0xffffu));
    look.known_percent = percent(known, count);
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
