#pragma once

#include <agent_audit/model/event.hpp>
#include <agent_audit/model/peer.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace agent_audit {

namespace profiles {
class PeerRule;
}

/// One row of the table of emulation profiles: the loop detection of another agent, at one release.
struct ProfileSpec {
    std::string_view name;      ///< for --as
    std::string_view peer;      ///< whose rules, and of which release
    std::string_view rule;      ///< when it reacts, in one line
    std::string_view warns;     ///< what a warning is there; empty = there is none
    std::string_view stops;     ///< what a stop is there; empty = there is none
    std::string_view left_out;  ///< what of it a recording cannot show
    std::unique_ptr<profiles::PeerRule> (*make)();
};

/// The one list of profiles, sorted by name.
std::span<const ProfileSpec> all_profiles();
const ProfileSpec* find_profile(std::string_view name);

/// Runs profiles over the events of one session after the other. Each lane has rules of its own, as a sub-agent has a
/// detector of its own. Memory is bounded whatever the session.
class PeerWatch {
public:
    explicit PeerWatch(std::span<const ProfileSpec* const> profiles);
    ~PeerWatch();
    PeerWatch(PeerWatch&&) noexcept;
    PeerWatch& operator=(PeerWatch&&) noexcept;

    void on_event(const Event& event);

    /// What a profile did in a lane up to now: its first warning and its first stop, null where there was none.
    struct Reactions {
        const PeerReaction* warned = nullptr;
        const PeerReaction* stopped = nullptr;
    };
    Reactions reactions(std::uint32_t lane, std::size_t profile) const;

    /// Ends the session: one outcome a profile, in the order given, each with the earliest reaction of all lanes. The
    /// verdicts are left to who knows the findings.
    std::vector<PeerOutcome> finish();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace agent_audit
