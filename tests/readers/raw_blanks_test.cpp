#include "readers/json/raw_blanks.hpp"

#include <doctest/doctest.h>

using namespace agent_audit::readers;

TEST_SUITE("blanks in recorded texts") {
    TEST_CASE("they go as they are and as JSON escapes them") {
        CHECK(without_blanks_in_front("\\n \t\\r\\tls\\n") == "ls\\n");
        CHECK(without_blanks_behind("\\nls \\n\\t\n") == "\\nls");
        CHECK(without_blanks_in_front(" \\n").empty());
        CHECK(without_blanks_behind("\\n \\r").empty());
    }
    TEST_CASE("a letter behind an escaped backslash is no escape") {
        CHECK(without_blanks_behind(R"(dir C:\\n)") == R"(dir C:\\n)");
        CHECK(without_blanks_behind(R"(dir C:\\\n)") == R"(dir C:\\)");
        CHECK(without_blanks_in_front(R"(\\n)") == R"(\\n)");
        CHECK(without_blanks_behind("n") == "n");
    }
}
