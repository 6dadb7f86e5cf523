#include "detectors/outcomes/failure_text.hpp"

#include "detectors/words/raw_lines.hpp"

#include <algorithm>
#include <cstddef>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLooked = 8u << 10;    // bytes in which the error is looked for
constexpr std::size_t kNoticed = 64u << 10;  // bytes of notices: what has more of them is no package manager

// With what a line begins that has nothing to do with why the command failed.
constexpr std::string_view kNotices[] = {"npm warn ", "npm WARN ", "npm notice", "yarn warning", "warning ",
                                         "Warning: ", "WARNING: ", "(node:",     "(Use `node"};
// Echoes of the command, and the exit code that stands in front of all: no notices, but between them.
constexpr std::string_view kEchoes[] = {"> ", "$ ", "Exit code ", "exit code "};
constexpr std::string_view kErrors[] = {"Error: ",   "error: ",    "ERROR: ", "Exception: ", "fatal: ",
                                        "npm ERR! ", "npm error ", "FAILED",  "error TS",    "panic: "};

template <std::size_t N>
bool begins_with_one(std::string_view line, const std::string_view (&rows)[N]) {
    return std::ranges::any_of(
        rows, [line](std::string_view row) { return !line.empty() && line[0] == row[0] && line.starts_with(row); });
}

bool names_error(std::string_view line) {
    return std::ranges::any_of(kErrors, [line](std::string_view row) { return line.find(row) != line.npos; });
}

}  // namespace

std::string_view behind_notices(RawText text) {
    const std::string_view said = text.bytes;
    const Spelling spelling = text.form == TextForm::plain ? Spelling::plain : Spelling::escaped;
    RawLines front(said.substr(0, kNoticed), spelling);
    std::size_t begin = 0;
    bool notices = false;
    for (std::string_view line; front.next(line); begin = front.position()) {
        const bool notice = begins_with_one(line, kNotices);
        notices = notices || notice;
        if (!notice && !line.empty() && !begins_with_one(line, kEchoes)) break;
    }
    if (!notices || begin >= said.size()) return said;
    const std::string_view after = said.substr(begin);
    RawLines looked(after.substr(0, kLooked), spelling);
    for (std::string_view line; looked.next(line);) {
        if (!begins_with_one(line, kNotices) && names_error(line)) return after.substr(looked.begin());
    }
    return after;
}

}  // namespace agent_audit::detectors
