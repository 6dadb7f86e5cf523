// Many phrases looked for at once find what one search after the other finds.
#include "support/phrase_set.hpp"

#include <doctest/doctest.h>

#include <random>
#include <set>
#include <string>
#include <utility>

using namespace agent_audit;

namespace {

constexpr std::string_view kPhrases[] = {"all ", "never ", "don't ", "don’t ", "only edit ", "nev", "不要", "ver n"};
constexpr PhraseSet kSet(kPhrases);
// Without a phrase of three bytes.
constexpr std::string_view kLongPhrases[] = {"all ",       "never ", "don't ", "don’t ",
                                             "only edit ", "不要",   "ver n",  "nev "};
constexpr PhraseSet kLongSet(kLongPhrases);

std::string lowered(std::string text) {
    for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    return text;
}

}  // namespace

TEST_CASE("capitals count as small letters") {
    CHECK(kSet.in("NEVER say never"));
    CHECK(kSet.in("please DON’T do it"));
    CHECK_FALSE(kSet.in("neutral"));
    CHECK_FALSE(kSet.in(""));
    CHECK_FALSE(kSet.in("ne"));
}

TEST_CASE("a phrase may be asked for at the beginning of a word only") {
    CHECK(kSet.in("a small thing"));
    CHECK_FALSE(kSet.said_in("a small thing"));
    CHECK(kSet.said_in("a small thing, and all of it"));
    CHECK(kSet.said_in("请不要"));
}

namespace {

template <std::size_t N>
void check_places(const std::string_view (&phrases)[N], const PhraseSet<N>& set, const std::string& text) {
    std::set<std::pair<std::size_t, std::string>> expected, found;
    const std::string lower = lowered(text);
    for (const std::string_view phrase : phrases) {
        for (std::size_t at = lower.find(phrase); at != lower.npos; at = lower.find(phrase, at + 1))
            expected.emplace(at, phrase);
    }
    std::size_t last = 0;
    set.any(text, [&](std::size_t at, std::string_view phrase) {
        CHECK(at >= last);
        last = at;
        found.emplace(at, phrase);
        return false;
    });
    INFO(text);
    REQUIRE(found == expected);
}

}  // namespace

TEST_CASE("every place of every phrase is found, in texts of any length") {
    std::mt19937 random(7);
    const std::string pieces[] = {"all ",       "NEVER ", "never", "don't ", "DON’T ", "only edit ", "ONLY EDIT ",
                                  "only eats ", "only ",  "不要",  "不",     "x",      " ",          "ne"};
    for (int round = 0; round < 2'000; ++round) {
        std::string text;
        for (std::size_t n = random() % (round % 10 == 0 ? 900 : 40); n > 0; --n)
            text += pieces[random() % std::size(pieces)];
        check_places(kPhrases, kSet, text);
        check_places(kLongPhrases, kLongSet, text);
    }
}
