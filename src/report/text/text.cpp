#include "report/all.hpp"
#include "report/escape/sanitize.hpp"
#include "report/escape/utf8.hpp"
#include "report/text/context_block.hpp"
#include "report/text/drift_block.hpp"
#include "report/text/failures_block.hpp"
#include "report/text/goal_block.hpp"
#include "report/text/inspected_block.hpp"
#include "report/text/layout.hpp"
#include "report/text/peers_block.hpp"
#include "report/text/reset_block.hpp"
#include "report/text/text_words.hpp"
#include "report/text/token_block.hpp"
#include "report/words/finding_place.hpp"
#include "report/words/finding_words.hpp"
#include "report/words/human.hpp"
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
        draw_peers(page_, report_, words_, verbose_);
        if (quiet_) return quiet_gaps();
        draw_tokens(page_, report_, words_, verbose_);
        draw_resets(page_, report_, words_, verbose_);
        draw_context(page_, report_, words_, verbose_);
        if (verbose_) draw_goals(page_, report_, words_);
        draw_drift(page_, report_, words_, verbose_);
        draw_similarity(page_, report_, words_, verbose_);
        draw_failures(page_, report_, words_, verbose_);
        draw_inspected(page_, report_, words_, verbose_);
    }

private:
    // ---- words -------------------------------------------------------------------------------------------

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
        fact("because", reason_words(f, words_.redactor(), page_.dot()));
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
