#include <agent_audit/tokens/bpe.hpp>

#include "support/sanitized.hpp"
#include "tokens/pre_tokenise.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace agent_audit;

namespace {

std::string base64(std::string_view bytes) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t bits = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
        }
        for (std::size_t k = 0; k < 4; ++k) out += i + k > bytes.size() ? '=' : digits[bits >> (18 - 6 * k) & 63];
    }
    return out;
}

using Ranks = std::map<std::string, std::uint32_t>;

// All single bytes first, then the given tokens.
Ranks with_bytes(const std::vector<std::string>& tokens) {
    Ranks ranks;
    for (int b = 0; b < 256; ++b) ranks.emplace(std::string(1, static_cast<char>(b)), static_cast<std::uint32_t>(b));
    for (const std::string& token : tokens) ranks.emplace(token, static_cast<std::uint32_t>(ranks.size()));
    return ranks;
}

std::string file_of(const Ranks& ranks) {
    std::string out;
    for (const auto& [token, rank] : ranks) out += base64(token) + ' ' + std::to_string(rank) + '\n';
    return out;
}

Vocabulary vocabulary(const Ranks& ranks) {
    auto parsed = Vocabulary::parse(file_of(ranks), "test");
    REQUIRE_MESSAGE(parsed.has_value(), (parsed ? "" : parsed.error().message));
    return *std::move(parsed);
}

std::string fault(std::string_view text) {
    const auto parsed = Vocabulary::parse(text, "v.tiktoken");
    return parsed ? "none" : parsed.error().message;
}

// The definition: merge the pair of the lowest rank, the leftmost of equals, looking at all of them each time.
std::vector<std::uint32_t> merged_by_definition(const Ranks& ranks, const std::string& piece) {
    if (const auto whole = ranks.find(piece); whole != ranks.end()) return {whole->second};
    std::vector<std::string> parts;
    for (const char c : piece) parts.emplace_back(1, c);
    for (;;) {
        std::uint32_t lowest = std::numeric_limits<std::uint32_t>::max();
        std::size_t at = 0;
        for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
            const auto found = ranks.find(parts[i] + parts[i + 1]);
            if (found == ranks.end() || found->second >= lowest) continue;
            lowest = found->second;
            at = i;
        }
        if (lowest == std::numeric_limits<std::uint32_t>::max()) break;
        parts[at] += parts[at + 1];
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
    std::vector<std::uint32_t> out;
    for (const std::string& part : parts) out.push_back(ranks.at(part));
    return out;
}

// The pieces of a text with | between them.
std::string pieces(std::string_view text, PreTokeniser kind) {
    tokens::PreTokens cut(text, kind);
    std::string out;
    for (auto piece = cut.next(); !piece.empty(); piece = cut.next()) {
        if (!out.empty()) out += '|';
        out += piece;
    }
    return out;
}
std::string o200k(std::string_view text) { return pieces(text, PreTokeniser::o200k); }
std::string cl100k(std::string_view text) { return pieces(text, PreTokeniser::cl100k); }

}  // namespace

TEST_SUITE("tokens: byte pairs") {
    TEST_CASE("words take the blank before them") {
        for (const auto kind : {PreTokeniser::o200k, PreTokeniser::cl100k}) {
            CHECK(pieces("Hello  world, again", kind) == "Hello| | world|,| again");
            CHECK(pieces("", kind).empty());
            CHECK(pieces("a\tb", kind) == "a|\tb");
            CHECK(pieces("x_y.z", kind) == "x|_y|.z");
            CHECK(pieces("..x", kind) == "..|x");
        }
    }

    TEST_CASE("o200k parts words at capitals, cl100k does not") {
        CHECK(o200k("parseHTTPResponse") == "parse|HTTPResponse");
        CHECK(cl100k("parseHTTPResponse") == "parseHTTPResponse");
        CHECK(o200k("ABC abC Abc") == "ABC| ab|C| Abc");
        CHECK(o200k("ABC\xE4\xBD\xA0X") == "ABC\xE4\xBD\xA0|X");  // a letter without case ends the word
        CHECK(cl100k("ABC\xE4\xBD\xA0X") == "ABC\xE4\xBD\xA0X");
    }

    TEST_CASE("a contraction belongs to its word in o200k and stands alone in cl100k") {
        CHECK(o200k("don't HE'LL it'sx") == "don't| HE'LL| it's|x");
        CHECK(cl100k("don't HE'LL it'sx") == "don|'t| HE|'LL| it|'s|x");
        CHECK(o200k("a'q") == "a|'q");
        CHECK(cl100k("'D") == "'D");
    }

    TEST_CASE("digits go in threes") {
        CHECK(o200k("12345 7") == "123|45| |7");
        CHECK(cl100k("12345 7") == "123|45| |7");
        CHECK(o200k("\xC2\xBD\xE2\x85\xA7"
                    "1x") ==
              "\xC2\xBD\xE2\x85\xA7"
              "1|x");
    }

    TEST_CASE("punctuation takes the line breaks after it, and in o200k slashes") {
        CHECK(o200k(" {\n\n  x") == " {\n\n| | x");
        CHECK(o200k("-\n/\n/a") == "-\n/\n/|a");
        CHECK(cl100k("-\n/\n/a") == "-\n|/\n|/a");
        CHECK(o200k("//x") == "//|x");
    }

    TEST_CASE("white space ends after its last line break, or before its last blank") {
        for (const auto kind : {PreTokeniser::o200k, PreTokeniser::cl100k}) {
            CHECK(pieces("a   b", kind) == "a|  | b");
            CHECK(pieces("a   ", kind) == "a|   ");
            CHECK(pieces("a \n \n  b", kind) == "a| \n \n| | b");
            CHECK(pieces("a \n  ", kind) == "a| \n|  ");
            CHECK(pieces("a  1", kind) == "a| | |1");
            CHECK(pieces("\xC2\xA0\xC2\xA0 x", kind) == "\xC2\xA0\xC2\xA0| x");
        }
    }

    TEST_CASE("marks belong to words in o200k and are punctuation in cl100k") {
        CHECK(o200k("e\xCC\x81t") == "e\xCC\x81t");
        CHECK(cl100k("e\xCC\x81t") == "e|\xCC\x81t");
        CHECK(o200k("\xCC\x81"
                    "ABC") == "\xCC\x81|ABC");  // the mark is a word of its own before capitals
        CHECK(o200k("\xCC\x81"
                    "abc") ==
              "\xCC\x81"
              "abc");
    }

    TEST_CASE("a piece that is a token is one, whatever merging would give") {
        // "abc" cannot be made: "ab" is no token and "bc" neither.
        const Vocabulary v = vocabulary(with_bytes({"abc"}));
        BpeCounter counter(v, PreTokeniser::cl100k);
        CHECK(counter.count("abc") == 1);
        CHECK(counter.count("abcd") == 4);
        CHECK(counter.encode("abc") == std::vector<std::uint32_t>{256});
    }

    TEST_CASE("the lowest rank merges first, the leftmost of equals") {
        const Vocabulary v = vocabulary(with_bytes({"bc", "ab", "aa", "abc"}));
        BpeCounter counter(v, PreTokeniser::cl100k);
        CHECK(counter.encode("xabcx") == std::vector<std::uint32_t>{'x', 259, 'x'});  // by way of bc
        CHECK(counter.encode("xaaabx") == std::vector<std::uint32_t>{'x', 258, 257, 'x'});
        CHECK(counter.encode("xaaax") == std::vector<std::uint32_t>{'x', 258, 'a', 'x'});
    }

    TEST_CASE("any vocabulary gives what the definition gives") {
        std::mt19937 random(7);
        const auto below = [&random](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
        const auto letters = [&](std::uint32_t alphabet, std::size_t length) {
            std::string out;
            while (out.size() < length) out += static_cast<char>('a' + below(alphabet));
            return out;
        };
        for (int round = 0; round < test::rounds(60); ++round) {
            const std::uint32_t alphabet = 1 + below(4);
            Ranks ranks = with_bytes({});
            const std::uint32_t tokens = 1 + below(80);
            std::map<std::uint32_t, bool> used;
            for (std::uint32_t i = 0; i < tokens; ++i) {
                // Ranks at random, below those of the bytes too: shorter tokens need not come first.
                const std::uint32_t rank = 1000 + below(100'000);
                if (!used.emplace(rank, true).second) continue;
                ranks.try_emplace(letters(alphabet, 2 + below(6)), rank);
            }
            const Vocabulary v = vocabulary(ranks);
            BpeCounter counter(v, PreTokeniser::cl100k);
            for (const std::size_t length : {std::size_t{1}, std::size_t{2}, std::size_t{9}, std::size_t{40},
                                             std::size_t{96}, std::size_t{97}, std::size_t{300}}) {
                const std::string piece = letters(alphabet, length);
                CAPTURE(piece);
                const auto expected = merged_by_definition(ranks, piece);
                CHECK(counter.encode(piece) == expected);
                CHECK(counter.count(piece) == expected.size());
                CHECK(counter.count(piece) == expected.size());  // from the cache
            }
        }
    }

    TEST_CASE("a text without any split point takes time in proportion") {
        std::vector<std::string> powers;
        for (std::size_t length = 2; length <= 64; length *= 2) powers.emplace_back(length, 'a');
        const Vocabulary v = vocabulary(with_bytes(powers));
        BpeCounter counter(v, PreTokeniser::cl100k);
        CHECK(counter.count(std::string(1u << 18, 'a')) == (1u << 18) / 64);  // quadratic merging would take minutes
        if (test::is_sanitized())
            return;  // millions of steps of one heap: half a minute, and nothing that the above has not
        CHECK(counter.count(std::string(5u << 20, 'a')) == (5u << 20) / 64);  // beyond the longest piece
    }

    TEST_CASE("broken bytes and lone surrogates count as the replacement character") {
        const Vocabulary v = vocabulary(with_bytes({"\xEF\xBF", "\xEF\xBF\xBD"}));
        BpeCounter counter(v);
        CHECK(counter.count("\xFF") == 1);
        CHECK(counter.count("\xED\xA0\xBD") == 1);
        CHECK(counter.count("\xE4\xBD") == counter.count("\xEF\xBF\xBD"));
    }

    TEST_CASE("special tokens are plain text") {
        const Vocabulary v = vocabulary(with_bytes({}));
        CHECK(BpeCounter(v).count("<|endoftext|>") == 13);
    }

    TEST_CASE("the size of a vocabulary says how it cuts") {
        CHECK(vocabulary(with_bytes({})).pre_tokeniser() == PreTokeniser::cl100k);
        std::string large = file_of(with_bytes({}));
        for (std::uint32_t i = 0; i < 150'000; ++i) {
            const std::string token{'x', static_cast<char>(i & 0xFF), static_cast<char>(i >> 8 & 0xFF),
                                    static_cast<char>(i >> 16)};
            large += base64(token) + ' ' + std::to_string(256 + i) + '\n';
        }
        const auto parsed = Vocabulary::parse(large, "large");
        REQUIRE(parsed.has_value());
        CHECK(parsed->pre_tokeniser() == PreTokeniser::o200k);
        CHECK(parsed->size() == 150'256);
    }

    TEST_CASE("a file that is no vocabulary is refused with the line") {
        const std::string bytes = file_of(with_bytes({}));
        CHECK(fault("") == "v.tiktoken: empty; a vocabulary has lines \"base64 rank\"");
        CHECK(fault("{\"a\":1}\n") ==
              "v.tiktoken:1: expected \"base64 rank\", as in a .tiktoken file, not \"{\"a\":1}\"");
        CHECK(fault("IQ== 0\nI 1\n") == "v.tiktoken:2: \"I\" is not base64 of a token");
        CHECK(fault("I=== 0\n") == "v.tiktoken:1: \"I===\" is not base64 of a token");
        CHECK(fault(" 0\n") == "v.tiktoken:1: \"\" is not base64 of a token");
        CHECK(fault("IQ== x\n") == "v.tiktoken:1: rank \"x\" is not a whole number below 2^31");
        CHECK(fault("IQ== -1\n") == "v.tiktoken:1: rank \"-1\" is not a whole number below 2^31");
        CHECK(fault("IQ== 2147483648\n") == "v.tiktoken:1: rank \"2147483648\" is not a whole number below 2^31");
        CHECK(fault("IQ== 0 \n") == "v.tiktoken:1: rank \"0 \" is not a whole number below 2^31");
        CHECK(fault("IQ== 0\nIg== 0\n") == "v.tiktoken:2: rank 0 again, it is that of line 1");
        CHECK(fault("IQ== 7\n\nIQ== 3\n") == "v.tiktoken:3: the token of line 1 again");
        CHECK(fault("IQ== 0\n") ==
              "v.tiktoken: no token for byte 0x00; a byte-pair vocabulary has one for each of the 256");
        CHECK(fault(std::string("\x1B[31m\xFF", 6) + std::string(99, 'x')).find("\"?[31m?xxx") != std::string::npos);
        CHECK(fault(bytes) == "none");
        CHECK(fault(bytes + "\r\n\r\nYWI= 256\r\n") == "none");
        CHECK(fault(bytes + "YWI= 256") == "none");  // no line break at the end
    }
}
