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
}
