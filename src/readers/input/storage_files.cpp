#include "readers/input/storage_files.hpp"

#include "readers/input/directory.hpp"
#include "readers/input/session_names.hpp"

#include <algorithm>

namespace agent_audit::readers {
namespace {

// Ids grow with time, and the names are the ids.
std::vector<std::string> files_in(const std::string& folder) {
    std::vector<std::string> names;
    const Directory directory(::opendir(folder.c_str()));
    if (!directory) return names;
    while (const dirent* entry = ::readdir(directory.get())) {
        if (std::string_view(entry->d_name).ends_with(".json")) names.emplace_back(entry->d_name);
    }
    std::ranges::sort(names);
    return names;
}

std::string stem(std::string_view name) { return std::string(name.substr(0, name.rfind('.'))); }

}  // namespace

StorageFiles storage_files_of(const std::string& path) {
    const auto [folder, session] = stored_session(path);
    if (session.empty()) return {};
    StorageFiles found{std::string(folder), {}};
    const std::string messages = "message/" + std::string(session);
    for (const std::string& message : files_in(found.folder + '/' + messages)) {
        if (found.names.empty()) found.names.push_back(path.substr(found.folder.size() + 1));
        found.names.push_back(messages + '/' + message);
        const std::string parts = "part/" + stem(message);
        for (const std::string& part : files_in(found.folder + '/' + parts)) found.names.push_back(parts + '/' + part);
    }
    return found;
}

}  // namespace agent_audit::readers
