#pragma once

#include "advice/calls/checks.hpp"
#include "advice/calls/command_effects.hpp"
#include "advice/calls/commands.hpp"

#include <agent_audit/detectors/step.hpp>
#include <agent_audit/model/event.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace agent_audit::advice {

/// An item of the list an agent keeps of what is to do.
struct PlanItem {
    enum class State : std::uint8_t { open, active, done, dropped };
    std::string text;
    State state = State::open;
    std::string id;  ///< where items are changed one by one
};
struct PlanUpdate {
    std::vector<PlanItem> items;
    bool replaces = true;  ///< the whole list; otherwise items are added, or changed by their id
};

/// What a call says before it is answered.
struct CallFacts {
    std::string tool;
    std::string words;  ///< its main argument on one line, cut
    ToolClass tool_class = ToolClass::other;
    bool shell = false;
    CheckPart check;
    CommandEffects effects;    ///< of shell commands; of other tools the paths, and what others will see
    SettledEffects settled;    ///< of a shell command that fails at its end
    std::string target;        ///< what it is about: another attempt at the same thing has the same
    CommandParts parts;        ///< of a shell command
    std::uint64_t whole = 0;   ///< hash of all of a shell command
    bool prints_code = false;  ///< a shell command that prints the exit code of one of its parts
    bool patches = false;      ///< it changes files through a shell and does nothing else
    bool asks = false;         ///< it asks the person
    bool offers_plan = false;
    bool looks = false;      ///< it only looks: reads, lists, searches
    bool delegates = false;  ///< it gives work to another agent
    std::optional<PlanUpdate> plan;

    /// It sends something out that others will see.
    bool sends() const;
};
/// `filter`, if any, is applied to the words before they are cut.
CallFacts facts_of(const ToolCall& call, const std::function<std::string(std::string_view)>& filter = {});

}  // namespace agent_audit::advice
