#pragma once

#include <agent_audit/config/settings.hpp>
#include <agent_audit/model/policy.hpp>

#include <string>
#include <vector>

namespace agent_audit {

struct DetectorSpec;

/// The settings of a run as its policy wants them: strict takes each rule's warn counts for its fail counts, permissive
/// doubles the fail counts. A fail count is a parameter with `fail` in its name ("fail", "transient-fail"); its warn
/// count is the one with `warn` in that place. What was set by hand stays as it was set.
///
/// So a rule needs to know nothing of policies: it compares with its parameters and says warning or error. What
/// recovery is worth is decided after it (engine/settle.cpp).
Settings with_policy(Policy policy, Settings settings);

/// A fail count that somebody left below its warn count. A rule says nothing below the warn count, not even an error.
struct OvertakenCount {
    std::string warn, warn_value;  ///< names of the parameters, and what holds
    std::string fail, fail_value;
};

/// Those of one rule, in settings that already went through with_policy().
std::vector<OvertakenCount> overtaken_counts(const DetectorSpec& rule, const Settings& settings);

}  // namespace agent_audit
