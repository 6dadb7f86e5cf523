#include "cli/arguments/flag_words.hpp"
#include "cli/commands/answer.hpp"
#include "cli/commands/command.hpp"
#include "cli/results/found.hpp"
#include "cli/terminal/output.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/terminal.hpp"
#include "cli/version.hpp"
#include "report/escape/sanitize.hpp"
#include "report/json/json_writer.hpp"
#include "report/text/layout.hpp"
#include "report/words/human.hpp"
#include "report/words/input_problem.hpp"

#include <agent_audit/config/baseline.hpp>
#include <agent_audit/model/severity.hpp>
#include <agent_audit/pipeline/text_tokens.hpp>
#include <agent_audit/support/suggest.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>

namespace agent_audit::cli {
namespace {

constexpr std::array<std::string_view, 4> kVerbs{"create", "update", "prune", "show"};
constexpr std::uint64_t kLargestBaseline = 64u << 20;

constexpr FlagSpec kOwnFlags[] = {
    {"--reason", "TEXT", "why the new entries are lived with; kept in the file", false},
    {"-f,--format", "FORMAT", "for show: text (default) or json", false, kOfferTextOrJson},
};
constexpr std::string_view kAuditFlags[] = {
    "--baseline", "--config",       "--no-config",      "--policy",       "--select", "--ignore",
    "--set",      "--min-severity", "--min-confidence", "--input-format", "--prices", "--max-line-size",
    "--jobs",     "--progress",     "--exclude",        "--files-from",   "--null"};

std::span<const FlagSpec> flags() {
    static const std::vector<FlagSpec> all = with_scan_flags(kOwnFlags, kAuditFlags);
    return all;
}
enum Flag : std::size_t { kReason, kFormat, kBaseline, kConfig, kNoConfig };

constexpr Example kExamples[] = {
    {"agent-audit baseline create logs/", "from today on, only new findings fail"},
    {"agent-audit baseline create --reason 'before the gate' result.json",
     "the same from a result that was saved with -f json"},
    {"agent-audit baseline update logs/", "take in what has come since"},
    {"agent-audit baseline prune logs/", "let go what no longer occurs, so that it cannot come back unseen"},
    {"agent-audit baseline show", "what is known, and why"},
};

// Findings of a run by rule and pattern.
using Patterns = std::map<std::pair<std::string, std::string>, BaselineEntry>;

// Severities that two policies decided are not compared, and what nobody knows is not written.
void note_severity(const SavedFinding& f, bool first, BaselineEntry& entry) {
    const auto worse = [](std::string_view a, std::string_view b) { return severity_from(a) > severity_from(b); };
    if (first) {
        entry.severity = f.policy.empty() || !severity_from(f.severity) ? "" : f.severity;
        entry.policy = f.policy;
    } else if (f.policy != entry.policy) {
        entry.severity.clear();
    } else if (!entry.severity.empty() && worse(f.severity, entry.severity)) {
        entry.severity = f.severity;
    }
}

// Two copies of a session in one run are two findings with one id, and will be again. The same session in two results
// is one session.
Patterns patterns_of(const SavedFindings& found) {
    Patterns out;
    struct Met {
        std::uint64_t most = 0, now = 0;
        std::size_t run = 0;
    };
    std::map<std::tuple<std::string_view, std::string_view, std::string_view>, Met> met;
    for (const SavedFinding& f : found.findings) {
        BaselineEntry& entry = out[{f.rule, f.pattern}];
        entry.rule = f.rule;
        entry.pattern = f.pattern;
        note_severity(f, entry.count == 0, entry);
        Met& seen = met[{f.rule, f.pattern, f.id}];
        if (seen.most == 0 && entry.findings.size() < kBaselineFindings) entry.findings.push_back(f.id);
        if (seen.run != f.run) seen.now = 0;
        seen.run = f.run;
        if (++seen.now > seen.most) {
            seen.most = seen.now;
            ++entry.count;
        }
        if (!f.first_time.empty() && (entry.first_seen.empty() || f.first_time < entry.first_seen))
            entry.first_seen = f.first_time;
    }
    return out;
}

struct Change {
    std::uint64_t added = 0, raised = 0, removed = 0, lowered = 0;
};

// What people wrote and when it was first seen stays.
void keep_memory(const BaselineEntry& known, BaselineEntry& entry) {
    if (!known.reason.empty()) entry.reason = known.reason;
    if (!known.first_seen.empty() && (entry.first_seen.empty() || known.first_seen < entry.first_seen))
        entry.first_seen = known.first_seen;
}

Baseline created(Patterns found, const Baseline& before, const std::string& reason, Change& change) {
    Baseline out;
    for (auto& [place, entry] : found) {
        entry.reason = reason;
        if (const BaselineEntry* known = before.find(entry.rule, entry.pattern)) keep_memory(*known, entry);
        ++change.added;
        out.entries.push_back(std::move(entry));
    }
    return out;
}

// What is added to the file is known as bad as it is now. An entry that says nothing knows of everything already.
void take_severity(const BaselineEntry& now, BaselineEntry& known) {
    if (known.severity.empty()) return;
    if (known.policy != now.policy || severity_from(now.severity) > severity_from(known.severity)) {
        known.severity = now.severity;
        known.policy = now.policy;
    }
}

Baseline updated(Patterns found, const Baseline& before, const std::string& reason, Change& change) {
    Baseline out;
    for (BaselineEntry known : before.entries) {
        const auto now = found.find({known.rule, known.pattern});
        if (now != found.end()) {
            keep_memory(now->second, known);
            change.raised += now->second.count > known.count;
            known.count = std::max(known.count, now->second.count);
            take_severity(now->second, known);
            for (const std::string& id : now->second.findings) {
                const bool room = known.findings.size() < kBaselineFindings;
                if (room && std::ranges::find(known.findings, id) == known.findings.end()) known.findings.push_back(id);
            }
            found.erase(now);
        }
        out.entries.push_back(std::move(known));
    }
    for (auto& [place, entry] : found) {
        entry.reason = reason;
        ++change.added;
        out.entries.push_back(std::move(entry));
    }
    return out;
}

// A rule that did not run says nothing about what occurs.
Baseline pruned(const Patterns& found, const Baseline& before, const std::vector<std::string>& ran, Change& change) {
    Baseline out;
    for (BaselineEntry known : before.entries) {
        if (std::ranges::find(ran, known.rule) != ran.end()) {
            const auto now = found.find({known.rule, known.pattern});
            if (now == found.end()) {
                ++change.removed;
                continue;
            }
            change.lowered += now->second.count < known.count;
            if (now->second.count < known.count) known.findings = now->second.findings;
            known.count = std::min(known.count, now->second.count);
        }
        out.entries.push_back(std::move(known));
    }
    return out;
}

std::uint64_t findings_in(const Baseline& baseline) {
    std::uint64_t sum = 0;
    for (const BaselineEntry& entry : baseline.entries) sum += entry.count;
    return sum;
}

ExitStatus write(const Baseline& baseline, const std::string& path) {
    Result<Output> opened = Output::to_file(path);
    if (opened) {
        opened->write(baseline_text(baseline, kVersion));
        const auto problem = opened->finish();
        if (!problem) return ExitStatus::clean;
        complain(problem->message);
    } else {
        complain(opened.error().message);
    }
    return ExitStatus::internal;
}

std::string what_changed(std::string_view verb, const Change& change) {
    std::string out;
    const auto say = [&](std::uint64_t n, std::string_view word) {
        if (n > 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", n, word);
    };
    if (verb != "create") say(change.added, "added");
    say(change.raised, "with a higher count");
    say(change.removed, "removed");
    say(change.lowered, "with a lower count");
    return out.empty() ? out : " (" + out + ")";
}

// ---- show ----------------------------------------------------------------------------------------------------

void draw(const Baseline& baseline, report::Page& page) {
    page.paragraph(0, fmt::format("{}: {} in {}", report::visible(baseline.source),
                                  report::count_of(findings_in(baseline), "finding"),
                                  report::count_of(baseline.entries.size(), "pattern")));
    for (const BaselineEntry& entry : baseline.entries) {
        page.blank();
        page.heading({{report::visible(entry.rule), report::Style::bold}, {report::count_of(entry.count, "finding")}});
        page.labelled(2, 10, "pattern", report::visible(entry.pattern));
        if (!entry.severity.empty()) page.labelled(2, 10, "severity", report::visible(entry.severity));
        if (!entry.first_seen.empty()) page.labelled(2, 10, "first seen", report::visible(entry.first_seen));
        page.labelled(2, 10, "reason", entry.reason.empty() ? "none given" : report::visible(entry.reason));
    }
}

ExitStatus show(const CommandSpec& self, const Baseline& baseline, const Arguments& arguments) {
    const Result<bool> as_json = asks_for_json(arguments, kFormat);
    if (!as_json) return usage_error(self, as_json.error().message);
    if (*as_json) return print(baseline_text(baseline, kVersion), Printed::document);
    return print(page_text([&](report::Page& page) { draw(baseline, page); }));
}

// ---- the command ---------------------------------------------------------------------------------------------

Result<std::optional<Baseline>> existing(const std::string& path) {
    if (path.empty() || ::access(path.c_str(), F_OK) != 0) return std::optional<Baseline>();
    const Result<std::string> text = read_file(path, kLargestBaseline);
    if (!text) return text.error();
    auto baseline = parse_baseline(*text, path);
    if (!baseline) return baseline.error();
    return std::optional<Baseline>(std::move(*baseline));
}

// create begins anew in this folder; the others mean the file that scan would use.
Result<std::string> target(std::string_view verb, const Arguments& arguments) {
    const auto choice = config_choice(arguments.flags[kConfig], arguments.flags[kNoConfig]);
    if (!choice) return choice.error();
    const Result<Config> config = load_config(*choice);
    if (!config) return config.error();
    const bool named = !arguments.flags[kBaseline].empty() || config->find("baseline");
    if (verb == "create" && !named) return std::string(kBaselineFile);
    auto path = baseline_path(arguments.flags[kBaseline], {}, *config);
    if (path && path->empty()) return std::string(kBaselineFile);
    return path;
}

// The options of the audit, without the baseline: it may not be there yet.
Result<ScanOptions> options_of(const Arguments& arguments) {
    std::vector<FlagSpec> specs(flags().begin(), flags().end());
    specs[kBaseline] = kNoBaselineFlag;
    Arguments rest = arguments;
    rest.flags[kBaseline] = {{"", "--no-baseline"}};
    return audit_options(specs, rest);
}

// What a filter hides has not gone. One that was typed is refused, one of a file or the environment does not hold here.
std::optional<std::string> lift_filters(const Arguments& arguments, AuditPlan& plan) {
    for (std::size_t i = 0; i < arguments.flags.size(); ++i) {
        const std::string_view flag = flags()[i].long_name();
        const bool filter = flag == "--min-severity" || flag == "--min-confidence";
        if (filter && !arguments.flags[i].empty() && arguments.flags[i].back().origin.starts_with("--")) {
            return fmt::format("baseline prune takes no {}: what it hides would count as gone", flag);
        }
    }
    plan.min_severity = Severity::info;
    plan.min_confidence = 0;
    return std::nullopt;
}

// What was not seen may occur all the same. Empty: all was seen.
std::string why_not_to_prune(const Found& found) {
    if (!found.problems.empty()) return "what could not be read may hold what is known";
    if (found.all.not_shown > 0) return counted_only(found.all.not_shown) + " in the results, and may be what is known";
    if (found.all.least.empty()) return {};
    return fmt::format("findings below {} were left out of the results (--min-severity), and may be what is known",
                       report::visible(found.all.least));
}

ExitStatus change(const CommandSpec& self, std::string_view verb, const std::string& path, const Baseline& before,
                  const Arguments& arguments) {
    Result<ScanOptions> options = options_of(arguments);
    if (!options) return settings_error(self, arguments, options.error());
    if (verb == "prune") {
        if (const auto problem = lift_filters(arguments, options->plan)) return usage_error(self, *problem);
    }
    // The first of the words is the verb.
    const std::vector<std::string> inputs(options->plan.inputs.begin() + 1, options->plan.inputs.end());
    if (inputs.empty() && !options->lists.given) {
        return usage_error(self, fmt::format("baseline {} needs sessions, or results of scan -f json", verb));
    }
    if (const auto problem = unwritable(path)) {
        complain(problem->message);
        return ExitStatus::internal;
    }
    Result<Found> found = [&] {
        const Progress progress("agent-audit: reading " + report::count_of(inputs.size(), "input"), options->progress);
        return find_all(inputs, *options);
    }();
    if (!found) return usage_error(self, found.error().message);
    found->problems.insert(found->problems.begin(), options->lists.problems.begin(), options->lists.problems.end());
    for (const std::string& problem : found->problems) complain(problem);
    if (!found->anything) {
        if (found->problems.empty()) complain(report::no_session_words(inputs, 0));
        return ExitStatus::input;
    }
    if (verb == "prune") {
        if (const std::string why = why_not_to_prune(*found); !why.empty()) {
            complain("nothing was pruned: " + why);
            return ExitStatus::input;
        }
    }
    const std::string reason = last_value(arguments.flags[kReason]);
    Change changed;
    const Patterns patterns = patterns_of(found->all);
    const Baseline after = verb == "create"   ? created(patterns, before, reason, changed)
                           : verb == "update" ? updated(patterns, before, reason, changed)
                                              : pruned(patterns, before, found->all.rules, changed);
    if (const ExitStatus status = write(after, path); status != ExitStatus::clean) return status;
    if (found->all.not_shown > 0) {
        complain(counted_only(found->all.not_shown) + " in the results, and not in the baseline");
    }
    const ExitStatus printed =
        print(fmt::format("{}: {} in {}{}\n", report::visible(path), report::count_of(findings_in(after), "finding"),
                          report::count_of(after.entries.size(), "pattern"), what_changed(verb, changed)));
    return printed == ExitStatus::clean && !found->problems.empty() ? ExitStatus::input : printed;
}

ExitStatus run(const CommandSpec& self, const Arguments& arguments) {
    if (arguments.operands.empty()) return usage_error(self, "baseline create, update, prune or show?");
    const std::string& verb = arguments.operands[0];
    if (std::ranges::find(kVerbs, verb) == kVerbs.end()) {
        const std::string_view near = nearest(verb, kVerbs);
        return usage_error(self, "baseline " + verb + ": expected create, update, prune or show" +
                                     (near.empty() ? "" : "; did you mean " + std::string(near) + "?"));
    }
    const Result<std::string> path = target(verb, arguments);
    if (!path) return settings_error(self, arguments, path.error());
    const auto before = existing(*path);
    if (!before) return usage_error(self, before.error().message);
    if (!before->has_value() && (verb == "prune" || verb == "show")) {
        return usage_error(self, *path + ": no such baseline (agent-audit baseline create makes one)");
    }
    if (verb == "show") {
        if (arguments.operands.size() > 1) return usage_error(self, "baseline show takes no input");
        return show(self, **before, arguments);
    }
    return change(self, verb, *path, before->value_or(Baseline{}), arguments);
}

}  // namespace

CommandSpec baseline_command() {
    return {"baseline",
            "create|update|prune|show [INPUT...]",
            "write down known findings, so that only new ones count",
            "INPUT is whatever scan takes, or a result of scan -f json or -f ndjson. The file is "
            ".agent-audit-baseline.json unless --baseline names another; scan uses it where it finds it, here or "
            "above. create begins anew (reasons of entries that stay are kept), update adds patterns and raises counts "
            "to those of INPUT, prune removes what no longer occurs and lowers counts; findings of every severity "
            "count there. A finding is known when its pattern (rule, actions, class of outcome) is in the file and "
            "there are no more of it than were recorded.",
            kExamples,
            flags(),
            run,
            false,
            offer_one_of(kVerbs),
            kOfferFile};
}

}  // namespace agent_audit::cli
