#include "cli/results/found.hpp"
#include "report/words/human.hpp"
#include "report/words/input_problem.hpp"

#include <agent_audit/pipeline/audit.hpp>
#include <agent_audit/pipeline/text_tokens.hpp>
#include <agent_audit/support/time.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <limits>

namespace agent_audit::cli {
namespace {

bool is_result_file(const std::string& path) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) return false;
    std::array<char, 512> head{};
    std::ifstream in(path, std::ios::binary);
    in.read(head.data(), head.size());
    return looks_like_result({head.data(), static_cast<std::size_t>(in.gcount())});
}

void add(SavedFindings&& from, SavedFindings& into) {
    const std::size_t run = into.findings.empty() ? 0 : into.findings.back().run + 1;
    for (SavedFinding& f : from.findings) {
        f.run += run;  // one file may hold several
        f.policy = from.policy;
        into.findings.push_back(std::move(f));
    }
    for (std::string& rule : from.rules) {
        if (std::ranges::find(into.rules, rule) == into.rules.end()) into.rules.push_back(std::move(rule));
    }
    into.not_shown += from.not_shown;
    if (!from.least.empty()) into.least = std::move(from.least);
    for (std::size_t i = 0; i < into.not_shown_by_severity.size(); ++i)
        into.not_shown_by_severity[i] += from.not_shown_by_severity[i];
}

std::optional<Error> add_audited(std::vector<std::string> inputs, const ScanOptions& options, Found& found) {
    AuditPlan plan = options.plan;
    plan.inputs = std::move(inputs);
    plan.baseline.reset();
    plan.max_findings_per_rule = std::numeric_limits<std::uint64_t>::max();
    const Result<Report> report = audit(plan);
    if (!report) return report.error();
    found.anything = found.anything || !report->sessions.empty();
    found.problems.insert(found.problems.end(), report->problems.begin(), report->problems.end());
    for (const InputReport& input : report->inputs) {
        if (input.error) found.problems.push_back(report::input_problem(input.path, *input.error));
    }
    SavedFindings audited;
    for (const Finding& f : report->findings) audited.findings.push_back(saved_finding(f, *report));
    audited.policy = name(report->policy);
    for (const RuleRun& rule : report->rules) audited.rules.push_back(rule.id);
    add(std::move(audited), found.all);
    return std::nullopt;
}

}  // namespace

SavedFinding saved_finding(const Finding& f, const Report& report) {
    const SessionReport& session = report.sessions[f.session];
    SavedFinding out;
    out.rule = f.rule;
    out.severity = name(f.severity);
    out.message = f.message;
    out.path = report.inputs[session.input].path;
    out.first_line = f.first_line;
    if (f.file_lines) {
        out.first_file_line = f.file_lines->first;
        out.last_file_line = f.file_lines->last;
    }
    out.last_line = f.last_line;
    out.session_id = session.id;
    if (session.first_time_ms != kNoTime) out.first_time = format_time_ms(session.first_time_ms);
    out.id = f.finding_fingerprint;
    out.pattern = f.pattern_fingerprint;
    return out;
}

std::string counted_only(std::uint64_t findings) {
    return report::count_of(findings, "finding") + (findings == 1 ? " was" : " were") +
           " counted and not listed (--max-findings)";
}

Result<SavedFindings> read_result(const std::string& path) {
    const Result<std::string> text = read_file(path);
    if (!text) return text.error();
    return parse_saved_findings(*text, path == "-" ? "standard input" : path);
}

Result<Found> find_all(const std::vector<std::string>& inputs, const ScanOptions& options) {
    Found found;
    std::vector<std::string> sessions;
    for (const std::string& input : inputs) {
        if (!is_result_file(input)) {
            sessions.push_back(input);
            continue;
        }
        Result<SavedFindings> result = read_result(input);
        if (!result) return result.error();
        found.anything = found.anything || result->sessions != 0;
        for (const std::string& problem : result->problems) found.problems.push_back(input + ": " + problem);
        add(std::move(*result), found.all);
    }
    if (!sessions.empty()) {
        if (auto problem = add_audited(std::move(sessions), options, found)) return *problem;
    }
    std::erase_if(found.all.findings, [](const SavedFinding& f) { return f.suppressed; });
    return found;
}

}  // namespace agent_audit::cli
