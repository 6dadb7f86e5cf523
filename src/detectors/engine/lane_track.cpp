#include "detectors/engine/lane_track.hpp"

#include "detectors/speech/asked_times.hpp"
#include "detectors/speech/tells_again.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <utility>

namespace agent_audit {
namespace {

constexpr std::uint64_t kMutation = 0x6d75746174696f6eULL;  // keeps "this call mutated before" apart from outcomes

}  // namespace

const Step& LaneTrack::push(Step& step) {
    step.ordinal = ++steps_;
    call_run_ = step.call == last_call_ ? call_run_ + 1 : 1;
    last_call_ = step.call;
    step.call_run = call_run_;

    // A repeated identical mutation is no progress, so only a new one opens an epoch.
    const bool mutates = step.tool_class == ToolClass::mutate && !step.failed;
    if ((mutates || (step.visits && step.tool_class == ToolClass::verify)) && !step.opaque) {
        const bool is_new = seen_.at(mix_hash(step.call, kMutation)).count++ == 0;
        epoch_ += is_new;
        revision_ += is_new && step.visits;
        if (mutates) files_.change(step, is_new);
    }
    step.epoch = epoch_;
    step.revision = revision_;

    // Unknown outcomes equal nothing, not even each other.
    const std::uint64_t symbol = step.opaque ? mix_hash(step.call, steps_) : mix_hash(step.call, step.out);
    runs_.push(symbol);
    step.state = mix_hash(place(), mix_hash(last_symbol_, symbol));
    last_symbol_ = symbol;
    if (!step.opaque) {
        auto& entry = seen_.at(symbol);
        step.revisit = entry.count > 0 && entry.epoch == epoch_;
        entry.epoch = epoch_;
        ++entry.count;
    }
    if (!step.revisit && !step.failed) ++good_steps_;
    step.good_steps = good_steps_;
    failed_deeds_.see(step);

    const std::size_t slot = static_cast<std::size_t>(step.ordinal - 1) % kHistory;
    if (slot < history_.size()) return history_[slot] = step;
    return history_.emplace_back(step);
}

void LaneTrack::ask(std::uint64_t line, RawText request) {
    Asked asked{detectors::asked_times(request), detectors::asked_again(request), {}};
    if (asked == Asked{} && (wishes_.empty() || wishes_.back().asked == Asked{})) return;
    if (asked.times != 0) asked.order = detectors::times_order(request);
    if (wishes_.size() == kMostWishes) wishes_.erase(wishes_.begin());
    const bool red = asked.again == detectors::AskedAgain::known_red;
    wishes_.push_back({line, std::move(asked), red ? detectors::KnownRed(request, epoch_) : detectors::KnownRed()});
}

LaneTrack::Asked LaneTrack::asked_at(std::uint64_t first, std::uint64_t last) const {
    Asked asked;
    for (const Wish& wish : wishes_) {
        if (wish.line > first) continue;
        asked = wish.asked;
        if (wish.red.others_between(first, last)) asked.again = detectors::AskedAgain::no;
    }
    return asked;
}

void LaneTrack::hear(RawText request, bool only_goes_on) {
    told_to_go_on_ = only_goes_on;
    told_again_ = !only_goes_on && detectors::tells_again(this->request().bytes, request.bytes);
    if (only_goes_on) return;
    request_size_ = std::min(request.size(), kRequest);
    std::copy_n(request.bytes.begin(), request_size_, request_.begin());
    request_form_ = request.form;
}

void LaneTrack::restart(std::uint32_t lane) {
    LaneTrack fresh(lane);
    fresh.history_ = std::move(history_);
    fresh.history_.clear();
    fresh.seen_ = std::move(seen_);
    fresh.seen_.clear();
    fresh.said_ = std::move(said_);
    fresh.said_.clear();
    *this = std::move(fresh);
}

void LaneTrack::end_segment() {
    runs_.reset();
    seen_.clear();
    last_call_ = 0;
    last_symbol_ = 0;
    call_run_ = 0;
    segment_start_ = steps_ + 1;
}

}  // namespace agent_audit
