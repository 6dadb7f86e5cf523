#include <agent_audit/simulator/compaction.hpp>
#include <agent_audit/simulator/policy.hpp>

#include "simulator/stages.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

namespace agent_audit::simulator {
namespace {

using How = Summarise::How;

StageOutcome left_out(openclaw::HistoryCut cut) {
    StageOutcome out;
    if (cut.from > cut.prelude) std::tie(out.dropped_from, out.dropped_to) = std::pair{cut.prelude, cut.from};
    return out;
}

StageOutcome run(const TurnLimit& stage, const View& view, const Moment&, Memory&) {
    return left_out(stage.in_batches ? openclaw::limit_history(view, stage.turns)
                                     : openclaw::limit_history_2026_3(view, stage.turns));
}

StageOutcome run(const PruneResults& stage, const View& view, const Moment& moment, Memory& memory) {
    StageOutcome out;
    openclaw::CacheClock clock{moment.now_ms, moment.last_touch_ms};
    if (stage.remembered) {
        out.edits = openclaw::prune(view, stage.settings, moment.window_tokens, clock, memory.projections).edits;
        return out;
    }
    if (memory.pruned_at_ms) clock.last_touch_ms = std::max(clock.last_touch_ms, *memory.pruned_at_ms);
    if (!clock.expired(stage.settings.ttl_ms)) return out;
    out.edits = openclaw::prune_2026_3(view, stage.settings, moment.window_tokens, &memory.pruned, memory.sizes);
    if (!out.edits.empty()) memory.pruned_at_ms = moment.now_ms;
    return out;
}

StageOutcome run(const TruncateResult& stage, const View& view, const Moment& moment, Memory& memory) {
    StageOutcome out;
    out.edits = stage.remembered
                    ? openclaw::fit_results(view, moment.window_tokens, memory.projections, stage.options).edits
                    : openclaw::guard_context_2026_3(view, moment.window_tokens, &memory.guarded, memory.sizes);
    return out;
}

StageOutcome run(const RepairPairs& stage, const View& view, const Moment& moment, Memory&) {
    openclaw::Repair repair = stage.release == openclaw::Release::y2026_3
                                  ? openclaw::repair_pairs_2026_3(view, moment.now_ms)
                                  : openclaw::repair_pairs(view, moment.now_ms);
    StageOutcome out;
    if (repair.moved) out.rebuilt = std::move(repair.view);
    return out;
}

StageOutcome run(const Summarise&, const View&, const Moment&, Memory&) { return {}; }
StageOutcome run(const OverflowRecovery&, const View&, const Moment&, Memory&) { return {}; }

}  // namespace

std::string_view stage_name(const Stage& stage) {
    static constexpr std::array<std::string_view, std::variant_size_v<Stage>> kNames{
        "turn_limit",  "prune_results",     "truncate_result", "mask_results", "repair_pairs",
        "summarise",   "overflow_recovery", "clear_results",   "clear_beyond", "truncate_middle",
        "mask_events", "keep_recent",       "drop_thinking"};
    return kNames[stage.index()];
}

StageOutcome run_stage(const Stage& stage, const View& view, const Moment& moment, Memory& memory) {
    return std::visit([&](const auto& one) { return run(one, view, moment, memory); }, stage);
}

View prepare_request(const Policy& policy, View view, const Moment& moment, Memory& memory) {
    for (const Stage& stage : policy.stages) {
        StageOutcome done = run_stage(stage, view, moment, memory);
        if (done.rebuilt) view = std::move(*done.rebuilt);
        apply_edits(done.edits, view);
        view.erase(view.begin() + static_cast<std::ptrdiff_t>(done.dropped_from),
                   view.begin() + static_cast<std::ptrdiff_t>(done.dropped_to));
    }
    return view;
}

Summarise usual_summary(How how) {
    const bool openclaw = how == How::openclaw_2026_3 || how == How::openclaw_2026_9;
    Summarise stage;
    stage.how = how;
    stage.mid_turn = !openclaw && how != How::pi_0_73;
    if (openclaw) stage.settings.reserve_tokens = 20'000;
    if (how == How::openclaw_2026_9) stage.max_reserve_share = 0.25;
    return stage;
}

double reserve_tokens(const Summarise& stage, double window_tokens) {
    if (stage.max_reserve_share >= 1) return stage.settings.reserve_tokens;
    return std::min(stage.settings.reserve_tokens, std::floor(window_tokens * stage.max_reserve_share));
}

bool summary_due(const Summarise& stage, double context_tokens, double window_tokens) {
    if (stage.how == How::method) {
        ContextSize size;
        size.billed = size.estimated = context_tokens;
        return compaction_due(stage.method, size, window_tokens);
    }
    if (stage.how == How::gemini) return context_tokens >= stage.gemini.threshold * window_tokens;
    pi::CompactionSettings settings = stage.settings;
    settings.reserve_tokens = reserve_tokens(stage, window_tokens);
    return pi::should_compact(context_tokens, window_tokens, settings, *cut_release(stage));
}

std::optional<pi::Release> cut_release(const Summarise& stage) {
    switch (stage.how) {
        case How::pi_0_73:
        case How::openclaw_2026_3: return pi::Release::v0_73;
        case How::pi_0_87: return pi::Release::v0_87;
        case How::openclaw_2026_9: return pi::Release::openclaw_2026_9;
        default: return std::nullopt;
    }
}

}  // namespace agent_audit::simulator
