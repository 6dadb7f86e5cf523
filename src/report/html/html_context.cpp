#include "report/html/html_context.hpp"

#include "report/html/html_drift.hpp"
#include "report/html/html_goal.hpp"
#include "report/html/html_table.hpp"
#include "report/html/html_treemap.hpp"
#include "report/words/context_part.hpp"
#include "report/words/human.hpp"
#include "report/words/share.hpp"
#include "report/words/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace agent_audit::report {
namespace {

constexpr std::size_t kSpans = 400, kResets = 100, kDepartures = 100;  // drawn in one picture, the worst findings first
constexpr double kMapAspect = 3.2;                                     // of the tiles on a wide page
constexpr double kLeastNamedTile = 1.5;                                // percent of the picture

const LaneContext* context_of(const SessionReport& session, std::uint32_t lane) {
    const auto found = std::ranges::find(session.context.lanes, lane, &LaneContext::lane);
    return found == session.context.lanes.end() ? nullptr : &*found;
}

std::string describe(const Chart& chart, const LaneCourse* course, const LaneContext* context) {
    std::vector<std::string> words;
    if (course && chart.has_curve()) {
        const auto peak = std::ranges::max_element(course->points, {}, &CoursePoint::tokens);
        words.push_back(fmt::format("The prompts of {} went from {} to {} tokens, {} at most ({})",
                                    count_of(course->requests, "request"), thousands(course->points.front().tokens),
                                    thousands(course->points.back().tokens), thousands(peak->tokens),
                                    chart.lines.grouped(peak->line)));
        if (chart.window > 0) {
            words.back() += fmt::format(", {} of the window of {}", percent(share_of(peak->tokens, chart.window)),
                                        thousands(chart.window));
        }
    } else {
        words.emplace_back("No lengths of prompts are recorded");
    }
    if (course && course->marks.size() + course->more_marks > 0) {
        words.push_back(count_of(course->marks.size() + course->more_marks, "compaction"));
        if (context && context->freed > 0) words.back() += fmt::format(" freed {} tokens", thousands(context->freed));
    }
    if (!chart.spans.empty()) words.push_back(count_of(chart.spans.size(), "finding") + " shaded");
    return join(words, "; ") + ".";
}

void add_findings(Chart& chart, const SessionReport& session, const std::vector<const Finding*>& findings,
                  std::uint32_t lane) {
    std::set<std::uint64_t> resets;
    if (lane == 0) {
        for (const ResetSuggestion& reset : session.resets) {
            if (reset.line > 0 && resets.size() < kResets) resets.insert(reset.line);
        }
    }
    const bool weighed = !resets.empty();  // what findings say of resets went into these
    for (const Finding* f : findings) {
        if (f->lane != lane || chart.spans.size() == kSpans) continue;
        chart.spans.push_back({f->first_line, f->last_line, f->severity, f->rule});
        if (f->rule == "budget/limits") chart.marks.push_back({ChartMark::Kind::limit, f->first_line});
        if (!weighed && f->reset_line && f->severity != Severity::info && resets.size() < kResets)
            resets.insert(*f->reset_line);
    }
    for (const std::uint64_t line : resets) chart.marks.push_back({ChartMark::Kind::reset, line});
}

// Only main conversations have a goal, and so a score.
void add_drift(Chart& chart, const SessionReport& session) {
    const DriftSeries& drift = session.drift;
    chart.drift = drift.points;
    std::ranges::stable_sort(chart.drift, {}, &DriftPoint::line);
    for (std::size_t i = 0; i < std::min(drift.changes.size(), kDepartures); ++i)
        chart.departures.push_back(drift.changes[i].line);
    chart.drift_described = drift_words(session);
}

Chart chart_of(const SessionReport& session, std::uint32_t lane, const LaneCourse* course,
               const std::vector<const Finding*>& findings, FindingWords& words) {
    Chart chart;
    chart.lines = LineWords(session);
    const LaneContext* context = context_of(session, lane);
    if (course) {
        chart.points = course->points;
        std::ranges::stable_sort(chart.points, {}, &CoursePoint::line);
        for (const CourseMark& mark : course->marks) chart.marks.push_back({ChartMark::Kind::compaction, mark.line});
    }
    if (context) chart.window = context->window;
    add_findings(chart, session, findings, lane);
    if (lane == 0 && !session.housekeeping) {
        add_drift(chart, session);
        add_course(chart, session, words);
    }
    add_limits(chart, words.report());
    chart.first_line = session.first_line;
    chart.last_line = session.last_line;
    if (lane != 0 && chart.has_curve()) {  // a sub-agent's part of the recording, and no more
        chart.first_line = chart.points.front().line;
        chart.last_line = chart.points.back().line;
    }
    for (const ChartSpan& span : chart.spans) {
        chart.first_line = std::min(chart.first_line, span.first_line);
        chart.last_line = std::max(chart.last_line, span.last_line);
    }
    chart.described = describe(chart, course, context);
    return chart;
}

// ---- what fills a prompt -------------------------------------------------------------------------------------

struct Filler {
    std::string name;
    std::uint64_t tokens = 0;
    std::string_view kind;  // a class of the style sheet
};

// Parts, with the results of tools told apart as far as they are known.
std::vector<Filler> fillers_of(const LaneContext& lane, FindingWords& words) {
    std::vector<Filler> fillers;
    std::uint64_t rest = lane.parts[static_cast<std::size_t>(ContextPart::results)];
    for (const ContextUser& tool : lane.tools) {
        const std::uint64_t tokens = std::min(tool.tokens, rest);
        fillers.push_back({"results of " + words.line(tool.name), tokens, "tool"});
        rest -= tokens;
    }
    for (std::size_t i = 0; i < kContextParts; ++i) {
        const auto part = static_cast<ContextPart>(i);
        const bool results = part == ContextPart::results;
        std::string words_for_part(words_of(part, lane));
        if (results && !lane.tools.empty()) words_for_part = "results of other tools";
        fillers.push_back({std::move(words_for_part), results ? rest : lane.parts[i], results ? "tool" : name(part)});
    }
    std::erase_if(fillers, [](const Filler& filler) { return filler.tokens == 0; });
    std::ranges::stable_sort(fillers, std::greater<>{}, &Filler::tokens);
    return fillers;
}

// The table beside it says the same in words, so that nobody needs to see the tiles.
void draw_map(Html& html, const std::vector<Filler>& fillers) {
    std::vector<std::uint64_t> weights;
    for (const Filler& filler : fillers) weights.push_back(filler.tokens);
    const std::vector<TreemapTile> tiles = treemap(weights, kMapAspect);
    html.raw(R"(<div class="treemap" aria-hidden="true">)");
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        const TreemapTile& tile = tiles[i];
        html.raw(fmt::format(R"(<div class="tile {}" style="left:{:.2f}%;top:{:.2f}%;width:{:.2f}%;height:{:.2f}%")",
                             fillers[i].kind, tile.left, tile.top, tile.width, tile.height));
        html.attribute("title", fmt::format("{}: {} tokens", fillers[i].name, thousands(fillers[i].tokens)))
            .raw("><span>");
        if (tile.width * tile.height / 100 >= kLeastNamedTile) html.text(fillers[i].name);
        html.raw("</span></div>");
    }
    html.raw("</div>\n");
}

void users_table(Html& html, const LaneContext& lane, const std::vector<ContextUser>& users, std::string caption,
                 std::string column, FindingWords& words) {
    HtmlTable table(std::move(caption), {{std::move(column), false}, {"tokens"}, {"of the prompt"}, {"results"}});
    for (const ContextUser& user : users) {
        const double part = share_of(user.tokens, lane.peak);
        table.row_of(
            {{words.line(user.name)}, {thousands(user.tokens)}, {percent(part), {}, part}, {thousands(user.results)}});
    }
    table.draw(html);
}

std::string cache_words(const LaneContext& lane) {
    if (lane.cache_read == 0) return {};
    std::string text = percent(share_of(lane.cache_read, lane.prompt)) + " of all prompts were read from it";
    std::uint64_t misses = 0, tokens = 0;
    std::vector<std::string> reasons;
    for (std::size_t i = 1; i < kCacheMisses; ++i) {
        if (lane.misses[i] == 0) continue;
        misses += lane.misses[i];
        tokens += lane.missed_tokens[i];
        reasons.push_back(fmt::format("{} {}", name(static_cast<CacheMiss>(i)), thousands(lane.misses[i])));
    }
    if (misses == 0) return text;
    return text + fmt::format("; {} sent {} tokens again ({})", count_of(misses, "miss", "misses"), short_count(tokens),
                              join(reasons, ", "));
}

void lane_facts(Html& html, const LaneContext& lane) {
    std::vector<std::pair<std::string, std::string>> facts;
    if (lane.requests > 1) {
        facts.emplace_back("growth",
                           fmt::format("{} tokens a request on average", thousands(lane.grown / (lane.requests - 1))));
    }
    if (lane.rereads > 0) {
        facts.emplace_back("read again",
                           fmt::format("{} brought what the window held already, about {} tokens",
                                       count_of(lane.rereads, "reading"), short_count(lane.reread_tokens)));
    }
    if (lane.compactions > 0) {
        facts.emplace_back("compacted",
                           count_of(lane.compactions, "time") +
                               (lane.freed > 0 ? fmt::format(", {} tokens freed", thousands(lane.freed)) : "") +
                               std::string(unheld_words(lane)));
    }
    facts.emplace_back("cache", cache_words(lane));
    draw_facts(html, facts);
}

void draw_lane(Html& html, const LaneContext& lane, const LineWords& lines, FindingWords& words) {
    const std::vector<Filler> fillers = fillers_of(lane, words);
    html.element(
        "p",
        fmt::format("{} tokens{}, at {}. Shares are estimated from the sizes of texts.", thousands(lane.peak),
                    lane.window > 0 ? fmt::format(", {} of the window", percent(share_of(lane.peak, lane.window))) : "",
                    lines.grouped(lane.peak_line)),
        "dim");
    draw_map(html, fillers);
    html.raw(R"(<div class="columns">)");
    HtmlTable parts("Parts of the fullest prompt", {{"part", false}, {"tokens"}, {"of the prompt"}});
    for (const Filler& filler : fillers) {
        const double part = share_of(filler.tokens, lane.peak);
        parts.row_of({{filler.name}, {thousands(filler.tokens)}, {percent(part), {}, part}});
    }
    parts.draw(html);
    users_table(html, lane, lane.tools, "Results by tool", "tool", words);
    html.raw("</div>\n<div class=\"wide\">");
    users_table(html, lane, lane.files, "Results by file", "file", words);
    html.raw("</div>\n");
    lane_facts(html, lane);
}

}  // namespace

std::string lane_name(const SessionReport& session, std::uint32_t lane, FindingWords& words) {
    if (lane == 0) return {};
    const auto known = std::ranges::find(session.tokens.by_lane, lane, &LaneTokens::lane);
    const bool labelled = known != session.tokens.by_lane.end() && !known->label.empty();
    return "sub-agent " + (labelled ? words.line(known->label) : std::to_string(lane));
}

std::vector<LaneChart> charts_of(const SessionReport& session, const std::vector<const Finding*>& findings,
                                 FindingWords& words) {
    std::set<std::uint32_t> lanes{0};
    for (const LaneCourse& course : session.courses) lanes.insert(course.lane);
    for (const Finding* f : findings) lanes.insert(f->lane);
    std::vector<LaneChart> charts;
    for (const std::uint32_t lane : lanes) {
        const auto course = std::ranges::find(session.courses, lane, &LaneCourse::lane);
        Chart chart = chart_of(session, lane, course == session.courses.end() ? nullptr : &*course, findings, words);
        if (!chart.has_curve() && chart.spans.empty() && chart.marks.empty() && chart.drift.empty()) continue;
        charts.push_back({lane_name(session, lane, words), std::move(chart)});
    }
    return charts;
}

void draw_fillers(Html& html, const SessionReport& session, FindingWords& words) {
    for (const LaneContext& lane : session.context.lanes) {
        if (html.gone()) return;
        const std::string name = lane_name(session, lane.lane, words);
        html.raw("<details").raw(name.empty() ? " open" : "").raw("><summary>");
        html.text(name.empty() ? "What filled the fullest prompt" : "What filled the fullest prompt of " + name)
            .raw("</summary>");
        draw_lane(html, lane, LineWords(session), words);
        html.raw("</details>\n");
    }
}

}  // namespace agent_audit::report
