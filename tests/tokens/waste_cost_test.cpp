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

/// The first `dear` requests are of the model that costs five times as much.
SessionUsage lane_of(const std::vector<TokenCounts>& requests, std::size_t dear = 0) {
    SessionUsage usage;
    usage.models = {"tiered", "dear", "unknown"};
    for (const TokenCounts& t : requests) {
        if (usage.requests.size() % SessionUsage::kBegunEvery == 0) usage.begun.push_back(10 * usage.requests.size());
        RequestRecord& r = usage.requests.push_back({});
        r.input = static_cast<std::uint32_t>(t.input);
        r.output = static_cast<std::uint32_t>(t.output);
        r.model = usage.requests.size() <= dear ? 1 : 0;
    }
    return usage;
}

/// Of a few requests, the one with this number: to be changed.
RequestRecord& request(SessionUsage& usage, std::size_t number) {
    return usage.requests.recent(usage.requests.size() - 1 - number);
}

std::optional<Money> waste_cost(const SessionUsage& usage, std::uint32_t lane, const TokenCounts& wasted,
                                const ModelTable& models) {
    return WasteCost(usage, models).of(lane, {0, 10 * usage.requests.size()}, wasted);
}

}  // namespace

TEST_SUITE("cost of waste") {
    TEST_CASE("it is the price of the requests between the two sums") {
        SessionUsage usage = lane_of({{100, 0, 0, 1, 0}, {200, 0, 0, 2, 0}, {300, 0, 0, 3, 0}, {400, 0, 0, 4, 0}});
        request(usage, 2).model = 1;
        const ModelTable models = two_models();
        const auto cost = [&](const TokenCounts& wasted) { return waste_cost(usage, 0, wasted, models); };
        CHECK(cost({500, 0, 0, 5, 0})->micro_dollars() == 200 + 20 + 1'500 + 30);
        CHECK(cost({400, 0, 0, 4, 0})->micro_dollars() == 400 + 40);
        CHECK_FALSE(cost({}));
        request(usage, 2).model = 2;
        CHECK_FALSE(cost({500, 0, 0, 5, 0}));
        CHECK(cost({100, 0, 0, 1, 0})->micro_dollars() == 110);
        request(usage, 3).input = 4'000;
        CHECK(cost({4'000, 0, 0, 4, 0})->micro_dollars() == 8'040);
    }

    TEST_CASE("requests of other lanes are none of its own") {
        SessionUsage usage = lane_of({{100, 0, 0, 1, 0}, {7, 0, 0, 1, 0}, {200, 0, 0, 2, 0}});
        request(usage, 1).lane = 1;
        CHECK(waste_cost(usage, 0, {300, 0, 0, 3, 0}, two_models())->micro_dollars() == 330);
        CHECK_FALSE(waste_cost(usage, 2, {300, 0, 0, 3, 0}, two_models()));
    }

    TEST_CASE("a sum of no requests has the price of the lane's only model") {
        SessionUsage usage = lane_of({{100, 0, 0, 1, 0}, {200, 0, 0, 2, 0}});
        CHECK(waste_cost(usage, 0, {150, 0, 0, 2, 0}, two_models())->micro_dollars() == 170);
        request(usage, 1).input = 2'000;
        CHECK_FALSE(waste_cost(usage, 0, {150, 0, 0, 2, 0}, two_models()));  // which of its prices?
        request(usage, 1).input = 200;
        request(usage, 1).model = 1;
        CHECK_FALSE(waste_cost(usage, 0, {150, 0, 0, 2, 0}, two_models()));
    }

    TEST_CASE("only requests at its place are its own") {
        std::vector<TokenCounts> requests(1000, {100, 0, 0, 1, 0});
        const SessionUsage usage = lane_of(requests, 500);
        const ModelTable models = two_models();
        WasteCost cost(usage, models);
        CHECK(cost.of(0, {1'000, 1'020}, {200, 0, 0, 2, 0})->micro_dollars() == 2 * (500 + 10));
        CHECK(cost.of(0, {8'000, 8'020}, {200, 0, 0, 2, 0})->micro_dollars() == 2 * (100 + 10));
        CHECK(cost.of(0, {9'990, 10'000}, {200, 0, 0, 2, 0})->micro_dollars() == 2 * (100 + 10));
        CHECK(cost.of(0, {0, 10'000}, {100'000, 0, 0, 1'000, 0})->micro_dollars() ==
              500 * (500 + 10) + 500 * (100 + 10));
    }
}
