#pragma once

#include <agent_audit/simulator/message.hpp>
#include <agent_audit/support/hash_map.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What both generations of OpenClaw share: 2026.3 ("legacy" in the conformance cases) and 2026.9 ("current").
namespace agent_audit::simulator::openclaw {

/// What a history limit keeps: [0, prelude) and [from, end).
struct HistoryCut {
    std::size_t prelude = 0;
    std::size_t from = 0;
};
/// 2026.3: the last `limit` user turns. Below 1 or NaN there is no limit.
HistoryCut limit_history_2026_3(const View& view, double limit);
/// 2026.9: drops turns in batches, so that the prefix of the prompt is stable for several turns; leading summaries
/// stay.
HistoryCut limit_history(const View& view, double limit);

/// Globs of `*` only; both sides trimmed and lower-cased, deny wins, no allow list allows all.
class ToolFilter {
public:
    ToolFilter() = default;
    ToolFilter(const std::vector<std::string>& allow, const std::vector<std::string>& deny);
    bool allows(std::string_view tool) const;
    /// Trimmed and in lower case.
    const std::vector<std::string>& allow() const { return allow_; }
    const std::vector<std::string>& deny() const { return deny_; }

private:
    std::vector<std::string> allow_, deny_;
};

inline constexpr std::string_view kClearedPlaceholder = "[Old tool result content cleared]";

/// OpenClaw's `contextPruning`, with its defaults. Sizes in UTF-16 units, shares of the window.
struct PruneSettings {
    double ttl_ms = 300'000;  ///< 0 and less: never
    bool hard_clear = true;
    std::string placeholder{kClearedPlaceholder};
    ToolFilter tools;
    // From here on 2026.3 only; what 2026.9 uses is what stands here.
    double keep_last_assistants = 3;
    double soft_ratio = 0.3, hard_ratio = 0.5;
    double min_prunable = 50'000;
    double soft_max = 4'000, head = 1'500, tail = 1'500;
};
/// Settings as they stand in a configuration; what is missing or odd keeps its default.
PruneSettings prune_settings_2026_3(const JsValue& configured);
PruneSettings prune_settings(const JsValue& configured);

/// When the prompt was last known to be in the provider's cache. 0: never.
struct CacheClock {
    double now_ms = 0;
    double last_touch_ms = 0;
    bool expired(double ttl_ms) const { return last_touch_ms != 0 && ttl_ms > 0 && now_ms - last_touch_ms >= ttl_ms; }
};

/// What a message counts for one of 2026.3's stages.
struct MessageSize {
    std::uint64_t chars = 0;
    bool result = false;  ///< of a tool
};
/// 2026.3 forgets after each request what it made of results, and does the same again: a replay need not. Keyed by the
/// address of the message, which `source` keeps alive.
struct Pruned {
    struct Result {
        MsgPtr source, trimmed, cleared;
        bool eligible = false;
        std::uint64_t trimmed_chars = 0, cleared_chars = 0;
    };
    const void* settings = nullptr;  ///< by which they were made
    HashMap<Result> results;
};
/// 2026.3: what one request would not send; nothing is remembered. The caller asks the clock. `sizes`: prune_size of
/// every message, when they are known; empty: they are not.
Edits prune_2026_3(const View& view, const PruneSettings& settings, double window_tokens, Pruned* before = nullptr,
                   std::span<const MessageSize> sizes = {});
/// Of one message, as pruning counts.
MessageSize prune_size(const MsgPtr& message);

/// What 2026.9 remembers of results it has shortened or has once sent whole, so that every later request sends the
/// same.
class Projections {
public:
    Projections();
    ~Projections();
    Projections(Projections&&) noexcept;
    Projections& operator=(Projections&&) noexcept;
    Projections(const Projections& other);
    Projections& operator=(const Projections& other);

    struct State;
    State& state() { return *state_; }

private:
    std::unique_ptr<State> state_;
};

/// What one request would send otherwise.
struct PruneResult {
    Edits edits;          ///< against the view that was given, earlier projections included
    bool pruned = false;  ///< something was shortened now
};
/// 2026.9: what `projections` remember is applied, and what is shortened now is remembered there.
PruneResult prune(const View& view, const PruneSettings& settings, double window_tokens, const CacheClock& clock,
                  Projections& projections);

// --- one result too large -------------------------------------------------------------------------------------------

/// Characters that one result may have: those of 30 % of the window, four to a token, up to 400,000.
double result_limit_2026_3(double window_tokens);
std::string truncate_text_2026_3(const Text& text, double max_chars, std::string_view suffix, double min_keep = 2'000);
MsgPtr truncate_result_2026_3(const MsgPtr& message, double max_chars, std::string_view suffix,
                              double min_keep = 2'000);
extern const std::string_view kTruncationSuffix2026_3;
/// What the guard made of results before: the same as Pruned.
struct Guarded {
    struct Result {
        MsgPtr source, cut, cleared;
        std::uint64_t cleared_chars = 0;
    };
    double most_chars = 0;  ///< to which results were cut
    HashMap<Result> results;
};
/// The guard before each request: results too large are cut, then the oldest replaced until the budget holds. `sizes`:
/// guard_size of every message, or empty.
Edits guard_context_2026_3(const View& view, double window_tokens, Guarded* before = nullptr,
                           std::span<const MessageSize> sizes = {});
/// Of one message, as the guard counts.
MessageSize guard_size(const MsgPtr& message);

/// 2026.9: characters that one result may have, by the window; and what all together may.
double result_limit(double window_tokens);
double aggregate_limit(double window_tokens, double per_result);

/// How a notice is worded for a number of characters cut.
using Suffix = std::function<std::string(std::uint64_t cut)>;
std::string default_suffix(std::uint64_t cut);

/// How one result that is too long is cut.
struct TruncateOptions {
    std::string fixed_suffix;  ///< used instead of `suffix` when `fixed` is set
    Suffix suffix = default_suffix;
    bool fixed = false;
    double min_keep = 2'000;
    std::string words(std::uint64_t cut) const { return fixed ? fixed_suffix : suffix(cut); }
};
/// Cut so that it weighs no more than `max_chars` with its suffix, where more than `min_keep` of it can stay. One that
/// fits stays as it is.
std::string truncate_text(const Text& text, double max_chars, const TruncateOptions& options);
MsgPtr truncate_result(const MsgPtr& message, double max_chars, const TruncateOptions& options);

/// Which results are cut so that each, and all together, fit.
struct BudgetPlan {
    Edits edits;
    std::size_t truncated = 0;  ///< messages that were cut for either reason
    std::size_t oversized = 0;
    std::size_t aggregated = 0;  ///< those cut because all results together were too much
    bool pressure = false;
    std::uint64_t oversized_chars = 0, aggregate_chars = 0;  ///< what could be saved
    double max_chars = 0, aggregate_budget = 0;
};
/// Limits in UTF-16 units.
struct BudgetOptions {
    double max_chars = 0;        ///< 0: by the window
    double aggregate_chars = 0;  ///< 0: by the window
    double min_keep = 0;
    bool protect_trailing = false;  ///< results after the last assistant give way only when alone too large
};
/// Nothing is remembered: what one look at the view comes to.
BudgetPlan plan_result_budget(const View& view, double window_tokens, const BudgetOptions& options = {});
/// The same with what is remembered: results once sent whole are not touched again.
BudgetPlan fit_results(const View& view, double window_tokens, Projections& projections, BudgetOptions options = {});

// --- pairing
// ----------------------------------------------------------------------------------------------------------

/// A view in which every call has one result, behind it, and every result a call.
struct Repair {
    View view;
    std::size_t added = 0, dropped_duplicates = 0, dropped_orphans = 0;
    bool moved = false;
    std::vector<MsgPtr> discarded;  ///< 2026.9 only
};
/// `now_ms`: the time of results that are made up for calls that have none.
Repair repair_pairs_2026_3(const View& view, double now_ms = 0);
Repair repair_pairs(const View& view, double now_ms = 0);

// --- planning a compaction
// ----------------------------------------------------------------------------------------------

/// Which program's estimate and rules a plan follows.
enum class Release : std::uint8_t { y2026_3, y2026_9 };

/// Estimates in tokens, and the share of the window that one piece for a summary may take.
std::uint64_t message_tokens(const Msg& message, Release release);
std::uint64_t view_tokens(const View& view, Release release);
double chunk_ratio(const View& view, double window_tokens, Release release);
inline constexpr double kSafetyMargin = 1.2, kSummaryOverheadTokens = 4096;

/// Half-open ranges of messages.
struct Range {
    std::size_t begin = 0, end = 0;
};
/// `parts` pieces of about the same number of tokens. 2026.9 never parts a call from its results.
std::vector<Range> split_by_tokens(const View& view, double parts, Release release);
/// Pieces of at most about `max_tokens` for one summary call each.
std::vector<Range> chunk_by_tokens(const View& view, double max_tokens, Release release);
/// Whether to summarise in one go (one range) or in parts; 2026.9's decision.
std::vector<Range> stage_split(const View& view, double max_chunk_tokens, double parts = 2, double min_messages = 4);

/// What is left for a summary once messages too large for one are left out.
struct Oversized {
    std::vector<std::size_t> kept;   ///< indices that can be summarised
    std::vector<std::string> notes;  ///< one for each message that cannot
};
/// Too large is what takes more than half of the window, with the safety margin.
Oversized leave_out_oversized(const View& view, double window_tokens, Release release);

/// The newest part of a history that fits a share of the tokens, and what went.
struct HistoryPrune {
    View kept;
    std::vector<MsgPtr> dropped;
    std::size_t dropped_chunks = 0, dropped_messages = 0;
    std::uint64_t dropped_tokens = 0, kept_tokens = 0;
    double budget_tokens = 0;
};
/// Parts the history into `parts` pieces and drops the oldest, again and again, until it fits `share` of `max_tokens`.
HistoryPrune prune_to_share(const View& view, double max_tokens, double share, double parts, Release release);

/// What to do before a request, from nothing to both.
enum class Route : std::uint8_t { fits, compact_only, truncate_tool_results_only, compact_then_truncate };
std::string_view route_name(Route route);

/// Whether a prompt fits before it is sent. All figures are OpenClaw's own estimates.
struct Precheck {
    Route route = Route::fits;
    bool compact = false;
    bool from_usage = false;  ///< the provider said what the context holds; else it is an estimate
    std::uint64_t prompt_tokens = 0, budget_tokens = 0, overflow_tokens = 0, reducible_chars = 0, reserve_tokens = 0;
};
/// What besides the view a prompt is made of. Tokens.
struct PrecheckOptions {
    double window_tokens = 0;
    double reserve_tokens = 20'000;
    double result_max_chars = 0;  ///< 0: by the window
    double tool_schema_tokens = 0;
    Text system_prompt, prompt;
};
/// Looks, and changes nothing.
Precheck precheck(const View& view, const PrecheckOptions& options);
/// What one message adds to the estimate of a precheck, before the safety margin.
double prompt_pressure(const Msg& message);
/// What it weighs in an automatic compaction: the same, with the margin.
double retained_tokens(const Msg& message);
/// What the longest summary weighs there.
double longest_summary_tokens();

}  // namespace agent_audit::simulator::openclaw
