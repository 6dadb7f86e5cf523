#pragma once

#include "report/words/finding_words.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::report {

/// A report as the formats of test runners see it: each rule is a test of each session.
struct TestPoint {
    enum class Outcome { passed, failed, skipped };
    Outcome outcome = Outcome::passed;
    std::string rule;
    std::optional<SkippedRule> skipped;    ///< set when the rule had nothing to look at
    std::vector<const Finding*> findings;  ///< all that are listed; those that do not fail are only told
    std::uint64_t failing_not_shown = 0;   ///< beyond --max-findings: they fail the test as those that are listed
    std::uint64_t told_not_shown = 0;      ///< the same of those that do not fail
};

/// The tests of one session, in the order of Report::rules; a rule that found something without having been counted
/// among them comes last. `findings` are those of the session at `index`.
std::vector<TestPoint> test_points(const Report& report, std::size_t index, const std::vector<const Finding*>& findings,
                                   const RenderOptions& options);

/// "2 more findings are not listed (--max-findings)"; alone, without "more".
std::string not_shown_words(std::uint64_t count, bool alone);

/// Why a rule was skipped, in words of ours.
std::string skip_reason(const SkippedRule& skipped);

/// What an input that gave no session did wrong, or nothing. Not redacted.
struct BrokenInput {
    std::size_t input = 0;
    std::string_view error;
};
std::vector<BrokenInput> broken_inputs(const Report& report);

}  // namespace agent_audit::report
