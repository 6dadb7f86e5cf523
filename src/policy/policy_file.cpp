#include <agent_audit/policy/policy_file.hpp>

#include "config/toml_tree.hpp"

#include <agent_audit/detectors/detector.hpp>
#include <agent_audit/profiles/profile.hpp>
#include <agent_audit/support/suggest.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

namespace agent_audit::policy {
namespace {

constexpr std::size_t kMaxProblems = 100;
constexpr std::size_t kMaxExtends = 8;

using Path = std::vector<std::string>;
using Names = std::vector<std::string_view>;

// ---- what a key takes --------------------------------------------------------------------------------------------

enum class Kind : std::uint8_t { whole, number, flag, text, word, words, texts };

struct Value {
    std::int64_t whole = 0;
    double number = 0;
    bool flag = false;
    std::string text;
    std::vector<std::string> texts;
};

struct Row {
    std::string_view key;
    Kind kind;
    double min = 0, max = 0;
    std::span<const std::string_view> known = {};
    std::string_view standard;
    std::string_view doc;
    void (*set)(RunPolicy& p, const Value& v, const Path& wild);
};

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

// In the order of the reference page. The first row that fits a path is meant.
const std::vector<Row>& table() {
    static const std::vector<Row> rows{
        {"version", Kind::whole, 1, 1, {}, "1", "of the form of this file", [](RunPolicy&, const Value&, const Path&) {}},
        {"extends", Kind::text, 0, 0, {}, "", "a built-in policy, or a policy file (relative to this one), whose values hold where this file gives none",
         [](RunPolicy&, const Value&, const Path&) {}},
        {"doc", Kind::text, 0, 0, {}, "", "what the policy is for, in a sentence", [](RunPolicy& p, const Value& v, const Path&) { p.doc = v.text; }},
        {"fail-on", Kind::word, 0, 0, kFailOnNames, "unrecovered-error",
         "what makes the exit status of a replay 1: a stop decided by the policy, findings of error severity that the agent did not "
         "get out of by itself, any error, any warning, or any intervention",
         [](RunPolicy& p, const Value& v, const Path&) { p.fail_on = word_of<FailOn>(kFailOnNames, v.text); }},
        {"patience", Kind::word, 0, 0, kPatience, "balanced", "thresholds of the rules, as scan --policy",
         [](RunPolicy& p, const Value& v, const Path&) {
             p.patience = v.text == "strict" ? agent_audit::Policy::strict : v.text == "permissive" ? agent_audit::Policy::permissive : agent_audit::Policy::balanced;
         }},
        {"select", Kind::texts, 0, 0, {}, "[]", "rules or groups to run; none: all that are on by default", [](RunPolicy& p, const Value& v, const Path&) { p.select = v.texts; }},
        {"ignore", Kind::texts, 0, 0, {}, "[]", "rules or groups to leave out", [](RunPolicy& p, const Value& v, const Path&) { p.ignore = v.texts; }},
        {"react-to-rules", Kind::flag, 0, 0, {}, "true", "false: findings count for the verdict and the accounts, and lead to no intervention",
         [](RunPolicy& p, const Value& v, const Path&) { p.react_to_rules = v.flag; }},
        {"follow", Kind::texts, 0, 0, {}, "[]", "emulation profiles (scan --as list): their warning is the first rung of the ladder, their stop the last",
         [](RunPolicy& p, const Value& v, const Path&) { p.follow = v.texts; }},
        {"ladder", Kind::words, 0, 0, kActionNames, "[]", "what is done about a repetition, in the order of escalation; a rung that cannot be taken is passed over",
         [](RunPolicy& p, const Value& v, const Path&) { p.ladder = actions_of(v); }},
        {"escalation.persist", Kind::whole, 1, 1000, {}, "2", "responses in which the pattern goes on after an intervention before the next rung",
         [](RunPolicy& p, const Value& v, const Path&) { for (Rung& r : p.rungs) r.persist = static_cast<int>(v.whole); }},
        {"escalation.cool-down", Kind::whole, 1, 1000, {}, "1", "responses between two interventions at least",
         [](RunPolicy& p, const Value& v, const Path&) { for (Rung& r : p.rungs) r.cool_down = static_cast<int>(v.whole); }},
        {"escalation.calm", Kind::whole, 1, 1000, {}, "5", "new, successful calls until the ladder is climbed down one rung",
         [](RunPolicy& p, const Value& v, const Path&) { p.calm = static_cast<int>(v.whole); }},
        {"rung.<action>.on", Kind::word, 0, 0, kSeverities, "", "least severity of a finding that reaches the rung; notify: warning, all others: error",
         [](RunPolicy& p, const Value& v, const Path& w) { rung_of(p, w).on = v.text == "warning" ? Severity::warning : Severity::error; }},
        {"rung.<action>.persist", Kind::whole, 1, 1000, {}, "", "instead of escalation.persist", [](RunPolicy& p, const Value& v, const Path& w) { rung_of(p, w).persist = static_cast<int>(v.whole); }},
        {"rung.<action>.cool-down", Kind::whole, 1, 1000, {}, "", "instead of escalation.cool-down", [](RunPolicy& p, const Value& v, const Path& w) { rung_of(p, w).cool_down = static_cast<int>(v.whole); }},
        {"rung.<action>.confidence", Kind::number, 0, 1, {}, "", "least confidence of a finding that reaches the rung", [](RunPolicy& p, const Value& v, const Path& w) { rung_of(p, w).confidence = v.number; }},
        {"reflection.on-pattern", Kind::word, 0, 0, kReflectionNames, "standard", "depth of the ladder's reflection: none and minimal show no recent calls, standard 2 KB of them, deep 5 KB, critical 10 KB",
         [](RunPolicy& p, const Value& v, const Path&) { p.reflection.on_pattern = level_of(v.text); }},
        {"reflection.on-failure", Kind::word, 0, 0, kReflectionNames, "none", "reflect after a response with a failed call, this deep; none: not at all",
         [](RunPolicy& p, const Value& v, const Path&) { p.reflection.on_failure = level_of(v.text); }},
        {"reflection.iterations", Kind::whole, 0, 100'000, {}, "0", "reflect each time so many responses passed since a human spoke; 0: never",
         [](RunPolicy& p, const Value& v, const Path&) { p.reflection.iterations = static_cast<int>(v.whole); }},
        {"reflection.on-iterations", Kind::word, 0, 0, kReflectionNames, "standard", "how deep then", [](RunPolicy& p, const Value& v, const Path&) { p.reflection.on_iterations = level_of(v.text); }},
        {"reflection.every-turns", Kind::whole, 0, 100'000, {}, "0", "reflect every so many responses of a conversation; 0: never",
         [](RunPolicy& p, const Value& v, const Path&) { p.reflection.every_turns = static_cast<int>(v.whole); }},
        {"reflection.on-similarity", Kind::word, 0, 0, kReflectionNames, "standard", "depth of the reflection that similarity.below asks for", [](RunPolicy& p, const Value& v, const Path&) { p.reflection.on_similarity = level_of(v.text); }},
        {"reflection.on-interval", Kind::word, 0, 0, kReflectionNames, "minimal", "how deep then", [](RunPolicy& p, const Value& v, const Path&) { p.reflection.on_interval = level_of(v.text); }},
        {"back-off.retries", Kind::whole, 0, 1000, {}, "0", "times a call may be tried again after errors that go away by themselves; 0: no back-off",
         [](RunPolicy& p, const Value& v, const Path&) { p.back_off.retries = static_cast<int>(v.whole); }},
        {"back-off.base-ms", Kind::whole, 1, 86'400'000, {}, "1000", "first wait", [](RunPolicy& p, const Value& v, const Path&) { p.back_off.base_ms = v.whole; }},
        {"back-off.factor", Kind::number, 1, 100, {}, "2", "by which each wait is longer than the one before", [](RunPolicy& p, const Value& v, const Path&) { p.back_off.factor = v.number; }},
        {"back-off.cap-ms", Kind::whole, 1, 86'400'000, {}, "60000", "longest wait", [](RunPolicy& p, const Value& v, const Path&) { p.back_off.cap_ms = v.whole; }},
        {"back-off.jitter", Kind::number, 0, 1, {}, "0.1", "share of a wait by which it is made longer or shorter; the same each time for the same tool and try",
         [](RunPolicy& p, const Value& v, const Path&) { p.back_off.jitter = v.number; }},
        {"back-off.seed", Kind::whole, 0, 9e15, {}, "0", "of the jitter", [](RunPolicy& p, const Value& v, const Path&) { p.back_off.seed = static_cast<std::uint64_t>(v.whole); }},
        {"breaker.failures", Kind::whole, 0, 1000, {}, "0", "failures of a tool in a row before its calls are refused; 0: no breaker",
         [](RunPolicy& p, const Value& v, const Path&) { p.breaker.failures = static_cast<int>(v.whole); }},
        {"breaker.open-ms", Kind::whole, 1, 86'400'000, {}, "30000", "how long they are refused", [](RunPolicy& p, const Value& v, const Path&) { p.breaker.open_ms = v.whole; }},
        {"breaker.probes", Kind::whole, 1, 1000, {}, "1", "calls that must succeed then before all is well again", [](RunPolicy& p, const Value& v, const Path&) { p.breaker.probes = static_cast<int>(v.whole); }},
        {"breaker.step-ms", Kind::whole, 1, 3'600'000, {}, "1000", "what a call takes where the recording has no times", [](RunPolicy& p, const Value& v, const Path&) { p.breaker.step_ms = v.whole; }},
        {"checkpoint.every-turns", Kind::whole, 0, 100'000, {}, "0", "a checkpoint every so many responses, beside those where a check passed; 0: only those",
         [](RunPolicy& p, const Value& v, const Path&) { p.checkpoint_turns = static_cast<int>(v.whole); }},
        {"limits.calls", Kind::whole, 0, kMost, {}, "0", "tool calls of a run; 0: no limit", [](RunPolicy& p, const Value& v, const Path&) { p.limits.calls = static_cast<std::uint64_t>(v.whole); }},
        {"limits.responses", Kind::whole, 0, kMost, {}, "0", "model responses of a run", [](RunPolicy& p, const Value& v, const Path&) { p.limits.responses = static_cast<std::uint64_t>(v.whole); }},
        {"limits.responses-per-prompt", Kind::whole, 0, kMost, {}, "0", "model responses of the main conversation since a human spoke; a new prompt begins the count again", [](RunPolicy& p, const Value& v, const Path&) { p.limits.responses_per_prompt = static_cast<std::uint64_t>(v.whole); }},
        {"limits.characters", Kind::whole, 0, kMost, {}, "0", "bytes of messages, arguments and results", [](RunPolicy& p, const Value& v, const Path&) { p.limits.characters = static_cast<std::uint64_t>(v.whole); }},
        {"limits.minutes", Kind::whole, 0, kMost, {}, "0", "recorded time", [](RunPolicy& p, const Value& v, const Path&) { p.limits.minutes = static_cast<std::uint64_t>(v.whole); }},
        {"limits.tokens", Kind::whole, 0, kMost, {}, "0", "tokens billed", [](RunPolicy& p, const Value& v, const Path&) { p.limits.tokens = static_cast<std::uint64_t>(v.whole); }},
        {"limits.cost-usd", Kind::number, 0, 1e9, {}, "0", "by list price", [](RunPolicy& p, const Value& v, const Path&) { p.limits.cost_usd = v.number; }},
        {"limits.warn-at", Kind::number, 0, 1, {}, "0", "share of a limit at which the model is told; 0: not at all", [](RunPolicy& p, const Value& v, const Path&) { p.limits.warn_at = v.number; }},
        {"limits.action", Kind::word, 0, 0, kLimitActions, "stop", "what happens at a limit", [](RunPolicy& p, const Value& v, const Path&) { p.limits.action = action_of(v.text); }},
        {"context.share", Kind::number, 0, 1, {}, "0", "of the window; above it a fresh context is begun; 0: not looked at", [](RunPolicy& p, const Value& v, const Path&) { p.context.share = v.number; }},
        {"context.characters", Kind::whole, 0, kMost, {}, "0", "the same by the bytes recorded since the context was new", [](RunPolicy& p, const Value& v, const Path&) { p.context.characters = static_cast<std::uint64_t>(v.whole); }},
        {"context.manage", Kind::text, 0, 0, {}, "", "context management to replay beside (replay --context): peak, compactions and overflows are reported",
         [](RunPolicy& p, const Value& v, const Path&) { p.context.manage = v.text; }},
        {"stagnation.distinct", Kind::whole, 0, 64, {}, "0", "fewer different calls than this among the last ones begin a fresh context; 0: not looked at",
         [](RunPolicy& p, const Value& v, const Path&) { p.stagnation.distinct = static_cast<int>(v.whole); }},
        {"stagnation.window", Kind::whole, 2, 64, {}, "5", "how many calls those are", [](RunPolicy& p, const Value& v, const Path&) { p.stagnation.window = static_cast<int>(v.whole); }},
        {"similarity.below", Kind::number, 0, 100, {}, "0", "fewer words of the goal than this for each action make the model think, once until there are more again (the published rule, as drift/goal-keywords has it); 0: not looked at", [](RunPolicy& p, const Value& v, const Path&) { p.similarity.below = v.number; }},
        {"similarity.window", Kind::whole, 1, 32, {}, "5", "responses that are looked at together", [](RunPolicy& p, const Value& v, const Path&) { p.similarity.window = static_cast<int>(v.whole); }},
        {"human.contact", Kind::text, 0, 0, {}, "", "whom to tell; handed on with the decisions", [](RunPolicy& p, const Value& v, const Path&) { p.human.contact = v.text; }},
        {"human.on", Kind::words, 0, 0, kActionNames, R"(["ask-human", "stop"])", "interventions that a person should hear of", [](RunPolicy& p, const Value& v, const Path&) { p.human.on = actions_of(v); }},
        {"per-tool.<tool>.substitute", Kind::text, 0, 0, {}, "", "a tool to offer instead (rung substitute-tool)", [](RunPolicy& p, const Value& v, const Path& w) { p.tools[w[0]].substitute = v.text; }},
        {"per-tool.<tool>.patterns", Kind::flag, 0, 0, {}, "true", "false: repetition of this tool is no reason to intervene", [](RunPolicy& p, const Value& v, const Path& w) { p.tools[w[0]].patterns = v.flag; }},
        {"per-tool.<tool>.retries", Kind::whole, 0, 1000, {}, "", "instead of back-off.retries", [](RunPolicy& p, const Value& v, const Path& w) { p.tools[w[0]].retries = static_cast<int>(v.whole); }},
        {"per-tool.<tool>.breaker-failures", Kind::whole, 0, 1000, {}, "", "instead of breaker.failures; 0: no breaker", [](RunPolicy& p, const Value& v, const Path& w) { p.tools[w[0]].breaker_failures = static_cast<int>(v.whole); }},
        {"rules.<rule>.per-tool.<tool>.warn", Kind::whole, 1, 100'000, {}, "", "repeats of this tool before a warning", [](RunPolicy& p, const Value& v, const Path& w) { p.thresholds[w[0]][w[1]].warn = static_cast<int>(v.whole); }},
        {"rules.<rule>.per-tool.<tool>.fail", Kind::whole, 1, 100'000, {}, "", "the same before an error", [](RunPolicy& p, const Value& v, const Path& w) { p.thresholds[w[0]][w[1]].fail = static_cast<int>(v.whole); }},
        {"rules.<rule>.<param>", Kind::number, 0, 0, {}, "", "a parameter of a rule (agent-audit explain RULE)", [](RunPolicy&, const Value&, const Path&) {}},
        {"engine.segment", Kind::word, 0, 0, kSegments, "user", "what ends the evidence of a repetition", [](RunPolicy&, const Value&, const Path&) {}},
        {"tools.class.<tool>", Kind::text, 0, 0, {}, "", "what a tool does (agent-audit explain settings)", [](RunPolicy&, const Value&, const Path&) {}},
        {"errors.<class>", Kind::texts, 0, 0, {}, "", "patterns or codes of an error class (agent-audit explain settings)", [](RunPolicy&, const Value&, const Path&) {}},
    };
    return rows;
}

// ---- paths -------------------------------------------------------------------------------------------------------

bool is_wild(std::string_view part) { return part.starts_with('<'); }

std::vector<std::string_view> parts_of(std::string_view key) {
    std::vector<std::string_view> out;
    for (std::size_t from = 0;;) {
        const std::size_t dot = key.find('.', from);
        out.push_back(key.substr(from, dot - from));
        if (dot == key.npos) return out;
        from = dot + 1;
    }
}

// A part of a path as it is written in a file.
std::string shown_part(std::string_view part) {
    const auto bare = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_'; };
    if (!part.empty() && std::ranges::all_of(part, bare)) return std::string(part);
    std::string out = "\"";
    for (const char c : part) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

std::string shown(const Path& path) {
    std::string out;
    for (const std::string& part : path) out += (out.empty() ? "" : ".") + shown_part(part);
    return out;
}

// ---- one layer of a policy ---------------------------------------------------------------------------------------

struct Given {
    Path path;
    const Row* row = nullptr;
    Path wild;
    Value value;
    std::string text;  // as it could be written
    std::string origin;
};

struct Layer {
    std::vector<Given> values;
    std::string extends;
    std::uint32_t extends_line = 0;
};

class LayerReader {
public:
    LayerReader(std::string source, std::vector<std::string>& problems, bool built_in)
        : source_(std::move(source)), problems_(problems), built_in_(built_in) {}

    Layer read(const TomlTable& root) {
        walk(root, {});
        if (const TomlEntry* version = root.find("version"); !version && !built_in_) fail(1, "version is missing: version = 1");
        check_pairs();
        return std::move(layer_);
    }

private:
    void fail(std::uint32_t line, std::string_view what) {
        if (problems_.size() < kMaxProblems) problems_.push_back(fmt::format("{}:{}: {}", source_, std::max(line, 1u), what));
    }

    static bool fits(std::span<const std::string_view> parts, const Path& path) {
        if (path.size() > parts.size()) return false;
        for (std::size_t i = 0; i < path.size(); ++i) {
            if (!is_wild(parts[i]) && parts[i] != path[i]) return false;
        }
        return true;
    }

    // What may stand below a path: literal names, and the wildcard if there is one.
    static void children(const Path& path, Names& literal, std::string_view& wild) {
        for (const Row& row : table()) {
            const auto parts = parts_of(row.key);
            if (parts.size() <= path.size() || !fits(parts, path)) continue;
            // A literal part wins over a wildcard of another row at the same place.
            const std::string_view next = parts[path.size()];
            if (is_wild(next)) wild = wild.empty() ? next : wild;
            else if (std::ranges::find(literal, next) == literal.end()) literal.push_back(next);
        }
    }

    bool known_wild(std::string_view wild, const TomlEntry& entry, const Path& path) {
        if (wild == "<action>") {
            if (std::ranges::find(kActionNames, entry.key) != kActionNames.end()) return true;
            fail(entry.line, unknown_word("action", entry.key, kActionNames));
            return false;
        }
        if (wild == "<rule>") {
            if (find_detector(entry.key)) return true;
            Names ids;
            for (const DetectorSpec& spec : all_detectors()) ids.push_back(spec.id);
            fail(entry.line, unknown_word("rule", entry.key, ids));
            return false;
        }
        if (wild == "<param>") {
            const auto params = find_detector(path.back())->params();
            std::vector<std::string> names{"per-tool"};
            for (const ParamDoc& p : params) names.push_back(p.name);
            if (std::ranges::find(names, entry.key) != names.end()) return true;
            fail(entry.line, unknown_word(fmt::format("parameter of {}", path.back()), entry.key, Names(names.begin(), names.end())));
            return false;
        }
        return !entry.key.empty();
    }

    void walk(const TomlTable& t, const Path& path) {
        Names literal;
        std::string_view wild;
        children(path, literal, wild);
        for (const TomlEntry& entry : t.entries) {
            Path here = path;
            here.push_back(entry.key);
            const bool named = std::ranges::find(literal, entry.key) != literal.end();
            if (!named && wild.empty()) {
                fail(entry.line, unknown_word(path.empty() ? "key" : fmt::format("key of [{}]", shown(path)), entry.key, literal));
                continue;
            }
            if (!named && !known_wild(wild, entry, path)) continue;
            const auto* inner = std::get_if<TomlTable>(&entry.value.data);
            const Row* row = leaf(here);
            if (inner && row) {
                fail(entry.line, fmt::format("{}: expected {}, not a table", shown(here), takes(*row, here)));
            } else if (inner) {
                walk(*inner, here);
            } else if (!row) {
                fail(entry.line, fmt::format("{}: expected a table: [{}]", entry.key, shown(here)));
            } else {
                take(*row, entry, here);
            }
        }
    }

    static const Row* leaf(const Path& path) {
        for (const Row& row : table()) {
            const auto parts = parts_of(row.key);
            if (parts.size() == path.size() && fits(parts, path)) {
                // "rules.X.per-tool" is a table and no parameter.
                if (row.key == "rules.<rule>.<param>" && path.back() == "per-tool") continue;
                return &row;
            }
        }
        return nullptr;
    }

public:
    static std::string takes(const Row& row, const Path& path = {}) {
        switch (row.kind) {
            case Kind::whole: return row.min == row.max ? fmt::format("{}", static_cast<std::int64_t>(row.min))
                                                        : fmt::format("a whole number from {} to {}", static_cast<std::int64_t>(row.min), static_cast<std::int64_t>(row.max));
            case Kind::number: {
                if (row.min < row.max) return fmt::format("a number from {} to {}", row.min, row.max);
                if (const ParamDoc* p = path.size() == 3 ? param_of(path) : nullptr) {
                    return fmt::format("a {}number from {} to {}", p->integer ? "whole " : "", p->min, p->max);
                }
                return "a number in the parameter's range";
            }
            case Kind::flag: return "true or false";
            case Kind::text: return "a text";
            case Kind::word: return fmt::format("one of {}", fmt::join(row.known, ", "));
            case Kind::words: return fmt::format("a list of {}", fmt::join(row.known, ", "));
            case Kind::texts: return "a text or a list of texts";
        }
        return "";
    }

private:
    static const ParamDoc* param_of(const Path& path) {
        static thread_local ParamDoc found;
        const DetectorSpec* spec = path.size() == 3 ? find_detector(path[1]) : nullptr;
        if (!spec) return nullptr;
        for (ParamDoc& p : spec->params()) {
            if (p.name != path[2]) continue;
            found = p;
            return &found;
        }
        return nullptr;
    }

    void take(const Row& row, const TomlEntry& entry, const Path& path) {
        Given given;
        given.path = path;
        given.row = &row;
        given.origin = built_in_ ? source_ : fmt::format("{}:{}", source_, entry.line);
        const auto parts = parts_of(row.key);
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (is_wild(parts[i])) given.wild.push_back(path[i]);
        }
        const std::string name = shown(path);
        if (!understand(row, entry, name, path, given)) return;
        if (row.key == "extends") {
            layer_.extends = given.value.text;
            layer_.extends_line = entry.line;
        }
        if (row.key == "ladder") check_ladder(given.value.texts, entry.line);
        if (row.key == "select" || row.key == "ignore") check_rules(given.value.texts, entry.line, name);
        if (row.key == "follow") check_profiles(given.value.texts, entry.line);
        lines_[name] = entry.line;
        layer_.values.push_back(std::move(given));
    }

    bool understand(const Row& row, const TomlEntry& entry, const std::string& name, const Path& path, Given& given) {
        const auto& data = entry.value.data;
        const auto wrong = [&] {
            fail(entry.line, fmt::format("{}: expected {}", name, takes(row, path)));
            return false;
        };
        Value& v = given.value;
        switch (row.kind) {
            case Kind::whole: {
                const auto* whole = std::get_if<std::int64_t>(&data);
                if (!whole || static_cast<double>(*whole) < row.min || static_cast<double>(*whole) > row.max) return wrong();
                v.whole = *whole;
                given.text = fmt::format("{}", *whole);
                return true;
            }
            case Kind::number: {
                double number = std::nan("");
                if (const auto* real = std::get_if<double>(&data)) number = *real;
                const auto* whole = std::get_if<std::int64_t>(&data);
                if (whole) number = static_cast<double>(*whole);
                double min = row.min, max = row.max;
                if (const ParamDoc* p = row.min < row.max ? nullptr : param_of(path)) {
                    min = std::strtod(p->min.c_str(), nullptr);
                    max = std::strtod(p->max.c_str(), nullptr);
                    if (p->integer && !whole) return wrong();
                }
                if (!(number >= min && number <= max)) return wrong();
                v.number = number;
                given.text = fmt::format("{}", number);
                return true;
            }
            case Kind::flag: {
                const auto* flag = std::get_if<bool>(&data);
                if (!flag) return wrong();
                v.flag = *flag;
                given.text = *flag ? "true" : "false";
                return true;
            }
            case Kind::text: {
                const auto* text = std::get_if<std::string>(&data);
                if (!text) return wrong();
                v.text = *text;
                given.text = quoted(*text);
                return true;
            }
            case Kind::word: {
                const auto* text = std::get_if<std::string>(&data);
                if (!text) return wrong();
                if (!known_word(row, *text, entry.line, name)) return false;
                v.text = *text;
                given.text = quoted(*text);
                return true;
            }
            case Kind::words:
            case Kind::texts: {
                if (const auto* one = std::get_if<std::string>(&data); one && row.kind == Kind::texts) {
                    v.texts = {*one};
                } else {
                    const auto* list = std::get_if<TomlArray>(&data);
                    if (!list) return wrong();
                    for (const TomlValue& item : *list) {
                        const auto* text = std::get_if<std::string>(&item.data);
                        if (!text) return wrong();
                        if (row.kind == Kind::words && !known_word(row, *text, entry.line, name)) return false;
                        v.texts.push_back(*text);
                    }
                }
                std::string out;
                for (const std::string& one : v.texts) out += (out.empty() ? "" : ", ") + quoted(one);
                given.text = "[" + out + "]";
                return true;
            }
        }
        return false;
    }

    bool known_word(const Row& row, const std::string& word, std::uint32_t line, const std::string& name) {
        if (std::ranges::find(row.known, word) != row.known.end()) return true;
        std::string what = fmt::format("{} = {}: expected one of {}", name, quoted(word), fmt::join(row.known, ", "));
        if (const std::string_view near = nearest(word, row.known); !near.empty()) what += fmt::format("; did you mean {}?", quoted(near));
        fail(line, what);
        return false;
    }

    void check_ladder(const std::vector<std::string>& ladder, std::uint32_t line) {
        for (std::size_t i = 0; i < ladder.size(); ++i) {
            if (std::find(ladder.begin(), ladder.begin() + static_cast<std::ptrdiff_t>(i), ladder[i]) != ladder.begin() + static_cast<std::ptrdiff_t>(i)) {
                fail(line, fmt::format("ladder: \"{}\" stands there twice", ladder[i]));
            }
            if (ladder[i] == "stop" && i + 1 < ladder.size()) fail(line, fmt::format("ladder: \"{}\" comes after \"stop\" and is never reached", ladder[i + 1]));
        }
    }

    void check_rules(const std::vector<std::string>& selectors, std::uint32_t line, const std::string& name) {
        for (const std::string& selector : selectors) {
            Names known{"all"};
            for (const DetectorSpec& spec : all_detectors()) {
                known.push_back(spec.id);
                known.push_back(spec.code);
                const auto group = spec.id.substr(0, spec.id.find('/'));
                if (std::ranges::find(known, group) == known.end()) known.push_back(group);
            }
            const std::string_view bare = std::string_view(selector).ends_with('/') ? std::string_view(selector).substr(0, selector.size() - 1) : selector;
            if (std::ranges::find(known, bare) == known.end()) fail(line, fmt::format("{}: {}", name, unknown_word("rule", selector, known)));
        }
    }

    void check_profiles(const std::vector<std::string>& names, std::uint32_t line) {
        Names known;
        for (const ProfileSpec& spec : all_profiles()) known.push_back(spec.name);
        for (const std::string& one : names) {
            if (find_profile(one)) continue;
            std::string words = unknown_word("profile", one, known);
            if (words.find("did you mean") == words.npos) words += fmt::format(": expected one of {}", fmt::join(known, ", "));
            fail(line, "follow: " + words);
        }
    }

    // What makes sense alone and not together.
    void check_pairs() {
        std::map<std::string, const Given*> by_key;
        for (const Given& g : layer_.values) by_key[shown(g.path)] = &g;
        for (const auto& [key, g] : by_key) {
            if (g->row->key.starts_with("rules.") && g->path.back().find("warn") != std::string::npos) {
                Path fail_path = g->path;
                std::string& last = fail_path.back();
                last.replace(last.find("warn"), 4, "fail");
                const auto other = by_key.find(shown(fail_path));
                const auto number = [](const Given& x) { return x.row->kind == Kind::whole ? static_cast<double>(x.value.whole) : x.value.number; };
                if (other != by_key.end() && number(*g) > number(*other->second)) {
                    fail(lines_[key], fmt::format("{} = {} is above {} = {}: nothing would ever be a warning", key, g->text, other->first, other->second->text));
                }
            }
        }
        const auto whole = [&](std::string_view key) -> const Given* {
            const auto at = by_key.find(std::string(key));
            return at == by_key.end() ? nullptr : at->second;
        };
        const Given* distinct = whole("stagnation.distinct");
        const Given* window = whole("stagnation.window");
        if (distinct && window && distinct->value.whole > window->value.whole) {
            fail(lines_["stagnation.distinct"], fmt::format("stagnation.distinct = {} is above stagnation.window = {}: every run would stagnate", distinct->text, window->text));
        }
        const Given* base = whole("back-off.base-ms");
        const Given* cap = whole("back-off.cap-ms");
        if (base && cap && base->value.whole > cap->value.whole) {
            fail(lines_["back-off.base-ms"], fmt::format("back-off.base-ms = {} is above back-off.cap-ms = {}", base->text, cap->text));
        }
    }

public:
    static std::string quoted(std::string_view text) {
        std::string out = "\"";
        for (const char c : text) {
            if (c == '"' || c == '\\') out += '\\';
            if (c == '\n') out += "\\n";
            else if (static_cast<unsigned char>(c) < 0x20) out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
            else out += c;
        }
        return out + '"';
    }

private:
    std::string source_;
    std::vector<std::string>& problems_;
    bool built_in_;
    Layer layer_;
    std::map<std::string, std::uint32_t> lines_;
};

// ---- layers on top of each other ---------------------------------------------------------------------------------

std::string beside(const std::string& file, const std::string& path) {
    if (path.starts_with('/')) return path;
    const auto slash = file.rfind('/');
    return slash == file.npos ? path : file.substr(0, slash + 1) + path;
}

// From what is extended to the file itself.
std::vector<Layer> layers_of(std::string now, const FileText& read, std::vector<std::string>& problems, std::vector<std::string>& chain) {
    std::vector<Layer> layers;
    std::string from;
    for (std::size_t depth = 0;; ++depth) {
        if (depth >= kMaxExtends) {
            problems.push_back(fmt::format("{}: more than {} policies extend each other", from, kMaxExtends));
            break;
        }
        const BuiltIn* built_in = find_built_in(now);
        if (!built_in && std::ranges::find(chain, now) != chain.end()) {
            problems.push_back(fmt::format("{}: extends \"{}\", which extends it again", from, now));
            break;
        }
        chain.push_back(now);
        Result<std::string> text = built_in ? Result<std::string>(std::string(built_in->text)) : read(now);
        const std::string_view word = layers.empty() ? std::string_view() : std::string_view(layers.front().extends);
        const bool named = !word.empty() && word.find('/') == word.npos && !word.ends_with(".toml");
        if (!text && named) {
            Names known;
            for (const BuiltIn& one : built_in_policies()) known.push_back(one.name);
            problems.push_back(fmt::format("{}: extends: {}", from, unknown_word("policy", word, known)));
            break;
        }
        if (!text) {
            problems.push_back(from.empty() ? text.error().message : fmt::format("{}: {}", from, text.error().message));
            break;
        }
        const std::string source = built_in ? fmt::format("{} (built in)", now) : now;
        const Result<TomlTable> root = parse_toml(*text, source);
        if (!root) {
            problems.push_back(root.error().message);
            break;
        }
        layers.insert(layers.begin(), LayerReader(source, problems, built_in != nullptr).read(*root));
        const std::string extends = layers.front().extends;
        if (extends.empty()) break;
        from = fmt::format("{}:{}", source, layers.front().extends_line);
        now = find_built_in(extends) ? extends : beside(now, extends);
    }
    return layers;
}

void put(Settings& settings, const Given& given) {
    const std::string_view key = given.row->key;
    if (key == "rules.<rule>.<param>") {
        settings.set(fmt::format("{}.{}", given.path[1], given.path[2]), {given.text, given.origin});
    } else if (key == "engine.segment") {
        settings.set("engine.segment", {given.value.text, given.origin});
    } else if (key == "tools.class.<tool>") {
        settings.set("tools.class." + given.path[2], {given.value.text, given.origin});
    } else if (key == "errors.<class>") {
        for (const std::string& one : given.value.texts) settings.set("errors." + given.path[1], {one, given.origin});
    }
}

// A rule is bound once, so it has to see what the most impatient tool sees; the supervisor then holds each finding against
// the thresholds of its own tool. "" stands for all tools without thresholds of their own.
void share_thresholds(RunPolicy& p) {
    for (auto& [rule, by_tool] : p.thresholds) {
        const DetectorSpec* spec = find_detector(rule);
        if (!spec) continue;
        ToolThresholds all;
        for (const ParamDoc& param : spec->params()) {
            if (param.name != "warn" && param.name != "fail") continue;
            const std::string key = fmt::format("{}.{}", rule, param.name);
            const Setting* set = p.settings.find(key);
            const int own = static_cast<int>(std::strtod((set ? set->value : param.default_value).c_str(), nullptr));
            (param.name == "warn" ? all.warn : all.fail) = own;
            int least = own;
            for (const auto& [tool, t] : by_tool) {
                if (const auto& value = param.name == "warn" ? t.warn : t.fail) least = std::min(least, *value);
            }
            if (least < own) p.settings.set(key, {std::to_string(least), set ? set->origin : "per-tool thresholds"});
        }
        for (auto& [tool, t] : by_tool) {
            if (!t.warn) t.warn = all.warn;
            if (!t.fail) t.fail = all.fail;
        }
        by_tool[""] = all;
    }
}

}  // namespace

LoadedPolicy load_policy(const std::string& name_or_file, const FileText& read, std::vector<std::string>& problems) {
    LoadedPolicy out;
    RunPolicy& p = out.policy;
    p.rungs[static_cast<std::size_t>(Action::notify)].on = Severity::warning;
    std::vector<std::string> chain;
    const std::vector<Layer> layers = layers_of(name_or_file, read, problems, chain);

    // The last layer that gives a key wins; keys of the table keep the table's order.
    std::map<std::string, const Given*> last;
    for (const Layer& layer : layers) {
        for (const Given& given : layer.values) last[shown(given.path)] = &given;
    }
    for (const Row& row : table()) {
        bool given_at_all = false;
        for (const auto& [key, given] : last) {
            if (given->row != &row) continue;
            given_at_all = true;
            row.set(p, given->value, given->wild);
            put(p.settings, *given);
            if (row.key != "version" && row.key != "extends") out.values.push_back({key, given->text, given->origin});
        }
        if (!given_at_all && !row.standard.empty() && row.key != "version" && row.key.find('<') == row.key.npos) {
            const bool quote = row.kind == Kind::word;
            out.values.push_back({std::string(row.key), quote ? LayerReader::quoted(row.standard) : std::string(row.standard), "default"});
        }
    }
    const auto slash = name_or_file.rfind('/');
    p.name = slash == name_or_file.npos ? name_or_file : name_or_file.substr(slash + 1);
    if (p.name.ends_with(".toml")) p.name.resize(p.name.size() - 5);
    const bool offers = std::ranges::any_of(p.tools, [](const auto& t) { return !t.second.substitute.empty(); });
    if (std::ranges::find(p.ladder, Action::substitute_tool) != p.ladder.end() && !offers && problems.empty()) {
        const auto at = last.find("ladder");
        problems.push_back(fmt::format("{}: ladder: \"substitute-tool\" can never be taken: no per-tool.<tool>.substitute is given",
                                       at == last.end() ? name_or_file : at->second->origin));
    }
    share_thresholds(p);
    return out;
}

// ---- documentation -----------------------------------------------------------------------------------------------

namespace {

std::string json_quoted(std::string_view text) { return LayerReader::quoted(text); }

std::string schema_of(const Row& row) {
    const auto words = [&] {
        std::string out;
        for (const std::string_view word : row.known) out += (out.empty() ? "" : ", ") + json_quoted(word);
        return out;
    };
    switch (row.kind) {
        case Kind::whole: return fmt::format(R"("type": "integer", "minimum": {}, "maximum": {})", static_cast<std::int64_t>(row.min), static_cast<std::int64_t>(row.max));
        case Kind::number: return row.min < row.max ? fmt::format(R"("type": "number", "minimum": {}, "maximum": {})", row.min, row.max) : std::string(R"("type": "number")");
        case Kind::flag: return R"("type": "boolean")";
        case Kind::text: return R"("type": "string")";
        case Kind::word: return fmt::format(R"("enum": [{}])", words());
        case Kind::words: return fmt::format(R"("type": "array", "uniqueItems": true, "items": {{"enum": [{}]}})", words());
        case Kind::texts: return R"("anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}])";
    }
    return "";
}

// The schema of a table is that of what stands below it.
struct Node {
    std::string name;
    const Row* row = nullptr;
    std::vector<Node> children;

    Node& child(std::string_view wanted) {
        const auto known = std::ranges::find(children, wanted, &Node::name);
        if (known != children.end()) return *known;
        return children.emplace_back(Node{std::string(wanted), nullptr, {}});
    }
};

void write(std::string& out, const Node& node, int depth) {
    const std::string pad(static_cast<std::size_t>(depth) * 2, ' ');
    if (node.row) {
        out += fmt::format("{{{}, \"description\": {}}}", schema_of(*node.row), json_quoted(node.row->doc));
        return;
    }
    out += "{\n" + pad + "  \"type\": \"object\",\n" + pad + "  \"additionalProperties\": ";
    const auto wild = std::ranges::find_if(node.children, [](const auto& c) { return is_wild(c.name); });
    const auto literals = std::ranges::count_if(node.children, [](const auto& c) { return !is_wild(c.name); });
    if (wild == node.children.end()) out += "false";
    else write(out, *wild, depth + 1);
    if (literals > 0) {
        out += ",\n" + pad + "  \"properties\": {";
        bool first = true;
        for (const Node& child : node.children) {
            if (is_wild(child.name)) continue;
            out += fmt::format("{}\n{}    \"{}\": ", first ? "" : ",", pad, child.name);
            first = false;
            write(out, child, depth + 2);
        }
        out += "\n" + pad + "  }";
    }
    out += "\n" + pad + "}";
}

}  // namespace

std::vector<KeyDoc> policy_keys() {
    std::vector<KeyDoc> out;
    for (const Row& row : table()) {
        const bool quote = row.kind == Kind::word && !row.standard.empty();
        out.push_back({std::string(row.key), LayerReader::takes(row), quote ? json_quoted(row.standard) : std::string(row.standard),
                       std::string(row.doc), schema_of(row)});
    }
    return out;
}

std::string policy_schema() {
    Node root;
    for (const Row& row : table()) {
        Node* node = &root;
        for (const std::string_view part : parts_of(row.key)) node = &node->child(part);
        node->row = &row;
    }
    std::string body;
    write(body, root, 0);
    std::string out = "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n  \"$id\": \"agent-audit/policy/1\",\n"
                      "  \"title\": \"Policy file of agent-audit replay --policy\",\n  \"required\": [\"version\"],\n";
    return out + body.substr(2) + "\n";
}

}  // namespace agent_audit::policy
