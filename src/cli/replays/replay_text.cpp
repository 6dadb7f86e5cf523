#include "cli/replays/replay_text.hpp"

#include "cli/replays/replay_words.hpp"
#include "report/escape/sanitize.hpp"
#include "report/redaction/redact.hpp"
#include "report/words/human.hpp"
#include "report/words/remote_use.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

namespace agent_audit::cli {
namespace {

using simulator::PolicyOutcome;
using simulator::SessionOutcome;

constexpr std::string_view kUnknown = kUnknownFigure;

void write_table(report::Page& page, const SessionOutcome& session) {
    report::Table table({{"context", 0, false},
                         {"peak"},
                         {"mean"},
                         {"compacted", 2},
                         {"overflow", 1},
                         {"cleared", 3},
                         {"hits", 4},
                         {"cost"},
                         {"summaries", 6},
                         {"regret", 5},
                         {"lost", 7},
                         {"first loss", 8}});
    for (const PolicyOutcome& p : session.policies) {
        const bool regret = p.regret.has_value();
        table.row({report::visible(p.policy), report::short_count(p.peak_tokens),
                   report::short_count(static_cast<std::uint64_t>(std::llround(p.mean_tokens))),
                   std::to_string(p.compactions), std::to_string(p.overflows), std::to_string(p.cleared_results),
                   hit_share(p), amount(p.total_cost()), amount(p.summary_cost),
                   regret ? report::short_count(p.regret->tokens) : std::string(kUnknown),
                   regret ? std::to_string(p.regret->lost_identifiers) : std::string(kUnknown),
                   regret && p.regret->first_loss_turn ? "turn " + std::to_string(*p.regret->first_loss_turn)
                                                       : std::string(kUnknown)});
    }
    table.draw(page, 0);
}

// What changing the cached prefix costs, and whether the session was long enough for it to pay.
void write_edits(report::Page& page, const SessionOutcome& session) {
    report::Table table(
        {{"context", 0, false}, {"cache edits"}, {"cost at once", 1}, {"pays after", 3}, {"paid off", 2}});
    bool any = false;
    for (const PolicyOutcome& p : session.policies) {
        if (!p.cache || p.cache->edits == 0) continue;
        any = true;
        const bool priced = p.cache->edits_extra.has_value();
        table.row({report::visible(p.policy), std::to_string(p.cache->edits), amount(p.cache->edits_extra),
                   !priced               ? std::string(kUnknown)
                   : p.cache->break_even ? report::count_of(*p.cache->break_even, "request")
                                         : "never",
                   priced ? std::to_string(p.cache->paid_off) : std::string(kUnknown)});
    }
    if (!any) return;
    page.blank();
    table.draw(page, 0);
}

void write_session(report::Page& page, const SessionOutcome& session, std::string_view format) {
    page.paragraph(
        0, fmt::format("{} {}: {} in {}, {}", format, session_words(session),
                       report::count_of(session.messages, "message"), report::count_of(session.requests, "request"),
                       report::count_of(session.turns, "turn")));
    for (const auto& [label, words] : session_facts(session)) page.labelled(2, 10, label, words);
    page.blank();
    write_table(page, session);
    write_edits(page, session);
}

// Who wrote the summaries, when it was not this program.
void write_summarizer(report::Page& page, const RemoteUse& use) {
    report::Redactor redact(Redact::secrets);
    std::string words = "Summaries: " + report::remote_use_words(use, redact) + ".";
    if (use.failed + use.not_asked > 0) {
        words += fmt::format(" {} of them {} words taken from the history instead.", use.failed + use.not_asked,
                             use.failed + use.not_asked == 1 ? "is" : "are");
    }
    page.paragraph(0, words);
    page.blank();
}

}  // namespace

void write_replay_text(report::Page& page, const ReplayOutcome& outcome, const std::optional<RemoteUse>& summarizer) {
    for (const SessionOutcome& session : outcome.sessions) {
        write_session(page, session, outcome.format);
        page.blank();
    }
    if (summarizer) write_summarizer(page, *summarizer);
    page.paragraph(0,
                   "The recorded answers follow whatever was sent: figures are estimates of cost and exposure, not of "
                   "another outcome.");
}

}  // namespace agent_audit::cli
