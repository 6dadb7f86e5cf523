#include "report/html/html_chart.hpp"

#include "report/escape/sanitize.hpp"
#include "report/words/human.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace agent_audit::report {
namespace {

// Units of the drawing, which is stretched to the width there is.
constexpr std::size_t kColumns = 960;
constexpr double kHeight = 240;
constexpr double kStripHeight = 40;  // of a picture without a curve
constexpr double kLaneHeight = 60;   // of the drift score
constexpr double kWorkHeight = 16;   // of the stretches of work
constexpr double kThinnestWork = 1.5;
constexpr std::size_t kDense = 800;    // points: a thinner line shows more of them
constexpr std::size_t kFewMarks = 60;  // as long as they are few they go from top to bottom
constexpr double kThinnestSpan = 3;    // a finding of one line is to be seen too
constexpr std::uint64_t kFarWindow =
    4;  // a window this many times as large as the fullest prompt would flatten the curve

std::uint64_t fullest(const Chart& chart) {
    std::uint64_t most = 0;
    for (const CoursePoint& point : chart.points) most = std::max(most, point.tokens);
    return most;
}

bool shows_window(const Chart& chart) {
    return chart.window > 0 && chart.has_curve() &&
           chart.window / kFarWindow <= std::max(fullest(chart), chart.least_top);
}

bool shows_level(const Chart& chart, const ChartLevel& level) {
    return level.tokens > 0 && chart.has_curve() &&
           level.tokens / kFarWindow <= std::max(fullest(chart), chart.least_top);
}

std::uint64_t top_of(const Chart& chart) {
    std::uint64_t most =
        std::max({fullest(chart), chart.least_top, shows_window(chart) ? chart.window : 0, std::uint64_t{10}});
    for (const ChartLevel& level : chart.levels) {
        if (shows_level(chart, level)) most = std::max(most, level.tokens);
    }
    return most + most / 16;
}

// Labels of one axis have one unit: 5 k, 10 k, 15 k.
std::string axis_words(std::uint64_t value, std::uint64_t most) {
    const auto in = [&](std::uint64_t unit, std::string_view name) {
        const double scaled = static_cast<double>(value) / static_cast<double>(unit);
        return value == 0 ? std::string("0") : fmt::format("{:g} {}", scaled, name);
    };
    if (most < 10'000) return thousands(value);
    return most < 10'000'000 ? in(1000, "k") : in(1'000'000, "M");
}

std::string_view class_of(ChartMark::Kind kind) {
    switch (kind) {
        case ChartMark::Kind::compaction: return "compaction";
        case ChartMark::Kind::reset: return "reset";
        case ChartMark::Kind::intervention: return "intervention";
        case ChartMark::Kind::stop: return "stop";
        case ChartMark::Kind::limit: return "limit";
    }
    return "compaction";
}

double x_of(const Chart& chart, std::uint64_t line) {
    const std::uint64_t at = std::clamp(line, chart.first_line, chart.last_line) - chart.first_line;
    const std::uint64_t all = std::max<std::uint64_t>(chart.last_line - chart.first_line, 1);
    return static_cast<double>(at) * static_cast<double>(kColumns) / static_cast<double>(all);
}

class Still {
public:
    Still(Html& html, const Chart& chart)
        : html_(html), chart_(chart), height_(chart.has_curve() ? kHeight : kStripHeight), top_(top_of(chart)) {}

    void draw() {
        html_.raw(fmt::format(R"(<div class="still{}{}{}">)", chart_.has_curve() ? "" : " strip",
                              chart_.has_lanes() ? " laned" : "", chart_.points.size() > kDense ? " dense" : ""));
        if (chart_.has_curve()) y_axis();
        html_.raw(R"(<div class="plot">)");
        picture();
        html_.raw("</div>");
        x_axis();
        html_.raw("</div>\n");
    }

private:
    double x(std::uint64_t line) const { return x_of(chart_, line); }
    double y(std::uint64_t tokens) const {
        return height_ - height_ * static_cast<double>(std::min(tokens, top_)) / static_cast<double>(top_);
    }

    void picture() {
        html_.raw(
            fmt::format(R"(<svg viewBox="0 0 {} {:.0f}" preserveAspectRatio="none" role="img")", kColumns, height_));
        html_.attribute("aria-label", chart_.described).raw(">");
        spans();
        if (chart_.has_curve()) {
            for (const std::uint64_t tick : axis_ticks(0, top_, 4)) level(tick, "grid");
            curve();
            if (shows_window(chart_)) level(chart_.window, "window");
            for (const ChartLevel& limit : chart_.levels) {
                if (shows_level(chart_, limit)) level(limit.tokens, "level");
            }
        }
        for (const ChartMark& mark : chart_.marks) {
            const double at = x(mark.line);
            const bool whole = mark.kind != ChartMark::Kind::compaction && mark.kind != ChartMark::Kind::intervention;
            html_.raw(fmt::format(R"(<line class="{}" x1="{:.1f}" x2="{:.1f}" y1="0" y2="{:.0f}"/>)",
                                  class_of(mark.kind), at, at,
                                  whole || chart_.marks.size() <= kFewMarks ? height_ : height_ / 16));
        }
        html_.raw("</svg>");
    }

    void spans() {
        for (const ChartSpan& span : chart_.spans) {
            const double from = x(span.first_line);
            const double wide = std::max(x(span.last_line) - from, kThinnestSpan);
            const double left = std::min(from, static_cast<double>(kColumns) - wide);
            html_.raw(fmt::format(R"(<rect class="span {}" x="{:.1f}" y="0" width="{:.1f}" height="{:.0f}"/>)",
                                  name(span.severity), left, wide, height_));
        }
    }

    void level(std::uint64_t tokens, std::string_view css_class) {
        html_.raw(fmt::format(R"(<line class="{}" x1="0" x2="{}" y1="{:.1f}" y2="{:.1f}"/>)", css_class, kColumns,
                              y(tokens), y(tokens)));
    }

    void curve() {
        std::string path;
        const auto points = thinned(chart_.points, chart_.first_line, chart_.last_line, kColumns);
        for (const CoursePoint& point : points) {
            path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x(point.line), y(point.tokens));
        }
        html_.raw(fmt::format(R"(<path class="area" d="{}L{:.1f} {:.0f}L{:.1f} {:.0f}Z"/>)", path,
                              x(points.back().line), height_, x(points.front().line), height_));
        html_.raw(fmt::format(R"(<path class="curve" d="{}"/>)", path));
    }

    // Words stand beside the drawing and not in it: they keep their size when it is stretched.
    void y_axis() {
        html_.raw(R"(<div class="ylabels" aria-hidden="true">)");
        for (const std::uint64_t tick : axis_ticks(0, top_, 4)) {
            html_.raw(fmt::format(R"(<span style="bottom:{:.1f}%">{}</span>)", 100 - 100 * y(tick) / height_,
                                  axis_words(tick, top_)));
        }
        html_.raw("</div>");
    }

    void x_axis() {
        html_.raw(R"(<div class="xlabels" aria-hidden="true">)");
        for (const std::uint64_t tick : axis_ticks(chart_.first_line, chart_.last_line, 5)) {
            html_.raw(fmt::format(R"(<span style="left:{:.1f}%">{}</span>)",
                                  100 * x(tick) / static_cast<double>(kColumns), thousands(tick)));
        }
        html_.raw("</div>");
    }

    Html& html_;
    const Chart& chart_;
    double height_;
    std::uint64_t top_;
};

// Lanes show the same lines as the curve above. The script moves these drawings with it and draws none of its own.
void open_lane(Html& html, std::string_view kind, std::string_view label, double height, std::string_view described) {
    html.raw(R"(<div class="lane )").raw(kind).raw(R"("><div class="ylabels" aria-hidden="true">)");
    html.raw(R"(<span class="name">)").text(label).raw("</span>");
    if (kind == "drift") html.raw(R"(<span style="bottom:0%">0</span><span style="bottom:100%">1</span>)");
    html.raw(R"(</div><div class="plot">)");
    html.raw(fmt::format(R"(<svg viewBox="0 0 {} {:.0f}" preserveAspectRatio="none" role="img")", kColumns, height));
    html.attribute("aria-label", described).raw(">");
}

void close_lane(Html& html) { html.raw("</svg></div></div>\n"); }

void draw_work(Html& html, const Chart& chart) {
    if (chart.work.empty()) return;
    open_lane(html, "work", "work", kWorkHeight, chart.work_described);
    for (const ChartWork& work : chart.work) {
        const double from = x_of(chart, work.first_line);
        const double wide = std::max(x_of(chart, work.last_line) - from, kThinnestWork);
        html.raw(fmt::format(R"(<rect class="{}" x="{:.1f}" y="0" width="{:.1f}" height="{:.0f}"/>)", name(work.kind),
                             std::min(from, static_cast<double>(kColumns) - wide), wide, kWorkHeight));
    }
    close_lane(html);
}

// Scores from 0 to 1, by line.
template <class Point>
void draw_score(Html& html, const Chart& chart, const std::vector<Point>& points, double Point::*score,
                const std::vector<std::uint64_t>& marks) {
    const auto y = [](double value) { return kLaneHeight * (1 - std::clamp(value, 0.0, 1.0)); };
    html.raw(fmt::format(R"(<line class="grid" x1="0" x2="{}" y1="{:.0f}" y2="{:.0f}"/>)", kColumns, y(0.5), y(0.5)));
    std::string path;
    for (const Point& point : points) {
        path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x_of(chart, point.line), y(point.*score));
    }
    html.raw(fmt::format(R"(<path class="below" d="{}L{:.1f} {:.0f}L{:.1f} {:.0f}Z"/><path class="score" d="{}"/>)",
                         path, x_of(chart, points.back().line), kLaneHeight, x_of(chart, points.front().line),
                         kLaneHeight, path));
    for (const std::uint64_t line : marks) {
        const double at = x_of(chart, line);
        html.raw(fmt::format(R"(<line class="departure" x1="{:.1f}" x2="{:.1f}" y1="0" y2="{:.0f}"/>)", at, at,
                             kLaneHeight));
    }
}

void draw_lanes(Html& html, const Chart& chart) {
    draw_work(html, chart);
    if (!chart.drift.empty()) {
        open_lane(html, "drift", "drift", kLaneHeight, chart.drift_described);
        draw_score(html, chart, chart.drift, &DriftPoint::score, chart.departures);
        close_lane(html);
    }
    for (const ChartSeries& series : chart.similarity) {
        open_lane(html, "near", series.measure, kLaneHeight, series.described);
        const std::vector<std::uint64_t> drops(series.drop_line > 0 ? 1 : 0, series.drop_line);
        draw_score(html, chart, series.points, &SimilarityPoint::value, drops);
        close_lane(html);
    }
}

bool any_span(const Chart& chart, Severity severity) {
    return std::ranges::find(chart.spans, severity, &ChartSpan::severity) != chart.spans.end();
}

bool any_mark(const Chart& chart, ChartMark::Kind kind) {
    return std::ranges::find(chart.marks, kind, &ChartMark::kind) != chart.marks.end();
}

// What the shades and lines mean; only those that occur.
void legend(Html& html, const Chart& chart) {
    html.raw(R"(<ul class="legend">)");
    const auto entry = [&](std::string_view key, std::string_view words) {
        html.raw(R"(<li><span class="key )").raw(key).raw(R"("></span>)").text(words).raw("</li>");
    };
    if (chart.has_curve()) entry("curve", "tokens in the prompt");
    if (shows_window(chart)) entry("window", "window of " + thousands(chart.window));
    for (const ChartLevel& level : chart.levels) {
        if (shows_level(chart, level)) entry("level", level.words + ", " + thousands(level.tokens));
    }
    if (any_mark(chart, ChartMark::Kind::limit)) entry("limit", "limit passed");
    if (any_mark(chart, ChartMark::Kind::compaction)) entry("compaction", "compaction");
    if (any_mark(chart, ChartMark::Kind::reset)) entry("reset", "suggested reset");
    if (any_mark(chart, ChartMark::Kind::intervention)) entry("intervention", "intervention");
    if (any_mark(chart, ChartMark::Kind::stop)) entry("stop", "stop");
    for (std::size_t i = 0; i < kActivities; ++i) {
        const auto kind = static_cast<Activity>(i);
        if (std::ranges::find(chart.work, kind, &ChartWork::kind) != chart.work.end()) entry(name(kind), name(kind));
    }
    if (!chart.drift.empty()) entry("score", "drift score, 0 to 1");
    if (!chart.departures.empty()) entry("departure", "left its goal");
    if (!chart.similarity.empty()) entry("near", "nearness to the goal, 0 to 1");
    for (const Severity severity : {Severity::error, Severity::warning, Severity::info}) {
        if (any_span(chart, severity)) entry(name(severity), fmt::format("{} here", name(severity)));
    }
    html.raw("</ul>");
}

}  // namespace

std::vector<std::uint64_t> axis_ticks(std::uint64_t least, std::uint64_t most, std::size_t wanted) {
    const std::uint64_t room = most > least ? most - least : 1;
    std::uint64_t step = 1;
    for (std::uint64_t unit = 1;; unit *= 10) {
        bool found = false;
        for (const std::uint64_t times : {1u, 2u, 5u}) {
            step = unit * times;
            if ((found = room / step <= wanted)) break;
        }
        if (found || unit > most / 10) break;
    }
    std::vector<std::uint64_t> ticks;
    for (std::uint64_t tick = least / step * step; tick <= most; tick += step) {
        if (tick >= least) ticks.push_back(tick);
        if (most - tick < step) break;  // the next one may not fit into 64 bits
    }
    return ticks;
}

std::vector<CoursePoint> thinned(const std::vector<CoursePoint>& points, std::uint64_t first_line,
                                 std::uint64_t last_line, std::size_t columns) {
    if (points.size() <= 2 * columns) return points;
    const auto room = static_cast<double>(std::max<std::uint64_t>(last_line - std::min(first_line, last_line), 1));
    const auto column_of = [&](const CoursePoint& point) {
        return static_cast<std::size_t>(static_cast<double>(point.line - std::min(point.line, first_line)) *
                                        static_cast<double>(columns - 1) / room);
    };
    std::vector<CoursePoint> kept;
    for (std::size_t begin = 0; begin < points.size();) {
        std::size_t end = begin, low = begin, high = begin;
        const std::size_t column = column_of(points[begin]);
        for (; end < points.size() && column_of(points[end]) == column; ++end) {
            if (points[end].tokens < points[low].tokens) low = end;
            if (points[end].tokens > points[high].tokens) high = end;
        }
        kept.push_back(points[std::min(low, high)]);
        if (low != high) kept.push_back(points[std::max(low, high)]);
        begin = end;
    }
    return kept;
}

void draw_chart(Html& html, const Chart& chart, std::size_t number) {
    const bool drawn = chart.first_line < chart.last_line;  // a session on one line has no course over lines
    if (drawn) {
        html.raw(fmt::format(R"(<figure class="chart" data-chart="{}">)", number)).raw("\n");
        Still(html, chart).draw();
        draw_lanes(html, chart);
        legend(html, chart);
    } else {
        html.raw(R"(<figure class="chart">)");
    }
    html.open("figcaption").text(chart.described).raw(" ");
    if (!chart.work_described.empty()) html.text(chart.work_described).raw(" ");
    if (!chart.drift_described.empty()) html.text(chart.drift_described).raw(" ");
    html.raw(drawn ? fmt::format("Over the {}s of the recording.", chart.lines.noun())
                   : fmt::format("All on one {} of the recording: there is nothing to draw.", chart.lines.noun()));
    html.raw("</figcaption></figure>\n");
}

void write_chart_data(Html& html, const Chart& chart) {
    html.raw(fmt::format(R"({{"of":"{}","from":{},"to":{},"top":{},"window":{},"curve":[)", chart.lines.noun(),
                         chart.first_line, chart.last_line, top_of(chart), shows_window(chart) ? chart.window : 0));
    std::string_view comma;
    if (chart.has_curve()) {
        for (const CoursePoint& point : chart.points) {
            html.raw(comma).raw(fmt::format("[{},{}]", point.line, point.tokens));
            comma = ",";
        }
    }
    html.raw(R"(],"spans":[)");
    comma = {};
    for (const ChartSpan& span : chart.spans) {
        html.raw(comma).raw(fmt::format(R"({{"from":{},"to":{},"level":"{}","rule":{}}})", span.first_line,
                                        span.last_line, name(span.severity), json_in_html(span.rule)));
        comma = ",";
    }
    html.raw(R"(],"marks":[)");
    comma = {};
    for (const ChartMark& mark : chart.marks) {
        html.raw(comma).raw(fmt::format(R"({{"line":{},"kind":"{}"}})", mark.line, class_of(mark.kind)));
        comma = ",";
    }
    html.raw(R"(],"drift":[)");
    comma = {};
    for (const DriftPoint& point : chart.drift) {
        html.raw(comma).raw(fmt::format("[{},{:.2f}]", point.line, std::clamp(point.score, 0.0, 1.0)));
        comma = ",";
    }
    html.raw(R"(],"levels":[)");
    comma = {};
    for (const ChartLevel& level : chart.levels) {
        if (!shows_level(chart, level)) continue;
        html.raw(comma).number(level.tokens);
        comma = ",";
    }
    html.raw(R"(],"work":[)");
    comma = {};
    for (const ChartWork& work : chart.work) {
        html.raw(comma).raw(fmt::format(R"([{},{},"{}"])", work.first_line, work.last_line, name(work.kind)));
        comma = ",";
    }
    html.raw("]}");
}

std::string json_in_html(std::string_view text) {
    std::string out = "\"";
    for (const char c : visible(text)) {
        if (c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' || c == '\'' || c == '[') {
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
        } else {
            out += c;  // visible() has left no control, and neither U+2028 nor U+2029
        }
    }
    return out += '"';
}

}  // namespace agent_audit::report
