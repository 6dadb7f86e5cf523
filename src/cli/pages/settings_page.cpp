#include "cli/pages/rule_page.hpp"
#include "cli/pages/table_cell.hpp"

#include <agent_audit/pipeline/run_settings.hpp>

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>

namespace agent_audit::cli {
namespace {

constexpr std::string_view kPolicies = R"(## Policies

A rule counts, and says warning from its warn count on and error from its fail count on; below its warn count it says
nothing at all, so who raises the one raises the other. `--policy` says how much of that a run puts up with; the report
names the policy it was made under.

| Policy | Fail counts | What the agent got out of by itself |
|---|---|---|
| `permissive` | doubled | is never an error |
| `balanced` (default) | as each rule has them | is an error only when 10 steps or more were wasted, else a warning; a warning with other steps between the repeats is a note |
| `strict` | the warn counts | makes no difference |

The agent *got out* when at least three new, successful steps follow. A fail count that was set with `--set` is neither
doubled nor lowered. Findings a rule never gives more than a warning for stay warnings.

## What every rule takes

Beside its own parameters (`agent-audit explain RULE`) every rule takes `severity`: `error`, `warning` or `info` for all of its
findings, or `off`. Rules with a warn count take `min-repeats` for it: a warning from there on, and no error before. A rule that
looks at conversations takes its parameters for one tool as well, for findings about calls of that tool alone:
`--set loop/exact-repeat.per-tool.Bash.fail=8`. All of this may stand in [agent-audit.toml](config.md).

## Error classes

A failing call has a class, by what its result says; findings about failing calls name it (`error_class`), and the
report counts failures by it for each tool. The repeat rules wait longer when the class is `transient`. Calls that a
human denied are counted, and are evidence of nothing. Those that a permission rule, a hook or a mode denied, or for
which there was nobody to ask, are failures like others: the rule will say no again. Asked in this order: patterns set
by the user; `user-denied`, `infrastructure` and `transient` phrases; status codes; `persistent` phrases. What matches
nothing is `unknown`. A check that counts its failures ("1 failed") and says only that it timed out is `persistent`.
Only the first and the last 256 bytes of a result are looked at.
)";

// The first line of a default in a table; several lines are a list below.
std::string standard(const RunSettingDoc& doc) {
    return doc.key.starts_with("errors.") && !doc.key.ends_with("-codes") ? "see below"
           : doc.standard.empty()                                         ? "none"
                                                                          : doc.standard;
}

// Lines of a list, cut after commas.
std::string wrapped(std::string_view list) {
    constexpr std::size_t kWidth = 118;
    std::string out;
    while (list.size() > kWidth) {
        const std::size_t cut = list.rfind(", ", kWidth);
        if (cut == list.npos) break;
        out.append(list.substr(0, cut + 1)).append("\n");
        list.remove_prefix(cut + 2);
    }
    return out.append(list).append("\n");
}

}  // namespace

std::string settings_page() {
    std::string page = "# Settings\n\n";
    page +=
        "What holds for every rule: how patient a run is, how errors are told apart, and tables that a run may know "
        "better.\n\n";
    page += kPolicies;
    page +=
        "\n## Tables\n\nGiven as `--set KEY=VALUE`, as often as needed, or one of them as `AGENT_AUDIT_SET`.\n\n"
        "| Key | Value | Default | |\n|---|---|---|---|\n";
    const auto docs = run_settings();
    for (const RunSettingDoc& doc : docs) {
        page += fmt::format("| `{}` | {} | {} | {} |\n", doc.key, cell(doc.value), cell(standard(doc)), cell(doc.doc));
    }
    page +=
        "\n## Phrases of the error classes\n\nWhole words, whatever the case; between them may be blanks, marks or an "
        "underscore. `*` stands for anything without a blank, `#` for the same with a digit first. Patterns of a user "
        "are regular expressions (RE2) and match anywhere.\n";
    for (const RunSettingDoc& doc : docs) {
        if (standard(doc) != "see below") continue;
        page += fmt::format("\n`{}`:\n\n```\n{}```\n", doc.key, wrapped(doc.standard));
    }
    page +=
        "\n## Examples\n\n```sh\n"
        "agent-audit --set tools.class.run_suite=verify logs/\n"
        "agent-audit --set calls.volatile-fields=session,cursor logs/\n"
        "agent-audit --set calls.identity.search_docs=query logs/\n"
        "agent-audit --set 'errors.transient=lease expired' --set errors.persistent-codes=418 logs/\n"
        "agent-audit --set engine.segment=session --policy strict logs/\n```\n";
    return page;
}

}  // namespace agent_audit::cli
