#include "support/session.hpp"

#include <doctest/doctest.h>

using agent_audit::Severity;
using agent_audit::test::Session;

namespace {

constexpr const char* kRule = "loop/edit-oscillation";

std::string args(std::string_view path, std::string_view old_text, std::string_view new_text) {
    return R"({"file_path":")" + std::string(path) + R"(","old_string":")" + std::string(old_text) +
           R"(","new_string":")" + std::string(new_text) + "\"}";
}
void edit(Session& s, std::string_view old_text, std::string_view new_text, std::string_view path = "a.py") {
    s.call_json("Edit", path, args(path, old_text, new_text), "updated");
}
void write(Session& s, std::string_view text, std::string_view path = "a.py") {
    s.call_json("Write", path, R"({"file_path":")" + std::string(path) + R"(","content":")" + std::string(text) + "\"}",
                "written");
}
// x to y, y to x, …: the first `edits` of them.
void swing(Session& s, int edits) {
    for (int i = 0; i < edits; ++i) edit(s, i % 2 == 0 ? "x" : "y", i % 2 == 0 ? "y" : "x");
}

}  // namespace

TEST_SUITE("loop/edit-oscillation") {
    TEST_CASE("undone once is silent, done again is a warning, undone again an error") {
        for (const auto& [edits, findings, severity] :
             {std::tuple{2, 0u, Severity::info}, {3, 1u, Severity::warning}, {4, 1u, Severity::error}}) {
            Session s(kRule);
            swing(s, edits);
            const auto& found = s.end();
            REQUIRE(found.size() == findings);
            if (findings > 0) CHECK(found[0].severity == severity);
        }
    }

    TEST_CASE("the span reaches from the first edit to the last, failing checks in between belong to it") {
        Session s(kRule);
        s.call("Read", "b.py", "text");
        for (int i = 0; i < 4; ++i) {
            edit(s, i % 2 == 0 ? "x" : "y", i % 2 == 0 ? "y" : "x");
            s.fails("Bash", "npm test", i % 2 == 0 ? "1 failing" : "2 failing");
        }
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].first_line == 3);
        CHECK(found[0].last_line == 16);
        CHECK(found[0].contiguous);
        CHECK(found[0].repeats == 3);
        CHECK(found[0].reset_line == 6);
    }

    TEST_CASE("a pass in between shows that the agent learns something") {
        Session s(kRule);
        for (int i = 0; i < 6; ++i) {
            edit(s, i % 2 == 0 ? "x" : "y", i % 2 == 0 ? "y" : "x");
            if (i % 2 == 0)
                s.call("Bash", "npm test", "ok");
            else
                s.fails("Bash", "npm test", "1 failing");
        }
        CHECK(s.end().empty());
    }

    TEST_CASE("a benchmark between the two texts compares them") {
        Session s(kRule);
        for (int i = 0; i < 6; ++i) {
            edit(s, i % 2 == 0 ? "x" : "y", i % 2 == 0 ? "y" : "x");
            s.call("Bash", "python bench.py", "mean 1." + std::to_string(i) + " s");
        }
        CHECK(s.end().empty());
    }

    TEST_CASE("a setting that a person wants measured both ways is toggled, as long as nothing fails") {
        const auto severity = [](std::string_view wish, bool fails) {
            Session s(kRule);
            s.human(wish);
            for (int i = 0; i < 6; ++i) {
                edit(s, i % 2 == 0 ? "x" : "y", i % 2 == 0 ? "y" : "x");
                s.call("Bash", "./run_load.sh", "p50 4" + std::to_string(i) + " ms",
                       fails ? agent_audit::ResultStatus::error : agent_audit::ResultStatus::ok);
            }
            const auto& found = s.end();
            REQUIRE(found.size() == 1);
            return found[0].severity;
        };
        constexpr std::string_view kWish = "Toggle prefetch on and off a few times and measure with ./run_load.sh.";
        CHECK(severity(kWish, false) == Severity::info);
        CHECK(severity(kWish, true) == Severity::error);
        CHECK(severity("Make ./run_load.sh fast.", false) == Severity::error);
    }

    TEST_CASE("different attempts that are each taken back are attempts") {
        Session s(kRule);
        for (const char* other : {"y", "z", "u", "v"}) {
            edit(s, "x", other);
            edit(s, other, "x");
        }
        CHECK(s.end().empty());
    }

    TEST_CASE("three texts in turn oscillate as two do") {
        Session s(kRule);
        for (int i = 0; i < 2; ++i) {
            edit(s, "x", "y");
            edit(s, "y", "z");
            edit(s, "z", "x");
        }
        CHECK(s.end().size() == 1);
    }

    TEST_CASE("the same change in other files is work") {
        Session s(kRule);
        for (int i = 0; i < 12; ++i)
            edit(s, i % 2 == 0 ? "x" : "y", i % 2 == 0 ? "y" : "x", "file" + std::to_string(i / 1));
        CHECK(s.end().empty());
    }

    TEST_CASE("the inverse quoted with other lines around it is still the inverse") {
        Session s(kRule);
        for (int i = 0; i < 2; ++i) {
            edit(s, R"(def grind():\n    x = 1)", R"(def grind():\n    x = 2)");
            edit(s, R"(def grind():\n    x = 2\n    return flour)", R"(def grind():\n    x = 1\n    return flour)");
        }
        CHECK(s.end().size() == 1);
    }

    TEST_CASE("equal lines at other places are other places") {
        Session s(kRule);
        edit(s, R"(first function\n    on = 1)", R"(first function\n    on = 2)");
        edit(s, R"(second function\n    on = 2)", R"(second function\n    on = 1)");
        edit(s, R"(third function\n    on = 1)", R"(third function\n    on = 2)");
        edit(s, R"(fourth function\n    on = 2)", R"(fourth function\n    on = 1)");
        CHECK(s.end().empty());
    }

    TEST_CASE("a content written back is an oscillation, written twice in a row it is not") {
        Session s(kRule);
        for (int i = 0; i < 5; ++i) write(s, i % 2 == 0 ? "one" : "two");
        CHECK(s.end().size() == 1);
        Session t(kRule);
        for (int i = 0; i < 6; ++i) write(t, "one");
        CHECK(t.end().empty());
    }

    TEST_CASE("a file rewritten after the same edit again and again oscillates between two contents") {
        Session s(kRule);
        for (int i = 0; i < 3; ++i) {
            write(s, "one");
            edit(s, "one", "one and a half");
        }
        CHECK(s.end().size() == 1);
    }

    TEST_CASE("failed edits change nothing") {
        Session s(kRule);
        for (int i = 0; i < 6; ++i) {
            const bool even = i % 2 == 0;
            s.call_json("Edit", "a.py", args("a.py", even ? "x" : "y", even ? "y" : "x"), "not found",
                        agent_audit::ResultStatus::error);
        }
        CHECK(s.end().empty());
    }

    TEST_CASE("a human message starts afresh") {
        Session s(kRule);
        for (int i = 0; i < 8; ++i) {
            edit(s, i % 2 == 0 ? "x" : "y", i % 2 == 0 ? "y" : "x");
            if (i % 2 == 1) s.human("No, change it back.");
        }
        CHECK(s.end().empty());
    }

    TEST_CASE("within a time window only what lies in it counts") {
        const auto run = [](const char* within) {
            Session s(kRule, {{"within", within}});
            for (int i = 0; i < 4; ++i) {
                s.at(1000 + 100 * i);
                edit(s, i % 2 == 0 ? "x" : "y", i % 2 == 0 ? "y" : "x");
            }
            return s.end().size();
        };
        CHECK(run("50") == 0);
        CHECK(run("150") == 1);
        CHECK(run("0") == 1);
    }

    TEST_CASE("a thousand files do not make it forget the one that oscillates now") {
        Session s(kRule);
        for (int i = 0; i < 1000; ++i) edit(s, "old", "new", "file" + std::to_string(i));
        swing(s, 4);
        CHECK(s.end().size() == 1);
    }
}
