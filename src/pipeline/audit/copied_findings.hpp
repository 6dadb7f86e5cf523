#pragma once

#include <agent_audit/model/finding.hpp>
#include <agent_audit/model/report.hpp>

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace agent_audit {

/// Findings in history that a resumed or forked session took over into a file of its own: they stand in both sessions,
/// and a note says how many are the same. Ids of calls tell a copy, but only where requests are known to be copied:
/// some formats give the same ids in every session.
class CopiedFindings {
public:
    /// `shares`: requests of its session stand in others too.
    void see(const Finding& f, bool shares);
    void tell(std::vector<Note>& notes) const;

private:
    std::unordered_map<std::uint64_t, bool> shares_;  // by what tells a finding
    std::uint64_t copies_ = 0;
};

}  // namespace agent_audit
