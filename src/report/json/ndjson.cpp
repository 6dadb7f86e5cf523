#include "report/all.hpp"
#include "report/json/json_parts.hpp"

namespace agent_audit::report {
namespace {

class Lines {
public:
    Lines(const Report& report, const RenderOptions& options, const ByteSink& out)
        : json_(out, options.guard_ci), parts_(report, options, json_) {}

    template <class Write>
    void line(std::string_view kind, const Write& write) {
        if (json_.failed()) return;
        json_.begin_document();
        json_.begin_object();
        json_.text("kind", kind);
        write(parts_);
        json_.end_object();
        json_.newline();
    }
    void flush() { json_.flush(); }
    JsonWriter& json() { return json_; }

private:
    JsonWriter json_;
    JsonParts parts_;
};

void render(const Report& report, const RenderOptions& options, const ByteSink& out) {
    Lines lines(report, options, out);
    lines.line("run", [](JsonParts& p) { p.head(); });
    for (const InputReport& input : report.inputs) {
        lines.line("input", [&](JsonParts& p) { p.input(input); });
    }
    for (std::size_t i = 0; i < report.sessions.size(); ++i) {
        lines.line("session", [&](JsonParts& p) { p.session(i); });
    }
    for (const Finding* finding : all_findings(report)) {
        lines.line("finding", [&](JsonParts& p) { p.finding(*finding); });
    }
    for (const RuleRun& rule : report.rules) {
        lines.line("metric", [&](JsonParts& p) {
            lines.json().text("name", "rule");
            p.rule(rule);
        });
    }
    for (const ModelTokens& model : report.tokens.by_model) {
        lines.line("metric", [&](JsonParts& p) {
            lines.json().text("name", "model_tokens");
            p.model(model);
        });
    }
    for (const std::string& problem : report.problems) {
        lines.line("note", [&](JsonParts& p) { p.problem(problem); });
    }
    for (const Note& note : report.notes) {
        lines.line("note", [&](JsonParts& p) { p.note(note); });
    }
    lines.line("summary", [](JsonParts& p) { p.summary(); });
    lines.flush();
}

}  // namespace

RendererSpec ndjson() {
    return {"ndjson", "one JSON object a line, by kind: run first, summary last", render, Redact::secrets};
}

}  // namespace agent_audit::report
