#include "report/json/json_parts.hpp"

#include <cmath>

namespace agent_audit::report {
namespace {

double rounded(double value) { return std::round(value * 1000) / 1000; }

}  // namespace

void JsonParts::goal(const SessionGoal& goal) {
    if (!goal.known()) return;
    json_.key("goal").begin_object();
    safe_text("text", goal.text);
    json_.known_number("line", goal.line);
    if (goal.given) json_.flag("given", true);
    json_.number("messages", goal.messages);
    if (goal.latest_line > 0) {
        safe_text("latest", goal.latest);
        json_.number("latest_line", goal.latest_line);
    }
    if (!goal.paths.empty()) {
        json_.key("paths").begin_array();
        for (const std::string& path : goal.paths) json_.text(redact_.word(path, goal.text));
        json_.end_array();
    }
    if (!goal.limits.empty()) {
        json_.key("limits").begin_array();
        for (const StatedLimit& limit : goal.limits) {
            json_.begin_object();
            json_.text("of", name(limit.what));
            json_.number("most", limit.most);
            json_.number("used", limit.used);
            json_.known_number("line", limit.line);
            json_.known_number("passed_line", limit.passed_line);
            safe_text("sentence", limit.sentence);
            json_.end_object();
        }
        json_.end_array();
    }
    if (!goal.measures.empty()) {
        json_.key("success").begin_array();
        for (const StatedMeasure& measure : goal.measures) {
            json_.begin_object();
            json_.text("measure", name(measure.what));
            json_.known_number("line", measure.line);
            safe_text("sentence", measure.sentence);
            json_.end_object();
        }
        json_.end_array();
    }
    if (!goal.rules.empty()) {
        json_.key("rules").begin_array();
        for (const StatedRule& rule : goal.rules) {
            json_.begin_object();
            json_.text("kind", name(rule.kind));
            if (!rule.target.empty()) json_.text("target", redact_.word(rule.target, rule.sentence));
            json_.known_number("line", rule.line);
            safe_text("sentence", rule.sentence);
            json_.end_object();
        }
        json_.end_array();
    }
    json_.end_object();
}

void JsonParts::activity(const ActivityCourse& activity) {
    if (activity.segments.empty()) return;
    json_.key("activity").begin_object();
    json_.key("segments").begin_array();
    for (const ActivitySegment& segment : activity.segments) {
        json_.begin_object();
        json_.text("activity", name(segment.activity));
        json_.number("first_line", segment.first_line);
        json_.number("last_line", segment.last_line);
        json_.number("first_turn", segment.first_turn);
        json_.number("last_turn", segment.last_turn);
        json_.number("turns", segment.turns);
        json_.number("calls", segment.calls);
        json_.end_object();
    }
    json_.end_array();
    json_.known_number("more", activity.more);
    json_.end_object();
}

void JsonParts::similarity(const std::vector<SimilaritySeries>& all) {
    if (all.empty()) return;
    json_.key("similarity").begin_array();
    for (const SimilaritySeries& series : all) {
        json_.begin_object();
        json_.text("measure", series.measure);
        safe_text("source", series.source);
        json_.number("goal_line", series.goal_line);
        json_.number("turns", series.turns);
        json_.real("mean", rounded(series.mean));
        json_.real("lowest", rounded(series.lowest));
        json_.number("lowest_line", series.lowest_line);
        json_.key("points").begin_array();
        for (const SimilarityPoint& point : series.points) {
            json_.begin_array();
            json_.number(point.line);
            json_.real(rounded(point.value));
            json_.end_array();
        }
        json_.end_array();
        if (series.drop.line > 0) {
            json_.key("drop").begin_object();
            json_.number("line", series.drop.line);
            json_.real("before", rounded(series.drop.before));
            json_.real("after", rounded(series.drop.after));
            json_.real("weight", rounded(series.drop.weight));
            json_.end_object();
        }
        json_.end_object();
    }
    json_.end_array();
}

}  // namespace agent_audit::report
