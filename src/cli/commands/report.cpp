#include "cli/commands/command.hpp"
#include "cli/results/rendering.hpp"
#include "cli/settings/options.hpp"
#include "cli/terminal/terminal.hpp"
#include "report/words/human.hpp"
#include "support/open_error.hpp"

#include <agent_audit/report/saved_result.hpp>
#include <agent_audit/support/sha256.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace agent_audit::cli {
namespace {

constexpr Example kExamples[] = {
    {"agent-audit report result.json", "what was it again?"},
    {"agent-audit report -f markdown -o audit.md result.json", "a page to pass on, without reading the sessions again"},
    {"agent-audit report -f sarif monday.ndjson tuesday.ndjson", "two results as one"},
};

constexpr std::string_view kFlagNames[] = {
    "--format",       "--output",   "--fail-on",        "--exit-zero",   "--min-severity", "--min-confidence",
    "--redact",       "--category", "--gitlab-blocker", "--with-timing", "--config",       "--no-config",
    "--strict-input", "--quiet",    "--verbose",        "--color",       "--files-from",   "--null"};

const std::vector<FlagSpec>& report_flags() {
    static const std::vector<FlagSpec> flags = scan_flags_named(kFlagNames);
    return flags;
}

std::string named(const std::string& path) { return path == "-" ? "standard input" : path; }

Result<std::string> contents(const std::string& path) {
    const auto failed = [&](int error) { return cannot_open(named(path), error); };
    const bool standard = path == "-";
    const int fd = standard ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return failed(errno);
    std::string text;
    std::string piece(256u << 10, '\0');
    int error = 0;
    while (true) {
        const ssize_t n = ::read(fd, piece.data(), piece.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) error = errno;
        if (n <= 0) break;
        text.append(piece, 0, static_cast<std::size_t>(n));
    }
    if (!standard) ::close(fd);
    if (error != 0) return failed(error);
    return text;
}

std::string hash_of(std::string_view text) {
    Sha256 hash;
    hash.add(text);
    return hash.hex();
}

ExitStatus run(const CommandSpec& self, const Arguments& arguments) {
    Result<ScanOptions> parsed = audit_options(report_flags(), arguments);
    if (!parsed) return settings_error(self, arguments, parsed.error());
    ScanOptions& options = parsed.value();
    if (options.plan.inputs.empty() && !options.lists.given) {
        if (::isatty(STDIN_FILENO) == 1) return usage_error(self, "report needs RESULTS");
        options.plan.inputs.emplace_back("-");
    }
    if (const auto problem = replaced_recording(options)) return usage_error(self, problem->message);
    if (const auto problem = output_problem(options)) {
        complain(problem->message);
        return ExitStatus::internal;
    }
    SavedResults results;
    std::vector<std::string> problems = options.lists.problems;
    std::map<std::string, std::string> seen;  // contents, as a hash, and where they were read first
    for (const std::string& path : options.plan.inputs) {
        const Result<std::string> text = contents(path);
        if (text) {
            const auto [first, is_new] = seen.emplace(hash_of(*text), path);
            if (!is_new) {
                complain(named(path) + ": the same result as " + named(first->second) + "; it counts once");
                continue;
            }
        }
        const std::optional<Error> problem = text ? results.add(*text) : text.error();
        if (!problem && results.sessions_again() > 0) {
            complain(named(path) + ": " + report::count_of(results.sessions_again(), "session") +
                     " of it stood in a result before, and what it counts is counted again");
        }
        if (!problem) continue;
        const auto place = options.lists.places.find(path);
        problems.push_back((text ? named(path) + ": " : std::string()) + problem->message +
                           (place == options.lists.places.end() ? "" : " (named in " + place->second + ")"));
    }
    // The first result is the report to begin with, and each of these goes to its front.
    for (; !problems.empty(); problems.pop_back()) results.add_problem(std::move(problems.back()));
    results.filter(options.plan.min_severity, options.plan.min_confidence);
    if (auto lost = lost_records(results.report(), options)) results.add_problem(std::move(*lost));
    if (auto none = no_session(results.report())) results.add_problem(std::move(*none));
    report_settings_problems(results.report(), options);
    report_input_problems(results.report(), options);
    const ExitStatus outcome = judge(results.report(), options);
    const ExitStatus written = write_all_outputs(results.report(), options, outcome);
    return written == ExitStatus::clean ? outcome : written;
}

}  // namespace

CommandSpec report_command() {
    return {"report",
            "[RESULTS...]",
            "show saved results in another format",
            "RESULTS are files that scan wrote with -f json or -f ndjson, or - for standard input; several are shown "
            "as one, the same one twice counts once. Nothing is audited again. The exit code is worked out anew, by "
            "--fail-on as scan has it: a result does not say what the scan was to fail for.",
            kExamples,
            report_flags(),
            run};
}

}  // namespace agent_audit::cli
