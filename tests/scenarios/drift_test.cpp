#include "support/places.hpp"

#include <agent_audit/pipeline/audit.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

using namespace agent_audit;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kRecordsOfThreeTurns = 6;  // a response and what it got back

struct Case {
    std::string id, rule;  // no rule = nothing above info
    std::uint64_t line = 0;
};

fs::path folder() { return fs::path(test::project_folder()) / "testdata/drift"; }

// The index is written by scripts/gen_drift.py, one flat object a line.
std::string field(const std::string& line, const std::string& name) {
    const std::string key = "\"" + name + "\": ";
    std::size_t from = line.find(key);
    REQUIRE(from != std::string::npos);
    from += key.size();
    const bool quoted = line[from] == '"';
    const std::size_t end = quoted ? line.find('"', from + 1) : line.find_first_of(",}", from);
    return quoted ? line.substr(from + 1, end - from - 1) : line.substr(from, end - from);
}

std::vector<Case> index() {
    std::vector<Case> cases;
    std::ifstream in(folder() / "index.jsonl");
    for (std::string line; std::getline(in, line);) {
        Case one{field(line, "id"), field(line, "rule"), 0};
        if (one.rule == "null") {
            one.rule.clear();
        } else {
            one.line = std::strtoull(field(line, "line").c_str(), nullptr, 10);
        }
        cases.push_back(one);
    }
    return cases;
}

Report report_of(AuditPlan plan) {
    auto report = audit(plan);
    REQUIRE(report.has_value());
    return std::move(*report);
}

const std::map<std::string, std::vector<Finding>>& found() {
    static const auto all = [] {
        AuditPlan plan;
        for (const Case& one : index()) plan.inputs.push_back((folder() / (one.id + ".jsonl")).string());
        std::map<std::string, std::vector<Finding>> findings;
        const Report report = report_of(plan);
        for (const Finding& f : report.findings) {
            findings[fs::path(report.inputs[report.sessions[f.session].input].path).stem().string()].push_back(f);
        }
        return findings;
    }();
    return all;
}

const std::vector<Finding>& found_in(const std::string& id) {
    static const std::vector<Finding> none;
    const auto at = found().find(id);
    return at == found().end() ? none : at->second;
}

}  // namespace

TEST_SUITE("drift suite") {
    TEST_CASE("the suite holds at least twenty sessions that drift and twenty that only look like it") {
        std::size_t drifting = 0, fine = 0;
        for (const Case& one : index()) ++(one.rule.empty() ? fine : drifting);
        CHECK(drifting >= 20);
        CHECK(fine >= 20);
    }

    TEST_CASE("every drifting session is found by its rule and dated within three turns") {
        for (const Case& one : index()) {
            if (one.rule.empty()) continue;
            CAPTURE(one.id);
            bool dated = false;
            for (const Finding& f : found_in(one.id)) {
                const std::uint64_t off = f.first_line > one.line ? f.first_line - one.line : one.line - f.first_line;
                const bool same = f.rule == one.rule || std::ranges::find(f.also, one.rule) != f.also.end();
                dated = dated || (same && off <= kRecordsOfThreeTurns);
            }
            CHECK(dated);
        }
    }

    TEST_CASE("no near miss has a finding above info") {
        for (const Case& one : index()) {
            if (!one.rule.empty()) continue;
            for (const Finding& f : found_in(one.id)) {
                CAPTURE(one.id);
                CAPTURE(f.message);
                CHECK(f.severity == Severity::info);
            }
        }
    }
}
