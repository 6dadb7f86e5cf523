#include "advice/books/record_lines.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace agent_audit::advice;

TEST_SUITE("record lines") {
    TEST_CASE("a record stands where its first event does, and the newest of one id counts") {
        RecordLines lines;
        lines.add("a", 1);
        lines.add("a", 2);
        lines.add("b", 3);
        lines.add("", 4);
        CHECK(lines.line_of("a") == 1);
        CHECK(lines.line_of("b") == 3);
        CHECK(lines.line_of("c") == 0);
        lines.add("a", 5);
        CHECK(lines.line_of("a") == 5);
    }

    TEST_CASE("the last ones are known, however many there are") {
        RecordLines lines;
        const std::uint64_t all = RecordLines::kMost + 10;
        for (std::uint64_t i = 1; i <= all; ++i) lines.add("r" + std::to_string(i), i);
        CHECK(lines.line_of("r10") == 0);
        CHECK(lines.line_of("r11") == 11);
        CHECK(lines.line_of("r" + std::to_string(all)) == all);
    }
}
