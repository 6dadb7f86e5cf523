// What the answer of a command says about waiting, and which commands measure.
#include "detectors/engine/command_state.hpp"

#include "support/session.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace agent_audit;
using namespace agent_audit::detectors;
using agent_audit::test::Session;

TEST_SUITE("command states") {
    TEST_CASE("short answers that name an unfinished state are those of somebody who waits") {
        for (const char* text : {"CREATE_IN_PROGRESS", R"({"state":"pending"})", "web-0 0/1 ContainerCreating 0", "Status: QUEUED", R"({"status": "running"})"})
            CHECK(says_unfinished({text, TextForm::plain}));
        for (const char* text : {"CREATE_COMPLETE", R"({"state":"failed"})", "Running tests: 12 passed", ""}) CHECK_FALSE(says_unfinished({text, TextForm::plain}));
        CHECK_FALSE(says_unfinished({std::string(500, 'x') + "pending", TextForm::plain}));
    }

    TEST_CASE("looking at a job again and again is a poll, whatever the command") {
        Session s("loop/exact-repeat");
        for (int i = 0; i < 7; ++i) s.call("Bash", "curl -s http://jobs/17", R"({"state":"pending"})");
        CHECK(s.end().empty());
        Session done("loop/exact-repeat");
        for (int i = 0; i < 7; ++i) done.call("Bash", "curl -s http://jobs/17", R"({"state":"failed"})");
        CHECK(done.end().size() == 1);
    }

    TEST_CASE("figures are the answer of a command that measures") {
        for (const char* command : {"time ./app", "./bench query", "hyperfine 'a b'", "cd x && time ./app --version", "python -m timeit 'f()'"})
            CHECK(measures({command, TextForm::plain}));
        for (const char* command : {"npm test", "sometimes", "date", ""}) CHECK_FALSE(measures({command, TextForm::plain}));
        Session s("loop/exact-repeat");
        for (int i = 0; i < 7; ++i) s.call("Bash", "./bench query", "query: " + std::to_string(140 + i) + " ms");
        CHECK(s.end().empty());
    }
}
