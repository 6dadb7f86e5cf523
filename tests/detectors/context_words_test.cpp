#include "detectors/engine/context_words.hpp"

#include <doctest/doctest.h>

using namespace agent_audit::detectors;

TEST_SUITE("words about the window") {
    TEST_CASE("about so many tokens are written as the totals of a report are") {
        CHECK(about_tokens(999) == "999");
        CHECK(about_tokens(4'210) == "4,210");
        CHECK(about_tokens(31'040) == "31.0 k");
        CHECK(about_tokens(118'400) == "118 k");
        CHECK(about_tokens(1'520'000) == "1.5 M");
    }
}
