#include "simulator/replay/policy_replay.hpp"

#include "simulator/gemini/payload.hpp"
#include "simulator/rounding.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <unordered_map>
#include <utility>

/// The view of a PolicyReplay and its sums.
namespace agent_audit::simulator {
namespace {

std::uint64_t units_of(const Msg& message) {
    std::uint64_t units = 0;
    for (const Block& block : message.blocks) units += block.text.units() + block.signature.units();
    return units;
}

std::uint32_t blocks_of(const Msg& message) { return static_cast<std::uint32_t>(message.blocks.size()); }

/// At least what OpenClaw's stages count of a message, whichever of them asks.
std::int64_t chars_of(const Msg& message) {
    constexpr std::int64_t kImage = 8'000, kOther = 256, kEmptyArgs = 2;
    const bool counted =
        has_user_role(&message) || message.role == Role::assistant || message.role == Role::tool_result;
    std::int64_t chars = counted ? 0 : kOther;
    for (const Block& block : message.blocks) {
        chars +=
            static_cast<std::int64_t>(std::max(block.text.weighted(), block.text.units()) + block.signature.weighted());
        if (block.kind == BlockKind::image) chars += kImage;
        if (block.kind == BlockKind::tool_call) chars += kEmptyArgs;
    }
    return chars;
}

/// Whether OpenClaw's soft trim could shorten a result.
bool may_be_trimmed(const Msg& message) {
    constexpr std::uint64_t kSoftMax = 4'000;
    std::uint64_t units = message.blocks.size();
    for (const Block& block : message.blocks) {
        if (block.kind == BlockKind::image) return true;
        units += block.text.units();
    }
    return units > kSoftMax;
}

/// The words of a mask were made here: those of a recording are not looked at.
bool masked(const Msg& message) {
    if (!message.content_edited || message.blocks.size() != 1) return false;
    std::string scratch;
    return message.blocks[0].text.front(gemini::kMaskOpen.size(), scratch).starts_with(gemini::kMaskOpen);
}

/// At least Gemini's estimate of a tool's output, which is that of its JSON.
std::int64_t output_tokens(const Msg& message) {
    constexpr std::uint64_t kFrame = 64, kImage = 4 * 3'000;
    if (masked(message)) return 0;
    std::uint64_t units = message.tool_name.size() + kFrame;
    for (const Block& block : message.blocks) {
        units += block.text.sizes().json + (block.kind == BlockKind::image ? kImage : 0);
    }
    return static_cast<std::int64_t>(units / 4 + 1);
}

}  // namespace

PolicyReplay::Measure PolicyReplay::gauge_of(const Msg& message) const {
    Measure gauge;
    if (!context_.policy || context_.policy->stages.empty()) return gauge;
    if (summarise_) gauge.own = std::llround(own_tokens(*summarise_, message));
    if (summarise_ && summarise_->how == Summarise::How::openclaw_2026_9) {
        gauge.pressure = std::llround(openclaw::prompt_pressure(message));
    }
    gauge.chars = chars_of(message);
    gauge.result = message.role == Role::tool_result;
    gauge.said = message.role == Role::user;
    // The guard counts a result twice, and what hangs on it.
    gauge.guarded = gauge.result ? 2 * (gauge.chars + static_cast<std::int64_t>(message.details_units)) : gauge.chars;
    if (!gauge.result) return gauge;
    gauge.outputs = output_tokens(message);
    gauge.trimmable = may_be_trimmed(message);
    gauge.large = too_large(gauge);
    return gauge;
}

bool PolicyReplay::too_large(const Measure& gauge) const {
    return gauge.result && window_ > 0 && static_cast<double>(gauge.guarded) > window_;
}

/// All that depends on the window, which may grow with every prompt that is larger than it was taken for.
void PolicyReplay::find_large() {
    sum_.large = 0;
    for (Place& place : places_) {
        place.gauge.large = too_large(place.gauge);
        sum_.large += place.gauge.large ? 1 : 0;
    }
}

void PolicyReplay::sum(const Measure& gauge, std::int64_t sign) {
    sum_.own += sign * gauge.own;
    sum_.pressure += sign * gauge.pressure;
    sum_.chars += sign * gauge.chars;
    sum_.guarded += sign * gauge.guarded;
    sum_.said += gauge.said ? sign : 0;
    if (!gauge.result) return;
    sum_.outputs += sign * gauge.outputs;
    sum_.results += sign * gauge.chars;
    sum_.large += gauge.large ? sign : 0;
    sum_.trimmable += gauge.trimmable ? sign : 0;
}

void PolicyReplay::add(const Place& place, double tokens) {
    sum(place.gauge, 1);
    whole_ += place.whole;
    tokens_ += tokens;
}

void PolicyReplay::take(const Place& place, double tokens) {
    sum(place.gauge, -1);
    whole_ -= place.whole;
    tokens_ -= tokens;
}

void PolicyReplay::sum_anew() {
    sum_ = {};
    whole_ = tokens_ = 0;
    for (std::size_t i = 0; i < view_.size(); ++i) add(places_[i], slots_[i].tokens);
}

void PolicyReplay::push(MsgPtr message, const Slot& slot, double whole_tokens) {
    const Place place{gauge_of(*message), whole_tokens, false};
    add(place, slot.tokens);
    if (message->role == Role::assistant) after_answer_ = view_.size() + 1;
    view_.push_back(std::move(message));
    slots_.push_back(slot);
    places_.push_back(place);
}

void PolicyReplay::append(const Recorded& message, double tokens) {
    push(message.message, {&message, message.hash, tokens, false, message.blocks}, tokens);
    for (RequestObserver* observer : listeners_) observer->on_message(message);
}

Slot PolicyReplay::made_slot(const Msg& message, double tokens) {
    const std::uint64_t role = static_cast<std::uint64_t>(message.role);
    return {nullptr, mix_hash(mix_hash(role, ++made_), units_of(message)), tokens, true, blocks_of(message)};
}

void PolicyReplay::changed(std::size_t from) {
    unchanged_ = std::min(unchanged_, from);
    stale_ = std::min(stale_, from);
    read_for_masks_ = std::min(read_for_masks_, from);
}

void PolicyReplay::tell_leaving(std::size_t index, const MsgPtr& replacement, Action action) {
    if (observers_.empty()) return;
    const RequestObserver::Leaving leaving{slots_[index].source, view_[index], replacement, action,
                                           slots_[index].tokens};
    for (const auto& observer : observers_) observer->on_leave(leaving);
}

/// Stages know how far they have read by the messages they saw.
void PolicyReplay::follow_pointers(const MsgPtr& before, const MsgPtr& after) {
    for (Progress& progress : memory_.progress) {
        if (progress.first == before) progress.first = after;
        if (progress.last == before) progress.last = after;
    }
}

namespace {

/// What becomes of a slot when a message is replaced.
Slot shortened(Slot slot, const Msg& before, const Msg& after, Action action) {
    const auto units_before = static_cast<double>(units_of(before));
    const auto units_after = static_cast<double>(units_of(after));
    // A text's tokens shrink as its length does; without a length to compare with, by the common rule.
    slot.tokens = units_before > 0 ? slot.tokens * std::min(1.0, units_after / units_before) : units_after / 4;
    slot.hash = mix_hash(slot.hash, mix_hash(static_cast<std::uint64_t>(action) + 1, units_of(after)));
    slot.edited = true;
    slot.blocks = blocks_of(after);
    return slot;
}

PrunedRow pruned_row(const Slot& before, const Slot& after, Action action) {
    return {before.source->place, action, rounded(before.tokens), rounded(after.tokens)};
}

}  // namespace

void PolicyReplay::note(const PrunedRow& pruned) {
    if (row_.pruned.empty() || row_.pruned.back().source_index != pruned.source_index) {
        row_.pruned.push_back(pruned);
    } else {
        row_.pruned.back().action = pruned.action;
        row_.pruned.back().tokens_after = pruned.tokens_after;
    }
}

void PolicyReplay::edit(std::size_t index, const MsgPtr& message, Action action) {
    if (index >= view_.size() || !message || message == view_[index]) return;
    take_back(0);
    tell_leaving(index, message, action);
    const Slot before = slots_[index];
    Place& place = places_[index];
    take(place, before.tokens);
    const bool copied = clears_copies_ && action == Action::clear && before.source;
    if (copied && !before.edited) cleared_.insert_or_assign(before.source->place, Cleared{view_[index], before});
    slots_[index] = shortened(before, *view_[index], *message, action);
    if (before.source) note(pruned_row(before, slots_[index], action));
    if (!before.edited && !place.counted && message->role == Role::tool_result) ++outcome_.cleared_results;
    place.counted = true;
    const std::int64_t own = place.gauge.own;
    place.gauge = gauge_of(*message);
    if (copied) place.gauge.own = own;
    add(place, slots_[index].tokens);
    follow_pointers(view_[index], message);
    view_[index] = message;
    changed(index);
}

/// The history as its agent has it, who cleared results in copies of it only.
void PolicyReplay::bring_back() {
    if (cleared_.empty()) return;
    take_back(0);
    for (std::size_t i = 0; i < view_.size(); ++i) {
        const SourceMessage* source = slots_[i].source;
        const auto found = source ? cleared_.find(source->place) : cleared_.end();
        if (found == cleared_.end()) continue;
        for (const auto& observer : observers_) observer->on_return(*source);
        Place& place = places_[i];
        take(place, slots_[i].tokens);
        follow_pointers(view_[i], found->second.message);
        view_[i] = found->second.message;
        slots_[i] = found->second.slot;
        slots_[i].tokens = place.whole;
        place.gauge = gauge_of(*view_[i]);
        add(place, place.whole);
        changed(i);
    }
    cleared_.clear();
}

// ---- for one request -----------------------------------------------------------------------------------------------

/// The view as it was sent last is as the view is now, but for what was made of it for one request.
void PolicyReplay::bring_up() {
    const auto touched = std::ranges::find_if(for_now_, [&](const ForNow& one) { return one.index >= stale_; });
    take_back(static_cast<std::size_t>(touched - for_now_.begin()));
    const std::size_t same = std::min({stale_, sent_view_.size(), view_.size()});
    const auto go_on = [same](auto& list, const auto& from, auto made_of) {
        list.resize(same);
        std::transform(from.begin() + static_cast<std::ptrdiff_t>(same), from.end(), std::back_inserter(list), made_of);
    };
    go_on(sent_view_, view_, std::identity());
    go_on(sent_slots_, slots_, std::identity());
    go_on(prune_sizes_, view_, openclaw::prune_size);
    go_on(guard_sizes_, view_, openclaw::guard_size);
    stale_ = view_.size();
}

void PolicyReplay::edit_for_now(const Edit& made) {
    if (made_again_ < for_now_.size()) {
        const ForNow& standing = for_now_[made_again_];
        if (standing.index == made.index && standing.message == made.message && standing.action == made.action) {
            if (standing.slot.source) note(standing.row);
            ++made_again_;
            return;
        }
        take_back(made_again_);
    }
    const std::size_t index = made.index;
    if (index >= view_.size() || !made.message || made.message == sent_view_[index]) return;
    ForNow& now = for_now_.emplace_back();
    now.index = index;
    now.action = made.action;
    now.before = sent_view_[index];
    now.message = made.message;
    now.slot_before = sent_slots_[index];
    now.again = sent_view_[index] != view_[index];
    now.slot = shortened(now.slot_before, *now.before, *now.message, now.action);
    const RequestObserver::Leaving leaving{now.slot_before.source, now.before, now.message, now.action,
                                           now.slot_before.tokens, true};
    for (const auto& observer : observers_) observer->on_leave(leaving);
    if (now.slot.source) note(now.row = pruned_row(now.slot_before, now.slot, now.action));
    Place& place = places_[index];
    if (!now.slot_before.edited && !place.counted && made.message->role == Role::tool_result)
        ++outcome_.cleared_results;
    place.counted = true;
    sent_view_[index] = now.message;
    sent_slots_[index] = now.slot;
    ++made_again_;
}

/// From the one that was made so many'th on, what was replaced for one request stands there as before.
void PolicyReplay::take_back(std::size_t from) {
    for (std::size_t k = for_now_.size(); k-- > from;) {
        ForNow& one = for_now_[k];
        if (!one.again && one.slot_before.source) {
            for (const auto& observer : observers_) observer->on_return(*one.slot_before.source);
        }
        sent_view_[one.index] = std::move(one.before);
        sent_slots_[one.index] = one.slot_before;
    }
    if (from < for_now_.size()) for_now_.resize(from);
    made_again_ = std::min(made_again_, from);
}

View PolicyReplay::sent_so_far() const {
    View out = view_;
    for (std::size_t k = 0; k < made_again_; ++k) out[for_now_[k].index] = for_now_[k].message;
    return out;
}

// ---- more and fewer messages ---------------------------------------------------------------------------------------

void PolicyReplay::erase(std::size_t from, std::size_t to, Action action, const MsgPtr& replacement) {
    to = std::min(to, view_.size());
    if (from >= to) return;
    take_back(0);
    for (std::size_t i = from; i < to; ++i) {
        tell_leaving(i, replacement, action);
        take(places_[i], slots_[i].tokens);
        if (action == Action::drop) {
            ++outcome_.dropped_messages;
            if (slots_[i].source) {
                row_.pruned.push_back({slots_[i].source->place, action, rounded(slots_[i].tokens), 0});
            }
        }
    }
    const auto range = [&](auto& list) {
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(from), list.begin() + static_cast<std::ptrdiff_t>(to));
    };
    range(view_);
    range(slots_);
    range(places_);
    const std::size_t gone = to - from;
    const auto moved = [&](std::size_t place) { return place >= to ? place - gone : std::min(place, from); };
    sent_ = moved(sent_);
    after_answer_ = moved(after_answer_);
    changed(from);
}

/// The view from `from` on becomes another one; messages that stay keep what is known of them.
void PolicyReplay::rebuild(std::size_t from, const View& fresh) {
    take_back(0);
    std::unordered_map<const Msg*, std::size_t> places;
    for (std::size_t i = from; i < view_.size(); ++i) places.emplace(view_[i].get(), i);
    const View view(view_.begin() + static_cast<std::ptrdiff_t>(from), view_.end());
    const std::vector<Slot> slots(slots_.begin() + static_cast<std::ptrdiff_t>(from), slots_.end());
    const std::vector<Place> known(places_.begin() + static_cast<std::ptrdiff_t>(from), places_.end());
    std::vector<bool> kept(view.size(), false);
    for (const MsgPtr& message : fresh) {
        if (const auto at = places.find(message.get()); at != places.end()) kept[at->second - from] = true;
    }
    for (std::size_t i = 0; i < view.size(); ++i) {
        if (!kept[i]) tell_leaving(from + i, nullptr, Action::drop);
        take(known[i], slots[i].tokens);
    }
    const bool sent = sent_ >= view_.size();
    const std::size_t sent_before = sent_;
    view_.resize(from);
    slots_.resize(from);
    places_.resize(from);
    after_answer_ = std::min(after_answer_, from);
    std::size_t same = 0;
    for (const MsgPtr& message : fresh) {
        if (!message) continue;
        const auto at = places.find(message.get());
        if (at == places.end()) {
            push(message, made_slot(*message, static_cast<double>(units_of(*message)) / 4), 0);
            continue;
        }
        const std::size_t old = at->second - from;
        if (from + old == view_.size() && same == old) ++same;
        push(message, slots[old], known[old].whole);
        places_.back().counted = known[old].counted;
    }
    sent_ = sent ? view_.size() : std::min(sent_before, view_.size());
    changed(from + same);
}

void PolicyReplay::rewind(std::size_t first_gone) {
    // Messages stand in the order of the recording, what a policy made between them.
    std::size_t end = view_.size();
    while (end > 0 && slots_[end - 1].source && slots_[end - 1].source->place >= first_gone) --end;
    for (std::size_t i = end; i < view_.size(); ++i) take(places_[i], slots_[i].tokens);
    view_.resize(end);
    slots_.resize(end);
    places_.resize(end);
    sent_ = std::min(sent_, end);
    after_answer_ = std::min(after_answer_, end);
    changed(end);
}

void PolicyReplay::forget(std::span<const std::uint32_t> places) {
    const auto place_of = [](const Slot& slot) { return slot.source ? slot.source->place : 0; };
    // From the back, so that what is before stays where it is.
    for (std::size_t k = places.size(); k-- > 0;) {
        const auto at = std::ranges::lower_bound(slots_, std::size_t{places[k]}, {}, place_of);
        if (at == slots_.end() || place_of(*at) != places[k]) continue;
        const auto index = static_cast<std::size_t>(at - slots_.begin());
        erase(index, index + 1, Action::drop, nullptr);
    }
}

double PolicyReplay::tokens_of(const Recorded& message) const {
    const double all = weights_.tokens(message.features);
    return message.place < reasoning_from_ ? all - weights_.reasoning(message.features) : all;
}

// Only those that had it until now are looked at: they stand together, before what has just come.
void PolicyReplay::leave_reasoning(std::size_t before) {
    constexpr std::uint64_t kWithout = 0x726561736f6eULL;  // another message than the one with its reasoning
    take_back(0);
    const std::size_t left_before = std::exchange(reasoning_from_, before);
    for (std::size_t i = view_.size(); i-- > 0;) {
        const auto* source = static_cast<const Recorded*>(slots_[i].source);
        if (!source || source->place >= before) continue;
        if (source->place < left_before) break;
        if (source->features[static_cast<std::size_t>(Feature::reasoning)] == 0) continue;
        Slot& slot = slots_[i];
        Place& place = places_[i];
        take(place, slot.tokens);
        const double whole = std::exchange(place.whole, std::max(0.0, tokens_of(*source)));
        slot.tokens = whole > 0 ? slot.tokens / whole * place.whole : slot.tokens;
        slot.hash = mix_hash(slot.hash, kWithout);
        add(place, slot.tokens);
        changed(i);
    }
}

void PolicyReplay::reweigh() {
    for (std::size_t i = 0; i < view_.size(); ++i) {
        const auto* source = static_cast<const Recorded*>(slots_[i].source);
        if (!source) continue;
        const double before = places_[i].whole, now = tokens_of(*source);
        slots_[i].tokens = before > 0 ? slots_[i].tokens / before * now : slots_[i].edited ? slots_[i].tokens : now;
        places_[i].whole = now;
    }
    stale_ = 0;
    rest_.clear();
    sum_anew();
}

}  // namespace agent_audit::simulator
