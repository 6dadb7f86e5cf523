#include "report/all.hpp"
#include "report/escape/sanitize.hpp"
#include "report/escape/utf8.hpp"
#include "report/text/context_block.hpp"
#include "report/text/drift_block.hpp"
#include "report/text/goal_block.hpp"
#include "report/text/inspected_block.hpp"
#include "report/text/layout.hpp"
#include "report/text/reset_block.hpp"
#include "report/text/text_words.hpp"
#include "report/words/finding_place.hpp"
#include "report/words/finding_words.hpp"
#include "report/words/human.hpp"
#include "report/words/list_price.hpp"
#include "report/words/peer_words.hpp"
#include "report/words/provider_error_words.hpp"
#include "report/words/session_mark.hpp"
#include "report/words/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace agent_audit::report {
namespace {

// What is shown unless -v asks for everything; the rest is counted.
constexpr std::size_t kFullFindings = 20;
constexpr std::size_t kShortFindings = 20;
constexpr std::size_t kSessionRows = 10;
constexpr std::size_t kToolRows = 10;
constexpr std::size_t kProviderRows = 3;
constexpr int kToolColumns = 24;  // of a tool's name: leaves room for the classes

Style style_of(Severity severity) {
    switch (severity) {
        case Severity::error: return Style::red;
        case Severity::warning: return Style::yellow;
        case Severity::info: return Style::cyan;
    }
    return Style::plain;
}

class TextReport {
public:
    TextReport(const Report& report, const RenderOptions& options, const ByteSink& out)
        : report_(report),
          page_(options, out),
          words_(report, page_),
          verbose_(options.verbosity > 0),
          quiet_(options.verbosity < 0),
          most_(options.max_findings) {}

    void draw() {
        verdict();
        findings();
        if (quiet_) return quiet_gaps();
        peers();
        tokens();
        context();
        drift();
        failures();
        draw_inspected(page_, report_, words_, verbose_);
    }

private:
    // ---- words -------------------------------------------------------------------------------------------

    std::string_view dot() const { return page_.symbol(" \u00B7 ", "; "); }

    // Also the shortest report does not let silence pass for an answer.
    void quiet_gaps() {
        for (const std::string& line : skipped_lines(report_, verbose_)) page_.labelled(0, 7, "skipped", line);
        const std::uint64_t bad = report_.ingest.bad();
        if (bad > 0)
            page_.labelled(0, 7, "unread",
                           fmt::format("{} of {}", thousands(bad), count_of(report_.ingest.records(), "record")));
    }

    // ---- verdict -----------------------------------------------------------------------------------------

    void verdict() {
        using Kind = Verdict::Kind;
        const Verdict verdict = report::verdict(report_);
        const std::string& words = verdict.sentence;
        switch (verdict.kind) {
            case Kind::nothing_audited: return say(page_.symbol("\u2717", "x"), words, Style::yellow);
            case Kind::failed:
            case Kind::stuck: return say(page_.symbol("\u2717", "x"), words, Style::red);
            case Kind::nothing_checked:
            case Kind::suspicious: return say(page_.symbol("!", "!"), words, Style::yellow);
            case Kind::informed:
            case Kind::clean: return say(page_.symbol("\u2713", "ok"), words, Style::green);
        }
    }

    void say(std::string_view mark, const std::string& words, Style style) {
        page_.paragraph(0, std::string(mark) + " " + words, style);
    }

    // ---- findings ----------------------------------------------------------------------------------------

    // Facts of severity info are one line each, unless they are all there is to say.
    void findings() {
        std::size_t full = 0;
        std::vector<const Finding*> brief;
        const bool infos_in_full = verbose_ || report_.findings.size() <= 3;
        for (const Finding* finding : worst_first(report_)) {
            if (page_.gone()) return;
            const bool in_full =
                verbose_ || (full < kFullFindings && (finding->severity != Severity::info || infos_in_full));
            if (quiet_ || !in_full) {
                brief.push_back(finding);
                continue;
            }
            ++full;
            one_finding(*finding);
        }
        brief_findings(brief);
    }

    void brief_findings(const std::vector<const Finding*>& brief) {
        if (brief.empty()) return;
        if (!quiet_) page_.blank();
        const std::size_t shown = quiet_ || verbose_ ? brief.size() : std::min(brief.size(), kShortFindings);
        std::map<std::string_view, std::uint64_t> met, rest;
        for (std::size_t i = 0; i < shown && !page_.gone(); ++i) {
            const Finding& f = *brief[i];
            if (quiet_ && ++met[f.rule] > most_) {
                ++rest[f.rule];
                continue;
            }
            const Span severity{std::string(name(f.severity)), style_of(f.severity)},
                rule{visible(f.rule), Style::bold};
            const std::string where = words_.place(f);
            const std::string words = words_.text(f.message) + subject(f) +
                                      (f.judgement ? fmt::format(" [judge: {}]", name(f.judgement->verdict)) : "");
            if (fits(where)) {
                page_.heading({severity, rule, {where}, {words}});
                continue;
            }
            page_.heading({severity, rule});
            page_.line(2, where);
            page_.paragraph(2, words);
        }
        for (std::size_t i = shown; i < brief.size(); ++i) ++rest[brief[i]->rule];
        if (rest.empty()) return;
        std::vector<std::string> words;
        std::uint64_t all = 0;
        for (const auto& [rule, n] : rest) {
            words.push_back(fmt::format("{} {}", visible(rule), thousands(n)));
            all += n;
        }
        page_.paragraph(0, fmt::format("{} more: {} ({})", thousands(all), join(words, ", "),
                                       quiet_ ? "--max-findings" : "all with -v"));
    }

    // What it is about, where nothing behind the message will say so: the calls of one round, or the first of many.
    std::string subject(const Finding& f) {
        constexpr std::size_t kMostSteps = 2;
        if (!names_no_call(f)) return {};
        return ": " + steps(f, kMostSteps);
    }

    // A place that is broken in two can be neither clicked nor copied: one that is too long runs over the border.
    bool fits(const std::string& where) const { return page_.width() <= 0 || column_width(where) + 2 <= page_.width(); }

    // Which of several conversations in the same file it was.
    std::string whose(const Finding& f) {
        if (f.session >= report_.sessions.size()) return {};
        const SessionReport session = report_.sessions[f.session];
        std::vector<std::string> words;
        if (report_.sessions.of_input(session.input) > 1)
            words.push_back("session " + words_.text(session_mark(session)));
        if (f.lane != 0) words.push_back("sub-agent " + words_.lane(session, f.lane));
        return join(words, ", ");
    }

    void one_finding(const Finding& f) {
        page_.blank();
        page_.heading({{std::string(name(f.severity)), style_of(f.severity)},
                       {visible(f.code.empty() ? f.rule : f.rule + " (" + f.code + ")"), Style::bold},
                       {percent(f.confidence) + " sure", Style::dim}});
        const std::string where = words_.place(f);
        if (const std::string all = join({where, whose(f)}, ", "); fits(all)) {
            page_.paragraph(2, all, Style::cyan);
        } else {
            page_.line(2, where, Style::cyan);
            if (const std::string session = whose(f); !session.empty()) page_.paragraph(2, session, Style::cyan);
        }
        page_.paragraph(2, words_.text(f.message));
        page_.blank();
        int label = 8;
        const FindingPlace place = place_of(f, report_);
        for (const Evidence& evidence : f.evidence) {
            label = std::max(label, column_width(line_words(evidence.line, place)));
        }
        const auto fact = [&](std::string_view name, const std::string& text) {
            if (!text.empty()) page_.labelled(2, label, name, text);
        };
        fact("round", steps(f, f.round.size()));
        for (const Evidence& evidence : f.evidence) fact(line_words(evidence.line, place), evidence_text(evidence));
        fact("cost", cost_words(f));
        fact("because", reason_words(f, words_.redactor(), dot()));
        fact("do", words_.text(f.action));
        if (f.judgement) judgement(*f.judgement, label);
        if (f.reset_line) fact("reset", own_reset_words(*f.reset_line, place));
        if (silenced_.insert(f.rule).second) fact("silence", "--ignore " + visible(f.rule));
    }

    // The judge's words are no more to be trusted than the transcript it read.
    void judgement(const Judgement& word, int label) {
        std::string text{name(word.verdict)};
        if (word.verdict != JudgeVerdict::unanswered && word.verdict != JudgeVerdict::confirmed) {
            text += fmt::format(" (was {})", name(word.severity_before));
        }
        page_.labelled(2, label, "judge", text + ": " + words_.text(word.reason));
        for (const std::string& one : word.suggestions) page_.labelled(2, label, "suggests", words_.text(one));
        for (const std::string& one : word.next_actions) page_.labelled(2, label, "next", words_.text(one));
    }

    std::string evidence_text(const Evidence& e) {
        const std::string text = words_.text(e.text);
        if (e.role.empty()) return text.empty() ? "-" : text;
        return text.empty() ? visible(e.role) : visible(e.role) + " " + text;
    }

    // One round of the pattern, or how it begins.
    std::string steps(const Finding& f, std::size_t most) {
        std::vector<std::string> words;
        for (std::size_t i = 0; i < std::min(most, f.round.size()); ++i) words.push_back(words_.text(f.round[i]));
        if (most < f.round.size()) words.emplace_back(page_.symbol("\u2026", "..."));
        return join(words, page_.symbol("  \u2192  ", "  ->  "));
    }

    // ---- other agents --------------------------------------------------------------------------------------

    // One session: where each would have reacted. Several: how often, and each session with -v.
    void peers() {
        if (report_.peers.empty()) return;
        const auto watched = [](const SessionReport& s) { return !s.peers.empty(); };
        const bool one = std::ranges::count_if(report_.sessions, watched) == 1;
        page_.blank();
        page_.heading({{"Other agents", Style::bold}, {"what their loop detectors would have done", Style::dim}});
        if (!one) peer_totals();
        if (!one && !verbose_) return;
        for (const SessionReport& session : report_.sessions) {
            if (page_.gone()) return;
            if (!watched(session)) continue;
            if (!one) page_.paragraph(2, words_.session(session), Style::bold);
            peer_table(session);
        }
    }

    void peer_totals() {
        Table table({{"profile", 0, false},
                     {"warned", 0},
                     {"stopped", 0},
                     {"right", 0},
                     {"false", 0},
                     {"missed", 0},
                     {"silent", 0}});
        for (const PeerTotals& t : report_.peers) {
            table.row({visible(t.profile), thousands(t.warned), thousands(t.stopped), thousands(t.right),
                       thousands(t.false_alarms), thousands(t.missed), thousands(t.silent_right)});
        }
        table.draw(page_, 2);
        const std::uint64_t sessions = report_.peers.front().sessions;
        page_.paragraph(
            2,
            "by our findings in " + count_of(sessions, "session") +
                ": right = reacted in a loop, false = reacted elsewhere, missed = silent in a loop, silent = "
                "rightly so",
            Style::dim);
    }

    void peer_table(const SessionReport& session) {
        Table table({{"profile", 0, false},
                     {"verdict", 0, false},
                     {"rule", 1, false},
                     {"warns", 0},
                     {"stops", 0},
                     {"step", 2}});
        for (const PeerOutcome& peer : session.peers) {
            const PeerReaction* reaction = peer.reaction();
            table.row({visible(peer.profile), std::string(verdict_words(peer.verdict)),
                       reaction ? visible(reaction->rule) : "-", peer_line(peer.warned), peer_line(peer.stopped),
                       reaction ? thousands(reaction->step) : "-"});
        }
        table.draw(page_, 2);
        page_.paragraph(2, "warns and stops at which line, after how many tool calls; right or wrong by our findings",
                        Style::dim);
    }

    static std::string peer_line(const std::optional<PeerReaction>& reaction) {
        return reaction ? std::to_string(reaction->line) : "-";
    }

    // ---- tokens ------------------------------------------------------------------------------------------

    void tokens() {
        const TokenLedgerTotals& all = report_.tokens;
        if (report_.sessions.empty()) return;
        page_.blank();
        if (all.source == TokensSource::none) {
            page_.heading({{"Tokens", Style::bold}, {"not recorded", Style::dim}});
            return;
        }
        const char* how = all.source != TokensSource::reported ? "estimated, each text once: no figures are recorded"
                          : all.total.lacks_prompt() ? "as recorded: of the answers alone, prompts are not told"
                                                     : "as recorded, each request once";
        page_.heading({{"Tokens", Style::bold}, {how, Style::dim}});
        if (report_.sessions.size() > 1) session_table();
        if (report_.sessions.size() == 1 || all.by_model.size() > 1) model_table();
        token_facts();
    }

    // Without a recorded request there is nothing that could have a price.
    bool shows_cost() const {
        const RequestCost& cost = report_.tokens.cost;
        return cost.priced_requests + cost.unpriced_requests > 0;
    }

    // What is estimated is no sum of requests.
    bool shows_requests() const { return report_.tokens.requests > 0; }

    // The parts of a sum stay together, as far as there are any: where not all fit beside it, the sum goes. A page that
    // is too narrow for the parts shows the sum instead, and so does one on which the figures leave no room for all of
    // them.
    static constexpr int kParts = 3;  // the first of the parts to go
    std::vector<Column> token_columns(std::string first, bool parts) const {
        const TokenCounts& all = report_.tokens.total;
        std::vector<Column> columns{{std::move(first), 0, false, true}};
        if (shows_requests()) columns.push_back({"requests", 5});
        if (!all.lacks_prompt()) columns.push_back({"input", kParts});
        if (all.cache_write > 0) columns.push_back({"cache write", parts ? 2 : 4});
        if (all.cache_read > 0) columns.push_back({"cache read", 2});
        columns.push_back({"output", 1});
        columns.push_back({"total", parts ? 4 : 0});
        if (shows_cost()) columns.push_back({"cost", 1});
        return columns;
    }

    std::vector<std::string> token_row(std::string first, const TokenCounts& t, std::uint64_t requests,
                                       const RequestCost& cost, std::string_view mark = {}) const {
        const TokenCounts& all = report_.tokens.total;
        std::vector<std::string> cells{std::move(first)};
        if (shows_requests()) cells.push_back(thousands(requests));
        const auto figure = [&](std::uint64_t tokens) { return std::string(mark) + thousands(tokens); };
        if (!all.lacks_prompt()) cells.push_back(figure(t.input));
        if (all.cache_write > 0) cells.push_back(thousands(t.cache_write));
        if (all.cache_read > 0) cells.push_back(thousands(t.cache_read));
        cells.push_back(figure(t.output));
        cells.push_back(figure(t.total()));
        if (shows_cost()) cells.push_back(list_price(cost));
        return cells;
    }

    Table token_table(std::string first) const {
        constexpr int kRoomForParts = 76;  // columns
        const int width = page_.options().width;
        return Table(token_columns(std::move(first), width == 0 || width >= kRoomForParts));
    }

    void draw_tokens(Table& table, std::string first) {
        if (!table.fits(page_, 2, kParts)) table.rank(token_columns(std::move(first), false));
        table.draw(page_, 2);
    }

    void session_table() {
        std::vector<std::pair<std::uint64_t, std::size_t>> sorted;  // by tokens
        std::uint64_t guesses = 0;
        for (std::size_t i = 0; i < report_.sessions.size(); ++i) {
            const SessionReport session = report_.sessions[i];
            sorted.emplace_back(session.tokens.total.total(), i);
            guesses += is_guess(session.tokens);
        }
        std::ranges::stable_sort(sorted, std::greater<>{}, [](const auto& entry) { return entry.first; });
        const std::size_t shown = verbose_ ? sorted.size() : std::min(sorted.size(), kSessionRows);
        Table table = token_table("session");
        for (std::size_t i = 0; i < shown; ++i) {
            const SessionReport session = report_.sessions[sorted[i].second];
            const std::string_view mark = is_guess(session.tokens) ? "~" : "";
            table.row(token_row(words_.session(session), session.tokens.total, session.tokens.requests,
                                session.tokens.cost, mark));
        }
        table.row(token_row("all sessions", report_.tokens.total, report_.tokens.requests, report_.tokens.cost));
        draw_tokens(table, "session");
        if (shown < sorted.size()) {
            page_.paragraph(2,
                            fmt::format("the {} largest of {} sessions (all with -v)", shown, thousands(sorted.size())),
                            Style::dim);
        }
        if (guesses > 0)
            page_.paragraph(2, "~ estimated, and not in the sum: " + count_of(guesses, "session"), Style::dim);
    }

    // Beside figures that are recorded; where none is, the heading says it of all.
    bool is_guess(const TokenLedgerTotals& of_session) const {
        return of_session.source == TokensSource::estimated && report_.tokens.source == TokensSource::reported;
    }

    void model_table() {
        Table table = token_table("model");
        for (const ModelTokens& m : report_.tokens.by_model) {
            const std::string model = m.model.empty() ? "(not recorded)" : words_.text(m.model);
            table.row(token_row(end_of(model, TextWords::kNameColumns, page_.symbol("\u2026", "..")), m.tokens,
                                m.requests, m.cost));
        }
        const bool one_row = report_.tokens.by_model.size() == 1;
        if (!one_row)
            table.row(token_row("all models", report_.tokens.total, report_.tokens.requests, report_.tokens.cost));
        draw_tokens(table, "model");
    }

    void token_facts() {
        const TokenLedgerTotals& all = report_.tokens;
        std::vector<std::string> facts;
        if (all.total.reasoning) facts.push_back(thousands(all.total.reasoning) + " of the output is reasoning");
        if (all.total.cache_write_1h) {
            facts.push_back(thousands(all.total.cache_write_1h) + " of the cache writes are for an hour");
        }
        if (all.cost_microusd) facts.push_back(money(*all.cost_microusd) + " as recorded");
        if (all.total.lacks_prompt()) {
            facts.push_back("without the prompts there is no price");
        } else if (all.cost.unpriced_requests) {
            facts.push_back("the price of " + count_of(all.cost.unpriced_requests, "request") +
                            " is not known (--prices)");
        }
        if (all.copied_requests) {
            facts.push_back(count_of(all.copied_requests, "request") + " copied from elsewhere, not counted again");
        }
        if (all.peak_context) facts.push_back(peak(all));
        if (!facts.empty()) page_.paragraph(2, join(facts, dot()));
        const std::vector<std::string> paid = cost_parts(all.cost_parts);
        if (!paid.empty()) page_.labelled(2, 14, "paid for", join(paid, dot()));
        if (verbose_)
            turn_rows();
        else
            dear_turns();
    }

    // Who sees that one session cost so much asks at once where it went.
    void dear_turns() {
        constexpr std::uint64_t kAsked = 1'000'000;  // micro-dollars
        constexpr std::size_t kShown = 3;
        if (report_.sessions.size() != 1) return;
        for (const SessionReport& session : report_.sessions) {
            const std::vector<TurnTokens>& turns = session.tokens.top_turns;
            if (session.tokens.cost.micro_dollars() < kAsked) return;
            const LineWords lines(session);
            for (std::size_t i = 0; i < std::min(turns.size(), kShown) && turns.size() > 1; ++i) {
                page_.labelled(2, 14, fmt::format("turn {}", turns[i].turn),
                               fmt::format("{}from {}{}", turn_words(turns[i]), lines.one(turns[i].first_line),
                                           lane_words(session, turns[i])));
            }
            if (turns.size() > kShown)
                page_.paragraph(
                    2,
                    fmt::format("the {}; more with -v",
                                session.tokens.turns_by_cost ? "dearest turns" : "turns with the most tokens"),
                    Style::dim);
            if (!session.context.dearest.empty())
                page_.labelled(2, 14, "request",
                               "the dearest: " + dear_request_words(session.context.dearest.front(), lines));
        }
    }

    std::string lane_words(const SessionReport& session, const TurnTokens& turn) {
        return turn.lane ? fmt::format(", sub-agent {}", words_.lane(session, turn.lane)) : "";
    }

    static std::string turn_words(const TurnTokens& turn) {
        return fmt::format("{} tokens, {}, {}", thousands(turn.tokens.total()), count_of(turn.requests, "request"),
                           turn.cost.priced_requests > 0 ? list_price(turn.cost) + ", " : "");
    }

    std::string peak(const TokenLedgerTotals& all) const {
        std::string words = "fullest context " + thousands(all.peak_context) + " tokens";
        if (all.window_tokens) {
            const double share = static_cast<double>(all.peak_context) / static_cast<double>(all.window_tokens);
            words += fmt::format(" ({} of the window)", percent(share));
        }
        if (all.peak_context_line && report_.sessions.size() == 1)
            words += " at " + LineWords(report_.sessions[0]).one(all.peak_context_line);
        return words;
    }

    std::string where(const SessionReport& session, std::uint64_t line) {
        const std::string path = words_.path_of(session.input);
        if (session.input >= report_.inputs.size()) return fmt::format("{}:{}", path, line);
        return line_place(path, line, report_.inputs[session.input]);
    }

    // The turns of every session that took most, and its sub-agents.
    void turn_rows() {
        for (const SessionReport& session : report_.sessions) {
            if (page_.gone()) return;
            for (const TurnTokens& turn : session.tokens.top_turns) {
                if (report_.sessions.size() == 1) {
                    page_.labelled(2, 14, fmt::format("turn {}", turn.turn),
                                   fmt::format("{}from {}{}", turn_words(turn), LineWords(session).one(turn.first_line),
                                               lane_words(session, turn)));
                    continue;
                }
                page_.labelled_name(2, 14, fmt::format("turn {}", turn.turn), turn_words(turn),
                                    where(session, turn.first_line), lane_words(session, turn));
            }
            for (const LaneTokens& lane : session.tokens.by_lane) {
                if (lane.lane == 0) continue;
                page_.labelled(
                    2, 14, "sub-agent",
                    join({fmt::format("{}: {} tokens", words_.lane(session, lane.lane), thousands(lane.tokens.total())),
                          count_of(lane.requests, "request"),
                          lane.cost.priced_requests > 0 ? list_price(lane.cost) : ""},
                         ", "));
            }
        }
    }

    void context() {
        const ContextWords words{[this](std::string_view raw) { return words_.text(raw); },
                                 [this](std::string_view raw) { return words_.path(raw); },
                                 [this](const SessionReport& session) { return words_.session(session); }};
        draw_resets(page_, report_, words, verbose_);
        draw_context(page_, report_, words, verbose_);
    }

    void drift() {
        const DriftWords words{[this](std::string_view raw) { return words_.text(raw); },
                               [this](std::string_view raw, std::string_view said) { return words_.word(raw, said); },
                               [this](const SessionReport& session) { return words_.session(session); }};
        if (verbose_) draw_goals(page_, report_, words);
        draw_drift(page_, report_, words, verbose_);
        draw_similarity(page_, report_, words, verbose_);
    }

    // ---- failures ----------------------------------------------------------------------------------------

    void failures() {
        std::vector<const ToolStats*> sorted;
        for (const ToolStats& tool : report_.tools) {
            if (tool.failed() > 0) sorted.push_back(&tool);
        }
        const std::vector<std::size_t> refused = with_provider_errors(report_);
        if (sorted.empty() && refused.empty()) return;
        page_.blank();
        page_.heading({{"Failures", Style::bold},
                       {sorted.empty() ? "of the provider" : "by tool and class; streak = failing responses in a row",
                        Style::dim}});
        if (!sorted.empty()) tool_failures(sorted);
        provider_errors(refused);
    }

    // A session that stood still is explained by the requests that its provider refused.
    void provider_errors(const std::vector<std::size_t>& refused) {
        const std::size_t shown = verbose_ ? refused.size() : std::min(refused.size(), kProviderRows);
        for (std::size_t i = 0; i < shown && !page_.gone(); ++i) {
            const SessionReport session = report_.sessions[refused[i]];
            const std::string whose = report_.sessions.size() > 1 ? words_.session(session) + ": " : "";
            page_.labelled(2, 8, "provider", whose + words_.text(provider_error_words(session)));
        }
        if (shown < refused.size()) {
            page_.paragraph(
                2,
                fmt::format("the {} with the most errors of a provider of {} sessions that met any (all with -v)",
                            shown, refused.size()),
                Style::dim);
        }
    }

    // Only tools that failed; the most failing first.
    void tool_failures(std::vector<const ToolStats*>& sorted) {
        std::ranges::stable_sort(sorted, [](auto* a, auto* b) { return a->failed() > b->failed(); });
        const std::size_t shown = verbose_ ? sorted.size() : std::min(sorted.size(), kToolRows);
        const std::vector<ErrorClass> classes = classes_of(sorted);
        std::vector<Column> columns{{"tool", 0, false, true}, {"calls", 4}, {"failed", 0}};
        for (const ErrorClass error : classes) columns.push_back({class_title(error), 3});
        columns.push_back({"streak", 2});
        Table table(std::move(columns));
        for (std::size_t i = 0; i < shown; ++i) table.row(failure_row(*sorted[i], classes));
        table.draw(page_, 2);
        if (shown < sorted.size()) {
            page_.paragraph(
                2, fmt::format("the {} most failing of {} tools that failed (all with -v)", shown, sorted.size()),
                Style::dim);
        }
    }

    // Only classes that occurred: five columns do not fit, and mostly there are two.
    static std::vector<ErrorClass> classes_of(const std::vector<const ToolStats*>& tools) {
        std::vector<ErrorClass> classes;
        for (std::size_t i = 0; i < kErrorClassCount; ++i) {
            const auto occurred = [&](const ToolStats* tool) { return tool->failures[i] > 0; };
            if (std::ranges::any_of(tools, occurred)) classes.push_back(static_cast<ErrorClass>(i));
        }
        return classes;
    }

    static std::string class_title(ErrorClass error) {
        if (error == ErrorClass::infrastructure) return "machine";
        if (error == ErrorClass::user_denied) return "denied";
        return std::string(name(error));
    }

    std::vector<std::string> failure_row(const ToolStats& tool, const std::vector<ErrorClass>& classes) {
        std::vector<std::string> cells{end_of(words_.text(tool.tool), kToolColumns, page_.symbol("\u2026", "..")),
                                       thousands(tool.calls), thousands(tool.failed())};
        for (const ErrorClass error : classes)
            cells.push_back(thousands(tool.failures[static_cast<std::size_t>(error)]));
        cells.push_back(thousands(tool.longest_failure_streak));
        return cells;
    }

    const Report& report_;
    Page page_;
    TextWords words_;
    bool verbose_;
    bool quiet_;
    std::uint64_t most_;                   // findings of a rule in one line each
    std::set<std::string_view> silenced_;  // rules whose silencing was explained
};

void render(const Report& report, const RenderOptions& options, const ByteSink& out) {
    TextReport(report, options, out).draw();
}

}  // namespace

RendererSpec text() {
    return {"text", "for people: verdict, findings, tokens, what was inspected", render, Redact::secrets};
}

}  // namespace agent_audit::report
