#include "report/all.hpp"
#include "report/json/json_writer.hpp"
#include "report/words/finding_words.hpp"

namespace agent_audit::report {
namespace {

std::string_view level(Severity severity, bool blocker) {
    switch (severity) {
        case Severity::error: return blocker ? "blocker" : "major";
        case Severity::warning: return "minor";
        case Severity::info: return "info";
    }
    return "info";
}

// GitLab keeps the first entry of each fingerprint; ours are those of findings, not of patterns.
void render(const Report& report, const RenderOptions& options, const ByteSink& out) {
    FindingWords words(report, options, FindingWords::From::checkout);
    JsonWriter json(out, options.guard_ci);
    json.begin_array();
    for (const Finding& f : report.findings) {
        if (json.failed()) return;
        json.begin_object();
        json.text("description", words.told(f));
        json.text("check_name", words.line(f.rule));
        json.text("fingerprint", identity(f, report));
        json.text("severity", level(f.severity, options.gitlab_blocker));
        json.key("location").begin_object();
        json.text("path", words.path_of(f));
        json.key("lines").begin_object();
        const FileLines lines = some_lines(f, report);
        json.number("begin", lines.first);
        json.number("end", lines.last);
        json.end_object();
        json.end_object();
        json.end_object();
        json.newline();
    }
    json.end_array();
    json.newline();
    json.flush();
}

}  // namespace

RendererSpec gitlab() { return {"gitlab", "GitLab Code Quality report", render}; }

}  // namespace agent_audit::report
