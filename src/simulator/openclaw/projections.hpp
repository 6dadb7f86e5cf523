#pragma once

#include <agent_audit/simulator/openclaw.hpp>
#include <agent_audit/support/hash_map.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace agent_audit::simulator::openclaw {

enum class Shortened : std::uint8_t { truncated, soft, hard };

/// Hash of what OpenClaw remembers a result by.
using Key = std::uint64_t;

struct Projections::State {
    struct Replacement {
        Shortened how = Shortened::truncated;
        std::vector<Block> blocks;  ///< of a truncated result the texts alone
    };
    struct Known {
        std::optional<Replacement> replacement;
        MsgPtr source;        ///< the result as it was first seen
        bool frozen = false;  ///< sent to the provider: what it looks like is settled
    };
    HashMap<Known> results;
    HashMap<bool> ambiguous;  ///< two results at once had this key
    const Replacement* replacement(Key key) const {
        const Known* known = key != 0 ? results.find(key) : nullptr;
        return known && known->replacement ? &*known->replacement : nullptr;
    }
};

/// The view as its projections have it, and under which key each result is remembered (0 for none).
struct Projected {
    View view;
    std::vector<Key> keys;
    std::vector<bool> frozen;
};
Projected project(const View& view, Projections::State& state);

void remember(Projections::State& state, Key key, const Msg& message, Shortened how);

}  // namespace agent_audit::simulator::openclaw
