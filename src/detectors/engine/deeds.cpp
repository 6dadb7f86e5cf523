#include "detectors/engine/deeds.hpp"

#include "detectors/commands/idle_command.hpp"
#include "detectors/commands/tool_class.hpp"
#include "detectors/outcomes/answers.hpp"
#include "detectors/outcomes/screen.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace agent_audit::detectors {
namespace {

constexpr std::uint64_t kNear = 4;     // steps
constexpr std::uint32_t kShort = 200;  // bytes

bool only_says_done(const Step& step) {
    return step.tool_class == ToolClass::other && !step.failed && step.outcome_bytes <= kShort &&
           is_acknowledgement(step);
}

}  // namespace

bool does_something(const Step& step) {
    return step.tool_class == ToolClass::mutate || is_act(step) || names_a_change(deed_of(step));
}

bool hands_over(const Step& step) {
    constexpr std::string_view kNames[] = {"transfer_to_", "transfer_back_to_", "handoff_to_",
                                           "hand_off_to_", "handover_to_",      "hand_over_to_"};
    if (!only_says_done(step)) return false;
    const std::string name = deed_of(step);
    return std::ranges::any_of(kNames, [&](std::string_view begin) { return name.starts_with(begin); });
}

bool is_way_back(const Step& step, const LaneTrack& lane) {
    if (!step.revisit || !only_says_done(step)) return false;
    if (hands_over(step)) return true;
    for (std::uint64_t back = 1; back <= kNear && back < step.ordinal; ++back) {
        const Step* before = lane.step(step.ordinal - back);
        if (before && !before->revisit && only_says_done(*before) && names_a_change(deed_of(*before))) return true;
    }
    return false;
}

bool is_look_round(const Step& step) {
    if (step.failed || step.tool_class == ToolClass::verify || step.tool_class == ToolClass::mutate) return false;
    if (step.command_bytes > 0) return asks_for_state(step.text.argument());
    const std::string name = deed_of(step);
    const auto begins = [&](std::string_view words) { return name.starts_with(words); };
    return step.tool_class == ToolClass::read ? begins("list") || begins("ls") || begins("directory_tree")
                                              : begins("git_status") || begins("get_current_");
}

}  // namespace agent_audit::detectors
