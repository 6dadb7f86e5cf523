#pragma once

#include <agent_audit/model/money.hpp>
#include <agent_audit/tokens/ledger.hpp>
#include <agent_audit/tokens/prices.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace agent_audit {

/// What a difference of two sums of a lane's requests costs by list price. The session and the table outlive it.
class WasteCost {
public:
    WasteCost(const SessionUsage& usage, const ModelTable& models) : usage_(usage), models_(models) {}

    /// The events between which the requests were told, by Event::head.seq, both inclusive.
    struct Span {
        std::uint64_t first = 0, last = 0;
    };

    /// `wasted` of `lane`: the price of the requests in the span, or a little before and behind it, that add up to it.
    /// Where none do (a figure was corrected in between), the price of the lane's only model, unless a request of the
    /// lane is long enough for another tier. Nothing: unknown.
    std::optional<Money> of(std::uint32_t lane, Span span, const TokenCounts& wasted);

private:
    using Requests = std::vector<RequestRecord>;
    struct Lane {
        std::uint32_t number = 0;
        const ModelInfo* model = nullptr;  // null: unknown, or not the only one
        std::uint32_t first = 0;           // index of that model
        std::uint64_t longest = 0;         // prompt, in tokens
    };

    Requests requests_of(std::uint32_t lane, Span span) const;
    std::optional<Money> price_of_one_model(std::uint32_t lane, const TokenCounts& wasted);
    std::vector<Lane> lanes_of_session() const;
    const ModelInfo* model_of(const RequestRecord& r) const { return models_.find(usage_.models[r.model]); }

    const SessionUsage& usage_;
    const ModelTable& models_;
    std::optional<std::vector<Lane>> lanes_;  // in the order of their numbers; made when the first one is asked for
};

}  // namespace agent_audit
