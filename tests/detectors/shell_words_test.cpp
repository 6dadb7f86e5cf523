#include "detectors/commands/shell_words.hpp"

#include "detectors/commands/changes_path.hpp"
#include "detectors/commands/constraints.hpp"
#include "detectors/commands/runs_command.hpp"
#include "pipeline/files.hpp"

#include <agent_audit/pipeline/audit.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace agent_audit;
using namespace agent_audit::detectors;

namespace {

// Is the command a breach where only these may be run?
bool breaks_allowed(std::string_view command, const std::string& allowed) {
    std::string escaped;
    for (const char c : command) {
        if (c == '"' || c == '\\') escaped.push_back('\\');
        if (c == '\n')
            escaped += "\\n";
        else
            escaped.push_back(c);
    }
    std::string arguments;
    for (const char c : R"({"command":")" + escaped + R"("})") {
        if (c == '"' || c == '\\') arguments.push_back('\\');
        arguments.push_back(c);
    }
    const test::Folder dir;
    const auto file = dir.write(
        "s.jsonl",
        R"({"role":"user","content":"look at the tree"})"
        "\n"
        R"({"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"bash","arguments":")" +
            arguments +
            "\"}}]}\n"
            R"({"role":"tool","tool_call_id":"c1","content":"ok"})"
            "\n");
    AuditPlan plan;
    plan.inputs = {file};
    plan.select = {"constraint/command"};
    plan.settings.set("constraints.allowed-commands", {allowed, "test"});
    const auto report = audit(plan);
    REQUIRE(report.has_value());
    return !report->findings.empty();
}

}  // namespace

TEST_SUITE("words of a shell") {
    TEST_CASE("what only leads to a command is taken off") {
        CHECK(without_runners("FOO=1 git push") == "git push");
        CHECK(without_runners("sudo -u ada git push") == "git push");
        CHECK(without_runners("timeout 5m nice -n 3 make") == "make");
        CHECK(without_runners("env A=\"b c\" make") == "make");
        CHECK(without_runners("then ( ls") == "ls");
        CHECK(without_runners("! ls") == "ls");
        CHECK(without_runners("git push") == "git push");
        CHECK(without_runners("A=1").empty());
        CHECK(without_runners("").empty());
    }

    TEST_CASE("a forbidden command is known whatever leads to it") {
        for (const std::string_view line :
             {"git push", "FOO=1 git push", "timeout 5 git push", "sudo -u ada git push", "env X=1 git push",
              "/usr/bin/git push", "git  push", "git\tpush", "git -C a push", "git --no-pager push", "git -c a=b push",
              "! git push", "cd a && \\\n git push", "if true; then git push; fi", "echo `git push`"}) {
            CAPTURE(line);
            CHECK(runs_command(line, "git push"));
        }
        for (const std::string_view line :
             {"git pushx", "echo git push", "git commit -m 'git push later'", "grep -n git push.txt",
              "git -C a stash push", "npm run push", "git -C push"}) {
            CAPTURE(line);
            CHECK_FALSE(runs_command(line, "git push"));
        }
        CHECK(runs_command("rm -r -f x", "rm -rf"));
        CHECK_FALSE(runs_command("rm -r x", "rm -rf"));
    }

    TEST_CASE("a forbidden flag is known by all its names") {
        for (const std::string_view line :
             {"rm --recursive --force x", "rm -R --force x", "rm x -Rf", "sudo rm -fR x"}) {
            CAPTURE(line);
            CHECK(runs_command(line, "rm -rf"));
        }
        CHECK(runs_command("git push -f origin main", "git push --force"));
        CHECK(runs_command("git push origin main --force", "git push -f"));
        CHECK(runs_command("git -C a push origin -uf", "git push --force"));
        CHECK_FALSE(runs_command("git push --force-with-lease", "git push --force"));
        CHECK_FALSE(runs_command("git push --follow-tags", "git push -f"));
        CHECK_FALSE(runs_command("rm --recursive x", "rm -rf"));
        CHECK_FALSE(runs_command("tail -f x", "tail --force"));
        CHECK_FALSE(runs_command("chmod -r x", "chmod -R"));
    }

    TEST_CASE("files are changed by commands that something leads to, and by copies that end there") {
        for (const std::string_view line : {"FOO=1 rm .env", "timeout 5 rm .env", "ln -s x .env", "rsync x .env",
                                            "install -m 600 x .env", "dd if=a of=.env"}) {
            CAPTURE(line);
            CHECK(changes_path(line, ".env"));
        }
        CHECK_FALSE(changes_path("ln -s .env x", ".env"));
        CHECK_FALSE(changes_path("dd if=.env of=x", ".env"));
    }

    TEST_CASE("where git works is no part of an allowed command, what it runs is") {
        for (const std::string_view line : {"git -C a status", "git -C 'a b' status -s", "git --no-pager -C a/b status",
                                            "git --git-dir=x/.git --work-tree x status", "/usr/bin/git -C a status"}) {
            CAPTURE(line);
            CHECK_FALSE(breaks_allowed(line, "git status"));
        }
        for (const std::string_view line : {"git -C a push", "git -C status", "git -c core.fsmonitor=./x status",
                                            "git -C \"$(rm a)\" status", "git --no-pager", "git -C 'status"}) {
            CAPTURE(line);
            CHECK(breaks_allowed(line, "git status"));
        }
        CHECK_FALSE(breaks_allowed("git -C a status", "git"));
        CHECK_FALSE(breaks_allowed("git -C a status", "git -C a"));
    }

    TEST_CASE("allowed commands end with their last word, and each part of a line must be one") {
        const std::string allowed = "git status,ls";
        for (const std::string_view line :
             {"ls", "ls -la 2>&1", "FOO=1 ls", "/bin/ls", "(ls)", "timeout 3 ls", "git  status", "true && ls",
              "[ -f a ] && ls", "for i in a b; do ls $i; done", "ls \"a && b\"", "echo \"$(ls) && b\"",
              "ls\n# rm x\ngit status", "echo '$(rm x)'"}) {
            CAPTURE(line);
            CHECK_FALSE(breaks_allowed(line, allowed));
        }
        for (const std::string_view line :
             {"lsof", "git stash", "ls; rm x", "ls $(rm x)", "ls `rm x`", "echo \"$(rm x) && b\"", "bash -c 'rm x'"}) {
            CAPTURE(line);
            CHECK(breaks_allowed(line, allowed));
        }
    }

    TEST_CASE("names of tools are the same in any case") {
        CHECK(tool_matches("WebFetch", "webfetch"));
        CHECK(tool_matches("WebFetch", "web_fetch"));
        CHECK(tool_matches("WebFetch", "web*"));
        CHECK_FALSE(tool_matches("WebFetch", "webfetcher"));
    }
}
