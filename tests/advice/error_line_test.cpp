#include "advice/words/error_line.hpp"

#include <doctest/doctest.h>

#include <string>

using agent_audit::advice::pasted_error;
using agent_audit::advice::telling_line;

TEST_SUITE("the line that says what went wrong") {
    TEST_CASE("banners, warnings, progress and the echo of the command are not it") {
        struct Case {
            const char *text, *line;
        };
        const Case cases[] = {
            {"Warning: old option in config\nloading\nerror: cannot open store.db\ndone",
             "error: cannot open store.db"},
            {"ERROR:\nNo replacement was performed, the text is not there",
             "No replacement was performed, the text is not there"},
            {"> app@1.0 build\n> tsc\nsrc/a.ts(3,1): error TS2322: Type 'x' is not assignable\nFound 1 error.",
             "src/a.ts(3,1): error TS2322: Type 'x' is not assignable"},
            {"cc -c a.c\na.c:3: error: expected ';'\nmake: *** [Makefile:2: a.o] Error 1",
             "a.c:3: error: expected ';'"},
            {"a.c:3: error: expected ';'\nb.c:9: error: unknown type name 'x'", "a.c:3: error: expected ';'"},
            {"On branch main\nnothing to commit, working tree clean", "nothing to commit, working tree clean"},
            {"node:events:487\n      throw er; // Unhandled 'error' event\n      ^\n\nError: listen EADDRINUSE: "
             "address already in use :::80",
             "Error: listen EADDRINUSE: address already in use :::80"},
            {"Exit code 1\n-- checking\nCould not find a package configuration file",
             "Could not find a package configuration file"},
            {"{\n  \"status\": \"error\",\n  \"error\": \"access to the table is restricted\"\n}",
             "\"error\": \"access to the table is restricted\""},
            {"fetching\nHTTP/1.1 403 Forbidden\nDate: today", "HTTP/1.1 403 Forbidden"},
            {"1 passed\ntests/a_test.py::test_b FAILED\n2 errors", "tests/a_test.py::test_b FAILED"},
            {"something odd", "something odd"},
            {"", ""},
        };
        for (const Case& c : cases) {
            CAPTURE(std::string(c.text));
            CHECK(telling_line(c.text) == c.line);
        }
    }

    TEST_CASE("of a traceback it is the last line, whatever stands above") {
        CHECK(telling_line("error: see below\nTraceback (most recent call last):\n  File \"a.py\", line 1, in "
                           "<module>\n    import yaml\nModuleNotFoundError: No module named 'yaml'\n") ==
              "ModuleNotFoundError: No module named 'yaml'");
    }

    TEST_CASE("of a person's words only what programs print is an error") {
        for (const char* text :
             {"now I get\nremote: denied\nfatal: unable to access the store: error: 403\nhelp",
              "look:\nTypeError: x is not a function\n    at y.js:3",
              "it says\nsrc/a.ts(3,1): error TS2322: Type 'x' is not assignable",
              "hm\n2026-01-02 10:00:01 [main] ERROR: cannot open the store",
              "so?\nUncaught (in promise) Error: no route", "and then\nbash: frob: command not found",
              "the tests say\nFAILED tests/a_test.py::test_b - assert 1 == 2", "this\n    E   AssertionError: 1 != 2",
              "Solve this:\nIssue: SyntaxError: invalid syntax",
              "why\nTraceback (most recent call last):\n  File \"a.py\", line 1\nValueError: no such thing",
              "Module\n'frob' is not recognized as an internal or external command,",
              "thread 'main' panicked at src/main.rs:4:5:\nindex out of bounds"}) {
            CAPTURE(std::string(text));
            CHECK_FALSE(pasted_error(text).empty());
        }
        for (const char* text :
             {"2. If you run a command and it doesn't work, try another.\nA command that did not work once will not "
              "work again",
              "Please write a form.\nThe name is required.", "Rules:\n- a file that was not found is skipped",
              "- **Check via type assertion**: Gracefully handle what doesn't implement it\nand so on",
              "Which of them\ndid not have a position?", "Write this:\nprint(\"Error: File not found.\")",
              "Refrain from saying \"I am unable to browse\"\nand go on",
              "- If the file is not found, create it.\nThen go on", "It must\nreturn HTTP 404 when nothing is found",
              "raise ValueError(\"Error: no value\")\nis what it should do",
              "Handle error: show a page\nwith its number", "# Error: what to show\nA page.",
              "If you see TypeError: x, go on\nand tell me", "the page could not\nbe found, why",
              "0 errors: all fine\nso go on"}) {
            CAPTURE(std::string(text));
            CHECK(pasted_error(text) == "");
        }
        CHECK(pasted_error("a\nerror: b is gone\nerror: c is gone") == "error: b is gone");
    }

    TEST_CASE("a long line is cut, and a long text is read in one pass") {
        CHECK(telling_line("error: " + std::string(5000, 'x')).size() < 200);
        std::string text;
        for (int i = 0; i < 20000; ++i) text += "line " + std::to_string(i) + "\n";
        CHECK(telling_line(text + "fatal: the end of it").find("fatal: the end") == 0);
    }
}
