#pragma once

#include <agent_audit/model/text.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace agent_audit::detectors {

struct ChantLimits {
    std::size_t warn = 4;               ///< rounds
    std::size_t fail = 6;               ///< rounds
    std::size_t min_words = 60;         ///< words of all rounds together,
    std::size_t min_bytes = 180;        ///< and their bytes, blanks and punctuation included
    std::size_t short_factor = 8;       ///< times more rounds for a unit of one or two words
    std::size_t framed_bytes = 20'000;  ///< a chant in a fence, in a table or of data must be longer than this
};

/// A text that says the same words over and over, with the same punctuation.
struct Chant {
    std::size_t begin = 0, end = 0;            ///< bytes of the text as recorded
    std::size_t unit_begin = 0, unit_end = 0;  ///< the first round
    std::size_t unit_words = 0;
    std::size_t rounds = 0;
    std::size_t words = 0;
    std::size_t sentences = 0;   ///< different ones, where they come in no order (litany.hpp); 0 = round after round
    std::uint64_t unit_key = 0;  ///< the same wherever the round is taken to begin
    bool framed = false;         ///< in a fence, in a table, or it looks like data: records, numbers, single letters
    bool failing = false;
    bool cut = false;  ///< the text was too long to be read in one go, and the chant goes on

    std::size_t bytes() const { return end - begin; }
};

/// The worst chant of a text: failing before warning, then the one with most words. Costs next to nothing for texts
/// that repeat nothing (may_repeat). Long texts are read a piece at a time, and no further than to the first chant.
std::optional<Chant> find_chant(RawText text, const ChantLimits& limits = {});

/// The same without the glance before: for tests, which show that the glance loses nothing.
std::optional<Chant> find_chant_in_words(RawText text, const ChantLimits& limits = {});

}  // namespace agent_audit::detectors
