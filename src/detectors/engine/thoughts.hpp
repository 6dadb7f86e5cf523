#pragma once

#include <agent_audit/model/text.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// The longest string among the arguments of a call, which is the thought where a tool is there to think with:
/// {"thought": "The cache grows.", "thoughtNumber": 3}. Decoded; empty = there is none.
std::string thought_in(RawText args);

/// Thoughts that an agent notes down with no work in between, each with a name. One that says nothing new, nearly in
/// the words of an earlier one, has the name of that. Other figures are another thought. Bounded.
class Thoughts {
public:
    std::uint64_t name(std::string_view thought);
    void clear() {
        if (!row_.empty() || !said_.empty()) forget();
    }

private:
    static constexpr std::size_t kMost = 32;

    struct Thought {
        std::uint64_t name = 0;
        std::vector<std::uint32_t> words, figures;  // sorted
    };

    void forget();
    const Thought* like(const Thought& now) const;
    void keep(Thought now);

    std::vector<Thought> row_;
    std::vector<std::uint32_t> said_;  // words of all of them, sorted
    std::size_t next_ = 0;
};

}  // namespace agent_audit::detectors
