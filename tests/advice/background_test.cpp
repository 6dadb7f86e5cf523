#include "advice/calls/background.hpp"

#include <agent_audit/advice/session_memory.hpp>

#include "advice/state_of.hpp"
#include "support/recording.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace agent_audit;
using namespace agent_audit::advice;
using test::Recording;
using test::state_of;

namespace {

RawText plain_text(std::string_view text) { return {text, TextForm::plain}; }

}  // namespace

TEST_SUITE("commands in the background") {
    TEST_CASE("the name under which a command goes on is found in the answers of the agents") {
        CHECK(handle_in("Process running with session ID 4711\nOutput:\n") == "4711");
        CHECK(handle_in("Command still running (session blue-fox, pid 77). Use process for follow-up.") == "blue-fox");
        CHECK(handle_in("Command running in background with ID: b7f3. Output is being written to: x") == "b7f3");
        CHECK(handle_in("<command with shellId: 12 is still running>") == "12");
        CHECK(handle_in("3 passed") == "");
        CHECK(handle_in("session id") == "");
    }

    TEST_CASE("what a call asks after is read from its arguments, numbers and words alike") {
        const auto asks = [](std::string_view args, std::string_view handle) {
            const auto all = handles_asked(plain_text(args));
            return std::ranges::find(all, handle) != all.end();
        };
        CHECK(asks(R"({"session_id":4711,"chars":""})", "4711"));
        CHECK(asks(R"({"action":"poll","sessionId":"blue-fox"})", "blue-fox"));
        CHECK(asks(R"({"bash_id":"b7f3"})", "b7f3"));
        CHECK_FALSE(asks(R"({"command":"blue-fox"})", "blue-fox"));
        CHECK(handles_asked(plain_text("no json")).empty());
        CHECK(handles_asked(plain_text(R"({"session_id":-1e300})")).empty());
    }

    TEST_CASE("an answer says whether the command is over, and how it ended") {
        ToolResult result;
        CHECK_FALSE(ending_of(result, "(no new output)\n\nProcess still running.").ended);
        CHECK_FALSE(ending_of(result, "<status>running</status>").ended);
        CHECK(ending_of(result, "<status>completed</status>\n<exit_code>0</exit_code>").exit_code == 0);
        CHECK(ending_of(result, "4 failed\n\nProcess exited with code 2.").exit_code == 2);
        result.exit_code = 3;
        CHECK(ending_of(result, "").exit_code == 3);
        result.status = ResultStatus::running;
        CHECK_FALSE(ending_of(result, "exit code 1").ended);
    }

    TEST_CASE("the end of a check that another call tells belongs to the command that began it") {
        Recording r;
        r.human("Fix it").edit("src/a.ts");
        r.call("exec_command", "npm test", R"({"cmd":"npm test"})", "", ResultStatus::running, "41");
        r.call("exec_command", "npm run build", R"({"cmd":"npm run build"})", "", ResultStatus::running, "42");
        CHECK(state_of(r).verified.empty());
        r.call("write_stdin", "", R"({"session_id":42,"chars":""})", "error: no such module\nexit code 1",
               ResultStatus::error);
        Checkpoint state = state_of(r);
        CHECK(state.verified.empty());
        REQUIRE(state.last_check.has_value());
        CHECK(state.last_check->command == "npm run build");
        REQUIRE(state.failures.size() == 1);
        CHECK(state.failures[0].call == "npm run build");
        r.call("write_stdin", "", R"({"session_id":41,"chars":""})", "9 passed\nProcess exited with code 0");
        state = state_of(r);
        REQUIRE(state.verified.size() == 1);
        CHECK(state.verified[0].check == "npm test");
        CHECK(state.failures.size() == 1);
    }

    TEST_CASE("a check in the background says nothing about what was edited while it ran") {
        Recording r;
        r.human("Fix it").edit("src/a.ts");
        r.call("exec_command", "npm test", R"({"cmd":"npm test"})", "", ResultStatus::running, "41").edit("src/b.ts");
        r.call("write_stdin", "", R"({"session_id":41,"chars":""})", "9 passed\nProcess exited with code 0");
        const Checkpoint state = state_of(r);
        REQUIRE(state.verified.size() == 1);
        CHECK(state.verified[0].path == "src/a.ts");
        REQUIRE(state.unverified.size() == 1);
        CHECK(state.unverified[0].path == "src/b.ts");
    }

    TEST_CASE("what the agent itself has ended has not failed") {
        Recording r;
        r.human("Serve it")
            .call("exec", "node server.js", R"({"command":"node server.js"})",
                  "Command still running (session blue-fox, pid 7).");
        r.call("process", "kill", R"({"action":"kill","sessionId":"blue-fox"})",
               "Termination requested for session blue-fox.", ResultStatus::error);
        r.call("process", "poll", R"({"action":"poll","sessionId":"blue-fox"})", "Process exited with code 143.",
               ResultStatus::error);
        CHECK(state_of(r).failures.empty());
    }

    TEST_CASE("a notice of the program around the agent ends its command as well") {
        Recording r;
        r.human("Fix it")
            .edit("src/a.ts")
            .call("Bash", "npm test", R"({"command":"npm test","run_in_background":true})",
                  "Command running in background with ID: b7f3. Output is being written to: /x");
        CHECK(state_of(r).verified.empty());
        r.injected(
            "<task-notification>\n<task-id>b7f3</task-id>\n<status>completed</status>\n<summary>Background command "
            "completed (exit code 0)</summary>\n</task-notification>");
        CHECK(state_of(r).verified.size() == 1);
    }

    TEST_CASE("commands that never end take a bounded place") {
        Recording r;
        r.human("Go");
        for (int i = 0; i < 500; ++i) {
            const std::string n = std::to_string(i);
            r.call("exec_command", "tail -f " + n, R"({"cmd":"tail"})", std::string(3000, 'x'), ResultStatus::running,
                   n);
        }
        r.call("write_stdin", "", R"({"session_id":0,"chars":""})", "Process exited with code 1", ResultStatus::error);
        r.call("write_stdin", "", R"({"session_id":499,"chars":""})", "Process exited with code 1",
               ResultStatus::error);
        const Checkpoint state = state_of(r);  // the first is forgotten, so that is a call of its own
        CHECK(std::ranges::any_of(state.failures, [](const Failure& f) { return f.tool == "write_stdin"; }));
        CHECK(std::ranges::any_of(state.failures, [](const Failure& f) { return f.call == "tail -f 499"; }));
    }
}
