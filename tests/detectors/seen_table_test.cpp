#include "detectors/engine/seen_table.hpp"

#include <doctest/doctest.h>

using namespace agent_audit::detectors;

namespace {

/// Keys as hashes are: all over the place. Never equal but for the lowest bit.
std::uint64_t key_of(std::uint64_t n) { return (n + 1) * 0x9e3779b97f4a7c15ULL << 1; }

}  // namespace

TEST_SUITE("seen table") {
    TEST_CASE("an unknown key begins with nothing, a known one keeps its values") {
        SeenTable table;
        CHECK(table.at(5).count == 0);
        CHECK(table.at(5).epoch == 0);
        table.at(5).count = 3;
        table.at(5).epoch = 9;
        CHECK(table.at(5).count == 3);
        CHECK(table.at(5).epoch == 9);
        CHECK(table.at(7).count == 0);
        table.at(0).count = 2;  // 0 is a key like any other
        CHECK(table.at(0).count == 2);
    }

    TEST_CASE("counts survive growing, and keys that fall into one slot are kept apart") {
        SeenTable table;
        for (std::uint64_t n = 0; n < 5000; ++n) table.at(n << 40).count = static_cast<std::uint32_t>(n + 1);
        std::size_t wrong = 0;
        for (std::uint64_t n = 0; n < 5000; ++n) wrong += table.at(n << 40).count != n + 1;
        CHECK(wrong == 0);
    }

    TEST_CASE("the last keys of a generation are always known, and old ones are forgotten") {
        constexpr std::uint64_t kGeneration = SeenTable::kGeneration;
        SeenTable table;
        for (std::uint64_t n = 0; n < kGeneration; ++n) table.at(key_of(n)).count = 1;
        table.at(key_of(kGeneration)).count = 1;  // turns the first generation into the old one
        std::size_t known = 0;
        for (std::uint64_t n = kGeneration / 2; n < kGeneration; ++n) known += table.at(key_of(n)).count;
        CHECK(known == kGeneration / 2);  // and they are young again
        for (std::uint64_t n = 0; n < kGeneration; ++n) table.at(key_of(10 * kGeneration + n)).count = 1;
        known = 0;
        for (std::uint64_t n = 0; n < kGeneration; ++n) known += table.at(key_of(10 * kGeneration + n)).count;
        CHECK(known == kGeneration);
        CHECK(table.at(key_of(0)).count == 0);  // last met two generations ago
    }

    TEST_CASE("clear forgets both generations") {
        SeenTable table;
        for (std::uint64_t n = 0; n <= SeenTable::kGeneration; ++n) table.at(key_of(n)).count = 1;
        table.clear();
        CHECK(table.at(key_of(0)).count == 0);
        CHECK(table.at(key_of(SeenTable::kGeneration)).count == 0);
        table.at(key_of(0)).count = 4;
        CHECK(table.at(key_of(0)).count == 4);
    }
}
