#include "report/json/json_parts.hpp"

namespace agent_audit::report {

// Points are short arrays: there are up to 128 of them in each session.
void JsonParts::drift(const DriftSeries& drift) {
    if (drift.points.empty()) return;
    json_.key("drift").begin_object();
    json_.number("turns", drift.turns);
    json_.real("peak", drift.peak);
    json_.real("last", drift.last);
    json_.key("points").begin_array();
    for (const DriftPoint& point : drift.points) {
        json_.begin_array();
        json_.number(std::uint64_t{point.turn});
        json_.number(std::uint64_t{point.line});
        json_.real(point.score);
        json_.end_array();
    }
    json_.end_array();
    if (!drift.changes.empty()) {
        json_.key("changes").begin_array();
        for (const DriftChange& change : drift.changes) {
            json_.begin_object();
            json_.number("line", change.line);
            json_.number("turn", change.turn);
            json_.text("rule", change.rule);
            json_.real("before", change.before);
            json_.real("after", change.after);
            json_.end_object();
        }
        json_.end_array();
    }
    if (!drift.reflections.empty()) {
        json_.key("reflections").begin_array();
        for (const ReflectionPoint& point : drift.reflections) {
            json_.begin_object();
            json_.number("turn", point.turn);
            json_.number("line", point.line);
            json_.real("score", point.score);
            strings("recent", point.recent, true);
            safe_text("prompt", point.prompt);
            json_.end_object();
        }
        json_.end_array();
    }
    json_.end_object();
}

}  // namespace agent_audit::report
