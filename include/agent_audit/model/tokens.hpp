#pragma once

#include <cstdint>
#include <string_view>

namespace agent_audit {

/// Tokens of one request, or a sum of several. The four parts never overlap:
/// prompt = input + cache_write + cache_read, and reasoning is a part of output.
/// Producers that count cached tokens inside the input are normalised by their reader.
struct TokenCounts {
    std::uint64_t input = 0;        ///< prompt tokens that were neither read from nor written to a cache
    std::uint64_t cache_write = 0;  ///< prompt tokens written to the prompt cache
    std::uint64_t cache_read = 0;   ///< prompt tokens read from the prompt cache
    std::uint64_t output = 0;       ///< generated tokens, reasoning included
    std::uint64_t reasoning = 0;    ///< the part of output that is reasoning, where the producer says so
    std::uint64_t cache_write_1h =
        0;  ///< the part of cache_write that was bought for an hour, where the producer says so

    constexpr std::uint64_t prompt() const { return input + cache_write + cache_read; }
    constexpr std::uint64_t total() const { return prompt() + output; }
    /// Nothing is answered that was not sent: the producer wrote down the answers' size alone.
    constexpr bool lacks_prompt() const { return prompt() == 0 && output > 0; }

    constexpr TokenCounts& operator+=(const TokenCounts& o) {
        input += o.input;
        cache_write += o.cache_write;
        cache_read += o.cache_read;
        output += o.output;
        reasoning += o.reasoning;
        cache_write_1h += o.cache_write_1h;
        return *this;
    }
    friend constexpr bool operator==(const TokenCounts&, const TokenCounts&) = default;
};

/// Field-wise a - b, never below 0.
constexpr TokenCounts minus(const TokenCounts& a, const TokenCounts& b) {
    const auto sub = [](std::uint64_t x, std::uint64_t y) { return x > y ? x - y : 0; };
    return {sub(a.input, b.input),   sub(a.cache_write, b.cache_write), sub(a.cache_read, b.cache_read),
            sub(a.output, b.output), sub(a.reasoning, b.reasoning),     sub(a.cache_write_1h, b.cache_write_1h)};
}

/// Where token figures come from. Never mixed silently: a report always names it.
enum class TokensSource : std::uint8_t { none, reported, estimated };

constexpr std::string_view name(TokensSource source) {
    switch (source) {
        case TokensSource::none: return "none";
        case TokensSource::reported: return "reported";
        case TokensSource::estimated: return "estimated";
    }
    return "none";
}

}  // namespace agent_audit
