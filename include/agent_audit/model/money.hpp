#pragma once

#include <cstdint>
#include <optional>

namespace agent_audit {

/// Money in millionths of a micro-dollar, so that prices of single tokens add up exactly; saturates.
class Money {
public:
    constexpr Money() = default;
    constexpr explicit Money(std::uint64_t parts) : parts_(parts) {}
    constexpr std::uint64_t parts() const { return parts_; }
    /// Rounded half up. Round sums, not their parts.
    constexpr std::uint64_t micro_dollars() const { return parts_ / kParts + (parts_ % kParts >= kParts / 2 ? 1 : 0); }

    constexpr Money& operator+=(Money more) {
        parts_ = parts_ > UINT64_MAX - more.parts_ ? UINT64_MAX : parts_ + more.parts_;
        return *this;
    }
    constexpr Money& operator-=(Money less) {
        parts_ = parts_ > less.parts_ ? parts_ - less.parts_ : 0;
        return *this;
    }
    friend constexpr bool operator==(Money, Money) = default;

private:
    static constexpr std::uint64_t kParts = 1'000'000;
    std::uint64_t parts_ = 0;
};

/// A sum of money by what it was paid for. The parts do not overlap.
struct CostParts {
    Money input, cache_write, cache_read, output;

    constexpr Money sum() const {
        Money all = input;
        for (const Money part : {cache_write, cache_read, output}) all += part;
        return all;
    }
    constexpr CostParts& operator+=(const CostParts& o) {
        input += o.input;
        cache_write += o.cache_write;
        cache_read += o.cache_read;
        output += o.output;
        return *this;
    }
    constexpr CostParts& operator-=(const CostParts& o) {
        input -= o.input;
        cache_write -= o.cache_write;
        cache_read -= o.cache_read;
        output -= o.output;
        return *this;
    }
    friend constexpr bool operator==(const CostParts&, const CostParts&) = default;
};

/// What a number of requests costs by list price, as far as their models have one.
struct RequestCost {
    Money known;
    std::uint64_t priced_requests = 0;
    std::uint64_t unpriced_requests = 0;  ///< of models without a known price, or without their prompts

    constexpr void add(const std::optional<Money>& cost) {
        if (cost) known += *cost;
        ++(cost ? priced_requests : unpriced_requests);
    }
    constexpr void remove(const std::optional<Money>& cost) {
        if (cost) known -= *cost;
        std::uint64_t& requests = cost ? priced_requests : unpriced_requests;
        if (requests > 0) --requests;
    }
    constexpr RequestCost& operator+=(const RequestCost& o) {
        known += o.known;
        priced_requests += o.priced_requests;
        unpriced_requests += o.unpriced_requests;
        return *this;
    }
    /// Nothing where no request has a known price: unknown is not free.
    constexpr std::optional<std::uint64_t> micro_dollars() const {
        if (priced_requests == 0) return {};
        return known.micro_dollars();
    }
};

}  // namespace agent_audit
