#include <agent_audit/support/json_text.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <random>
#include <string>

using namespace agent_audit;

TEST_SUITE("json text") {
    TEST_CASE("what may stand between quotes is told from what may not") {
        for (const char* fine : {"", "a", "\\n", "\\u00e9", "\\ud800", "\xC3\xA9", "\\\"", "\xF0\x9F\x98\x80", "\x7F"})
            CHECK(is_json_string(fine));
        for (const char* bad :
             {"\"", "\n", "\\x", "\\u12", "\\u12g4", "\\", "\xFF", "\xC0\x80", "\xED\xA0\x80", "\xE2\x82"})
            CHECK_FALSE(is_json_string(bad));
        CHECK_FALSE(is_json_string(std::string_view("a\0b", 3)));
    }

    TEST_CASE("a value on one line is told from everything else") {
        for (const char* fine :
             {"{}", "[]", "0", "-1.5e+3", "\"a\"", "true", "null", R"({"a":[1,{"b":null}], "c" : "d"})", "[ 1 , 2 ]"}) {
            CAPTURE(fine);
            CHECK(is_json_on_one_line(fine));
        }
        for (const char* bad :
             {"",    " 1",   "1 ",    "{",     "[1,]", "{\"a\":1,}", "{\"a\"}", "[1 2]", "01", "1.",  "-",     "+1",
              "tru", "{}{}", "[\n1]", "{a:1}", "[1}",  "\"a",        "{,}",     "[,1]",  "1e", "nul", "\"\n\""}) {
            CAPTURE(bad);
            CHECK_FALSE(is_json_on_one_line(bad));
        }
        CHECK(is_json_on_one_line(std::string(256, '[') + std::string(256, ']')));
        CHECK_FALSE(is_json_on_one_line(std::string(257, '[') + std::string(257, ']')));
    }

    TEST_CASE("it agrees with another parser on damaged JSON") {
        std::mt19937 random(7);
        const std::string whole = R"({"a":[1,-2.5e-3,"x\u00e9\n",true,false,null,{}],"b":{"c":"z\\"}})";
        for (int i = 0; i < 20'000; ++i) {
            std::string text = whole;
            for (int blow = 0; blow < 2; ++blow) {
                const std::size_t at = random() % text.size();
                switch (random() % 3) {
                    case 0: text.erase(at, 1 + random() % 3); break;
                    case 1: text.insert(at, 1, R"({}[],:"\0e-1tn)"[random() % 14]); break;
                    default: text[at] = whole[random() % whole.size()];
                }
                if (text.empty()) text = "1";
            }
            CAPTURE(text);
            CHECK(is_json_on_one_line(text) == nlohmann::json::accept(text));
        }
    }

    TEST_CASE("escaped text is JSON and means the same") {
        std::string all;
        for (int c = 0; c < 128; ++c) all += static_cast<char>(c);
        all += "\xC3\xA9\xF0\x9F\x98\x80";
        std::string quoted = "\"";
        append_json_escaped(quoted, all);
        CHECK(nlohmann::json::parse(quoted + "\"").get<std::string>() == all);
    }

    TEST_CASE("base64 gives back any bytes, and nothing for what is none") {
        std::string bytes, back;
        for (int c = 0; c < 256; ++c) {
            CHECK(from_base64(base64(bytes), back));
            CHECK(back == bytes);
            bytes += static_cast<char>(c);
        }
        CHECK(base64("any") == "YW55");
        CHECK(base64("an") == "YW4=");
        for (const char* bad : {"a", "abc", "a===", "ab=c", "????", "ab c"}) CHECK_FALSE(from_base64(bad, back));
    }
}
