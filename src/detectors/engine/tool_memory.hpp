#pragma once

#include "detectors/commands/command_rules.hpp"
#include "detectors/commands/tool_class.hpp"
#include "detectors/outcomes/finds.hpp"
#include "detectors/outcomes/screen.hpp"

#include <agent_audit/detectors/engine.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// What a tool's name says, looked up once for each name of a run. Bounded: names beyond are looked up every time.
class ToolMemory {
public:
    struct Tool {
        std::uint64_t hash = 0;
        ToolNameClass what;
        Finds finds = Finds::nothing;
        ScreenUse screen = ScreenUse::none;
        bool ruled = false;  ///< a rule of the run may say more when it sees the command
        bool asks = false;   ///< it asks the person
    };

    /// `hash` is that of the name; the options are those of the run.
    Tool of(std::string_view name, std::uint64_t hash, const EngineOptions& options) {
        for (const Tool& known : known_) {
            if (known.hash == hash) return known;
        }
        const bool ruled = options.command_rules && options.command_rules->about(name);
        const Tool made{hash,           classify_tool(name, options.tool_classes),
                        finds_of(name), screen_use(name),
                        ruled,          asks_person(name)};
        if (known_.size() < kMost) known_.push_back(made);
        return made;
    }

private:
    static constexpr std::size_t kMost = 512;
    std::vector<Tool> known_;
};

}  // namespace agent_audit::detectors
