#include <agent_audit/simulator/js_value.hpp>

#include <doctest/doctest.h>

#include <string>

using agent_audit::simulator::JsValue;

namespace {

std::string again(std::string_view text) {
    const auto value = JsValue::parse(text);
    return value ? value->stringify() : "not JSON";
}

}  // namespace

TEST_SUITE("JavaScript values") {
    TEST_CASE("numbers are written as JavaScript writes them") {
        CHECK(again("[1.50,-0,1e21,1e-7,100000000000000000000,0.1,1e999]") ==
              "[1.5,0,1e+21,1e-7,100000000000000000000,0.1,null]");
    }

    TEST_CASE("keys that are array indices come first, others stay where they were") {
        CHECK(again(R"({"b":1,"10":2,"a":3,"2":4,"01":5})") == R"({"2":4,"10":2,"b":1,"a":3,"01":5})");
    }

    TEST_CASE("a key that repeats keeps its first place and its last value") {
        CHECK(again(R"({"a":1,"b":2,"a":3})") == R"({"a":3,"b":2})");
    }

    TEST_CASE("lone surrogates survive, pairs become one character") {
        CHECK(again(R"(["\ud83d","\ud83d\ude00","\udc00x"])") == "[\"\\ud83d\",\"😀\",\"\\udc00x\"]");
    }

    TEST_CASE("control characters are escaped, slashes and other letters are not") {
        CHECK(again(R"(["\u0000\u001f\b\/é\u2028"])") == "[\"\\u0000\\u001f\\b/é\u2028\"]");
    }

    TEST_CASE("what is not exactly one value is refused") {
        for (const char* text : {"", "{", "[1,]", "{\"a\":}", "01", "1 2", "nul", "\"a", "{a:1}"}) {
            CAPTURE(text);
            CHECK_FALSE(JsValue::parse(text).has_value());
        }
        CHECK_FALSE(JsValue::parse(std::string(100'000, '[')).has_value());
    }

    TEST_CASE("setting a member replaces it in place or puts it last") {
        JsValue value = *JsValue::parse(R"({"a":1,"b":2})");
        value.set("a", 9);
        value.set("c", nullptr);
        value.set("7", true);
        value.erase("b");
        CHECK(value.stringify() == R"({"7":true,"a":9,"c":null})");
    }

    TEST_CASE("members that are undefined are left out, items are null") {
        const JsValue value = JsValue::object({{"a", JsValue()}, {"b", JsValue::Array{JsValue()}}});
        CHECK(value.stringify() == R"({"b":[null]})");
    }

    TEST_CASE("an indent puts every member on its line") {
        CHECK(JsValue::parse(R"({"a":[1,{}],"b":[]})")->stringify(2) ==
              "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}");
    }
}
