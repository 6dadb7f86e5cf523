#include "profiles/rule.hpp"

#include <algorithm>

namespace agent_audit::profiles {

bool is_shell_tool(std::string_view name) {
    static constexpr std::string_view kShells[] = {
        "bash",        "command",    "exec",          "exec_command",    "execute_bash",      "execute_command",
        "local_shell", "powershell", "run_command",   "run_in_terminal", "run_shell_command", "run_terminal_cmd",
        "sh",          "shell",      "shell_command", "terminal",
    };
    std::string lower(name);
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    return std::ranges::find(kShells, lower) != std::end(kShells);
}

}  // namespace agent_audit::profiles
