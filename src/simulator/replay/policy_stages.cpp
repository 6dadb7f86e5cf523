#include "simulator/replay/policy_replay.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

/// The stages of a PolicyReplay: which have work to do before a request, and what comes of it.
namespace agent_audit::simulator {

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

}  // namespace agent_audit::simulator
