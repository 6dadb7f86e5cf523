#include "advice/session_memory_impl.hpp"

#include "advice/calls/background.hpp"
#include "advice/words/text.hpp"
#include "detectors/speech/goal.hpp"

#include <agent_audit/advice/goal.hpp>

#include <algorithm>

namespace agent_audit::advice {
namespace {

// What stands in the user's role and is no text that anybody wrote: a record, or a setting in a tag.
bool is_record(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \r\n");
    return begin == text.npos || text[begin] == '{' || text[begin] == '[' || text[begin] == '<';
}

}  // namespace

std::string SessionMemory::Impl::words(RawText raw, std::size_t max_bytes) const {
    std::string text = words_of(raw, max_bytes);
    return filter ? clean(filter(text)) : text;
}

void SessionMemory::Impl::begin(const SessionStart& start) {
    state = {};
    responses = {};
    records = {};
    conversation = {};
    open.clear();
    jobs = {};
    changes = {};
    failures = {};
    repeats = {};
    commits = {};
    plan = {};
    deeds = {};
    state.session = one_line(words(start.session_id.empty() ? start.label : start.session_id, 2000), 200);
    if (start.session_id.empty() && state.session.find_first_not_of("0123456789") == state.session.npos)
        state.session.clear();  // its number in the file
    state.model = one_line(words(start.model, 1000), 100);
    state.cwd = one_line(words(start.cwd, 4000), 500);
}

void SessionMemory::Impl::on_event(const Event& event) {
    if ((event.head.flags & kPartial) != 0) look_for_summary(event);
    if ((event.head.flags & (kPartial | kStale)) != 0) return;
    const auto* start = std::get_if<SessionStart>(&event.body);
    if (start && !start->resumed) begin(*start);
    responses.see(event);
    const EventHeader& head = event.head;
    if (head.lane == 0) records.add(head.record_id, head.where.line);
    if (head.where.line > state.line) state.line = head.where.line;
    if (head.lane == 0 && head.turn > state.turn) state.turn = head.turn;
    if (head.time_ms != kNoTime) state.time_ms = head.time_ms;
    std::visit([&](const auto& body) { take(head, body); }, event.body);
}

void SessionMemory::Impl::take(const EventHeader& head, const ContextChange& change) {
    if (head.lane != 0) return;
    if (!change.model.empty()) state.model = one_line(words(change.model, 1000), 100);
    if (!change.cwd.empty() && state.cwd.empty()) state.cwd = one_line(words(change.cwd, 4000), 500);
}

void SessionMemory::Impl::take(const EventHeader& head, const Compaction& compaction) {
    if (compaction.phase != CompactionPhase::end) return;
    ++state.compactions;
    if (head.lane == 0 && !compaction.summary.empty())
        conversation.summarised(place_of(head), words(compaction.summary));
}

// A summary in a message completes the compaction before it.
void SessionMemory::Impl::look_for_summary(const Event& event) {
    const auto* message = std::get_if<Message>(&event.body);
    if (!message || message->origin != Origin::summary || event.head.lane != 0 || (event.head.flags & kStale) != 0)
        return;
    conversation.summarised(place_of(event.head), words(message->text));
}

void SessionMemory::Impl::take(const EventHeader& head, const TurnEnd& end) {
    // What a document says at its head about its end is not known yet where it is cut.
    if (head.lane != 0 || head.where.line < state.line) return;
    if (end.status == TurnStatus::completed) conversation.turn_completed(place_of(head));
    if (end.status == TurnStatus::aborted || end.status == TurnStatus::failed)
        conversation.turn_broken_off(place_of(head), end.status == TurnStatus::failed);
}

// What the person took back by going on from an earlier place. How many events are gone says nothing about
// messages.
void SessionMemory::Impl::take(const EventHeader& head, const Rewind& rewind) {
    if (head.lane != 0) return;
    const bool by_record = rewind.target == RewindTarget::to_record || rewind.target == RewindTarget::before_record;
    const std::uint64_t line = by_record ? records.line_of(rewind.record_id) : 0;
    if (line > 0) take_back(rewind.target == RewindTarget::to_record ? line + 1 : line);
    if (rewind.target == RewindTarget::last_turns) take_back_turns(rewind.count);
    if (rewind.target == RewindTarget::all) take_back(0);
}

void SessionMemory::Impl::take_back_turns(std::uint64_t turns) {
    const std::uint64_t from = conversation.beginning_of_last(turns);
    if (from != UINT64_MAX) take_back(from);
}

// What was done stays done.
void SessionMemory::Impl::take_back(std::uint64_t from) {
    conversation.take_back(from);
    deeds.take_back_reports(from);
}

void SessionMemory::Impl::take(const EventHeader& head, const Message& message) {
    if (head.lane != 0 || (head.flags & kHidden) != 0) return;
    if (message.role == Role::assistant) {
        if ((head.flags & kSynthetic) == 0) conversation.agent_said(place_of(head), words(message.text, 16u << 10));
        return;
    }
    if (message.role == Role::system) return look_for_rules(head, message.text);
    const bool human = message.origin == Origin::human || message.origin == Origin::queued;
    if (message.origin == Origin::hook) return;
    if (message.origin == Origin::summary) {
        look_for_rules(head, message.text);
        return conversation.summarised(place_of(head), words(message.text));
    }
    if (message.origin == Origin::injected) {
        asked_by_program(head, message.text);
        look_for_rules(head, message.text);
        // A task that the program around the agent gave is better than none.
        if (!conversation.empty() || message.text.empty() || is_record(message.text.bytes.substr(0, 64))) return;
        return user_said(head, message.text, Conversation::Speaker::program);
    }
    user_said(head, message.text, human ? Conversation::Speaker::human : Conversation::Speaker::other_agent);
}

void SessionMemory::Impl::look_for_rules(const EventHeader& head, RawText raw) {
    if (conversation.wants_rules_of(raw.bytes)) conversation.project_rules(place_of(head), raw.bytes, words(raw));
}

void SessionMemory::Impl::user_said(const EventHeader& head, RawText raw, Conversation::Speaker speaker) {
    std::string text = without_program_tags(words(raw));
    text.erase(0, text.size() - detectors::without_editor_context(text).size());
    text.erase(0, std::min(text.find_first_not_of(" \r\n"), text.size()));
    if (text.empty()) return;
    const bool human = speaker == Conversation::Speaker::human;
    const Withdrawal withdrawn = human ? withdrawal(text) : Withdrawal::no;
    if (withdrawn != Withdrawal::no) take_back_turns(1);
    if (human) repeats.asked();
    if (withdrawn == Withdrawal::alone) return;
    const Conversation::Verdict verdict = conversation.asked(place_of(head), text, speaker);
    if (verdict.approved)
        changes.verify(
            {one_line(text, 120), {}, true, 0, head.where.line, UINT64_MAX, [](const Change&) { return true; }});
    if (verdict.accepted) deeds.note({DeedKind::report, *verdict.accepted, verdict.accepted_line, head.turn, {}});
}

// What a program says to the agent orders what is repeated from here on, and may say that a command is over.
void SessionMemory::Impl::asked_by_program(const EventHeader& head, RawText raw) {
    repeats.asked();
    conversation.program_asked();
    if (const std::string file = changed_file_told(raw); !file.empty())
        return changes.doubt(name_of(file), head.where.line);
    if (jobs.empty() || raw.bytes.find("task-notification") == raw.bytes.npos) return;
    const std::string text = words(raw, 32u << 10);
    const auto notice = task_notice(text);
    if (!notice) return;
    if (const auto ended = jobs.noticed(*notice, text)) end_job(head, *ended);
}

Checkpoint SessionMemory::Impl::checkpoint() const {
    Checkpoint out = state;
    out.responses = responses.count();
    conversation.tell(out);
    out.open_calls = static_cast<std::uint64_t>(std::ranges::count(open, 0u, &OpenCall::lane));
    out.verified = changes.verified();
    out.unverified = changes.unverified();
    out.modified = changes.modified();
    out.read = changes.reads();
    commits.tell(out);
    jobs.tell(out);
    deeds.tell(out, plan);
    failures.tell(out);
    out.repetitions = repeats.list();
    plan.tell(out);
    return out;
}

SessionMemory::SessionMemory(TextFilter filter) : impl_(std::make_unique<Impl>()) { impl_->filter = std::move(filter); }
SessionMemory::~SessionMemory() = default;
SessionMemory::SessionMemory(SessionMemory&&) noexcept = default;
SessionMemory& SessionMemory::operator=(SessionMemory&&) noexcept = default;

void SessionMemory::on_event(const Event& event) { impl_->on_event(event); }
bool SessionMemory::at_boundary() const {
    return std::ranges::none_of(impl_->open, [](const OpenCall& call) { return call.lane == 0; });
}
std::uint64_t SessionMemory::responses() const { return impl_->responses.count(); }
bool SessionMemory::begins_response(const Event& event) const { return impl_->responses.begins(event); }
Checkpoint SessionMemory::checkpoint() const { return impl_->checkpoint(); }

}  // namespace agent_audit::advice
