#include "pipeline/inputs/work_order.hpp"

#include <doctest/doctest.h>

#include <set>
#include <utility>
#include <vector>

using namespace agent_audit;

namespace {

InputPath input(std::uint64_t size, std::uint32_t archive = 0) {
    InputPath path;
    path.size = size;
    path.in_order = archive;
    return path;
}

std::vector<std::size_t> order_of(const WorkOrder& order) {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < order.size(); ++i) out.push_back(order[i]);
    return out;
}

}  // namespace

TEST_SUITE("work order") {
    TEST_CASE("the biggest input comes first, and of equal ones the first") {
        WorkOrder order(std::vector<InputPath>{input(3), input(9), input(3), input(0)});
        CHECK(order_of(order) == std::vector<std::size_t>{1, 0, 2, 3});
        CHECK(order.shares() == 4);
    }

    TEST_CASE("files of one archive are one share, in its order, and as big as all of them") {
        WorkOrder order(std::vector<InputPath>{input(5), input(1, 7), input(4, 7), input(2, 7), input(6), input(1, 8)});
        CHECK(order_of(order) == std::vector<std::size_t>{1, 2, 3, 4, 0, 5});
        CHECK(order.shares() == 4);
        CHECK(order.take() == std::pair<std::size_t, std::size_t>{0, 3});
        std::set<std::size_t> rest;
        while (const auto share = order.take()) {
            CHECK(share->second == share->first + 1);
            rest.insert(share->first);
        }
        CHECK(rest == std::set<std::size_t>{3, 4, 5});
        CHECK_FALSE(order.take());
    }

    TEST_CASE("without inputs there is nothing to do") {
        WorkOrder order(std::vector<InputPath>{});
        CHECK(order.size() == 0);
        CHECK_FALSE(order.take());
    }
}
