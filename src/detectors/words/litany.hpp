#pragma once

#include "detectors/words/chant.hpp"

namespace agent_audit::detectors {

inline constexpr std::size_t kShortestLitany = 1000;  ///< bytes of a text; in fewer none is looked for

struct LitanyLimits {
    std::size_t warn = 40;    ///< sentences in a row, each of them one of the few
    std::size_t fail = 60;    ///< the same before it fails
    std::size_t most = 8;     ///< different ones
    std::size_t often = 4;    ///< times that each of them is said at least
    std::size_t words = 120;  ///< of all of them together
    std::size_t each = 3;     ///< of a sentence on average: "Go north. Go east." are moves
};

/// A text that says a handful of sentences over and over, in no order: what find_chant cannot see. Sentences end with
/// their punctuation or their line; those in a fence or a table, those of one word, and those of numbers and signs end
/// the stretch. A list, each line of which is a sentence or two, is one only where somebody speaks of himself. Of a
/// text that does not end in such a stretch only the end is looked at.
std::optional<Chant> find_litany(RawText text, const LitanyLimits& limits = {});

}  // namespace agent_audit::detectors
