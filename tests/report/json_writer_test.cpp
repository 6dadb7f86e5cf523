#include "report/json/json_writer.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <random>

using agent_audit::ByteSink;
using agent_audit::report::JsonWriter;

namespace {

std::string written(std::string_view text, bool guard_ci = false) {
    std::string out;
    const ByteSink sink = [&](std::string_view piece) {
        out += piece;
        return true;
    };
    JsonWriter json(sink, guard_ci);
    json.text(text);
    json.flush();
    return out;
}

// Reference: valid UTF-8 as it is, every byte that belongs to no code point as U+FFFD.
std::string repaired(std::string_view text) {
    std::string out;
    for (std::size_t pos = 0; pos < text.size();) {
        std::size_t best = 0;
        for (std::size_t n = 1; n <= 4 && pos + n <= text.size() && best == 0; ++n) {
            const std::string piece(text.substr(pos, n));
            try {
                (void)nlohmann::json(piece).dump();  // throws on invalid UTF-8
                best = n;
            } catch (const nlohmann::json::exception&) {
            }
        }
        if (best == 0)
            out += "\uFFFD";
        else
            out += text.substr(pos, best);
        pos += best == 0 ? 1 : best;
    }
    return out;
}

}  // namespace

TEST_SUITE("json writer") {
    TEST_CASE("what another parser reads back is what was written, for any bytes") {
        const std::string pieces[] = {"a",      "\"",           "\\",     "\n",         "\x01", "\x7f",
                                      "\u00e9", "\u2028",       "\u202e", "\U0001F600", "\xff", "\xed\xa0\x80",
                                      "\xc3",   "\xf0\x9f\x98", "##[x]",  "\xc0\xaf"};
        std::mt19937 random(20260101);
        for (int round = 0; round < 3000; ++round) {
            std::string text;
            for (unsigned n = random() % 12; n > 0; --n) {
                text +=
                    random() % 4 ? pieces[random() % std::size(pieces)] : std::string(1, static_cast<char>(random()));
            }
            CAPTURE(text);
            const std::string json = written(text, round % 2 == 0);
            REQUIRE(nlohmann::json::accept(json));
            REQUIRE(nlohmann::json::parse(json).get<std::string>() == repaired(text));
        }
    }

    TEST_CASE("no control and no direction change leaves raw") {
        for (unsigned c = 0; c < 0x20; ++c) {
            const std::string json = written(std::string(1, static_cast<char>(c)));
            CHECK(json.find(static_cast<char>(c)) == json.npos);
        }
        CHECK(written("\u202e") == R"("\u202e")");
        CHECK(written("\u0085") == R"("\u0085")");
        CHECK(written("\U000E0041") == R"("\udb40\udc41")");
    }

    TEST_CASE("numbers are exact and what JSON cannot say is null") {
        std::string out;
        const ByteSink sink = [&](std::string_view piece) {
            out += piece;
            return true;
        };
        JsonWriter json(sink);
        json.begin_array();
        json.number(std::uint64_t{18446744073709551615u});
        json.real(0.1);
        json.real(std::nan(""));
        json.flag(false);
        json.begin_object();
        json.known_number("gone", 0);
        json.known_text("gone", "");
        json.number("kept", std::uint64_t{0});
        json.end_object();
        json.end_array();
        json.flush();
        CHECK(out == R"([18446744073709551615,0.1,null,false,{"kept":0}])");
    }

    TEST_CASE("a refusing sink is asked once") {
        int asked = 0;
        const ByteSink sink = [&](std::string_view) {
            ++asked;
            return false;
        };
        JsonWriter json(sink);
        for (int i = 0; i < 10; ++i) json.text(std::string(40'000, 'x'));
        CHECK_FALSE(json.flush());
        CHECK(asked == 1);
    }
}
