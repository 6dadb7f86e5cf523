#include <agent_audit/advice/checkpointer.hpp>

#include "support/recording.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace agent_audit;
using namespace agent_audit::advice;
using test::Recording;

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
        for (const char* command :
             {"rm -rf build", "git push origin main", "git reset --hard HEAD~1", "git checkout -- a.c",
              "psql -c 'DROP TABLE users'", "cd x && sudo rm -r y", "git clean -fd", "npm publish"}) {
            CAPTURE(std::string(command));
            CHECK(is_risky_command(command));
        }
        for (const char* command : {"rm a.txt", "git status", "git log --oneline", "ls -r", "echo 'git push'",
                                    "git checkout -b new", "npm test"}) {
            CAPTURE(std::string(command));
            CHECK_FALSE(is_risky_command(command));
        }
    }

    TEST_CASE("a session cut at any line gives what the whole gives at that line") {
        Recording r;
        r.human("Build it, never use tabs")
            .read("a.ts")
            .edit("a.ts")
            .shell("npm test", "1 failed", ResultStatus::error)
            .says("I decided to retry because it is flaky.");
        r.edit("a.ts")
            .shell("npm test", "ok")
            .human("next: the manual")
            .read("b.md")
            .read("b.md")
            .read("b.md")
            .compaction()
            .edit("b.md");
        for (std::uint64_t cut = 1; cut <= r.line(); ++cut) {
            std::vector<Checkpoint> of_whole, of_cut;
            Checkpointer whole({.every = 2}, [&](const Checkpoint& c) {
                if (c.line < cut) of_whole.push_back(c);
            });
            Checkpointer part({.every = 2}, [&](const Checkpoint& c) {
                if (c.line < cut) of_cut.push_back(c);
            });
            r.tell(whole);
            r.tell(part, cut);
            CHECK(of_whole == of_cut);
        }
    }
}
