#include "detectors/words/words.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace agent_audit;
using namespace agent_audit::detectors;

namespace {

std::vector<std::string> words(std::string_view text, TextForm form = TextForm::plain) {
    std::vector<std::string> out;
    Words all({text, form});
    for (Word word; all.next(word);) out.emplace_back(text.substr(word.begin, word.end - word.begin));
    return out;
}

double alike(std::string_view a, std::string_view b) {
    std::vector<std::uint32_t> x, y;
    word_set({a, TextForm::plain}, x);
    word_set({b, TextForm::plain}, y);
    return jaccard(x, y);
}

}  // namespace

TEST_SUITE("words") {
    TEST_CASE("words are runs of letters and digits, and each character of a script without blanks") {
        CHECK(words("The mill's 2nd stone, über_all!") ==
              std::vector<std::string>{"The", "mill", "s", "2nd", "stone", "über", "all"});
        CHECK(words("水车 mill—😊😊") == std::vector<std::string>{"水", "车", "mill", "😊", "😊"});
        CHECK(words("---- ==== ── │ … !!!").empty());
    }

    TEST_CASE("escapes are read in escaped text and are bytes in plain text") {
        CHECK(words("one\\ntwo\\u00e9\\\"three", TextForm::json_string) ==
              std::vector<std::string>{"one", "two\\u00e9", "three"});
        CHECK(words("one\\ntwo") == std::vector<std::string>{"one", "ntwo"});
        CHECK(words("\\ud83d\\ude0a\\ud83d", TextForm::json_string) == std::vector<std::string>{"\\ud83d\\ude0a"});
    }

    TEST_CASE("case and spelling of a letter do not make another word") {
        std::vector<std::uint32_t> a, b;
        word_set({"Stone né", TextForm::plain}, a);
        word_set({"STONE n\\u00e9", TextForm::json_string}, b);
        CHECK(a == b);
        CHECK(alike("Сейчас я смотрю, Ёлка", "сейчас Я СМОТРЮ, ёлка") == 1);
        CHECK(alike("ÉTÉ Ångström Šárka ŁÓDŹ Ωμέγα", "été ångström šárka łódź ωμέγα") == 1);
        CHECK(alike("LOUŸS", "louÿs") == 1);
        CHECK(alike("ĸoĸ", "Ĺoĸ") == 0);
        CHECK(alike("мука", "муку") == 0);
    }

    TEST_CASE("likeness is the share of common words") {
        CHECK(alike("a b c d", "d c b a a a") == 1);
        CHECK(alike("a b c d", "a b c e") == doctest::Approx(0.6));
        CHECK(alike("a", "b") == 0);
        CHECK(alike("", "") == 0);
    }

    TEST_CASE("fences end where they should, and an open one goes on to the end") {
        const auto framed = [](std::string_view text) {
            std::string out;
            for (const Word& word : framed_words({text, TextForm::plain})) out += word.framed ? 'x' : '.';
            return out;
        };
        CHECK(framed("a\n```sh\nb\n```\nc") == ".xx.");
        CHECK(framed("a\n  ~~~\nb\n```\nc\n~~~\nd") == ".xx.");
        CHECK(framed("a ``` b\nc") == "...");
        CHECK(framed("a\n````\nb\n```x\nc") == ".xxx");
        CHECK(framed("| a | b |\nc\nd | e\n> | f") == "xx.xxx");
    }
}
