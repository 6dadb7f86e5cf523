#include "cli/results/saved_words.hpp"

#include "report/escape/sanitize.hpp"
#include "report/words/finding_place.hpp"

namespace agent_audit::cli {

std::string place(const SavedFinding& f) {
    const FileLines own{f.first_line, f.last_line};
    const FileLines lines = f.first_file_line > 0 ? FileLines{f.first_file_line, f.last_file_line} : own;
    const bool counted = lines.first != own.first || lines.last != own.last;
    return report::place_words(report::visible(f.path), own, {lines, counted});
}

void redact(SavedFinding& f, report::Redactor& redactor) {
    f.message = redactor.text(f.message);
    f.session_id = redactor.text(f.session_id);
    f.path = redactor.input(f.path);
}

void write_fields(report::JsonWriter& json, const SavedFinding& f, std::string_view severity_before) {
    json.text("rule", f.rule);
    json.text("severity", f.severity);
    if (!severity_before.empty()) json.text("severity_before", severity_before);
    json.text("message", f.message);
    json.text("path", f.path);
    json.known_text("session_id", f.session_id);
    json.number("first_line", f.first_line);
    json.number("last_line", f.last_line);
    json.key("fingerprints").begin_object();
    json.text("agentAuditFinding/v1", f.id);
    json.text("agentAuditPattern/v1", f.pattern);
    json.end_object();
}

}  // namespace agent_audit::cli
