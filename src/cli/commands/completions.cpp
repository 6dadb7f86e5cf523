#include "cli/arguments/offers.hpp"
#include "cli/commands/command.hpp"
#include "cli/pages/completion_scripts.hpp"

#include <agent_audit/support/suggest.hpp>

#include <string>

namespace agent_audit::cli {
namespace {

constexpr Example kExamples[] = {
    {"source <(agent-audit completions bash)", "in this bash, now; in ~/.bashrc, in every one"},
    {"agent-audit completions zsh > ~/.zfunc/_agent-audit",
     "for zsh, where ~/.zfunc is in $fpath before compinit runs"},
    {"agent-audit completions fish > ~/.config/fish/completions/agent-audit.fish", "for fish"},
};

Words shell_words() {
    Words out;
    for (const ShellSpec& shell : all_shells()) out.push_back(shell.name);
    return out;
}

ExitStatus run(const CommandSpec& self, const Arguments& arguments) {
    if (arguments.operands.size() != 1) return usage_error(self, "completions takes one shell: bash, zsh or fish");
    const std::string& word = arguments.operands[0];
    for (const ShellSpec& shell : all_shells()) {
        if (shell.name == word) return print(shell.script());
    }
    const std::string_view near = nearest(word, shell_words());
    return usage_error(self, "no completions for '" + word + "': expected bash, zsh or fish" +
                                 (near.empty() ? "" : "; did you mean " + std::string(near) + "?"));
}

}  // namespace

CommandSpec completions_command() {
    return {"completions",
            "bash|zsh|fish",
            "print the script with which a shell completes commands, flags and their values",
            "The script is made from the same tables as the parser and the help. A package installs the scripts where "
            "shells look for them, so this is for programs that were put in place by hand.",
            kExamples,
            {},
            run,
            false,
            offer_word(shell_words),
            Offer{}};
}

}  // namespace agent_audit::cli
