#include "detectors/all.hpp"
#include "detectors/commands/shell_line.hpp"
#include "detectors/commands/shell_words.hpp"
#include "detectors/constraint/call_rule.hpp"

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "constraint/command";

constexpr std::string_view kDoc = R"(## What it finds
A shell command that `constraints.forbidden-commands` names, or that is not among `constraints.allowed-commands`.

## Why it matters
A push, a deployment or a removal cannot be taken back.

## Example
`agent-audit scan --set "constraints.forbidden-commands=git push,rm -rf,terraform apply" session.jsonl`

## What is not flagged
- nothing unless one of the two lists is set
- the words of a command inside a quoted text, a comment or a here-document, and commands that a human refused
- what a script does that a command starts

An entry is the first words of a command. Forbidden ones are looked for in each command of the line and in what `$(…)` and
`sh -c` run, behind assignments and programs that run another one (`sudo`, `timeout 5`, `env`) as well; their flags may stand
anywhere in it, by any of their names (`git push --force` is `git push origin -f`). Allowed ones must begin each of these
commands, and `sudo` is a word of its command; where git works (`git -C dir status`) is none. What only steers a shell (`cd`,
`echo`, `export`, `test`, `sleep` …) need not be named.

## What to do
Take the permission away where the agent runs.

## When it is wrong
The list is too strict. Change it, or `--ignore constraint/command`.
)";

// They steer the shell or talk, and need not be allowed.
constexpr std::string_view kHarmless[] = {"cd",   "echo",   "export", "printf",   "pwd",  "set",
                                          "true", "false",  ":",      "test",     "[",    "[[",
                                          "exit", "return", "break",  "continue", "wait", "sleep"};

class CommandRule final : public CallRule {
public:
    using CallRule::CallRule;
    static bool wanted(const RunConstraints& a) { return !a.allowed_commands.empty() || !a.forbidden_commands.empty(); }

private:
    bool breaks(const CallTarget& call, Breach& breach) const override {
        if (call.command.empty()) return false;
        breach.subject = call.command;
        for (const std::string& entry : allowed_.forbidden_commands) {
            if (!runs_command(call.command, entry)) continue;
            breach.entry = entry;
            return true;
        }
        return !allowed_.allowed_commands.empty() && !all_allowed(call.command);
    }

    bool is_allowed(std::string_view command) const {
        const auto begins = [&](std::string_view words) { return begins_with_words(command, words); };
        const bool text = command.starts_with("cat <<") && command.find('>') == command.npos;  // -m "$(cat <<EOF …)"
        return text || std::ranges::any_of(kHarmless, begins) || std::ranges::any_of(allowed_.allowed_commands, begins);
    }

    bool all_allowed(std::string_view line) const {
        const std::string spaced = with_single_blanks(line);
        return std::ranges::all_of(shell_commands(spaced), [&](const ShellCommand& command) {
            return is_allowed(command.whole.starts_with("sudo ") ? command.whole : command.text);
        });
    }

    DetectorSpec spec() const override { return constraint_command(); }
    std::string_view key(bool forbidden) const override {
        return forbidden ? "forbidden-commands" : "allowed-commands";
    }
};

}  // namespace

DetectorSpec constraint_command() {
    return call_rule<CommandRule>(kId, "AA801", "a command is run that [constraints] rules out", kDoc);
}

}  // namespace agent_audit::detectors
