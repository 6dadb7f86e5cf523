#pragma once

#include <agent_audit/model/event.hpp>
#include <agent_audit/simulator/observer.hpp>
#include <agent_audit/simulator/session.hpp>
#include <agent_audit/simulator/summary.hpp>
#include <agent_audit/tokens/prices.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// A recorded session under the context management of other agents. Teacher-forced: the recorded answers follow
/// whatever the view was, so figures are estimates of cost and exposure, not of another outcome.
namespace agent_audit::simulator {

/// Something a session can be replayed under: a policy, or one of the bounds around them.
struct Context {
    enum class Kind : std::uint8_t {
        policy,
        never_forget,  ///< sends everything, however large
        hindsight,     ///< sends nothing that is never used again; knows the future
        recorded,      ///< what the session's own agent did, as far as it is recorded
    };
    std::string_view name;
    std::string_view doc;
    Kind kind = Kind::policy;
    const Policy* policy = nullptr;  ///< of Kind::policy
};
/// Sorted by name.
std::span<const Context> all_contexts();
const Context* find_context(std::string_view name);

/// What to replay a session under.
struct ReplaySettings {
    std::vector<const Context*> contexts;
    double window_tokens = 0;  ///< 0: the one of find_window() (replay.cpp), else kDefaultWindow
    std::string model;         ///< prices and window of this model instead of the recorded one; empty: recorded
    SummaryWriter summarise = extractive_summary;  ///< words of summaries; empty: they have a length and no words
    /// Of the agent that was recorded, which says what its own summaries cost; null: unknown, and then they are billed
    /// as if all that gave way had been read anew.
    const Policy* recorded_by = nullptr;
};
inline constexpr double kDefaultWindow = 200'000;

/// Whoever wants every request. The row is valid only during the call.
class RowSink {
public:
    virtual ~RowSink() = default;
    virtual void on_row(std::string_view context, const TurnRow& row) = 0;
};

/// What is known of a session, and how each context did with it.
struct SessionOutcome {
    std::string session, label;    ///< id; what else tells sessions of one input apart. Empty: unknown
    std::uint64_t first_line = 0;  ///< where it begins
    bool counts_records = false;   ///< that is the number of a record, and not of a line
    std::uint64_t requests = 0, messages = 0, turns = 0;
    std::uint64_t other_lanes = 0;     ///< events of sub-agents, which have contexts of their own
    std::uint64_t copied_answers = 0;  ///< carried over from another session: messages here, no requests
    std::uint64_t reasoning_left =
        0;  ///< requests before which the provider left out the reasoning of turns, by its bills
    double window_tokens = 0;
    /// usual: of the recorded agent at its version; the recording does not say it.
    enum class WindowSource : std::uint8_t {
        given,
        recorded,
        model,
        usual,
        assumed
    } window_source = WindowSource::assumed;
    std::string model;    ///< of the last request; empty: unknown
    bool priced = false;  ///< at least one request has a known price
    std::optional<Money>
        billed_cost;  ///< of the billed requests as they were recorded; nothing: none has a known price
    /// All that the session was billed, as a scan counts it: with its sub-agents, and with what was billed for no
    /// single request. For whoever knows it to fill in.
    struct Bill {
        std::uint64_t requests = 0, tokens = 0;  ///< 0: the recording has no figures
        std::optional<Money> cost;
        std::string model;  ///< the one with the most tokens
    } bill;
    bool repriced = false;     ///< the contexts are priced as those of another model than the one that was billed
    double unseen_tokens = 0;  ///< system prompt and tools
    std::uint64_t billed_requests = 0;
    std::size_t samples = 0;  ///< requests the token weights were learnt from
    double median_error = 0;  ///< of the next prompt, while learning
    std::uint64_t recorded_peak = 0, recorded_compactions = 0;
    std::uint64_t unpriced_requests = 0;  ///< of `requests`
    double recorded_mean = 0;
    double summary_share = 0;  ///< tokens of a summary for each token it replaces
    std::uint64_t fitted_summaries = 0;
    std::vector<PolicyOutcome> policies;  ///< in the order asked for
};
/// The word for it in results.
std::string_view window_source_name(SessionOutcome::WindowSource source);

/// One session under any number of contexts, in one pass of its events. Rows of requests come in order, one context
/// after the other; those of `hindsight` all at the end, because it has to know the future.
class SessionReplay {
public:
    SessionReplay(const ReplaySettings& settings, const ModelTable& models, WordKeeper& words, RowSink* rows = nullptr);
    ~SessionReplay();
    SessionReplay(const SessionReplay&) = delete;
    SessionReplay& operator=(const SessionReplay&) = delete;

    void on_event(const Event& event);
    SessionOutcome finish();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace agent_audit::simulator
