#pragma once

#include <agent_audit/tokens/bpe.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit {

/// Tokens are numbered by rank, so that the smaller number merges first. A token is the merge of one pair only: on the
/// way to it nothing outside its bytes takes part, so its last two parts are always the same.
struct Vocabulary::Impl {
    using Token = std::uint32_t;
    static constexpr Token kNone = 0xFFFFFFFF;

    std::string bytes;                   ///< of all tokens, one after the other
    std::vector<std::uint32_t> offsets;  ///< size() + 1 of them
    std::vector<std::uint32_t> ranks;
    std::array<Token, 256> byte_token{};

    std::size_t size() const { return ranks.size(); }
    std::string_view text(Token t) const {
        return std::string_view(bytes).substr(offsets[t], offsets[t + 1] - offsets[t]);
    }

    Token find(std::string_view token, std::uint64_t hash) const {
        for (std::size_t i = hash & by_text_mask;; i = (i + 1) & by_text_mask) {
            const TextSlot& slot = by_text[i];
            if (slot.token == kNone) return kNone;
            if (slot.tag == static_cast<std::uint32_t>(hash >> 32) && text(slot.token) == token) return slot.token;
        }
    }

    /// The token that the two make together.
    Token merged(Token left, Token right) const {
        for (std::size_t i = pair_slot(left, right);; i = (i + 1) & by_pair_mask) {
            const PairSlot& slot = by_pair[i];
            if (slot.left == left && slot.right == right) return slot.merged;
            if (slot.merged == kNone) return kNone;
        }
    }

    struct TextSlot {
        std::uint32_t tag = 0;
        Token token = kNone;
    };
    struct PairSlot {
        Token left = kNone, right = kNone, merged = kNone;
    };
    std::size_t pair_slot(Token left, Token right) const {
        const std::uint64_t key = (std::uint64_t{left} << 32 | right) * 0x9e3779b97f4a7c15ULL;
        return (key >> 32) & by_pair_mask;
    }

    std::vector<TextSlot> by_text;
    std::size_t by_text_mask = 0;
    std::vector<PairSlot> by_pair;
    std::size_t by_pair_mask = 0;
};

}  // namespace agent_audit
