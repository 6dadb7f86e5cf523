#include "support/find_either.hpp"

#include <doctest/doctest.h>

#include <string>

using agent_audit::find_either;

TEST_SUITE("find_either") {
    TEST_CASE("it finds the nearer of two bytes, wherever the blocks end") {
        for (std::size_t size = 0; size < 70; ++size) {
            for (std::size_t at = 0; at < size; ++at) {
                std::string text(size, 'x');
                text[at] = '"';
                for (std::size_t from = 0; from <= size; ++from) {
                    const std::size_t expected = from <= at ? at : text.npos;
                    REQUIRE(find_either(text, from, '"', '\\') == expected);
                    REQUIRE(find_either(text, from, '\\', '"') == expected);
                }
                if (at + 1 < size) text[at + 1] = '\\';
                REQUIRE(find_either(text, 0, '\\', '"') == at);
            }
        }
    }

    TEST_CASE("bytes above 127 are bytes like others") {
        const std::string text = std::string(20, 'a') + "\xff";
        CHECK(find_either(text, 0, '\xff', '\x01') == 20);
        CHECK(find_either(text, 0, '\x7f', '\x01') == text.npos);
    }
}
