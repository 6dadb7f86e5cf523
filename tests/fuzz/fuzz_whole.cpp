// The whole audit on one hostile file: detection, reading, engine, rules, ledger, and every renderer. What comes out
// must be consistent in itself, and the JSON forms must be JSON.
#include "invariants.hpp"
#include "memory_file.hpp"

#include <agent_audit/pipeline/audit.hpp>
#include <agent_audit/report/renderer.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

using namespace agent_audit;

namespace {

void check(const Report& report) {
    IngestStats sum;
    for (const InputReport& input : report.inputs) sum += input.stats;
    fuzz::promise(sum.fates == report.ingest.fates, "the fates of the inputs add up to those of the run");
    for (const SessionReport& session : report.sessions) {
        fuzz::promise(session.input < report.inputs.size(), "a session names one of the inputs");
        fuzz::promise(session.first_line <= session.last_line, "a session ends after its beginning");
        fuzz::promise(session.counts.paired <= session.counts.calls, "no more pairs than calls");
        for (const PeerOutcome& peer : session.peers) {
            const PeerReaction* reaction = peer.reaction();
            fuzz::promise(!reaction || reaction->line <= session.last_line, "others react within the session");
            fuzz::promise(!reaction || reaction->step <= session.counts.calls,
                          "others count no more calls than there are");
        }
    }
    for (const Finding& finding : report.findings) {
        fuzz::promise(finding.session < report.sessions.size(), "a finding names one of the sessions");
        // In a document of messages lines count the messages, so the number of records says nothing about them.
        const SessionReport& session = report.sessions[finding.session];
        fuzz::promise(finding.first_line <= finding.last_line, "a finding ends after its beginning");
        fuzz::promise(finding.first_line >= session.first_line && finding.last_line <= session.last_line,
                      "a finding lies within its session");
        fuzz::promise(finding.confidence >= 0 && finding.confidence <= 1, "confidence lies between 0 and 1");
    }
    fuzz::promise(report.errors + report.warnings + report.infos == report.findings.size(),
                  "the counts by severity add up to the findings");
}

std::string draw(const RendererSpec& renderer, const Report& report) {
    std::string out;
    RenderOptions options;
    options.tool_version = "0";
    renderer.render(report, options, [&](std::string_view piece) {
        out += piece;
        return true;
    });
    return out;
}

void check_drawing(std::string_view format, const std::string& out) {
    if (format == "json") fuzz::promise(nlohmann::json::accept(out), "the json form is JSON");
    if (format == "ndjson") {
        for (std::size_t at = 0; at < out.size();) {
            const auto end = out.find('\n', at);
            fuzz::promise(end != out.npos, "the ndjson form ends with a newline");
            fuzz::promise(nlohmann::json::accept(out.begin() + std::ptrdiff_t(at), out.begin() + std::ptrdiff_t(end)),
                          "each line of the ndjson form is JSON");
            at = end + 1;
        }
    }
    if (format == "text") {
        for (const char c : out) {
            fuzz::promise(static_cast<unsigned char>(c) >= ' ' || c == '\n', "no control characters on the terminal");
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const fuzz::MemoryFile file({reinterpret_cast<const char*>(data), size});
    AuditPlan plan;
    plan.inputs = {file.path()};
    plan.jobs = 1;
    if (size % 2 == 1) plan.profiles = {"all"};
    plan.max_line_bytes = 16u << 10;
    const auto report = audit(plan);
    fuzz::promise(report.has_value(), "a default plan makes sense");
    check(*report);
    for (const RendererSpec& renderer : all_renderers()) check_drawing(renderer.id, draw(renderer, *report));
    return 0;
}
