#include <agent_audit/detectors/engine.hpp>

#include "detectors/engine/call_endings.hpp"
#include "detectors/engine/deeds.hpp"
#include "detectors/engine/engine_lane.hpp"
#include "detectors/engine/episodes.hpp"
#include "detectors/engine/result_status.hpp"
#include "detectors/engine/step_maker.hpp"
#include "detectors/engine/trouble.hpp"
#include "detectors/outcomes/provider_errors.hpp"
#include "detectors/speech/go_ahead.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace agent_audit {
namespace {

using namespace detectors;

// Limits. Real sessions had at most 11 calls open at once and 40 sub-agents; these are generous and bound memory.
constexpr std::size_t kMaxOpenCalls = 1024;
constexpr std::size_t kMaxLiveLanes = 64;
constexpr std::size_t kBusyLanes = 8;  // beyond these a lane that fell silent is over: its memory serves the next one
constexpr std::uint64_t kSilence = 2'000;  // events of other lanes
constexpr std::uint64_t kPatience =
    20'000;  // events after which a lane that waits for a result is given up like others
constexpr std::uint16_t kNotHeard =
    kCopied | kPartial | kSynthetic;                 // of the agent's words; they were, or are yet to be
constexpr std::uint64_t kUngrouped = 0x74657874ULL;  // keeps texts without a response id apart

EngineOptions with_classifier(EngineOptions options) {
    if (!options.errors) options.errors = std::make_shared<const ErrorClassifier>();
    return options;
}

// History that was copied from another session, or from before a fork, counts where it was made.
std::uint64_t counts_here(const EventHeader& head) { return (head.flags & kCopied) == 0; }

bool asks_files(std::span<const BoundDetector> rules) {
    return std::ranges::any_of(rules, [](const BoundDetector& rule) { return (rule.spec->hears & kFiles) != 0; });
}

}  // namespace

struct SessionEngine::Impl {
    Impl(std::span<const BoundDetector> bound, EngineOptions given)
        : rules(bound), options(with_classifier(std::move(given))), steps(options, asks_files(bound)) {}

    std::span<const BoundDetector> rules;
    EngineOptions options;
    StepMaker steps;
    std::vector<std::unique_ptr<EngineLane>> lanes;
    std::unique_ptr<EngineLane> spare;  // a lane that is over, the main one of the session before among others
    LaneDetectors spare_rules;          // of another one: most sessions have one sub-agent at most
    LaneDetectors fresh;                // those of a lane, as they begin
    std::vector<std::unique_ptr<Detector>> session_detectors;
    std::vector<LaneContext> contexts;
    std::vector<std::uint32_t> housekeeping_lanes;
    std::vector<Finding> findings;
    std::vector<UnlistedFindings> unlisted;
    SessionGoal goal;  // of the main lane
    ActivityCourse activity;
    DriftSeries drift;
    SessionCounts counts;
    ProviderErrorCount provider_errors;
    ToolTotals tool_totals;
    CallEndings endings;
    std::uint64_t lost_results = 0;  // calls after which the model went on
    std::uint64_t clock = 0;
    bool started = false;
    std::string folder;  // in which the session began; empty = not known

    // Ready for the next session. What is known about tool names and errors stays: it depends on their text alone.
    void reset() {
        if (lanes.size() > 1) spare_rules = std::move(lanes.back()->rules);
        if (!lanes.empty()) spare = std::move(lanes.front());
        lanes.clear();
        steps.deaf();
        session_detectors.clear();
        contexts.clear();
        housekeeping_lanes.clear();
        findings.clear();
        unlisted.clear();
        goal = {};
        activity = {};
        drift = {};
        counts = {};
        provider_errors.clear();
        tool_totals.clear();
        endings.clear();
        lost_results = 0;
        clock = 0;
        started = false;
        folder.clear();
    }

    // ---- lanes ------------------------------------------------------------------------------------------

    void start() {
        if (started) return;
        started = true;
        for (const BoundDetector& rule : rules) {
            if (rule.spec->scope != Scope::session) continue;
            if (auto detector = rule.make()) {
                detector->serves(rule);
                if (auto* listener = dynamic_cast<TroubleListener*>(detector.get())) steps.listen(*listener);
                session_detectors.push_back(std::move(detector));
            }
        }
    }

    EngineLane& lane(std::uint32_t number) {
        ++clock;
        for (auto& known : lanes) {
            if (known->track.lane() == number) {
                known->last_used = clock;
                return *known;
            }
        }
        if (lanes.size() >= kBusyLanes) retire_oldest();
        auto& made = *lanes.emplace_back(std::make_unique<EngineLane>());
        if (spare)
            made.inherit(*spare);
        else
            made.rules = std::exchange(spare_rules, {});
        spare.reset();
        made.track.restart(number);
        made.outcomes.restart(number == 0 ? OutcomeMemory::kTextBytes
                                          : OutcomeMemory::kTextBytes / 2);  // sub-agents are many
        made.context.restart(number);
        made.drift.restart(number == 0 ? options.goal : std::string{}, number == 0 ? options.reflect_every : 0);
        made.drift.in_folder(folder);
        made.last_used = clock;
        made.housekeeping = std::ranges::find(housekeeping_lanes, number) != housekeeping_lanes.end();
        if (fresh.none()) fresh = LaneDetectors::of(rules);
        if (!made.rules.renew(fresh)) made.rules = LaneDetectors::of(rules);
        made.rules.listen(made.drift);
        return made;
    }

    static bool waits(const EngineLane& l) {
        return std::ranges::any_of(l.group, [](const PendingStep& p) { return !p.answered; });
    }

    // A lane that waits for a result will go on when it comes, and so may the main one; of the others, the one that was
    // silent longest.
    void retire_oldest() {
        const auto expected = [this](const auto& l) {
            return l->track.lane() == 0 || (clock - l->last_used < kPatience && waits(*l));
        };
        const auto oldest =
            std::ranges::min_element(lanes, {}, [&](const auto& l) { return std::pair(expected(l), l->last_used); });
        const bool over = clock - (*oldest)->last_used > kSilence && !expected(*oldest);
        if (lanes.size() < kMaxLiveLanes && !over) return;
        close_lane(**oldest);
        spare = std::move(*oldest);
        lanes.erase(oldest);
    }

    void close_lane(EngineLane& l) {
        l.closing = true;
        flush(l);
        l.drift.finish();
        if (l.track.lane() == 0) {
            goal = l.drift.goal();
            activity = l.activity.take();
            drift = l.drift.take_series();
        }
        for (const auto& detector : l.rules.all()) {
            detector->finish(&l.track);
            note_beyond(*detector);
            std::vector<DraftFinding> drafts = detector->take();
            if (drafts.empty()) continue;
            std::erase_if(drafts, [&](const DraftFinding& draft) { return !belongs(draft.finding, *detector->row()); });
            if (l.lists.any()) mark_listed(drafts, l.lists);
            settle_findings(std::move(drafts), l.track, options.policy, findings);
        }
        if (l.context.any()) keep_context(l.context.finish(l.tools));
        l.tools.drain(tool_totals);
    }

    // Only of calls that go on from one thing to the next is it asked.
    [[gnu::noinline]] static void mark_listed(std::vector<DraftFinding>& drafts, ReadLists& lists) {
        for (DraftFinding& draft : drafts) {
            draft.listed = draft.rounds >= Rounds::looks && lists.hold_list_of(draft.finding);
        }
    }

    void note_beyond(const Detector& detector) {
        if (detector.beyond() == 0) return;
        const std::string_view rule = detector.row()->spec->id;
        const auto known = std::ranges::find(unlisted, rule, &UnlistedFindings::rule);
        if (known != unlisted.end())
            known->count += detector.beyond();
        else
            unlisted.push_back({rule, detector.beyond()});
    }

    // Of many lanes, the fullest. A lane that was given up may have come back.
    void keep_context(LaneContext context) {
        const auto known = std::ranges::find(contexts, context.lane, &LaneContext::lane);
        if (known != contexts.end()) return join(*known, std::move(context));
        if (contexts.size() < ContextReport::kLanes) return contexts.push_back(std::move(context));
        const auto least = std::ranges::min_element(contexts, {}, &LaneContext::peak);
        if (least->peak < context.peak) *least = std::move(context);
    }

    // ---- responses --------------------------------------------------------------------------------------

    void speak(EngineLane& l, const EventHeader& head) {
        const bool other_id = head.response != 0 && l.response_id != 0 && head.response != l.response_id;
        const bool after_results = head.response == 0 && l.results_seen;
        if (l.spoke && (other_id || after_results)) flush(l);
        if (!l.spoke) {
            l.spoke = true;
            l.turn_completed = l.turn_stopped = false;
            ++l.response;
            counts.responses += counts_here(head);
            l.spent_before = l.spent_now;
            l.compactions_before = l.compactions;
            l.notices_before = l.notices;
        }
        l.results_seen = false;
        if (head.response != 0) l.response_id = head.response;
    }

    static void tell(const Step& step, EngineLane& l, bool in_git = false) {
        l.rules.step(step, l.track);
        l.drift.step(step);
        if (l.track.lane() == 0) l.activity.step(step, in_git);
    }

    // The response is over: fold parallel copies, order the rest so that fan-outs compare equal, feed the rules.
    void flush(EngineLane& l) {
        if (!l.spoke) {
            if (!l.group.empty()) end_calls_of_human(l);
            return;
        }
        l.spoke = false;
        l.results_seen = false;
        l.response_id = 0;
        ResponseEnd end;
        end.response = l.response;
        finish_group(l, end);
        if (l.housekeeping) return;
        l.drift.end_response();
        if (l.track.lane() == 0) l.activity.end_response(l.response);
        l.rules.response(end, l.track);
    }

    // They stand between responses, and are evidence of nothing.
    void end_calls_of_human(EngineLane& l) {
        ResponseEnd none;
        finish_group(l, none);
    }

    void finish_group(EngineLane& l, ResponseEnd& end) {
        for (PendingStep& p : l.group) {
            const Ending ending = p.answered ? Ending::answered : left_open(l);
            if (!p.answered) {
                unanswered(ending) += !p.copied;
                counts.unanswered += !p.copied;
                p.step.opaque = true;
                p.step.result_at = p.step.call_at;
            }
            endings.remember(l.track.lane(), p.id, counted(ending, p));
            const bool refused = p.left_out || p.step.error == ErrorClass::user_denied;
            if (p.answered && !refused) l.tools.ended(p.tool, l.response, p.step.failed);
        }
        if (l.housekeeping) {
            l.group.clear();
            return;
        }
        if (l.group.size() == 1 && l.group[0].step.tool_class == ToolClass::note) hold_note(l);
        const bool looked = l.group.size() == 1 && is_wait(l.group[0]) && look_by_waiting(l);
        l.waited = l.waited || std::ranges::any_of(l.group, &PendingStep::waits);
        std::erase_if(l.group,
                      [](const PendingStep& p) { return p.left_out || p.transparent || (p.told && !p.step.failed); });
        if (l.group.empty()) return;
        if (l.group[0].step.tool_class != ToolClass::note) {
            l.notes.clear();
            l.thoughts.clear();
            if (!looked) l.waits.clear();
            if (l.group.size() > 1) fold_copies(l.group);
        }
        const bool waited = std::exchange(l.waited, false);
        for (PendingStep& p : l.group) {
            Step& step = p.step;
            if (step.response == 0) stamp(l, step);
            if (waited) poll_after_pause(l, step);
            ++counts.steps;
            ++end.calls;
            end.failed += step.failed;
            const Step& kept = l.track.push(step);
            l.lists.follow(kept, l.track);
            tell(kept, l, p.in_git);
        }
        l.group.clear();
    }

    // What is looked at again after a pause in a call of its own is waited for. What is sent again is sent again.
    static void poll_after_pause(const EngineLane& l, Step& step) {
        const bool looks = step.tool_class == ToolClass::shell || step.tool_class == ToolClass::read ||
                           step.tool_class == ToolClass::search || step.tool_class == ToolClass::other;
        if (looks && l.track.last_call() == step.call && !makes_something(step))
            step.tool_class = step.work_class = ToolClass::poll;
    }

    static void stamp(const EngineLane& l, Step& step) {
        step.response = l.response;
        step.spent_before = l.spent_before;
        step.spent = l.spent_now;
        step.compactions = l.compactions_before;
        step.notices = l.notices_before;
    }

    static bool is_wait(const PendingStep& p) { return p.waits || p.timed; }

    // Whoever waits on and on for the same asks whether it has come.
    static bool look_by_waiting(EngineLane& l) {
        PendingStep& wait = l.group[0];
        if (wait.left_out || !l.waits.looks(wait.step, wait.timed)) return false;
        wait.step.tool_class = ToolClass::poll;
        if (!wait.timed) wait.step.work_class = ToolClass::poll;
        wait.transparent = wait.waits = false;
        return true;
    }

    static void hold_note(EngineLane& l) {
        PendingStep& note = l.group[0];
        if (note.left_out) return;
        stamp(l, note.step);
        const std::span<const PendingStep> counts = l.notes.counting_with(note);
        if (counts.empty()) return;
        l.group = std::vector<PendingStep>(counts.begin(), counts.end());
        for (PendingStep& p : l.group) p.transparent = false;
    }

    // Of a copied call no answer is missing here.
    static Ending counted(Ending ending, const PendingStep& p) { return p.copied ? Ending::answered : ending; }

    static Ending left_open(const EngineLane& l) {
        if (l.turn_completed) return Ending::lost;
        if (l.turn_stopped) return Ending::stopped;
        if (l.compactions != l.compactions_before) return Ending::compacted;
        return l.closing ? Ending::at_end : Ending::lost;
    }

    std::uint64_t& unanswered(Ending ending) {
        switch (ending) {
            case Ending::stopped: return counts.unanswered_stopped;
            case Ending::compacted: return counts.unanswered_compacted;
            case Ending::at_end: return counts.unanswered_at_end;
            default: return lost_results;
        }
    }

    // ---- events -----------------------------------------------------------------------------------------

    void on_call(const Event& event, const ToolCall& call, EngineLane& l) {
        counts.calls += counts_here(event.head);
        ++l.calls;
        if (call.caller == Caller::model) speak(l, event.head);
        if (call.caller == Caller::code) told_by_calls(l);
        if (in_window(event)) l.context.text(ContextPart::arguments, call.args.size());
        if (l.group.size() >= kMaxOpenCalls) flush_overfull(l, event.head);
        steps.begin(event, call, l.group.emplace_back(), l);
    }

    // The newest program that still runs made this call.
    static void told_by_calls(EngineLane& l) {
        const auto runs = [](const PendingStep& p) { return p.script && !p.answered; };
        const auto program = std::find_if(l.group.rbegin(), l.group.rend(), runs);
        if (program != l.group.rend()) program->told = true;
    }

    // A response with a thousand calls is evaluated in pieces.
    void flush_overfull(EngineLane& l, const EventHeader& head) {
        const bool spoke = l.spoke;
        flush(l);
        if (spoke) speak(l, head);
    }

    PendingStep* open_call(EngineLane& l, IdHash id) {
        if (id == 0) {
            for (PendingStep& p : l.group) {
                if (!p.answered) return &p;
            }
            return nullptr;
        }
        for (auto p = l.group.rbegin(); p != l.group.rend(); ++p) {
            if (p->id == id) return &*p;
        }
        return nullptr;
    }

    void on_result(const Event& event, const ToolResult& result, EngineLane& l) {
        PendingStep* p = open_call(l, id_of(result.call_id));
        if (!result.update) counts.results += counts_here(event.head);
        if (in_window(event) && !result.update) {
            if (result.media_count > 0) l.context.images(result.media_count);
            if (p) {
                l.context.result(p->tool, result.text.size());
            } else {
                l.context.text(ContextPart::results, result.text.size());
            }
        }
        if (!p) {
            if (!result.update) late_result(event.head, l, result);
            return;
        }
        l.results_seen = l.results_seen || !p->of_script;
        if (!p->answered) counts.paired += !p->copied;
        steps.answer(event, result, *p, l, counts);
    }

    // The call's response was evaluated already, or its call was never recorded.
    void late_result(const EventHeader& head, EngineLane& l, const ToolResult& result) {
        if (counts_here(head) == 0) return;
        const std::optional<Ending> ending = endings.answer(l.track.lane(), id_of(result.call_id));
        if (ending == Ending::answered) return;
        if (ending) {
            ++counts.paired;
            --counts.unanswered;
            --unanswered(*ending);
        } else {
            ++counts.orphans;  // a recording may begin behind the call; that it failed is known all the same
        }
        const ResultStatus status = status_of(result, exit_code_of(result));
        if (status == ResultStatus::error) ++counts.errors;
        if (status == ResultStatus::denied) ++counts.denied;
    }

    // Fragments come again whole, copies were heard where they first stood, and a tool's words are not the agent's.
    static void hear(const Event& event, RawText text, bool reasoning, RawText speaker, EngineLane& l) {
        if (l.housekeeping || text.empty()) return;
        if ((event.head.flags & kNotHeard) != 0) return;
        l.drift.agent_text(text, place_of(event.head), reasoning, !speaker.empty());
        if (!reasoning && l.track.lane() == 0) l.activity.said(place_of(event.head));
        if (!l.rules.hear_texts()) return;
        AgentText heard;
        heard.text = text;
        heard.hash = stable_hash(text.bytes);
        heard.response = l.response;
        heard.message = event.head.response != 0 ? event.head.response : mix_hash(event.head.seq, kUngrouped) | 1;
        heard.calls = l.calls;
        heard.reasoning = reasoning;
        heard.at = place_of(event.head);
        heard.spent = l.spent_now;
        heard.compactions = l.compactions;
        heard.notices = l.notices;
        heard.time_ms = event.head.time_ms;
        heard.speaker = speaker;
        if (!reasoning) l.track.hear_agent(heard);
        l.rules.text(heard, l.track);
    }

    // Fragments come again whole, and what is hidden was never sent. Copied history was.
    static bool in_window(const Event& event) { return (event.head.flags & (kPartial | kHidden | kStale)) == 0; }

    void on_message(const Event& event, const Message& message, EngineLane& l) {
        if (in_window(event)) {
            constexpr ContextPart kParts[] = {ContextPart::system, ContextPart::user, ContextPart::assistant};
            l.context.text(kParts[static_cast<std::size_t>(message.role)], message.text.size());
            if (message.media_count > 0) l.context.images(message.media_count);
        }
        if (message.role == Role::assistant) {
            counts.assistant_messages += counts_here(event.head);
            l.said_ms = event.head.time_ms;
            if ((event.head.flags & kSynthetic) == 0) speak(l, event.head);  // a greeting of the program is no response
            hear(event, message.text, false, message.speaker, l);
            return;
        }
        if (message.origin == Origin::hook) ++l.notices;
        if (message.origin == Origin::summary) l.drift.summary(message.text);
        // What a sub-agent was sent out for.
        if (message.origin == Origin::agent && message.role == Role::user) {
            l.drift.human(message.text, place_of(event.head));
            l.lists.keep(event.head.seq, message.text);
            l.track.hear(message.text, false);
        }
        const bool woken = std::exchange(l.woken, false);
        if (message.origin != Origin::human && message.origin != Origin::queued) {
            if (woken) begin_segment(l);
            return;
        }
        if ((event.head.flags & kCopied) != 0) return;
        ++counts.human_messages;
        l.turn_stopped = true;
        flush(l);
        l.drift.human(message.text, place_of(event.head));
        l.lists.keep(event.head.seq, message.text);
        const bool goes_on = only_says_go_on(message.text);
        l.track.ask(event.head.where.line, message.text, goes_on);
        if (options.segment == SegmentBy::session) return;
        l.track.hear(message.text, goes_on);
        begin_segment(l);
    }

    // Nothing of what was done before counts for what follows.
    static void begin_segment(EngineLane& l) {
        l.rules.end_segment(l.track);
        l.track.end_segment();
        l.notes.clear();
        l.thoughts.clear();
        l.waits.clear();
        l.outcomes.clear();
        l.retries.clear();
        l.pages.clear();
        l.queries.clear();
    }

    void on_lane_open(const Event& event, const LaneOpen& open) {
        counts.lanes += counts_here(event.head);
        if (open.purpose == LanePurpose::compaction || open.purpose == LanePurpose::suggestion) {
            if (housekeeping_lanes.size() < 4096) housekeeping_lanes.push_back(event.head.lane);
        }
    }

    void dispatch(const Event& event, const TokenCounts& spent, const TokenCounts& session_spent) {
        start();
        ++counts.events;
        for (auto& detector : session_detectors) detector->on_event(event, session_spent);
        if (const auto* open = std::get_if<LaneOpen>(&event.body)) return on_lane_open(event, *open);
        if (std::holds_alternative<SessionStart>(event.body)) return;
        EngineLane& l = lane(event.head.lane);
        if (const auto* call = std::get_if<ToolCall>(&event.body)) return on_call(event, *call, l);
        if (const auto* result = std::get_if<ToolResult>(&event.body)) return on_result(event, *result, l);
        if (const auto* message = std::get_if<Message>(&event.body)) return on_message(event, *message, l);
        if (const auto* thinking = std::get_if<Thinking>(&event.body)) {
            speak(l, event.head);
            // Reasoning that is encrypted weighs more than what it hides.
            if (in_window(event))
                l.context.text(ContextPart::reasoning,
                               std::max<std::uint64_t>(thinking->text.size(), thinking->opaque_bytes / 3));
            if ((event.head.flags & kNotHeard) == 0) l.activity.thought(place_of(event.head));
            return hear(event, thinking->text, true, {}, l);
        }
        if (std::holds_alternative<Usage>(event.body)) {
            // Some producers put the figures before the text of the response they are about.
            if (event.head.response != 0) speak(l, event.head);
            l.spent_now = spent;
            return;
        }
        on_mark(event, l);
    }

    void on_request(const EventHeader& head, const RequestFigures& figures) {
        EngineLane& l = lane(head.lane);
        const ContextRequest& request = l.context.request(head, figures, l.tools);
        if (l.housekeeping) return;
        l.rules.request(request, l.track);
        for (auto& detector : session_detectors) detector->on_request(request, l.track);
    }

    // A timer lets the agent look again, long after it was done, as heartbeats and jobs of cron do: that it finds what
    // it found the last time is what it was to find out. A program that sends it back to work does so at once.
    [[gnu::noinline]] bool is_woken(const EventHeader& head, const EngineLane& l) const {
        constexpr std::int64_t kPause = 5 * 60'000;  // ms
        const bool timed = head.time_ms != kNoTime && l.said_ms != kNoTime;
        return timed && head.time_ms - l.said_ms >= kPause && l.group.empty() && (head.flags & kCopied) == 0 &&
               options.segment != SegmentBy::session;
    }

    // Marks that change no step but are counted and remembered by it.
    void on_mark(const Event& event, EngineLane& l) {
        if (const auto* change = std::get_if<ContextChange>(&event.body)) {
            if (!change->cwd.empty()) l.track.enter_directory(stable_hash(change->cwd.bytes));
            if (change->system_prompt_bytes > 0) {
                l.context.text(ContextPart::system, change->system_prompt_bytes);
                l.context.edited();
            }
        } else if (const auto* compaction = std::get_if<Compaction>(&event.body)) {
            if (compaction->phase != CompactionPhase::end) return;
            // History that a fork took over: it was compacted in another session, and counts there.
            if ((event.head.flags & kCopied) != 0) return l.context.begun_anew();
            ++counts.compactions;
            ++l.compactions;
            l.drift.compacted(compaction->summary);
            l.context.compacted(*compaction, l.tools);
        } else if (std::holds_alternative<Rewind>(event.body)) {
            counts.rewinds += counts_here(event.head);
            l.context.edited();
        } else if (std::holds_alternative<TurnStart>(event.body)) {
            counts.turns += counts_here(event.head);
            l.woken = is_woken(event.head, l);  // unless the turn is a person's
        } else if (const auto* end = std::get_if<TurnEnd>(&event.body)) {
            l.turn_completed |= end->status == TurnStatus::completed;
            l.turn_stopped |= end->status == TurnStatus::aborted || end->status == TurnStatus::failed;
            if (end->status == TurnStatus::aborted) {
                counts.aborted_turns += counts_here(event.head);
                ++l.notices;
                l.drift.interrupted();
            }
        } else if (const auto* notice = std::get_if<Notice>(&event.body)) {
            if (notice->layer == NoticeLayer::provider && notice->level != NoticeLevel::info &&
                counts_here(event.head)) {
                ++counts.provider_errors;
                provider_errors.see(*notice, event.head.where.line);
            }
            if (notice->layer == NoticeLayer::hook || notice->layer == NoticeLayer::harness) ++l.notices;
        }
    }
};

SessionEngine::SessionEngine(std::span<const BoundDetector> detectors, EngineOptions options)
    : impl_(std::make_unique<Impl>(detectors, std::move(options))) {}
SessionEngine::~SessionEngine() = default;

void SessionEngine::in_folder(std::string_view folder) {
    while (folder.ends_with('/')) folder.remove_suffix(1);
    impl_->folder = folder;
}

void SessionEngine::on_event(const Event& event, const TokenCounts& lane_spent, const TokenCounts& session_spent) {
    impl_->dispatch(event, lane_spent, session_spent);
}

// Steps are billed by what the figures said, limits look at every event.
bool SessionEngine::asks_spending(const Event& event) const {
    return std::holds_alternative<Usage>(event.body) || !impl_->started || !impl_->session_detectors.empty();
}

void SessionEngine::on_request(const EventHeader& head, const RequestFigures& figures) {
    impl_->on_request(head, figures);
}

void SessionEngine::end_response(std::uint32_t lane) {
    const auto known = std::ranges::find(impl_->lanes, lane, [](const auto& l) { return l->track.lane(); });
    if (known != impl_->lanes.end()) impl_->flush(**known);
}

SessionOutcome SessionEngine::finish() {
    for (auto& lane : impl_->lanes) impl_->close_lane(*lane);
    std::vector<Finding> findings = join_overlapping(std::move(impl_->findings));
    bool more = false;
    const std::size_t of_lanes = findings.size();
    for (auto& detector : impl_->session_detectors) {
        detector->on_findings({findings.data(), of_lanes});
        detector->finish(nullptr);
        impl_->note_beyond(*detector);
        for (DraftFinding& draft : detector->take()) {
            findings.push_back(std::move(draft.finding));
            more = true;
        }
    }
    if (more) findings = join_overlapping(std::move(findings));
    std::ranges::sort(impl_->contexts, {}, &LaneContext::lane);
    date_changes(impl_->drift, findings);
    SessionOutcome outcome{std::move(findings),          impl_->counts,
                           impl_->tool_totals.listed(),  std::move(impl_->contexts),
                           std::move(impl_->goal),       std::move(impl_->activity),
                           std::move(impl_->drift),      std::move(impl_->unlisted),
                           impl_->provider_errors.take()};
    impl_->reset();
    return outcome;
}

}  // namespace agent_audit
