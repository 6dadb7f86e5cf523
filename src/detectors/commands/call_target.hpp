#pragma once

#include "detectors/speech/stated_rules.hpp"

#include <agent_audit/detectors/step.hpp>
#include <agent_audit/model/text.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// True when a command of the line begins with the words of `target` (`git push` in `cd x && git push -f`). Flags of
/// the target, and words behind " … ", may stand anywhere in that command: `git push --force` in `git push origin x
/// --force`.
bool runs_command(std::string_view command_line, std::string_view target);

/// Does a command line change the file or directory `target` (rm, mv, tee, sed -i, >, git checkout, …)? `copies`: see
/// names_path().
bool changes_path(std::string_view command_line, std::string_view target, bool copies = true);

/// A file's name without the lines of it that a tool is told to read: src/a.ts of "src/a.ts:10-20" and "src/a.ts:raw".
/// A view of the same text.
std::string_view without_lines(std::string_view path);

/// A call in plain words, as far as constraints need them. Strings are bounded.
struct CallTarget {
    std::string tool;                ///< in snake_case, without the server of an MCP client
    std::string full_tool;           ///< as recorded
    std::string command;             ///< of shell tools
    std::string_view folder;         ///< of the session; empty = not known
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

/// The packages that a command line tells an installer ("npm install") to install, without their versions; bounded.
std::vector<std::string> installed_packages(std::string_view command_line, std::string_view installer);

/// Does a constraint name the only places where files may be changed?
bool names_only_places(const std::vector<Constraint>& constraints);
/// The first file that a command changes outside of these places; empty = none.
std::string_view changed_outside(const std::vector<Constraint>& constraints, const CallTarget& call);

/// The constraint that a call breaks, or null.
const Constraint* broken_by(const std::vector<Constraint>& constraints, const CallTarget& call);

}  // namespace agent_audit::detectors
