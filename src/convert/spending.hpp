#pragma once

#include <agent_audit/model/event.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_set>

namespace agent_audit::convert {

/// Tokens of one step. Signed: a later record of a response may correct an earlier one downwards in one part.
struct Spent {
    std::int64_t input = 0, cache_write = 0, cache_read = 0, output = 0, reasoning = 0, cache_write_1h = 0;
    std::uint64_t cost_microusd = 0;

    bool any() const;
    TokenCounts tokens() const;  ///< never below 0
    Spent& operator+=(const Spent& more);
};

/// Turns recorded usage, whatever its mode, into what each record adds.
class Spending {
public:
    /// `copied`: of history that was spent elsewhere.
    Spent take(const Usage& usage, bool copied = false);
    /// A new session: running totals begin at 0 again. What was counted stays counted.
    void begin_session();

private:
    struct Known {
        std::uint64_t key = 0;
        TokenCounts tokens;
        std::uint64_t cost_microusd = 0;
    };
    static constexpr std::size_t kWindow = 8;          // as the ledger: a response is not repeated from farther back
    static constexpr std::size_t kCounted = 1u << 20;  // beyond, copies are counted again

    Spent running(const Usage& usage, bool copied);
    Spent replace(const Usage& usage, std::uint64_t key);
    bool counted_before(std::uint64_t key);

    std::array<Known, kWindow> recent_{};
    std::size_t next_ = 0;
    std::unordered_set<std::uint64_t> counted_;
    TokenCounts total_;
    std::uint64_t total_cost_ = 0;
};

}  // namespace agent_audit::convert
