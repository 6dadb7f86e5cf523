#include "pipeline/inputs/session_files.hpp"

namespace agent_audit {

std::string_view folder_of_session(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    const std::size_t name = slash == path.npos ? 0 : slash + 1;
    const std::size_t dot = path.find('.', name + 1);
    return path.substr(0, dot);
}

std::string_view SessionFolders::owner(std::string_view path) const {
    for (std::size_t slash = path.rfind('/'); slash != path.npos && slash > 0; slash = path.rfind('/', slash - 1)) {
        const auto found = folders_.find(Entry{path.substr(0, slash), {}});
        if (found != folders_.end()) return found->path;
    }
    return {};
}

}  // namespace agent_audit
