#pragma once

#include <dirent.h>

#include <memory>

namespace agent_audit::readers {

struct CloseDirectory {
    void operator()(DIR* directory) const { ::closedir(directory); }
};
/// A folder that is being listed.
using Directory = std::unique_ptr<DIR, CloseDirectory>;

}  // namespace agent_audit::readers
