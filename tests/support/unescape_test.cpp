#include <agent_audit/support/unescape.hpp>

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

using agent_audit::cut_utf8;
using agent_audit::decode_json_string;
using agent_audit::without_torn_escape;

TEST_SUITE("unescape") {
    TEST_CASE("every escape of JSON becomes the character it stands for") {
        CHECK(decode_json_string(R"(a\n\t\r\b\f\"\\\/z)") == "a\n\t\r\b\f\"\\/z");
        CHECK(decode_json_string(R"(\u0041\u00e9\u4e2D)") == "A\xC3\xA9\xE4\xB8\xAD");
        CHECK(decode_json_string("") == "");
        CHECK(decode_json_string("plain \xC3\xA9") == "plain \xC3\xA9");
    }

    TEST_CASE("a surrogate pair is one code point, a lone half is a replacement character") {
        CHECK(decode_json_string(R"(\ud83d\ude00)") == "\xF0\x9F\x98\x80");
        CHECK(decode_json_string(R"(\ud83d)") == "\xEF\xBF\xBD");
        CHECK(decode_json_string(R"(\ude00x)") == "\xEF\xBF\xBDx");
        CHECK(decode_json_string(R"(\ud83dx)") == "\xEF\xBF\xBDx");
        CHECK(decode_json_string(R"(\ud83d\u0041)") ==
              "\xEF\xBF\xBD"
              "A");
    }

    TEST_CASE("a cut through an escape leaves nothing of it, and what is whole stays") {
        for (const char* torn :
             {"ab\\", "ab\\u", "ab\\u5", "ab\\u540", "ab\\ud83d", "ab\\ud83d\\ude0", "ab\\ud83d\\u", "ab\\ud83d\\"})
            CHECK(without_torn_escape(torn) == "ab");
        for (const char* whole : {"", "ab", "ab\\n", "ab\\\\", "ab\\\\u54", "ab\\u5408", "ab\\ud83d\\ude00", "\\\\\\\\",
                                  "\\\"", "ab\\u5408cd"})
            CHECK(without_torn_escape(whole) == whole);
        CHECK(without_torn_escape("\\\\\\u54") == "\\\\");
    }

    TEST_CASE("an escape JSON does not know stays as it stands") {
        CHECK(decode_json_string(R"(\q)") == R"(\q)");
        CHECK(decode_json_string(R"(\u12)") == R"(\u12)");
        CHECK(decode_json_string(R"(\uzzzz)") == R"(\uzzzz)");
        CHECK(decode_json_string("end\\") == "end\\");
    }

    TEST_CASE("output is cut at a code point and never longer than asked") {
        const std::string raw = R"(ab\u00e9\ud83d\ude00)"
                                "\xE4\xB8\xAD";
        const std::string whole = decode_json_string(raw);
        for (std::size_t max = 0; max <= whole.size() + 2; ++max) {
            CAPTURE(max);
            const std::string part = decode_json_string(raw, max);
            CHECK(part.size() <= max);
            CHECK(whole.starts_with(part));
            // Every prefix of this text that ends at a code point is one of these lengths.
            CHECK((part.size() <= 2 || part.size() == 4 || part.size() == 8 || part.size() == 11));
        }
        CHECK(decode_json_string(raw, whole.size()) == whole);
    }

    TEST_CASE("long texts are decoded as their pieces are, wherever an escape stands") {
        struct Piece {
            std::string raw, meant;
        };
        const std::vector<Piece> pieces = {
            {"words, more of them than a block of sixteen", "words, more of them than a block of sixteen"},
            {"x", "x"},
            {R"(\n)", "\n"},
            {R"(\")", "\""},
            {R"(\\)", "\\"},
            {R"(\u00e9)", "\xC3\xA9"},
            {R"(\q)", R"(\q)"},
            {R"(\ud83d\ude00)", "\xF0\x9F\x98\x80"},
            {"\xE4\xB8\xAD", "\xE4\xB8\xAD"}};
        std::mt19937 random(7);
        for (int round = 0; round < 400; ++round) {
            std::string raw, meant;
            for (std::size_t n = random() % 90; n > 0; --n) {
                const Piece& piece = pieces[random() % pieces.size()];
                raw += piece.raw;
                meant += piece.meant;
            }
            CAPTURE(raw);
            CHECK(decode_json_string(raw) == meant);
            const std::size_t most = random() % (meant.size() + 2);
            CHECK(decode_json_string(raw, most) == cut_utf8(meant, most));
        }
    }

    TEST_CASE("cut_utf8 cuts between code points and leaves short text alone") {
        CHECK(cut_utf8("abc", 5) == "abc");
        CHECK(cut_utf8("abc", 2) == "ab");
        CHECK(cut_utf8("a\xC3\xA9", 2) == "a");
        CHECK(cut_utf8("a\xC3\xA9", 3) == "a\xC3\xA9");
        CHECK(cut_utf8("\xF0\x9F\x98\x80", 3) == "");
        CHECK(cut_utf8("\x80\x80\x80", 2) == "");
    }
}
