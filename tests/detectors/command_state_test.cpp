// What the answer of a command says about waiting, and which commands measure.
#include "detectors/commands/command_state.hpp"

#include "support/session.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace agent_audit;
using namespace agent_audit::detectors;
using agent_audit::test::Session;

TEST_SUITE("command states") {
    TEST_CASE("short answers that name an unfinished state are those of somebody who waits") {
        for (const char* text : {"CREATE_IN_PROGRESS", R"({"state":"pending"})", "web-0 0/1 ContainerCreating 0",
                                 "Status: QUEUED", R"({"status": "running"})", R"({\"status\":\"running\"})",
                                 "<status>running</status>", R"({"readyState":"BUILDING"})", "still processing",
                                 R"({"done":false})", R"({"ready": false})", "RUNNING", "building\n"})
            CHECK(says_unfinished({text, TextForm::plain}));
        for (const char* text : {"CREATE_COMPLETE", R"({"state":"failed"})", "Running tests: 12 passed", "",
                                 "building modules", "running fast", R"({"waiting": true})", R"({"done":true})"})
            CHECK_FALSE(says_unfinished({text, TextForm::plain}));
        CHECK_FALSE(says_unfinished({std::string(500, 'x') + "pending", TextForm::plain}));
    }

    TEST_CASE("a bar that is not full is drawn by what is under way; a number alone, a full bar and a count are not") {
        for (const char* text :
             {"Stage 3/14: merge\n[###                 ] 15%", "[=====>        ]  38.5%\n",
              " 45%|████▌     | 45/100 [00:03<00:04, 12.0it/s]", "Downloading ━━━━━━━━━━╸─── 71.0% 2 MB",
              "[          ] 0%", "step 1\\n[#####     ] 50%\\nmore"})
            CHECK(says_unfinished({text, TextForm::plain}));
        for (const char* text :
             {"[####################] 100%", "coverage 45%", "tests/a_test.py ..... [ 45%]",
              "[ 45%] Building CXX object mill.o", "/dev/sda1 500G 355G 71% /", "%", "[####", "| a | b | 5%"})
            CHECK_FALSE(says_unfinished({text, TextForm::plain}));
        Session s("loop/exact-repeat"), full("loop/exact-repeat");
        for (int i = 0; i < 6; ++i) {
            s.call("Bash", "tmux capture-pane -p", "[          ] 0%");
            full.call("Bash", "tmux capture-pane -p", "[##########] 100%");
        }
        CHECK(s.end().empty());
        CHECK(full.end().size() == 1);
    }

    TEST_CASE("looking at a job again and again is a poll, whatever the command") {
        Session s("loop/exact-repeat");
        for (int i = 0; i < 7; ++i) s.call("Bash", "curl -s http://jobs/17", R"({"state":"pending"})");
        CHECK(s.end().empty());
        Session done("loop/exact-repeat");
        for (int i = 0; i < 7; ++i) done.call("Bash", "curl -s http://jobs/17", R"({"state":"failed"})");
        CHECK(done.end().size() == 1);
    }

    TEST_CASE("a look after a pause in a call of its own is a poll, another call is not") {
        Session s("loop/exact-repeat");
        for (int i = 0; i < 7; ++i) s.call("Bash", "sleep 60", "").call("Bash", "tail -2 job.log", "working");
        CHECK(s.end().empty());
        Session without("loop/exact-repeat");
        for (int i = 0; i < 7; ++i) without.call("Bash", "tail -2 job.log", "working");
        CHECK(without.end().size() == 1);
    }

    TEST_CASE("tools that poll by their name") {
        Session s("loop/exact-repeat");
        for (int i = 0; i < 7; ++i) s.call("poll_queue", "q", "[]");
        CHECK(s.end().empty());
    }

    TEST_CASE("numbers of processes are drawn anew: to free a port again and again brings nothing new, to count does") {
        const auto worst = [](const std::string& look) {
            Session s("loop/interleaved-repeat");
            for (int i = 0; i < 9; ++i) {
                const std::string number = std::to_string(4100 + 37 * i);
                s.call("Bash", look, number).call("Bash", "kill -9 " + number, "");
                s.fails("Bash", "npm run dev", "Error: listen EADDRINUSE: address already in use :::3000");
            }
            const auto& found = s.end();
            return found.empty() ? Severity::info : found.front().severity;
        };
        CHECK(worst("lsof -ti:3000") == Severity::error);
        CHECK(worst("pgrep -c mill") == Severity::info);
        CHECK(asks_for_processes({"pidof mill", TextForm::plain}));
        CHECK_FALSE(asks_for_processes({"pgrep mill | wc -l", TextForm::plain}));
        CHECK_FALSE(asks_for_processes({"tail -1 mill.log", TextForm::plain}));
    }

    TEST_CASE("whose exit code a command line has") {
        for (const char* line :
             {"pytest | tail -3", "make test || true", "npm test; echo done", "cd x && go test ./... 2>&1 | head",
              "pytest -q > out.log 2>&1; tail -30 out.log", "make test >t.txt; cat t.txt"})
            CHECK(hides_exit_code({line, TextForm::plain}));
        for (const char* line : {"pytest", "pytest -k 'a|b'", "pytest > a.log && tail a.log", "cat a > b; pytest",
                                 "rm a 2>/dev/null; pytest 2>/dev/null", "rm a > ; pytest",
                                 "set -o pipefail; pytest | tail", "cd x; pytest", "grep \"a|b\" x"})
            CHECK_FALSE(hides_exit_code({line, TextForm::plain}));
    }

    TEST_CASE("a check behind a pipe has failed when it says so") {
        Session s("loop/stalled-fix");
        for (int i = 0; i < 8; ++i)
            s.call("Edit", "change " + std::to_string(i), "done")
                .call("Bash", "pytest -q | tail -3", "2 failed, 3 passed in 0.1s");
        CHECK_FALSE(s.end().empty());
        Session well("loop/stalled-fix");
        for (int i = 0; i < 8; ++i)
            well.call("Edit", "change " + std::to_string(i), "done")
                .call("Bash", "pytest -q | tail -3", "5 passed in 0.1s");
        CHECK(well.end().empty());
    }

    TEST_CASE("figures are the answer of a command that measures") {
        for (const char* command : {"time ./app", "./bench query", "hyperfine 'a b'", "cd x && time ./app --version",
                                    "python -m timeit 'f()'"})
            CHECK(measures({command, TextForm::plain}));
        for (const char* command : {"npm test", "sometimes", "date", ""})
            CHECK_FALSE(measures({command, TextForm::plain}));
        Session s("loop/exact-repeat");
        for (int i = 0; i < 7; ++i) s.call("Bash", "./bench query", "query: " + std::to_string(140 + i) + " ms");
        CHECK(s.end().empty());
    }

    TEST_CASE("which commands go to another revision") {
        using agent_audit::detectors::visits_revision;
        for (const std::string_view line :
             {"git checkout v1.9", "git checkout -q v1.9 && pytest -q",
              "cd mill && git switch --detach HEAD~3; make test", "git -C mill checkout origin/main",
              "git checkout 4f2a9c1 2>/dev/null && make", "git checkout -", "gcc -O3 mill.c -o mill",
              "cd mill && clang++ -flto mill.cpp -o mill"}) {
            CAPTURE(line);
            CHECK(visits_revision({line, TextForm::plain}));
        }
        for (const std::string_view line :
             {"git checkout -b sacks", "git switch -c sacks main", "git checkout -- a.py", "git checkout v1.9 -- a.py",
              "git checkout v1.9 a.py", "git checkout .", "git checkout src/a.py", "git status",
              "echo git checkout v1.9", "git commit -m 'git checkout v1.9'", "pytest", "gcc -c mill.c", "cd mill -o x",
              "gcc -O3 mill.c -o mill && ./mill", "sed -i s/1/2/ mill.c && gcc mill.c -o mill"}) {
            CAPTURE(line);
            CHECK_FALSE(visits_revision({line, TextForm::plain}));
        }
    }
}
