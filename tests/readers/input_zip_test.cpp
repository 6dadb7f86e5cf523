#include "readers/input_support.hpp"
#include "readers/zip_writer.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace agent_audit;
using agent_audit::test::Outcome;
using agent_audit::test::zip_of;
using agent_audit::test::ZipItem;
using Next = RecordSource::Next;

namespace {

std::vector<std::string> texts(const Outcome& seen) {
    std::vector<std::string> out;
    for (const auto& piece : seen.pieces) {
        if (piece.what == Next::record) out.push_back(piece.text);
    }
    return out;
}

bool mentions(const std::string& error, std::string_view words) { return error.find(words) != error.npos; }

const std::string kHead = R"({"version":2,"eval":{"task":"t"}})";

ZipItem sample(int n, std::uint16_t method = 8) {
    return {"samples/" + std::to_string(n) + "_epoch_1.json", "{\"id\":" + std::to_string(n) + ",\"messages\":[]}",
            method};
}

}  // namespace

TEST_SUITE("input: zip") {
    TEST_CASE("the head comes first and the samples as they stand in the file, however they are packed") {
        const std::string zip =
            zip_of({sample(2, 0), sample(1, 8), sample(3, 93), {"summaries.json", "[1]"}, {"header.json", kHead}});
        for (const std::size_t piece : {1u, 7u, 4096u}) {
            CAPTURE(piece);
            const Outcome seen = test::read_memory(zip, InputLimits{}, piece);
            CHECK(seen.error == "");
            CHECK(texts(seen) == std::vector<std::string>{kHead, sample(2).text, sample(1).text, sample(3).text});
            CHECK(seen.peeked.at(0).text == kHead);
            CHECK_FALSE(seen.binary);
        }
    }

    TEST_CASE("records count on through the entries, in lines and in bytes") {
        const Outcome seen = test::read_memory(zip_of({{"header.json", kHead}, sample(1), sample(2)}));
        REQUIRE(seen.pieces.size() == 3);
        CHECK(seen.pieces[1].line == 2);
        CHECK(seen.pieces[2].line == 3);
        CHECK(seen.pieces[2].offset == kHead.size() + sample(1).text.size());
        CHECK(seen.bytes == kHead.size() + 2 * sample(1).text.size());
    }

    TEST_CASE("entries that span lines are documents, and the 64-bit fields are read") {
        ZipItem item = sample(1);
        item.text = "{\n  \"id\": 1,\n  \"messages\": []\n}\n";
        item.large = true;
        for (const bool large_end : {false, true}) {
            const Outcome seen = test::read_memory(zip_of({item, sample(2)}, large_end));
            CHECK(seen.error == "");
            CHECK(texts(seen) == std::vector<std::string>{"{\n  \"id\": 1,\n  \"messages\": []\n}", sample(2).text});
        }
    }

    TEST_CASE("without a head the draft of a running evaluation serves") {
        const Outcome seen = test::read_memory(zip_of({{"_journal/start.json", kHead}, sample(1)}));
        CHECK(texts(seen) == std::vector<std::string>{kHead, sample(1).text});
    }

    TEST_CASE("of entries with one name the last one counts") {
        ZipItem again = sample(1);
        again.text = "{\"id\":1,\"again\":true}";
        CHECK(texts(test::read_memory(zip_of({sample(1), sample(2), again}))) ==
              std::vector<std::string>{sample(2).text, again.text});
    }

    TEST_CASE("an archive without a directory, or without an evaluation, says so") {
        const std::string zip = zip_of({{"header.json", kHead}, sample(1)});
        const Outcome cut = test::read_memory(zip.substr(0, zip.size() - 30));
        CHECK(mentions(cut.error, "no directory at its end"));
        CHECK(cut.pieces.empty());
        CHECK(mentions(test::read_memory(zip_of({{"notes.txt", "hi"}})).error, "without an evaluation log"));
        CHECK(mentions(test::read_memory(zip_of({})).error, "without an evaluation log"));
    }

    TEST_CASE("an archive cut anywhere gives a message and never more than was in it") {
        const std::string zip = zip_of({{"header.json", kHead}, sample(1), sample(2, 93)});
        for (std::size_t size = 4; size < zip.size(); ++size) {
            CAPTURE(size);
            const Outcome seen = test::read_memory(zip.substr(0, size));
            CHECK(seen.error != "");
            CHECK(seen.pieces.empty());
        }
    }

    TEST_CASE("a byte changed anywhere harms what it is part of, and nothing hangs or crashes") {
        const std::string zip = zip_of({{"header.json", kHead}, sample(1), sample(2, 0), sample(3, 93)});
        for (std::size_t at = 0; at < zip.size(); ++at) {
            CAPTURE(at);
            std::string damaged = zip;
            damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
            const Outcome seen = test::read_memory(damaged);
            CHECK(seen.pieces.size() <= 12);
        }
    }

    TEST_CASE("a damaged entry is named, and the others are read") {
        std::string zip = zip_of({{"header.json", kHead}, sample(1), sample(2)});
        const std::size_t at = zip.find("samples/1_epoch_1.json") + 22;
        zip.replace(at, 4, "\xff\xff\xff\xff");
        const Outcome seen = test::read_memory(zip);
        CHECK(mentions(seen.error, "entry 'samples/1_epoch_1.json' of the ZIP archive: the deflate stream is damaged"));
        CHECK(texts(seen) == std::vector<std::string>{kHead, sample(2).text});
    }

    TEST_CASE("entries are held to the size and the checksum that the directory gives") {
        ZipItem large = sample(1), small = sample(2), wrong = sample(3);
        large.claimed_size = large.text.size() - 5;
        small.claimed_size = small.text.size() + 5;
        wrong.wrong_crc = true;
        CHECK(mentions(test::read_memory(zip_of({large})).error, "larger than the"));
        CHECK(mentions(test::read_memory(zip_of({small})).error, "ends after"));
        CHECK(mentions(test::read_memory(zip_of({wrong})).error, "checksum"));
        const Outcome all = test::read_memory(zip_of({large, small, wrong, sample(4)}));
        CHECK(mentions(all.error, "(and 2 more)"));
        CHECK(texts(all).back() == sample(4).text);
        CHECK(std::ranges::none_of(all.pieces, [](const auto& p) { return p.unterminated; }));
    }

    TEST_CASE("entries that overlap or reach beyond the archive are left out") {
        ZipItem second = sample(2), far = sample(3), long_one = sample(4);
        second.claimed_place = 0;
        far.claimed_place = 1'000'000;
        long_one.claimed_packed = 1'000'000;
        const Outcome seen = test::read_memory(zip_of({sample(1), second, far, long_one, sample(5)}));
        CHECK(mentions(seen.error, "3 of the entries of the ZIP archive overlap others or reach beyond it"));
        CHECK(texts(seen) == std::vector<std::string>{sample(1).text, sample(5).text});
    }

    TEST_CASE("what is encrypted or packed otherwise is named") {
        ZipItem secret = sample(1), odd = sample(2, 14);
        secret.flags = 1;
        CHECK(mentions(test::read_memory(zip_of({secret})).error, "is encrypted"));
        CHECK(mentions(test::read_memory(zip_of({odd})).error, "method 14"));
    }

    TEST_CASE("names are labels: they lead nowhere, and are printable in messages") {
        ZipItem up = sample(1), line = sample(2, 14);
        up.name = "samples/../../../etc/passwd.json";
        line.name = "samples/a\nb\x1b[31m.json";
        const Outcome seen = test::read_memory(zip_of({up, line}));
        CHECK(texts(seen) == std::vector<std::string>{up.text});
        CHECK(std::ranges::none_of(seen.error, [](char c) { return c < ' '; }));
    }

    TEST_CASE("bombs stop: one entry that grows too much, or many of them together") {
        InputLimits limits;
        limits.bomb_bytes = 1 << 20;
        limits.bomb_ratio = 50;
        limits.max_record_bytes = 1 << 16;
        ZipItem bomb = sample(1);
        bomb.text.assign(8 << 20, ' ');
        const Outcome one = test::read_memory(zip_of({bomb, sample(2)}), limits);
        CHECK(mentions(one.error, "bomb"));
        std::vector<ZipItem> many;
        for (int i = 0; i < 40; ++i) {
            many.push_back(sample(i));
            many.back().text.assign(1 << 19, ' ');
        }
        const Outcome all = test::read_memory(zip_of(many), limits);
        CHECK(mentions(all.error, "bomb"));
        CHECK(all.bytes < 4u << 20);
    }

    TEST_CASE("an archive inside an archive is not opened") {
        ZipItem inner = sample(1, 0);
        inner.text = zip_of({sample(2)});
        const Outcome seen = test::read_memory(zip_of({inner}));
        CHECK(mentions(seen.error, "ZIP archive"));
        CHECK(texts(seen).empty());
    }

    TEST_CASE("from a pipe an archive cannot be read, which is said") {
        const std::string zip = zip_of({{"header.json", kHead}});
        int ends[2];
        REQUIRE(::pipe(ends) == 0);
        REQUIRE(::write(ends[1], zip.data(), zip.size()) == static_cast<ssize_t>(zip.size()));
        ::close(ends[1]);
        InputBuffers buffers;
        auto source = open_input("/dev/fd/" + std::to_string(ends[0]), 0, InputLimits{}, buffers);
        REQUIRE(source);
        CHECK((*source)->peek(1).empty());
        CHECK(mentions((*source)->error().value_or(""), "read from a file only"));
        ::close(ends[0]);
    }

    TEST_CASE("a record beyond the limit is counted, and the next entry follows") {
        InputLimits limits;
        limits.max_record_bytes = 1000;
        ZipItem huge = sample(1);
        huge.text = "{\"id\":\"" + std::string(5000, 'x') + "\"}";
        const Outcome seen = test::read_memory(zip_of({huge, sample(2)}), limits);
        REQUIRE(seen.pieces.size() == 2);
        CHECK(seen.pieces[0].what == Next::too_long);
        CHECK(seen.pieces[1].text == sample(2).text);
        CHECK(seen.pieces[1].line == 2);
    }
}
