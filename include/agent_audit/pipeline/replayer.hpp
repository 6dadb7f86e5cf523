#pragma once

#include <agent_audit/config/settings.hpp>
#include <agent_audit/config/suppression.hpp>
#include <agent_audit/detectors/engine.hpp>
#include <agent_audit/model/advice.hpp>
#include <agent_audit/model/event.hpp>
#include <agent_audit/model/finding.hpp>
#include <agent_audit/model/signals.hpp>
#include <agent_audit/policy/decision.hpp>
#include <agent_audit/policy/policy.hpp>
#include <agent_audit/profiles/profile.hpp>
#include <agent_audit/support/result.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace agent_audit {

class ModelTable;

/// A policy with its rules and profiles bound. Shared: any number of runs can be supervised under it.
struct BoundPolicy {
    policy::RunPolicy policy;
    std::vector<BoundDetector> rules;
    EngineOptions engine;
    std::vector<const ProfileSpec*> profiles;
    std::vector<std::string> warnings;  ///< settings that make sense and do less than they seem to, one line each
};

/// What a project says of its runs whatever the policy: what agent-audit.toml holds. Where a policy says something of
/// the same, the policy wins.
struct ProjectSettings {
    Settings settings;                ///< of rules and of the run
    std::vector<std::string> select;  ///< where the policy selects nothing
    std::vector<std::string> ignore;  ///< beside those of the policy
    std::vector<ToolClassRule> tool_classes;
    std::vector<Suppression>
        suppressions;  ///< findings somebody decided to live with: no reason to step in, or to fail
    std::optional<std::int64_t> today_days;  ///< for suppressions that end, days since 1970-01-01
};

/// An Error where a rule, a profile or a setting of the policy, or of the project, makes no sense. Suppressions are
/// not the policy's: ReplayerOptions::lived_with.
Result<std::shared_ptr<const BoundPolicy>> bind_policy(policy::RunPolicy policy, const ProjectSettings& project = {});

/// One response of the run, for a timeline.
struct RunTurn {
    std::uint32_t lane = 0;
    std::uint64_t response = 0;                   ///< ordinal in the lane, from 1
    std::uint64_t first_step = 0, last_step = 0;  ///< of the lane; 0 = no call
    std::uint64_t first_line = 0, last_line = 0;
    std::uint64_t tokens = 0;                       ///< billed since the response before
    std::uint64_t cost_parts = 0;                   ///< the same in parts of Money
    std::uint32_t calls = 0, failed = 0, good = 0;  ///< good: new and successful
    std::string words;                              ///< its first call; only kept for timelines
};

/// What the recording shows after an intervention that would have ended or restarted the run. Teacher-forced: what the
/// agent did then is what it did without the intervention.
struct Counterfactual {
    std::uint64_t steps = 0, wasted_steps = 0, useful_steps = 0;     ///< wasted + useful = steps
    std::uint64_t tokens = 0, wasted_tokens = 0, useful_tokens = 0;  ///< the same
    std::uint64_t cost_parts = 0, wasted_cost_parts = 0;             ///< parts of Money, by list price
    bool priced = false;
    std::int64_t wall_ms = -1;  ///< -1: no times are recorded
};

/// What is thought of a decision once the whole recording is known.
enum class DecisionVerdict : std::uint8_t {
    none,   ///< not about a pattern: there is nothing to compare with
    right,  ///< the pattern went on after it; of a stop or reset: more was wasted than done afterwards
    late,   ///< the pattern was over by itself
    wrong,  ///< no finding covers it; of a stop or reset: more was done afterwards than wasted
};
constexpr std::string_view name(DecisionVerdict verdict) {
    constexpr std::string_view kNames[] = {"none", "right", "late", "wrong"};
    return kNames[static_cast<std::size_t>(verdict)];
}

/// What the breaker of one tool did.
struct ToolBreakerTotals {
    std::string tool;
    std::uint64_t opened = 0;   ///< how often calls began to be refused
    std::uint64_t refused = 0;  ///< recorded calls that would not have run
};

/// What the policy's context management (context.manage) would have made of the session.
struct ManagedContext {
    std::string name;
    std::uint64_t peak_tokens = 0;
    double mean_tokens = 0;
    std::uint64_t compactions = 0, overflows = 0;
};

/// One run under one policy.
struct SupervisedRun {
    std::string policy;
    std::vector<policy::Decision> decisions;  ///< in the order in which they were made
    std::vector<DecisionVerdict> verdicts;    ///< one for each
    std::uint64_t not_kept = 0;               ///< decisions beyond those listed
    std::uint64_t waited = 0;                 ///< retries before which the agent had waited long enough by itself
    std::vector<ToolBreakerTotals> breakers;
    std::vector<std::uint64_t> checkpoints;  ///< last lines of the main conversation's checkpoints
    std::optional<std::size_t> cut;          ///< of the decisions: the stop, else the first reset or rollback
    Counterfactual after;                    ///< that decision
    bool failed = false;                     ///< by the policy's fail-on
    std::string failed_because;              ///< one sentence
    std::uint64_t errors = 0, unrecovered_errors = 0, warnings = 0;  ///< findings under the policy's thresholds
    std::vector<Finding> findings;
    std::uint64_t lived_with = 0;         ///< findings that were left out as such
    std::vector<ResetSuggestion> resets;  ///< where a fresh session would have paid, by these findings
    std::optional<ManagedContext> context;
    std::vector<RunTurn> turns;  ///< only where they were asked for

    std::uint64_t steps = 0, responses = 0;
    TokenCounts tokens;
    TokensSource tokens_source = TokensSource::none;
    std::optional<Money> cost;
    std::int64_t wall_ms = -1;
    std::uint64_t first_line = 0, last_line = 0;
    std::string session_id, model;
    std::string label;  ///< what tells sessions of one input apart where they have no id
};

/// What a replayer is told besides the policy.
struct ReplayerOptions {
    Signals signals{0xffff};             ///< what the events can tell; rules that need more are left out
    const ModelTable* models = nullptr;  ///< prices and windows; must outlive the replayer
    bool keep_turns = false;             ///< fill SupervisedRun::turns
    /// Asked of each finding, while it is open and at the end. May set its severity; true = it leads to nothing and is
    /// left out. Empty = all findings count.
    std::function<bool(Finding&)> lived_with{};
};

/// Supervises one run: give it the events as they happen and act on the decisions it returns. It needs no file, looks
/// at no clock and never ahead: what it decided about the beginning of a run does not depend on how the run goes on.
///
///     Replayer replayer(policy);
///     for (const Event& event : what_just_happened) act_on(replayer.on_event(event));
///     act_on(replayer.before_request());   // all calls of the response are answered, the next request is due
///
/// Replaying a recording is the same without before_request(): there the next response shows that one is over. One
/// object serves one thread, and one run after the other.
class Replayer {
public:
    explicit Replayer(std::shared_ptr<const BoundPolicy> policy, const ReplayerOptions& options = {});
    ~Replayer();
    Replayer(Replayer&&) noexcept;
    Replayer& operator=(Replayer&&) noexcept;

    /// Decisions that the event led to; valid until the next call.
    std::span<const policy::Decision> on_event(const Event& event);
    /// The host knows that the response of this lane is complete.
    std::span<const policy::Decision> before_request(std::uint32_t lane = 0);

    /// True once the policy stopped the run.
    bool stopped() const;

    /// The run is over: everything that was decided, and what is thought of it now. No decision is added here.
    SupervisedRun finish();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace agent_audit
