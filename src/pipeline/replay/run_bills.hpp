#pragma once

#include <agent_audit/model/event.hpp>
#include <agent_audit/model/money.hpp>
#include <agent_audit/model/tokens.hpp>
#include <agent_audit/pipeline/replayer.hpp>
#include <agent_audit/tokens/ledger.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace agent_audit {

/// What the responses of a run were billed, lane by lane.
class RunBills {
public:
    /// What a lane was billed since its last response was over.
    struct Bill {
        std::uint64_t tokens = 0, cost_parts = 0;            ///< for the response that is open, or comes next
        std::uint64_t next_tokens = 0, next_cost_parts = 0;  ///< for the one after that
        bool spoke = false, answered = false;                ///< the response has begun; its calls have results
        Place first, last;                                   ///< of its records, results included
        bool before = false;        ///< figures without a response's id stand before what they are for
        bool housekeeping = false;  ///< its responses are none of the run's: the main conversation pays
    };

    /// After the ledger has heard the event. True: from here on there are figures, which include the texts that were
    /// estimated before, so what turns were billed so far is to be forgotten.
    bool add(const Event& event, const TokenLedger& ledger, const std::optional<Money>& cost_now);
    /// The response of the turn's lane is over.
    void take(RunTurn& turn);
    /// Figures after the last response of a lane, or of one that never spoke, go with the last response that is kept.
    void take_rest(RunTurn& last) const;

    void set_housekeeping(std::uint32_t lane) { of(lane).housekeeping = true; }
    const Bill& bill(std::uint32_t lane) { return of(lane); }

    /// Up to the last event that was added.
    const TokenCounts& spent() const { return spent_; }
    const std::optional<Money>& cost() const { return cost_; }  ///< the same; nothing where no price is known

private:
    static constexpr std::size_t kMaxBills = 4096;

    Bill& of(std::uint32_t lane);
    void note_place(Bill& due, const EventHeader& head) const;

    std::vector<Bill> bills_;  // by lane
    TokenCounts spent_;
    std::optional<Money> cost_;
    bool recorded_ = false;  // figures; estimates count until there are some
};

}  // namespace agent_audit
