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

// src/main.cpp, main.cpp, /etc/passwd; not 1/2, 3.14 or e.g.
[[gnu::always_inline]] inline bool is_path(const RunShape& run) {
    if (run.size < 4) return false;
    if (run.slash) return run.letters >= 2;
    return run.stem >= 2 && run.ending >= 1 && run.ending <= 5 && run.ending_has_letter && run.letters >= 3;
}

using Found = std::vector<std::uint64_t>;

[[gnu::always_inline]] inline void add(Found& out, std::string_view identifier) {
    if (out.size() < kMostIdentifiers) out.push_back(identifier_hash(identifier));
}

bool is_hex(char c) { return (class_of(c) & (kDigit | kHexLetter)) != 0; }

[[gnu::always_inline]] inline void add_word(Found& out, std::string_view word, std::uint64_t letters,
                                            std::uint64_t digits) {
    constexpr std::size_t kNumber = 4, kHash = 7, kWord = 8;
    if (word.size() < kNumber) return;
    const bool plain = letters >= kWord || digits == word.size();
    const auto hash = [&] { return word.size() >= kHash && digits > 0 && std::ranges::all_of(word, is_hex); };
    if (plain || hash()) add(out, word);
}

// `run` ends with no full stop or dash.
void add_path(Found& out, std::string_view run, std::uint64_t letters) {
    while (!run.empty() && run.front() == '-') run.remove_prefix(1);
    RunShape shape{run.size(), letters, run.find('/') != run.npos};
    if (const std::size_t dot = run.rfind('.'); dot != run.npos) {
        shape.stem = dot;
        shape.ending = run.size() - dot - 1;
        shape.ending_has_letter = shape.ending > 0 && (class_of(run[dot + 1]) & kLetter) != 0;
    }
    if (is_path(shape)) add(out, run);
}

void add_path(Found& out, std::string_view run) {
    while (!run.empty() && (run.back() == '.' || run.back() == '-')) run.remove_suffix(1);
    const auto letters = std::ranges::count_if(run, [](char c) { return (class_of(c) & kLetter) != 0; });
    add_path(out, run, static_cast<std::uint64_t>(letters));
}

// The words of the run that begins at `at`, and the run itself when it is a path. Each byte is looked at once: most
// runs are words of prose that are none. Returns its end.
std::size_t add_run(Found& out, std::string_view text, std::size_t at) {
    constexpr std::size_t kLongest = (1u << 20) - 1;  // nothing so long is a name
    const std::size_t begin = at;
    bool joined = false;
    while (true) {
        const std::size_t from = at;
        std::uint64_t letters = 0, digits = 0;
        for (; at < text.size() && at - from < kLongest && (class_of(text[at]) & kWordClass) != 0; ++at) {
            letters += (class_of(text[at]) & kLetter) != 0 ? 1 : 0;
            digits += (class_of(text[at]) & kDigit) != 0 ? 1 : 0;
        }
        add_word(out, text.substr(from, at - from), letters, digits);
        if (at - from == kLongest) continue;
        if (at == text.size() || (class_of(text[at]) & kJoin) == 0) break;
        joined = true;
        ++at;
    }
    if (joined && at - begin >= 4) add_path(out, text.substr(begin, at - begin));
    return at;
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
