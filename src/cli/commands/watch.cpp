#include "cli/arguments/offers.hpp"
#include "cli/commands/command.hpp"
#include "cli/results/found.hpp"
#include "cli/results/saved_words.hpp"
#include "cli/results/watched.hpp"
#include "cli/sessions/selection.hpp"
#include "cli/sessions/session_lines.hpp"
#include "cli/settings/flag_values.hpp"
#include "cli/settings/options.hpp"
#include "cli/terminal/terminal.hpp"
#include "report/escape/sanitize.hpp"
#include "report/json/json_writer.hpp"
#include "report/redaction/redact.hpp"
#include "report/text/layout.hpp"
#include "report/words/human.hpp"
#include "report/words/input_problem.hpp"

#include <agent_audit/pipeline/audit.hpp>
#include <agent_audit/readers/input.hpp>

#include <fmt/format.h>

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace agent_audit::cli {
namespace {

constexpr std::string_view kFormats[] = {"text", "ndjson"};
constexpr FlagSpec kOwnFlags[] = {
    {"-f,--format", "FORMAT", "text (default) or ndjson: one line a change", false, offer_one_of(kFormats)},
    {"--interval", "SECONDS", "how often to look: 0.1 to 3600, 1 by default", false},
    {"--from-start", "", "of folders, read also what was written before now", false},
    {"--until-found", "", "end, with exit code 1, as soon as something at or above --fail-on is found", false},
};
constexpr std::string_view kAuditFlags[] = {
    "--fail-on",   "--exit-zero", "--policy",        "--select",       "--ignore",         "--set",  "--config",
    "--no-config", "--baseline",  "--no-baseline",   "--min-severity", "--min-confidence", "--goal", "--input-format",
    "--exclude",   "--prices",    "--max-line-size", "--jobs",         "--redact",         "--color"};
enum Flag : std::size_t { kFormat, kInterval, kFromStart, kUntilFound };

std::span<const FlagSpec> flags() {
    static const std::vector<FlagSpec> all = with_scan_flags(kOwnFlags, kAuditFlags);
    return all;
}

constexpr Example kExamples[] = {
    {"agent-audit watch", "the session that was last written in this project, while the agent goes on"},
    {"agent-audit watch ~/.claude/projects", "whatever is written from now on, of all projects of an agent"},
    {"agent-audit watch --until-found logs/; [ $? -eq 1 ] && kill \"$AGENT\"", "end a headless agent that is stuck"},
    {"agent-audit watch -f ndjson logs/ | jq -r 'select(.severity == \"error\") | .message'", "for programs"},
};

// ---- when it ends --------------------------------------------------------------------------------------------

// Set by a signal, which can reach nothing else.
volatile std::sig_atomic_t ended = 0;

extern "C" void end_watching(int) { ended = 1; }

// The first SIGINT or SIGTERM ends the watch with its summary, the second one the process. What the caller chose to
// ignore stays ignored.
void end_on_signals() {
    for (const int signal : {SIGINT, SIGTERM}) {
        struct sigaction action {};
        if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
        action.sa_handler = end_watching;
        action.sa_flags = static_cast<int>(SA_RESETHAND);
        ::sigaction(signal, &action, nullptr);
    }
}

// A signal ends it early: at once or, when it came just before, after a fifth of a second.
void sleep_for(double seconds) {
    constexpr double kPiece = 0.2;
    for (double left = seconds; left > 0 && ended == 0; left -= kPiece) {
        const timespec time{0, static_cast<long>(std::min(left, kPiece) * 1e9)};
        ::nanosleep(&time, nullptr);
    }
}

// ---- words ---------------------------------------------------------------------------------------------------

struct Watch {
    ScanOptions options;
    double interval_s = 1;
    bool from_start = false, until_found = false, lines = false;  // lines: ndjson
    WatchedFindings findings;
    std::set<std::string> files;  // with a session, as far as they were read
    std::string unread;           // why the first of them could not be read
};

std::string severity_words(const WatchedChange& change) {
    if (change.kind == WatchedChange::Kind::gone) return fmt::format("over, was {}", change.finding.severity);
    if (change.severity_before.empty()) return change.finding.severity;
    return fmt::format("{}, was {}", change.finding.severity, change.severity_before);
}

void draw(report::Page& page, const WatchedChange& change) {
    std::vector<report::Span> spans{
        {severity_words(change)}, {report::visible(change.finding.rule), report::Style::bold}, {place(change.finding)}};
    if (change.kind != WatchedChange::Kind::gone) spans.push_back({report::visible(change.finding.message)});
    page.heading(spans);
}

constexpr Severity kWorstFirst[] = {Severity::error, Severity::warning, Severity::info};

void draw_end(report::Page& page, const Watch& watch) {
    const auto many = [&](Severity severity, std::string_view word) {
        return report::count_of(watch.findings.count(severity), word);
    };
    page.paragraph(0,
                   fmt::format("{}, {}, {} in {}", many(Severity::error, "error"), many(Severity::warning, "warning"),
                               many(Severity::info, "note"), report::count_of(watch.files.size(), "file")));
}

void write(report::JsonWriter& json, const WatchedChange& change) {
    json.begin_object();
    json.text("kind", name(change.kind));
    write_fields(json, change.finding, change.severity_before);
    json.end_object();
    json.newline();
}

void write_end(report::JsonWriter& json, const Watch& watch) {
    json.begin_object();
    json.text("kind", "end");
    json.number("files", watch.files.size());
    json.key("findings").begin_object();
    for (const Severity severity : kWorstFirst) json.number(name(severity), watch.findings.count(severity));
    json.end_object();
    json.end_object();
    json.newline();
}

// All at once, so that who reads along sees it now.
ExitStatus tell(const Watch& watch, std::span<const WatchedChange> changes, bool end) {
    std::string out;
    const ByteSink sink = [&](std::string_view bytes) {
        out += bytes;
        return true;
    };
    if (watch.lines) {
        report::JsonWriter json(sink, output_is_read_by_ci());
        for (const WatchedChange& change : changes) write(json, change);
        if (end) write_end(json, watch);
        json.flush();
    } else {
        const Stream stream = inspect_stream(STDOUT_FILENO, watch.options.color);
        const RenderOptions how{.width = stream.width,
                                .color = stream.color,
                                .unicode = stream.unicode,
                                .guard_ci = output_is_read_by_ci()};
        report::Page page(how, sink);
        for (const WatchedChange& change : changes) draw(page, change);
        if (end) draw_end(page, watch);
        page.flush();
    }
    return out.empty() ? ExitStatus::clean : print(out, watch.lines ? Printed::document : Printed::lines);
}

// ---- looking -------------------------------------------------------------------------------------------------

std::int64_t clock_ms() {
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

// Reads what was written since then, and says what it changes.
Result<std::vector<WatchedChange>> look(Watch& watch, std::int64_t since_ms) {
    AuditPlan plan = watch.options.plan;
    plan.filter.since_ms = since_ms;
    const Result<Report> report = audit(plan);
    if (!report) return report.error();
    std::vector<std::string> read;
    for (const InputReport& input : report->inputs) read.push_back(input.path);
    for (const SessionReport& session : report->sessions) watch.files.insert(report->inputs[session.input].path);
    for (const InputReport& input : report->inputs) {
        if (watch.unread.empty() && input.error) watch.unread = report::input_problem(input.path, *input.error);
    }
    std::vector<SavedFinding> now;
    for (const Finding& f : report->findings) now.push_back(saved_finding(f, *report));
    std::vector<WatchedChange> changes = watch.findings.take(now, read);
    report::Redactor redactor(watch.options.redact.value_or(Redact::secrets));
    for (WatchedChange& change : changes) redact(change.finding, redactor);
    return changes;
}

// Files that are named are read from the beginning: what is wrong with them is wrong now. In a folder lie sessions that
// ended long ago.
bool reads_all_at_first(const Watch& watch) {
    return watch.from_start || std::ranges::all_of(watch.options.plan.inputs, [](const std::string& input) {
               std::error_code ignored;
               return std::filesystem::is_regular_file(input, ignored);
           });
}

// How long ago the files were written last that are all there is and are no sessions, in ms. Nothing where there is
// more, or one is empty: it may become a session.
std::optional<std::int64_t> age_of_no_session(const Watch& watch, std::int64_t now_ms) {
    if (watch.unread.empty() || !watch.files.empty()) return std::nullopt;
    std::int64_t written_ms = 0;
    for (const std::string& input : watch.options.plan.inputs) {
        struct stat file {};
        if (::stat(input.c_str(), &file) != 0 || !S_ISREG(file.st_mode) || file.st_size == 0) return std::nullopt;
        written_ms = std::max(written_ms, std::int64_t{file.st_mtim.tv_sec} * 1000);
    }
    return now_ms - written_ms;
}

bool fails(const Watch& watch) { return watch.options.fail_on && watch.findings.any_from(*watch.options.fail_on); }

ExitStatus follow(const CommandSpec& self, Watch& watch) {
    // A file that is written in the moment in which it is read is read again.
    constexpr std::int64_t kOverlapMs = 1000, kMomentMs = 60'000;
    std::int64_t since = reads_all_at_first(watch) ? kNoTime : clock_ms() - kOverlapMs;
    while (ended == 0) {
        const std::int64_t begun = clock_ms();
        const auto changes = look(watch, since);
        if (!changes) return usage_error(self, changes.error().message);
        if (const auto age = age_of_no_session(watch, clock_ms()); since == kNoTime && age) {
            // The first record may not be whole yet, and some agents begin with words for people.
            const bool may_go_on = *age < kMomentMs;
            complain(watch.unread + (may_go_on ? "; it was written a moment ago and may become one" : ""));
            if (!may_go_on) return ExitStatus::input;
        }
        since = begun - kOverlapMs;
        const ExitStatus told = tell(watch, *changes, false);
        if (told != ExitStatus::clean) return told;
        if (watch.until_found && fails(watch)) break;
        if (ended == 0) sleep_for(watch.interval_s);
    }
    const ExitStatus told = tell(watch, {}, true);
    if (told != ExitStatus::clean) return told;
    return fails(watch) ? ExitStatus::findings : ExitStatus::clean;
}

// ---- the command ---------------------------------------------------------------------------------------------

// Why there is nothing to be watched; what does not exist would be waited for in vain.
std::string missing(const std::vector<std::string>& inputs) {
    for (const std::string& input : inputs) {
        const InputList list = expand_inputs({input});
        std::error_code ignored;
        if (list.paths.empty() && !std::filesystem::is_directory(input, ignored) &&
            input.find_first_of("*?[") == input.npos)
            return list.problems.empty() ? fmt::format("cannot open '{}'", input) : list.problems.front();
    }
    return {};
}

std::optional<Error> read_own(const Arguments& arguments, Watch& watch) {
    for (const FlagValue& value : arguments.flags[kFormat]) {
        if (std::ranges::find(kFormats, value.text) == std::end(kFormats))
            return expected(value, "text or ndjson", kFormats);
        watch.lines = value.text == "ndjson";
    }
    for (const FlagValue& value : arguments.flags[kInterval]) {
        if (auto problem = number_value(value, 0.1, 3600.0, watch.interval_s)) return problem;
    }
    watch.from_start = !arguments.flags[kFromStart].empty();
    watch.until_found = !arguments.flags[kUntilFound].empty();
    return std::nullopt;
}

ExitStatus run(const CommandSpec& self, const Arguments& arguments) {
    Watch watch;
    if (const auto problem = read_own(arguments, watch)) return usage_error(self, problem->message);
    Result<ScanOptions> options = audit_options(flags(), arguments);
    if (!options) return settings_error(self, arguments, options.error());
    watch.options = std::move(*options);
    if (watch.until_found && !watch.options.fail_on)
        return usage_error(self, "--until-found ends at what fails, and nothing does");
    std::vector<std::string>& inputs = watch.options.plan.inputs;
    if (std::ranges::find(inputs, "-") != inputs.end())
        return usage_error(self, "watch takes files and folders; agent-audit scan - reads standard input");
    if (inputs.empty()) {
        inputs = latest_of_project();
        watch.options.plan.inputs_found = true;
        if (inputs.empty()) {
            complain("no session of this project was found; name a file or a folder");
            hint("'agent-audit discover' lists the sessions on this machine.");
            return ExitStatus::input;
        }
    }
    if (const std::string problem = missing(inputs); !problem.empty()) {
        complain(problem);
        return ExitStatus::input;
    }
    end_on_signals();
    hint(fmt::format("Watching {}{}; Ctrl-C ends it.", shown_path(inputs.front()),
                     inputs.size() > 1 ? fmt::format(" and {} more", inputs.size() - 1) : ""));
    return follow(self, watch);
}

}  // namespace

CommandSpec watch_command() {
    return {"watch",
            "[INPUT...]",
            "follow sessions that are being written, and say when one goes wrong",
            "INPUT is a file, a folder or a glob; without it, the session last written in this project. What was "
            "written since the last look is read again, and each change is told once: a finding, one that became worse "
            "or milder, one that is over because the agent went on. Of a folder only what is written from now on is "
            "read. SIGINT or SIGTERM ends the watch with a count of what stands then, and exit code 1 when some of it "
            "is at or above --fail-on.",
            kExamples,
            flags(),
            run};
}

}  // namespace agent_audit::cli
