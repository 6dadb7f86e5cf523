#pragma once

#include <agent_audit/simulator/compaction.hpp>
#include <agent_audit/simulator/replay.hpp>

#include "simulator/replay/summary_length.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace agent_audit::simulator {

/// What agents take a token for that have only the text.
inline constexpr double kCharsPerToken = 4;

/// Tokens of messages by what was learnt so far.
class Weights {
public:
    Weights();
    void set(const FeatureVector& weights) { weights_ = weights; }
    const FeatureVector& vector() const { return weights_; }
    double tokens(const FeatureCounts& features) const;
    /// Of its reasoning, which is a part of that.
    double reasoning(const FeatureCounts& features) const;

private:
    FeatureVector weights_{};
};

/// One request, the same under every context.
struct RequestInput {
    std::size_t number = 0;  ///< from 1
    RecordedRequest recorded;
    double unseen = 0;
    std::uint64_t unseen_hash = 0;
    double window = 0, model_window = 0;  ///< the latter as in ContextSize
    double now_ms = 0, last_touch_ms = 0;
    const ModelInfo* model = nullptr;
    bool reasoning_left = false;  ///< since the request before, the provider leaves out more of it
    double recorded_prefix = 0;   ///< tokens of the recorded prompt that stand before that; 0: not known
};

/// The view of one context while a session goes by. What every request costs does not depend on the length of the view,
/// except where a stage has work to do: sums of sizes say whether it may have any.
class PolicyReplay {
public:
    /// `recorded_reading`: what the recorded agent sends to its summariser, as far as it is known.
    PolicyReplay(const Context& context, const Weights& weights, const SummaryLength& lengths,
                 const SummaryWriter& writer, const SummaryReading& recorded_reading);

    const Context& context() const { return context_; }
    /// Whether anything can leave the view but by a rewind.
    bool forgets() const { return forgets_; }
    /// `tokens` of it by the weights at hand.
    void append(const Recorded& message, double tokens);
    void rewind(std::size_t first_gone);
    /// The recorded agent's own doing; only Context::Kind::recorded follows it.
    void follow(const RecordedCompaction& compaction);
    /// Messages that are never used again, by their places in ascending order: for hindsight.
    void forget(std::span<const std::uint32_t> places);
    /// From now on the provider leaves out the reasoning of the messages before this place.
    void leave_reasoning(std::size_t before);
    /// Weights were renewed: sizes of everything in the view are taken anew.
    void reweigh();
    const TurnRow& request(const RequestInput& input);
    PolicyOutcome finish();

private:
    /// What gates go by. Sums of whole numbers, so that adding and taking away leaves no rest.
    struct Gauge {
        std::int64_t own = 0;        ///< the policy's own estimate
        std::int64_t pressure = 0;   ///< OpenClaw 2026.9's estimate before a prompt
        std::int64_t chars = 0;      ///< at least what OpenClaw's stages count
        std::int64_t guarded = 0;    ///< the same as the guard of 2026.3 counts
        std::int64_t outputs = 0;    ///< at least Gemini's tokens of tool outputs
        std::int64_t large = 0;      ///< results that the guard would cut for their own size
        std::int64_t results = 0;    ///< `chars` of results
        std::int64_t trimmable = 0;  ///< results that OpenClaw would trim when they are old
        std::int64_t said = 0;       ///< messages of the person
    };
    /// The same of one message.
    struct Measure {
        std::int64_t own = 0, pressure = 0, chars = 0, guarded = 0, outputs = 0;
        bool result = false, large = false, trimmable = false, said = false;
    };
    struct Place {
        Measure gauge;
        double whole = 0;      ///< tokens as recorded, before edits
        bool counted = false;  ///< among the cleared results
    };
    /// A message that another took the place of for one request, which the view does not have.
    struct ForNow {
        std::size_t index = 0;
        Action action = Action::trim;
        MsgPtr before, message;
        Slot slot_before, slot;
        PrunedRow row;
        bool again = false;  ///< for the same request another took its place before
    };
    struct MadeSummary {
        MsgPtr message;
        double tokens = 0;
    };

    double tokens_of(const Recorded& message) const;

    // the view
    Measure gauge_of(const Msg& message) const;
    void push(MsgPtr message, const Slot& slot, double whole);
    void sum(const Measure& gauge, std::int64_t sign);
    void add(const Place& place, double tokens);
    void take(const Place& place, double tokens);
    void sum_anew();
    bool too_large(const Measure& gauge) const;
    void find_large();
    void edit(std::size_t index, const MsgPtr& message, Action action);
    void note(const PrunedRow& pruned);
    void erase(std::size_t from, std::size_t to, Action action, const MsgPtr& replacement);
    void changed(std::size_t from);
    void tell_leaving(std::size_t index, const MsgPtr& replacement, Action action);
    void follow_pointers(const MsgPtr& before, const MsgPtr& after);
    void bring_back();
    Slot made_slot(const Msg& message, double tokens);

    // what is sent, where stages act for one request only
    void edit_for_now(const Edit& made);
    void take_back(std::size_t from);
    void bring_up();
    View sent_so_far() const;
    using Sizes = std::vector<openclaw::MessageSize>;
    using SizeOf = openclaw::MessageSize (*)(const MsgPtr&);
    void run_for_now(const Stage& stage, const Moment& now, Sizes& sizes, SizeOf size_of);

    // stages
    Moment moment(const RequestInput& input) const;
    void run_stages(const RequestInput& input, bool passing);
    void run(const Stage& stage, const TurnLimit& limit, const Moment& moment);
    void run(const Stage& stage, const PruneResults& prune, const Moment& moment);
    void run(const Stage& stage, const TruncateResult& truncate, const Moment& moment);
    void run(const Stage& stage, const MaskResults& mask, const Moment& moment);
    void run(const Stage& stage, const RepairPairs& repair, const Moment& moment);
    void run(const Stage&, const Summarise&, const Moment&) {}
    void run(const Stage&, const OverflowRecovery&, const Moment&) {}
    template <class Other>
    void run(const Stage& stage, const Other&, const Moment& moment) {
        if (!passing_) apply(run_stage(stage, view_, moment, memory_), 0);
    }
    void apply(const StageOutcome& outcome, std::size_t offset);
    bool pairs_broken() const;
    bool worth_pruning(const PruneResults& prune, const Moment& moment) const;
    void rebuild(std::size_t from, const View& view);

    // a request
    void begin_row(const RequestInput& input);
    void act(const RequestInput& input);
    void show(const RequestInput& input);  ///< to the observers
    void count_row();

    // need and recovery
    double prompt() const { return unseen_ + tokens_; }
    double unseen_of(const RequestInput& input);
    bool over(const RequestInput& input, double prompt) const;
    ContextSize size(const RequestInput& input) const;
    bool compact(const Summarise& stage, const RequestInput& input, const ContextSize& size);
    bool throws_away(const CompactionPlan& plan, const RequestInput& input);
    void carry_out(const CompactionPlan& plan, const RequestInput& input);
    MadeSummary make_summary(const CompactionPlan& plan, std::size_t from, std::size_t to, const RequestInput& input);
    void put(std::size_t from, std::size_t to, const View& fresh, const MadeSummary& summary);
    double tokens_between(std::size_t from, std::size_t to) const;
    std::size_t kept_from(std::size_t to) const;
    void follow_clearing(const RecordedCompaction& compaction);
    void put_first(const MsgPtr& message, double tokens);
    void recover(const RequestInput& input);
    bool may_split() const;
    bool begins_turn(const RequestInput& input) const;
    void check_before_prompt(const Summarise& stage, const RequestInput& input);
    void shorten_results(const RequestInput& input);
    double tokens_read(std::size_t from, std::size_t to) const;
    double tokens_cached(const RequestInput& input, std::size_t to) const;
    void pay_summary(const ModelInfo* model, double tokens_in, double cached, double summary, double calls);

    const Context& context_;
    const Weights& weights_;
    const SummaryLength& lengths_;
    const SummaryWriter& writer_;
    const Summarise* summarise_ = nullptr;
    SummaryReading reading_;
    bool forgets_ = true;
    bool for_now_only_ = false;   ///< there are stages that act for one request, as those of 2026.3
    bool clears_copies_ = false;  ///< results are cleared in what is sent, and the history keeps them for a summary
    std::vector<std::unique_ptr<RequestObserver>> observers_;
    std::vector<RequestObserver*> listeners_;  ///< those of them that are told of messages

    View view_;
    std::vector<Slot> slots_;
    std::vector<Place> places_;
    Gauge sum_;
    double tokens_ = 0;  ///< of the view as it is
    double whole_ = 0;   ///< of the view as recorded
    double unseen_ = 0, window_ = 0;
    bool followed_ = false;    ///< the recorded agent has compacted
    std::deque<double> rest_;  ///< of the last bills since then, beyond the view
    double last_bill_ = 0;
    std::size_t sent_ = 0;    ///< messages before this place were part of a request
    std::uint32_t turn_ = 0;  ///< of the last request
    std::size_t unchanged_ = 0;
    std::size_t read_for_masks_ = 0;  ///< messages before this place are those that Gemini's mask was shown last
    std::size_t after_answer_ = 0;    ///< place behind the newest answer
    std::size_t reasoning_from_ = 0;  ///< place in the session: the reasoning of what was recorded before is not sent
    bool mend_all_ = false;           ///< pairs may be broken anywhere
    bool passing_ = false;            ///< stages that act for one request have their turn
    std::size_t failed_at_ = 0, failures_ = 0;
    bool thrown_away_ = false;  ///< a summary that was too long, and not asked for by a refusal
    Memory memory_;
    std::uint64_t made_ = 0;
    /// Where the history keeps what is cleared: what it was, by its place in the session.
    struct Cleared {
        MsgPtr message;
        Slot slot;
    };
    std::unordered_map<std::size_t, Cleared> cleared_;

    // The view with what was made of it for the last request, in the order of making. Most of it is made for the next
    // one too, and then it is left standing.
    View sent_view_;
    std::vector<Slot> sent_slots_;
    Sizes prune_sizes_, guard_sizes_;  // of the view: 2026.3 counts all of it before every request
    std::vector<ForNow> for_now_;
    std::size_t made_again_ = 0;  ///< so many of them for the request at hand
    std::size_t stale_ = 0;       ///< from here on the view has changed since

    TurnRow row_, out_;
    PolicyOutcome outcome_;
    RequestCost cost_, summary_cost_;
    const ModelInfo* model_ = nullptr;  ///< of the last request
    double sum_prompts_ = 0;
};

}  // namespace agent_audit::simulator
