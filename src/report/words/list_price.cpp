#include "report/words/list_price.hpp"

#include "report/words/human.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>

namespace agent_audit::report {

std::string list_price(const RequestCost& cost) {
    const auto known = cost.micro_dollars();
    if (!known) return cost.unpriced_requests > 0 ? "unknown" : "";
    return money(*known) + (cost.unpriced_requests > 0 ? "+" : "");
}

std::vector<std::string> cost_parts(const CostParts& parts) {
    struct Part {
        const char* name;
        std::uint64_t micro_dollars;
    };
    std::array<Part, 4> all{{{"cache reads", parts.cache_read.micro_dollars()},
                             {"cache writes", parts.cache_write.micro_dollars()},
                             {"output", parts.output.micro_dollars()},
                             {"input", parts.input.micro_dollars()}}};
    std::ranges::stable_sort(all, std::greater<>{}, &Part::micro_dollars);
    constexpr std::uint64_t kAsked = 1'000'000;  // micro-dollars
    constexpr double kWorthAWord = 0.005;
    std::vector<std::string> words;
    const std::uint64_t sum = parts.sum().micro_dollars();
    if (sum < kAsked) return words;
    for (const Part& part : all) {
        const double share = static_cast<double>(part.micro_dollars) / static_cast<double>(sum);
        if (share < kWorthAWord) break;
        words.push_back(fmt::format("{} {} ({})", part.name, money(part.micro_dollars), percent(share)));
    }
    return words.size() > 1 ? words : std::vector<std::string>{};
}

}  // namespace agent_audit::report
