#include "detectors/engine/tool_stats.hpp"
#include "support/session.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using namespace agent_audit::detectors;
using test::Session;

namespace {

const ToolStats& stats_of(const Session& s, std::string_view tool) {
    for (const ToolStats& stats : s.tools()) {
        if (stats.tool == tool) return stats;
    }
    FAIL("no such tool");
    return s.tools().front();
}

std::uint32_t of(const ToolStats& stats, ErrorClass error) { return stats.failures[static_cast<std::size_t>(error)]; }

}  // namespace

TEST_SUITE("statistics per tool") {
    TEST_CASE("calls, failures by class and denied calls add up to the session's counts") {
        Session s;
        s.call("Read", "a", "x")
            .call("Read", "b", "y")
            .fails("Bash", "curl", "HTTP 503")
            .fails("Bash", "ls q", "No such file or directory");
        s.fails("Bash", "false", "odd")
            .call("Edit", "a", "no", ResultStatus::denied)
            .fails("Bash", "dd", "No space left on device");
        s.end();
        REQUIRE(s.tools().size() == 3);
        CHECK(s.tools()[0].tool == "Bash");  // most called first
        const ToolStats& bash = stats_of(s, "Bash");
        CHECK(bash.calls == 4);
        CHECK(of(bash, ErrorClass::transient) == 1);
        CHECK(of(bash, ErrorClass::persistent) == 1);
        CHECK(of(bash, ErrorClass::infrastructure) == 1);
        CHECK(of(bash, ErrorClass::unknown) == 1);
        CHECK(of(stats_of(s, "Edit"), ErrorClass::user_denied) == 1);
        CHECK(stats_of(s, "Read").failed() == 0);
        std::uint64_t calls = 0, failures = 0;
        for (const ToolStats& stats : s.tools()) {
            calls += stats.calls;
            failures += stats.failed();
        }
        CHECK(calls == s.counts().calls);
        CHECK(failures == s.counts().errors + s.counts().denied);
    }

    TEST_CASE("the streak counts failing responses, not calls, and one success ends it") {
        Session s;
        s.respond();
        for (int i = 0; i < 5; ++i) s.open("Edit", std::to_string(i));
        for (int i = 0; i < 5; ++i) s.answer("no match", ResultStatus::error);
        s.fails("Edit", "x", "no match").call("Read", "x", "text").fails("Edit", "y", "no match");
        s.call("Edit", "z", "done").fails("Edit", "y", "no match");
        s.end();
        CHECK(stats_of(s, "Edit").longest_failure_streak == 3);
        CHECK(of(stats_of(s, "Edit"), ErrorClass::unknown) == 8);
    }

    TEST_CASE("a response in which one call of the tool succeeded does not fail, and a denied one says nothing") {
        Session s;
        s.fails("Edit", "a", "no");
        s.respond().open("Edit", "b").open("Edit", "c").answer("no", ResultStatus::error).answer("done");
        s.fails("Edit", "d", "no").call("Edit", "e", "no", ResultStatus::denied).fails("Edit", "f", "no");
        s.end();
        CHECK(stats_of(s, "Edit").longest_failure_streak == 2);
    }

    TEST_CASE("a sub-agent's success does not end the streak of the main conversation") {
        Session s;
        for (int i = 0; i < 4; ++i) {
            s.in_lane(0).fails("Edit", "a" + std::to_string(i), "no");
            s.in_lane(1).call("Edit", "b" + std::to_string(i), "done");
        }
        s.end();
        CHECK(stats_of(s, "Edit").longest_failure_streak == 4);
        CHECK(stats_of(s, "Edit").calls == 8);
    }

    TEST_CASE("waits, notes and unanswered calls are calls too") {
        Session s;
        s.call("TodoWrite", "x", "ok").respond().open("Read", "a").unanswered().call("Bash", "sleep 5", "");
        s.end();
        CHECK(s.tools().size() == 3);
    }

    TEST_CASE("of a thousand tools the 64 most called are named and none of the calls is lost") {
        Session s;
        for (int i = 0; i < 1000; ++i) s.fails("tool" + std::to_string(i), "x", "no");
        for (int i = 0; i < 3; ++i) s.call("tool7", "again " + std::to_string(i), "x");
        s.end();
        REQUIRE(s.tools().size() == kListedTools + 1);
        CHECK(s.tools().front().tool == "tool7");
        CHECK(s.tools().back().tool == kOtherTools);
        std::uint64_t calls = 0, failures = 0;
        for (const ToolStats& stats : s.tools()) {
            calls += stats.calls;
            failures += stats.failed();
        }
        CHECK(calls == 1003);
        CHECK(failures == 1000);
    }

    TEST_CASE("an engine that serves a second session has forgotten the first") {
        Session s;
        s.fails("Bash", "x", "no").end();
        s.call("Read", "a", "text").end();
        REQUIRE(s.tools().size() == 1);
        CHECK(s.tools()[0].tool == "Read");
    }

    TEST_CASE("totals do not depend on the order in which sessions are added") {
        const ToolStats a{"A", 3, {}, 2}, b{"B", 3, {}, 1}, more{"A", 1, {}, 5};
        ToolTotals one, two;
        for (const ToolStats* stats : {&a, &b, &more}) one.add(*stats);
        for (const ToolStats* stats : {&more, &b, &a}) two.add(*stats);
        REQUIRE(one.listed().size() == 2);
        CHECK(one.listed()[0].tool == two.listed()[0].tool);
        CHECK(one.listed()[0].calls == 4);
        CHECK(one.listed()[0].longest_failure_streak == 5);
    }

    TEST_CASE("endless names are bounded") {
        ToolTotals totals;
        for (std::size_t i = 0; i < 2 * ToolTotals::kNames; ++i) totals.add({"t" + std::to_string(i), 1, {}, 0});
        const auto listed = totals.listed();
        CHECK(listed.size() == kListedTools + 1);
        CHECK(listed.back().calls == 2 * ToolTotals::kNames - kListedTools);
    }
}
