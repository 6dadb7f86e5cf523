#pragma once

#include <agent_audit/support/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit {

/// Prices of one token in millionths of a micro-dollar: USD per million tokens with six decimals, as a whole number.
/// Absent: not given.
struct PriceFields {
    std::optional<std::uint64_t> input, output, cache_read, cache_write, cache_write_1h;
};

/// What a price file says about one model.
struct PriceEntry {
    std::string model;
    std::optional<std::string> provider;
    std::optional<std::uint64_t> context_window, max_output;
    PriceFields prices;
    struct Tier {
        std::uint64_t above = 0;  ///< prompt tokens beyond which the whole request has these prices
        PriceFields prices;
    };
    std::optional<std::vector<Tier>> tiers;
};

/// Reads {"models": {"id": {"input": 3, "output": 15, "cache_read": 0.3, "context_window": 200000, "tiers":
/// [{"input_tokens_above": 200000, "input": 6}]}}}: USD per million tokens. Unknown fields of a model are passed over,
/// so lists made for other programs can be used; a price that is no number from 0 to 1,000,000 is an error.
Result<std::vector<PriceEntry>> parse_price_file(std::string_view text, std::string_view source);

}  // namespace agent_audit
