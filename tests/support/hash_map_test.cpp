#include <agent_audit/support/hash_map.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <string>
#include <unordered_map>

using namespace agent_audit;

TEST_SUITE("support: hash_map") {
    TEST_CASE("it holds what a map of the library would hold, whatever is put and taken") {
        std::mt19937_64 random(11);
        // Few keys, of which many share their place: so what is erased stands in the way of others.
        for (const std::uint64_t keys : {3u, 40u, 3000u}) {
            HashMap<std::string> map;
            std::unordered_map<std::uint64_t, std::string> known;
            for (int round = 0; round < 20'000; ++round) {
                const std::uint64_t key = random() % keys * (round % 2 == 0 ? 1 : 0x10000000000ULL);
                if (random() % 3 == 0) {
                    map.erase(key);
                    known.erase(key);
                } else {
                    const auto [value, fresh] = map.try_emplace(key);
                    REQUIRE(fresh == !known.contains(key));
                    REQUIRE(*value == known[key]);
                    *value = known[key] = std::to_string(round);
                }
                REQUIRE(map.size() == known.size());
            }
            for (std::uint64_t key = 0; key < keys; ++key) {
                REQUIRE(map.contains(key) == known.contains(key));
                if (const std::string* value = map.find(key)) CHECK(*value == known[key]);
            }
        }
    }

    TEST_CASE("a value that was erased or cleared away begins anew") {
        HashMap<int> map;
        CHECK(map.empty());
        CHECK(map.find(0) == nullptr);
        for (const std::uint64_t key : {0u, 7u}) {
            map[key] = 5;
            map.erase(key);
            CHECK(map[key] == 0);
        }
        CHECK(map.size() == 2);
        map.clear();
        CHECK(map.empty());
        CHECK_FALSE(map.contains(7));
    }
}
