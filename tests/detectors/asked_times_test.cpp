#include "detectors/engine/asked_times.hpp"
#include "support/session.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using agent_audit::Severity;
using agent_audit::detectors::asked_times;
using agent_audit::test::Session;

TEST_SUITE("what a person asked for several times") {
    TEST_CASE("the number of times is read from digits and words, in English and Chinese") {
        CHECK(asked_times("Run the suite 10 times in a row.") == 10);
        CHECK(asked_times("run it ten times") == 10);
        CHECK(asked_times("Please repeat this 3 more times, then stop") == 3);
        CHECK(asked_times("a dozen times") == 12);
        CHECK(asked_times("把测试跑10次") == 10);
        CHECK(asked_times("运行五遍") == 5);
        CHECK(asked_times("run `make soak` 10x and tell me") == 10);
        CHECK(asked_times("say ten runs") == 10);
        CHECK(asked_times("Do 25 iterations, then stop.") == 25);
        CHECK(asked_times("Send 10 test events to the webhook.") == 10);
        CHECK(asked_times("please publish twenty messages") == 20);
        CHECK(asked_times("first 3 times, then twenty times") == 20);
    }

    TEST_CASE("what happened so often is no wish, and other words are no number") {
        for (const std::string_view said : {"The job failed 5 times already", "it crashed ten times", "it ran 7 times", "many times",
                                            "New York Times", "v1.5 times", "response times of 10 ms", "10 timestamps", "失败了5次",
                                            "make it 10x faster", "it is 0x10 bytes", "the job failed 10 runs", "send the mail", "10 runsheets", "resend 5 mails",
                                            "post 10.5 to the account", ""}) {
            CAPTURE(said);
            CHECK(asked_times(said) == 0);
        }
        CHECK(asked_times("do it " + std::string(400, '9') + " times") == 0);
    }

    TEST_CASE("as many equal calls as were asked for are worth a note at most; one more would do, two are a loop") {
        const auto severity = [](int calls) {
            Session s("loop/exact-repeat");
            s.human("Run the harbour test six times to see whether it is flaky.");
            for (int i = 0; i < calls; ++i) s.call("Bash", "npm test", "10 passed");
            const auto& found = s.end();
            REQUIRE(found.size() == 1);
            return found[0].severity;
        };
        CHECK(severity(6) == Severity::info);
        CHECK(severity(7) == Severity::info);
        CHECK(severity(8) == Severity::error);
    }

    TEST_CASE("a wish holds until the person speaks again") {
        Session s("loop/exact-repeat");
        s.human("Run it six times.");
        s.call("Bash", "npm test", "10 passed");
        s.human("Good. Now mend the parser.");
        for (int i = 0; i < 6; ++i) s.call("Bash", "npm test", "1 failing");
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == Severity::error);
    }
}
