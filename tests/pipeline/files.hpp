#pragma once

#include "support/places.hpp"

#include <agent_audit/pipeline/audit.hpp>
#include <agent_audit/report/renderer.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::test {

namespace fs = std::filesystem;

inline fs::path project() { return project_folder(); }

inline std::string content(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// A scratch folder that goes away with the test.
class Folder {
public:
    Folder() {
        std::string name = (fs::temp_directory_path() / "agent-audit-pipeline-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()));
        path_ = name;
    }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::string write(const std::string& name, std::string_view bytes) const {
        fs::create_directories((path_ / name).parent_path());
        std::ofstream(path_ / name, std::ios::binary) << bytes;
        return (path_ / name).string();
    }
    std::string operator/(const std::string& name) const { return (path_ / name).string(); }
    std::string str() const { return path_.string(); }

private:
    fs::path path_;
};

/// Every file below `folder` that is a recording.
inline std::vector<fs::path> recordings(const fs::path& folder) {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        const auto kind = entry.path().extension();
        if (entry.is_regular_file() && (kind == ".jsonl" || kind == ".json")) found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end());
    return found;
}

inline Report report_of(const AuditPlan& plan) {
    auto report = audit(plan);
    REQUIRE_MESSAGE(report.has_value(), (report.has_value() ? std::string() : report.error().message));
    return std::move(*report);
}
inline Report report_of(std::vector<std::string> inputs, std::string format = {}) {
    AuditPlan plan;
    plan.inputs = std::move(inputs);
    plan.input_format = std::move(format);
    return report_of(plan);
}

inline std::string json_of(const Report& report) {
    std::string out;
    find_renderer("json")->render(report, {}, [&out](std::string_view piece) {
        out += piece;
        return true;
    });
    return out;
}

inline std::size_t findings_of(const Report& report, std::string_view rule) {
    return static_cast<std::size_t>(std::ranges::count(report.findings, rule, &Finding::rule));
}

}  // namespace agent_audit::test
