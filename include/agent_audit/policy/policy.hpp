#pragma once

#include <agent_audit/config/settings.hpp>
#include <agent_audit/model/policy.hpp>
#include <agent_audit/model/severity.hpp>
#include <agent_audit/policy/action.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// How a run is supervised: value types, filled from built-in policies and policy files (policy_file.hpp).
namespace agent_audit::policy {

/// One step of the ladder. Counts are model responses of one conversation.
struct Rung {
    Severity on = Severity::error;  ///< the least severity of a finding that reaches this rung
    int persist = 2;                ///< responses in which the pattern went on since the rung before
    int cool_down = 1;              ///< responses between the intervention before, of any kind, and this one
    double confidence = 0;          ///< the least confidence of a finding that reaches this rung
};

/// When and how thoroughly the model is told to think about what it did.
struct Reflection {
    ReflectionLevel on_pattern = ReflectionLevel::standard;  ///< of the ladder's reflect
    ReflectionLevel on_failure = ReflectionLevel::none;      ///< after a response with a failed call; none: not at all
    ReflectionLevel on_iterations = ReflectionLevel::standard;
    int iterations = 0;  ///< reflect each time so many responses passed since a human spoke; 0: never
    ReflectionLevel on_similarity = ReflectionLevel::standard;  ///< when similarity falls below its bound
    ReflectionLevel on_interval = ReflectionLevel::minimal;
    int every_turns = 0;  ///< reflect every so many responses; 0: never
};

/// Exponential: the n-th wait is base * factor^(n-1), at most cap, moved by at most +-jitter of it. The jitter comes of
/// a hash of seed, tool and attempt: the same run is told to wait equally long each time.
struct BackOff {
    int retries = 0;  ///< after so many failures the call is not to be tried again; 0: no back-off
    std::int64_t base_ms = 1000;
    double factor = 2;
    std::int64_t cap_ms = 60'000;
    double jitter = 0.1;
    std::uint64_t seed = 0;
};

/// Per tool: closed until calls fail, then open, then half open for a few probes (breaker.hpp).
struct BreakerRules {
    int failures = 0;               ///< in a row before calls of the tool are refused; 0: no breaker
    std::int64_t open_ms = 30'000;  ///< until a call is let through to see
    int probes = 1;                 ///< calls that must succeed before the breaker closes again
    std::int64_t step_ms = 1000;    ///< what a call takes where the recording has no times
};

/// 0: no limit.
struct Limits {
    std::uint64_t calls = 0, responses = 0, characters = 0, minutes = 0, tokens = 0;
    double cost_usd = 0;
    std::uint64_t responses_per_prompt = 0;  ///< of the main conversation since a human spoke
    double warn_at = 0;                      ///< a message at this share of a limit; 0: none
    Action action = Action::stop;            ///< stop or ask-human
};

/// When the context is reset for its size.
struct ContextRules {
    double share = 0;              ///< of the window; a context that is fuller is reset; 0: not looked at
    std::uint64_t characters = 0;  ///< recorded since the last reset or compaction; 0: not looked at
    std::string manage;  ///< context policy replayed beside (agent-audit explain context-policies); empty: none
};

/// When the context is reset because the same few calls come back.
struct Stagnation {
    int distinct = 0;  ///< fewer different calls than this among the last `window` reset the context; 0: not looked at
    int window = 5;
};

/// Words of the goal in what an agent says and calls: the published rule of drift/goal-keywords.
struct Similarity {
    double below = 0;  ///< fewer words of the goal for each action make the model think; 0: not looked at
    int window = 5;    ///< responses that are looked at together
};

/// What differs for one tool.
struct ToolRules {
    std::string substitute;      ///< a tool to offer in its place
    bool patterns = true;        ///< false: repetition of this tool is no reason to intervene
    std::optional<int> retries;  ///< instead of back-off.retries
    std::optional<int> breaker_failures;
};

/// Whom a host should tell of what. Nothing is sent from here.
struct HumanHints {
    std::string contact;                                      ///< whom to tell: any text, handed on as it is
    std::vector<Action> on{Action::ask_human, Action::stop};  ///< decisions that a person should hear of
};

/// A whole policy, as replay --policy and a Replayer carry it out.
struct RunPolicy {
    std::string name, doc;
    FailOn fail_on = FailOn::unrecovered_error;
    agent_audit::Policy patience =
        agent_audit::Policy::balanced;        ///< thresholds of the rules, and what recovery is worth
    std::vector<std::string> select, ignore;  ///< rules or groups, as of a scan
    bool react_to_rules = true;               ///< false: findings count for the verdict only
    std::vector<std::string> follow;          ///< emulation profiles whose reactions climb the ladder
    std::vector<Action> ladder;               ///< in the order of escalation
    std::array<Rung, kActions> rungs{};       ///< by action
    int calm = 5;                             ///< new, successful calls until the ladder is climbed down one rung
    Reflection reflection;
    BackOff back_off;
    BreakerRules breaker;
    Limits limits;
    ContextRules context;
    Stagnation stagnation;
    Similarity similarity;
    int checkpoint_turns = 0;  ///< a checkpoint every so many responses; 0: only where progress was verified
    std::map<std::string, ToolRules, std::less<>> tools;
    HumanHints human;
    Settings settings;  ///< of rules and of the run, with their origins

    const Rung& rung(Action action) const { return rungs[static_cast<std::size_t>(action)]; }
};

}  // namespace agent_audit::policy
