#pragma once

#include <agent_audit/model/tokens.hpp>
#include <agent_audit/tokens/ledger.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace agent_audit {

/// Sessions that were printed while they ran, beside those that agents stored. A job keeps both of one session, and
/// what was printed of each run that went on with it. Where requests have the same ids in both, what is printed tells
/// little of each but totals in the end; where they have not, only the session's id says that it is the same.
class PrintedRuns {
public:
    /// What a session's bill is changed by: `all` of it counts elsewhere, or `less` was there before, or `more` was
    /// told.
    struct Change {
        std::size_t session = 0;
        bool all = false;
        TokenCounts less, more;
        std::string model;       // of `more`
        std::uint32_t lane = 0;  // likewise
    };

    /// Sessions come in order of their numbers.
    void add(std::size_t session, const SessionUsage& usage);

    bool any() const { return !printed_.empty(); }
    bool has(std::size_t session) const;
    /// A request of a printed session as it was printed and as it was stored.
    void stands_in_both(std::size_t session, const RequestRecord& printed, const RequestRecord& stored,
                        const std::string& model);

    /// In order of sessions.
    std::vector<Change> settle();
    /// Printed sessions of which a stored recording counts.
    std::uint64_t copies() const { return copies_; }

private:
    struct Printed {
        std::size_t session = 0;
        std::uint64_t key = 0;
        bool shares = false;  // requests with what an agent stored
        TokenCounts running_total;
    };
    struct Both {
        TokenCounts printed, stored;
        std::uint32_t lane = 0;
    };

    Printed* find(std::size_t session);
    void take_runs_apart(std::vector<const Printed*> runs, std::vector<Change>& changes) const;

    std::vector<Printed> printed_;
    std::vector<std::uint64_t> stored_;  // keys of those with figures
    std::map<std::pair<std::size_t, std::string>, Both> both_;
    std::uint64_t copies_ = 0;
};

}  // namespace agent_audit
