#include <agent_audit/policy/policy_file.hpp>

#include <algorithm>
#include <array>

namespace agent_audit::policy {
namespace {

constexpr std::string_view kPermissive = R"(version = 1
doc = "Patient: speaks up late, and ends only what goes on for long."
patience = "permissive"
fail-on = "unrecovered-error"
ladder = ["notify", "reflect", "reset-context", "stop"]

[escalation]
persist = 4
cool-down = 3
calm = 3

[rung.notify]
on = "error"

[rung.stop]
persist = 6
confidence = 0.85
)";

constexpr std::string_view kBalanced = R"(version = 1
doc = "Tells the model early, rolls back before it stops, and stops only what is surely a loop and goes on after all that."
patience = "balanced"
fail-on = "unrecovered-error"
ladder = ["notify", "rollback", "stop"]

[escalation]
persist = 1
cool-down = 1
calm = 5

[rung.rollback]
on = "warning"

[rung.stop]
on = "warning"
confidence = 0.8

[back-off]
retries = 5

[breaker]
failures = 8
)";

constexpr std::string_view kStrict = R"(version = 1
doc = "For CI: warn counts are fail counts, one message that makes the model think, then the run ends."
patience = "strict"
fail-on = "unrecovered-error"
ladder = ["reflect", "stop"]

[escalation]
persist = 1
cool-down = 1
calm = 8

[rung.reflect]
on = "warning"

[rung.stop]
confidence = 0.75

[back-off]
retries = 3

[breaker]
failures = 5
)";

constexpr std::string_view kGeminiCli = R"(version = 1
doc = "What Gemini CLI's loop detection does: the first loop of a prompt is told to the model, the second ends the run; 100 turns a prompt at most."
fail-on = "stop"
react-to-rules = false
follow = ["gemini-cli"]
ladder = ["notify", "stop"]

[limits]
responses-per-prompt = 100
)";

constexpr std::string_view kOpenClaw = R"(version = 1
doc = "What OpenClaw's loop detection does when it is switched on: warnings go into tool results, critical loops end the run."
fail-on = "stop"
react-to-rules = false
follow = ["openclaw"]
ladder = ["notify", "stop"]
)";

constexpr std::string_view kOpenHands = R"(version = 1
doc = "What OpenHands' stuck detector does: the run ends; 500 iterations at most."
fail-on = "stop"
react-to-rules = false
follow = ["openhands"]
ladder = ["notify", "stop"]

[limits]
responses = 500
)";

constexpr std::string_view kReflective = R"(version = 1
doc = "Never stops: makes the model think after failures (critical), when it spins, and every five responses (standard)."
fail-on = "never"
ladder = ["reflect"]

[rung.reflect]
on = "warning"

[reflection]
on-pattern = "standard"
on-failure = "critical"
iterations = 5
on-iterations = "standard"
)";

constexpr std::string_view kEscape = R"(version = 1
doc = "Looks for another way out: sequences of three or more calls that come back within a minute, three retries, a breaker for 30 seconds."
fail-on = "never"
react-to-rules = false
follow = ["sequence-hash"]
ladder = ["explore"]

[back-off]
retries = 3

[breaker]
failures = 5
open-ms = 30000
)";

constexpr std::string_view kDriftGuard = R"(version = 1
doc = "Keeps a long run on its way: reflection and checkpoint every five responses and when the goal's words are no longer met, a fresh context when it is full or nothing new is tried, limits of 50 calls, a million characters, an hour."
fail-on = "stop"
react-to-rules = false
ladder = ["reflect"]

[reflection]
every-turns = 5
on-interval = "standard"

[checkpoint]
every-turns = 5

[limits]
calls = 50
characters = 1000000
minutes = 60

[similarity]
below = 0.3
window = 5

[stagnation]
distinct = 2
window = 5

[context]
characters = 100000
share = 0.7
)";

constexpr std::array kTable{
    BuiltIn{"permissive", "patient: speaks up late, ends only what goes on for long", kPermissive},
    BuiltIn{"balanced", "tells the model early, rolls back before it stops", kBalanced},
    BuiltIn{"strict", "for CI: the first repetition counts, and the run ends soon", kStrict},
    BuiltIn{"gemini-cli", "Gemini CLI's own loop detection and its reactions", kGeminiCli},
    BuiltIn{"openclaw", "OpenClaw's own loop detection and its reactions", kOpenClaw},
    BuiltIn{"openhands", "OpenHands' stuck detector and its reactions", kOpenHands},
    BuiltIn{"reflective", "makes the model think instead of stopping it", kReflective},
    BuiltIn{"escape", "retries with back-off, breakers, another path", kEscape},
    BuiltIn{"drift-guard", "reflection and checkpoints by the clock, limits, fresh contexts", kDriftGuard},
};

}  // namespace

std::span<const BuiltIn> built_in_policies() { return kTable; }

const BuiltIn* find_built_in(std::string_view name) {
    const auto found = std::ranges::find(kTable, name, &BuiltIn::name);
    return found == kTable.end() ? nullptr : &*found;
}

std::string starter_policy() {
    return R"(# A policy for agent-audit replay --policy THIS-FILE. agent-audit policy check THIS-FILE tells about mistakes.
version = 1
extends = "strict"                 # a built-in policy (agent-audit policy lists them) or a file
doc = "What our CI puts up with"

# What makes the exit status 1: never, stop, unrecovered-error, error, warning or intervention.
fail-on = "unrecovered-error"

# What is done about a repetition, the mildest first; each rung when the one before did not help.
# ladder = ["notify", "reflect", "stop"]

# [escalation]
# persist = 1                      # responses in which the pattern goes on before the next rung
# calm = 8                         # new, successful calls until the ladder is climbed down one rung

# [rules."loop/exact-repeat"]
# fail = 4
# [rules."loop/exact-repeat".per-tool.Bash]
# warn = 5

# [per-tool.Bash]
# substitute = "Grep"              # offered by the rung substitute-tool

# [limits]
# cost-usd = 20.0
# warn-at = 0.8
)";
}

}  // namespace agent_audit::policy
