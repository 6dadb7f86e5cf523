#include <agent_audit/simulator/text.hpp>
#include <agent_audit/tokens/estimators.hpp>
#include <agent_audit/tokens/lengths.hpp>

#include "simulator/text_levels.hpp"
#include "tokens/run_estimate.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <iterator>
#include <string>

using namespace agent_audit;

namespace {

bool same(const TextSizes& a, const TextSizes& b) {
    return a.bytes == b.bytes && a.units == b.units && a.code_points == b.code_points && a.ascii == b.ascii &&
           a.json == b.json && a.weighted == b.weighted;
}

}  // namespace

TEST_SUITE("simulator: text") {
    TEST_CASE("sizes of a text are those that each count alone gives") {
        std::uint64_t state = 7;
        const auto next = [&state](std::uint64_t most) {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            return (state >> 33) % most;
        };
        for (int round = 0; round < 300; ++round) {
            std::string text;
            const bool ascii = round % 3 != 0;
            for (std::uint64_t i = next(200); i > 0; --i) {
                const std::uint64_t kind = next(8);
                text += kind == 0 && !ascii   ? "é"
                        : kind == 1 && !ascii ? "\xF0\x9F\x98\x80"
                                              : std::string(1, static_cast<char>(next(128)));
            }
            const simulator::TextSizes sizes = simulator::measure(text);
            CAPTURE(text);
            CHECK(sizes.bytes == text.size());
            CHECK(sizes.units == utf16_length(text));
            CHECK(sizes.code_points == code_points(text));
            CHECK(sizes.json == json_string_length(text) - 2);
            for (const SimdLevel level : simd_levels()) {
                CHECK(same(simulator::measure_at(level, text), sizes));
            }
        }
    }

    TEST_CASE("sizes of a JSON string are those of the text it stands for, where they can be told without decoding") {
        const std::string pieces[] = {"word ",
                                      "x",
                                      "\\n",
                                      "\\t",
                                      "\\\"",
                                      "\\\\",
                                      "\\/",
                                      "\\u001b",
                                      "\\u0022",
                                      "\\u00e9",
                                      "\\u4e2d",
                                      "\\u000a",
                                      "é",
                                      "中",
                                      "한",
                                      "—",
                                      "\xF0\x9F\x98\x80",
                                      "\\ud83d\\ude00",
                                      "ｱ",
                                      "\\q",
                                      "\\u12",
                                      "·",
                                      "\x01",
                                      "\xE0\xA4\x95",
                                      "\xF4\x8F\xBF\xBF",
                                      "longer words without anything in them, over a block "};
        const std::string broken[] = {"\\ud83d",  "\\ude00",      "\xED\xA0\xBD",     "\xE2\x80", "\xFF",
                                      "\xC0\x80", "\xE0\x80\x80", "\xF5\x80\x80\x80", "\x80"};
        std::uint64_t state = 11;
        const auto next = [&state](std::uint64_t most) {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            return (state >> 33) % most;
        };
        int told = 0;
        for (int round = 0; round < 3'000; ++round) {
            std::string raw;
            for (std::uint64_t i = next(60); i > 0; --i) raw += pieces[next(std::size(pieces))];
            if (round % 5 == 0) raw.insert(next(raw.size() + 1), broken[next(std::size(broken))]);
            CAPTURE(raw);
            const std::string text = wtf8_of({raw, TextForm::json_string});
            for (const SimdLevel level : simd_levels()) {
                const simulator::TextSizes plain = simulator::measure_at(level, text);
                REQUIRE(plain.units == utf16_length(text));
                REQUIRE(plain.code_points == code_points(text));
                REQUIRE(plain.json == json_string_length(text) - 2);
                REQUIRE(plain.weighted == find_estimator("openclaw")->units(text));
                const auto sizes = simulator::measure_json_string_at(level, raw);
                if (!sizes) continue;
                ++told;
                REQUIRE(same(*sizes, plain));
            }
        }
        CHECK(told > 2'000);
    }

    TEST_CASE("one pass tells the sizes of what most texts say, and of what they are written as") {
        const std::string pieces[] = {"word ",
                                      "x",
                                      "\\n",
                                      "\\t",
                                      "\\\"",
                                      "\\\\",
                                      "\\n\\n    ",
                                      "é",
                                      "中",
                                      "한",
                                      "—",
                                      "→",
                                      "·",
                                      "ˇ",
                                      "\xF0\x9F\x98\x80",
                                      "ｱ",
                                      "\xE0\xA4\x95",
                                      "\"",
                                      "{}",
                                      "12345",
                                      "longer words without anything in them, over a block "};
        const std::string rare[] = {"\\/",      "\\u001b", "\\ud83d", "\xED\xA0\xBD", "\xE2\x80", "\xFF",
                                    "\xC0\x80", "\x01",    "\n",      "\\q",          "\\b"};
        std::uint64_t state = 5;
        const auto next = [&state](std::uint64_t most) {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            return (state >> 33) % most;
        };
        int told = 0;
        for (int round = 0; round < 3'000; ++round) {
            std::string raw;
            for (std::uint64_t i = next(80); i > 0; --i) raw += pieces[next(std::size(pieces))];
            if (round % 4 == 0) raw.insert(next(raw.size() + 1), rare[next(std::size(rare))]);
            CAPTURE(raw);
            const std::string text = wtf8_of({raw, TextForm::json_string});
            for (const SimdLevel level : simd_levels()) {
                const TextTally json = tally_at(level, {raw, TextForm::json_string});
                const TextTally plain = tally_at(level, {raw, TextForm::plain});
                told += json.sound ? 1 : 0;
                if (const auto sizes = json.sizes()) REQUIRE(same(*sizes, simulator::measure(text)));
                if (const auto sizes = json.sizes_as_written()) REQUIRE(same(*sizes, simulator::measure(raw)));
                if (const auto sizes = plain.sizes()) REQUIRE(same(*sizes, simulator::measure(raw)));
            }
        }
        CHECK(told > 2'000);
    }
}
