#include "pipeline/files.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <map>

// Labelled and real sessions lie beside the project, not in it: without them these tests say so and pass.

using namespace agent_audit;
using namespace agent_audit::test;
using nlohmann::json;

namespace {

fs::path shared() { return project() / "../shared"; }

bool absent(const fs::path& folder) {
    if (fs::exists(folder)) return false;
    MESSAGE("skipped: " << folder.lexically_relative(project()).string() << " is not there");
    return true;
}

std::vector<json> records(const fs::path& file) {
    std::vector<json> out;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        if (!line.empty()) out.push_back(json::parse(line));
    }
    return out;
}

bool is_drift(const Finding& finding) { return std::string_view(finding.rule).starts_with("drift/"); }

}  // namespace

TEST_SUITE("labelled drift") {
    TEST_CASE("sessions continued with another task are told from those that are not, and dated within five lines") {
        const fs::path folder = shared() / "labelled/splice-drift";
        if (absent(folder)) return;
        const Report report = report_of({(folder / "traces").string()});
        std::map<std::string, std::uint64_t> first;  // onset by trace
        for (const Finding& f : report.findings) {
            if (!is_drift(f)) continue;
            std::uint64_t& line = first[fs::path(report.inputs[report.sessions[f.session].input].path).stem().string()];
            line = line == 0 ? f.first_line : std::min(line, f.first_line);
        }
        std::map<std::string, std::uint64_t> onset;
        for (const json& label : records(folder / "labels.jsonl"))
            onset[label["trace_id"]] = label["line"].get<std::uint64_t>() + 1;
        double found = 0, wrong = 0, missed = 0, dated = 0;
        for (const json& trace : records(folder / "index.jsonl")) {
            const std::string id = trace["trace_id"];
            const bool drifts = trace["truth"]["drift"];
            const bool marked = first.contains(id);
            found += drifts && marked;
            wrong += !drifts && marked;
            missed += drifts && !marked;
            if (!drifts || !marked) continue;
            const auto [low, high] = std::minmax(first[id], onset[id]);
            dated += high - low <= 5;
        }
        REQUIRE(found + missed > 0);
        CHECK(2 * found / (2 * found + wrong + missed) >= 0.95);
        CHECK(dated >= 0.9 * found);
    }

    // Each of them was read and says what is so; false ones count against the limit all the same.
    TEST_CASE("warnings on real sessions are at most one in 1,000 steps, findings of any severity at most two") {
        const fs::path folder = shared() / "corpus";
        if (absent(folder)) return;
        const Report report = report_of({(folder / "claude-code").string(), (folder / "codex").string()});
        std::uint64_t warnings = 0, all = 0;
        for (const Finding& f : report.findings) {
            if (!is_drift(f) && !std::string_view(f.rule).starts_with("loop/")) continue;
            ++all;
            warnings += f.severity != Severity::info;
            MESSAGE(report.inputs[report.sessions[f.session].input].path << ": " << f.message);
        }
        CHECK(report.counts.steps > 1000);
        CHECK(warnings * 1000 <= report.counts.steps);
        CHECK(all * 1000 <= 2 * report.counts.steps);
    }
}
