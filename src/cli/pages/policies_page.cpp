#include "cli/pages/policies_page.hpp"

#include <agent_audit/simulator/custom.hpp>
#include <agent_audit/simulator/policy.hpp>

#include <fmt/format.h>

#include <string_view>

namespace agent_audit::cli {
namespace {

constexpr std::string_view kIntro =
    "# Context policies\n\n"
    "A policy is what an agent does to its own history before it sends it. It is an ordered list of stages; a "
    "recording is replayed under it as if that agent had managed the context.\n\n"
    "Figures are those that the agents publish; a value is named below where it differs from the default of its stage. "
    "Tokens are each policy's own estimate unless the provider counted them.\n";

constexpr std::string_view kCustom =
    "\n## A policy of your own\n\n"
    "A TOML file names the stages in their order. What is not given keeps its default. An unknown key, stage or "
    "parameter is an error that names the line and the nearest name there is.\n\n"
    "```toml\n"
    "name = \"careful\"\n"
    "doc = \"clears early, summarises late\"\n\n"
    "[[stage]]\n"
    "kind = \"clear_results\"\n"
    "trigger_tokens = 40000\n"
    "keep = 5\n"
    "exclude = [\"read_plan\"]\n\n"
    "[[stage]]\n"
    "kind = \"summarise\"\n"
    "like = \"codex\"\n"
    "window_share = 0.95\n"
    "```\n\n"
    "| Key | Type | Meaning |\n|---|---|---|\n"
    "| `name` | text | shown in reports; `custom` when it is left out |\n"
    "| `doc` | text | one sentence about it |\n"
    "| `[[stage]]` | list of tables | at least one, of `summarise` and `overflow_recovery` one at most; `kind` says "
    "which, `summarise` takes `like` (`pi` when left out) |\n";

void add_policy(std::string& page, const simulator::Policy& policy) {
    page += fmt::format("\n### {}\n\n{}.\n", policy.name, policy.doc);
    if (!policy.stages.empty()) page += '\n';
    int number = 0;
    for (const simulator::Stage& stage : policy.stages) {
        const simulator::StageValues values = simulator::values_of(stage);
        page += fmt::format("{}. `{}`", ++number, values.kind);
        std::string_view between = ": ";
        for (const auto& [name, value] : values.values) {
            page += fmt::format("{}{} `{}`", between, name, value);
            between = ", ";
        }
        page += '\n';
    }
    if (!policy.source.empty()) page += fmt::format("\nRules from: {}.\n", policy.source);
    if (!policy.left_out.empty()) {
        page +=
            fmt::format("\nLeft out or assumed: {}{}\n", policy.left_out, policy.left_out.ends_with('.') ? "" : ".");
    }
}

void add_stage(std::string& page, const simulator::StageDoc& stage) {
    page += fmt::format("\n### {}\n\nWhat it does: {}.\n", stage.kind, stage.doc);
    if (stage.params.empty()) return;
    page += "\n| Parameter | Type | Default | Range | Meaning |\n|---|---|---|---|---|\n";
    for (const simulator::StageParamDoc& param : stage.params) {
        page += fmt::format("| `{}` | {} | `{}` | {} | {} |\n", param.name, param.type, param.default_value,
                            param.range, param.doc);
    }
}

}  // namespace

std::string policies_page() {
    std::string page(kIntro);
    page += "\n## Built in\n";
    for (const simulator::Policy& policy : simulator::all_policies()) add_policy(page, policy);
    page += kCustom;
    page += "\n## Stages\n";
    for (const simulator::StageDoc& stage : simulator::stage_docs()) add_stage(page, stage);
    return page;
}

}  // namespace agent_audit::cli
