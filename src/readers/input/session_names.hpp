#pragma once

#include <cstdint>
#include <optional>
#include <span>
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
/// Databases have names of their own; which of them are an agent's is told by their tables.
bool has_database_ending(std::string_view name);

/// Files that may lie beside a session and know what it does not tell.
struct Companions {
    std::vector<std::string> names;  ///< best first
    std::string_view format;         ///< of the session whose reader knows what to do with them
    std::string note = {};           ///< what the place of the session tells of it, as a record; instead of files
};

/// Those of the session `name` in `folder`; mostly none.
Companions companions_of(std::string_view folder, std::string_view name);

/// The chat whose transcript the file at `path` is, and the one that a database keeps whole; empty: of none. The editor
/// writes transcripts of chats that have a database as well, and there is less in them.
std::string_view transcribed_chat(std::string_view path);
std::string_view stored_chat(std::string_view path);

/// The folder of all sessions and the id of the one whose file of opencode's storage lies at `path`; empty: none.
struct StoredSession {
    std::string_view folder, id;
};
StoredSession stored_session(std::string_view path);

/// The number of an event that is a file of its own, one of many that are a session together: "event-00012-<id>.json",
/// or "12.json" in a folder named "events"; "message_12.json" in the folder "messages" of an agent. Nothing for other
/// files.
std::optional<std::uint64_t> event_number(std::string_view folder, std::string_view name);

/// Directories that never hold sessions of their own.
bool is_skipped_directory(std::string_view name);
/// The directory, or the file, beside which the directory `name` is one of copies; empty: none.
std::string_view repeated_directory(std::string_view name);
/// Whether `original`, lying in `folder`, says that something beside it is a copy. Names that anybody may use say so
/// only in a folder that a harness made.
bool has_copies_beside(std::string_view folder, std::string_view original);

/// The endings looked for, to be shown to a person.
inline constexpr std::string_view kSessionEndings =
    ".jsonl, .json, .ndjson, .traj, .eval, .har, .sse, .aider.chat.history.md, also .gz and .zst; .db, .sqlite, "
    ".sqlite3, .vscdb";

}  // namespace agent_audit::readers
