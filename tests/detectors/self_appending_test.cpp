#include "support/session.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using agent_audit::test::Session;

namespace {

Session& grow(Session& s, std::string command, std::string_view piece, int commands) {
    for (int i = 0; i < commands; ++i) {
        s.call("Bash", command, "answer " + std::to_string(i));
        command += piece;
    }
    return s;
}

}  // namespace

TEST_SUITE("loop/self-appending") {
    TEST_CASE("four commands are a warning, eight an error, three nothing") {
        for (const auto& [commands, findings, severity] :
             {std::tuple{3, 0u, Severity::info}, {4, 1u, Severity::warning}, {8, 1u, Severity::error}}) {
            Session s("loop/self-appending");
            s.call("Bash", "ls barn", "hay");
            grow(s, "cd mill && make check", " && make check", commands);
            const auto& found = s.end();
            REQUIRE(found.size() == findings);
            if (findings == 0) continue;
            CHECK(found[0].severity == severity);
            CHECK(found[0].repeats == static_cast<std::uint64_t>(commands));
            CHECK(found[0].first_line == 3);
            CHECK(found[0].last_line == 2u + 2u * static_cast<unsigned>(commands));
            CHECK(found[0].reset_line == 4);
            CHECK(found[0].wasted_steps == static_cast<std::uint64_t>(commands - 1));
        }
    }

    TEST_CASE("commands that are longer than what is kept of them are compared whole") {
        const std::string base = "grind " + std::string(400, 'a') + " --stone two --gate open";
        Session same("loop/self-appending");
        grow(same, base, " --stone two --gate open", 5);
        CHECK(same.end().size() == 1);
        Session other("loop/self-appending");
        for (int i = 0; i < 8; ++i) {  // each differs far behind the first bytes
            std::string command = base + std::to_string(i);
            for (int n = 0; n < i; ++n) command += " --stone two";
            other.call("Bash", command, std::to_string(i));
        }
        CHECK(other.end().empty());
    }

    TEST_CASE("a list of files that gets longer is no copy of itself, one that gets the same file again is") {
        Session files("loop/self-appending"), again("loop/self-appending");
        std::string longer = "pytest -q tests/test_mill.py", same = longer;
        for (int i = 0; i < 9; ++i) {
            files.call("Bash", longer += " tests/test_sack" + std::to_string(i) + ".py", std::to_string(i) + " passed");
            again.call("Bash", same += " tests/test_mill.py", std::to_string(i) + " passed");
        }
        CHECK(files.end().empty());
        CHECK(again.end().size() == 1);
    }

    TEST_CASE("what is appended must be known words, and the first command long enough") {
        Session pipeline("loop/self-appending");
        std::string command = "cat /home/noor/mill/stones.log";
        for (const char* piece :
             {"", " | grep granite", " | sort -k3", " | uniq -c", " | head -20", " > counted.txt"}) {
            pipeline.call("Bash", command += piece, std::string("answer ") + piece);
        }
        CHECK(pipeline.end().empty());
        Session brief("loop/self-appending");
        grow(brief, "make mill", " mill", 3);
        CHECK(brief.end().empty());
        Session low("loop/self-appending", {{"known", "100"}});
        grow(low, "cd mill && make check", " && make check --now", 2);
        CHECK(low.end().empty());
    }

    TEST_CASE("other tools in between do not hide it, another command and a human end it") {
        Session reads("loop/self-appending"), commands("loop/self-appending"), human("loop/self-appending");
        std::string command = "cd mill && make check";
        for (int i = 0; i < 6; ++i) {
            reads.call("Bash", command, std::to_string(i)).call("Read", "f" + std::to_string(i), "x");
            commands.call("Bash", command, std::to_string(i)).call("Bash", "ls " + std::to_string(i), "x");
            human.call("Bash", command, std::to_string(i)).human("Go on.");
            command += " && make check";
        }
        const auto& found = reads.end();
        REQUIRE(found.size() == 1);
        CHECK_FALSE(found[0].contiguous);
        CHECK(commands.end().empty());
        CHECK(human.end().empty());
    }

    TEST_CASE("commands of one response are one mistake") {
        Session s("loop/self-appending");
        std::string command = "cd mill && make check";
        s.respond();
        for (int i = 0; i < 8; ++i) {
            s.open("Bash", command);
            command += " && make check";
        }
        for (int i = 0; i < 8; ++i) s.answer(std::to_string(i));
        CHECK(s.end().empty());
    }

    TEST_CASE("only shell commands are looked at") {
        Session s("loop/self-appending");
        std::string text = "a text that is long enough";
        for (int i = 0; i < 8; ++i) s.call("mcp__notes__append", text += " that is long", "ok");
        CHECK(s.end().empty());
    }

    TEST_CASE("with a window of time, commands that lie further apart do not count together") {
        for (const int step : {10, 100}) {
            Session s("loop/self-appending", {{"within", "60"}});
            std::string command = "cd mill && make check";
            for (int i = 0; i < 5; ++i) {
                s.at(i * step).call("Bash", command, std::to_string(i));
                command += " && make check";
            }
            CHECK(s.end().size() == (step == 10 ? 1 : 0));
        }
    }
}
