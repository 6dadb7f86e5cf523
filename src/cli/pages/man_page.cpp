#include "cli/pages/man_page.hpp"

#include "cli/arguments/command_spec.hpp"
#include "cli/pages/environment.hpp"
#include "cli/version.hpp"
#include "report/escape/roff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace agent_audit::cli {
namespace {

using report::roff_text;

// A page is a list of requests and of text that was made harmless; nothing else may begin a line with a dot.
class Roff {
public:
    Roff(std::string_view name, std::string_view summary) {
        out_ = fmt::format(
            ".\\\" Written by `agent-audit man`; change the program, not this page.\n.TH {} 1 \"\" \"agent\\-audit "
            "{}\" \"User Commands\"\n",
            upper(roff_text(name)), roff_text(kVersion));
        section("NAME");
        out_ += fmt::format("{} \\- {}\n", roff_text(name), roff_text(summary));
    }

    void section(std::string_view title) {
        out_ += fmt::format(".SH {}\n", title);
        begins_ = true;
    }
    void paragraph(std::string_view text) {
        out_ += fmt::format("{}{}\n", begins_ ? "" : ".PP\n", roff_text(text));
        begins_ = false;
    }
    /// `tag` is roff already.
    void tagged(std::string_view tag, std::string_view text) {
        out_ += fmt::format(".TP\n{}\n{}\n", tag, roff_text(text));
        begins_ = false;
    }
    void raw(std::string_view roff) {
        out_ += roff;
        begins_ = false;
    }
    std::string finish() && { return std::move(out_); }

private:
    static std::string upper(std::string text) {
        for (char& c : text) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
        return text;
    }

    std::string out_;
    bool begins_ = false;  // a section has no text yet
};

std::string bold(std::string_view text) { return "\\fB" + roff_text(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff_text(text) + "\\fR"; }

std::string flag_tag(const FlagSpec& flag) {
    const std::size_t comma = flag.names.find(',');
    std::string tag = comma == flag.names.npos
                          ? bold(flag.names)
                          : bold(flag.names.substr(0, comma)) + ", " + bold(flag.names.substr(comma + 1));
    return flag.is_switch() ? tag : tag + " " + italic(flag.value);
}

void add_options(Roff& page, const CommandSpec& command) {
    page.section("OPTIONS");
    for (const FlagSpec& flag : command.flags) page.tagged(flag_tag(flag), flag.doc);
    for (const FlagSpec& flag : kCommonFlags) page.tagged(flag_tag(flag), flag.doc);
}

void add_examples(Roff& page, std::span<const Example> examples) {
    page.section("EXAMPLES");
    for (const Example& example : examples) page.tagged(bold(example.line), example.doc);
}

// Where a code says something else than of a scan.
struct OwnExit {
    std::string_view command;
    ExitStatus status;
    std::string_view doc;
};

constexpr OwnExit kOwnExits[] = {
    {"config", ExitStatus::usage, "wrong usage, or a mistake in the settings"},
    {"diff", ExitStatus::clean, "compared; nothing at or above --fail-on appeared"},
    {"diff", ExitStatus::findings, "something at or above --fail-on appeared, or became that bad"},
    {"doctor", ExitStatus::findings, "something does not work"},
    {"hook", ExitStatus::clean, "go on; an answer is JSON on standard output"},
    {"hook", ExitStatus::findings, "something is wrong here, said in a line on standard error; the call runs"},
    {"hook", ExitStatus::usage, "the call must not run; the reason is the line on standard error"},
    {"policy", ExitStatus::findings, "of diff: the policies differ"},
    {"policy", ExitStatus::usage, "wrong usage, or a mistake in a policy"},
    {"replay", ExitStatus::clean, "replayed; with --policy: no run fails"},
    {"replay", ExitStatus::findings, "with --policy: a run fails, by the fail-on of its policy"},
};

// What a code says of a command; empty where the command does not end with it.
std::string_view exit_words(const CommandSpec& command, const ExitStatusDoc& row) {
    const auto* const own = std::ranges::find_if(
        kOwnExits, [&](const OwnExit& e) { return e.command == command.name && e.status == row.status; });
    if (own != std::end(kOwnExits)) return own->doc;
    if (command.name == "hook") return {};
    const bool judges = std::ranges::find(command.flags, "--fail-on", &FlagSpec::long_name) != std::end(command.flags);
    if (judges || row.status > ExitStatus::usage) return row.doc;
    if (row.status == ExitStatus::clean) return "done";
    return row.status == ExitStatus::usage ? "wrong usage or invalid settings; nothing was done" : "";
}

void add_exit_status(Roff& page, const CommandSpec& command) {
    page.section("EXIT STATUS");
    for (const ExitStatusDoc& row : kExitStatuses) {
        if (const std::string_view words = exit_words(command, row); !words.empty())
            page.tagged(bold(std::to_string(static_cast<int>(row.status))), words);
    }
}

void add_environment(Roff& page, std::span<const FlagSpec> flags, bool all) {
    std::string without;
    bool any = false;
    for (const FlagSpec& flag : flags) {
        any = any || flag.environment;
        if (!flag.environment) without.append(without.empty() ? "" : ", ").append(flag.long_name());
    }
    if (!any && !all) return;
    page.section("ENVIRONMENT");
    if (any) {
        page.paragraph(
            "An option that is not on the command line is looked up in the environment: --input-format in "
            "AGENT_AUDIT_INPUT_FORMAT. A switch takes 1 or 0." +
            (without.empty() ? std::string() : " These have no variable: " + without + "."));
    }
    if (!all) return;
    for (const VariableDoc& variable : kVariables) page.tagged(bold(variable.name), variable.doc);
}

void add_see_also(Roff& page, const CommandSpec* self) {
    page.section("SEE ALSO");
    std::string pages;
    const auto add = [&](const std::string& name) {
        pages += fmt::format("{}\\fB{}\\fR(1)", pages.empty() ? "" : ",\n", roff_text(name));
    };
    if (self) add("agent-audit");
    for (const CommandSpec& command : all_commands()) {
        if (!command.hidden && &command != self) add("agent-audit-" + std::string(command.name));
    }
    page.raw(pages + "\n");
}

}  // namespace

std::string program_man_page() {
    const CommandSpec& scan = all_commands().front();
    Roff page("agent-audit", "find where recorded agent sessions went in circles, and what that cost");
    page.section("SYNOPSIS");
    page.raw(fmt::format("{} [{}] [{}] [{}...]\n", bold("agent-audit"), italic("COMMAND"), italic("OPTIONS"),
                         italic("INPUT")));
    page.section("DESCRIPTION");
    page.paragraph(
        "Reads recorded sessions of coding agents and says where they repeated themselves, drifted from their goal or "
        "wasted their context, with evidence, cost and what to do next. Nothing leaves the machine unless an option "
        "names an endpoint. Without COMMAND it is agent-audit scan.");
    page.paragraph(scan.details);
    add_examples(page, scan.examples);
    page.section("COMMANDS");
    for (const CommandSpec& command : all_commands()) {
        if (!command.hidden) page.tagged(bold(command.name), command.summary);
    }
    page.paragraph("Each has a page of its own: agent-audit-scan(1) and so on.");
    add_exit_status(page, scan);
    add_environment(page, scan.flags, true);
    page.section("FILES");
    page.tagged(bold("agent-audit.toml"), "settings of a project, here or above up to the root of the repository");
    page.tagged(bold("$XDG_CONFIG_HOME/agent-audit/config.toml"), "the user's own settings");
    page.tagged(bold(".agent-audit-baseline.json"), "findings that are known, here or above");
    add_see_also(page, nullptr);
    return std::move(page).finish();
}

std::string command_man_page(const CommandSpec& command) {
    Roff page("agent-audit-" + std::string(command.name), command.summary);
    page.section("SYNOPSIS");
    page.raw(fmt::format("{} [{}]{}{}\n", bold("agent-audit " + std::string(command.name)), italic("OPTIONS"),
                         command.operands.empty() ? "" : " ", italic(command.operands)));
    page.section("DESCRIPTION");
    page.paragraph(command.details);
    add_examples(page, command.examples);
    add_options(page, command);
    add_exit_status(page, command);
    add_environment(page, command.flags, false);
    add_see_also(page, &command);
    return std::move(page).finish();
}

}  // namespace agent_audit::cli
