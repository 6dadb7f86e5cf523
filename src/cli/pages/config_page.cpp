#include "cli/pages/config_page.hpp"

#include "cli/pages/table_cell.hpp"
#include "cli/settings/config.hpp"
#include "cli/settings/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace agent_audit::cli {
namespace {

constexpr std::string_view kHead = R"(# agent-audit.toml

Settings come from, strongest first: the command line, the environment (`AGENT_AUDIT_<FLAG>`), `agent-audit.toml` (the
nearest one from the working directory upwards to the root of the repository), and the user's own file
(`$XDG_CONFIG_HOME/agent-audit/config.toml`, by default below `~/.config`). `--config FILE` stands in the place of both
files, `--no-config` of none. What a weaker place says holds where a stronger one is silent; lists replace each other,
while rule parameters, patterns of errors and suppressions add up.

Files are read strictly: an unknown key, a value of the wrong type, an unknown rule or a broken regular expression is exit
code 2, with file, line and the nearest known name. `agent-audit config check` says so without an audit, `agent-audit config
show` prints what holds and who said it, and `agent-audit schema config` is a JSON Schema for editors.

## Options

| Key | Value | Default | |
|---|---|---|---|
)";

constexpr std::string_view kRules = R"(
Paths (`baseline`, `prices`) are meant from the folder of the file. Files that are written are named on the command line
only: a repository that is cloned must not choose what is overwritten.

`extends = "strict"` names a policy (`balanced`, `strict`, `permissive`) or another file, over which this one is laid.

## Rules

```toml
[rules."loop/exact-repeat"]
severity = "warning"          # error, warning, info, or off
warn = 4                      # any parameter of the rule: agent-audit explain loop/exact-repeat
[rules."loop/exact-repeat".per-tool.Bash]
fail = 8                      # for findings about calls of Bash alone
```

The id or the code names the rule. `severity` is then that of all its findings, whatever the rule itself would say.
`min-repeats` may be said for `warn`: a warning from that count on, and no error before it. What is set under `per-tool`
holds for findings all of whose calls are of that tool; names are compared in snake_case, with or without the
`mcp__server__` in front.

## Budget

Limits of one session, for the rule [budget/limits](rules/budget-limits.md). 0, or silence, is no limit.

| Key | Limit |
|---|---|
)";

constexpr std::string_view kRest = R"(
`window-share` may be written as percent (`80`, `77.5`) or, up to 1, as a share (`0.8`); here, under
`[rules."budget/limits"]` and with `--set` alike.

## Tools and errors

```toml
[[tool-class]]                # calls that are allowed to repeat, or are of some other class
match = { tool = "Bash", command = "^(sleep|gh run watch|kubectl get)\\b" }
class = "polling"

[tools.class]
run_suite = "verify"
[calls]
volatile-fields = ["session", "cursor"]
[calls.identity]
search_docs = ["query"]
[errors]
transient = ["lease expired"]
persistent-codes = [418]
[engine]
segment = "session"
```

A `[[tool-class]]` needs a tool, a command (a regular expression, found anywhere in the first 4 KiB of it), or both; of
several that match a call the first counts. `polling` is the class `poll`. The other tables are the
[settings](settings.md) of `--set`.

## Prices of models

`prices = "FILE"` (or `--prices FILE`) is a JSON file that is put beside the shipped prices: what it says of a model counts,
what it leaves out stays as shipped, the prices of the cache among it.

```json
{"models": {"our-model": {"input": 3, "output": 15, "cache_read": 0.3, "context_window": 200000,
                          "tiers": [{"input_tokens_above": 200000, "input": 6, "output": 22.5}]}}}
```

| Key of a model | |
|---|---|
| `input`, `output` | USD per million tokens |
| `cache_read`, `cache_write`, `cache_write_1h` | the same for prompts that are read from the cache, or written to it for 5 minutes or an hour; absent or 0, as price lists write it: no price of its own, billed like `input` |
| `context_window`, `max_output` | tokens |
| `tiers` | list of prices from a prompt length on: `input_tokens_above`, and any of the five prices |
| `provider` | whose rules of caching hold, as in the shipped table |

`note`, `src`, `tiers_src` and `cache_ttl_s` may stand there and are not read; any other key is an error.

## Suppressions

```toml
[[suppress]]
rule   = "loop/cycle"         # id, code or group
match  = { tool = "mcp__gdb__next" }
reason = "debugger stepping"
until  = 2027-01-31
```

| Key of `match` | Holds when |
|---|---|
| `tool` | a call of the finding is of this tool (`*` and `?` as in a shell) |
| `command` | the regular expression is found in the main argument of such a call: the command of a shell, the path of a read; its first 112 bytes are kept |
| `path` | the recording is at this path, as it was named or from the folder of this file; `*` stays within a folder, `**` crosses folders, a glob without a slash is held against the last part |
| `project` | the session began in this folder or below it; a plain word is the last part of that folder |
| `session` | the session has this id (`*` and `?` as in a shell) |

All that are given must hold, `tool` and `command` for the same call. A reason is needed. `until` is the last day (UTC) on
which the suppression holds; `AGENT_AUDIT_NOW` sets the day. A suppression that has ended, or that silences nothing though its
rule ran on a session it is about, is a note of severity info. Suppressed findings are in JSON and NDJSON with `suppressed`, and
never in a count or an exit code.

## Baseline

`.agent-audit-baseline.json` (or `--baseline FILE`, or `baseline = "FILE"`) holds findings that were there before. A finding is
known when its rule and pattern are in the file and there are no more of them than were recorded; of more, those that the file
names are the old ones, and otherwise the first. A finding that is more severe than the `severity` of its entry counts as a new
one; an entry without that key knows of everything, and where the run has another policy than the entry, or the settings say the
rule's severity, severities are not compared. Known findings are in JSON and NDJSON with `"baseline_state": "unchanged"`, and
never in a count or an exit code. The pattern (`agentAuditPattern/v1`) is made of the rule, the actions and the class of the
outcome, and holds no path, line, time, count or severity: it is the same in another session and on another machine. The finding
(`agentAuditFinding/v1`) is made of rule, session and first call, and is the same when the recording grows.
)";

std::string_view words(OptionType type) {
    switch (type) {
        case OptionType::text: return "text";
        case OptionType::number: return "number";
        case OptionType::flag: return "true or false";
        case OptionType::list: return "text or list of texts";
        case OptionType::path: return "path";
        case OptionType::size: return "text such as 64M";
    }
    return "";
}

}  // namespace

std::string config_page() {
    std::string page(kHead);
    for (const ConfigKey& known : config_keys()) {
        const std::string name = "--" + std::string(known.option.key);
        const auto flag = std::ranges::find(scan_flags(), std::string_view(name), &FlagSpec::long_name);
        page += fmt::format("| `{}` | {} | {} | {} |\n", known.option.key, words(known.option.type),
                            known.standard.empty() ? "" : fmt::format("`{}`", known.standard), cell(flag->doc));
    }
    page += kRules;
    for (const BudgetKey& key : budget_keys()) page += fmt::format("| `{}` | {} |\n", key.key, key.doc);
    return page.append(kRest);
}

}  // namespace agent_audit::cli
