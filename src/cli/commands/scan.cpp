#include "cli/commands/command.hpp"
#include "cli/commands/profile_list.hpp"
#include "cli/evidence/judging.hpp"
#include "cli/kept.hpp"
#include "cli/pages/help.hpp"
#include "cli/results/rendering.hpp"
#include "cli/sessions/selection.hpp"
#include "cli/sessions/session_lines.hpp"
#include "cli/settings/options.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/terminal.hpp"
#include "report/words/human.hpp"

#include <agent_audit/pipeline/audit.hpp>
#include <agent_audit/support/jobs.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace agent_audit::cli {
namespace {

constexpr Example kExamples[] = {
    {"agent-audit session.jsonl", "did this session go in circles?"},
    {"agent-audit ~/.claude/projects", "every session below a directory"},
    {"agent-audit --latest", "the session that was last written on this machine, of whatever agent"},
    {"find logs -name '*.jsonl' -print0 | agent-audit scan --files-from - -0",
     "exactly the files that something else names"},
    {"agent-audit --as all session.jsonl", "what would other agents' loop detectors have done?"},
    {"agent-audit --fail-on warning -f json -o result.json logs/", "in CI: exit 1 on a warning, result as JSON"},
    {"agent-audit -f github -o sarif=audit.sarif -o junit=audit.xml logs/", "in CI: several formats from one reading"},
};

ExitStatus explain_usage() {
    std::string words = first_words(inspect_stream(STDERR_FILENO, When::never).width);
    words.pop_back();  // hint() ends a line
    for (std::size_t at = 0; at <= words.size();) {
        const std::size_t end = std::min(words.find('\n', at), words.size());
        hint(std::string_view(words).substr(at, end - at));
        at = end + 1;
    }
    hint_newest();
    hint("");
    hint("Everything else: agent-audit --help");
    return ExitStatus::usage;
}

// The sessions that there are, but for which there is no reader.
std::size_t unreadable(DiscoverPlan search) {
    search.readable_only = false;
    return discover(search).found;
}

// --latest and its like without INPUT: the files of the sessions that are meant. False when there are none.
bool choose_inputs(AuditPlan& plan) {
    DiscoverPlan search = plan_here(plan.filter);
    search.readable_only = true;
    const Discovery found = discover(search);
    for (const std::string& problem : found.problems) complain(problem);
    const InputFilter& filter = plan.filter;
    const bool some_only = filter.since_ms != kNoTime || filter.until_ms != kNoTime || !filter.projects.empty();
    plan.inputs = files_of(found);
    plan.inputs_found = true;
    plan.filter = {};  // nothing is left to choose from
    if (!plan.inputs.empty()) return true;
    const std::string_view such = some_only ? "such " : "";
    if (const std::size_t unread = unreadable(search); unread > 0)
        complain(fmt::format("no {}session that can be read was found on this machine, only {} that cannot be read yet",
                             such, unread));
    else
        complain(fmt::format("no {}session was found on this machine", such));
    hint("'agent-audit discover' lists those there are.");
    return false;
}

// The endpoints a run may ask. Both empty in every run that names none.
struct Endpoints {
    std::optional<remote::EndpointSettings> judge, embeddings;
    bool any() const { return judge || embeddings; }
};

Result<Endpoints> endpoints(const ScanOptions& options, const ModelTable& models) {
    Endpoints out;
    auto judge = endpoint_settings(options.judge, models);
    if (!judge) return judge.error();
    auto embeddings = endpoint_settings(options.embeddings, models);
    if (!embeddings) return embeddings.error();
    out.judge = std::move(*judge);
    out.embeddings = std::move(*embeddings);
    constexpr std::uint64_t kJudgeCalls = 50, kEmbeddingCalls = 200;
    if (out.judge && options.judge.budget.empty()) out.judge->max_calls = kJudgeCalls;
    if (out.embeddings && options.embeddings.budget.empty()) out.embeddings->max_calls = kEmbeddingCalls;
    return out;
}

void ask(Report& report, const Endpoints& who, const ScanOptions& options) {
    const JudgingPlan plan{options.plan.max_line_bytes,
                           std::max(options.redact.value_or(Redact::secrets), Redact::secrets)};
    if (who.judge) {
        warn_about(*who.judge);
        remote::Endpoint endpoint(*who.judge, remote::curl_transport());
        judge_findings(report, endpoint, plan);
    }
    if (who.embeddings) {
        warn_about(*who.embeddings);
        remote::Endpoint endpoint(*who.embeddings, remote::curl_transport());
        measure_similarity(report, endpoint, plan);
    }
}

ExitStatus run(const CommandSpec& self, const Arguments& arguments) {
    Result<ScanOptions> parsed = scan_options(arguments);
    if (!parsed) return settings_error(self, arguments, parsed.error());
    ScanOptions& options = parsed.value();
    if (options.list_profiles) return list_profiles(options.color);
    if (options.lists.given) {
        // What is in no list is not asked for, and an empty list is no reason to read something else.
    } else if (options.plan.inputs.empty() && options.chooses) {
        if (!choose_inputs(options.plan)) return ExitStatus::input;
    } else if (options.plan.inputs.empty()) {
        if (::isatty(STDIN_FILENO) == 1) return explain_usage();
        options.plan.inputs.emplace_back("-");
    }
    for (const OutputTarget& target : options.outputs) {
        options.plan.course_points = std::max(options.plan.course_points, target.format->course_points);
    }
    options.jobs = thread_count(options.plan.jobs);
    // Before the work: minutes of reading are not thrown away for a typo in -o.
    if (const auto problem = replaced_input(options, options.plan.inputs)) return usage_error(self, problem->message);
    if (const auto problem = replaced_recording(options)) return usage_error(self, problem->message);
    if (const auto problem = output_problem(options)) {
        complain(problem->message);
        return ExitStatus::internal;
    }
    // Prices are read a second time only where an endpoint is named.
    const bool remote = !options.judge.url.empty() || !options.embeddings.url.empty();
    const auto models = remote ? load_models(options.plan.price_file) : Result<ModelTable>(ModelTable());
    if (!models) return usage_error(self, models.error().message);
    const Result<Endpoints> who = endpoints(options, *models);
    if (!who) return usage_error(self, who.error().message);
    options.similarity.max_line_bytes = options.plan.max_line_bytes;
    if (const auto problem = vectors_problem(options.similarity)) return usage_error(self, problem->message);
    Result<Report> audited = [&] {
        const Progress progress("agent-audit: reading " + report::count_of(options.plan.inputs.size(), "input"),
                                options.progress);
        return audit(options.plan);
    }();
    if (!audited) return settings_error(self, arguments, audited.error());
    Report& report = kept_to_the_end(std::move(audited.value()));
    report.least = options.plan.min_severity;
    if (const auto problem = replaced_input(options, recordings_among(report.inputs)))
        return usage_error(self, problem->message);
    place_problems(options.lists, report.problems, report.inputs);
    if (options.similarity.any()) measure_texts(report, options.similarity);
    if (who->any()) ask(report, *who, options);

    // It must not be one of too many.
    if (auto lost = lost_records(report, options)) report.problems.insert(report.problems.begin(), std::move(*lost));
    if (auto none = no_session(report)) report.problems.push_back(std::move(*none));
    report_settings_problems(report, options);
    report_input_problems(report, options);
    const ExitStatus outcome = judge(report, options);
    const ExitStatus written = write_all_outputs(report, options, outcome);
    return written == ExitStatus::clean ? outcome : written;
}

}  // namespace

CommandSpec scan_command() {
    return {"scan",
            "[INPUT...]",
            "read sessions and say what went wrong in them (the default)",
            "INPUT is a file, a directory (searched for sessions), a ZIP or tar archive of sessions, or a path that "
            "goes on "
            "into one, a glob, or - for standard input; gzip and zstd are recognised. The format is told from the "
            "content. Without INPUT, --latest, --project, --since and --until "
            "choose among the sessions that agent-audit discover finds, and without those standard input is read. With "
            "INPUT they choose among its files, by modification time and first records, before anything is read.",
            kExamples,
            scan_flags(),
            run};
}

}  // namespace agent_audit::cli
