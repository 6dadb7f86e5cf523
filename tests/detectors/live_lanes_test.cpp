#include "support/session.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using agent_audit::test::Session;

namespace {

/// In each of the lanes 1 to `lanes` the same call fails, all of them at the same time; `between` happens while they
/// wait.
template <class Between>
void fail_together(Session& s, std::uint32_t lanes, Between between) {
    s.respond();
    for (std::uint32_t lane = 1; lane <= lanes; ++lane) s.in_lane(lane).open("Bash", "make");
    between();
    for (std::uint32_t lane = 1; lane <= lanes; ++lane)
        s.in_lane(lane).answer("no rule to make target", ResultStatus::error);
}

}  // namespace

TEST_SUITE("lanes at the same time") {
    TEST_CASE("sixty sub-agents at once are each watched, and all their failures count") {
        Session s("loop/exact-repeat");
        for (int round = 0; round < 3; ++round) fail_together(s, 60, [] {});
        CHECK(s.end().size() == 60);
        CHECK(s.counts().errors == 180);
        CHECK(s.counts().paired == 180);
        CHECK(s.counts().unanswered == 0);
    }

    TEST_CASE("those that wait for a result stay when others come and go") {
        Session s("loop/exact-repeat");
        std::uint32_t passing = 1000;
        for (int round = 0; round < 3; ++round) {
            fail_together(s, 40, [&] {
                for (int i = 0; i < 100; ++i) {
                    s.in_lane(++passing).emit(Message{Role::user, Origin::agent, {"look", TextForm::plain}, 0});
                }
            });
        }
        CHECK(s.end().size() == 40);
    }

    TEST_CASE("beyond eight, a lane that fell silent for long is over; the main one and one that waits are not") {
        const auto found_in = [](std::uint32_t lane, std::uint32_t others, int talk, bool waiting) {
            Session s("loop/exact-repeat");
            const auto ask = [&] { s.in_lane(lane).respond().open("Bash", "make"); };
            const auto fail = [&] { s.answer("no rule to make target", ResultStatus::error); };
            ask();
            fail();
            ask();
            if (!waiting) fail();
            for (int i = 0; i < talk; ++i) {
                s.in_lane(100 + static_cast<std::uint32_t>(i) % others);
                s.emit(Message{Role::user, Origin::agent, {"look", TextForm::plain}, 0});
            }
            s.in_lane(100 + others).emit(Message{Role::user, Origin::agent, {"look", TextForm::plain}, 0});
            s.in_lane(lane);
            if (waiting) fail();
            ask();
            fail();
            const auto found = s.end();
            CHECK(s.counts().errors == 3);
            return found.size();
        };
        CHECK(found_in(1, 20, 1'000, false) == 1);
        CHECK(found_in(1, 5, 3'000, false) == 1);
        CHECK(found_in(1, 20, 3'000, false) == 0);
        CHECK(found_in(1, 20, 3'000, true) == 1);
        CHECK(found_in(0, 20, 3'000, false) == 1);
    }

    TEST_CASE("a failure heard of after the model went on counts, once") {
        Session s;
        s.respond().open("Bash", "make").human("never mind");
        s.answer_id("call-1", "no rule to make target", ResultStatus::error);
        s.answer_id("call-1", "no rule to make target", ResultStatus::error);
        s.end();
        CHECK(s.counts().errors == 1);
        CHECK(s.counts().unanswered == 0);
    }
}
