#pragma once

#include "detectors/commands/changes_path.hpp"
#include "detectors/commands/runs_command.hpp"

#include <agent_audit/detectors/step.hpp>
#include <agent_audit/model/text.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

// What a call is about, for the rules that rule calls out; and, with the two headers above, what its command does.

namespace agent_audit::detectors {

/// A file's name without the lines of it that a tool is told to read: src/a.ts of "src/a.ts:10-20" and "src/a.ts:raw".
/// A view of the same text.
std::string_view without_lines(std::string_view path);

/// A call in plain words, as far as constraints need them. Strings are bounded.
struct CallTarget {
    std::string tool;                ///< in snake_case, without the server of an MCP client
    std::string full_tool;           ///< as recorded
    std::string command;             ///< of shell tools
    std::string said;                ///< all arguments, where a rule asks for words in them
    std::string_view folder;         ///< of the session; empty = not known
    std::string_view branch;         ///< that is checked out, where somebody asks for it; empty = not known
    std::vector<std::string> paths;  ///< of tools for files, and of patches
    ToolClass tool_class = ToolClass::other;
    bool creates = false;              ///< writes files as wholes: they may be new
    std::vector<std::string> added;    ///< of the paths: those that a patch makes
    std::vector<std::string> removed;  ///< of the paths: those that a patch deletes
    std::vector<std::string> changed;  ///< by a shell command, for certain; filled where somebody asks for it
    std::span<const std::string>
        own;  ///< names of files that the agent made since the rules were said; filled likewise
};
CallTarget target_of(RawText tool, bool runs_shell, ToolClass tool_class, RawText primary, RawText args);
/// The first of its paths alone; empty = none.
std::string file_of(bool runs_shell, ToolClass tool_class, RawText primary, RawText args);

}  // namespace agent_audit::detectors
