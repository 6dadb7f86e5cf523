#include "pipeline/settings/silence.hpp"

#include "pipeline/settings/tool_class_words.hpp"

#include "detectors/commands/command_rules.hpp"
#include "detectors/commands/tool_class.hpp"
#include "pipeline/settings/plan.hpp"
#include "pipeline/settings/suppression_match.hpp"
#include "support/date.hpp"

#include <agent_audit/support/snake_case.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace agent_audit {
struct Silences::Rule {
    Suppression what;
    SuppressionMatch match;
    bool ended = false;
    bool met_its_session = false;  // a session that it could have been about
    std::uint64_t used = 0;
};

struct Silences::Known {
    std::uint64_t count = 0;         // as recorded
    std::uint64_t left = 0;          // of it, not used up
    std::uint64_t met = 0;           // findings it covered
    bool seen = false;               // one of it was found, whatever became of it: left out, suppressed, grown worse
    std::optional<Severity> worst;   // recorded, and under the policy of this run
    std::vector<std::string> named;  // findings it names that were met, each of them one of `count`
};

Silences::Silences() = default;
Silences::Silences(Silences&&) noexcept = default;
Silences& Silences::operator=(Silences&&) noexcept = default;
Silences::~Silences() = default;

Result<Silences> Silences::make(const AuditPlan& plan) {
    Silences out;
    out.severities_ = agent_audit::severities(plan.settings);
    for (const Suppression& one : plan.suppressions) {
        if (const auto problem = unknown_rule(one.rule))
            return Error{fmt::format("{}: {}", one.origin, problem->message)};
        auto match = SuppressionMatch::make(one.match, one.folder);
        if (!match) return Error{fmt::format("{}: {}", one.origin, match.error().message)};
        const bool ended = one.until_days && plan.today_days && *plan.today_days > *one.until_days;
        out.rules_.push_back({one, std::move(*match), ended, false, 0});
    }
    if (!plan.baseline) return out;
    out.has_baseline_ = true;
    out.baseline_ = plan.baseline->source;
    for (const BaselineEntry& entry : plan.baseline->entries) {
        Known& known = out.known_[{entry.rule, entry.pattern}];
        known.count = known.left = entry.count;
        // A rule whose severity is set has but one: it says nothing about how bad a finding has become.
        if (entry.policy == name(plan.policy) && !out.severities_.contains(entry.rule))
            known.worst = severity_from(entry.severity);
        for (const std::string& finding : entry.findings) out.by_finding_.try_emplace({entry.rule, finding}, &known);
    }
    return out;
}

bool Silences::suppress(Finding& finding, const SessionReport& session, std::string_view path) {
    for (Rule& rule : rules_) {
        if (rule.ended || !selects_rule(rule.what.rule, finding.rule) || !rule.match.fits(finding, session, path))
            continue;
        ++rule.used;
        finding.suppressed = SuppressedBy{
            rule.what.reason, rule.what.until_days ? format_date(*rule.what.until_days) : "", rule.what.origin};
        return true;
    }
    return false;
}

bool Silences::any() const { return !severities_.empty() || !rules_.empty() || has_baseline_; }

void Silences::see(std::span<Finding> findings, const SessionReport& session, std::string_view path) {
    for (Rule& rule : rules_) rule.met_its_session = rule.met_its_session || rule.match.fits_session(session, path);
    if (!any()) return;
    for (Finding& finding : findings) {
        if (const auto set = severities_.find(finding.rule); set != severities_.end()) finding.severity = set->second;
        note_seen(finding);
        if (suppress(finding, session, path)) continue;
        // The findings that the baseline names are the old ones, wherever in the report they stand.
        const auto named = by_finding_.find({finding.rule, finding.finding_fingerprint});
        if (named == by_finding_.end() || named->second->left == 0 || is_named(finding, *named->second)) continue;
        --named->second->left;
        named->second->named.push_back(finding.finding_fingerprint);
    }
}

void Silences::note_seen(const Finding& finding) {
    if (!has_baseline_) return;
    const auto named = by_finding_.find({finding.rule, finding.finding_fingerprint});
    if (named != by_finding_.end()) named->second->seen = true;
    const auto known = known_.find({finding.rule, finding.pattern_fingerprint});
    if (known != known_.end()) known->second.seen = true;
}

bool Silences::is_named(const Finding& finding, const Known& known) const {
    return std::ranges::find(known.named, finding.finding_fingerprint) != known.named.end();
}

// A finding that grew may have become another pattern: it is still the finding that was named.
Silences::Known* Silences::entry_of(const Finding& finding) {
    const auto named = by_finding_.find({finding.rule, finding.finding_fingerprint});
    if (named != by_finding_.end() && is_named(finding, *named->second)) return named->second;
    const auto known = known_.find({finding.rule, finding.pattern_fingerprint});
    return known == known_.end() ? nullptr : &known->second;
}

bool Silences::silences(Finding& finding) {
    if (finding.suppressed) return true;
    if (!has_baseline_) return false;
    finding.baseline = BaselineState::fresh;
    Known* known = entry_of(finding);
    if (!known) return false;
    const auto named = std::ranges::find(known->named, finding.finding_fingerprint);
    const bool is_named = named != known->named.end();
    if (!is_named && known->left == 0) return false;
    if (is_named) known->named.erase(named);
    if (known->worst && finding.severity > *known->worst) return false;
    if (!is_named) --known->left;
    ++known->met;
    finding.baseline = BaselineState::unchanged;
    return true;
}

void Silences::note_ended_and_unused(Report& report) const {
    for (const Rule& rule : rules_) {
        const bool ran =
            std::ranges::any_of(report.rules, [&](const RuleRun& run) { return selects_rule(rule.what.rule, run.id); });
        if (rule.ended) {
            report.notes.push_back(
                {Severity::info, fmt::format("{}: the suppression of {} ended on {} ({})", rule.what.origin,
                                             rule.what.rule, format_date(*rule.what.until_days), rule.what.reason)});
        } else if (rule.used == 0 && ran && rule.met_its_session) {
            report.notes.push_back({Severity::info, fmt::format("{}: the suppression of {} silences nothing ({})",
                                                                rule.what.origin, rule.what.rule, rule.what.reason)});
        }
    }
}

void Silences::finish(Report& report) const {
    note_ended_and_unused(report);
    if (!has_baseline_) return;
    BaselineReport& baseline = report.baseline.emplace();
    baseline.source = baseline_;
    baseline.entries = known_.size();
    for (const auto& [place, known] : known_) {
        baseline.unchanged += known.met;
        const bool ran = std::ranges::find(report.rules, place.first, &RuleRun::id) != report.rules.end();
        if (!known.seen && ran) baseline.absent.push_back({place.first, place.second});
    }
}

std::span<const std::string_view> tool_class_words() {
    static const std::vector<std::string_view> words = [] {
        const auto classes = detectors::tool_class_names();
        std::vector<std::string_view> all(classes.begin(), classes.end());
        all.emplace_back("polling");
        return all;
    }();
    return words;
}

std::optional<Error> use_tool_classes(std::span<const ToolClassRule> rules, EngineOptions& options) {
    bool commands = false;
    for (const ToolClassRule& rule : rules) {
        commands = commands || !rule.command.empty();
        if (!rule.command.empty()) continue;
        const auto found = detectors::tool_class_named(rule.tool_class);
        if (!found) {
            return Error{fmt::format("{}: class = \"{}\": expected one of {}", rule.origin, rule.tool_class,
                                     fmt::join(tool_class_words(), ", "))};
        }
        options.tool_classes.try_emplace(snake_case(rule.tool), *found);  // the first wins, and so does --set
    }
    if (!commands) return std::nullopt;
    auto made = CommandRules::make(rules);
    if (!made) return made.error();
    options.command_rules = std::move(*made);
    return std::nullopt;
}

}  // namespace agent_audit
