#include "policy/policy_keys.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <type_traits>

namespace agent_audit::policy {
namespace {

constexpr std::string_view kPatience[] = {"permissive", "balanced", "strict"};
constexpr std::string_view kSeverities[] = {"warning", "error"};
constexpr std::string_view kLimitActions[] = {"stop", "ask-human"};
constexpr std::string_view kSegments[] = {"user", "session"};
constexpr double kMost = 1e12;

template <class E, std::size_t N>
E word_of(const std::array<std::string_view, N>& names, std::string_view word) {
    return static_cast<E>(std::ranges::find(names, word) - names.begin());
}
Action action_of(std::string_view word) { return word_of<Action>(kActionNames, word); }
ReflectionLevel level_of(std::string_view word) { return word_of<ReflectionLevel>(kReflectionNames, word); }
Rung& rung_of(RunPolicy& p, const Path& wild) { return p.rungs[static_cast<std::size_t>(action_of(wild[0]))]; }
std::vector<Action> actions_of(const Value& v) {
    std::vector<Action> out;
    for (const std::string& word : v.texts) out.push_back(action_of(word));
    return out;
}

// What most keys do: one field of one part of the policy.
void nothing(RunPolicy&, const Value&, const Path&) {}
template <auto Part, auto Field>
void whole(RunPolicy& p, const Value& v, const Path&) {
    auto& field = p.*Part.*Field;
    field = static_cast<std::remove_reference_t<decltype(field)>>(v.whole);
}
template <auto Part, auto Field>
void number(RunPolicy& p, const Value& v, const Path&) {
    p.*Part.*Field = v.number;
}
template <auto Part, auto Field>
void text(RunPolicy& p, const Value& v, const Path&) {
    p.*Part.*Field = v.text;
}
template <auto Part, auto Field>
void level(RunPolicy& p, const Value& v, const Path&) {
    p.*Part.*Field = level_of(v.text);
}

// A key with what it takes, what it is for, what it sets.
// clang-format off

// What a policy is, what it looks at and what fails a run.
std::vector<PolicyKey> run_keys() {
    return {
        {"version", Kind::whole, 1, 1, {}, "1",
         "of the form of this file",
         nothing},
        {"extends", Kind::text, 0, 0, {}, "",
         "a built-in policy, or a policy file (relative to this one), whose values hold where this file gives none",
         nothing},
        {"doc", Kind::text, 0, 0, {}, "",
         "what the policy is for, in a sentence",
         [](RunPolicy& p, const Value& v, const Path&) { p.doc = v.text; }},
        {"fail-on", Kind::word, 0, 0, kFailOnNames, "unrecovered-error",
         "what makes the exit status of a replay 1: a stop decided by the policy, findings of error severity that "
         "the agent did not get out of by itself, any error, any warning, or any intervention",
         [](RunPolicy& p, const Value& v, const Path&) { p.fail_on = word_of<FailOn>(kFailOnNames, v.text); }},
        {"patience", Kind::word, 0, 0, kPatience, "balanced",
         "thresholds of the rules, as scan --policy",
         [](RunPolicy& p, const Value& v, const Path&) {
             p.patience = v.text == "strict"       ? agent_audit::Policy::strict
                          : v.text == "permissive" ? agent_audit::Policy::permissive
                                                   : agent_audit::Policy::balanced;
         }},
        {"select", Kind::texts, 0, 0, {}, "[]",
         "rules or groups to run; none: all that are on by default",
         [](RunPolicy& p, const Value& v, const Path&) { p.select = v.texts; }},
        {"ignore", Kind::texts, 0, 0, {}, "[]",
         "rules or groups to leave out",
         [](RunPolicy& p, const Value& v, const Path&) { p.ignore = v.texts; }},
        {"react-to-rules", Kind::flag, 0, 0, {}, "true",
         "false: findings count for the verdict and the accounts, and lead to no intervention",
         [](RunPolicy& p, const Value& v, const Path&) { p.react_to_rules = v.flag; }},
        {"follow", Kind::texts, 0, 0, {}, "[]",
         "emulation profiles (scan --as list): their warning is the first rung of the ladder, their stop the last",
         [](RunPolicy& p, const Value& v, const Path&) { p.follow = v.texts; }},
    };
}

// What is done about a repetition, and how soon the next rung is climbed.
std::vector<PolicyKey> ladder_keys() {
    return {
        {"ladder", Kind::words, 0, 0, kActionNames, "[]",
         "what is done about a repetition, in the order of escalation; a rung that cannot be taken is passed over",
         [](RunPolicy& p, const Value& v, const Path&) { p.ladder = actions_of(v); }},
        {"escalation.persist", Kind::whole, 1, 1000, {}, "2",
         "responses in which the pattern goes on after an intervention before the next rung",
         [](RunPolicy& p, const Value& v, const Path&) {
             for (Rung& r : p.rungs) r.persist = static_cast<int>(v.whole);
         }},
        {"escalation.cool-down", Kind::whole, 1, 1000, {}, "1",
         "responses between two interventions at least",
         [](RunPolicy& p, const Value& v, const Path&) {
             for (Rung& r : p.rungs) r.cool_down = static_cast<int>(v.whole);
         }},
        {"escalation.calm", Kind::whole, 1, 1000, {}, "5",
         "new, successful calls until the ladder is climbed down one rung",
         [](RunPolicy& p, const Value& v, const Path&) { p.calm = static_cast<int>(v.whole); }},
        {"rung.<action>.on", Kind::word, 0, 0, kSeverities, "",
         "least severity of a finding that reaches the rung; notify: warning, all others: error",
         [](RunPolicy& p, const Value& v, const Path& w) {
             rung_of(p, w).on = v.text == "warning" ? Severity::warning : Severity::error;
         }},
        {"rung.<action>.persist", Kind::whole, 1, 1000, {}, "",
         "instead of escalation.persist",
         [](RunPolicy& p, const Value& v, const Path& w) { rung_of(p, w).persist = static_cast<int>(v.whole); }},
        {"rung.<action>.cool-down", Kind::whole, 1, 1000, {}, "",
         "instead of escalation.cool-down",
         [](RunPolicy& p, const Value& v, const Path& w) { rung_of(p, w).cool_down = static_cast<int>(v.whole); }},
        {"rung.<action>.confidence", Kind::number, 0, 1, {}, "",
         "least confidence of a finding that reaches the rung",
         [](RunPolicy& p, const Value& v, const Path& w) { rung_of(p, w).confidence = v.number; }},
    };
}

// When the model is made to think, and how deep.
std::vector<PolicyKey> reflection_keys() {
    return {
        {"reflection.on-pattern", Kind::word, 0, 0, kReflectionNames, "standard",
         "depth of the ladder's reflection: none and minimal show no recent calls, standard 2 KB of them, deep 5 "
         "KB, critical 10 KB",
         level<&RunPolicy::reflection, &Reflection::on_pattern>},
        {"reflection.on-failure", Kind::word, 0, 0, kReflectionNames, "none",
         "reflect after a response with a failed call, this deep; none: not at all",
         level<&RunPolicy::reflection, &Reflection::on_failure>},
        {"reflection.iterations", Kind::whole, 0, 100'000, {}, "0",
         "reflect each time so many responses passed since a human spoke; 0: never",
         whole<&RunPolicy::reflection, &Reflection::iterations>},
        {"reflection.on-iterations", Kind::word, 0, 0, kReflectionNames, "standard",
         "how deep then",
         level<&RunPolicy::reflection, &Reflection::on_iterations>},
        {"reflection.every-turns", Kind::whole, 0, 100'000, {}, "0",
         "reflect every so many responses of a conversation; 0: never",
         whole<&RunPolicy::reflection, &Reflection::every_turns>},
        {"reflection.on-similarity", Kind::word, 0, 0, kReflectionNames, "standard",
         "depth of the reflection that similarity.below asks for",
         level<&RunPolicy::reflection, &Reflection::on_similarity>},
        {"reflection.on-interval", Kind::word, 0, 0, kReflectionNames, "minimal",
         "how deep then",
         level<&RunPolicy::reflection, &Reflection::on_interval>},
    };
}

// Calls that fail: waits before they are tried again, tools that are refused, and where a way back is kept.
std::vector<PolicyKey> failure_keys() {
    return {
        {"back-off.retries", Kind::whole, 0, 1000, {}, "0",
         "times a call may be tried again after errors that go away by themselves; 0: no back-off",
         whole<&RunPolicy::back_off, &BackOff::retries>},
        {"back-off.base-ms", Kind::whole, 1, 86'400'000, {}, "1000",
         "first wait",
         whole<&RunPolicy::back_off, &BackOff::base_ms>},
        {"back-off.factor", Kind::number, 1, 100, {}, "2",
         "by which each wait is longer than the one before",
         number<&RunPolicy::back_off, &BackOff::factor>},
        {"back-off.cap-ms", Kind::whole, 1, 86'400'000, {}, "60000",
         "longest wait",
         whole<&RunPolicy::back_off, &BackOff::cap_ms>},
        {"back-off.jitter", Kind::number, 0, 1, {}, "0.1",
         "share of a wait by which it is made longer or shorter; the same each time for the same tool and try",
         number<&RunPolicy::back_off, &BackOff::jitter>},
        {"back-off.seed", Kind::whole, 0, 9e15, {}, "0",
         "of the jitter",
         whole<&RunPolicy::back_off, &BackOff::seed>},
        {"breaker.failures", Kind::whole, 0, 1000, {}, "0",
         "failures of a tool in a row before its calls are refused; 0: no breaker",
         whole<&RunPolicy::breaker, &BreakerRules::failures>},
        {"breaker.open-ms", Kind::whole, 1, 86'400'000, {}, "30000",
         "how long they are refused",
         whole<&RunPolicy::breaker, &BreakerRules::open_ms>},
        {"breaker.probes", Kind::whole, 1, 1000, {}, "1",
         "calls that must succeed then before all is well again",
         whole<&RunPolicy::breaker, &BreakerRules::probes>},
        {"breaker.step-ms", Kind::whole, 1, 3'600'000, {}, "1000",
         "what a call takes where the recording has no times",
         whole<&RunPolicy::breaker, &BreakerRules::step_ms>},
        {"checkpoint.every-turns", Kind::whole, 0, 100'000, {}, "0",
         "a checkpoint every so many responses, beside those where a check passed; 0: only those",
         [](RunPolicy& p, const Value& v, const Path&) { p.checkpoint_turns = static_cast<int>(v.whole); }},
    };
}

// How large a run and its context may become, and when work that stands still begins anew.
std::vector<PolicyKey> size_keys() {
    return {
        {"limits.calls", Kind::whole, 0, kMost, {}, "0",
         "tool calls of a run; 0: no limit",
         whole<&RunPolicy::limits, &Limits::calls>},
        {"limits.responses", Kind::whole, 0, kMost, {}, "0",
         "model responses of a run",
         whole<&RunPolicy::limits, &Limits::responses>},
        {"limits.responses-per-prompt", Kind::whole, 0, kMost, {}, "0",
         "model responses of the main conversation since a human spoke; a new prompt begins the count again",
         whole<&RunPolicy::limits, &Limits::responses_per_prompt>},
        {"limits.characters", Kind::whole, 0, kMost, {}, "0",
         "bytes of messages, arguments and results",
         whole<&RunPolicy::limits, &Limits::characters>},
        {"limits.minutes", Kind::whole, 0, kMost, {}, "0",
         "recorded time",
         whole<&RunPolicy::limits, &Limits::minutes>},
        {"limits.tokens", Kind::whole, 0, kMost, {}, "0",
         "tokens billed",
         whole<&RunPolicy::limits, &Limits::tokens>},
        {"limits.cost-usd", Kind::number, 0, 1e9, {}, "0",
         "by list price",
         number<&RunPolicy::limits, &Limits::cost_usd>},
        {"limits.warn-at", Kind::number, 0, 1, {}, "0",
         "share of a limit at which the model is told; 0: not at all",
         number<&RunPolicy::limits, &Limits::warn_at>},
        {"limits.action", Kind::word, 0, 0, kLimitActions, "stop",
         "what happens at a limit",
         [](RunPolicy& p, const Value& v, const Path&) { p.limits.action = action_of(v.text); }},
        {"context.share", Kind::number, 0, 1, {}, "0",
         "of the window; above it a fresh context is begun; 0: not looked at",
         number<&RunPolicy::context, &ContextRules::share>},
        {"context.characters", Kind::whole, 0, kMost, {}, "0",
         "the same by the bytes recorded since the context was new",
         whole<&RunPolicy::context, &ContextRules::characters>},
        {"context.manage", Kind::text, 0, 0, {}, "",
         "context management to replay beside (replay --context): peak, compactions and overflows are reported",
         text<&RunPolicy::context, &ContextRules::manage>},
        {"stagnation.distinct", Kind::whole, 0, 64, {}, "0",
         "fewer different calls than this among the last ones begin a fresh context; 0: not looked at",
         whole<&RunPolicy::stagnation, &Stagnation::distinct>},
        {"stagnation.window", Kind::whole, 2, 64, {}, "5",
         "how many calls those are",
         whole<&RunPolicy::stagnation, &Stagnation::window>},
        {"similarity.below", Kind::number, 0, 100, {}, "0",
         "fewer words of the goal than this for each action make the model think, once until there are more again "
         "(the published rule, as drift/goal-keywords has it); 0: not looked at",
         number<&RunPolicy::similarity, &Similarity::below>},
        {"similarity.window", Kind::whole, 1, 32, {}, "5",
         "responses that are looked at together",
         whole<&RunPolicy::similarity, &Similarity::window>},
    };
}

// Persons to tell, exceptions for one tool, and settings of the rules themselves.
std::vector<PolicyKey> exception_keys() {
    return {
        {"human.contact", Kind::text, 0, 0, {}, "",
         "whom to tell; handed on with the decisions",
         text<&RunPolicy::human, &HumanHints::contact>},
        {"human.on", Kind::words, 0, 0, kActionNames, R"(["ask-human", "stop"])",
         "interventions that a person should hear of",
         [](RunPolicy& p, const Value& v, const Path&) { p.human.on = actions_of(v); }},
        {"per-tool.<tool>.substitute", Kind::text, 0, 0, {}, "",
         "a tool to offer instead (rung substitute-tool)",
         [](RunPolicy& p, const Value& v, const Path& w) { p.tools[w[0]].substitute = v.text; }},
        {"per-tool.<tool>.patterns", Kind::flag, 0, 0, {}, "true",
         "false: repetition of this tool is no reason to intervene",
         [](RunPolicy& p, const Value& v, const Path& w) { p.tools[w[0]].patterns = v.flag; }},
        {"per-tool.<tool>.retries", Kind::whole, 0, 1000, {}, "",
         "instead of back-off.retries",
         [](RunPolicy& p, const Value& v, const Path& w) { p.tools[w[0]].retries = static_cast<int>(v.whole); }},
        {"per-tool.<tool>.breaker-failures", Kind::whole, 0, 1000, {}, "",
         "instead of breaker.failures; 0: no breaker",
         [](RunPolicy& p, const Value& v, const Path& w) {
             p.tools[w[0]].breaker_failures = static_cast<int>(v.whole);
         }},
        {"rules.<rule>.<param>", Kind::number, 0, 0, {}, "",
         "a parameter of a rule (agent-audit explain RULE)",
         nothing},
        {"rules.<rule>.per-tool.<tool>.<param>", Kind::number, 0, 0, {}, "",
         "the same for calls of one tool alone",
         nothing},
        {"engine.segment", Kind::word, 0, 0, kSegments, "user",
         "what ends the evidence of a repetition",
         nothing},
        {"tools.class.<tool>", Kind::text, 0, 0, {}, "",
         "what a tool does (agent-audit explain settings)",
         nothing},
        {"errors.<class>", Kind::texts, 0, 0, {}, "",
         "patterns or codes of an error class (agent-audit explain settings)",
         nothing},
    };
}

// clang-format on

std::vector<PolicyKey> all_keys() {
    std::vector<PolicyKey> rows;
    for (const auto& part : {run_keys, ladder_keys, reflection_keys, failure_keys, size_keys, exception_keys})
        std::ranges::move(part(), std::back_inserter(rows));
    return rows;
}

}  // namespace

const std::vector<PolicyKey>& policy_key_table() {
    static const std::vector<PolicyKey> rows = all_keys();
    return rows;
}

}  // namespace agent_audit::policy
