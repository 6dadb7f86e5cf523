#include "detectors/words/repetition.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <tuple>

using namespace agent_audit::detectors;

namespace {

// Slow and plain: every period, every stretch.
std::vector<Repetition> oracle(const std::vector<std::uint32_t>& s, const RepetitionLimits& limits) {
    std::vector<Repetition> found;
    for (std::size_t p = 1; p <= std::min(limits.max_period, s.size() / 2); ++p) {
        for (std::size_t at = p; at < s.size(); ++at) {
            if (s[at] != s[at - p]) continue;
            const std::size_t begin = at - p;
            while (at < s.size() && s[at] == s[at - p]) ++at;
            const Repetition r{begin, at, p};
            const bool shorter = std::ranges::any_of(
                found, [&r](const Repetition& known) { return known.begin <= r.begin && r.end <= known.end; });
            if (r.rounds() >= limits.min_rounds && r.size() >= limits.min_size && !shorter) found.push_back(r);
        }
    }
    return found;
}

std::vector<Repetition> sorted(std::vector<Repetition> list) {
    std::ranges::sort(list, {}, [](const Repetition& r) { return std::tuple(r.begin, r.end, r.period); });
    return list;
}

std::vector<std::uint32_t> random_symbols(std::mt19937& random, std::size_t size, std::uint32_t alphabet) {
    std::vector<std::uint32_t> s(size);
    for (auto& symbol : s) symbol = random() % alphabet;
    return s;
}

void plant(std::vector<std::uint32_t>& s, std::size_t at, std::size_t period, std::size_t size) {
    for (std::size_t i = at + period; i < at + size && i < s.size(); ++i) s[i] = s[i - period];
}

}  // namespace

TEST_SUITE("find_repetitions") {
    TEST_CASE("finds what the oracle finds, in streams with few symbols and planted stretches") {
        std::mt19937 random(7);
        for (int trial = 0; trial < 1500; ++trial) {
            auto s = random_symbols(random, 20 + random() % 300, 1 + random() % 5);
            for (unsigned n = random() % 3; n > 0; --n)
                plant(s, random() % s.size(), 1 + random() % 40, random() % 200);
            const RepetitionLimits limits{2 + random() % 4, 4 + random() % 60, 1000};
            const auto found = sorted(find_repetitions(s, limits));
            const auto expected = sorted(oracle(s, limits));
            CAPTURE(trial);
            // Once a stretch covers nine tenths it stops: then all it found is right, and the longest is among it.
            const auto longest = [](const auto& list) {
                std::size_t size = 0;
                for (const Repetition& r : list) size = std::max(size, r.size());
                return size;
            };
            if (longest(expected) * 10 < s.size() * 9) {
                CHECK(found == expected);
            } else {
                CHECK(longest(found) * 10 >= s.size() * 9);
                for (const Repetition& r : found) CHECK(std::ranges::count(expected, r) == 1);
            }
        }
    }

    TEST_CASE("a period of thousands is found to the symbol") {
        std::mt19937 random(8);
        for (const std::size_t period : {33u, 500u, 4000u, 9001u}) {
            auto s = random_symbols(random, 3000 + 5 * period, 1u << 30);
            plant(s, 1000, period, 4 * period);
            const auto found = find_repetitions(s, {});
            REQUIRE(found.size() == 1);
            CHECK(found[0] == Repetition{1000, 1000 + 4 * period, period});
        }
    }

    TEST_CASE("a unit in which every word group occurs twice has its full period") {
        // a a b b with a and b of eight symbols: 8-grams inside come back at the distance 8, too.
        std::vector<std::uint32_t> s;
        for (int round = 0; round < 10; ++round) {
            for (const std::uint32_t base : {0u, 0u, 10u, 10u}) {
                for (std::uint32_t i = 0; i < 8; ++i) s.push_back(base + i);
            }
        }
        s.push_back(77);
        const auto found = find_repetitions(s, {});
        REQUIRE(found.size() == 1);
        CHECK(found[0] == Repetition{0, 320, 32});
    }

    TEST_CASE("three rounds are not four, and 59 symbols are not 60") {
        std::vector<std::uint32_t> s(59, 1);
        CHECK(find_repetitions(s, {}).empty());
        s.push_back(1);
        CHECK(find_repetitions(s, {}).size() == 1);
        std::mt19937 random(9);
        auto t = random_symbols(random, 500, 1u << 30);
        plant(t, 100, 50, 199);
        CHECK(find_repetitions(t, {}).empty());
    }

    TEST_CASE("streams made to cost time come to an end") {
        // Long stretches of one symbol make every period match for long.
        std::vector<std::uint32_t> s(200'000, 1);
        for (std::size_t i = 0; i < s.size(); i += 37'001) s[i] = static_cast<std::uint32_t>(i + 2);
        CHECK_FALSE(find_repetitions(s, {}).empty());
        for (std::size_t i = 0; i < s.size(); i += 61) s[i] = static_cast<std::uint32_t>(i + 2);
        CHECK(find_repetitions(s, {}).size() > 10);
        CHECK(find_repetitions({}, {}).empty());
    }
}
