#pragma once

#include "pipeline/audit/session_audit.hpp"

#include <agent_audit/config/settings.hpp>
#include <agent_audit/detectors/engine.hpp>
#include <agent_audit/model/report.hpp>

#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

namespace agent_audit {

/// A limit that is set, and what a session must tell before it can be watched.
struct LimitNeed {
    std::string_view rule;
    std::string_view limit;   ///< as the user writes it
    std::string_view marker;  ///< a fact of the finding that says it was passed
    Signals needs;
};

/// Those of the rules of a run.
std::vector<LimitNeed> limit_needs(std::span<const BoundDetector> rules, std::span<const RunLimit> limits,
                                   const Settings& settings);

/// What the session did not tell of it; nothing where the limit was passed all the same.
Signals missing_for(const LimitNeed& need, const SessionPart& part);

/// Adds the rules whose limits could not be measured. A rule that found something was not idle: of it the notes tell.
void note_unmeasured(std::span<const LimitNeed> needs, Signals offered, const SessionPart& part,
                     std::vector<SkippedRule>& skipped);

/// Counts the sessions in which a limit was not checked, for one note each.
class UnmeasuredLimits {
public:
    explicit UnmeasuredLimits(std::span<const LimitNeed> needs) : needs_(needs) {}

    void see(const SessionPart& part);
    void tell(std::vector<Note>& notes) const;

private:
    struct Count {
        std::uint64_t sessions = 0, requests = 0;
    };
    std::span<const LimitNeed> needs_;
    std::map<std::tuple<std::size_t, std::uint16_t>, Count> counts_;  // by need, and by what was missing
};

}  // namespace agent_audit
