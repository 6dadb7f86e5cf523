#include "detectors/outcomes/refusal.hpp"
#include "support/session.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace agent_audit;
using namespace agent_audit::detectors;
using agent_audit::test::Session;

namespace {

constexpr std::string_view kForbidden = "Permission to use Bash with command make mill has been denied.",
                           kPersonsNo = "The user doesn't want to proceed with this tool use.";

std::string way(int i) {
    constexpr std::string_view kWays[] = {"make", "ninja", "gradle", "bazel", "scons", "tup", "waf", "redo", "shake"};
    return std::string(kWays[i]) + " mill";
}

}  // namespace

TEST_SUITE("refusals") {
    TEST_CASE("rules, hooks, modes and empty chairs are told from persons") {
        for (const std::string_view said :
             {kForbidden,
              std::string_view("Permission to use Bash has been denied because the program runs in don't ask mode."),
              std::string_view("Claude requested permissions to write to /mill/a.txt, but you haven't granted it yet."),
              std::string_view("File is in a directory that is denied by your permission settings."),
              std::string_view("exec_command failed for `make`: rejected by user approval settings"),
              std::string_view("approval required by policy, but AskForApproval is set to Never"),
              std::string_view("The user has specified a rule which prevents you from using this specific tool call."),
              std::string_view("Permission denied and could not request permission from user"),
              std::string_view("Tool call blocked by hook."), std::string_view("Tool execution denied by policy."),
              std::string_view("POLICY_DENIED: `curl` is on the deny list"), std::string_view("denied-by-rules"),
              std::string_view("Tool rejected by plugin: no pushes"),
              std::string_view("touch in '/mill/a' needs approval. The path is inside the working directories."),
              std::string_view("Cannot write to /mill/a.txt while in plan mode."),
              std::string_view("Auto mode is unavailable: its check does not run here, so Bash was not run."),
              std::string_view("exec_command failed: Rejected(`rm -f a` rejected: such commands are not permitted)"),
              std::string_view("approval policy is Never; reject command"),
              std::string_view("Tool needs approval, which cannot be given in a non-interactive run")}) {
            CAPTURE(std::string(said));
            CHECK(refusal_of(said) == Refusal::by_rule);
        }
        for (const std::string_view said :
             {kPersonsNo, std::string_view(""), std::string_view("no"), std::string_view("User denied permission"),
              std::string_view("The user rejected this: read the policy of the mill first"),
              std::string_view("The agent proposed a plan that was rejected by the user, who stays in plan mode."),
              std::string_view("[Request interrupted by user for tool use]"),
              std::string_view("Permission to use Bash has been denied by the user."),
              std::string_view(
                  "Permission to use grind has been rejected. Rejection message: use the hook instead.")}) {
            CAPTURE(std::string(said));
            CHECK(refusal_of(said) == Refusal::by_person);
        }
    }

    TEST_CASE("who asks again for what a rule forbids repeats itself; who asks a person again does not") {
        const auto found = [](std::string_view said) {
            Session s("loop/exact-repeat");
            for (int i = 0; i < 6; ++i) s.call("Bash", "make mill", said, ResultStatus::denied);
            return s.end().size();
        };
        CHECK(found(kForbidden) == 1);
        CHECK(found(kPersonsNo) == 0);
        CHECK(found("") == 0);
    }

    TEST_CASE("where a field tells who refused, the words do not count") {
        const auto refused = [](std::string_view said, Refuser by) {
            ToolResult r;
            r.text = {said, TextForm::plain};
            r.status = ResultStatus::denied;
            r.refused_by = by;
            return r;
        };
        CHECK(refusal_of(refused(kPersonsNo, Refuser::rule)) == Refusal::by_rule);
        CHECK(refusal_of(refused(kForbidden, Refuser::person)) == Refusal::by_person);
        CHECK(refusal_of(refused(kForbidden, Refuser::unknown)) == Refusal::by_rule);
        const auto found = [&](std::string_view said, Refuser by) {
            Session s("loop/exact-repeat");
            for (int i = 0; i < 6; ++i) s.respond().open("Bash", "make mill").emit(refused(said, by));
            return s.end().size();
        };
        CHECK(found("not on this mill", Refuser::rule) == 1);
        CHECK(found(kForbidden, Refuser::person) == 0);
    }

    TEST_CASE("a part of a command that nobody is there to approve was refused by a rule") {
        CHECK(refusal_of("This command contains multiple operations. The following part requires approval: make") ==
              Refusal::by_rule);
    }

    TEST_CASE("what helps is the permission, not other arguments") {
        Session s("loop/exact-repeat");
        for (int i = 0; i < 6; ++i) s.call("Bash", "make mill", kForbidden, ResultStatus::denied);
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].action.find("permissions") != std::string::npos);
    }

    TEST_CASE("way after way that nobody allows is a streak of failures") {
        Session rule("loop/error-streak"), person("loop/error-streak");
        for (int i = 0; i < 9; ++i) {
            rule.call("Bash", way(i), "Claude requested permissions to use Bash, but you haven't granted it yet.",
                      ResultStatus::denied);
            person.call("Bash", way(i), kPersonsNo, ResultStatus::denied);
        }
        CHECK(rule.end().size() == 1);
        CHECK(person.end().empty());
    }

    TEST_CASE("a result in the place of a refused call is told from data about a refusal") {
        const auto refuses = [](std::string_view said) { return refuses_call({said, TextForm::plain}); };
        for (const std::string_view said :
             {kPersonsNo, kForbidden, std::string_view("User rejected the tool call."),
              std::string_view("The user denied permission to run `make mill`."),
              std::string_view("Tool call rejected by the user."), std::string_view("Command was denied by user"),
              std::string_view("[the user declined this edit]\nReason: not this file")}) {
            CAPTURE(std::string(said));
            CHECK(refuses(said));
        }
        const std::string page(2000, 'x');
        for (const std::string_view said :
             {std::string_view(""), std::string_view("ok"), std::string_view("user declined offer 17"),
              std::string_view("2026-03-02 09:00 order 4711 was rejected by the user"),
              std::string_view("id,state\n1,denied by user\n2,open"),
              std::string_view("def test_cancel():\n    # the user rejected the tool call\n    pass"),
              std::string_view("Permission to use the mill is given by the miller.")}) {
            CAPTURE(std::string(said));
            CHECK_FALSE(refuses(said));
        }
        CHECK_FALSE(refuses("User rejected the tool call. " + page));
    }

    TEST_CASE("what a person refuses is no repetition where the format tells no status either") {
        const auto found = [](std::string_view said) {
            Session s("loop/exact-repeat");
            for (int i = 0; i < 6; ++i) s.call("Bash", "make mill", said, ResultStatus::unknown);
            return s.end().size();
        };
        CHECK(found("User rejected the tool call.") == 0);
        CHECK(found(kPersonsNo) == 0);
        CHECK(found(kForbidden) == 1);
        Session log("loop/exact-repeat");
        for (int i = 0; i < 6; ++i)
            log.call("Bash", "tail -1 mill.log", "User rejected the tool call.", ResultStatus::unknown);
        CHECK(log.end().size() == 1);  // what a log tells
    }

    TEST_CASE("where the format tells no status, the words of the refusal do") {
        Session s("loop/exact-repeat");
        for (int i = 0; i < 6; ++i)
            s.fails("Bash", "make mill", "Error: this command was blocked by the policy of the mill");
        CHECK(s.end().size() == 1);
    }

    TEST_CASE("a check that a rule forbids is no red check, and an edit that it forbids changes nothing") {
        Session s("loop/stalled-fix");
        for (int i = 0; i < 8; ++i) {
            s.call("Edit", "mill.py " + std::to_string(i), "done");
            s.call("Bash", "pytest -q", kForbidden, ResultStatus::denied);
        }
        CHECK(s.end().empty());
        Session edits("loop/exact-repeat");
        for (int i = 0; i < 6; ++i)
            edits.call("Edit", "mill.py", "denied by your permission settings", ResultStatus::denied);
        CHECK(edits.end().size() == 1);
    }

    TEST_CASE("refused calls count as denied, not as errors, and make no streak of their tool") {
        Session s;
        for (int i = 0; i < 5; ++i) s.call("Bash", "make mill", kForbidden, ResultStatus::denied);
        s.end();
        CHECK(s.counts().denied == 5);
        CHECK(s.counts().errors == 0);
        REQUIRE(s.tools().size() == 1);
        CHECK(s.tools()[0].longest_failure_streak == 0);
        CHECK(s.tools()[0].failed() == 5);
    }
}
