#include "support/places.hpp"

#include <agent_audit/pipeline/audit.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace agent_audit;

namespace {

SessionReport session_of(const std::string& name, const std::string& goal = {}) {
    AuditPlan plan;
    plan.inputs = {test::project_folder() + "/testdata/drift/" + name + ".jsonl"};
    if (!goal.empty()) plan.settings.set("goal.text", {goal, "test"});
    const auto report = audit(plan);
    REQUIRE(report.has_value());
    REQUIRE(report->sessions.size() == 1);
    return report->sessions[0];
}

}  // namespace

TEST_SUITE("goal of a session") {
    TEST_CASE("the report holds what the first human message asks for, and what later ones added") {
        const SessionGoal goal = session_of("drift-third-request-misread").goal;
        CHECK(goal.text == "Sort the harbour list by name.");
        CHECK(goal.line == 1);
        CHECK(goal.messages == 4);
        CHECK(goal.latest.starts_with("That's not what I meant"));
        CHECK(goal.latest_line > goal.line);
        CHECK_FALSE(goal.given);
    }

    TEST_CASE("a stated limit is in the report with what was used of it and the line that passed it") {
        const SessionGoal goal = session_of("drift-more-turns-than-allowed").goal;
        REQUIRE(goal.limits.size() == 1);
        CHECK(goal.limits[0].what == StatedLimit::What::turns);
        CHECK(goal.limits[0].most == 6);
        CHECK(goal.limits[0].used == 9);
        CHECK(goal.limits[0].passed_line == 16);
        CHECK(goal.limits[0].sentence == "You have at most 6 turns");
    }

    TEST_CASE("a limit that was lifted by the next message was kept") {
        const SessionGoal goal = session_of("ok-limit-kept-and-then-lifted").goal;
        REQUIRE(goal.limits.size() == 1);
        CHECK(goal.limits[0].used == 4);
        CHECK(goal.limits[0].passed_line == 0);
    }

    TEST_CASE("limits of the product are no limits of the work") {
        CHECK(session_of("ok-limit-of-the-product").goal.limits.empty());
    }

    TEST_CASE("what proves success, and the rules in force, are in the report") {
        const SessionGoal tests = session_of("drift-headless-green-without-a-run").goal;
        REQUIRE(tests.measures.size() == 1);
        CHECK(tests.measures[0].what == StatedMeasure::What::tests);
        const SessionGoal rules = session_of("drift-pi-vendored-code").goal;
        REQUIRE(rules.rules.size() == 1);
        CHECK(rules.rules[0].kind == StatedRule::Kind::forbid_path);
        CHECK(rules.rules[0].target == "vendor/");
        CHECK(session_of("ok-rule-taken-back").goal.rules.empty());
    }

    TEST_CASE("a goal given for the run is named as such, and its limit holds across human messages") {
        const SessionGoal goal = session_of("ok-many-small-requests", "Tidy up in at most 3 turns.").goal;
        CHECK(goal.given);
        CHECK(goal.line == 0);
        REQUIRE(goal.limits.size() == 1);
        CHECK(goal.limits[0].line == 0);
        CHECK(goal.limits[0].passed_line > 0);
    }
}

TEST_SUITE("segments of a session") {
    TEST_CASE("reading, editing and checking in turn are one segment, what comes before it another") {
        const ActivityCourse course = session_of("ok-long-hunt-for-one-bug").activity;
        REQUIRE(course.segments.size() >= 1);
        CHECK(course.segments[0].activity == Activity::explore);
        CHECK(course.segments[0].turns >= 18);
        const ActivityCourse port = session_of("ok-long-and-on-goal").activity;
        CHECK(port.segments.size() <= 2);
    }

    TEST_CASE("the turns of all segments are those of the session") {
        for (const char* name :
             {"ok-long-and-on-goal", "drift-codex-other-topic", "drift-pi-ssh-swallows-it", "ok-chinese-next-wish"}) {
            CAPTURE(name);
            const SessionReport session = session_of(name);
            std::uint64_t turns = 0, last = 0;
            for (const ActivitySegment& segment : session.activity.segments) {
                turns += segment.turns;
                CHECK(segment.first_line >= last);
                CHECK(segment.last_line >= segment.first_line);
                last = segment.last_line;
            }
            CHECK(turns == session.counts.responses);
        }
    }

    TEST_CASE("a push is a segment of its own") {
        const ActivityCourse course = session_of("ok-codex-chinese-asked-to-push").activity;
        bool deployed = false;
        for (const ActivitySegment& segment : course.segments)
            deployed = deployed || segment.activity == Activity::deploy;
        CHECK(deployed);
    }
}
