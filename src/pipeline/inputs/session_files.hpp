#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace agent_audit {

/// How much of a file is read to know whose it is.
inline constexpr std::size_t kHeadBytes = 128u << 10;

/// "dir/x.jsonl.zst" -> "dir/x": where agents put the files of the sub-agents of session x.
std::string_view folder_of_session(std::string_view path);

/// Which files lie in the folder that is named after a session file: those of its sub-agents.
class SessionFolders {
public:
    /// `files` has `.path`; it must outlive this object unchanged.
    template <class Files>
    explicit SessionFolders(const Files& files) {
        for (const auto& file : files) add(file.path);
    }

    /// The session file to which `path` belongs; empty when it is a session of its own.
    std::string_view owner(std::string_view path) const;

private:
    void add(std::string_view path) { folders_.insert(Entry{folder_of_session(path), path}); }

    struct Entry {
        std::string_view folder;
        std::string_view path;
        bool operator==(const Entry& other) const { return folder == other.folder; }
    };
    struct HashFolder {
        std::size_t operator()(const Entry& entry) const { return std::hash<std::string_view>{}(entry.folder); }
    };
    std::unordered_set<Entry, HashFolder> folders_;
};

}  // namespace agent_audit
