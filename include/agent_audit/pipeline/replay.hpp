#pragma once

#include <agent_audit/model/report.hpp>
#include <agent_audit/simulator/replay.hpp>
#include <agent_audit/support/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace agent_audit {

/// What to replay, and under whose context management.
struct ReplayPlan {
    std::string input;                  ///< one file, or "-" for standard input
    std::string input_format;           ///< reader id; empty = decide by content
    std::vector<std::string> contexts;  ///< names; "all" = every one; FILE.toml = a policy of one's own
    double window_tokens = 0;           ///< 0 = as recorded, else the model's
    std::string model;                  ///< prices and window of this model; empty = the recorded one's
    std::string price_file;             ///< empty = only the shipped prices
    std::size_t max_line_bytes = 64u << 20;
    simulator::SummaryWriter summarise = simulator::extractive_summary;  ///< words of the summaries that policies make
};

/// What became of an input.
struct ReplayOutcome {
    std::string format;
    std::vector<simulator::SessionOutcome> sessions;
    std::uint64_t lost_records = 0;        ///< could not be read
    std::uint64_t unfinished_records = 0;  ///< a last record that was cut: the writer may not be done yet
    std::vector<BadRecord> bad;            ///< the first few of both
    bool counts_records = false;           ///< their lines are numbers of records (InputReport)
    std::string problem;                   ///< why reading ended early, or not all was read; empty: it was
};

/// Whoever wants every request of every session.
class ReplayRows {
public:
    virtual ~ReplayRows() = default;
    /// `session` counts from 0. Valid only during the call.
    virtual void on_row(std::size_t session, std::string_view context, const simulator::TurnRow& row) = 0;
};

/// Replays every session of an input in one pass of its records. An Error means that the plan makes no sense; trouble
/// with the input is in the outcome.
Result<ReplayOutcome> replay(const ReplayPlan& plan, ReplayRows* rows = nullptr);

}  // namespace agent_audit
