#pragma once

#include <agent_audit/model/money.hpp>
#include <agent_audit/simulator/message.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What a replay says of one request, and of one policy over the whole session. Optional figures are filled by whoever
/// knows them (observer.hpp); one that nobody filled is unknown, not 0.
namespace agent_audit::simulator {

/// A message that this request sent otherwise than it was recorded, for the first time.
struct PrunedRow {
    std::size_t source_index = 0;  ///< place in the session's messages, from 0
    Action action = Action::trim;
    std::uint64_t tokens_before = 0, tokens_after = 0;
};
/// The word for it in results.
std::string_view action_name(Action action);

/// A compaction that was made before this request.
struct CompactionRow {
    std::uint64_t tokens_in = 0;       ///< what gave way
    std::uint64_t tokens_summary = 0;  ///< what took its place
    std::size_t kept_from = 0;         ///< source_index of the first message kept; of the next one when none was
    bool split_turn = false;
};

/// An edit of what the request before had sent: what stands behind it is no longer read from the cache but paid for
/// anew, once, and every later request is shorter.
struct CacheEditRow {
    std::uint64_t position = 0;  ///< tokens of the prefix that stayed
    std::uint64_t removed = 0;   ///< tokens taken out
    std::optional<Money> extra;  ///< paid now; nothing: no known price
    std::optional<Money> saved;  ///< by every later request
    std::optional<std::uint64_t>
        break_even;  ///< after so many later requests it has paid off; nothing: never, or unknown
};

/// How the prompt was billed, by a model of the provider's cache.
struct CacheRow {
    std::uint64_t read = 0, write = 0, input = 0;
    std::string_view miss_reason{};  ///< empty: none, or nothing to say; a constant
    std::optional<CacheEditRow> edit{};
};

/// Something that was needed again after it had left the view.
struct RegretRow {
    std::string_view kind;         ///< reread, used_lost, repeated_failure, instruction_lost; a constant
    std::size_t source_index = 0;  ///< what had left
    std::uint64_t tokens = 0;
};

/// One request under one policy. What is empty costs no memory.
struct TurnRow {
    std::size_t request = 0;  ///< from 1
    std::uint32_t turn = 0;   ///< human turn it belongs to, from 1
    std::uint64_t line = 0;   ///< where its answer stands in the recording
    std::optional<double> time_ms;
    std::optional<std::uint64_t> tokens_recorded;       ///< the billed prompt
    std::uint64_t tokens_before = 0, tokens_after = 0;  ///< of the prompt, before and after this request's edits
    double ratio = 0;                                   ///< tokens_after / window
    std::vector<PrunedRow> pruned;
    std::vector<CompactionRow> compactions;  ///< in the order in which they were made
    bool overflow = false;                   ///< more than the window, and the policy had nothing left to try
    std::optional<CacheRow> cache;
    std::optional<Money> cost;  ///< nothing: no known price
    std::vector<RegretRow> regret;
};

/// One policy over the whole session.
struct PolicyOutcome {
    std::string policy;
    std::uint64_t requests = 0;
    std::uint64_t peak_tokens = 0;
    double mean_tokens = 0;
    std::uint64_t compactions = 0, overflows = 0;
    std::uint64_t cleared_results = 0;  ///< results trimmed, cleared, truncated or masked, each counted once
    std::uint64_t dropped_messages = 0;
    std::uint64_t summary_tokens_in = 0, summary_tokens_out = 0;  ///< of the calls that made the summaries
    std::optional<Money> cost;          ///< of the requests, without the summaries; nothing: none had a known price
    std::optional<Money> summary_cost;  ///< in addition; 0: none was made; nothing: no price is known
    std::uint64_t unpriced_requests = 0;

    /// Of requests and summaries, as far as prices are known.
    std::optional<Money> total_cost() const {
        if (!cost) return summary_cost;
        Money sum = *cost;
        if (summary_cost) sum += *summary_cost;
        return sum;
    }

    // By a cache model. Without one the cost is that of a prompt without cache.
    struct CacheTotals {
        std::uint64_t read = 0, write = 0, input = 0;
        std::uint64_t misses = 0;
        /// Requests at which the record read clearly less than its times and sizes let expect. Every context is held to
        /// that (cache.hpp: held_to), in its rows too.
        std::uint64_t recorded_misses = 0;
        std::optional<double>
            scaled_by;         ///< what is left of the reads that the model alone expects; nothing: all of them
        bool assumed = false;  ///< the recording shows no use of a cache: nothing holds the model
        std::optional<double>
            recorded_deviation;            ///< of the model alone: sum of |read - recorded read| / sum of prompts
        std::uint64_t edits = 0;           ///< requests that changed what the one before had sent
        std::uint64_t paid_off = 0;        ///< of these, followed by enough requests to be worth it
        std::optional<Money> edits_extra;  ///< what the edits cost at once; nothing: no known price
        std::optional<Money> edits_saved;  ///< what each later request saves, summed over the edits
        std::optional<std::uint64_t>
            break_even;  ///< later requests after which an average edit has paid off; nothing: never
    };
    std::optional<CacheTotals> cache;

    // By the index of what was lost.
    struct RegretTotals {
        std::uint64_t tokens = 0;
        std::uint64_t rereads = 0, lost_identifiers = 0, repeated_failures = 0, lost_instructions = 0;
        std::optional<std::uint32_t> first_loss_turn;  ///< turn in which something lost was first needed
    };
    std::optional<RegretTotals> regret;
};

}  // namespace agent_audit::simulator
