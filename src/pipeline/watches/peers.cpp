#include "pipeline/watches/peers.hpp"

#include <agent_audit/model/rule_group.hpp>
#include <agent_audit/support/suggest.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace agent_audit {
namespace {

// What counts as a loop of ours: facts of severity info are not meant to stop anybody.
bool is_loop(const Finding& finding) { return finding.severity >= Severity::warning && is_about_loops(finding.rule); }

PeerVerdict judge(const PeerOutcome& peer, std::span<const Finding> findings) {
    const PeerReaction* reaction = peer.reaction();
    if (!reaction) return std::ranges::any_of(findings, is_loop) ? PeerVerdict::missed : PeerVerdict::silent_right;
    const bool covered = std::ranges::any_of(findings, [&](const Finding& f) {
        return is_loop(f) && f.lane == reaction->lane && f.first_line <= reaction->line &&
               reaction->line <= f.last_line;
    });
    return covered ? PeerVerdict::right : PeerVerdict::false_alarm;
}

}  // namespace

Result<std::vector<const ProfileSpec*>> bind_profiles(const std::vector<std::string>& names) {
    for (const std::string& wanted : names) {
        if (wanted == "all" || find_profile(wanted)) continue;
        std::vector<std::string_view> known{"all"};
        for (const ProfileSpec& profile : all_profiles()) known.push_back(profile.name);
        const std::string_view near = nearest(wanted, known);
        return Error{fmt::format("unknown profile '{}'{}", wanted,
                                 near.empty() ? "; --as list names them" : fmt::format("; did you mean '{}'?", near))};
    }
    std::vector<const ProfileSpec*> out;
    for (const ProfileSpec& profile : all_profiles()) {
        const auto asks = [&](const std::string& wanted) { return wanted == "all" || wanted == profile.name; };
        if (std::ranges::any_of(names, asks)) out.push_back(&profile);
    }
    return out;
}

void judge_peers(std::vector<PeerOutcome>& peers, std::span<const Finding> findings) {
    for (PeerOutcome& peer : peers) peer.verdict = judge(peer, findings);
}

void add_peers(std::vector<PeerTotals>& totals, std::span<const PeerOutcome> peers) {
    for (std::size_t i = 0; i < peers.size() && i < totals.size(); ++i) {
        PeerTotals& t = totals[i];
        const PeerOutcome& peer = peers[i];
        ++t.sessions;
        t.warned += peer.warned.has_value();
        t.stopped += peer.stopped.has_value();
        t.right += peer.verdict == PeerVerdict::right;
        t.false_alarms += peer.verdict == PeerVerdict::false_alarm;
        t.missed += peer.verdict == PeerVerdict::missed;
        t.silent_right += peer.verdict == PeerVerdict::silent_right;
    }
}

}  // namespace agent_audit
