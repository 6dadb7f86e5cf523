#include "policy/back_off.hpp"
#include "policy/breaker.hpp"
#include "policy/ladder.hpp"
#include "policy/run_clock.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using namespace agent_audit::policy;

namespace {

constexpr BreakerRules kRules{.failures = 3, .open_ms = 1000, .probes = 2, .step_ms = 100};

bool settle(Breaker& breaker, bool failed, std::int64_t now) {
    return breaker.settle(kRules, kRules.failures, failed, now);
}

Breaker opened_at(std::int64_t now) {
    Breaker breaker;
    for (int i = 0; i < 3; ++i) settle(breaker, true, now);
    return breaker;
}

RunPolicy three_rungs() {
    RunPolicy p;
    p.ladder = {Action::notify, Action::reflect, Action::stop};
    for (Rung& rung : p.rungs) rung = {Severity::warning, 2, 1, 0};
    p.rungs[static_cast<std::size_t>(Action::stop)].on = Severity::error;
    return p;
}

constexpr double kSure = 1;

}  // namespace

TEST_SUITE("policy machines") {
    TEST_CASE("a breaker opens with the third failure in a row and not before") {
        Breaker breaker;
        CHECK_FALSE(settle(breaker, true, 0));
        CHECK_FALSE(settle(breaker, true, 0));
        CHECK(breaker.state() == BreakerState::closed);
        CHECK(settle(breaker, true, 0));
        CHECK(breaker.state() == BreakerState::open);
    }

    TEST_CASE("a success in between starts the count of failures again") {
        Breaker breaker;
        for (int round = 0; round < 5; ++round) {
            settle(breaker, true, 0);
            settle(breaker, true, 0);
            settle(breaker, false, 0);
        }
        CHECK(breaker.state() == BreakerState::closed);
    }

    TEST_CASE("an open breaker refuses calls until its time is over, then lets them through to see") {
        Breaker breaker = opened_at(5000);
        CHECK_FALSE(breaker.admit(kRules, 5000));
        CHECK_FALSE(breaker.admit(kRules, 5999));
        CHECK(breaker.refused() == 2);
        CHECK(breaker.admit(kRules, 6000));
        CHECK(breaker.state() == BreakerState::half_open);
    }

    TEST_CASE("a half-open breaker closes after as many successes as are asked for") {
        Breaker breaker = opened_at(0);
        REQUIRE(breaker.admit(kRules, 1000));
        settle(breaker, false, 1000);
        CHECK(breaker.state() == BreakerState::half_open);
        settle(breaker, false, 1001);
        CHECK(breaker.state() == BreakerState::closed);
    }

    TEST_CASE("one failure opens a half-open breaker again, for the whole time") {
        Breaker breaker = opened_at(0);
        REQUIRE(breaker.admit(kRules, 1000));
        CHECK(settle(breaker, true, 1500));
        CHECK_FALSE(breaker.admit(kRules, 2400));
        CHECK(breaker.admit(kRules, 2500));
        CHECK(breaker.opened() == 2);
    }

    TEST_CASE("what is answered while the breaker is open changes nothing") {
        Breaker breaker = opened_at(0);
        CHECK_FALSE(settle(breaker, false, 10));
        CHECK_FALSE(settle(breaker, true, 10));
        CHECK(breaker.state() == BreakerState::open);
    }

    TEST_CASE("a clock that runs backwards stands still, and goes on from its latest time") {
        RunClock clock(100);
        clock.at(10'000);
        clock.at(4'000);
        CHECK(clock.now() == 10'000);
        clock.at(10'500);
        CHECK(clock.now() == 10'500);
        CHECK(clock.elapsed() == 500);
        clock.at(kNoTime);
        CHECK(clock.now() == 10'500);
    }

    TEST_CASE("a clock without recorded times goes by calls, and never once times are recorded") {
        RunClock clock(100);
        clock.tick();
        clock.tick();
        CHECK(clock.now() == 200);
        clock.at(50'000);
        clock.tick();
        CHECK(clock.now() == 50'000);
    }

    TEST_CASE("a breaker is not closed by a clock that runs backwards") {
        RunClock clock(100);
        clock.at(10'000);
        Breaker breaker = opened_at(clock.now());
        clock.at(1);  // an hour ago, says the log
        CHECK_FALSE(breaker.admit(kRules, clock.now()));
        clock.at(11'000);
        CHECK(breaker.admit(kRules, clock.now()));
    }

    TEST_CASE("waits grow by their factor up to the cap, and never beyond it") {
        const BackOff rules{.retries = 9, .base_ms = 1000, .factor = 2, .cap_ms = 6000, .jitter = 0, .seed = 0};
        CHECK(delay_after(rules, 1, 7) == 1000);
        CHECK(delay_after(rules, 2, 7) == 2000);
        CHECK(delay_after(rules, 3, 7) == 4000);
        CHECK(delay_after(rules, 4, 7) == 6000);
        CHECK(delay_after(rules, 1'000'000'000, 7) == 6000);
    }

    TEST_CASE("jitter is the same for the same call and try, within its share, and not the same for all") {
        const BackOff rules{.retries = 9, .base_ms = 10'000, .factor = 1, .cap_ms = 60'000, .jitter = 0.2, .seed = 1};
        bool differs = false;
        for (std::uint64_t call = 0; call < 50; ++call) {
            const std::int64_t wait = delay_after(rules, 1, call);
            CHECK(wait == delay_after(rules, 1, call));
            CHECK(wait >= 8000);
            CHECK(wait <= 12'000);
            differs = differs || wait != delay_after(rules, 1, call + 1);
        }
        CHECK(differs);
    }

    TEST_CASE("the ladder is climbed one rung at a time, each after the pattern went on long enough") {
        const RunPolicy p = three_rungs();
        Ladder ladder;
        ladder.persists(1);
        REQUIRE(ladder.next(p, Severity::error, kSure, 1, 0));
        ladder.climb(0, Action::notify, 10, 1);
        ladder.persists(2);
        CHECK_FALSE(ladder.next(p, Severity::error, kSure, 2, 1));  // it went on once, two are asked for
        ladder.persists(3);
        CHECK(ladder.next(p, Severity::error, kSure, 3, 1) == std::size_t{1});
        CHECK(ladder.level() == 1);
    }

    TEST_CASE("a warning does not reach a rung for errors, nor an unsure finding one that asks for confidence") {
        RunPolicy p = three_rungs();
        Ladder ladder;
        ladder.climb(1, Action::reflect, 10, 1);
        ladder.persists(2);
        ladder.persists(3);
        CHECK_FALSE(ladder.next(p, Severity::warning, kSure, 3, 2));
        CHECK(ladder.next(p, Severity::error, kSure, 3, 2));
        p.rungs[static_cast<std::size_t>(Action::stop)].confidence = 0.9;
        CHECK_FALSE(ladder.next(p, Severity::error, 0.85, 3, 2));
    }

    TEST_CASE("progress climbs the ladder down, one rung for each stretch of calm") {
        Ladder ladder;
        ladder.climb(0, Action::notify, 10, 1);
        ladder.climb(1, Action::reflect, 12, 2);
        ladder.calms(4, 5);
        CHECK(ladder.level() == 2);
        ladder.calms(1, 5);
        CHECK(ladder.level() == 1);
        ladder.calms(100, 5);
        CHECK(ladder.level() == 0);
        CHECK(ladder.climbed().empty());
    }

    TEST_CASE("a pattern that comes back after little progress goes on where the ladder stood") {
        const RunPolicy p = three_rungs();
        Ladder ladder;
        ladder.climb(0, Action::notify, 10, 1);
        ladder.calms(2, 5);
        ladder.persists(8);
        ladder.persists(9);
        CHECK(ladder.next(p, Severity::warning, kSure, 9, ladder.level()) == std::size_t{1});
    }

    TEST_CASE("cool-down keeps interventions apart whatever persists") {
        RunPolicy p = three_rungs();
        for (Rung& rung : p.rungs) rung.cool_down = 5;
        Ladder ladder;
        ladder.climb(0, Action::notify, 10, 1);
        for (std::uint64_t response = 2; response < 6; ++response) {
            ladder.persists(response);
            CHECK_FALSE(ladder.next(p, Severity::error, kSure, response, 1));
        }
        ladder.persists(6);
        CHECK(ladder.next(p, Severity::error, kSure, 6, 1));
    }
}
