#include "report/text/goal_block.hpp"

#include "report/words/goal_words.hpp"
#include "report/words/human.hpp"
#include "report/words/line_words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace agent_audit::report {
namespace {

constexpr int kLabel = 10;
constexpr std::size_t kShownSegments = 40;

class Block {
public:
    Block(Page& page, TextWords& words, const LineWords& lines) : page_(page), words_(words), lines_(lines) {}

    void goal(const SessionGoal& goal, const std::string& of) {
        if (!goal.known()) return;
        const auto at_line = [this](std::uint64_t said) { return said > 0 ? lines_.one(said) : "given for the run"; };
        line("goal", fmt::format("{} ({}, {}){}", words_.text(goal_line(goal.text)), at_line(goal.line),
                                 count_of(goal.messages, "human message"), of));
        if (goal.latest_line > 0)
            line("latest", fmt::format("{} ({})", words_.text(goal_line(goal.latest)), at_line(goal.latest_line)));
        for (const StatedLimit& limit : goal.limits) {
            line("limit",
                 fmt::format("at most {} ({}): {} used{}", limit_amount(limit, limit.most), at_line(limit.line),
                             limit.used, limit.passed_line > 0 ? ", passed at " + lines_.one(limit.passed_line) : ""));
        }
        for (const StatedMeasure& measure : goal.measures) {
            line("success",
                 fmt::format("{}: {} ({})", name(measure.what), words_.text(measure.sentence), at_line(measure.line)));
        }
        for (const std::string& rule : rule_lines(goal, words_, at_line)) line("rule", rule);
    }

    void course(const SessionReport& session, const std::string& of) {
        const ActivityCourse& activity = session.activity;
        if (activity.segments.empty()) return;
        std::string text;
        std::uint64_t more = activity.more;
        for (std::size_t i = 0; i < activity.segments.size(); ++i) {
            if (i == kShownSegments) {
                more += activity.segments.size() - i;
                break;
            }
            const ActivitySegment& segment = activity.segments[i];
            if (i > 0) text += ", ";
            text += fmt::format("{} {}-{} ({})", name(segment.activity), segment.first_line, segment.last_line,
                                count_of(segment.turns, "response"));
        }
        if (more > 0) text += fmt::format(", and {} more", more);
        if (has_sub_agents(session)) text += ", all of the main conversation";
        line("course", text + of);
    }

private:
    void line(std::string_view label, const std::string& text) { page_.labelled(2, kLabel, label, text); }

    Page& page_;
    TextWords& words_;
    LineWords lines_;
};

}  // namespace

void draw_goals(Page& page, const Report& report, TextWords& words) {
    const bool named = report.sessions.size() > 1;
    bool begun = false;
    for (const SessionReport& session : report.sessions) {
        if (page.gone()) return;
        if (session.housekeeping || (!session.goal.known() && session.activity.segments.empty())) continue;
        if (!begun) {
            page.blank();
            page.heading({{"Goals", Style::bold},
                          {"what the sessions were for, and the lines of each kind of work", Style::dim}});
            begun = true;
        }
        const std::string of = named ? " of " + words.session(session) : std::string();
        Block block(page, words, LineWords(session));
        block.goal(session.goal, of);
        block.course(session, session.goal.known() ? std::string() : of);
    }
}

void draw_similarity(Page& page, const Report& report, TextWords& words, bool all) {
    constexpr std::size_t kShownSessions = 5;
    constexpr int kMeasure = 14;
    const bool named = report.sessions.size() > 1;
    std::size_t shown = 0, left = 0;
    for (const SessionReport& session : report.sessions) {
        if (page.gone()) return;
        if (session.similarity.empty()) continue;
        if (!all && shown == kShownSessions) {
            ++left;
            continue;
        }
        if (shown++ == 0) {
            page.blank();
            page.heading(
                {{"Similarity", Style::bold}, {"of what was said to the goal; evidence, no finding", Style::dim}});
        }
        const LineWords lines(session);
        for (const SimilaritySeries& series : session.similarity) {
            std::string text = fmt::format("{:.2f} on average, lowest {:.2f} at {}, {}", series.mean, series.lowest,
                                           lines.one(series.lowest_line), count_of(series.turns, "message"));
            if (series.drop.line > 0) {
                text += fmt::format("; falls for good at {} ({:.2f} to {:.2f})", lines.one(series.drop.line),
                                    series.drop.before, series.drop.after);
            }
            if (!series.source.empty()) text += fmt::format(" ({})", words.text(series.source));
            if (named) text += " of " + words.session(session);
            page.labelled(2, kMeasure, words.text(goal_line(series.measure)), text);
        }
    }
    if (left > 0) page.paragraph(2, fmt::format("and {} more sessions (all with -v)", left), Style::dim);
}

}  // namespace agent_audit::report
