#include "readers/input_support.hpp"
#include "support/sanitized.hpp"

#include <doctest/doctest.h>
#include <zlib.h>
#include <zstd.h>

using namespace agent_audit;
using agent_audit::test::Outcome;
using Next = RecordSource::Next;

namespace {

std::string gzip(std::string_view bytes, int level = 6) {
    z_stream stream{};
    REQUIRE(deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

std::string zstd(std::string_view bytes) {
    std::string out(ZSTD_compressBound(bytes.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
    return out;
}

/// Lines that do not compress to nothing.
std::string session(std::size_t lines) {
    std::mt19937 random(5);
    std::string text;
    for (std::size_t i = 0; i < lines; ++i) {
        text += "{\"type\":\"user\",\"n\":" + std::to_string(random()) + ",\"text\":\"" + std::to_string(random()) +
                "\"}\n";
    }
    return text;
}

}  // namespace

TEST_SUITE("input: compressed") {
    TEST_CASE("gzip and zstd give the records of the plain bytes, in pieces of any size") {
        std::mt19937 random(31);
        for (int round = 0; round < 60; ++round) {
            const std::string plain =
                round % 2 ? test::hostile_text(random, random() % 2000) : session(random() % 3000);
            InputLimits limits;
            limits.chunk_bytes = 1 + random() % 5000;
            const Outcome expected = test::read_memory(plain);
            for (const std::string& packed : {gzip(plain), zstd(plain)}) {
                CAPTURE(round);
                const Outcome got = test::read_memory(packed, limits, 1 + random() % 300);
                CHECK(got.error.empty());
                CHECK(got.pieces == expected.pieces);
                CHECK(got.framing == expected.framing);
                CHECK(got.bytes == plain.size());
            }
        }
    }

    TEST_CASE("UTF-16 within gzip and zstd is read as well, wherever a piece ends") {
        std::u16string wide = u"\ufeff";
        std::string plain;
        for (int i = 0; plain.size() < 150'000; ++i) {
            const std::string number = std::to_string(i);
            wide += u"{\"n\":" + std::u16string(number.begin(), number.end()) + u",\"t\":\"\u00e9\u4e2d\U0001f600\"}\n";
            plain += "{\"n\":" + number + ",\"t\":\"\u00e9\u4e2d\U0001f600\"}\n";
        }
        const auto expected = test::read_memory(plain).pieces;
        for (const bool big_endian : {false, true}) {
            std::string bytes;
            for (const char16_t unit : wide) {
                const char low = static_cast<char>(unit & 0xff), high = static_cast<char>(unit >> 8);
                bytes += {big_endian ? high : low, big_endian ? low : high};
            }
            std::mt19937 random(9);
            for (const std::string& packed : {bytes, gzip(bytes), zstd(bytes)}) {
                for (int round = 0; round < 4; ++round) {
                    InputLimits limits;
                    limits.chunk_bytes = 1 + random() % 50'000;
                    const Outcome got = test::read_memory(packed, limits, 1 + random() % 20'000);
                    CHECK(got.error.empty());
                    CHECK(got.pieces == expected);
                    CHECK(got.bytes == plain.size());
                }
            }
        }
    }

    TEST_CASE("UTF-16 in a gzip stream that is cut off gives what is there, and says so") {
        std::string bytes = "\xff\xfe";
        for (const char c : session(3000)) bytes += {c, '\0'};
        const std::string packed = gzip(bytes);
        const Outcome got = test::read_memory(std::string_view(packed).substr(0, packed.size() / 2));
        CHECK(got.error.find("cut off") != std::string::npos);
        CHECK(got.pieces.size() > 1000);
    }

    TEST_CASE("members and frames that follow each other are one stream") {
        const std::string plain = session(1000);
        const std::string_view half = std::string_view(plain).substr(0, 12'345);
        const std::string_view rest = std::string_view(plain).substr(12'345);
        const auto expected = test::read_memory(plain).pieces;
        for (const std::size_t piece : {1u, 2u, 17u, 65'536u, 1'000'000u}) {
            CAPTURE(piece);
            CHECK(test::read_memory(gzip(half) + gzip("") + gzip(rest), {}, piece).pieces == expected);
            CHECK(test::read_memory(zstd(half) + zstd("") + zstd(rest), {}, piece).pieces == expected);
            // What some archivers leave: zeros behind gzip, a frame to be skipped before zstd.
            const Outcome padded = test::read_memory(gzip(plain) + std::string(700, '\0'), {}, piece);
            CHECK(padded.pieces == expected);
            CHECK(padded.error.empty());
            const std::string skippable("\x50\x2a\x4d\x18\x04\0\0\0abcd", 12);
            CHECK(test::read_memory(skippable + zstd(plain), {}, piece).pieces == expected);
        }
    }

    TEST_CASE("a stream that is cut off gives its records and says so") {
        const std::string plain = session(20'000);
        for (const std::string& packed : {gzip(plain), zstd(plain)}) {
            const Outcome got = test::read_memory(std::string_view(packed).substr(0, packed.size() / 2));
            CHECK(got.pieces.size() > 1000);
            CHECK(got.pieces.size() < 20'000);
            CHECK(got.error.find("stream is cut off after") != std::string::npos);
            CHECK(got.error.find('\n') == std::string::npos);
            // What could be decompressed is all there, even where the last bytes give more than is asked for at once.
            InputLimits small;
            small.chunk_bytes = 10;
            for (std::size_t missing = 1; missing < packed.size();
                 missing += packed.size() / static_cast<std::size_t>(agent_audit::test::rounds(50))) {
                const std::string_view cut = std::string_view(packed).substr(0, packed.size() - missing);
                CHECK(test::read_memory(cut, small, 7).bytes == test::read_memory(cut).bytes);
            }
            CHECK_FALSE(test::read_memory(std::string_view(packed).substr(0, packed.size() - 1)).error.empty());
            CHECK_FALSE(test::read_memory(std::string_view(packed).substr(0, 5)).error.empty());
        }
    }

    TEST_CASE("a damaged stream gives the records before the damage and says so") {
        const std::string plain = session(20'000);
        for (std::string packed : {gzip(plain), zstd(plain)}) {
            for (std::size_t i = packed.size() / 2; i < packed.size() / 2 + 2000; ++i) packed[i] = '\x55';
            const Outcome got = test::read_memory(packed);
            CHECK(got.pieces.size() > 100);
            CHECK(got.error.find("stream is damaged after") != std::string::npos);
            CHECK(got.pieces[50] == test::read_memory(plain).pieces[50]);
        }
    }

    TEST_CASE("text behind a gzip stream is reported, not swallowed") {
        CHECK(test::read_memory(gzip("{}\n") + "more").error.find("what follows is not gzip") != std::string::npos);
        CHECK(test::read_memory(gzip("{}\n") + "m").error.find("what follows is not gzip") != std::string::npos);
        CHECK_FALSE(test::read_memory(zstd("{}\n") + "more").error.empty());
    }

    TEST_CASE("a decompression bomb is stopped, an honest file of the same size is not") {
        InputLimits limits;
        limits.bomb_bytes = 1 << 20;
        limits.bomb_ratio = 100;
        const std::string zeros(64 << 20, '0');
        for (const std::string& packed : {gzip(zeros, 9), zstd(zeros)}) {
            const Outcome got = test::read_memory(packed, limits);
            CHECK(got.error.find("looks like a decompression bomb") != std::string::npos);
            CHECK(got.bytes < (4 << 20));
        }
        const std::string honest = session(100'000);
        REQUIRE(honest.size() > limits.bomb_bytes);
        CHECK(test::read_memory(gzip(honest), limits).error.empty());
        CHECK(test::read_memory(zstd(honest), limits).error.empty());
    }

    TEST_CASE("an empty compressed file is an empty input") {
        for (const std::string& packed : {gzip(""), zstd("")}) {
            const Outcome got = test::read_memory(packed);
            CHECK(got.pieces.empty());
            CHECK(got.error.empty());
        }
    }

    TEST_CASE("buffers serve compressed and plain inputs in any order") {
        InputBuffers buffers;
        const std::string plain = session(500);
        const auto expected = test::read_memory(plain).pieces;
        const std::string cut = gzip(plain).substr(0, 100);
        const std::vector<std::string> inputs{gzip(plain), plain,       zstd(plain), cut, zstd(plain).substr(0, 99),
                                              gzip(plain), zstd(plain), plain};
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            CAPTURE(i);
            const auto source = memory_input(inputs[i], 0, {}, buffers, 1000);
            const Outcome got = test::outcome_of(*source);
            if (i != 3 && i != 4) CHECK(got.pieces == expected);
            CHECK(got.error.empty() == (i != 3 && i != 4));
        }
    }
}
