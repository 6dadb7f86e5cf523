#include "detectors/words/chant.hpp"
#include "support/repeat_probe.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>

using namespace agent_audit;
using namespace agent_audit::detectors;

namespace {

std::string times(std::string_view unit, int count) {
    std::string out;
    for (int i = 0; i < count; ++i) out += unit;
    return out;
}

std::optional<Chant> plain(const std::string& text) { return find_chant({text, TextForm::plain}); }
std::optional<Chant> escaped(const std::string& text) { return find_chant({text, TextForm::json_string}); }

class Prose {
public:
    explicit Prose(unsigned seed) : random_(seed) {}

    std::size_t below(std::size_t n) { return random_() % n; }
    std::string word() {
        static constexpr std::string_view kParts[] = {"ka", "lo", "mi", "re",  "sun", "tor",
                                                      "ab", "é",  "ün", "gra", "x"};
        std::string out;
        for (std::size_t n = 1 + below(4); n > 0; --n) out += kParts[below(std::size(kParts))];
        return out;
    }
    std::string words(std::size_t count, std::string_view newline) {
        static constexpr std::string_view kGaps[] = {" ", " ", " ", ", ", ". "};
        std::string out;
        for (; count > 0; --count) {
            const std::size_t gap = below(std::size(kGaps) + 1);
            out += word();
            out += gap == std::size(kGaps) ? newline : kGaps[gap];
        }
        return out;
    }

private:
    std::mt19937 random_;
};

}  // namespace

TEST_SUITE("chants") {
    TEST_CASE("a sentence, a word, a block and two list items are chants, with their unit and their rounds") {
        const auto sentence = plain(times("Let me look at the gate once more. ", 40));
        REQUIRE(sentence);
        CHECK(sentence->failing);
        CHECK(sentence->unit_words == 8);
        CHECK(sentence->rounds == 40);
        const auto word = escaped(times("court\\n", 400));
        REQUIRE(word);
        CHECK(word->unit_words == 1);
        CHECK(word->rounds == 400);
        Prose prose(1);
        CHECK(plain(times(prose.words(100, "\n"), 8))->rounds == 8);
        CHECK(escaped(times("- alpha one two\\n- beta three\\n", 60))->unit_words == 5);
    }

    TEST_CASE("the thresholds are rounds, 60 words, and eight times as many rounds for one or two words") {
        Prose prose(2);
        const std::string unit = prose.words(30, "\n");
        CHECK_FALSE(plain(times(unit, 3)));
        CHECK_FALSE(plain(times(unit, 4))->failing);
        CHECK(plain(times(unit, 6))->failing);
        CHECK_FALSE(plain(times("one two three four five. ", 11)));  // 55 words
        CHECK_FALSE(plain(times("a b c d e f g h i j kl ", 6)));     // 60 words, but very short ones
        CHECK(plain(times("one two three four five. ", 12)));
        CHECK_FALSE(plain(times("tick tock ", 31)));
        CHECK_FALSE(plain(times("tick tock ", 32))->failing);
        CHECK(plain(times("tick tock ", 48))->failing);
    }

    TEST_CASE("lists with a common beginning, tables, fences, rules and drawings are no chants") {
        Prose prose(3);
        std::string list;
        for (int i = 0; i < 60; ++i)
            list += "- Update the configuration of the service " + prose.word() + prose.word() + "\n";
        CHECK_FALSE(plain(list));
        CHECK_FALSE(plain(times("| yes | yes | yes |\n", 60)));
        CHECK_FALSE(escaped(times("| yes | yes | yes |\\n", 60)));
        CHECK_FALSE(plain(times(" yes | yes | yes\n", 60)));
        CHECK_FALSE(plain(times("│ yes │ yes │ yes │\n", 60)));
        CHECK_FALSE(escaped(times("\\u2502 yes \\u2502 yes \\u2502\\n", 60)));
        CHECK_FALSE(plain("```c\n" + times("    {RED, GREEN, BLUE},\n", 80) + "```\n"));
        CHECK_FALSE(escaped("~~~\\n" + times("    {RED, GREEN, BLUE},\\n", 80) + "~~~\\n"));
        CHECK_FALSE(plain(times("-", 3000) + "\n" + times("─", 3000) + "\n" + times("+--", 900)));
        CHECK_FALSE(plain(times("o x o\nx o x\n", 40)));
        CHECK_FALSE(plain(times("0, ", 200)));
        CHECK_FALSE(plain(times("{\"stone\": \"granite\", \"speed\": \"slow\", \"wet\": true}\n", 40)));
    }

    TEST_CASE("the same words with other punctuation each time are no chant") {
        std::string text;
        for (const char* sign : {"/", ":", "-", ".", "+", "*", "<", ">", "=", "#"}) {
            text += std::string("trying the name user") + sign + "name gives an answer of user name\n";
        }
        CHECK_FALSE(find_chant_in_words({text, TextForm::plain}));
    }

    TEST_CASE("a chant that goes on for more than 20,000 characters is one even in a fence or a table") {
        const auto fence = plain("Look:\n```\n" + times("the gate is shut\n", 1300));
        REQUIRE(fence);
        CHECK(fence->framed);
        CHECK(plain(times("| yes | yes | yes |\n", 1100)));
    }

    TEST_CASE("prose around a fence is not joined over it") {
        const std::string part = "The gate of the mill is shut now.\n```\nlook\n```\n";
        CHECK_FALSE(plain(times(part, 40)));
    }

    TEST_CASE("scripts without blanks, emoji, and words and marks without end are found") {
        CHECK(plain(times("水车转得很慢。", 30)));
        CHECK(escaped(times("\\u6c34\\u8f66\\u8f6c\\u5f97", 30)));
        CHECK(plain(times("😊", 100)));
        CHECK(plain(std::string(8000, 'a')));
        CHECK(plain(std::string(8000, '!')));
        CHECK(plain(times("hahaho", 2000)));
        CHECK_FALSE(plain(std::string(8000, ' ')));
    }

    TEST_CASE("escaped or not, a text has the same chant") {
        const auto a = plain("Wait.\n" + times("né \"quoted\"\tword\n", 30));
        const auto b = escaped("Wait.\\n" + times("n\\u00e9 \\\"quoted\\\"\\tword\\n", 30));
        REQUIRE(a);
        REQUIRE(b);
        CHECK(a->unit_key == b->unit_key);
        CHECK(a->rounds == b->rounds);
    }

    TEST_CASE("the glance before loses no chant, whatever its period, its place and its text") {
        Prose prose(4);
        int chants = 0;
        for (int trial = 0; trial < 4000; ++trial) {
            const bool json = prose.below(2) == 0;
            const std::string_view newline = json ? "\\n" : "\n";
            const std::size_t unit_words = prose.below(5) != 0 ? 1 + prose.below(40) : 1 + prose.below(900);
            std::string unit = prose.words(unit_words, newline);
            unit += times(" ", static_cast<int>(prose.below(3) * prose.below(unit.size() / 8 + 1)));
            const std::size_t rounds = 4 + prose.below(3) + (unit_words < 15 ? prose.below(1 + 64 / unit_words) : 0);
            const std::string text = prose.words(prose.below(400), newline) + times(unit, static_cast<int>(rounds)) +
                                     prose.words(prose.below(200), newline);
            const RawText raw{text, json ? TextForm::json_string : TextForm::plain};
            const auto slow = find_chant_in_words(raw);
            if (!slow) continue;
            ++chants;
            CAPTURE(trial);
            for (const SimdLevel level : simd_levels()) CHECK(may_repeat(text, level));
            CHECK(find_chant(raw).has_value());
        }
        CHECK(chants > 2000);
    }

    TEST_CASE("the shortest chants that there are pass the glance at every place") {
        for (std::size_t before = 0; before < 200; ++before) {
            const std::string lead = Prose(static_cast<unsigned>(before)).words(60, "\n").substr(0, before);
            for (const auto& [unit, rounds] : {std::pair{"a ab ", 40},
                                               {"ab ", 61},
                                               {"ab ac ad ae af ag ah ai aj ak al am an ao ap bq ", 4},
                                               {"ab cd ef gh ij kl mn op qr st uv wx yz ", 5},
                                               {"水", 60}}) {
                std::string text = lead + "\n" + times(unit, rounds);
                if (text.back() == ' ') text.pop_back();
                const RawText raw{text, TextForm::plain};
                REQUIRE(find_chant_in_words(raw));
                for (const SimdLevel level : simd_levels()) CHECK(may_repeat(text, level));
            }
        }
    }

    TEST_CASE("prose does not pass the glance, on any machine") {
        for (unsigned seed = 0; seed < 200; ++seed) {
            Prose prose(seed);
            const std::string text = prose.words(10 + prose.below(3000), "\n");
            for (const SimdLevel level : simd_levels()) CHECK_FALSE(may_repeat(text, level));
        }
    }

    TEST_CASE("texts of any size and shape come to an end") {
        Prose prose(5);
        const std::string far = prose.words(400'000, "\n") + times("again and again and on ", 60);
        REQUIRE(far.size() > (2u << 20));
        const auto found = plain(far);
        REQUIRE(found);
        CHECK(found->rounds == 60);
        CHECK(far.substr(found->begin).starts_with("again and again"));
        CHECK(plain(times("one two three ", 300'000))->cut);
        CHECK_FALSE(plain(times("\xF0\x9F", 50'000)));
        CHECK_FALSE(escaped(times("\\", 50'001)));
        CHECK_FALSE(escaped("\\u12"));
        CHECK_FALSE(plain(""));
    }
}
