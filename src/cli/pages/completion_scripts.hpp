#pragma once

#include <span>
#include <string>
#include <string_view>

namespace agent_audit::cli {

/// One shell for which a script can be written.
struct ShellSpec {
    std::string_view name;
    std::string_view file;    ///< as it must be called where the shell looks for it
    std::string_view folder;  ///< below share/
    std::string (*script)();
};

/// bash, zsh and fish. Each script is made from the tables of commands and flags: nothing is listed twice.
std::span<const ShellSpec> all_shells();

}  // namespace agent_audit::cli
