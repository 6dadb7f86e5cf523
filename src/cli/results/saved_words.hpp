#pragma once

#include "report/json/json_writer.hpp"
#include "report/redaction/redact.hpp"

#include <agent_audit/config/saved_findings.hpp>

#include <string>
#include <string_view>

// How findings are told by the commands that compare them: diff and watch.

namespace agent_audit::cli {

/// "logs/a.jsonl:26-47", harmless for a terminal.
std::string place(const SavedFinding& f);

/// What its texts say of a session, with secrets taken out.
void redact(SavedFinding& f, report::Redactor& redactor);

/// The fields of an object that is open; those of `severity_before` only where it is not empty.
void write_fields(report::JsonWriter& json, const SavedFinding& f, std::string_view severity_before);

}  // namespace agent_audit::cli
