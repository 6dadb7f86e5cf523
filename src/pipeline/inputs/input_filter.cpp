#include <agent_audit/pipeline/input_filter.hpp>

#include "pipeline/inputs/session_files.hpp"
#include "pipeline/inputs/session_head.hpp"

#include <algorithm>
#include <unordered_set>

namespace agent_audit {
namespace {

bool is_below(std::string_view path, std::string_view folder) {
    while (folder.size() > 1 && folder.ends_with('/')) folder.remove_suffix(1);
    if (!path.starts_with(folder)) return false;
    return path.size() == folder.size() || folder == "/" || path[folder.size()] == '/';
}

void keep_projects(InputList& list, const InputFilter& filter, const ReaderSpec* format) {
    InputBuffers buffers;
    std::erase_if(list.paths, [&](const InputPath& input) {
        return input.modified_ms != kNoTime &&
               !filter.in_project(read_head(input.path, format, kHeadBytes, buffers).project);
    });
}

void keep_latest(InputList& list, std::uint64_t latest) {
    const SessionFolders folders(list.paths);
    std::vector<const InputPath*> sessions;
    for (const InputPath& input : list.paths) {
        if (input.modified_ms != kNoTime && folders.owner(input.path).empty()) sessions.push_back(&input);
    }
    if (sessions.size() <= latest) return;
    std::ranges::stable_sort(sessions, std::ranges::greater{}, &InputPath::modified_ms);
    sessions.resize(latest);
    std::unordered_set<std::string_view> kept;
    for (const InputPath* session : sessions) kept.insert(session->path);
    // Marked first: what a path belongs to is found by looking at the others.
    std::vector<bool> drop;
    for (const InputPath& input : list.paths) {
        const std::string_view owner = folders.owner(input.path);
        drop.push_back(input.modified_ms != kNoTime && !kept.contains(owner.empty() ? input.path : owner));
    }
    std::size_t at = 0;
    std::erase_if(list.paths, [&](const InputPath&) { return drop[at++]; });
}

}  // namespace

bool InputFilter::in_project(const std::string& project) const {
    if (projects.empty()) return true;
    return std::ranges::any_of(projects, [&](const std::string& folder) { return is_below(project, folder); });
}

std::uint64_t filter_inputs(InputList& list, const InputFilter& filter, const std::string& format) {
    leave_out(list, filter.exclude);
    const std::size_t before = list.paths.size();
    std::erase_if(list.paths, [&](const InputPath& input) {
        return input.modified_ms != kNoTime && !filter.in_time(input.modified_ms);
    });
    if (!filter.projects.empty()) keep_projects(list, filter, find_reader(format));
    if (filter.latest > 0) keep_latest(list, filter.latest);
    return before - list.paths.size();
}

}  // namespace agent_audit
