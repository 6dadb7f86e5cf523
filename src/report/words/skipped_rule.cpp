#include "report/words/skipped_rule.hpp"

#include <map>
#include <string_view>
#include <tuple>

namespace agent_audit::report {

std::vector<SkippedTotal> skipped_totals(const Report& report) {
    using Key = std::tuple<std::string_view, SkipReason, std::uint16_t>;
    std::map<Key, std::uint64_t> sessions;
    for (std::size_t i = 0; i < report.sessions.size(); ++i) {
        const SessionSummary session = report.sessions.summary(i);
        for (const SkippedRule& skipped : session.skipped_rules) {
            ++sessions[{skipped.rule, skipped.reason, skipped.missing.bits}];
        }
    }
    std::vector<SkippedTotal> totals;
    for (const auto& [key, n] : sessions) {
        const auto& [rule, reason, missing] = key;
        totals.push_back({{rule, Signals{missing}, reason}, n});
    }
    return totals;
}

}  // namespace agent_audit::report
