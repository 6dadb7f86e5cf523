#include <agent_audit/tokens/estimate.hpp>

#include "tokens/run_estimate.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>

using namespace agent_audit;

namespace {

std::uint64_t plain(std::string_view text) { return estimate_tokens({text, TextForm::plain}); }
std::uint64_t json(std::string_view text) { return estimate_tokens({text, TextForm::json_string}); }

// The rule read one character after the other: letters up to seven are a token and a fifth of one for each more, and so
// on.
std::uint64_t slowly(std::string_view text) {
    const auto kind = [](char c) {
        if (c >= 'a' && c <= 'z') return 'a';
        if (c >= 'A' && c <= 'Z') return 'A';
        if (c >= '0' && c <= '9') return '0';
        if (c == '\n' || c == '\r') return 'n';
        return c == ' ' || c == '\t' ? ' ' : '.';
    };
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < text.size();) {
        char run = kind(text[i]);
        std::size_t end = i + 1;
        if (run == 'A' && end < text.size() && kind(text[end]) == 'a') run = 'a';
        while (end < text.size() && kind(text[end]) == run) ++end;
        const std::uint64_t n = end - i;
        if (run == 'a' || run == 'A') sum += 100 + (n > 7 ? (n - 7) * 20 : 0);
        if (run == '0') sum += (n + 2) / 3 * 100;
        if (run == '.') sum += 100 + (n > 2 ? (n - 2) * 35 : 0);
        if (run == 'n' || (run == ' ' && n > 1)) sum += 100;
        i = end;
    }
    return (sum + 99) / 100;
}

}  // namespace

TEST_SUITE("run estimate") {
    TEST_CASE("small texts cost exactly what the rule says") {
        CHECK(plain("") == 0);
        CHECK(plain("hello") == 1);
        CHECK(plain("hello world") == 2);       // the single blank is free
        CHECK(plain("hello  world") == 3);      // a run of blanks is one
        CHECK(plain("internationalise") == 3);  // 16 letters: 1 + 9/5 = 2.8
        CHECK(plain("1234") == 2);
        CHECK(plain("();") == 2);  // 1.35
        CHECK(plain("a\n\n\nb") == 3);
        CHECK(plain("HttpServer") == 2);
        CHECK(plain("HTTP") == 1);
        CHECK(plain("\xE4\xB8\xAD\xE6\x96\x87") == 2);  // two CJK: 1.6
        CHECK(plain("\xC3\xA9") == 2);                  // one other: 1.3
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
        while (prose.size() < 20'000)
            prose += "The quick brown fox jumps over the lazy dog, and nobody in the village wonders why. ";
        const double per_token = static_cast<double>(prose.size()) / static_cast<double>(plain(prose));
        CHECK(per_token > 4.0);
        CHECK(per_token < 5.2);
    }

    TEST_CASE("any text costs what it costs one character after the other, escaped or not") {
        std::mt19937 random(11);
        const std::string characters = "aaaabcdeABHS0123  \n\t.,;(){}\\\"/\r";
        for (int round = 0; round < 20'000; ++round) {
            std::string text, escaped;
            char last = 'a';
            for (std::size_t n = random() % 300; n > 0; --n) {
                // Long runs of one kind now and then.
                if (random() % 3 != 0 || text.empty()) last = characters[random() % characters.size()];
                text += last;
            }
            for (const char c : text) {
                const std::size_t at = std::string_view("\n\t\r\"\\").find(c);
                if (at == std::string_view::npos) {
                    escaped += c;
                } else {
                    escaped += '\\';
                    escaped += "ntr\"\\"[at];
                }
            }
            INFO(escaped);
            REQUIRE(plain(text) == slowly(text));
            REQUIRE(json(escaped) == slowly(text));
            const RawText raw{escaped, TextForm::json_string};
            TextFeatures features;
            features.add(raw);
            for (const SimdLevel level : simd_levels()) {
                REQUIRE(estimate_tokens_at(level, raw) == json(escaped));
                const TextFeatures same = features_at(level, raw, {});
                REQUIRE(same.hundredths == features.hundredths);
                REQUIRE(same.chars == features.chars);
            }
        }
    }
}
