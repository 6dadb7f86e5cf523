#include "report/words/verdict.hpp"

#include <agent_audit/model/rule_group.hpp>

#include "model/unmeasured.hpp"
#include "report/words/human.hpp"
#include "report/words/list_price.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace agent_audit::report {
namespace {

std::string in_sessions(const Report& report) {
    std::vector<std::string> facts{count_of(report.counts.steps, "step")};
    const TokenLedgerTotals& ledger = report.tokens;
    if (ledger.source != TokensSource::none) {
        const char* about = ledger.source == TokensSource::estimated ? "about " : "";
        facts.push_back(about + short_count(ledger.total.total()) + " tokens");
    }
    if (ledger.cost.priced_requests > 0) facts.push_back(list_price(ledger.cost));
    return count_of(report.sessions.size(), "session") + " (" + join(facts, ", ") + ")";
}

// "stuck" is said of loops only: a budget that was passed is not a spin.
bool is_stuck(const Report& report) {
    return std::ranges::any_of(
        report.findings, [](const Finding& f) { return f.severity == Severity::error && is_about_loops(f.rule); });
}

}  // namespace

namespace {

std::string silenced_words(const Report& report) {
    std::vector<std::string> words;
    if (report.baselined) words.push_back(thousands(report.baselined) + " in the baseline");
    if (report.suppressed) words.push_back(thousands(report.suppressed) + " suppressed");
    return join(words, ", ");
}

}  // namespace

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
    std::string out;
    for (const std::string& part : parts) {
        if (part.empty()) continue;
        if (!out.empty()) out += separator;
        out += part;
    }
    return out;
}

std::size_t input_problems(const Report& report) {
    const auto failed =
        std::ranges::count_if(report.inputs, [](const InputReport& in) { return in.error.has_value(); });
    return report.problems.size() + static_cast<std::size_t>(failed);
}

std::vector<const Finding*> worst_first(const Report& report) {
    std::vector<const Finding*> sorted;
    for (const Finding& finding : report.findings) sorted.push_back(&finding);
    std::ranges::stable_sort(sorted, [](auto* a, auto* b) { return a->severity > b->severity; });
    return sorted;
}

ShownFindings shown_findings(const Report& report, std::uint64_t most_of_a_rule) {
    ShownFindings shown;
    std::map<std::string_view, std::uint64_t> of_rule;
    for (const Finding* finding : worst_first(report)) {
        if (++of_rule[finding->rule] <= most_of_a_rule)
            shown.list.push_back(finding);
        else
            ++shown.rest;
    }
    return shown;
}

std::array<std::uint64_t, 3> counted_findings(const Report& report) {
    std::array<std::uint64_t, 3> listed{};
    for (const Finding& finding : report.findings) ++listed[static_cast<std::size_t>(finding.severity)];
    return {std::max(listed[0], report.infos), std::max(listed[1], report.warnings),
            std::max(listed[2], report.errors)};
}

std::uint64_t not_shown(const SessionReport& session) {
    std::uint64_t sum = 0;
    for (const NotShown& rule : session.not_shown) sum += rule.from(Severity::info);
    return sum;
}

namespace {

// What was not asked for is not said to be absent.
std::string nothing_words(const Report& report) {
    const std::string_view of = report.silenced.empty() ? "found" : "new";
    if (report.least == Severity::info) return fmt::format("clean: nothing {} in ", of);
    return fmt::format("clean: no error{} {} in ", report.least == Severity::warning ? " or warning" : "", of);
}

// Of a usual run the first session tells.
bool nothing_checked(const Report& report) {
    for (std::size_t i = 0; i < report.sessions.size(); ++i) {
        const SessionSummary session = report.sessions.summary(i);
        const auto idle = [](const SkippedRule& rule) { return (rule.missing & unmeasured::kLimit).bits != 0; };
        if (std::ranges::none_of(session.skipped_rules, idle)) return false;
    }
    return true;
}

}  // namespace

Verdict verdict(const Report& report) {
    using Kind = Verdict::Kind;
    std::string tail;
    if (const std::size_t bad = input_problems(report)) tail = "; " + count_of(bad, "input problem");
    if (const std::string quiet = silenced_words(report); !quiet.empty()) tail += "; not counted: " + quiet;
    if (report.sessions.empty()) return {Kind::nothing_audited, "nothing audited: no session found" + tail};
    std::vector<std::string> found;
    if (report.errors) found.push_back(count_of(report.errors, "error"));
    if (report.warnings) found.push_back(count_of(report.warnings, "warning"));
    if (report.infos) found.push_back(count_of(report.infos, "note"));
    const std::string what = join(found, ", ") + " in " + in_sessions(report) + tail;
    if (report.errors) {
        return is_stuck(report) ? Verdict{Kind::stuck, "stuck: " + what} : Verdict{Kind::failed, "failed: " + what};
    }
    if (report.warnings) return {Kind::suspicious, "suspicious: " + what};
    if (report.infos) return {Kind::informed, "no problem: " + what};
    if (nothing_checked(report))
        return {Kind::nothing_checked, "nothing was checked in " + in_sessions(report) + ": no limit is set" + tail};
    return {Kind::clean, nothing_words(report) + in_sessions(report) + tail};
}

}  // namespace agent_audit::report
