#include "report/text/peers_block.hpp"

#include "report/escape/sanitize.hpp"
#include "report/words/human.hpp"
#include "report/words/peer_words.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace agent_audit::report {
namespace {

class PeersBlock {
public:
    PeersBlock(Page& page, const Report& report, TextWords& words, bool all)
        : page_(page), report_(report), words_(words), all_(all) {}

    void draw() {
        if (report_.peers.empty()) return;
        const auto watched = [](const SessionReport& s) { return !s.peers.empty(); };
        const bool one = std::ranges::count_if(report_.sessions, watched) == 1;
        page_.blank();
        page_.heading({{"Other agents", Style::bold}, {"what their loop detectors would have done", Style::dim}});
        if (!one) totals();
        if (!one && !all_) return;
        for (const SessionReport& session : report_.sessions) {
            if (page_.gone()) return;
            if (!watched(session)) continue;
            if (!one) page_.paragraph(2, words_.session(session), Style::bold);
            table_of(session);
        }
    }

private:
    void totals() {
        Table table({{"profile", 0, false},
                     {"warned", 0},
                     {"stopped", 0},
                     {"right", 0},
                     {"false", 0},
                     {"missed", 0},
                     {"silent", 0}});
        for (const PeerTotals& t : report_.peers) {
            table.row({visible(t.profile), thousands(t.warned), thousands(t.stopped), thousands(t.right),
                       thousands(t.false_alarms), thousands(t.missed), thousands(t.silent_right)});
        }
        table.draw(page_, 2);
        const std::uint64_t sessions = report_.peers.front().sessions;
        page_.paragraph(
            2,
            "by our findings in " + count_of(sessions, "session") +
                ": right = reacted in a loop, false = reacted elsewhere, missed = silent in a loop, silent = "
                "rightly so",
            Style::dim);
    }

    void table_of(const SessionReport& session) {
        Table table({{"profile", 0, false},
                     {"verdict", 0, false},
                     {"rule", 1, false},
                     {"warns", 0},
                     {"stops", 0},
                     {"step", 2}});
        for (const PeerOutcome& peer : session.peers) {
            const PeerReaction* reaction = peer.reaction();
            table.row({visible(peer.profile), std::string(verdict_words(peer.verdict)),
                       reaction ? visible(reaction->rule) : "-", line_of(peer.warned), line_of(peer.stopped),
                       reaction ? thousands(reaction->step) : "-"});
        }
        table.draw(page_, 2);
        page_.paragraph(2, "warns and stops at which line, after how many tool calls; right or wrong by our findings",
                        Style::dim);
    }

    static std::string line_of(const std::optional<PeerReaction>& reaction) {
        return reaction ? std::to_string(reaction->line) : "-";
    }

    Page& page_;
    const Report& report_;
    TextWords& words_;
    bool all_;
};

}  // namespace

void draw_peers(Page& page, const Report& report, TextWords& words, bool all) {
    PeersBlock(page, report, words, all).draw();
}

}  // namespace agent_audit::report
