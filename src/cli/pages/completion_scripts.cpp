#include "cli/pages/completion_scripts.hpp"

#include "cli/arguments/command_spec.hpp"
#include "cli/arguments/offers.hpp"

#include <fmt/format.h>

#include <array>

namespace agent_audit::cli {
namespace {

constexpr std::string_view kNotice = "written by `agent-audit completions {}` from the program's own tables";

std::string joined(const Words& words, std::string_view between = " ") {
    return fmt::format("{}", fmt::join(words, between));
}

std::string_view short_name(const FlagSpec& flag) {
    return flag.names.starts_with("--") ? std::string_view() : flag.names.substr(0, flag.names.find(','));
}

// 'text', for any of the three shells: fish alone gives a backslash between quotes a meaning.
std::string quoted(std::string_view text, bool fish = false) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'')
            out += fish ? "\\'" : "'\\''";
        else if (c == '\\' && fish)
            out += "\\\\";
        else
            out += c;
    }
    return out += '\'';
}

template <class Do>
void each_flag(const CommandSpec& command, const Do& act) {
    for (const FlagSpec& flag : command.flags) act(flag);
    for (const FlagSpec& flag : kCommonFlags) act(flag);
}

std::string command_pattern() { return joined(command_words(), "|"); }

// ---- bash ----------------------------------------------------------------------------------------------------

// Where a file is meant nothing is offered, and readline completes file names as it always does, with its own quoting.
std::string bash_offer(const Offer& offer) {
    switch (offer.kind) {
        case Offer::Kind::nothing: return "_agent_audit_nothing";
        case Offer::Kind::file: return ":";
        case Offer::Kind::folder: return "_agent_audit_folders";
        case Offer::Kind::word:
            return fmt::format("_agent_audit_{} {}", offer.or_file ? "words_or_files" : "words",
                               quoted(joined(offer.words())));
        case Offer::Kind::list:
            return fmt::format("_agent_audit_{} {}", offer.or_file ? "list_or_files" : "list",
                               quoted(joined(offer.words())));
    }
    return ":";
}

std::string bash_command(const CommandSpec& command) {
    std::string flags, values;
    each_flag(command, [&](const FlagSpec& flag) {
        const std::string_view letter = short_name(flag);
        flags.append(flags.empty() ? "" : " ").append(flag.long_name());
        if (!letter.empty()) flags.append(" ").append(letter);
        if (flag.is_switch() || flag.value_is_optional()) return;
        values += fmt::format("                {}{}{}) {}; return ;;\n", letter, letter.empty() ? "" : "|",
                              flag.long_name(), bash_offer(flag.offer));
    });
    return fmt::format(
        "        {})\n            flags='{}'\n            case $prev in\n{}            esac\n"
        "            if (( operand == 0 )); then offer={}; else offer={}; fi ;;\n",
        command.name, flags, values, quoted(bash_offer(command.first)), quoted(bash_offer(command.others)));
}

std::string bash_script() {
    std::string out =
        fmt::format("# bash completion for agent-audit, {}\n", fmt::format(fmt::runtime(kNotice), "bash"));
    out += R"(
# These look at $cur of _agent_audit. Where nothing is offered, readline completes file names as it always does.
_agent_audit_words_or_files() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur"); }

_agent_audit_words() {
    _agent_audit_words_or_files "$1"
    (( ${#COMPREPLY[@]} )) || _agent_audit_nothing
}

# a,b,c: the last of them is being typed.
_agent_audit_list_or_files() {
    local before=
    [[ $cur == *,* ]] && before=${cur%,*},
    mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${cur##*,}")
    (( ${#COMPREPLY[@]} )) && compopt -o nospace 2>/dev/null
}

_agent_audit_list() {
    _agent_audit_list_or_files "$1"
    (( ${#COMPREPLY[@]} )) || _agent_audit_nothing
}

_agent_audit_folders() {
    mapfile -t COMPREPLY < <(compgen -d -- "$cur")
    compopt -o filenames 2>/dev/null
}

# No file names either.
_agent_audit_nothing() { compopt +o default +o bashdefault 2>/dev/null; }

_agent_audit() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=scan first=1 flags offer operand=0 i word
    COMPREPLY=()
    # --flag=value is three words here.
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]] && (( COMP_CWORD > 2 )); then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if (( COMP_CWORD > 1 )); then
        case ${COMP_WORDS[1]} in
)";
    out += fmt::format("            {}) command=${{COMP_WORDS[1]}} first=2 ;;\n", command_pattern());
    out += R"(        esac
    fi
    # Operands before this one; a value that stands apart from its flag is one too many, which only "the first" minds.
    for (( i = first; i < COMP_CWORD; i++ )); do
        word=${COMP_WORDS[i]}
        [[ $word == -- ]] && { COMPREPLY=(); return; }
        [[ $word == -* || $word == = || ${COMP_WORDS[i - 1]} == -* || ${COMP_WORDS[i - 1]} == = ]] || operand=$((operand + 1))
    done
    case $command in
)";
    for (const CommandSpec& command : all_commands()) {
        if (!command.hidden) out += bash_command(command);
    }
    out += fmt::format(
        "    esac\n"
        "    if [[ $cur == -* ]]; then\n        _agent_audit_words \"$flags\"\n"
        "    elif (( COMP_CWORD == 1 )); then\n        _agent_audit_words_or_files {}\n"
        "    else\n        eval \"$offer\"\n    fi\n}}\n\n"
        "complete -o bashdefault -o default -F _agent_audit agent-audit\n",
        quoted(joined(command_words()) + " help"));
    return out;
}

// ---- zsh -----------------------------------------------------------------------------------------------------

std::string escaped(std::string_view text, std::string_view special) {
    std::string out;
    for (const char c : text) {
        if (special.find(c) != special.npos) out += '\\';
        out += c;
    }
    return out;
}

std::string zsh_action(const Offer& offer, std::string_view what) {
    switch (offer.kind) {
        case Offer::Kind::nothing: return " ";
        case Offer::Kind::file: return "_files";
        case Offer::Kind::folder: return "_files -/";
        case Offer::Kind::word:
            return offer.or_file ? fmt::format("{{ compadd -- {}; _files }}", joined(offer.words()))
                                 : fmt::format("({})", joined(offer.words()));
        case Offer::Kind::list:
            return fmt::format("{{ _values -s , {} {}{} }}", quoted(what), joined(offer.words()),
                               offer.or_file ? "; _files" : "");
    }
    return " ";
}

std::string zsh_value(const FlagSpec& flag) {
    if (flag.is_switch()) return {};
    const std::string what = escaped(flag.value, ":\\");
    return fmt::format(":{}{}:{}", flag.value_is_optional() ? ":" : "", what, zsh_action(flag.offer, flag.value));
}

std::string zsh_flag(const FlagSpec& flag) {
    const std::string doc = "[" + escaped(flag.doc, "[]\\:") + "]";
    const std::string_view joint = flag.is_switch() ? "" : flag.value_is_optional() ? "=-" : "=";
    std::string out = fmt::format("            {}\n",
                                  quoted(fmt::format("*{}{}{}{}", flag.long_name(), joint, doc, zsh_value(flag))));
    if (const std::string_view letter = short_name(flag); !letter.empty()) {
        out += fmt::format("            {}\n",
                           quoted(fmt::format("*{}{}{}{}", letter, flag.is_switch() ? "" : "+", doc, zsh_value(flag))));
    }
    return out;
}

std::string zsh_operands(const CommandSpec& command) {
    std::string out;
    const auto add = [&](std::string_view place, const Offer& offer) {
        if (offer.kind == Offer::Kind::nothing) return;
        out += fmt::format("            {}\n", quoted(fmt::format("{}:{}:{}", place, escaped(command.operands, ":\\"),
                                                                  zsh_action(offer, command.operands))));
    };
    add("1", command.first);
    add("*", command.others);
    return out;
}

std::string zsh_script() {
    std::string out =
        fmt::format("#compdef agent-audit\n# {}\n\n_agent_audit() {{\n    local -a commands flags\n    commands=(\n",
                    fmt::format(fmt::runtime(kNotice), "zsh"));
    for (const CommandSpec& command : all_commands()) {
        if (!command.hidden)
            out += fmt::format("        {}\n",
                               quoted(fmt::format("{}:{}", command.name, escaped(command.summary, ":\\"))));
    }
    out += fmt::format(R"(    )
    if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
        _describe -t commands command commands
        _files
        return
    fi
    local command=scan
    case $words[2] in
        {})
            command=$words[2]
            shift words
            (( CURRENT-- ))
            ;;
    esac
    case $command in
)",
                       command_pattern());
    for (const CommandSpec& command : all_commands()) {
        if (command.hidden) continue;
        out += fmt::format("        {})\n            flags=(\n", command.name);
        each_flag(command, [&](const FlagSpec& flag) { out += zsh_flag(flag); });
        out += zsh_operands(command) + "            )\n            ;;\n";
    }
    out += "    esac\n    _arguments -s -S $flags\n}\n\n_agent_audit \"$@\"\n";
    return out;
}

// ---- fish ----------------------------------------------------------------------------------------------------

std::string fish_words(const Offer& offer) {
    switch (offer.kind) {
        case Offer::Kind::nothing: return " -x";
        case Offer::Kind::file: return " -r -F";
        case Offer::Kind::folder: return " -x -a '(__fish_complete_directories (commandline -ct))'";
        case Offer::Kind::word:
            return fmt::format(" {} -a {}", offer.or_file ? "-r -F" : "-x", quoted(joined(offer.words()), true));
        case Offer::Kind::list:
            return fmt::format(" {} -a '(__fish_complete_list , \"string split , {}\")'",
                               offer.or_file ? "-r -F" : "-x", joined(offer.words(), ","));
    }
    return {};
}

void add_fish_command(std::string& out, const CommandSpec& command) {
    const std::string when = fmt::format("complete -c agent-audit -n '__agent_audit_is {}'", command.name);
    out += fmt::format("\n# {}\n", command.name);
    each_flag(command, [&](const FlagSpec& flag) {
        const std::string_view letter = short_name(flag);
        out += fmt::format("{}{} -l {}{} -d {}\n", when, letter.empty() ? "" : fmt::format(" -s {}", letter.substr(1)),
                           flag.long_name().substr(2),
                           flag.is_switch() || flag.value_is_optional() ? "" : fish_words(flag.offer),
                           quoted(flag.doc, true));
    });
    const auto operand = [&](std::string_view place, const Offer& offer) {
        if (offer.kind == Offer::Kind::file) return;
        out += fmt::format("complete -c agent-audit -n '__agent_audit_is {}; and {}'{}", command.name, place,
                           offer.or_file ? "" : " -f");
        const Words words = offer.words();
        out += words.empty() ? "\n" : fmt::format(" -a {}\n", quoted(joined(words), true));
    };
    operand("__agent_audit_words 2", command.first);
    operand("not __agent_audit_words 2", command.others);
}

std::string fish_script() {
    std::string out =
        fmt::format("# fish completion for agent-audit, {}\n", fmt::format(fmt::runtime(kNotice), "fish"));
    out += fmt::format(R"(
# The command is the first word, and scan where that is none.
function __agent_audit_is
    set -l words (commandline -opc)
    set -l command scan
    if set -q words[2]; and contains -- $words[2] {}
        set command $words[2]
    end
    test $command = $argv[1]
end

function __agent_audit_words
    test (count (commandline -opc)) -eq $argv[1]
end

)",
                       joined(command_words()));
    for (const CommandSpec& command : all_commands()) {
        if (!command.hidden)
            out += fmt::format("complete -c agent-audit -n '__agent_audit_words 1' -a {} -d {}\n", command.name,
                               quoted(command.summary, true));
    }
    for (const CommandSpec& command : all_commands()) {
        if (!command.hidden) add_fish_command(out, command);
    }
    return out;
}

}  // namespace

std::span<const ShellSpec> all_shells() {
    static constexpr std::array table{
        ShellSpec{"bash", "agent-audit", "bash-completion/completions", bash_script},
        ShellSpec{"zsh", "_agent-audit", "zsh/site-functions", zsh_script},
        ShellSpec{"fish", "agent-audit.fish", "fish/vendor_completions.d", fish_script},
    };
    return table;
}

}  // namespace agent_audit::cli
