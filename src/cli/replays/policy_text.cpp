#include "cli/replays/policy_replay.hpp"
#include "cli/replays/replay_words.hpp"
#include "report/escape/sanitize.hpp"
#include "report/escape/utf8.hpp"
#include "report/redaction/redact.hpp"
#include "report/words/human.hpp"
#include "report/words/reset_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

namespace agent_audit::cli {
namespace {

using policy::Decision;
using report::count_of;
using report::short_count;

constexpr std::size_t kDecisionsShown = 12, kResetsShown = 2;  // without -v
constexpr int kLeastPath = 20;                                 // columns of a path, however narrow the page

// Below a table in which right and wrong are fewer than the acts.
constexpr std::string_view kOthers =
    "Acts that are neither right nor wrong answer to no finding, or to one that ended by itself.";

class Text {
public:
    Text(report::Page& page, const PolicyReplay& replay, const PolicyView& view)
        : page_(page), replay_(replay), view_(view), redact_(view.redact) {}

    void all() {
        if (view_.verbosity < 0) return failed_runs();
        for (const ReplayedSession& session : replay_.sessions) {
            lines_ = report::LineWords(replay_.inputs[session.input].counts_records);
            head(session);
            if (session.runs.size() > 1)
                table(session);
            else
                details(session.runs.front());
            if (view_.timeline) {
                for (const SupervisedRun& run : session.runs) timeline(run, session.runs.size() > 1);
            }
            page_.blank();
        }
        if (replay_.sessions.size() > 1) totals();
        if (replay_.sessions.empty()) return;
        page_.paragraph(
            0,
            "Replayed, not run again: what the agent did after an intervention is what it did without one. Saved is "
            "what came after the stop or reset and got nowhere; lost is what came after it and got somewhere.");
    }

private:
    // What a gate has to say, and nothing more.
    void failed_runs() {
        std::uint64_t runs = 0, failed = 0;
        std::map<std::uint32_t, std::size_t> sessions_of;
        for (const ReplayedSession& session : replay_.sessions) ++sessions_of[session.input];
        for (const ReplayedSession& session : replay_.sessions) {
            for (const SupervisedRun& run : session.runs) {
                ++runs;
                if (!run.failed) continue;
                ++failed;
                const std::string session_name = sessions_of[session.input] > 1 ? ", " + name_of(run) : "";
                const std::string place =
                    path_words(session, page_.width() - 2 - report::column_width(session_name)) + session_name;
                page_.heading({{"failed", report::Style::red},
                               {"policy " + run.policy, report::Style::bold},
                               {place},
                               {shown(run.failed_because)}});
            }
        }
        if (runs > 0) page_.paragraph(0, fmt::format("{} of {} failed", failed, count_of(runs, "run")));
    }

    // Where the input is; of what is wider than `columns`, the end. With -v, and where nothing is wrapped, all of it.
    std::string path_words(const ReplayedSession& session, int columns) {
        const std::string& path = replay_.inputs[session.input].path;
        const std::string words = path == "-" ? "<stdin>" : report::visible(redact_.input(path));
        if (page_.width() <= 0 || view_.verbosity > 0) return words;
        return report::end_of(words, std::max(columns, kLeastPath), page_.symbol("…", ".."));
    }

    std::string shown(std::string_view raw) { return report::visible(redact_.text(raw)); }

    std::string name_of(const SupervisedRun& run) {
        return session_words(redact_.text(run.session_id), redact_.text(run.label), run.first_line, lines_);
    }

    void head(const ReplayedSession& session) {
        const ReplayedInput& input = replay_.inputs[session.input];
        const SupervisedRun& run = session.runs.front();
        page_.heading({{path_words(session, page_.width()), report::Style::bold},
                       {fmt::format("{} {}", input.format, name_of(run))}});
        std::string size = fmt::format("{}, {}", count_of(run.responses, "response"), count_of(run.steps, "step"));
        if (run.tokens.total() > 0) {
            size += fmt::format(", {} tokens{}", short_count(run.tokens.total()),
                                run.tokens_source == TokensSource::estimated ? " (estimated)" : "");
        }
        if (run.cost) size += ", " + report::money(run.cost->micro_dollars());
        if (run.wall_ms >= 0) size += ", " + wall_words(run.wall_ms);
        page_.paragraph(2, size);
    }

    std::string verdict_of(const SupervisedRun& run) {
        const RunFigures f = figures_of(run);
        std::string words = fmt::format("policy {}: ", run.policy);
        if (f.interventions == 0) return words + "nothing to do";
        words += count_of(f.interventions, "intervention");
        if (f.stop_line > 0) words += ", stopped after " + lines_.one(f.stop_line);
        return words;
    }

    void details(const SupervisedRun& run) {
        page_.blank();
        page_.paragraph(2, verdict_of(run), run.failed ? report::Style::red : report::Style::bold);
        std::size_t left_out = 0;
        for (std::size_t i = 0; i < run.decisions.size(); ++i) {
            const bool last = i + 1 == run.decisions.size();
            if (view_.verbosity <= 0 && i >= kDecisionsShown && !last && run.cut != i)
                ++left_out;
            else
                decision(run.decisions[i], run.verdicts[i]);
        }
        if (left_out > 0) page_.paragraph(2, fmt::format("{} more, -v shows them", left_out), report::Style::dim);
        for (const ToolBreakerTotals& b : run.breakers) {
            page_.labelled(2, 10, "breaker",
                           fmt::format("{}: opened {}, {} of the recorded calls refused", shown(b.tool),
                                       count_of(b.opened, "time"), b.refused));
        }
        if (run.waited > 0)
            page_.labelled(2, 10, "waited",
                           fmt::format("{} before which the agent had waited by itself",
                                       count_of(run.waited, "retry", "retries")));
        if (run.context) {
            page_.labelled(2, 10, "context",
                           fmt::format("{}: peak {}, {}, {}", run.context->name, short_count(run.context->peak_tokens),
                                       count_of(run.context->compactions, "compaction"),
                                       count_of(run.context->overflows, "overflow")));
        }
        if (run.cut) after(run);
        resets(run);
        if (run.lived_with > 0)
            page_.labelled(2, 10, "left out", count_of(run.lived_with, "finding") + " that the settings suppress");
        page_.labelled(2, 10, "exit", run.failed ? "1: " + shown(run.failed_because) : std::string("0"));
    }

    void after(const SupervisedRun& run) {
        const Counterfactual& a = run.after;
        const Decision& d = run.decisions[*run.cut];
        const auto stops = std::ranges::count_if(run.decisions, policy::ends_run);
        std::string words = fmt::format("after the {} at {}{}: ", policy::name(d.action), lines_.one(d.line),
                                        stops > 1 ? fmt::format(" and {} more", stops - 1) : "");
        if (a.steps == 0 && a.tokens == 0) {
            page_.labelled(2, 10, "saved", words + "nothing came any more");
            return;
        }
        words += fmt::format("{}, {} tokens", count_of(a.steps, "call"), short_count(a.tokens));
        if (a.priced) words += ", " + cost_words(a.cost_parts, true);
        if (a.wall_ms >= 0) words += ", " + wall_words(a.wall_ms);
        page_.labelled(2, 10, "saved",
                       words + fmt::format("; of these {} and {} tokens{} got nowhere",
                                           count_of(a.wasted_steps, "call"), short_count(a.wasted_tokens),
                                           a.priced ? " (" + cost_words(a.wasted_cost_parts, true) + ")" : ""));
        if (a.useful_steps > 0 || a.useful_tokens > 0) {
            page_.labelled(2, 10, "lost",
                           fmt::format("{} and {} tokens that got somewhere", count_of(a.useful_steps, "call"),
                                       short_count(a.useful_tokens)));
        }
    }

    // The surest, or all of them; never a part of what was decided, for they rest on the whole recording.
    void resets(const SupervisedRun& run) {
        std::vector<const ResetSuggestion*> shown_here;
        for (const ResetSuggestion& reset : run.resets) shown_here.push_back(&reset);
        std::ranges::stable_sort(shown_here, std::greater<>{}, &ResetSuggestion::confidence);
        const std::size_t all = shown_here.size();
        if (view_.verbosity <= 0 && all > kResetsShown) shown_here.resize(kResetsShown);
        for (const ResetSuggestion* reset : shown_here) {
            page_.labelled(2, 10, "reset", report::reset_place(*reset, lines_));
            page_.labelled(2, 10, "why", report::reset_reason(*reset, lines_));
            page_.labelled(2, 10, "gain", report::reset_gain(*reset));
        }
        if (shown_here.size() < all)
            page_.paragraph(12, fmt::format("the surest {} of {} (all with -v)", shown_here.size(), all),
                            report::Style::dim);
        if (all > 0)
            page_.paragraph(12, "agent-audit reset SESSION writes the prompt of the fresh session", report::Style::dim);
    }

    void decision(const Decision& d, DecisionVerdict verdict) {
        std::string place = lines_.one(d.line);
        if (d.lane > 0) place += fmt::format(" (sub-agent {})", d.lane);
        std::string words{policy::name(d.action)};
        if (!d.rule.empty()) words += fmt::format(" {} {}", page_.symbol("·", "-"), shown(d.rule));
        if (verdict == DecisionVerdict::wrong) words += " (wrong, as it turned out)";
        if (verdict == DecisionVerdict::late) words += " (it ended by itself)";
        page_.labelled(2, 12, place, words);
        std::string reason = shown(d.reason);
        if (d.back_to_line) reason += "; back to " + lines_.one(*d.back_to_line);
        reason += delay_words(d);
        if (!d.substitute.empty()) reason += "; use " + shown(d.substitute);
        page_.paragraph(14, reason);
        if (view_.verbosity <= 0) return;
        told(d.message);
        for (const Evidence& e : d.evidence)
            page_.paragraph(14, fmt::format("{} {}: {}", lines_.one(e.line), shown(e.role), shown(e.text)),
                            report::Style::dim);
        for (const policy::Alternative& a : d.alternatives) {
            page_.paragraph(14, fmt::format("not {}: {}", policy::name(a.action), shown(a.why_not)),
                            report::Style::dim);
        }
    }

    // Its lines are lines: they are no characters to be shown. A private key has several.
    void told(std::string_view raw) {
        const std::string safe = redact_.text(raw);
        const std::string_view message = safe;
        std::string_view label = "told: ";
        for (std::size_t begin = 0; begin <= message.size();) {
            const std::size_t end = std::min(message.find('\n', begin), message.size());
            page_.paragraph(14, std::string(label) + report::visible(message.substr(begin, end - begin)),
                            report::Style::dim);
            label = "";
            begin = end + 1;
        }
    }

    // The words that fit in `room` columns.
    std::string cut_to(const std::string& words, int room) const {
        if (page_.width() <= 0 || report::column_width(words) <= room) return words;
        const std::string_view more = page_.symbol("…", "...");
        return report::wrap(words, std::max(room - report::column_width(more), 4)).front().append(more);
    }

    static report::Table columns(bool over_all) {
        if (over_all) {
            return report::Table({{"policy", 0, false},
                                  {"sessions", 5},
                                  {"acted", 1},
                                  {"stopped"},
                                  {"right", 3},
                                  {"wrong", 3},
                                  {"saved"},
                                  {"cost", 4},
                                  {"calls lost", 2},
                                  {"lost", 1},
                                  {"exit 1"}});
        }
        return report::Table({{"policy", 0, false},
                              {"acts"},
                              {"right", 3},
                              {"wrong", 3},
                              {"first", 1},
                              {"stop"},
                              {"calls", 2},
                              {"saved"},
                              {"cost", 4},
                              {"lost", 1},
                              {"exit"}});
    }

    void table(const ReplayedSession& session) {
        page_.blank();
        report::Table table = columns(false);
        for (const SupervisedRun& run : session.runs) {
            const RunFigures f = figures_of(run);
            table.row({run.policy, fmt::format("{}", f.interventions), fmt::format("{}", f.right),
                       fmt::format("{}", f.wrong), line_words(f.first_line), line_words(f.stop_line),
                       fmt::format("{}", f.after.wasted_steps), short_count(f.after.wasted_tokens),
                       cost_words(f.after.wasted_cost_parts, f.after.priced), short_count(f.after.useful_tokens),
                       run.failed ? "1" : "0"});
        }
        table.draw(page_, 2);
        const bool more = std::ranges::any_of(session.runs, [](const SupervisedRun& run) {
            const RunFigures f = figures_of(run);
            return f.right + f.wrong < f.interventions;
        });
        if (more) page_.paragraph(2, kOthers, report::Style::dim);
    }

    void totals() {
        page_.paragraph(0, fmt::format("All {}", count_of(replay_.sessions.size(), "session")), report::Style::bold);
        page_.blank();
        report::Table table = columns(true);
        for (const PolicyTotals& t : replay_.totals) {
            table.row({t.policy, fmt::format("{}", t.sessions), fmt::format("{}", t.intervened),
                       fmt::format("{}", t.stopped), fmt::format("{}", t.sum.right), fmt::format("{}", t.sum.wrong),
                       short_count(t.sum.after.wasted_tokens),
                       cost_words(t.sum.after.wasted_cost_parts, t.sum.after.priced),
                       fmt::format("{}", t.sum.after.useful_steps), short_count(t.sum.after.useful_tokens),
                       fmt::format("{}", t.failed)});
        }
        table.draw(page_, 2);
        page_.blank();
    }

    void timeline(const SupervisedRun& run, bool named) {
        page_.blank();
        page_.paragraph(2, named ? fmt::format("turns under {}", run.policy) : std::string("turns"),
                        report::Style::bold);
        page_.line(
            2,
            fmt::format("{:>5} {:>13} {:>8}   {}", "turn", fmt::format("{}s", lines_.noun()), "tokens", "first call"),
            report::Style::dim);
        std::size_t next = 0;
        const auto mark = [&](const Decision& d) {
            page_.line(4,
                       fmt::format("{} {} after {}{}", page_.symbol("▶", ">"), policy::name(d.action),
                                   lines_.one(d.line), d.rule.empty() ? "" : " (" + shown(d.rule) + ")"),
                       d.action == policy::Action::stop ? report::Style::red : report::Style::yellow);
        };
        for (const RunTurn& turn : run.turns) {
            const std::string_view state = turn.calls == 0   ? " "
                                           : turn.failed > 0 ? "x"
                                           : turn.good == 0  ? "="
                                                             : page_.symbol("·", ".");
            std::string words = turn.calls == 0 ? "(no call)" : shown(turn.words);
            if (turn.calls > 1) words += fmt::format(" and {} more", turn.calls - 1);
            const std::string lane = turn.lane > 0 ? fmt::format("[{}] ", turn.lane) : "";
            const std::string lines = turn.last_line > turn.first_line
                                          ? fmt::format("{}-{}", turn.first_line, turn.last_line)
                                      : turn.first_line > 0 ? fmt::format("{}", turn.first_line)
                                                            : std::string();
            const std::string figures =
                fmt::format("{:>5} {:>13} {:>8} {} {}", turn.response, lines, short_count(turn.tokens), state, lane);
            const int room = page_.width() - 2 - report::column_width(figures);
            page_.line(2, fmt::format("{}{}", figures, cut_to(words, room)));
            for (; next < run.decisions.size(); ++next) {
                const Decision& d = run.decisions[next];
                const bool here = d.lane == turn.lane ? d.response <= turn.response : d.line <= turn.last_line;
                if (!here) break;
                mark(d);
            }
        }
        for (; next < run.decisions.size(); ++next) mark(run.decisions[next]);
        page_.paragraph(2, fmt::format("x failed, = nothing new, {} something new", page_.symbol("·", ".")),
                        report::Style::dim);
    }

    report::Page& page_;
    const PolicyReplay& replay_;
    const PolicyView& view_;
    report::Redactor redact_;
    report::LineWords lines_;  ///< of the session that is written
};

}  // namespace

void write_policy_text(report::Page& page, const PolicyReplay& replay, const PolicyView& view) {
    Text(page, replay, view).all();
}

}  // namespace agent_audit::cli
