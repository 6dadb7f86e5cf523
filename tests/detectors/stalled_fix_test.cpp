#include "support/session.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using agent_audit::Severity;
using agent_audit::test::Session;

namespace {

Session& fix(Session& s, int i, const std::string& outcome = "1 failing") {
    s.call("Edit", "change " + std::to_string(i), "done");
    return s.fails("Bash", "npm test", outcome);
}

}  // namespace

TEST_SUITE("loop/stalled-fix") {
    TEST_CASE("a check of how long something takes fails another way as long as that takes less time") {
        const auto findings = [](double factor, const std::string& unit) {
            Session s("loop/stalled-fix");
            double taken = 4000;
            for (int i = 0; i < 10; ++i, taken *= factor)
                fix(s, i, "sack: " + std::to_string(taken) + " ms (limit 5" + unit);
            return s.end().size();
        };
        CHECK(findings(0.9, " ms)") == 0);
        CHECK(findings(0.995, " ms)") == 1);
        CHECK(findings(1.0, " ms)") == 1);
        CHECK(findings(1.1, " ms)") == 1);
    }

    TEST_CASE("a check that can only say that it fails cannot tell what came nearer: a note, where it passes at last") {
        const auto severity = [](const std::string& said, bool passes, int fixes) {
            Session s("loop/stalled-fix");
            for (int i = 0; i < fixes; ++i) fix(s, i, said);
            if (passes) s.call("Bash", "npm test", "PASS");
            const auto& found = s.end();
            REQUIRE(found.size() == 1);
            return found[0].severity;
        };
        CHECK(severity("FAIL", true, 8) == Severity::info);
        CHECK(severity("FAIL", true, 16) == Severity::error);
        CHECK(severity("FAIL", false, 8) == Severity::error);
        CHECK(severity("sack.test: expected 3 sacks, got 4", true, 8) == Severity::error);
    }

    TEST_CASE("a check that waits for a lock did not get to run; one that was let in and failed did") {
        const std::string lock = "    Blocking waiting for file lock on build directory";
        const auto findings = [](const std::string& said) {
            Session s("loop/stalled-fix");
            for (int i = 0; i < 8; ++i) fix(s, i, said);
            return s.end().size();
        };
        CHECK(findings(lock) == 0);
        CHECK(findings("Waiting for another flutter command to release the startup lock...") == 0);
        CHECK(findings(
                  lock +
                  "\n   Compiling mill v0.1.0 (/mill)\ntest grinds ... FAILED\n\nfailures:\n    grinds: the gap is " +
                  "13 and was to be 12\n\ntest result: FAILED. 4 passed; 1 failed; finished in 0.02s") == 1);
    }

    TEST_CASE("four equal failures after a change each are a warning, eight an error") {
        for (const auto& [times, findings, severity] :
             {std::tuple{3, 0u, Severity::info}, {4, 1u, Severity::warning}, {8, 1u, Severity::error}}) {
            Session s("loop/stalled-fix");
            for (int i = 0; i < times; ++i) fix(s, i);
            const auto& found = s.end();
            REQUIRE(found.size() == findings);
            if (findings == 0) continue;
            CHECK(found[0].severity == severity);
            CHECK(found[0].repeats == static_cast<std::uint64_t>(times));
            CHECK(found[0].first_line == 3);
        }
    }

    TEST_CASE("what a language server shows after each edit is a check of types, red or green") {
        const auto shown = [](int errors) {
            std::string list;
            for (int i = 0; i < errors; ++i)
                list += std::string(i > 0 ? "," : "") + R"({"message":"no such sack","severity":"Error"})";
            return R"([{"uri":"file:///mill.ts","diagnostics":[)" + list + "]}]";
        };
        Session stays("loop/stalled-fix"), goes("loop/stalled-fix"), shrinks("loop/stalled-fix");
        for (int i = 0; i < 6; ++i) {
            const std::string edit = "change " + std::to_string(i);
            stays.call("Edit", edit, "done").call("mcp__ide__getDiagnostics", "file:///mill.ts", shown(1));
            goes.call("Edit", edit, "done").call("mcp__ide__getDiagnostics", "file:///mill.ts", shown(0));
            shrinks.call("Edit", edit, "done").call("mcp__ide__getDiagnostics", "file:///mill.ts", shown(6 - i));
        }
        const auto& found = stays.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == Severity::warning);
        CHECK(goes.end().empty());
        CHECK(shrinks.end().empty());
    }

    TEST_CASE("what the agent says was red before is no fix that stalls while it goes from file to file") {
        constexpr std::string_view kOld = "test_rye fails before my change already; I leave it.",
                                   kOther = "I follow the pre-existing names.", kNew = "Still failing. Another try.";
        const auto severity = [](std::string_view said, bool one_file) {
            Session s("loop/stalled-fix");
            s.fails("Bash", "npm test", "1 failing").says(said);
            for (int i = 0; i < 8; ++i) {
                const std::string n = std::to_string(i), file = one_file ? "mill.py" : "mill" + n + ".py";
                s.call_json("Edit", file,
                            R"({"file_path":")" + file + R"(","old_string":"retries)" + n +
                                R"(","new_string":"attempts)" + n + R"("})",
                            "done");
                s.fails("Bash", "npm test", "1 failing");
            }
            const auto& found = s.end();
            REQUIRE(found.size() == 1);
            return found[0].severity;
        };
        CHECK(severity(kOld, false) == Severity::info);
        CHECK(severity(kOther, false) == Severity::error);
        CHECK(severity(kNew, false) == Severity::error);
        CHECK(severity(kOld, true) == Severity::error);
    }

    TEST_CASE("what a linter says of a file that is none of those edited one by one is an info") {
        const auto severity = [](std::string_view check, std::string_view said, int files) {
            Session s("loop/stalled-fix");
            for (int i = 0; i < 9; ++i) {
                const std::string path = "src/mill" + std::to_string(i % files) + ".vue";
                s.call_json("Edit", path,
                            R"({"file_path":")" + path + R"(","old_string":"a)" + std::to_string(i) +
                                R"(","new_string":"b)" + std::to_string(i) + R"("})",
                            "done");
                s.fails("Bash", check, said);
            }
            const auto& found = s.end();
            REQUIRE(found.size() == 1);
            return found[0].severity;
        };
        constexpr std::string_view kOld = "/mill/old.js\n 1:1 error Unexpected var no-var\n1 problem",
                                   kOwn = "/mill/src/mill4.vue\n 1:1 error Unexpected var no-var\n1 problem";
        CHECK(severity("npm run lint", kOld, 9) == Severity::info);
        CHECK(severity("npm run lint", kOwn, 9) == Severity::warning);
        CHECK(severity("npm run lint", kOld, 2) == Severity::error);
        CHECK(severity("npm test", "FAILED tests/old_test.js", 9) == Severity::error);
    }

    TEST_CASE("an old failure beside a rename in many files is none; few files, and the same ones again, are") {
        const auto runs = [](int files, bool anew) {
            Session s("loop/stalled-fix");
            s.fails("Bash", "npm test", "1 failing");
            for (int run = 0, file = 0; run < 9; ++run) {
                for (int i = 0; i < files; ++i, ++file) {
                    const std::string path = "src/f" + std::to_string(anew ? file : i) + ".ts";
                    s.call_json("Edit", path,
                                R"({"file_path":")" + path + R"(","old_string":"MS","new_string":"MILLIS)" +
                                    std::to_string(file) + R"("})",
                                "done");
                }
                s.fails("Bash", "npm test", "1 failing");
            }
            return s.end().size();
        };
        CHECK(runs(6, true) == 0);
        CHECK(runs(2, true) == 1);
        CHECK(runs(6, false) == 1);
    }

    TEST_CASE("a command that is no known check counts as well, by whatever name it goes") {
        Session s("loop/stalled-fix");
        for (int i = 0; i < 8; ++i) {
            s.call("Edit", "change " + std::to_string(i), "done");
            s.fails("Bash", "psql -f schema.sql", "ERROR: relation \"sacks\" does not exist");
        }
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == Severity::error);
        CHECK(found[0].message.find("a command with Bash failed alike 8 times") == 0);
        Session passes("loop/stalled-fix");
        for (int i = 0; i < 8; ++i)
            passes.call("Edit", "change " + std::to_string(i), "done")
                .call("Bash", "psql -f schema.sql", "CREATE TABLE");
        CHECK(passes.end().empty());
    }

    TEST_CASE(
        "a program that ends in the same traceback stands still, one that comes to another row of its input does not") {
        Session crashes("loop/stalled-fix"), rows("loop/stalled-fix");
        for (int i = 0; i < 8; ++i) {
            const std::string line = std::to_string(40 + 2 * i);
            crashes.call("Edit", "change " + std::to_string(i), "done");
            crashes.fails(
                "Bash", "python train.py",
                "Traceback (most recent call last):\n  File \"/home/noor/mill/train.py\", line " + line +
                    ", in <module>\n    main(load(\"weights.bin\"), steps=200, rate=0.1)\nRuntimeException: bad shape");
            rows.call("Edit", "change " + std::to_string(i), "done");
            rows.fails("Bash", "python load.py",
                       "Traceback (most recent call last):\n  File \"load.py\", line 9, in <module>\nValueError: bad "
                       "date in line " +
                           line);
        }
        CHECK(crashes.end().size() == 1);
        CHECK(rows.end().empty());
    }

    TEST_CASE("an error that only moved, in a run that took another time, is the same error") {
        Session s("loop/stalled-fix");
        for (int i = 0; i < 8; ++i) {
            const std::string line = std::to_string(14 + i);
            fix(s, i,
                "[ " + std::to_string(40 + i) + "%] net.cpp:" + line + ":9: error: 'tls' was not declared\n  " + line +
                    " | tls();\n1 error in 0.4" + std::to_string(i) + "s");
        }
        CHECK(s.end().size() == 1);
    }

    TEST_CASE("the same error further down than an edit can have moved it is the next one of its kind") {
        for (const auto& run :
             {std::pair{"python app.py", "  File \"app.py\", line "}, {"npx tsc --noEmit", "error in app.ts, line "}}) {
            CAPTURE(run.first);
            Session moved("loop/stalled-fix"), next("loop/stalled-fix");
            for (int i = 0; i < 9; ++i) {
                for (auto& [s, step] : {std::pair{&moved, 2}, {&next, 40}}) {
                    const std::string n = std::to_string(i);
                    s->call_json("Edit", "app.py",
                                 R"({"file_path":"app.py","old_string":"print )" + n + R"(","new_string":"print( )" +
                                     n + R"( )\n"})",
                                 "done");
                    s->fails("Bash", run.first,
                             run.second + std::to_string(12 + step * i) + "\nSyntaxError: invalid syntax");
                }
            }
            CHECK(moved.end().size() == 1);
            CHECK(next.end().empty());
        }
    }

    TEST_CASE(
        "a check that goes back and forth between known failures is found, one that meets a new one or passes is not") {
        const auto told = [](int which) {
            return "FAILED tests/test_cart.py::test_" + std::to_string(which) +
                   " - AssertionError: the total is not what it should be";
        };
        for (const auto& [runs, findings, severity] :
             {std::tuple{5, 0u, Severity::info}, {6, 1u, Severity::warning}, {10, 1u, Severity::error}}) {
            Session turns("loop/stalled-fix"), passes("loop/stalled-fix"), news("loop/stalled-fix"),
                terse("loop/stalled-fix");
            for (int i = 0; i < runs; ++i) {
                fix(turns, i, told(i % 2));
                fix(passes, i, told(i % 2));
                if (i % 3 == 2) passes.call("Bash", "npm test", "9 passing");
                fix(news, i, told(i % 4 < 2 ? i % 2 : 10 + i));
                fix(terse, i, i % 2 == 0 ? "1 failing" : "2 failing");
            }
            const auto& found = turns.end();
            REQUIRE(found.size() == findings);
            CHECK(passes.end().empty());
            CHECK(news.end().empty());
            CHECK(terse.end().empty());
            if (findings == 0) continue;
            CHECK(found[0].severity == severity);
            CHECK(found[0].repeats == static_cast<std::uint64_t>(runs - 2));
        }
    }

    TEST_CASE("one check in other words is one check, unless it says little") {
        constexpr const char* kSpelt[] = {"pytest -q", "cd api && pytest -q", "python -m pytest -q",
                                          "pytest -q --no-header"};
        const std::string told =
            "FAILED tests/test_cart.py::test_total - AssertionError: the total is not what it should be";
        Session same("loop/stalled-fix"), terse("loop/stalled-fix"), others("loop/stalled-fix"),
            at_once("loop/stalled-fix"), packages("loop/stalled-fix");
        for (int i = 0; i < 8; ++i) {
            for (Session* s : {&same, &terse, &others, &packages})
                s->call("Edit", "change " + std::to_string(i), "done");
            same.fails("Bash", kSpelt[i % 4], told + " in 0." + std::to_string(i + 1) + "s");
            terse.fails("Bash", kSpelt[i % 4] + std::to_string(i), "1 failed");
            others.fails("Bash", kSpelt[i % 4], told + std::string(1, static_cast<char>('a' + i)));
            at_once.fails("Bash", kSpelt[i % 4] + std::to_string(i), told);
            packages.fails("Bash", std::string("cd ") + "abcdefgh"[i] + " && pytest -q", told);
        }
        const auto& found = same.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == Severity::error);
        CHECK(found[0].repeats == 8);
        CHECK(terse.end().empty());
        CHECK(others.end().empty());
        CHECK(at_once.end().empty());
        CHECK(packages.end().empty());
    }

    TEST_CASE("a failure count that shrinks is progress") {
        Session s("loop/stalled-fix");
        for (int i = 0; i < 12; ++i) fix(s, i, std::to_string(20 - i) + " failing");
        CHECK(s.end().empty());
    }

    TEST_CASE("the log of a failed run after each push is a check that fails, whatever the number of the run") {
        const auto pushes = [](bool same) {
            Session s("loop/stalled-fix");
            for (int i = 0; i < 5; ++i) {
                s.call("Edit", "change " + std::to_string(i), "done").call("Bash", "git push -q", "");
                s.call("Bash", "gh run view " + std::to_string(91000 + i * 37) + " --log-failed",
                       "test\tRun npm ci\t2026-05-04T09:1" + std::to_string(i) + ":21.0123456Z npm error code " +
                           (same || i % 2 == 0 ? "ENOENT" : "EUSAGE" + std::string(1, static_cast<char>('a' + i))) +
                           "\ntest\tRun npm ci\t2026-05-04T09:1" + std::to_string(i) +
                           ":22.0123456Z npm error path /home/runner/package-lock.json");
            }
            return s.end().size();
        };
        CHECK(pushes(true) == 1);
        CHECK(pushes(false) == 0);
    }

    TEST_CASE("a run that says something else in between starts the count again") {
        Session s("loop/stalled-fix");
        for (int i = 0; i < 7; ++i) fix(s, i, i == 3 ? "2 failing" : "1 failing");
        CHECK(s.end().empty());
    }

    TEST_CASE("a run that passes in between starts the count again") {
        Session s("loop/stalled-fix");
        for (int i = 0; i < 6; ++i) {
            fix(s, i);
            if (i == 2) s.call("Bash", "npm test", "9 passing");
        }
        CHECK(s.end().empty());
    }

    TEST_CASE("green runs after every change are checking one's work") {
        Session s("loop/stalled-fix");
        for (int i = 0; i < 12; ++i)
            s.call("Edit", "change " + std::to_string(i), "done").call("Bash", "npm test", "9 passing");
        CHECK(s.end().empty());
    }

    TEST_CASE("a run without a real change before it does not count") {
        Session s("loop/stalled-fix");
        for (int i = 0; i < 10; ++i)
            s.fails("Bash", "npm test", "1 failing").call("Read", "f" + std::to_string(i), "x");
        CHECK(s.end().empty());
        Session t("loop/stalled-fix");
        for (int i = 0; i < 10; ++i) fix(t, 1);
        CHECK(t.end().empty());
    }

    TEST_CASE("two checks that fail in turn are counted each for itself") {
        Session s("loop/stalled-fix");
        for (int i = 0; i < 4; ++i) fix(s, i).fails("Bash", "npm run lint", "3 problems");
        CHECK(s.end().size() >= 1);
    }

    TEST_CASE("failures that are spread over more time than asked for are silent") {
        for (const auto& [seconds, findings] : {std::pair{10, 1u}, {100, 0u}}) {
            Session s("loop/stalled-fix", {{"within", "60"}});
            for (int i = 0; i < 6; ++i) fix(s.at(1000 + i * seconds), i);
            CHECK(s.end().size() == findings);
        }
    }

    TEST_CASE("what a build compiled, fetched or took from its cache is no part of its failure") {
        const std::vector<std::string> outcomes[] = {
            {"Starting a Gradle Daemon, 1 incompatible and 2 stopped Daemons could not be reused\n> Task :compile "
             "FAILED\ne: Sack.kt:4:1 Unresolved reference: rye",
             "Starting a Gradle Daemon, 3 stopped Daemons could not be reused\n> Task :compile FAILED\ne: Sack.kt:9:1 "
             "Unresolved reference: rye"},
            {"> Task :app:kaptDebug\n> Task :app:compile FAILED\ne: Sack.kt:4:1 Unresolved reference: rye\n31 "
             "actionable tasks: 9 executed, 22 up-to-date",
             "> Task :app:compile FAILED\ne: Sack.kt:9:1 Unresolved reference: rye\n31 actionable tasks: 2 executed, "
             "29 up-to-date"},
            {"[3/18] Building CXX object oats.o\nFAILED: rye.o\nrye.cpp:4:2: error: no member named 'sift'",
             "[7/18] Building CXX object barley.o\n[8/18] Building CXX object corn.o\nFAILED: rye.o\nrye.cpp:5:2: "
             "error: no member named 'sift'"},
            {"  Downloaded oats v1.2.0\n   Compiling oats v1.2.0\n   Compiling mill v0.3.0 "
             "(/home/noor/mill)\nerror[E0308]: mismatched types\n --> src/a.rs:3:5",
             "   Compiling mill v0.3.0 (/home/noor/mill)\nerror[E0308]: mismatched types\n --> src/a.rs:4:5"},
            {"Download https://mvn.test/oats.pom\nNote: Some input files use unchecked operations.\n\n* What went "
             "wrong:\nMissing class mill.Rye\n\n* Try:\n> Run with --info option.\n\nBUILD FAILED in 1m 2s",
             "To honour the JVM settings for this build a single-use Daemon will be forked.\n* What went "
             "wrong:\nMissing "
             "class mill.Rye\n\n* Try:\n> Run with --debug option.\n\nBUILD FAILED in 48s"},
            {"[INFO] Scanning for projects...\n[WARNING] The POM for oats is missing\n[INFO] Compiling 31 source "
             "files\n[ERROR] RyeTest.sifts:41 expected: <12> but was: <11>\n[INFO] Total time:  9.1 s",
             "[INFO] Downloading from central: https://mvn.test/oats.jar\n[ERROR] RyeTest.sifts:41 expected: <12> but "
             "was: <11>\n[INFO] Total time:  4.2 s"},
            {"CompileC oats.o arm64 (in target 'Mill' from project 'Mill')\nLd Mill (in target 'Mill' from project "
             "'Mill')\nRye.swift:4:2: error: value of type 'Sack' has no member 'rye'\n** BUILD FAILED **",
             "Rye.swift:5:2: error: value of type 'Sack' has no member 'rye'\n** BUILD FAILED **"},
            {"cc -O2 -c oats.c -o oats.o\nrye.c:4:2: error: expected ';'\nmake: *** [rye.o] Error 1",
             "rye.c:4:2: error: expected ';'\nmake: *** [rye.o] Error 1"},
        };
        for (const auto& outcome : outcomes) {
            CAPTURE(outcome[0]);
            Session s("loop/stalled-fix");
            for (int i = 0; i < 8; ++i) {
                s.call("Edit", "change " + std::to_string(i), "done");
                s.fails("Bash", "make -C build", outcome[i % 2]);
            }
            const auto& found = s.end();
            REQUIRE(found.size() == 1);
            CHECK(found[0].severity == Severity::error);
        }
    }

    TEST_CASE("nor is it where it is longer than what is kept; warnings of files that fail a build are no such noise") {
        Session fetches("loop/stalled-fix"), warns("loop/stalled-fix");
        for (int i = 0; i < 8; ++i) {
            const std::string n = std::to_string(i);
            std::string fetched;
            for (int k = 0; k < 300; ++k)
                fetched += "Download https://mvn.test/" + n + "/" + std::to_string(k * 7919 + i) + ".pom\n";
            fetches.call("Edit", "change " + n, "done");
            fetches.fails("Bash", "./gradlew build",
                          fetched + "* What went wrong:\nMissing class mill.Rye\n" + fetched);
            warns.call("Edit", "change " + n, "done");
            warns.fails("Bash", "mvn verify",
                        "[WARNING] Sack.java: (naming) rye" + std::string(static_cast<std::size_t>(i) + 1, 'e') +
                            "\n[ERROR] Failed to execute goal: there are warnings and failOnWarning is set");
        }
        CHECK(fetches.end().size() == 1);
        CHECK(warns.end().empty());
    }

    TEST_CASE("an image that fails to build at the same command is no better after a change") {
        Session stuck("loop/stalled-fix"), fixed("loop/stalled-fix"), migrates("loop/stalled-fix");
        Session cut("loop/stalled-fix"), other("loop/stalled-fix");  // the end of the output alone
        for (int i = 0; i < 9; ++i) {
            const std::string n = std::to_string(i);
            for (Session* s : {&stuck, &fixed, &migrates, &cut, &other}) s->call("Edit", "change " + n, "done");
            cut.fails("Bash", "docker build . 2>&1 | tail -4",
                      " > [3/4] RUN sift rye:\n3." + n + "11 error: cannot sift rye\nERROR: failed to solve");
            other.fails("Bash", "./sift.sh | tail -4", "3." + n + "11 error: cannot sift rye\nERROR: stopped");
            stuck.fails("Bash", "podman build .",
                        "#6 [2/" + std::to_string(4 + i) + "] COPY . .\n#6 DONE 0." + n + "s\n#7 3." + n +
                            "11 error: cannot sift rye\nERROR: failed to solve");
            fixed.fails("Bash", "podman build .",
                        "#7 3." + n + "11 error: cannot sift rye" + n + "\nERROR: failed to solve");
            migrates.fails("Bash", "./migrate.sh", "[" + n + "/40] Building C index\nerror: connection lost");
        }
        CHECK(stuck.end().size() == 1);
        CHECK(cut.end().size() == 1);
        CHECK(fixed.end().empty());
        CHECK(migrates.end().empty());
        CHECK(other.end().empty());
    }

    TEST_CASE("what changes in the failure itself is progress, however much the build says besides") {
        const std::string errors[] = {"no member named 'sift'", "too few arguments", "'rye' was not declared",
                                      "expected ';'", "no viable conversion"};
        Session other("loop/stalled-fix"), fewer("loop/stalled-fix"), passes("loop/stalled-fix");
        for (int i = 0; i < 10; ++i) {
            const std::string share = "[" + std::to_string(3 + i) + "/18] Building CXX object oats.o\n";
            fix(other, i, share + "rye.cpp:4:2: error: " + errors[i % 5]);
            fix(fewer, i, share + std::to_string(20 - i) + " errors generated.\nFAILED: rye.o");
            fix(passes, i, "[" + std::to_string(3 + i) + "/18] mill test passed\nerror: 1 test is red");
        }
        CHECK(other.end().empty());
        CHECK(fewer.end().empty());
        CHECK(passes.end().empty());
    }

    TEST_CASE("a time that falls is progress, and a probe without a word of failure is no check") {
        Session bench("loop/stalled-fix"), probe("loop/stalled-fix");
        for (int i = 0; i < 9; ++i) {
            fix(bench, i, "query took " + std::to_string(340 - 20 * i) + " ms, must be below 100 ms");
            probe.call("Edit", "change " + std::to_string(i), "done").fails("Bash", "pgrep barn-server", "Exit code 1");
        }
        CHECK(bench.end().empty());
        CHECK(probe.end().empty());
    }

    TEST_CASE("a check at one revision after the other mends nothing") {
        Session apart("loop/stalled-fix"), back("loop/stalled-fix");
        for (int i = 0; i < 10; ++i) {
            apart.call("Bash", "git checkout -q HEAD~" + std::to_string(i + 1), "")
                .fails("Bash", "npm test", "1 failing");
            if (i == 2) back.call("Bash", "git checkout -q main", "");
            fix(back, i);
        }
        CHECK(apart.end().empty());
        const auto& found = back.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].repeats == 8);  // from the change at the other revision on
    }

    TEST_CASE(
        "what a linter says of another file while one after the other is edited is an info, what a test says is not") {
        Session old("loop/stalled-fix"), stuck("loop/stalled-fix"), red("loop/stalled-fix");
        for (int i = 0; i < 12; ++i) {
            const std::string n = std::to_string(i);
            const auto edit = [&](Session& s, const std::string& file, std::string_view check = "npm run lint") {
                s.call_json(
                    "Edit", file,
                    R"({"file_path":")" + file + R"(","old_string":"a)" + n + R"(","new_string":"b)" + n + "\"}",
                    "done");
                s.fails("Bash", check, "legacy.ts:14:3 error: unexpected any");
            };
            edit(old, "docs/" + n + ".md");
            edit(stuck, i % 2 == 0 ? "a.ts" : "b.ts");
            edit(red, "src/" + n + ".ts", "npm test");
        }
        for (const auto& [s, severity] :
             {std::pair{&old, Severity::info}, {&stuck, Severity::error}, {&red, Severity::error}}) {
            const auto& found = s->end();
            REQUIRE(found.size() == 1);
            CHECK(found[0].severity == severity);
        }
    }

    TEST_CASE(
        "a failure of a service that names another request, and one of TeX or Terraform that moved, is the same") {
        const std::string requests[] = {"7F3A90C1D2", "0B81EE42A7", "99D0C1A2F4", "A1B2C3D4E5"};
        Session apply("loop/stalled-fix"), tex("loop/stalled-fix"), up("loop/stalled-fix"), next("loop/stalled-fix");
        for (int i = 0; i < 8; ++i) {
            const std::string line = std::to_string(12 + i), far = std::to_string(12 + 90 * i),
                              request = requests[i % 4];
            const auto again = [&](Session& s, std::string_view command, const std::string& error) {
                s.call("Edit", "change " + std::to_string(i), "done").fails("Bash", command, error);
            };
            again(apply, "terraform apply -auto-approve",
                  "Error: creating bucket (sacks): name is taken\n  status code: 409, request id: " + request +
                      "\n  on main.tf line " + line + ", in resource \"bucket\":\n  " + line +
                      ": resource \"bucket\" {");
            again(tex, "pdflatex mill.tex",
                  "! Undefined control sequence.\nl." + line + " \\rye\nOutput written on mill.pdf (9 pages, 19" + far +
                      " bytes).");
            again(next, "pdflatex mill.tex",
                  "! Undefined control sequence.\nl." + far + " \\rye\nOutput written on mill.pdf (9 pages, 19" + far +
                      " bytes).");
            again(up, "docker compose up -d",
                  "Error response from daemon: failed to set up endpoint mill-1 (" + std::string(54, 'e') + request +
                      "): port is already allocated");
        }
        for (Session* s : {&apply, &tex, &up}) {
            const auto& found = s->end();
            REQUIRE(found.size() == 1);
            CHECK(found[0].repeats == 8);
        }
        CHECK(next.end().empty());
    }

    TEST_CASE(
        "what a traceback quotes of the rewritten line is no other failure where the error stands where it stood") {
        const auto found = [](int step, bool quotes, const std::string& error) {
            Session s("loop/stalled-fix");
            for (int i = 0; i < 8; ++i) {
                s.call("Write", "version " + std::to_string(i), "done");
                s.fails("Bash", "python3 grind.py",
                        "Traceback (most recent call last):\n  File \"/mill/grind.py\", line " +
                            std::to_string(4 + step * i) + ", in <module>\n    print(sacks[" +
                            std::to_string(quotes ? i : 0) + "])\n          ~~~^^\n" + error);
            }
            return s.end().size();
        };
        const std::string kRange = "IndexError: list index out of range";
        Session moves("loop/stalled-fix");
        for (int i = 0; i < 8; ++i) {
            moves.call("Write", "version " + std::to_string(i), "done");
            moves.fails("Bash", "python3 grind.py",
                        "    sacks left: " + std::to_string(90 - i) +
                            "\nTraceback (most recent call last):\n  File \"/mill/grind.py\", line 4, in <module>\n    "
                            "grind()\n" +
                            kRange);
        }
        CHECK(moves.end().empty());
        CHECK(found(0, true, kRange) == 1);
        CHECK(found(9, true, kRange) == 0);
        CHECK(found(0, false, "AssertionError") == 1);
        CHECK(found(0, true, "AssertionError") == 0);
    }

    TEST_CASE("an image that cannot be built has failed, also where a pipe takes the exit code") {
        const auto found = [](const std::string& command, const std::string& last) {
            Session s("loop/stalled-fix");
            for (int i = 0; i < 8; ++i)
                s.call("Edit", "change " + std::to_string(i), "done")
                    .call("Bash", command + " 2>&1 | tail -3", "#7 [4/9] RUN npm ci\n#7 2.1 no lock file\n" + last);
            return s.end().size();
        };
        const std::string failed =
            "#7 ERROR: process \"/bin/sh -c npm ci\" did not complete successfully: exit code: 1";
        CHECK(found("docker build -t mill .", failed) == 1);
        CHECK(found("docker compose build mill", failed) == 1);
        CHECK(found("docker build -t mill .", "#9 naming to docker.io/library/mill done") == 0);
        CHECK(found("docker logs mill", failed) == 0);
    }

    TEST_CASE("nor is what a compiler quotes of it") {
        const auto found = [](int step, bool same_error) {
            Session s("loop/stalled-fix");
            for (int i = 0; i < 8; ++i) {
                const std::string n = std::to_string(i), line = std::to_string(20 + step * i);
                s.call("Edit", "change " + n, "done");
                s.fails("Bash", "cargo build",
                        "error[E0502]: cannot borrow `" + (same_error ? "sacks" : "sacks" + n) +
                            "` as mutable\n  --> src/mill.rs:" + line + ":9\n   |\n" + line + " |     let rye" + n +
                            " = &sacks;\n   |             -- borrowed here\n\nerror: could not compile `mill` due to 1 "
                            "previous error");
            }
            return s.end().size();
        };
        CHECK(found(0, true) == 1);
        CHECK(found(1, true) == 1);
        CHECK(found(9, true) == 0);
        CHECK(found(0, false) == 0);
        Session rows("loop/stalled-fix");
        for (int i = 0; i < 8; ++i) {
            rows.call("Edit", "change " + std::to_string(i), "done");
            rows.fails(
                "Bash", "psql -f sacks.sql",
                " id | sacks\n----+-------\n  1 | " + std::to_string(40 - i) + "\npsql:sacks.sql:9: ERROR: no more");
        }
        CHECK(rows.end().empty());
    }

    // One file is changed again and again, and a look follows each time.
    const auto look_after_edits = [](Session& s, int rounds, std::string_view tool, std::string_view argument,
                                     auto&& answer) {
        for (int i = 0; i < rounds; ++i) {
            s.call("Edit", "page.ts, change " + std::to_string(i), "done");
            s.call(tool, argument, answer(i));
        }
    };
    const std::vector<std::string> kPages{"An empty page below a blue bar.", "The bar is there, and nothing below it.",
                                          "White, but for the bar and a footer.", "Bar and footer, no list between."};

    TEST_CASE("a page told in other words each time, with the same error in its console, is a warning") {
        Session s("loop/stalled-fix");
        look_after_edits(s, 8, "browser_screenshot", "http://localhost:3000", [&](int i) {
            return kPages[static_cast<std::size_t>(i) % 4] +
                   "\nConsole: Uncaught TypeError: total is undefined at Cart (cart.ts:" + std::to_string(20 + i) +
                   ":7)";
        });
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == Severity::warning);
    }

    TEST_CASE("a page without an error, with another one each time, or of which one is gone says nothing of the kind") {
        const std::vector<std::string> kNames{"total", "rows", "price", "name", "user", "theme", "cart", "menu"};
        for (int kind = 0; kind < 3; ++kind) {
            Session s("loop/stalled-fix");
            look_after_edits(s, 8, "browser_screenshot", "http://localhost:3000", [&](int i) {
                const std::string page = kPages[static_cast<std::size_t>(i) % 4];
                if (kind == 0) return page + "\nConsole: favicon.ico 404 (Not Found)";
                if (kind == 1) return page + "\nTypeError: " + kNames[static_cast<std::size_t>(i)] + " is undefined";
                return page + " The TypeError: total is undefined is gone.";
            });
            CHECK(s.end().empty());
        }
    }

    TEST_CASE("an uncaught error beside a page that is being styled is nobody's task") {
        const auto found = [&](std::string_view request, std::string_view file, std::string_view page) {
            Session s("loop/stalled-fix");
            s.human(request);
            for (int i = 0; i < 9; ++i) {
                s.call_json("Edit", file,
                            "{\"file_path\": \"" + std::string(file) + "\", \"old_string\": \"gap " +
                                std::to_string(i) + "\", \"new_string\": \"gap " + std::to_string(i + 1) + "\"}",
                            "done");
                s.call("browser_screenshot", "http://localhost:3000",
                       std::string(page) + "\nConsole: Uncaught TypeError: total is undefined");
            }
            return s.end().size();
        };
        constexpr std::string_view kCards = "Four cards in a row.",
                                   kStyle = "Give the cards more air and softer colours.";
        CHECK(found(kStyle, "page.ts", kCards) == 0);
        CHECK(found("Go on with the cards.", "cards.scss", kCards) == 0);
        CHECK(found("カードの余白を広げて", "page.ts", kCards) == 0);
        CHECK(found("Go on with the cards.", "page.ts", kCards) == 1);
        CHECK(found("The cards throw an error since the new layout.", "page.ts", kCards) == 1);
        CHECK(found("The cards throw an error since the new layout.", "cards.scss", kCards) == 1);
        CHECK(found(kStyle, "cards.scss", "The page is blank.") == 1);
    }

    TEST_CASE("the crash with which a log ends that grows is the same one; one before a good start is none") {
        for (const bool starts : {false, true}) {
            Session s("loop/stalled-fix");
            std::string log;
            look_after_edits(s, 8, "Bash", "tail -n 80 shop.log", [&](int i) {
                log += "10:0" + std::to_string(i) +
                       " boot\nTraceback (most recent call last):\n  File \"shop.py\", line " + std::to_string(10 + i) +
                       "\nKeyError: 'PORT'\n";
                return starts ? log + "10:09 ready\n" : log;
            });
            CHECK(s.end().size() == (starts ? 0u : 1u));
        }
        Session serves("loop/stalled-fix");
        look_after_edits(serves, 8, "Bash", "docker logs shop",
                         [](int) { return std::string("GET /sacks 200\nConnectionError: no collector"); });
        CHECK(serves.end().empty());
    }

    TEST_CASE("pods have another name after each change, and one reason to fail") {
        Session s("loop/stalled-fix");
        for (int i = 0; i < 8; ++i) {
            const std::string pod = "shop-7d9f8c6b5d-x2x" + std::to_string(i + 2) + "z";
            s.call("Edit", "shop.yaml, change " + std::to_string(i), "done");
            s.call("Bash", "kubectl apply -f shop.yaml", "deployment.apps/shop configured");
            s.call("Bash", "kubectl logs " + pod, "boot\nKeyError: 'PORT'");
        }
        CHECK(s.end().size() == 1);
    }

    TEST_CASE("a pod that is deleted and comes up with the same trouble is found without any edit") {
        Session s("loop/stalled-fix"), beside("loop/stalled-fix");
        for (int i = 0; i < 6; ++i) {
            const std::string pod = "shop-7d9f8c6b5d-x2x" + std::to_string(i + 2) + "z";
            const std::string state = pod + "  0/1  ImagePullBackOff  0  " + std::to_string(20 + i) + "s";
            s.call("Bash", "kubectl get pods", state);
            s.call("Bash", "kubectl delete pod " + pod, "pod \"" + pod + "\" deleted");
            beside.call("Bash", "kubectl delete pod mill-" + std::to_string(i), "deleted");
            beside.call("Bash", "kubectl get pods", state + "\nmill-x  1/1  Running  0  9s");
        }
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == Severity::error);
        CHECK(beside.end().empty());
    }

    TEST_CASE("a container that is run anew says the same under its next id, the next service is another one") {
        const std::string ids[] = {"3f2a90bc77de", "90bc77de3f2a", "77de3f2a90bc",
                                   "de3f2a90bc77", "2a90bc77de3f", "bc77de3f2a90"};
        Session one("loop/stalled-fix"), many("loop/stalled-fix");
        for (int i = 0; i < 6; ++i) {
            one.call("Bash", "docker run -d shop", ids[i])
                .call("Bash", "docker logs " + ids[i], "boot\nKeyError: 'PORT'");
            const std::string name = "svc" + std::string(1, static_cast<char>('a' + i));
            many.call("Bash", "docker run -d --name " + name, ids[i]);
            many.call("Bash", "docker logs " + name, "boot\nKeyError: 'PORT'");
        }
        const auto& found = one.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == Severity::warning);
        CHECK(many.end().empty());
    }

    TEST_CASE("what is tried and taken back four times is an error, as eight tries are that stay") {
        for (const bool back : {false, true}) {
            Session s("loop/stalled-fix");
            for (int i = 0; i < 4; ++i) {
                s.call("Edit", "a.ts, change " + std::to_string(i), "done")
                    .fails("Bash", "npm test", "1 failing: total");
                if (back) s.call("Bash", "git checkout a.ts", "Updated 1 path from the index");
            }
            const auto& found = s.end();
            REQUIRE(found.size() == 1);
            CHECK(found[0].severity == (back ? Severity::error : Severity::warning));
        }
    }

    TEST_CASE("a loss that is nan after each change of the settings is a warning, one that falls is none") {
        for (const bool falls : {false, true}) {
            Session s("loop/stalled-fix");
            look_after_edits(s, 9, "Bash", "python train.py", [&](int i) {
                return falls ? "step 10 loss " + std::to_string(20 - i)
                             : "step 10 loss nan, " + std::to_string(i) + " it/s";
            });
            CHECK(s.end().size() == (falls ? 0u : 1u));
        }
    }

    TEST_CASE("service after service that is rolled out, and complains alike, is no loop") {
        Session s("loop/stalled-fix");
        for (int i = 0; i < 8; ++i) {
            const std::string name = "svc" + std::to_string(i);
            s.call_json("Edit", name + ".yaml",
                        R"({"file_path":")" + name + R"(.yaml","old_string":"tag: 1","new_string":"tag: 2"})", "done");
            s.call("Bash", "kubectl logs " + name, "boot\nConnectionError: no collector");
        }
        CHECK(s.end().empty());
    }

    TEST_CASE("nor is it where each change is committed, or made by a command that names the file") {
        const auto found = [](std::string_view edit, bool commits, bool same) {
            Session s("loop/stalled-fix");
            for (int i = 0; i < 8; ++i) {
                const std::string name = same ? "svc" : "svc" + std::to_string(i), number = std::to_string(i);
                if (edit.empty())
                    s.call_json("Edit", name,
                                R"({"file_path":")" + name + R"(.yaml","old_string":"tag: )" + number +
                                    R"(","new_string":"tag: 1)" + number + R"("})",
                                "done");
                else
                    s.call("Bash",
                           std::string(edit) + "'s/tag: " + number + "/tag: 1" + number + "/' " + name + ".yaml", "");
                if (commits) s.call("Bash", "git add -A && git commit -qm " + number, "");
                s.call("Bash", "kubectl logs " + name, "boot\nConnectionError: no collector");
            }
            return s.end().size();
        };
        CHECK(found("", true, false) == 0);
        CHECK(found("sed -i ", false, false) == 0);
        CHECK(found("", true, true) == 1);
        CHECK(found("sed -i ", true, true) == 1);
    }

    TEST_CASE("what ends the log of a crash is no good start: a stack, or words that say the opposite") {
        const auto found = [&](std::string_view command, std::string_view last) {
            Session s("loop/stalled-fix");
            look_after_edits(s, 8, "Bash", command,
                             [&](int i) { return "boot " + std::to_string(i) + "\n" + std::string(last); });
            return s.end().size();
        };
        const std::string error = "TypeError: rye is undefined\n", logs = "docker logs mill";
        CHECK(found(logs, "panic: no rye\n\ngoroutine 1 [running]:\nmain.grind(0x3)\n\t/mill/main.go:7 +0x1d\n") == 1);
        for (const char* last : {"probe: unhealthy", "barn disconnected", "mill is not running", "port already taken",
                                 "answered in 2001 ms", "the stones aren't ready"}) {
            CAPTURE(std::string(last));
            CHECK(found(logs, error + last) == 1);
        }
        for (const char* last :
             {"mill is healthy", "fully ready", "GET / 200", "the stones are ready", "Started mill"}) {
            CAPTURE(std::string(last));
            CHECK(found(logs, error + last + " ") == 0);
        }
        std::string frames = "mill  | java.lang.IllegalStateException: the hopper is gone\n";
        for (int i = 0; i < 30; ++i) frames += "mill  | \tat mill.Stone.turn" + std::to_string(i) + "(Stone.java:9)\n";
        CHECK(found("docker compose logs mill", frames) == 1);
        CHECK(found(logs, "no sacks left: Error: the hopper stands still") == 1);
    }

    TEST_CASE("an error is gone where the page is said to lack it, and not where its own words lack something") {
        const auto found = [&](std::string_view console) {
            Session s("loop/stalled-fix");
            look_after_edits(s, 8, "browser_screenshot", "http://localhost:3000",
                             [&](int i) { return std::string(i % 2 == 0 ? "A bar." : "A blue bar.").append(console); });
            return s.end().size();
        };
        CHECK(found("\nConsole: Error: Bare router. There is no route for /mill") == 1);
        CHECK(found("\nConsole: Error: The rye is unresolved") == 1);
        CHECK(found(" There is no chart, but TypeError: rye is undefined") == 1);
        CHECK(found("\nConsole: \"TypeError: rye is undefined\"") == 1);
        CHECK(found(" A box says \"Error: card declined\".") == 0);
        CHECK(found(" An overlay says \"Error: the rows differ\".") == 1);
        CHECK(found("\nConsole: Error: rye is no longer supported") == 1);
        CHECK(found(" The TypeError: rye is undefined is gone.") == 0);
        CHECK(found(" The TypeError: rye is undefined no longer shows.") == 0);
        CHECK(found(" The console shows no TypeError: rye is undefined") == 0);
        CHECK(found(" Der TypeError: rye is undefined ist verschwunden.") == 0);
    }

    TEST_CASE("a look at another program is no look at the one that fails, unless that is not seen to fail again") {
        const auto found = [](bool first, int from_dry, bool same) {
            Session s("loop/stalled-fix");
            for (int i = 0; i < 8; ++i) {
                const auto barn = [&] { s.call("Bash", "docker logs barn", "1" + std::to_string(i) + ": open"); };
                s.call("Edit", "mill.ts, change " + std::to_string(i), "done");
                if (first) barn();
                if (i < from_dry || i % 2 == 0)
                    s.call("Bash", "docker logs mill", "boot " + std::to_string(i) + "\nTypeError: rye is undefined");
                else if (same)
                    s.call("Bash", "docker logs mill", "boot " + std::to_string(i));
                if (!first) barn();
            }
            return s.end().size();
        };
        CHECK(found(false, 8, false) == 1);
        CHECK(found(true, 8, false) == 1);
        CHECK(found(false, 0, true) == 0);
        CHECK(found(true, 0, false) == 0);
    }

    TEST_CASE(
        "page after page of a manual that quotes an error is no look at one that fails; nor are services mended in "
        "turn") {
        Session reads("loop/stalled-fix"), mends("loop/stalled-fix");
        for (int i = 0; i < 8; ++i) {
            const std::string name = std::string(1, static_cast<char>('a' + i)) + "mill";
            reads.call("Edit", "mill.ts, change " + std::to_string(i), "done");
            reads.call("get_page", "guide/" + name, "How to use " + name + ".\nTypeError: rye is undefined");
            mends.call("Edit", "mill.ts, change " + std::to_string(i), "done");
            mends.call("Bash", "docker logs --tail 20 " + name, "boot\nTypeError: rye is undefined");
            mends.call("Bash", "docker restart " + name + " && docker logs " + name, "boot");
        }
        CHECK(reads.end().empty());
        CHECK(mends.end().empty());
    }

    TEST_CASE("what Maven warns of is what fails the build where nothing else is said") {
        const auto found = [](std::string_view fault) {
            Session s("loop/stalled-fix");
            for (int i = 0; i < 8; ++i) {
                s.call("Edit", "change " + std::to_string(i), "done");
                s.fails("Bash", "mvn -B verify",
                        "[INFO] Scanning for projects...\n[WARNING] Used undeclared dependencies found:\n[WARNING]    "
                        "mill:" +
                            std::string(1, static_cast<char>('a' + i)) + "-sieve:jar\n[INFO] BUILD FAILURE\n" +
                            std::string(fault) +
                            "[ERROR] Failed to execute goal mill:analyze on project mill: Dependency problems found");
            }
            return s.end().size();
        };
        CHECK(found("") == 0);
        CHECK(found("[ERROR]   RyeTest.sifts:41 expected: <12> but was: <11>\n") == 1);
    }

    TEST_CASE("a check that only waited for a lock did not run, one that hangs did") {
        const auto found = [](std::string_view said) {
            Session s("loop/stalled-fix");
            for (int i = 0; i < 6; ++i)
                s.call("Edit", "change " + std::to_string(i), "done").fails("Bash", "timeout 60 cargo test", said);
            return s.end().size();
        };
        CHECK(found("    Blocking waiting for file lock on build directory") == 0);
        CHECK(found("Another command (pid=4711) is running. Waiting for it to complete on the server...") == 0);
        CHECK(found("running 3 tests\ntest waits_for_lock ... ") == 1);
        CHECK(found("error: failed while waiting for file lock: disk full") == 1);
    }

    TEST_CASE("a server that is started on one port after the other and never answers is a warning") {
        const auto found = [](std::string_view way) {
            Session s("loop/stalled-fix");
            for (int i = 0; i < 6; ++i) {
                const std::string port = std::to_string(3000 + i),
                                  app = way == "apps" ? "cd mill" + std::string(1, static_cast<char>('a' + i)) + " && "
                                                      : "";
                const std::string looks = way == "tail" ? " sleep 8; tail -3 /tmp/dev.log" : "",
                                  kills = way == "kills" ? "pkill -f mill" + std::to_string(i) + "; npx mill" +
                                                               std::string(static_cast<std::size_t>(i), 'x') + "; "
                                                         : "";
                if (way != "once" || i == 0)
                    s.call("Bash", kills + app + "PORT=" + port + " npm run dev > /tmp/dev.log 2>&1 &" + looks, "");
                s.fails("Bash", "sleep 3; curl -s http://localhost:" + port + "/", "curl: (7) Failed to connect");
                if (way == "slow") s.call("Bash", "sleep 3; curl -s http://localhost:" + port + "/", "<h1>Mill</h1>");
            }
            return s.end();
        };
        const auto ports = found("ports");
        REQUIRE(ports.size() == 1);
        CHECK(ports[0].severity == Severity::warning);
        CHECK(found("tail").size() == 1);
        CHECK(found("kills").size() == 1);
        CHECK(found("apps").empty());
        CHECK(found("once").empty());
        CHECK(found("slow").empty());
    }

    TEST_CASE("the failed run that was started again without a change is the same failure, under another number") {
        const auto runs = [](bool same_run) {
            Session s("loop/stalled-fix");
            for (int i = 0; i < 5; ++i)
                s.call("Bash", "git commit --allow-empty -m again && git push", "main -> main")
                    .call("Bash", "gh run view " + std::to_string(91000 + (same_run ? 0 : i * 37)) + " --log-failed",
                          "test\tRun npm ci\t2026-05-04T09:11:21.0123456Z npm error code ENOENT of the "
                          "package-lock.json");
            return s.end().size();
        };
        CHECK(runs(false) == 1);
        CHECK(runs(true) == 0);
    }

    TEST_CASE("what git wants before it goes on is a verdict on each edit") {
        const auto found = [](std::string_view said) {
            Session s("loop/stalled-fix");
            for (int i = 0; i < 5; ++i)
                s.call("Edit", "conflict " + std::to_string(i), "done").fails("Bash", "git rebase --continue", said);
            return s.end().size();
        };
        CHECK(found("mill.c: needs merge\nYou must edit all merge conflicts and then\nmark them as resolved") == 1);
        CHECK(found("Rebasing (2/9)") == 0);
    }

    TEST_CASE("how many processes Bazel ran is no part of the failure") {
        const auto found = [](std::string_view line) {
            Session s("loop/stalled-fix");
            for (int i = 1; i < 6; ++i)
                s.call("Edit", "change " + std::to_string(i), "done")
                    .fails("Bash", "bazel build //mill:server",
                           "ERROR: /w/mill/BUILD:12:11: target '//grain:internal' is not visible from target "
                           "'//mill:lib'\n" +
                               std::string(line) + std::to_string(i) + " process: " + std::to_string(i) +
                               " internal.\nFAILED: Build did NOT complete successfully");
            return s.end().size();
        };
        CHECK(found("INFO: ") == 1);
        CHECK(found("ERROR: failed ") == 0);
    }

    TEST_CASE("what prints the same after each change is trouble where the agent says so, and work where it does not") {
        const auto found = [](std::string_view said, std::string_view look, int rounds = 8, bool other = false) {
            Session s("loop/stalled-fix");
            for (int i = 0; i < rounds; ++i)
                s.call("Edit", "change " + std::to_string(i), "done")
                    .call("Bash", look,
                          "mill.level = \"info\"" + std::string(other ? static_cast<std::size_t>(i) : 0, '!'))
                    .says(i % 3 == 2 ? said : "Next, the other place.");
            return s.end();
        };
        constexpr std::string_view kLook = "millctl config show | grep level", kVain = "Still not debug. Another way.";
        const auto stuck = found(kVain, kLook);
        REQUIRE(stuck.size() == 1);
        CHECK(stuck[0].severity == Severity::warning);
        CHECK(found("Good, the output is as expected.", kLook).empty());
        CHECK(found("Still the same output, as expected. Next module.", kLook).empty());
        CHECK(found(kVain, kLook, 5).empty());
        CHECK(found(kVain, kLook, 8, true).empty());
        CHECK(found(kVain, "git diff --stat").empty());
    }

    TEST_CASE("nobody need say that a change did not help where its own file is looked at and stays as it was") {
        const auto findings = [](std::string_view file, std::string_view look, int rounds = 6) {
            Session s("loop/stalled-fix");
            for (int i = 0; i < rounds; ++i) {
                const std::string dots(static_cast<std::size_t>(i), '.');
                s.call("Bash", "sed -i 's/sacks" + dots + ": 5/sacks: 20/' " + std::string(file), "");
                s.call("Bash", look, "7: sacksPerDay: 5");
            }
            return s.end().size();
        };
        CHECK(findings("conf/mill.yaml", "grep -n sacks conf/mill.yaml") == 1);
        CHECK(findings("conf/mill.yaml", "grep -n sacks conf/mill.yaml", 4) == 0);
        CHECK(findings("conf/barn.yaml", "grep -n sacks conf/mill.yaml") == 0);
        CHECK(findings("conf/mill.yaml", "grep -c TODO conf/mill.yaml") == 0);
        CHECK(findings("conf/mill.yaml", "head -5 conf/mill.yaml") == 0);
        CHECK(findings("conf/mill.yaml", "cat conf/mill.yaml") == 1);
        CHECK(findings("conf/mill.yaml", "./millctl start conf/mill.yaml") == 0);
        CHECK(findings("mill.yaml; ./mill > mill.log", "grep -n sacks mill.log") == 0);
    }

    TEST_CASE("the lines that were to be changed are the same in whatever words they are asked for") {
        const auto findings = [](bool moves) {
            Session s("loop/stalled-fix");
            const std::vector<std::string> looks{"grep -n sacks conf/mill.yaml",   "grep -n sacks conf/mill.yaml",
                                                 "grep sacks conf/mill.yaml",      "cat conf/mill.yaml | grep sacks",
                                                 "grep -n 'sacks' conf/mill.yaml", "grep sacks conf/mill.yaml"};
            for (std::size_t i = 0; i < looks.size(); ++i) {
                const std::string dots(i, '.'), count = std::to_string(moves ? i : 5);
                s.call("Bash", "sed -i 's/sacks" + dots + ": 5/sacks: 20/' conf/mill.yaml", "");
                const bool numbered = looks[i].find("-n") != std::string::npos;
                s.call("Bash", looks[i], (numbered ? "7:" : "") + ("sacksPerDay: " + count));
            }
            return s.end().size();
        };
        CHECK(findings(false) == 1);
        CHECK(findings(true) == 0);
    }

    TEST_CASE("a measure that no value in the same place moves is trouble, one that is only looked at is not") {
        const auto findings = [](bool same_place, std::string_view said, int rounds = 6) {
            Session s("loop/stalled-fix");
            for (int i = 0; i < rounds; ++i) {
                const std::string place = same_place ? "" : std::to_string(i), now = std::to_string(4 * i),
                                  next = std::to_string(4 * i + 4);
                s.call_json("Edit", "bar.css",
                            R"({"file_path":"bar.css","old_string":".icon)" + place + " { top: " + now +
                                R"(px; }","new_string":".icon)" + place + " { top: " + next + R"(px; }"})",
                            "updated");
                s.call("inspect_page", "http://localhost:3000", said);
            }
            return s.end().size();
        };
        CHECK(findings(true, "icon is 6px above the centre") == 1);
        CHECK(findings(true, "icon is 6px above the centre", 4) == 0);
        CHECK(findings(false, "icon is 6px above the centre") == 0);
        CHECK(findings(true, "the page is there") == 0);
        CHECK(findings(true, "Execution result: -13") == 1);
        CHECK(findings(true, "42") == 0);  // rows, of whatever
        CHECK(findings(true, "opened, status: 200") == 0);
    }

    TEST_CASE("what is written further at its end, step by step, is no other try") {
        const auto findings = [](bool further) {
            Session s("loop/stalled-fix");
            std::string before = "def turn():\\n    a0()";
            for (int i = 1; i < 9; ++i) {
                const std::string line = "\\n    a" + std::to_string(i) + "()";
                const std::string after = further ? before + line : "def turn():" + line;
                s.call_json(
                    "Edit", "mill.py",
                    R"({"file_path":"mill.py","old_string":")" + before + R"(","new_string":")" + after + R"("})",
                    "updated");
                s.call("Bash", "curl -s localhost:8080/health", "ok");
                before = after;
            }
            return s.end().size();
        };
        CHECK(findings(false) == 1);
        CHECK(findings(true) == 0);
    }

    TEST_CASE("a file that is written in another way each time and keeps its size is found, whatever tells its size") {
        const auto findings = [](std::string_view command, std::string_view look) {
            Session s("loop/stalled-fix");
            for (int i = 0; i < 6; ++i) {
                s.call("Bash", std::string(command) + std::to_string(90 - 10 * i) + " out.png", "");
                s.call("Bash", i % 3 == 2 ? "ls -l out.png | awk '{print $5}'" : look, "412336");
            }
            return s.end().size();
        };
        CHECK(findings("convert mill.png -quality ", "stat -c %s out.png") == 1);
        CHECK(findings("convert mill.png -quality ", "file out.png") == 0);
        CHECK(findings("echo ", "stat -c %s mill.png") == 0);
    }

    TEST_CASE(
        "pods that stay pending after each new start are a warning; those that are waited for, or come up, none") {
        const auto found = [](bool starts, bool comes_up) {
            Session s("loop/stalled-fix");
            for (int i = 0; i < 6; ++i) {
                const std::string pod = "mill-7d9f8c6b5d-x2x" + std::to_string(i + 2) + "z";
                if (starts) s.call("Bash", "kubectl rollout restart deploy/mill", "deployment.apps/mill restarted");
                s.call("Bash", i % 2 == 0 ? "kubectl get pods -l app=mill" : "sleep 20; kubectl get pods -l app=mill",
                       pod + "  0/1  Pending  0  " + std::to_string(20 + i) + "s");
                if (comes_up) s.call("Bash", "kubectl get pods", pod + "  1/1  Running  0  90s");
            }
            return s.end();
        };
        const auto stuck = found(true, false);
        REQUIRE(stuck.size() == 1);
        CHECK(stuck[0].severity == Severity::warning);
        CHECK(found(false, false).empty());
        CHECK(found(true, true).empty());
    }

    TEST_CASE("a formatter that undoes each edit of the linter's line is found one failure sooner") {
        const auto findings = [](std::string_view hook) {
            Session s("loop/stalled-fix");
            for (int i = 0; i < 3; ++i) {
                s.call("Edit", "report.py, change " + std::to_string(i), "done");
                s.fails("Bash", "pre-commit run", std::string(hook) + "\nreport.py:89:0: C0301: Line too long");
            }
            return s.end().size();
        };
        CHECK(findings("black....Failed\n- files were modified by this hook") == 1);
        CHECK(findings("black....Passed") == 0);
        CHECK(findings("reformatted report.py") == 1);
        CHECK(findings("reformatted report.py\n1 failed in 0.2s") == 0);
    }

    TEST_CASE("tests that are not found under one name after the other did not test any of the changes") {
        const auto findings = [](bool found_once) {
            Session s("loop/stalled-fix");
            const std::vector<std::string> runs{"pnpm vitest run retry", "npx vitest run src/retry.spec",
                                                "npx vitest run -t retries", "pnpm vitest run retry.spec.ts"};
            for (std::size_t i = 0; i < runs.size(); ++i) {
                s.call("Edit", "change " + std::to_string(i), "done");
                s.fails("Bash", runs[i], "No test files found, exiting with code 1\nfilter: " + runs[i]);
                if (found_once && i == 1) s.fails("Bash", "npx vitest run queue", "queue.spec: expected 3, got 4");
            }
            return s.end().size();
        };
        CHECK(findings(false) == 1);
        CHECK(findings(true) == 0);
    }

    TEST_CASE("a project without tests for the files that are renamed one by one is told of as an info") {
        const auto found = [](std::string_view folder) {
            Session s("loop/stalled-fix");
            for (int i = 0; i < 6; ++i) {
                const std::string name = std::string(folder) + "m" + std::to_string(i) + ".ts";
                s.call_json("Edit", name,
                            R"({"file_path":")" + name + R"(","old_string":"let a","new_string":"let b"})", "done");
                const std::string run = "npx vitest related " + std::string(i % 2 == 0 ? "" : "--run ") + name;
                s.fails("Bash", run, "No test files found, exiting with code 1\nfilter: " + name);
            }
            return s.end();
        };
        const auto renamed = found("src/"), created = found("src/test/");
        REQUIRE(renamed.size() == 1);
        CHECK(renamed[0].severity == Severity::info);
        REQUIRE(created.size() == 1);
        CHECK(created[0].severity != Severity::info);
    }

    TEST_CASE("a cell without a value and a plan that wants what was applied say themselves that nothing helped") {
        const auto findings = [](std::string_view read, std::string_view asked, std::string_view said) {
            Session s("loop/stalled-fix");
            for (int i = 0; i < 8; ++i) {
                s.call("Edit", "change " + std::to_string(i), "done");
                s.call(read, asked, said);
            }
            return s.end().size();
        };
        constexpr std::string_view kPlan = "Plan: 1 to add, 0 to change, 1 to destroy.";
        CHECK(findings("get_values", "D2", R"([["#N/A"]])") == 1);
        CHECK(findings("get_values", "D2", R"([["rye"]])") == 0);
        CHECK(findings("Bash", "terraform plan | tail -1", kPlan) == 1);
        CHECK(findings("Bash", "terraform plan | tail -1", "No changes.") == 0);
        CHECK(findings("Bash", "terraform plan", "Plan: 0 to add, 0 to change, 0 to destroy.") == 0);
        CHECK(findings("Bash", "cat plan.txt", kPlan) == 0);
    }

    TEST_CASE("a formula that has no value has none in whatever range it is read, by whatever tool it is set") {
        const auto findings = [](bool sets, std::string_view value) {
            Session s("loop/stalled-fix");
            for (int i = 0; i < 7; ++i) {
                if (sets) s.call("put_formula", "=LOOKUP(A2; Sacks" + std::to_string(i) + ")", R"({"updated":88})");
                s.call("read_range", i % 2 == 0 ? "C2:C3" : "C2:C4",
                       std::string(value) + "\n" + std::string(value) + (i % 2 == 0 ? "" : "\n" + std::string(value)));
            }
            return s.end().size();
        };
        CHECK(findings(true, "#N/A") == 1);
        CHECK(findings(true, "17") == 0);
        CHECK(findings(false, "#N/A") == 0);
    }

    TEST_CASE("flags of a check and what leads to it make no other check, another test or package does") {
        const auto found = [](const std::vector<std::string>& commands, const std::string& said) {
            Session s("loop/stalled-fix");
            for (std::size_t i = 0; i < commands.size(); ++i) {
                s.call("Edit", "change " + std::to_string(i), "done");
                if (commands[i].ends_with("passes"))
                    s.call("Bash", commands[i].substr(0, commands[i].rfind(" #")), "5 passed");
                else
                    s.fails("Bash", commands[i], said);
            }
            return s.end().size();
        };
        const std::string kSaid = "E   AssertionError: assert 2.67 == 2.68\n1 failed, 11 passed in 6.75s, see the log";
        CHECK(found({"pytest tests/mill.py -q", "pytest tests/mill.py -x", "python -m pytest tests/mill.py -vv",
                     "timeout 60 pytest tests/mill.py --tb=short"},
                    kSaid) == 1);
        CHECK(found({"pytest -q tests/a.py", "pytest -x tests/b.py", "pytest -vv tests/c.py", "pytest tests/d.py"},
                    kSaid) == 0);
        CHECK(found({"go test -run=TestRye", "go test -run=TestOat", "go test -run=TestBran", "go test -run=TestCorn"},
                    kSaid) == 0);
        CHECK(found({"pytest -k rye -q", "pytest -k oats -q", "pytest -k wheat -q", "pytest -k bran -q"}, kSaid) == 0);
        CHECK(found({"pytest tests/mill.py -q", "pytest tests/mill.py -x", "pytest tests/mill.py -vv # passes",
                     "pytest tests/mill.py -s", "pytest tests/mill.py -l"},
                    kSaid) == 0);
        const std::string kDenied = "bash: ./d.sh: Permission denied";
        CHECK(found({"./d.sh", "./d.sh staging", "sh -c ./d.sh", "exec ./d.sh"}, kDenied) == 1);
        CHECK(found({"./d.sh north", "./d.sh south", "./d.sh west", "./d.sh east"}, kDenied) == 0);
        // It says nothing of what is run.
        CHECK(found({"./d.sh", "./d.sh --yes", "./d.sh -v", "./d.sh -x"}, "Permission denied") == 0);
    }

    TEST_CASE("ids that were drawn for a run of a check are no news, another failure is") {
        const auto found = [](bool same) {
            Session s("loop/stalled-fix");
            for (int i = 0; i < 5; ++i) {
                const std::string n = std::to_string(i);
                fix(s, i,
                    "WARNING: DATA RACE\nWrite at 0x00c0002370a" + n + " by goroutine 9" + n +
                        ":\n  mill.(*Mill).drain()\n      /w/mill/drain.go:58 +0x1" + n + "\n--- FAIL: Test" +
                        (same ? "Mill" : std::string(static_cast<std::size_t>(i + 1), 'M')) + " (4.39s)\nFAIL");
            }
            return s.end().size();
        };
        CHECK(found(true) == 1);
        CHECK(found(false) == 0);
    }

    TEST_CASE("one new script after the other that dies of one error is one, of another error each time is work") {
        const auto found = [](bool same) {
            Session s("loop/stalled-fix");
            const std::vector<std::string> names{"rye", "oats", "wheat", "bran", "corn"};
            for (std::size_t i = 0; i < names.size(); ++i) {
                const std::string path = "/farm/" + names[i] + ".py";
                s.call_json("Write", path, R"({"file_path":")" + path + R"(","content":"import )" + names[i] + "\"}",
                            "File created successfully at: " + path);
                s.fails("Bash", "python " + names[i] + ".py",
                        "Traceback (most recent call last):\n  File \"" + path + "\", line " + std::to_string(i + 2) +
                            ", in <module>\nPermissionError: [Errno 13] Permission denied: '" +
                            (same ? "mill.mdb" : names[i]) + "'");
            }
            return s.end().size();
        };
        CHECK(found(true) == 1);
        CHECK(found(false) == 0);
    }

    TEST_CASE(
        "one draft after the other that dies of the same error in a line is one script, files that were there none") {
        const auto found = [](bool drafts, std::string_view error) {
            const std::vector<std::string> names = {"sum", "tally", "sum_new", "grind"};
            Session s("loop/stalled-fix");
            for (const std::string& name : names) {
                const std::string path = "/home/noor/" + name + ".py";
                if (drafts)
                    s.call_json("Write", path, R"({"file_path":")" + path + R"(","content":"import )" + name + "\"}",
                                "ok");
                else
                    s.call_json("Edit", path,
                                R"({"file_path":")" + path + R"(","old_string":"a","new_string":")" + name + "\"}",
                                "ok");
                s.fails("Bash", "python " + path, std::string(error) + (error.ends_with(' ') ? name : ""));
            }
            return s.end().size();
        };
        CHECK(found(true, "TypeError: unsupported operand for +: 'int' and 'str'") == 1);
        CHECK(found(false, "TypeError: unsupported operand for +: 'int' and 'str'") == 0);
        CHECK(found(true, "TypeError: unsupported operand in ") == 0);
    }

    TEST_CASE("a server that is killed and started anew and finds its port taken each time is a warning") {
        const auto found = [](std::string_view restart, bool same_log, std::string_view last) {
            Session s("loop/stalled-fix");
            for (int i = 0; i < 5; ++i) {
                const std::string n = std::to_string(i), log = "/tmp/srv" + (same_log ? std::string() : n) + ".log";
                s.call("Bash", std::string(restart) + " 4711" + n, "")
                    .call("Bash", "nohup millserve --port 8000 > " + log + " 2>&1 & echo $!", "5" + n)
                    .call("Bash", "tail -5 " + log,
                          "INFO: started server process [4" + n + "]\nERROR: [Errno 98] " + std::string(last));
            }
            const auto& f = s.end();
            return f.empty() ? Severity::info : f[0].severity;
        };
        constexpr std::string_view kTaken = "address already in use";
        CHECK(found("kill -9", true, kTaken) == Severity::warning);
        CHECK(found("kill -9", false, kTaken) == Severity::warning);
        CHECK(found("kill -9", true, "address already in use\nINFO: listening on 8001") == Severity::info);
    }

    TEST_CASE("a program that cannot be read at one line is no nearer, whatever stands there; at the next line it is") {
        const auto found = [](bool same_line) {
            Session s("loop/stalled-fix");
            const std::vector<std::string> lines{"    turn(1)", "\tturn(1)", "  turn( 1 )", "        turn(1);",
                                                 "   turn(one)"};
            for (std::size_t i = 0; i < lines.size(); ++i) {
                s.call("Edit", "mill.py: " + lines[i], "done");
                s.fails("Bash", i % 2 == 0 ? "python mill.py --json" : "python3 mill.py --json",
                        "  File \"/mill/mill.py\", line " + std::to_string(same_line ? 4 : 4 + 40 * i) + "\n" +
                            lines[i] +
                            (i == 2 ? "\nIndentationError: unindent does not match any outer indentation level"
                                    : "\nTabError: inconsistent use of tabs and spaces in indentation"));
            }
            return s.end().size();
        };
        CHECK(found(true) == 1);
        CHECK(found(false) == 0);
    }

    TEST_CASE("a check goes back and forth between two failures in whatever words it is run; a third one is news") {
        const auto found = [](bool third) {
            Session s("loop/stalled-fix");
            const std::vector<std::string> runs{"node --test mill.test.js", "node --test mill.test.js",
                                                "node --test mill.test.js", "node --test",
                                                "node --test mill.test.js", "node --test mill.test.js"};
            for (std::size_t i = 0; i < runs.size(); ++i) {
                const std::string n = std::to_string(i);
                const char* what = third && i == 3 ? "stops at noon, when nobody is there to see it"
                                   : i % 2 == 0    ? "turns at once when it is called for"
                                                   : "waits for the miller before it turns";
                s.fails("Bash", runs[i],
                        "Exit code 1\n\u2716 the wheel of the mill " + std::string(what) +
                            "\n\u2714 all others do well\n\u2139 fail 1");
                s.call("Edit", "mill.js: turn " + n, "done");
            }
            return s.end().size();
        };
        CHECK(found(false) == 1);
        CHECK(found(true) == 0);
    }
}
