#include "detectors/engine/failure_text.hpp"

#include <algorithm>
#include <cstddef>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLooked = 8u << 10;  // bytes

// With what a line begins that has nothing to do with why the command failed.
constexpr std::string_view kNotices[] = {"npm warn ", "npm WARN ", "npm notice", "yarn warning", "warning ", "Warning: ", "WARNING: ",
                                         "(node:",    "(Use `node"};
// Echoes of the command, and the exit code that stands in front of all: no notices, but between them.
constexpr std::string_view kEchoes[] = {"> ", "$ ", "Exit code ", "exit code "};
constexpr std::string_view kErrors[] = {"Error: ", "error: ", "ERROR: ", "Exception: ", "fatal: ", "npm ERR! ", "npm error ", "FAILED", "error TS", "panic: "};

template <std::size_t N>
bool begins_with_one(std::string_view line, const std::string_view (&rows)[N]) {
    return std::ranges::any_of(rows, [line](std::string_view row) { return line.starts_with(row); });
}

// Takes a line, whose break may be escaped.
std::string_view take_line(std::string_view& rest) {
    const std::size_t raw = rest.find('\n'), escaped = rest.find("\\n");
    const std::size_t end = std::min({raw, escaped, rest.size()});
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(rest.size(), end + (end == escaped ? 2 : 1)));
    return line;
}

bool names_error(std::string_view line) {
    return std::ranges::any_of(kErrors, [line](std::string_view row) { return line.find(row) != line.npos; });
}

}  // namespace

std::string_view behind_notices(std::string_view said) {
    std::string_view rest = said, after = said;
    bool notices = false;
    for (std::string_view line = take_line(rest); !line.empty() || !rest.empty(); line = take_line(rest)) {
        const bool notice = begins_with_one(line, kNotices);
        notices = notices || notice;
        if (!notice && !line.empty() && !begins_with_one(line, kEchoes)) break;
        after = rest;
    }
    if (!notices || after.empty()) return said;
    const std::string_view looked = after.substr(0, kLooked);
    for (std::string_view left = looked; !left.empty();) {
        const std::size_t at = looked.size() - left.size();
        const std::string_view line = take_line(left);
        if (!begins_with_one(line, kNotices) && names_error(line)) return after.substr(at);
    }
    return after;
}

}  // namespace agent_audit::detectors
