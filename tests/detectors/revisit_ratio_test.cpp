#include "support/session.hpp"

#include <doctest/doctest.h>

using agent_audit::Severity;
using agent_audit::test::Session;

namespace {

Session& known(Session& s, int i) { return s.call("Read", "known" + std::to_string(i % 11), "text"); }
Session& fresh(Session& s, int i) { return s.call("Read", "fresh" + std::to_string(i), "text " + std::to_string(i)); }

}  // namespace

TEST_SUITE("loop/revisit-ratio") {
    TEST_CASE("half of the steps known is a warning, three quarters an error") {
        for (const auto& [every, severity] : {std::pair{2, Severity::warning}, {4, Severity::error}}) {
            Session s("loop/revisit-ratio");
            for (int i = 0; i < 80; ++i) i % every == 0 ? fresh(s, i) : known(s, i * 7);
            const auto& found = s.end();
            REQUIRE(found.size() == 1);
            CHECK(found[0].severity == severity);
            CHECK(found[0].wasted_steps == found[0].repeats);
            CHECK_FALSE(found[0].contiguous);
        }
    }

    TEST_CASE("what goes away by itself may be tried until it does, what does not may not") {
        const auto findings = [](const char* error) {
            Session s("loop/revisit-ratio");
            for (int i = 0; i < 80; ++i)
                i % 3 == 0 ? fresh(s, i) : s.fails("Bash", "ssh mill" + std::to_string(i % 5) + " uptime", error);
            return s.end().size();
        };
        CHECK(findings("ssh: connect to host mill port 22: Connection refused") == 0);
        CHECK(findings("ssh: the key of the mill does not fit") == 1);
    }

    TEST_CASE("a third of the steps known is silent") {
        Session s("loop/revisit-ratio");
        for (int i = 0; i < 120; ++i) i % 3 != 0 ? fresh(s, i) : known(s, i);
        CHECK(s.end().empty());
    }

    TEST_CASE("ways between new deeds, games whose answers change and moves without a look are no repeats") {
        Session blocks("loop/revisit-ratio"), cards("loop/revisit-ratio"), turtle("loop/revisit-ratio");
        const char* dealt[] = {"You win.", "You lose.", "A draw."};
        for (int i = 0; i < 40; ++i) {
            blocks.call("pick_up", "block " + std::to_string(i), "success").call("walk_to", "bin", "success");
            blocks.call("release", "{}", "success").call("walk_to", "table", "success");
            cards.call("action", "stand", dealt[i * i % 7 % 3]).call("action", "deal", dealt[(i * i + i) % 5 % 3]);
            turtle.call("move_forward", "10", "ok").call("turn_right", "45", "ok");
        }
        CHECK(blocks.end().empty());
        CHECK(cards.end().empty());
        CHECK(turtle.end().empty());
    }

    TEST_CASE("what is done behind each new thing is a habit, behind known things and where it fails it is none") {
        const auto rounds = [](bool works, bool fails) {
            Session s("loop/revisit-ratio");
            for (int i = 0; i < 40; ++i) {
                if (fails)
                    s.fails("Bash", "git add a.lock", "not a repository");
                else
                    s.call("Bash", "git add a.lock", "1 path was updated");
                works ? fresh(s, i) : known(s, i * 7);
            }
            return s.end().size();
        };
        CHECK(rounds(true, false) == 0);
        CHECK(rounds(false, false) == 1);
        CHECK(rounds(true, true) == 1);
        Session looks("loop/revisit-ratio"), stuck("loop/revisit-ratio");
        for (int i = 0; i < 40; ++i) {
            fresh(looks, i).call("Bash", "pwd", "/app").call("Bash", "git status", "clean").call("LS", "src", "a b");
            known(stuck, i * 7).call("Bash", "pwd", "/app").call("Bash", "git status", "clean");
        }
        CHECK(looks.end().empty());
        CHECK(stuck.end().size() == 1);
        Session notes("loop/revisit-ratio");
        for (int i = 0; i < 40; ++i) fresh(notes.call("Read", "notes", "to do"), i);
        CHECK(notes.end().size() == 1);
        Session pages("loop/revisit-ratio");
        for (int i = 0; i < 30; ++i) {
            fresh(pages, 2 * i).call("wait_a_little", "2", "waited for 2 s");
            fresh(pages, 2 * i + 1).call("page_messages", "{}", "total messages: 0");
        }
        CHECK(pages.end().empty());
    }

    TEST_CASE("a few repeats in a short session are silent") {
        Session s("loop/revisit-ratio");
        for (int i = 0; i < 24; ++i) known(s, i);
        CHECK(s.end().empty());
    }

    TEST_CASE("what was known before a real change is not known after it") {
        Session s("loop/revisit-ratio");
        for (int i = 0; i < 120; ++i) {
            known(s, i);
            if (i % 11 == 10) s.call("Edit", "change " + std::to_string(i), "done");
        }
        CHECK(s.end().empty());
    }

    TEST_CASE("polls do not count") {
        Session s("loop/revisit-ratio");
        for (int i = 0; i < 60; ++i) s.call("BashOutput", "job " + std::to_string(i % 5), "running");
        CHECK(s.end().empty());
    }

    TEST_CASE("it begins at the first occurrence of what comes back and ends at the last repeat") {
        Session s("loop/revisit-ratio");
        for (int i = 0; i < 30; ++i) fresh(s, i);
        const auto before = s.line();
        for (int i = 0; i < 44; ++i) known(s, i);
        const auto after = s.line();
        for (int i = 30; i < 70; ++i) fresh(s, i);
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].first_line == before + 1);
        CHECK(found[0].last_line == after);
        CHECK(found[0].repeats == 33);
    }

    TEST_CASE("steps that are spread over more time than asked for are silent") {
        for (const auto& [seconds, findings] : {std::pair{1, 1u}, {100, 0u}}) {
            Session s("loop/revisit-ratio", {{"within", "60"}});
            for (int i = 0; i < 60; ++i) known(s.at(1000 + i * seconds), i);
            CHECK(s.end().size() == findings);
        }
    }
}
