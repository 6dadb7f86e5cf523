#include <agent_audit/tokens/bpe.hpp>

#include <agent_audit/support/hash.hpp>
#include <agent_audit/tokens/lengths.hpp>

#include "tokens/merge.hpp"
#include "tokens/pre_tokenise.hpp"
#include "tokens/vocabulary.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

namespace agent_audit {
namespace {

// A slot is half a cache line. Pieces repeat: most of a text is found here.
struct Slot {
    std::uint8_t size = 0;
    std::uint8_t tokens = 0;
    std::array<char, 30> bytes{};
};
constexpr std::size_t kSlots = 1u << 15;
constexpr std::size_t kMaxPiece = 4u << 20;

// Lone surrogates and broken bytes are replaced before encoding, as every program of this kind does.
bool well_formed(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        i += tokens::ascii_run(text, i);
        if (i == text.size()) break;
        const tokens::CodePoint c = tokens::decode_wtf8(text, i);
        if (!c.valid || c.surrogate()) return false;
        i += c.length;
    }
    return true;
}

}  // namespace

struct BpeCounter::Impl {
    std::shared_ptr<const Vocabulary::Impl> vocabulary;
    PreTokeniser pre_tokeniser;
    std::vector<Slot> cache = std::vector<Slot>(kSlots);
    tokens::Merger merger;

    std::uint64_t count_piece(std::string_view piece) {
        if (piece.size() == 1) return 1;
        const std::uint64_t hash = stable_hash(piece);
        Slot& slot = cache[hash % kSlots];
        const bool fits = piece.size() <= slot.bytes.size();
        if (fits && slot.size == piece.size() && std::memcmp(slot.bytes.data(), piece.data(), piece.size()) == 0) {
            return slot.tokens;
        }
        const std::size_t tokens = count_new(piece, hash);
        if (fits) {
            slot.size = static_cast<std::uint8_t>(piece.size());
            slot.tokens = static_cast<std::uint8_t>(tokens);
            std::memcpy(slot.bytes.data(), piece.data(), piece.size());
        }
        return tokens;
    }

    std::size_t count_new(std::string_view piece, std::uint64_t hash) {
        if (vocabulary->find(piece, hash) != Vocabulary::Impl::kNone) return 1;
        return merger.merge(*vocabulary, piece);
    }

    template <class Take>
    void each_piece(std::string_view wtf8, Take&& take) {
        std::string repaired;
        if (!well_formed(wtf8)) {
            repaired = utf8_of_wtf8(wtf8);
            wtf8 = repaired;
        }
        tokens::PreTokens pieces(wtf8, pre_tokeniser);
        for (std::string_view piece = pieces.next(); !piece.empty(); piece = pieces.next()) {
            for (; piece.size() > kMaxPiece; piece.remove_prefix(kMaxPiece)) take(piece.substr(0, kMaxPiece));
            take(piece);
        }
    }
};

BpeCounter::BpeCounter(const Vocabulary& vocabulary, std::optional<PreTokeniser> pre_tokeniser)
    : impl_(std::make_unique<Impl>()) {
    impl_->vocabulary = vocabulary.impl_;
    impl_->pre_tokeniser = pre_tokeniser.value_or(vocabulary.pre_tokeniser());
}
BpeCounter::~BpeCounter() = default;
BpeCounter::BpeCounter(BpeCounter&&) noexcept = default;

std::uint64_t BpeCounter::count(std::string_view wtf8) {
    std::uint64_t tokens = 0;
    impl_->each_piece(wtf8, [&](std::string_view piece) { tokens += impl_->count_piece(piece); });
    return tokens;
}

std::vector<std::uint32_t> BpeCounter::encode(std::string_view wtf8) {
    const Vocabulary::Impl& v = *impl_->vocabulary;
    std::vector<std::uint32_t> ranks;
    impl_->each_piece(wtf8, [&](std::string_view piece) {
        const Vocabulary::Impl::Token whole = v.find(piece, stable_hash(piece));
        if (whole != Vocabulary::Impl::kNone) {
            ranks.push_back(v.ranks[whole]);
            return;
        }
        impl_->merger.merge(v, piece);
        for (const auto token : impl_->merger.parts()) ranks.push_back(v.ranks[token]);
    });
    return ranks;
}

}  // namespace agent_audit
