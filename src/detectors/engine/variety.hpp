#pragma once

#include <agent_audit/detectors/step.hpp>

#include <cstdint>
#include <vector>

namespace agent_audit::detectors {

/// Do the calls of a repetition go through many things, or ask one and the same in other words? Bounded, and done with
/// the first call that comes again.
class Variety {
public:
    void add(const Step& step);
    void reset();

    /// No call came twice, and one in four at least, the first not alone, names something that no call before it named:
    /// several questions may be asked of each thing.
    bool each_another() const { return !again_ && named_ * kQuestions + 1 >= calls_.size() && named_ > 1; }

    /// No call came twice.
    bool none_again() const { return !again_ && calls_.size() > 1; }

private:
    static constexpr std::size_t kQuestions = 4;
    static constexpr std::size_t kMost = 512;  // calls; longer rows are no list that a person hands out
    static constexpr std::size_t kBits = 4096;

    bool names_something_new(const Step& step);

    std::vector<std::uint64_t> calls_, words_;  // hashes; bits of hashes
    std::size_t named_ = 0;
    bool again_ = false;
};

}  // namespace agent_audit::detectors
