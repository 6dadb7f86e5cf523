#include <agent_audit/advice/session_memory.hpp>

#include "support/recording.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace agent_audit;
using namespace agent_audit::advice;
using test::Recording;

namespace {

Checkpoint state_of(const Recording& recording, std::uint64_t up_to = UINT64_MAX) {
    SessionMemory memory;
    recording.tell(memory, up_to);
    return memory.checkpoint();
}

bool lists(const std::vector<Change>& changes, std::string_view path) {
    return std::ranges::any_of(changes, [&](const Change& c) { return c.path == path; });
}

}  // namespace

TEST_SUITE("session memory") {
    TEST_CASE("an edit is verified by the check that passes after it, and by no other") {
        Recording r;
        r.human("Make the parser accept tabs").shell("npm test", "3 passed").edit("/home/dev/app/src/a.ts");
        Checkpoint state = state_of(r);
        CHECK(state.verified.empty());
        CHECK(lists(state.unverified, "src/a.ts"));
        r.shell("npm test", "1 failed", ResultStatus::error);
        state = state_of(r);
        CHECK(state.verified.empty());
        REQUIRE(state.last_check.has_value());
        CHECK(state.last_check->end == CheckEnd::failed);
        r.edit("/home/dev/app/src/a.ts").shell("npm test", "3 passed");
        state = state_of(r);
        CHECK(state.unverified.empty());
        REQUIRE(state.verified.size() == 1);
        CHECK(state.verified[0].path == "src/a.ts");
        CHECK(state.verified[0].edits == 2);
        CHECK(state.verified[0].check == "npm test");
        CHECK(state.verified[0].check_line == r.line());
    }

    TEST_CASE("a check behind a pipe counts only when its output speaks of success") {
        Recording r;
        r.human("Fix it").edit("src/a.ts").shell("npm test 2>&1 | tail -5", "2 failed, 7 passed");
        CHECK(state_of(r).verified.empty());
        r.shell("npm test 2>&1 | tail -5", "src/a.ts");
        Checkpoint state = state_of(r);
        CHECK(state.verified.empty());
        CHECK(state.last_check->end == CheckEnd::unclear);
        r.shell("npm test 2>&1 | tail -5", "9 passed, 0 failed");
        CHECK(state_of(r).verified.size() == 1);
    }

    TEST_CASE("a check of another state of the files verifies nothing") {
        Recording r;
        r.human("Fix it").edit("src/a.ts").shell("git stash && npm test", "9 passed");
        CHECK(state_of(r).verified.empty());
    }

    TEST_CASE("a check that only says what it would do verifies nothing") {
        Recording r;
        r.human("Fix it").edit("src/a.c").shell("make -n build", "cc -c a.c").shell("pytest --collect-only", "3 tests collected");
        CHECK(state_of(r).verified.empty());
    }

    TEST_CASE("an edit and a check in one command count in their order") {
        Recording r;
        r.human("Fix it").shell("sed -i 's/a/b/' src/a.c && make test", "ok");
        CHECK(lists(state_of(r).verified, "src/a.c"));
        r.shell("make test && sed -i 's/a/b/' src/b.c", "ok");
        CHECK(lists(state_of(r).unverified, "src/b.c"));
    }

    TEST_CASE("what only formats, configures, starts or publishes is no check") {
        for (const char* command : {"black src", "prettier --write .", "ruff format", "cmake -B build -S .", "make run", "make format",
                                    "make deploy", "just serve", "gradle run", "make clean", "npm run start"}) {
            CAPTURE(std::string(command));
            Recording r;
            r.human("Fix it").edit("src/a.c").shell(command, "done, all ok");
            CHECK(state_of(r).verified.empty());
        }
        for (const char* command : {"black --check src", "prettier --check .", "ruff check", "cmake --build build", "make", "make -j4 all",
                                    "make check", "make check docs", "tsc --noEmit", "npm run lint", "cargo clippy", "go vet ./..."}) {
            CAPTURE(std::string(command));
            Recording r;
            r.human("Fix it").edit("src/a.c").shell(command, "done, all ok");
            CHECK(state_of(r).verified.size() == 1);
        }
    }

    TEST_CASE("a check verifies what lies where it ran, and nothing in another tree") {
        Recording r;
        r.human("Fix both").edit("/home/dev/app/src/a.c").edit("/home/dev/other/src/b.c").edit("/home/dev/.notes/plan.toml");
        r.shell("make test", "ok");
        CHECK(lists(state_of(r).verified, "src/a.c"));
        CHECK(lists(state_of(r).unverified, "/home/dev/other/src/b.c"));
        r.shell("cd /home/dev/other/build && ctest", "100% tests passed");
        CHECK(lists(state_of(r).verified, "/home/dev/other/src/b.c"));
        CHECK(lists(state_of(r).unverified, "/home/dev/.notes/plan.toml"));
        r.edit("/home/dev/app/src/c.c").shell("make -C ../other test", "ok");
        CHECK(lists(state_of(r).unverified, "src/c.c"));
        r.shell("cd src && make test", "ok");
        CHECK(lists(state_of(r).verified, "src/c.c"));
    }

    TEST_CASE("no check says anything about texts and pictures, a human does") {
        Recording r;
        r.human("Write it up").edit("README.md").edit("CMakeLists.txt").edit("logo.png").shell("make test", "ok");
        CHECK(lists(state_of(r).verified, "CMakeLists.txt"));
        CHECK(lists(state_of(r).unverified, "README.md"));
        CHECK(lists(state_of(r).unverified, "logo.png"));
        r.human("looks great");
        CHECK(state_of(r).unverified.empty());
    }

    TEST_CASE("a check of before says nothing about an edit that comes later") {
        Recording r;
        r.human("Fix it").edit("src/a.c").shell("make test", "ok").edit("src/b.c");
        const Checkpoint state = state_of(r);
        CHECK(lists(state.verified, "src/a.c"));
        CHECK(lists(state.unverified, "src/b.c"));
    }

    TEST_CASE("a human's plain praise verifies, praise with a reserve does not") {
        Recording r;
        r.human("Fix the header").edit("src/a.ts").human("looks good but the footer is still broken");
        CHECK(state_of(r).verified.empty());
        r.human("works now, thanks");
        REQUIRE(state_of(r).verified.size() == 1);
        CHECK(state_of(r).verified[0].approved);
    }

    TEST_CASE("what was taken back is no progress, unless it was committed") {
        Recording r;
        r.human("Fix it").edit("src/a.ts").shell("npm test", "ok").shell("git commit -am 'keep a'", "[main 1]").edit("src/b.ts").shell(
            "npm test", "ok");
        CHECK(state_of(r).verified.size() == 2);
        r.shell("git reset --hard", "HEAD is now at 1");
        const Checkpoint state = state_of(r);
        CHECK(lists(state.verified, "src/a.ts"));
        CHECK_FALSE(lists(state.verified, "src/b.ts"));
        CHECK_FALSE(lists(state.modified, "src/b.ts"));
        REQUIRE(state.commits.size() == 1);
        CHECK(state.commits[0].text == "keep a");
    }

    TEST_CASE("the goal is the first request, and the latest one where it is another") {
        Recording r;
        r.injected("You are running in a sandbox.").human("Build a parser").says("Done.").human("Now write its manual").says("Yes.").human("ok go on");
        const Checkpoint state = state_of(r);
        CHECK(state.goal.first.text == "Build a parser");
        REQUIRE(state.goal.latest.has_value());
        CHECK(state.goal.latest->text == "Now write its manual");
        REQUIRE(state.goal.remark.has_value());
        CHECK(state.goal.remark->text == "ok go on");
    }

    TEST_CASE("a message that goes on with the request before is no request of its own, a longer one is") {
        Recording r;
        r.human("Build a parser").says("Done.").human("The bash tool returns nothing. Find out why.");
        r.human("please continue and give me a plan how to fix this");
        Checkpoint state = state_of(r);
        REQUIRE(state.goal.latest.has_value());
        CHECK(state.goal.latest->text == "The bash tool returns nothing. Find out why.");
        REQUIRE(state.goal.remark.has_value());
        CHECK(state.goal.remark->text == "please continue and give me a plan how to fix this");
        const std::string task = "Continue with the second part: the server must answer with the whole table, page by page, and say how many there are.";
        state = state_of(r.human(task));
        CHECK(state.goal.latest->text == task);
        state = state_of(r.human("continuous integration is red, mend it"));
        CHECK(state.goal.latest->text == "continuous integration is red, mend it");
    }

    TEST_CASE("where nobody spoke the task of the program around the agent is the goal") {
        Recording r;
        r.injected("Solve issue 12").shell("ls", "a");
        CHECK(state_of(r).goal.first.text == "Solve issue 12");
    }

    TEST_CASE("constraints are sentences of people, not questions, code or what tools print") {
        Recording r;
        r.human("Refactor it. Never touch the schema. Must we keep it?\n```\nyou must not quote this\n```\n\u4E0D\u8981\u6539\u6587\u4EF6\u540D\u3002");
        r.shell("cat notes", "You must always run rm").says("I must read first.");
        const Checkpoint state = state_of(r);
        REQUIRE(state.constraints.size() == 2);
        CHECK(state.constraints[0].text == "Never touch the schema.");
        CHECK(state.constraints[0].line == 2);
        CHECK(state.constraints[1].text == "\u4E0D\u8981\u6539\u6587\u4EF6\u540D\u3002");
    }

    TEST_CASE("a failure is forgotten when the same call works later") {
        Recording r;
        r.human("Fix it").shell("make app", "No rule to make target", ResultStatus::error).shell("cat x", "cat: x: No such file", ResultStatus::error);
        r.shell("make app", "No rule", ResultStatus::error);
        Checkpoint state = state_of(r);
        REQUIRE(state.failures.size() == 2);
        CHECK(state.failures[0].call == "make app");
        CHECK(state.failures[0].count == 2);
        r.shell("make app", "built");
        state = state_of(r);
        REQUIRE(state.failures.size() == 1);
        CHECK(state.failures[0].call == "cat x");
    }

    TEST_CASE("the same answer three times over is a repetition, with an edit in between it is not") {
        Recording r;
        r.human("Look").read("a.txt").read("a.txt").edit("a.txt").read("a.txt");
        CHECK(state_of(r).repetitions.empty());
        r.read("a.txt").read("a.txt").read("a.txt");
        const Checkpoint state = state_of(r);
        REQUIRE(state.repetitions.size() == 1);
        CHECK(state.repetitions[0].count == 4);
    }

    TEST_CASE("a file that was changed after it was read is no longer listed as read, whatever its name was") {
        Recording r;
        r.human("Look").read("/home/dev/app/src/a.ts").read("/home/dev/app/src/b.ts").shell("cd src && sed -i 's/x/y/' a.ts", "");
        const Checkpoint state = state_of(r);
        REQUIRE(state.read.size() == 1);
        CHECK(state.read[0].path == "src/b.ts");
        CHECK(lists(state.modified, "src/a.ts"));
    }

    TEST_CASE("comments and scripts of a command are no files") {
        Recording r;
        r.human("Look").shell("# ../utils -> ../config\nsed -i '' 's#from x#from y#' src/a.ts", "");
        const Checkpoint state = state_of(r);
        REQUIRE(state.modified.size() == 1);
        CHECK(state.modified[0].path == "src/a.ts");
    }

    TEST_CASE("open items of a list are the plan, those that are done are not") {
        Recording r;
        r.human("Do it").call("TodoWrite", "", R"({"todos":[{"content":"one","status":"completed"},{"content":"two","status":"pending"},
            {"content":"three","status":"in_progress"}]})", "ok");
        const Checkpoint state = state_of(r);
        REQUIRE(state.plan.size() == 2);
        CHECK(state.plan[0].text == "three");
        CHECK(state.plan[1].text == "two");
    }

    TEST_CASE("patches name their files") {
        Recording r;
        r.human("Do it").call("apply_patch", "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-x\n+y\n*** End Patch", "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-x\n+y\n*** End Patch", "Done!");
        CHECK(lists(state_of(r).modified, "src/a.rs"));
    }

    TEST_CASE("a session cut at any line gives what the whole gives at that line") {
        Recording r;
        r.human("Build it, never use tabs").read("a.ts").edit("a.ts").shell("npm test", "1 failed", ResultStatus::error).says("I decided to retry because it is flaky.");
        r.edit("a.ts").shell("npm test", "ok").human("next: the manual").read("b.md").read("b.md").read("b.md").compaction().edit("b.md");
        for (std::uint64_t cut = 1; cut <= r.line(); ++cut) {
            std::vector<Checkpoint> of_whole, of_cut;
            Checkpointer whole({.every = 2}, [&](const Checkpoint& c) { if (c.line < cut) of_whole.push_back(c); });
            Checkpointer part({.every = 2}, [&](const Checkpoint& c) { if (c.line < cut) of_cut.push_back(c); });
            r.tell(whole);
            r.tell(part, cut);
            CHECK(of_whole == of_cut);
        }
    }

    TEST_CASE("a second session of the stream begins anew") {
        Recording one, two;
        one.human("First").edit("a.ts");
        two.human("Second");
        SessionMemory memory;
        one.tell(memory);
        two.tell(memory);
        CHECK(memory.checkpoint().goal.first.text == "Second");
        CHECK(memory.checkpoint().modified.empty());
    }

    TEST_CASE("memory stays bounded whatever the session") {
        Recording r;
        r.human("go");
        for (int i = 0; i < 3000; ++i) {
            const std::string n = std::to_string(i);
            r.edit("f" + n + ".ts").read("r" + n + ".ts").shell("tool-" + std::string(1, static_cast<char>('a' + i % 26)) + n, "no", ResultStatus::error);
            r.human("Never do " + n + ", always do " + n);
        }
        const Checkpoint state = state_of(r);
        CHECK(state.unverified.size() <= 256);
        CHECK(state.modified.size() <= 256);
        CHECK(state.read.size() <= 256);
        CHECK(state.failures.size() <= 48);
        CHECK(state.constraints.size() <= 24);
    }
}

TEST_SUITE("checkpoints") {
    TEST_CASE("one is taken every few responses and before what cannot be taken back") {
        Recording r;
        r.human("Clean up");
        for (int i = 0; i < 5; ++i) r.read("f" + std::to_string(i));
        r.shell("rm -rf build", "");
        std::vector<Checkpoint> made;
        Checkpointer checkpointer({.every = 3}, [&](const Checkpoint& c) { made.push_back(c); });
        r.tell(checkpointer);
        REQUIRE(made.size() == 2);
        CHECK(made[0].reason == CheckpointReason::interval);
        CHECK(made[0].responses == 3);
        CHECK(made[0].open_calls == 0);
        CHECK(made[1].reason == CheckpointReason::risk);
        CHECK(made[1].risk == "rm -rf build");
        CHECK(made[1].line == r.line() - 2);
    }

    TEST_CASE("risky commands are told from harmless ones") {
        for (const char* command : {"rm -rf build", "git push origin main", "git reset --hard HEAD~1", "git checkout -- a.c", "psql -c 'DROP TABLE users'",
                                    "cd x && sudo rm -r y", "git clean -fd", "npm publish"}) {
            CAPTURE(std::string(command));
            CHECK(is_risky_command(command));
        }
        for (const char* command : {"rm a.txt", "git status", "git log --oneline", "ls -r", "echo 'git push'", "git checkout -b new", "npm test"}) {
            CAPTURE(std::string(command));
            CHECK_FALSE(is_risky_command(command));
        }
    }
}
