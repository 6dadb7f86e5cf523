#include "advice/calls/work_files.hpp"

#include <doctest/doctest.h>

using namespace agent_audit::advice;

TEST_SUITE("work files") {
    TEST_CASE("a path is told from the working directory on") {
        CHECK(hidden_cwd("/srv/app/src/a.ts", "/srv/app") == "src/a.ts");
        CHECK(hidden_cwd("/srv/app2/a.ts", "/srv/app") == "/srv/app2/a.ts");
        CHECK(hidden_cwd("././a.ts", "/srv/app") == "a.ts");
        CHECK(hidden_cwd("../lib/a.ts", "/srv/app") == "/srv/lib/a.ts");
        CHECK(hidden_cwd("D:\\app\\src\\a.ts", "D:\\app") == "src\\a.ts");
        CHECK(hidden_cwd("d:/app/src/a.ts", "D:\\app") == "src/a.ts");
        CHECK(hidden_cwd("/d/app/src/a.ts", "D:\\app") == "src/a.ts");
        CHECK(hidden_cwd("D:\\app2\\a.ts", "D:\\app") == "D:\\app2\\a.ts");
        CHECK(hidden_cwd("E:\\app\\a.ts", "D:\\app") == "E:\\app\\a.ts");
        CHECK(hidden_cwd("../lib/a.ts", "D:\\app") == "/d/lib/a.ts");
    }

    TEST_CASE("files below /tmp are temporary, except where the session works there") {
        CHECK(is_temporary("/tmp/x.log", "/srv/app"));
        CHECK(is_temporary("C:\\Users\\me\\AppData\\Local\\Temp\\x.log", "C:\\app"));
        CHECK_FALSE(is_temporary("/tmp/job/x.cpp", "/tmp/job"));
        CHECK_FALSE(is_temporary("/srv/tmp/x.cpp", "/srv/app"));
    }

    TEST_CASE("a check is about what lies where it ran") {
        CHECK(is_about("", "src/a.ts", true));
        CHECK_FALSE(is_about("", "/srv/other/a.ts", true));
        CHECK(is_about("/srv/other", "/srv/other/src/a.ts", true));
        CHECK(is_about("/srv/other/build/release/", "/srv/other/src/a.ts", true));
        CHECK_FALSE(is_about("/srv/other", "/srv/others/a.ts", true));
        CHECK_FALSE(is_about("/srv/other", "src/a.ts", true));
    }

    TEST_CASE("a command that reads a file has shown it when it printed something of it") {
        CHECK(shows_file("int main() {}", "src/main.cpp"));
        CHECK_FALSE(shows_file(" \n", "src/main.cpp"));
        CHECK_FALSE(shows_file("(no output)", "src/main.cpp"));
        CHECK_FALSE(shows_file("cat: src/main.cpp: No such file or directory", "src/main.cpp"));
        CHECK(shows_file("cat: src/old.cpp: No such file or directory\nint main() {}", "src/main.cpp"));
    }

    TEST_CASE("a whole path is written as that of the session's directory is") {
        CHECK(is_exact("/srv/app/a.ts", "/srv/app"));
        CHECK(is_exact("/srv/app/a.ts", ""));
        CHECK_FALSE(is_exact("/d/app/a.ts", "D:\\app"));
        CHECK_FALSE(is_exact("~/app/a.ts", "/home/me"));
        CHECK(is_exact("~/other/a.ts", "~/app"));
        CHECK_FALSE(is_exact("~/app/a.ts", ""));
        CHECK_FALSE(is_exact("a.ts", "/srv/app"));
    }
}
