#include "pipeline/audit/shared_history.hpp"

#include "pipeline/audit/session_audit.hpp"
#include "pipeline/watches/peers.hpp"

#include <agent_audit/model/event.hpp>
#include <agent_audit/readers/input.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <span>
#include <utility>
#include <variant>
#include <vector>

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

// Hands the events of an input on once more, those of history that other sessions have, too, as copies: what they
// tell counts there. `shared`: of each session of the input, how many of its requests stand in others.
class HistoryMarker final : public EventSink {
public:
    HistoryMarker(SessionAudit& to, std::span<const std::size_t> shared) : to_(to), shared_(shared) {
        ends_.resize(shared.size());
    }

    void on_event(const Event& event) override;
    struct End {
        std::uint64_t seq = 0;  // Event::head.seq; 0 = there is no such event
        std::uint64_t line = 0;
    };
    // Of each session, its first event after the shared history.
    const std::vector<End>& ends() const { return ends_; }

private:
    bool ends_history(const Event& event) const;

    SessionAudit& to_;
    std::span<const std::size_t> shared_;
    std::vector<End> ends_;
    bool over_ = false;
    std::uint64_t request_ = 0;  // newest one that was handed on: its message
    IdHash response_ = 0;        // and its response
};

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

// Makes a session's part in a run what it is without the history that it shares: its counts, tools, context and
// outcomes of other agents' detectors. `own`: the same session, read with that history marked.
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

// Another session has all of it.
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

// All of it counts elsewhere.
void leave_to_others(AuditRun& run, SessionPart& part) {
    part.own_from = part.own_from_line = ~std::uint64_t{0};
    keep_nothing(part);
    const std::scoped_lock lock(run.merging);
    run.merger->keep_own_turns(part.merged_as, {});
}

// A session whose beginning another one has, too, is read once more, with that beginning marked as copied.
void read_again(AuditRun& run, std::size_t index, InputBuffers& buffers) {
    InputResult& result = run.results[index];
    if (run.paths[index].size == 0) return;  // what comes through a pipe came once
    OpenedInput opened =
        open_session(run.paths[index].path, static_cast<std::uint32_t>(index), run.forced, run.limits, buffers);
    if (!opened.reader) return;
    const auto reader = opened.reader->make();
    if (run.options.calls) reader->use(*run.options.calls);
    SessionAudit audit({}, run.own_files, run.options.engine, run.profiles, &run.models);
    audit.begin_input(run.paths[index].path);
    std::vector<std::size_t> shared;
    for (const SessionPart& part : result.sessions) shared.push_back(part.shared);
    HistoryMarker marker(audit, shared);
    InputReport ignored;
    read_records(*opened.source, *reader, marker, ignored, [] { return true; });
    reader->finish(marker);
    std::vector<SessionPart> own = audit.finish();
    if (own.size() != result.sessions.size()) return;  // a file that is written to meanwhile
    for (std::size_t i = 0; i < own.size(); ++i) {
        SessionPart& part = result.sessions[i];
        if (part.shared == 0 || marker.ends()[i].seq == 0) continue;
        part.own_from = marker.ends()[i].seq;
        part.own_from_line = marker.ends()[i].line;
        keep_own(part, own[i]);
        const std::scoped_lock lock(run.merging);
        run.merger->keep_own_turns(part.merged_as, std::move(*own[i].usage));
    }
}

void work_on_shared(AuditRun& run) {
    InputBuffers buffers;
    while (const auto share = run.order->take()) {
        for (std::size_t at = share->first; at < share->second; ++at) {
            const std::size_t index = (*run.order)[at];
            std::vector<SessionPart>& sessions = run.results[index].sessions;
            if (!std::ranges::any_of(sessions, [](const SessionPart& part) { return part.shared > 0; })) continue;
            read_again(run, index, buffers);
            for (SessionPart& part : sessions)
                if (part.all_shared && part.own_from == 0) leave_to_others(run, part);
        }
    }
}

}  // namespace

void count_shared_once(AuditRun& run) {
    const bool any = std::ranges::any_of(run.results, [](const InputResult& result) {
        return std::ranges::any_of(result.sessions, [](const SessionPart& part) { return part.shared > 0; });
    });
    if (any) in_threads(run, work_on_shared);
}

void drop_copied_findings(AuditRun& run, CopiedFindings& copies) {
    const auto each_part = [&](auto&& look) {
        for (InputResult& result : run.results) {
            for (SessionPart& part : result.sessions) look(part);
        }
    };
    bool any = false;
    each_part([&](const SessionPart& part) { any = any || part.own_from > 0; });
    if (!any) return;
    each_part([&](const SessionPart& part) {
        for (const Finding& f : part.findings) {
            if (!part.in_history(f)) copies.see(f, part.recording);
        }
    });
    each_part([&](SessionPart& part) {
        std::erase_if(part.findings,
                      [&](const Finding& f) { return part.in_history(f) && copies.drops(f, part.recording); });
    });
}
}  // namespace agent_audit
