#pragma once

#include <agent_audit/simulator/policy.hpp>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace agent_audit::simulator {

/// Where a stage keeps a list of tools.
struct ToolsPlace {
    openclaw::ToolFilter* (*of)(Stage&);
    bool deny = false;
};
/// Where a stage keeps a parameter.
using ParamPlace =
    std::variant<double* (*)(Stage&), int* (*)(Stage&), bool* (*)(Stage&), std::string* (*)(Stage&), ToolsPlace>;

/// A parameter as files give it.
struct StageParam {
    std::string_view name;
    ParamPlace place;
    std::string_view doc;
    double min = 0, max = 1e9;
    bool whole = false;  ///< of things that are counted: no fractions

    bool is_whole() const { return whole || place.index() == 1; }
};

/// A kind of stage: its name in files, for summaries whose rules it follows, and how it is made.
struct StageKind {
    std::string_view kind, like, doc;
    Stage made;
    std::vector<StageParam> params;
};

/// All kinds, in the order of the documentation.
const std::vector<StageKind>& stage_kinds();

}  // namespace agent_audit::simulator
