#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace agent_audit {

/// What a finding must be for a suppression to hold. Empty parts do not ask; all that ask must agree, and tool and
/// command must agree on one call of the finding.
struct FindingMatch {
    std::string tool;     ///< name of a tool, with or without its mcp__server__ prefix; * and ? as in a shell
    std::string command;  ///< regular expression (RE2), found anywhere in a call's main argument
    std::string path;     ///< glob of the recording: whole path, or its last part when the glob has no slash
    std::string project;  ///< folder the session began in (or one above it), or the last part of that folder
    std::string session;  ///< session id; * and ? as in a shell

    bool asks() const {
        return !(tool.empty() && command.empty() && path.empty() && project.empty() && session.empty());
    }
};

/// A finding that somebody decided to live with.
struct Suppression {
    std::string rule;  ///< id, code or group
    FindingMatch match;
    std::string reason;                      ///< never empty
    std::optional<std::int64_t> until_days;  ///< last day on which it holds, days since 1970-01-01
    std::string origin;                      ///< "agent-audit.toml:12"
    std::string folder = {};                 ///< of that file, absolute: relative paths in `match` hold from there too
};

/// What a kind of call does, by tool and (optionally) by what the command says.
struct ToolClassRule {
    std::string tool;        ///< as in FindingMatch, without wildcards; empty = any
    std::string command;     ///< regular expression (RE2); empty = any
    std::string tool_class;  ///< word for a ToolClass; "polling" stands for poll
    std::string origin;
};

}  // namespace agent_audit
