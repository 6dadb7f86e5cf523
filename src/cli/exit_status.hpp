#pragma once

#include <string_view>

namespace agent_audit::cli {

/// Part of the public interface: scripts branch on these. Never renumber.
enum class ExitStatus : int {
    clean = 0,
    findings = 1,
    usage = 2,
    input = 3,
    internal = 4,
    broken_pipe = 128 + 13,
};

struct ExitStatusDoc {
    ExitStatus status;
    std::string_view doc;
};

inline constexpr ExitStatusDoc kExitStatuses[] = {
    {ExitStatus::clean, "audited; nothing at or above --fail-on"},
    {ExitStatus::findings, "audited; findings at or above --fail-on"},
    {ExitStatus::usage, "wrong usage or invalid settings; nothing was audited"},
    {ExitStatus::input, "input problem: nothing recognised, a file unreadable, or bad records with --strict-input"},
    {ExitStatus::internal, "internal error, or the output could not be written"},
    {ExitStatus::broken_pipe, "whoever read the output stopped reading (SIGPIPE); nothing is printed"},
};

}  // namespace agent_audit::cli
