#include <agent_audit/model/activity.hpp>
#include <agent_audit/model/session_goal.hpp>

#include <array>

namespace agent_audit {

std::string_view name(Activity activity) {
    constexpr std::array<std::string_view, kActivities> kNames{"explore", "edit", "verify",     "run",
                                                               "deploy",  "plan", "communicate"};
    return kNames[static_cast<std::size_t>(activity)];
}

std::string_view name(StatedLimit::What what) {
    constexpr std::array<std::string_view, 3> kNames{"turns", "tool-calls", "seconds"};
    return kNames[static_cast<std::size_t>(what)];
}

std::string_view name(StatedMeasure::What what) {
    constexpr std::array<std::string_view, 3> kNames{"tests", "build", "lint"};
    return kNames[static_cast<std::size_t>(what)];
}

std::string_view name(StatedRule::Kind kind) {
    constexpr std::array<std::string_view, 4> kNames{"forbid-path", "forbid-command", "forbid-tool", "only-path"};
    return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace agent_audit
