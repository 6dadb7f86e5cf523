#include "cli/terminal/terminal.hpp"

#include "cli/terminal/output.hpp"
#include "report/escape/sanitize.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string>
#include <utility>

namespace agent_audit::cli {
namespace {

constexpr int kDefaultWidth = 80;
constexpr int kNarrowest = 20;
constexpr int kWidest = 120;  // longer lines of prose are hard to read

std::string_view environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? std::string_view(value) : std::string_view{};
}

bool forces_color(const char* name) {
    const std::string_view value = environment(name);
    return !value.empty() && value != "0";
}

struct ColorRule {
    bool on = false;
    std::string_view because;
};

ColorRule color_rule(bool terminal, When when) {
    if (when != When::automatic) return {when == When::always, "--color says so"};
    if (!environment("NO_COLOR").empty()) return {false, "NO_COLOR is set"};
    if (forces_color("CLICOLOR_FORCE")) return {true, "CLICOLOR_FORCE is set"};
    if (forces_color("FORCE_COLOR")) return {true, "FORCE_COLOR is set"};
    if (environment("CLICOLOR") == "0") return {false, "CLICOLOR is 0"};
    if (environment("TERM") == "dumb") return {false, "TERM is dumb"};
    return {terminal, terminal ? "it is a terminal" : "it is no terminal"};
}

bool locale_is_utf8() {
    std::string locale;
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        locale = environment(name);
        if (!locale.empty()) break;
    }
    std::ranges::transform(locale, locale.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    return locale.find("utf-8") != locale.npos || locale.find("utf8") != locale.npos;
}

int width_of(int fd) {
    int columns = 0;
    const std::string_view named = environment("COLUMNS");
    std::from_chars(named.data(), named.data() + named.size(), columns);
    winsize size{};
    if (columns <= 0 && fd >= 0 && ::ioctl(fd, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
    return columns <= 0 ? kDefaultWidth : std::clamp(columns, kNarrowest, kWidest);
}

}  // namespace

Stream inspect_stream(int fd, When color) {
    const bool terminal = ::isatty(fd) == 1;
    return {terminal, color_rule(terminal, color).on, locale_is_utf8(), width_of(terminal ? fd : -1)};
}

std::string color_reason(bool terminal, When color) { return std::string(color_rule(terminal, color).because); }

Stream inspect_file(When color) { return {false, color == When::always, locale_is_utf8(), width_of(-1)}; }

bool output_is_read_by_ci() {
    const std::string_view azure = environment("TF_BUILD");
    return environment("GITHUB_ACTIONS") == "true" || azure == "True" || azure == "true" ||
           !environment("TEAMCITY_VERSION").empty();
}

std::string harmless_for_ci(std::string_view text, bool document) {
    if (!output_is_read_by_ci()) return std::string(text);
    return document ? report::with_escaped_ci_commands(text) : report::lines_without_ci_commands(text);
}

ByteSink harmless_for_ci(ByteSink out) {
    if (!output_is_read_by_ci()) return out;
    // A command may be cut by the border between two pieces: what may begin one at the end of a piece is written with
    // the next.
    return [out = std::move(out), held = std::string()](std::string_view bytes) mutable {
        std::string piece = held.append(bytes);
        const std::size_t end = report::before_unfinished_command(piece);
        held = piece.substr(end);
        piece.resize(end);
        return out(report::with_escaped_ci_commands(piece));
    };
}

void hint(std::string_view message) {
    std::string line = report::visible(message);
    if (output_is_read_by_ci()) line = report::without_ci_commands(line);
    // Nobody is left to be told when stderr fails.
    (void)write_all(STDERR_FILENO, line + "\n");
}

void complain(std::string_view message) { hint(std::string("agent-audit: ").append(message)); }

}  // namespace agent_audit::cli
