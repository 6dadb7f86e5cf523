#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The agents whose hooks we know: where their settings are, which events they have, and how they want to be answered.

namespace agent_audit::cli {

/// What a hook may do, the mildest first; each includes those before it.
enum class HookMode : std::uint8_t {
    advise,  ///< text for the model behind a call
    block,   ///< calls of a pattern that the policy had spoken of do not run
    halt,    ///< the run ends where the policy says so and the agent lets a hook do it
};
inline constexpr std::string_view kHookModes[] = {"advise", "block", "halt"};
std::optional<HookMode> hook_mode(std::string_view word);

struct HookEvent {
    std::string_view name;
    bool of_tools = false;  ///< has a matcher for names of tools
};

/// A file that an agent loads as a plugin or extension; ours speak for the hook.
struct PluginFile {
    std::string_view path;  ///< in the agent's folder
    std::string_view (*text)() = nullptr;
    bool asks = false;  ///< runs the hook, by the code that all plugins share
};

/// One agent.
struct HookClient {
    std::string_view name;                     ///< as of --client
    std::string_view title;                    ///< for people
    std::string_view home_variable = {};       ///< names the user's folder of it, if there is such a variable
    std::string_view below_variable = {};      ///< the folder below what home_variable names; empty: that itself
    std::string_view folder;                   ///< below the home directory, and below a project
    std::string_view project_folder = {};      ///< below a project, where that is another one
    std::string_view file = {};                ///< its settings in each of these folders
    std::string_view local_file = {};          ///< in the project's, for one person; empty: there is none
    std::span<const PluginFile> plugin{};      ///< instead of entries in settings
    bool timeout_ms = false;                   ///< its time-outs are milliseconds, not seconds
    std::span<const HookEvent> events;         ///< those we ask for
    std::string_view before_tool, after_tool;  ///< names of two of them
    std::string_view failed_tool = {};         ///< in place of after_tool where the call failed; empty: there is none
    std::string_view after_batch = {};         ///< behind all calls of a response; empty: there is none
    std::span<const std::string_view> halting{};  ///< events whose answer may end the run
    std::string_view next_step;                   ///< what a person has to do once the settings are changed
};

std::span<const HookClient> hook_clients();
std::vector<std::string_view> hook_client_names();
/// Null for a name that is none.
const HookClient* find_hook_client(std::string_view name);

}  // namespace agent_audit::cli
