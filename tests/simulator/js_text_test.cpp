// Heads and tails of texts by weight, whatever characters they are made of.
#include "simulator/js_text.hpp"
#include "simulator/weight.hpp"
#include "tokens/wtf8.hpp"

#include <agent_audit/tokens/lengths.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace agent_audit;
using namespace agent_audit::simulator;

namespace {

// Prose and characters of every weight and length, halves of pairs, and bytes that are no character at all.
std::string some_text(std::mt19937& random, std::size_t pieces) {
    constexpr std::string_view kPieces[] = {"plain words of a sentence, ",
                                            "a line\n",
                                            "\xC3\xA9",
                                            "\xCC\x85",
                                            "\xE2\x86\x92",
                                            "\xE4\xB8\xAD",
                                            "\xE1\x84\x80",
                                            "\xF0\x9F\x98\x80",
                                            "\xED\xA0\xBD",
                                            "\xE2\x82",
                                            "\x82",
                                            "\xFF",
                                            "x"};
    std::string made;
    for (; pieces > 0; --pieces) made += kPieces[random() % (random() % 2 == 0 ? 2 : std::size(kPieces))];
    return made;
}

// Where characters begin, and the end.
std::vector<std::size_t> places(std::string_view text) {
    std::vector<std::size_t> out;
    for (std::size_t at = 0; at < text.size(); at += tokens::decode_wtf8(text, at).length) out.push_back(at);
    out.push_back(text.size());
    return out;
}

void check(const Weighed& part, std::string_view words) {
    CHECK(part.words == words);
    CHECK(part.units == utf16_length(words));
    CHECK(part.weight == weigh(words));
}

}  // namespace

TEST_SUITE("simulator: letters") {
    TEST_CASE("capitals become small, and a dotted one an i with a dot that goes on with the word before it") {
        CHECK(js_lower("Read ÉЖΩ") == "read éжω");
        CHECK(js_lower("ERRNO\u0130") == "errnoi\u0307");
        CHECK(js_lower("\u212A") == "k");
    }
}

TEST_SUITE("simulator: texts by weight") {
    TEST_CASE("the front is the longest that the budget allows, and so is the end") {
        std::mt19937 random(5);
        for (int round = 0; round < 36; ++round) {
            const std::string text = some_text(random, round < 30 ? 12 : 400);
            const std::vector<std::size_t> ends = places(text);
            for (const std::uint64_t budget : {std::uint64_t{0}, std::uint64_t{7}, weigh(text) / 3,
                                               weigh(text) - weigh(text) / 50, weigh(text), 2 * weigh(text)}) {
                std::string_view front, end;
                for (const std::size_t at : ends) {
                    const std::string_view head = std::string_view(text).substr(0, at),
                                           tail = std::string_view(text).substr(at);
                    if (weigh(head) <= budget) front = head;
                    if (weigh(tail) <= budget && tail.size() > end.size()) end = tail;
                }
                CAPTURE(budget);
                check(weighted_front(text, budget), front);
                check(weighted_end(text, budget), end);
                check(weighed(text).front(budget), front);
            }
        }
    }

    TEST_CASE("what stands before a place and behind it is counted as the whole without the rest") {
        const std::string text = "one \xE4\xB8\xAD\ntwo \xF0\x9F\x98\x80\nthree";
        const Weighed all = weighed(text);
        for (const std::size_t at : places(text)) {
            check(all.first(at), std::string_view(text).substr(0, at));
            check(all.behind(at), std::string_view(text).substr(at));
        }
    }
}
