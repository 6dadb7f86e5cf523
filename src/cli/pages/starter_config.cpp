#include "cli/pages/starter_config.hpp"

namespace agent_audit::cli {

std::string_view starter_config() {
    return R"toml(# Settings of agent-audit, for this folder and all below. agent-audit config check tells about mistakes.
fail-on = "error"                      # exit 1 from here on: error, warning, info or never
policy = "balanced"                    # what repetition is an error: balanced, strict or permissive

# ignore = ["loop/monologue-near"]     # rules or groups that do not run: agent-audit rules lists them

# [rules."loop/exact-repeat"]          # thresholds of one rule: agent-audit explain loop/exact-repeat
# warn = 3
# fail = 5

# [budget]                             # what one session may take
# session-tokens = 2_000_000
# cost-usd = 20.0

# [[tool-class]]                       # calls that are meant to be repeated
# match = { tool = "Bash", command = "^(sleep|gh run watch|kubectl get)\\b" }
# class = "polling"

# [[suppress]]                         # a finding that is lived with, and until when
# rule = "loop/cycle"
# match = { tool = "mcp__gdb__next" }
# reason = "debugger stepping"
# until = 2099-12-31
)toml";
}

}  // namespace agent_audit::cli
