#include "detectors/words/litany.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>

using namespace agent_audit;
using agent_audit::detectors::find_litany;

namespace {

// So many sentences, one of `kinds` each time, in no order.
std::string litany(std::size_t count, std::size_t kinds, std::string_view end = " ") {
    constexpr std::array<std::string_view, 10> kSaid{
        "I will open the gate.", "Let me begin now.",       "The stone comes first.", "Now I turn the wheel.",
        "It is time to start.",  "Here is the first sack.", "I write it down now.",   "The barn is next.",
        "Then the oil.",         "One more look at it."};
    std::string out = "The mill stands still. ";
    std::size_t seed = 7;
    for (std::size_t i = 0; i < count; ++i) {
        seed = (seed * 1103515245 + 12345) % 2147483648;
        out += kSaid[seed / 65536 % kinds];
        out += end;
    }
    return out;
}

std::optional<detectors::Chant> found_in(const std::string& text) { return find_litany({text, TextForm::plain}); }

}  // namespace

TEST_SUITE("litany") {
    TEST_CASE("five sentences in no order are found, and fail when there are sixty of them") {
        const auto few = found_in(litany(52, 5)), many = found_in(litany(70, 5));
        REQUIRE(few);
        CHECK_FALSE(few->failing);
        CHECK(few->sentences == 5);
        REQUIRE(many);
        CHECK(many->failing);
    }

    TEST_CASE("lines are sentences, also as JSON spells their ends") {
        CHECK(found_in(litany(52, 5, "\n")));
        const std::string text = litany(52, 5, "\\n");
        CHECK(find_litany({text, TextForm::json_string}));
    }

    TEST_CASE("thirty sentences, and ten different ones, are nothing") {
        CHECK_FALSE(found_in(litany(30, 5)));
        CHECK_FALSE(found_in(litany(120, 10)));
    }

    TEST_CASE("what stands in a fence is nothing, and what another sentence parts counts anew") {
        CHECK_FALSE(found_in("```\n" + litany(70, 5, "\n") + "```\n"));
        CHECK_FALSE(found_in(litany(30, 5) + "But the cat had seen it all. " + litany(30, 5).substr(23)));
    }

    TEST_CASE("the moves of a game are short, and many") {
        std::string moves = "The way out: ";
        for (std::size_t i = 0, seed = 5; i < 150; ++i) {
            seed = (seed * 1103515245 + 12345) % 2147483648;
            moves += std::array{"Go north. ", "Go east. ", "Turn around. ", "Go west. "}[seed / 65536 % 4];
        }
        CHECK_FALSE(found_in(moves));
    }

    TEST_CASE("lines of verdicts, labels or done things are a list; those of somebody who speaks of himself are none") {
        const auto lines = [](std::array<std::string_view, 4> kinds) {
            std::string out = "In the order of the sacks:\n";
            for (std::size_t i = 0, seed = 3; i < 90; ++i) {
                seed = (seed * 1103515245 + 12345) % 2147483648;
                out += kinds[seed / 65536 % kinds.size()];
                out += '\n';
            }
            return out;
        };
        CHECK_FALSE(found_in(lines({"The tone is kind.", "The tone is harsh.", "The tone is dry.", "It has none."})));
        CHECK_FALSE(found_in(lines({"Fix the gate.", "Oil the wheel.", "Turn the stone.", "Sweep the barn."})));
        CHECK_FALSE(
            found_in(lines({"- [x] Stones cut.", "- [x] Wheel oiled.", "- [ ] Barn swept.", "- [x] Gate hung."})));
        CHECK_FALSE(found_in(
            lines({"It is worn. Cut it.", "It is sound. Leave it.", "It is new. Leave it.", "It is gone. Buy one."})));
        CHECK(found_in(lines({"Fix the gate.", "Let me begin now.", "I turn the stone.", "Sweep the barn."})));
    }
}
