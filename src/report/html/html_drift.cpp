#include "report/html/html_drift.hpp"

#include "report/html/html_table.hpp"
#include "report/words/goal_words.hpp"
#include "report/words/human.hpp"
#include "report/words/line_words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace agent_audit::report {
namespace {

constexpr std::size_t kScoreRows = 32;  // a row stands for several responses where there are more: the highest of them
constexpr std::size_t kChangeRows = 50;

std::string score_words(double score) { return fmt::format("{:.2f}", std::clamp(score, 0.0, 1.0)); }

void draw_changes(Html& html, const DriftSeries& drift, const LineWords& lines, FindingWords& words,
                  const std::function<std::string(std::string_view)>& rule_anchor) {
    HtmlTable table("Where the work left its goal", {{std::string(lines.noun())},
                                                     {"response"},
                                                     {"score before"},
                                                     {"score after"},
                                                     {"rule that explains it", false}});
    for (std::size_t i = 0; i < std::min(drift.changes.size(), kChangeRows); ++i) {
        const DriftChange& change = drift.changes[i];
        table.row_of({{thousands(change.line)},
                      {thousands(change.turn)},
                      {score_words(change.before)},
                      {score_words(change.after)},
                      {words.line(change.rule), rule_anchor(change.rule)}});
    }
    table.draw(html);
    if (drift.changes.size() > kChangeRows)
        html.element("p", fmt::format("and {} more", thousands(drift.changes.size() - kChangeRows)), "dim");
}

void draw_scores(Html& html, const DriftSeries& drift, const LineWords& lines) {
    const std::size_t each = (drift.points.size() + kScoreRows - 1) / kScoreRows;
    HtmlTable table("Drift score by response, 0 at the goal to 1 with nothing in common with it",
                    {{"response"}, {std::string(lines.noun())}, {"score", false}});
    for (std::size_t i = 0; i < drift.points.size(); i += each) {
        const auto begin = drift.points.begin() + static_cast<std::ptrdiff_t>(i);
        const auto end = begin + static_cast<std::ptrdiff_t>(std::min(each, drift.points.size() - i));
        const DriftPoint& highest =
            *std::max_element(begin, end, [](const DriftPoint& a, const DriftPoint& b) { return a.score < b.score; });
        table.row_of({{thousands(highest.turn)},
                      {thousands(highest.line)},
                      {score_words(highest.score), {}, std::clamp(highest.score, 0.0, 1.0)}});
    }
    html.raw("<details><summary>Drift score in figures</summary>");
    if (each > 1 || drift.turns > drift.points.size())
        html.element("p", "Of neighbouring responses the highest is shown.", "dim");
    table.draw(html);
    html.raw("</details>\n");
}

// Line ends as references: at the start of a line of the file a CI runner would look for commands.
void draw_lines(Html& html, const std::string& text, FindingWords& words) {
    html.raw("<pre>");
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        html.text(words.line(std::string_view(text).substr(at, end - at))).raw("&#10;");
        at = end + 1;
    }
    html.raw("</pre>\n");
}

void draw_reflections(Html& html, const DriftSeries& drift, const LineWords& lines, FindingWords& words) {
    if (drift.reflections.empty()) return;
    html.raw("<details><summary>")
        .text(count_of(drift.reflections.size(), "reflection"))
        .text(": still on track?")
        .raw("</summary>");
    for (const ReflectionPoint& point : drift.reflections) {
        if (html.gone()) break;
        html.element("h4", fmt::format("Response {}, {}, score {}", thousands(point.turn), lines.grouped(point.line),
                                       score_words(point.score)));
        if (!point.recent.empty()) {
            html.raw("<ul>");
            for (const std::string& did : point.recent) html.element("li", words.line(did));
            html.raw("</ul>");
        }
        draw_lines(html, point.prompt, words);
    }
    html.raw("</details>\n");
}

}  // namespace

std::string drift_words(const SessionReport& session) {
    const DriftSeries& drift = session.drift;
    if (drift.points.empty()) return {};
    const auto highest = std::ranges::max_element(drift.points, {}, &DriftPoint::score);
    std::string words =
        fmt::format("Drift score over {}: {} at most ({}), {} at the end", responses_of(session, drift.turns),
                    score_words(highest->score), LineWords(session).grouped(highest->line), score_words(drift.last));
    if (!drift.changes.empty()) words += fmt::format("; {} marked", count_of(drift.changes.size(), "departure"));
    return words + ".";
}

void draw_drift_tables(Html& html, const SessionReport& session, FindingWords& words,
                       const std::function<std::string(std::string_view)>& rule_anchor) {
    const DriftSeries& drift = session.drift;
    if (drift.points.empty()) return;
    const LineWords lines(session);
    draw_changes(html, drift, lines, words, rule_anchor);
    draw_scores(html, drift, lines);
    draw_reflections(html, drift, lines, words);
}

}  // namespace agent_audit::report
