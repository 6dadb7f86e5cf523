#include "report/all.hpp"
#include "report/html/html_context.hpp"
#include "report/html/html_drift.hpp"
#include "report/html/html_findings.hpp"
#include "report/html/html_goal.hpp"
#include "report/html/html_inspected.hpp"
#include "report/html/html_page.hpp"
#include "report/html/html_resets.hpp"
#include "report/html/html_table.hpp"
#include "report/words/finding_words.hpp"
#include "report/words/human.hpp"
#include "report/words/list_price.hpp"
#include "report/words/reset_words.hpp"
#include "report/words/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace agent_audit::report {
namespace {

// What one page can hold; the rest is counted. Every finding has at least a row.
constexpr std::size_t kSections = 60;  // sessions with a part of their own
constexpr std::size_t kCleanSections =
    12;                                    // as long as there are few: sessions in which nothing was found have one too
constexpr std::size_t kFullFindings = 40;  // of a session, with evidence
constexpr std::size_t kSessionRows = 500;
constexpr std::size_t kResetRows = 100;  // of sessions without a part of their own
constexpr std::size_t kCharts = 200;
constexpr std::size_t kCoursePoints = 2048;

std::string token_words(const TokenLedgerTotals& ledger) {
    if (ledger.source == TokensSource::none) return {};
    return (ledger.source == TokensSource::estimated ? "about " : "") + short_count(ledger.total.total()) + " tokens";
}

std::string duration(std::int64_t from_ms, std::int64_t to_ms) {
    if (from_ms == kNoTime || to_ms <= from_ms) return {};
    return duration_words(to_ms - from_ms);
}

struct Section {
    std::size_t session = 0;
    std::vector<const Finding*> findings;  // worst first
    std::vector<LaneChart> charts;
};

class HtmlReport {
public:
    HtmlReport(const Report& report, const RenderOptions& options, const ByteSink& out)
        : report_(report),
          options_(options),
          html_(out),
          words_(report, options),
          findings_(html_, words_, [this](std::string_view rule) { return rule_anchor(rule); }) {}

    void draw() {
        plan();
        const bool curves = std::ranges::any_of(charts_, &Chart::has_curve);
        const Verdict verdict = report::verdict(report_);
        open_page(html_, "agent-audit: " + verdict.sentence, curves);
        head(verdict);
        overview();
        for (const Section& section : sections_) {
            if (html_.gone()) return;
            draw_section(section);
        }
        findings_.brief("Findings in further sessions", elsewhere_);
        further_resets();
        models();
        draw_peer_totals(html_, report_);
        draw_failures(html_, report_, words_);
        rules();
        draw_inspected(html_, report_, words_);
        close_page(html_, charts_, curves, options_.tool_version);
    }

private:
    // ---- what goes where -------------------------------------------------------------------------------------

    // Sessions with the worst findings first. What has no part of its own is in the tables.
    void plan() {
        auto by_session = findings_by_session(report_);
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < report_.sessions.size(); ++i) {
            std::ranges::stable_sort(by_session[i], std::greater<>{}, &Finding::severity);
            const bool worth = !by_session[i].empty() || !report_.sessions[i].resets.empty();
            if (worth || report_.sessions.size() <= kCleanSections) order.push_back(i);
        }
        std::ranges::stable_sort(
            order, [&](std::size_t a, std::size_t b) { return rank(by_session[a]) > rank(by_session[b]); });
        for (const std::size_t i : order) {
            if (sections_.size() == kSections) break;
            section_of_[i] = sections_.size() + 1;
            sections_.push_back({i, std::move(by_session[i]), {}});
        }
        for (std::size_t i = 0; i < by_session.size(); ++i) {
            if (!section_of_.contains(i))
                elsewhere_.insert(elsewhere_.end(), by_session[i].begin(), by_session[i].end());
        }
        std::ranges::stable_sort(elsewhere_, std::greater<>{}, &Finding::severity);
        for (Section& section : sections_) {
            if (charts_.size() >= kCharts) break;
            section.charts = charts_of(report_.sessions[section.session], section.findings, words_);
            for (const LaneChart& lane : section.charts) charts_.push_back(&lane.chart);
        }
        for (const Finding& f : report_.findings) {
            if (find_rule_doc(options_, f.rule)) rules_.emplace(f.rule, 0);
        }
        std::size_t n = 0;
        for (auto& [rule, number] : rules_) number = ++n;
    }

    static int rank(const std::vector<const Finding*>& findings) {
        return findings.empty() ? -1 : static_cast<int>(findings.front()->severity);
    }

    std::string rule_anchor(std::string_view rule) const {
        const auto known = rules_.find(std::string(rule));
        return known == rules_.end() ? "" : fmt::format("rule-{}", known->second);
    }

    // An estimate is never shown as if it had been recorded.
    static std::string about(const TokenLedgerTotals& tokens) {
        return tokens.source == TokensSource::estimated ? "about " : "";
    }

    // ---- head --------------------------------------------------------------------------------------------

    void head(const Verdict& verdict) {
        const bool fine = verdict.kind == Verdict::Kind::clean || verdict.kind == Verdict::Kind::informed;
        const std::string_view kind = verdict.bad() ? "error" : fine ? "fine" : "warning";
        html_.raw("<header><h1>agent-audit report</h1>\n");
        html_.raw(R"(<p class="verdict )").raw(kind).raw(R"("><span aria-hidden="true">)");
        html_.raw(verdict.bad() ? "\u2717"
                  : fine        ? "\u2713"
                                : "!")
            .raw("</span> ")
            .element("strong", verdict.sentence)
            .raw("</p>\n");
        html_.raw(R"(<ul class="tiles">)");
        tile(thousands(report_.errors), report_.errors == 1 ? "error" : "errors");
        tile(thousands(report_.warnings), report_.warnings == 1 ? "warning" : "warnings");
        tile(thousands(report_.infos), report_.infos == 1 ? "note" : "notes");
        tile(thousands(report_.sessions.size()), report_.sessions.size() == 1 ? "session" : "sessions");
        tile(thousands(report_.counts.steps), report_.counts.steps == 1 ? "step" : "steps");
        const TokenLedgerTotals& ledger = report_.tokens;
        if (ledger.source != TokensSource::none) {
            tile(short_count(ledger.total.total()),
                 ledger.source == TokensSource::estimated ? "tokens, estimated" : "tokens");
        }
        tile(list_price(ledger.cost), "by list price");
        html_.raw("</ul></header>\n");
    }

    void tile(const std::string& figure, std::string_view what) {
        if (figure.empty()) return;
        html_.raw("<li>").element("b", figure).raw(" ").element("span", what).raw("</li>");
    }

    // ---- sessions ----------------------------------------------------------------------------------------

    void overview() {
        if (report_.sessions.size() < 2) return;
        std::vector<std::size_t> order;
        for (const Section& section : sections_) order.push_back(section.session);
        for (std::size_t i = 0; i < report_.sessions.size(); ++i) {
            if (!section_of_.contains(i)) order.push_back(i);
        }
        std::map<std::size_t, std::array<std::uint64_t, 3>> found;
        for (const Finding& f : report_.findings) ++found[f.session][static_cast<std::size_t>(f.severity)];
        HtmlTable table("Sessions, those with the worst findings first", {{"session", false},
                                                                          {"errors"},
                                                                          {"warnings"},
                                                                          {"notes"},
                                                                          {"steps"},
                                                                          {"tokens"},
                                                                          {"cost"},
                                                                          {"fullest prompt"}});
        for (std::size_t row = 0; row < std::min(order.size(), kSessionRows); ++row) {
            const std::size_t i = order[row];
            const SessionReport& s = report_.sessions[i];
            auto counts = found.contains(i) ? found[i] : std::array<std::uint64_t, 3>{};
            for (const NotShown& rule : s.not_shown) {
                for (std::size_t kind = 0; kind < counts.size(); ++kind) counts[kind] += rule.by_severity[kind];
            }
            const bool known = s.tokens.source != TokensSource::none;
            table.row_of(
                {{words_.session_name(i), section_of_.contains(i) ? fmt::format("session-{}", section_of_[i]) : ""},
                 {thousands(counts[2])},
                 {thousands(counts[1])},
                 {thousands(counts[0])},
                 {thousands(s.counts.steps)},
                 {known ? about(s.tokens) + thousands(s.tokens.total.total()) : "not recorded"},
                 {list_price(s.tokens.cost)},
                 {s.tokens.peak_context ? thousands(s.tokens.peak_context) : ""}});
        }
        html_.raw("<section class=\"wide\"><h2>Sessions</h2>\n");
        table.draw(html_);
        if (order.size() > kSessionRows)
            html_.element("p", fmt::format("and {} more", thousands(order.size() - kSessionRows)), "dim");
        if (sections_.size() < order.size()) {
            html_.element(
                "p", "Sessions without a link have no part of their own below; a report of one alone has its charts.",
                "dim");
        }
        html_.raw("</section>\n");
    }

    void draw_section(const Section& section) {
        const SessionReport& session = report_.sessions[section.session];
        html_.raw(fmt::format(R"(<section class="session" id="session-{}">)", section_of_[section.session]));
        html_.element("h2", words_.session_name(section.session));
        html_.element("p", facts_of(session), "dim").raw("\n");
        if (!session.housekeeping) draw_goal(html_, session, words_);
        charts(section);
        draw_limits(html_, report_, section.session);
        if (!session.housekeeping) {
            draw_course_tables(html_, session, words_);
            draw_drift_tables(html_, session, words_, [this](std::string_view rule) { return rule_anchor(rule); });
        }
        resets(session);
        const std::size_t full = std::min(section.findings.size(), kFullFindings);
        for (std::size_t i = 0; i < full && !html_.gone(); ++i) findings_.full(*section.findings[i]);
        findings_.brief("Further findings in this session",
                        {section.findings.begin() + static_cast<std::ptrdiff_t>(full), section.findings.end()});
        if (section.findings.empty() && not_shown(session) == 0)
            html_.element("p", "Nothing was found in this session.", "nothing");
        draw_fillers(html_, session, words_);
        spending(session);
        draw_peers(html_, session);
        html_.raw("</section>\n");
    }

    // Among other facts, where no column says what is unknown.
    static std::string cost_words(const RequestCost& cost) {
        const bool unknown = !cost.micro_dollars() && cost.unpriced_requests > 0;
        return unknown ? "cost unknown" : list_price(cost);
    }

    std::string facts_of(const SessionReport& s) {
        std::vector<std::string> facts{words_.line(s.format),
                                       words_.line(s.model),
                                       count_of(s.counts.steps, "step"),
                                       s.tokens.requests ? count_of(s.tokens.requests, "request") : "",
                                       token_words(s.tokens),
                                       cost_words(s.tokens.cost),
                                       duration(s.first_time_ms, s.last_time_ms)};
        if (s.sub_agent) facts.emplace_back("a sub-agent");
        if (s.housekeeping) facts.emplace_back("the client's own housekeeping");
        return join(facts, " \u00B7 ");
    }

    // ---- resets ------------------------------------------------------------------------------------------

    void resets(const SessionReport& session) {
        if (session.resets.empty()) return;
        html_.raw("<h3>Suggested resets</h3>\n");
        HtmlTable table = reset_table("Where a fresh session with a summary would have paid; estimated");
        const LineWords lines(session);
        for (const ResetSuggestion& reset : session.resets)
            add_reset(table, reset, lines, {}, words_.line(reset_cause(reset, lines)));
        html_.raw("<div class=\"prose\">");
        table.draw(html_);
        html_.raw("</div>\n");
    }

    void further_resets() {
        HtmlTable table = reset_table("Suggested resets in further sessions, the surest first");
        std::size_t all = 0;
        for (const SessionReset& entry : surest_resets(report_)) {
            if (section_of_.contains(entry.session) || ++all > kResetRows) continue;
            const LineWords lines(report_.sessions[entry.session]);
            add_reset(table, entry.reset, lines, words_.session_name(entry.session) + ", ",
                      words_.line(reset_cause(entry.reset, lines)));
        }
        if (all == 0) return;
        html_.raw("<section class=\"prose\"><h2>Suggested resets in further sessions</h2>\n");
        table.draw(html_);
        if (all > kResetRows) html_.element("p", fmt::format("and {} more", thousands(all - kResetRows)), "dim");
        html_.raw("</section>\n");
    }

    // ---- charts ------------------------------------------------------------------------------------------

    void charts(const Section& section) {
        if (section.charts.empty()) return;
        const bool scored =
            std::ranges::any_of(section.charts, [](const LaneChart& lane) { return !lane.chart.drift.empty(); });
        html_.element("h3", scored ? "Context and drift over time" : "Context over time").raw("\n");
        const bool shaded = std::ranges::any_of(
            section.charts, [](const LaneChart& lane) { return !lane.lane_name.empty() && !lane.chart.spans.empty(); });
        bool folded = false;
        for (const LaneChart& lane : section.charts) {
            if (!lane.lane_name.empty() && !folded) {
                const auto subs =
                    std::ranges::count_if(section.charts, [](const LaneChart& l) { return !l.lane_name.empty(); });
                html_.raw(shaded ? "<details open><summary>" : "<details><summary>")
                    .text(count_of(static_cast<std::uint64_t>(subs), "sub-agent"))
                    .raw("</summary>");
                folded = true;
            }
            if (!lane.lane_name.empty()) html_.element("h4", lane.lane_name);
            draw_chart(html_, lane.chart, drawn_charts_++);
        }
        if (folded) html_.raw("</details>\n");
    }

    // ---- tokens ------------------------------------------------------------------------------------------

    // What is estimated is no sum of requests.
    std::vector<HtmlTable::Column> token_columns(std::string first) const {
        std::vector<HtmlTable::Column> columns{
            {std::move(first), false}, {"requests"}, {"input"}, {"cache write"}, {"cache read"}, {"output"}, {"total"}};
        if (report_.tokens.requests == 0) columns.erase(columns.begin() + 1);
        return columns;
    }

    std::vector<std::string> token_row(std::string first, const TokenCounts& t, std::uint64_t requests) const {
        std::vector<std::string> cells{std::move(first),         thousands(requests),     thousands(t.input),
                                       thousands(t.cache_write), thousands(t.cache_read), thousands(t.output),
                                       thousands(t.total())};
        if (report_.tokens.requests == 0) cells.erase(cells.begin() + 1);
        return cells;
    }

    void models() {
        const TokenLedgerTotals& all = report_.tokens;
        if (report_.sessions.empty()) return;
        html_.raw("<section><h2>Tokens</h2>\n");
        if (all.source == TokensSource::none) {
            html_.element("p", "No token counts are recorded.", "dim").raw("</section>\n");
            return;
        }
        html_.element("p",
                      all.source != TokensSource::reported ? "Estimated, each text once: no figures are recorded."
                      : all.total.lacks_prompt()           ? "As recorded: of the answers alone, prompts are not told."
                                                           : "As recorded, each request once.",
                      "dim");
        auto columns = token_columns("model");
        columns.push_back({"cost"});
        HtmlTable table("Tokens by model", std::move(columns));
        const auto add = [&](std::string name, const TokenCounts& t, std::uint64_t requests, const RequestCost& cost) {
            auto cells = token_row(std::move(name), t, requests);
            cells.push_back(list_price(cost));
            table.row(std::move(cells));
        };
        for (const ModelTokens& m : all.by_model) {
            add(m.model.empty() ? "(not recorded)" : words_.line(m.model), m.tokens, m.requests, m.cost);
        }
        if (all.by_model.size() > 1) add("all models", all.total, all.requests, all.cost);
        table.draw(html_);
        draw_facts(html_, {{"reasoning", all.total.reasoning ? thousands(all.total.reasoning) + " of the output" : ""},
                           {"paid for", join(cost_parts(all.cost_parts), " \u00B7 ")},
                           {"recorded cost", all.cost_microusd ? money(*all.cost_microusd) : ""},
                           {"unpriced", all.cost.unpriced_requests ? count_of(all.cost.unpriced_requests, "request") +
                                                                         " of models without a known price"
                                                                   : ""},
                           {"copies", all.copied_requests ? count_of(all.copied_requests, "request") +
                                                                " copied from elsewhere, not counted again"
                                                          : ""}});
        html_.raw("</section>\n");
    }

    // Where a session's tokens went: turns, sub-agents, single requests.
    void spending(const SessionReport& session) {
        const LineWords lines(session);
        auto columns = token_columns("turn");
        columns.push_back({"cost"});
        HtmlTable turns(session.tokens.turns_by_cost ? "The dearest turns" : "The turns with the most tokens", columns);
        for (const TurnTokens& turn : session.tokens.top_turns) {
            const std::string lane = lane_name(session, turn.lane, words_);
            auto cells = token_row(
                fmt::format("{} ({}{}{})", turn.turn, lines.one(turn.first_line), lane.empty() ? "" : ", ", lane),
                turn.tokens, turn.requests);
            cells.push_back(list_price(turn.cost));
            turns.row(std::move(cells));
        }
        columns.front() = token_columns("conversation").front();
        HtmlTable lanes("Main conversation and sub-agents", std::move(columns));
        if (session.tokens.by_lane.size() > 1) {
            for (const LaneTokens& lane : session.tokens.by_lane) {
                const std::string name = lane_name(session, lane.lane, words_);
                auto cells = token_row(name.empty() ? "main" : name, lane.tokens, lane.requests);
                cells.push_back(list_price(lane.cost));
                lanes.row(std::move(cells));
            }
        }
        HtmlTable requests("The dearest requests", {{"request", false}, {"tokens in"}, {"tokens out"}, {"cost"}});
        for (const DearRequest& request : session.context.dearest) {
            const std::string lane = lane_name(session, request.lane, words_);
            requests.row({join({lines.one(request.line), lane}, ", "), thousands(request.tokens.prompt()),
                          thousands(request.tokens.output), money(request.cost.micro_dollars())});
        }
        if (turns.empty() && lanes.empty() && requests.empty()) return;
        html_.raw("<details><summary>Where the tokens went</summary>");
        lanes.draw(html_);
        turns.draw(html_);
        requests.draw(html_);
        html_.raw("</details>\n");
    }

    // ---- rules -------------------------------------------------------------------------------------------

    void rules() {
        if (rules_.empty()) return;
        html_.raw("<section><h2>About these rules</h2>\n");
        for (const auto& [rule, number] : rules_) {
            const RuleDoc* doc = find_rule_doc(options_, rule);
            html_.raw(fmt::format(R"(<details class="rule" id="rule-{}"><summary>)", number)).element("code", rule);
            html_.text(": ").text(doc->summary).raw("</summary>");
            draw_rule_page(html_, doc->page);
            html_.raw("</details>\n");
        }
        html_.raw("</section>\n");
    }

    const Report& report_;
    const RenderOptions& options_;
    Html html_;
    FindingWords words_;
    HtmlFindings findings_;
    std::vector<Section> sections_;
    std::map<std::size_t, std::size_t> section_of_;  // by session: number of its part of the page, from 1
    std::vector<const Finding*> elsewhere_;          // of sessions without one
    std::vector<const Chart*> charts_;
    std::map<std::string, std::size_t> rules_;  // that are described at the end, with their number
    std::size_t drawn_charts_ = 0;
};

void render(const Report& report, const RenderOptions& options, const ByteSink& out) {
    HtmlReport(report, options, out).draw();
}

}  // namespace

RendererSpec html() {
    return {
        "html",        "one page for a browser: charts, findings with evidence, tokens; loads nothing from anywhere",
        render,        Redact::strict,
        kCoursePoints, true};
}

}  // namespace agent_audit::report
