#include "support/session.hpp"

#include <doctest/doctest.h>

using agent_audit::ResultStatus;
using agent_audit::Severity;
using agent_audit::test::Session;

namespace {

constexpr const char* kChurn = "loop/edit-region-churn";

std::string edit_args(std::string_view path, std::string_view old_text, std::string_view new_text) {
    return R"({"file_path":")" + std::string(path) + R"(","old_string":")" + std::string(old_text) +
           R"(","new_string":")" + std::string(new_text) + "\"}";
}
void change(Session& s, std::string_view old_text, std::string_view new_text, std::string_view path = "a.py") {
    s.call_json("Edit", path, edit_args(path, old_text, new_text), "updated");
}
std::string value(int i) { return "stones = " + std::to_string(i); }
void edit_at(Session& s, int line, int i) {
    const std::string a = "row " + std::to_string(i), b = "new row " + std::to_string(i);
    s.call_json("Edit", "a.py",
                R"({"path":"a.py","line":)" + std::to_string(line) + R"(,"old_string":")" + a + R"(","new_string":")" +
                    b + "\"}",
                "updated");
}
void red(Session& s, std::string_view what = "1 failing") { s.fails("Bash", "npm test", what); }
// Each edit changes what the one before wrote; the check fails alike.
void churn(Session& s, int rounds) {
    for (int i = 0; i < rounds; ++i) {
        change(s, value(i), value(i + 1));
        red(s);
    }
}

}  // namespace

TEST_SUITE("loop/edit-region-churn") {
    TEST_CASE("two rounds are silent, three a warning, six an error") {
        for (const auto& [rounds, findings, severity] :
             {std::tuple{2, 0u, Severity::info}, {3, 1u, Severity::warning}, {6, 1u, Severity::error}}) {
            Session s(kChurn);
            churn(s, rounds);
            const auto& found = s.end();
            REQUIRE(found.size() == findings);
            if (findings == 0) continue;
            CHECK(found[0].severity == severity);
            CHECK(found[0].first_line == 1);
            CHECK(found[0].last_line == s.line());
            CHECK(found[0].period == 2);
            CHECK(found[0].round.size() == 2);
            CHECK(found[0].wasted_steps == 2u * static_cast<unsigned>(rounds) - 2u);
        }
    }

    TEST_CASE("a check whose failure changes by a number is news") {
        Session s(kChurn);
        for (int i = 0; i < 8; ++i) {
            change(s, value(i), value(i + 1));
            red(s, std::to_string(9 - i) + " failing");
        }
        CHECK(s.end().empty());
    }

    TEST_CASE("a check that passes ends it") {
        Session s(kChurn);
        churn(s, 2);
        change(s, value(2), value(3));
        s.call("Bash", "npm test", "ok");
        change(s, value(3), value(4));
        red(s);
        CHECK(s.end().empty());
    }

    TEST_CASE("a second check that always passes does not hide the first that always fails") {
        Session s(kChurn);
        for (int i = 0; i < 3; ++i) {
            change(s, value(i), value(i + 1));
            s.call("Bash", "tsc --noEmit", "");
            red(s);
        }
        CHECK(s.end().size() == 1);
    }

    TEST_CASE("lines five apart are one place, lines far apart are not") {
        Session near(kChurn);
        for (int i = 0; i < 4; ++i) {
            edit_at(near, 40 + 5 * (i % 2), i);
            red(near);
        }
        CHECK(near.end().size() == 1);
        Session far(kChurn);
        for (int i = 0; i < 4; ++i) {
            edit_at(far, 40 + 20 * i, i);
            red(far);
        }
        CHECK(far.end().empty());
    }

    TEST_CASE("edits below the same unchanged line are at the same place") {
        Session s(kChurn);
        for (int i = 0; i < 4; ++i) {
            change(s, "def grind():\\n    pass " + std::to_string(i), "def grind():\\n    flour " + std::to_string(i));
            red(s);
        }
        CHECK(s.end().size() == 1);
    }

    TEST_CASE("edits of different functions are different places although the check keeps failing") {
        Session s(kChurn);
        for (int i = 0; i < 15; ++i) {
            const std::string head = "def part_" + std::string(1, static_cast<char>('a' + i)) + "():";
            change(s, head, head + "\\n    'what it does'");
            red(s);
        }
        CHECK(s.end().empty());
    }

    TEST_CASE("larger edits are attempts of another kind") {
        Session s(kChurn);
        for (int i = 0; i < 6; ++i) {
            change(s, value(i), value(i + 1) + "\\none\\ntwo\\nthree " + std::to_string(i));
            red(s);
        }
        CHECK(s.end().empty());
    }

    TEST_CASE("a larger edit between the small ones is not counted and hides nothing") {
        Session s(kChurn);
        churn(s, 2);
        change(s, value(2), value(3) + "\\none\\ntwo\\nthree");
        red(s);
        CHECK(s.end().empty());
        Session t(kChurn);
        churn(t, 2);
        change(t, value(2), value(2) + "\\none\\ntwo\\nthree\\nfour");
        red(t);
        change(t, "one\\ntwo\\nthree\\nfour", "stones");
        red(t);
        change(t, "stones", "bones");
        red(t);
        CHECK(t.end().size() == 1);
    }

    TEST_CASE("many small edits without a check are writing, the same lines rewritten six times are not") {
        Session writing(kChurn);
        for (int i = 0; i < 12; ++i) edit_at(writing, 40 + i % 3, i);
        CHECK(writing.end().empty());
        for (const auto& [edits, findings] : {std::pair{6, 0u}, {7, 1u}}) {
            Session s(kChurn);
            for (int i = 0; i < edits; ++i) change(s, value(i), value(i + 1));
            CHECK(s.end().size() == findings);
        }
    }

    TEST_CASE("lines that are tuned and measured are not rewritten without a check") {
        const auto tuned = [](auto&& look) {
            Session s(kChurn);
            for (int i = 0; i < 10; ++i) {
                change(s, value(i), value(i + 1));
                look(s, i);
            }
            return s.end().size();
        };
        CHECK(tuned([](Session& s, int i) {
                  s.call("Bash", "make bench", "throughput " + std::to_string(300 + 7 * i) + " MB/s");
              }) == 0);
        CHECK(tuned([](Session& s, int i) {
                  s.call("Bash", "node shot.js && echo saved", "pixels apart: " + std::to_string(4000 - 9 * i));
              }) == 0);
        CHECK(tuned([](Session& s, int i) { s.call("Bash", "pytest -q", std::to_string(10 + i) + " passed"); }) == 0);
        CHECK(tuned([](Session& s, int) { s.call("Bash", "pytest -q", "10 passed"); }) == 0);
        CHECK(tuned([](Session& s, int i) {
                  s.call("evaluate_page", "width", "width is " + std::to_string(640 + i));
              }) == 0);
        CHECK(tuned([](Session& s, int i) { s.call("Read", "a.py", value(i + 1)); }) == 1);
        CHECK(tuned([](Session& s, int) { s.call("Bash", "touch a.stamp", ""); }) == 1);
    }

    TEST_CASE("a command that says the same after each rewriting is named as what it is") {
        Session s(kChurn);
        for (int i = 0; i < 8; ++i) {
            change(s, value(i), value(i + 1));
            s.call("Bash", "./mill", "flour 7");
        }
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == Severity::warning);
        CHECK(found[0].message.find("said the same") != std::string::npos);
        CHECK(found[0].message.find("without a check") == std::string::npos);
    }

    TEST_CASE("what a server says that is started anew after each rewriting is what was looked for") {
        const auto found = [](bool moves) {
            Session s(kChurn);
            for (int i = 0; i < 8; ++i) {
                change(s, value(i), value(i + 1));
                s.call("Bash", "npm start &", "listening on port 3000");
                s.call("Bash", "sleep 3; curl -s localhost:3000/state", "stones: " + std::to_string(moves ? i : 4));
            }
            return s.end().size();
        };
        CHECK(found(true) == 0);
        CHECK(found(false) == 1);
    }

    TEST_CASE("a status line rewritten after each piece of work is a status line") {
        Session s(kChurn);
        for (int i = 0; i < 10; ++i) {
            change(s, value(i), value(i + 1), "notes.md");
            change(s, "old", "new", "part" + std::to_string(i));
        }
        CHECK(s.end().empty());
    }

    TEST_CASE("several edits before one check are one round") {
        Session s(kChurn);
        for (int i = 0; i < 6; i += 3) {
            for (int j = 0; j < 3; ++j) change(s, value(i + j), value(i + j + 1));
            red(s);
        }
        CHECK(s.end().empty());
    }

    TEST_CASE("a check repeated without an edit is no round") {
        Session s(kChurn);
        change(s, value(0), value(1));
        for (int i = 0; i < 6; ++i) red(s);
        CHECK(s.end().empty());
    }

    TEST_CASE("an unknown command that fails alike is a check, one that succeeds is not") {
        Session s(kChurn);
        for (int i = 0; i < 3; ++i) {
            change(s, value(i), value(i + 1));
            s.call("Bash", "git push", "ok " + std::to_string(i));
            s.fails("Bash", "python reproduce.py", "Traceback: boom");
        }
        CHECK(s.end().size() == 1);
    }

    TEST_CASE("failed edits change nothing, and writing the whole file starts afresh") {
        Session s(kChurn);
        for (int i = 0; i < 6; ++i) {
            s.call_json("Edit", "a.py", edit_args("a.py", value(i), value(i + 1)), "no match", ResultStatus::error);
            red(s);
        }
        CHECK(s.end().empty());
        Session t(kChurn);
        churn(t, 2);
        t.call_json("Write", "a.py", R"({"path":"a.py","content":"stones = 2"})", "written");
        change(t, value(2), value(3));
        red(t);
        CHECK(t.end().empty());
    }

    TEST_CASE("within a time window only what lies in it counts") {
        for (const auto& [within, findings] : {std::pair{"100", 0u}, {"250", 1u}}) {
            Session s(kChurn, {{"within", within}});
            for (int i = 0; i < 3; ++i) {
                s.at(1000 + 100 * i);
                change(s, value(i), value(i + 1));
                red(s);
            }
            CHECK(s.end().size() == findings);
        }
    }
}
