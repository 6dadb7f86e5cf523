#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::readers {

/// The files of a session that opencode kept before it had a database: storage/session/<project>/ses_….json, with its
/// messages in storage/message/ses_…/ and their parts in storage/part/msg_…/.
struct StorageFiles {
    std::string folder;              ///< "…/storage"
    std::vector<std::string> names;  ///< below it, in the order in which they were said; empty: no such session
};

/// Those of the session whose file lies at `path`; none where it has no messages.
StorageFiles storage_files_of(const std::string& path);

}  // namespace agent_audit::readers
