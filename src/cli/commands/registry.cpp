#include "cli/arguments/other_words.hpp"
#include "cli/build_facts.hpp"
#include "cli/commands/command.hpp"
#include "cli/pages/help.hpp"
#include "cli/settings/config_mistakes.hpp"
#include "cli/settings/options.hpp"
#include "cli/terminal/pager.hpp"
#include "cli/terminal/terminal.hpp"
#include "report/escape/sanitize.hpp"

#include <agent_audit/support/suggest.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <span>
#include <string>
#include <vector>

namespace agent_audit::cli {
namespace {

const CommandSpec* find_command(std::string_view name) {
    const auto found = std::ranges::find(all_commands(), name, &CommandSpec::name);
    return found == all_commands().end() ? nullptr : &*found;
}

bool exists(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
}

// A word that can only have been meant as a command: no such file, and nothing of a path or glob in it.
bool is_mistaken_command(const std::string& word) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; };
    return !word.empty() && word[0] != '-' && std::ranges::all_of(word, is_letter) && !exists(word);
}

ExitStatus unknown_command(const std::string& word, std::string_view what = "is neither a command nor a file") {
    std::vector<std::string_view> names;
    for (const CommandSpec& command : all_commands()) {
        if (!command.hidden) names.push_back(command.name);
    }
    std::string message = "'" + word + "' ";
    message.append(what);
    std::string_view near = instead_of_command(word);
    if (near.empty()) near = nearest(word, names);
    if (!near.empty()) {
        message.append("; did you mean ").append(near).append("?");
    }
    complain(message);
    hint("Try 'agent-audit --help'.");
    return ExitStatus::usage;
}

// A name that works and is not shown.
CommandSpec another_name(std::string_view name, CommandSpec command) {
    command.name = name;
    command.hidden = true;
    return command;
}

constexpr std::string_view kVariable = "AGENT_AUDIT_";

// Of the variables that stand for these flags, what comes behind AGENT_AUDIT_.
std::vector<std::string> variables_of(std::span<const FlagSpec> flags) {
    std::vector<std::string> names;
    for (const FlagSpec& flag : flags) {
        if (flag.environment) names.push_back(environment_name(flag).substr(kVariable.size()));
    }
    return names;
}

bool is_of_any_command(std::string_view name) {
    return std::ranges::any_of(all_commands(), [&](const CommandSpec& command) {
        const std::vector<std::string> names = variables_of(command.flags);
        return std::ranges::find(names, name) != names.end();
    });
}

// A variable that is nearly one of the command's was meant to be it, and sets nothing. Others that begin like ours are
// somebody else's affair: a runner's, a script's.
void say_mistyped_variables(const CommandSpec& command) {
    std::vector<std::string> names;
    for (char** entry = ::environ; entry && *entry; ++entry) {
        std::string_view name = *entry;
        if (!name.starts_with(kVariable)) continue;
        name = name.substr(0, name.find('=')).substr(kVariable.size());
        if (names.empty()) {
            // config tells what holds for a scan.
            names = variables_of(command.name == "config" ? scan_flags() : command.flags);
            std::ranges::move(variables_of(kCommonFlags), std::back_inserter(names));
        }
        if (std::ranges::find(names, name) != names.end()) continue;
        const std::string_view near = nearest(name, std::vector<std::string_view>(names.begin(), names.end()));
        if (near.empty() || is_of_any_command(name)) continue;
        complain(std::string(kVariable)
                     .append(report::visible(name))
                     .append(" sets nothing; did you mean ")
                     .append(kVariable)
                     .append(near)
                     .append("?"));
    }
}

// `agent-audit scan help`: a word that stands for nothing but the flag, where files are asked for.
std::string_view flag_meant(const CommandSpec& command, const Arguments& arguments) {
    constexpr std::string_view kMeant[] = {"--help", "--version"};
    if (arguments.operands.size() != 1 || command.first.kind != Offer::Kind::file) return {};
    const std::string& word = arguments.operands[0];
    for (const std::string_view flag : kMeant) {
        if (flag.substr(2) == word && !exists(word)) return flag;
    }
    return {};
}

ExitStatus run_command(const CommandSpec& command, const std::vector<std::string>& words, bool named) {
    const Result<Arguments> arguments = parse_arguments(command.flags, words);
    if (!arguments) {
        usage_error(command, arguments.error().message);
        return command.misused;
    }
    const int width = inspect_stream(1, When::never).width;
    if (arguments->help)
        return print_paged(named ? command_help(command, width) : program_help(width), arguments->no_pager);
    if (arguments->version) return print(version_text(width));
    if (arguments->licenses) return print_paged(licenses_text(), arguments->no_pager);
    say_mistyped_variables(command);
    if (const std::string_view flag = named ? flag_meant(command, *arguments) : std::string_view(); !flag.empty())
        return usage_error(command,
                           fmt::format("there is no file '{}'; did you mean {}?", arguments->operands[0], flag));
    if (!named) {
        // `agent-audit -q rules`: a command after flags is a command all the same to whoever typed it.
        for (const std::string& word : arguments->operands) {
            const CommandSpec* meant = find_command(word);
            if (!meant || exists(word)) continue;
            return usage_error(*meant, "the command comes first: agent-audit " + word + " …");
        }
    }
    return command.run(command, *arguments);
}

// `help`, `help scan`.
ExitStatus help(const CommandSpec& scan, const std::vector<std::string>& words) {
    if (words.size() < 2 || words[1].starts_with('-')) return run_command(scan, {"--help"}, false);
    const CommandSpec* command = find_command(words[1]);
    return command ? run_command(*command, {"--help"}, true) : unknown_command(words[1], "is no command");
}

}  // namespace

std::span<const CommandSpec> all_commands() {
    static const std::array table{
        scan_command(),    watch_command(),       hook_command(),
        init_command(),    report_command(),      discover_command(),
        convert_command(), replay_command(),      policy_command(),
        diff_command(),    baseline_command(),    config_command(),
        reset_command(),   checkpoint_command(),  rules_command(),
        explain_command(), formats_command(),     tokens_command(),
        schema_command(),  completions_command(), another_name("completion", completions_command()),
        man_command(),     doctor_command(),      reference_command()};
    return table;
}

ExitStatus usage_error(const CommandSpec& command, std::string_view message) {
    complain(message);
    hint(std::string("Try 'agent-audit ").append(command.name).append(" --help'."));
    return ExitStatus::usage;
}

ExitStatus settings_error(const CommandSpec& command, const Arguments& arguments, const Error& problem) {
    const auto given = [&](const FlagSpec& flag) {
        const auto at =
            std::ranges::find(command.flags, flag.long_name(), &FlagSpec::long_name) - command.flags.begin();
        const auto index = static_cast<std::size_t>(at);
        return index < arguments.flags.size() ? arguments.flags[index] : std::vector<FlagValue>{};
    };
    const auto choice = config_choice(given(kConfigFlag), given(kNoConfigFlag));
    return usage_error(command, choice ? tell_with_others(*choice, problem).message : problem.message);
}

ExitStatus run(const std::vector<std::string>& words) {
    const CommandSpec& scan = all_commands().front();
    if (words.empty()) return run_command(scan, words, false);
    if (words[0] == "help") return help(scan, words);
    if (const CommandSpec* command = find_command(words[0])) {
        return run_command(*command, {words.begin() + 1, words.end()}, true);
    }
    if (is_mistaken_command(words[0])) return unknown_command(words[0]);
    return run_command(scan, words, false);
}

}  // namespace agent_audit::cli
