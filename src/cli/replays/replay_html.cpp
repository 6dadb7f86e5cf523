#include "cli/replays/replay_html.hpp"

#include "cli/replays/replay_words.hpp"
#include "cli/version.hpp"
#include "report/html/html_comparison.hpp"
#include "report/redaction/redact.hpp"
#include "report/words/human.hpp"
#include "report/words/lost_records.hpp"
#include "report/words/remote_use.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace agent_audit::cli {
namespace {

using report::Chart;
using report::ChartMark;
using report::ComparisonPage;
using report::ComparisonSection;
using report::count_of;
using report::HtmlTable;
using report::short_count;
using report::thousands;
using simulator::PolicyOutcome;
using simulator::SessionOutcome;

constexpr std::size_t kSections = 60;  // sessions of one page; the rest is counted

std::uint64_t whole(double value) { return value > 0 ? static_cast<std::uint64_t>(std::llround(value)) : 0; }

HtmlTable contexts_table(const SessionOutcome& session) {
    HtmlTable table("Contexts compared", {{"context", false},
                                          {"fullest prompt"},
                                          {"mean prompt"},
                                          {"compactions"},
                                          {"overflows"},
                                          {"results cleared"},
                                          {"read from cache"},
                                          {"cost"},
                                          {"of it summaries"},
                                          {"regret, tokens"},
                                          {"names lost"},
                                          {"first loss"}});
    std::uint64_t most = 1;
    for (const PolicyOutcome& p : session.policies) most = std::max(most, p.peak_tokens);
    for (const PolicyOutcome& p : session.policies) {
        const auto& regret = p.regret;
        table.row_of({{p.policy},
                      {short_count(p.peak_tokens), {}, static_cast<double>(p.peak_tokens) / static_cast<double>(most)},
                      {short_count(whole(p.mean_tokens))},
                      {thousands(p.compactions)},
                      {thousands(p.overflows)},
                      {thousands(p.cleared_results)},
                      {hit_share(p)},
                      {amount(p.total_cost())},
                      {amount(p.summary_cost)},
                      {regret ? short_count(regret->tokens) : std::string(kUnknownFigure)},
                      {regret ? thousands(regret->lost_identifiers) : std::string(kUnknownFigure)},
                      {regret && regret->first_loss_turn ? fmt::format("turn {}", *regret->first_loss_turn)
                                                         : std::string(kUnknownFigure)}});
    }
    return table;
}

// What changing the cached prefix costs, and whether the session was long enough for it to pay.
HtmlTable edits_table(const SessionOutcome& session) {
    HtmlTable table("Edits of what the cache held",
                    {{"context", false}, {"edits"}, {"cost at once"}, {"pays after"}, {"paid off"}});
    for (const PolicyOutcome& p : session.policies) {
        if (!p.cache || p.cache->edits == 0) continue;
        const bool priced = p.cache->edits_extra.has_value();
        table.row({p.policy, thousands(p.cache->edits), amount(p.cache->edits_extra),
                   !priced               ? std::string(kUnknownFigure)
                   : p.cache->break_even ? count_of(*p.cache->break_even, "request")
                                         : "never",
                   priced ? thousands(p.cache->paid_off) : std::string(kUnknownFigure)});
    }
    return table;
}

class Writer {
public:
    Writer(const ReplayOutcome& outcome, ReplayCourses& courses, Redact redact)
        : outcome_(outcome), courses_(courses), redact_(redact) {}

    ComparisonPage page(const std::string& input, const std::optional<RemoteUse>& summarizer) {
        ComparisonPage page;
        page.title = "agent-audit replay: contexts compared";
        const std::size_t sessions = outcome_.sessions.size();
        const std::size_t contexts = sessions > 0 ? outcome_.sessions.front().policies.size() : 0;
        const std::string source = input == "-" ? "standard input" : redact_.input(input);
        page.sentence =
            fmt::format("{} of {} under {}", count_of(sessions, "session"), source, count_of(contexts, "context"));
        if (!outcome_.problem.empty() || outcome_.lost_records > 0) page.tone = ComparisonPage::Tone::warning;
        std::uint64_t requests = 0, messages = 0;
        for (const SessionOutcome& session : outcome_.sessions) {
            requests += session.requests;
            messages += session.messages;
        }
        page.tiles = {{thousands(sessions), sessions == 1 ? "session" : "sessions"},
                      {thousands(contexts), contexts == 1 ? "context" : "contexts"},
                      {thousands(requests), requests == 1 ? "request" : "requests"},
                      {thousands(messages), messages == 1 ? "message" : "messages"}};
        for (std::size_t i = 0; i < std::min(sessions, kSections); ++i) page.sections.push_back(section(i));
        trouble(input, page);
        if (summarizer) {
            ComparisonSection& last = page.sections.emplace_back();
            last.heading = "Summaries";
            last.facts = report::remote_use_words(*summarizer, redact_) + ".";
        }
        page.closing =
            "The recorded answers follow whatever was sent: figures are estimates of cost and exposure, not of another "
            "outcome.";
        return page;
    }

private:
    ComparisonSection section(std::size_t index) {
        const SessionOutcome& session = outcome_.sessions[index];
        ComparisonSection section;
        section.heading = redact_.text(fmt::format("{} {}", outcome_.format, session_words(session)));
        section.facts = fmt::format("{}, {}, {}", count_of(session.messages, "message"),
                                    count_of(session.requests, "request"), count_of(session.turns, "turn"));
        section.details = details(session);
        section.tables.push_back(contexts_table(session));
        section.tables.push_back(edits_table(session));
        add_charts(section, index);
        return section;
    }

    std::vector<std::pair<std::string, std::string>> details(const SessionOutcome& session) {
        std::vector<std::pair<std::string, std::string>> details;
        for (const auto& [label, words] : session_facts(session)) details.emplace_back(label, redact_.text(words));
        return details;
    }

    // One scale for all, or they could not be compared.
    void add_charts(ComparisonSection& section, std::size_t index) {
        const SessionOutcome& session = outcome_.sessions[index];
        std::uint64_t most = 0, first = std::numeric_limits<std::uint64_t>::max(), last = 0;
        for (const PolicyOutcome& policy : session.policies) {
            auto course = courses_.take(index, policy.policy);
            if (!course || course->points.size() < 2) continue;
            Chart chart;
            chart.points = std::move(course->points);
            std::ranges::stable_sort(chart.points, {}, &CoursePoint::line);
            for (const CourseMark& mark : course->marks)
                chart.marks.push_back({ChartMark::Kind::compaction, mark.line});
            chart.window = whole(session.window_tokens);
            chart.described = fmt::format("Prompts under {}: {} tokens at most, {} on average, {}.", policy.policy,
                                          thousands(policy.peak_tokens), thousands(whole(policy.mean_tokens)),
                                          count_of(policy.compactions, "compaction"));
            first = std::min(first, chart.points.front().line);
            last = std::max(last, chart.points.back().line);
            most = std::max(most, policy.peak_tokens);
            section.charts.push_back({policy.policy, std::move(chart)});
        }
        for (report::NamedChart& named : section.charts) {
            named.chart.first_line = first;
            named.chart.last_line = last;
            named.chart.least_top = most;
        }
    }

    void trouble(const std::string& input, ComparisonPage& page) {
        ComparisonSection section;
        section.heading = "What could not be replayed";
        if (outcome_.sessions.size() > kSections) {
            section.notes.push_back(fmt::format("{} have no part of their own on this page; JSON has all.",
                                                count_of(outcome_.sessions.size() - kSections, "more session")));
        }
        if (!outcome_.problem.empty()) section.notes.push_back(redact_.text(outcome_.problem));
        if (outcome_.lost_records > 0) {
            section.notes.push_back(report::lost_words(redact_.input(input), outcome_.lost_records, outcome_.bad,
                                                       outcome_.counts_records, "; the replay is without them") +
                                    ".");
        }
        if (outcome_.sessions.empty()) section.notes.emplace_back("No session was recognised in the input.");
        if (!section.notes.empty()) page.sections.push_back(std::move(section));
    }

    const ReplayOutcome& outcome_;
    ReplayCourses& courses_;
    report::Redactor redact_;
};

}  // namespace

void ReplayCourses::on_row(std::size_t session, std::string_view context, const simulator::TurnRow& row) {
    if (session >= kSessions) return;
    auto& of_session = courses_[session];
    auto known = of_session.find(context);
    if (known == of_session.end()) known = of_session.emplace(context, CourseRecorder(kPoints)).first;
    known->second.request(row.line, row.tokens_after);
    for (const simulator::CompactionRow& made : row.compactions)
        known->second.compaction({row.line, made.tokens_in, made.tokens_summary, false});
}

std::optional<LaneCourse> ReplayCourses::take(std::size_t session, std::string_view context) {
    const auto of_session = courses_.find(session);
    if (of_session == courses_.end()) return std::nullopt;
    const auto known = of_session->second.find(context);
    if (known == of_session->second.end()) return std::nullopt;
    LaneCourse course = std::move(known->second).finish(0);
    of_session->second.erase(known);
    return course;
}

void write_replay_html(const ReplayOutcome& outcome, ReplayCourses& courses, const std::string& input,
                       const std::optional<RemoteUse>& summarizer, Redact redact, const ByteSink& out) {
    report::draw_comparison(Writer(outcome, courses, redact).page(input, summarizer), kVersion, out);
}

}  // namespace agent_audit::cli
