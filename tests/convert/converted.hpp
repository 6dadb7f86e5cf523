#pragma once

#include "pipeline/files.hpp"

#include <agent_audit/convert/converter.hpp>
#include <agent_audit/pipeline/stream.hpp>

#include <nlohmann/json.hpp>

#include <sstream>
#include <string>
#include <vector>

namespace agent_audit::test {

/// What `convert --to FORMAT` writes for these inputs.
inline std::string converted(std::string_view to, std::vector<std::string> inputs,
                             const ConverterOptions& options = {}) {
    std::string out;
    const auto converter = find_converter(to)->make(options, [&out](std::string_view piece) {
        out += piece;
        return true;
    });
    StreamPlan plan;
    plan.inputs = std::move(inputs);
    const auto outcome = stream_events(plan, *converter);
    REQUIRE(outcome.has_value());
    converter->finish();
    return out;
}

/// Lone surrogates stay what they were, but the JSON library of the tests takes none.
inline std::string without_lone_surrogates(std::string text) {
    for (auto at = text.find("\\ud800"); at != text.npos; at = text.find("\\ud800", at)) text.replace(at, 6, "\\ufffd");
    return text;
}

inline std::vector<nlohmann::json> json_lines(const std::string& text) {
    std::vector<nlohmann::json> lines;
    std::istringstream in(without_lone_surrogates(text));
    for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
}

/// Every file below that a reader may be asked to read, whatever it is called: formats come and go.
inline std::vector<fs::path> all_files(const fs::path& folder) {
    std::vector<fs::path> found;
    if (!fs::exists(folder)) return found;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file() && entry.path().extension() != ".events") found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end());
    return found;
}

inline fs::path corpus() { return project() / "../shared/corpus"; }

}  // namespace agent_audit::test
