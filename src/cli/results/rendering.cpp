#include "cli/results/rendering.hpp"

#include "cli/pages/rule_page.hpp"
#include "cli/terminal/output.hpp"
#include "cli/terminal/terminal.hpp"
#include "cli/version.hpp"
#include "report/redaction/redact.hpp"
#include "report/words/human.hpp"
#include "report/words/input_problem.hpp"
#include "report/words/lost_records.hpp"
#include "report/words/verdict.hpp"

#include <agent_audit/detectors/detector.hpp>
#include <agent_audit/support/sha256.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::cli {
namespace {

constexpr std::size_t kInputMessages = 10;
constexpr std::size_t kSummaryLimit = 1'000'000;  // GitHub refuses a step's summary above 1 MiB
constexpr char kSummaryVariable[] = "GITHUB_STEP_SUMMARY";

// What the catalogues of SARIF and the like say about our rules. Their pages take an eighth of the start of a program,
// so they are written for the formats that show them.
class RuleDocs {
public:
    explicit RuleDocs(bool with_pages) {
        pages_.reserve(all_detectors().size());  // docs_ has views into it
        for (const DetectorSpec& rule : all_detectors()) {
            pages_.push_back(with_pages ? rule_page(rule) : std::string());
            docs_.push_back({rule.id, rule.code, rule.summary, pages_.back(), rule.worst, rule.confidence});
        }
    }
    std::span<const RuleDoc> docs() const { return docs_; }

private:
    std::vector<std::string> pages_;
    std::vector<RuleDoc> docs_;
};

// Of the files as they lie there, compressed or not. Empty for standard input and for what cannot be read any more.
std::string hash_of(const InputReport& input) {
    if (input.path == "-" || input.error) return {};
    const int fd = ::open(input.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) return {};
    struct stat what {};
    Sha256 hash;
    bool whole = ::fstat(fd, &what) == 0 && S_ISREG(what.st_mode);
    std::string piece(1u << 20, '\0');
    for (ssize_t n = 1; whole && n != 0;) {
        n = ::read(fd, piece.data(), piece.size());
        if (n > 0) hash.add(std::string_view(piece).substr(0, static_cast<std::size_t>(n)));
        if (n < 0 && errno != EINTR) whole = false;
    }
    ::close(fd);
    return whole ? hash.hex() : std::string();
}

// Only where an output says them: they cost a reading of everything.
std::vector<std::string> hashes_for(const Report& report, const OutputOptions& options) {
    const bool said =
        std::ranges::any_of(options.outputs, [](const OutputTarget& t) { return t.format->id == "sarif"; });
    std::vector<std::string> hashes;
    if (!options.hash_inputs || !said) return hashes;
    for (const InputReport& input : report.inputs) hashes.push_back(hash_of(input));
    return hashes;
}

// Without the links in it that a shell keeps: paths are compared as texts.
const std::string& working_directory() {
    static const std::string here = [] {
        std::error_code unknown;
        return std::filesystem::current_path(unknown).string();
    }();
    return here;
}

// Of the folder that a CI service calls the checkout the name that paths here begin with: it may be given through a
// link.
std::string checkout_named(const char* variable) {
    const char* value = std::getenv(variable);
    if (!value || *value != '/') return {};
    std::error_code unknown;
    const std::filesystem::path real = std::filesystem::canonical(value, unknown);
    return unknown ? std::string() : real.string();
}

// GitHub, GitLab, Azure and Bitbucket say where it is, and take paths from nowhere else.
const std::string& checkout() {
    static const std::string root = [] {
        std::string found;
        for (const char* variable :
             {"GITHUB_WORKSPACE", "CI_PROJECT_DIR", "BUILD_SOURCESDIRECTORY", "BITBUCKET_CLONE_DIR"}) {
            if (found.empty()) found = checkout_named(variable);
        }
        return found;
    }();
    return root;
}

std::span<const RuleDoc> rule_docs(bool with_pages) {
    if (with_pages) {
        static const RuleDocs whole(true);
        return whole.docs();
    }
    static const RuleDocs names(false);
    return names.docs();
}

RenderOptions drawing_of(const OutputOptions& options, const RendererSpec& format, ExitStatus outcome) {
    return {.verbosity = options.verbosity,
            .redact = options.redact.value_or(format.redact),
            .tool_version = kVersion,
            .rules = rule_docs(format.rule_pages),
            .fail_on = options.fail_on,
            .exit_code = static_cast<int>(outcome),
            .category = options.category,
            .gitlab_blocker = options.gitlab_blocker,
            .with_timing = options.with_timing,
            .homepage = kHomepage,
            .working_directory = working_directory(),
            .checkout = checkout(),
            .jobs = options.jobs,
            .max_findings = options.max_findings};
}

ExitStatus cannot_write(const Output& out, const Error& problem) {
    if (out.broken_pipe()) return ExitStatus::broken_pipe;
    complain(problem.message);
    return ExitStatus::internal;
}

ExitStatus write_one(const Report& report, const OutputOptions& options, const OutputTarget& target, ExitStatus outcome,
                     std::span<const std::string> hashes) {
    const bool to_stdout = target.path == "-";
    Result<Output> opened = to_stdout ? Result<Output>(Output::to_stdout()) : Output::to_file(target.path);
    if (!opened) {
        complain(opened.error().message);
        return ExitStatus::internal;
    }
    Output& out = opened.value();
    const Stream stream = to_stdout ? inspect_stream(STDOUT_FILENO, options.color) : inspect_file(options.color);
    RenderOptions drawing = drawing_of(options, *target.format, outcome);
    drawing.width = stream.width;
    drawing.color = stream.color;
    drawing.unicode = stream.unicode;
    drawing.guard_ci = to_stdout && output_is_read_by_ci();
    drawing.input_hashes = hashes;
    target.format->render(report, drawing, out.sink());
    const auto problem = out.finish();
    return problem ? cannot_write(out, *problem) : ExitStatus::clean;
}

// The runner reads the file when the step is over; other commands of the step may have written to it before.
ExitStatus append_summary(const Report& report, const OutputOptions& options, ExitStatus outcome) {
    const char* path = std::getenv(kSummaryVariable);
    if (!path || *path == '\0') return ExitStatus::clean;
    const RendererSpec& format = *find_renderer("markdown");
    RenderOptions drawing = drawing_of(options, format, outcome);
    drawing.max_bytes = kSummaryLimit;
    std::string page;
    format.render(report, drawing, [&](std::string_view piece) {
        page += piece;
        return true;
    });
    const int fd = ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    int error = fd < 0 ? errno : write_all(fd, page);
    if (fd >= 0 && ::close(fd) != 0 && error == 0) error = errno;
    if (error == 0) return ExitStatus::clean;
    complain(std::string("cannot write ") + kSummaryVariable + ": " + std::strerror(error));
    return ExitStatus::internal;
}

}  // namespace

std::optional<Error> output_problem(const OutputOptions& options) {
    for (const OutputTarget& target : options.outputs) {
        if (target.path == "-") continue;
        if (auto problem = unwritable(target.path)) return problem;
    }
    return std::nullopt;
}

std::optional<Error> replaced_input(const OutputOptions& options, std::span<const std::string> inputs) {
    for (const OutputTarget& target : options.outputs) {
        if (auto problem = replaces_input(target.path, inputs)) return problem;
    }
    return std::nullopt;
}

std::optional<Error> replaced_recording(const OutputOptions& options) {
    for (const OutputTarget& target : options.outputs) {
        if (auto problem = replaces_recording(target.path)) return problem;
    }
    return std::nullopt;
}

std::vector<std::string> recordings_among(std::span<const InputReport> inputs) {
    std::vector<std::string> paths;
    for (const InputReport& input : inputs) {
        if (!input.format.empty()) paths.push_back(input.path);
    }
    return paths;
}

ExitStatus write_all_outputs(const Report& report, const OutputOptions& options, ExitStatus outcome) {
    // One that cannot be written is told, and keeps nothing of the others back.
    ExitStatus first = ExitStatus::clean;
    const auto note = [&first](ExitStatus status) {
        if (first == ExitStatus::clean) first = status;
    };
    bool annotates = false;
    const std::vector<std::string> hashes = hashes_for(report, options);
    for (const bool to_stdout : {false, true}) {
        for (const OutputTarget& target : options.outputs) {
            if ((target.path == "-") != to_stdout) continue;
            annotates |= target.format->id == "github";
            note(write_one(report, options, target, outcome, hashes));
        }
    }
    if (annotates) note(append_summary(report, options, outcome));
    return first;
}

namespace {

// Formats with a place for it say it themselves; a list of findings has none.
void say_what_is_not_listed(const Report& report, const OutputOptions& options) {
    std::uint64_t count = 0;
    for (const RuleRun& rule : report.rules) count += rule.not_shown;
    std::string formats;
    for (const OutputTarget& target : options.outputs) {
        if (target.format->id == "text" && options.verbosity < 0)
            formats.append(formats.empty() ? "" : ", ").append("text");
        for (const std::string_view list : {"compact", "csv", "gitlab"}) {
            if (target.format->id == list) formats.append(formats.empty() ? "" : ", ").append(list);
        }
    }
    if (count == 0 || formats.empty()) return;
    complain(report::count_of(count, "finding") + " not listed in " + formats + " (--max-findings)");
}

// What is left out cannot fail a run.
void say_what_cannot_fail(const OutputOptions& options, Severity least) {
    if (!options.fail_on_said || !options.fail_on || *options.fail_on >= least) return;
    complain(std::string("--fail-on ").append(name(*options.fail_on)) + " fails for nothing below " +
             std::string(name(least)) + ": --min-severity leaves it out");
}

// Lists of findings and the shortest text have no place for them, and a gate must not be silent about what it did not
// check.
void say_warnings(const Report& report, const OutputOptions& options) {
    report::Redactor redact(options.redact.value_or(Redact::secrets));
    for (const Note& note : report.notes) {
        if (note.severity == Severity::warning) complain(redact.text(note.text));
    }
}

}  // namespace

void report_settings_problems(const Report& report, const OutputOptions& options) {
    for (const std::string& words : options.idle_flags) complain(words);
    say_warnings(report, options);
    say_what_cannot_fail(options, report.least);
    say_what_is_not_listed(report, options);
}

std::optional<std::string> lost_records(const Report& report, const OutputOptions& options) {
    if (!options.strict_input || report.ingest.lost() == 0) return std::nullopt;
    report::LostRecords lost;
    for (const InputReport& input : report.inputs)
        lost.add(input.path, input.stats.lost(), input.bad, input.counts_records);
    return lost.words(", and --strict-input was given");
}

void report_input_problems(const Report& report, const OutputOptions& options) {
    report::Redactor redact(options.redact.value_or(Redact::secrets));
    std::size_t problems = 0;
    for (const std::string& problem : report.problems) {
        if (++problems <= kInputMessages) complain(redact.input(problem));
    }
    for (const InputReport& input : report.inputs) {
        if (input.error && ++problems <= kInputMessages) {
            complain(report::input_problem(redact.input(input.path), redact.text(*input.error)));
        }
    }
    if (problems > kInputMessages)
        complain("and " + report::count_of(problems - kInputMessages, "more input") + " like these");
}

std::optional<std::string> no_session(const Report& report) {
    if (!report.sessions.empty() || report::input_problems(report) > 0) return std::nullopt;
    return report::no_session_words(recordings_among(report.inputs), report.skipped_inputs);
}

ExitStatus judge(const Report& report, const OutputOptions& options) {
    const bool unreadable = !report.problems.empty() || std::ranges::any_of(report.inputs, [](const auto& input) {
        return input.error.has_value();
    });
    const bool lost = options.strict_input && report.ingest.lost() > 0;
    const bool input_problem = unreadable || lost || report.sessions.empty();
    const bool found = options.fail_on && std::ranges::any_of(report.findings, [&](const Finding& finding) {
                           return finding.severity >= *options.fail_on;
                       });
    if (found && !(input_problem && options.strict_input)) return ExitStatus::findings;
    return input_problem ? ExitStatus::input : ExitStatus::clean;
}

}  // namespace agent_audit::cli
