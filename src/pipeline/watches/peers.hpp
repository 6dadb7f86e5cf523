#pragma once

#include <agent_audit/model/finding.hpp>
#include <agent_audit/model/peer.hpp>
#include <agent_audit/model/report.hpp>
#include <agent_audit/profiles/profile.hpp>
#include <agent_audit/support/result.hpp>

#include <span>
#include <string>
#include <vector>

namespace agent_audit {

/// The emulation profiles of a run, in the order of the table, or why the names make no sense.
Result<std::vector<const ProfileSpec*>> bind_profiles(const std::vector<std::string>& names);

/// Fills in the verdicts of one session from all of its findings, whether they are shown or not.
void judge_peers(std::vector<PeerOutcome>& peers, std::span<const Finding> findings);

/// Adds the session's outcomes up into the run's totals, which are in the same order.
void add_peers(std::vector<PeerTotals>& totals, std::span<const PeerOutcome> peers);

}  // namespace agent_audit
