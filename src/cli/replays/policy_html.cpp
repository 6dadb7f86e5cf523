#include "cli/replays/replay_html.hpp"
#include "cli/replays/replay_words.hpp"
#include "cli/version.hpp"
#include "report/html/html_comparison.hpp"
#include "report/html/html_resets.hpp"
#include "report/redaction/redact.hpp"
#include "report/words/human.hpp"
#include "report/words/lost_records.hpp"
#include "report/words/reset_words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace agent_audit::cli {
namespace {

using policy::Decision;
using report::Chart;
using report::ChartMark;
using report::ComparisonPage;
using report::ComparisonSection;
using report::count_of;
using report::HtmlTable;
using report::LineWords;
using report::short_count;
using report::thousands;

constexpr std::size_t kSections = 60;        // sessions with a part of their own, those that fail first
constexpr std::size_t kFurtherRows = 1'000;  // of the rest: a row a session and policy
constexpr std::size_t kDecisionRows = 100;   // of a run
constexpr std::size_t kChartSpans = 200;

std::uint64_t interventions(const ReplayedSession& session) {
    std::uint64_t sum = 0;
    for (const SupervisedRun& run : session.runs) sum += run.decisions.size();
    return sum;
}

bool fails(const ReplayedSession& session) { return std::ranges::any_of(session.runs, &SupervisedRun::failed); }

std::string verdict_words(DecisionVerdict verdict) {
    switch (verdict) {
        case DecisionVerdict::none: return "";
        case DecisionVerdict::right: return "right";
        case DecisionVerdict::late: return "it ended by itself";
        case DecisionVerdict::wrong: return "wrong, as it turned out";
    }
    return "";
}

class Writer {
public:
    Writer(const PolicyReplay& replay, Redact redact) : replay_(replay), redact_(redact) {}

    ComparisonPage page() {
        ComparisonPage page;
        page.title = "agent-audit replay: policies compared";
        const std::size_t sessions = replay_.sessions.size();
        const auto failing = static_cast<std::size_t>(std::ranges::count_if(replay_.sessions, fails));
        const auto touched = static_cast<std::size_t>(
            std::ranges::count_if(replay_.sessions, [](const ReplayedSession& s) { return interventions(s) > 0; }));
        page.sentence = verdict(sessions, touched, failing);
        page.tone = failing > 0                             ? ComparisonPage::Tone::error
                    : trouble() || replay_.sessions.empty() ? ComparisonPage::Tone::warning
                                                            : ComparisonPage::Tone::fine;
        page.tiles = {{thousands(sessions), sessions == 1 ? "session" : "sessions"},
                      {thousands(replay_.totals.size()), replay_.totals.size() == 1 ? "policy" : "policies"},
                      {thousands(touched), "stepped in"},
                      {thousands(failing), "would exit with 1"}};
        if (sessions > 1) page.sections.push_back(totals());
        add_sessions(page);
        add_trouble(page);
        page.closing =
            "Replayed, not run again: what the agent did after an intervention is what it did without one. Saved is "
            "what came after the stop or reset and got nowhere; lost is what came after it and got somewhere.";
        return page;
    }

private:
    bool trouble() const {
        return !replay_.problems.empty() ||
               std::ranges::any_of(replay_.inputs, [](const ReplayedInput& input) { return !input.problem.empty(); });
    }

    std::string verdict(std::size_t sessions, std::size_t touched, std::size_t failing) {
        if (sessions == 0) return "No session was recognised in the input";
        if (sessions == 1 && replay_.totals.size() == 1) {
            const SupervisedRun& run = replay_.sessions.front().runs.front();
            const RunFigures f = figures_of(run);
            std::string words = fmt::format("Under {}: ", run.policy);
            if (f.interventions == 0) return words + "nothing to do";
            words += count_of(f.interventions, "intervention");
            return f.stop_line > 0 ? words + ", stopped after " + lines_of(replay_.sessions.front()).one(f.stop_line)
                                   : words;
        }
        const std::string policies = count_of(replay_.totals.size(), "policy", "policies");
        std::string words = fmt::format("{} under {}: ", count_of(sessions, "session"), policies);
        words += touched == 0 ? std::string("nothing to do") : fmt::format("an intervention in {}", touched);
        return failing > 0 ? words + fmt::format(", {} would exit with 1", failing) : words;
    }

    ComparisonSection totals() {
        ComparisonSection section;
        section.heading = fmt::format("All {}", count_of(replay_.sessions.size(), "session"));
        HtmlTable table("Policies compared over all sessions", {{"policy", false},
                                                                {"sessions"},
                                                                {"stepped in"},
                                                                {"stopped"},
                                                                {"right"},
                                                                {"wrong"},
                                                                {"tokens saved"},
                                                                {"cost saved"},
                                                                {"calls lost"},
                                                                {"tokens lost"},
                                                                {"exit 1"}});
        for (const PolicyTotals& t : replay_.totals) {
            table.row({t.policy, thousands(t.sessions), thousands(t.intervened), thousands(t.stopped),
                       thousands(t.sum.right), thousands(t.sum.wrong), short_count(t.sum.after.wasted_tokens),
                       cost_words(t.sum.after.wasted_cost_parts, t.sum.after.priced),
                       thousands(t.sum.after.useful_steps), short_count(t.sum.after.useful_tokens),
                       thousands(t.failed)});
        }
        section.tables.push_back(std::move(table));
        return section;
    }

    LineWords lines_of(const ReplayedSession& session) const {
        return LineWords(replay_.inputs[session.input].counts_records);
    }

    std::string name_of(const ReplayedSession& session) {
        const ReplayedInput& input = replay_.inputs[session.input];
        const std::string path = input.path == "-" ? "standard input" : redact_.input(input.path);
        const SupervisedRun& run = session.runs.front();
        return path + ", " +
               session_words(redact_.text(run.session_id), redact_.text(run.label), run.first_line, lines_of(session));
    }

    static std::vector<HtmlTable::Column> policy_columns(bool named, const LineWords& lines) {
        std::vector<HtmlTable::Column> columns{{"policy", false},
                                               {"interventions"},
                                               {"right"},
                                               {"wrong"},
                                               {fmt::format("first at {}", lines.noun())},
                                               {fmt::format("stop after {}", lines.noun())},
                                               {"calls saved"},
                                               {"tokens saved"},
                                               {"cost saved"},
                                               {"tokens lost"},
                                               {"exit"}};
        if (named) columns.insert(columns.begin(), {"session", false});
        return columns;
    }

    static std::vector<std::string> policy_row(const SupervisedRun& run) {
        const RunFigures f = figures_of(run);
        return {run.policy,
                thousands(f.interventions),
                thousands(f.right),
                thousands(f.wrong),
                line_words(f.first_line),
                line_words(f.stop_line),
                thousands(f.after.wasted_steps),
                short_count(f.after.wasted_tokens),
                cost_words(f.after.wasted_cost_parts, f.after.priced),
                short_count(f.after.useful_tokens),
                run.failed ? "1" : "0"};
    }

    // Sessions that fail first, then those with an intervention; the order of the inputs within.
    void add_sessions(ComparisonPage& page) {
        std::vector<const ReplayedSession*> order;
        for (const ReplayedSession& session : replay_.sessions) order.push_back(&session);
        std::ranges::stable_sort(order, std::greater<>{}, [](const ReplayedSession* session) {
            return std::pair(fails(*session), interventions(*session) > 0);
        });
        const std::size_t shown = std::min(order.size(), kSections);
        for (std::size_t i = 0; i < shown; ++i) page.sections.push_back(section(*order[i]));
        if (shown == order.size()) return;
        ComparisonSection& rest = page.sections.emplace_back();
        rest.heading = "Further sessions";
        HtmlTable table("Policies compared in further sessions", policy_columns(true, LineWords()));
        std::size_t rows = 0, all = 0;
        for (std::size_t i = shown; i < order.size(); ++i) {
            for (const SupervisedRun& run : order[i]->runs) {
                if (++all > kFurtherRows) continue;
                ++rows;
                std::vector<std::string> cells = policy_row(run);
                cells.insert(cells.begin(), name_of(*order[i]));
                table.row(std::move(cells));
            }
        }
        rest.tables.push_back(std::move(table));
        if (rows < all) rest.notes.push_back(fmt::format("and {} more rows; JSON has all.", thousands(all - rows)));
    }

    ComparisonSection section(const ReplayedSession& session) {
        const ReplayedInput& input = replay_.inputs[session.input];
        const SupervisedRun& first = session.runs.front();
        const LineWords lines = lines_of(session);
        ComparisonSection section;
        section.heading = name_of(session);
        section.facts = fmt::format("{}, {}, {}", input.format, count_of(first.responses, "response"),
                                    count_of(first.steps, "step"));
        if (first.tokens.total() > 0) {
            section.facts += fmt::format(", {} tokens{}", short_count(first.tokens.total()),
                                         first.tokens_source == TokensSource::estimated ? " (estimated)" : "");
        }
        if (first.cost) section.facts += ", " + report::money(first.cost->micro_dollars());
        if (first.wall_ms >= 0) section.facts += ", " + wall_words(first.wall_ms);
        HtmlTable table("Policies compared", policy_columns(false, lines));
        for (const SupervisedRun& run : session.runs) table.row(policy_row(run));
        section.tables.push_back(std::move(table));
        for (const SupervisedRun& run : session.runs) {
            if (!run.decisions.empty()) section.charts.push_back({run.policy, chart(run, lines)});
            add_run(section, run, lines);
        }
        return section;
    }

    static Chart chart(const SupervisedRun& run, const LineWords& lines) {
        Chart chart;
        chart.lines = lines;
        chart.first_line = run.first_line;
        chart.last_line = std::max(run.last_line, run.first_line);
        for (const Finding& f : run.findings) {
            if (f.lane == 0 && chart.spans.size() < kChartSpans)
                chart.spans.push_back({f.first_line, f.last_line, f.severity, f.rule});
        }
        for (const Decision& d : run.decisions) {
            if (d.lane != 0 && !policy::ends_run(d)) continue;
            const bool stop = d.action == policy::Action::stop;
            chart.marks.push_back({stop ? ChartMark::Kind::stop : ChartMark::Kind::intervention, d.line});
        }
        const RunFigures f = figures_of(run);
        chart.described =
            fmt::format("Where {} would have stepped in: {}", run.policy, count_of(f.interventions, "intervention"));
        if (f.first_line > 0) chart.described += ", the first after " + lines.grouped(f.first_line);
        if (f.stop_line > 0) chart.described += ", stopped after " + lines.grouped(f.stop_line);
        chart.described += ".";
        return chart;
    }

    void add_run(ComparisonSection& section, const SupervisedRun& run, const LineWords& lines) {
        report::FoldedTables fold;
        fold.summary = fmt::format("What {} would have done", run.policy);
        HtmlTable decisions(fmt::format("Interventions of {}", run.policy), {{fmt::format("after {}", lines.noun())},
                                                                             {"action", false},
                                                                             {"because of", false},
                                                                             {"verdict", false},
                                                                             {"reason", false},
                                                                             {"what the agent would be told", false}});
        for (std::size_t i = 0; i < std::min(run.decisions.size(), kDecisionRows); ++i) {
            const Decision& d = run.decisions[i];
            std::string place = thousands(d.line);
            if (d.lane > 0) place += fmt::format(" (sub-agent {})", d.lane);
            std::string reason = redact_.text(d.reason);
            if (d.back_to_line) reason += "; back to " + lines.grouped(*d.back_to_line);
            reason += delay_words(d);
            if (!d.substitute.empty()) reason += "; use " + redact_.text(d.substitute);
            decisions.row({std::move(place), std::string(policy::name(d.action)), redact_.text(d.rule),
                           i < run.verdicts.size() ? verdict_words(run.verdicts[i]) : std::string(), std::move(reason),
                           redact_.text(d.message)});
        }
        if (!decisions.empty()) fold.tables.push_back(std::move(decisions));
        HtmlTable breakers(fmt::format("Circuit breakers of {}", run.policy),
                           {{"tool", false}, {"opened"}, {"calls refused"}});
        for (const ToolBreakerTotals& b : run.breakers)
            breakers.row({redact_.text(b.tool), thousands(b.opened), thousands(b.refused)});
        if (!breakers.empty()) fold.tables.push_back(std::move(breakers));
        HtmlTable resets = report::reset_table("Where a fresh session with a summary would have paid; estimated");
        for (const ResetSuggestion& reset : run.resets)
            report::add_reset(resets, reset, lines, {}, redact_.text(report::reset_cause(reset, lines)));
        if (!resets.empty()) fold.tables.push_back(std::move(resets));
        if (!fold.tables.empty()) section.folded.push_back(std::move(fold));

        const std::uint64_t more =
            run.not_kept + (run.decisions.size() - std::min(run.decisions.size(), kDecisionRows));
        if (more > 0)
            section.notes.push_back(
                fmt::format("{}: {} not listed; JSON has more.", run.policy, count_of(more, "further intervention")));
        if (run.context) {
            section.notes.push_back(fmt::format("{}: context managed as {} does, peak {}, {}, {}.", run.policy,
                                                run.context->name, short_count(run.context->peak_tokens),
                                                count_of(run.context->compactions, "compaction"),
                                                count_of(run.context->overflows, "overflow")));
        }
        if (run.failed)
            section.notes.push_back(fmt::format("{}: exit status 1, {}", run.policy, redact_.text(run.failed_because)));
    }

    void add_trouble(ComparisonPage& page) {
        ComparisonSection section;
        section.heading = "What could not be replayed";
        for (const std::string& problem : replay_.problems) section.notes.push_back(redact_.input(problem));
        report::LostRecords lost;
        for (const ReplayedInput& input : replay_.inputs) {
            const std::string path = input.path == "-" ? "standard input" : redact_.input(input.path);
            lost.add(path, input.lost_records, input.bad, input.counts_records);
            if (input.problem.empty()) continue;
            section.notes.push_back(path + ": " + redact_.text(input.problem));
        }
        if (lost.any()) section.notes.push_back(lost.words("; the replay is without them") + ".");
        if (!section.notes.empty()) page.sections.push_back(std::move(section));
    }

    const PolicyReplay& replay_;
    report::Redactor redact_;
};

}  // namespace

void write_policy_html(const PolicyReplay& replay, Redact redact, const ByteSink& out) {
    report::draw_comparison(Writer(replay, redact).page(), kVersion, out);
}

}  // namespace agent_audit::cli
