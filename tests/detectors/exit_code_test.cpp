#include "detectors/outcomes/exit_code.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace agent_audit;
using namespace agent_audit::detectors;

namespace {

std::optional<int> code(std::string_view text) { return exit_code_in({text, TextForm::plain}); }
bool failed(std::string_view text) { return says_failure({text, TextForm::plain}); }

}  // namespace

TEST_SUITE("exit codes in text") {
    TEST_CASE("every spelling of an exit code is understood") {
        CHECK(code("Exit code 1\nboom") == 1);
        CHECK(code("Exit code: 2") == 2);
        CHECK(code("... Exit Code: 127") == 127);
        CHECK(code("Process exited with code 0") == 0);
        CHECK(code("<exited with exit code 3>") == 3);
        CHECK(code("Command exited with code 4") == 4);
        CHECK(code(R"({"exit_code":5})") == 5);
        CHECK(code(R"({\"exit_code\":6})") == 6);
        CHECK(code(R"({"stdout":"","exitCode":9})") == 9);
        CHECK(code(R"({\"stdout\": \"\", \"exitCode\": 9})") == 9);
        CHECK(code(R"({"returncode": 2, "stderr": ""})") == 2);
        CHECK(code("exitcode: 1 (execution failed)") == 1);
        CHECK(code("<returncode>7</returncode>") == 7);
        CHECK(code("[The command completed with exit code 8.]") == 8);
        CHECK(code("exit code -1") == -1);
    }

    TEST_CASE("words about exits without a number are no code") {
        CHECK_FALSE(code("the exit code is shown below"));
        CHECK_FALSE(code("exit"));
        CHECK_FALSE(code(""));
    }

    TEST_CASE("only the first and the last 400 bytes count") {
        const std::string filler(1000, 'x');
        CHECK_FALSE(code(filler + " Exit code 1 " + filler));
        CHECK(code(filler + "Exit code 1") == 1);
    }

    TEST_CASE("failures said in words are seen") {
        CHECK(failed("Traceback (most recent call last):\n  File"));
        CHECK(failed("src/a.cpp:3:7: error: expected ';'"));
        CHECK(failed("a.ts(3,4): error TS2322: no"));
        CHECK(failed("error: 8"));
        CHECK(failed("error: 1.2.3 is no release"));
        CHECK(failed("bash: foo: command not found"));
        CHECK(failed("ls: cannot access 'x': No such file or directory"));
        CHECK(failed("ok\nFAILED tests/test_a.py::test_b"));
        CHECK(failed("npm ERR! code 1"));
        CHECK(says_failure({"one\\nfatal: not a git repository", TextForm::json_string}));
    }

    TEST_CASE("Ruby and Elixir say in one line what a program died of") {
        constexpr std::string_view kRuby = "lib/mill.rb:14:in `grind': undefined method `weight' for nil:NilClass";
        CHECK(failed(std::string(kRuby) + " (NoMethodError)\n\tfrom bin/mill:3:in `<main>'"));
        CHECK(
            failed("grinding\nbin/mill:4:in 'Mill#grind': no corn (Mill::EmptyError)\n\tfrom bin/mill:9:in '<main>'"));
        CHECK(failed("** (UndefinedFunctionError) function Mill.grind/1 is undefined or private\n    Mill.grind(3)"));
        CHECK(failed("Compiling 2 files\n** (EXIT from #PID<0.98.0>) an exception was raised:"));
        CHECK(failed("** (Mix) Could not start application mill"));
        CHECK(says_failure({"one\\n** (KeyError) key :corn not found in: %{}\\n  two", TextForm::json_string}));
        CHECK(says_failure({"bin/mill:4:in `grind': no corn (MillError)\\n\\tfrom bin/mill:9", TextForm::json_string}));
        CHECK_FALSE(failed("Ruby raises NoMethodError (undefined method) where corn is nil."));
        CHECK_FALSE(failed(std::string(900, 'x') + " (NoMethodError)"));  // its line begins far above
        CHECK_FALSE(failed("In Elixir you would see ** (KeyError) key :corn not found"));
        CHECK_FALSE(failed("** (Note) the mill is closed"));
        CHECK_FALSE(failed("lib/mill.rb:14:    rescue EmptyError (see MillError)"));
        CHECK_FALSE(failed("E, [09:00] the mill answers (MillError)"));
    }

    TEST_CASE("an answer that opens with the name of an exception is one, a line below that does is not") {
        CHECK(failed("ImportError: cannot import name 'tomllib' from 'site'"));
        CHECK(failed("sqlite3.OperationalError: no such table: jobs\n"));
        CHECK(failed("TypeError: total is not a function\n    at cart.js:3:9"));
        CHECK_FALSE(failed("3 lines of the log\nImportError: no module"));
        CHECK_FALSE(failed("onError: called when the upload fails"));
        CHECK_FALSE(failed("docs of ImportError: see below"));
        CHECK_FALSE(failed("lastError: null"));
    }

    TEST_CASE("checks behind a pipe are read by what they count") {
        const auto bad = [](std::string_view text) { return check_failed({text, TextForm::plain}); };
        for (const char* text :
             {"2 failed, 3 passed in 0.12s", "Tests:       1 failed, 4 passed, 5 total", "  3 passing\n  2 failing",
              "3 examples, 1 failure", "Failures: 2", "FAILED (errors=1)", "Found 3 errors in 1 file",
              "test result: FAILED. 1 passed; 1 failed", "--- FAIL: TestX (0.00s)"})
            CHECK(bad(text));
        for (const char* text :
             {"5 passed", "0 failed, 5 passed", "Failures: 0", "failures=0", "Found 0 errors",
              "test result: ok. 3 passed; 0 failed", "ERROR: x\n5 passed", "src/errors.py:12: error handling", ""})
            CHECK_FALSE(bad(text));
        // A count that begins a line, whose end is written as two bytes.
        CHECK(check_failed(
            {"FAILED test_a.py::test_b - assert 3 == 4\\n1 failed, 5 passed in 0.12s", TextForm::json_string}));
        CHECK(check_failed({"..F\\n3 failed", TextForm::json_string}));
        CHECK_FALSE(check_failed({"...\\n0 failed, 3 passed", TextForm::json_string}));
        CHECK_FALSE(check_failed({"section1 failed\\n3 passed", TextForm::json_string}));
    }

    TEST_CASE("the last words of linters, builders and runners of tasks are their verdict") {
        const auto bad = [](std::string_view text) { return check_failed({text, TextForm::plain}); };
        for (const char* text : {"barn.go:3:1: unused\n5 issues:\n* errcheck: 5",
                                 "12 passed in 0.3s\n[lint] ERROR task failed",
                                 "task: Failed to run task \"lint\": exit status 1",
                                 "\xe2\x9c\x96 3 problems (3 errors, 0 warnings)",
                                 "Found 3 errors.",
                                 "Found 1 error.",
                                 "Found 2 errors in 1 file (checked 4 source files)",
                                 "error: could not compile `barn` (bin \"barn\") due to 2 previous errors",
                                 "12 passed in 0.3s\nmake: *** [Makefile:7: check] Error 2",
                                 "npm ERR! code ELIFECYCLE",
                                 "npm error code ELIFECYCLE",
                                 "\xe2\x80\x89"
                                 "ELIFECYCLE  Command failed with exit code 1.",
                                 "error Command failed with exit code 2.",
                                 "BUILD FAILED in 3s",
                                 "[INFO] BUILD FAILURE",
                                 "FAIL\texample.org/barn\t0.1s",
                                 "90% tests passed, 1 tests failed out of 10",
                                 "12 files inspected, 3 offenses detected",
                                 "# pass 5\n# fail 1",
                                 "\xe2\x84\xb9 pass 5\n\xe2\x84\xb9 fail 2",
                                 "ninja: build stopped: subcommand failed.",
                                 "[warn] Code style issues found in 2 files.",
                                 "black......Passed\npylint.....Failed\n- hook id: pylint",
                                 "- hook id: black\n- files were modified by this hook",
                                 "1 file would be reformatted."}) {
            CAPTURE(text);
            CHECK(bad(text));
        }
        for (const char* text :
             {"0 issues.", "No problem: fixed 5 issues: all of them\n0 issues.",
              "\xe2\x9c\x96 3 problems (0 errors, 3 warnings)", "100% tests passed, 0 tests failed out of 10",
              "12 files inspected, no offenses detected", "# pass 5\n# fail 0",
              "checks what BUILD FAILED means\n12 passed in 0.3s", "it told me of 5 issues: a, b",
              "BUILD SUCCESSFUL in 2s", "[INFO] BUILD SUCCESS"}) {
            CAPTURE(text);
            CHECK_FALSE(bad(text));
        }
    }

    TEST_CASE("talk about failures is none") {
        CHECK_FALSE(failed("12 passed, 0 failed"));
        CHECK_FALSE(failed("no errors found"));
        CHECK_FALSE(failed("This function raises an error when the file is missing."));
        CHECK_FALSE(failed("def test_failed(): pass"));
        CHECK_FALSE(failed("FAILED_COUNT = 3"));
        CHECK_FALSE(failed("The error: handling was improved"));
        CHECK_FALSE(failed(""));
    }
}

TEST_SUITE("exit codes in hostile text") {
    TEST_CASE("numbers of any length and words cut off at the end are survived") {
        CHECK(code("exit code 123456789012345678901234567890").has_value());
        CHECK_FALSE(code("exit code -"));
        CHECK_FALSE(code("exit code: \"\\\":=> 1"));  // too much between the words and the number
        for (const std::string_view words : {"exit code", "Exit Code", "exited with code", "exit_code", "returncode"}) {
            for (std::size_t size = 0; size <= words.size(); ++size) CHECK_FALSE(code(words.substr(0, size)));
        }
    }

    TEST_CASE("a failure in the middle of a long text does not count, one in its first or last line does") {
        std::string filler;
        for (int i = 0; i < 60; ++i) filler += "all is well here\n";
        CHECK_FALSE(failed(filler + "fatal: broken\n" + filler));
        CHECK(failed("fatal: broken\n" + filler));
        CHECK(failed(filler + "fatal: broken"));
    }

    TEST_CASE("the two bytes of an escaped line end end a line in JSON text only") {
        CHECK(says_failure({"a\\nerror: b", TextForm::json_string}));
        CHECK_FALSE(says_failure({"a\\nerror: b", TextForm::plain}));
        CHECK_FALSE(says_failure({"a\nerror: b", TextForm::json_string}));
    }
}

TEST_SUITE("failures as tools report them") {
    TEST_CASE("the last words of test runners, compilers and shells are failures") {
        for (const std::string_view text :
             {"--- FAIL: TestMerge (0.02s)", "FAIL\tgithub.com/x/y\t0.1s", "tests/test_a.py::test_b FAILED [ 67%]",
              "BUILD FAILED", "test result: FAILED. 3 passed; 1 failed", "[  FAILED  ] Suite.case",
              "FAILED (failures=1)", "error[E0382]: borrow of moved value", "prog: error: unrecognized arguments: -x",
              "a.c:1:10: fatal error: x.h: No such file or directory", "make[1]: *** [Makefile:3: all] Error 2",
              "panic: runtime error: index out of range", "thread 'main' panicked at src/main.rs:2:5",
              "Segmentation fault (core dumped)", "ERROR: Could not find a version", "Error: ENOENT: no such file",
              "[Errno 2] No such file or directory", "./run.sh: Permission denied", "zsh: command not found: foo"}) {
            CAPTURE(text);
            CHECK(failed(text));
            CHECK(failed("some output\n" + std::string(text) + "\nmore"));
        }
    }

    TEST_CASE("an editing tool that says it changed nothing failed, one that talks about it did not") {
        for (const char* words : {"No replacement was performed, old_str `a` did not appear verbatim in b.py.",
                                  "String to replace not found in file.", "<tool_use_error>File has not been read yet",
                                  "Search block not found in the file",
                                  "Your proposed edit has introduced new syntax error(s). Please retry."})
            CHECK(edit_refused({words, TextForm::plain}));
        CHECK_FALSE(edit_refused({"The file was updated. No replacement was performed twice.", TextForm::plain}));
        CHECK(says_failure({"patching file a.c\nHunk #1 FAILED at 3.", TextForm::plain}));
        CHECK_FALSE(says_failure({"patching file a.c\nHunk #1 succeeded at 3.", TextForm::plain}));
    }

    TEST_CASE("counts of nothing, source code and sentences are none") {
        for (const std::string_view text :
             {"FAILED: 0", "Passed: 3, 0 FAILED", "return \"FAILED\";", "if (state == FAILED) {", "no FAILED",
              "errors: 0", "catch (error: Error) {", "it prints command not found when",
              "the message No such file or directory is", "FAIL is a word", "a fatal: b", "don't panic: it works",
              "0 errors, 0 warnings", "degree 3\nerror: 8.59", "error: 0.013 (relative)"}) {
            CAPTURE(text);
            CHECK_FALSE(failed(text));
        }
    }

    TEST_CASE("the agent's own words about the code win over those of the program it ran") {
        CHECK(code("Process exited with code 3\nExit code 5") == 5);
        CHECK_FALSE(code("os.Exit(0o666) // exit_mode 666"));
        CHECK_FALSE(code("Exit code 1x"));
        CHECK(code("exit code 99999999999") != 0);
    }
}
