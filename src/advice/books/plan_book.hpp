#pragma once

#include "advice/calls/call_facts.hpp"

#include <agent_audit/advice/checkpoint.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::advice {

/// The agent's own list of what is to be done: written anew as a whole, or changed item by item. Bounded.
class PlanBook {
public:
    struct Place {
        std::uint64_t line = 0;
        std::uint32_t turn = 0;
    };

    /// The words of what this ticks off.
    std::vector<std::string> update(const PlanUpdate& update, const Place& at);
    /// The list has an item of these words, done or not.
    bool lists(std::string_view words) const;
    /// Into plan and plan_active: what is being done, then what is still to do.
    void tell(Checkpoint& out) const;

private:
    std::vector<std::string> replace(const std::vector<PlanItem>& items);
    std::vector<std::string> change(const std::vector<PlanItem>& items);

    std::vector<PlanItem> items_;
    Place at_;  // of the last update
};

}  // namespace agent_audit::advice
