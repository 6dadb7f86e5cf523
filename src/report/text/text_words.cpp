#include "report/text/text_words.hpp"

#include "report/words/finding_place.hpp"
#include "report/words/human.hpp"
#include "report/words/session_mark.hpp"

#include <fmt/format.h>

#include <utility>

namespace agent_audit::report {
namespace {

// The last `n` parts of a path; all of it where it has no more.
std::string_view last_parts(std::string_view path, std::size_t n) {
    std::size_t begin = path.size();
    for (; n > 0 && begin > 0; --n) {
        const std::size_t slash = path.find_last_of('/', begin - 1);
        if (slash == path.npos || slash + 1 == path.size()) return path;
        begin = slash;
    }
    return path.substr(begin == path.size() ? 0 : begin + 1);
}

}  // namespace

std::size_t TextWords::telling_parts(std::size_t input) {
    if (input >= report_.inputs.size()) return 1;
    if (inputs_of_.front().empty()) {
        for (const InputReport& of : report_.inputs) {
            for (std::size_t parts = 1; parts <= kTelling; ++parts) ++inputs_of_[parts - 1][last_parts(of.path, parts)];
        }
    }
    for (std::size_t parts = 1; parts <= kTelling; ++parts) {
        if (inputs_of_[parts - 1][last_parts(report_.inputs[input].path, parts)] < 2) return parts;
    }
    return std::string::npos;
}

std::string TextWords::path_of(std::size_t input) {
    if (input >= report_.inputs.size()) return "?";
    const std::string& path = report_.inputs[input].path;
    return path == "-" ? "<stdin>" : this->input(path);
}

std::string TextWords::place(const Finding& finding) {
    const bool known = finding.session < report_.sessions.size();
    const std::string path = known ? path_of(report_.sessions.input(finding.session)) : "?";
    return place_words(path, finding, place_of(finding, report_));
}

std::string TextWords::session(const SessionReport& session) {
    std::string words(last_parts(path_of(session.input), telling_parts(session.input)));
    // Sessions of one file are told apart by what the file calls them, or by where they begin.
    if (report_.sessions.of_input(session.input) > 1) words = marked(std::move(words), text(session_mark(session, 8)));
    return end_of(words, kNameColumns, page_.symbol("\u2026", ".."));
}

std::string TextWords::lane(const SessionReport& session, std::uint32_t lane) {
    for (const LaneTokens& entry : session.tokens.by_lane) {
        if (entry.lane == lane && !entry.label.empty()) return text(entry.label);
    }
    return std::to_string(lane);
}

}  // namespace agent_audit::report
