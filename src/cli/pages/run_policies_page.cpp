#include "cli/pages/run_policies_page.hpp"

#include <agent_audit/policy/policy_file.hpp>

#include <fmt/format.h>

namespace agent_audit::cli {
namespace {

constexpr std::string_view kIntro =
    "# Policies of runs\n\n"
    "What `agent-audit replay --policy NAME|FILE` supervises a run by. How the engine works is told in [the "
    "supervisor](../explanation/supervisor.md); how to choose one, in [choose a policy for your "
    "CI](../how-to/choose-a-policy.md). Policies of context management (`replay --context`) are [another "
    "thing](policies.md).\n\n"
    "A policy file is TOML. Every key is optional but `version`; what a file does not say comes from what it "
    "`extends`, else from the default. `agent-audit policy check FILE` tells every mistake, `agent-audit policy show "
    "--origin FILE` where each value comes from, `agent-audit schema policy` is the JSON Schema for editors.\n\n";

std::string in_table(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '|') out += '\\';
        out += c;
    }
    return out;
}

}  // namespace

std::string run_policies_page() {
    std::string page(kIntro);
    page += "## Actions\n\n| Action | What would be done |\n|---|---|\n";
    for (std::size_t i = 0; i < policy::kActions; ++i)
        page += fmt::format("| `{}` | {} |\n", policy::kActionNames[i], policy::kActionDocs[i]);
    page += "\n## Keys\n\n| Key | Takes | Default | Meaning |\n|---|---|---|---|\n";
    for (const policy::KeyDoc& key : policy::policy_keys()) {
        page += fmt::format("| `{}` | {} | {} | {} |\n", key.key, in_table(key.takes),
                            key.standard.empty() ? std::string() : "`" + key.standard + "`", in_table(key.doc));
    }
    page += "\nNames with a slash or a dot are quoted: `[rules.\"loop/exact-repeat\"]`.\n\n## Built in\n";
    for (const policy::BuiltIn& one : policy::built_in_policies()) {
        page += fmt::format("\n### {}\n\n{}.\n\n```toml\n{}```\n", one.name, one.summary, one.text);
    }
    page +=
        "\nThe presets named after agents react to that agent's own detector, emulated as `scan --as` does. Left out: "
        "Gemini CLI's judge model and OpenClaw's second chance after a blocked batch.\n";
    return page;
}

}  // namespace agent_audit::cli
