#include "cli/pages/reference_pages.hpp"

#include "cli/arguments/command_spec.hpp"
#include "cli/pages/config_page.hpp"
#include "cli/pages/environment.hpp"
#include "cli/pages/policies_page.hpp"
#include "cli/pages/rule_page.hpp"
#include "cli/pages/run_policies_page.hpp"
#include "cli/pages/table_cell.hpp"
#include "report/redaction/redact_kinds.hpp"
#include "report/words/human.hpp"

#include <agent_audit/detectors/detector.hpp>
#include <agent_audit/model/ingest.hpp>
#include <agent_audit/pipeline/discover.hpp>
#include <agent_audit/profiles/profile.hpp>
#include <agent_audit/readers/locations.hpp>
#include <agent_audit/readers/reader.hpp>
#include <agent_audit/report/renderer.hpp>
#include <agent_audit/report/schema.hpp>

#include <fmt/format.h>

#include <iterator>

namespace agent_audit::cli {
namespace {

constexpr std::string_view kNotice =
    "<!-- Written by `agent-audit reference`; change the program, not this page. -->\n\n";

std::string titled(std::string_view title) { return fmt::format("{}# {}\n\n", kNotice, title); }

// A cell must not end early.
void add_flag(std::string& page, const FlagSpec& flag) {
    std::string names(flag.names);
    if (const std::size_t comma = names.find(','); comma != names.npos) names.replace(comma, 1, "`, `");
    page += fmt::format("| `{}{}{}` | {} | {} |\n", names, flag.is_switch() ? "" : " ", flag.value,
                        flag.environment ? "`" + environment_name(flag) + "`" : "", cell(flag.doc));
}

void add_command(std::string& page, const CommandSpec& command) {
    page += fmt::format("## {}\n\n`agent-audit {} [OPTIONS]{}{}`\n\n{}\n", command.name, command.name,
                        command.operands.empty() ? "" : " ", command.operands, command.details);
    for (const Example& example : command.examples) {
        page += fmt::format("\n- `{}`: {}", example.line, example.doc);
    }
    page += "\n\n";
    if (command.flags.empty()) return;
    page += "| Flag | Environment | Meaning |\n|---|---|---|\n";
    for (const FlagSpec& flag : command.flags) add_flag(page, flag);
    page += '\n';
}

// The flags that every command has.
void add_common(std::string& page) {
    page += "## Every command\n\n| Flag | Environment | Meaning |\n|---|---|---|\n";
    for (const FlagSpec& flag : kCommonFlags) add_flag(page, flag);
    page += '\n';
}

std::string cli_page() {
    std::string page = titled("Command line");
    page +=
        "`agent-audit INPUT...` without a command is `agent-audit scan INPUT...`. Options may stand before or after "
        "operands, `--` ends them, and `--help` and `--version` work with every command. A flag on the command line "
        "wins over its environment variable.\n\n";
    for (const CommandSpec& command : all_commands()) {
        if (!command.hidden) add_command(page, command);
    }
    add_common(page);
    page += "## Formats of the result\n\n| Name | |\n|---|---|\n";
    for (const RendererSpec& renderer : all_renderers()) {
        page += fmt::format("| `{}` | {} |\n", renderer.id, cell(renderer.summary));
    }
    page +=
        "\n## Other variables\n\n"
        "`--color` wins. Then colour is decided in this order: `NO_COLOR`, `CLICOLOR_FORCE`, `FORCE_COLOR`, "
        "`CLICOLOR`, `TERM=dumb`; otherwise a terminal is coloured and a pipe is not.\n\n| Variable | Meaning "
        "|\n|---|---|\n";
    for (const VariableDoc& variable : kVariables)
        page += fmt::format("| `{}` | {} |\n", variable.name, cell(variable.doc));
    return page;
}

std::string exit_codes_page() {
    std::string page = titled("Exit codes");
    page += "| Code | Meaning |\n|---|---|\n";
    for (const ExitStatusDoc& row : kExitStatuses) {
        page += fmt::format("| {} | {} |\n", static_cast<int>(row.status), cell(row.doc));
    }
    return page +=
           "\nWhen both 1 and 3 apply the code is 1, with `--strict-input` it is 3. The numbers never change their "
           "meaning. A program that is ended by signal N (130: interrupted, 143: terminated) leaves no unfinished file "
           "behind. `doctor` ends with 1 when something fails; its warnings are 0. Where a command takes one session "
           "(`reset`, `checkpoint write`, `replay` without `--policy`), a folder is wrong usage (2), and a file that "
           "is "
           "missing or no session is an input problem (3).\n";
}

std::string line_fates_page() {
    std::string page = titled("Line fates");
    page +=
        "Every record (a line, or an element of a JSON document) ends in exactly one of these, and the counts add up "
        "to the records read.\n\n| Fate | Severity | Meaning |\n|---|---|---|\n";
    for (const LineFateInfo& fate : kLineFates) {
        page += fmt::format("| `{}` | {} | {} |\n", fate.name, name(fate.severity), cell(fate.doc));
    }
    return page;
}

// The kinds of records that are understood and the signals, format by format (agent-audit formats).
void add_support_table(std::string& page) {
    page +=
        "\nA rule that needs what a format does not tell, or what a session did not, is skipped, and the report names "
        "it with the reason.\n\n## Support table\n\n| Format | Kinds of records |";
    for (const SignalInfo& signal : kSignals) page += fmt::format(" `{}` |", signal.name);
    page += "\n|---|---|";
    for (std::size_t i = 0; i < std::size(kSignals); ++i) page += "---|";
    for (const ReaderSpec& reader : all_readers()) {
        page += fmt::format("\n| [{}](#{}) | {} |", reader.id, reader.id, reader.kinds.size());
        for (const SignalInfo& signal : kSignals) page += reader.signals.has(signal.signal) ? " yes |" : " |";
    }
    page += '\n';
}

std::string path_of(const RootPath& root) {
    std::string path = root.variable.empty() ? "~" : fmt::format("${}", root.variable);
    return root.below.empty() ? path : path + "/" + std::string(root.below);
}

std::string_view what(LocationKind kind) {
    switch (kind) {
        case LocationKind::session: return "a session";
        case LocationKind::sub_agent: return "a sub-agent's conversation";
        case LocationKind::store: return "a store of sessions";
        case LocationKind::folder: return "a session, one record a file";
    }
    return "";
}

void add_location(std::string& page, const Location& location) {
    std::string roots;
    for (const RootPath& root : location.roots) {
        roots += fmt::format("{}`{}`", roots.empty() ? "" : ", ", path_of(root));
    }
    const std::string format =
        location.format.empty() ? "not read yet" : fmt::format("[{}](formats.md#{})", location.format, location.format);
    page += fmt::format("| {} | {} | `{}` | {} | {} |\n", location.agent, roots, cell(location.glob),
                        what(location.kind), format);
}

std::string locations_page() {
    std::string page = titled("Where agents keep their sessions");
    page +=
        "`agent-audit discover` looks in these places, and so do `agent-audit scan --latest`, `--project`, `--since` "
        "and `--until` without INPUT. The first variable of a row that is set names the only folder; when none is "
        "set, every folder below the home folder (`~`) is looked at. Places of other systems are simply not there. "
        "One file counts once, by whatever links it is reached.\n\n";
    const DiscoverLimits limits;
    page += fmt::format(
        "At most {} directory entries are looked at and {} files opened, each for its first 128 KiB; what was left "
        "out is said.\n\n| Agent | Folder | Below it | A file (or folder) is | Format |\n|---|---|---|---|---|\n",
        report::thousands(limits.entries), report::thousands(limits.heads));
    for (const Location& location : all_locations()) add_location(page, location);
    return page;
}

std::string formats_page() {
    std::string page = titled("Formats");
    page +=
        "The format is told from the content; `--input-format NAME` forces one.\n\n## What a format can tell\n\n"
        "| Signal | Meaning |\n|---|---|\n";
    for (const SignalInfo& signal : kSignals) page += fmt::format("| `{}` | {} |\n", signal.name, cell(signal.doc));
    add_support_table(page);
    for (const ReaderSpec& reader : all_readers()) {
        page += fmt::format("\n## {}\n\n{}: {}. Signals: {}.\n", reader.id, reader.product, reader.summary,
                            describe(reader.signals));
        if (reader.kinds.empty()) continue;
        page += "\n| Record | Becomes |\n|---|---|\n";
        for (const RecordKindDoc& kind : reader.kinds) {
            page += fmt::format("| `{}` | {} |\n", cell(kind.kind), cell(kind.event));
        }
    }
    return page;
}

std::string json_page() {
    std::string page = titled("JSON");
    page +=
        "Names are snake_case, times RFC 3339 in UTC with milliseconds, money whole micro-dollars (`cost_microusd`). "
        "What is not known is absent, never 0. Within one schema number fields are only added. The same input gives "
        "the same bytes: there is no time of the run in it.\n";
    for (const SchemaSpec& schema : all_schemas()) {
        page += fmt::format("\n## {}\n\n{} (`agent-audit schema {}`)\n\n```json\n{}```\n", schema.name, schema.summary,
                            schema.name, schema.text());
    }
    return page;
}

std::string file_of(std::string_view rule) {
    std::string file(rule);
    if (const std::size_t slash = file.find('/'); slash != file.npos) file[slash] = '-';
    return "rules/" + file + ".md";
}

std::string rules_page() {
    std::string page = titled("Rules");
    page += "| Code | Rule | Worst | What it finds |\n|---|---|---|---|\n";
    for (const DetectorSpec& rule : all_detectors()) {
        page += fmt::format("| {} | [{}]({}) | {} | {} |\n", rule.code, rule.id, file_of(rule.id), name(rule.worst),
                            cell(rule.summary));
    }
    return page;
}

std::string profiles_page() {
    std::string page = titled("Emulation profiles");
    page +=
        "`agent-audit scan --as NAME` says what the loop detector of another agent would have done with a recording: "
        "the record and the step (tool call of the conversation) of its first warning and of its first stop. `--as "
        "all` runs every profile. The exit code does not change.\n\n"
        "Each conversation of a session, the main one and every sub-agent's, has a detector of its own; the earliest "
        "reaction is shown. The recording goes on after a stop, because that is what happened, but a profile says "
        "nothing more after its first one.\n\n"
        "## Was it right?\n\n"
        "| Verdict | Meaning |\n|---|---|\n"
        "| `right` | it reacted at a record that one of our findings covers |\n"
        "| `false_alarm` | it reacted where we found nothing |\n"
        "| `missed` | it was silent and we found something |\n"
        "| `silent_right` | it was silent and so were we |\n\n"
        "Our findings are those of the group `loop` from severity warning on, shown or not; rules left out with "
        "`--ignore` have no say. The stop is judged, and the warning where there was no stop.\n\n"
        "## How they were checked\n\n"
        "`scripts/check-profiles.sh` gives seeded random and structured sessions to the detectors published as "
        "`@google/gemini-cli-core` 0.61.0, `@qwen-code/qwen-code` 0.24.4 and `openclaw` 2026.9.6 and to `--as`, and "
        "compares the record of the first warning and of the first stop. They are equal in all sessions: there is no "
        "rule with a known difference. The other profiles follow the published source or description of their rules, "
        "and their tests hold them to its arithmetic.\n\n"
        "What a live detector sees and a recording does not hold cannot be emulated; each profile names it under *left "
        "out*. Text is one piece for each recorded block, while a live detector gets it in the pieces that the "
        "provider streams.\n\n"
        "## Profiles\n";
    for (const ProfileSpec& profile : all_profiles()) {
        page += fmt::format("\n### {}\n\nOf {}.\n\n- Reacts to: {}.\n- Warning: {}.\n- Stop: {}.\n- Left out: {}.\n",
                            profile.name, profile.peer, profile.rule, profile.warns.empty() ? "none" : profile.warns,
                            profile.stops.empty() ? "none" : profile.stops, profile.left_out);
    }
    return page;
}

std::string redaction_page() {
    std::string page = titled("Redaction");
    page +=
        "What is replaced by `[redacted KIND]` in quoted text, by `--redact`:\n\n"
        "| Level | Takes out | Default of |\n|---|---|---|\n"
        "| `none` | nothing | `convert` |\n"
        "| `secrets` | secrets; home directories become `~` |";
    for (const Redact level : {Redact::secrets, Redact::strict}) {
        if (level == Redact::strict)
            page += "| `strict` | also e-mail addresses and user names in paths; other absolute paths stay |";
        std::string formats;
        for (const RendererSpec& renderer : all_renderers()) {
            if (renderer.redact != level) continue;
            formats += fmt::format("{}`{}`", formats.empty() ? " " : ", ", renderer.id);
        }
        page += formats + " |\n";
    }
    page +=
        "\nA kind is looked for where a text has one of its marks, in any case. Of a *weighed* kind only values count "
        "that look random or stand behind a word for password. Evidence is shortened before it is shown, so half a "
        "secret that was cut off counts as one (`cut secret`). Where a program takes nothing but a password, any word "
        "is one that is no reference such as `$PASS`: `curl -u name:…`, `docker login -p`, `mysql -u … -p…`, `sshpass "
        "-p`, `redis-cli -a`, `openssl -pass pass:…`, `keytool -storepass`, and `echo … |` before `--password-stdin` "
        "or `sudo -S`. A pattern that does not work withholds the whole text. The list is no promise: a secret without "
        "a shape and without a name in front of it looks like any word.\n\n"
        "| Kind | Marks | |\n|---|---|---|\n";
    for (const report::RedactKind& kind : report::redact_kinds()) {
        std::string marks = "`" + cell(kind.marks) + "`";
        for (std::size_t at = 0; (at = marks.find(' ', at)) != marks.npos; at += 3) marks.replace(at, 1, "` `");
        page += fmt::format("| {} | {} | {} |\n", kind.name, marks,
                            kind.strict    ? "strict"
                            : kind.weighed ? "weighed"
                                           : "");
    }
    return page;
}

}  // namespace

ReferencePages reference_pages() {
    ReferencePages pages{{"cli.md", cli_page()},
                         {"config.md", std::string(kNotice) + config_page()},
                         {"exit-codes.md", exit_codes_page()},
                         {"line-fates.md", line_fates_page()},
                         {"formats.md", formats_page()},
                         {"locations.md", locations_page()},
                         {"json.md", json_page()},
                         {"policies.md", std::string(kNotice) + policies_page()},
                         {"profiles.md", profiles_page()},
                         {"redaction.md", redaction_page()},
                         {"rules.md", rules_page()},
                         {"run-policies.md", std::string(kNotice) + run_policies_page()},
                         {"settings.md", std::string(kNotice) + settings_page()}};
    for (const DetectorSpec& rule : all_detectors()) pages[file_of(rule.id)] = std::string(kNotice) + rule_page(rule);
    return pages;
}

}  // namespace agent_audit::cli
