#include "pipeline/plan.hpp"

#include <agent_audit/detectors/policy.hpp>
#include <agent_audit/pipeline/run_settings.hpp>
#include <agent_audit/support/suggest.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace agent_audit {
namespace {

// A selector is a rule id, a rule code, or a group ("loop" or "loop/").
bool selects(std::string_view selector, const DetectorSpec& spec) {
    if (selector == spec.id || selector == spec.code || selector == "all") return true;
    if (selector.ends_with('/')) selector.remove_suffix(1);
    return spec.id.substr(0, spec.id.find('/')) == selector;
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

// Every selector must select something, and every setting must name a parameter.
std::string check(const AuditPlan& plan) {
    for (const auto* list : {&plan.select, &plan.ignore}) {
        for (const std::string& selector : *list) {
            const bool known = std::ranges::any_of(all_detectors(), [&](const DetectorSpec& s) { return selects(selector, s); });
            if (!known) return unknown("rule", selector, rule_names()).message;
        }
    }
    for (const auto& [key, values] : plan.settings.all()) {
        if (is_run_setting(key)) continue;
        const Setting& setting = values.back();
        const auto dot = key.find('.');
        const std::string_view rule = std::string_view(key).substr(0, dot);
        const DetectorSpec* spec = find_detector(rule);
        if (!spec || dot == key.npos) return fmt::format("{}: {}", setting.origin, unknown("rule", rule, owners()).message);
        std::vector<std::string> owned;
        for (const ParamDoc& param : spec->params()) owned.push_back(param.name);
        const std::string_view name = std::string_view(key).substr(dot + 1);
        if (std::ranges::find(owned, name) == owned.end()) {
            return fmt::format("{}: {}", setting.origin,
                               unknown(fmt::format("parameter of {}", rule), name, {owned.begin(), owned.end()}).message);
        }
    }
    return {};
}

}  // namespace

Result<std::vector<BoundDetector>> bind_rules(const AuditPlan& plan) {
    if (std::string problem = check(plan); !problem.empty()) return Error{std::move(problem)};
    std::vector<BoundDetector> rules;
    const Settings settings = with_policy(plan.policy, plan.settings);
    for (const DetectorSpec& spec : all_detectors()) {
        // Bound in any case, so that a bad parameter is reported even where its rule is off.
        auto factory = spec.bind(settings);
        if (!factory) return factory.error();
        const bool wanted = plan.select.empty() ? spec.stage == Stage::stable : any_selects(plan.select, spec);
        if (wanted && !any_selects(plan.ignore, spec)) rules.push_back({&spec, std::move(*factory)});
    }
    return rules;
}

std::vector<BoundDetector> covered_rules(const std::vector<BoundDetector>& rules, Signals offered,
                                         std::vector<SkippedRule>& skipped) {
    std::vector<BoundDetector> covered;
    for (const BoundDetector& rule : rules) {
        if (offered.covers(rule.spec->needs)) {
            covered.push_back(rule);
        } else if (rule.make() != nullptr) {
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
        if (missing.bits == 0 || rule.make() == nullptr) continue;
        if (std::ranges::find(findings, rule.spec->id, &Finding::rule) != findings.end()) continue;
        skipped.push_back({rule.spec->id, missing, SkipReason::session});
    }
}

}  // namespace agent_audit
