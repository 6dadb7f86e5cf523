#pragma once

#include <agent_audit/detectors/engine.hpp>
#include <agent_audit/model/advice.hpp>
#include <agent_audit/model/context.hpp>
#include <agent_audit/model/finding.hpp>
#include <agent_audit/model/text.hpp>
#include <agent_audit/tokens/prices.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::advice {

/// Places of a recording with a figure each, in order, at most kMost of them: when there are more, every other one is
/// forgotten and from then on only every other one is kept. So a look-up is exact in sessions of usual length.
class Places {
public:
    static constexpr std::size_t kMost = 1024;
    struct Place {
        std::uint64_t line = 0;
        std::uint64_t figure = 0;
        std::uint64_t number = 0;  ///< ordinal of what was added, from 1
    };

    void add(std::uint64_t line, std::uint64_t figure);
    /// The last one at or before the line; null = none.
    const Place* at(std::uint64_t line) const;
    /// The first one behind the line from which on the figure is less than before by at least so much; null = none.
    const Place* fallen(std::uint64_t line, std::uint64_t by) const;
    bool empty() const { return places_.empty(); }
    std::uint64_t added() const { return added_; }
    void clear();

private:
    std::vector<Place> places_;
    std::uint64_t added_ = 0, stride_ = 1;
};

/// What a fresh session would cost, from what is known when a session is over.
struct ResetCosts {
    TokensSource source = TokensSource::none;  ///< of the context's length; with none there are no suggestions
    std::optional<TokenPrices> prices;         ///< of the session's model
    bool cached = false;                       ///< prompts were read from a cache
};

/// Watches the main conversation of a session, a few additions for each step and request, and says at its end where a
/// fresh session would have paid. Bounded memory. One object serves one session after the other.
class ResetAdvisor {
public:
    ResetAdvisor();
    ~ResetAdvisor();

    /// A check ended; told before on_response() of its response. `call` is one for equal calls with equal arguments,
    /// and `argument` the beginning of its command; `outcome` that of its output, where a task runner tells what it
    /// runs.
    void on_check(std::uint64_t call, RawText argument, bool failed, RawText outcome = {});
    /// A response with all its results is over; `line` is its last record.
    void on_response(std::uint64_t line, bool edited, bool check_passed);
    /// A human spoke.
    void on_turn(std::uint64_t line, std::uint32_t turn);
    void on_request(const ContextRequest& request);
    /// Where no request is recorded: tokens of all texts up to here.
    void on_texts(std::uint64_t line, std::uint64_t tokens) { texts_.add(line, tokens); }
    bool has_requests() const { return !requests_.empty(); }

    /// The session is over. `findings` as they are reported, overlapping ones joined.
    std::vector<ResetSuggestion> finish(std::span<const Finding> findings, const ResetCosts& costs);

    /// Tells the advisor of steps and requests from within the engine, as a rule that finds nothing. The advisor must
    /// outlive what is made.
    BoundDetector listener();

private:
    struct Stale;
    struct Span;
    struct Failing;
    struct Check;
    struct Moment;

    std::optional<ResetSuggestion> suggest(const Finding& finding, const ResetCosts& costs) const;
    std::optional<ResetSuggestion> suggest(const Stale& stale, const ResetCosts& costs) const;
    void place(ResetSuggestion& suggestion) const;
    bool pays(ResetSuggestion& suggestion, double still_used, const ResetCosts& costs) const;
    bool had_time_to_pay(const ResetSuggestion& suggestion) const;
    std::uint64_t number_of(std::uint64_t line) const;
    void settle();
    void check_ended(const Check& check);
    void response_ended(const Moment& moment);

    Places responses_, requests_, turns_, texts_;
    std::vector<Span> verified_;
    std::vector<Stale> stale_;
    std::vector<Failing> failing_;
    std::vector<Check> checks_;
    std::vector<Moment> moments_;
    std::uint64_t least_ = 0;     // tokens of the shortest prompt: what a fresh session begins with
    std::uint32_t stale_in_ = 0;  // compactions when the last stale window was seen, plus 1
    bool edited_ = false, is_verified_ = false;
    bool confirmed_ = false;  // another check has passed since
};

}  // namespace agent_audit::advice
