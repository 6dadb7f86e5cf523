#include "support/session.hpp"

#include <doctest/doctest.h>

using agent_audit::Severity;
using agent_audit::test::Session;

namespace {

constexpr const char* kRule = "loop/file-sweep";

void read(Session& s, int offset, int limit = 100, std::string_view path = "mill.log") {
    s.call_json("Read", path,
                R"({"file_path":")" + std::string(path) + R"(","offset":)" + std::to_string(offset) + R"(,"limit":)" +
                    std::to_string(limit) + "}",
                "lines from " + std::to_string(offset));
}
void page(Session& s, int from, int windows) {
    for (int i = 0; i < windows; ++i) read(s, from + 100 * i);
}

}  // namespace

TEST_SUITE("loop/file-sweep") {
    TEST_CASE("a file paged once is silent, half of it again a warning, all of it again an error") {
        for (const auto& [again, findings, severity] :
             {std::tuple{12, 0u, Severity::info}, {13, 1u, Severity::warning}, {23, 1u, Severity::error}}) {
            Session s(kRule);
            page(s, 1, 25);
            page(s, 31, again);
            const auto& found = s.end();
            REQUIRE(found.size() == findings);
            if (findings == 0) continue;
            CHECK(found[0].severity == severity);
            CHECK(found[0].first_line == 1);
            CHECK(found[0].last_line == s.line());
            CHECK(found[0].reset_line == 50);
        }
    }

    TEST_CASE("nineteen reads are too few to say anything of lines that were shown twice") {
        for (const auto& [reads, findings] : {std::pair{19, 0u}, {20, 1u}}) {
            Session s(kRule);
            for (int i = 0; i < reads; ++i) read(s, 1 + 100 * (i % 10));
            CHECK(s.end().size() == findings);
        }
    }

    TEST_CASE("of lines that were shown several times over eight reads are enough for a warning, and for no more") {
        const auto severity = [](int reads, int shift) {
            Session s(kRule);
            for (int i = 0; i < reads; ++i) read(s, 1 + shift * i);
            const auto& found = s.end();
            return found.empty() ? Severity::info : found[0].severity;
        };
        CHECK(severity(7, 10) == Severity::info);
        CHECK(severity(8, 10) == Severity::warning);
        CHECK(severity(19, 10) == Severity::warning);
        CHECK(severity(20, 10) == Severity::error);
        CHECK(severity(10, 40) == Severity::info);
    }

    TEST_CASE("windows that overlap a little are paging") {
        Session s(kRule);
        for (int i = 0; i < 40; ++i) read(s, 1 + 80 * i);
        CHECK(s.end().empty());
    }

    TEST_CASE("reading again after a change is reading something new") {
        Session s(kRule);
        for (int i = 0; i < 40; ++i) {
            read(s, 1 + i);
            if (i % 7 == 6) s.call("Edit", "change " + std::to_string(i), "ok");
        }
        CHECK(s.end().empty());
    }

    TEST_CASE("a window that is answered differently shows that the file changes by itself") {
        Session s(kRule);
        for (int i = 0; i < 40; ++i)
            s.call_json("Read", "mill.log", R"({"path":"mill.log","offset":1,"limit":50})",
                        "line " + std::to_string(i));
        CHECK(s.end().empty());
    }

    TEST_CASE("whole-file reads and reads from the end are none of its business") {
        Session s(kRule);
        for (int i = 0; i < 30; ++i) {
            s.call_json("Read", "mill.log", R"({"path":"mill.log"})", "text");
            s.call("Bash", "tail -n 50 mill.log", "text");
        }
        CHECK(s.end().empty());
    }

    TEST_CASE("windows shown by the shell count, and so do other tools in between") {
        Session s(kRule);
        for (int i = 0; i < 24; ++i) {
            const int first = 1 + 50 * (i % 8) + i / 8;
            s.call("Bash", "sed -n '" + std::to_string(first) + "," + std::to_string(first + 49) + "p' mill.log",
                   "text " + std::to_string(i));
            s.call("Grep", "word " + std::to_string(i), "none");
        }
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK_FALSE(found[0].contiguous);
    }

    TEST_CASE("one window that is read over and over is no paging") {
        for (const int others : {0, 5, 10}) {
            CAPTURE(others);
            Session s(kRule);
            for (int i = 0; i < 24; ++i) {
                read(s, 1, 200, "plan.md");
                s.call("Bash", "sh grind.sh " + std::to_string(i), "ground " + std::to_string(i));
            }
            for (int i = 0; i < others; ++i) read(s, 1 + i, 100, "plan.md");
            CHECK(s.end().size() == (others == 10 ? 1 : 0));
        }
    }

    TEST_CASE("two files read in turn are two files") {
        Session s(kRule);
        for (int i = 0; i < 7; ++i) {
            read(s, 1 + i, 100, "one");
            read(s, 1 + i, 100, "two");
        }
        CHECK(s.end().empty());
    }

    TEST_CASE("windows at hostile line numbers neither overflow nor pile up") {
        Session s(kRule);
        for (int i = 0; i < 3000; ++i) read(s, 1 + 7 * i * 31 % 99'000'000, 1);
        read(s, 100'000'000, 100'000'000);
        CHECK(s.end().empty());
    }

    TEST_CASE("within a time window only what lies in it counts") {
        for (const auto& [within, findings] : {std::pair{"60", 0u}, {"1000", 1u}}) {
            Session s(kRule, {{"within", within}});
            for (int i = 0; i < 24; ++i) {
                s.at(1000 + 10 * i);
                read(s, 1 + i);
            }
            CHECK(s.end().size() == findings);
        }
    }
}
