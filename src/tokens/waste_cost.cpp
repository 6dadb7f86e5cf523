#include "tokens/waste_cost.hpp"

#include <algorithm>

namespace agent_audit {
namespace {

// The requests in a row that add up to `wasted`: a window grows at its end and shrinks at its beginning.
std::pair<std::size_t, std::size_t> window_of(const std::vector<RequestRecord>& requests, const TokenCounts& wasted) {
    TokenCounts sum;
    std::size_t begin = 0;
    for (std::size_t end = 0; end < requests.size();) {
        sum += requests[end++].counts();
        while (begin < end && sum.total() > wasted.total()) sum = minus(sum, requests[begin++].counts());
        if (begin < end && sum == wasted) return {begin, end};
    }
    return {0, 0};
}

}  // namespace

std::optional<Money> WasteCost::of(std::uint32_t lane, Span span, const TokenCounts& wasted) {
    if (wasted.total() == 0) return {};
    const Requests requests = requests_of(lane, span);
    const auto [begin, end] = window_of(requests, wasted);
    if (begin == end) return price_of_one_model(lane, wasted);
    Money sum;
    for (std::size_t i = begin; i < end; ++i) {
        const ModelInfo* model = model_of(requests[i]);
        const auto price = model ? cost(*model, billed(requests[i].counts())) : std::nullopt;
        if (!price) return {};
        sum += *price;
    }
    return sum;
}

// A whole stride more at either end: a response is told before or behind its calls.
WasteCost::Requests WasteCost::requests_of(std::uint32_t lane, Span span) const {
    constexpr std::size_t kEvery = SessionUsage::kBegunEvery;
    const auto& begun = usage_.begun;
    const auto until = static_cast<std::size_t>(std::ranges::lower_bound(begun, span.first) - begun.begin());
    const auto beyond = static_cast<std::size_t>(std::ranges::upper_bound(begun, span.last) - begun.begin());
    const std::size_t first = until < 2 ? 0 : (until - 2) * kEvery;
    const std::size_t end = std::min((beyond + 1) * kEvery, usage_.requests.size());
    Requests out;
    if (first >= end) return out;
    for (auto r = usage_.requests.from(first); r.number() < end; ++r) {
        if (r->lane == lane && r->sum() > 0) out.push_back(*r);
    }
    return out;
}

std::optional<Money> WasteCost::price_of_one_model(std::uint32_t lane, const TokenCounts& wasted) {
    if (!lanes_) lanes_ = lanes_of_session();
    const auto known = std::ranges::lower_bound(*lanes_, lane, {}, &Lane::number);
    if (known == lanes_->end() || known->number != lane || !known->model || !known->model->prices) return {};
    const ModelInfo& model = *known->model;
    if (!model.tiers.empty() && known->longest > model.tiers.front().above) return {};
    ModelInfo flat = model;
    flat.tiers.clear();
    return cost(flat, billed(wasted));
}

std::vector<WasteCost::Lane> WasteCost::lanes_of_session() const {
    std::vector<Lane> lanes;
    for (const RequestRecord& r : usage_.requests) {
        if (r.sum() == 0) continue;
        auto at = std::ranges::lower_bound(lanes, r.lane, {}, &Lane::number);
        if (at == lanes.end() || at->number != r.lane) at = lanes.insert(at, {r.lane, model_of(r), r.model, 0});
        if (r.model != at->first) at->model = nullptr;
        at->longest = std::max(at->longest, r.counts().prompt());
    }
    return lanes;
}

}  // namespace agent_audit
