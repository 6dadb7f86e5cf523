#pragma once

#include <agent_audit/model/judgement.hpp>
#include <agent_audit/model/severity.hpp>
#include <agent_audit/model/source.hpp>
#include <agent_audit/model/tokens.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace agent_audit {

/// One place that shows the pattern. `text` is short, decoded, not yet redacted: renderers redact and escape.
struct Evidence {
    std::uint64_t line = 0;  ///< record number, from 1
    std::uint64_t seq = 0;   ///< event position
    std::string role;        ///< its part in the pattern: call, result, first, last, notice, compaction
    std::string text;
};

/// A fact that decided, as name and value, e.g. {"repeats", "54"}.
struct Fact {
    std::string name;
    std::string value;
};

/// One distinct call of the pattern, as evidence is: decoded, cut, not yet redacted.
struct FindingCall {
    std::string tool;
    std::string argument;  ///< its main argument: the command of a shell, the path of a read
};
inline constexpr std::size_t kFindingCalls = 8;

/// How a finding stands to the baseline of the run.
enum class BaselineState : std::uint8_t {
    none,       ///< there is no baseline
    fresh,      ///< not in it, beyond its count, or worse than what it knows
    unchanged,  ///< in it
};

/// The suppression that a finding fell under.
struct SuppressedBy {
    std::string reason;
    std::string until;   ///< last day on which it holds, "2027-01-31"; empty = no end
    std::string origin;  ///< where it is configured
};

/// Lines of a file, from 1, both inclusive.
struct FileLines {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
};

/// What a rule saw, with places and cost. A value: it outlives the input.
struct Finding {
    std::string rule;  ///< group/slug, e.g. loop/exact-repeat
    std::string code;  ///< AA101
    Severity severity = Severity::info;
    double confidence = 0;  ///< 0 to 1
    std::string message;    ///< one plain sentence with count and line range
    std::string action;     ///< what to do next

    std::uint32_t session = 0;  ///< index into Report::sessions
    std::uint32_t lane = 0;     ///< 0 = main conversation

    std::uint64_t first_line = 0;  ///< record numbers, from 1, both inclusive
    std::uint64_t last_line = 0;
    std::uint64_t first_seq = 0;
    std::uint64_t last_seq = 0;
    std::uint64_t first_step = 0;  ///< ordinal of the step in its lane, from 1; 0 = not about steps
    std::uint64_t last_step = 0;
    std::uint64_t first_offset = 0;  ///< bytes from the start of the input
    std::uint64_t end_offset = 0;
    /// The lines of the file where records are counted (InputReport::counts_records); absent = unknown, or there are
    /// none. Elsewhere first_line and last_line are they.
    std::optional<FileLines> file_lines;

    std::vector<Evidence> evidence;
    std::vector<FindingCall> calls;  ///< what it is about, at most kFindingCalls; empty = not about calls
    std::vector<std::string> round;  ///< one round of the pattern in words, one entry a step
    std::vector<Fact> because;

    std::uint32_t period = 0;   ///< steps of one round; 0 = not periodic
    std::uint64_t repeats = 0;  ///< rounds, failures or polls, as the rule counts
    std::uint64_t wasted_steps = 0;
    std::optional<TokenCounts> wasted_tokens;  ///< absent = unknown
    TokensSource tokens_source = TokensSource::none;
    std::optional<std::uint64_t> wasted_cost_microusd;  ///< absent = unknown
    std::optional<std::uint64_t> reset_line;            ///< the last record worth keeping: reset after it

    bool recovered = false;  ///< the agent found its own way out
    bool contiguous = true;  ///< no other steps lie between the repeats
    bool persisted_after_notice = false;
    bool persisted_across_compaction = false;
    std::vector<std::string> also;  ///< rules whose weaker description of the same steps was dropped

    std::uint64_t first_call_id = 0;  ///< hash of the first call's id; 0 = none. Input of finding_fingerprint
    std::uint64_t pattern_key = 0;    ///< hash of the canonical actions and outcome class. Input of pattern_fingerprint
    std::string finding_fingerprint;  ///< agentAuditFinding/v1, stable across re-scans of a growing file
    std::string pattern_fingerprint;  ///< agentAuditPattern/v1, stable across sessions and machines

    BaselineState baseline = BaselineState::none;
    std::optional<SuppressedBy> suppressed;
    std::optional<Judgement> judgement;  ///< only where a judge was asked about it
};

}  // namespace agent_audit
