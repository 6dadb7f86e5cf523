#include <agent_audit/pipeline/replayer.hpp>

#include "detectors/commands/row_tools.hpp"
#include "detectors/engine/drift_watch.hpp"
#include "detectors/engine/episodes.hpp"
#include "model/plain_name.hpp"
#include "pipeline/replay/run_bills.hpp"
#include "pipeline/replay/run_verdict.hpp"
#include "pipeline/settings/plan.hpp"
#include "pipeline/watches/peers.hpp"
#include "pipeline/watches/request_watch.hpp"
#include "pipeline/watches/reset_watch.hpp"
#include "policy/supervisor.hpp"

#include <agent_audit/support/hash.hpp>
#include <agent_audit/support/unescape.hpp>
#include <agent_audit/tokens/ledger.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace agent_audit {
namespace {

using policy::Action;
using policy::Decision;
using policy::Trigger;

constexpr std::size_t kMaxTurns = 200'000;
constexpr std::size_t kMaxField = 500;
constexpr std::uint64_t kFewSteps = 3;  // nothing repeats in fewer

std::string words(RawText raw, std::size_t bytes) {
    return raw.form == TextForm::plain ? std::string(cut_utf8(raw.bytes, bytes))
                                       : decode_json_string(raw.bytes.substr(0, 4 * bytes), bytes);
}

// As a scan has it: what was billed for a sum is told by its end alone.
std::optional<Money> cost_of(SessionUsage usage, const ModelTable* models) {
    UsageMerger merger(models);
    merger.add(std::move(usage));
    const TokenLedgerTotals bill = merger.finish().front().unpack();
    return bill.cost.priced_requests > 0 ? std::optional(bill.cost.known) : std::nullopt;
}

std::uint64_t characters_of(const Event& event) {
    if (const auto* message = std::get_if<Message>(&event.body)) return message->text.size();
    if (const auto* result = std::get_if<ToolResult>(&event.body)) return result->text.size();
    if (const auto* call = std::get_if<ToolCall>(&event.body)) return call->args.size();
    if (const auto* thinking = std::get_if<Thinking>(&event.body)) return thinking->text.size();
    return 0;
}

// A rule of one lane, watched from outside.
struct Watched {
    Detector* rule = nullptr;
    const BoundDetector* row = nullptr;
    std::size_t known = 0;  // findings that were seen
};

// Counts what a response does and how many words of the goal that has. A rule that finds nothing.
class GoalWords final : public detectors::DriftDetector {
public:
    void on_act(const detectors::DriftAct& act, const detectors::DriftView& view) override {
        if (view.goal.words() == 0) return;
        ++actions;
        words += act.goal_hits;
    }
    std::uint16_t wakes() const override { return 0; }

    std::uint32_t actions = 0, words = 0;
};

}  // namespace

struct Replayer::Impl {
    // Sits behind the rules of a lane and hears the same steps after them.
    class Tap final : public Detector {
    public:
        Tap(Impl& owner, std::vector<Watched> rules, GoalWords* heard)
            : goal_words(heard), owner_(owner), rules_(std::move(rules)) {}

        void on_step(const Step& step, const LaneTrack& lane) override { owner_.on_step(step, lane, *this); }
        void on_response(const ResponseEnd& end, const LaneTrack& lane) override {
            owner_.on_response(end, lane, *this);
        }
        void on_segment_end(const LaneTrack& lane) override {
            if (!owner_.closing) owner_.on_human(lane.lane());
            for (Watched& w : rules_) w.known = w.rule->so_far().size();
            smells = open = false;
        }

        /// What the rules would say if the lane ended here; overlapping findings joined.
        std::vector<Finding> look(const LaneTrack& lane, bool steps, Policy patience);

        bool smells = false;    // a step of this response repeats something, or failed
        bool open = false;      // a pattern was open after the response before
        GoalWords* goal_words;  // of the same lane; null where the policy does not ask
        RunTurn turn;

    private:
        Impl& owner_;
        std::vector<Watched> rules_;
    };

    Impl(std::shared_ptr<const BoundPolicy> given, const ReplayerOptions& how)
        : bound(std::move(given)), options(how), requests(how.models) {
        std::vector<SkippedRule> skipped;
        rules = covered_rules(bound->rules, options.signals, skipped);
        rules.reserve(rules.size() + kOwnRules);  // the watched ones are pointed at
        for (BoundDetector& rule : rules) watch(rule);
        rules.push_back(resets.listener());
        goal_spec.id = "replay/goal-words";
        goal_spec.scope = Scope::lane;
        goal_spec.hears = detectors::kDrift;
        if (bound->policy.similarity.below > 0) {
            rules.push_back({&goal_spec, [this]() -> std::unique_ptr<Detector> {
                                 auto heard = std::make_unique<GoalWords>();
                                 made_goal_words = heard.get();
                                 return heard;
                             }});
        }
        tap_spec.id = "replay/tap";
        tap_spec.scope = Scope::lane;
        tap_spec.hears = kSteps | kResponses;
        rules.push_back({&tap_spec, [this]() -> std::unique_ptr<Detector> {
                             return std::make_unique<Tap>(*this, std::exchange(made, {}),
                                                          std::exchange(made_goal_words, nullptr));
                         }});
        engine = std::make_unique<SessionEngine>(rules, bound->engine);
        if (!bound->profiles.empty()) peers.emplace(bound->profiles);
        begin();
    }

    static constexpr std::size_t kOwnRules = 3;  // the advisor's ear, the goal's words, the tap

    // Rules are made when their lane begins, one after the other, and the tap last.
    void watch(BoundDetector& rule) {
        if (rule.spec->scope != Scope::lane) return;
        rule.make = [this, make = rule.make, row = &rule]() {
            auto detector = make();
            if (detector) made.push_back({detector.get(), row, 0});
            return detector;
        };
    }

    void begin() {
        guard = std::make_unique<policy::Supervisor>(bound->policy);
        run = SupervisedRun{};
        run.policy = bound->policy.name;
        turns.clear();
        told.clear();
        bills = {};
        restarts.clear();
        stops.clear();
        noted = 0;
        responses = steps = 0;
        first_ms = last_ms = before_ms = kNoTime;
        closing = false;
    }

    void on_event(const Event& event);
    void hear_goal(const Message& message, const EventHeader& head);
    void on_step(const Step& step, const LaneTrack& lane, Tap& tap);
    void on_response(const ResponseEnd& end, const LaneTrack& lane, Tap& tap);
    void on_peers(const Event& event);
    void on_human(std::uint32_t lane);
    std::span<const Decision> fresh(std::size_t before) {
        const auto& all = guard->decisions();
        note_cuts(std::max(before, noted));
        return std::span(all).subspan(std::min(before, all.size()));
    }
    void note_cuts(std::size_t before);
    static bool is_open(const std::vector<RunCut>& cuts) { return !cuts.empty() && !cuts.back().over(); }
    bool keeps_turns() const { return options.keep_turns || is_open(restarts) || is_open(stops); }
    void keep(RunTurn turn);
    SupervisedRun finish();

    std::shared_ptr<const BoundPolicy> bound;
    ReplayerOptions options;
    DetectorSpec tap_spec{}, goal_spec{};
    std::vector<BoundDetector> rules;
    std::vector<Watched> made;  // of the lane that is being made
    GoalWords* made_goal_words = nullptr;
    std::unique_ptr<SessionEngine> engine;
    TokenLedger ledger;
    RequestWatch requests;
    ResetWatch resets;
    std::optional<PeerWatch> peers;
    std::unique_ptr<policy::Supervisor> guard;

    SupervisedRun run;
    std::vector<RunTurn> turns;  // of the timeline, or after the first cut only
    struct Told {
        std::uint32_t lane;
        std::size_t profile;
        bool warned, stopped;
    };
    std::vector<Told> told;
    RunBills bills;  // up to the event before the one that is being heard
    static constexpr std::size_t kMaxCuts = 2000;
    std::vector<RunCut> restarts, stops;  // interventions that begin the run anew, and that end it
    std::uint64_t responses = 0, steps = 0;
    std::int64_t first_ms = kNoTime, last_ms = kNoTime;
    std::int64_t before_ms = kNoTime;  // latest time before the event that is being heard
    std::size_t noted = 0;             // decisions before that event
    bool closing = false;
};

void Replayer::Impl::on_human(std::uint32_t lane) {
    note_cuts(noted);
    guard->on_human(lane);
    if (lane != 0) return;
    for (auto* cuts : {&restarts, &stops}) {
        if (is_open(*cuts)) {
            cuts->back().end = turns.size();
            cuts->back().end_ms = before_ms;
        }
    }
}

std::vector<Finding> Replayer::Impl::Tap::look(const LaneTrack& lane, bool of_steps, Policy patience) {
    std::vector<DraftFinding> drafts;
    for (Watched& w : rules_) {
        const std::uint8_t hears = w.row->spec->hears;
        const bool texts = (hears & kTexts) != 0 && (hears & kSteps) == 0;
        if (texts == of_steps) continue;
        const std::size_t before = drafts.size();
        // A rule that has just said what it saw is as good as one that would say it now.
        const auto said = w.rule->so_far();
        for (; w.known < said.size(); ++w.known) {
            const Finding& f = said[w.known].finding;
            if (f.last_step == 0 || f.last_step + 1 >= lane.steps()) drafts.push_back(said[w.known]);
        }
        if (const auto copy = w.rule->copy()) {
            copy->finish(&lane);
            for (DraftFinding& draft : copy->take()) drafts.push_back(std::move(draft));
        }
        const auto of_another_row = [&](const DraftFinding& draft) {
            return !detectors::belongs(draft.finding, *w.row);
        };
        drafts.erase(std::remove_if(drafts.begin() + static_cast<std::ptrdiff_t>(before), drafts.end(), of_another_row),
                     drafts.end());
    }
    if (drafts.empty()) return {};
    std::vector<Finding> findings;
    detectors::settle_findings(std::move(drafts), lane, patience, findings);
    std::erase_if(findings, [](const Finding& f) { return f.severity < Severity::warning; });
    if (findings.size() > 1) findings = detectors::join_overlapping(std::move(findings));
    if (owner_.options.lived_with) {
        std::erase_if(findings, owner_.options.lived_with);
        std::erase_if(findings,
                      [](const Finding& f) { return f.severity < Severity::warning; });  // it may have set that
    }
    return findings;
}

void Replayer::Impl::on_step(const Step& step, const LaneTrack& lane, Tap& tap) {
    ++steps;
    RunTurn& t = tap.turn;
    if (t.calls == 0) {
        t.first_step = step.ordinal;
        t.first_line = step.first_line();
        if (options.keep_turns) t.words = detectors::step_words(step);
    }
    ++t.calls;
    t.last_step = step.ordinal;
    t.first_line = std::min(t.first_line, step.first_line());
    t.last_line = std::max(t.last_line, step.last_line());
    t.failed += step.failed;
    t.good += !step.failed && !step.revisit;
    tap.smells = tap.smells || step.failed || step.revisit || lane.runs().any() || step.grown_from != 0 ||
                 step.query.words != 0 || step.tool_class == ToolClass::poll || step.reread_line != 0;
    if (!closing) guard->on_step(step, lane.lane());
}

void Replayer::Impl::on_response(const ResponseEnd& end, const LaneTrack& lane, Tap& tap) {
    ++responses;
    const bool has_steps = end.calls > 0;
    RunTurn turn = std::exchange(tap.turn, {});
    turn.lane = lane.lane();
    turn.response = end.response;
    const Place last = bills.bill(lane.lane()).last;
    bills.take(turn);
    if (GoalWords* goal = tap.goal_words) {
        if (!closing) guard->on_words(lane.lane(), goal->actions, goal->words);
        goal->actions = goal->words = 0;
    }
    if (!closing && !guard->ended(lane.lane())) {
        guard->spent(bills.spent(), bills.cost());
        std::vector<Finding> open;
        const bool worth = has_steps ? (tap.smells || tap.open) && lane.steps() >= kFewSteps : true;
        if (worth && bound->policy.react_to_rules) open = tap.look(lane, has_steps, bound->engine.policy);
        tap.open = !open.empty();
        guard->on_response(end.response, last, open, lane);
    }
    tap.smells = false;
    keep(std::move(turn));
}

// The goal is what a person asked for last, as in the drift rules: "go on" and the like ask for nothing.
void Replayer::Impl::hear_goal(const Message& message, const EventHeader& head) {
    if (message.role != Role::user || (message.origin != Origin::human && message.origin != Origin::queued)) return;
    detectors::HumanText said = detectors::human_text(message.text, head.where.line);
    if (!said.bare || guard->goal().empty()) guard->keep_goal(std::move(said.text));
}

void Replayer::Impl::keep(RunTurn turn) {
    if (keeps_turns() && turns.size() < kMaxTurns) turns.push_back(std::move(turn));
}

void Replayer::Impl::on_peers(const Event& event) {
    peers->on_event(event);
    if (!bound->policy.follow.empty() && guard->ended(event.head.lane)) return;
    for (std::size_t i = 0; i < bound->profiles.size(); ++i) {
        const auto reactions = peers->reactions(event.head.lane, i);
        if (!reactions.warned && !reactions.stopped) continue;
        auto known =
            std::ranges::find_if(told, [&](const Told& t) { return t.lane == event.head.lane && t.profile == i; });
        if (known == told.end()) known = told.insert(told.end(), {event.head.lane, i, false, false});
        for (const bool stopped : {false, true}) {
            const PeerReaction* reaction = stopped ? reactions.stopped : reactions.warned;
            bool& said = stopped ? known->stopped : known->warned;
            if (!reaction || said) continue;
            said = true;
            PeerReaction here = *reaction;
            here.lane = event.head.lane;
            guard->spent(ledger.session_spent(), bills.cost());
            guard->on_peer(here, bound->profiles[i]->name, stopped);
        }
    }
}

void Replayer::Impl::on_event(const Event& event) {
    const EventHeader& head = event.head;
    if (run.first_line == 0 || head.where.line < run.first_line) run.first_line = head.where.line;
    run.last_line = std::max(run.last_line, head.where.line);
    const bool copied = (head.flags & kCopied) != 0;
    before_ms = last_ms;
    noted = guard->decisions().size();
    if (!copied && head.time_ms != kNoTime) {
        if (first_ms == kNoTime) first_ms = last_ms = head.time_ms;
        first_ms = std::min(first_ms, head.time_ms);  // clocks may run back
        last_ms = std::max(last_ms, head.time_ms);
    }
    guard->at(head.where.line, copied ? kNoTime : head.time_ms);
    if (!copied && (head.flags & kHidden) == 0) guard->said(characters_of(event));
    if (const auto* start = std::get_if<SessionStart>(&event.body)) {
        if (run.session_id.empty()) run.session_id = words(start->session_id, kMaxField);
        if (run.label.empty()) run.label = words(start->label, kMaxField);
        if (run.model.empty()) run.model = words(start->model, kMaxField);
    }
    if (const auto* result = std::get_if<ToolResult>(&event.body); result && !copied)
        guard->on_answer(head.lane, head.time_ms, *result);
    ledger.on_event(event);
    requests.hear(event);
    resets.on_event(event, ledger);
    engine->on_event(event, ledger.lane_spent(head.lane), ledger.session_spent());
    // After the engine: what is decided about the response before is about the goal it had.
    if (const auto* message = std::get_if<Message>(&event.body); message && head.lane == 0 && !copied)
        hear_goal(*message, head);
    std::optional<Money> cost_now = bills.cost();
    if (const auto* usage = std::get_if<Usage>(&event.body)) {
        if (const RequestFigures* request = requests.on_usage(event, *usage, ledger)) {
            engine->on_request(head, *request);
            guard->on_request(head.lane, *request);
        }
        cost_now = requests.session_cost(ledger);
    } else if (const auto* change = std::get_if<ContextChange>(&event.body)) {
        requests.on_change(*change, (head.flags & kSynthetic) == 0);
    } else if (const auto* compaction = std::get_if<Compaction>(&event.body)) {
        if (compaction->phase == CompactionPhase::end && !copied) guard->on_compaction(head.lane);
    } else if (const auto* call = std::get_if<ToolCall>(&event.body)) {
        if (!copied && call->caller == Caller::model) {
            guard->spent(ledger.session_spent(), bills.cost());
            const PlainName name(call->name);
            guard->on_call({head.lane, stable_hash(name.view()), name.view(), call->digest.canonical, head.where.line,
                            head.seq, head.time_ms});
        }
    } else if (const auto* open = std::get_if<LaneOpen>(&event.body)) {
        if (head.lane != 0 && (open->purpose == LanePurpose::compaction || open->purpose == LanePurpose::suggestion)) {
            bills.set_housekeeping(head.lane);
        }
    }
    if (bills.add(event, ledger, cost_now)) {
        for (RunTurn& turn : turns) turn.tokens = 0;
    }
    if (peers) on_peers(event);
}

// Stops, and decisions that make the run begin again somewhere: what comes after them, up to the next word of a person,
// is what the policy would have saved, or lost.
void Replayer::Impl::note_cuts(std::size_t before) {
    const auto& all = guard->decisions();
    for (std::size_t i = before; i < all.size(); ++i) {
        const Action action = all[i].action;
        const bool ends = policy::ends_run(all[i]);
        if (all[i].lane != 0 && !ends) continue;
        if (!ends && action != Action::reset_context && action != Action::rollback) continue;
        auto& cuts = ends ? stops : restarts;
        if (is_open(cuts) || cuts.size() >= kMaxCuts) continue;
        // The response that is just over was kept as the last turn. Where the next one showed that, it is no part of
        // it.
        const bool shown_later = all[i].known_line > all[i].line;
        // A peer's detector may speak in the middle of a response: that one was asked for already.
        const RunBills::Bill& open = bills.bill(0);
        const bool inside = all[i].trigger == Trigger::peer && open.spoke && all[i].line >= open.first.line;
        const std::size_t under_way = inside ? 1 : 0;
        cuts.push_back({all[i].line, shown_later ? before_ms : last_ms, turns.size() + under_way, SIZE_MAX, kNoTime});
    }
    noted = all.size();
}

SupervisedRun Replayer::Impl::finish() {
    closing = true;
    SessionOutcome outcome = engine->finish();
    (void)requests.finish(ledger);
    if (!turns.empty() && keeps_turns()) bills.take_rest(turns.back());
    if (options.lived_with) run.lived_with = std::erase_if(outcome.findings, options.lived_with);
    run.resets = resets.finish(outcome.findings, ledger, options.models);
    run.tokens = ledger.session_spent();
    SessionUsage usage = ledger.finish();
    run.tokens_source = !usage.requests.empty()  ? TokensSource::reported
                        : run.tokens.total() > 0 ? TokensSource::estimated
                                                 : TokensSource::none;
    if (run.model.empty() && !usage.models.empty()) run.model = usage.models.front();
    if (peers) (void)peers->finish();
    run.findings = std::move(outcome.findings);
    run.decisions = guard->decisions();
    run.not_kept = guard->not_kept();
    run.waited = guard->self_waited();
    for (const auto& b : guard->breakers()) run.breakers.push_back({b.tool, b.opened, b.refused});
    run.checkpoints = guard->checkpoints();
    run.steps = steps;
    run.responses = responses;
    run.cost = cost_of(std::move(usage), options.models);
    if (!run.cost) run.cost = bills.cost();
    if (first_ms != kNoTime) run.wall_ms = last_ms - first_ms;
    for (const Finding& f : run.findings) {
        run.errors += f.severity == Severity::error;
        run.unrecovered_errors += f.severity == Severity::error && !f.recovered;
        run.warnings += f.severity == Severity::warning;
    }
    account_for_cuts(run, {turns, restarts, stops, last_ms});
    judge_decisions(run);
    decide_failure(run, bound->policy.fail_on);
    if (options.keep_turns) run.turns = std::move(turns);
    SupervisedRun out = std::move(run);
    begin();
    return out;
}

Replayer::Replayer(std::shared_ptr<const BoundPolicy> bound, const ReplayerOptions& options)
    : impl_(std::make_unique<Impl>(std::move(bound), options)) {}
Replayer::~Replayer() = default;
Replayer::Replayer(Replayer&&) noexcept = default;
Replayer& Replayer::operator=(Replayer&&) noexcept = default;

std::span<const Decision> Replayer::on_event(const Event& event) {
    const std::size_t before = impl_->guard->decisions().size();
    impl_->on_event(event);
    return impl_->fresh(before);
}

std::span<const Decision> Replayer::before_request(std::uint32_t lane) {
    const std::size_t before = impl_->guard->decisions().size();
    impl_->engine->end_response(lane);
    return impl_->fresh(before);
}

bool Replayer::stopped() const { return impl_->guard->ended(); }

SupervisedRun Replayer::finish() { return impl_->finish(); }

}  // namespace agent_audit
