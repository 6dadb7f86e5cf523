#pragma once

#include <agent_audit/readers/input.hpp>

#include <atomic>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace agent_audit {

/// In which order workers take the inputs of a run: the biggest first, since the last worker to finish should not have
/// just begun. Files of an archive that is read from its beginning to its end are taken together, in its order.
class WorkOrder {
public:
    explicit WorkOrder(std::span<const InputPath> paths);

    std::size_t size() const { return order_.size(); }
    /// The input at a position.
    std::size_t operator[](std::size_t position) const { return order_[position]; }
    /// How many workers find something to do.
    std::size_t shares() const { return shares_.size(); }

    /// Positions [first, second) that one worker takes next; nothing when all are taken. From any thread.
    std::optional<std::pair<std::size_t, std::size_t>> take();

private:
    std::vector<std::size_t> order_;                           // positions to inputs
    std::vector<std::pair<std::size_t, std::size_t>> shares_;  // of positions
    std::atomic<std::size_t> next_{0};
};

}  // namespace agent_audit
