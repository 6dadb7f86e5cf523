#include "support/triple_filter.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <vector>

using namespace agent_audit;

namespace {

// Rectangles of nibbles, so that the filter is exact: "a".."c", any byte, and bytes outside ASCII.
constexpr std::array kTriples{Triple{0, {"ab", "1", "xz"}}, Triple{3, {"q", "", "q"}},
                              Triple{7, {"\xc2", "\xb5", "s"}}};
constexpr TripleTables kTables{kTriples};
// The same, where two of them ask for the byte in front.
constexpr std::array kLongTriples{Triple{0, {"ab", "1", "xz"}, "pq"}, Triple{3, {"q", "", "q"}},
                                  Triple{7, {"\xc2", "\xb5", "s"}, "."}};
constexpr TripleTables kLongTables{kLongTriples};

struct Case {
    const TripleTables& tables;
    std::span<const Triple> triples;
};
constexpr Case kCases[] = {{kTables, kTriples}, {kLongTables, kLongTriples}};

bool matches(const Triple& triple, std::string_view text, std::size_t at) {
    const char* const bytes = text.data() + at;
    if (!triple.before.empty() && (at == 0 || triple.before.find(bytes[-1]) == std::string_view::npos)) return false;
    for (std::size_t place = 0; place < 3; ++place) {
        const std::string_view set = triple.bytes[place];
        if (!set.empty() && set.find(bytes[place]) == set.npos) return false;
    }
    return true;
}

std::vector<std::size_t> naive_ends(const Case& c, std::string_view text) {
    std::vector<std::size_t> ends;
    for (std::size_t i = 2; i < text.size(); ++i) {
        for (const Triple& triple : c.triples) {
            if (!matches(triple, text, i - 2)) continue;
            ends.push_back(i);
            break;
        }
    }
    return ends;
}

std::vector<std::size_t> found_ends(const Case& c, std::string_view text, std::size_t from, SimdLevel level) {
    std::vector<std::uint64_t> masks((text.size() - from) / kTripleBlock + 1);
    const std::size_t count = find_triples(c.tables, text, from, text.size() - from, masks, level);
    CHECK(count == (text.size() - from + kTripleBlock - 1) / kTripleBlock);
    std::vector<std::size_t> ends;
    for (std::size_t i = 0; i < count * kTripleBlock; ++i) {
        if (masks[i / kTripleBlock] >> (i % kTripleBlock) & 1) ends.push_back(from + i);
    }
    return ends;
}

std::string random_text(std::mt19937& random, std::size_t size) {
    static constexpr std::string_view kBytes = "abcpq1xz\xc2\xb5s.";
    std::string text;
    while (text.size() < size) text += kBytes[random() % kBytes.size()];
    return text;
}

}  // namespace

TEST_SUITE("triple filter") {
    TEST_CASE("every level finds the triples a plain search finds, at every length") {
        std::mt19937 random(11);
        for (const SimdLevel level : simd_levels()) {
            for (std::size_t size = 0; size <= 300; ++size) {
                const std::string text = random_text(random, size);
                const std::vector<char> exact(text.begin(), text.end());  // its end is the end of the memory
                CAPTURE(text);
                for (const Case& c : kCases)
                    REQUIRE(found_ends(c, {exact.data(), exact.size()}, 0, level) == naive_ends(c, text));
            }
        }
    }

    TEST_CASE("a search that begins inside a text sees the bytes before") {
        std::mt19937 random(12);
        for (const SimdLevel level : simd_levels()) {
            for (const Case& c : kCases) {
                const std::string text = random_text(random, 700);
                const std::vector<std::size_t> all = naive_ends(c, text);
                for (std::size_t from = kTripleBlock; from <= text.size(); ++from) {
                    std::vector<std::size_t> expected;
                    std::ranges::copy_if(all, std::back_inserter(expected),
                                         [&](std::size_t end) { return end >= from; });
                    REQUIRE(found_ends(c, text, from, level) == expected);
                }
            }
        }
    }
}
