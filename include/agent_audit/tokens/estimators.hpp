#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace agent_audit {

/// How one agent estimates tokens without a vocabulary. Estimates are made of whole units, so that sums over the parts
/// of a message can be rounded once, as the agents do.
struct Estimator {
    std::string_view name;
    std::string_view doc;
    std::uint64_t (*units)(std::string_view wtf8);
    std::uint32_t units_per_token;
    bool round_up;
    std::uint32_t image_units = 0;     ///< what an image adds; 0: images are not counted this way
    std::uint32_t document_units = 0;  ///< what a PDF adds

    constexpr std::uint64_t tokens_of_units(std::uint64_t sum) const {
        return (sum + (round_up ? units_per_token - 1 : 0)) / units_per_token;
    }
    std::uint64_t tokens(std::string_view wtf8) const { return tokens_of_units(units(wtf8)); }
};

/// In the order in which they are shown; `chars4` first, the estimate that scans use (`run`) last.
std::span<const Estimator> all_estimators();
/// nullptr when there is none of this name.
const Estimator* find_estimator(std::string_view name);

}  // namespace agent_audit
