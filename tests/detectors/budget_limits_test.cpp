#include "support/session.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>

using namespace agent_audit;
using agent_audit::test::Session;

namespace {

RequestFigures request(std::uint64_t context, std::uint64_t cost_microusd) {
    RequestFigures f;
    f.tokens.input = f.context = context;
    f.window = 200'000;
    f.session_cost = Money(cost_microusd * 1'000'000);
    return f;
}

}  // namespace

TEST_SUITE("budget/limits of money and window") {
    TEST_CASE("the request with which the cost passes the limit is named") {
        Session s("budget/limits", {{"max-cost", "1.5"}});
        s.respond().request(request(10'000, 1'500'000)).respond().request(request(10'000, 1'600'000));
        const std::uint64_t line = s.line();
        s.respond().request(request(10'000, 2'000'000));
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].first_line == line);
        CHECK(found[0].message.find("$2.00, over the limit of $1.50") != std::string::npos);
    }

    TEST_CASE("money over a limit is shown to be over it, and the smallest limit is one") {
        const auto words = [](const char* limit, std::uint64_t microusd) {
            Session s("budget/limits", {{"max-cost", limit}});
            s.respond().request(request(10'000, microusd));
            const auto& found = s.end();
            return found.size() == 1 ? found[0].message : std::string("nothing");
        };
        CHECK(words("0.1401", 142'000).find("took $0.142, over the limit of $0.1401 ") != std::string::npos);
        CHECK(words("0.001", 142'000).find("took $0.14, over the limit of $0.001 ") != std::string::npos);
        CHECK(words("0.0000001", 142'000).find("over the limit of $0.000001 ") != std::string::npos);
    }

    TEST_CASE("what is no number, or no whole one, is no limit") {
        const auto problem = [](const char* name, const char* value) {
            Settings settings;
            settings.set(std::string("budget/limits.") + name, {value, "test"});
            const auto bound = find_detector("budget/limits")->bind(settings);
            return bound ? std::string() : bound.error().message;
        };
        for (const char* value : {"nan", "-nan", "inf", "-1"}) {
            CHECK(problem("max-cost", value).find("expected a number from 0 to") != std::string::npos);
            CHECK_FALSE(problem("window-share", value).empty());
        }
        CHECK(problem("minutes", "0.5").find("expected a whole number from 0 to") != std::string::npos);
        CHECK(problem("max-cost", "0.5").empty());
    }

    TEST_CASE("a cost that is not known passes no limit") {
        Session s("budget/limits", {{"max-cost", "0.01"}});
        RequestFigures unknown = request(10'000, 0);
        unknown.session_cost.reset();
        s.respond().request(unknown);
        CHECK(s.end().empty());
    }

    TEST_CASE("a share of the window is a limit where the window is known") {
        for (const std::uint64_t window : {std::uint64_t{200'000}, std::uint64_t{0}}) {
            CAPTURE(window);
            Session s("budget/limits", {{"window-share", "50"}});
            RequestFigures f = request(120'000, 0);
            f.window = window;
            s.respond().request(f);
            CHECK(s.end().size() == (window > 0 ? 1 : 0));
        }
    }

    TEST_CASE("what is over a limit by less than one is over it") {
        for (const char* share : {"77", "77.0", "0.77", "77.5"}) {
            CAPTURE(share);
            Session s("budget/limits", {{"window-share", share}});
            s.respond().request(request(155'023, 0));  // 77.51 %
            const auto& found = s.end();
            REQUIRE(found.size() == 1);
            CHECK(found[0].message.find("took 78 % of the window, over the limit of 77") != std::string::npos);
        }
        Session within("budget/limits", {{"window-share", "77.6"}});
        within.respond().request(request(155'023, 0));
        CHECK(within.end().empty());

        Session minutes("budget/limits", {{"minutes", "3"}});
        minutes.at(0).human("go").at(180).says("three").at(201).says("more");
        const auto& late = minutes.end();
        REQUIRE(late.size() == 1);
        CHECK(late[0].message.find("took 3.4 minutes, over the limit of 3 ") != std::string::npos);
        Session exactly("budget/limits", {{"minutes", "3"}});
        exactly.at(0).human("go").at(180).says("three");
        CHECK(exactly.end().empty());
    }

    TEST_CASE("a window that is filled exactly to the limit is within it") {
        Session s("budget/limits", {{"window-share", "50"}});
        s.respond().request(request(100'000, 0));
        CHECK(s.end().empty());
    }
}

TEST_SUITE("budget/limits of waste") {
    Finding lost(std::uint64_t tokens, std::uint64_t line) {
        Finding f;
        f.rule = "loop/exact-repeat";
        f.last_line = line;
        f.wasted_tokens = TokenCounts{.input = tokens};
        return f;
    }

    std::vector<DraftFinding> judged(const std::vector<Finding>& findings) {
        Settings settings;
        settings.set("budget/limits.wasted-tokens", {"1000", "test"});
        auto factory = find_detector("budget/limits")->bind(settings);
        REQUIRE(factory.has_value());
        auto detector = (*factory)();
        REQUIRE(detector != nullptr);
        detector->on_findings(findings);
        detector->finish(nullptr);
        return detector->take();
    }

    TEST_CASE("the finding with which the sum passes the limit is where to look") {
        const auto drafts = judged({lost(600, 10), lost(500, 20), lost(400, 30)});
        REQUIRE(drafts.size() == 1);
        CHECK(drafts[0].finding.first_line == 20);
        CHECK(drafts[0].finding.repeats == 1500);
    }

    TEST_CASE("findings that name no waste cost nothing") {
        Finding silent;
        silent.last_line = 5;
        CHECK(judged({silent, lost(1000, 9)}).empty());
    }
}

TEST_SUITE("budget/limits of failures and denials") {
    constexpr std::string_view kByRule = "Permission to use Bash with command git push has been denied.";
    constexpr std::string_view kByPerson = "The user doesn't want to proceed with this tool use.";

    // Lines: a human 1, and two of each call and its answer.
    Session troubled(const char* name, const char* from) {
        Session s("budget/limits", {{name, from}});
        s.human("ship it")
            .call("Read", "a", "text")
            .fails("Bash", "make", "error: no rule")                        // 5
            .call("Bash", "git push", kByRule, ResultStatus::denied)        // 7
            .call("Edit", "b", kByPerson, ResultStatus::denied)             // 9
            .call("Bash", "git push -f", kByRule, ResultStatus::denied)     // 11
            .call("Bash", "make -k", "cancelled", ResultStatus::cancelled)  // 13
            .fails("Bash", "make all", "error: no rule");                   // 15
        return s;
    }

    TEST_CASE("one is too many where one is named, and the first few are told with their tools") {
        Session failed = troubled("failed-calls-from", "1");
        const auto& found = failed.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].first_line == 5);
        CHECK(found[0].repeats == 2);
        CHECK(found[0].message == "the session had 2 failed tool calls, and none is allowed (crossed at line 5)");
        REQUIRE(found[0].evidence.size() == 2);
        CHECK(found[0].evidence[1].line == 15);
        CHECK(found[0].evidence[1].text == "Bash");
    }

    TEST_CASE("who says no is counted apart: a rule, and a person") {
        Session by_rule = troubled("denied-by-rule-from", "2");
        const auto& rules = by_rule.end();
        REQUIRE(rules.size() == 1);
        CHECK(rules[0].first_line == 11);
        CHECK(rules[0].message == "the session had 2 calls denied by a rule, over the limit of 1 (crossed at line 11)");
        Session by_person = troubled("denied-by-person-from", "1");
        const auto& persons = by_person.end();
        REQUIRE(persons.size() == 1);
        CHECK(persons[0].first_line == 9);
        CHECK(persons[0].message ==
              "the session had 1 call denied by a person, and none is allowed (crossed at line 9)");
    }

    TEST_CASE("fewer than the number are within the limit, and 0 is none") {
        constexpr std::pair<const char*, const char*> kWide[] = {{"failed-calls-from", "3"},
                                                                 {"denied-by-rule-from", "3"},
                                                                 {"denied-by-person-from", "2"},
                                                                 {"failed-calls-from", "0"}};
        for (const auto& limit : kWide) {
            CAPTURE(limit.first);
            Session s = troubled(limit.first, limit.second);
            CHECK(s.end().empty());
        }
    }

    TEST_CASE("the one that crosses a limit far behind the first few is named as well") {
        Session s("budget/limits", {{"failed-calls-from", "6"}});
        for (int i = 0; i < 7; ++i) s.fails("Bash", "make " + std::to_string(i), "error " + std::to_string(i));
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].first_line == 12);
        REQUIRE(found[0].evidence.size() == 5);
        CHECK(found[0].evidence[4].line == 12);
        CHECK(found[0].evidence[4].text == "5 failed tool calls exceeded");
    }
}
