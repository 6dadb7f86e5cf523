#pragma once

#include <agent_audit/model/finding.hpp>
#include <agent_audit/model/report.hpp>

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace agent_audit {

/// Findings in history that a resumed or forked session took over into a file of its own. They are listed once, in the
/// session in which that history counts, and a note says how many stood in others as well. Of two recordings of the
/// very same, none goes on from the other: both have their findings.
class CopiedFindings {
public:
    /// A finding of the session in which it counts. `recording`: what tells a recording from those that go on.
    void see(const Finding& f, std::uint64_t recording);
    /// A finding in shared history: is it to be left out, because it is listed for a session that goes on?
    bool drops(const Finding& f, std::uint64_t recording);
    void tell(std::vector<Note>& notes) const;

private:
    static std::uint64_t key_of(const Finding& f);

    static constexpr std::uint64_t kSeveral = 0;
    // A run over a terabyte: of what comes later no copies are known, and they are listed as well.
    static constexpr std::size_t kMostRemembered = std::size_t{1} << 18;

    std::unordered_map<std::uint64_t, std::uint64_t> seen_;  // by what tells a finding: its recording, or kSeveral
    std::uint64_t dropped_ = 0, listed_ = 0;
};

}  // namespace agent_audit
