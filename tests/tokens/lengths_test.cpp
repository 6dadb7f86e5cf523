#include <agent_audit/tokens/lengths.hpp>

#include "tokens/stringified.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <string_view>

using namespace agent_audit;

namespace {

const std::string kSmile = "\xF0\x9F\x98\x80";  // U+1F600
const std::string kSmileHigh = "\xED\xA0\xBD";  // U+D83D
const std::string kSmileLow = "\xED\xB8\x80";   // U+DE00

std::string stringify(std::string_view raw) { return json_stringify(raw).value_or("not JSON"); }

// What the escapes of two characters stand for, one after the other; only for texts that have no others.
std::string slowly_decoded(std::string_view raw) {
    constexpr std::string_view kEscapes = "ntrbf\"\\/", kMeant = "\n\t\r\b\f\"\\/";
    std::string out;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        out += raw[i] == '\\' ? kMeant[kEscapes.find(raw[i + 1])] : raw[i];
        if (raw[i] == '\\') ++i;
    }
    return out;
}

std::string made_of(std::span<const std::string_view> pieces, std::mt19937& random) {
    std::string made;
    for (std::size_t n = random() % (random() % 8 == 0 ? 200 : 24); n > 0; --n)
        made += pieces[random() % pieces.size()];
    return made;
}

}  // namespace

TEST_SUITE("tokens: lengths") {
    TEST_CASE("a code point beyond U+FFFF counts two units, everything else one") {
        CHECK(utf16_length("") == 0);
        CHECK(utf16_length("abc") == 3);
        CHECK(utf16_length("caf\xC3\xA9 \xE4\xBD\xA0\xE5\xA5\xBD") == 7);
        CHECK(utf16_length(kSmile) == 2);
        CHECK(utf16_length("0123456789abcdef" + kSmile + "0123456789abcdef") == 34);
        CHECK(code_points("caf\xC3\xA9" + kSmile) == 5);
    }

    TEST_CASE("a lone surrogate counts one unit and one code point") {
        CHECK(utf16_length("a" + kSmileHigh) == 2);
        CHECK(code_points(kSmileLow + "b") == 2);
    }

    TEST_CASE("broken bytes count as Node.js replaces them") {
        CHECK(utf16_length("\xFF\xFE") == 2);
        CHECK(utf16_length("\xE4\xBD") == 1);  // cut: one replacement
        CHECK(utf16_length("\xE4\xBD!") == 2);
        CHECK(utf16_length("\xF0\x9F\x98") == 1);
        CHECK(utf16_length("\xC0\x80") == 2);          // overlong: each byte
        CHECK(utf16_length("\xF4\x90\x80\x80") == 4);  // beyond U+10FFFF
        CHECK(utf8_of_wtf8("a\xE4\xBD!" + kSmileHigh) == "a\xEF\xBF\xBD!\xEF\xBF\xBD");
    }

    TEST_CASE("a slice inside a pair keeps the half, and halves that meet are whole again") {
        const std::string text = "ab" + kSmile + "cd";
        CHECK(utf16_slice(text, 0, 3) == "ab" + kSmileHigh);
        CHECK(utf16_slice(text, 3) == kSmileLow + "cd");
        CHECK(utf16_slice(text, 3, 5) == kSmileLow + "c");
        CHECK(utf16_slice(text, 2, 4) == kSmile);
        CHECK(utf16_slice(text, 4, 99) == "cd");
        CHECK(utf16_slice(text, 5, 5).empty());
        CHECK(utf16_slice(text, 6, 2).empty());
        CHECK(utf16_slice(text, 99).empty());
        std::string joined = utf16_slice(text, 0, 3);
        append_wtf8(joined, utf16_slice(text, 3));
        CHECK(joined == text);
        std::string apart = kSmileLow;
        append_wtf8(apart, kSmileHigh);
        CHECK(apart == kSmileLow + kSmileHigh);
    }

    TEST_CASE("every slice has the length that was asked for") {
        const std::string text = "x" + kSmile + kSmile + "\xC3\xA9 plain text, long enough for words" + kSmile;
        const std::size_t units = utf16_length(text);
        for (std::size_t from = 0; from <= units; ++from) {
            for (std::size_t to = from; to <= units; ++to)
                CHECK(utf16_length(utf16_slice(text, from, to)) == to - from);
        }
    }

    TEST_CASE("a place names the byte, and the pair it splits") {
        CHECK(utf16_place("abc", 2).byte == 2);
        CHECK(utf16_place("abc", 9).byte == 3);
        const Utf16Place split = utf16_place("a" + kSmile + "b", 2);
        CHECK(split.byte == 1);
        CHECK(split.inside_pair);
        CHECK(utf16_place("a" + kSmile + "b", 3).byte == 5);
    }

    TEST_CASE("a raw JSON string becomes its text") {
        CHECK(wtf8_of({R"(a\n\u00e9\/\"\\)", TextForm::json_string}) == "a\n\xC3\xA9/\"\\");
        CHECK(wtf8_of({R"(\ud83d\ude00\ud83d!)", TextForm::json_string}) == kSmile + kSmileHigh + "!");
        CHECK(wtf8_of({R"(\q\u12)", TextForm::json_string}) == R"(\q\u12)");
        CHECK(wtf8_of({R"(a\n)", TextForm::plain}) == R"(a\n)");
    }

    TEST_CASE("one memory serves for text after text, whatever stood there") {
        std::string scratch;
        for (const std::string_view raw : {R"(a\n\u00e9\/\"\\)", R"(\ud83d\ude00\ud83d!)", "b", R"(\q\u12)", "",
                                           R"(a longer text than all the others\n)"}) {
            CHECK(wtf8_into({raw, TextForm::json_string}, scratch) == wtf8_of({raw, TextForm::json_string}));
            CHECK(wtf8_into({raw, TextForm::plain}, scratch) == raw);
            CHECK(wtf8_into({raw, TextForm::json_value}, scratch) == raw);
        }
    }

    TEST_CASE("texts of any length and their escapes are decoded wherever they stand") {
        constexpr std::string_view kPieces[] = {"a", "words, ", "\\n", "\\\\", "\\\"", "\\/", "\\t", "\xC3\xA9", "'"};
        std::mt19937 random(11);
        for (int round = 0; round < 3'000; ++round) {
            const std::string raw = made_of(kPieces, random);
            INFO(raw);
            REQUIRE(wtf8_of({raw, TextForm::json_string}) == slowly_decoded(raw));
            REQUIRE(wtf8_of({raw + "\\u00e9" + raw, TextForm::json_string}) ==
                    slowly_decoded(raw) + "\xC3\xA9" + slowly_decoded(raw));
        }
    }

    TEST_CASE("a string is stringified as its text is, however it was recorded") {
        constexpr std::string_view kPieces[] = {
            "a",   "words, ", "\\n",     "\\\\",     "\\\"",    "\\/",
            "\\b", "\x7F",    "\\u0041", "\xC3\xA9", "\\ud83d", "a longer piece without anything in it"};
        std::mt19937 random(12);
        for (int round = 0; round < 3'000; ++round) {
            // Most without what has to be written anew.
            const auto pieces = std::span(kPieces).first(round % 3 == 0 ? std::size(kPieces) : 5);
            const std::string raw = made_of(pieces, random);
            INFO(raw);
            std::string expected;
            append_json_string(expected, wtf8_of({raw, TextForm::json_string}));
            REQUIRE(stringify('"' + raw + '"') == expected);
            REQUIRE(json_stringify_length('"' + raw + '"') == utf16_length(expected));
        }
    }

    TEST_CASE("strings are written as JSON.stringify writes them") {
        std::string out;
        append_json_string(out, "a\"\\\b\t\n\f\r\x01\x7F/\xE2\x80\xA8" + kSmile + kSmileHigh);
        CHECK(out == "\"a\\\"\\\\\\b\\t\\n\\f\\r\\u0001\x7F/\xE2\x80\xA8" + kSmile + "\\ud83d\"");
        CHECK(json_string_length("a\"\\\b\t\n\f\r\x01\x7F/\xE2\x80\xA8" + kSmile + kSmileHigh) == utf16_length(out));
    }

    TEST_CASE("numbers print as in JavaScript") {
        CHECK(js_number(100) == "100");
        CHECK(js_number(-0.0) == "0");
        CHECK(js_number(0.1 + 0.2) == "0.30000000000000004");
        CHECK(js_number(1e20) == "100000000000000000000");
        CHECK(js_number(1e21) == "1e+21");
        CHECK(js_number(1.5e300) == "1.5e+300");
        CHECK(js_number(1e-6) == "0.000001");
        CHECK(js_number(1.25e-7) == "1.25e-7");
        CHECK(js_number(-123.456) == "-123.456");
        CHECK(js_number(std::numeric_limits<double>::denorm_min()) == "5e-324");
        CHECK(js_number(std::numeric_limits<double>::max()) == "1.7976931348623157e+308");
    }

    TEST_CASE("numbers lose what JSON.parse loses") {
        CHECK(stringify("[-0, 1.0, 1E3, 12345678901234567890, 1e400, -1e400, 1e-400, 0.10]") ==
              "[0,1,1000,12345678901234567000,null,null,0,0.1]");
        CHECK(stringify("0e999999999999999999999") == "0");
        CHECK(stringify("1" + std::string(400, '0')) == "null");
        CHECK(stringify("0." + std::string(400, '0') + "1") == "0");
        CHECK(stringify("1" + std::string(400, '0') + "e-400") == "1");
    }

    TEST_CASE("blanks go, escapes are normalised, other text stays") {
        CHECK(stringify(" { \"a\" : [ 1 , true , null ] , \"\\u0062\" : \"\\u00e9\\/\\u000a\" } ") ==
              "{\"a\":[1,true,null],\"b\":\"\xC3\xA9/\\n\"}");
        CHECK(stringify(R"("\ud83d\ude00\ude00")") == "\"" + kSmile + "\\ude00\"");
        CHECK(stringify("{}") == "{}");
        CHECK(stringify("[]") == "[]");
    }

    TEST_CASE("integer-like keys come first, in order; others keep theirs") {
        CHECK(stringify(R"({"b":1,"10":2,"a":3,"2":4,"01":5,"-1":6,"4294967294":7,"4294967295":8,"0":9})") ==
              R"({"0":9,"2":4,"10":2,"4294967294":7,"b":1,"a":3,"01":5,"-1":6,"4294967295":8})");
    }

    TEST_CASE("of a repeated key the last value counts, at the place of the first") {
        CHECK(stringify(R"({"a":1,"b":2,"\u0061":{"c":3}})") == R"({"a":{"c":3},"b":2})");
        std::string many = "{";
        for (int i = 0; i < 40; ++i) many += "\"k" + std::to_string(i % 20) + "\":" + std::to_string(i) + ",";
        many.back() = '}';
        const std::string text = stringify(many);
        CHECK(text.starts_with(R"({"k0":20,"k1":21,)"));
        CHECK(text.ends_with(R"("k19":39})"));
    }

    TEST_CASE("what is no JSON value has no length") {
        for (const char* bad : {"", " ", "{", "[1,]", "{\"a\"}", "{\"a\":1,}", "01", "1.", "-", "tru", "\"a", "1 2",
                                "\"\\", "nul", "[1 2]", "{a:1}", "+1", ".5", "1e"}) {
            CAPTURE(bad);
            CHECK(!json_stringify(bad));
            CHECK(!json_stringify_length(bad));
        }
    }

    TEST_CASE("nesting is followed to the limit and refused beyond it") {
        const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
        CHECK(json_stringify_length(nested(kMaxJsonDepth)) == 2 * kMaxJsonDepth);
        CHECK(!json_stringify_length(nested(100'000)));
        CHECK(!json_stringify_length(std::string(1'000'000, '[')));
    }

    TEST_CASE("what is taken for stringified is written again as it stands") {
        const auto at_a_glance = [](std::string_view json) {
            return is_stringified(json, tally({json, TextForm::json_value}));
        };
        CHECK(at_a_glance(R"({"command":"ls \"a b\"\n","n":3,"ok":true,"list":[1,{"a":null}],"empty":{},"none":[]})"));
        CHECK(at_a_glance(R"({"path":"é → 中","n":-12,"z":0})"));
        for (const char* other : {"",
                                  " {}",
                                  "{} ",
                                  R"({"a": 1})",
                                  R"({"a":1,"a":2})",
                                  R"({"b":1,"2":2})",
                                  "1.0",
                                  "1e2",
                                  "-0",
                                  "01",
                                  "1234567890123456",
                                  R"("\/")",
                                  R"("\u0041")",
                                  R"("\ud83d")",
                                  "\"\xED\xA0\xBD\"",
                                  "\"\xFF\"",
                                  "\"\x01\"",
                                  R"({"a":1)",
                                  "[1,]",
                                  "nul",
                                  R"("\)",
                                  R"("a)",
                                  "{a:1}",
                                  "[1 2]",
                                  R"({"a\u0062":1})",
                                  "-",
                                  "1."}) {
            CAPTURE(other);
            CHECK(!at_a_glance(other));
        }
        // Pieces put together at random are hardly ever JSON: what is, and is taken for stringified, must be.
        constexpr std::string_view kPieces[] = {"{",       "}",     "[", "]", ",", ":",    "\"a\"", "\"b\"",
                                                "\"\\n\"", "\"1\"", "1", "0", "-", "null", "{}",    "[]"};
        std::mt19937 random(4);
        int taken = 0;
        for (int round = 0; round < 200'000; ++round) {
            std::string json;
            for (std::size_t n = 1 + random() % 7; n > 0; --n) json += kPieces[random() % std::size(kPieces)];
            if (!at_a_glance(json)) continue;
            ++taken;
            REQUIRE(stringify(json) == json);
        }
        CHECK(taken > 1'000);
    }

    TEST_CASE("the length is that of the text") {
        for (const std::string raw : {R"({"command":"ls -la\n","n":3,"10":[1.50,"é\ud83d"],"n":4,"x":{}})",
                                      R"("\u0000\b")", "[[],[],{}]", R"({"a":{"b":{"c":[1e21,-0]}}})"}) {
            CHECK(json_stringify_length(raw) == utf16_length(stringify(raw)));
        }
    }
}
