#include <agent_audit/pipeline/audit.hpp>

#include "model/unmeasured.hpp"
#include "pipeline/audit/audit_inputs.hpp"
#include "pipeline/audit/audit_run.hpp"
#include "pipeline/audit/build_report.hpp"
#include "pipeline/audit/limit_needs.hpp"
#include "pipeline/audit/shared_history.hpp"
#include "pipeline/inputs/inputs.hpp"
#include "pipeline/settings/plan.hpp"
#include "pipeline/settings/silence.hpp"
#include "pipeline/watches/peers.hpp"

#include <agent_audit/config/config_file.hpp>
#include <agent_audit/pipeline/run_settings.hpp>
#include <agent_audit/pipeline/text_tokens.hpp>
#include <agent_audit/readers/input.hpp>
#include <agent_audit/tokens/prices.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

namespace agent_audit {
namespace {

// The command line lets nothing else through; another program may.
std::optional<Error> odd_figure(const AuditPlan& plan) {
    if (!(plan.min_confidence >= 0 && plan.min_confidence <= 1)) {
        return Error{fmt::format("min_confidence = {}: a confidence is a number from 0 to 1", plan.min_confidence)};
    }
    if (plan.max_line_bytes == 0) return Error{"max_line_bytes = 0: no record would be read"};
    return std::nullopt;
}

constexpr std::string_view kLimitsRule = "budget/limits";

// What was set; the rule has read the same texts and found them right.
std::vector<RunLimit> limits_of(const AuditRun& run) {
    std::vector<RunLimit> limits;
    const DetectorSpec* rule = find_detector(kLimitsRule);
    if (!rule || std::ranges::none_of(run.rules, [&](const BoundDetector& bound) { return bound.spec == rule; }))
        return limits;
    for (const ParamDoc& parameter : rule->params()) {
        const Setting* set = run.plan.settings.find(fmt::format("{}.{}", kLimitsRule, parameter.name));
        double most = 0;
        if (set) std::from_chars(set->value.data(), set->value.data() + set->value.size(), most);
        if (parameter.name == "window-share") most = window_percent(most);
        if (most > 0) limits.push_back({std::string(parameter.name), most});
    }
    return limits;
}

// A run in which no rule has anything to watch for says of each that it was skipped, and not that all is well.
std::vector<SkippedRule> idle_rules(const AuditRun& run) {
    std::vector<SkippedRule> idle;
    if (std::ranges::any_of(run.rules, [](const BoundDetector& rule) { return rule.make() != nullptr; })) return idle;
    for (const BoundDetector& rule : run.rules) {
        if (rule.only_tool.empty()) idle.push_back({rule.spec->id, unmeasured::kLimit, SkipReason::session});
    }
    return idle;
}

// Pictures of ten thousand sessions need not be as fine as that of one, and may not need as much memory.
std::size_t course_points(const AuditPlan& plan, std::size_t inputs) {
    constexpr std::size_t kOfAllInputs = std::size_t{1} << 18, kLeast = 64;
    if (plan.course_points == 0) return 0;
    return std::min(plan.course_points, std::max(kLeast, kOfAllInputs / std::max<std::size_t>(inputs, 1)));
}

// The files that the plan means, with room for what becomes of each.
void find_inputs(AuditRun& run) {
    const AuditPlan& plan = run.plan;
    InputList list = expand_inputs(plan.inputs);
    if (plan.filter.active()) run.filtered = filter_inputs(list, plan.filter, plan.input_format);
    run.problems = std::move(list.problems);
    run.paths = std::move(list.paths);
    if (run.filtered > 0 && run.paths.empty()) {
        run.problems.push_back(
            fmt::format("nothing is left to read: of {} file{}, none is of the time or project asked for", run.filtered,
                        run.filtered == 1 ? "" : "s"));
    }
    if (plan.inputs_found) std::ranges::for_each(run.paths, [](InputPath& input) { input.named = false; });
    run.own_files = sub_agents_with_files(run.paths);
    run.inputs.resize(run.paths.size());
    run.results = std::vector<InputResult>(run.paths.size());
    for (std::size_t i = 0; i < run.results.size(); ++i) {
        run.results[i].report = &run.inputs[i];
        run.results[i].input = static_cast<std::uint32_t>(i);
    }
}

// All requests are known: what each session paid for.
void finish_bills(AuditRun& run) {
    run.merger_forgot = run.merger->forgot();
    run.bills = run.merger->finish();
    run.printed_copies = run.merger->printed_copies();
    run.merger.reset();
}

}  // namespace

Result<Report> audit(const AuditPlan& plan) {
    if (auto odd = odd_figure(plan)) return *odd;
    auto rules = bind_some_rules(plan);
    if (!rules) return rules.error();
    auto profiles = bind_profiles(plan.profiles);
    if (!profiles) return profiles.error();
    auto forced = reader_named(plan.input_format);
    if (!forced) return forced.error();
    auto options = bind_run_settings(plan.settings);
    if (!options) return options.error();
    if (auto problem = use_tool_classes(plan.tool_classes, options->engine)) return *problem;
    options->engine.policy = plan.policy;
    auto silences = Silences::make(plan);
    if (!silences) return silences.error();
    const auto models = load_models(plan.price_file);
    if (!models) return models.error();
    AuditRun run(plan, *rules, *models);
    run.set_limits = limits_of(run);
    run.needs = limit_needs(*rules, run.set_limits, plan.settings);
    run.idle = idle_rules(run);
    run.forced = *forced;
    run.options = std::move(*options);
    run.silences = std::move(*silences);
    run.profiles = std::move(*profiles);
    run.limits.max_record_bytes = plan.max_line_bytes;
    find_inputs(run);
    run.course_points = course_points(plan, run.paths.size());
    audit_inputs(run);
    count_shared_once(run);
    finish_bills(run);
    Report report = build_report(run);
    std::ranges::move(overtaken_fail_counts(plan, *rules), std::back_inserter(report.notes));
    return report;
}

}  // namespace agent_audit
