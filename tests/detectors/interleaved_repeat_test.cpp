#include "support/session.hpp"

#include <doctest/doctest.h>

using agent_audit::Severity;
using agent_audit::test::Session;

namespace {

// A failing test run, then a look at a file that was not seen yet.
Session& peek(Session& s, int i) {
    s.fails("Bash", "npm test", "1 failing");
    return s.call("Read", "file" + std::to_string(i), "text " + std::to_string(i));
}

}  // namespace

// Each another thing to try.
constexpr const char* kFixes[] = {"pip install grain", "./reset.sh --all",  "corepack enable", "nvm use default",
                                  "docker start db",   "./seed.sh --again", "node setup.js"};

TEST_SUITE("loop/interleaved-repeat") {
    TEST_CASE("a compiler that is told otherwise makes another program, one that is told the same makes the same") {
        const auto rounds = [](const char* compiler, bool other) {
            Session s("loop/interleaved-repeat");
            for (int i = 0; i < 12; ++i) {
                s.call("Bash",
                       compiler + std::string(" -O") + (other ? "123sz"[i % 5] : '2') + " -march=m" +
                           std::to_string(other ? i : 0) + " mill.c -o mill",
                       "");
                s.call("Bash", "./mill --self-test", "the stone turns, all is well");
                s.call("Read", "notes" + std::to_string(i), "text " + std::to_string(i));
            }
            return s.end().size();
        };
        CHECK(rounds("gcc", true) == 0);
        CHECK(rounds("gcc", false) == 1);
    }

    TEST_CASE("who fails alike is told to read the error, who asks the same to stop asking") {
        const auto action = [](bool fails) {
            Session s("loop/interleaved-repeat");
            for (int i = 0; i < 6; ++i) {
                fails ? s.fails("grind", "corn", "the gap is not set") : s.call("grind", "corn", "the gap is not set");
                s.call("Read", "file" + std::to_string(i), "text " + std::to_string(i));
            }
            return s.end().at(0).action;
        };
        CHECK(action(true).starts_with("read the error"));
        CHECK(action(false).starts_with("stop asking"));
    }

    TEST_CASE("what a tool only says to be done is work, what it found is not") {
        const auto rounds = [](std::string_view answer) {
            Session s("loop/interleaved-repeat");
            for (int i = 0; i < 6; ++i)
                s.call("lower", "{}", answer)
                    .call("sift", "sack " + std::string(1, static_cast<char>('a' + i)), "sifted");
            return s.end().size();
        };
        CHECK(rounds("ok") == 0);
        CHECK(rounds(R"({"success": true, "error": null})") == 0);
        CHECK(rounds("[]") == 1);
        CHECK(rounds("status: error") == 1);
        CHECK(rounds("the stone is down") == 1);
    }

    TEST_CASE("going to a folder, setting up the shell and clearing the screen ask nothing, a file that is read does") {
        const auto rounds = [](std::string_view command, bool fails = false) {
            Session s("loop/interleaved-repeat");
            for (int i = 0; i < 8; ++i) {
                if (fails)
                    s.fails("Bash", command, "no such folder");
                else
                    s.call("Bash", command, "");
                s.call("Read", "file" + std::to_string(i), "text " + std::to_string(i));
            }
            return s.end().size();
        };
        CHECK(rounds("cd /app") == 0);
        CHECK(rounds("clear") == 0);
        CHECK(rounds("cd /app && source .venv/bin/activate") == 0);
        CHECK(rounds("export LC_ALL=C; set +x\n") == 0);
        CHECK(rounds("source .venv/bin/activate", true) == 1);
        CHECK(rounds("source .venv/bin/activate && cat notes") == 1);
        CHECK(rounds("export NOW=$(cat notes)") == 1);
        CHECK(rounds("cd /app", true) == 1);
        CHECK(rounds("cd /app && cat notes") == 1);
        CHECK(rounds("cd /app\ncat notes") == 1);
        CHECK(rounds("cdup") == 1);
    }

    TEST_CASE("a look at where one is before each new piece of work is no loop; with nothing new between it is one") {
        const auto rounds = [](std::string_view look, auto work) {
            Session s("loop/interleaved-repeat");
            for (int i = 0; i < 12; ++i) {
                s.call("Bash", look, "the same as ever");
                work(s, i);
            }
            return s.end().size();
        };
        const auto reads = [](Session& s, int i) {
            s.call("Read", "file" + std::to_string(i), "text " + std::to_string(i));
        };
        for (const char* look :
             {"pwd", "git status", "cd /app && git status --short | head -20", "ls -la src", "date", "whoami; hostname",
              "git log --oneline -3", "node --version", "node -v && npm -v", "gh auth status",
              "kubectl config current-context", "aws sts get-caller-identity", "gcloud config list",
              "terraform workspace show", "nvidia-smi", "pip list | grep oats"}) {
            CAPTURE(look);
            CHECK(rounds(look, reads) == 0);
        }
        for (const char* look : {"cat notes", "pwd && cat notes", "ls > all.txt", "grep -rn todo src", "git show a",
                                 "redis-cli get a", "python list.py", "./mill run list", "npm test"}) {
            CAPTURE(look);
            CHECK(rounds(look, reads) == 1);
        }
        const auto checks = [](Session& s, int i) { s.call("Bash", "pytest tests/t" + std::to_string(i), "3 passed"); };
        const auto guesses = [](Session& s, int i) { s.call("Grep", "word" + std::to_string(i), "No matches found"); };
        const auto fails = [](Session& s, int i) {
            s.fails("Bash", "./fetch " + std::to_string(i), "no route " + std::to_string(i));
        };
        const auto alike = [](Session& s, int i) { s.call("look_up", "order" + std::to_string(i), "see the desk"); };
        CHECK(rounds("git status", checks) == 0);
        CHECK(rounds("git status", guesses) == 1);
        CHECK(rounds("git status", fails) == 1);
        CHECK(rounds("git status", alike) == 1);
        const auto screens = [](bool finds) {
            return [finds](Session& s, int i) {
                const std::string n = std::to_string(i), look = "grep -rn oats" + n + " src\n";
                s.call("Bash", look,
                       "ada@box:/app# " + look + (finds ? "src/a.c: oats" + n + "\n" : "") + "ada@box:/app# ");
            };
        };
        CHECK(rounds("git status", screens(true)) == 0);
        CHECK(rounds("git status", screens(false)) == 1);
    }

    TEST_CASE(
        "a text read, or a check passed, before each new piece of work is a warning, with nothing new between an "
        "error") {
        const auto severity = [](std::string_view read, bool news, bool fails = false) {
            Session s("loop/interleaved-repeat");
            for (int i = 0; i < 12; ++i) {
                fails ? s.fails("Bash", read, "1 failing") : s.call("Bash", read, "one after the other");
                s.call("Grep", "w" + std::to_string(i), news ? "hit " + std::to_string(i) : "No matches found");
            }
            const auto& found = s.end();
            REQUIRE(found.size() == 1);
            return found[0].severity;
        };
        CHECK(severity("cat plan.md", true) == Severity::warning);
        CHECK(severity("cat plan.md", false) == Severity::error);
        CHECK(severity("npm test", true) == Severity::warning);
        CHECK(severity("npm test", false) == Severity::error);
        CHECK(severity("npm test", true, true) == Severity::error);
        Session round("loop/interleaved-repeat");  // of several known calls, with something new now and then
        for (int i = 0; i < 12; ++i) {
            round.call("Read", "plan.md", "first this")
                .call("Read", "notes.md", "then that")
                .call("Read", "old.md", "x");
            if (i % 2 == 0) round.call("Grep", "w" + std::to_string(i), "hit " + std::to_string(i));
        }
        const auto& again = round.end();
        REQUIRE_FALSE(again.empty());
        CHECK(again[0].severity == Severity::error);
    }

    TEST_CASE("tools that list a folder look round as commands do, and those that read a file do not") {
        const auto rounds = [](std::string_view tool) {
            Session s("loop/interleaved-repeat");
            for (int i = 0; i < 12; ++i)
                s.call(tool, "src", "the same as ever")
                    .call("Grep", "w" + std::to_string(i), "hit " + std::to_string(i));
            return s.end().size();
        };
        CHECK(rounds("list_directory") == 0);
        CHECK(rounds("LS") == 0);
        CHECK(rounds("mcp__git__git_status") == 0);
        CHECK(rounds("read_file") == 1);
        CHECK(rounds("list_orders") == 1);
    }

    TEST_CASE("wasted tokens are those of the repeats, not of the work between them") {
        Session s("loop/interleaved-repeat");
        for (int i = 0; i < 4; ++i) {
            s.respond().open("Bash", "npm test").usage(100, 1).answer("1 failing", agent_audit::ResultStatus::error);
            s.respond().open("Read", "file" + std::to_string(i)).usage(5000, 7).answer("text " + std::to_string(i));
        }
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].wasted_steps == 3);
        REQUIRE(found[0].wasted_tokens.has_value());
        CHECK(found[0].wasted_tokens->input == 300);
        CHECK(found[0].wasted_tokens->output == 3);
    }

    TEST_CASE("what is looked at between acts on a screen may have changed, and a picture is not in the recording") {
        Session pages("loop/interleaved-repeat");
        for (int i = 0; i < 12; ++i)
            pages.call("browser_navigate", "http://localhost/" + std::to_string(i), "Page " + std::to_string(i))
                .call("browser_console_messages", "{}", "(no messages)");
        CHECK(pages.end().empty());
        Session pictures("loop/interleaved-repeat");
        for (int i = 0; i < 12; ++i)
            pictures.call("Read", "f" + std::to_string(i), "x" + std::to_string(i))
                .call("take_screenshot", "{}", "Screenshot taken");
        CHECK(pictures.end().empty());
        Session notes("loop/interleaved-repeat");
        for (int i = 0; i < 12; ++i)
            notes.call("Read", "f" + std::to_string(i), "x" + std::to_string(i))
                .call("list_notes", "{}", "(no messages)");
        CHECK(notes.end().size() == 1);
    }

    TEST_CASE("a screen that is told in words can be compared, and on a small one the time of day is what is set") {
        const auto set = [](bool moves) {
            Session s("loop/exact-repeat");
            for (int i = 0; i < 6; ++i)
                s.call("get_screen_text", "{}",
                       "Alarm\n06:" + std::to_string(moves ? 10 + i : 10) + "\nSave  Cancel  Repeat");
            return s.end().size();
        };
        CHECK(set(false) == 1);
        CHECK(set(true) == 0);
    }

    TEST_CASE(
        "what is done between, by its name or in the words of the one tool of a world, may have changed something") {
        Session household("loop/interleaved-repeat"), shop("loop/interleaved-repeat"), robot("loop/interleaved-repeat"),
            looks("loop/interleaved-repeat");
        for (int i = 0; i < 9; ++i) {
            const std::string n = std::to_string(i);
            household.call("act", "go to countertop 1", "You arrive at countertop 1.")
                .call("act", "take mug " + n + " from countertop 1", "You take mug " + n + ".");
            shop.call("act", "click[Item " + n + "]", "Scarf " + n).call("act", "click[Back]", "Ten scarves");
            robot.call("pick", "block " + n, "success").call("place", "red bin", "success");
            looks.call("act", "look", "A room with two doors")
                .call("act", "examine shelf " + n, "Shelf " + n + " is dusty");
        }
        CHECK(household.end().empty());
        CHECK(shop.end().empty());
        CHECK(robot.end().empty());
        CHECK(looks.end().size() == 1);
    }

    TEST_CASE("the fourth equal answer between new reads is a warning, the sixth an error") {
        for (const auto& [times, findings, severity] :
             {std::tuple{3, 0u, Severity::info}, {4, 1u, Severity::warning}, {6, 1u, Severity::error}}) {
            Session s("loop/interleaved-repeat");
            for (int i = 0; i < times; ++i) peek(s, i);
            const auto& found = s.end();
            REQUIRE(found.size() == findings);
            if (findings == 0) continue;
            CHECK(found[0].severity == severity);
            CHECK(found[0].repeats == static_cast<std::uint64_t>(times));
            CHECK(found[0].first_line == 1);
            CHECK(found[0].wasted_steps == static_cast<std::uint64_t>(times - 1));
            CHECK_FALSE(found[0].contiguous);
        }
    }

    TEST_CASE("a real change since the last time starts the count again") {
        Session s("loop/interleaved-repeat");
        for (int i = 0; i < 9; ++i) {
            peek(s, i);
            if (i % 3 == 2) s.call("Edit", "change " + std::to_string(i), "done");
        }
        CHECK(s.end().empty());
    }

    TEST_CASE("a success after a command that may have changed something is a check of it") {
        for (const char* command : {"./deploy.sh ", "kubectl apply -f ", "psql -c 'insert ' ", "git cherry-pick "}) {
            CAPTURE(command);
            Session s("loop/interleaved-repeat");
            for (int i = 0; i < 9; ++i)
                s.call("Bash", command + std::to_string(i), "done").call("Bash", "npm test", "40 passing");
            CHECK(s.end().empty());
        }
        Session tools("loop/interleaved-repeat");
        for (int i = 0; i < 9; ++i)
            tools.call("restart_worker", "w" + std::to_string(i), "ok").call("cluster_state", "all", "green");
        CHECK(tools.end().empty());
    }

    TEST_CASE(
        "a refusal after something was filled in anew is none that this has helped, also where it is told as a "
        "success") {
        Session refused("loop/interleaved-repeat"), sent("loop/interleaved-repeat");
        for (int i = 0; i < 6; ++i) {
            refused.call("set_field", "number " + std::to_string(i), "set")
                .call("send_form", "", "Not sent: invalid number");
            sent.call("set_field", "number " + std::to_string(i), "set")
                .call("send_form", "", "The form is on its way");
        }
        CHECK(refused.end().size() == 1);
        CHECK(sent.end().empty());
    }

    TEST_CASE("a check that mends what it finds changes something") {
        Session s("loop/interleaved-repeat");
        for (int i = 0; i < 9; ++i)
            s.call("Bash", "ruff check --fix src/" + std::to_string(i), "fixed").call("Bash", "npm test", "40 passing");
        CHECK(s.end().empty());
    }

    TEST_CASE(
        "a failure that comes again after such commands is found, and so is a success when they only repeat or take "
        "notes") {
        Session failing("loop/interleaved-repeat");
        for (const char* fix : kFixes) failing.call("Bash", fix, "done").fails("Bash", "npm test", "1 failing");
        CHECK(failing.end().size() == 1);
        Session same("loop/interleaved-repeat");
        for (int i = 0; i < 9; ++i)
            same.call("Bash", "./a.sh", "a " + std::to_string(i % 2 == 0 ? 1 : 1))
                .call("Read", "f" + std::to_string(i), "t")
                .call("Bash", "npm test", "ok");
        CHECK(same.end().size() >= 1);
        Session notes("loop/interleaved-repeat");
        for (int i = 0; i < 8; ++i)
            notes.call("jot", "attempt " + std::to_string(i), "noted").call("Read", "a.txt", "text");
        CHECK(notes.end().size() == 1);
    }

    TEST_CASE(
        "where something was tried before each failure nobody says that nothing was changed, and it takes longer to be "
        "an error") {
        for (const int times : {7, 8}) {
            CAPTURE(times);
            Session tried("loop/interleaved-repeat"), looked("loop/interleaved-repeat");
            for (int i = 0; i < times; ++i) {
                tried.call("Bash", i == 7 ? "./mend.sh" : kFixes[i], "done").fails("Bash", "npm test", "1 failing");
                looked.call("Read", "file" + std::to_string(i), "text").fails("Bash", "npm test", "1 failing");
            }
            const auto &after_tries = tried.end(), &after_looks = looked.end();
            REQUIRE(after_tries.size() == 1);
            REQUIRE(after_looks.size() == 1);
            CHECK(after_tries[0].severity == (times == 8 ? Severity::error : Severity::warning));
            CHECK(after_tries[0].message.find("whatever was done in between") != std::string::npos);
            CHECK(after_looks[0].severity == Severity::error);
            CHECK(after_looks[0].message.find("although nothing was changed") != std::string::npos);
        }
    }

    TEST_CASE("the same change made again is no change") {
        Session s("loop/interleaved-repeat");
        for (int i = 0; i < 6; ++i) s.fails("Bash", "npm test", "1 failing").call("Edit", "the one change", "done");
        CHECK(s.end().size() == 1);
    }

    TEST_CASE("a look now and then in a productive session is silent") {
        Session s("loop/interleaved-repeat");
        for (int i = 0; i < 60; ++i) {
            if (i % 8 == 0) s.call("Bash", "git status", "clean");
            s.call("Read", "file" + std::to_string(i), "text " + std::to_string(i));
        }
        CHECK(s.end().empty());
    }

    TEST_CASE("repeats that begin rarely and become frequent are found from where they are frequent") {
        Session s("loop/interleaved-repeat");
        for (int i = 0; i < 20; ++i) {
            if (i % 10 == 0) s.call("Bash", "git status", "clean");
            s.call("Read", "early" + std::to_string(i), "text " + std::to_string(i));
        }
        const auto dense_from = s.line();
        for (int i = 0; i < 6; ++i) peek(s, i);
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].first_line > dense_from);
    }

    TEST_CASE("another call whose answers differ shows that something moves") {
        Session s("loop/interleaved-repeat");
        for (int i = 0; i < 8; ++i) s.call("Read", "lock", "held").call("Read", "log", "line " + std::to_string(i));
        CHECK(s.end().empty());
    }

    TEST_CASE("an answer that differs once ends the repetition") {
        Session s("loop/interleaved-repeat");
        for (int i = 0; i < 3; ++i) peek(s, i);
        s.fails("Bash", "npm test", "2 failing");
        for (int i = 3; i < 6; ++i) peek(s, i);
        CHECK(s.end().empty());
    }

    TEST_CASE("polls and calls with nothing in between are left to their own rules") {
        Session polls("loop/interleaved-repeat");
        for (int i = 0; i < 6; ++i)
            polls.call("BashOutput", "job", "running").call("Read", "f" + std::to_string(i), std::to_string(i));
        CHECK(polls.end().empty());
        Session plain("loop/interleaved-repeat");
        for (int i = 0; i < 8; ++i) plain.fails("Bash", "npm test", "1 failing");
        CHECK(plain.end().empty());
    }

    TEST_CASE("a human who asks again starts afresh") {
        Session s("loop/interleaved-repeat");
        for (int i = 0; i < 9; ++i) {
            peek(s, i);
            if (i % 3 == 2) s.human("and now?");
        }
        CHECK(s.end().empty());
    }

    TEST_CASE("transient errors need twice the counts") {
        Session s("loop/interleaved-repeat");
        for (int i = 0; i < 7; ++i)
            s.fails("fetch", "x", "503 service unavailable").call("Read", "f" + std::to_string(i), std::to_string(i));
        CHECK(s.end().empty());
        Session t("loop/interleaved-repeat");
        for (int i = 0; i < 8; ++i)
            t.fails("fetch", "x", "503 service unavailable").call("Read", "f" + std::to_string(i), std::to_string(i));
        CHECK(t.end().size() == 1);
    }

    TEST_CASE("repeats that are spread over more time than asked for are silent") {
        for (const auto& [seconds, findings] : {std::pair{10, 1u}, {100, 0u}}) {
            Session s("loop/interleaved-repeat", {{"within", "60"}});
            for (int i = 0; i < 6; ++i) peek(s.at(1000 + i * seconds), i);
            CHECK(s.end().size() == findings);
        }
    }

    TEST_CASE("one value after the other tried on purpose is a warning at most, and late") {
        const auto sweep = [](int values, bool other_things) {
            Session s("loop/interleaved-repeat");
            for (int i = 0; i < values; ++i) {
                const std::string tried = other_things ? "fix-" + std::string(1, static_cast<char>('a' + i)) +
                                                             ".sh --mode " + std::string(1, static_cast<char>('z' - i))
                                                       : "nvm install " + std::to_string(12 + i);
                s.call("Bash", tried, "now " + tried)
                    .fails("Bash", "npm test", "TypeError: structuredClone is not a function");
            }
            const auto& found = s.end();
            return found.empty() ? agent_audit::Severity::info : found[0].severity;
        };
        CHECK(sweep(14, false) == agent_audit::Severity::warning);
        CHECK(sweep(7, false) == agent_audit::Severity::info);
        CHECK(sweep(10, true) == agent_audit::Severity::error);
    }

    TEST_CASE("a look now and then between steps that are all new is a habit until it is made twice as often") {
        const auto looks = [](int times, int between) {
            Session s("loop/interleaved-repeat");
            for (int i = 0; i < times; ++i) {
                s.call("Bash", "cat plan.md", "one thing after the other");
                for (int j = 0; j < between; ++j)
                    s.call("Read", "f" + std::to_string(i) + std::to_string(j), "text " + std::to_string(10 * i + j));
            }
            return s.end().size();
        };
        CHECK(looks(5, 3) == 0);
        CHECK(looks(5, 2) == 0);
        CHECK(looks(9, 3) == 1);
        CHECK(looks(5, 1) == 1);
    }

    TEST_CASE("what only shows a pod or a container changes nothing") {
        Session s("loop/interleaved-repeat");
        for (int i = 0; i < 8; ++i) {
            s.call("Bash", "kubectl rollout restart deployment/quay", "deployment.apps/quay restarted");
            s.call("Bash", "kubectl logs quay-7d9f8c6b5d-x2x4" + std::string(1, static_cast<char>('b' + i)),
                   "fatal: the key redis.url is missing, run " + std::to_string(i));
        }
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == agent_audit::Severity::error);
    }

    TEST_CASE("who comes back to the yard between new barns gets on, who asks again between looks does not") {
        const auto walks = [](std::string_view home, const std::string& away) {
            Session s("loop/interleaved-repeat");
            for (int i = 0; i < 9; ++i)
                s.call("farm_command", away + std::string(1, static_cast<char>('a' + i)),
                       "Barn " + std::to_string(i) + "\nIt smells of hay.")
                    .call("farm_command", home, "Yard\nDoors lead everywhere.");
            return s.end().size();
        };
        CHECK(walks("go yard", "go barn ") == 0);
        CHECK(walks("back", "enter barn ") == 0);
        CHECK(walks("look yard", "look barn ") == 1);
    }

    TEST_CASE(
        "what is asked behind one value of an option after the other is an answer, behind a path or a number not") {
        const auto found = [](const std::vector<std::string_view>& values, std::string_view option) {
            Session s;
            for (const std::string_view value : values) {
                s.call("Bash", "grindcook -O2 " + std::string(option) + "=" + std::string(value) + " -o grind grind.c",
                       "");
                s.call("Bash", "stat -c %s grind", "18432").fails("Bash", "./grind --self-test", "41 ok, 1 failed");
            }
            return s.end().size();
        };
        const std::vector<std::string_view> machines{"haswell", "znver3", "skylake",   "x86-64-v2", "x86-64-v3",
                                                     "native",  "znver4", "broadwell", "x86-64",    "nehalem"};
        CHECK(found(machines, "-march") == 0);
        CHECK(found({"/usr", "/opt/a", "/srv/b", "/usr/lib", "/opt/c", "/var/d", "/mnt/e", "/tmp/f"}, "--root") > 0);
        CHECK(found({"10", "20", "30", "40", "50", "60", "70", "80", "90", "99"}, "--rounds") > 0);
    }

    TEST_CASE("the same of one command is no stagnation either") {
        const auto found = [](const std::string& option) {
            Session s;
            for (const char* value :
                 {"haswell", "znver3", "skylake", "native", "znver4", "broadwell", "nehalem", "lunar"})
                s.call("Bash", "make " + option + value + " && ./grind --self-test",
                       "18432\nself-test of the mill: 41 ok, 1 failed (stones)");
            return s.end().size();
        };
        CHECK(found("-march=") == 0);
        CHECK(found("--stones=/opt/") > 0);
    }

    TEST_CASE("what did nothing, or is denied by a field, is no reason to ask again; what did something is") {
        const auto rounds = [](std::string_view deed, std::string_view look) {
            Session s("loop/interleaved-repeat");
            for (int i = 0; i < 6; ++i)
                s.call("clean_store", "store " + std::string(1, static_cast<char>('a' + i)), deed)
                    .call("usage", "mill", look);
            return s.end().size();
        };
        CHECK(rounds("removed 0 sacks, freed 0 B", R"({"used": 97})") == 1);
        CHECK(rounds("removed 4 sacks, freed 3 kg", R"({"used": 97})") == 0);
        CHECK(rounds("done with 0 errors", R"({"used": 97})") == 0);
        CHECK(rounds("a new rule was made", R"([{"alert": "lag", "silenced": false}])") == 1);
        CHECK(rounds("a new rule was made", R"([{"alert": "lag", "archived": false}])") == 0);
        CHECK(rounds("a new rule was made", R"([{"alert": "lag", "ready": false}])") == 0);
    }

    TEST_CASE(
        "who looks for an answer behind one letter after the other to one person nags, behind letters to many writes") {
        constexpr std::string_view kNames[] = {"noor", "ada", "mira", "teo", "uma", "olga"};
        const auto rounds = [&](bool one, std::string_view tool) {
            Session s("loop/interleaved-repeat");
            for (int i = 0; i < 6; ++i)
                s.call_json(tool, std::string(kNames[one ? 0 : i]) + "@mill.example",
                            R"({"body": "letter )" + std::to_string(i) + "\"}",
                            R"({"status": "sent", "message_id": "4f0c1d2)" + std::to_string(i) + "a\"}")
                    .call("check_replies", "mill", "[]");
            return s.end().size();
        };
        CHECK(rounds(true, "send_mail") == 1);
        CHECK(rounds(false, "send_mail") == 0);
        CHECK(rounds(true, "update_contact") == 0);
    }
}
