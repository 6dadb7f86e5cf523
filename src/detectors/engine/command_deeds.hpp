#pragma once

#include <agent_audit/detectors/step.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace agent_audit::detectors {

/// What a command of the shell brings about beyond the files at hand, and may be told as done.
enum class CommandDeed : std::uint8_t { none, commit, push, publish, deploy, release, request, merge, migrate };
inline constexpr std::size_t kCommandDeeds = 9;

/// Remembers the deeds of commands that failed, until they, or something that may have done them, went well.
class CommandDeeds {
public:
    struct Failed {
        Place at;
        StepText text;
        bool refused = false;  ///< the call was not allowed
    };

    void see(const Step& step) {
        // Most steps commit nothing, and nothing waits to be done after all. `git …` or `cd … && git …`.
        const bool may_commit = step.command_bytes > 0 && step.tool_class == ToolClass::mutate &&
                                (step.text.argument_bytes[0] == 'g' || step.text.argument_bytes[0] == 'c');
        const bool checks = step.tool_class == ToolClass::verify;
        if ((step.failed && !checks) || open_ > 0 || may_commit || step.ships != Shipping::none) look(step);
    }
    void clear();
    bool any() const { return open_ > 0; }
    /// The last of them that a text says was done: "I committed the fix and pushed it". Null: none.
    const Failed* claimed(std::string_view text) const;

private:
    void look(const Step& step);
    [[gnu::noinline]] void look_closely(const Step& step);
    void note_done(const Step& step);
    void forget_all();
    void went_well(const Step& step, CommandDeed deed);
    void forget(CommandDeed deed);

    std::array<std::optional<Failed>, kCommandDeeds> failed_;
    std::array<bool, kCommandDeeds> done_{};  // since the human spoke: what is told may be that one
    std::size_t open_ = 0;
};

}  // namespace agent_audit::detectors
