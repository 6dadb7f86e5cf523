#include "pipeline/inputs/work_order.hpp"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <unordered_map>

namespace agent_audit {

WorkOrder::WorkOrder(std::span<const InputPath> paths) {
    struct Together {
        std::uint64_t bytes = 0;
        std::size_t first = 0;
    };
    std::unordered_map<std::uint32_t, Together> archives;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        if (paths[i].in_order == 0) continue;
        Together& archive = archives.try_emplace(paths[i].in_order, Together{0, i}).first->second;
        archive.bytes += paths[i].size;
    }
    order_.resize(paths.size());
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = i;
    std::ranges::sort(order_, {}, [&](std::size_t i) {
        if (paths[i].in_order == 0) return std::tuple(~paths[i].size, i, i);
        const Together& archive = archives.at(paths[i].in_order);
        return std::tuple(~archive.bytes, archive.first, i);
    });
    for (std::size_t at = 0; at < order_.size(); ++at) {
        const std::uint32_t archive = paths[order_[at]].in_order;
        const bool same = at > 0 && archive != 0 && paths[order_[at - 1]].in_order == archive;
        if (same)
            shares_.back().second = at + 1;
        else
            shares_.emplace_back(at, at + 1);
    }
}

std::optional<std::pair<std::size_t, std::size_t>> WorkOrder::take() {
    const std::size_t at = next_.fetch_add(1);
    return at < shares_.size() ? std::optional(shares_[at]) : std::nullopt;
}

}  // namespace agent_audit
