#include "cli/sessions/session_lines.hpp"

#include "cli/clock.hpp"
#include "cli/sessions/selection.hpp"
#include "cli/terminal/terminal.hpp"
#include "report/escape/sanitize.hpp"

#include <agent_audit/support/time.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace agent_audit::cli {
namespace {

constexpr std::uint64_t kHinted = 3;

std::string_view home() {
    const char* value = std::getenv("HOME");
    std::string_view folder = value ? value : "";
    while (folder.ends_with('/')) folder.remove_suffix(1);
    return folder;
}

std::string with_tilde(std::string_view path) {
    const std::string_view folder = home();
    if (folder.empty() || !path.starts_with(folder)) return std::string(path);
    const std::string_view rest = path.substr(folder.size());
    return rest.empty() || rest[0] == '/' ? std::string("~").append(rest) : std::string(path);
}

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/._-+:,@%=").find(c) != std::string_view::npos;
}

}  // namespace

std::string age(std::int64_t time_ms, std::int64_t now_ms) {
    const std::int64_t seconds = (now_ms - time_ms) / 1000;
    if (seconds < 1) return "now";
    if (seconds < 60) return fmt::format("{} s", seconds);
    if (seconds < 3600) return fmt::format("{} min", seconds / 60);
    if (seconds < 2 * 86400) return fmt::format("{} h", seconds / 3600);
    if (seconds < 100 * 86400) return fmt::format("{} days", seconds / 86400);
    return format_time_ms(time_ms).substr(0, 10);
}

std::string shown_path(std::string_view path) { return report::visible(with_tilde(path)); }

std::string quoted_for_shell(std::string_view text) {
    if (!text.empty() && std::ranges::all_of(text, is_plain)) return std::string(text);
    std::string word = "'";
    for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

std::string shell_word(std::string_view path) {
    const std::string short_form = with_tilde(path);
    const std::string_view rest = std::string_view(short_form).substr(short_form.starts_with("~/") ? 2 : 0);
    if (!rest.empty() && std::ranges::all_of(rest, is_plain)) return short_form;
    return report::visible(quoted_for_shell(path));
}

void hint_newest() {
    const Result<std::int64_t> now = now_ms();
    InputFilter filter;
    filter.latest = kHinted;
    DiscoverPlan plan = plan_here(filter);
    plan.readable_only = true;
    const Discovery found = discover(plan);
    if (!now || found.sessions.empty()) return;
    hint("");
    hint("Newest sessions on this machine:");
    for (const FoundSession& session : found.sessions) {
        const std::string project = session.project.empty() ? "" : "  " + shown_path(session.project);
        hint(fmt::format("  {:>7}  {}{}", age(session.modified_ms, *now), session.where->agent, project));
        hint("      agent-audit " + shell_word(session.path));
    }
    hint("The first of them: agent-audit --latest. All of them: agent-audit discover.");
}

}  // namespace agent_audit::cli
