#include "cli/arguments/flag_words.hpp"
#include "cli/arguments/offers.hpp"
#include "cli/commands/checkpoint_file.hpp"
#include "cli/commands/command.hpp"
#include "cli/sessions/session_input.hpp"
#include "cli/settings/project.hpp"
#include "cli/terminal/output.hpp"
#include "cli/terminal/terminal.hpp"
#include "report/escape/sanitize.hpp"
#include "report/words/human.hpp"
#include "report/words/input_problem.hpp"
#include "report/words/line_words.hpp"
#include "report/words/lost_records.hpp"

#include <agent_audit/pipeline/audit.hpp>
#include <agent_audit/pipeline/session_state.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace agent_audit::cli {
namespace {

constexpr std::string_view kPlaces[] = {"auto"};
constexpr std::string_view kForms[] = {"markdown", "chat", "anthropic"};
// What those that are messages are read in; the prompt of before may give way to a new one.
constexpr std::string_view kWritten[] = {"chat-completions", "anthropic-messages"};
constexpr FlagSpec kFlags[] = {
    {"--at", "LINE|auto",
     "last record whose knowledge counts; auto (default): where the evidence for the reset that a scan suggests is "
     "complete, unless the work went on behind it; else the end",
     false, offer_one_of(kPlaces)},
    {"-f,--format", "FORMAT", "markdown (default), chat (Chat Completions) or anthropic (Messages)", false,
     offer_one_of(kForms)},
    {"-o,--output", "FILE", "write there instead of standard output; a file appears whole or not at all", false,
     kOfferFile},
    {"--max-tokens", "N", "length of the prompt, as estimated (default 4000, at least 500)"},
    {"--redact", "WHAT", "taken out of all texts: secrets (default), strict (also e-mails, users), none", true,
     kOfferRedact},
    {"--checkpoint-dir", "DIR", "also store the checkpoints on the way there, one file each", true, kOfferFolder},
    {"--every", "N", "with --checkpoint-dir: responses between two checkpoints (default 10)"},
    {"--input-format", "FORMAT", "what wrote the session (default: by its content)", false, offer_word(reader_words)},
    kConfigFlag,
    kNoConfigFlag,
};
enum Flag : std::size_t {
    kAt,
    kFormat,
    kOutput,
    kMaxTokens,
    kRedact,
    kCheckpointDir,
    kEvery,
    kInputFormat,
    kConfig,
    kNoConfig
};
constexpr std::string_view kShared[] = {"--redact", "--input-format"};

constexpr Example kExamples[] = {
    {"agent-audit reset session.jsonl", "the prompt with which to go on in a fresh session"},
    {"agent-audit reset --at 118 -f anthropic -o fresh.json session.jsonl", "as of line 118, as messages"},
    {"agent-audit reset --checkpoint-dir checkpoints session.jsonl", "and keep what was known on the way"},
};

struct Options {
    std::optional<std::uint64_t> at;  // nothing: auto
    PromptForm form = PromptForm::markdown;
    std::string output = "-";
    std::uint64_t max_tokens = 4000;
    Redact redact = Redact::secrets;
    std::string checkpoint_dir;
    std::uint64_t every = 10;
    AuditPlan audit;  // of the scan that suggests a place
};

Result<Options> options_of(const Arguments& arguments) {
    const auto last = [&](Flag flag) { return last_value(arguments.flags[flag]); };
    Options options;
    if (const std::string at = last(kAt); !at.empty() && at != "auto") {
        options.at = number_from(at, 1);
        if (!options.at) return Error{"--at = \"" + at + "\": expected a line, from 1, or auto"};
    }
    if (const std::string form = last(kFormat); !form.empty()) {
        const auto known = prompt_form(form);
        if (!known) return Error{"--format = \"" + form + "\": expected markdown, chat or anthropic"};
        options.form = *known;
    }
    if (const std::string tokens = last(kMaxTokens); !tokens.empty()) {
        const auto n = number_from(tokens, advice::ResetPromptOptions::kLeastTokens);
        if (!n) return Error{"--max-tokens = \"" + tokens + "\": expected a number from 500"};
        options.max_tokens = *n;
    }
    if (const std::string every = last(kEvery); !every.empty()) {
        const auto n = number_from(every, 1);
        if (!n) return Error{"--every = \"" + every + "\": expected a number from 1"};
        options.every = *n;
    }
    Result<ScanOptions> project = project_options(kFlags, arguments, kShared);
    if (!project) return project.error();
    options.redact = project->redact.value_or(Redact::secrets);
    options.audit = std::move(project->plan);
    if (const std::string output = last(kOutput); !output.empty()) options.output = output;
    options.checkpoint_dir = last(kCheckpointDir);
    return options;
}

// What is at the place a scan suggests for the last session: the last suggestion, for that is where whoever asks
// stands.
struct Place {
    std::uint64_t line = 0;  // what is known up to there; 0 = the end
    std::uint64_t back = 0;  // where the fresh session takes over
    std::string reason;
    std::vector<advice::Repetition> cause;  // the calls of the finding that is the reason
    std::uint64_t finding_line = 0;  // the reset that the last finding with one names, where no suggestion was made
    std::string finding;
    std::size_t sessions = 0;     // of the recording
    report::LineWords lines;      // what its lines are called
    std::uint64_t elsewhere = 0;  // the last suggestion for another of them; 0 = there is none
};

// One round of a finding's calls.
std::vector<advice::Repetition> calls_of(const Finding& f, std::uint32_t turn) {
    std::vector<advice::Repetition> calls;
    const std::uint64_t each = f.period == f.calls.size() ? f.repeats : 0;  // others count something else
    for (const FindingCall& call : f.calls)
        calls.push_back({call.tool, call.argument, each, f.first_line, f.last_line, turn});
    return calls;
}

// The finding whose evidence a suggestion is: of its rule, and known at the same place.
std::vector<advice::Repetition> cause_of(const ResetSuggestion& reset, std::size_t session,
                                         const std::vector<Finding>& findings) {
    const bool repeats = reset.trigger == ResetTrigger::loop || reset.trigger == ResetTrigger::post_compaction;
    const auto found = std::ranges::find_if(findings, [&](const Finding& f) {
        return f.session == session && f.lane == 0 && f.rule == reset.rule && f.last_line == reset.known_line;
    });
    return repeats && found != findings.end() ? calls_of(*found, reset.turn) : std::vector<advice::Repetition>();
}

std::string reason_of(std::string_view rule, std::uint64_t first_line, std::uint64_t last_line,
                      const report::LineWords& lines) {
    return fmt::format("{}, {}", rule, lines.span(first_line, last_line));
}

std::string reason_of(const ResetSuggestion& reset, const report::LineWords& lines) {
    return reason_of(reset.rule.empty() ? std::string_view(name(reset.trigger)) : std::string_view(reset.rule),
                     reset.first_line, reset.known_line, lines);
}

// The last reset that a finding names, but not one in the midst of what another finding is about.
void name_finding(Place& place, const std::vector<Finding>& findings) {
    std::vector<const Finding*> naming;
    for (const Finding& f : findings) {
        if (f.reset_line && f.lane == 0 && f.session + 1 == place.sessions) naming.push_back(&f);
    }
    const auto take = [&](const Finding& f) {
        place.finding_line = *f.reset_line;
        place.finding = f.rule;
    };
    for (const Finding* f : naming) {
        if (*f->reset_line >= place.finding_line) take(*f);
    }
    const auto around = [&](const Finding* f) {
        return *f->reset_line < place.finding_line && f->first_line <= place.finding_line &&
               place.finding_line <= f->last_line;
    };
    for (auto f = std::ranges::find_if(naming, around); f != naming.end(); f = std::ranges::find_if(naming, around))
        take(**f);
}

Result<Report> scanned(const std::string& path, const Options& options) {
    AuditPlan plan = options.audit;
    plan.inputs = {path};
    return audit(plan);
}

Place place_in(const Report& report) {
    Place place;
    place.sessions = report.sessions.size();
    if (!report.inputs.empty()) place.lines = report::LineWords(report.inputs.front().counts_records);
    return place;
}

Result<Place> suggested(const std::string& path, const Options& options) {
    const auto report = scanned(path, options);
    if (!report) return report.error();
    Place place = place_in(*report);
    for (std::size_t i = 0; i < report->sessions.size(); ++i) {
        for (const ResetSuggestion& reset : report->sessions[i].resets) {
            if (i + 1 < place.sessions) {
                place.elsewhere = std::max(place.elsewhere, reset.known_line);
                continue;
            }
            if (reset.known_line < place.line) continue;
            place.cause = cause_of(reset, i, report->findings);
            place.line = reset.known_line;
            place.back = reset.line;
            place.reason = reason_of(reset, place.lines);
        }
    }
    name_finding(place, report->findings);
    return place;
}

// What a scan says of a line that somebody names: that it suggests a reset with what is known there, or that a finding
// names it. Most lines are named for other reasons.
Result<Place> named(const std::string& path, const Options& options, std::uint64_t line) {
    const auto report = scanned(path, options);
    if (!report) return report.error();
    Place place = place_in(*report);
    place.line = line;
    for (const Finding& f : report->findings) {
        if (f.lane != 0 || f.reset_line != line) continue;
        place.cause = calls_of(f, 0);
        place.reason = reason_of(f.rule, f.first_line, f.last_line, place.lines);
    }
    for (std::size_t i = 0; i < report->sessions.size(); ++i) {
        for (const ResetSuggestion& reset : report->sessions[i].resets) {
            if (reset.known_line != line) continue;
            place.cause = cause_of(reset, i, report->findings);
            place.reason = reason_of(reset, place.lines);
        }
    }
    return place;
}

// Files are not rolled back: what came behind the place would be done again, and what the person said there be lost.
bool went_on(const advice::Checkpoint& end, std::uint64_t line) {
    const auto later = [line](const auto& entry) { return entry.line > line; };
    const advice::Goal& said = end.goal;
    return later(said.first) || (said.latest && later(*said.latest)) || (said.remark && later(*said.remark)) ||
           std::ranges::any_of(end.commits, later) || std::ranges::any_of(end.deeds, later) ||
           std::ranges::any_of(end.modified, [line](const advice::Change& c) { return c.last_line > line; });
}

// Which session of several it is.
std::string session_words(const Place& place, const advice::Checkpoint& state) {
    if (place.sessions < 2) return {};
    std::string words = fmt::format(
        "The recording has {} sessions; this is the last one{}: --at LINE takes the one that LINE belongs to. ",
        place.sessions, state.session.empty() ? std::string() : " (" + report::visible(state.session) + ")");
    if (place.elsewhere > 0)
        words += fmt::format("For another one a scan suggests a reset: --at {} writes the prompt for that. ",
                             place.elsewhere);
    return words;
}

// Why the state is that of the end, and what else there is.
std::string end_words(const Place& place, std::uint64_t end) {
    const std::string words = fmt::format(
        "No reset is suggested for the session as a whole; this is its state at the end, {}.", place.lines.one(end));
    if (place.finding_line == 0) return words;
    return words + fmt::format(" {} says to reset after {}: --at {} writes the prompt for that.", place.finding,
                               place.lines.one(place.finding_line), place.finding_line);
}

std::string later_words(const Place& place, std::uint64_t end) {
    return fmt::format(
        "This is the state at the end, {}. A scan suggests a reset with what is known up to {} ({}), but the "
        "work went on behind it: --at {} writes the prompt for that.",
        place.lines.one(end), place.lines.one(place.line), place.reason, place.line);
}

std::string suggestion_words(const Place& place) {
    const std::string back = place.back > 0 ? "to go back to " + place.lines.one(place.back) : "to begin again";
    return fmt::format("What is known up to {}; a scan suggests {} ({}).", place.lines.one(place.line), back,
                       place.reason);
}

ExitStatus write(const std::string& text, PromptForm form, const std::string& path) {
    if (path == "-") return print(text, printed_as(form));
    auto out = Output::to_file(path);
    if (!out) {
        complain(out.error().message);
        return ExitStatus::internal;
    }
    out.value().write(text);
    const auto problem = out.value().finish();
    if (!problem) return ExitStatus::clean;
    complain(problem->message);
    return ExitStatus::internal;
}

ExitStatus run_with(const CommandSpec& self, const SessionInput& input, const Options& options) {
    const auto found = options.at ? named(input.path(), options, *options.at) : suggested(input.path(), options);
    if (!found) return usage_error(self, found.error().message);
    const Place& place = *found;
    SessionStatePlan plan;
    plan.input = input.path();
    plan.input_format = options.audit.input_format;
    plan.filter = text_filter(options.redact);
    std::optional<SessionState> end;  // where the place was left behind
    if (!options.at && place.line > 0) {
        auto whole = session_state(plan);
        if (whole && whole->events > 0 && went_on(whole->state, place.line)) end = std::move(*whole);
    }
    const bool left_behind = end.has_value();
    plan.at_line = left_behind ? 0 : place.line;
    const CheckpointFolder folder(options.checkpoint_dir);
    std::optional<Error> trouble;
    if (!options.checkpoint_dir.empty()) {
        trouble = folder.create();
        plan.checkpoints.every = options.every;
        plan.on_checkpoint = [&](const advice::Checkpoint& made) {
            if (!trouble) trouble = folder.store(made);
        };
    }
    plan.input = input.path();  // from its beginning again
    const auto state =
        left_behind && options.checkpoint_dir.empty() ? Result<SessionState>(std::move(*end)) : session_state(plan);
    if (!state) return usage_error(self, state.error().message);
    const report::LineWords lines(state->counts_records);
    if (!state->problem.empty()) complain(report::input_problem(input.name(), state->problem));
    if (state->lost_records > 0)
        complain(report::visible(report::lost_words(input.name(), state->lost_records, state->bad,
                                                    state->counts_records, "; the prompt is without them")));
    if (state->events == 0) {
        if (state->problem.empty())
            complain(place.line > 0 ? "there is no session up to " + lines.one(place.line)
                                    : report::no_session_words({&input.name(), 1}, 0));
        return ExitStatus::input;
    }
    if (options.at && *options.at > state->last_line) {
        complain(fmt::format("there is no {}: the recording ends at {}", lines.one(*options.at),
                             lines.one(state->last_line)));
        return ExitStatus::usage;
    }
    if (!options.checkpoint_dir.empty() && !trouble) trouble = folder.store(state->state);
    if (trouble) {
        complain(report::visible(trouble->message));
        return ExitStatus::internal;
    }
    advice::ResetPromptOptions wanted;
    wanted.max_tokens = options.max_tokens;
    wanted.redact = plan.filter;
    wanted.counts_records = state->counts_records;
    if (!left_behind) wanted.reason = place.reason;
    if (!left_behind) wanted.cause = place.cause;
    const advice::ResetPrompt prompt = advice::write_reset_prompt(state->state, wanted);
    const ExitStatus status = write(written_prompt(prompt, options.form), options.form, options.output);
    if (status != ExitStatus::clean) return status;
    if (!options.at) {
        const std::string why = left_behind       ? later_words(place, state->state.line)
                                : place.line == 0 ? end_words(place, state->state.line)
                                                  : suggestion_words(place);
        hint(session_words(place, state->state) + why);
    }
    return state->problem.empty() ? ExitStatus::clean : ExitStatus::input;
}

ExitStatus run(const CommandSpec& self, const Arguments& arguments) {
    if (arguments.operands.size() > 1) return usage_error(self, "reset takes one session");
    if (arguments.operands.empty() && ::isatty(STDIN_FILENO) == 1) return usage_error(self, "reset needs SESSION");
    const auto options = options_of(arguments);
    if (!options) return settings_error(self, arguments, options.error());
    if (const auto problem = replaces_input(options->output, arguments.operands))
        return usage_error(self, problem->message);
    if (const auto problem = replaces_recording(options->output, kWritten)) return usage_error(self, problem->message);
    if (options->output != "-") {
        if (const auto problem = unwritable(options->output)) {
            complain(problem->message);
            return ExitStatus::internal;
        }
    }
    const std::string session = arguments.operands.empty() ? "-" : arguments.operands[0];
    if (const auto folder = folder_for_session(session, "reset")) return usage_error(self, *folder);
    const auto input = SessionInput::open(session);
    if (!input) {
        complain(input.error().message);
        return ExitStatus::input;
    }
    return run_with(self, input.value(), *options);
}

}  // namespace

CommandSpec reset_command() {
    return {"reset",
            "SESSION",
            "write the prompt with which a fresh session takes over",
            "SESSION is a recording of any format; without it, or with -, standard input. The prompt says what the "
            "goal is, what was verified, decided and tried in vain, which files matter and what comes next, each with "
            "its line. It is made without a model: nothing is in it that is not in the recording. What tools printed "
            "stands in it as quoted data, never as words of the prompt.",
            kExamples,
            kFlags,
            run};
}

}  // namespace agent_audit::cli
