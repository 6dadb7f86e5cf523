#include "pipeline/settings/plan.hpp"
#include "pipeline/settings/silence.hpp"
#include "pipeline/watches/peers.hpp"

#include <agent_audit/pipeline/replayer.hpp>
#include <agent_audit/pipeline/run_settings.hpp>

#include <utility>

namespace agent_audit {

Result<std::shared_ptr<const BoundPolicy>> bind_policy(policy::RunPolicy given, const ProjectSettings& project) {
    auto out = std::make_shared<BoundPolicy>();
    AuditPlan plan;
    plan.select = given.select.empty() ? project.select : given.select;
    plan.ignore = project.ignore;
    plan.ignore.insert(plan.ignore.end(), given.ignore.begin(), given.ignore.end());
    plan.policy = given.patience;
    plan.settings = project.settings;
    for (const auto& [key, values] : given.settings.all()) {
        for (const Setting& value : values) plan.settings.set(key, value);
    }
    auto rules = bind_rules(plan);
    if (!rules) return rules.error();
    auto profiles = bind_profiles(given.follow);
    if (!profiles) return profiles.error();
    auto options = bind_run_settings(plan.settings);
    if (!options) return options.error();
    if (auto problem = use_tool_classes(project.tool_classes, options->engine)) return std::move(*problem);
    for (Note& note : overtaken_fail_counts(plan, *rules)) out->warnings.push_back(std::move(note.text));
    out->rules = std::move(*rules);
    out->profiles = std::move(*profiles);
    out->engine = std::move(options->engine);
    out->engine.policy = given.patience;
    out->policy = std::move(given);
    return std::shared_ptr<const BoundPolicy>(std::move(out));
}

}  // namespace agent_audit
