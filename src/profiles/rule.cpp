#include "profiles/rule.hpp"

#include <agent_audit/support/snake_case.hpp>

#include <algorithm>

namespace agent_audit::profiles {

bool is_shell_tool(std::string_view name) {
    static constexpr std::string_view kShells[] = {
        "bash",        "command",     "exec",          "exec_command",    "execute_bash",      "execute_command",
        "local_shell", "power_shell", "run_command",   "run_in_terminal", "run_shell_command", "run_terminal_cmd",
        "sh",          "shell",       "shell_command", "terminal",
    };
    return std::ranges::any_of(kShells, [name](std::string_view shell) { return same_name(shell, name); });
}

}  // namespace agent_audit::profiles
