#include "readers/traces/langfuse_observation.hpp"

#include "readers/traces/observation.hpp"

#include <algorithm>
#include <array>

namespace agent_audit::readers {

// Where the total is that of input and output alone, what was cached is part of the input. So is what was reasoned of
// the output, unless the total has it besides.
TokenCounts LangfuseCounts::tokens() const {
    const std::uint64_t cached = read + written;
    const auto sums_to = [this](std::uint64_t prompt) {
        return total == prompt + output || total == prompt + output + reasoning;
    };
    const bool inside = cached > 0 && cached <= input && sums_to(input);
    const std::uint64_t prompt = inside ? input : input + cached;
    const bool beside = reasoning > output || (reasoning > 0 && total == prompt + output + reasoning);
    const std::uint64_t all_output = beside ? output + reasoning : output;
    return {inside ? input - cached : input, written, read, all_output, reasoning};
}

bool LangfuseCounts::collect(json::value& usage) {
    return each_field(usage, [this](const char* key, json::value& v) { return take(key_text(key), v); });
}

bool LangfuseCounts::take(std::string_view name, json::value& v) {
    const auto is_named = [name](const auto& names) { return is_one_of(name, names); };
    constexpr std::array<std::string_view, 3> kInput{"input", "input_tokens", "prompt_tokens"};
    constexpr std::array<std::string_view, 3> kOutput{"output", "output_tokens", "completion_tokens"};
    constexpr std::array<std::string_view, 2> kTotal{"total", "total_tokens"};
    constexpr std::array<std::string_view, 4> kRead{"input_cached_tokens", "cache_read_input_tokens",
                                                    "input_cache_read", "cached_tokens"};
    constexpr std::array<std::string_view, 3> kWritten{"cache_creation_input_tokens", "input_cache_creation",
                                                       "input_cache_write"};
    constexpr std::array<std::string_view, 2> kReasoning{"output_reasoning_tokens", "output_reasoning"};
    std::uint64_t* const field = is_named(kInput)       ? &input
                                 : is_named(kOutput)    ? &output
                                 : is_named(kTotal)     ? &total
                                 : is_named(kRead)      ? &read
                                 : is_named(kWritten)   ? &written
                                 : is_named(kReasoning) ? &reasoning
                                                        : nullptr;
    if (field) *field = std::max(*field, as_uint(v));
    return true;
}

bool collect_langfuse_cost(json::value& v, std::uint64_t& cost) {
    return each_field(v, [&cost](const char* key, json::value& w) {
        if (key_is(key, "total")) cost = microusd(number_in(w));
        return true;
    });
}

}  // namespace agent_audit::readers
