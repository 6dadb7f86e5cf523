#include "detectors/engine/lane_track.hpp"

#include "detectors/speech/asked_times.hpp"
#include "detectors/speech/tells_again.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <utility>

namespace agent_audit {
namespace {

constexpr std::uint64_t kMutation = 0x6d75746174696f6eULL;  // keeps "this call mutated before" apart from outcomes

// Asked otherwise and answered alike is the same work again. What is changed in another way is another try.
std::uint64_t work_of(const Step& step, std::uint64_t symbol) {
    const bool changes = step.tool_class == ToolClass::mutate && !step.failed;
    return step.opaque || changes ? symbol : mix_hash(step.tool, step.out);
}

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
    segment_sum_ += work_of(step, symbol) | 1;
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

LaneTrack::Asked LaneTrack::wished(RawText said) {
    Asked asked{detectors::asked_times(said), detectors::asked_again(said), {}};
    if (asked.times != 0) asked.order = detectors::times_order(said);
    return asked;
}

void LaneTrack::read(Wish& wish) {
    if (wish.is_read) return;
    const RawText said{wish.said, wish.form};
    wish.asked = wished(said);
    if (wish.asked.again == detectors::AskedAgain::known_red) wish.red = detectors::KnownRed(said, wish.epoch);
    wish.is_read = true;
}

void LaneTrack::ask(std::uint64_t line, RawText request, bool only_goes_on) {
    human_spoke_ = true;
    if (kept_ == kMostSaid) forget_oldest();
    if (wishes_.size() == kMostWishes) wishes_.erase(wishes_.begin());
    Wish& wish = wishes_.emplace_back();
    wish.line = line;
    wish.epoch = epoch_;
    // Chinese may be recorded as \\u6d4b: six bytes for three.
    constexpr std::size_t kBeginning = 256, kEscaped = 3 * kSaid;
    const bool escaped = request.bytes.substr(0, kBeginning).find("\\u") != request.bytes.npos;
    wish.said = request.bytes.substr(0, escaped ? kEscaped : kSaid);
    wish.form = request.form;
    wish.goes_on = only_goes_on;
    ++kept_;
}

// Of the oldest message whose words are there only what it wishes for is kept. Two of no wish are like one.
void LaneTrack::forget_oldest() {
    const auto oldest = wishes_.end() - static_cast<std::ptrdiff_t>(kept_);
    read(*oldest);
    oldest->said = {};
    --kept_;
    const bool none = oldest->asked == Asked{};
    if (none && (oldest == wishes_.begin() || (oldest - 1)->asked == Asked{})) wishes_.erase(oldest);
}

void LaneTrack::red(std::uint64_t line, RawText printed) {
    if (wishes_.empty()) return;
    Wish& wish = wishes_.back();
    if (!wish.is_read && detectors::may_leave_red({wish.said, wish.form})) read(wish);
    if (wish.asked.again == detectors::AskedAgain::known_red) wish.red.see(line, printed, epoch_);
}

LaneTrack::Asked LaneTrack::asked_at(std::uint64_t first, std::uint64_t last) const {
    const auto wish = std::find_if(wishes_.rbegin(), wishes_.rend(), [=](const Wish& w) { return w.line <= first; });
    if (wish == wishes_.rend()) return {};
    Asked asked = wish->is_read ? wish->asked : wished({wish->said, wish->form});
    if (wish->red.others_between(first, last)) asked.again = detectors::AskedAgain::no;
    return asked;
}

RawText LaneTrack::words_at(std::uint64_t line) const {
    const auto wish =
        std::find_if(wishes_.rbegin(), wishes_.rend(), [=](const Wish& w) { return w.line <= line && !w.goes_on; });
    return wish == wishes_.rend() ? RawText{} : RawText{wish->said, wish->form};
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
    *this = std::move(fresh);
}

void LaneTrack::end_segment() {
    messages_.end();
    human_spoke_ = false;
    runs_.reset();
    seen_.clear();
    last_call_ = 0;
    last_symbol_ = 0;
    call_run_ = 0;
    segment_start_ = steps_ + 1;
    segment_sum_ = 0;
}

}  // namespace agent_audit
