#include <agent_audit/detectors/engine.hpp>

#include "detectors/engine/activity.hpp"
#include "detectors/engine/asked_times.hpp"
#include "detectors/engine/call_endings.hpp"
#include "detectors/engine/command_growth.hpp"
#include "detectors/engine/command_rules.hpp"
#include "detectors/engine/command_state.hpp"
#include "detectors/engine/context_meter.hpp"
#include "detectors/engine/drift_watch.hpp"
#include "detectors/engine/edit_echo.hpp"
#include "detectors/engine/episodes.hpp"
#include "detectors/engine/error_class_memory.hpp"
#include "detectors/engine/error_identity.hpp"
#include "detectors/engine/failure_text.hpp"
#include "detectors/engine/file_touch.hpp"
#include "detectors/engine/finds.hpp"
#include "detectors/engine/lane_detectors.hpp"
#include "detectors/engine/lane_track.hpp"
#include "detectors/engine/note_row.hpp"
#include "detectors/engine/outcome.hpp"
#include "detectors/engine/outcome_memory.hpp"
#include "detectors/engine/pending_step.hpp"
#include "detectors/engine/provider_errors.hpp"
#include "detectors/engine/screen.hpp"
#include "detectors/engine/query_track.hpp"
#include "detectors/engine/result_status.hpp"
#include "detectors/engine/retry_names.hpp"
#include "detectors/engine/row_tools.hpp"
#include "detectors/engine/step_text.hpp"
#include "detectors/engine/tool_class.hpp"
#include "detectors/engine/tool_memory.hpp"
#include "detectors/engine/tool_stats.hpp"
#include "model/plain_name.hpp"

#include <agent_audit/support/hash.hpp>
#include <agent_audit/support/unescape.hpp>

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
constexpr std::size_t kBusyLanes = 8;        // beyond these a lane that fell silent is over: its memory serves the next one
constexpr std::uint64_t kSilence = 2'000;    // events of other lanes
constexpr std::uint64_t kPatience = 20'000;  // events after which a lane that waits for a result is given up like others
constexpr std::size_t kLongestDenial = 1000;  // bytes: a long output that speaks of a denial is not one
constexpr std::uint16_t kNotHeard = kCopied | kPartial | kSynthetic;  // of the agent's words; they were, or are yet to be
constexpr std::uint64_t kUngrouped = 0x74657874ULL;          // keeps texts without a response id apart

Place place_of(const EventHeader& head) {
    return {head.where.line, head.seq, head.where.offset, head.where.length};
}

}  // namespace

struct SessionEngine::Impl {
    struct Lane {
        // Takes over what has grown in a lane that is over: most sessions are short and many. Everything else is new.
        void inherit(Lane& before) {
            track = std::move(before.track);
            outcomes = std::move(before.outcomes);
            group = std::move(before.group);
            group.clear();
            context = std::move(before.context);
            drift = std::move(before.drift);
            rules = std::move(before.rules);
        }

        LaneTrack track{0};
        OutcomeMemory outcomes;
        RetryNames retries;
        EditOrders edits;
        ToolTable tools;
        ContextMeter context;
        DriftWatch drift;
        ActivityTrack activity;
        PageMemory pages;
        QueryTrack queries;
        LaneDetectors rules;
        std::vector<PendingStep> group;  // calls of the response being read
        NoteRow notes;
        IdHash response_id = 0;
        std::uint64_t response = 0;      // ordinal
        bool results_seen = false;       // a result came since the last call: the next call is a new response
        bool spoke = false;              // the response has begun (text, reasoning or a call)
        bool turn_completed = false;     // since the response began: its turn ended well,
        bool turn_stopped = false;       // or did not, or a human spoke
        bool closing = false;            // nothing follows
        TokenCounts spent_before;
        TokenCounts spent_now;
        std::uint32_t compactions = 0;
        std::uint32_t notices = 0;
        std::uint32_t compactions_before = 0;  // when the response being read began
        std::uint32_t notices_before = 0;
        std::uint64_t calls = 0;
        std::uint64_t deeds = 0;  // steps that may have changed something
        std::uint64_t moved = 0;  // lines by which they can have moved others
        CommandGrowth commands;
        std::uint64_t last_used = 0;
        bool waited = false;  // a pause since the last step
        bool housekeeping = false;
    };

    Impl(std::span<const BoundDetector> bound, EngineOptions given) : rules(bound), options(std::move(given)) {
        if (!options.errors) options.errors = std::make_shared<const ErrorClassifier>();
        asks_files = std::ranges::any_of(rules, [](const BoundDetector& rule) { return (rule.spec->hears & kFiles) != 0; });
    }

    std::span<const BoundDetector> rules;
    EngineOptions options;
    std::vector<std::unique_ptr<Lane>> lanes;
    std::unique_ptr<Lane> spare;  // a lane that is over, the main one of the session before among others
    LaneDetectors spare_rules;    // of another one: most sessions have one sub-agent at most
    LaneDetectors fresh;  // those of a lane, as they begin
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
    ErrorClassMemory error_classes;
    CallEndings endings;
    std::uint64_t lost_results = 0;  // calls after which the model went on
    ToolMemory tools;
    std::uint64_t clock = 0;
    bool started = false;
    bool asks_files = false;  // a rule of the run does

    // Ready for the next session. What is known about tool names and errors stays: it depends on their text alone.
    void reset() {
        if (lanes.size() > 1) spare_rules = std::move(lanes.back()->rules);
        if (!lanes.empty()) spare = std::move(lanes.front());
        lanes.clear();
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
    }

    // ---- lanes ------------------------------------------------------------------------------------------

    void start() {
        if (started) return;
        started = true;
        for (const BoundDetector& rule : rules) {
            if (rule.spec->scope != Scope::session) continue;
            if (auto detector = rule.make()) {
                detector->serves(rule);
                session_detectors.push_back(std::move(detector));
            }
        }
    }

    Lane& lane(std::uint32_t number) {
        ++clock;
        for (auto& known : lanes) {
            if (known->track.lane() == number) {
                known->last_used = clock;
                return *known;
            }
        }
        if (lanes.size() >= kBusyLanes) retire_oldest();
        auto& made = *lanes.emplace_back(std::make_unique<Lane>());
        if (spare) made.inherit(*spare);
        else made.rules = std::exchange(spare_rules, {});
        spare.reset();
        made.track.restart(number);
        made.outcomes.restart(number == 0 ? OutcomeMemory::kTextBytes : OutcomeMemory::kTextBytes / 2);  // sub-agents are many
        made.context.restart(number);
        made.drift.restart(number == 0 ? options.goal : std::string{}, number == 0 ? options.reflect_every : 0);
        made.last_used = clock;
        made.housekeeping = std::ranges::find(housekeeping_lanes, number) != housekeeping_lanes.end();
        if (fresh.none()) fresh = LaneDetectors::of(rules);
        if (!made.rules.renew(fresh)) made.rules = LaneDetectors::of(rules);
        made.rules.listen(made.drift);
        return made;
    }

    static bool waits(const Lane& l) {
        return std::ranges::any_of(l.group, [](const PendingStep& p) { return !p.answered; });
    }

    // A lane that waits for a result will go on when it comes, and so may the main one; of the others, the one that was
    // silent longest.
    void retire_oldest() {
        const auto expected = [this](const auto& l) {
            return l->track.lane() == 0 || (clock - l->last_used < kPatience && waits(*l));
        };
        const auto oldest = std::ranges::min_element(lanes, {}, [&](const auto& l) { return std::pair(expected(l), l->last_used); });
        const bool over = clock - (*oldest)->last_used > kSilence && !expected(*oldest);
        if (lanes.size() < kMaxLiveLanes && !over) return;
        close_lane(**oldest);
        spare = std::move(*oldest);
        lanes.erase(oldest);
    }

    void close_lane(Lane& l) {
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
            std::erase_if(drafts, [&](const DraftFinding& draft) { return !belongs(draft.finding, *detector->row()); });
            settle_findings(std::move(drafts), l.track, options.policy, findings);
        }
        if (l.context.any()) keep_context(l.context.finish(l.tools));
        l.tools.drain(tool_totals);
    }

    void note_beyond(const Detector& detector) {
        if (detector.beyond() == 0) return;
        const std::string_view rule = detector.row()->spec->id;
        const auto known = std::ranges::find(unlisted, rule, &UnlistedFindings::rule);
        if (known != unlisted.end()) known->count += detector.beyond();
        else unlisted.push_back({rule, detector.beyond()});
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

    void speak(Lane& l, const EventHeader& head) {
        const bool other_id = head.response != 0 && l.response_id != 0 && head.response != l.response_id;
        const bool after_results = head.response == 0 && l.results_seen;
        if (l.spoke && (other_id || after_results)) flush(l);
        if (!l.spoke) {
            l.spoke = true;
            l.turn_completed = l.turn_stopped = false;
            ++l.response;
            ++counts.responses;
            l.spent_before = l.spent_now;
            l.compactions_before = l.compactions;
            l.notices_before = l.notices;
        }
        l.results_seen = false;
        if (head.response != 0) l.response_id = head.response;
    }

    static void tell(const Step& step, Lane& l, bool in_git = false) {
        l.rules.step(step, l.track);
        l.drift.step(step);
        if (l.track.lane() == 0) l.activity.step(step, in_git);
    }

    // The response is over: fold parallel copies, order the rest so that fan-outs compare equal, feed the rules.
    void flush(Lane& l) {
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
    void end_calls_of_human(Lane& l) {
        ResponseEnd none;
        finish_group(l, none);
    }

    void finish_group(Lane& l, ResponseEnd& end) {
        for (PendingStep& p : l.group) {
            const Ending ending = p.answered ? Ending::answered : left_open(l);
            if (!p.answered) {
                ++unanswered(ending);
                ++counts.unanswered;
                p.step.opaque = true;
                p.step.result_at = p.step.call_at;
            }
            endings.remember(l.track.lane(), p.id, ending);
            if (p.answered && !p.left_out) l.tools.ended(p.tool, l.response, p.step.failed);
        }
        if (l.housekeeping) {
            l.group.clear();
            return;
        }
        if (l.group.size() == 1 && l.group[0].step.tool_class == ToolClass::note) hold_note(l);
        l.waited = l.waited || std::ranges::any_of(l.group, &PendingStep::waits);
        std::erase_if(l.group, [](const PendingStep& p) { return p.left_out || p.transparent; });
        if (l.group.empty()) return;
        if (l.group[0].step.tool_class != ToolClass::note) {
            l.notes.clear();
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
            tell(kept, l, p.in_git);
        }
        l.group.clear();
    }

    // What is looked at again after a pause in a call of its own is waited for.
    static void poll_after_pause(const Lane& l, Step& step) {
        const bool looks = step.tool_class == ToolClass::shell || step.tool_class == ToolClass::read || step.tool_class == ToolClass::search ||
                           step.tool_class == ToolClass::other;
        if (looks && l.track.last_call() == step.call) step.tool_class = step.work_class = ToolClass::poll;
    }

    static void stamp(const Lane& l, Step& step) {
        step.response = l.response;
        step.spent_before = l.spent_before;
        step.spent = l.spent_now;
        step.compactions = l.compactions_before;
        step.notices = l.notices_before;
    }

    static void hold_note(Lane& l) {
        PendingStep& note = l.group[0];
        if (note.left_out) return;
        stamp(l, note.step);
        const std::span<const PendingStep> counts = l.notes.counting_with(note);
        if (counts.empty()) return;
        l.group = std::vector<PendingStep>(counts.begin(), counts.end());
        for (PendingStep& p : l.group) p.transparent = false;
    }

    static Ending left_open(const Lane& l) {
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

    void on_call(const Event& event, const ToolCall& call, Lane& l) {
        ++counts.calls;
        ++l.calls;
        if (call.caller != Caller::user) speak(l, event.head);
        if (in_window(event)) l.context.text(ContextPart::arguments, call.args.size());
        if (l.group.size() >= kMaxOpenCalls) flush_overfull(l, event.head);
        PendingStep& p = l.group.emplace_back();
        const PlainName name(call.name);
        begin_step(event, call, name, p, l);
        const ToolMemory::Tool tool = tools.of(name.view(), p.step.tool, options);
        classify(call, name, tool, p, l);
        remember_arguments(call, tool, p.step, l);
        p.left_out = call.caller != Caller::model || (event.head.flags & kCopied) != 0;
        if (!p.left_out && !l.housekeeping) follow_call(call, name, tool, p.step, l);
        if (p.finds == Finds::documents && !p.left_out) l.queries.ask(call.primary.empty() ? call.args : call.primary, p.step.query);
        keep_name(p.step.text, name.view());
        // No argument stands out: all of them are what the call says. {} says nothing.
        keep_argument(p.step.text, call.primary.empty() && call.args.size() > 2 ? call.args : call.primary);
    }

    static void begin_step(const Event& event, const ToolCall& call, const PlainName& name, PendingStep& p, Lane& l) {
        Step& step = p.step;
        p.id = id_of(call.call_id);
        step.call_id = p.id;
        step.tool = stable_hash(name.view());
        p.tool = l.tools.called(step.tool, name.text());
        step.call = call.digest.canonical;
        step.time_ms = event.head.time_ms;
        step.opaque = call.digest.opaque;
        step.call_at = step.result_at = place_of(event.head);
    }

    // What the call is for, by its name and its command.
    void classify(const ToolCall& call, const PlainName& name, const ToolMemory::Tool& tool, PendingStep& p, Lane& l) const {
        Step& step = p.step;
        const bool shell = tool.what.runs_shell;
        step.tool_class = classify_call(tool.what, call.primary, call.args);
        if (tool.ruled) {
            if (const auto set = options.command_rules->classify(name.view(), call.primary)) step.tool_class = *set;
        }
        step.work_class = step.tool_class;
        if (shell && step.tool_class == ToolClass::poll) {
            if (const std::string look = without_pauses(call.primary); !look.empty()) step.call = mix_hash(step.tool, stable_hash(look));
        }
        p.in_git = shell && step.tool_class == ToolClass::mutate && l.track.lane() == 0 && only_keeps_in_git(call.primary);
        p.finds = tool.finds;
        p.asks = tool.asks;
        p.pictured = tool.screen == ScreenUse::look;
        p.piped = shell && step.tool_class == ToolClass::verify && hides_exit_code(call.primary);
        p.stops = (tool.what.stdin_poll || shell) && stops_program(call.primary, call.args, call.fields);
        p.waits = step.tool_class == ToolClass::wait && (!shell || pauses_long(call.primary));
        p.transparent = step.tool_class == ToolClass::wait || step.tool_class == ToolClass::note;
        if (tool.what.stdin_poll) step.background = id_of({session_asked(call.args.bytes)});
        if (shell) l.commands.see(call.primary, step);
    }

    // What is asked of the arguments when the result is there, or later.
    void remember_arguments(const ToolCall& call, const ToolMemory::Tool& tool, Step& step, Lane& l) const {
        const bool orders = step.tool_class == ToolClass::mutate || (tool.finds == Finds::documents && !tool.what.runs_shell);
        if (orders) l.edits.keep(step.call_at.seq, call.args);
        if (call.primary.size() > StepText::kArgument && step.tool_class == ToolClass::read) l.context.long_name(step.call_at.seq, call.primary);
        if (asks_files && !step.opaque) step.touch = touch_of(tool.what, step.tool_class, call.args, call.primary, call.fields);
    }

    static void follow_call(const ToolCall& call, const PlainName& name, const ToolMemory::Tool& tool, Step& step, Lane& l) {
        l.activity.called(step.call_at);
        // What is kept of a command is its beginning, and a push stands at the end: it is looked for here.
        step.ships = tool.what.runs_shell && l.track.lane() == 0 && may_do_more(step) && ships(call.primary);
        if (step.tool_class == ToolClass::note) {
            l.drift.note(call.args, step.call_at);
            l.activity.planned();
        } else {
            l.drift.call(name.text(), tool.what.runs_shell, step, call.primary, call.args, call.fields);
        }
    }

    // A command that only reads or searches, as far as it was looked at, and that is all of it.
    static bool may_do_more(const Step& step) {
        const bool looks = step.tool_class == ToolClass::read || step.tool_class == ToolClass::search;
        return !looks || step.command_bytes > kClassedBytes;
    }

    // A response with a thousand calls is evaluated in pieces.
    void flush_overfull(Lane& l, const EventHeader& head) {
        const bool spoke = l.spoke;
        flush(l);
        if (spoke) speak(l, head);
    }

    static IdHash id_of(RawText raw) { return raw.empty() ? 0 : (stable_hash(raw.bytes) | 1); }

    PendingStep* open_call(Lane& l, IdHash id) {
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

    void on_result(const Event& event, const ToolResult& result, Lane& l) {
        if (!result.update) ++counts.results;
        PendingStep* p = open_call(l, id_of(result.call_id));
        if (in_window(event) && !result.update) {
            if (result.media_count > 0) l.context.images(result.media_count);
            if (p) {
                l.context.result(p->tool, result.text.size());
            } else {
                l.context.text(ContextPart::results, result.text.size());
            }
        }
        if (!p) {
            if (!result.update) late_result(l, result);
            return;
        }
        l.results_seen = true;
        if (!p->answered) ++counts.paired;
        answer(l, *p, event, result);
    }

    // The call's response was evaluated already, or its call was never recorded.
    void late_result(Lane& l, const ToolResult& result) {
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

    // What was stopped by Ctrl-C ends with these.
    static bool is_code_of_interrupt(std::optional<int> code) { return code == 130 || code == 1; }

    void answer(Lane& l, PendingStep& p, const Event& event, const ToolResult& result) {
        Step& step = p.step;
        const bool refines = p.answered;
        p.answered = true;
        step.result_at = place_of(event.head);
        const std::optional<int> code = exit_code_of(result);
        step.exited = code.has_value();
        ResultStatus status = status_of(step, p.piped, result, code);
        if (p.stops && status == ResultStatus::error && is_code_of_interrupt(code)) status = ResultStatus::ok;
        if (refines && result.text.empty()) {
            if (status == ResultStatus::error) fail(l, p, step.error_key == 0 ? step.out | 1 : step.error_key, ErrorClass::unknown);
            return;
        }
        const bool failed = status == ResultStatus::error;
        const ErrorClass error = failed ? error_classes.of(result.text, *options.errors) : ErrorClass::none;
        if (error == ErrorClass::user_denied && !code && result.text.bytes.size() <= kLongestDenial) status = ResultStatus::denied;
        if (status == ResultStatus::denied || status == ResultStatus::cancelled) return leave_out(l, p, status, result.text);
        if (p.asks) l.drift.answered(result.text);
        name_outcome(l, p, result, failed);
        keep_outcome(step.text, {failed ? behind_notices(result.text) : result.text.bytes, result.text.form});
        step.outcome_bytes = static_cast<std::uint32_t>(std::min<std::size_t>(result.text.size(), ~std::uint32_t{0}));
        const bool looks = step.tool_class == ToolClass::read || step.tool_class == ToolClass::search;
        if (looks && !refines && !failed) step.reread_line = l.context.looked(step);
        see_running(p, result, status);
        if (asks_files && !failed) refine_touch(step.touch, step.tool_class, result.text);
        const std::uint64_t deeds_before = l.deeds;
        l.deeds += may_change(step.tool_class, failed);
        if (!failed && may_change(step.tool_class, failed)) l.moved += lines_moved(step.touch);
        if (failed) name_failure(l, p, result.text, error, deeds_before);
    }

    void leave_out(Lane& l, PendingStep& p, ResultStatus status, RawText said) {
        p.left_out = true;
        if (status != ResultStatus::denied) return;
        ++counts.denied;
        l.drift.denied(said, p.step.result_at);
        l.tools.failed(p.tool, ErrorClass::user_denied);
    }

    static void name_outcome(Lane& l, PendingStep& p, const ToolResult& result, bool failed) {
        Step& step = p.step;
        // On a small screen a time of day is what is set there.
        const bool small_screen = p.pictured && result.text.size() <= kSmallScreen;
        const bool as_it_is = small_screen || step.tool_class == ToolClass::read || (step.tool_class == ToolClass::shell && measures(step.text.argument()));
        // What finds documents often repeats in front what it was asked for; that says nothing of what was found.
        const std::string found = p.finds == Finds::documents && !failed ? without_query(result.text.bytes, l.edits.of(step.call_at.seq)) : std::string();
        step.out = l.outcomes.name(step.call, found.empty() ? result.text : RawText{found, result.text.form}, failed, as_it_is);
        if (p.finds == Finds::pages && !failed) step.out = l.pages.name(step.call, result.text, step.out);
        if (step.query.words > 0 && !failed) l.queries.answer(result.text, step.query);
        step.opaque = step.opaque || result.opaque || is_opaque_outcome(result.text) || (result.media_count > 0 && result.text.empty()) ||
                      (p.pictured && !failed && is_picture_taken(result.text));
    }

    // What goes on when it is answered is asked after by what follows.
    static void see_running(PendingStep& p, const ToolResult& result, ResultStatus status) {
        Step& step = p.step;
        const bool of_any_kind = step.tool_class == ToolClass::shell || step.tool_class == ToolClass::other;
        if (status == ResultStatus::running) {
            step.tool_class = ToolClass::poll;
            // The code with which it will end is that of the check, unless a pipe takes its place.
            if (!p.piped && step.background == 0) step.background = id_of(result.handle);
        } else if (status != ResultStatus::error && of_any_kind && says_unfinished(result.text)) {
            step.tool_class = step.work_class = ToolClass::poll;
        }
    }

    // `deeds`: of the lane, before this step.
    void name_failure(Lane& l, PendingStep& p, RawText said, ErrorClass error, std::uint64_t deeds) {
        Step& step = p.step;
        RetryNames::Names names{step.out, error_identity(step, said, l.outcomes, l.edits)};
        // What is waited for moves by itself: there every difference is news.
        if (step.command_bytes > 0 && step.tool_class != ToolClass::poll) {
            names = l.retries.name({step.call, l.calls, deeds, l.moved, step.tool_class == ToolClass::verify}, said, names);
        }
        step.out = names.out;
        fail(l, p, names.error, error);
    }

    // A refused edit changed nothing; a command that failed may have done half of its work.
    static bool may_change(ToolClass tool_class, bool failed) {
        if (tool_class == ToolClass::mutate) return !failed;
        return tool_class == ToolClass::shell || tool_class == ToolClass::other;
    }

    static std::uint64_t lines_moved(const FileTouch& touch) {
        constexpr std::uint64_t kUnknown = 20, kAny = 1'000'000;
        const std::uint64_t told = std::max(touch.before_lines, touch.after_lines);
        if (touch.whole_file) return kAny;
        return told > 0 ? told : kUnknown;
    }

    void fail(Lane& l, PendingStep& p, std::uint64_t key, ErrorClass error) {
        if (!p.step.failed) {
            ++counts.errors;
            l.tools.failed(p.tool, error);
        }
        p.step.failed = true;
        p.step.error_key = key | 1;
        if (p.step.error == ErrorClass::none || error != ErrorClass::unknown) p.step.error = error;
    }

    // Fragments come again whole, copies were heard where they first stood, and a tool's words are not the agent's.
    static void hear(const Event& event, RawText text, bool reasoning, RawText speaker, Lane& l) {
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
        l.rules.text(heard, l.track);
    }

    // Fragments come again whole, and what is hidden was never sent. Copied history was.
    static bool in_window(const Event& event) { return (event.head.flags & (kPartial | kHidden | kStale)) == 0; }

    void on_message(const Event& event, const Message& message, Lane& l) {
        if (in_window(event)) {
            constexpr ContextPart kParts[] = {ContextPart::system, ContextPart::user, ContextPart::assistant};
            l.context.text(kParts[static_cast<std::size_t>(message.role)], message.text.size());
            if (message.media_count > 0) l.context.images(message.media_count);
        }
        if (message.role == Role::assistant) {
            ++counts.assistant_messages;
            if ((event.head.flags & kSynthetic) == 0) speak(l, event.head);  // a greeting of the program is no response
            hear(event, message.text, false, message.speaker, l);
            return;
        }
        if (message.origin == Origin::hook) ++l.notices;
        if (message.origin == Origin::summary) l.drift.summary(message.text);
        // What a sub-agent was sent out for.
        if (message.origin == Origin::agent && message.role == Role::user) l.drift.human(message.text, place_of(event.head));
        if (message.origin != Origin::human && message.origin != Origin::queued) return;
        ++counts.human_messages;
        if ((event.head.flags & kCopied) != 0) return;
        l.turn_stopped = true;
        flush(l);
        l.drift.human(message.text, place_of(event.head));
        l.track.ask(event.head.where.line, asked_times(message.text));
        if (options.segment == SegmentBy::session) return;
        l.rules.end_segment(l.track);
        l.track.end_segment();
        l.notes.clear();
        l.outcomes.clear();
        l.retries.clear();
        l.pages.clear();
        l.queries.clear();
    }

    void on_lane_open(const Event& event, const LaneOpen& open) {
        ++counts.lanes;
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
        Lane& l = lane(event.head.lane);
        if (const auto* call = std::get_if<ToolCall>(&event.body)) return on_call(event, *call, l);
        if (const auto* result = std::get_if<ToolResult>(&event.body)) return on_result(event, *result, l);
        if (const auto* message = std::get_if<Message>(&event.body)) return on_message(event, *message, l);
        if (const auto* thinking = std::get_if<Thinking>(&event.body)) {
            speak(l, event.head);
            // Reasoning that is encrypted weighs more than what it hides.
            if (in_window(event)) l.context.text(ContextPart::reasoning, std::max<std::uint64_t>(thinking->text.size(), thinking->opaque_bytes / 3));
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
        Lane& l = lane(head.lane);
        const ContextRequest& request = l.context.request(head, figures, l.tools);
        if (l.housekeeping) return;
        l.rules.request(request, l.track);
        for (auto& detector : session_detectors) detector->on_request(request, l.track);
    }

    // Marks that change no step but are counted and remembered by it.
    void on_mark(const Event& event, Lane& l) {
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
            ++counts.rewinds;
            l.context.edited();
        } else if (std::holds_alternative<TurnStart>(event.body)) {
            ++counts.turns;
        } else if (const auto* end = std::get_if<TurnEnd>(&event.body)) {
            l.turn_completed |= end->status == TurnStatus::completed;
            l.turn_stopped |= end->status == TurnStatus::aborted || end->status == TurnStatus::failed;
            if (end->status == TurnStatus::aborted) {
                ++counts.aborted_turns;
                ++l.notices;
                l.drift.interrupted();
            }
        } else if (const auto* notice = std::get_if<Notice>(&event.body)) {
            if (notice->layer == NoticeLayer::provider && notice->level != NoticeLevel::info) {
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

void SessionEngine::on_event(const Event& event, const TokenCounts& lane_spent, const TokenCounts& session_spent) {
    impl_->dispatch(event, lane_spent, session_spent);
}

// Steps are billed by what the figures said, limits look at every event.
bool SessionEngine::asks_spending(const Event& event) const {
    return std::holds_alternative<Usage>(event.body) || !impl_->started || !impl_->session_detectors.empty();
}

void SessionEngine::on_request(const EventHeader& head, const RequestFigures& figures) { impl_->on_request(head, figures); }

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
    SessionOutcome outcome{std::move(findings), impl_->counts, impl_->tool_totals.listed(), std::move(impl_->contexts),
                           std::move(impl_->goal), std::move(impl_->activity), std::move(impl_->drift), std::move(impl_->unlisted),
                           impl_->provider_errors.take()};
    impl_->reset();
    return outcome;
}

}  // namespace agent_audit
