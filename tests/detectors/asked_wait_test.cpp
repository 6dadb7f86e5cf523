#include "detectors/outcomes/asked_wait.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

using namespace agent_audit;
using namespace agent_audit::detectors;

namespace {

std::int64_t wait_in(std::string_view text) { return asked_wait_ms({text, TextForm::plain}).value_or(-1); }

}  // namespace

TEST_SUITE("waits that answers ask for") {
    TEST_CASE("headers, fields and sentences name a time") {
        CHECK(wait_in("HTTP/1.1 429 Too Many Requests\r\nRetry-After: 30\r\n") == 30'000);
        CHECK(wait_in(R"({"error":{"code":429,"details":[{"retryDelay":"34.5s"}]}})") == 34'500);
        CHECK(wait_in(R"({"message":"slow down","retry_after":1.5})") == 1500);
        CHECK(wait_in(R"({"retry_after_seconds": 12})") == 12'000);
        CHECK(wait_in(R"({"retryAfterMs":250})") == 250);
        CHECK(wait_in("retry_delay {\n  seconds: 34\n}") == 34'000);
        CHECK(wait_in("Rate limit reached. Please try again in 6m0s.") == 360'000);
        CHECK(wait_in("Please try again in 20ms.") == 20);
        CHECK(wait_in("Please retry in 1 h 5 min") == 3'900'000);
        CHECK(wait_in("too many grains, please wait 90 seconds") == 90'000);
        CHECK(wait_in("Retry after 1 minute; retry-after: 5") == 60'000);  // the longest
        CHECK(asked_wait_ms({R"(429\nRetry-After: 7)", TextForm::json_string}) == 7000);
    }

    TEST_CASE("other numbers, dates and the distant future are no waits") {
        CHECK(wait_in("") == -1);
        CHECK(wait_in("retry after some time") == -1);
        CHECK(wait_in("try again in 3 servers") == -1);
        CHECK(wait_in("please wait") == -1);
        CHECK(wait_in("please wait 5") == -1);
        CHECK(wait_in("Retry-After: Wed, 21 Oct 2026 07:28:00 GMT") == -1);
        CHECK(wait_in("retry-after: -5") == -1);
        CHECK(wait_in("retry-after: nan, retry-after: inf") == -1);
        CHECK(wait_in("attempt 3 of 5 failed after 12 s") == -1);
        CHECK(wait_in("retry-after: 99999999999999999999999999") == 86'400'000);  // a day is the most
        CHECK(wait_in(std::string(5000, ' ') + "retry-after: 5") == -1);
    }
}
