#include "cli/arguments/flag_words.hpp"
#include "cli/arguments/offers.hpp"
#include "cli/commands/listing.hpp"
#include "cli/evidence/remote_flags.hpp"
#include "cli/replays/output_targets.hpp"
#include "cli/replays/policy_replay.hpp"
#include "cli/replays/remote_summaries.hpp"
#include "cli/replays/replay_html.hpp"
#include "cli/replays/replay_json.hpp"
#include "cli/replays/replay_problems.hpp"
#include "cli/replays/replay_text.hpp"
#include "cli/results/rendering.hpp"
#include "cli/sessions/input_lists.hpp"
#include "cli/sessions/selection.hpp"
#include "cli/sessions/session_input.hpp"
#include "cli/sessions/session_lines.hpp"
#include "cli/settings/flag_values.hpp"
#include "cli/settings/project.hpp"
#include "cli/terminal/output.hpp"
#include "cli/terminal/terminal.hpp"
#include "report/escape/sanitize.hpp"
#include "report/redaction/redact.hpp"

#include <agent_audit/pipeline/policy_replay.hpp>
#include <agent_audit/pipeline/replay.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <span>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace agent_audit::cli {
namespace {

constexpr std::string_view kFormats[] = {"text", "json", "ndjson", "html"};
constexpr std::string_view kContextFormats[] = {"text", "json", "html"};
constexpr FlagSpec kFlags[] = {
    {"--context", "NAME,...",
     "whose context management; all: every one; FILE.toml: a policy of your own (default: eleven of them)", false,
     offer_list(context_words, true)},
    {"-f,--format", "FORMAT", "text (default), json or html: one page for a browser; with --policy also ndjson", false,
     offer_one_of(kFormats)},
    {"--turns", "", "one JSON line for each request under each context instead (schema replay-turns)", false},
    {"--window", "TOKENS",
     "size of the context window, such as 200000, 200k or 1M (default: as recorded, else the model's)", false},
    {"--model", "NAME", "prices and window of this model instead of the recorded one", false},
    {"--prices", "FILE", "prices of models, beside or instead of the shipped ones", true, kOfferFile},
    {"--input-format", "FORMAT", "what wrote the session (default: by its content)", false, offer_word(reader_words)},
    {"--policy", "POLICY,...",
     "supervise the run instead: what would have been done, and when (agent-audit policy lists the built-in ones; all, "
     "files and folders too)",
     false, offer_list(policy_words, true)},
    {"--timeline", "", "with --policy: every response of the run with what was done", false},
    {"--strict-input", "",
     "any record that cannot be read, an unfinished last one too, and any empty file is exit code 3"},
    {"-j,--jobs", "N", "with --policy: files read at the same time; 0 (default) = processors, at most 8"},
    {"--redact", "WHAT",
     "taken out of names and quoted text: secrets (default), strict (also e-mails, users; default of html), none", true,
     kOfferRedact},
    {"-v,--verbose", "",
     "every record that could not be read, up to twenty of a file; with --policy also messages, evidence and the "
     "alternatives of each decision"},
    {"-q,--quiet", "", "with --policy: only the failed runs, and how many they are"},
    {"-o,--output", "FILE",
     "write to FILE instead of standard output; FORMAT=FILE for a format besides that of -f; repeatable", false,
     kOfferFile},
    {"--exit-zero", "", "with --policy: failed runs never change the exit code"},
    {"--color", "WHEN", "auto (default), always, never", true, kOfferWhen},
    {"--summarizer-url", "URL",
     "let a model write the summaries: an OpenAI-compatible server, which is then sent the redacted history (default: "
     "words are taken from the history, and nothing is sent)",
     false},
    {"--summarizer-model", "NAME", "which model", false},
    {"--summarizer-key-env", "NAME", "environment variable that holds the key (default: no key is sent)", false},
    {"--summarizer-cache", "DIR", "keep the answers here for later runs", false, kOfferFolder},
    {"--summarizer-timeout", "SECONDS", "how long to wait for one answer (default: 60)", false},
    {"--summarizer-budget", "BUDGET", "at most so many calls, or dollars, such as $0.50", false},
    kConfigFlag,
    kNoConfigFlag,
    kExcludeFlag,
    kFilesFromFlag,
    kNullFlag,
};
enum Flag : std::size_t {
    kContext,
    kFormat,
    kTurns,
    kWindow,
    kModel,
    kPrices,
    kInputFormat,
    kPolicy,
    kTimeline,
    kStrictInput,
    kJobs,
    kRedact,
    kVerbose,
    kQuiet,
    kOutput,
    kExitZero,
    kColor,
    kSummarizerUrl,
    kSummarizerModel,
    kSummarizerKeyEnv,
    kSummarizerCache,
    kSummarizerTimeout,
    kSummarizerBudget,
    kConfig,
    kNoConfig,
    kExclude,
    kFilesFrom,
    kNull
};
// What these mean is what they mean to scan, so that agent-audit.toml may say it.
constexpr std::string_view kShared[] = {"--prices", "--input-format", "--jobs",        "--redact",
                                        "--color",  "--exclude",      "--strict-input"};

constexpr Example kExamples[] = {
    {"agent-audit replay --policy strict session.jsonl",
     "where would a supervisor have stepped in? exit 1 when the run ended in a loop"},
    {"agent-audit replay --policy permissive,balanced,strict logs/",
     "policies compared, one table a session and one over all"},
    {"agent-audit replay session.jsonl", "what would other agents have sent?"},
    {"agent-audit replay --context claude-code,codex,none --window 200000 session.jsonl",
     "some of them, in one window"},
    {"agent-audit replay --context claude-code,codex -f html -o contexts.html session.jsonl",
     "the same as a page with a picture of each"},
    {"agent-audit replay --context pi --turns session.jsonl | jq 'select(.compactions)'",
     "where would pi have compacted?"},
};

constexpr std::string_view kDefaultContexts[] = {"never-forget", "none",   "recorded", "claude-code",
                                                 "codex",        "gemini", "openclaw", "opencode",
                                                 "openhands",    "pi",     "hindsight"};

std::string last(const Arguments& arguments, Flag flag, std::string_view otherwise = "") {
    return last_value(arguments.flags[flag], otherwise);
}

// As windows are written: 200000, 200k, 1M. A smaller one than the least no model ever had; 200 is a forgotten k.
std::optional<double> window_of(std::string_view text) {
    constexpr std::uint64_t kLeast = 1000, kMost = 1'000'000'000;
    std::uint64_t unit = 1;
    if (text.ends_with('k') || text.ends_with('K')) unit = 1000;
    if (text.ends_with('m') || text.ends_with('M')) unit = 1'000'000;
    if (unit > 1) text.remove_suffix(1);
    std::uint64_t value = 0;
    const auto end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || at != end || value > kMost / unit || value * unit < kLeast) return std::nullopt;
    return static_cast<double>(value * unit);
}

// ---- the command -------------------------------------------------------------------------------------------------

// Rows as they come: their number does not matter to memory.
class TurnLines final : public ReplayRows {
public:
    explicit TurnLines(Output& out) : sink_(out.sink()), json_(sink_) {}
    void on_row(std::size_t session, std::string_view context, const simulator::TurnRow& row) override {
        write_turn(json_, session, context, row);
    }
    void flush() { json_.flush(); }

private:
    ByteSink sink_;
    report::JsonWriter json_;
};

InputManners manners_of(const Arguments& arguments, const ScanOptions& project) {
    return {project.strict_input, !arguments.flags[kVerbose].empty()};
}

// ---- outputs -----------------------------------------------------------------------------------------------------

// Before the work: minutes of reading are not thrown away for a typo in -o. The exit status where one cannot be
// written.
std::optional<ExitStatus> output_trouble(const CommandSpec& self, std::span<const Target> targets,
                                         std::span<const std::string> inputs) {
    for (const Target& target : targets) {
        if (const auto problem = replaces_input(target.path, inputs)) return usage_error(self, problem->message);
        if (const auto problem = replaces_recording(target.path)) return usage_error(self, problem->message);
        const auto problem = target.path == "-" ? std::nullopt : unwritable(target.path);
        if (!problem) continue;
        complain(problem->message);
        return ExitStatus::internal;
    }
    return std::nullopt;
}

// Without INPUT: standard input, or, when that is a terminal, the session last written in this project. Empty: there is
// none, and that was said.
std::vector<std::string> inputs_of(const Arguments& arguments, bool with_sub_agents) {
    if (!arguments.operands.empty()) return arguments.operands;
    if (::isatty(STDIN_FILENO) != 1) return {"-"};
    std::vector<std::string> files = latest_of_project();
    if (files.empty()) {
        complain("no session of this project was found; name a file, or give one on standard input");
        hint("'agent-audit discover' lists the sessions on this machine.");
        return {};
    }
    if (!with_sub_agents) files.resize(1);
    hint("Replaying the latest session of this project: " + shown_path(files[0]));
    return files;
}

// What a recording says of itself may hold what is redacted elsewhere.
void redact_names(ReplayOutcome& outcome, Redact level) {
    report::Redactor redact(level);
    for (simulator::SessionOutcome& session : outcome.sessions) {
        session.session = redact.text(session.session);
        session.label = redact.text(session.label);
        session.model = redact.text(session.model);
    }
}

// A page is made to be passed on.
Redact redaction(const ScanOptions& project, std::string_view format) {
    return project.redact.value_or(format == "html" ? Redact::strict : Redact::secrets);
}

std::string context_output(ReplayOutcome outcome, ReplayCourses& courses, const std::string& input,
                           const std::optional<RemoteUse>& summarizer, const Target& target, Redact redact,
                           When color) {
    std::string out;
    const ByteSink sink = [&out](std::string_view bytes) {
        out += bytes;
        return true;
    };
    if (target.format == "html") {
        if (!outcome.sessions.empty()) write_replay_html(outcome, courses, input, summarizer, redact, sink);
        return out;
    }
    redact_names(outcome, redact);
    if (target.format == "json") {
        report::JsonWriter writer(sink, target.path == "-" && output_is_read_by_ci());
        write_replay(writer, outcome, summarizer);
        writer.flush();
    } else if (!outcome.sessions.empty()) {
        const RenderOptions options = drawing_of(target, color);
        report::Page page(options, sink);
        write_replay_text(page, outcome, summarizer);
        page.flush();
    }
    return out;
}

// ---- under policies ----------------------------------------------------------------------------------------------

std::string policy_output(const PolicyReplay& replay, const PolicyReplayPlan& plan, const PolicyView& view,
                          const Target& target, When color) {
    const std::string& format = target.format;
    const bool on_stdout = target.path == "-";
    std::string out;
    const ByteSink sink = [&out](std::string_view bytes) {
        out += bytes;
        return true;
    };
    if (format == "text") {
        const RenderOptions options = drawing_of(target, color);
        report::Page page(options, sink);
        write_policy_text(page, replay, view);
        page.flush();
        return out;
    }
    if (format == "html") {
        if (!replay.sessions.empty()) write_policy_html(replay, view.redact, sink);
        return out;
    }
    report::JsonWriter json(sink, on_stdout && output_is_read_by_ci());
    if (format == "json")
        write_policy_json(json, replay, plan.policies, view.redact);
    else
        write_policy_ndjson(json, replay, plan.policies, view.redact);
    json.flush();
    return out;
}

ExitStatus run_policies(const CommandSpec& self, const Arguments& arguments) {
    for (const Flag flag : {kContext, kTurns, kWindow, kModel, kSummarizerUrl, kSummarizerModel, kSummarizerKeyEnv,
                            kSummarizerCache, kSummarizerTimeout, kSummarizerBudget}) {
        if (arguments.flags[flag].empty()) continue;
        if (flag == kContext) return usage_error(self, "--context and --policy: which?");
        return usage_error(self, std::string(kFlags[flag].long_name()) + " is for --context, not for --policy");
    }
    const Result<ScanOptions> project = project_options(kFlags, arguments, kShared);
    if (!project) return settings_error(self, arguments, project.error());
    PolicyReplayPlan plan;
    plan.project = project_settings(*project);
    plan.jobs = project->plan.jobs;
    plan.max_line_bytes = project->plan.max_line_bytes;
    const Result<std::vector<Target>> targets =
        output_targets(arguments.flags[kFormat], arguments.flags[kOutput], kFormats);
    if (!targets) return usage_error(self, targets.error().message);
    std::set<std::string> warnings;  // what the project says holds under each policy, and is told once
    for (const std::string& name : policy_names(listed_values(arguments.flags[kPolicy]))) {
        PolicyChoice choice = choose_policy(name, plan.project);
        for (const std::string& problem : choice.problems) complain(problem);
        if (!choice.bound) {
            hint("Try 'agent-audit policy --help'.");
            return ExitStatus::usage;
        }
        warnings.insert(choice.bound->warnings.begin(), choice.bound->warnings.end());
        plan.policies.push_back(std::move(choice.bound));
    }
    if (plan.policies.empty()) return usage_error(self, "--policy needs a name or a file");
    for (const std::string& warning : warnings) complain(report::visible(warning));
    plan.inputs = arguments.operands;
    const auto lists = read_input_lists(arguments.flags[kFilesFrom], !arguments.flags[kNull].empty(), plan.inputs);
    if (!lists) return usage_error(self, lists.error().message);
    if (!lists->given) {
        plan.inputs = inputs_of(arguments, true);
        if (plan.inputs.empty()) return ExitStatus::input;
        plan.inputs_found = arguments.operands.empty() && plan.inputs[0] != "-";
    }
    plan.price_file = project->plan.price_file;
    plan.input_format = project->plan.input_format;
    plan.exclude = project->plan.filter.exclude;
    plan.empty_is_a_problem = project->plan.empty_is_a_problem;
    plan.keep_turns = !arguments.flags[kTimeline].empty();
    if (const auto trouble = output_trouble(self, *targets, plan.inputs)) return *trouble;
    Result<PolicyReplay> replay = replay_policies(plan);
    if (!replay) return usage_error(self, replay.error().message);
    replay->problems.insert(replay->problems.begin(), lists->problems.begin(), lists->problems.end());
    const int verbosity = int{!arguments.flags[kVerbose].empty()} - int{!arguments.flags[kQuiet].empty()};
    const ExitStatus printed = write_outputs(*targets, [&](const Target& target) {
        return policy_output(*replay, plan, {redaction(*project, target.format), plan.keep_turns, verbosity}, target,
                             project->color);
    });
    const ExitStatus status = judge(*replay, redaction(*project, targets->back().format),
                                    manners_of(arguments, *project), arguments.flags[kExitZero].empty());
    return printed == ExitStatus::clean ? status : printed;
}

// The simulator lets go of a hundred thousand messages, and glibc keeps small pieces apart only to join them all again
// whenever a large one comes free: 7 % of its time. A scan frees less, and is faster with those pieces kept.
void prepare_heap() {
#if defined(__GLIBC__)
    mallopt(M_MXFAST, 0);
#endif
}

// ---- under contexts ----------------------------------------------------------------------------------------------

// What is to be replayed, but for the input.
std::optional<Error> fill_plan(const Arguments& arguments, const ScanOptions& project, ReplayPlan& plan) {
    plan.contexts = listed_values(arguments.flags[kContext]);
    if (plan.contexts.empty()) plan.contexts.assign(std::begin(kDefaultContexts), std::end(kDefaultContexts));
    plan.model = last(arguments, kModel);
    plan.price_file = project.plan.price_file;
    plan.input_format = project.plan.input_format;
    plan.max_line_bytes = project.plan.max_line_bytes;
    if (arguments.flags[kWindow].empty()) return std::nullopt;
    const std::string window = last(arguments, kWindow);
    const auto tokens = window_of(window);
    if (!tokens) {
        return Error{"--window = \"" + window +
                     "\": expected tokens, from 1000 to 1000000000, such as 200000, 200k or 1M"};
    }
    plan.window_tokens = *tokens;
    return std::nullopt;
}

RemoteFlags summarizer_flags(const Arguments& arguments) {
    RemoteFlags remote{"summarizer", "chat/completions"};
    remote.url = last(arguments, kSummarizerUrl);
    remote.model = last(arguments, kSummarizerModel);
    remote.key_env = last(arguments, kSummarizerKeyEnv);
    remote.cache_dir = last(arguments, kSummarizerCache);
    remote.timeout_s = last(arguments, kSummarizerTimeout);
    remote.budget = last(arguments, kSummarizerBudget);
    return remote;
}

// Who writes the summaries, where a server was named; it lives as long as the replay.
std::optional<Error> ask_summarizer(const Arguments& arguments, ReplayPlan& plan,
                                    std::optional<remote::Endpoint>& endpoint) {
    const auto models = load_models(plan.price_file);
    if (!models) return models.error();
    const auto settings = endpoint_settings(summarizer_flags(arguments), *models);
    if (!settings) return settings.error();
    if (!*settings) return std::nullopt;
    warn_about(**settings);
    endpoint.emplace(**settings, remote::curl_transport());
    plan.summarise = remote_summaries(*endpoint);
    return std::nullopt;
}

std::optional<RemoteUse> use_of(const std::optional<remote::Endpoint>& endpoint) {
    return endpoint ? std::optional(endpoint->use()) : std::nullopt;
}

ExitStatus replay_to(const CommandSpec& self, const ReplayPlan& plan, std::span<const Target> targets,
                     const ScanOptions& project, InputManners manners,
                     const std::optional<remote::Endpoint>& endpoint) {
    const bool page = std::ranges::find(targets, "html", &Target::format) != targets.end();
    ReplayCourses courses;
    const Result<ReplayOutcome> outcome = replay(plan, page ? &courses : nullptr);
    if (!outcome) return usage_error(self, outcome.error().message);
    const ExitStatus printed = write_outputs(targets, [&](const Target& target) {
        return context_output(*outcome, courses, plan.input, use_of(endpoint), target,
                              redaction(project, target.format), project.color);
    });
    return judge(*outcome, plan.input, manners, printed);
}

ExitStatus replay_turns(const CommandSpec& self, const ReplayPlan& plan, const Target& target, InputManners manners,
                        const std::optional<remote::Endpoint>& endpoint) {
    Result<Output> opened = target.path == "-" ? Result<Output>(Output::to_stdout()) : Output::to_file(target.path);
    if (!opened) {
        complain(opened.error().message);
        return ExitStatus::internal;
    }
    Output& out = opened.value();
    TurnLines lines(out);
    const Result<ReplayOutcome> outcome = replay(plan, &lines);
    if (!outcome) return usage_error(self, outcome.error().message);
    lines.flush();
    if (const auto use = use_of(endpoint); use && use->failed + use->not_asked > 0) {
        complain(fmt::format("{} of {} summaries are words taken from the history: {}", use->failed + use->not_asked,
                             use->questions, report::visible(use->problem)));
    }
    return judge(*outcome, plan.input, manners, written(out));
}

ExitStatus run_contexts(const CommandSpec& self, const Arguments& arguments) {
    for (const Flag flag : {kTimeline, kJobs, kQuiet, kExitZero, kExclude, kFilesFrom, kNull}) {
        // What the environment says is meant for whatever heeds it.
        if (std::ranges::any_of(arguments.flags[flag], typed))
            return usage_error(self, std::string(kFlags[flag].long_name()) + " needs --policy");
    }
    if (arguments.operands.size() > 1)
        return usage_error(self, "replay takes one session; with --policy it takes several");
    const Result<ScanOptions> project = project_options(kFlags, arguments, kShared);
    if (!project) return settings_error(self, arguments, project.error());
    ReplayPlan plan;
    const std::vector<std::string> inputs = inputs_of(arguments, false);
    if (inputs.empty()) return ExitStatus::input;
    plan.input = inputs[0];
    if (const auto folder = folder_for_session(plan.input, "replay"))
        return usage_error(self, *folder + "; with --policy it takes folders");
    if (const auto problem = fill_plan(arguments, *project, plan)) return usage_error(self, problem->message);
    const Result<std::vector<Target>> targets =
        output_targets(arguments.flags[kFormat], arguments.flags[kOutput], kContextFormats);
    if (!targets) return usage_error(self, targets.error().message);
    const bool turns = !arguments.flags[kTurns].empty();
    if (turns && std::ranges::find(*targets, "html", &Target::format) != targets->end())
        return usage_error(self, "--turns writes JSON lines; it is no part of a page");
    if (turns && targets->size() > 1)
        return usage_error(self, "--turns writes JSON lines and nothing besides: -o takes one FILE");
    if (const auto trouble = output_trouble(self, *targets, {&plan.input, 1})) return *trouble;
    std::optional<remote::Endpoint> endpoint;
    if (const auto problem = ask_summarizer(arguments, plan, endpoint)) return usage_error(self, problem->message);
    prepare_heap();
    const InputManners manners = manners_of(arguments, *project);
    return turns ? replay_turns(self, plan, targets->front(), manners, endpoint)
                 : replay_to(self, plan, *targets, *project, manners, endpoint);
}

ExitStatus run(const CommandSpec& self, const Arguments& arguments) {
    return arguments.flags[kPolicy].empty() ? run_contexts(self, arguments) : run_policies(self, arguments);
}

}  // namespace

CommandSpec replay_command() {
    return {"replay",
            "[SESSION...]",
            "replay sessions under a supervisor's policy, or under the context management of other agents",
            "SESSION is a recording of any format, with --policy also a folder or a glob; without it, or with -, "
            "standard input, and at a terminal the latest session of the current project. With --policy a supervisor "
            "steps through the run without looking ahead and says where it would have told, slowed, rolled back, reset "
            "or stopped it, and what that would have saved; the policy's fail-on decides the exit status. Without it "
            "one session is replayed under contexts: every one sees the whole history, whatever the recorded agent "
            "forgot. In both, the recorded answers follow whatever was sent: figures are estimates of cost and "
            "exposure, not of another outcome.",
            kExamples,
            kFlags,
            run};
}

}  // namespace agent_audit::cli
