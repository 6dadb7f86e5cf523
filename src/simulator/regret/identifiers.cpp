#include "simulator/regret/identifier_hash.hpp"
#include "simulator/regret/identifier_levels.hpp"
#include "support/wide_block64.hpp"

#include <agent_audit/simulator/identifiers.hpp>
#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace agent_audit::simulator {
namespace {

enum Class : std::uint8_t { kNone = 0, kLetter = 1, kDigit = 2, kHexLetter = 4, kJoin = 8, kUnderscore = 16 };
constexpr std::uint8_t kWordClass = kLetter | kDigit | kUnderscore;

constexpr std::array<std::uint8_t, 256> class_table() {
    std::array<std::uint8_t, 256> table{};
    for (int c = 'a'; c <= 'z'; ++c) {
        const std::uint8_t hex = c <= 'f' ? kHexLetter : kNone;
        table[static_cast<std::size_t>(c)] = kLetter | hex;
        table[static_cast<std::size_t>(c - 'a' + 'A')] = kLetter | hex;
    }
    for (int c = '0'; c <= '9'; ++c) table[static_cast<std::size_t>(c)] = kDigit;
    for (const unsigned char c : {'/', '.', '-'}) table[c] = kJoin;
    table['_'] = kUnderscore;
    return table;
}
constexpr auto kClass = class_table();

std::uint8_t class_of(char c) { return kClass[static_cast<unsigned char>(c)]; }

// What tells a run of words and joins that is a path from one that is not; its full stops matter where it has no slash.
struct RunShape {
    std::size_t size = 0;
    std::uint64_t letters = 0;
    bool slash = false;
    std::size_t stem = 0, ending = 0;  // bytes before and behind the last full stop; 0 = there is none
    bool ending_has_letter = false;    // as its first
};

// src/main.cpp, main.cpp, /etc/passwd; not 1/2, 3.14 or e.g. All is asked at once: nothing of it can be guessed.
[[gnu::always_inline]] inline bool is_path(const RunShape& run) {
    const auto all = [](auto... asked) { return (static_cast<unsigned>(asked) & ...) != 0; };
    const bool named = all(run.stem >= 2, run.ending - 1 < 5, run.ending_has_letter, run.letters >= 3);
    return all(run.size >= 4, run.slash ? run.letters >= 2 : named);
}

using Found = std::vector<std::uint64_t>;

bool is_hex(char c) { return (class_of(c) & (kDigit | kHexLetter)) != 0; }

[[gnu::always_inline]] inline bool is_name(std::string_view word, std::uint64_t letters, std::uint64_t digits) {
    constexpr std::size_t kNumber = 4, kHash = 7, kWord = 8;
    if (word.size() < kNumber) return false;
    if (letters >= kWord || digits == word.size()) return true;
    return word.size() >= kHash && digits > 0 && std::ranges::all_of(word, is_hex);
}

constexpr std::size_t kBlocks = 32;                         // that are looked at together
constexpr std::size_t kMostNames = (kBlocks + 1) * 64 / 5;  // that can end in them: four bytes and one between
constexpr std::size_t kMostRuns = (kBlocks + 1) * 64 / 2;   // of any length: a slash alone is one

// What was found in them, in order.
class NameList {
public:
    // Without a guess whether it is one.
    void add(std::string_view name, bool is_one) {
        names_[size_] = {name.data(), name.data() + name.size()};
        size_ += is_one ? 1 : 0;
    }
    struct Name {
        const char *begin, *end;
    };
    const Name* begin() const { return names_.data(); }
    const Name* end() const { return names_.data() + size_; }

private:
    std::array<Name, kMostNames + 1> names_;
    std::size_t size_ = 0;
};

// Words stand before the path they are part of, and what comes later behind it.
[[gnu::always_inline]] inline void add_merged(Found& out, const NameList& words, const NameList& paths) {
    std::array<std::uint64_t, 2 * kMostNames> hashes;
    std::uint64_t* to = hashes.data();
    const auto put = [&to](const NameList::Name& name) {
        *to++ = identifier_hash({name.begin, static_cast<std::size_t>(name.end - name.begin)});
    };
    const NameList::Name *word = words.begin(), *path = paths.begin();
    while (word != words.end() && path != paths.end()) {
        const bool first = word->end <= path->end;
        put(first ? *word : *path);
        word += first ? 1 : 0;
        path += first ? 0 : 1;
    }
    for (; word != words.end(); ++word) put(*word);
    for (; path != paths.end(); ++path) put(*path);
    const auto room = static_cast<std::ptrdiff_t>(kMostIdentifiers - std::min(kMostIdentifiers, out.size()));
    out.insert(out.end(), hashes.data(), std::min(to, hashes.data() + std::min(room, std::ssize(hashes))));
}

// Before `end` as far back as bytes are of these classes, but for one that a backslash escapes.
std::string_view run_before(std::string_view text, std::size_t end, std::uint8_t classes, bool escaped) {
    std::size_t begin = end;
    while (begin > 0 && (class_of(text[begin - 1]) & classes) != 0) --begin;
    const std::size_t backslashes = begin - (text.substr(0, begin).find_last_not_of('\\') + 1);
    if (escaped && backslashes % 2 == 1) ++begin;
    return text.substr(begin, end - begin);
}

std::uint64_t number_of(std::string_view text, std::uint8_t classes) {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(text, [classes](char c) { return (class_of(c) & classes) != 0; }));
}

// Words and runs of at least 64 bytes.
[[gnu::noinline]] void find_long_word(NameList& out, std::string_view text, std::size_t end, bool escaped) {
    const std::string_view word = run_before(text, end, kWordClass, escaped);
    out.add(word, is_name(word, number_of(word, kLetter), number_of(word, kDigit)));
}

[[gnu::noinline]] void find_long_path(NameList& out, std::string_view text, std::size_t end, bool escaped) {
    std::string_view run = run_before(text, end, kWordClass | kJoin, escaped);
    while (!run.empty() && (run.back() == '.' || run.back() == '-')) run.remove_suffix(1);
    while (!run.empty() && run.front() == '-') run.remove_prefix(1);
    RunShape shape{run.size(), number_of(run, kLetter), run.find('/') != run.npos};
    if (const std::size_t dot = run.rfind('.'); dot != run.npos) {
        shape.stem = dot;
        shape.ending = run.size() - dot - 1;
        shape.ending_has_letter = shape.ending > 0 && (class_of(run[dot + 1]) & kLetter) != 0;
    }
    out.add(run, is_path(shape));
}

}  // namespace

namespace {

#define AGENT_AUDIT_KERNEL "simulator/regret/identifier_kernel.inc"
#include "support/each_width.inc"

}  // namespace

void append_identifiers_at(SimdLevel level, std::vector<std::uint64_t>& out, std::string_view text, bool escaped) {
    at_level(level, portable::append, avx2::append, wide::append)(out, text, escaped);
}

void append_identifiers(std::vector<std::uint64_t>& out, std::string_view text, bool escaped) {
    static const SimdLevel level = best_simd();
    append_identifiers_at(level, out, text, escaped);
}

inline std::size_t IdentifierIndex::slot(std::uint64_t hash) const {
    const Entry* const slots = slots_.data();
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = home(hash);
    while (slots[at].hash != 0 && slots[at].hash != hash) at = (at + 1) & mask;
    return at;
}

void IdentifierIndex::grow() {
    constexpr std::size_t kFirst = 256;
    constexpr int kBits = 64;
    std::vector<Entry> old = std::exchange(slots_, std::vector<Entry>(std::max(kFirst, 2 * slots_.size())));
    shift_ = static_cast<unsigned>(kBits - std::countr_zero(slots_.size()));
    for (const Entry& entry : old) {
        if (entry.hash != 0) slots_[slot(entry.hash)] = entry;
    }
}

void NewIdentifiers::keep(std::vector<std::uint64_t>& identifiers) {
    constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;
    mark_ += kOdd;
    const auto again = [this](std::uint64_t identifier) {
        return std::exchange(seen_[identifier >> kShift], identifier + mark_) == identifier + mark_;
    };
    std::erase_if(identifiers, again);
}

// The table is larger than any cache: places are fetched some steps before they are needed. There is a table.
template <class Visit>
inline void IdentifierIndex::for_each(std::span<const std::uint64_t> hashes, Visit visit) const {
    constexpr std::size_t kAhead = 8;
    const auto fetch = [this](std::uint64_t hash) { __builtin_prefetch(slots_.data() + home(hash)); };
    for (const std::uint64_t hash : hashes.first(std::min(kAhead, hashes.size()))) fetch(hash);
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        if (i + kAhead < hashes.size()) fetch(hashes[i + kAhead]);
        visit(hashes[i]);
    }
}

[[gnu::always_inline]] inline void IdentifierIndex::put(std::uint64_t hash, std::uint32_t message) {
    if (hash == 0) return;
    Entry* entry = &slots_[slot(hash)];
    if (entry->hash == hash) {
        const std::uint32_t known = entry->frequency;
        if (known > kRare || entry->message(known - 1) == message) return;
        if (known < kRare) entry->second = message;
        ++entry->frequency;
        return;
    }
    if (full()) return;
    if (4 * (used_ + 1) > 3 * slots_.size()) {
        grow();
        entry = &slots_[slot(hash)];
    }
    entry->hash = hash;
    entry->first = message;
    entry->frequency = 1;
    ++used_;
}

void IdentifierIndex::add(std::span<const std::uint64_t> hashes, std::uint32_t message) {
    if (slots_.empty()) grow();
    for_each(hashes, [&](std::uint64_t hash) { put(hash, message); });
}

void IdentifierIndex::add(std::uint64_t hash, std::uint32_t message) {
    if (slots_.empty()) grow();
    put(hash, message);
}

const IdentifierIndex::Entry* IdentifierIndex::find(std::uint64_t hash) const {
    if (slots_.empty() || hash == 0) return nullptr;
    const Entry& entry = slots_[slot(hash)];
    return entry.hash == hash ? &entry : nullptr;
}

void IdentifierIndex::find_rare(std::span<const std::uint64_t> hashes, std::vector<Entry>& out) const {
    if (slots_.empty()) return;
    for_each(hashes, [&](std::uint64_t hash) {
        const Entry* entry = find(hash);
        if (entry && entry->rare()) out.push_back(*entry);
    });
}

}  // namespace agent_audit::simulator
