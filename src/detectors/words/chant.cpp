#include "detectors/words/chant.hpp"

#include "detectors/words/repetition.hpp"
#include "detectors/words/words.hpp"
#include "support/repeat_probe.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kPiece = 1u << 20;  // bytes read in one go
constexpr std::size_t kStride = kPiece / 4 * 3;

// Words in a row without what is framed; where something was left out stands a symbol that equals no other.
struct Stream {
    std::vector<std::uint32_t> symbols;
    std::vector<std::uint32_t> words;  // index of the word
};

Stream stream_of(std::span<const Word> words, bool with_framed) {
    Stream out;
    out.symbols.reserve(words.size());
    out.words.reserve(words.size());
    std::uint32_t gaps = 0;
    bool gap = false;
    for (std::uint32_t i = 0; i < words.size(); ++i) {
        if (words[i].framed && !with_framed) {
            gap = true;
            continue;
        }
        if (gap) {
            out.symbols.push_back(static_cast<std::uint32_t>(mix_hash(++gaps, 0x676170)));
            out.words.push_back(i);
        }
        gap = false;
        out.symbols.push_back(words[i].hash ^ words[i].gap * 0x9e3779b1u);
        out.words.push_back(i);
    }
    return out;
}

// Records, markup and the like, outside of a fence: what stands there was hardly said.
bool is_data(std::string_view unit) {
    constexpr std::array<std::string_view, 4> signs{"\":", "=\"", "\\\":", "=\\\""};
    return std::ranges::any_of(signs, [unit](std::string_view sign) { return unit.find(sign) != unit.npos; });
}

Chant describe(const Repetition& r, const Stream& stream, std::span<const Word> words, std::string_view text) {
    const auto word = [&](std::size_t at) -> const Word& { return words[stream.words[at]]; };
    Chant chant;
    chant.begin = word(r.begin).begin;
    chant.end = word(r.end - 1).end;
    chant.unit_begin = chant.begin;
    chant.unit_end = word(r.begin + r.period - 1).end;
    chant.unit_words = r.period;
    chant.rounds = r.rounds();
    chant.words = r.size();
    bool speaks = false;
    for (std::size_t i = 0; i < r.period; ++i) {
        // Of the second round: what stands before the first one may be anything.
        chant.unit_key += mix_hash(stream.symbols[r.begin + r.period + i], r.period);
        chant.framed = chant.framed || word(r.begin + i).framed;
        speaks = speaks || word(r.begin + i).speaks;
    }
    chant.framed = chant.framed || !speaks || is_data(text.substr(chant.unit_begin, chant.unit_end - chant.unit_begin));
    return chant;
}

// The first word of a chant has other punctuation before it than the same word in the next round.
Repetition with_first_word(Repetition r, const Stream& stream, std::span<const Word> words) {
    if (r.begin == 0) return r;
    const std::size_t before = r.begin - 1;
    const auto word = [&](std::size_t at) { return words[stream.words[at]].hash; };
    const bool left_out = stream.words[before] == stream.words[r.begin];
    if (!left_out && word(before) == word(before + r.period)) --r.begin;
    return r;
}

std::optional<Chant> worst(std::string_view text, std::span<const Word> words, const ChantLimits& limits,
                           bool with_framed) {
    const Stream stream = stream_of(words, with_framed);
    std::optional<Chant> found;
    const RepetitionLimits without_first_word{limits.warn - 1, limits.min_words - 1};
    for (const Repetition& strict : find_repetitions(stream.symbols, without_first_word)) {
        const Repetition r = with_first_word(strict, stream, words);
        const std::size_t times = r.period <= 2 ? limits.short_factor : 1;  // "very, very" is no chant
        if (r.rounds() < limits.warn * times || r.size() < limits.min_words) continue;
        Chant chant = describe(r, stream, words, text);
        if (chant.bytes() < limits.min_bytes || (chant.framed && chant.bytes() <= limits.framed_bytes)) continue;
        chant.failing = r.rounds() >= limits.fail * times;
        const bool worse = !found || (chant.failing != found->failing ? chant.failing : chant.words > found->words);
        if (worse) found = chant;
    }
    return found;
}

std::optional<Chant> chant_of_piece(RawText piece, const ChantLimits& limits) {
    const std::vector<Word> words = framed_words(piece);
    if (auto chant = worst(piece.bytes, words, limits, false)) return chant;
    const bool framed = piece.size() > limits.framed_bytes && std::ranges::any_of(words, &Word::framed);
    return framed ? worst(piece.bytes, words, limits, true) : std::nullopt;
}

std::optional<Chant> find(RawText text, const ChantLimits& limits, bool glance) {
    for (std::size_t from = 0;; from += kStride) {
        const RawText piece{text.bytes.substr(from, kPiece), text.form};
        const bool last = from + kPiece >= text.bytes.size();
        if (!glance || may_repeat(piece.bytes)) {
            if (auto chant = chant_of_piece(piece, limits)) {
                constexpr std::size_t kAtTheEnd = 64;
                chant->cut = !last && chant->end + kAtTheEnd + (chant->unit_end - chant->unit_begin) >= kPiece;
                for (std::size_t* place : {&chant->begin, &chant->end, &chant->unit_begin, &chant->unit_end})
                    *place += from;
                return chant;
            }
        }
        if (last) return std::nullopt;
    }
}

}  // namespace

std::optional<Chant> find_chant(RawText text, const ChantLimits& limits) { return find(text, limits, true); }

std::optional<Chant> find_chant_in_words(RawText text, const ChantLimits& limits) { return find(text, limits, false); }

}  // namespace agent_audit::detectors
