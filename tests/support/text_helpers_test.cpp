#include <agent_audit/support/hash.hpp>
#include <agent_audit/support/suggest.hpp>
#include <agent_audit/support/time.hpp>

#include <doctest/doctest.h>
#include <xxhash.h>

#include <array>
#include <string>

using namespace agent_audit;

TEST_SUITE("time") {
    TEST_CASE("a moment is a time, a date, or how long ago") {
        const std::int64_t now = 1'770'897'600'000;  // 2026-02-12T12:00:00Z
        CHECK(parse_moment_ms("90s", now, false) == now - 90'000);
        CHECK(parse_moment_ms("30m", now, true) == now - 1'800'000);
        CHECK(parse_moment_ms("12h", now, false) == now - 43'200'000);
        CHECK(parse_moment_ms("7d", now, false) == now - 604'800'000);
        CHECK(parse_moment_ms("2w", now, false) == now - 1'209'600'000);
        CHECK(parse_moment_ms("0d", now, false) == now);
        CHECK(parse_moment_ms("2026-02-12", now, false) == now - 43'200'000);
        CHECK(parse_moment_ms("2026-02-12", now, true) == now + 43'200'000);
        CHECK(parse_moment_ms("2026-02-12T13:00:00+01:00", now, true) == now);
    }

    TEST_CASE("what is none of these is no moment") {
        for (const char* text : {"", "d", "7", "7 d", "-7d", "7y", "1.5h", "12345678901d", "2026-02", "2026-13-01",
                                 "yesterday", "2026-02-12T", "12/02/2026"}) {
            CAPTURE(text);
            CHECK_FALSE(parse_moment_ms(text, 0, false).has_value());
        }
    }

    TEST_CASE("a time is milliseconds since 1970 UTC") {
        CHECK(parse_time_ms("1970-01-01T00:00:00Z") == 0);
        CHECK(parse_time_ms("1970-01-01T00:00:00.001Z") == 1);
        CHECK(parse_time_ms("2000-02-29T12:00:00Z") == 951'825'600'000);
        CHECK(parse_time_ms("1969-12-31T23:59:59.500Z") == -500);
    }

    TEST_CASE("offsets, a blank for T, missing seconds and long fractions are understood") {
        const auto noon = parse_time_ms("2026-03-02T12:00:00Z");
        REQUIRE(noon);
        CHECK(parse_time_ms("2026-03-02T14:00:00+02:00") == noon);
        CHECK(parse_time_ms("2026-03-02T06:30:00-0530") == noon);
        CHECK(parse_time_ms("2026-03-02T13:00:00+01") == noon);
        CHECK(parse_time_ms("2026-03-02 12:00:00") == noon);
        CHECK(parse_time_ms("2026-03-02T12:00") == noon);
        CHECK(parse_time_ms("2026-03-02t12:00:00z") == noon);
        CHECK(parse_time_ms("2026-03-02T12:00:00.123456789Z") == *noon + 123);
        CHECK(parse_time_ms("2026-03-02T12:00:00,5Z") == *noon + 500);
    }

    TEST_CASE("what is no time is none") {
        for (const char* odd :
             {"", "yesterday", "2026-13-02T12:00:00Z", "2026-00-02T12:00:00Z", "2026-03-32T12:00:00Z",
              "2026-03-02T25:00:00Z", "2026-03-02T12:60:00Z", "2026-03-02T12:00:61Z", "2026-03-02T12:00:00X",
              "2026-03-02T12:00:00Zz", "2026-03-02T12:00:00+", "2026-03-02T12:00:00+1", "2026/03/02T12:00:00Z",
              "2026-03-02", "20260302T120000Z", "2026-03-02T12:00:"}) {
            CAPTURE(std::string(odd));
            CHECK_FALSE(parse_time_ms(odd));
        }
    }

    TEST_CASE("a formatted time reads back as itself, day after day") {
        CHECK(format_time_ms(0) == "1970-01-01T00:00:00.000Z");
        CHECK(format_time_ms(-1) == "1969-12-31T23:59:59.999Z");
        for (std::int64_t ms = -2'000'000'000'000; ms < 5'000'000'000'000; ms += 3'333'333'337) {
            CAPTURE(ms);
            CHECK(parse_time_ms(format_time_ms(ms)) == ms);
        }
    }
}

TEST_SUITE("suggest") {
    TEST_CASE("a slip of the hand finds its word") {
        static constexpr std::array<std::string_view, 3> words{"loop/cycle", "loop/exact-repeat", "budget/limits"};
        CHECK(nearest("loop/cyle", words) == "loop/cycle");
        CHECK(nearest("budget/limit", words) == "budget/limits");
        CHECK(nearest("loop/exact-repeat", words) == "loop/exact-repeat");
    }

    TEST_CASE("the beginning of a word finds it, and case and look-alikes count for nothing") {
        static constexpr std::array<std::string_view, 4> words{"warning", "AA111", "AA101", "loop/exact-repeat"};
        CHECK(nearest("warn", words) == "warning");
        CHECK(nearest("WARNING", words) == "warning");
        CHECK(nearest("aa1o1", words) == "AA101");
        CHECK(nearest("lop/exact", words) == "loop/exact-repeat");
        CHECK(nearest("wa", words).empty());
    }

    TEST_CASE(
        "a name that begins with the word is likelier than two slips, the first of them most, and one slip likelier") {
        static constexpr std::array<std::string_view, 4> words{"claude-code", "claude-ai", "claudia", "kimi"};
        CHECK(nearest("claude", words) == "claude-code");
        CHECK(nearest("claude-a", words) == "claude-ai");
        CHECK(nearest("claudi", words) == "claudia");
        CHECK(nearest("cl", words).empty());
    }

    TEST_CASE("a name without its group finds the one that has it") {
        static constexpr std::array<std::string_view, 4> words{"loop", "loop/cycle", "loop/exact-repeat",
                                                               "drift/topic-switch"};
        CHECK(nearest("exact-repeat", words) == "loop/exact-repeat");
        CHECK(nearest("Cycle", words) == "loop/cycle");
        CHECK(nearest("topic-swich", words) == "drift/topic-switch");
        CHECK(nearest("cyle", words).empty());
        CHECK(nearest("other/exact-repeat", words).empty());
    }

    TEST_CASE("what is too far away is no suggestion") {
        static constexpr std::array<std::string_view, 3> words{"loop/cycle", "AA101", "all"};
        CHECK(nearest("", words).empty());
        CHECK(nearest("xy", words).empty());
        CHECK(nearest("al", words) == "all");
        CHECK(nearest("zz", words).empty());
        CHECK(nearest("pool/cicles", words) == "");
        CHECK(nearest(std::string(101, 'a'), words).empty());
        CHECK(nearest("word", {}).empty());
    }

    TEST_CASE("of several near words the nearest wins, of equally near the first") {
        static constexpr std::array<std::string_view, 3> words{"claude-core", "claude-code", "claude-mode"};
        CHECK(nearest("claude-code", words) == "claude-code");
        CHECK(nearest("claude-cote", words) == "claude-core");
    }
}

TEST_SUITE("hash") {
    TEST_CASE("the hash is XXH3 for every length, whichever way it is computed") {
        std::string text;
        for (int i = 0; i < 3000; ++i) {
            if (i < 600 || i % 97 == 0) {
                CAPTURE(i);
                CHECK(stable_hash(text) == XXH3_64bits(text.data(), text.size()));
                CHECK(stable_hash(text, 7) == XXH3_64bits_withSeed(text.data(), text.size(), 7));
            }
            text += static_cast<char>(i * 31);
        }
        CHECK(stable_hash("") == 0x2d06800538d394c2ULL);  // published test vector: may never change
    }

    TEST_CASE("the seed matters") { CHECK(stable_hash("a", 1) != stable_hash("a", 2)); }

    TEST_CASE("a fingerprint is 128 bits in lower-case hex") {
        CHECK(fingerprint_hex("") == "99aa06d3014798d86001c324468d497f");
        CHECK(fingerprint_hex("a").size() == 32);
        CHECK(fingerprint_hex("a") != fingerprint_hex("b"));
    }

    TEST_CASE("mixing depends on the order") {
        CHECK(mix_hash(1, 2) != mix_hash(2, 1));
        CHECK(mix_hash(0, 0) != 0);
    }
}
