#include "readers/input_support.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace agent_audit;
using agent_audit::test::Outcome;
using agent_audit::test::Piece;
using Next = RecordSource::Next;

namespace {

bool blank(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); });
}

/// What lines framing must give, written the slow and obvious way.
std::vector<Piece> lines_by_hand(std::string_view bytes, std::size_t longest) {
    std::vector<Piece> pieces;
    std::size_t at = bytes.starts_with("\xef\xbb\xbf") ? 3 : 0;
    while (at < bytes.size()) {
        const std::size_t newline = bytes.find('\n', at);
        const bool last = newline == bytes.npos;
        std::string_view text = bytes.substr(at, last ? bytes.npos : newline - at);
        const std::size_t used = text.size() + (last ? 0 : 1);
        if (text.ends_with('\r')) text.remove_suffix(1);
        Piece piece{blank(text) ? Next::blank : Next::record,
                    std::string(text),
                    pieces.size() + 1,
                    at,
                    static_cast<std::uint32_t>(text.size()),
                    last};
        if (text.size() > longest) {
            piece.what = Next::too_long;
            piece.text.clear();
            piece.unterminated = false;
        }
        pieces.push_back(piece);
        at += used;
    }
    return pieces;
}

/// `unterminated` says nothing about a line that is too long.
std::vector<Piece> comparable(std::vector<Piece> pieces) {
    for (Piece& piece : pieces) {
        if (piece.what == Next::too_long) piece.unterminated = false;
    }
    return pieces;
}

}  // namespace

TEST_SUITE("input: lines") {
    TEST_CASE("a line is a record with its number, offset and length") {
        const Outcome got = test::read_memory("{\"a\":1}\n{\"b\":22}\n");
        REQUIRE(got.pieces.size() == 2);
        CHECK(got.pieces[0] == Piece{Next::record, "{\"a\":1}", 1, 0, 7, false});
        CHECK(got.pieces[1] == Piece{Next::record, "{\"b\":22}", 2, 8, 8, false});
        CHECK(got.bytes == 17);
        CHECK(got.error.empty());
    }

    TEST_CASE("an empty input has no records and is not binary") {
        const Outcome got = test::read_memory("");
        CHECK(got.pieces.empty());
        CHECK(got.peeked.empty());
        CHECK_FALSE(got.binary);
        CHECK(got.error.empty());
    }

    TEST_CASE("a last line without its newline is marked, one with it is not") {
        CHECK(test::read_memory("{}\n{\"a\"").pieces.back() == Piece{Next::record, "{\"a\"", 2, 3, 4, true});
        CHECK_FALSE(test::read_memory("{}\n{}\n").pieces.back().unterminated);
    }

    TEST_CASE("a byte order mark belongs to no record but counts in offsets") {
        const Outcome got = test::read_memory("\xef\xbb\xbf{}\n{}\n");
        REQUIRE(got.pieces.size() == 2);
        CHECK(got.pieces[0] == Piece{Next::record, "{}", 1, 3, 2, false});
        CHECK(got.pieces[1].offset == 6);
        CHECK(got.bytes == 9);
        CHECK(test::read_memory("\xef\xbb\xbf").pieces.empty());
    }

    TEST_CASE("carriage returns before a newline are no part of a record") {
        const Outcome got = test::read_memory("{}\r\n\r\n{\"a\":1}\r\n");
        CHECK(test::texts(got.pieces) == std::vector<std::string>{"{}", "", "{\"a\":1}"});
        CHECK(got.pieces[1].what == Next::blank);
        CHECK(got.pieces[2].offset == 6);
    }

    TEST_CASE("blank lines are counted and numbered, not dropped") {
        const Outcome got = test::read_memory("\n  \t\n{}\n\n");
        REQUIRE(got.pieces.size() == 4);
        CHECK(test::count(got.pieces, Next::blank) == 3);
        CHECK(got.pieces[2].line == 3);
        REQUIRE(got.peeked.size() == 1);
        CHECK(got.peeked[0].line == 3);
    }

    TEST_CASE("a line of exactly the limit is read, one byte more is too long") {
        InputLimits limits;
        limits.max_record_bytes = 1000;
        const std::string most = "\"" + std::string(998, 'x') + "\"";
        for (const std::size_t chunk : {1u, 7u, 999u, 1000u, 1001u, 1002u, 4096u}) {
            for (const std::string ending : {"\n", "\r\n", "", "\r"}) {
                limits.chunk_bytes = chunk;
                CAPTURE(chunk);
                CAPTURE(ending);
                CHECK(test::read_memory(most + ending, limits).pieces.at(0).what == Next::record);
                const Outcome over =
                    test::read_memory(most + "x" + ending + (ending.ends_with('\n') ? "{}\n" : ""), limits);
                CHECK(over.pieces.at(0).what == Next::too_long);
                CHECK(over.pieces.at(0).length == 1001);
                if (ending.ends_with('\n')) CHECK(over.pieces.at(1).text == "{}");
            }
        }
    }

    TEST_CASE("lines that are too long do not hide what is worth peeking at behind them") {
        InputLimits limits;
        limits.max_record_bytes = 100;
        const std::string bytes = std::string(200'000, '{') + "\n" + std::string(101, 'y') + "\n{\"type\":\"user\"}\n";
        const Outcome got = test::read_memory(bytes, limits);
        REQUIRE(got.peeked.size() == 1);
        CHECK(got.peeked[0] == Piece{Next::record, "{\"type\":\"user\"}", 3, 200'103, 15, false});
        REQUIRE(got.pieces.size() == 3);
        CHECK(got.pieces[0] == Piece{Next::too_long, "", 1, 0, 200'000, false});
        CHECK(got.pieces[1] == Piece{Next::too_long, "", 2, 200'001, 101, false});
        CHECK(got.pieces[2] == got.peeked[0]);
    }

    TEST_CASE("the line of a record is a count when nothing else stands in lines") {
        const auto counted = [](std::string_view bytes, std::size_t piece) {
            InputBuffers buffers;
            InputLimits limits;
            limits.chunk_bytes = 16;
            const auto source = memory_input(bytes, 0, limits, buffers, piece);
            std::string out;
            for (Record record; source->next(record) != Next::end;) out += record.counted ? 'c' : 'l';
            return out;
        };
        const std::string big = "{\"a\":\"" + std::string(100'000, 'x') + "\"}";
        for (const std::size_t piece : {1u, 1000u}) {
            CHECK(counted("{\"a\":1}", piece) == "c");
            CHECK(counted(big, piece) == "c");
            CHECK(counted(big + "\r\n \n", piece) == "cl");
            CHECK(counted(big + "\n\n{}\n", piece) == "lll");
            CHECK(counted("{\"a\":1}\n{\"a\":2}", piece) == "ll");
            CHECK(counted("[{\"a\":1},{\"a\":2}]", piece) == "cc");
            CHECK(counted("{\n\"a\":1}\n", piece) == "c");
        }
    }

    TEST_CASE("peeking consumes nothing and can be repeated") {
        InputBuffers buffers;
        const auto source = memory_input("{\"a\":1}\n\n{\"b\":1}\n{\"c\":1}", 7, {}, buffers, 3);
        CHECK(source->peek(2).size() == 2);
        const auto all = source->peek(20);
        REQUIRE(all.size() == 3);
        CHECK(all[2].text == "{\"c\":1}");
        CHECK(all[2].where.line == 4);
        CHECK(all[2].where.file == 7);
        CHECK(all[2].last_unterminated);
        CHECK(source->peek(0).empty());
        CHECK(source->bytes() == 0);
        CHECK(test::drain(*source).size() == 4);
    }

    TEST_CASE("peeking reads on until one record is whole, however long it is") {
        const std::string line = "{\"a\":\"" + std::string(3'000'000, 'x') + "\"}";
        const Outcome got = test::read_memory(line + "\n{}\n");
        REQUIRE(got.peeked.size() >= 1);
        CHECK(got.peeked[0].text == line);
        CHECK(got.pieces.size() == 2);
    }

    TEST_CASE("a NUL in the middle of a log is a byte of its line and does not make the file binary") {
        using namespace std::string_literals;
        const Outcome got = test::read_memory("{\"a\":1}\n{\"b\":\"x\0y\"}\n{\"c\":1}\n"s);
        CHECK(got.pieces.size() == 3);
        CHECK(got.pieces[1].length == 11);
        CHECK_FALSE(got.binary);
    }

    TEST_CASE("binary files are told from text") {
        using namespace std::string_literals;
        CHECK(test::read_memory("\x7f"
                                "ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0>\0\1\0\0\0"s)
                  .binary);
        CHECK(test::read_memory("SQLite format 3\0\20\0\2\2\0@  \0\0\0\5"s).binary);
        CHECK(test::read_memory("{" + std::string(200, '\0')).binary);
        CHECK(test::read_memory("PK\3\4" + std::string(100, '\5')).binary);
        CHECK_FALSE(test::read_memory("# aider chat started at noon\n\n#### do it\n").binary);
        CHECK_FALSE(test::read_memory("{\"text\":\"gr\xc3\xbc\xc3\x9f \xff\"}\n").binary);
        CHECK_FALSE(test::read_memory("\x1b[1mcolours\x1b[0m of a terminal log\n").binary);
    }

    TEST_CASE("the fates of lines add up: every byte of any input is in one record or one separator") {
        std::mt19937 random(20260);
        for (int round = 0; round < 300; ++round) {
            // Many lines that do not begin as JSON force lines framing; a few might stand in front of a document.
            const std::string bytes = (round % 3 == 0 ? "\xef\xbb\xbfx\nx\nx\nx\nx\nx" : "x\nx\nx\nx\nx\nx") +
                                      test::hostile_text(random, 5 + random() % 400);
            InputLimits limits;
            limits.chunk_bytes = 1 + random() % 300;
            limits.max_record_bytes = 20 + random() % 400;
            CAPTURE(round);
            const Outcome got = test::read_memory(bytes, limits, 1 + random() % 200);
            CHECK(got.framing == Framing::lines);
            CHECK(comparable(got.pieces) == lines_by_hand(bytes, limits.max_record_bytes));
            CHECK(got.bytes == bytes.size());

            std::uint64_t at = bytes.starts_with("\xef\xbb\xbf") ? 3 : 0;
            for (const Piece& piece : got.pieces) {
                CHECK(piece.offset == at);
                const std::string_view rest = std::string_view(bytes).substr(at + piece.length);
                if (piece.what != Next::too_long) CHECK(bytes.compare(at, piece.length, piece.text) == 0);
                at += piece.length + (rest.starts_with("\r\n") ? 2u : rest.empty() ? 0u : 1u);
            }
            CHECK(at == bytes.size());
        }
    }
}
