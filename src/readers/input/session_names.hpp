#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::readers {

/// What a file name found in a directory says about the file.
struct SessionName {
    bool wanted = false;
    std::vector<std::string> unless;  ///< siblings that hold the same session: beside one of them it is a copy
};

SessionName session_name(std::string_view name);

/// Directories that never hold sessions of their own.
bool is_skipped_directory(std::string_view name);

/// The endings looked for, to be shown to a person.
inline constexpr std::string_view kSessionEndings =
    ".jsonl, .json, .ndjson, .traj, .eval, .aider.chat.history.md, also .gz and .zst; .db, .sqlite, .sqlite3, .vscdb";

}  // namespace agent_audit::readers
