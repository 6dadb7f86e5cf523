#include <agent_audit/tokens/request_list.hpp>

#include <doctest/doctest.h>

#include <random>
#include <vector>

using namespace agent_audit;

namespace {

std::vector<RequestRecord> all_of(const RequestList& list) {
    std::vector<RequestRecord> all;
    for (const RequestRecord& r : list) all.push_back(r);
    return all;
}

/// Requests of every size that a count can have, in few lanes and models.
std::vector<RequestRecord> various(std::size_t count) {
    std::mt19937_64 random(7);
    const auto number = [&](unsigned most_bits) {
        return static_cast<std::uint32_t>(random() >> (64 - 1 - random() % most_bits));
    };
    std::vector<RequestRecord> requests(count);
    for (RequestRecord& r : requests) {
        if (random() % 4 != 0) r.message_key = random();
        r.request_key = number(24) & 0xffffff;
        for (std::uint32_t* field : {&r.input, &r.cache_write, &r.cache_read, &r.output}) *field = number(32);
        if (random() % 2 == 0) r.reasoning = number(32);
        if (random() % 2 == 0) r.cache_write_1h = number(32);
        r.lane = random() % 3 == 0 ? number(32) : 1;
        r.model = random() % 3 == 0 ? number(32) : 1;
        r.sidechain = random() % 2 == 0;
    }
    requests.front().input = 0xffffffff;
    requests.front().request_key = 0xffffff;
    return requests;
}

}  // namespace

TEST_SUITE("request list") {
    TEST_CASE("what is put in comes out, wherever the list ends") {
        const std::vector<RequestRecord> requests = various(150);
        RequestList list;
        CHECK(list.empty());
        CHECK(all_of(list).empty());
        for (std::size_t n = 1; n <= requests.size(); ++n) {
            list.push_back(requests[n - 1]);
            CAPTURE(n);
            REQUIRE(list.size() == n);
            CHECK(list.recent(0) == requests[n - 1]);
            REQUIRE(all_of(list) == std::vector(requests.begin(), requests.begin() + static_cast<std::ptrdiff_t>(n)));
        }
        for (std::size_t i = 0; i < requests.size(); ++i) {
            CAPTURE(i);
            CHECK(list[i] == requests[i]);
            CHECK(list.from(i).number() == i);
        }
        CHECK(list.from(list.size()) == list.end());
    }

    TEST_CASE("the newest can be changed, and stay where they are") {
        const std::vector<RequestRecord> requests = various(100);
        RequestList list;
        RequestRecord* first = &list.push_back(requests[0]);
        for (std::size_t i = 1; i < RequestList::kOpen; ++i) list.push_back(requests[i]);
        CHECK(first == &list.recent(RequestList::kOpen - 1));
        first->output = 4'242;
        for (std::size_t i = RequestList::kOpen; i < requests.size(); ++i) list.push_back(requests[i]);
        CHECK(list[0].output == 4'242);
        list.recent(3).lane = 99;
        CHECK(list[requests.size() - 4].lane == 99);
    }

    TEST_CASE("a model that is renamed is renamed in all requests, those to come among them") {
        RequestList list;
        for (std::uint32_t i = 0; i < 100; ++i) {
            RequestRecord r;
            r.model = i % 3 == 0 ? 1 : i % 3;
            list.push_back(r);
        }
        list.rename_model(1, 0);
        RequestRecord late;
        late.model = 1;
        list.push_back(late);
        std::vector<std::uint32_t> models;
        for (const RequestRecord& r : list) models.push_back(r.model);
        for (std::size_t i = 0; i < 100; ++i) CHECK(models[i] == (i % 3 == 2 ? 2 : 0));
        CHECK(models.back() == 0);
        CHECK(list[2].model == 2);
    }

    TEST_CASE("what was taken is let go of while the list is walked, and a copy keeps it") {
        const std::vector<RequestRecord> requests = various(300);
        RequestList list;
        for (const RequestRecord& r : requests) list.push_back(r);
        const RequestList copy = list;
        std::vector<RequestRecord> taken;
        for (auto next = list.begin(); next != list.end();) {
            for (unsigned i = 0; i < 7 && next != list.end(); ++i, ++next) taken.push_back(*next);
            list.drop_before(next.number());
        }
        CHECK(taken == requests);
        CHECK(all_of(copy) == requests);
    }
}
