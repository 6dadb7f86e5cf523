#include "readers/json/json_util.hpp"

#include <agent_audit/support/unescape.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace agent_audit;
using readers::ArgsDigester;
using readers::CallArgs;

namespace {

std::string padded(std::string_view text) {
    std::string out(text);
    out.append(kRecordPadding, ' ');
    return out;
}

/// Gives `use` the value of {"v": <json>}.
template <class Use>
auto with_value(std::string_view value, Use use) {
    const std::string body = "{\"v\":" + std::string(value) + "}";
    const std::string text = padded(body);
    readers::json::parser parser;
    auto doc = parser.iterate(text.data(), body.size(), text.size());
    REQUIRE(doc.error() == simdjson::SUCCESS);
    readers::json::value v;
    REQUIRE(doc["v"].get(v) == simdjson::SUCCESS);
    return use(v);
}

CallDigest digest(std::string_view args, std::string_view tool = "tool") {
    return with_value(args, [&](readers::json::value v) { return ArgsDigester{}.digest_value(tool, v).digest; });
}
std::string primary(std::string_view args) {
    return with_value(args, [&](readers::json::value v) {
        ArgsDigester digester;
        return std::string(digester.digest_value("tool", v).primary.bytes);
    });
}
bool same(std::string_view a, std::string_view b) { return digest(a).canonical == digest(b).canonical; }

// As it stands inside a JSON string.
std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

std::string nested(std::size_t depth, std::string_view core) {
    std::string out = "{\"a\":";
    for (std::size_t i = 0; i < depth; ++i) out += '[';
    out += core;
    out.append(depth, ']');
    return out + "}";
}

}  // namespace

TEST_SUITE("digest of arguments") {
    TEST_CASE("the order of keys does not count, the order of elements does") {
        CHECK(same(R"({"a":1,"b":{"c":2,"d":3}})", R"({"b":{"d":3,"c":2},"a":1})"));
        CHECK_FALSE(same(R"({"a":[1,2]})", R"({"a":[2,1]})"));
    }

    TEST_CASE("white space does not count") {
        CHECK(same(R"({"a":[1,2],"b":"x"})", "{ \"a\" : [ 1 , 2 ] ,\t\"b\":\"x\" }"));
    }

    TEST_CASE("a number is the number however it is spelled") {
        CHECK(same(R"({"a":1})", R"({"a":1.0})"));
        CHECK(same(R"({"a":100})", R"({"a":1e2})"));
        CHECK(same(R"({"a":0.5})", R"({"a":5e-1})"));
        CHECK_FALSE(same(R"({"a":1})", R"({"a":2})"));
        CHECK_FALSE(same(R"({"a":1})", R"({"a":-1})"));
        CHECK_FALSE(same(R"({"a":1})", R"({"a":1.5})"));
    }

    TEST_CASE("a number is not its text, its list, true or null") {
        CHECK_FALSE(same(R"({"a":1})", R"({"a":"1"})"));
        CHECK_FALSE(same(R"({"a":1})", R"({"a":[1]})"));
        CHECK_FALSE(same(R"({"a":true})", R"({"a":"true"})"));
        CHECK_FALSE(same(R"({"a":true})", R"({"a":false})"));
        CHECK_FALSE(same(R"({"a":[]})", R"({"a":{}})"));
        CHECK_FALSE(same(R"({"a":""})", R"({})"));
    }

    TEST_CASE("huge numbers differ by their digits and do no harm") {
        CHECK_FALSE(same(R"({"a":123456789012345678901234567890})", R"({"a":123456789012345678901234567891})"));
        CHECK(same(R"({"a":1e400})", R"({"a":1e400})"));
        CHECK(same(R"({"a":-9e15})", R"({"a":-9e15})"));
        CHECK_FALSE(same(R"({"a":1e300})", R"({"a":1e301})"));
    }

    TEST_CASE("null is the same as absent, at every level of objects but not in lists") {
        CHECK(same(R"({"a":1,"b":null})", R"({"a":1})"));
        CHECK(same(R"({"a":{"b":null}})", R"({"a":{}})"));
        CHECK_FALSE(same(R"({"a":[null]})", R"({"a":[]})"));
    }

    TEST_CASE("fields that say nothing about what is done do not count, at the top only") {
        for (const char* field : {"description", "reason", "request_id", "timestamp", "uuid", "thought", "explanation",
                                  "nonce", "call_id", "yield_time_ms", "max_output_tokens", "requestId",
                                  "correlation_id", "justification", "rationale", "security_risk", "toolSummary"}) {
            CAPTURE(std::string(field));
            CHECK(same("{\"command\":\"ls\",\"" + std::string(field) + "\":\"x\"}", R"({"command":"ls"})"));
            CHECK_FALSE(same("{\"o\":{\"" + std::string(field) + "\":\"x\"}}", R"({"o":{}})"));
        }
        CHECK_FALSE(same(R"({"command":"ls","descriptions":"x"})", R"({"command":"ls"})"));
    }

    TEST_CASE("how long a command may take is no part of it; of other calls it may be what they are about") {
        CHECK(same(R"({"command":"npm test","timeout":60000})", R"({"timeout":120000,"command":"npm test"})"));
        CHECK(same(R"({"cmd":"npm test","timeout_ms":60000})", R"({"cmd":"npm test"})"));
        CHECK_FALSE(same(R"({"rule":"slow","timeout":5})", R"({"rule":"slow","timeout":10})"));
        CHECK_FALSE(same(R"({"command":"npm test","timeout":"x"})", R"({"command":"npm test"})"));
        CHECK_FALSE(same(R"({"command":"npm test","times":1})", R"({"command":"npm test","times":2})"));
    }

    TEST_CASE("blanks and remarks around a command, and where its errors go at the end, are no part of it") {
        const std::string_view plain = R"({"command":"npm test"})";
        for (const char* other :
             {R"({"command":"npm test "})", R"({"command":"  npm test\n"})", R"({"command":"# once more\nnpm test"})",
              R"({"command":"npm test 2>&1"})", R"({"command":"npm test 2>&1 || true"})",
              R"({"command":"# a\n\n# b\nnpm test 2>/dev/null\n"})"}) {
            CAPTURE(std::string(other));
            CHECK(same(other, plain));
        }
        CHECK(same(R"({"command":["bash","-lc","npm test 2>&1"]})", R"({"command":["bash","-lc","npm test"]})"));
        CHECK_FALSE(same(R"({"command":["bash","npm test"]})", R"({"command":["npm test","bash"]})"));
        CHECK_FALSE(same(R"({"command":"npm test 2>err"})", plain));
        CHECK_FALSE(same(R"({"command":"npm  test"})", plain));
        CHECK_FALSE(same(R"({"command":"npm 2>&1 test"})", plain));
        CHECK_FALSE(same(R"({"text":"npm test "})", R"({"text":"npm test"})"));
        CHECK_FALSE(same(R"({"command":"# npm test"})", R"({"command":""})"));
    }

    TEST_CASE("keys and values cannot be swapped unnoticed") {
        CHECK_FALSE(same(R"({"a":"b"})", R"({"b":"a"})"));
        CHECK_FALSE(same(R"({"a":"x","b":"y"})", R"({"a":"y","b":"x"})"));
        CHECK_FALSE(same(R"({"a":{"x":1},"b":{"y":1}})", R"({"a":{"y":1},"b":{"x":1}})"));
    }

    TEST_CASE("the tool is part of it") { CHECK(digest("{}", "a").canonical != digest("{}", "b").canonical); }

    TEST_CASE("arguments inside a JSON string equal the same arguments as an object") {
        for (const char* text : {R"({"command":"ls -l","n":1})", R"({"path":"C:\\x","deep":{"a":[1,2]}})", R"({})",
                                 R"({"quote":"say \"hi\""})"}) {
            CAPTURE(std::string(text));
            CHECK(same("\"" + escaped(text) + "\"", text));
            CHECK(ArgsDigester{}.digest_string("tool", escaped(text)).digest.canonical == digest(text).canonical);
        }
        CHECK(same("\"  \"", "{}"));
        CHECK(ArgsDigester::digest_none("tool").digest.canonical == digest("{}").canonical);
    }

    TEST_CASE("text that only looks like JSON is still told apart") {
        for (const char* text :
             {R"({\"a\":)", R"({\"a\":1} trailing)", "{", R"({\"a\" 1})", "not json", "[1,2]", "\\\\", "{\\u0000"}) {
            CAPTURE(std::string(text));
            ArgsDigester digester;
            const CallArgs args = digester.digest_string("tool", text);
            CHECK(args.digest.canonical != 0);
            CHECK(args.digest.canonical == ArgsDigester{}.digest_string("tool", text).digest.canonical);
            CHECK(args.digest.canonical != digester.digest_string("tool", std::string(text) + "x").digest.canonical);
            CHECK_FALSE(args.primary.empty());
        }
    }

    TEST_CASE("arguments that are no object are known by their spelling") {
        CHECK(same("[1,2]", "[1,2]"));
        CHECK_FALSE(same("[1,2]", "[1,3]"));
        CHECK_FALSE(same("7", "8"));
        CHECK_FALSE(same("true", "false"));
    }

    TEST_CASE("deep nesting is told apart and ends") {
        CHECK(same(nested(20, "1"), nested(20, "1.0")));
        CHECK_FALSE(same(nested(20, "1"), nested(21, "1")));
        CHECK(same(nested(500, "1"), nested(500, "1")));
        CHECK_FALSE(same(nested(500, "1"), nested(500, "2")));
    }

    TEST_CASE("nesting 100,000 deep inside a string neither crashes nor equals its neighbour") {
        const std::string deep = escaped(nested(100'000, "1"));
        const std::string deeper = escaped(nested(100'001, "1"));
        ArgsDigester digester;
        const auto a = digester.digest_string("tool", deep).digest;
        CHECK(a.canonical == digester.digest_string("tool", deep).digest.canonical);
        CHECK((a.opaque || a.canonical != digester.digest_string("tool", deeper).digest.canonical));
    }

    TEST_CASE("what is quoted is the path, command or pattern, else the first string") {
        CHECK(primary(R"({"limit":5,"zeta":"z","file_path":"/a"})") == "/a");
        CHECK(primary(R"({"pattern":"x","path":"/a"})") == "x");
        CHECK(primary(R"({"description":"say","command":"ls"})") == "ls");
        CHECK(primary(R"({"alpha":"first","beta":"second"})") == "first");
        CHECK(primary(R"({"command":["git","status"]})") == R"(["git","status"])");
        CHECK(primary(R"({"id":17})") == "17");
        CHECK(primary(R"({"n":1})") == "");
        CHECK(primary(R"({"command":null,"x":"y"})") == "y");
    }

    TEST_CASE("views of decoded arguments stay valid while others are decoded") {
        ArgsDigester digester;
        const CallArgs first = digester.digest_string("tool", R"({\"command\":\"first of many\"})");
        for (int i = 0; i < 200; ++i) digester.digest_string("tool", R"({\"command\":\"another\"})");
        CHECK(first.primary.bytes == "first of many");
        CHECK(first.raw.bytes == R"({"command":"first of many"})");
    }
}

TEST_SUITE("json scalars") {
    TEST_CASE("as_uint takes what is a count and nothing else") {
        const auto uint = [](std::string_view text) {
            return with_value(text, [](readers::json::value v) { return readers::as_uint(v); });
        };
        CHECK(uint("0") == 0);
        CHECK(uint("18446744073709551615") == UINT64_MAX);
        CHECK(uint("18446744073709551616") == 0);
        CHECK(uint("12.9") == 12);
        CHECK(uint("1e3") == 1000);
        CHECK(uint("1e30") == 0);
        CHECK(uint("-5") == 0);
        CHECK(uint("\"12\"") == 12);  // as exporters write it that know no integer this long
        CHECK(uint("\"18446744073709551615\"") == UINT64_MAX);
        CHECK(uint("\"12 of 20\"") == 0);
        CHECK(uint("\"twelve\"") == 0);
        CHECK(uint("\"\"") == 0);
        CHECK(uint("null") == 0);
        CHECK(uint("[1]") == 0);
    }

    TEST_CASE("as_int falls back for every other type") {
        const auto integer = [](std::string_view text) {
            return with_value(text, [](readers::json::value v) { return readers::as_int(v, -7); });
        };
        CHECK(integer("-5") == -5);
        CHECK(integer("1500.9") == 1500);
        CHECK(integer("1e30") == -7);
        CHECK(integer("\"5\"") == 5);
        CHECK(integer("\"-5\"") == -5);
        CHECK(integer("\"5 of 7\"") == -7);
        CHECK(integer("\"\"") == -7);
        CHECK(integer("null") == -7);
        CHECK(integer("{}") == -7);
    }

    TEST_CASE("as_double is finite or the fallback") {
        const auto real = [](std::string_view text) {
            return with_value(text, [](readers::json::value v) { return readers::as_double(v, -1); });
        };
        CHECK(real("0.25") == 0.25);
        CHECK(real("1e999") == -1);
        CHECK(real("\"0.25\"") == 0.25);
        CHECK(real("\"a quarter\"") == -1);
        CHECK(real("true") == -1);
    }

    TEST_CASE("content is the one text, or the whole list of several, with media counted") {
        const auto content = [](std::string_view text) {
            return with_value(text, [](readers::json::value v) {
                const readers::Content c = readers::read_content(v);
                return std::string(c.text.bytes) + "|" + std::to_string(c.media);
            });
        };
        CHECK(content(R"("x")") == "x|0");
        CHECK(content(R"([{"type":"text","text":"x"}])") == "x|0");
        CHECK(content(R"([{"text":"x","type":"text"},{"type":"image"}])") == "x|1");
        CHECK(content(R"(["a"])") == "a|0");
        CHECK(content(R"([{"type":"text","text":"a"},{"type":"text","text":"b"}])") ==
              R"([{"type":"text","text":"a"},{"type":"text","text":"b"}]|0)");
        CHECK(
            content(R"([{"type":"input_image"},{"type":"document"},{"type":"input_audio"},{"type":"other"},7,null])") ==
            "|3");
        CHECK(content(R"({"a":1})") == R"({"a":1}|0)");
        CHECK(content("null") == "|0");
        CHECK(content("[]") == "|0");
    }

    TEST_CASE("an id has a hash, no id has none") {
        CHECK(readers::id_hash("") == 0);
        CHECK(readers::id_hash("a") != 0);
        CHECK(readers::id_hash("a") != readers::id_hash("b"));
    }
}
