#pragma once

#include <agent_audit/simulator/policy.hpp>
#include <agent_audit/support/result.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Policies of the user's own, from a file (config/stage_file.hpp). The same table reads the parameters, shows the
/// values of built-in policies and writes the reference.
namespace agent_audit::simulator {

/// A policy that owns its names and stages.
struct CustomPolicy {
    std::string name, doc;
    std::vector<Stage> stages;
    /// Valid as long as this lives.
    Policy policy() const { return {name, doc, stages, {}, {}}; }
};
/// Strict: an unknown stage or parameter is an error with its line and the nearest name there is.
Result<CustomPolicy> parse_custom_policy(std::string_view text, std::string_view source);

/// A parameter of a kind of stage, as reference pages show it.
struct StageParamDoc {
    std::string name, type, default_value, range, doc;
};
/// A kind of stage that a file may name.
struct StageDoc {
    std::string kind, doc;
    std::vector<StageParamDoc> params;
};
/// All of them, in the order of the reference page.
std::vector<StageDoc> stage_docs();

/// A stage of a policy and its parameters that differ from the defaults of its kind.
struct StageValues {
    std::string kind;
    std::vector<std::pair<std::string, std::string>> values;
};
/// As a file would name them.
StageValues values_of(const Stage& stage);

}  // namespace agent_audit::simulator
