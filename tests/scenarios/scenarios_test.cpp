#include "scenarios/scenarios.hpp"

#include <agent_audit/detectors/detector.hpp>

#include <set>

using namespace agent_audit;
using namespace agent_audit::test;

namespace {

// One run over all scenarios (and one for each other choice of rules), for all tests of this file.
struct Suite {
    std::vector<Scenario> scenarios = scenario_index();
    std::map<std::string, std::vector<Finding>> findings;  // by id
    std::set<std::string> read_well;

    Suite() {
        std::map<std::vector<std::string>, AuditPlan> plans;
        for (const Scenario& s : scenarios) {
            AuditPlan& plan = plans[s.select];
            plan.select = s.select;
            plan.inputs.push_back((scenario_folder() / (s.id + ".jsonl")).string());
        }
        for (const auto& entry : plans) run(entry.second);
    }

    void run(const AuditPlan& plan) {
        const Report report = report_of(plan);
        for (const InputReport& input : report.inputs) {
            if (!input.error && input.stats.bad() == 0) read_well.insert(fs::path(input.path).stem().string());
        }
        for (const Finding& f : report.findings) {
            findings[fs::path(report.inputs[report.sessions[f.session].input].path).stem().string()].push_back(f);
        }
    }
};

const Suite& suite() {
    static const Suite all;
    return all;
}

std::vector<std::string> problems_of(const Scenario& s) {
    const auto found = suite().findings.find(s.id);
    return problems(s, found == suite().findings.end() ? std::vector<Finding>{} : found->second);
}

const Scenario* find_scenario(const std::string& id) {
    const auto found = std::ranges::find(suite().scenarios, id, &Scenario::id);
    return found == suite().scenarios.end() ? nullptr : &*found;
}

}  // namespace

TEST_SUITE("scenarios") {
    TEST_CASE(
        "every scenario is judged as its index says: loops are errors at their lines, healthy work is left alone") {
        const auto waiting = waiting_scenarios();
        for (const Scenario& s : suite().scenarios) {
            CAPTURE(s.id);
            CAPTURE(s.title);
            if (waiting.contains(s.id)) continue;
            for (const std::string& problem : problems_of(s)) FAIL_CHECK(problem);
        }
    }

    TEST_CASE("what waits for a rule still fails; when it no longer does, its line leaves testdata/scenarios/waiting") {
        for (const auto& entry : waiting_scenarios()) {
            CAPTURE(entry.first);
            CAPTURE(entry.second);
            const Scenario* s = find_scenario(entry.first);
            REQUIRE(s);
            CHECK_MESSAGE(!problems_of(*s).empty(), "is handled now: take it off the list");
        }
    }

    TEST_CASE("what is found in a session does not depend on the sessions the same thread read before it") {
        AuditPlan together;
        together.jobs = 1;
        for (const Scenario& s : suite().scenarios)
            together.inputs.push_back((scenario_folder() / (s.id + ".jsonl")).string());
        std::map<std::string, std::vector<std::string>> in_company;
        const Report report = report_of(together);
        for (const Finding& f : report.findings)
            in_company[report.inputs[report.sessions[f.session].input].path].push_back(f.finding_fingerprint +
                                                                                       f.message);
        for (const std::string& path : together.inputs) {
            CAPTURE(path);
            AuditPlan alone;
            alone.inputs = {path};
            std::vector<std::string> found;
            for (const Finding& f : report_of(alone).findings) found.push_back(f.finding_fingerprint + f.message);
            CHECK(found == in_company[path]);
        }
    }

    TEST_CASE("every scenario is a session that can be read completely") {
        for (const Scenario& s : suite().scenarios) {
            CAPTURE(s.id);
            CHECK(suite().read_well.contains(s.id));
        }
    }

    TEST_CASE("the suite holds more than sixty scenarios, and at least ten long sessions without a finding") {
        const auto count = [](auto&& holds) { return std::ranges::count_if(suite().scenarios, holds); };
        CHECK(suite().scenarios.size() >= 60);
        CHECK(count([](const Scenario& s) { return s.want == "loop"; }) >= 29);
        CHECK(count([](const Scenario& s) { return s.want == "ok"; }) >= 21);
        CHECK(count([](const Scenario& s) { return s.row == "long" && s.want == "ok"; }) >= 10);
    }

    TEST_CASE("every row of the design is there: 32 loop shapes, 22 legitimate patterns, 15 edge cases") {
        const auto check_rows = [](char kind, int rows) {
            for (int number = 1; number <= rows; ++number) {
                const std::string row =
                    std::string{kind, static_cast<char>('0' + number / 10), static_cast<char>('0' + number % 10)};
                CAPTURE(row);
                CHECK(std::ranges::any_of(suite().scenarios,
                                          [&](const Scenario& s) { return s.row.find(row) != s.row.npos; }));
            }
        };
        check_rows('t', 32);
        check_rows('n', 22);
        check_rows('e', 15);  // the sixteenth, huge inputs, is made in huge_test.cpp
    }

    TEST_CASE("every near miss stands beside a loop, and most loops have one") {
        std::set<std::string> accompanied;
        for (const Scenario& s : suite().scenarios) {
            if (s.beside.empty()) continue;
            CAPTURE(s.id);
            const Scenario* twin = find_scenario(s.beside);
            REQUIRE(twin);
            CHECK(s.want != twin->want);
            CHECK(twin->want != "ok");
            accompanied.insert(s.beside);
        }
        CHECK(accompanied.size() >= 25);
    }

    TEST_CASE("every rule about loops has a scenario that expects it, and rules that do not exist are waited for") {
        std::set<std::string> expected, awaited;
        for (const Scenario& s : suite().scenarios) expected.insert(s.rules.begin(), s.rules.end());
        for (const auto& [id, rule] : waiting_scenarios()) awaited.insert(rule);
        for (const DetectorSpec& spec : all_detectors()) {
            if (!spec.id.starts_with("loop/")) continue;
            CAPTURE(spec.id);
            CHECK(expected.contains(std::string(spec.id)));
        }
        for (const std::string& rule : awaited) {
            CAPTURE(rule);
            CHECK(expected.contains(rule));
        }
    }
}
