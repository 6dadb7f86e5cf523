#include "support/ascii.hpp"

#include <agent_audit/support/suggest.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace agent_audit {
namespace {

// Two words in lower case that look the same: O and 0, l and 1.
bool look_alike(std::string_view a, std::string_view b) {
    const auto shape = [](char c) { return c == 'o' ? '0' : c == 'l' || c == 'i' ? '1' : c; };
    return std::ranges::equal(a, b, {}, shape, shape);
}

// Edits between two short words; two swapped neighbours are one edit, as fingers make it.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    const std::size_t width = b.size() + 1;
    std::vector<std::size_t> cost((a.size() + 1) * width);
    const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& { return cost[i * width + j]; };
    for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = i;
    for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
            at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, change});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
        }
    }
    return at(a.size(), b.size());
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
    std::string_view best;
    std::size_t best_distance = std::string_view::npos;
    if (word.size() > 100) return best;
    constexpr std::size_t kMostEdits = 3;
    const std::string meant = lowered(word);
    for (const std::string_view candidate : candidates) {
        const std::size_t longer = std::max(word.size(), candidate.size());
        if (longer - std::min(word.size(), candidate.size()) > kMostEdits) continue;  // it takes as many edits at least
        const std::string known = lowered(candidate);
        const std::size_t distance = look_alike(meant, known) ? 0 : edit_distance(meant, known);
        if (distance <= kMostEdits && distance * 3 <= longer && distance < best_distance) {
            best = candidate;
            best_distance = distance;
        }
    }
    constexpr std::size_t kBeginning = 3, kBeginningWithSlip = 6;
    // The beginning of one that is longer, as `warn` is of `warning`. More than one edit is less likely than that.
    const auto longer = std::ranges::find_if(candidates, [&](std::string_view candidate) {
        return word.size() >= kBeginning && lowered(candidate.substr(0, word.size())) == meant;
    });
    if (!best.empty()) return best_distance > 1 && longer != candidates.end() ? *longer : best;
    // A name without its group: `exact-repeat` of `loop/exact-repeat`.
    if (word.find('/') == word.npos) {
        for (const std::string_view candidate : candidates) {
            const std::size_t slash = candidate.find('/');
            if (slash == candidate.npos) continue;
            const std::string known = lowered(candidate.substr(slash + 1));
            if (known == meant || (word.size() >= kBeginningWithSlip && edit_distance(meant, known) <= 1))
                return candidate;
        }
    }
    if (longer != candidates.end()) return *longer;
    // The same with a slip in it.
    if (word.size() < kBeginningWithSlip) return best;
    for (const std::string_view candidate : candidates) {
        if (candidate.size() <= word.size()) continue;
        for (std::size_t n = word.size() - 1; n <= word.size() + 1; ++n) {
            if (edit_distance(meant, lowered(candidate.substr(0, n))) <= 1) return candidate;
        }
    }
    return best;
}

}  // namespace agent_audit
