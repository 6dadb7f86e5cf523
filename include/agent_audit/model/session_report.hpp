#pragma once

#include <agent_audit/model/activity.hpp>
#include <agent_audit/model/advice.hpp>
#include <agent_audit/model/context.hpp>
#include <agent_audit/model/course.hpp>
#include <agent_audit/model/drift.hpp>
#include <agent_audit/model/error_class.hpp>
#include <agent_audit/model/event.hpp>
#include <agent_audit/model/money.hpp>
#include <agent_audit/model/peer.hpp>
#include <agent_audit/model/session_goal.hpp>
#include <agent_audit/model/severity.hpp>
#include <agent_audit/model/signals.hpp>
#include <agent_audit/model/similarity.hpp>
#include <agent_audit/model/tokens.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit {

/// Tokens of one model within a session or run.
struct ModelTokens {
    std::string model;  ///< empty: the recording does not say
    TokenCounts tokens;
    std::uint64_t requests = 0;
    RequestCost cost{};
};

/// Tokens of one lane (the main conversation or a sub-agent) within a session.
struct LaneTokens {
    std::uint32_t lane = 0;
    std::string label;
    TokenCounts tokens;
    std::uint64_t requests = 0;
    RequestCost cost{};  ///< of these requests, by list price
};

/// Tokens of one human turn.
struct TurnTokens {
    std::uint32_t lane = 0;
    std::uint32_t turn = 0;
    std::uint64_t first_line = 0;
    TokenCounts tokens;
    std::uint64_t requests = 0;
    RequestCost cost{};  ///< of these requests, by list price
};

/// What a session cost. Each request is counted once in a run, however often it was recorded.
struct TokenLedgerTotals {
    TokensSource source = TokensSource::none;
    TokenCounts total;
    std::uint64_t requests = 0;
    std::uint64_t copied_requests = 0;           ///< seen here, counted where they first stood
    std::optional<std::uint64_t> cost_microusd;  ///< as recorded by the producer; absent = not recorded
    RequestCost cost;                            ///< by list price, each request once
    CostParts cost_parts;                        ///< what `cost` was paid for; they add up to it
    std::uint64_t peak_context = 0;              ///< largest prompt of one request, tokens; 0 = unknown
    std::uint64_t peak_context_line = 0;
    std::uint64_t window_tokens = 0;    ///< 0 = unknown
    std::vector<ModelTokens> by_model;  ///< sorted by model name
    std::vector<LaneTokens> by_lane;    ///< sorted by lane
    std::vector<TurnTokens> top_turns;  ///< at most 5: the dearest first or, if not all can be priced, the largest
    bool turns_by_cost = false;         ///< top_turns are the dearest
};

/// How often each thing occurred.
struct SessionCounts {
    std::uint64_t events = 0;
    std::uint64_t human_messages = 0;
    std::uint64_t assistant_messages = 0;
    std::uint64_t responses = 0;  ///< model responses
    std::uint64_t turns = 0;      ///< human turns
    std::uint64_t calls = 0;
    std::uint64_t results = 0;
    std::uint64_t paired = 0;                ///< calls whose result was found
    std::uint64_t unanswered = 0;            ///< calls left open
    std::uint64_t unanswered_at_end = 0;     ///< of these: the recording ends before their result
    std::uint64_t unanswered_stopped = 0;    ///< of these: the turn was broken off, or a human spoke first
    std::uint64_t unanswered_compacted = 0;  ///< of these: the context was compacted while they ran
    std::uint64_t orphans = 0;               ///< results whose call was never seen
    std::uint64_t errors = 0;                ///< failed results
    std::uint64_t denied = 0;
    std::uint64_t steps = 0;  ///< what the loop rules looked at: calls after parallel copies are folded
    std::uint64_t compactions = 0;
    std::uint64_t rewinds = 0;
    std::uint64_t aborted_turns = 0;
    std::uint64_t provider_errors = 0;
    std::uint64_t lanes = 0;  ///< conversations, sub-agents included
};

/// Requests that the provider refused or broke off, as far as the recording tells of them; SessionCounts says how many.
struct ProviderErrors {
    static constexpr std::size_t kKinds = 8;

    struct Kind {
        std::string code;  ///< a status ("429"), or what the recording says instead, shortened; empty = it says nothing
        std::uint64_t count = 0;
    };
    std::uint64_t first_line = 0, last_line = 0;  ///< 0 = there were none
    std::vector<Kind> kinds;                      ///< most first; beyond kKinds they are counted without a name
    std::uint64_t other = 0;                      ///< of these
};

/// How one tool fared. `failures` by class add up to failed and denied calls together.
struct ToolStats {
    std::string tool;  ///< as recorded; kOtherTools for all that are not listed on their own
    std::uint64_t calls = 0;
    ErrorCounts failures{};                    ///< by ErrorClass; denied calls are user_denied
    std::uint32_t longest_failure_streak = 0;  ///< model responses in a row in which each call of the tool failed

    std::uint64_t failed() const {
        std::uint64_t sum = 0;
        for (const std::uint32_t n : failures) sum += n;
        return sum;
    }
};
inline constexpr std::string_view kOtherTools = "(other)";
inline constexpr std::size_t kListedTools = 64;  ///< per session and per run; the rest is kOtherTools

/// Who left out the signals that a rule needs.
enum class SkipReason : std::uint8_t {
    format,   ///< the format never tells them
    session,  ///< the format can, this session did not
};
constexpr std::string_view name(SkipReason reason) { return reason == SkipReason::format ? "format" : "session"; }

/// A rule that had nothing to look at in a session: it is named, so that nobody takes its silence for an answer.
struct SkippedRule {
    std::string_view rule;  ///< id out of the table of rules, which lives as long as the program
    Signals missing;
    SkipReason reason = SkipReason::format;
    friend bool operator==(const SkippedRule&, const SkippedRule&) = default;
};

/// Findings of a rule in a session that were counted and not listed (--max-findings).
struct NotShown {
    std::string rule;
    std::array<std::uint64_t, 3> by_severity{};  ///< by Severity, the least severe first

    std::uint64_t from(Severity level) const {
        std::uint64_t sum = 0;
        for (auto s = static_cast<std::size_t>(level); s < by_severity.size(); ++s) sum += by_severity[s];
        return sum;
    }
};

/// One recorded session.
struct SessionReport {
    std::uint32_t input = 0;  ///< index into Report::inputs
    std::string id;
    std::string parent_id;
    std::string label;
    std::string format;
    std::string product_version;
    std::string cwd;
    std::string model;
    bool sub_agent = false;
    bool housekeeping = false;
    bool output_incomplete =
        false;  ///< less output is recorded than the model is shown to have written: output and cost are too low
    bool counts_records = false;  ///< its lines are numbers of records, as those of its input (InputReport)
    std::uint64_t first_line = 0;
    std::uint64_t last_line = 0;
    std::int64_t first_time_ms = kNoTime;  ///< kNoTime = unknown
    std::int64_t last_time_ms = kNoTime;
    SessionCounts counts;
    ProviderErrors provider_errors;
    std::vector<ToolStats> tools;  ///< most called first
    TokenLedgerTotals tokens;
    ContextReport context;                ///< who filled the windows; empty where no usage is recorded
    std::vector<LaneCourse> courses;      ///< by number of the lane; only where the plan asked for them
    std::vector<ResetSuggestion> resets;  ///< where a fresh session would have paid, by line
    SessionGoal goal;                     ///< what the main conversation is for, as it was understood
    ActivityCourse activity;              ///< the main conversation as segments of one kind of work each
    DriftSeries drift;                    ///< the goal's distance, turn by turn; empty where no goal was recognised
    std::vector<SimilaritySeries> similarity;  ///< one a measure that was asked for
    std::vector<SkippedRule> skipped_rules;    ///< those of the format first, each in the order of the table
    std::vector<NotShown> not_shown;           ///< one entry a rule that has findings here beyond those listed
    std::vector<PeerOutcome> peers;            ///< one an emulation profile that was asked for
};

}  // namespace agent_audit
