#pragma once

#include <agent_audit/advice/checkpointer.hpp>
#include <agent_audit/model/report.hpp>
#include <agent_audit/support/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace agent_audit {

/// What to learn of a recording, and up to where.
struct SessionStatePlan {
    std::string input;          ///< one file, or "-" for standard input
    std::string input_format;   ///< reader id; empty = decide by content
    std::uint64_t at_line = 0;  ///< last record that counts; 0 = the last one
    advice::CheckpointOptions checkpoints;
    advice::Checkpointer::Sink on_checkpoint;  ///< null = checkpoints are not wanted
    advice::SessionMemory::TextFilter filter;  ///< takes secrets out of texts before they are cut; null = none
    std::size_t max_line_bytes = 64u << 20;
};

/// What a recording has come to.
struct SessionState {
    std::string format;
    advice::Checkpoint state;  ///< of the session at `at_line`; of several sessions the one that record belongs to
    std::uint64_t events = 0;
    std::uint64_t last_line = 0;     ///< of the recording, whatever `at_line` is
    std::uint64_t lost_records = 0;  ///< could not be read
    std::vector<BadRecord> bad;      ///< the first few of them
    bool counts_records = false;     ///< `last_line` and the lines of `state` are numbers of records (InputReport)
    std::string problem;             ///< why reading ended early; empty: it did not
};

/// Reads a recording up to a line and says what it has come to. What stands behind that line makes no difference. An
/// Error means that the plan makes no sense; trouble with the input is in the outcome.
Result<SessionState> session_state(const SessionStatePlan& plan);

}  // namespace agent_audit
