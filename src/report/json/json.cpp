#include "report/all.hpp"
#include "report/json/in_order.hpp"
#include "report/json/json_parts.hpp"

#include <algorithm>
#include <memory>

namespace agent_audit::report {
namespace {

// One element a line: large results stay greppable and their diffs readable.
template <class Write>
void element(JsonWriter& json, const Write& write) {
    json.begin_object();
    write();
    json.end_object();
    json.newline();
}

template <class Count, class Write>
void list(JsonWriter& json, std::string_view name, Count count, const Write& write) {
    json.key(name).begin_array();
    for (Count i = 0; i < count && !json.failed(); ++i) element(json, [&] { write(i); });
    json.end_array();
}

// Sessions are most of a report over thousands: several threads write some of them each, with the same bytes.
class SessionPieces {
public:
    static constexpr std::size_t kOfPiece = 16;

    SessionPieces(const Report& report, const RenderOptions& options)
        : report_(&report),
          sink_([this](std::string_view bytes) { return into_->append(bytes), true; }),
          json_(std::make_unique<JsonWriter>(sink_, options.guard_ci)),
          parts_(std::make_unique<JsonParts>(report, options, *json_)) {}
    SessionPieces(const SessionPieces&) = delete;
    SessionPieces& operator=(const SessionPieces&) = delete;

    static std::size_t count(const Report& report) { return (report.sessions.size() + kOfPiece - 1) / kOfPiece; }

    void operator()(std::size_t piece, std::string& into) {
        into_ = &into;
        const std::size_t end = std::min(report_->sessions.size(), (piece + 1) * kOfPiece);
        json_->begin_document();
        if (piece > 0) json_->go_on();
        for (std::size_t i = piece * kOfPiece; i < end; ++i) element(*json_, [&] { parts_->session(i); });
        json_->flush();
    }

private:
    const Report* report_;
    std::string* into_ = nullptr;
    ByteSink sink_;
    std::unique_ptr<JsonWriter> json_;
    std::unique_ptr<JsonParts> parts_;
};

void list_sessions(JsonWriter& json, JsonParts& parts, const Report& report, const RenderOptions& options) {
    const std::size_t pieces = SessionPieces::count(report);
    const auto threads = static_cast<unsigned>(std::min<std::size_t>(options.jobs, pieces));
    if (threads < 2) return list(json, "sessions", report.sessions.size(), [&](std::size_t i) { parts.session(i); });
    json.key("sessions").begin_array();
    in_order(
        pieces, threads, [&] { return SessionPieces(report, options); },
        [&](std::string_view sessions) {
            json.written(sessions);
            return !json.failed();
        });
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
    list_sessions(json, parts, report, options);
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

RendererSpec json() {
    return {"json", "one JSON object with everything (schema agent-audit/result/1)", render, Redact::secrets};
}

}  // namespace agent_audit::report
