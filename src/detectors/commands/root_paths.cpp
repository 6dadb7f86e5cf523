#include "detectors/commands/root_paths.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace agent_audit::detectors {
namespace {

/// `cd packages/web && rm lib/core.js` is about packages/web/lib/core.js: the folder that a line goes to first, and
/// what stands behind that.
std::pair<std::string_view, std::string_view> folder_of_line(std::string_view line) {
    constexpr std::string_view kGo = "cd ";
    if (!line.starts_with(kGo)) return {{}, line};
    const std::size_t end = std::min(line.find_first_of(" ;&\n", kGo.size()), line.size());
    std::string_view to = line.substr(kGo.size(), end - kGo.size());
    while (to.ends_with('/') || to.ends_with('"') || to.ends_with('\'')) to.remove_suffix(1);
    if (to.starts_with('"') || to.starts_with('\'')) to.remove_prefix(1);
    return {to, line.substr(end)};
}

}  // namespace

bool lies_at_root(std::string_view path, std::string_view folder, std::string_view target) {
    if (!folder.empty() && path.starts_with(folder) && path.substr(folder.size()).starts_with('/'))
        path.remove_prefix(folder.size() + 1);
    for (std::string_view* name : {&path, &target}) {
        if (name->starts_with("./")) name->remove_prefix(2);
        while (name->ends_with('/')) name->remove_suffix(1);
    }
    return !target.empty() && path.starts_with(target) && (path.size() == target.size() || path[target.size()] == '/');
}

bool names_at_root(const CallTarget& call, std::string_view target) {
    if (std::ranges::any_of(call.paths, [&](std::string_view path) { return lies_at_root(path, call.folder, target); }))
        return true;
    const auto [to, rest] = folder_of_line(call.command);
    if (to.empty() || to == call.folder) return says_at_root(rest, call.folder, target);
    return says_at_root(rest, call.folder, target, std::string(to) + "/");
}

bool says_at_root(std::string_view text, std::string_view folder, std::string_view target, std::string_view from) {
    constexpr std::string_view kMarks = " \t\r\n;:|&(),<>'\"=`";
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find_first_of(kMarks));
        const bool relative = !from.empty() && !word.starts_with('/') && !word.starts_with('~');
        if (!word.empty() && !relative && lies_at_root(word, folder, target)) return true;
        if (!word.empty() && relative && lies_at_root(std::string(from).append(word), folder, target)) return true;
        text.remove_prefix(std::min(word.size() + 1, text.size()));
    }
    return false;
}

}  // namespace agent_audit::detectors
