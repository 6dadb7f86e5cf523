#pragma once

#include <agent_audit/model/report.hpp>
#include <agent_audit/model/similarity.hpp>
#include <agent_audit/pipeline/excerpts.hpp>
#include <agent_audit/support/result.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

/// How near what is said is to the goal, by measures that need no network. Deterministic, and only where it is asked
/// for: recordings are read a second time for it.
namespace agent_audit {

/// By what two texts are compared; word_vectors: by a file of vectors that the user has.
enum class SimilarityMeasure : std::uint8_t { tf_idf, bm25, char_ngrams, word_vectors };
std::string_view name(SimilarityMeasure measure);

namespace similarity {

/// The telling words of a text as hashes, repeats included: those that the drift rules know, so common words of tasks
/// are left out (the compiled prior of the frequencies), and Chinese counts by pairs of characters.
using Terms = std::vector<std::uint32_t>;
Terms terms_of(std::string_view text);

/// In how many texts of a conversation each word occurs.
class Collection {
public:
    void add(const Terms& terms);
    /// log(1 + (n - df + 0.5) / (df + 0.5)); above 0, highest for words that were never met.
    double idf(std::uint32_t term) const;
    double mean_length() const { return texts_ == 0 ? 0 : static_cast<double>(length_) / static_cast<double>(texts_); }

private:
    std::unordered_map<std::uint32_t, std::uint32_t> in_;
    std::size_t texts_ = 0, length_ = 0;
};

/// Cosine of the vectors (1 + log tf) · idf; 0 to 1.
double tf_idf(const Terms& goal, const Terms& text, const Collection& all);
/// Okapi BM25 (k1 = 1.2, b = 0.75) with the goal's words as the query, as a share of what the goal itself would have; 0
/// to 1.
double bm25(const Terms& goal, const Terms& text, const Collection& all);
/// Cosine of the counts of hashed sequences of 3 to 5 bytes of the words in lower case; 0 to 1.
double char_ngrams(std::string_view goal, std::string_view text);

/// The words of a text for a table of vectors: letters in lower case, Chinese by characters and pairs of them.
std::vector<std::string> plain_words(std::string_view text);

}  // namespace similarity

/// Static word vectors in the text format of word2vec, GloVe and fastText: `word v1 v2 …`, with or without a first line
/// `count dimensions`. Only words that are wanted are kept, so the memory is that of the sessions' vocabulary.
class WordVectors {
public:
    static constexpr std::size_t kMostDimensions = 2'048, kMostLine = 1u << 16, kMostWords = 200'000;

    /// An Error says file and line: no numbers, another number of them, nothing in it.
    static Result<WordVectors> read(const std::string& path, const std::unordered_set<std::string>& wanted);

    std::size_t dimensions() const { return dimensions_; }
    std::size_t size() const { return at_.size(); }
    /// Null where there is none.
    const float* find(const std::string& word) const;
    /// Mean of the unit vectors of a text's words; empty when none of them is known.
    std::vector<float> mean_of(std::string_view text) const;

private:
    void keep(const std::string& word, const std::vector<float>& values);

    std::size_t dimensions_ = 0;
    std::vector<float> values_;
    std::unordered_map<std::string, std::size_t> at_;
};

/// One value for each message of the agent that says enough, in their order. The goal of a message is what the human
/// said up to there. `vectors` for SimilarityMeasure::word_vectors; there the mean of the conversation is taken out of
/// all vectors first, because sentences of static vectors are all alike.
std::vector<SimilarityPoint> similarity_of(SimilarityMeasure measure, const Conversation& talk,
                                           const WordVectors* vectors);

/// The same by vectors that somebody else made, one for the goal and one for each message. Empty ones are left out.
std::vector<SimilarityPoint> similarity_of(std::span<const std::vector<float>> vectors, const Conversation& talk);

/// Figures of a series, and where it falls for good.
SimilaritySeries similarity_series(std::string measure, std::string source, std::uint64_t goal_line,
                                   std::span<const SimilarityPoint> turns);

/// Writes beside each drift finding of a session's main conversation what the measures say of its place: the mean
/// similarity before it and within it. Evidence only: no severity changes. The confidence of drift/topic-switch rises
/// by 0.1 where the words of the goal were said before and are gone (tf-idf), and falls by 0.15 where they were never
/// said or still are.
void cite_similarity(Finding& finding, std::string_view measure, std::span<const SimilarityPoint> turns);

}  // namespace agent_audit
