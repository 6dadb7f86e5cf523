#include "readers/copilot/copilot_shell.hpp"

#include "readers/json/format_util.hpp"

namespace agent_audit::readers {
namespace {

// A line break as JSON writes it, not a backslash and an n.
bool ends_in_break(std::string_view raw) {
    if (!raw.ends_with("\\n")) return false;
    const auto before = raw.find_last_not_of('\\', raw.size() - 2);
    return (raw.size() - 2 - (before == raw.npos ? 0 : before + 1)) % 2 == 0;
}

}  // namespace

CopilotShellNote copilot_shell_note(std::string_view raw) {
    constexpr std::string_view kExited = "<exited with exit code ", kShell = "<shellId: ",
                               kRunning = "<command with shellId: ", kCompleted = " completed with exit code ",
                               kStill = " is still running";
    CopilotShellNote note{raw, std::nullopt, {}};
    const auto at = raw.ends_with('>') ? raw.rfind('<') : raw.npos;
    if (at == raw.npos || (at > 0 && !ends_in_break(raw.substr(0, at)))) return note;
    const std::string_view last = raw.substr(at);
    const auto named = [last](std::string_view start, std::string_view verb) {
        if (!last.starts_with(start)) return std::string_view{};
        const std::string_view rest = last.substr(start.size());
        const auto end = rest.find(verb);
        return end == rest.npos || rest.substr(0, end).find(' ') != rest.npos ? std::string_view{}
                                                                              : rest.substr(0, end);
    };
    if (last.starts_with(kExited))
        note.exit_code = number_after(last, kExited);
    else if (!named(kShell, kCompleted).empty())
        note.exit_code = number_after(last, kCompleted);
    else
        note.running = named(kRunning, kStill);
    if (!note.exit_code && note.running.empty()) return note;
    note.text = raw.substr(0, at);
    if (at > 0) note.text.remove_suffix(2);
    return note;
}

}  // namespace agent_audit::readers
