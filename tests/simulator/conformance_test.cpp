#include "simulator/conformance.hpp"
#include "support/places.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

namespace fs = std::filesystem;
using agent_audit::simulator::JsValue;
using agent_audit::test::first_difference;
using agent_audit::test::judge;

namespace {

std::string history_case(std::string_view kept) {
    return R"({"name":"two_turns","oracle":"openclaw_history_limit","input":{"limit":1,"messages":[)"
           R"({"role":"user","content":"a"},{"role":"assistant","content":[]},{"role":"user","content":"b"}]},)"
           R"("expected":{"legacy":{"peer":"x","kept":)" +
           std::string(kept) + "}}}";
}

}  // namespace

TEST_SUITE("context conformance") {
    TEST_CASE("our stages answer every recorded case as the real programs do, byte for byte") {
        const fs::path cases = fs::path(agent_audit::test::project_folder()) / "../shared/conformance/context";
        if (!fs::exists(cases)) {
            MESSAGE("skipped: no cases in " << cases.string());
            return;
        }
        const auto verdicts = agent_audit::test::judge_folder(cases);
        CHECK(verdicts.size() > 80);
        for (const auto& verdict : verdicts) {
            CAPTURE(verdict.name);
            CHECK(verdict.difference == "");
        }
    }

    TEST_CASE("a wrong answer is told apart from a right one, and where") {
        CHECK(judge(history_case("[2]")).passed());
        CHECK(judge(history_case("[1,2]")).difference == "$.expected.legacy.kept[0]: expected 1, got 2");
        CHECK(judge(history_case("[]")).difference == "$.expected.legacy.kept.length: expected 0, got 1");
    }

    TEST_CASE("what no stage answers is a failure that says so") {
        CHECK(judge(R"({"name":"n","oracle":"moon","input":{"op":"rise"},"expected":{"v":{}}})").difference ==
              "$.expected.v: nothing here answers moon, operation rise");
        CHECK_FALSE(judge("{]").passed());
    }

    TEST_CASE("the order of keys is part of an answer") {
        const auto a = JsValue::parse(R"({"a":1,"b":2})"), b = JsValue::parse(R"({"b":2,"a":1})");
        CHECK(first_difference(*a, *b, "$") == "$: key b is out of place");
    }
}
