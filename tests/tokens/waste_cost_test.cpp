#include "tokens/waste_cost.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace agent_audit;

namespace {

// Input costs 1 micro-dollar a token, above a prompt of 1,000 tokens 2; output 10. The dear one's input costs 5.
ModelTable two_models() {
    ModelTable table;
    PriceEntry tiered;
    tiered.model = "tiered";
    tiered.prices.input = 1'000'000;
    tiered.prices.output = 10'000'000;
    PriceEntry dear = tiered;
    dear.model = "dear";
    dear.prices.input = 5'000'000;
    PriceFields beyond = tiered.prices;
    beyond.input = 2'000'000;
    tiered.tiers = std::vector<PriceEntry::Tier>{{1'000, beyond}};
    table.overlay(std::vector{tiered, dear});
    return table;
}

SessionUsage lane_of(const std::vector<TokenCounts>& requests) {
    SessionUsage usage;
    usage.models = {"tiered", "dear", "unknown"};
    for (const TokenCounts& t : requests) {
        RequestRecord& r = usage.requests.emplace_back();
        r.input = static_cast<std::uint32_t>(t.input);
        r.output = static_cast<std::uint32_t>(t.output);
    }
    return usage;
}

}  // namespace

TEST_SUITE("cost of waste") {
    TEST_CASE("it is the price of the requests between the two sums") {
        SessionUsage usage = lane_of({{100, 0, 0, 1, 0}, {200, 0, 0, 2, 0}, {300, 0, 0, 3, 0}, {400, 0, 0, 4, 0}});
        usage.requests[2].model = 1;
        const ModelTable models = two_models();
        const auto cost = [&](const TokenCounts& wasted) { return waste_cost(usage, 0, wasted, models); };
        CHECK(cost({500, 0, 0, 5, 0})->micro_dollars() == 200 + 20 + 1'500 + 30);
        CHECK(cost({400, 0, 0, 4, 0})->micro_dollars() == 400 + 40);
        CHECK_FALSE(cost({}));
        usage.requests[2].model = 2;
        CHECK_FALSE(cost({500, 0, 0, 5, 0}));
        CHECK(cost({100, 0, 0, 1, 0})->micro_dollars() == 110);
        usage.requests[3].input = 4'000;
        CHECK(cost({4'000, 0, 0, 4, 0})->micro_dollars() == 8'040);
    }

    TEST_CASE("requests of other lanes are none of its own") {
        SessionUsage usage = lane_of({{100, 0, 0, 1, 0}, {7, 0, 0, 1, 0}, {200, 0, 0, 2, 0}});
        usage.requests[1].lane = 1;
        CHECK(waste_cost(usage, 0, {300, 0, 0, 3, 0}, two_models())->micro_dollars() == 330);
        CHECK_FALSE(waste_cost(usage, 2, {300, 0, 0, 3, 0}, two_models()));
    }

    TEST_CASE("a sum of no requests has the price of the lane's only model") {
        SessionUsage usage = lane_of({{100, 0, 0, 1, 0}, {200, 0, 0, 2, 0}});
        CHECK(waste_cost(usage, 0, {150, 0, 0, 2, 0}, two_models())->micro_dollars() == 170);
        usage.requests[1].input = 2'000;
        CHECK_FALSE(waste_cost(usage, 0, {150, 0, 0, 2, 0}, two_models()));  // which of its prices?
        usage.requests[1].input = 200;
        usage.requests[1].model = 1;
        CHECK_FALSE(waste_cost(usage, 0, {150, 0, 0, 2, 0}, two_models()));
    }
}
