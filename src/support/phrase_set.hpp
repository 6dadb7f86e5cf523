#pragma once

#include "support/triple_filter.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace agent_audit {

inline constexpr std::string_view kBothCases = "aAbBcCdDeEfFgGhHiIjJkKlLmMnNoOpPqQrRsStTuUvVwWxXyYzZ";
inline constexpr auto kEveryByte = [] {
    std::array<char, 256> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i);
    return bytes;
}();

/// A fixed list of phrases that are looked for in a text all at once, whatever the case of its ASCII letters. The text
/// is read 64 bytes at a time; only where the first four bytes of some phrase may stand (three, if one has no more) is
/// anything compared. Phrases are in lower case and have three bytes at least.
template <std::size_t N>
class PhraseSet {
public:
    constexpr explicit PhraseSet(const std::string_view (&phrases)[N]) : PhraseSet(std::to_array(phrases)) {}
    constexpr explicit PhraseSet(const std::array<std::string_view, N>& phrases)
        : first_(first_of(phrases)), tables_(triples(phrases, first_)) {
        // Counted, not compared with every bucket: long lists would take more steps than a compiler grants a constant.
        std::array<std::size_t, N> bucket_of_phrase{};
        for (std::size_t i = 0; i < N; ++i) {
            bucket_of_phrase[i] = bucket_of(first_bytes(phrases[i]));
            ++begin_[bucket_of_phrase[i] + 1];
        }
        for (std::size_t bucket = 0; bucket < kBuckets; ++bucket)
            begin_[bucket + 1] = static_cast<std::uint16_t>(begin_[bucket + 1] + begin_[bucket]);
        std::array<std::uint16_t, kBuckets + 1> next = begin_;
        for (std::size_t i = 0; i < N; ++i) {
            phrases_[next[bucket_of_phrase[i]]++] = Phrase(phrases[i]);
            goes_on_[bucket_of_phrase[i]] |=
                phrases[i].size() < 8 ? ~std::uint64_t{0} : next_bytes_bit(first_bytes(phrases[i]));
        }
    }

    /// Does any of the phrases stand in the text?
    bool in(std::string_view text) const {
        return any(text, [](std::size_t, std::string_view) { return true; });
    }

    /// The same, but a phrase must not begin within an English word: "small " does not say "all ".
    bool said_in(std::string_view text) const {
        return any(text, [&](std::size_t at, std::string_view phrase) {
            return at == 0 || !is_letter(lower(text[at - 1])) || !is_letter(phrase.front());
        });
    }

    /// Calls `take` with the place of every phrase, by place, until it answers true. Did it?
    template <class Take>
    bool any(std::string_view text, Take&& take) const {
        std::array<std::uint64_t, kBlocks> masks;
        for (std::size_t from = 0; from < text.size(); from += kBlocks * kTripleBlock) {
            const std::size_t size = std::min(text.size() - from, kBlocks * kTripleBlock);
            const std::size_t blocks = find_triples(tables_, text, from, size, masks);
            if (from == 0) masks[0] &= ~std::uint64_t{0} << (first_ - 1);  // no phrase ends there
            for (std::size_t block = 0; block < blocks; ++block) {
                const std::size_t begin = from + block * kTripleBlock + 1 - first_;
                for (std::uint64_t hits = masks[block]; hits != 0; hits &= hits - 1) {
                    if (any_at(text, begin + static_cast<std::size_t>(std::countr_zero(hits)), take)) return true;
                }
            }
        }
        return false;
    }

private:
    static constexpr std::size_t kBuckets = 512;  // most are empty
    static constexpr std::size_t kBlocks = 16;
    static constexpr std::size_t kGroups = 8;

    static constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }
    static constexpr bool is_letter(char c) { return c >= 'a' && c <= 'z'; }
    /// Up to eight bytes as one number, the first one lowest.
    static constexpr std::uint64_t first_bytes(std::string_view text) {
        if constexpr (std::endian::native == std::endian::little) {
            if (!std::is_constant_evaluated() && text.size() >= 8) {
                std::uint64_t bytes = 0;
                std::memcpy(&bytes, text.data(), 8);
                return bytes;
            }
        }
        std::uint64_t bytes = 0;
        for (std::size_t i = std::min<std::size_t>(text.size(), 8); i-- > 0;)
            bytes = bytes << 8 | static_cast<unsigned char>(text[i]);
        return bytes;
    }
    /// By the first bytes; letters of both cases fall into one bucket.
    constexpr std::size_t bucket_of(std::uint64_t bytes) const {
        const std::uint32_t kept = first_ == 4 ? 0xffffffffU : 0xffffffU;
        return (static_cast<std::uint32_t>(bytes | 0x20202020U) & kept) * 0x9e3779b1U >>
               (32 - std::countr_zero(kBuckets));
    }
    /// One of 64 bits for the fifth to the eighth byte, whatever their case.
    static constexpr std::uint64_t next_bytes_bit(std::uint64_t bytes) {
        return std::uint64_t{1} << (static_cast<std::uint32_t>(bytes >> 32 | 0x20202020U) * 0x9e3779b1U >> 26);
    }
    static constexpr std::size_t first_of(const std::array<std::string_view, N>& phrases) {
        return std::ranges::all_of(phrases, [](std::string_view phrase) { return phrase.size() >= 4; }) ? 4 : 3;
    }

    // Eight bytes of the text are compared at once: those that `mask` has, letters in lower case by `fold`.
    struct Phrase {
        std::uint64_t head = 0, mask = 0, fold = 0;
        std::string_view text;

        constexpr Phrase() = default;
        constexpr explicit Phrase(std::string_view phrase) : head(first_bytes(phrase)), text(phrase) {
            for (std::size_t i = 0; i < std::min<std::size_t>(phrase.size(), 8); ++i) {
                mask |= std::uint64_t{0xff} << 8 * i;
                if (is_letter(phrase[i])) fold |= std::uint64_t{0x20} << 8 * i;
            }
        }
        bool begins(std::uint64_t bytes) const { return ((bytes | fold) & mask) == head; }
        /// Does the text, which begins as the phrase does, go on as it does?
        bool goes_on(std::string_view rest) const {
            if (rest.size() < text.size()) return false;
            std::size_t i = 8;
            while (i < text.size() && lower(rest[i]) == text[i]) ++i;
            return i >= text.size();
        }
    };

    // Neighbours share a group, so that groups stay narrow. What is not English has one of its own: those bytes are
    // rare in English texts, and few beginnings differ in the others. Neighbours are those with the same last byte but
    // one: of the lists there are, groups by it let a third less through than groups by the first byte.
    static constexpr std::array<Triple, N> triples(const std::array<std::string_view, N>& phrases, std::size_t first) {
        // Numbers, not texts: to compare a few hundred texts takes more steps than a compiler grants a constant.
        std::array<std::uint64_t, N> heads{};
        for (std::size_t i = 0; i < N; ++i) heads[i] = head_of(phrases[i].substr(0, first));
        std::sort(heads.begin(), heads.end());
        std::array<std::size_t, N> rank{};  // among the different beginnings
        std::size_t different = 0, english = 0;
        for (std::size_t i = 0; i < N; ++i) {
            if (i == 0 || heads[i] != heads[i - 1]) ++different;
            rank[i] = different - 1;
            if (heads[i] < kNotEnglish) english = different;
        }
        const bool mixed = english > 0 && english < different;
        const auto group_of = [&](std::size_t i) {
            if (!mixed) return rank[i] * kGroups / different;
            return rank[i] < english ? rank[i] * (kGroups - 1) / english : kGroups - 1;
        };
        std::array<Triple, N> out{};
        for (std::size_t i = 0; i < N; ++i) {
            const auto byte = [&](std::size_t at) {
                const std::size_t lowest = first - 1, leading = first - 2;
                const std::size_t place = at == leading ? lowest : at == lowest ? 0 : lowest - 1 - at;
                return static_cast<char>(heads[i] >> 8 * place & 0xff);
            };
            out[i].group = static_cast<std::uint8_t>(group_of(i));
            if (first == 4) out[i].before = both_cases(byte(0));
            for (std::size_t place = 0; place < 3; ++place) out[i].bytes[place] = both_cases(byte(first - 3 + place));
        }
        return out;
    }
    static constexpr std::uint64_t kNotEnglish = std::uint64_t{1} << 32;
    /// Its bytes as a number, the last but one before all others; texts with bytes beyond ASCII behind all others.
    static constexpr std::uint64_t head_of(std::string_view text) {
        const std::size_t leading = text.size() - 2;
        std::uint64_t head = static_cast<unsigned char>(text[leading]), beyond = head & 0x80U;
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (i == leading) continue;
            head = head << 8 | static_cast<unsigned char>(text[i]);
            beyond |= static_cast<unsigned char>(text[i]) & 0x80U;
        }
        return beyond != 0 ? head | kNotEnglish : head;
    }
    static constexpr std::string_view both_cases(char c) {
        if (is_letter(c)) return kBothCases.substr(2 * static_cast<std::size_t>(c - 'a'), 2);
        return {&kEveryByte[static_cast<unsigned char>(c)], 1};
    }

    template <class Take>
    bool any_at(std::string_view text, std::size_t at, Take& take) const {
        const std::string_view rest(text.data() + at, text.size() - at);
        const std::uint64_t bytes = first_bytes(rest);
        const std::size_t bucket = bucket_of(bytes);
        if ((goes_on_[bucket] & next_bytes_bit(bytes)) == 0) return false;
        for (std::size_t p = begin_[bucket]; p < begin_[bucket + 1]; ++p) {
            const Phrase& phrase = phrases_[p];
            if (phrase.begins(bytes) && phrase.goes_on(rest) && take(at, phrase.text)) return true;
        }
        return false;
    }

    std::size_t first_;  // bytes of a phrase that the filter looks at
    TripleTables tables_;
    std::array<Phrase, N> phrases_{};
    std::array<std::uint16_t, kBuckets + 1> begin_{};
    // How the phrases of a bucket go on behind their first four bytes: most words that begin as one of them do not.
    std::array<std::uint64_t, kBuckets> goes_on_{};
};

}  // namespace agent_audit
