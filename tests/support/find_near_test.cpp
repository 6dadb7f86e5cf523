#include "support/find_near.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

using agent_audit::find_near;
using agent_audit::find_pair_near;

TEST_SUITE("find_near") {
    TEST_CASE("each pair of two bytes is handed out once and in order, in texts of any length") {
        std::mt19937 random(11);
        for (std::size_t size = 0; size < 300; ++size) {
            std::string text;
            while (text.size() < size) text += "\\nx"[random() % 3];
            std::vector<std::size_t> expected, found;
            for (std::size_t at = text.find("\\n"); at != text.npos; at = text.find("\\n", at + 1))
                expected.push_back(at);
            agent_audit::each_pair_near(text, '\\', 'n', [&](std::size_t at) { found.push_back(at); });
            REQUIRE(found == expected);
        }
    }

    TEST_CASE("a byte is found wherever the blocks end, and what stands before the start is not") {
        for (std::size_t size = 0; size < 70; ++size) {
            for (std::size_t at = 0; at < size; ++at) {
                std::string text(size, 'x');
                text[at] = '"';
                for (std::size_t from = 0; from <= size; ++from)
                    REQUIRE(find_near(text, from, '"') == (from <= at ? at : text.npos));
            }
        }
    }

    TEST_CASE("the first of two bytes is found, whichever it is") {
        for (std::size_t size = 0; size < 40; ++size) {
            for (std::size_t a = 0; a < size; ++a) {
                std::string text(size, 'x');
                text[a] = '.';
                text[size - 1] = '/';
                for (std::size_t from = 0; from <= size; ++from)
                    REQUIRE(find_near(text, from, '.', '/') == text.find_first_of("./", from));
            }
        }
    }

    TEST_CASE("a pair is found as std::string finds it, halves of one are not") {
        std::string text;
        unsigned state = 7;
        for (int i = 0; i < 4000; ++i) {
            state = state * 1664525u + 1013904223u;
            text += "\\nxy"[state >> 30];
        }
        const std::string pair = "\\n";
        for (std::size_t from = 0; from <= text.size(); from += 3)
            REQUIRE(find_pair_near(text, from, '\\', 'n') == text.find(pair, from));
        for (std::size_t size = 0; size < 60; ++size) {
            const std::string_view part = std::string_view(text).substr(100 - size, size);
            for (std::size_t from = 0; from <= size; ++from)
                REQUIRE(find_pair_near(part, from, '\\', 'n') == part.find(pair, from));
        }
        CHECK(find_pair_near("abc\\", 0, '\\', 'n') == std::string::npos);
        CHECK(find_pair_near("", 0, '\\', 'n') == std::string::npos);
    }

    TEST_CASE("bytes above 127 are bytes like others") {
        const std::string text = std::string(20, 'a') + "\xff";
        CHECK(find_near(text, 0, '\xff') == 20);
        CHECK(find_near(text, 0, '\x7f') == text.npos);
    }
}
