#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::readers {

/// A file or folder that a pattern matched, with what one stat tells.
struct FoundFile {
    std::string path;
    std::uint64_t size = 0;  ///< 0 for a folder
    std::int64_t modified_ms = 0;
    dev_t device = 0;
    ino_t inode = 0;
};

/// Looks for files below known folders. A pattern has as many parts as the path it matches, so no link can lead the
/// search round in circles; what is looked at is bounded for all patterns together.
class FileSearch {
public:
    explicit FileSearch(std::size_t max_entries) : left_(max_entries), max_entries_(max_entries) {}

    /// Adds what `glob` matches below `folder` to `found`: regular files, or folders. Copies of a session that stands
    /// beside them are left out. A folder that does not exist is no problem.
    void find(const std::string& folder, std::string_view glob, bool folders, std::vector<FoundFile>& found);

    /// One line each: folders that could not be read, the limit when it was reached.
    std::vector<std::string> problems() const;

private:
    std::vector<std::string> names_in(const std::string& folder);
    void complain(const std::string& folder, int failure);

    std::size_t left_;  // directory entries that may still be looked at
    std::size_t max_entries_;
    std::vector<std::string> unread_;
    std::size_t unread_more_ = 0;
    bool stopped_ = false;
};

/// Modification time in milliseconds since 1970.
std::int64_t modified_ms(const struct stat& status);

}  // namespace agent_audit::readers
