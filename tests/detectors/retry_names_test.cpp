// Failures of a call that is made again: which differences are news.
#include "detectors/outcomes/retry_names.hpp"

#include "support/session.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

using namespace agent_audit;
using namespace agent_audit::detectors;
using agent_audit::test::Session;

namespace {

std::string part(const char* head, int number, const char* tail) {
    return std::string(head).append(std::to_string(number)).append(tail);
}

}  // namespace

TEST_SUITE("retry names") {
    TEST_CASE("words with digits are all the same to a retry") {
        for (const auto& [a, b] :
             {std::pair{"==48213==ERROR: AddressSanitizer at 0x60200000eff4",
                        "==48377==ERROR: AddressSanitizer at 0x60300000dfa0"},
              {"logs/2026-03-04T09_12_28_205Z-debug-0.log", "logs/2026-03-04T09_13_01_977Z-debug-0.log"},
              {R"({"request_id":"req_01HzX9","ok":false})", R"({"request_id":"req_7bQ2pL","ok":false})"},
              {"(node:4711) refused 127.0.0.1:54321", "(node:4802) refused 127.0.0.1:43210"}}) {
            CHECK(masked(a) == masked(b));
        }
        CHECK(masked("2 failing") != masked("1 failing"));
        CHECK(masked("2 failing", true) != masked("1 failing", true));
        CHECK(masked("pid 48213, a.py:7 in 0.3s", true) == masked("pid 48377, a.py:9 in 1.2s", true));
        CHECK(masked("error in alpha") != masked("error in beta"));
        CHECK(masked("1 failing, load 0.56, 30.9 MB", true) == masked("1 failing, load 0.91, 8.25 MB", true));
        CHECK(masked("1 failing, load 0.56", true) != masked("2 failing, load 0.56", true));
        CHECK(masked("") == masked(""));
        CHECK(masked("a 1") != masked("a b 1"));
    }

    TEST_CASE("places, shares and times do not count in what a check says, all other numbers do") {
        for (const auto& both : {std::pair{"net.cpp:14:3: error", "net.cpp:21:11: error"},
                                 {"src/a.ts(14,5): error", "src/a.ts(9,12): error"},
                                 {"File \"a.py\", line 14, in total", "File \"a.py\", line 18, in total"},
                                 {"  14 | tls();", "  15 | tls();"},
                                 {"  > 14 | expect(2);", "  > 15 | expect(2);"},
                                 {"Randomized with seed 48213", "Randomized with seed 7731"},
                                 {"--randomly-seed=48213", "--randomly-seed=7731"},
                                 {"thread 'main' (48213) panicked", "thread 'main' (48377) panicked"},
                                 {"Process 48213 has 22 GiB", "Process 48377 has 22 GiB"},
                                 {"[ 41%] Building", "[ 58%] Building"},
                                 {"1 failed in 0.49s", "1 failed in 1.2s"},
                                 {"done in 120 ms", "done in 98 ms"}}) {
            CAPTURE(both.first);
            CHECK(unplaced(both.first) == unplaced(both.second));
        }
        for (const auto& both : {std::pair{"4 failed", "5 failed"},
                                 {"Tests: 3, failures: 2", "Tests: 3, failures: 1"},
                                 {"assert 11 == 12", "assert 10 == 12"},
                                 {"error:4", "error:5"},
                                 {"3 specs", "4 specs"},
                                 {"exit code 1", "exit code 2"}}) {
            CAPTURE(both.first);
            CHECK(unplaced(both.first) != unplaced(both.second));
        }
    }

    TEST_CASE("of a program only its own lines do not count") {
        for (const auto& both :
             {std::pair{R"(File \"/a/train.py\", line 14, in main)", R"(File \"/a/train.py\", line 18, in main)"},
              {"File \"train.py\", line 14", "File \"train.py\", line 18"},
              {"at run (/a/server.js:20:11)", "at run (/a/server.js:23:5)"},
              {"at Cart.Add() in /a/Cart.cs:line 31", "at Cart.Add() in /a/Cart.cs:line 33"},
              {"deploy.sh: line 22: syntax error", "deploy.sh: line 24: syntax error"}}) {
            CAPTURE(both.first);
            CHECK(unplaced(both.first, PlacesOf::programs) == unplaced(both.second, PlacesOf::programs));
        }
        for (const auto& both : {std::pair{"bad date in line 1200", "bad date in line 1350"},
                                 {"rows.csv:1200: bad date", "rows.csv:1350: bad date"},
                                 {"in \"app.yaml\", line 12", "in \"app.yaml\", line 19"},
                                 {"  14 | 2026-13-01", "  15 | 2026-13-01"},
                                 {"train.py: epoch 12", "train.py: epoch 13"},
                                 {"[ 41%] done", "[ 58%] done"}}) {
            CAPTURE(both.first);
            CHECK(unplaced(both.first, PlacesOf::programs) != unplaced(both.second, PlacesOf::programs));
        }
    }

    TEST_CASE("the same failure at once is a repeat although its numbers differ; after another call it is not") {
        Session at_once("loop/exact-repeat");
        for (int i = 0; i < 6; ++i)
            at_once.fails("Bash", "npm ci",
                          "npm ERR! log in /home/a/.npm/_logs/2026-debug-" + std::to_string(i * 37) + ".log");
        CHECK(at_once.end().size() == 1);
        Session words("loop/exact-repeat");
        for (int i = 0; i < 6; ++i) words.fails("Bash", "npm ci", std::string("npm ERR! package ") + "abcdefgh"[i]);
        CHECK(words.end().empty());
    }

    TEST_CASE("how far a command came is news to a retry, which run it was is not") {
        for (const auto& both : {std::pair{"90 tables to go", "81 tables to go"},
                                 {"1200 rows left", "900 rows left"},
                                 {"offset=40960", "offset=81920"},
                                 {"sent 40960/90112", "sent 81920/90112"},
                                 {"sent 4096 of 9011", "sent 8192 of 9011"},
                                 {"at 41%", "at 58%"},
                                 {"12.5 MB", "30.9 MB"},
                                 {"30MB", "45MB"},
                                 {"conflict in #1013", "conflict in #1014"},
                                 {"lost shard-0040", "lost shard-0041"},
                                 {"missing chunk_07", "missing chunk_08"},
                                 {"schema v2", "schema v3"}}) {
            CAPTURE(both.first);
            CHECK(masked(both.first) != masked(both.second));
        }
        for (const auto& both : {std::pair{"seed 48213", "seed 7731"},
                                 {"port 54321 is in use", "port 54377 is in use"},
                                 {"process 48213 exited", "process 48377 exited"},
                                 {"[1]    48213 segmentation fault", "[1]    48377 segmentation fault"},
                                 {"took 1200 ms", "took 1300 ms"},
                                 {"10:02:11 lost", "10:02:19 lost"},
                                 {"Ctx@1a2b3c4d", "Ctx@9f8e7d6c"},
                                 {"(48213) panicked", "(48377) panicked"}}) {
            CAPTURE(both.first);
            CHECK(masked(both.first) == masked(both.second));
            CHECK(masked(both.first, true) == masked(both.second, true));
        }
        CHECK(masked("test_case_3 failed", true) != masked("test_case_4 failed", true));
        CHECK(masked("1200 failing", true) != masked("1100 failing", true));
    }

    TEST_CASE("a command that comes further each time it fails is no loop; one that only names its run is") {
        Session further("loop/exact-repeat"), again("loop/exact-repeat");
        for (int i = 0; i < 8; ++i) {
            further.fails("Bash", "./import.sh", part("connection lost, ", 900 - 30 * i, " records to go"));
            again.fails("Bash", "./import.sh", part("worker (", 48213 + 37 * i, ") lost the connection"));
        }
        CHECK(further.end().empty());
        CHECK(again.end().size() == 1);
    }

    TEST_CASE("a check that is run again after looking on is the same failure whatever its run is called") {
        Session seeds("loop/cycle"), fewer("loop/cycle"), done("loop/cycle");
        for (int i = 0; i < 8; ++i) {
            const std::string seed = part("1 failed, random seed ", 48213 + 7919 * i % 9973, "");
            seeds.call("Read", "sum.ex", "def sum").fails("Bash", "mix test", seed);
            fewer.call("Read", "sum.ex", "def sum")
                .fails("Bash", "mix test", part("", 9 - i, " failed, random seed 48213"));
            done.call("Bash", "./tune.sh", "tuned")
                .fails("Bash", "mix test", part("score ", 48213 + 7919 * i % 9973, ""));
        }
        CHECK(seeds.end().size() == 1);
        CHECK(fewer.end().empty());
        CHECK(done.end().empty());
    }

    TEST_CASE("tests that fail in other numbers after changes are not the same failure") {
        Session s("loop/stalled-fix");
        for (int i = 0; i < 10; ++i)
            s.call("Edit", "change " + std::to_string(i), "done")
                .fails("Bash", "npm test", std::to_string(30 - i) + " failing");
        CHECK(s.end().empty());
    }

    TEST_CASE("a check that says of what the last edit put in what it said of something else fails alike") {
        const auto run = [](bool put_in, const char* says) {
            Session s("loop/stalled-fix");
            for (const char* name : {"parseSack", "readSack", "openSack", "sackOf", "toSack", "loadSack"}) {
                s.call("Edit", std::string("use ") + name, "done")
                    .fails("Bash", "npx tsc --noEmit",
                           std::string("mill.ts(9,3): error TS2339: ") + says + (put_in ? name : name + 1) +
                               "' is not known");
            }
            return s.end().size();
        };
        CHECK(run(true, "Property '") == 1);
        CHECK(run(false, "Property '") == 0);
    }

    TEST_CASE("one error brings back the other, moved by what was edited; further down it is the next of its kind") {
        const auto run = [](int lines) {
            Session s("loop/stalled-fix");
            for (int i = 0; i < 10; ++i) {
                const std::string at = part("\n  --> src/shelf.rs:", 80 + lines * i, ":9");
                s.call("Edit", "change " + std::to_string(i), "done")
                    .fails("Bash", "cargo build",
                           (i % 2 == 0 ? "error[E0502]: cannot borrow `self.shelf` as mutable, it is also borrowed"
                                       : "error[E0505]: cannot move out of `cup` because it is borrowed here") +
                               at);
            }
            return s.end().size();
        };
        CHECK(run(1) == 1);
        CHECK(run(40) == 0);
    }
}
