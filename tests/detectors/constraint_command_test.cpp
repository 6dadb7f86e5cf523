#include "support/session.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using agent_audit::test::Session;

namespace {

bool broken(const char* key, const char* entries, std::string_view command) {
    Session s("constraint/command", {{key, entries}});
    s.call("Bash", command, "ok");
    return !s.end().empty();
}

bool not_allowed(std::string_view command) {
    return broken("constraints.allowed-commands", "git,npm test,sudo apt-get", command);
}
bool forbidden(std::string_view command) {
    return broken("constraints.forbidden-commands", "git push,rm -rf", command);
}

}  // namespace

TEST_SUITE("constraint/command") {
    TEST_CASE("each command of a line must be allowed") {
        for (const std::string_view command :
             {"git status", "cd a && git log 2>&1; echo done", "git commit -m \"fix; rm the file\"",
              "git commit -m 'a && b\nc | d'", "GIT_PAGER=cat git log", "(git add a; git commit -m b)",
              "for f in *.c; do git add $f; done", "git show $(git rev-parse HEAD)",
              "git commit -m \"$(cat <<'EOF'\nIt's \"done\"; rm it\n\nEOF\n)\"", "npm test -- --watch",
              "time git fetch", "git log # | less", "sudo apt-get update", "if [ -d .git ]; then git status; fi"}) {
            CAPTURE(command);
            CHECK_FALSE(not_allowed(command));
        }
        for (const std::string_view command : {"gitleaks detect", "git log | head", "npm tests", "npm install",
                                               "sudo git gc", "cat a", "cat <<EOF > a\nx\nEOF", "echo `rm a`",
                                               "git show \"$(rm a)\"", "bash -c 'git status'", "git status & rm a"}) {
            CAPTURE(command);
            CHECK(not_allowed(command));
        }
    }

    TEST_CASE("a forbidden one is found wherever it runs, and only there") {
        for (const std::string_view command :
             {"git push", "cd a && git push -f", "sudo git push", "bash -c 'cd a; git push'", "x=$(git push)",
              "echo \"$(rm -rf a)\"", "git -C a push", "while true; do git push; done", "rm -fr a", "rm -r -f a",
              "rm a -r --force -f"}) {
            CAPTURE(command);
            CHECK(forbidden(command));
        }
        for (const std::string_view command :
             {"git commit -m \"then; git push\"", "echo 'a && git push'", "git status # git push",
              "cat <<EOF > todo\ngit push\nEOF", "git pushx", "grep 'rm -rf' a | sort", "git push --dry-run", "rm -r a",
              "rm --force a"}) {
            CAPTURE(command);
            CHECK_FALSE(forbidden(command));
        }
    }

    TEST_CASE("breaches beyond those that are listed are counted") {
        Session s("constraint/command", {{"constraints.allowed-commands", "git"}});
        for (int i = 0; i < 1003; ++i) s.call("Bash", "rm file-" + std::to_string(i), "ok");
        CHECK(s.end().size() == 1000);
        REQUIRE(s.unlisted().size() == 1);
        CHECK(s.unlisted().front().count == 3);
    }

    TEST_CASE("a tool whose name is written with JSON escapes is the same tool") {
        for (const std::string_view name : {"Bash", "\\u0042ash"}) {
            CAPTURE(name);
            Session s("constraint/command", {{"constraints.forbidden-commands", "rm -rf"}});
            ToolCall call;
            call.call_id = {"1", TextForm::plain};
            call.name = {name, TextForm::json_string};
            call.primary = call.args = {"rm -rf build", TextForm::plain};
            s.emit(call).answer_id("1", "", ResultStatus::ok);
            const auto& findings = s.end();
            REQUIRE(findings.size() == 1);
            CHECK(findings.front().message.find("\\u") == std::string::npos);
        }
    }
}
