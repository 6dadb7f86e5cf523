#pragma once

#include <agent_audit/simulator/gemini.hpp>
#include <agent_audit/simulator/message.hpp>
#include <agent_audit/simulator/methods.hpp>
#include <agent_audit/simulator/openclaw.hpp>
#include <agent_audit/simulator/pi.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
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
    enum class How : std::uint8_t { pi_0_73, pi_0_87, openclaw_2026_3, openclaw_2026_9, gemini, method };
    How how = How::pi_0_87;
    pi::CompactionSettings settings;  ///< pi and OpenClaw
    /// pi and OpenClaw: looks between the calls of a turn as well. Else only before a person's prompt, so that a turn
    /// goes on until the provider refuses: as pi 0.73 does, and OpenClaw unless it is told otherwise (midTurnPrecheck).
    bool mid_turn = true;
    double max_reserve_share = 1;    ///< of the window; OpenClaw 2026.9 a quarter
    double max_history_share = 0.5;  ///< OpenClaw: what new content leaves to the history that is summarised
    double min_messages_for_parts = 4, parts = 2;
    gemini::CompressionSettings gemini;
    Method method{};  ///< How::method: the rules of another agent
};
/// The stage as that release of an agent has it by default.
Summarise usual_summary(Summarise::How how);

/// overflow_recovery: what is tried when a provider refuses the prompt.
struct OverflowRecovery {
    int compactions = 1;            ///< at most, before giving up
    bool truncate_results = false;  ///< then once, for good
};

/// clear_results: all but the newest results give way to a placeholder, oldest first. What was cleared stays so.
struct ClearResults {
    double trigger_tokens = 0;  ///< the context must exceed it; 0: always
    /// It is made of what is sent, and the history keeps everything: that context is the one before anything was
    /// cleared, and summaries are due, and made, of the whole.
    bool of_whole = false;
    bool by_characters = false;    ///< that context is LangChain's estimate of the messages alone, not what is billed
    double trigger_uses = 0;       ///< or so many tool results must be exceeded; 0: not used
    bool above_warning = false;    ///< the context must have reached Claude Code's warning line
    double idle_ms = 0;            ///< so much time must have passed since the last request; 0: not used
    double min_result_tokens = 0;  ///< the results that may be cleared must together exceed it
    double keep = 3;               ///< newest results that stay
    double min_cleared = 0;        ///< nothing happens when fewer tokens would go
    bool count_all = false;        ///< `keep` counts the results of every tool, not only of those that may be cleared
    bool clear_inputs = false;     ///< arguments of the calls too
    openclaw::ToolFilter tools;
    std::string placeholder{openclaw::kClearedPlaceholder};
};
/// clear_beyond: the results before the newest so many tokens give way to a placeholder, as in opencode.
struct ClearBeyond {
    bool enabled = true;
    double protect_tokens = 40'000;
    double min_tokens = 20'000;  ///< what is older must exceed it
    double turns = 2;            ///< newest user turns that stay whole, beside the one under way
    openclaw::ToolFilter tools{{}, {"skill"}};
    std::string placeholder{openclaw::kClearedPlaceholder};
};
/// truncate_middle: results are cut when they come in, as Codex does.
struct TruncateMiddle {
    double tokens = 10'000;
    double serialisation = 1.2;  ///< for what JSON adds
};
/// mask_events: old results give way to a mark, as in OpenHands' older condensers.
struct MaskEvents {
    double window = 100;        ///< newest events that stay; of a browser, newest browser results
    bool browser_only = false;  ///< only results of browser tools
};
/// keep_recent: the first messages and the newest ones; the rest is not sent.
struct KeepRecent {
    double keep_first = 1, max_events = 10;
};
/// drop_thinking: thinking stays only in the newest turns that have any.
struct DropThinking {
    double keep_turns = 1;
};

using Stage =
    std::variant<TurnLimit, PruneResults, TruncateResult, MaskResults, RepairPairs, Summarise, OverflowRecovery,
                 ClearResults, ClearBeyond, TruncateMiddle, MaskEvents, KeepRecent, DropThinking>;
std::string_view stage_name(const Stage& stage);

/// Stages in the order in which they act before each request.
struct Policy {
    std::string_view name;
    std::string_view doc;
    std::vector<Stage> stages;
    std::string_view source = {};    ///< where its rules are published
    std::string_view left_out = {};  ///< what a recording cannot show, or what is assumed

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
    double last_touch_ms = 0;   ///< when the prompt was last in the provider's cache; 0: never
    double context_tokens = 0;  ///< by the provider's count, as the view was before any edit; 0: stages estimate it
    double edited_tokens = 0;   ///< the same as the view is now, with what was cleared; 0: as context_tokens
    double max_output = 0;      ///< longest answer of the model; 0: unknown
};

/// How far a stage has read a view that grows at its end, and what it has made of it: work is done once for each
/// message. A view that begins otherwise than before is read again from the start.
struct Progress {
    const void* stage = nullptr;  ///< whose it is
    std::size_t seen = 0;
    MsgPtr first, last;      ///< of what was seen
    double tokens = 0;       ///< the stage's own estimate of what was seen, before edits
    bool turn_over = false;  ///< what comes is of another turn than what was seen last
    struct Result {
        std::size_t index = 0;
        double tokens = 0;
        bool clearable = false;
    };
    std::vector<Result> results;
    std::vector<std::size_t> turns;  ///< user messages
    std::string words;               ///< where texts are read into, one after the other
    std::size_t done = 0;            ///< results before this one are decided
    double clearable_tokens = 0;     ///< of results that may be cleared and are not
    std::size_t uses = 0;            ///< results of any tool
    // Results [done, old_end) would go with the next clearing, [old_end, kept_end) stay for their number of tokens.
    std::size_t old_end = 0, kept_end = 0;
    double old_tokens = 0, kept_tokens = 0;
    Edits edits;  ///< made so far
};

/// What the stages of one policy remember from request to request.
struct Memory {
    openclaw::Projections projections;
    openclaw::Pruned pruned;
    openclaw::Guarded guarded;
    gemini::KnownOutputs outputs;
    std::vector<openclaw::MessageSize> sizes;  ///< of the view, as the next stage counts; empty: it counts itself
    std::optional<double> pruned_at_ms;        ///< OpenClaw 2026.3 starts its ttl anew when it has pruned
    std::vector<Progress> progress;            ///< one for each stage of the policy that has any
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
