#include "cli/commands/command.hpp"
#include "cli/results/rendering.hpp"
#include "cli/settings/convert_options.hpp"
#include "cli/terminal/output.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/terminal.hpp"
#include "cli/version.hpp"
#include "report/redaction/redact.hpp"
#include "report/words/human.hpp"
#include "report/words/input_problem.hpp"
#include "report/words/lost_records.hpp"

#include <agent_audit/convert/converter.hpp>
#include <agent_audit/pipeline/stream.hpp>

#include <unistd.h>

#include <memory>

namespace agent_audit::cli {
namespace {

constexpr std::size_t kInputMessages = 10;

// What --to writes is read again in these formats; an earlier conversion may give way to a new one.
constexpr std::string_view kWritten[] = {"agent-audit-events", "atif", "chat-completions"};

constexpr Example kExamples[] = {
    {"agent-audit convert --to events session.jsonl | jq 'select(.kind == \"tool_call\") | .name'",
     "which tools were called, whatever wrote the recording?"},
    {"agent-audit convert --to events -o all.jsonl ~/.claude/projects", "many sessions as one stream"},
    {"agent-audit convert --to atif -o trajectory.json session.jsonl", "for tools that read ATIF trajectories"},
    {"agent-audit convert --to chat --redact strict -o chat.jsonl logs/",
     "conversations as Chat Completions, to be shared"},
};

// Taken out of everything that is written; an input's own path among it.
ConverterOptions converter_options(Redact level) {
    ConverterOptions options{.tool_version = kVersion, .redact = {}};
    if (level == Redact::none) return options;
    const auto redactor = std::make_shared<report::Redactor>(level);
    options.redact = [redactor](std::string_view text) { return redactor->text(text); };
    return options;
}

// What went wrong with the inputs, on standard error. True when it is worth exit code 3.
bool report_problems(const StreamOutcome& outcome, const ConvertOptions& options) {
    report::Redactor redact(options.redact);
    std::size_t problems = 0;
    for (const std::string& problem : outcome.problems) {
        if (++problems <= kInputMessages) complain(redact.input(problem));
    }
    report::LostRecords lost;
    for (const InputReport& input : outcome.inputs) {
        const std::string name = redact.input(input.path);
        lost.add(name, options.strict_input ? input.stats.lost() : input.stats.bad(), input.bad, input.counts_records);
        if (!input.error || ++problems > kInputMessages) continue;
        complain(report::input_problem(name, redact.text(*input.error)));
    }
    if (problems > kInputMessages)
        complain("and " + report::count_of(problems - kInputMessages, "more input") + " like these");
    if (problems == 0 && outcome.read_inputs == 0) complain(report::no_session_words({}, outcome.skipped_inputs));
    if (lost.any()) {
        complain(
            lost.words(options.strict_input ? ", and --strict-input was given" : "; what is written is without them"));
    }
    if (options.verbose) {
        for (const std::string& line : lost.list()) hint(line);
    }
    return problems > 0 || outcome.read_inputs == 0 || (lost.any() && options.strict_input);
}

ExitStatus written(Output& out, const Converter& converter) {
    if (const std::string problem = converter.problem(); !problem.empty()) {
        complain(problem);
        return ExitStatus::internal;
    }
    const auto problem = out.finish();
    if (!problem) return ExitStatus::clean;
    if (out.broken_pipe()) return ExitStatus::broken_pipe;
    complain(problem->message);
    return ExitStatus::internal;
}

ExitStatus run(const CommandSpec& self, const Arguments& arguments) {
    Result<ConvertOptions> parsed = convert_options(arguments);
    if (!parsed) return usage_error(self, parsed.error().message);
    ConvertOptions& options = parsed.value();
    if (options.plan.inputs.empty() && !options.lists.given) {
        if (::isatty(STDIN_FILENO) == 1) return usage_error(self, "convert needs INPUT");
        options.plan.inputs.emplace_back("-");
    }
    if (const auto problem = replaces_input(options.output, options.plan.inputs))
        return usage_error(self, problem->message);
    if (const auto problem = replaces_recording(options.output, kWritten)) return usage_error(self, problem->message);
    const bool to_stdout = options.output == "-";
    Result<Output> opened = to_stdout ? Result<Output>(Output::to_stdout()) : Output::to_file(options.output);
    if (!opened) {
        complain(opened.error().message);
        return ExitStatus::internal;
    }
    Output& out = opened.value();
    const auto converter =
        options.to->make(converter_options(options.redact), to_stdout ? harmless_for_ci(out.sink()) : out.sink());
    Result<StreamOutcome> outcome = [&] {
        const Progress progress("agent-audit: converting " + report::count_of(options.plan.inputs.size(), "input"),
                                options.progress);
        return stream_events(options.plan, *converter);
    }();
    if (!outcome) return usage_error(self, outcome.error().message);
    if (const auto problem = replaces_input(options.output, recordings_among(outcome->inputs)))
        return usage_error(self, problem->message);
    place_problems(options.lists, outcome.value().problems, outcome.value().inputs);
    converter->finish();
    // A file that was converted before stays when there is nothing to put in its place.
    ExitStatus status = ExitStatus::clean;
    if (to_stdout || outcome->read_inputs > 0) status = written(out, *converter);
    if (status != ExitStatus::clean) return status;
    return report_problems(*outcome, options) ? ExitStatus::input : ExitStatus::clean;
}

}  // namespace

CommandSpec convert_command() {
    return {
        "convert",
        "INPUT...",
        "write sessions in another format",
        "INPUT as for scan. --to events writes everything that is known of a session, one event a line, and can be "
        "scanned again with the same findings at the same lines; atif and chat write what other tools read, have no "
        "place for everything, and may join requests, so that a scan of them can come to another cost. Texts "
        "are written in full; --redact takes secrets out of them.",
        kExamples,
        convert_flags(),
        run};
}

}  // namespace agent_audit::cli
