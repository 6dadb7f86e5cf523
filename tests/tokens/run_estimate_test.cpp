#include <agent_audit/tokens/estimate.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace agent_audit;

namespace {

std::uint64_t plain(std::string_view text) { return estimate_tokens({text, TextForm::plain}); }
std::uint64_t json(std::string_view text) { return estimate_tokens({text, TextForm::json_string}); }

}  // namespace

TEST_SUITE("run estimate") {
    TEST_CASE("small texts cost exactly what the rule says") {
        CHECK(plain("") == 0);
        CHECK(plain("hello") == 1);
        CHECK(plain("hello world") == 2);          // the single blank is free
        CHECK(plain("hello  world") == 3);         // a run of blanks is one
        CHECK(plain("internationalise") == 3);     // 16 letters: 1 + 9/5 = 2.8
        CHECK(plain("1234") == 2);
        CHECK(plain("();") == 2);                  // 1.35
        CHECK(plain("a\n\n\nb") == 3);
        CHECK(plain("HttpServer") == 2);
        CHECK(plain("HTTP") == 1);
        CHECK(plain("\xE4\xB8\xAD\xE6\x96\x87") == 2);  // two CJK: 1.6
        CHECK(plain("\xC3\xA9") == 2);             // one other: 1.3
    }

    TEST_CASE("an escape counts as the character it stands for") {
        CHECK(json("a\\nb") == plain("a\nb"));
        CHECK(json("say \\\"hi\\\"") == plain("say \"hi\""));
        CHECK(json("\\u4e2d\\u6587") == plain("\xE4\xB8\xAD\xE6\x96\x87"));
        CHECK(json("\\ud83d\\ude00") == plain("\xF0\x9F\x98\x80"));
    }

    TEST_CASE("broken bytes and cut escapes are counted, not read past") {
        for (const std::string text : {"\xE4\xB8", "\xFF\xFE", "\\", "\\u12", "\\ud83d", "\\ud83d\\u", "\xF0\x9F"}) {
            CAPTURE(text);
            CHECK(json(text) >= 1);
            CHECK(plain(text) >= 1);
        }
    }

    TEST_CASE("English prose costs about one token in four to five characters") {
        std::string prose;
        while (prose.size() < 20'000) prose += "The quick brown fox jumps over the lazy dog, and nobody in the village wonders why. ";
        const double per_token = static_cast<double>(prose.size()) / static_cast<double>(plain(prose));
        CHECK(per_token > 4.0);
        CHECK(per_token < 5.2);
    }
}
