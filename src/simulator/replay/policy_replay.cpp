#include "simulator/replay/policy_replay.hpp"

#include "simulator/rounding.hpp"

#include <agent_audit/support/hash.hpp>
#include <agent_audit/tokens/estimate.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <variant>

namespace agent_audit::simulator {
namespace {

using How = Summarise::How;

constexpr double kCharsPerToken = 4;

/// A text of a length and no words.
Text wordless(double tokens) {
    constexpr double kMost = 1e8;
    const auto units = static_cast<std::uint32_t>(std::clamp(tokens * kCharsPerToken, 0.0, kMost));
    return Text(nullptr, 0, 0, TextSizes{units, units, units, units, units, units});
}

MsgPtr summary_message(Text text) {
    Msg message;
    message.role = Role::compaction_summary;
    message.shape = ContentShape::blocks;
    Block block;
    block.kind = BlockKind::text;
    block.has_text = true;
    block.text = std::move(text);
    message.blocks.push_back(std::move(block));
    return std::make_shared<const Msg>(std::move(message));
}

std::uint64_t text_units(const Msg& message) {
    std::uint64_t units = 0;
    for (const Block& block : message.blocks) units += block.text.units();
    return units;
}

/// Calls that read and write all of a summary. The one about a turn that was split has a part of its own.
double calls_for(const CompactionPlan& plan) { return std::max(1.0, plan.min_calls - (plan.split_turn ? 1 : 0)); }

/// The place of a message, which most likely is the one asked about or behind it; the size when it is not there.
std::size_t find_from(const View& view, std::size_t from, const MsgPtr& message) {
    const auto middle = view.begin() + static_cast<std::ptrdiff_t>(from);
    const auto behind = std::find(middle, view.end(), message);
    if (behind != view.end()) return static_cast<std::size_t>(behind - view.begin());
    const auto before = std::find(view.begin(), middle, message);
    return before == middle ? view.size() : static_cast<std::size_t>(before - view.begin());
}

}  // namespace

Weights::Weights() {
    for (std::size_t i = 0; i < kFeatures; ++i) weights_[i] = kFeatureDocs[i].weight;
}

double Weights::tokens(const FeatureCounts& features) const {
    double sum = 0;
    for (std::size_t i = 0; i < kFeatures; ++i) sum += weights_[i] * features[i];
    return std::max(0.0, sum / 100);
}

double Weights::reasoning(const FeatureCounts& features) const {
    constexpr auto kReasoning = static_cast<std::size_t>(Feature::reasoning);
    return std::max(0.0, weights_[kReasoning] * features[kReasoning] / 100);
}

PolicyReplay::PolicyReplay(const Context& context, const Weights& weights, const SummaryLength& lengths,
                           const SummaryWriter& writer, const SummaryReading& recorded_reading)
    : context_(context), weights_(weights), lengths_(lengths), writer_(writer) {
    if (context.policy) summarise_ = context.policy->find<Summarise>();
    if (context.kind == Context::Kind::recorded) reading_ = recorded_reading;
    if (summarise_) reading_ = summary_reading(*summarise_);
    const bool staged = context.policy && !context.policy->stages.empty();
    forgets_ = staged || context.kind == Context::Kind::hindsight || context.kind == Context::Kind::recorded;
    for (const ObserverFactory& make : all_observers()) {
        auto observer = make(context.name);
        if (!observer) continue;
        if (forgets_ || observer->minds_what_stays()) listeners_.push_back(observer.get());
        observers_.push_back(std::move(observer));
    }
    if (staged) {
        for (const Stage& stage : context.policy->stages) {
            const auto* prune = std::get_if<PruneResults>(&stage);
            const auto* truncate = std::get_if<TruncateResult>(&stage);
            for_now_only_ = for_now_only_ || (prune && !prune->remembered) || (truncate && !truncate->remembered);
            const auto* clear = std::get_if<ClearResults>(&stage);
            clears_copies_ = clears_copies_ || (summarise_ && clear && clear->of_whole);
        }
    }
    outcome_.policy = context.name;
}

// ---- stages ------------------------------------------------------------------------------------------------------

Moment PolicyReplay::moment(const RequestInput& input) const {
    Moment out;
    out.window_tokens = input.window;
    out.now_ms = input.now_ms;
    out.last_touch_ms = input.last_touch_ms;
    out.context_tokens = unseen_ + whole_;
    out.edited_tokens = unseen_ + tokens_;
    out.max_output = input.model ? static_cast<double>(input.model->max_output) : 0;
    return out;
}

void PolicyReplay::run_stages(const RequestInput& input, bool passing) {
    if (!context_.policy) return;
    passing_ = passing;
    const Moment now = moment(input);
    for (const Stage& stage : context_.policy->stages) {
        std::visit([&](const auto& one) { run(stage, one, now); }, stage);
    }
}

void PolicyReplay::apply(const StageOutcome& outcome, std::size_t offset) {
    if (outcome.rebuilt) rebuild(offset, *outcome.rebuilt);
    for (const Edit& one : outcome.edits) edit(offset + one.index, one.message, one.action);
    if (outcome.dropped_to > outcome.dropped_from) {
        erase(offset + outcome.dropped_from, offset + outcome.dropped_to, Action::drop, nullptr);
        mend_all_ = true;
    }
}

void PolicyReplay::run(const Stage& stage, const TurnLimit& limit, const Moment& now) {
    if (!passing_ && limit.turns >= 1) apply(run_stage(stage, view_, now, memory_), 0);
}

/// Whether there is an old result to trim, or enough of them to clear.
bool PolicyReplay::worth_pruning(const PruneResults& prune, const Moment& now) const {
    const openclaw::PruneSettings defaults;
    const openclaw::PruneSettings& settings = prune.remembered ? defaults : prune.settings;
    const double window = now.window_tokens * kCharsPerToken;
    const auto chars = static_cast<double>(sum_.chars);
    if (chars < settings.soft_ratio * window) return false;
    const bool usual = settings.soft_max >= defaults.soft_max;
    std::int64_t recent = 0, trimmable = 0;  // too new to touch
    double left = settings.keep_last_assistants;
    for (std::size_t i = view_.size(); i-- > 0 && left > 0;) {
        const Measure& gauge = places_[i].gauge;
        trimmable += gauge.trimmable ? 1 : 0;
        recent += gauge.result ? gauge.chars : 0;
        if (view_[i]->role == Role::assistant) --left;
    }
    if (!usual || sum_.trimmable > trimmable) return true;
    const auto old = static_cast<double>(sum_.results - recent);
    return chars >= settings.hard_ratio * window && old >= settings.min_prunable;
}

void PolicyReplay::run_for_now(const Stage& stage, const Moment& now, Sizes& sizes, SizeOf size_of) {
    bring_up();
    row_.pruned.reserve(for_now_.size());
    StageOutcome done;
    if (made_again_ == 0) {
        memory_.sizes.swap(sizes);
        done = run_stage(stage, view_, now, memory_);
        memory_.sizes.swap(sizes);
    } else {  // another stage has had its turn
        memory_.sizes = sizes;
        for (std::size_t k = 0; k < made_again_; ++k) memory_.sizes[for_now_[k].index] = size_of(for_now_[k].message);
        done = run_stage(stage, sent_so_far(), now, memory_);
        memory_.sizes.clear();
    }
    for (const Edit& one : done.edits) edit_for_now(one);
}

void PolicyReplay::run(const Stage& stage, const PruneResults& prune, const Moment& now) {
    if (passing_ == prune.remembered) return;
    openclaw::CacheClock clock{now.now_ms, now.last_touch_ms};
    if (!prune.remembered && memory_.pruned_at_ms) {
        clock.last_touch_ms = std::max(clock.last_touch_ms, *memory_.pruned_at_ms);
    }
    if (!clock.expired(prune.settings.ttl_ms) || (made_again_ == 0 && !worth_pruning(prune, now))) return;
    if (prune.remembered) {
        apply(run_stage(stage, view_, now, memory_), 0);
        return;
    }
    run_for_now(stage, now, prune_sizes_, openclaw::prune_size);
}

void PolicyReplay::run(const Stage& stage, const TruncateResult& truncate, const Moment& now) {
    if (passing_ == truncate.remembered) return;
    if (!truncate.remembered) {
        const double budget = std::max(1024.0, std::floor(now.window_tokens * kCharsPerToken * 0.75));
        if (made_again_ == 0 && sum_.large == 0 && static_cast<double>(sum_.guarded) <= budget) return;
        run_for_now(stage, now, guard_sizes_, openclaw::guard_size);
        return;
    }
    // What was sent once is settled: only results that are new can be too large, and those are at the end.
    const double most =
        truncate.options.max_chars > 0 ? truncate.options.max_chars : openclaw::result_limit(now.window_tokens);
    bool large = false;
    for (std::size_t i = sent_; i < view_.size() && !large; ++i) {
        large = view_[i]->role == Role::tool_result && static_cast<double>(places_[i].gauge.chars) > most;
    }
    if (!large) return;
    const View fresh(view_.begin() + static_cast<std::ptrdiff_t>(sent_), view_.end());
    apply(run_stage(stage, fresh, now, memory_), sent_);
}

void PolicyReplay::run(const Stage& stage, const MaskResults& mask, const Moment& now) {
    if (passing_) return;
    if (static_cast<double>(sum_.outputs) <= mask.settings.protect_tokens) return;
    memory_.outputs.same = read_for_masks_;
    const StageOutcome made = run_stage(stage, view_, now, memory_);
    read_for_masks_ = view_.size();
    apply(made, 0);
}

bool PolicyReplay::pairs_broken() const {
    std::span<const Block> open;  // of the answer before: what has not been answered stands among them
    const auto waits = [&open] {
        while (!open.empty() && open.front().kind != BlockKind::tool_call) open = open.subspan(1);
        return !open.empty();
    };
    for (std::size_t i = sent_; i < view_.size(); ++i) {
        const Msg& message = *view_[i];
        if (message.role == Role::tool_result) {
            if (!waits() || open.front().id != message.call_id) return true;
            open = open.subspan(1);
            continue;
        }
        if (waits()) return true;
        if (message.role == Role::assistant) open = message.blocks;
    }
    return waits();
}

void PolicyReplay::run(const Stage& stage, const RepairPairs&, const Moment& now) {
    if (!mend_all_ && (passing_ || !pairs_broken())) return;
    const std::size_t from = mend_all_ ? 0 : sent_;
    mend_all_ = false;
    const View part(view_.begin() + static_cast<std::ptrdiff_t>(from), view_.end());
    apply(run_stage(stage, part, now, memory_), from);
}

// ---- need and recovery -------------------------------------------------------------------------------------------

bool PolicyReplay::over(const RequestInput& input, double prompt) const {
    if (context_.kind == Context::Kind::never_forget) return false;
    return prompt + static_cast<double>(input.recorded.billed.output) > input.window;
}

ContextSize PolicyReplay::size(const RequestInput& input) const {
    ContextSize out;
    // The provider has counted up to the last answer; what came after it is the policy's own estimate.
    double after = 0;
    for (std::size_t i = after_answer_; i < view_.size(); ++i) {
        after += slots_[i].tokens;
        out.trailing += static_cast<double>(places_[i].gauge.own);
    }
    out.billed = prompt() - after + out.trailing;
    out.estimated = static_cast<double>(sum_.own);
    out.unseen = unseen_;
    out.max_output = input.model ? static_cast<double>(input.model->max_output) : 0;
    if (input.model) out.model = input.model->id;
    out.model_window = input.model_window;
    out.view = &view_;
    out.failures = failures_;
    out.thrown_away = thrown_away_;
    return out;
}

/// Tokens of one prompt to the summariser, about what stands in [from, to).
double PolicyReplay::tokens_read(std::size_t from, std::size_t to) const {
    double sum = reading_.same_prompt ? unseen_ : 0;
    for (std::size_t i = reading_.same_prompt ? 0 : from; i < to; ++i)
        sum += slots_[i].tokens * share_read(reading_, *view_[i]);
    return reading_.most_tokens > 0 ? std::min(sum, reading_.most_tokens) : sum;
}

/// What of it the provider's cache still has: what the request before had sent, for as long as an entry lives.
double PolicyReplay::tokens_cached(const RequestInput& input, std::size_t to) const {
    if (!reading_.same_prompt || sent_ == 0) return 0;
    const CacheRules rules = cache_rules(input.model ? *input.model : ModelInfo{});
    const TokenCounts& billed = input.recorded.billed;
    const bool long_life = billed.cache_write_1h > billed.cache_write / 2 && rules.long_ttl_s > 0;
    constexpr double kSecond = 1'000;
    const double life_ms = kSecond * (long_life ? rules.long_ttl_s : rules.ttl_s);
    if (input.last_touch_ms > 0 && input.now_ms - input.last_touch_ms > life_ms) return 0;
    double sum = unseen_;
    for (std::size_t i = 0; i < std::min({to, sent_, unchanged_}); ++i) sum += slots_[i].tokens;
    return sum;
}

void PolicyReplay::pay_summary(const ModelInfo* model, double tokens_in, double cached, double summary, double calls) {
    const double read = tokens_in * reading_.times;
    outcome_.summary_tokens_in += rounded(read);
    outcome_.summary_tokens_out += rounded(summary);
    BilledTokens billed;
    const double again = calls - 1;  // the parts' summaries are read once more, and written
    billed.cache_read = rounded(std::min(cached, tokens_in));
    billed.input = rounded(read + again * summary);
    billed.input -= std::min(billed.input, billed.cache_read);
    billed.output = rounded(summary * calls);
    summary_cost_.add(model ? cost(*model, billed) : std::nullopt);
}

void PolicyReplay::carry_out(const CompactionPlan& plan, const RequestInput& input) {
    take_back(0);
    for (const Edit& one : plan.edits) edit(one.index, one.message, one.action);
    const std::size_t to = std::min(plan.to, view_.size()), from = std::min(plan.from, to);
    double given_up = 0;
    for (std::size_t i = from; i < to; ++i) given_up += slots_[i].tokens;
    const View gone(view_.begin() + static_cast<std::ptrdiff_t>(from), view_.begin() + static_cast<std::ptrdiff_t>(to));
    // What was made of messages that go is of no more use; of those that stay it is made again.
    memory_.pruned.results.clear();
    memory_.guarded.results.clear();

    View fresh = plan.before;
    MsgPtr summary;
    double summary_tokens = 0;
    if (plan.asks_model) {
        summary_tokens = lengths_.tokens(given_up, plan.max_summary_tokens);
        Summary written;
        if (writer_) written = writer_({gone, summary_tokens, plan.max_summary_tokens});
        if (written.measured && !written.words.empty()) {
            summary_tokens = static_cast<double>(estimate_tokens({written.words, TextForm::plain}));
        }
        summary = summary_message(written.words.empty() ? wordless(summary_tokens) : Text(std::move(written.words)));
        fresh.push_back(summary);
        pay_summary(input.model, tokens_read(from, to), tokens_cached(input, to), summary_tokens, calls_for(plan));
        ++outcome_.compactions;
    }
    fresh.insert(fresh.end(), plan.after.begin(), plan.after.end());
    const std::size_t kept_from = to < view_.size() && slots_[to].source ? slots_[to].source->place
                                  : to > 0 && slots_[to - 1].source      ? slots_[to - 1].source->place + 1
                                                                         : 0;
    if (summary) {
        row_.compactions.push_back({rounded(given_up), rounded(summary_tokens), kept_from, plan.split_turn});
    }
    // Messages that the plan keeps from among those it gives up stay what they are.
    std::vector<Slot> slots;
    std::vector<Place> places;
    std::size_t next = 0;
    for (const MsgPtr& message : fresh) {
        Place& place = places.emplace_back(Place{gauge_of(*message), 0, false});
        const std::size_t at = message == summary ? gone.size() : find_from(gone, next, message);
        if (at < gone.size()) {
            slots.push_back(slots_[from + at]);
            place.whole = places_[from + at].whole;
            place.counted = places_[from + at].counted;
            next = at + 1;
        } else {
            const auto units = static_cast<double>(text_units(*message));
            slots.push_back(made_slot(*message, message == summary ? summary_tokens : units / kCharsPerToken));
        }
    }
    const std::size_t sent_before = sent_;
    erase(from, to, summary ? Action::summarise : Action::drop, summary);
    for (std::size_t k = 0; k < fresh.size(); ++k) add(places[k], slots[k].tokens);
    const auto insert = [from](auto& list, const auto& made) {
        list.insert(list.begin() + static_cast<std::ptrdiff_t>(from), made.begin(), made.end());
    };
    insert(view_, fresh);
    insert(slots_, slots);
    insert(places_, places);
    if (sent_before >= from) sent_ += fresh.size();
    after_answer_ += after_answer_ >= from ? fresh.size() : 0;
    mend_all_ = true;
    changed(from);
    sum_anew();
}

/// A summary that makes the context no smaller is paid for all the same.
bool PolicyReplay::throws_away(const CompactionPlan& plan, const RequestInput& input) {
    if (!plan.longest_summary) return false;
    double given_up = 0;
    const std::size_t to = std::min(plan.to, view_.size());
    for (std::size_t i = plan.from; i < to; ++i) given_up += slots_[i].tokens;
    const double summary = lengths_.tokens(given_up, plan.max_summary_tokens);
    if (summary <= *plan.longest_summary) return false;
    pay_summary(input.model, tokens_read(plan.from, to), tokens_cached(input, to), summary, calls_for(plan));
    return true;
}

bool PolicyReplay::compact(const Summarise& stage, const RequestInput& input, const ContextSize& now) {
    // What could not be done is not tried before every request: the view must have grown.
    constexpr std::size_t kPatience = 8;
    if (failures_ >= kPatience && view_.size() < failed_at_ + failed_at_ / 8 + 1) return false;
    bring_back();
    const std::size_t messages = view_.size();
    const double before = tokens_;
    auto plan = plan_compaction(stage, view_, now, input.window);
    if (plan && throws_away(*plan, input)) {
        thrown_away_ = thrown_away_ || !now.refused;
        plan.reset();
    }
    const bool useful = plan && (plan->to > plan->from || !plan->edits.empty());
    if (useful) carry_out(*plan, input);
    const bool stalled = useful && plan->min_saving > 0 && tokens_ > before * (1 - plan->min_saving);
    if (useful && !stalled && (tokens_ < before || view_.size() < messages)) {
        failures_ = 0;
        return true;
    }
    ++failures_;
    failed_at_ = view_.size();
    return false;
}

/// OpenClaw 2026.9 looks before each prompt whether it may not fit, with a margin.
void PolicyReplay::check_before_prompt(const Summarise& stage, const RequestInput& input) {
    const double reserve = reserve_tokens(stage, input.window);
    const double likely = std::ceil(static_cast<double>(sum_.pressure) * openclaw::kSafetyMargin) + unseen_;
    if (likely <= input.window - reserve) return;
    openclaw::PrecheckOptions options;
    options.window_tokens = input.window;
    options.reserve_tokens = reserve;
    options.tool_schema_tokens = unseen_;
    const openclaw::Precheck check = openclaw::precheck(view_, options);
    if (check.route == openclaw::Route::fits) return;
    if (check.compact) compact(stage, input, size(input));
    if (check.route != openclaw::Route::compact_only) shorten_results(input);
}

void PolicyReplay::shorten_results(const RequestInput& input) {
    if (summarise_ && summarise_->how == How::openclaw_2026_3) {
        const double most = openclaw::result_limit_2026_3(input.window);
        for (std::size_t i = 0; i < view_.size(); ++i) {
            if (view_[i]->role != Role::tool_result || static_cast<double>(places_[i].gauge.chars) <= most) continue;
            edit(i, openclaw::truncate_result_2026_3(view_[i], most, openclaw::kTruncationSuffix2026_3),
                 Action::truncate);
        }
        return;
    }
    const openclaw::BudgetPlan plan = openclaw::plan_result_budget(view_, input.window);
    for (const Edit& one : plan.edits) edit(one.index, one.message, one.action);
}

/// Gemini CLI looks before every request, and in the midst of a turn gives up those before it: is there one? Of what it
/// cannot split it only shortens outputs, once a summary was thrown away.
bool PolicyReplay::may_split() const {
    if (summarise_->how != How::gemini || thrown_away_ || sum_.said > 1) return true;
    return std::any_of(view_.begin() + static_cast<std::ptrdiff_t>(sent_), view_.end(),
                       [](const MsgPtr& message) { return message->role == Role::user; });
}

/// Is this the first request behind something that a person asked for? Where the recording counts no turns, a message
/// of the user begins one.
bool PolicyReplay::begins_turn(const RequestInput& input) const {
    if (input.recorded.turn > 0) return input.recorded.turn != turn_;
    return std::any_of(view_.begin() + static_cast<std::ptrdiff_t>(sent_), view_.end(),
                       [](const MsgPtr& message) { return has_user_role(message.get()); });
}

void PolicyReplay::recover(const RequestInput& input) {
    if (!context_.policy || context_.policy->stages.empty()) return;
    int attempts = 0;
    if (summarise_ && (summarise_->mid_turn || begins_turn(input))) {
        ContextSize now = size(input);
        if (summarise_->how == How::gemini) now.billed = static_cast<double>(out_.tokens_after);  // the last prompt
        if (may_split() && compaction_due(*summarise_, now, input.window) && compact(*summarise_, input, now))
            ++attempts;
        if (attempts == 0 && summarise_->how == How::openclaw_2026_9) check_before_prompt(*summarise_, input);
    }
    const auto* recovery = context_.policy->find<OverflowRecovery>();
    if (!recovery) return;
    for (; summarise_ && over(input, prompt()) && attempts < recovery->compactions; ++attempts) {
        ContextSize now = size(input);
        now.refused = true;
        now.attempt = attempts;
        if (!compact(*summarise_, input, now)) break;
    }
    if (recovery->truncate_results && over(input, prompt())) shorten_results(input);
}

// ---- the recorded agent ------------------------------------------------------------------------------------------

void PolicyReplay::follow(const RecordedCompaction& compaction) {
    if (context_.kind != Context::Kind::recorded) return;
    followed_ = true;
    rest_.clear();
    if (compaction.kind == CompactionKind::clear_tool_results) {
        for (std::size_t i = 0; i < view_.size(); ++i) {
            const Msg& message = *view_[i];
            if (message.role != Role::tool_result || slots_[i].edited) continue;
            if (std::ranges::find(compaction.cleared, message.call_id) == compaction.cleared.end()) continue;
            edit(i, with_text(message, std::string(openclaw::kClearedPlaceholder)), Action::clear);
        }
        return;
    }
    std::size_t to = 0;
    while (to < view_.size() && (!slots_[to].source || slots_[to].source->place < compaction.kept_from)) {
        ++to;
    }
    double given_up = 0;
    for (std::size_t i = 0; i < to; ++i) given_up += slots_[i].tokens;
    const double summary = weights_.tokens(compaction.summary);
    if (compaction.kind == CompactionKind::summary && given_up > 0) {
        // When it was asked for is not known: soon after the last request, mostly. Nor is always how long it was.
        RequestInput last;
        last.model = model_;
        pay_summary(model_, tokens_read(0, to), tokens_cached(last, to),
                    summary > 0 ? summary : lengths_.tokens(given_up, 0), 1);
    }
    erase(0, to, Action::summarise, nullptr);
    if (summary > 0) {
        const MsgPtr message = summary_message(wordless(summary));
        const Slot slot = made_slot(*message, summary);
        view_.insert(view_.begin(), message);
        slots_.insert(slots_.begin(), slot);
        places_.insert(places_.begin(), Place{gauge_of(*message), 0, false});
        after_answer_ += after_answer_ > 0 ? 1 : 0;
        sent_ += sent_ > 0 ? 1 : 0;
        changed(0);  // all that stays has moved, also where nothing went
    }
    sum_anew();
    ++outcome_.compactions;
    row_.compactions.push_back({rounded(given_up), rounded(summary), compaction.kept_from, false});
}

// ---- requests ----------------------------------------------------------------------------------------------------

// What the recorded agent kept at a compaction is often not in the recording: a summary that is enciphered, files that
// were attached again. Its bills tell how much it is.
double PolicyReplay::unseen_of(const RequestInput& input) {
    constexpr std::size_t kRemembered = 5;  // two odd ones are outvoted
    constexpr double kDrop = 0.7;
    if (!followed_) return input.unseen;
    const auto billed = static_cast<double>(input.recorded.prompt);
    if (billed > 0) {
        // Another model counts otherwise, and what made the prompt this much smaller is gone from it for good.
        if (input.recorded.restart || billed < kDrop * last_bill_) rest_.clear();
        last_bill_ = billed;
        rest_.push_back(billed - tokens_);
    }
    if (rest_.size() > kRemembered) rest_.pop_front();
    if (rest_.empty()) return input.unseen;
    std::vector<double> sorted(rest_.begin(), rest_.end());
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return std::max(0.0, *middle);
}

const TurnRow& PolicyReplay::request(const RequestInput& input) {
    unseen_ = unseen_of(input);
    model_ = input.model;
    if (window_ != input.window) {
        window_ = input.window;
        if (for_now_only_) find_large();
    }
    begin_row(input);
    act(input);
    double sent_prompt = prompt();
    std::size_t first_for_now = view_.size();
    for (const ForNow& one : for_now_) {
        sent_prompt += one.slot.tokens - one.slot_before.tokens;
        first_for_now = std::min(first_for_now, one.index);
    }
    unchanged_ = std::min(unchanged_, first_for_now);
    row_.tokens_after = rounded(sent_prompt);
    row_.ratio = input.window > 0 ? sent_prompt / input.window : 0;
    row_.overflow = over(input, sent_prompt);
    BilledTokens billed;
    billed.input = row_.tokens_after;
    billed.output = input.recorded.billed.output;
    if (input.model) row_.cost = cost(*input.model, billed);
    if (!observers_.empty()) show(input);
    count_row();
    unchanged_ = first_for_now;
    sent_ = view_.size();
    turn_ = input.recorded.turn;
    out_ = std::move(row_);
    row_ = {};
    return out_;
}

void PolicyReplay::begin_row(const RequestInput& input) {
    row_.request = input.number;
    row_.turn = input.recorded.turn;
    row_.line = input.recorded.line;
    if (input.now_ms > 0) row_.time_ms = input.now_ms;
    if (input.recorded.prompt > 0) row_.tokens_recorded = input.recorded.prompt;
    row_.tokens_before = rounded(prompt());
}

// What lasts comes before the question whether it fits; what is only for this request comes last, as agents do it.
// Where a copy of the history is cleared, that comes after it too; and Gemini CLI masks what its summary left.
void PolicyReplay::act(const RequestInput& input) {
    made_again_ = 0;
    const bool recovers_first = clears_copies_ || (summarise_ && summarise_->how == How::gemini);
    if (recovers_first) recover(input);
    run_stages(input, false);
    if (!recovers_first) recover(input);
    run_stages(input, true);
    if (!for_now_only_) return;
    bring_up();
    take_back(made_again_);
}

void PolicyReplay::show(const RequestInput& input) {
    const TokenCounts& billed = input.recorded.billed;
    RequestMoment now;
    now.clock = moment(input);
    now.model = input.model;
    now.unseen_tokens = unseen_;
    now.unseen_hash = input.unseen_hash;
    now.recorded_read = billed.cache_read;
    now.recorded_write = billed.cache_write;
    now.recorded_write_1h = billed.cache_write_1h;
    now.recorded_input = billed.input;
    now.output = billed.output;
    now.billed = input.recorded.prompt > 0;
    now.reasoning_left = input.reasoning_left;
    now.recorded_prefix = static_cast<std::uint64_t>(input.recorded_prefix);
    const RequestView sent{now, for_now_only_ ? sent_view_ : view_, for_now_only_ ? sent_slots_ : slots_, unchanged_};
    for (const auto& observer : observers_) observer->on_request(sent, row_);
}

void PolicyReplay::count_row() {
    cost_.add(row_.cost);
    ++outcome_.requests;
    outcome_.peak_tokens = std::max(outcome_.peak_tokens, row_.tokens_after);
    sum_prompts_ += static_cast<double>(row_.tokens_after);
    outcome_.overflows += row_.overflow ? 1 : 0;
}

PolicyOutcome PolicyReplay::finish() {
    if (outcome_.requests > 0) outcome_.mean_tokens = sum_prompts_ / static_cast<double>(outcome_.requests);
    if (cost_.priced_requests > 0) outcome_.cost = cost_.known;
    outcome_.unpriced_requests = cost_.unpriced_requests;
    const bool asked = summary_cost_.priced_requests + summary_cost_.unpriced_requests > 0;
    if (summary_cost_.priced_requests > 0 || (!asked && outcome_.cost)) outcome_.summary_cost = summary_cost_.known;
    for (const auto& observer : observers_) observer->on_end(outcome_);
    return outcome_;
}

}  // namespace agent_audit::simulator
