#pragma once

#include <agent_audit/model/report.hpp>
#include <agent_audit/pipeline/similarity.hpp>
#include <agent_audit/support/result.hpp>

#include <cstddef>
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

/// The session of an input that holds a line, as an index into Report::sessions.
std::optional<std::size_t> session_at(const Report& report, std::uint32_t input, std::uint64_t line);
/// Evidence beside the drift findings of a session's main conversation.
void cite(Report& report, std::size_t session, std::string_view measure, std::span<const SimilarityPoint> turns);

}  // namespace agent_audit::cli
