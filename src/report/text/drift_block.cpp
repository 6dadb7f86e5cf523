#include "report/text/drift_block.hpp"

#include "report/words/goal_words.hpp"
#include "report/words/human.hpp"
#include "report/words/line_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace agent_audit::report {
namespace {

constexpr int kLabel = 10;
constexpr std::size_t kMarks = 48;  // of one line
constexpr std::size_t kShownSessions = 5;
constexpr std::size_t kShownChanges = 4;

std::string marks_of(const DriftSeries& drift, bool unicode) {
    constexpr std::array<std::string_view, 8> kBlocks{"\u2581", "\u2582", "\u2583", "\u2584",
                                                      "\u2585", "\u2586", "\u2587", "\u2588"};
    const std::size_t each = (drift.points.size() + kMarks - 1) / kMarks;
    std::string marks;
    for (std::size_t i = 0; i < drift.points.size(); i += each) {
        double score = 0;
        for (std::size_t k = i; k < std::min(i + each, drift.points.size()); ++k)
            score = std::max(score, drift.points[k].score);
        const auto level = static_cast<std::size_t>(std::clamp(score, 0.0, 1.0) * 7.999);
        if (unicode) {
            marks += kBlocks[level];
        } else {
            marks += static_cast<char>('0' + std::min<std::size_t>(9, static_cast<std::size_t>(score * 10)));
        }
    }
    return marks;
}

// Nothing where it would be "0.00 to 0.00": a rule dates a departure by what was said, however the score moves.
std::string step_words(const DriftChange& change) {
    constexpr double kSeen = 0.005;
    return std::abs(change.after - change.before) < kSeen
               ? std::string()
               : fmt::format("{:.2f} to {:.2f}, ", change.before, change.after);
}

void draw_session(Page& page, const SessionReport& session, TextWords& words, bool named, bool all) {
    const DriftSeries& drift = session.drift;
    const LineWords lines(session);
    std::string line = marks_of(drift, page.options().unicode);
    line += fmt::format(" highest {:.2f}, at the end {:.2f}, {}", drift.peak, drift.last,
                        responses_of(session, drift.turns));
    if (named) line += " of " + words.session(session);
    page.labelled(2, kLabel, "score", line);
    std::size_t shown = 0;
    for (const DriftChange& change : drift.changes) {
        if (!all && shown == kShownChanges) {
            page.labelled(2, kLabel, "", fmt::format("and {} more (all with -v)", drift.changes.size() - shown));
            break;
        }
        ++shown;
        page.labelled(2, kLabel, "point",
                      fmt::format("{} (response {}): {}{}", lines.one(change.line), change.turn, step_words(change),
                                  words.text(change.rule)));
    }
    for (const ReflectionPoint& point : drift.reflections) {
        if (page.gone()) return;
        page.labelled(2, kLabel, "reflect",
                      fmt::format("response {}, {}, score {:.2f}: still on track?", point.turn, lines.one(point.line),
                                  point.score));
        for (const std::string& did : point.recent) page.labelled(4, kLabel, "did", words.text(did));
        std::string_view rest = point.prompt;
        for (std::string_view label = "prompt"; !rest.empty(); label = "") {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            page.labelled(4, kLabel, label, words.text(rest.substr(0, end)));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
}

}  // namespace

void draw_drift(Page& page, const Report& report, TextWords& words, bool all) {
    std::vector<std::size_t> sessions;
    for (std::size_t i = 0; i < report.sessions.size(); ++i) {
        const SessionReport session = report.sessions[i];
        if (session.housekeeping || session.drift.points.empty()) continue;
        if (all || !session.drift.changes.empty() || !session.drift.reflections.empty()) sessions.push_back(i);
    }
    if (sessions.empty()) return;
    page.blank();
    page.heading(
        {{"Drift", Style::bold}, {"how far the work was from its goal, 0 to 1, response by response", Style::dim}});
    const bool named = report.sessions.size() > 1;
    std::size_t shown = 0;
    for (const std::size_t session : sessions) {
        if (page.gone()) return;
        if (!all && shown == kShownSessions) {
            page.paragraph(2, fmt::format("and {} more with drift points (all with -v)", sessions.size() - shown),
                           Style::dim);
            return;
        }
        ++shown;
        draw_session(page, report.sessions[session], words, named, all);
    }
}

}  // namespace agent_audit::report
