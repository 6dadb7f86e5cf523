#include "report/all.hpp"
#include "report/json_parts.hpp"

namespace agent_audit::report {
namespace {

// One element a line: large results stay greppable and their diffs readable.
template <class Count, class Write>
void list(JsonWriter& json, std::string_view name, Count count, const Write& write) {
    json.key(name).begin_array();
    for (Count i = 0; i < count && !json.failed(); ++i) {
        json.begin_object();
        write(i);
        json.end_object();
        json.newline();
    }
    json.end_array();
}

void render(const Report& report, const RenderOptions& options, const ByteSink& out) {
    JsonWriter json(out, options.guard_ci);
    JsonParts parts(report, options, json);
    json.begin_object();
    parts.head();
    json.newline();
    json.key("summary").begin_object();
    parts.summary();
    json.end_object();
    json.newline();
    list(json, "inputs", report.inputs.size(), [&](std::size_t i) { parts.input(report.inputs[i]); });
    list(json, "sessions", report.sessions.size(), [&](std::size_t i) { parts.session(i); });
    const std::vector<const Finding*> findings = all_findings(report);
    list(json, "findings", findings.size(), [&](std::size_t i) { parts.finding(*findings[i]); });
    const std::size_t problems = report.problems.size();
    list(json, "notes", problems + report.notes.size(), [&](std::size_t i) {
        if (i < problems)
            parts.problem(report.problems[i]);
        else
            parts.note(report.notes[i - problems]);
    });
    json.end_object();
    json.newline();
    json.flush();
}

}  // namespace

RendererSpec json() { return {"json", "one JSON object with everything (schema agent-audit/result/1)", render, Redact::secrets}; }

}  // namespace agent_audit::report
