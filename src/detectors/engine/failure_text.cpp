#include "detectors/engine/failure_text.hpp"

#include <algorithm>
#include <cstddef>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLooked = 8u << 10;    // bytes in which the error is looked for
constexpr std::size_t kNoticed = 64u << 10;  // bytes of notices: what has more of them is no package manager

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

// The lines of a text, whose breaks may be escaped. A break is looked for once: of the two kinds most texts have one, and
// would be read to their end for the other at each line.
class Lines {
public:
    explicit Lines(std::string_view text) : text_(text), raw_(raw()), escaped_(escaped()) {}

    std::size_t at() const { return at_; }  // begin of the line that comes next
    bool next(std::string_view& line) {
        if (at_ >= text_.size()) return false;
        if (raw_ < at_) raw_ = raw();
        if (escaped_ < at_) escaped_ = escaped();
        const std::size_t end = std::min(raw_, escaped_);
        line = text_.substr(at_, end - at_);
        at_ = std::min(text_.size(), end + (end == escaped_ ? 2 : 1));
        return true;
    }

private:
    std::size_t raw() const { return std::min(text_.find('\n', at_), text_.size()); }
    std::size_t escaped() const { return std::min(text_.find("\\n", at_), text_.size()); }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t raw_, escaped_;  // the next break of either kind
};

bool names_error(std::string_view line) {
    return std::ranges::any_of(kErrors, [line](std::string_view row) { return line.find(row) != line.npos; });
}

}  // namespace

std::string_view behind_notices(std::string_view said) {
    Lines front(said.substr(0, kNoticed));
    std::size_t begin = 0;
    bool notices = false;
    for (std::string_view line; front.next(line); begin = front.at()) {
        const bool notice = begins_with_one(line, kNotices);
        notices = notices || notice;
        if (!notice && !line.empty() && !begins_with_one(line, kEchoes)) break;
    }
    if (!notices || begin >= said.size()) return said;
    const std::string_view after = said.substr(begin);
    Lines looked(after.substr(0, kLooked));
    std::size_t at = 0;
    for (std::string_view line; looked.next(line); at = looked.at()) {
        if (!begins_with_one(line, kNotices) && names_error(line)) return after.substr(at);
    }
    return after;
}

}  // namespace agent_audit::detectors
