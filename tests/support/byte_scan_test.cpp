#include "support/byte_scan.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <string_view>

using namespace agent_audit;

namespace {

/// Text in which everything that matters to the scans is frequent.
std::string noise(unsigned seed, std::size_t size) {
    static constexpr std::string_view kBytes = "\"\"\"\\\\\\{}[],:aaaaaaaa aaaa\n\x01\xc3\xa9";
    std::string text;
    for (std::size_t i = 0; i < size; ++i) {
        seed = seed * 1664525u + 1013904223u;
        text += (seed >> 28) < 10 ? 'x' : kBytes[(seed >> 8) % kBytes.size()];
    }
    return text;
}

/// `text` with what a scan may read behind it: bytes that would end every one of them.
std::string padded(std::string_view text) {
    std::string out(text);
    while (out.size() < text.size() + kScanPadding) out += "\"}\n]";
    return out;
}

struct Answers {
    std::ptrdiff_t newline, string_end, container_end;
    std::ptrdiff_t value, value_end;  // -1: not told
    std::uint64_t controls;
    bool high;
    bool operator==(const Answers&) const = default;
};

Answers ask(const ByteScans& scans, const std::string& text, std::size_t from, std::size_t size) {
    const char *const at = text.data() + from, *const end = text.data() + size;
    Answers answers{};
    ByteFacts facts;
    answers.newline = scans.newline(at, at, end, facts) - at;
    answers.controls = facts.controls;
    answers.high = facts.high_end > 0;
    answers.string_end = scans.string_end(at, end) - at;
    answers.container_end = scans.container_end(at, end) - at;
    const ValuePlace place = scans.field(at);
    answers.value = place.begin ? place.begin - at : -1;
    answers.value_end = place.end ? place.end - at : -1;
    return answers;
}

/// Is [first, last] within what the facts say, and no more than a stretch away from its ends?
bool tell(const ByteFacts& facts, std::size_t first, std::size_t last) {
    constexpr std::size_t kStretch = 256;
    return facts.high_begin <= first && first - facts.high_begin < kStretch && facts.high_end > last &&
           facts.high_end - last <= kStretch;
}

}  // namespace

TEST_SUITE("byte scans") {
    TEST_CASE("kernels that this machine cannot run are told to be untested") {
        if (best_simd() < SimdLevel::avx2)
            MESSAGE("skipped: kernels for AVX2 and AVX-512, of which this machine has neither");
        else if (best_simd() < SimdLevel::avx512bw)
            MESSAGE("skipped: kernels for AVX-512, which this machine does not have");
        CHECK(simd_levels().front() == SimdLevel::portable);
    }

    TEST_CASE("every level of SIMD gives the answers of one byte at a time") {
        for (unsigned seed = 1; seed <= 400; ++seed) {
            const std::size_t size = seed % 7 == 0 ? seed * 5 : seed % 200;
            const std::string text = padded(noise(seed, size));
            for (std::size_t from = 0; from <= size; from += 1 + seed % 5) {
                const Answers expected = ask(byte_scans(SimdLevel::portable), text, from, size);
                for (const SimdLevel level : simd_levels())
                    REQUIRE(ask(byte_scans(level), text, from, size) == expected);
                const char* const at = text.data() + from;
                REQUIRE(short_string_end(at, text.data() + size, byte_scans()) - at == expected.string_end);
            }
        }
    }

    TEST_CASE("long runs of backslashes escape the quote behind them when they are odd, across blocks") {
        for (std::size_t slashes = 0; slashes < 200; ++slashes) {
            for (const SimdLevel level : simd_levels()) {
                const std::string text = padded(std::string(slashes, '\\') + "\"y\"z");
                const char* const at = text.data();
                const std::size_t expected = slashes % 2 == 0 ? slashes : slashes + 2;
                REQUIRE(byte_scans(level).string_end(at, at + slashes + 4) == at + expected);
            }
        }
    }

    TEST_CASE("a container closes at its own bracket, not at those within it or within strings") {
        for (const SimdLevel level : simd_levels()) {
            for (std::size_t filler = 0; filler < 150; ++filler) {
                const std::string inside = "\"a\":[{}," + std::string(filler, ' ') + "\"}]\\\"}\"],\"b\":{\"c\":[]}";
                const std::string text = padded(inside + "},\"d\":1}");
                REQUIRE(byte_scans(level).container_end(text.data(), text.data() + text.size()) ==
                        text.data() + inside.size());
            }
        }
    }

    TEST_CASE("a container closes behind strings of any length, whatever stands at their blocks' ends") {
        for (const SimdLevel level : simd_levels()) {
            for (std::size_t length = 0; length < 400; length += 3) {
                for (const std::string_view part : {"x", "\\\"", "\\\\", "}", "\\n\\\\\\\"]"}) {
                    std::string inside = "\"a\":\"";
                    while (inside.size() < length) inside += part;
                    inside += "\",\"b\":1";
                    const std::string text = padded(inside + "},\"d\":1}");
                    const char* const end = text.data() + text.size();
                    REQUIRE(byte_scans(level).container_end(text.data(), end) == text.data() + inside.size());
                }
            }
        }
    }

    TEST_CASE("one look at a field tells its value, and the end of one that is short") {
        struct Case {
            std::string_view text, value;
        };
        const std::string filler(60, 'k');
        const std::array<Case, 10> cases{{{"id\":\"abc\",", "\"abc\""},
                                          {"id\":\"\"}", "\"\""},
                                          {"n\":12}", "12"},
                                          {"n\":-1.5e3,", "-1.5e3"},
                                          {"b\":true ]", "true"},
                                          {"o\":{\"a\":1}", ""},
                                          {"s\":\"a\\nb\"", ""},  // escapes are left to others
                                          {"s\": \"blank\"", "none"},
                                          {"s\\n\":1", "none"},
                                          {"s\" :1", "none"}}};
        for (const SimdLevel level : simd_levels()) {
            for (const Case& c : cases) {
                const std::string text = padded(c.text);
                const ValuePlace place = byte_scans(level).field(text.data());
                CAPTURE(c.text);
                REQUIRE((place.begin != nullptr) == (c.value != "none"));
                REQUIRE((place.end != nullptr) == (c.value != "none" && !c.value.empty()));
                if (place.end)
                    CHECK(std::string_view(place.begin, static_cast<std::size_t>(place.end - place.begin)) == c.value);
            }
            const std::string beyond = padded(filler + "\":\"x\"");
            CHECK(byte_scans(level).field(beyond.data() + 10).end != nullptr);
            CHECK(byte_scans(level).field(beyond.data()).end == nullptr);
        }
    }

    TEST_CASE("the facts are those of the line alone") {
        for (const SimdLevel level : simd_levels()) {
            const auto newline = byte_scans(level).newline;
            for (std::size_t at = 0; at < 600; ++at) {
                std::string text(600, 'x');
                text[at] = '\t';
                ByteFacts facts;
                const std::string line = padded(text + "\n\xff\x01");
                REQUIRE(newline(line.data(), line.data(), line.data() + 603, facts) == line.data() + 600);
                CHECK(facts == ByteFacts{1, 0, 0});
                text[at] = '\xff';
                facts = {};
                const std::string other = padded(text + "\n\x01");
                newline(other.data(), other.data(), other.data() + 602, facts);
                CHECK(facts.controls == 0);
                CHECK(tell(facts, at, at));
                CHECK(facts.high_end <= 600);
            }
        }
    }

    TEST_CASE("a line that comes in parts has the facts of the whole, counted from its beginning") {
        std::string text(900, 'x');
        text[130] = '\x80';
        text[131] = '\x1f';
        text[777] = '\xff';
        const std::string line = padded(text + "\n");
        for (const SimdLevel level : simd_levels()) {
            for (std::size_t part = 1; part < 900; part += 37) {
                ByteFacts facts;
                const char* at = line.data();
                for (std::size_t seen = part; at != line.data() + 900; seen += part)
                    at = byte_scans(level).newline(line.data(), at, line.data() + std::min<std::size_t>(seen, 901),
                                                   facts);
                CAPTURE(part);
                CHECK(facts.controls == 1);
                CHECK(tell(facts, 130, 777));
            }
        }
    }
}
