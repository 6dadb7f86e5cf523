#include "cli/settings/project.hpp"

#include "cli/settings/config.hpp"

#include <algorithm>
#include <vector>

namespace agent_audit::cli {

Result<ScanOptions> project_options(std::span<const FlagSpec> flags, const Arguments& arguments,
                                    std::span<const std::string_view> shared) {
    std::vector<FlagSpec> specs;
    Arguments given;
    for (std::size_t i = 0; i < flags.size(); ++i) {
        const std::string_view name = flags[i].long_name();
        const bool chooses = name == kConfigFlag.long_name() || name == kNoConfigFlag.long_name();
        if (!chooses && std::ranges::find(shared, name) == shared.end()) continue;
        specs.push_back(flags[i]);
        given.flags.push_back(arguments.flags[i]);
    }
    specs.push_back(kNoBaselineFlag);
    given.flags.push_back({{"1", std::string(kNoBaselineFlag.long_name())}});
    Result<ScanOptions> options = audit_options(specs, given);
    if (!options) return options;
    // Commands that run no rule must not be silent about a mistake in one.
    if (const auto bound = bind_policy({}, project_settings(*options)); !bound) return bound.error();
    return options;
}

ProjectSettings project_settings(const ScanOptions& options) {
    const AuditPlan& plan = options.plan;
    return {plan.settings, plan.select, plan.ignore, plan.tool_classes, plan.suppressions, plan.today_days};
}

}  // namespace agent_audit::cli
