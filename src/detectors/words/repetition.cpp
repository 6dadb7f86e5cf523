#include "detectors/words/repetition.hpp"

#include <algorithm>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kMostFound = 1024;
constexpr std::size_t kWorkPerSymbol = 64, kWorkAtLeast = 1u << 18;

class Search {
public:
    Search(std::span<const std::uint32_t> symbols, const RepetitionLimits& limits)
        : s_(symbols), limits_(limits), work_left_(kWorkPerSymbol * symbols.size() + kWorkAtLeast) {}

    std::vector<Repetition> run() {
        const std::size_t longest =
            std::min(limits_.max_period, s_.size() / std::max<std::size_t>(limits_.min_rounds, 2));
        for (std::size_t period = 1; period <= longest && !done_; ++period) try_period(period);
        return std::move(found_);
    }

private:
    void try_period(std::size_t p) {
        for (std::size_t at = p; at < s_.size() && !done_; at += p) {
            if (s_[at] != s_[at - p]) continue;
            spend(found_.size() + 1);
            if (const Repetition* known = multiple_of_known(at, p)) {
                at = known->end - known->end % p;
                continue;
            }
            const Repetition r = extend(at, p);
            spend(r.size() + found_.size());
            if (r.rounds() >= limits_.min_rounds && r.size() >= limits_.min_size && !inside_known(r)) keep(r);
            at = r.end - r.end % p;  // no multiple of p before the end of the stretch can begin another one
        }
    }

    void spend(std::size_t work) {
        if (work > work_left_) done_ = true;
        work_left_ -= std::min(work, work_left_);
    }

    Repetition extend(std::size_t at, std::size_t p) const {
        std::size_t low = at;
        while (low > p && s_[low - 1] == s_[low - 1 - p]) --low;
        std::size_t high = at + 1;
        while (high < s_.size() && s_[high] == s_[high - p]) ++high;
        return {low - p, high, p};
    }

    void keep(const Repetition& r) {
        found_.push_back(r);
        // Nothing longer can come when nearly all is said.
        if (found_.size() >= kMostFound || r.size() * 10 >= s_.size() * 9) done_ = true;
    }

    // A stretch with a shorter period repeats with its multiples, too: that is nothing new.
    const Repetition* multiple_of_known(std::size_t at, std::size_t p) const {
        for (const Repetition& known : found_) {
            if (p % known.period == 0 && at - p >= known.begin && at < known.end) return &known;
        }
        return nullptr;
    }
    bool inside_known(const Repetition& r) const {
        return std::ranges::any_of(
            found_, [&r](const Repetition& known) { return known.begin <= r.begin && r.end <= known.end; });
    }

    std::span<const std::uint32_t> s_;
    RepetitionLimits limits_;
    std::size_t work_left_;
    bool done_ = false;
    std::vector<Repetition> found_;
};

}  // namespace

std::vector<Repetition> find_repetitions(std::span<const std::uint32_t> symbols, const RepetitionLimits& limits) {
    return Search(symbols, limits).run();
}

}  // namespace agent_audit::detectors
