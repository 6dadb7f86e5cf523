#include <agent_audit/simulator/openclaw.hpp>

#include "simulator/js_text.hpp"
#include "simulator/openclaw/projections.hpp"
#include "simulator/openclaw/reword.hpp"
#include "simulator/openclaw/spilled.hpp"
#include "simulator/weight.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace agent_audit::simulator::openclaw {
namespace {

constexpr std::string_view kElided =
    "[tool result elided: aggregate tool-result budget exceeded; rerun the command if the output is needed]";
constexpr double kMinKeep = 2'000;

std::string compact_suffix(std::uint64_t cut) {
    return "[... " + std::to_string(std::max<std::uint64_t>(1, cut)) + " chars truncated; narrow args]";
}

double weight(std::string_view words) { return static_cast<double>(weigh(words)); }

double text_chars(const MsgPtr& message) {
    if (!message || message->role != Role::tool_result || message->shape != ContentShape::blocks) return 0;
    std::uint64_t chars = 0;
    for (const Block& block : message->blocks) {
        if (is_result_text(block)) chars += block.text.weighted();
    }
    return static_cast<double>(chars);
}

/// The notice that fits: where the output is saved, in short if need be, or what can be had of the usual one.
std::string notice_within(double max_chars, const std::optional<Spilled>& saved) {
    if (saved) {
        for (std::string words : {saved->notice(), saved->short_notice()}) {
            if (weight(words) <= max_chars) return words;
        }
    }
    return std::string(weighted_head(kElided, whole(max_chars)));
}

/// Every text replaced by the notice that it is gone, cut to what is left of `max_chars`; where the output is saved,
/// the path is never cut.
MsgPtr elided(const Msg& message, double max_chars, const std::optional<Spilled>& saved) {
    double left = std::max(0.0, std::floor(max_chars));
    if (saved) left = std::max(left, weight(saved->short_notice()));
    std::vector<Block> blocks = message.blocks;
    for (Block& block : blocks) {
        if (!is_result_text(block)) continue;
        std::string words = notice_within(left, saved);
        left = std::max(0.0, left - weight(words));
        block = reword(block, std::move(words));
    }
    return with_blocks(message, std::move(blocks));
}

/// Which results came after the last assistant.
std::vector<bool> trailing_results(const View& view) {
    std::vector<bool> trailing(view.size(), false);
    for (std::size_t i = view.size(); i-- > 0;) {
        if (!view[i]) continue;
        if (view[i]->role == Role::assistant) break;
        trailing[i] = view[i]->role == Role::tool_result;
    }
    return trailing;
}

class Planner {
public:
    Planner(const View& view, const std::vector<bool>& settled, const BudgetOptions& options, BudgetPlan& plan)
        : source_(view),
          view_(view),
          settled_(settled),
          options_(options),
          plan_(plan),
          chars_(view.size()),
          cut_(view.size(), false) {
        if (options.protect_trailing) trailing_ = trailing_results(view);
        std::transform(view.begin(), view.end(), chars_.begin(), text_chars);
    }

    View run() {
        cut_oversized();
        share_budget();
        plan_.truncated = static_cast<std::size_t>(std::count(cut_.begin(), cut_.end(), true));
        return std::move(view_);
    }

private:
    bool protected_from_sharing(std::size_t i) const { return !trailing_.empty() && trailing_[i]; }

    void put(std::size_t i, MsgPtr message, double chars, std::uint64_t& saved) {
        saved += static_cast<std::uint64_t>(std::max(0.0, chars_[i] - chars));
        view_[i] = std::move(message);
        chars_[i] = chars;
        cut_[i] = true;
    }

    void cut_oversized() {
        for (std::size_t i = 0; i < view_.size(); ++i) {
            if (chars_[i] <= plan_.max_chars) continue;
            TruncateOptions how;
            how.min_keep = protected_from_sharing(i) ? std::max(options_.min_keep, kMinKeep) : options_.min_keep;
            double most = plan_.max_chars;
            if (const auto saved = spilled_of(*view_[i])) {
                how.suffix = saved->suffix();
                most = std::max(most, weight(how.suffix(1)));
            }
            MsgPtr shorter = truncate_result(view_[i], most, how);
            ++plan_.oversized;
            const double chars = text_chars(shorter);
            put(i, std::move(shorter), chars, plan_.oversized_chars);
        }
    }

    void share_budget() {
        std::size_t candidates = 0;
        double total = 0;
        for (const double chars : chars_) {
            candidates += chars > 0 ? 1 : 0;
            total += chars;
        }
        if (candidates < 2 || total <= plan_.aggregate_budget) return;
        plan_.pressure = true;
        excess_ = total - plan_.aggregate_budget;
        const double least = static_cast<double>(candidates) * weight(default_suffix(1));
        how_.suffix = options_.min_keep == 0 && plan_.aggregate_budget < least ? compact_suffix : default_suffix;
        how_.min_keep = options_.min_keep;
        shared_ = chars_;
        replaced_.assign(view_.size(), nullptr);
        for (const bool clear : {false, true}) {
            for (std::size_t i = 0; i < view_.size() && excess_ > 0; ++i) relieve(i, clear);
        }
        for (std::size_t i = 0; i < view_.size(); ++i) {
            if (!replaced_[i]) continue;
            ++plan_.aggregated;
            put(i, replaced_[i], shared_[i], plan_.aggregate_chars);
        }
    }

    /// One result gives what is still too much, or as much as it can; always from what it was before sharing.
    void relieve(std::size_t i, bool clear) {
        if (chars_[i] <= 0 || settled_[i] || protected_from_sharing(i)) return;
        const double least = how_.min_keep + weight(how_.suffix(1));
        if (!clear && shared_[i] <= least) return;
        const std::optional<Spilled> saved = spilled_of(*source_[i]);
        MsgPtr shorter;
        if (clear) {
            const double floor =
                options_.protect_trailing ? (saved ? weight(saved->short_notice()) : weight(kElided)) : 0;
            shorter = elided(*view_[i], std::max(floor, shared_[i] - excess_), saved);
        } else {
            TruncateOptions how = how_;
            if (saved) how.suffix = saved->suffix();
            shorter = truncate_result(view_[i], std::max({least, shared_[i] - excess_, weight(how.suffix(1))}), how);
        }
        const double chars = shorter == view_[i] ? chars_[i] : text_chars(shorter);
        const double less = std::max(0.0, shared_[i] - chars);
        if (less <= 0 && !(clear && saved)) return;  // where the output is saved is worth saying for nothing
        replaced_[i] = std::move(shorter);
        shared_[i] = chars;
        excess_ -= less;
    }

    const View& source_;  ///< as it was before anything was cut
    View view_;
    const std::vector<bool>& settled_;
    const BudgetOptions& options_;
    BudgetPlan& plan_;
    std::vector<double> chars_;
    std::vector<bool> cut_, trailing_;
    std::vector<double> shared_;  ///< sizes while the budget is shared out
    std::vector<MsgPtr> replaced_;
    double excess_ = 0;
    TruncateOptions how_;
};

BudgetPlan empty_plan(double window_tokens, const BudgetOptions& options) {
    BudgetPlan plan;
    plan.max_chars = std::max(1.0, options.max_chars > 0 ? options.max_chars : result_limit(window_tokens));
    plan.aggregate_budget = std::max(
        1.0, options.aggregate_chars > 0 ? options.aggregate_chars : aggregate_limit(window_tokens, plan.max_chars));
    return plan;
}

Edits differences(const View& before, const View& after) {
    Edits edits;
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (before[i] != after[i]) edits.push_back({i, Action::truncate, after[i]});
    }
    return edits;
}

}  // namespace

BudgetPlan plan_result_budget(const View& view, double window_tokens, const BudgetOptions& options) {
    BudgetPlan plan = empty_plan(window_tokens, options);
    const std::vector<bool> settled(view.size(), false);
    plan.edits = differences(view, Planner(view, settled, options, plan).run());
    return plan;
}

BudgetPlan fit_results(const View& view, double window_tokens, Projections& projections, BudgetOptions options) {
    options.protect_trailing = true;
    Projections::State& state = projections.state();
    const Projected projected = project(view, state);
    BudgetPlan plan = empty_plan(window_tokens, options);
    const View after = Planner(projected.view, projected.frozen, options, plan).run();
    const bool cut = plan.truncated > 0;
    for (std::size_t i = 0; i < view.size(); ++i) {
        const Key key = projected.keys[i];
        if (key == 0) continue;
        state.results[key].frozen = true;
        if (!cut || after[i] == view[i]) continue;
        const Projections::State::Replacement* const kept = state.replacement(key);
        remember(state, key, *after[i], kept ? kept->how : Shortened::truncated);
    }
    plan.edits = differences(view, after);
    return plan;
}

}  // namespace agent_audit::simulator::openclaw
