#include "cli/sessions/selection.hpp"

#include "cli/clock.hpp"
#include "cli/terminal/environment.hpp"

#include <agent_audit/support/time.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace agent_audit::cli {
namespace {

namespace fs = std::filesystem;

std::optional<Error> moment(const FlagValue& value, bool whole_day, std::int64_t& out) {
    const Result<std::int64_t> now = now_ms();
    if (!now) return now.error();
    const auto parsed = parse_moment_ms(value.text, *now, whole_day);
    if (!parsed) {
        return Error{value.origin + " = \"" + value.text +
                     "\": expected how long ago (7d, 12h, 30m), a date (2026-02-12) or a time (2026-02-12T03:04Z)"};
    }
    out = *parsed;
    return std::nullopt;
}

void add(std::vector<std::string>& folders, std::string folder) {
    while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
    if (std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(std::move(folder));
}

}  // namespace

// As the agent saw it and as it is: an agent started behind a link may have recorded either. The folder need not exist
// any more.
std::optional<Error> project(const FlagValue& value, InputFilter& filter) {
    if (value.text.empty()) return Error{value.origin + " needs a folder"};
    std::error_code failed;
    const fs::path absolute = fs::absolute(value.text, failed).lexically_normal();
    if (failed) return Error{value.origin + " = \"" + value.text + "\": " + failed.message()};
    add(filter.projects, absolute.string());
    const fs::path real = fs::canonical(absolute, failed);
    if (!failed) add(filter.projects, real.string());
    return std::nullopt;
}

std::optional<Error> exclude(const FlagValue& value, std::vector<std::string>& patterns) {
    if (const std::string problem = exclusion_problem(value.text); !problem.empty())
        return Error{value.origin + " = \"" + value.text + "\": expected a pattern as in .gitignore; " + problem};
    patterns.push_back(value.text);
    return std::nullopt;
}

std::optional<Error> since(const FlagValue& value, InputFilter& filter) {
    return moment(value, false, filter.since_ms);
}
std::optional<Error> until(const FlagValue& value, InputFilter& filter) { return moment(value, true, filter.until_ms); }

DiscoverPlan plan_here(const InputFilter& filter) {
    DiscoverPlan plan;
    plan.variable = environment;
    plan.filter = filter;
    return plan;
}

std::vector<std::string> files_of(const Discovery& found) {
    std::vector<std::string> files;
    for (const FoundSession& session : found.sessions) {
        files.push_back(session.path);
        files.insert(files.end(), session.sub_agents.begin(), session.sub_agents.end());
    }
    return files;
}

std::vector<std::string> latest_of_project() {
    InputFilter filter;
    std::error_code failed;
    const std::string here = std::filesystem::current_path(failed).string();
    if (failed || project({here, "the working directory"}, filter)) return {};
    filter.latest = 1;
    DiscoverPlan search = plan_here(filter);
    search.readable_only = true;
    return files_of(discover(search));
}

}  // namespace agent_audit::cli
