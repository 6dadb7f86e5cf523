#pragma once

#include <agent_audit/model/report.hpp>

#include <string>

namespace agent_audit::report {

/// What tells a session from others of its file, as recorded: its label, else its id (of which the first `id_bytes`
/// do), else ":19", the line at which it begins. To be redacted and escaped.
std::string session_mark(const SessionReport& session, std::size_t id_bytes = std::string::npos);

/// The name of a file and a mark behind it: "log.jsonl agent a1", "log.jsonl:19".
std::string marked(std::string file, const std::string& mark);

}  // namespace agent_audit::report
