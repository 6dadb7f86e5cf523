#include "support/places.hpp"

#include <agent_audit/detectors/detector.hpp>
#include <agent_audit/detectors/policy.hpp>
#include <agent_audit/pipeline/audit.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace agent_audit;
namespace fs = std::filesystem;

namespace {

fs::path root() { return test::project_folder(); }

fs::path data_of(const DetectorSpec& spec) {
    std::string folder(spec.id);
    std::ranges::replace(folder, '/', '-');
    return root() / "testdata/detectors" / folder;
}

std::vector<fs::path> cases(const DetectorSpec& spec, const std::string& verdict) {
    std::vector<fs::path> found;
    if (!fs::exists(data_of(spec))) return found;
    for (const auto& entry : fs::directory_iterator(data_of(spec))) {
        if (entry.path().filename().string().starts_with(verdict)) found.push_back(entry.path());
    }
    std::ranges::sort(found);
    return found;
}

// One "name=value" a line; most rules have none: their defaults must do. Constraints have a table of their own.
Settings settings_of(const DetectorSpec& spec) {
    Settings settings;
    std::ifstream in(data_of(spec) / "settings");
    for (std::string line; std::getline(in, line);) {
        const auto equals = line.find('=');
        const std::string name = line.substr(0, equals);
        const bool whole = name.starts_with("constraints.");
        settings.set(whole ? name : std::string(spec.id) + "." + name, {line.substr(equals + 1), "settings"});
    }
    return settings;
}

std::vector<Finding> findings(const DetectorSpec& spec, const fs::path& file) {
    AuditPlan plan;
    plan.inputs = {file.string()};
    plan.settings = settings_of(spec);
    plan.select = {std::string(spec.id)};  // rules in preview run only when asked for
    auto report = audit(plan);
    REQUIRE(report.has_value());
    REQUIRE(report->sessions.size() == 1);
    REQUIRE(report->ingest.bad() == 0);
    std::vector<Finding> found;
    for (const Finding& f : report->findings) {
        if (f.rule == spec.id) found.push_back(f);
    }
    return found;
}

}  // namespace

TEST_SUITE("rules are filed where their id says") {
    TEST_CASE("every rule has a source file named after its id") {
        for (const DetectorSpec& spec : all_detectors()) {
            CAPTURE(spec.id);
            std::string file(spec.id);
            std::ranges::replace(file, '-', '_');
            CHECK(fs::exists(root() / "src/detectors" / (file + ".cpp")));
        }
    }

    // Scans without settings do not ask.
    TEST_CASE("the warn counts that rules come with are not above their fail counts") {
        for (const DetectorSpec& spec : all_detectors()) {
            CAPTURE(spec.id);
            for (const Policy policy : {Policy::balanced, Policy::strict, Policy::permissive})
                CHECK(overtaken_counts(spec, with_policy(policy, {})).empty());
        }
    }

    TEST_CASE("every rule fires on its fires files and reaches its worst severity there") {
        for (const DetectorSpec& spec : all_detectors()) {
            CAPTURE(spec.id);
            REQUIRE(fs::exists(data_of(spec) / "fires.jsonl"));
            bool worst = false;
            for (const fs::path& file : cases(spec, "fires")) {
                CAPTURE(file.filename().string());
                const auto found = findings(spec, file);
                CHECK_FALSE(found.empty());
                for (const Finding& f : found) {
                    worst = worst || f.severity == spec.worst;
                    CHECK(f.severity <= spec.worst);
                    CHECK(f.code == spec.code);
                }
            }
            CHECK(worst);
        }
    }

    TEST_CASE("every rule is silent on its quiet files") {
        for (const DetectorSpec& spec : all_detectors()) {
            CAPTURE(spec.id);
            REQUIRE(fs::exists(data_of(spec) / "quiet.jsonl"));
            for (const fs::path& file : cases(spec, "quiet")) {
                CAPTURE(file.filename().string());
                CHECK(findings(spec, file).empty());
            }
        }
    }

    TEST_CASE("every rule has a near miss: a quiet file with a reason in its name") {
        for (const DetectorSpec& spec : all_detectors()) {
            CAPTURE(spec.id);
            CHECK_FALSE(cases(spec, "quiet-").empty());
        }
    }

    TEST_CASE("every folder of detector data belongs to a rule") {
        for (const auto& entry : fs::directory_iterator(root() / "testdata/detectors")) {
            CAPTURE(entry.path().filename().string());
            CHECK(std::ranges::any_of(all_detectors(), [&](const DetectorSpec& spec) {
                return data_of(spec).filename() == entry.path().filename();
            }));
        }
    }

    TEST_CASE("only a rule that is off by default comes with settings") {
        for (const DetectorSpec& spec : all_detectors()) {
            CAPTURE(spec.id);
            if (fs::exists(data_of(spec) / "settings"))
                CHECK((spec.id.starts_with("budget/") || spec.id.starts_with("constraint/")));
        }
    }
}
