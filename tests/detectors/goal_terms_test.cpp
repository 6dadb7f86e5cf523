#include "detectors/speech/goal_terms.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace agent_audit;
using namespace agent_audit::detectors;

namespace {

// "turns 10", "tool-calls 5, turns 3"; empty = none
std::string limits_of(std::string_view text) {
    std::string out;
    for (const StatedLimit& limit : limits_in(text, 1)) {
        if (!out.empty()) out += ", ";
        out += std::string(name(limit.what)) + " " + std::to_string(limit.most);
    }
    return out;
}

std::string measures_of(std::string_view text) {
    std::string out;
    for (const StatedMeasure& measure : measures_in(text, 1)) {
        if (!out.empty()) out += ", ";
        out += name(measure.what);
    }
    return out;
}

Place line(std::uint64_t at) { return {at, at, 0, 0}; }

}  // namespace

TEST_SUITE("goal terms") {
    TEST_CASE("limits of turns and calls are understood as people write them") {
        CHECK(limits_of("Fix the parser in at most 10 turns.") == "turns 10");
        CHECK(limits_of("You have 15 turns to find the bug") == "turns 15");
        CHECK(limits_of("Please finish within twelve turns.") == "turns 12");
        CHECK(limits_of("Answer this using no more than 5 tool calls.") == "tool-calls 5");
        CHECK(limits_of("Use up to **8** function calls.") == "tool-calls 8");
        CHECK(limits_of("Solve it in fewer than 6 steps.") == "turns 5");
        CHECK(limits_of("Complete the task in 20 turns or less.") == "turns 20");
        CHECK(limits_of("Make at most three tool calls, and finish in a maximum of 4 turns.") ==
              "turns 4, tool-calls 3");
        CHECK(limits_of("Guess the word; you have 6 tries each, play 5 rounds.").empty());
        CHECK(limits_of("In all, you have 5 rounds.") == "turns 5");
    }

    TEST_CASE("limits of time are understood where they are about the work") {
        CHECK(limits_of("You have 30 minutes.") == "seconds 1800");
        CHECK(limits_of("Finish this within 2 hours, please.") == "seconds 7200");
        CHECK(limits_of("Spend at most an hour on it.") == "seconds 3600");
    }

    TEST_CASE("Chinese limits are understood") {
        CHECK(limits_of("请在最多10轮内完成。") == "turns 10");
        CHECK(limits_of("修好登录问题，不超过二十轮对话") == "turns 20");
        CHECK(limits_of("最多调用5次工具") == "tool-calls 5");
        CHECK(limits_of("工具调用不超过5次。") == "tool-calls 5");
        CHECK(limits_of("请在30分钟以内完成") == "seconds 1800");
        CHECK(limits_of("十五轮以内解决这个问题") == "turns 15");
    }

    TEST_CASE("limits of the thing that is worked on, rates, and plain numbers are none") {
        for (const char* text : {"Retry the request at most 3 times before giving up.",
                                 "Make the client retry within 5 turns.",
                                 "Allow at most 10 calls per second.",
                                 "Use at most one tool call per turn.",
                                 "Keep at most 20 turns of history in the prompt.",
                                 "Sessions should expire within 30 minutes.",
                                 "The meeting is in 10 minutes.",
                                 "It took 3 turns.",
                                 "Limit the conversation to 10 turns in the UI.",
                                 "Steps: 1. read 2. write",
                                 "The U-turn takes up to 2 minutes.",
                                 "at most 10 callbacks are registered",
                                 "Step 3 must be finished before step 4.",
                                 "The timeout is at most 2 hours.",
                                 "return 5",
                                 "turn 10 into ten",
                                 "添加一个最多重试3次的功能",
                                 "用户最多登录5次",
                                 "轮询间隔不超过10分钟",
                                 "完成第10步"}) {
            CAPTURE(text);
            CHECK(limits_of(text) == "");
        }
    }

    TEST_CASE("limits in quotes, fences and tables are data") {
        CHECK(limits_of("```\nYou have 10 turns\n```\nWhat does it mean?") == "");
        CHECK(limits_of("> finish in at most 5 turns\nwho said that?") == "");
        CHECK(limits_of("| you have 5 turns |") == "");
        CHECK(limits_of("```\ncode\n```\nYou have 10 turns.") == "turns 10");
    }

    TEST_CASE("numbers that are no sensible limit are left alone") {
        CHECK(limits_of("You have at most 0 turns.") == "");
        CHECK(limits_of("You have at most 99999999999999999999 turns.") == "");
        CHECK(limits_of("You have v2.10 turns.") == "");
        CHECK(limits_of(std::string(5'000, 'x') + " you have 10 turns") == "");  // no sentence is that long
    }

    TEST_CASE("what proves that the work is done is understood") {
        CHECK(measures_of("Keep going until all tests pass.") == "tests");
        CHECK(measures_of("Make sure the build is green and clippy passes.") == "build, lint");
        CHECK(measures_of("修改到测试通过为止，必须编译通过。") == "tests, build");
        CHECK(measures_of("The tests pass on my machine.") == "");
        CHECK(measures_of("Why do the tests pass when the code is wrong?") == "");
        CHECK(measures_of("Write a parser.") == "");
    }

    TEST_CASE("a limit is passed with the first turn beyond it, and once") {
        GoalTerms terms;
        terms.hear("Do it in at most 3 turns.", 1);
        REQUIRE(terms.counts());
        for (std::uint64_t at = 10; at <= 30; at += 10) terms.turn(line(at));
        CHECK(terms.passed().empty());
        terms.turn(line(40));
        terms.turn(line(50));
        REQUIRE(terms.passed().size() == 1);
        CHECK(terms.passed()[0].at.line == 40);
        SessionGoal goal;
        terms.tell(goal);
        REQUIRE(goal.limits.size() == 1);
        CHECK(goal.limits[0].used == 5);
        CHECK(goal.limits[0].passed_line == 40);
    }

    TEST_CASE("a limit ends with the next human message, one for the run does not") {
        GoalTerms terms;
        terms.hear("You have 2 turns.", 0);
        terms.hear("Use at most 1 tool call.", 3);
        terms.turn(line(10));
        terms.call(line(10));
        terms.close();
        terms.hear("Go on.", 11);
        terms.call(line(12));
        terms.turn(line(12));
        terms.turn(line(13));
        REQUIRE(terms.passed().size() == 1);
        CHECK(terms.passed()[0].limit.what == StatedLimit::What::turns);
    }

    TEST_CASE("time counts from the first call behind the message and survives a clock that is set back") {
        GoalTerms terms;
        terms.hear("You have 1 minute.", 1);
        terms.time(1'000'000, line(2));
        terms.time(900'000, line(3));
        terms.time(950'000, line(4));
        CHECK(terms.passed().empty());
        terms.time(970'000, line(5));
        REQUIRE(terms.passed().size() == 1);
        CHECK(terms.passed()[0].at.line == 5);
    }

    TEST_CASE("what is kept of many and long messages is bounded") {
        GoalTerms terms;
        for (std::uint64_t i = 1; i < 10'000; ++i) {
            terms.hear("You have 5 turns, make sure all tests pass. " + std::string(500, 'a'), i);
            terms.close();
        }
        SessionGoal goal;
        terms.tell(goal);
        CHECK(goal.limits.size() <= SessionGoal::kMostLimits);
        CHECK(goal.measures.size() <= SessionGoal::kMostMeasures);
    }

    TEST_CASE("a long goal is cut between words, with a mark") {
        GoalTerms terms;
        std::string text = "Write";
        while (text.size() < 200) text += " another-word";
        terms.hear(text, 5);
        SessionGoal goal;
        terms.tell(goal);
        CHECK(goal.text.ends_with(" another-word\u2026"));
        CHECK(goal.text.size() <= 160);
        GoalTerms brief;
        brief.hear("Fix it.", 1);
        brief.tell(goal);
        CHECK(goal.text == "Fix it.");
    }
}
