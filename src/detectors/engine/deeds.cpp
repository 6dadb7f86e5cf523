#include "detectors/engine/deeds.hpp"

#include "detectors/commands/idle_command.hpp"
#include "detectors/commands/tool_class.hpp"
#include "detectors/outcomes/answers.hpp"
#include "detectors/outcomes/asking_verbs.hpp"
#include "detectors/outcomes/other_thing.hpp"
#include "detectors/outcomes/screen.hpp"
#include "detectors/words/phrases.hpp"
#include "support/among.hpp"

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

bool asks_by_name(const Step& step) {
    if (step.tool_class != ToolClass::other || step.command_bytes > 0) return false;
    const std::string name = deed_of(step);
    return among(std::string_view(name).substr(0, name.find('_')), kAskingVerbs);
}

bool makes_something(const Step& step) {
    if (step.command_bytes > 0) {
        constexpr std::string_view kForms[] = {" create ", " create\"", " -X POST", " -XPOST",     " --request POST",
                                               " --data",  " -d ",      " --json ", "-Method Post"};
        return step.tool_class == ToolClass::shell && contains_any(step.text.argument().bytes, kForms);
    }
    if (step.tool_class != ToolClass::other) return false;
    // A noun may look like these where it does not come first: list_orders, get_post.
    constexpr std::string_view kFirst[] = {"book",   "buy",     "charge",  "file",    "issue",    "order",
                                           "pay",    "post",    "raise",   "record",  "register", "reply",
                                           "report", "request", "reserve", "schedule"};
    constexpr std::string_view kMakes[] = {"add", "create", "insert", "make", "new", "publish", "send", "submit"};
    // What they are for is not said: `message` of a phone. `list_messages` is none.
    constexpr std::string_view kAlone[] = {"email", "mail", "message", "notify", "sms", "tweet"};
    const std::string name = deed_of(step);
    if (among(name, kAlone)) return true;
    bool first = true;
    for (std::string_view rest = name; !rest.empty(); first = false) {
        const std::string_view word = rest.substr(0, rest.find('_'));
        if (first && among(word, kAskingVerbs)) return false;
        if (among(word, kMakes) || (first && among(word, kFirst))) return true;
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    }
    return false;
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

bool follows_another_setting(const Step& step, const LaneTrack& lane) {
    constexpr std::uint64_t kRound = 8;  // steps
    if (step.command_bytes == 0) return false;
    for (std::uint64_t at = step.ordinal; at > 0 && at + kRound > step.ordinal; --at) {
        const Step* tried = lane.step(at);
        if (!tried || (at < step.ordinal && tried->call == step.call)) return false;
        if (tried->command_bytes == 0 || tried->revisit || (tried->failed && at < step.ordinal)) continue;
        if (tried->text.argument().bytes.find('=') == std::string_view::npos) continue;
        for (std::uint64_t back = at - 1; back > 0 && back + kRound >= at; --back) {
            const Step* before = lane.step(back);
            if (before && of_another_setting(*before, *tried)) return true;
        }
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
