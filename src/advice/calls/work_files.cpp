#include "advice/calls/work_files.hpp"

#include "advice/calls/file_names.hpp"
#include "advice/words/text.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <vector>

namespace agent_audit::advice {
namespace {

bool has_drive(std::string_view path) { return path.size() > 1 && path[1] == ':'; }

}  // namespace

bool is_rooted(std::string_view path) {
    return path.starts_with('/') || path.starts_with('~') || (path.size() > 2 && path[1] == ':');
}

std::string joined_path(std::string_view directory, std::string_view path) {
    const std::string whole =
        directory.empty() || is_rooted(path) ? std::string(path) : std::string(directory) + "/" + std::string(path);
    if (whole.find("./") == whole.npos && whole.find("//") == whole.npos && !whole.ends_with("/..")) return whole;
    std::vector<std::string_view> parts;
    const bool rooted = whole[0] == '/';
    for (std::string_view rest = whole; !rest.empty();) {
        const std::size_t end = std::min(rest.find('/'), rest.size());
        const std::string_view part = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (part.empty() || part == ".") continue;
        if (part == ".." && !parts.empty() && parts.back() != "..") {
            parts.pop_back();
        } else {
            parts.push_back(part);
        }
    }
    std::string out = rooted ? "/" : "";
    for (const std::string_view part : parts) out.append(out.empty() || out == "/" ? "" : "/").append(part);
    return out;
}

bool lies_below(std::string_view path, std::string_view directory) {
    if (directory.empty() || path.size() < directory.size()) return false;
    // Windows writes one directory in many ways, all of the same length: D:\a, d:/a, /d/a.
    const auto same = [](std::string_view a, std::string_view b) {
        return a == b || ((has_drive(a) || has_drive(b)) && slashed(a) == slashed(b));
    };
    const bool ends =
        path.size() == directory.size() || path[directory.size()] == '/' || path[directory.size()] == '\\';
    return ends && same(path.substr(0, directory.size()), directory);
}

std::string hidden_cwd(std::string path, const std::string& cwd) {
    if (path.find("../") != path.npos)
        path = joined_path(has_drive(cwd) ? slashed(cwd) : cwd, path);
    else
        path = joined_path({}, path);
    if (path.size() > cwd.size() + 1 && lies_below(path, cwd)) path.erase(0, cwd.size() + 1);
    while (path.starts_with("./")) path.erase(0, 2);
    return path;
}

bool is_temporary(std::string_view path, std::string_view cwd) {
    const auto among = [](std::string_view p) {
        return p.starts_with("/tmp/") || p.starts_with("/var/tmp/") || p.starts_with("/private/tmp/") ||
               p.starts_with("/var/folders/") || p.starts_with("/private/var/folders/") ||
               p.find("\\AppData\\Local\\Temp\\") != p.npos || p.find("/AppData/Local/Temp/") != p.npos;
    };
    return among(path) && !among(cwd);
}

bool shows_file(std::string_view output, std::string_view path) {
    constexpr std::size_t kLongestNote = 80;  // "(no output)", "Tool ran without output"
    const std::size_t begin = output.find_first_not_of(" \t\r\n");
    if (begin == output.npos) return false;
    const std::string low = output.size() <= kLongestNote ? lowered(output) : std::string();
    if (low.find("no output") != low.npos || low.find("without output") != low.npos) return false;
    const std::string_view name = path.substr(path.find_last_of('/') == path.npos ? 0 : path.find_last_of('/') + 1);
    for (std::size_t at = output.find("No such file"); at != output.npos; at = output.find("No such file", at + 1)) {
        const std::size_t line = at == 0 ? 0 : output.rfind('\n', at - 1) + 1;  // npos + 1 is 0
        if (output.substr(line, at - line).find(name) != output.npos) return false;
    }
    return true;
}

bool is_exact(std::string_view path, std::string_view cwd) {
    // Where names are taken out, all that lies below home begins with ~.
    return is_rooted(path) && (!path.starts_with('~') || cwd.starts_with('~')) &&
           (cwd.empty() || has_drive(path) == has_drive(cwd));
}

bool is_about(std::string_view directory, std::string_view path, bool cwd_known) {
    if (!is_rooted(directory)) return !cwd_known || !is_rooted(path);
    const auto slash = [](char c) { return c == '/' || c == '\\'; };
    while (directory.size() > 1 && slash(directory.back())) directory.remove_suffix(1);
    // A check often runs in a folder beside the sources: build/, build/release, tests.
    for (int up = 0; up < 2; ++up) {
        const std::size_t cut = directory.find_last_of("/\\");
        if (cut == directory.npos || cut == 0) break;
        const std::string_view last = directory.substr(cut + 1);
        const bool beside = last.starts_with("build") || last.starts_with("cmake-build") || last.starts_with("test") ||
                            last == "out" || last == "target" || last == "release" || last == "debug";
        if (!beside) break;
        directory = directory.substr(0, cut);
    }
    if (!is_rooted(path)) return !cwd_known;
    return path.size() > directory.size() && path.starts_with(directory) && slash(path[directory.size()]);
}

std::string_view below(std::string_view path, std::string_view directory) {
    if (directory.empty() || !path.starts_with(directory)) return path;
    path.remove_prefix(directory.size());
    while (path.starts_with('/') || path.starts_with('\\')) path.remove_prefix(1);
    return path;
}

}  // namespace agent_audit::advice
