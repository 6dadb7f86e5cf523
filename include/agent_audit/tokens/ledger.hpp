#pragma once

#include <agent_audit/model/event.hpp>
#include <agent_audit/model/report.hpp>
#include <agent_audit/model/tokens.hpp>
#include <agent_audit/tokens/request_list.hpp>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace agent_audit {

class ModelTable;

/// What one session recorded about tokens, before copies in other files are taken out.
struct SessionUsage {
    /// One in so many requests has its place in `begun`.
    static constexpr std::size_t kBegunEvery = 64;
    static constexpr std::size_t kTopTurns = 5;

    /// A turn, and the numbers between which its requests are. Others' may stand among them.
    struct Turn : TurnTokens {
        std::size_t begin = 0, end = 0;
    };

    RequestList requests;
    std::vector<std::uint64_t> begun;  ///< Event::head.seq at which requests 0, 64, 128 … were first told
    /// What was recorded as paid for each request, by its number, in micro-dollars (at most 4,294 dollars); the last
    /// ones, or all, may be missing. It is part of `cost_microusd`.
    std::vector<std::uint32_t> paid;
    /// What people said, and what was called and answered before each request, by its number, as a hash. Requests of
    /// two sessions are the same history where these are the same, too: a made-up id may stand in both.
    std::vector<std::uint32_t> heard;
    std::vector<std::string> models;
    /// Of the first `requests` of the session, those of `model` have all their prompts told, if not each its own
    /// (Usage::rest): what has an output alone costs that output.
    struct ToldModel {
        std::string model;
        std::size_t requests = 0;
    };
    std::vector<ToldModel> told_models;
    std::vector<LaneTokens> lanes;  ///< labels of lanes; tokens are filled in by the merge
    /// The kTopTurns with the most tokens, most first, and behind them those that may be dearer. Without their cost.
    std::vector<Turn> top_turns;
    std::optional<std::uint64_t> cost_microusd;  ///< as recorded, for requests and for the session
    std::uint64_t peak_context = 0, peak_context_line = 0, window_tokens = 0;
    TokenCounts estimated;  ///< each text counted once; only known when `requests` is empty
    std::uint64_t estimated_requests = 0;
    std::uint64_t written_bytes =
        0;  ///< of texts, thoughts and arguments of calls that the model wrote, as they stand in the recording; nothing
            ///< of copied and hidden texts, and 0 where characters are spelled out by number
    std::uint64_t recorded_output = 0;  ///< tokens, before copies in other files are taken out
    TokenCounts running_total;          ///< as told last, where the recording tells running totals
    std::uint64_t session_key = 0;      ///< hash of the session's id; 0 = it has none. For whoever merges to fill in
    bool printed = false;  ///< printed while it ran: the agent may have stored the session besides. Likewise
};

/// Adds up what a session was billed. Usage is recorded in three ways (add, replace, cumulative); the ledger turns all
/// of them into requests. Where a session records no usage at all, texts are estimated instead (tokens/estimate.hpp):
/// each text once, what the model wrote as output, everything else as input.
class TokenLedger {
public:
    TokenLedger();
    ~TokenLedger();
    TokenLedger(const TokenLedger&) = delete;
    TokenLedger& operator=(const TokenLedger&) = delete;

    void on_event(const Event& event);

    /// Tokens so far in one lane and in the session: recorded, or estimated while nothing is recorded. Estimates are
    /// made when they are asked for: whoever need not know should not ask.
    const TokenCounts& lane_spent(std::uint32_t lane) const;
    const TokenCounts& session_spent() const;

    /// The request that began last, however often it was recorded; null before the first. It stays where it is until
    /// finish() or until RequestList::kOpen more began, and a later record may still raise its counts.
    const RequestRecord* newest_request() const;
    /// Requests of the session so far.
    std::size_t requests() const;
    /// By RequestRecord::model.
    const std::string& model(std::uint32_t index) const;
    std::uint64_t window_tokens() const;  ///< as recorded; 0 = unknown

    /// Ends the session; the object can then serve the next one.
    SessionUsage finish();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Counts each request once over all sessions of a run. Sessions must be added in an order that does not depend on
/// threads. Rules (they are those of the billing, and of the usual usage reports):
///  - same message and request id: one request; the copy with the larger token sum counts (streaming writes partial
///  counts)
///  - same message id, other request id, one of them a sub-agent's copy: one request; the main conversation's copy
///  counts
///  - without message id: always a request of its own
///  - of a session that was both stored by its agent and printed, the stored recording counts; of the printed one only
///  what its totals hold beyond the requests that stand in both
///  - what was printed of a session run by run, with running totals: each run counts what it added
class UsageMerger {
public:
    /// Requests remembered for finding copies; beyond this the oldest half is forgotten and `forgot()` says so.
    static constexpr std::size_t kMaxRemembered = 4u << 20;

    /// `models` gives requests their price and must outlive the merger; without it all prices are unknown.
    explicit UsageMerger(const ModelTable* models = nullptr);
    ~UsageMerger();
    UsageMerger(const UsageMerger&) = delete;
    UsageMerger& operator=(const UsageMerger&) = delete;

    /// Adds a session and returns its number, from 0. A larger copy of a request that is found later moves it from the
    /// session that had it before.
    std::uint32_t add(SessionUsage usage);
    /// How many requests of the session that was added last belong to history that another one before it has, too: the
    /// last of them is the same request after the same words and calls.
    std::size_t shared_beginning() const;
    /// The turns and the largest prompt of a session are those of `own`, which is the same session without the history
    /// that others have.
    void keep_own_turns(std::uint32_t session, SessionUsage own);
    /// What each session is billed, by its number. No session can be added afterwards.
    std::deque<PackedTotals> finish();

    bool forgot() const;
    /// Printed sessions of which the stored recording counts; known once it is finished.
    std::uint64_t printed_copies() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Adds `from` to `into`, as the totals of a run.
void add_totals(TokenLedgerTotals& into, const TokenLedgerTotals& from);

}  // namespace agent_audit
