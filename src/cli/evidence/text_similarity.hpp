#pragma once

#include <agent_audit/model/report.hpp>
#include <agent_audit/pipeline/similarity.hpp>
#include <agent_audit/support/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace agent_audit::cli {

/// Which measures a run asks for beside its rules.
struct SimilarityPlan {
    std::vector<SimilarityMeasure> measures;  ///< in the order of the enumeration, each once
    std::string vectors;                      ///< file of word vectors; empty = none
    std::size_t max_line_bytes = 64u << 20;

    bool any() const { return !measures.empty() || !vectors.empty(); }
};

/// What is wrong with the file of vectors, if anything: said before the work begins.
std::optional<Error> vectors_problem(const SimilarityPlan& plan);

/// Reads the sessions again and writes into the report how near what is said is to the goal, by each measure, and
/// beside the drift findings what that means for their place.
void measure_texts(Report& report, const SimilarityPlan& plan);

/// What of a report conversations are about that are read again, in the order of its inputs. There may be as many of
/// them as sessions, so neither sessions nor findings are gone through for each.
class ConversationPlaces {
public:
    explicit ConversationPlaces(Report& report);

    /// The session of an input that holds a line, as an index into Report::sessions. Most likely it stands behind the
    /// one that was found last: recordings of several sessions, put together, may have the same lines again.
    std::optional<std::size_t> session_at(std::uint32_t input, std::uint64_t line);
    /// Evidence beside the drift findings of a session's main conversation.
    void cite(std::size_t session, std::string_view measure, std::span<const SimilarityPoint> turns);

private:
    struct Lines {
        std::uint64_t first = 0, last = 0;
    };
    void turn_to(std::uint32_t input);

    Report& report_;
    std::uint32_t input_ = UINT32_MAX;
    std::size_t begin_ = 0;           // its first session
    std::vector<Lines> lines_;        // of its sessions
    std::size_t next_ = 0;            // behind the one that was found last
    std::vector<std::size_t> drift_;  // findings about drift in main conversations, by session
};

}  // namespace agent_audit::cli
