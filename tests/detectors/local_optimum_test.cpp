#include "support/session.hpp"

#include <doctest/doctest.h>

#include <string>

using agent_audit::test::Session;

TEST_SUITE("drift/local-optimum") {
    TEST_CASE("a list that is kept beside commands that only have to be tried again is edited for no check") {
        const auto findings = [](const char* says, const std::string& command = {}) {
            Session s("drift/local-optimum");
            s.human("Deploy the thirty mills; the provider times out now and then, try again then.");
            for (int i = 0; i < 8; ++i) {
                s.fails("Bash", command.empty() ? "sls deploy -f mill" + std::to_string(i) : command, says);
                s.call_json(
                    "Edit", "deployed.txt",
                    R"({"file_path":"deployed.txt","old_string":"#","new_string":"mill)" + std::to_string(i) + R"("})",
                    "done");
            }
            return s.end().size();
        };
        CHECK(findings("Error: Request timed out after 30000ms") == 0);
        // Edited for a page that has the same trouble after each edit.
        CHECK(findings("HTTP/1.1 500 Internal Server Error", "curl -si localhost:8000/mills") == 1);
        CHECK(findings("Error: the role of the mill lacks a name") == 1);
    }

    TEST_CASE("a check of how long something takes fails another way as long as that takes less time") {
        const auto findings = [](double factor) {
            Session s("drift/local-optimum");
            s.human("Make the mill grind a sack in less than 5 ms.");
            double taken = 40;
            for (int i = 0; i < 10; ++i, taken *= factor) {
                s.call_json("Edit", "mill.c",
                            R"({"file_path":"mill.c","old_string":"gap = )" + std::to_string(i) +
                                R"(","new_string":"gap = )" + std::to_string(i + 1) + R"("})",
                            "done");
                s.fails("Bash", "./grind_test", "sack: " + std::to_string(taken) + " ms (limit 5 ms)\nFAILED");
            }
            return s.end().size();
        };
        CHECK(findings(0.9) == 0);
        CHECK(findings(1.0) == 1);
        CHECK(findings(1.1) == 1);
    }
}
