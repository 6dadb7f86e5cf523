#include "pipeline/settings/suppression_match.hpp"

#include "detectors/commands/command_rules.hpp"
#include "readers/input/glob.hpp"

#include <agent_audit/model/tool_name.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

namespace agent_audit {
namespace {

std::string_view last_part(std::string_view path) {
    while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    const std::size_t slash = path.rfind('/');
    return slash == path.npos ? path : path.substr(slash + 1);
}

std::vector<std::string_view> parts_of(std::string_view path) {
    std::vector<std::string_view> parts;
    if (path.starts_with('/')) parts.push_back("/");
    while (!path.empty()) {
        const std::size_t end = std::min(path.find('/'), path.size());
        if (end > 0 && path.substr(0, end) != ".") parts.push_back(path.substr(0, end));
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    return parts;
}

// Like the matching of one part: only the last ** can need another try.
bool parts_match(const std::vector<std::string_view>& glob, const std::vector<std::string_view>& path) {
    std::size_t g = 0, p = 0, star = glob.size() + 1, star_took_to = 0;
    while (p < path.size()) {
        if (g < glob.size() && glob[g] == "**") {
            star = g++;
            star_took_to = p;
        } else if (g < glob.size() && readers::matches(glob[g], path[p])) {
            ++g;
            ++p;
        } else if (star <= glob.size()) {
            g = star + 1;
            p = ++star_took_to;
        } else {
            return false;
        }
    }
    while (g < glob.size() && glob[g] == "**") ++g;
    return g == glob.size();
}

// The folder itself, or one above it; a plain word is the last part of the folder.
bool in_project(std::string_view wanted, std::string_view folder) {
    if (folder.empty()) return false;
    if (wanted.find('/') == wanted.npos) return readers::matches(wanted, last_part(folder));
    if (readers::has_wildcards(wanted)) return path_matches(wanted, folder);
    while (wanted.size() > 1 && wanted.ends_with('/')) wanted.remove_suffix(1);
    return folder.starts_with(wanted) &&
           (folder.size() == wanted.size() || wanted == "/" || folder[wanted.size()] == '/');
}

bool is_tool(std::string_view wanted, std::string_view known) {
    if (!readers::has_wildcards(wanted)) return detectors::same_tool(wanted, known);
    return readers::matches(wanted, known) || readers::matches(wanted, bare_tool_name(known));
}

}  // namespace

bool path_matches(std::string_view glob, std::string_view path) {
    if (glob.find('/') == glob.npos) return readers::matches(glob, last_part(path));
    return parts_match(parts_of(glob), parts_of(path));
}

Result<SuppressionMatch> SuppressionMatch::make(const FindingMatch& what, std::string_view folder) {
    SuppressionMatch out;
    out.what_ = what;
    out.folder_ = folder;
    if (what.command.empty()) return out;
    auto command = Pattern::make(what.command);
    if (!command) return Error{fmt::format("command = {}", command.error().message)};
    out.command_ = std::move(*command);
    return out;
}

bool SuppressionMatch::fits_session(const SessionReport& session, std::string_view path) const {
    if (!what_.session.empty() && !readers::matches(what_.session, session.id)) return false;
    if (!what_.project.empty() && !in_project(what_.project, session.cwd)) return false;
    return what_.path.empty() || fits_path(path);
}

// However the input was named: one command types it from here, another in full, a third from a folder below.
bool SuppressionMatch::fits_path(std::string_view path) const {
    if (path_matches(what_.path, path)) return true;
    std::error_code unknown;
    const std::filesystem::path absolute = std::filesystem::absolute(path, unknown);
    if (unknown || path == "-" || what_.path.find('/') == what_.path.npos) return false;
    const std::string whole = absolute.lexically_normal().string();
    if (what_.path.starts_with('/')) return path_matches(what_.path, whole);
    const std::string below = folder_.ends_with('/') ? folder_ : folder_ + "/";
    return !folder_.empty() && whole.starts_with(below) &&
           path_matches(what_.path, std::string_view(whole).substr(below.size()));
}

bool SuppressionMatch::fits_call(const FindingCall& call) const {
    if (!what_.tool.empty() && !is_tool(what_.tool, call.tool)) return false;
    return !command_ || command_->found_in(call.argument);
}

bool SuppressionMatch::fits(const Finding& finding, const SessionReport& session, std::string_view path) const {
    if (!fits_session(session, path)) return false;
    if (what_.tool.empty() && !command_) return true;
    return std::ranges::any_of(finding.calls, [&](const FindingCall& call) { return fits_call(call); });
}

}  // namespace agent_audit
