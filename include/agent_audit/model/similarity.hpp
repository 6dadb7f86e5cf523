#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace agent_audit {

/// How near a turn was to the goal, as one measure sees it.
struct SimilarityPoint {
    std::uint64_t line = 0;
    double value = 0;  ///< 0 = nothing in common, 1 = the same; cosines of vectors may be negative
};

/// Where the similarity to the goal falls for good: the split of the series with the largest drop.
struct SimilarityDrop {
    std::uint64_t line = 0;        ///< first turn of the lower part; 0 = there is no such place
    double before = 0, after = 0;  ///< means of both parts
    double weight = 0;             ///< the drop in units of the spread within both parts
};

/// The similarity of a session's messages to its goal, by one measure. Evidence beside findings; never one itself.
struct SimilaritySeries {
    static constexpr std::size_t kMostPoints = 128;

    std::string measure;  ///< tf-idf, bm25, char-ngrams, word-vectors, embeddings
    std::string source;   ///< model or file of vectors; empty = compiled
    std::uint64_t goal_line = 0;
    std::uint64_t turns = 0;  ///< turns that were compared
    double mean = 0, lowest = 0;
    std::uint64_t lowest_line = 0;
    std::vector<SimilarityPoint> points;  ///< of a long session the lowest of each few neighbours
    SimilarityDrop drop;
};

}  // namespace agent_audit
