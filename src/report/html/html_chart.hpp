#pragma once

#include "report/html/html_writer.hpp"
#include "report/words/line_words.hpp"

#include <agent_audit/model/activity.hpp>
#include <agent_audit/model/course.hpp>
#include <agent_audit/model/drift.hpp>
#include <agent_audit/model/severity.hpp>
#include <agent_audit/model/similarity.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace agent_audit::report {

/// A stretch of the recording in which a finding lies.
struct ChartSpan {
    std::uint64_t first_line = 0, last_line = 0;
    Severity severity = Severity::info;
    std::string rule;
};

/// A line in the picture that stands for one record.
struct ChartMark {
    enum class Kind : std::uint8_t { compaction, reset, intervention, stop, limit };
    Kind kind = Kind::compaction;
    std::uint64_t line = 0;
};

/// A figure of tokens that a prompt should not pass: a line across the curve.
struct ChartLevel {
    std::uint64_t tokens = 0;
    std::string words;
};

/// A stretch of one kind of work.
struct ChartWork {
    std::uint64_t first_line = 0, last_line = 0;
    Activity kind = Activity::explore;
};

/// How near to the goal what was said is, by one measure: a lane below the curve.
struct ChartSeries {
    std::string measure;
    std::vector<SimilarityPoint> points;  ///< by line
    std::uint64_t drop_line = 0;          ///< where it falls for good; 0 = nowhere
    std::string described;
};

/// What a picture of one conversation shows, over the lines of its recording.
struct Chart {
    std::vector<CoursePoint> points;  ///< by line; without any there is no curve, only where findings and marks lie
    std::uint64_t first_line = 1, last_line = 1;
    LineWords lines;              ///< what those are called
    std::uint64_t window = 0;     ///< 0 = unknown
    std::uint64_t least_top = 0;  ///< the axis goes at least so far: pictures side by side have one scale
    std::vector<ChartSpan> spans;
    std::vector<ChartMark> marks;
    std::string described;                  ///< what the picture shows, in words
    std::vector<DriftPoint> drift;          ///< by line; drawn as a lane below, over the same lines
    std::vector<std::uint64_t> departures;  ///< lines of the explained change points of the score
    std::string drift_described;            ///< what the lane shows, in words
    std::vector<ChartLevel> levels;
    std::vector<ChartWork> work;  ///< by line; a lane below
    std::string work_described;
    std::vector<ChartSeries> similarity;  ///< a lane each

    bool has_lanes() const { return !drift.empty() || !work.empty() || !similarity.empty(); }
    bool has_curve() const { return points.size() > 1; }
};

/// Round figures from 0 to `most` for an axis, at least two and about `wanted`.
std::vector<std::uint64_t> axis_ticks(std::uint64_t least, std::uint64_t most, std::size_t wanted);

/// Points for a picture of `columns` pixels: the lowest and the highest of each column, in their order.
std::vector<CoursePoint> thinned(const std::vector<CoursePoint>& points, std::uint64_t first_line,
                                 std::uint64_t last_line, std::size_t columns);

/// The picture as it is without a script. `number` counts the charts of the page: the script finds by it what to draw.
void draw_chart(Html& html, const Chart& chart, std::size_t number);

/// The same as data for the script: one JSON object that can stand in an element.
void write_chart_data(Html& html, const Chart& chart);

/// `text` as a JSON string in which nothing can end the element around it.
std::string json_in_html(std::string_view text);

}  // namespace agent_audit::report
