#include "report/html/html_treemap.hpp"

#include <algorithm>

namespace agent_audit::report {
namespace {

// The longest side of a tile over its shortest, for the worst tile of a row along `side`.
double worst_ratio(std::span<const double> row, double side) {
    double sum = 0;
    for (const double area : row) sum += area;
    const double depth = sum / side;
    double worst = 0;
    for (const double area : row) {
        const double length = area / depth;
        worst = std::max({worst, length / depth, depth / length});
    }
    return worst;
}

}  // namespace

// Squarified: a row along the shorter side takes tiles as long as that makes its worst tile squarer.
std::vector<TreemapTile> treemap(std::span<const std::uint64_t> weights, double aspect) {
    std::vector<TreemapTile> tiles(weights.size());
    double all = 0;
    for (const std::uint64_t weight : weights) all += static_cast<double>(weight);
    if (all <= 0) return tiles;
    double left = 0, top = 0, width = aspect, height = 1;
    std::vector<double> areas;
    for (const std::uint64_t weight : weights) {
        if (weight > 0) areas.push_back(static_cast<double>(weight) / all * aspect);
    }
    for (std::size_t begin = 0; begin < areas.size();) {
        const bool upright = width >= height;  // the row stands at the left edge
        const double side = std::max(upright ? height : width, 1e-9);
        const auto row = [&](std::size_t count) { return std::span<const double>(areas).subspan(begin, count); };
        std::size_t count = 1;
        while (begin + count < areas.size() && worst_ratio(row(count + 1), side) <= worst_ratio(row(count), side))
            ++count;
        double sum = 0;
        for (const double area : row(count)) sum += area;
        const double depth = sum / side;
        double at = upright ? top : left;
        for (std::size_t i = begin; i < begin + count; ++i) {
            const double length = areas[i] / depth;
            tiles[i] = upright ? TreemapTile{left / aspect * 100, at * 100, depth / aspect * 100, length * 100}
                               : TreemapTile{at / aspect * 100, top * 100, length / aspect * 100, depth * 100};
            at += length;
        }
        (upright ? left : top) += depth;
        (upright ? width : height) -= depth;
        begin += count;
    }
    return tiles;
}

}  // namespace agent_audit::report
