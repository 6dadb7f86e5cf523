#include "detectors/commands/failed_deeds.hpp"
#include "detectors/engine/episodes.hpp"
#include "support/session.hpp"

#include <doctest/doctest.h>

#include <ctime>
#include <string>
#include <vector>

using namespace agent_audit;
using detectors::join_overlapping;

namespace {

Finding over_steps(std::string rule, std::uint32_t lane, std::uint64_t first, std::uint64_t last) {
    Finding f;
    f.rule = std::move(rule);
    f.lane = lane;
    f.first_step = f.first_line = first;
    f.last_step = f.last_line = last;
    f.severity = Severity::warning;
    return f;
}

// How an agent got out that called `failing` four times in vain and then did these three things.
std::string way_out(std::string_view failing, const std::vector<std::string>& then) {
    test::Session s("loop/exact-repeat");
    for (int i = 0; i < 4; ++i) s.fails("Bash", failing, "1 failing");
    for (const std::string& next : then) s.call("Bash", next, "fine: " + next);
    for (const Fact& fact : s.end().at(0).because) {
        if (fact.name == "recovered") return fact.value;
    }
    return {};
}

}  // namespace

TEST_SUITE("ways out") {
    TEST_CASE("who leaves what fails for something else has moved on") {
        CHECK(way_out("npm run build", {"cat a", "cat b", "cat c"}) == "moved on");
        CHECK(way_out("npm run build", {"cat a", "cat b", "npm run lint"}) == "moved on");
        CHECK(way_out("npm run build", {"cat a"}) == "no");
    }

    TEST_CASE("who makes it work has found a way out, however the command is spelled then") {
        CHECK(way_out("npm run build", {"cat a", "cat b", "npm run build"}) == "yes");
        CHECK(way_out("npm run build", {"cat a", "cat b", "cd web && npm run build 2>&1 | tail -5"}) == "yes");
        CHECK(way_out("rm -rf out && cd web && make", {"cat a", "cat b", "make && echo done"}) == "yes");
        CHECK(way_out("npm run build -- " + std::string(200, 'x'), {"cat a", "cat b", "cat c"}) == "yes");  // not known
        CHECK(way_out("python3 mill.py --fast", {"cat a", "cat b", "/usr/bin/python mill.py"}) == "yes");
    }

    TEST_CASE("the severity is the same") {
        for (const char* last : {"cat c", "npm run build"}) {
            test::Session s("loop/exact-repeat");
            for (int i = 0; i < 6; ++i) s.fails("Bash", "npm run build", "1 failing");
            for (const std::string next : {"cat a", "cat b", last}) s.call("Bash", next, "fine: " + next);
            const auto& found = s.end();
            REQUIRE(found.size() == 1);
            CHECK(found[0].recovered);
            CHECK(found[0].severity == Severity::warning);
        }
    }

    TEST_CASE("what fell out of memory is not said to have failed for good") {
        detectors::FailedDeeds deeds;
        Step first;
        first.tool = 1000;
        first.failed = true;
        first.ordinal = 1;
        deeds.see(first);
        CHECK(deeds.never_again(detectors::deeds_of(first), 1));
        for (std::uint64_t i = 2; i < 200; ++i) {
            Step other = first;
            other.tool = 1000 + 2 * i;
            other.ordinal = i;
            deeds.see(other);
        }
        CHECK_FALSE(deeds.never_again(detectors::deeds_of(first), 1));
    }
}

TEST_SUITE("findings that overlap") {
    TEST_CASE("the tight one speaks for the loose one over the same steps, and takes its severity") {
        Finding loose = over_steps("loop/stagnation", 1, 1, 12);
        loose.severity = Severity::error;
        const auto joined = join_overlapping(
            {loose, over_steps("loop/exact-repeat", 1, 2, 4), over_steps("loop/exact-repeat", 1, 5, 10)});
        REQUIRE(joined.size() == 2);
        CHECK(joined[0].also == std::vector<std::string>{"loop/stagnation"});
        CHECK(joined[1].also == std::vector<std::string>{"loop/stagnation"});
        CHECK(joined[0].severity == Severity::warning);
        CHECK(joined[1].severity == Severity::error);  // the larger one
        CHECK(joined[0].because.empty());
        REQUIRE(joined[1].because.size() == 1);
        CHECK(joined[1].because[0].name == "severity_by");
        CHECK(joined[1].because[0].value == "loop/stagnation");
    }

    TEST_CASE("what a person wished for gets no worse by how often it was there; what was only counted does") {
        const auto severity = [](const char* name, const char* value) {
            Finding loose = over_steps("loop/revisit-ratio", 0, 1, 40),
                    tight = over_steps("loop/exact-repeat", 0, 1, 35);
            loose.severity = Severity::error;
            tight.severity = Severity::info;
            tight.because.push_back({name, value});
            const auto found = join_overlapping({loose, tight});
            REQUIRE(found.size() == 1);
            return found[0].severity;
        };
        CHECK(severity("asked_for", "trials") == Severity::info);
        CHECK(severity("asked_for", "watching") == Severity::info);
        CHECK(severity("times_asked_for", "5") == Severity::error);
        CHECK(severity("asked_for", "survey") == Severity::error);
    }

    TEST_CASE("the same steps of another lane are other steps, and places of texts are no steps") {
        Finding texts;
        texts.rule = "loop/monologue";
        texts.first_seq = texts.first_line = 1;
        texts.last_seq = texts.last_line = 9;
        CHECK(
            join_overlapping({over_steps("loop/stagnation", 2, 1, 9), over_steps("loop/exact-repeat", 1, 1, 9), texts})
                .size() == 3);
    }

    TEST_CASE("they come out by line, each once, in whatever order they were found") {
        std::vector<Finding> findings;
        for (std::uint64_t i = 0; i < 997; ++i) {
            const std::uint64_t step = i * 365 % 997 * 10 + 1;
            findings.push_back(over_steps("loop/exact-repeat", 0, step, step + 3));
            if (i % 3 == 0) findings.push_back(over_steps("loop/stagnation", 0, step, step + 3));  // covered
        }
        const std::vector<Finding> joined = join_overlapping(findings);
        REQUIRE(joined.size() == 997);
        std::size_t also = 0;
        for (std::size_t i = 0; i < joined.size(); ++i) {
            CHECK(joined[i].first_step == i * 10 + 1);
            CHECK(joined[i].rule == "loop/exact-repeat");
            also += joined[i].also.size();
        }
        CHECK(also == 333);
    }

    TEST_CASE("less than half covered is a finding of its own") {
        CHECK(join_overlapping({over_steps("loop/stagnation", 0, 1, 9), over_steps("loop/exact-repeat", 0, 1, 4)})
                  .size() == 2);
        CHECK(join_overlapping({over_steps("loop/stagnation", 0, 1, 9), over_steps("loop/exact-repeat", 0, 1, 5)})
                  .size() == 1);
    }

    TEST_CASE("what lies whole within a worse finding is told there, what lies within one of its like stays") {
        const auto told = [](Severity part, Severity whole, std::uint64_t first) {
            std::vector<Finding> findings{over_steps("loop/exact-repeat", 0, first, first + 3),
                                          over_steps("loop/known-answers", 0, 10, 30)};
            findings[0].severity = part;
            findings[1].severity = whole;
            return join_overlapping(std::move(findings));
        };
        const auto one = told(Severity::warning, Severity::error, 14);
        REQUIRE(one.size() == 1);
        CHECK(one[0].rule == "loop/known-answers");
        CHECK(one[0].also == std::vector<std::string>{"loop/exact-repeat"});
        CHECK(told(Severity::error, Severity::error, 14).size() == 2);
        CHECK(told(Severity::warning, Severity::info, 14).size() == 2);
        CHECK(told(Severity::warning, Severity::error, 29).size() == 2);
    }

    TEST_CASE("ten lanes of findings take about ten times as long as one") {
        const auto seconds_for = [](std::uint32_t lanes) {
            std::vector<Finding> findings;
            for (std::uint32_t lane = 0; lane < lanes; ++lane) {
                for (std::uint64_t i = 0; i < 1000; ++i)
                    findings.push_back(over_steps("loop/near-repeat", lane, i * 10 + 1, i * 10 + 5));
            }
            const std::clock_t before = std::clock();
            CHECK(join_overlapping(std::move(findings)).size() == lanes * 1000);
            return static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
        };
        const double one = seconds_for(1);
        CHECK(seconds_for(10) < 30 * one + 0.1);
    }
}
