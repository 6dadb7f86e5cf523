#pragma once

#include <agent_audit/simulator/gemini.hpp>
#include <agent_audit/simulator/message.hpp>
#include <agent_audit/simulator/openclaw.hpp>
#include <agent_audit/simulator/pi.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

/// A policy is an ordered list of stages; a stage is a pure function of the view, its parameters and a clock. What a
/// policy remembers between two requests is one value, so that a run can be copied and started again.
namespace agent_audit::simulator {

// --- stages before every request. The names are those of custom policies.
// ---------------------------------------------

/// turn_limit: only the last user turns. 0 turns: no limit.
struct TurnLimit {
    double turns = 0;
    bool in_batches = true;  ///< as OpenClaw 2026.9, so that the prefix stays the same for several turns
};
/// prune_results: old tool results shortened once the provider's cache has expired.
struct PruneResults {
    openclaw::PruneSettings settings;
    bool remembered = true;  ///< as OpenClaw 2026.9: what was shortened stays so; 2026.3 forgets after the request
};
/// truncate_result: results too large for the window, alone or together.
struct TruncateResult {
    openclaw::BudgetOptions options;
    bool remembered = true;  ///< as OpenClaw 2026.9; else the guard of 2026.3
};
/// mask_results: old tool outputs replaced by previews, as Gemini CLI does.
struct MaskResults {
    gemini::Masking settings;
};
/// repair_pairs: every call is followed by exactly its results.
struct RepairPairs {
    openclaw::Release release = openclaw::Release::y2026_9;
};
/// summarise: the older part of the view gives way to a summary once the context is too large.
struct Summarise {
    enum class How : std::uint8_t { pi_0_73, pi_0_87, openclaw_2026_3, openclaw_2026_9, gemini };
    How how = How::pi_0_87;
    pi::CompactionSettings settings;  ///< pi and OpenClaw
    double max_reserve_share = 1;     ///< of the window; OpenClaw 2026.9 a quarter
    double max_history_share = 0.5;   ///< OpenClaw: what new content leaves to the history that is summarised
    double min_messages_for_parts = 4, parts = 2;
    gemini::CompressionSettings gemini;
};
/// overflow_recovery: what is tried when a provider refuses the prompt.
struct OverflowRecovery {
    int compactions = 1;            ///< at most, before giving up
    int timeout_compactions = 0;    ///< after time-outs with a full prompt
    bool truncate_results = false;  ///< then once, for good
};

using Stage =
    std::variant<TurnLimit, PruneResults, TruncateResult, MaskResults, RepairPairs, Summarise, OverflowRecovery>;
std::string_view stage_name(const Stage& stage);

struct Policy {
    std::string_view name;
    std::string_view doc;
    std::vector<Stage> stages;

    template <class T>
    const T* find() const {
        for (const Stage& stage : stages) {
            if (const T* found = std::get_if<T>(&stage)) return found;
        }
        return nullptr;
    }
};

/// Sorted by name.
std::span<const Policy> all_policies();
const Policy* find_policy(std::string_view name);

/// What is known when a request is made.
struct Moment {
    double window_tokens = 0;
    double now_ms = 0;
    double last_touch_ms = 0;  ///< when the prompt was last in the provider's cache; 0: never
};

struct Memory {
    openclaw::Projections projections;
    std::optional<double> pruned_at_ms;  ///< OpenClaw 2026.3 starts its ttl anew when it has pruned
};

/// One stage's work on one request.
struct StageOutcome {
    Edits edits;                                   ///< messages replaced, by their place in the view before
    std::size_t dropped_from = 0, dropped_to = 0;  ///< messages left out: [from, to)
    std::optional<View> rebuilt;                   ///< a repaired view, when pairs had to be mended
};
/// Stages that act before every request; those that only act at need (Summarise, OverflowRecovery) do nothing here.
StageOutcome run_stage(const Stage& stage, const View& view, const Moment& moment, Memory& memory);
/// The view that a request sends.
View prepare_request(const Policy& policy, View view, const Moment& moment, Memory& memory);

/// The reserve that a policy keeps for the answer.
double reserve_tokens(const Summarise& stage, double window_tokens);
/// Whether a context of so many tokens is to be summarised now.
bool summary_due(const Summarise& stage, double context_tokens, double window_tokens);
/// Which release of the cut algorithm a stage follows; nullopt for Gemini, which splits by characters.
std::optional<pi::Release> cut_release(const Summarise& stage);

}  // namespace agent_audit::simulator
