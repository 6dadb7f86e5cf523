#include "support/session.hpp"

using agent_audit::test::Session;

namespace {

void look(Session& s, const char* text = "return 4") { s.call("read_file", "grind.py", text); }
void attempt(Session& s, int number) {
    s.fails("edit_file", "patch " + std::to_string(number), "patch " + std::to_string(number) + " rejected");
}

}  // namespace

TEST_SUITE("loop/failed-retry") {
    TEST_CASE("three equal looks with failed attempts between are a warning from the first look to the last") {
        Session s("loop/failed-retry");
        s.call("list_dir", ".", "grind.py");
        for (int i = 0; i < 2; ++i) {
            look(s);
            attempt(s, i);
        }
        look(s);
        attempt(s, 7);
        s.says("I give up.");
        const auto found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].repeats == 3);
        CHECK(found[0].first_line == 3);
        CHECK(found[0].last_line == 12);
    }

    TEST_CASE("two looks are how it should be") {
        Session s("loop/failed-retry");
        look(s);
        attempt(s, 1);
        look(s);
        attempt(s, 2);
        CHECK(s.end().empty());
    }

    TEST_CASE("an attempt that worked makes the next look a new one") {
        Session s("loop/failed-retry");
        for (int i = 0; i < 4; ++i) {
            look(s);
            if (i % 2 == 0)
                attempt(s, i);
            else
                s.call("edit_file", "patch " + std::to_string(i), "done");
        }
        CHECK(s.end().empty());
    }

    TEST_CASE("a look whose answer changed learnt something") {
        Session s("loop/failed-retry");
        for (int i = 0; i < 4; ++i) {
            look(s, i % 2 == 0 ? "return 4" : "return 3");
            attempt(s, i);
        }
        CHECK(s.end().empty());
    }

    TEST_CASE("a failing test is a check, not an attempt") {
        Session s("loop/failed-retry");
        for (int i = 0; i < 5; ++i) {
            look(s);
            s.fails("run_tests", "all " + std::to_string(i), "1 failing");
        }
        CHECK(s.end().empty());
    }

    TEST_CASE("looks with nothing between them are not its business") {
        Session s("loop/failed-retry");
        for (int i = 0; i < 6; ++i) look(s);
        CHECK(s.end().empty());
    }
}
