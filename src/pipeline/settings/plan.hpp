#pragma once

#include <agent_audit/detectors/engine.hpp>
#include <agent_audit/pipeline/audit.hpp>
#include <agent_audit/readers/reader.hpp>

#include <agent_audit/model/report.hpp>

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_audit {

/// The rules of a run with their parameters bound, or why the plan makes no sense. A rule with parameters of their own
/// for some tools has several rows, the first of which is the rule.
Result<std::vector<BoundDetector>> bind_rules(const AuditPlan& plan);

/// The same for a run that is to judge sessions: one in which no rule is left would find everything clean.
Result<std::vector<BoundDetector>> bind_some_rules(const AuditPlan& plan);

/// One warning for each fail count below its warn count, of the rules that run: below the warn count a rule is silent,
/// so that who raises it alone takes errors away as well.
std::vector<Note> overtaken_fail_counts(const AuditPlan& plan, std::span<const BoundDetector> rules);

/// Rule ids with the severity that settings give all their findings ("loop/cycle.severity").
std::map<std::string, Severity, std::less<>> severities(const Settings& settings);

/// Names that rules had before, each with the id of today.
std::span<const std::pair<std::string_view, std::string_view>> former_rule_names();

/// The id for an id, a code or a former name; the word itself when it is none.
std::string_view canonical_rule(std::string_view word);

/// True when a selector (id, code, former name, group, "all") is about the rule.
bool selects_rule(std::string_view selector, std::string_view rule);

/// Nothing when some rule is selected; otherwise what to say, with the nearest name.
std::optional<Error> unknown_rule(std::string_view selector);

/// Those of `rules` whose needs a format covers; the others go to `skipped`. A rule that has nothing to watch for as
/// it is set (a limit that nobody set) is not skipped: it would have been silent anyway.
std::vector<BoundDetector> covered_rules(const std::vector<BoundDetector>& rules, Signals offered,
                                         std::vector<SkippedRule>& skipped);

/// Adds those of a session's rules that had nothing to look at because the session did not tell what it could have.
/// A rule that found something had enough.
void note_untold(std::span<const BoundDetector> rules, Signals untold, std::span<const Finding> findings,
                 std::vector<SkippedRule>& skipped);

}  // namespace agent_audit
