#pragma once

#include <agent_audit/simulator/openclaw.hpp>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace agent_audit::simulator::openclaw {

enum class Shortened : std::uint8_t { truncated, soft, hard };

struct Projections::State {
    struct Replacement {
        Shortened how = Shortened::truncated;
        std::vector<Block> blocks;  ///< of a truncated result the texts alone
    };
    std::unordered_map<std::string, Replacement> replacements;
    std::unordered_set<std::string> frozen;                  ///< sent to the provider: what they look like is settled
    std::unordered_set<std::string> ambiguous;               ///< two results at once had this key
    std::unordered_map<std::string, std::uint64_t> sources;  ///< hash of the texts as recorded
};

/// The view as its projections have it, and under which key each result is remembered ("" for none).
struct Projected {
    View view;
    std::vector<std::string> keys;
    std::vector<bool> frozen;
};
Projected project(const View& view, Projections::State& state);

void remember(Projections::State& state, const std::string& key, const Msg& message, Shortened how);

}  // namespace agent_audit::simulator::openclaw
