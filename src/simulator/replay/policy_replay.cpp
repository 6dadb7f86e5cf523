#include "simulator/replay/policy_replay.hpp"

#include "simulator/rounding.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

namespace agent_audit::simulator {

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
    const bool recovers_first = clears_copies_ || (summarise_ && summarise_->how == Summarise::How::gemini);
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
