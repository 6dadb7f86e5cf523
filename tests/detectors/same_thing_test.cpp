#include "detectors/outcomes/same_thing.hpp"

#include <doctest/doctest.h>

using agent_audit::detectors::ask_of_same_thing;

TEST_SUITE("same thing") {
    TEST_CASE("more or fewer parameters, other names for them and other spellings") {
        CHECK(ask_of_same_thing(R"({"fileKey":"aZ1"})", R"({"file_key":"aZ1","nodeId":"0:1"})"));
        CHECK(ask_of_same_thing(R"({"fileKey":"aZ1","depth":2})", R"({"fileKey":"aZ1","depth":3})"));
        CHECK(ask_of_same_thing(R"({\"mill\": \"north\"})", R"({\"mill\": \"north\", \"limit\": 9})"));
        CHECK(ask_of_same_thing("https://figma.example/aZ1", R"({"fileKey":"aZ1"})"));
    }

    TEST_CASE("another value, or another number that is no trimming, is another thing") {
        CHECK_FALSE(ask_of_same_thing(R"({"mill":"north"})", R"({"mill":"south"})"));
        CHECK_FALSE(ask_of_same_thing(R"({"mill":"north","room":101})", R"({"mill":"north","room":102})"));
        CHECK_FALSE(ask_of_same_thing(R"({"room":101})", R"({"room":101})"));
        CHECK_FALSE(ask_of_same_thing("{}", "{}"));
    }
}
