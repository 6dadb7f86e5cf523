#include "pipeline/audit/shared_history.hpp"

#include "pipeline/watches/peers.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

namespace agent_audit {
namespace {

bool is_words_of_model(const Event& event) {
    const auto* message = std::get_if<Message>(&event.body);
    return (message && message->role == Role::assistant) || std::holds_alternative<Thinking>(event.body) ||
           std::holds_alternative<ToolCall>(event.body);
}

bool is_of_person(const Event& event) {
    const auto* message = std::get_if<Message>(&event.body);
    return std::holds_alternative<TurnStart>(event.body) ||
           (message && (message->origin == Origin::human || message->origin == Origin::queued));
}

}  // namespace

void HistoryMarker::on_event(const Event& event) {
    const auto* start = std::get_if<SessionStart>(&event.body);
    if (start && !start->resumed) {
        over_ = false;
        request_ = response_ = 0;
        return to_.on_event(event);
    }
    const std::size_t session = to_.ended();
    if (session >= shared_.size() || shared_[session] == 0) return to_.on_event(event);
    if (!over_ && ends_history(event)) {
        over_ = true;
        ends_[session] = {event.head.seq, event.head.where.line};
    }
    const auto* usage = std::get_if<Usage>(&event.body);
    if (usage) {
        request_ = usage->message_key;
        response_ = event.head.response;
    }
    // Of running totals those of copies are no requests, which are counted here.
    if (over_ || (usage && usage->mode == UsageMode::cumulative)) return to_.on_event(event);
    Event copy = event;
    copy.head.flags |= kCopied;
    to_.on_event(copy);
}

// All shared requests have begun. The last one's calls and their results still belong to it, until somebody asks for
// something else, or the model answers anew.
bool HistoryMarker::ends_history(const Event& event) const {
    if (to_.requests() < shared_[to_.ended()]) return false;
    if (is_of_person(event)) return true;
    if (const auto* usage = std::get_if<Usage>(&event.body))
        return usage->message_key == 0 || usage->message_key != request_;
    return event.head.response != 0 && event.head.response != response_ && is_words_of_model(event);
}

void keep_own(SessionPart& part, SessionPart& own) {
    SessionReport& session = part.session.open();
    SessionReport& counted = own.session.open();
    const std::uint64_t events = session.counts.events, lanes = session.counts.lanes;
    session.counts = counted.counts;
    session.counts.events = events;
    session.counts.lanes = lanes;
    session.provider_errors = std::move(counted.provider_errors);
    session.tools = std::move(counted.tools);
    session.context = std::move(counted.context);
    session.peers = std::move(counted.peers);
    std::erase_if(session.resets, [&](const ResetSuggestion& reset) { return reset.known_line < part.own_from_line; });
    part.unpriced = own.unpriced;
    part.windowless = own.windowless;
    std::vector<Finding> findings;
    std::ranges::copy_if(part.findings, std::back_inserter(findings),
                         [&](const Finding& f) { return !part.in_history(f); });
    judge_peers(session.peers, findings);
    part.session.rest();
}

void keep_nothing(SessionPart& part) {
    SessionReport& session = part.session.open();
    SessionCounts counts;
    counts.events = session.counts.events;
    counts.lanes = session.counts.lanes;
    session.counts = counts;
    session.provider_errors = {};
    session.tools.clear();
    session.context = {};
    session.peers.clear();
    session.resets.clear();
    part.unpriced = part.windowless = 0;
    part.incomplete = {};
    part.session.rest();
}

}  // namespace agent_audit
