#include "report/all.hpp"
#include "report/escape/markdown_text.hpp"
#include "report/escape/sanitize.hpp"
#include "report/words/finding_words.hpp"
#include "report/words/human.hpp"
#include "report/words/list_price.hpp"
#include "report/words/provider_error_words.hpp"
#include "report/words/reset_words.hpp"
#include "report/words/skipped_rule.hpp"
#include "report/words/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace agent_audit::report {
namespace {

constexpr std::size_t kSessionRows = 50;
constexpr std::size_t kProblems = 20;
constexpr std::size_t kResets = 10;
constexpr std::size_t kTail = 4'096;  // kept free for what follows the findings

class Markdown {
public:
    Markdown(const Report& report, const RenderOptions& options, const ByteSink& out)
        : report_(report), options_(options), words_(report, options, FindingWords::From::checkout), out_(out) {}

    void draw() {
        head();
        findings();
        resets();
        tail();
    }

private:
    void head() {
        const Verdict result = verdict(report_);
        std::string text = "## agent-audit\n\n**" + markdown_prose(result.sentence) + "**\n\n";
        if (report_.tokens.source != TokensSource::none) text += tokens();
        text += problems();
        put(text);
    }

    std::string tokens() const {
        const TokenLedgerTotals& all = report_.tokens;
        std::string line = fmt::format("{} tokens {} in {}", thousands(all.total.total()), name(all.source),
                                       count_of(all.requests, "request"));
        if (all.cost.micro_dollars()) {
            line += fmt::format(", {} by list price", list_price(all.cost));
            const std::vector<std::string> paid = cost_parts(all.cost_parts);
            if (!paid.empty()) line += ": " + join(paid, ", ");
        }
        if (all.cost.unpriced_requests) {
            line += fmt::format(", the price of {} is not known", count_of(all.cost.unpriced_requests, "request"));
        }
        return markdown_prose(line) + ".\n\n";
    }

    std::string problems() {
        std::vector<std::string> lines;
        for (const std::string& problem : report_.problems) lines.push_back(words_.line(problem));
        for (std::size_t i = 0; i < report_.inputs.size(); ++i) {
            const auto& error = report_.inputs[i].error;
            if (error) lines.push_back(words_.path(i) + ": " + words_.line(*error));
        }
        if (lines.empty()) return {};
        std::string text = "Not audited:\n\n";
        for (std::size_t i = 0; i < std::min(lines.size(), kProblems); ++i)
            text += "- " + markdown_code(lines[i]) + "\n";
        if (lines.size() > kProblems) text += fmt::format("- and {} more\n", thousands(lines.size() - kProblems));
        return text + "\n";
    }

    // The limit is kept at the border of a finding: half a finding would be half a block of code.
    void findings() {
        const auto [sorted, rest] = shown_findings(report_, options_.max_findings);
        if (sorted.empty()) return;
        put("### Findings\n\n");
        for (std::size_t i = 0; i < sorted.size(); ++i) {
            const std::string text = one(*sorted[i]);
            if (options_.max_bytes > 0 && written_ + text.size() + kTail > options_.max_bytes) {
                put(fmt::format("*{} not shown: the page is full.*\n\n",
                                count_of(sorted.size() - i + rest, "more finding")));
                return;
            }
            if (!put(text)) return;
        }
        if (rest > 0) put(fmt::format("*{} not shown (--max-findings).*\n\n", count_of(rest, "more finding")));
    }

    std::string one(const Finding& f) {
        std::string text = fmt::format("#### {}: {}", name(f.severity), markdown_prose(words_.line(f.rule)));
        if (!f.code.empty()) text += fmt::format(" ({})", markdown_prose(words_.line(f.code)));
        text += "\n\n" + markdown_prose(words_.message(f)) + "\n\n";
        // Not at the start of a line, where a fence of three backticks and more opens a block in lenient dialects.
        text += fmt::format("At {}, {} sure\n\n", markdown_code(words_.place(f)), percent(f.confidence));
        std::string details;
        for (const FactWords& fact : words_.facts(f)) details += fmt::format("{}: {}\n", fact.label, fact.text);
        if (!details.empty()) text += markdown_block(guarded(details)) + "\n";
        return text;
    }

    // Suggestions are no findings: they are few, stand behind them and count for nothing.
    void resets() {
        const std::vector<SessionReset> all = surest_resets(report_);
        if (all.empty()) return;
        std::string text =
            "### Suggested resets\n\nWhere a fresh session with a summary would have paid; estimated.\n\n";
        for (std::size_t i = 0; i < std::min(all.size(), kResets); ++i) {
            const auto& [session, reset] = all[i];
            const std::string whose = report_.sessions.size() > 1 ? words_.session_name(session) + ", " : "";
            const LineWords lines(report_.sessions[session]);
            text +=
                fmt::format("- {}: {}. Because {}{}. {}.\n", markdown_prose(whose + "reset"),
                            markdown_prose(reset_place(reset, lines)), cause_is_a_sentence(reset) ? "" : "of ",
                            markdown_prose(words_.line(reset_reason(reset, lines))), markdown_prose(reset_gain(reset)));
        }
        if (all.size() > kResets) text += fmt::format("- and {} more\n", thousands(all.size() - kResets));
        text += "\n";
        if (options_.max_bytes == 0 || written_ + text.size() + kTail <= options_.max_bytes + kTail / 2) put(text);
    }

    std::string guarded(std::string_view lines) const {
        if (!options_.guard_ci) return std::string(lines);
        std::string out;
        for (std::size_t at = 0; at < lines.size();) {
            const std::size_t end = std::min(lines.find('\n', at), lines.size());
            out += without_ci_commands(lines.substr(at, end - at)) + "\n";
            at = end + 1;
        }
        return out;
    }

    void tail() {
        std::string text = "### Inspected\n\n";
        text += fmt::format("{}, {} of {}, {}.\n\n", count_of(report_.sessions.size(), "session"),
                            count_of(report_.ingest.records(), "record"), count_of(report_.inputs.size(), "input"),
                            count_of(report_.rules.size(), "rule"));
        if (const std::uint64_t bad = report_.ingest.bad()) text += count_of(bad, "record") + " could not be read.\n\n";
        text += provider_errors();
        const std::vector<SkippedTotal> skipped = skipped_totals(report_);
        std::set<std::string_view> rules;
        for (const SkippedTotal& total : skipped) rules.insert(total.rule.rule);
        if (!rules.empty()) {
            text +=
                fmt::format("{} had nothing to look at in some of the sessions.\n\n", count_of(rules.size(), "rule"));
        }
        for (const Note& note : report_.notes) {
            if (note.severity == Severity::warning)
                text += "Warning: " + markdown_prose(words_.line(note.text)) + ".\n\n";
        }
        text += session_table();
        if (options_.max_bytes == 0 || written_ + text.size() <= options_.max_bytes) put(text);
    }

    std::string provider_errors() {
        const std::vector<std::size_t> refused = with_provider_errors(report_);
        if (refused.empty()) return {};
        if (report_.sessions.size() == 1)
            return "Provider: " + markdown_prose(words_.line(provider_error_words(report_.sessions[refused.front()]))) +
                   ".\n\n";
        return fmt::format("Providers refused or broke off {} in {}.\n\n",
                           count_of(report_.counts.provider_errors, "request"), count_of(refused.size(), "session"));
    }

    std::string session_table() {
        if (report_.sessions.empty()) return {};
        const bool costs = report_.tokens.cost.priced_requests > 0;
        std::string text = fmt::format("| Session | Steps | Tokens | {}Findings |\n|---|---:|---:|{}---:|\n",
                                       costs ? "Cost | " : "", costs ? "---:|" : "");
        const auto found = findings_by_session(report_);
        const std::size_t room = options_.max_bytes > 0 ? 10 : kSessionRows;
        const std::size_t shown = std::min(report_.sessions.size(), room);
        std::vector<std::size_t> order(report_.sessions.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        // Where not all have room, those that are worth a look.
        if (shown < order.size())
            std::ranges::stable_sort(order, std::greater<>{}, [&](std::size_t i) { return found[i].size(); });
        for (const std::size_t i : std::span(order).first(shown)) {
            const SessionReport& s = report_.sessions[i];
            const bool known = s.tokens.source != TokensSource::none;
            const char* about = s.tokens.source == TokensSource::estimated ? "about " : "";
            text += fmt::format("| {} | {} | {} | {}{} |\n", markdown_prose(words_.session_name(i)),
                                thousands(s.counts.steps), known ? about + thousands(s.tokens.total.total()) : "",
                                costs ? markdown_prose(list_price(s.tokens.cost)) + " | " : "",
                                found[i].size() + not_shown(s));
        }
        if (shown < report_.sessions.size()) {
            text += fmt::format("\n{} not shown.\n", count_of(report_.sessions.size() - shown, "more session"));
        }
        return text;
    }

    bool put(std::string_view text) {
        if (gone_) return false;
        written_ += text.size();
        gone_ = !out_(options_.guard_ci ? guarded(text) : std::string(text));
        return !gone_;
    }

    const Report& report_;
    const RenderOptions& options_;
    FindingWords words_;
    const ByteSink& out_;
    std::size_t written_ = 0;
    bool gone_ = false;
};

void render(const Report& report, const RenderOptions& options, const ByteSink& out) {
    Markdown(report, options, out).draw();
}

}  // namespace

RendererSpec markdown() { return {"markdown", "for a page: verdict, findings, what was inspected", render}; }

}  // namespace agent_audit::report
