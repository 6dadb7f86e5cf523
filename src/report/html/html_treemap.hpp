#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace agent_audit::report {

/// A rectangle in percent of the picture.
struct TreemapTile {
    double left = 0, top = 0, width = 0, height = 0;
};

/// Tiles whose areas are as the weights, in the order of the weights, as square as it goes in a picture that is
/// `aspect` times as wide as high. The weights are sorted, largest first; a weight of 0 has an empty tile.
std::vector<TreemapTile> treemap(std::span<const std::uint64_t> weights, double aspect);

}  // namespace agent_audit::report
