#include "report/html/html_goal.hpp"

#include "report/html/html_table.hpp"
#include "report/words/goal_words.hpp"
#include "report/words/human.hpp"
#include "report/words/line_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace agent_audit::report {
namespace {

constexpr std::string_view kLimitsRule = "budget/limits", kWindowShare = "window-share";
constexpr std::size_t kShownPaths = 8, kSegmentRows = 64;

std::string similarity_words(double value) { return fmt::format("{:.2f}", std::clamp(value, -1.0, 1.0)); }

// A line of the recording, or nothing.
std::string line_words(std::uint64_t line) { return line > 0 ? thousands(line) : ""; }

std::string scope_words(const SessionGoal& goal, FindingWords& words) {
    std::string text;
    for (std::size_t i = 0; i < std::min(goal.paths.size(), kShownPaths); ++i)
        text += (i > 0 ? ", " : "") + words.word(goal.paths[i], goal.text);
    if (goal.paths.size() > kShownPaths) text += fmt::format(", and {} more", goal.paths.size() - kShownPaths);
    return text;
}

// "explore 62 %, edit 30 %": shares of the responses, the largest first.
std::string work_words(const ActivityCourse& activity) {
    std::array<std::pair<std::uint64_t, Activity>, kActivities> turns;
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < kActivities; ++i) turns[i] = {0, static_cast<Activity>(i)};
    for (const ActivitySegment& segment : activity.segments) {
        turns[std::min(static_cast<std::size_t>(segment.activity), kActivities - 1)].first += segment.turns;
        all += segment.turns;
    }
    std::ranges::stable_sort(turns, std::greater<>{}, &std::pair<std::uint64_t, Activity>::first);
    std::string text;
    for (const auto& [n, kind] : turns) {
        if (n == 0) break;
        const double share = static_cast<double>(n) / static_cast<double>(all);
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name(kind), percent(share));
    }
    return text;
}

std::string drop_words(const SimilarityDrop& drop, const LineWords& lines) {
    if (drop.line == 0) return {};
    return fmt::format("{}: {} to {}", lines.grouped(drop.line), similarity_words(drop.before),
                       similarity_words(drop.after));
}

// ---- limits --------------------------------------------------------------------------------------------------

std::string figure(double value) {
    const double whole = std::clamp(value, 0.0, 1e15);
    return whole == std::floor(whole) ? thousands(static_cast<std::uint64_t>(whole)) : fmt::format("{:.2f}", whole);
}

std::string amount_of(const std::string& what, double value) {
    if (what == "max-cost") return "$" + fmt::format("{:.2f}", std::clamp(value, 0.0, 1e15));
    return what == kWindowShare ? figure(value) + " %" : figure(value);
}

// What the ledger knows by itself; for the rest only the rule counts as the limit means it.
std::optional<double> used_of(const std::string& what, const SessionReport& session) {
    const TokenLedgerTotals& tokens = session.tokens;
    if (what == "tokens" && tokens.source != TokensSource::none) return static_cast<double>(tokens.total.total());
    if (what == kWindowShare) {
        double fullest = -1;
        for (const LaneContext& lane : session.context.lanes) {
            if (lane.window > 0)
                fullest = std::max(fullest, 100 * static_cast<double>(lane.peak) / static_cast<double>(lane.window));
        }
        if (fullest >= 0) return std::ceil(fullest * 100) / 100;  // as the rule rounds
    }
    if (const auto cost = tokens.cost.micro_dollars(); what == "max-cost" && cost)
        return static_cast<double>(*cost) / 1e6;
    return std::nullopt;
}

// As the rule names what it counted.
std::string_view unit_of(const std::string& what) {
    static constexpr std::pair<std::string_view, std::string_view> kUnits[] = {
        {"turns", "human turns"},
        {"responses", "model responses"},
        {"tool-calls", "tool calls"},
        {"tokens", "tokens"},
        {"minutes", "minutes"},
        {"max-cost", "micro-dollars"},
        {"window-share", "percent of the window"},
        {"wasted-tokens", "wasted tokens"},
        {"failed-calls-from", "failed tool calls"},
        {"denied-by-rule-from", "calls denied by a rule"},
        {"denied-by-person-from", "calls denied by a person"}};
    for (const auto& [name, unit] : kUnits) {
        if (name == what) return unit;
    }
    return {};
}

// Some limits name the first one too many.
double most_of(const RunLimit& limit) { return limit.what.ends_with("-from") ? limit.most - 1 : limit.most; }

bool is_in_ledger(std::string_view what) { return what == "tokens" || what == "max-cost" || what == kWindowShare; }

bool is_about(const Finding& f, std::size_t session, std::string_view unit) {
    return f.session == session && f.rule == kLimitsRule &&
           std::ranges::any_of(f.because, [&](const Fact& fact) { return fact.name == "unit" && fact.value == unit; });
}

const Finding* crossing_of(const Report& report, std::size_t session, const std::string& what) {
    for (const auto* list : {&report.findings, &report.silenced}) {
        for (const Finding& f : *list) {
            if (is_about(f, session, unit_of(what))) return &f;
        }
    }
    return nullptr;
}

}  // namespace

void draw_goal(Html& html, const SessionReport& session, FindingWords& words) {
    const SessionGoal& goal = session.goal;
    if (!goal.known()) return;
    const auto at_line = [lines = LineWords(session)](std::uint64_t said) {
        return said > 0 ? lines.grouped(said) : "given for the run";
    };
    std::vector<std::pair<std::string, std::string>> facts;
    facts.emplace_back("goal", fmt::format("{} ({}, {})", words.line(goal_line(goal.text)), at_line(goal.line),
                                           count_of(goal.messages, "human message")));
    if (goal.latest_line > 0)
        facts.emplace_back("latest",
                           fmt::format("{} ({})", words.line(goal_line(goal.latest)), at_line(goal.latest_line)));
    facts.emplace_back("scope", scope_words(goal, words));
    for (const StatedLimit& limit : goal.limits) {
        facts.emplace_back("limit said",
                           fmt::format("at most {} ({}): {} used{}", limit_amount(limit, limit.most),
                                       at_line(limit.line), thousands(limit.used),
                                       limit.passed_line > 0 ? ", passed at " + at_line(limit.passed_line) : ""));
    }
    for (const StatedMeasure& measure : goal.measures) {
        facts.emplace_back("done when", fmt::format("{}: {} ({})", name(measure.what),
                                                    words.line(goal_line(measure.sentence)), at_line(measure.line)));
    }
    for (std::string& rule : rule_lines(goal, words, at_line)) facts.emplace_back("rule", std::move(rule));
    html.raw("<h3>What it was for</h3>\n");
    draw_facts(html, facts);
}

void draw_limits(Html& html, const Report& report, std::size_t session) {
    if (report.limits.empty()) return;
    const LineWords lines(report.sessions[session]);
    HtmlTable table("Limits set for the run",
                    {{"limit", false}, {"at most"}, {"used"}, {fmt::format("passed at {}", lines.noun())}});
    for (const RunLimit& limit : report.limits) {
        const auto used = used_of(limit.what, report.sessions[session]);
        const Finding* crossing = crossing_of(report, session, limit.what);
        const std::string_view otherwise = crossing ? "more" : is_in_ledger(limit.what) ? "unknown" : "not more";
        table.row_of({{limit.what},
                      {amount_of(limit.what, most_of(limit))},
                      {used ? amount_of(limit.what, *used) : std::string(otherwise),
                       {},
                       used && limit.most > 0 ? std::clamp(*used / limit.most, 0.0, 1.0) : -1},
                      {crossing ? thousands(crossing->first_line) : ""}});
    }
    table.draw(html);
}

std::string work_label(const SessionReport& session) {
    return has_sub_agents(session) ? "What was done in the main conversation" : "What was done";
}

void draw_course_tables(Html& html, const SessionReport& session, FindingWords& words) {
    const ActivityCourse& activity = session.activity;
    const LineWords lines(session);
    if (!activity.segments.empty()) {
        HtmlTable table("Stretches of one kind of work", {{"work", false},
                                                          {fmt::format("from {}", lines.noun())},
                                                          {fmt::format("to {}", lines.noun())},
                                                          {"responses"},
                                                          {"calls"}});
        const std::size_t shown = std::min(activity.segments.size(), kSegmentRows);
        for (std::size_t i = 0; i < shown; ++i) {
            const ActivitySegment& segment = activity.segments[i];
            table.row({std::string(name(segment.activity)), thousands(segment.first_line), thousands(segment.last_line),
                       thousands(segment.turns), thousands(segment.calls)});
        }
        const std::uint64_t more = activity.more + activity.segments.size() - shown;
        html.raw("<details><summary>").text(work_label(session) + ": " + work_words(activity)).raw("</summary>");
        table.draw(html);
        if (more > 0) html.element("p", fmt::format("and {} more", thousands(more)), "dim");
        html.raw("</details>\n");
    }
    HtmlTable table("Similarity of what was said to the goal, by measure; evidence, no finding",
                    {{"measure", false},
                     {"average"},
                     {"lowest"},
                     {fmt::format("at {}", lines.noun())},
                     {"messages"},
                     {"falls for good", false},
                     {"by", false}});
    for (const SimilaritySeries& series : session.similarity) {
        table.row({words.line(series.measure), similarity_words(series.mean), similarity_words(series.lowest),
                   line_words(series.lowest_line), thousands(series.turns), drop_words(series.drop, lines),
                   words.line(series.source)});
    }
    table.draw(html);
}

void add_course(Chart& chart, const SessionReport& session, FindingWords& words) {
    for (const ActivitySegment& segment : session.activity.segments) {
        if (chart.work.size() == ActivityCourse::kMost) break;  // a saved result may have more
        chart.work.push_back({segment.first_line, segment.last_line, segment.activity});
    }
    if (!chart.work.empty()) {
        chart.work_described =
            fmt::format("{}, in {}: {}.", work_label(session), count_of(chart.work.size(), "stretch", "stretches"),
                        work_words(session.activity));
    }
    const LineWords lines(session);
    for (const SimilaritySeries& series : session.similarity) {
        if (series.points.empty()) continue;
        ChartSeries& drawn = chart.similarity.emplace_back();
        drawn.measure = words.line(series.measure);
        drawn.points = series.points;
        std::ranges::stable_sort(drawn.points, {}, &SimilarityPoint::line);
        drawn.drop_line = series.drop.line;
        drawn.described = fmt::format("Similarity of what was said to the goal, by {}: {} on average, {} at least ({})",
                                      drawn.measure, similarity_words(series.mean), similarity_words(series.lowest),
                                      lines.grouped(series.lowest_line));
        if (series.drop.line > 0) drawn.described += "; falls for good at " + drop_words(series.drop, lines);
        drawn.described += ".";
    }
}

void add_limits(Chart& chart, const Report& report) {
    if (chart.window == 0) return;
    for (const RunLimit& limit : report.limits) {
        if (limit.what != kWindowShare || !(limit.most > 0)) continue;
        const double share = std::min(limit.most, 100.0) / 100;
        chart.levels.push_back({static_cast<std::uint64_t>(std::llround(static_cast<double>(chart.window) * share)),
                                fmt::format("limit of {} of the window", amount_of(limit.what, limit.most))});
    }
}

}  // namespace agent_audit::report
