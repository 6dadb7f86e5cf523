#include <agent_audit/simulator/identifiers.hpp>
#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace agent_audit::simulator {
namespace {

enum Class : std::uint8_t { kNone = 0, kLetter = 1, kDigit = 2, kHexLetter = 4, kJoin = 8, kUnderscore = 16 };

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
bool in_word(char c) { return (class_of(c) & (kLetter | kDigit | kUnderscore)) != 0; }
bool in_run(char c) { return (class_of(c) & (kLetter | kDigit | kUnderscore | kJoin)) != 0; }

// src/main.cpp, main.cpp, /etc/passwd; not 1/2, 3.14 or e.g.
bool is_path(std::string_view run) {
    const auto letters = std::ranges::count_if(run, [](char c) { return (class_of(c) & kLetter) != 0; });
    if (run.find('/') != std::string_view::npos) return run.size() >= 4 && letters >= 2;
    const std::size_t dot = run.rfind('.');
    if (dot == std::string_view::npos || dot < 2) return false;
    const std::string_view end = run.substr(dot + 1);
    return !end.empty() && end.size() <= 5 && (class_of(end[0]) & kLetter) != 0 && letters >= 3;
}

using Found = std::vector<std::uint64_t>;

void add(Found& out, std::string_view identifier) {
    if (out.size() < kMostIdentifiers) out.push_back(stable_hash(identifier) | 1);
}

void add_word(Found& out, std::string_view word) {
    constexpr std::size_t kNumber = 4, kHash = 7, kWord = 8;
    if (word.size() < kNumber) return;
    std::size_t letters = 0, digits = 0, hex = 0;
    for (const char c : word) {
        const std::uint8_t kind = class_of(c);
        letters += (kind & kLetter) != 0 ? 1 : 0;
        hex += (kind & kHexLetter) != 0 ? 1 : 0;
        digits += (kind & kDigit) != 0 ? 1 : 0;
    }
    const bool number = digits == word.size();
    const bool hash = word.size() >= kHash && digits > 0 && hex > 0 && digits + hex == word.size();
    if (number || hash || letters >= kWord) add(out, word);
}

void add_run(Found& out, std::string_view run) {
    while (!run.empty() && (run.back() == '.' || run.back() == '-')) run.remove_suffix(1);
    while (!run.empty() && run.front() == '-') run.remove_prefix(1);
    bool joined = false;
    for (std::size_t i = 0; i < run.size();) {
        const std::size_t from = i;
        while (i < run.size() && in_word(run[i])) ++i;
        joined = joined || i < run.size();
        add_word(out, run.substr(from, i - from));
        if (i < run.size()) ++i;
    }
    if (joined && is_path(run)) add(out, run);
}

}  // namespace

void append_identifiers(std::vector<std::uint64_t>& out, std::string_view text, bool escaped) {
    for (std::size_t i = 0; i < text.size() && out.size() < kMostIdentifiers;) {
        if (!in_run(text[i])) {
            i += escaped && text[i] == '\\' ? 2 : 1;
            continue;
        }
        const std::size_t from = i;
        while (i < text.size() && in_run(text[i])) ++i;
        if (i - from >= 4) add_run(out, text.substr(from, i - from));
    }
}

void each_once(std::vector<std::uint64_t>& identifiers) {
    std::ranges::sort(identifiers);
    identifiers.erase(std::unique(identifiers.begin(), identifiers.end()), identifiers.end());
}

IdentifierIndex::Entry& IdentifierIndex::slot(std::uint64_t hash) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = mix_hash(hash, 0) & mask;
    while (slots_[at].hash != 0 && slots_[at].hash != hash) at = (at + 1) & mask;
    return slots_[at];
}

void IdentifierIndex::grow() {
    constexpr std::size_t kFirst = 256;
    std::vector<Entry> old = std::exchange(slots_, std::vector<Entry>(std::max(kFirst, 2 * slots_.size())));
    for (const Entry& entry : old) {
        if (entry.hash != 0) slot(entry.hash) = entry;
    }
}

void IdentifierIndex::add(std::uint64_t hash, std::uint32_t message) {
    if (hash == 0) return;
    if (Entry* known = find(hash)) {
        if (!known->rare()) return;
        if (known->messages[known->frequency - 1] == message) return;
        if (known->frequency < kRare) known->messages[known->frequency] = message;
        ++known->frequency;
        return;
    }
    if (full()) return;
    if (4 * (used_ + 1) > 3 * slots_.size()) grow();
    Entry& fresh = slot(hash);
    fresh.hash = hash;
    fresh.messages[0] = message;
    fresh.frequency = 1;
    ++used_;
}

IdentifierIndex::Entry* IdentifierIndex::find(std::uint64_t hash) {
    if (slots_.empty() || hash == 0) return nullptr;
    Entry& entry = slot(hash);
    return entry.hash == hash ? &entry : nullptr;
}

}  // namespace agent_audit::simulator
