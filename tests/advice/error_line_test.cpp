#include "advice/error_line.hpp"

#include <doctest/doctest.h>

#include <string>

using agent_audit::advice::telling_line;

TEST_SUITE("the line that says what went wrong") {
    TEST_CASE("banners, warnings, progress and the echo of the command are not it") {
        struct Case {
            const char *text, *line;
        };
        const Case cases[] = {
            {"Warning: old option in config\nloading\nerror: cannot open store.db\ndone", "error: cannot open store.db"},
            {"ERROR:\nNo replacement was performed, the text is not there", "No replacement was performed, the text is not there"},
            {"> app@1.0 build\n> tsc\nsrc/a.ts(3,1): error TS2322: Type 'x' is not assignable\nFound 1 error.", "src/a.ts(3,1): error TS2322: Type 'x' is not assignable"},
            {"cc -c a.c\na.c:3: error: expected ';'\nmake: *** [Makefile:2: a.o] Error 1", "a.c:3: error: expected ';'"},
            {"a.c:3: error: expected ';'\nb.c:9: error: unknown type name 'x'", "a.c:3: error: expected ';'"},
            {"On branch main\nnothing to commit, working tree clean", "nothing to commit, working tree clean"},
            {"node:events:487\n      throw er; // Unhandled 'error' event\n      ^\n\nError: listen EADDRINUSE: address already in use :::80", "Error: listen EADDRINUSE: address already in use :::80"},
            {"Exit code 1\n-- checking\nCould not find a package configuration file", "Could not find a package configuration file"},
            {"{\n  \"status\": \"error\",\n  \"error\": \"access to the table is restricted\"\n}", "\"error\": \"access to the table is restricted\""},
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
        CHECK(telling_line("error: see below\nTraceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    import yaml\nModuleNotFoundError: No module named 'yaml'\n") ==
              "ModuleNotFoundError: No module named 'yaml'");
    }

    TEST_CASE("a long line is cut, and a long text is read in one pass") {
        CHECK(telling_line("error: " + std::string(5000, 'x')).size() < 200);
        std::string text;
        for (int i = 0; i < 20000; ++i) text += "line " + std::to_string(i) + "\n";
        CHECK(telling_line(text + "fatal: the end of it").find("fatal: the end") == 0);
    }
}
