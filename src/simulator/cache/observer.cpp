#include "simulator/cache/observer.hpp"

#include "simulator/rounding.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <cmath>

namespace agent_audit::simulator {

// One place for what stands before the view, one for each of its messages.
void CacheObserver::take_view(const RequestView& request) {
    const RequestMoment& moment = request.moment;
    std::size_t keep = std::min(request.unchanged, request.slots.size()) + 1;
    if (prompt_.size() == 0 || moment.unseen_hash != unseen_hash_) keep = 0;
    unseen_hash_ = moment.unseen_hash;
    const std::size_t places_before = prompt_.size();
    const std::uint64_t hash_before = prompt_.hash(places_before);
    cut_ = keep > 0 && keep < places_before;
    if (cut_) {
        cut_at_ = ends_[keep - 1];
        cut_from_ = ends_.back();
    }
    prompt_.touch(keep);
    const auto place_of = [&request](std::size_t place) {
        const Slot& slot = request.slots[place - 1];
        return Sent{slot.hash, slot.tokens, slot.blocks};
    };
    // Much of what was touched is as it was: shortened again for this request, in the same way.
    if (keep > 0) {
        const std::size_t most = std::min(places_before, request.slots.size() + 1);
        while (keep < most && sent_[keep] == place_of(keep)) ++keep;
    }
    prompt_.cut(keep);
    ends_.resize(prompt_.size());
    sent_.resize(prompt_.size());
    const auto push = [this](const Sent& sent) {
        const double before = ends_.empty() ? 0 : ends_.back(), end = before + std::max(sent.tokens, 0.0);
        ends_.push_back(end);
        sent_.push_back(sent);
        // All before is as long as its end, rounded.
        prompt_.push(sent.hash, rounded(end) - prompt_.tokens(), sent.blocks);
    };
    if (prompt_.size() == 0) push({mix_hash(1, moment.unseen_hash), moment.unseen_tokens, 1});
    while (prompt_.size() <= request.slots.size()) push(place_of(prompt_.size()));
    // What is shortened for each request anew, in the same way, is no change.
    if (cut_ && prompt_.size() >= places_before && prompt_.hash(places_before) == hash_before) cut_ = false;
}

// The recorded prompt before is read when it is still alive and this one is no shorter. Where less of it was read, for
// whatever reason, the cache was gone for every history that could have been sent in its place. A recording that never
// shows a cache says nothing about it.
std::optional<RecordedRead> CacheObserver::recorded_shortfall(const RequestMoment& moment, const CacheRules& rules,
                                                              std::uint64_t setting) {
    const std::uint64_t prompt = moment.recorded_read + moment.recorded_write + moment.recorded_input;
    if (!moment.billed || prompt == 0) return {};
    shows_cache_ = shows_cache_ || moment.recorded_read + moment.recorded_write > 0;
    const double ttl_s = long_life_ && rules.long_ttl_s > 0 ? rules.long_ttl_s : rules.ttl_s;
    const bool reads = reusable_ >= rules.min_tokens && prompt >= reusable_ && setting == last_setting_ &&
                       (moment.clock.now_ms - last_ms_) / 1000 <= ttl_s;
    last_setting_ = setting;
    // Hits come in steps: less than one is no shortfall.
    if (!shows_cache_ || !reads || moment.recorded_read + std::max<std::uint64_t>(rules.granularity, 1) > reusable_)
        return {};
    return RecordedRead{reusable_, moment.recorded_read, rounded(moment.unseen_tokens)};
}

// Entries live for the shorter time until a recorded read after a much longer pause proves the other. It is the client
// that buys them, so what the record proves holds under every policy.
void CacheObserver::learn_life(const RequestMoment& moment, const CacheRules& rules) {
    if (!moment.billed) return;
    const double pause_s = (moment.clock.now_ms - last_ms_) / 1000;
    const bool read_all = moment.recorded_read * 10 >= reusable_ * 9 && reusable_ >= rules.min_tokens;
    if (last_ms_ > 0 && read_all && rules.long_ttl_s > 0 && pause_s > 2.0 * rules.ttl_s &&
        pause_s <= rules.long_ttl_s) {
        long_life_ = true;
    }
    // Where the record says how long, it needs no proof.
    if (moment.recorded_write > 0 && moment.recorded_write_1h > 0) {
        long_life_ = moment.recorded_write_1h > moment.recorded_write / 2 && rules.long_ttl_s > 0;
    }
    reusable_ = moment.recorded_read + moment.recorded_write + moment.recorded_input;
    last_ms_ = moment.clock.now_ms;
}

// Where the cache had expired, all of the prompt would have been paid for anyway: the edit costs nothing.
// `readable`: so much of the prompt before was in the cache.
std::optional<CacheEditRow> CacheObserver::edit_of(const RequestMoment& moment, const TurnRow& row, CacheMiss miss,
                                                   std::uint64_t readable) {
    const bool by_provider = moment.reasoning_left && row.pruned.empty() && row.compactions.empty();
    if (!cut_ || by_provider) return {};
    CacheEditRow edit;
    edit.position = rounded(cut_at_);
    for (const PrunedRow& one : row.pruned)
        edit.removed += one.tokens_before - std::min(one.tokens_before, one.tokens_after);
    for (const CompactionRow& one : row.compactions)
        edit.removed += one.tokens_in - std::min(one.tokens_in, one.tokens_summary);
    ++totals_.edits;
    if (moment.model == nullptr || !moment.model->prices) return edit;
    const std::uint64_t cached = miss == CacheMiss::ttl ? edit.position + edit.removed : readable;
    const BreakEven even = break_even(*moment.model->prices, std::max(cached, edit.position + edit.removed),
                                      edit.position, edit.removed, long_life_);
    edit.extra = even.extra;
    edit.saved = even.saved;
    edit.break_even = even.requests;
    totals_.edits_extra = totals_.edits_extra.value_or(Money{});
    totals_.edits_saved = totals_.edits_saved.value_or(Money{});
    *totals_.edits_extra += even.extra;
    *totals_.edits_saved += even.saved;
    if (even.requests) pays_at_.push_back(requests_ + *even.requests);
    return edit;
}

// A provider that has cached a shorter prompt than it is known to cache does cache such prompts.
void CacheObserver::learn_minimum(const RequestMoment& moment) {
    const std::uint64_t cached = moment.recorded_read + moment.recorded_write;
    if (moment.billed && cached > 0 && cached < rules_.min_tokens) rules_.min_tokens = cached;
}

// Models live as long as the replay, and change seldom.
const CacheRules& CacheObserver::rules_of(const ModelInfo* model) {
    if (rules_of_ != model) {
        rules_of_ = model;
        rules_ = cache_rules(model != nullptr ? *model : ModelInfo{});
        setting_ = model != nullptr ? stable_hash(model->id) : 0;
    }
    return rules_;
}

void CacheObserver::on_request(const RequestView& request, TurnRow& row) {
    const RequestMoment& moment = request.moment;
    const CacheRules& rules = rules_of(moment.model);
    learn_minimum(moment);
    take_view(request);
    CacheMoment when;
    if (moment.clock.now_ms > 0) when.now_ms = moment.clock.now_ms;
    when.setting = setting_;
    when.fixed_places = 1;
    when.long_life = long_life_;
    CacheUse use = model_.request(rules, prompt_, when);
    // Weights that were renewed meanwhile: the prompt is as long as the replay says.
    if (row.tokens_after > 0) use = fitted(use, row.tokens_after);
    const std::uint64_t billed_prompt = moment.recorded_read + moment.recorded_write + moment.recorded_input;
    if (recorded_ && moment.billed && billed_prompt > 0) {
        agreement_.add(billed_prompt, moment.recorded_read, fitted(use, billed_prompt).read);
    }
    // What stands behind reasoning that was left out is new to the provider, under the recorded history as well.
    if (moment.recorded_prefix > 0) reusable_ = std::min(reusable_, moment.recorded_prefix);
    const auto shortfall = recorded_shortfall(moment, rules, when.setting);
    learn_life(moment, rules);
    model_read_ += use.read;
    if (shortfall) use = hold(use, *shortfall, rules);

    ++requests_;
    std::uint64_t readable = rounded(cut_from_);  // of the prompt before
    if (shortfall) readable = held_to({readable, 0, 0, CacheMiss::none}, *shortfall, rules.breakpoints).read;
    row.cache = CacheRow{use.read, use.write, use.input, name(use.miss), edit_of(moment, row, use.miss, readable)};
    row.cost.reset();
    if (moment.model != nullptr) row.cost = cost(*moment.model, billed(use, moment.output, long_life_));
    cost_.add(row.cost);
    totals_.read += use.read;
    totals_.write += use.write;
    totals_.input += use.input;
    totals_.misses += use.miss != CacheMiss::none ? 1 : 0;
}

CacheUse CacheObserver::hold(CacheUse use, const RecordedRead& record, const CacheRules& rules) {
    const std::uint64_t before = use.read;
    use = held_to(use, record, rules.breakpoints);
    if (record.read + std::max<std::uint64_t>(rules.min_tokens, 1) > record.expected) return use;
    ++totals_.recorded_misses;
    if (use.miss == CacheMiss::none && use.read < before) use.miss = CacheMiss::unknown;
    return use;
}

void CacheObserver::on_end(PolicyOutcome& outcome) {
    if (requests_ == 0) return;
    totals_.assumed = !shows_cache_;
    if (totals_.read < model_read_) {
        totals_.scaled_by = static_cast<double>(totals_.read) / static_cast<double>(model_read_);
    }
    totals_.recorded_deviation = agreement_.deviation();
    totals_.paid_off = static_cast<std::uint64_t>(
        std::ranges::count_if(pays_at_, [this](std::uint64_t at) { return at <= requests_; }));
    if (totals_.edits_saved && totals_.edits_saved->parts() > 0) {
        const std::uint64_t extra = totals_.edits_extra->parts();
        totals_.break_even = extra == 0 ? 0 : (extra - 1) / totals_.edits_saved->parts() + 1;
    }
    outcome.cache = totals_;
    outcome.cost.reset();
    if (cost_.priced_requests > 0) outcome.cost = cost_.known;
    outcome.unpriced_requests = cost_.unpriced_requests;
}

std::unique_ptr<RequestObserver> make_cache_observer(std::string_view policy) {
    return std::make_unique<CacheObserver>(policy);
}

}  // namespace agent_audit::simulator
