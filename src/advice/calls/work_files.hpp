#pragma once

#include <string>
#include <string_view>

namespace agent_audit::advice {

/// Where the files that a session works on lie. All paths are as the agent wrote them unless it is said otherwise.

/// It begins at the root, at home or at a drive.
bool is_rooted(std::string_view path);

/// A path below a directory, without "." and "..", where that is possible.
std::string joined_path(std::string_view directory, std::string_view path);

/// Whether a path is a directory or lies below it, however Windows writes both: D:\a is d:/a and /d/a.
bool lies_below(std::string_view path, std::string_view directory);

/// A path as it is told: below the working directory without it.
std::string hidden_cwd(std::string path, const std::string& cwd);

/// Temporary files are no progress; a session that works among them has none.
bool is_temporary(std::string_view path, std::string_view cwd);

/// A whole path, written as that of the session's directory is: from D:\a to /d/a, and from ~ to /home/me, there is a
/// step.
bool is_exact(std::string_view path, std::string_view cwd);

/// Whether a check that ran in `directory` says something about a file. Both as hidden_cwd gives them: below the
/// session's own directory they are relative. A check elsewhere (another work tree, say) is about what lies there.
bool is_about(std::string_view directory, std::string_view path, bool cwd_known);

/// The path from `directory` on; all of it when it does not lie there.
std::string_view below(std::string_view path, std::string_view directory);

/// Whether a command that reads a file has shown something of it: where nothing was printed, or that it is not there,
/// it has not.
bool shows_file(std::string_view output, std::string_view path);

}  // namespace agent_audit::advice
