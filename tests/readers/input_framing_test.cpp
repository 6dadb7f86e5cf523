#include "readers/input_support.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace agent_audit;
using agent_audit::test::Outcome;
using agent_audit::test::Piece;
using Next = RecordSource::Next;
using Texts = std::vector<std::string>;

namespace {

Framing framing_of(std::string_view bytes) { return test::read_memory(bytes).framing; }

nlohmann::json random_value(std::mt19937& random, int depth) {
    switch (random() % (depth > 3 ? 4 : 6)) {
        case 0: return random() % 1000;
        case 1: return "text with \"quotes\", \\ and {[braces\n";
        case 2: return random() % 2 == 0;
        case 3: return nullptr;
        case 4: {
            auto array = nlohmann::json::array();
            for (auto n = random() % 4; n > 0; --n) array.push_back(random_value(random, depth + 1));
            return array;
        }
        default: {
            auto object = nlohmann::json::object();
            for (auto n = random() % 4; n > 0; --n) object[fmt::format("k{}\\\"", n)] = random_value(random, depth + 1);
            return object;
        }
    }
}

// With its mark in front, as a Windows shell redirects output.
std::string utf16(std::u16string_view text, bool big_endian) {
    std::string out;
    for (const char16_t unit : std::u16string(u"\ufeff") + std::u16string(text)) {
        const char low = static_cast<char>(unit & 0xff), high = static_cast<char>(unit >> 8);
        out += big_endian ? high : low;
        out += big_endian ? low : high;
    }
    return out;
}

}  // namespace

TEST_SUITE("input: framing") {
    TEST_CASE("UTF-16 with its mark gives the records of the same text in UTF-8, in pieces of any size") {
        const Texts plain = test::texts(test::read_memory("{\"a\":\"\u00e9 \u20ac \U0001f600\"}\n{\"b\":1}\n").pieces);
        for (const bool big_endian : {false, true}) {
            const std::string bytes = utf16(u"{\"a\":\"\u00e9 \u20ac \U0001f600\"}\r\n{\"b\":1}\r\n", big_endian);
            for (const std::size_t piece : {1, 3, 4096}) {
                const Outcome seen = test::read_memory(bytes, {}, piece);
                CHECK(test::texts(seen.pieces) == plain);
                CHECK_FALSE(seen.binary);
            }
        }
    }

    TEST_CASE("two stray bytes that look like the mark cost the line they stand on, and no more") {
        for (const std::string stray : {"\xff\xfe", "\xfe\xff"}) {
            CHECK(test::texts(test::read_memory(stray + "{\"a\":1}\n{\"b\":2}\n").pieces).back() == "{\"b\":2}");
            CHECK(test::read_memory(stray + "{}\n{\"b\":2}\n").pieces.size() == 2);
            CHECK(test::read_memory(stray + "x").pieces.size() == 1);
        }
    }

    TEST_CASE("half a pair, half a unit and the end of the text are no reason to stop") {
        const std::string lone(1, '\0');
        CHECK(test::texts(test::read_memory(utf16(std::u16string_view(u"[1]\n\xd83d"
                                                                      u"x\xde00",
                                                                      7),
                                                  false) +
                                            lone)
                              .pieces) == Texts{"[1]", "\ufffdx\ufffd\ufffd"});
        CHECK(test::read_memory(utf16(u"", true)).pieces.empty());
    }

    TEST_CASE("objects on lines of their own are lines, whatever they hold") {
        CHECK(framing_of("{\"a\":1}\n{\"b\":2}\n") == Framing::lines);
        CHECK(framing_of("{\"a\":1}") == Framing::lines);
        CHECK(framing_of("\n\n  {\"a\":{\"b\":[1]}}  \n\n") == Framing::lines);
        CHECK(framing_of("{\"a\":1}{\"b\":2}\n{\"c\":3}\n") == Framing::lines);
        CHECK(framing_of("{\"a\":\"}\"}\n[1]\n") == Framing::lines);
        CHECK(framing_of("# aider chat started at noon\n") == Framing::lines);
        CHECK(framing_of("") == Framing::lines);
        CHECK(framing_of("\n\n") == Framing::lines);
    }

    TEST_CASE("a torn first line does not turn a log into a document") {
        CHECK(framing_of("{\"a\":\"cut in a string\n{\"b\":1}\n{\"c\":1}\n") == Framing::lines);
        CHECK(framing_of("{\"a\":1,\n{\"b\":1}\n") == Framing::lines);
        CHECK(framing_of("{\"a\":{\n{\"b\":1}\n") == Framing::lines);
        CHECK(framing_of("{\"a\":[1\n{\"b\":1}\n") == Framing::lines);
        CHECK(framing_of("{\"a\":1") == Framing::lines);
        CHECK(framing_of("{\"a\":\n") == Framing::lines);
        CHECK(framing_of("[\"event\",{\"a\n[\"event\",{}]\n") == Framing::lines);
    }

    TEST_CASE("an array of objects on one line that is cut off is still a document") {
        const Outcome seen = test::read_memory(R"([{"a":1},{"b":[2]},{"c":"3)");
        CHECK(seen.framing == Framing::elements);
        CHECK(test::texts(seen.pieces) == Texts{R"({"a":1})", R"({"b":[2]})", R"({"c":"3)"});
        CHECK(framing_of("[{\"a\":1},{\"b\n") == Framing::elements);
        CHECK(framing_of("[\"event\",{\"a") == Framing::lines);
    }

    TEST_CASE("what a terminal or a logger wrote in front hides neither a document nor a log") {
        for (const std::string junk : {"Script started\n", "{}\n\n", "[12:00:01] INFO up\n", "a\nb\nc\n"}) {
            CAPTURE(junk);
            CHECK(test::read_memory(junk + "{\n  \"a\": 1\n}\n").framing == Framing::document);
            CHECK(test::read_memory(junk + "[\n  {\"a\": 1}\n]\n").framing == Framing::elements);
            CHECK(test::read_memory(junk + "{\"a\": 1}\n{\"a\": 2}\n").framing == Framing::lines);
        }
        CHECK(test::read_memory("text\ntext\ntext\ntext\ntext\ntext\n{\n\"a\": 1\n}\n").framing == Framing::lines);
    }

    TEST_CASE("an object spread over lines is a document") {
        CHECK(framing_of("{\n  \"a\": 1\n}\n") == Framing::document);
        CHECK(framing_of("{ \"a\": 1,\r\n  \"b\": 2 }\r\n") == Framing::document);
        CHECK(framing_of("{\"a\": [\n  {\"b\": 1}\n]}") == Framing::document);
        CHECK(framing_of("{ \"a\": 1\n, \"b\": 2\n}") == Framing::document);
        CHECK(framing_of("\xef\xbb\xbf{\n\"a\":\n1}") == Framing::document);
        CHECK(framing_of("{\n}\n") == Framing::document);
    }

    TEST_CASE("what stands before a document is a part of it, so that it begins where its file does") {
        for (const std::string before : {"\xef\xbb\xbf", "\n", " \n\n", "\xef\xbb\xbf\n "}) {
            for (const std::string document : {"{\n\"a\":\n1}", "{\"a\":1}"}) {
                if (before.find('\n') != before.npos && document.find('\n') == document.npos) continue;  // a blank line
                for (const std::size_t piece : {std::size_t{1}, std::size_t{1} << 20}) {
                    CAPTURE(before);
                    const auto seen = test::read_memory(before + document, {}, piece);
                    REQUIRE(seen.pieces.size() == 1);
                    CHECK(seen.pieces[0].offset == 0);
                    CHECK(seen.pieces[0].line == 1);
                    CHECK(seen.pieces[0].text.ends_with(document));
                    CHECK(seen.pieces[0].text.size() == before.size() + document.size());
                }
            }
        }
        // An array is no document, and its elements are not where it begins.
        CHECK(test::read_memory("\xef\xbb\xbf[\n{\"a\":1}]").pieces.at(0).offset == 5);
    }

    TEST_CASE("one array of objects is its elements, many lines of arrays are lines") {
        CHECK(framing_of("[{\"a\":1},{\"b\":2}]") == Framing::elements);
        CHECK(framing_of("[ {\"a\":1} ]\n\n") == Framing::elements);
        CHECK(framing_of("[\n  {\"a\": 1}\n]\n") == Framing::elements);
        CHECK(framing_of("[{\"a\": 1},\n {\"b\": 1}]\n") == Framing::elements);
        CHECK(framing_of("[\"event\",{\"a\":1}]\n[\"event\",{\"a\":2}]\n") == Framing::lines);
        CHECK(framing_of("[\"event\",{\"a\":1}]\n") == Framing::lines);
        CHECK(framing_of("[{\"a\":1}]\n[{\"a\":2}]\n") == Framing::lines);
        CHECK(framing_of("[]\n") == Framing::lines);
        CHECK(framing_of("[1,2]") == Framing::lines);
    }

    TEST_CASE("an array of objects is its elements whatever a crash or a longer file of before left behind it") {
        CHECK(framing_of(std::string("[{\"a\":1},{\"b\":2}]\0\0\0", 20)) == Framing::elements);
        CHECK(framing_of("[{\"a\":1},{\"b\":2}]\"old\"}]") == Framing::elements);
        CHECK(framing_of("[{\"a\":1},{\"b\":2}]}\n") == Framing::elements);
        CHECK(framing_of("[{\"a\":1}],\n[{\"a\":2}]\n") == Framing::lines);
        CHECK(framing_of("[{\"a\":1}][{\"a\":2}]\n") == Framing::lines);
    }

    TEST_CASE("an element that is too long does not hide what is worth peeking at behind it") {
        InputLimits limits;
        limits.max_record_bytes = 100;
        const std::string big = "{\"a\":\"" + std::string(300'000, 'x') + "\"}";
        for (const std::size_t piece : {1000u, 1u << 20}) {
            const Outcome got = test::read_memory("[" + big + ",\n {\"b\":1}," + big + ",{\"c\":2}]", limits, piece);
            REQUIRE(!got.peeked.empty());
            CHECK(got.peeked[0] == Piece{Next::record, "{\"b\":1}", 2, big.size() + 4, 7, false});
            REQUIRE(got.pieces.size() == 4);
            CHECK(got.pieces[0].what == Next::too_long);
            CHECK(got.pieces[0].line == 1);
            CHECK(got.pieces[1] == got.peeked[0]);
            CHECK(got.pieces[2].what == Next::too_long);
            CHECK(got.pieces[3].text == "{\"c\":2}");
            // Nothing else is there.
            CHECK(test::read_memory("[" + big + "]", limits, piece).peeked.empty());
        }
    }

    TEST_CASE("an array of objects beyond the first chunk is elements before its end is seen") {
        std::string array = "[";
        for (int i = 0; i < 60'000; ++i) array += (i ? ",{\"n\":" : "{\"n\":") + std::to_string(i) + "}";
        array += "]";
        const Outcome got = test::read_memory(array);
        CHECK(got.framing == Framing::elements);
        CHECK(got.pieces.size() == 60'000);
        CHECK(got.pieces.back() == Piece{Next::record, "{\"n\":59999}", 60'000, array.size() - 12, 11, false});
        CHECK(got.peeked.size() == 20);
        // The same size on a line that begins with a name is a line.
        CHECK(framing_of("[\"event\"," + array + "]\n[\"event\"]\n") == Framing::lines);
    }

    TEST_CASE("elements carry their number in the array and their own bytes") {
        const Outcome got = test::read_memory("[\n  {\"a\": \"]},\\\"\"},\n  [1, 2], \"x,y\" , 12 ,null\n]\n");
        CHECK(got.framing == Framing::elements);
        CHECK(test::texts(got.pieces) == Texts{"{\"a\": \"]},\\\"\"}", "[1, 2]", "\"x,y\"", "12", "null"});
        CHECK(got.pieces[0].offset == 4);
        CHECK(got.pieces[4].line == 5);
        CHECK(got.peeked == got.pieces);
    }

    TEST_CASE("documents one after the other are records, with or without a newline between") {
        const Outcome got = test::read_memory("{\n\"a\":1\n}\n{\n\"b\":{}\n}{\"c\":3}\n[1,\n2]");
        CHECK(got.framing == Framing::document);
        CHECK(test::texts(got.pieces) == Texts{"{\n\"a\":1\n}", "{\n\"b\":{}\n}", "{\"c\":3}", "[1,\n2]"});
    }

    TEST_CASE("garbage between values is a record of its own and ends at the newline") {
        const Outcome document = test::read_memory("{\n\"a\":1\n}\nnonsense } here\n{\"b\":1}\n");
        CHECK(test::texts(document.pieces) == Texts{"{\n\"a\":1\n}", "nonsense } here", "{\"b\":1}"});
        const Outcome elements = test::read_memory("[\n{\"a\":1},\n?? {\"lost\":1}\n{\"b\":1}\n] tail");
        CHECK(test::texts(elements.pieces) == Texts{"{\"a\":1}", "?? {\"lost\":1}", "{\"b\":1}", "tail"});
        CHECK_FALSE(elements.pieces.back().unterminated);
    }

    TEST_CASE("an element that the input ends in is marked as unterminated") {
        const Outcome got = test::read_memory("[\n{\"a\":1},\n{\"b\":[1,");
        REQUIRE(got.pieces.size() == 2);
        CHECK_FALSE(got.pieces[0].unterminated);
        CHECK(got.pieces[1] == Piece{Next::record, "{\"b\":[1,", 2, 11, 8, true});
        CHECK(test::read_memory("{\n\"a\":\"\\").pieces.at(0).unterminated);
    }

    TEST_CASE("an element beyond the limit is skipped to its own end") {
        InputLimits limits;
        limits.max_record_bytes = 50;
        for (const std::size_t chunk : {1u, 10u, 49u, 50u, 51u, 300u, 100'000u}) {
            CAPTURE(chunk);
            limits.chunk_bytes = chunk;
            const std::string big = "{\"a\":\"" + std::string(100'000, '}') + "\\\"\"}";
            const Outcome got = test::read_memory("[{\"x\":1}, " + big + " ,{\"y\":1}]", limits);
            REQUIRE(got.pieces.size() == 3);
            CHECK(got.pieces[1] == Piece{Next::too_long, "", 2, 10, static_cast<std::uint32_t>(big.size()), false});
            CHECK(got.pieces[2].text == "{\"y\":1}");
            CHECK(got.pieces[2].line == 3);
        }
        const Outcome cut = test::read_memory("{\n\"a\":\"" + std::string(200'000, 'x'), limits);
        CHECK(cut.framing == Framing::document);
        REQUIRE(cut.pieces.size() == 1);
        CHECK(cut.pieces[0].what == Next::too_long);
    }

    TEST_CASE("nesting of any depth is cut without recursion") {
        constexpr std::size_t kDepth = 1'000'000;
        const std::string deep = std::string(kDepth, '[') + std::string(kDepth, ']');
        const Outcome elements = test::read_memory("[{\"a\":" + deep + "},\n{\"b\":1}]");
        REQUIRE(elements.pieces.size() == 2);
        CHECK(elements.pieces[0].length == 2 * kDepth + 6);
        // An unclosed line of a log stays a line: it must not swallow what follows.
        for (const std::string_view opening : {"[", "{\"a\":"}) {
            std::string line;
            for (int i = 0; i < 100'000; ++i) line += opening;
            for (const std::size_t length : {std::size_t{60}, line.size()}) {
                const Outcome lines = test::read_memory(line.substr(0, length) + "\n{\"b\":1}\n");
                CHECK(lines.pieces.back() == Piece{Next::record, "{\"b\":1}", 2, length + 1, 7, false});
            }
        }
    }

    TEST_CASE("elements come out as the values that went in, compact or pretty") {
        std::mt19937 random(4711);
        for (int round = 0; round < 200; ++round) {
            auto array = nlohmann::json::array({nlohmann::json::object({{"first", round}})});
            for (auto n = random() % 20; n > 0; --n) array.push_back(random_value(random, 0));
            InputLimits limits;
            limits.chunk_bytes = 1 + random() % 100;
            const Outcome got = test::read_memory(array.dump(round % 2 ? 2 : -1), limits, 1 + random() % 50);
            CAPTURE(round);
            REQUIRE(got.framing == Framing::elements);
            REQUIRE(got.pieces.size() == array.size());
            for (std::size_t i = 0; i < array.size(); ++i) {
                CHECK(nlohmann::json::parse(got.pieces[i].text) == array[i]);
                CHECK(got.pieces[i].line == i + 1);
            }
        }
    }

    TEST_CASE("no piece size and no chunk size changes the records of any input") {
        std::mt19937 random(99);
        const std::vector<std::string> beginnings{"", "{", "[", "[{", "{\n", "[\n{", "{\n\"a\":1}\n", "\xef\xbb\xbf"};
        for (int round = 0; round < 400; ++round) {
            const std::string bytes = beginnings[static_cast<std::size_t>(round) % beginnings.size()] +
                                      test::hostile_text(random, random() % 300);
            InputLimits limits;
            limits.max_record_bytes = 16 + random() % 3000;
            const Outcome whole = test::read_memory(bytes, limits);
            InputLimits other = limits;
            other.chunk_bytes = 1 + random() % 500;
            const Outcome pieces = test::read_memory(bytes, other, 1 + random() % 100);
            CAPTURE(round);
            CHECK(pieces.framing == whole.framing);
            CHECK(pieces.pieces == whole.pieces);
            CHECK(pieces.bytes == bytes.size());
            CHECK(pieces.peeked == whole.peeked);
        }
    }
}
