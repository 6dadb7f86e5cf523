#include "detectors/commands/typed_echo.hpp"

#include "support/session.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace agent_audit;
using agent_audit::detectors::behind_echo;
using agent_audit::test::Session;

namespace {

std::string printed(std::string_view screen, std::string_view typed, TextForm form = TextForm::json_string) {
    return std::string(behind_echo({screen, form}, {typed, form}, typed.size()).bytes);
}

}  // namespace

TEST_SUITE("the echo of what was typed") {
    TEST_CASE("of a screen what was printed stays, without the echo and the prompt that waits") {
        CHECK(printed(R"(New Terminal Output:\n\nroot@barn:/farm# ls\noats rye\nroot@barn:/farm# )", R"(ls\n)") ==
              "oats rye");
        CHECK(printed("root@barn:/farm# ls\noats\nrye\n", "ls\n", TextForm::plain) == "oats\nrye");
        CHECK(printed(R"(root@barn:/farm# grep -r rye src\nroot@barn:/farm# )", R"(grep -r rye src\n)").empty());
        CHECK(printed(R"($ ls\noats\n$ ls\nrye\n$ )", R"(ls\n)") == "rye");
    }

    TEST_CASE("where the echo is not seen at a prompt, or the next prompt is another one, nothing is cut off") {
        for (const char* screen : {R"(oats\nrye)", R"(the ls\noats)", R"((END))", ""}) {
            CAPTURE(screen);
            CHECK(printed(screen, R"(ls\n)") == screen);
        }
        CHECK(printed(R"(root@barn:/farm# cd hay\nroot@barn:/farm/hay# )", R"(cd hay\n)") == "root@barn:/farm/hay#");
        CHECK(printed("$ ls\noats", R"(\n)") == "$ ls\noats");
        CHECK(printed(R"($ yarn add rye\nProceed? y)", R"(y\n)") == R"($ yarn add rye\nProceed? y)");
    }

    TEST_CASE("a line that the screen had to wrap is an echo to its end, and the screen below is empty") {
        const std::string oats(70, 'o'), keys = "echo " + oats + " rye; ls barn";
        const auto shown = [&](std::size_t width, std::string_view below) {
            std::string screen = R"(New Terminal Output:\n\n(base) root@barn:/# )";
            for (std::size_t at = 0; at < keys.size(); at += width) screen += keys.substr(at, width) + R"(\n)";
            return printed(screen + std::string(below), keys + R"(\n)");
        };
        CHECK(shown(66, R"(hay\n(base) root@barn:/#\n\n\n\n)") == "hay");
        CHECK(shown(62, R"(hay\n(base) root@barn:/#\n\n)") == "hay");
        CHECK(shown(200, R"(hay\n(base) root@barn:/#\n\n)") == "hay");
        CHECK(printed("$ " + keys.substr(0, 62) + R"(\nhay and straw and more of it than was typed)", keys + R"(\n)") ==
              "hay and straw and more of it than was typed");
    }

    TEST_CASE("lines of a here-document are shown at prompts of their own") {
        CHECK(printed(R"(root@barn:/farm# python3 << EOF\n> print(1)\n> EOF\n1\nroot@barn:/farm# )",
                      R"(python3 << EOF\nprint(1)\nEOF\n)") == "1");
        CHECK(printed(R"(root@barn:/farm# diff a b\n> rye\nroot@barn:/farm# )", R"(diff a b\n)") == "> rye");
    }

    TEST_CASE("a log that does not move is known again behind pauses of other lengths, one that grows is news") {
        for (const bool moves : {false, true}) {
            CAPTURE(moves);
            Session s("loop/poll-no-progress");
            for (int i = 0; i < 26; ++i) {
                const std::string command = "sleep " + std::to_string(30 + i) + "; tail -1 mill.log\n";
                const std::string log = "sack " + std::to_string(moves ? i : 41) + " of 90\n";
                s.call("bash_command", command, "root@barn:/farm# " + command + log + "root@barn:/farm# ");
            }
            const auto& found = s.end();
            CHECK(found.size() == (moves ? 0 : 1));
            for (const Finding& f : found) CHECK(f.severity == Severity::error);
        }
    }

    TEST_CASE("a command that a tool prints above its output is no output") {
        const auto shown = [](std::string_view said, std::string_view command) {
            return std::string(agent_audit::detectors::behind_command({said, TextForm::json_string},
                                                                      {command, TextForm::json_string}, command.size())
                                   .bytes);
        };
        CHECK(shown(R"(ls barn\r\noats)", "ls barn") == "oats");
        CHECK(shown(R"(ls barn\noats)", "ls barn") == "oats");
        CHECK(shown("ls barn", "ls barn").empty());
        CHECK(shown("ls barns are full", "ls barn") == "ls barns are full");
        CHECK(shown("oats", "ls barn") == "oats");
        Session s("loop/stagnation");
        for (const char* flags : {"-rn", "-rnE", "-rni", "-rnw", "-rnF", "-Rn", "-rnI", "-rnP", "-rnx", "-nr"}) {
            const std::string command = std::string("grep ") + flags + " rye src";
            s.call("Bash", command, command + "\nsrc/barn.ts:41: // rye");
        }
        CHECK(s.end().size() == 1);
    }
}
