#include "pipeline/settings/plan.hpp"

#include <agent_audit/detectors/policy.hpp>
#include <agent_audit/pipeline/run_settings.hpp>
#include <agent_audit/support/suggest.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace agent_audit {
namespace {

// Former names of rules, kept for two minor versions, and a name other programs use.
constexpr std::pair<std::string_view, std::string_view> kAliases[] = {{"loop/ping-pong", "loop/cycle"}};

// What a user may say instead of a rule's own warn count.
constexpr std::string_view kMinRepeats = "min-repeats";
constexpr std::string_view kPerTool = "per-tool.";
constexpr std::string_view kSeverityKey = "severity";
constexpr std::array<std::string_view, 4> kSeverityWords{"error", "warning", "info", "off"};

const DetectorSpec* rule_of(std::string_view word) {
    for (const auto& [alias, id] : kAliases) {
        if (word == alias) word = id;
    }
    for (const DetectorSpec& spec : all_detectors()) {
        if (word == spec.id || word == spec.code) return &spec;
    }
    return nullptr;
}

// A selector is a rule id, a rule code, or a group ("loop" or "loop/").
bool selects(std::string_view selector, const DetectorSpec& spec) {
    if (selector == spec.id || selector == spec.code || selector == "all") return true;
    if (const DetectorSpec* named = rule_of(selector)) return named->id == spec.id;
    if (selector.ends_with('/')) selector.remove_suffix(1);
    return spec.id.substr(0, spec.id.find('/')) == selector;
}

bool any_selected_by(std::string_view selector) {
    return std::ranges::any_of(all_detectors(), [&](const DetectorSpec& spec) { return selects(selector, spec); });
}

bool any_selects(const std::vector<std::string>& selectors, const DetectorSpec& spec) {
    return std::ranges::any_of(selectors, [&](const std::string& s) { return selects(s, spec); });
}

Error unknown(std::string_view what, std::string_view word, const std::vector<std::string_view>& known) {
    const std::string_view near = nearest(word, known);
    return Error{near.empty() ? fmt::format("unknown {} '{}'", what, word)
                              : fmt::format("unknown {} '{}'; did you mean '{}'?", what, word, near)};
}

std::vector<std::string_view> rule_names() {
    std::vector<std::string_view> names{"all"};
    for (const DetectorSpec& spec : all_detectors()) {
        names.push_back(spec.id);
        names.push_back(spec.code);
        const auto group = spec.id.substr(0, spec.id.find('/'));
        if (std::ranges::find(names, group) == names.end()) names.push_back(group);
    }
    return names;
}

// What the key of a setting may begin with.
std::vector<std::string_view> owners() {
    std::vector<std::string_view> names = rule_names();
    names.insert(names.end(), run_setting_groups().begin(), run_setting_groups().end());
    return names;
}

const ParamDoc* param_of(const std::vector<ParamDoc>& params, std::string_view name) {
    const auto found = std::ranges::find(params, name, &ParamDoc::name);
    return found == params.end() ? nullptr : &*found;
}

// The key of a setting that belongs to a rule: "loop/cycle.warn", "loop/cycle.per-tool.Bash.warn".
struct RuleKey {
    std::string_view rule, tool, name;
};

RuleKey parts_of(std::string_view key) {
    const std::size_t dot = std::min(key.find('.'), key.size());
    RuleKey out{key.substr(0, dot), {}, key.substr(std::min(dot + 1, key.size()))};
    if (!out.name.starts_with(kPerTool)) return out;
    const std::size_t last = out.name.rfind('.');
    if (last < kPerTool.size()) return out;  // per-tool without a tool: no parameter is called so
    out.tool = out.name.substr(kPerTool.size(), last - kPerTool.size());
    out.name = out.name.substr(last + 1);
    return out;
}

std::string check_severity(const Setting& setting, std::string_view key) {
    if (std::ranges::find(kSeverityWords, setting.value) != kSeverityWords.end()) return {};
    const std::string_view near = nearest(setting.value, kSeverityWords);
    return fmt::format("{}: {} = \"{}\": expected error, warning, info or off{}", setting.origin, key, setting.value,
                       near.empty() ? std::string() : fmt::format("; did you mean {}?", near));
}

std::string check_setting(std::string_view key, const Setting& setting) {
    const RuleKey parts = parts_of(key);
    const DetectorSpec* spec = rule_of(parts.rule);
    if (!spec && any_selected_by(parts.rule))
        return fmt::format("{}: '{}' is a group, not a rule (agent-audit rules lists them)", setting.origin,
                           parts.rule);
    if (!spec || parts.name.empty())
        return fmt::format("{}: {}", setting.origin, unknown("rule", parts.rule, owners()).message);
    if (parts.tool.empty() && parts.name == kSeverityKey) return check_severity(setting, key);
    if (!parts.tool.empty() && spec->scope != Scope::lane) {
        return fmt::format("{}: {} looks at whole sessions and has no parameters for one tool", setting.origin,
                           spec->id);
    }
    const std::vector<ParamDoc> params = spec->params();
    if (param_of(params, parts.name) || (parts.name == kMinRepeats && param_of(params, "warn"))) return {};
    std::vector<std::string_view> owned{kSeverityKey};
    for (const ParamDoc& param : params) owned.push_back(param.name);
    return fmt::format("{}: {}", setting.origin,
                       unknown(fmt::format("parameter of {}", spec->id), parts.name, owned).message);
}

// Every selector must select something, and every setting must name a parameter.
std::string check(const AuditPlan& plan) {
    for (const auto* list : {&plan.select, &plan.ignore}) {
        for (const std::string& selector : *list) {
            if (const auto problem = unknown_rule(selector)) return problem->message;
        }
    }
    for (const auto& [key, values] : plan.settings.all()) {
        if (is_run_setting(key)) continue;
        for (const Setting& setting : values) {
            if (std::string problem = check_setting(key, setting); !problem.empty()) return problem;
        }
    }
    return {};
}

// min-repeats = N: a warning from N on, and an error not before.
void set_min_repeats(const DetectorSpec& spec, const Setting& setting, Settings& out) {
    out.set(fmt::format("{}.warn", spec.id), setting);
    const std::vector<ParamDoc> params = spec.params();
    const ParamDoc* fail = param_of(params, "fail");
    const std::string key = fmt::format("{}.fail", spec.id);
    if (!fail || out.find(key)) return;
    if (std::strtod(setting.value.c_str(), nullptr) > std::strtod(fail->default_value.c_str(), nullptr))
        out.set(key, setting);
}

// The parameters of one rule as bind() wants them: those for all tools, then those of one tool over them.
Settings settings_for(const DetectorSpec& spec, std::string_view tool, const Settings& given) {
    Settings out;
    std::vector<const Setting*> min_repeats;
    for (const bool of_tool : {false, true}) {
        for (const auto& [key, values] : given.all()) {
            if (is_run_setting(key)) continue;
            const RuleKey parts = parts_of(key);
            if (rule_of(parts.rule) != &spec || parts.tool != (of_tool ? tool : std::string_view())) continue;
            if (of_tool && tool.empty()) continue;
            if (parts.name == kMinRepeats) {
                min_repeats.push_back(&values.back());
            } else {
                out.set(fmt::format("{}.{}", spec.id, parts.name), values.back());
            }
        }
    }
    for (const Setting* setting : min_repeats) set_min_repeats(spec, *setting, out);
    return out;
}

// The same of all rules at once.
Settings settings_for_all(const Settings& given) {
    Settings out;
    for (const DetectorSpec& spec : all_detectors()) {
        const Settings of_rule = settings_for(spec, {}, given);
        for (const auto& [key, values] : of_rule.all()) out.set(key, values.back());
    }
    return out;
}

std::vector<std::string> tools_of(const DetectorSpec& spec, const Settings& settings) {
    std::vector<std::string> tools;
    for (const auto& [key, values] : settings.all()) {
        if (is_run_setting(key)) continue;
        const RuleKey parts = parts_of(key);
        if (parts.tool.empty() || rule_of(parts.rule) != &spec) continue;
        if (std::ranges::find(tools, parts.tool) == tools.end()) tools.emplace_back(parts.tool);
    }
    return tools;
}

bool is_off(const DetectorSpec& spec, const Settings& settings) {
    const Setting* severity = settings.find(fmt::format("{}.{}", spec.id, kSeverityKey));
    return severity && severity->value == "off";
}

}  // namespace

std::span<const std::pair<std::string_view, std::string_view>> former_rule_names() { return kAliases; }

std::string_view canonical_rule(std::string_view word) {
    const DetectorSpec* spec = rule_of(word);
    return spec ? spec->id : word;
}

bool selects_rule(std::string_view selector, std::string_view rule) {
    const DetectorSpec* spec = find_detector(rule);
    return spec && selects(selector, *spec);
}

std::optional<Error> unknown_rule(std::string_view selector) {
    const bool known =
        std::ranges::any_of(all_detectors(), [&](const DetectorSpec& s) { return selects(selector, s); });
    if (known) return std::nullopt;
    return unknown("rule", selector, rule_names());
}

std::map<std::string, Severity, std::less<>> severities(const Settings& settings) {
    std::map<std::string, Severity, std::less<>> out;
    for (const auto& [key, values] : settings.all()) {
        if (is_run_setting(key)) continue;
        const RuleKey parts = parts_of(key);
        if (!parts.tool.empty() || parts.name != kSeverityKey) continue;
        if (const auto severity = severity_from(values.back().value))
            out[std::string(canonical_rule(parts.rule))] = *severity;
    }
    return out;
}

Result<std::vector<BoundDetector>> bind_rules(const AuditPlan& plan) {
    if (std::string problem = check(plan); !problem.empty()) return Error{std::move(problem)};
    std::vector<BoundDetector> rules;
    Settings own = settings_for_all(plan.settings);
    // Some rules read a table of the run: [constraints].
    for (const auto& [key, values] : plan.settings.all()) {
        if (is_run_setting(key)) own.set(key, values.back());
    }
    const Settings settings = with_policy(plan.policy, own);
    for (const DetectorSpec& spec : all_detectors()) {
        // Bound in any case, so that a bad parameter is reported even where its rule is off.
        auto factory = spec.bind(settings);
        if (!factory) return factory.error();
        const bool wanted = plan.select.empty() ? spec.stage == Stage::stable : any_selects(plan.select, spec);
        const bool on = wanted && !any_selects(plan.ignore, spec) && !is_off(spec, own);
        const std::vector<std::string> tools = tools_of(spec, plan.settings);
        if (on) rules.push_back({&spec, std::move(*factory), {}, tools});
        for (const std::string& tool : tools) {
            auto of_tool = spec.bind(with_policy(plan.policy, settings_for(spec, tool, plan.settings)));
            if (!of_tool) return of_tool.error();
            if (on) rules.push_back({&spec, std::move(*of_tool), tool, {}});
        }
    }
    return rules;
}

Result<std::vector<BoundDetector>> bind_some_rules(const AuditPlan& plan) {
    auto rules = bind_rules(plan);
    if (!rules || !rules->empty()) return rules;
    std::vector<std::string> why;
    if (!plan.select.empty()) why.push_back(fmt::format("--select {}", fmt::join(plan.select, ",")));
    if (!plan.ignore.empty()) why.push_back(fmt::format("--ignore {}", fmt::join(plan.ignore, ",")));
    const bool off = std::ranges::any_of(plan.settings.all(), [](const auto& setting) {
        return !is_run_setting(setting.first) && parts_of(setting.first).name == kSeverityKey &&
               setting.second.back().value == "off";
    });
    if (off) why.emplace_back("severity = \"off\"");
    return Error{fmt::format("no rule is left to run ({})", fmt::join(why, ", "))};
}

std::vector<Note> overtaken_fail_counts(const AuditPlan& plan, std::span<const BoundDetector> rules) {
    std::vector<Note> notes;
    // The rules' own counts are in order (a test sees to that), and nothing else was asked for.
    if (plan.policy == Policy::balanced && plan.settings.all().empty()) return notes;
    const Settings of_all = with_policy(plan.policy, settings_for_all(plan.settings));
    for (const BoundDetector& rule : rules) {
        const bool of_tool = !rule.only_tool.empty();
        const Settings own =
            of_tool ? with_policy(plan.policy, settings_for(*rule.spec, rule.only_tool, plan.settings)) : Settings();
        const Settings& settings = of_tool ? own : of_all;
        const std::string tool = of_tool ? fmt::format(" for {}", rule.only_tool) : std::string();
        for (const OvertakenCount& count : overtaken_counts(*rule.spec, settings)) {
            notes.push_back(
                {Severity::warning,
                 fmt::format("{0}: {1} = {2} is above {3} = {4}{5}: below {2} it says nothing, not even an error; "
                             "set {3} too",
                             rule.spec->id, count.warn, count.warn_value, count.fail, count.fail_value, tool)});
        }
    }
    return notes;
}

std::vector<BoundDetector> covered_rules(const std::vector<BoundDetector>& rules, Signals offered,
                                         std::vector<SkippedRule>& skipped) {
    std::vector<BoundDetector> covered;
    for (const BoundDetector& rule : rules) {
        if (offered.covers(rule.spec->needs)) {
            covered.push_back(rule);
        } else if (rule.only_tool.empty() && rule.make() != nullptr) {
            skipped.push_back({rule.spec->id, rule.spec->needs.without(offered), SkipReason::format});
        }
    }
    return covered;
}

void note_untold(std::span<const BoundDetector> rules, Signals untold, std::span<const Finding> findings,
                 std::vector<SkippedRule>& skipped) {
    if (untold.bits == 0) return;
    for (const BoundDetector& rule : rules) {
        const Signals missing = rule.spec->needs & untold;
        if (missing.bits == 0 || !rule.only_tool.empty() || rule.make() == nullptr) continue;
        if (std::ranges::find(findings, rule.spec->id, &Finding::rule) != findings.end()) continue;
        skipped.push_back({rule.spec->id, missing, SkipReason::session});
    }
}

}  // namespace agent_audit
