#include "detectors/commands/wait_arguments.hpp"

#include <doctest/doctest.h>

#include <string>

using agent_audit::detectors::without_wait_times;

TEST_SUITE("arguments of waits") {
    TEST_CASE("times are left out under their names, as numbers and as texts of digits, in escaped JSON too") {
        CHECK(without_wait_times(R"({"ids":["a1"],"timeout_ms":60000})") == R"({"ids":["a1"],"timeout_ms":})");
        CHECK(without_wait_times(R"({"seconds": 2.5})") == R"({"seconds": })");
        CHECK(without_wait_times(R"({"maxWaitSeconds":"30","id":7})") == R"({"maxWaitSeconds":,"id":7})");
        CHECK(without_wait_times(R"({\"timeout\":90})") == R"({\"timeout\":})");
    }

    TEST_CASE("what names no time stays, and other numbers do") {
        for (const char* args : {"", "{}", R"({"id":7})", R"({"ids":["a:1"],"note":"at 10:30"})", ":", "\":5",
                                 R"({"timeout":"soon"})", R"({"runtime_id":5})"}) {
            CAPTURE(args);
            CHECK(without_wait_times(args).empty());
        }
        CHECK(without_wait_times("{\"timeout\":1,\"x\":\"" + std::string(400, 'x') + "\"}").empty());
    }
}
