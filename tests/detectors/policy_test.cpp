#include "support/session.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using test::Session;

namespace {

EngineOptions under(Policy policy) {
    EngineOptions options;
    options.policy = policy;
    return options;
}

// The severity of `times` equal calls, and then `after` new successful ones.
Severity severity(Policy policy, int times, int after = 0, std::vector<std::pair<std::string, std::string>> set = {}) {
    Session s("loop/exact-repeat", std::move(set), under(policy));
    for (int i = 0; i < times; ++i) s.call("Bash", "npm test", "1 failing");
    for (int i = 0; i < after; ++i) s.call("Read", "f" + std::to_string(i), "text " + std::to_string(i));
    const auto& found = s.end();
    REQUIRE(found.size() == 1);
    return found[0].severity;
}

}  // namespace

TEST_SUITE("policies") {
    TEST_CASE("strict takes the warn count for the fail count") {
        CHECK(severity(Policy::balanced, 3) == Severity::warning);
        CHECK(severity(Policy::strict, 3) == Severity::error);
    }

    TEST_CASE("strict fails what the agent got out of") {
        CHECK(severity(Policy::balanced, 5, 3) == Severity::warning);
        CHECK(severity(Policy::strict, 3, 3) == Severity::error);
    }

    TEST_CASE("permissive fails at twice the fail count") {
        CHECK(severity(Policy::balanced, 9) == Severity::error);
        CHECK(severity(Policy::permissive, 9) == Severity::warning);
        CHECK(severity(Policy::permissive, 10) == Severity::error);
    }

    TEST_CASE("permissive never fails what the agent got out of, however costly") {
        CHECK(severity(Policy::balanced, 30, 3) == Severity::error);
        CHECK(severity(Policy::permissive, 30, 3) == Severity::warning);
    }

    TEST_CASE("a fail count that was set stays as it was set, a warn count that was set is the strict one") {
        CHECK(severity(Policy::strict, 4, 0, {{"fail", "6"}}) == Severity::warning);
        CHECK(severity(Policy::permissive, 6, 0, {{"fail", "6"}}) == Severity::error);
        CHECK(severity(Policy::strict, 4, 0, {{"warn", "4"}}) == Severity::error);
    }

    TEST_CASE("the finding names the threshold of the policy") {
        Session s("loop/exact-repeat", {}, under(Policy::strict));
        for (int i = 0; i < 4; ++i) s.call("Bash", "npm test", "1 failing");
        for (const Fact& fact : s.end().at(0).because) {
            if (fact.name == "threshold") CHECK(fact.value == "3");
        }
    }

    TEST_CASE("the settings of a balanced run are left alone, the others get one entry for each fail count") {
        CHECK(with_policy(Policy::balanced, {}).all().empty());
        for (const Policy policy : {Policy::strict, Policy::permissive}) {
            const Settings settings = with_policy(policy, {});
            for (const DetectorSpec& rule : all_detectors()) {
                CAPTURE(rule.id);
                CHECK(rule.bind(settings).has_value());
                for (const ParamDoc& param : rule.params()) {
                    const Setting* set = settings.find(std::string(rule.id) + "." + param.name);
                    CHECK((set != nullptr) == (param.name == "fail" || param.name.ends_with("-fail")));
                }
            }
        }
    }

    TEST_CASE("transient and poll counts follow the policy like the others") {
        const Settings strict = with_policy(Policy::strict, {});
        CHECK(strict.find("loop/exact-repeat.transient-fail")->value == "5");
        CHECK(strict.find("loop/cycle.poll-fail")->value == "8");
        const Settings permissive = with_policy(Policy::permissive, {});
        CHECK(permissive.find("loop/exact-repeat.transient-fail")->value == "20");
    }

    TEST_CASE("a warn count that is no number is reported by the rule itself") {
        Settings settings;
        settings.set("loop/cycle.warn", {"many", "--set"});
        const Settings strict = with_policy(Policy::strict, settings);
        const auto bound = find_detector("loop/cycle")->bind(strict);
        REQUIRE_FALSE(bound.has_value());
        CHECK(bound.error().message.starts_with("--set: loop/cycle.warn"));
    }
}

TEST_SUITE("engine options") {
    TEST_CASE("with segments by session a human message does not start afresh") {
        EngineOptions options;
        options.segment = SegmentBy::session;
        Session s("loop/exact-repeat", {}, options);
        for (int i = 0; i < 5; ++i) s.human("again").call("Read", "todo.md", "- nothing");
        CHECK(s.end().size() == 1);
    }

    TEST_CASE("a tool said to be a pause takes part in no pattern, one said to poll is polled") {
        EngineOptions options;
        options.tool_classes = {{"my_status", ToolClass::poll}, {"journal", ToolClass::wait}};
        Session s({}, {}, options);
        for (int i = 0; i < 7; ++i) s.call("MyStatus", "job", "nothing yet");
        for (int i = 0; i < 30; ++i) s.call("journal", "x", "ok");
        CHECK(s.end().empty());
        Session without;
        for (int i = 0; i < 7; ++i) without.call("MyStatus", "job", "nothing yet");
        CHECK(without.end().size() == 1);
    }

    TEST_CASE("a tool said to be a shell is judged by its command") {
        EngineOptions options;
        options.tool_classes = {{"box", ToolClass::shell}};
        Session s({}, {}, options);
        for (int i = 0; i < 20; ++i) s.call("box", "sleep 5", "");
        CHECK(s.end().empty());
    }

    TEST_CASE("the name with its server wins over the bare name") {
        EngineOptions options;
        options.tool_classes = {{"get", ToolClass::note}, {"mcp__ci__get", ToolClass::read}};
        Session s("loop/exact-repeat", {}, options);
        for (int i = 0; i < 5; ++i) s.call("mcp__ci__get", "x", "same").call("mcp__db__get", "x", "same");
        CHECK(s.end().size() == 1);
    }
}
