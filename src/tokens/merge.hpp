#pragma once

#include "tokens/vocabulary.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace agent_audit::tokens {

/// Merges the bytes of a piece: again and again the pair of the lowest rank, the leftmost of equals, until no pair is a
/// token. `parts()` then holds the tokens.
class Merger {
public:
    using Token = Vocabulary::Impl::Token;
    static constexpr Token kNone = Vocabulary::Impl::kNone;

    std::size_t merge(const Vocabulary::Impl& vocabulary, std::string_view piece) {
        return piece.size() <= kShort ? merge_short(vocabulary, piece) : merge_long(vocabulary, piece);
    }
    const std::vector<Token>& parts() const { return parts_; }

private:
    // Up to this length looking at all pairs is faster than a heap of them.
    static constexpr std::size_t kShort = 96;

    std::size_t merge_short(const Vocabulary::Impl& v, std::string_view piece) {
        std::array<Token, kShort> part;
        std::array<Token, kShort> pair;  // pair[i]: what part[i] and part[i + 1] make
        std::size_t n = piece.size();
        for (std::size_t i = 0; i < n; ++i) part[i] = v.byte_token[static_cast<unsigned char>(piece[i])];
        for (std::size_t i = 0; i + 1 < n; ++i) pair[i] = v.merged(part[i], part[i + 1]);
        while (n > 1) {
            std::size_t at = 0;
            Token lowest = kNone;
            for (std::size_t i = 0; i + 1 < n; ++i) {
                if (pair[i] < lowest) {
                    lowest = pair[i];
                    at = i;
                }
            }
            if (lowest == kNone) break;
            part[at] = lowest;
            --n;
            std::copy(part.data() + at + 2, part.data() + n + 1, part.data() + at + 1);
            if (at + 1 < n) {
                std::copy(pair.data() + at + 2, pair.data() + n, pair.data() + at + 1);
                pair[at] = v.merged(lowest, part[at + 1]);
            }
            if (at > 0) pair[at - 1] = v.merged(part[at - 1], lowest);
        }
        parts_.assign(part.data(), part.data() + n);
        return n;
    }

    // The same with a heap of pairs and a linked list of parts. An entry is stale when its pair has changed since.
    std::size_t merge_long(const Vocabulary::Impl& v, std::string_view piece) {
        const auto n = static_cast<std::uint32_t>(piece.size());
        links_.resize(n);
        heap_.clear();
        for (std::uint32_t i = 0; i < n; ++i) {
            const Token token = v.byte_token[static_cast<unsigned char>(piece[i])];
            links_[i] = {token, kNone, i == 0 ? kNone : i - 1, i + 1 == n ? kNone : i + 1};
        }
        for (std::uint32_t i = 0; i + 1 < n; ++i) {
            links_[i].pair = v.merged(links_[i].token, links_[i + 1].token);
            if (links_[i].pair != kNone) heap_.push_back(entry(links_[i].pair, i));
        }
        std::ranges::make_heap(heap_, std::greater<>{});
        while (!heap_.empty()) {
            std::ranges::pop_heap(heap_, std::greater<>{});
            const std::uint64_t top = heap_.back();
            heap_.pop_back();
            const auto at = static_cast<std::uint32_t>(top);
            if (links_[at].pair != static_cast<Token>(top >> 32)) continue;
            join(v, at);
        }
        parts_.clear();
        for (std::uint32_t i = 0; i != kNone; i = links_[i].next) parts_.push_back(links_[i].token);
        return parts_.size();
    }

    void join(const Vocabulary::Impl& v, std::uint32_t at) {
        Link& left = links_[at];
        Link& right = links_[left.next];
        left.token = left.pair;
        left.next = right.next;
        right.pair = kNone;  // gone: its entries are stale
        if (left.next != kNone) links_[left.next].previous = at;
        renew(v, at);
        if (left.previous != kNone) renew(v, left.previous);
    }

    void renew(const Vocabulary::Impl& v, std::uint32_t at) {
        Link& link = links_[at];
        link.pair = link.next == kNone ? kNone : v.merged(link.token, links_[link.next].token);
        if (link.pair == kNone) return;
        heap_.push_back(entry(link.pair, at));
        std::ranges::push_heap(heap_, std::greater<>{});
    }

    static std::uint64_t entry(Token pair, std::uint32_t at) { return std::uint64_t{pair} << 32 | at; }

    struct Link {
        Token token, pair;
        std::uint32_t previous, next;
    };
    std::vector<Token> parts_;
    std::vector<Link> links_;
    std::vector<std::uint64_t> heap_;
};

}  // namespace agent_audit::tokens
