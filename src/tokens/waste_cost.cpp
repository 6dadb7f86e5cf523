#include "tokens/waste_cost.hpp"

#include <algorithm>
#include <vector>

namespace agent_audit {
namespace {

using Requests = std::vector<const RequestRecord*>;

Requests requests_of(const SessionUsage& usage, std::uint32_t lane) {
    Requests out;
    for (const RequestRecord& r : usage.requests) {
        if (r.lane == lane && r.sum() > 0) out.push_back(&r);
    }
    return out;
}

// The requests in a row that add up to `wasted`: a window grows at its end and shrinks at its beginning.
std::pair<std::size_t, std::size_t> window_of(const Requests& requests, const TokenCounts& wasted) {
    TokenCounts sum;
    std::size_t begin = 0;
    for (std::size_t end = 0; end < requests.size();) {
        sum += requests[end++]->counts();
        while (begin < end && sum.total() > wasted.total()) sum = minus(sum, requests[begin++]->counts());
        if (begin < end && sum == wasted) return {begin, end};
    }
    return {0, 0};
}

std::optional<Money> price_of_one_model(const Requests& requests, const TokenCounts& wasted, const ModelInfo* model) {
    if (!model || !model->prices) return {};
    for (const RequestRecord* r : requests) {
        const bool other_tier = !model->tiers.empty() && r->counts().prompt() > model->tiers.front().above;
        if (r->model != requests.front()->model || other_tier) return {};
    }
    ModelInfo flat = *model;
    flat.tiers.clear();
    return cost(flat, billed(wasted));
}

}  // namespace

std::optional<Money> waste_cost(const SessionUsage& usage, std::uint32_t lane, const TokenCounts& wasted, const ModelTable& models) {
    const Requests requests = requests_of(usage, lane);
    if (requests.empty() || wasted.total() == 0) return {};
    const auto model_of = [&](const RequestRecord& r) { return models.find(usage.models[r.model]); };
    const auto [begin, end] = window_of(requests, wasted);
    if (begin == end) return price_of_one_model(requests, wasted, model_of(*requests.front()));
    Money sum;
    for (std::size_t i = begin; i < end; ++i) {
        const ModelInfo* model = model_of(*requests[i]);
        const auto price = model ? cost(*model, billed(requests[i]->counts())) : std::nullopt;
        if (!price) return {};
        sum += *price;
    }
    return sum;
}

}  // namespace agent_audit
