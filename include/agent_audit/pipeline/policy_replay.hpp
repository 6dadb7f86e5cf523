#pragma once

#include <agent_audit/model/report.hpp>
#include <agent_audit/pipeline/input_filter.hpp>
#include <agent_audit/pipeline/replayer.hpp>
#include <agent_audit/policy/policy_file.hpp>
#include <agent_audit/support/result.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace agent_audit {

/// What to replay under which policies.
struct PolicyReplayPlan {
    std::vector<std::string> inputs;   ///< files, directories, globs, or "-" for standard input
    std::vector<std::string> exclude;  ///< patterns of leave_out()
    bool inputs_found = false;         ///< found by a search and not named: one without a session is no error
    std::string input_format;          ///< reader id; empty = decide by content
    std::vector<std::shared_ptr<const BoundPolicy>> policies;
    ProjectSettings project;  ///< its suppressions and what makes calls the same; the rest is bound in `policies`
    std::string price_file;   ///< empty = only the shipped prices
    bool empty_is_a_problem = false;  ///< also of a file that was found in a folder
    bool keep_turns = false;          ///< for a timeline
    unsigned jobs = 0;                ///< 0 = number of CPUs, at most 8
    std::size_t max_line_bytes = 64u << 20;
};

/// One session under every policy, in the order of the plan.
struct ReplayedSession {
    std::uint32_t input = 0;  ///< index into PolicyReplay::inputs
    std::vector<SupervisedRun> runs;
};

/// An input, and what was wrong with it.
struct ReplayedInput {
    std::string path;
    std::string format;              ///< empty: not recognised
    std::string problem;             ///< one line; empty: none
    std::uint64_t housekeeping = 0;  ///< sessions that are not judged: summaries, suggestions of the client's own
    std::uint64_t lost_records = 0;
    std::uint64_t unfinished_records = 0;  ///< a last record that was cut: the writer may not be done yet
    std::vector<BadRecord> bad;            ///< the first few of them
    bool counts_records = false;           ///< the lines of its sessions are numbers of records (InputReport)
};

/// One policy over one run, in figures.
struct RunFigures {
    std::uint64_t interventions = 0, right = 0, late = 0, wrong = 0;  ///< right + late + wrong: those about patterns
    std::uint64_t by_action[policy::kActions] = {};
    std::uint64_t first_line = 0;        ///< of the first intervention; 0 = none
    std::uint64_t first_right_line = 0;  ///< of the first one that was right
    std::uint64_t stop_line = 0;         ///< where the main conversation was stopped; 0 = it was not
    Counterfactual after;
};
/// Of one run under one policy.
RunFigures figures_of(const SupervisedRun& run);

/// One policy over all sessions.
struct PolicyTotals {
    std::string policy;
    std::uint64_t sessions = 0, intervened = 0, stopped = 0, failed = 0;  ///< sessions
    std::uint64_t stops_right = 0, stops_wrong = 0;  ///< by what came after them; of the rest nothing came
    RunFigures sum;                                  ///< lines are of no session and stay 0
};

/// All sessions under all policies.
struct PolicyReplay {
    std::vector<ReplayedInput> inputs;
    std::vector<ReplayedSession> sessions;  ///< by input, then by place
    std::vector<std::string> problems;      ///< named inputs that led nowhere
    std::vector<PolicyTotals> totals;       ///< in the order of the plan's policies
    std::uint64_t skipped_inputs = 0;       ///< files found in folders that are no session
};

/// Replays every session of every input under all policies, each input read once. An Error means that the plan makes no
/// sense; trouble with inputs is in the outcome, which does not depend on plan.jobs.
Result<PolicyReplay> replay_policies(const PolicyReplayPlan& plan);

/// A built-in policy or a policy file, read and bound. All that is wrong with it, one line each, where it cannot be.
struct PolicyChoice {
    policy::LoadedPolicy loaded;
    std::shared_ptr<const BoundPolicy> bound;  ///< null when there are problems
    std::vector<std::string> problems;
};
/// By the name of a built-in policy, or else of a file. What is wrong stands in `problems`.
PolicyChoice choose_policy(const std::string& name_or_file, const ProjectSettings& project = {});

/// "strict,ci.toml,policies/": names, files and folders (all .toml files in them, sorted) as single choices.
std::vector<std::string> policy_names(const std::vector<std::string>& words);

}  // namespace agent_audit
