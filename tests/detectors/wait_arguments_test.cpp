#include "detectors/commands/wait_arguments.hpp"

#include <doctest/doctest.h>

#include <string>

using agent_audit::detectors::names_only_pause;
using agent_audit::detectors::without_moments;
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

    TEST_CASE("a pause is all that a tool is told when it is told nothing but numbers of seconds") {
        for (const char* args : {R"({"seconds":30})", R"({"duration_ms": "500"})", R"({\"secs\":5})"}) {
            CAPTURE(args);
            CHECK(names_only_pause(args));
        }
        for (const char* args : {"", "{}", R"({"timeout_ms":500})", R"({"seconds":30,"ids":["a1"]})",
                                 R"({"seconds":30,"id":7})", R"({"id":7})", R"({"seconds":"soon"})"}) {
            CAPTURE(args);
            CHECK_FALSE(names_only_pause(args));
        }
    }

    TEST_CASE("moments are left out of arguments, days and other numbers stay") {
        CHECK(without_moments(R"({"job":"j7","asof":"2026-04-07T09:10:07.5Z"})") == R"({"job":"j7","asof":""})");
        CHECK(without_moments(R"({"asof":"2026-04-07 09:10","n":7})") == R"({"asof":"","n":7})");
        CHECK(without_moments(R"({"a":"2026-04-07T09:10:07+02:00","b":"2026-04-08T00:00"})") == R"({"a":"","b":""})");
        for (const char* args : {"", R"({"day":"2026-04-07"})", R"({"id":"2026-04-07-0910"})", "2026-04-07T09:1"}) {
            CAPTURE(args);
            CHECK(without_moments(args).empty());
        }
    }
}
