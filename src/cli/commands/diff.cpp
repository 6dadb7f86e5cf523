#include "cli/arguments/offers.hpp"
#include "cli/commands/answer.hpp"
#include "cli/commands/command.hpp"
#include "cli/results/found.hpp"
#include "cli/results/saved_words.hpp"
#include "cli/terminal/terminal.hpp"
#include "report/escape/sanitize.hpp"
#include "report/json/json_writer.hpp"
#include "report/redaction/redact.hpp"
#include "report/text/layout.hpp"
#include "report/words/human.hpp"

#include <agent_audit/model/severity.hpp>
#include <agent_audit/support/suggest.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace agent_audit::cli {
namespace {

constexpr FlagSpec kFlags[] = {
    {"-f,--format", "FORMAT", "text (default) or json", false, kOfferTextOrJson},
    {"--fail-on", "LEVEL", "exit 1 when something of this severity appeared: error (default), warning, info, never",
     true, kOfferFailLevel},
    {"--exit-zero", "", "what appeared never changes the exit code, as --fail-on never"},
};
enum Flag : std::size_t { kFormat, kFailOn, kExitZero };

constexpr Example kExamples[] = {
    {"agent-audit diff main.json branch.json", "what did the branch bring, what did it cure?"},
    {"agent-audit diff --fail-on warning old.ndjson new.ndjson", "as a gate"},
    {"agent-audit diff -f json old.json new.json | jq '.appeared[].rule'", "for programs"},
};

struct Changed {
    const SavedFinding* before = nullptr;
    const SavedFinding* after = nullptr;
};

struct Difference {
    std::vector<const SavedFinding*> appeared, gone;
    std::vector<Changed> changed;  // the same finding with another severity
    std::uint64_t unchanged = 0;
};

// Pairs findings that are alike by `key`, each with at most one.
template <class Key>
void pair_up(std::vector<const SavedFinding*>& before, std::vector<const SavedFinding*>& after,
             std::vector<Changed>& pairs, const Key& key) {
    std::map<decltype(key(*before[0])), std::vector<const SavedFinding*>> waiting;
    std::set<const SavedFinding*> paired;
    for (auto old = before.rbegin(); old != before.rend(); ++old) waiting[key(**old)].push_back(*old);
    std::vector<const SavedFinding*> left;
    for (const SavedFinding* now : after) {
        const auto same = waiting.find(key(*now));
        if (same == waiting.end() || same->second.empty()) {
            left.push_back(now);
            continue;
        }
        pairs.push_back({same->second.back(), now});
        paired.insert(same->second.back());
        same->second.pop_back();
    }
    after = std::move(left);
    std::erase_if(before, [&](const SavedFinding* old) { return paired.contains(old); });
}

bool is_silent(const SavedFinding& f) { return f.silenced || f.suppressed; }

// First the very same findings, then others of the same pattern: a session may have been recorded anew.
Difference compare(const SavedFindings& old_result, const SavedFindings& new_result) {
    std::vector<const SavedFinding*> before, after;
    for (const SavedFinding& f : old_result.findings) {
        if (!is_silent(f)) before.push_back(&f);
    }
    for (const SavedFinding& f : new_result.findings) after.push_back(&f);
    std::vector<Changed> pairs;
    pair_up(before, after, pairs, [](const SavedFinding& f) { return std::pair(f.rule, f.id); });
    pair_up(before, after, pairs, [](const SavedFinding& f) { return std::pair(f.rule, f.pattern); });
    Difference out;
    out.gone = std::move(before);
    for (const SavedFinding* f : after) {
        if (!is_silent(*f)) out.appeared.push_back(f);
    }
    for (const Changed& pair : pairs) {
        if (pair.before->severity == pair.after->severity || is_silent(*pair.after)) {
            ++out.unchanged;
        } else {
            out.changed.push_back(pair);
        }
    }
    return out;
}

// ---- words ---------------------------------------------------------------------------------------------------

Severity severity_of(const SavedFinding& f) { return severity_from(f.severity).value_or(Severity::error); }

void draw_list(report::Page& page, std::string_view title, const std::vector<const SavedFinding*>& list) {
    if (list.empty()) return;
    page.blank();
    page.heading({{fmt::format("{} ({})", title, report::thousands(list.size())), report::Style::bold}});
    for (const SavedFinding* f : list) {
        page.heading({{"  " + report::visible(f->severity)},
                      {report::visible(f->rule), report::Style::bold},
                      {place(*f)},
                      {report::visible(f->message)}});
    }
}

void draw(const Difference& what, report::Page& page) {
    page.paragraph(0, fmt::format("{} appeared, {} gone, {} with another severity, {} unchanged",
                                  report::thousands(what.appeared.size()), report::thousands(what.gone.size()),
                                  report::thousands(what.changed.size()), report::thousands(what.unchanged)));
    draw_list(page, "Appeared", what.appeared);
    if (!what.changed.empty()) {
        page.blank();
        page.heading(
            {{fmt::format("Another severity ({})", report::thousands(what.changed.size())), report::Style::bold}});
    }
    for (const Changed& pair : what.changed) {
        page.heading({{fmt::format("  {}, was {}", report::visible(pair.after->severity),
                                   report::visible(pair.before->severity))},
                      {report::visible(pair.after->rule), report::Style::bold},
                      {place(*pair.after)},
                      {report::visible(pair.after->message)}});
    }
    draw_list(page, "Gone", what.gone);
}

void write_finding(report::JsonWriter& json, const SavedFinding& f, const SavedFinding* before) {
    json.newline();
    json.begin_object();
    write_fields(json, f, before ? std::string_view(before->severity) : std::string_view());
    json.end_object();
}

void write_list(report::JsonWriter& json, std::string_view name, const std::vector<const SavedFinding*>& list) {
    json.key(name).begin_array();
    for (const SavedFinding* f : list) write_finding(json, *f, nullptr);
    json.end_array();
}

void write_json(const Difference& what, report::JsonWriter& json) {
    json.begin_object();
    json.text("schema", "agent-audit/diff/1");
    write_list(json, "appeared", what.appeared);
    json.key("changed").begin_array();
    for (const Changed& pair : what.changed) write_finding(json, *pair.after, pair.before);
    json.end_array();
    write_list(json, "gone", what.gone);
    json.number("unchanged", what.unchanged);
    json.end_object();
    json.newline();
}

// ---- the command ---------------------------------------------------------------------------------------------

/// What is bad enough for exit code 1. Two plain fields: g++ 12 takes an optional here for one that was never set.
struct FailOn {
    bool never = false;
    Severity level = Severity::error;
};

std::optional<Error> fail_level(const Arguments& arguments, FailOn& out) {
    if (!arguments.flags[kFailOn].empty()) {
        const FlagValue& value = arguments.flags[kFailOn].back();
        const auto level = severity_from(value.text);
        out.never = value.text == "never";
        if (level) {
            out.level = *level;
        } else if (!out.never) {
            constexpr std::array<std::string_view, 4> kLevels{"error", "warning", "info", "never"};
            const std::string_view near = nearest(value.text, kLevels);
            return Error{value.origin + " = \"" + value.text + "\": expected error, warning, info or never" +
                         (near.empty() ? "" : "; did you mean " + std::string(near) + "?")};
        }
    }
    if (!arguments.flags[kExitZero].empty()) out.never = true;
    return std::nullopt;
}

bool fails(const Difference& what, Severity level) {
    return std::ranges::any_of(what.appeared, [&](const SavedFinding* f) { return severity_of(*f) >= level; }) ||
           std::ranges::any_of(what.changed, [&](const Changed& pair) {
               return severity_of(*pair.after) >= level && severity_of(*pair.before) < level;
           });
}

// Findings of the newer result that are so bad and are not listed: any of them may be one that appeared.
std::uint64_t unknown(const SavedFindings& result, Severity level) {
    std::uint64_t milder = 0;
    for (auto s = std::size_t{0}; s < static_cast<std::size_t>(level); ++s) milder += result.not_shown_by_severity[s];
    return result.not_shown - std::min(result.not_shown, milder);
}

// A result may have been saved with --redact none, and what it says is told as report tells it.
void take_secrets_out(SavedFindings& result) {
    report::Redactor secrets(Redact::secrets);
    for (SavedFinding& f : result.findings) redact(f, secrets);
    for (std::string& problem : result.problems) problem = secrets.text(problem);
}

// What a scan could not read is not gone, and nothing can have appeared there.
bool is_missing_inputs(const SavedFindings& result) { return !result.problems.empty() || result.sessions == 0; }

void tell_what_is_missing(const std::string& name, const SavedFindings& result) {
    constexpr std::size_t kShown = 10;
    for (std::size_t i = 0; i < std::min(result.problems.size(), kShown); ++i)
        complain(name + ": " + result.problems[i]);
    if (result.problems.size() > kShown)
        complain(fmt::format("{}: and {} more inputs like these", name, result.problems.size() - kShown));
    if (result.sessions == 0 && result.problems.empty()) complain(name + ": no session was audited");
    if (result.not_shown > 0) complain(name + ": " + counted_only(result.not_shown) + ", and cannot be compared");
}

void tell_what_was_not_looked_for(const Difference& what, const SavedFindings& result, const std::string& name) {
    std::set<std::string> rules;
    for (const SavedFinding* f : what.gone) {
        if (!result.rules.empty() && std::ranges::find(result.rules, f->rule) == result.rules.end())
            rules.insert(f->rule);
    }
    for (const std::string& rule : rules) complain(name + ": " + rule + " did not run: its findings are gone unseen");
}

ExitStatus show(const CommandSpec& self, const Difference& what, const Arguments& arguments) {
    return answer(
        self, arguments, kFormat, [&](report::Page& page) { draw(what, page); },
        [&](report::JsonWriter& json) { write_json(what, json); });
}

ExitStatus run(const CommandSpec& self, const Arguments& arguments) {
    if (arguments.operands.size() != 2) return usage_error(self, "diff takes two results, the older one first");
    if (arguments.operands[0] == "-" && arguments.operands[1] == "-")
        return usage_error(self, "only one of the results can be standard input");
    FailOn fail_on;
    if (const auto problem = fail_level(arguments, fail_on)) return usage_error(self, problem->message);
    std::array<SavedFindings, 2> results;
    for (std::size_t i = 0; i < 2; ++i) {
        Result<SavedFindings> result = read_result(arguments.operands[i]);
        if (!result) {
            complain(result.error().message);
            return ExitStatus::input;
        }
        take_secrets_out(*result);
        tell_what_is_missing(arguments.operands[i], *result);
        results[i] = std::move(*result);
    }
    const Difference what = compare(results[0], results[1]);
    tell_what_was_not_looked_for(what, results[1], arguments.operands[1]);
    const ExitStatus printed = show(self, what, arguments);
    if (printed != ExitStatus::clean) return printed;
    if (!fail_on.never && fails(what, fail_on.level)) return ExitStatus::findings;
    if (is_missing_inputs(results[1])) return ExitStatus::input;
    return !fail_on.never && unknown(results[1], fail_on.level) > 0 ? ExitStatus::input : ExitStatus::clean;
}

}  // namespace

CommandSpec diff_command() {
    return {"diff",
            "OLD NEW",
            "what appeared and what went away between two saved results",
            "OLD and NEW are what scan -f json or -f ndjson wrote; one of them may be - for standard input. Findings "
            "are the same when rule, session and first call are, or else rule and pattern. What a baseline or a "
            "suppression silenced counts as not there. Exit code 1 when something at or above --fail-on appeared, or "
            "came to be that bad; 3 when nothing did, and NEW leaves out findings that bad (--max-findings) or the "
            "scan that wrote it could not read all its inputs.",
            kExamples,
            kFlags,
            run};
}

}  // namespace agent_audit::cli
