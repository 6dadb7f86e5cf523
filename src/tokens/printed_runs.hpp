#pragma once

#include <agent_audit/model/session_list.hpp>
#include <agent_audit/model/tokens.hpp>
#include <agent_audit/tokens/ledger.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace agent_audit {

/// Sessions that were printed while they ran, beside those that agents stored. A job keeps both of one session, and
/// what was printed of each run that went on with it. Where requests have the same ids in both, what is printed tells
/// little of each but totals in the end; where they have not, only the session's id says that it is the same.
class PrintedRuns {
public:
    /// What a session's bill is changed by.
    struct Change {
        enum class Kind : std::uint8_t {
            all_elsewhere,  ///< another recording of it counts
            request_elsewhere,
            earlier,  ///< runs before it took these tokens
            more,     ///< it took these besides
        };

        std::size_t session = 0;
        Kind kind{};
        TokenCounts tokens{};
        std::string model{};
        std::uint32_t lane = 0;
        std::uint64_t paid_microusd = 0;  ///< of what the recording itself says that it cost: counts elsewhere, too

        /// `price`: of these tokens of this model, where it is known.
        void apply(TokenLedgerTotals& bill, const std::optional<CostParts>& price) const;
    };

    /// Sessions come in order of their numbers.
    void add(std::size_t session, const SessionUsage& usage);

    bool any() const { return !printed_.empty(); }
    bool has(std::size_t session) const;
    /// A request of it was stored as well.
    void shares(std::size_t session);

    /// In order of sessions, by their bills.
    std::vector<Change> settle(const std::deque<PackedTotals>& bills);
    /// Printed sessions of which a stored recording counts.
    std::uint64_t copies() const { return copies_; }

private:
    using ByModel = std::vector<std::pair<std::string, TokenCounts>>;
    struct Printed {
        std::size_t session = 0;
        std::uint64_t key = 0;
        bool shares = false;  // requests with what an agent stored
        TokenCounts running_total;
        ByModel told;
    };
    struct Stored {
        std::uint64_t key = 0;
        std::size_t session = 0;
    };

    void read(Printed& run, const SessionUsage& usage);
    Printed* find(std::size_t session);
    std::span<const Stored> stored_as(std::uint64_t key) const;
    std::vector<std::uint64_t> keys_that_share() const;
    void take_runs_apart(std::vector<const Printed*> runs, std::vector<Change>& changes) const;
    void add_untold(std::vector<const Printed*> runs, const std::deque<PackedTotals>& bills,
                    std::vector<Change>& changes) const;

    std::vector<Printed> printed_;
    std::vector<Stored> stored_;      // those with figures
    std::vector<Change> without_id_;  // requests that count elsewhere where the others of their session do
    std::uint64_t copies_ = 0;
};

}  // namespace agent_audit
