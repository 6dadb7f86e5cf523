#pragma once

#include <agent_audit/simulator/js_value.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Cases that say what the real programs answer: {name, oracle, note, input, expected: {variant: output}}.
namespace agent_audit::test {

struct Verdict {
    std::string name;
    std::string difference;  ///< empty: the answer is theirs, byte for byte
    bool passed() const { return difference.empty(); }
};

/// What our stages answer to a case; nullopt when they know neither its oracle nor its operation.
std::optional<simulator::JsValue> answer(std::string_view oracle, std::string_view variant,
                                         const simulator::JsValue& input);

/// Where two values differ first, as a path and both sides; empty when both are written the same.
std::string first_difference(const simulator::JsValue& expected, const simulator::JsValue& got,
                             const std::string& path);

Verdict judge(std::string_view file_text);
/// All *.json of a folder, sorted by name.
std::vector<Verdict> judge_folder(const std::filesystem::path& folder);

}  // namespace agent_audit::test
