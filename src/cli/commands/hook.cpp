#include "cli/arguments/flag_words.hpp"
#include "cli/arguments/offers.hpp"
#include "cli/clock.hpp"
#include "cli/commands/command.hpp"
#include "cli/hooks/clients.hpp"
#include "cli/hooks/hook_payload.hpp"
#include "cli/hooks/hook_state.hpp"
#include "cli/settings/config.hpp"
#include "cli/settings/project.hpp"
#include "cli/terminal/terminal.hpp"
#include "report/escape/sanitize.hpp"
#include "report/redaction/redact.hpp"

#include <agent_audit/pipeline/hook_guard.hpp>
#include <agent_audit/pipeline/policy_replay.hpp>
#include <agent_audit/support/suggest.hpp>

#include <nlohmann/json.hpp>

#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <optional>
#include <string>

namespace agent_audit::cli {
namespace {

using Json = nlohmann::ordered_json;

// To the agents 0 means "go on", 2 "this call must not run", and all else that the hook is broken, upon which they go
// on. So nothing that is wrong on our side may end with 2.
constexpr ExitStatus kGoOn = ExitStatus::clean;
constexpr ExitStatus kBroken = ExitStatus::findings;
constexpr ExitStatus kRefused = ExitStatus::usage;

constexpr std::string_view kAuto = "auto";
constexpr long kTimeMs = 200, kMostTimeMs = 60'000;

std::vector<std::string_view> client_words() {
    std::vector<std::string_view> words = hook_client_names();
    words.push_back(kAuto);
    return words;
}

constexpr FlagSpec kFlags[] = {
    {"--client", "NAME",
     "which agent calls: claude-code, codex, gemini, qwen, pi, opencode, openclaw, or auto (default): by what it says",
     false, offer_word(client_words)},
    {"--mode", "MODE",
     "advise (default): text for the model behind a call; block: also calls of a pattern it was told of do not run; "
     "halt: also the run ends where the policy ends it and the agent lets a hook do so",
     false, offer_one_of(kHookModes)},
    {"--policy", "POLICY", "when to speak: a built-in policy or a policy file (default: balanced)", false,
     offer_word(policy_words, true)},
    {"--time-limit", "MS", "go on without an answer after so many milliseconds: 200 by default, at most 60000", false},
    kConfigFlag,
    kNoConfigFlag,
};
enum Flag : std::size_t { kClient, kMode, kPolicy, kTimeLimit };

constexpr Example kExamples[] = {
    {"agent-audit init --client claude-code", "set it as the hook of an agent, instead of by hand"},
    {"agent-audit hook --client claude-code < payload.json", "what an agent runs"},
    {"agent-audit scan ~/.local/state/agent-audit/live", "what was remembered of the sessions of the last days"},
};

// Whatever takes longer, a disk or a lock: the agent waits for us.
extern "C" void go_on(int) { ::_exit(0); }

void limit_time(long ms) {
    std::signal(SIGALRM, go_on);
    itimerval limit{};
    limit.it_value.tv_sec = ms / 1000;
    limit.it_value.tv_usec = static_cast<suseconds_t>(ms % 1000 * 1000);
    ::setitimer(ITIMER_REAL, &limit, nullptr);
}

ExitStatus broken(std::string_view why) {
    complain(report::visible(why));
    return kBroken;
}

Result<std::string> standard_input() {
    std::string text;
    char piece[16 << 10];
    for (;;) {
        const ssize_t got = ::read(STDIN_FILENO, piece, sizeof piece);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return Error{"standard input cannot be read"};
        if (got == 0) return text;
        text.append(piece, static_cast<std::size_t>(got));
        if (text.size() > kLongestPayload) return Error{"the payload on standard input is longer than 8 MiB"};
    }
}

struct Call {
    const HookClient* client = nullptr;
    HookMode mode = HookMode::advise;
    std::string policy;
    long time_ms = kTimeMs;
};

Result<Call> read_flags(const Arguments& arguments) {
    Call call;
    if (!arguments.operands.empty()) return Error{"a hook takes no operands"};
    const std::string client = last_value(arguments.flags[kClient], kAuto),
                      mode = last_value(arguments.flags[kMode], "advise");
    call.client = find_hook_client(client);
    if (!call.client && client != kAuto) {
        const std::vector<std::string_view> names = client_words();
        const std::string_view near = nearest(client, names);
        return Error{"--client = \"" + client + "\": no such agent" +
                     (near.empty() ? "" : "; did you mean " + std::string(near) + "?")};
    }
    const std::optional<HookMode> known = hook_mode(mode);
    if (!known) return Error{"--mode = \"" + mode + "\": expected advise, block or halt"};
    call.mode = *known;
    call.policy = last_value(arguments.flags[kPolicy], "balanced");
    const std::string limit = last_value(arguments.flags[kTimeLimit], "200");
    const auto [end, problem] = std::from_chars(limit.data(), limit.data() + limit.size(), call.time_ms);
    if (problem != std::errc() || end != limit.data() + limit.size() || call.time_ms < 1 || call.time_ms > kMostTimeMs)
        return Error{"--time-limit = \"" + limit + "\": expected 1 to 60000 milliseconds"};
    return call;
}

bool is_event_of(const HookClient& client, std::string_view name) {
    return std::ranges::find(client.events, name, &HookEvent::name) != client.events.end();
}

bool may_halt(const HookClient& client, std::string_view event) {
    return std::ranges::find(client.halting, event) != client.halting.end();
}

ExitStatus say(const Json& answer) {
    return print(answer.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n", Printed::document) ==
                   ExitStatus::clean
               ? kGoOn
               : kBroken;
}

ExitStatus halt(const std::string& why) { return say({{"continue", false}, {"stopReason", why}}); }

bool ends_run(const HookVerdict& verdict) {
    return verdict.action == policy::Action::stop || verdict.action == policy::Action::ask_human;
}

Result<HookVerdict> judge(const Call& call, const Arguments& arguments, const std::string& log, std::uint64_t end) {
    const Result<ScanOptions> project = project_options(kFlags, arguments, {});
    if (!project) return project.error();
    HookGuardPlan plan{log, nullptr, project_settings(*project), end};
    const PolicyChoice choice = choose_policy(call.policy, plan.project);
    if (!choice.bound) return Error{choice.problems.empty() ? "no such policy" : choice.problems.front()};
    plan.policy = choice.bound;
    Result<HookVerdict> verdict = judge_hook(plan);
    if (verdict) {
        report::Redactor redactor(Redact::secrets);
        for (std::string* words : {&verdict->message, &verdict->over}) *words = report::visible(redactor.text(*words));
    }
    return verdict;
}

// Exit status 2 and a line on stderr is what every agent understands; its own form can end the run as well.
ExitStatus refuse(const Call& call, const HookPayload& payload, const HookVerdict& verdict) {
    if (call.mode == HookMode::halt && ends_run(verdict) && may_halt(*call.client, payload.event))
        return halt(verdict.message);
    hint(verdict.message);
    return kRefused;
}

ExitStatus advise(const Call& call, const HookPayload& payload, const HookVerdict& verdict) {
    if (call.mode == HookMode::halt && ends_run(verdict) && may_halt(*call.client, payload.event))
        return halt(verdict.message);
    return say({{"hookSpecificOutput", {{"hookEventName", payload.event}, {"additionalContext", verdict.message}}}});
}

ExitStatus answer(Call call, const Arguments& arguments) {
    const Result<std::string> text = standard_input();
    if (!text) return broken(text.error().message);
    Result<HookPayload> payload = read_payload(*text);
    if (!payload) return broken(payload.error().message);
    if (!call.client) call.client = find_hook_client(client_of(*payload));
    if (!call.client) return broken("the payload does not tell which agent wrote it: name it with --client");
    const HookClient& client = *call.client;
    if (!is_event_of(client, payload->event)) return kGoOn;
    const bool batch = !client.after_batch.empty() && payload->event == client.after_batch;
    const bool unheard = batch && keep_turned_down(*payload);
    if (batch && !unheard && call.mode != HookMode::halt) return kGoOn;  // all of it was told before
    if (payload->session.empty()) return broken("the payload has no \"session_id\"");
    const Result<std::int64_t> now = now_ms();
    const Result<std::string> folder = live_folder();
    if (!now || !folder) return broken(now ? folder.error().message : now.error().message);
    const std::string log = log_path(*folder, client.name, payload->session);
    std::uint64_t end = 0;
    if (!batch || unheard) {
        const std::string line = log_line(*payload, client.name, *now);
        if (const auto problem = append_line(log, line, &end)) return broken(problem->message);
        if (end == line.size()) remove_old_logs(*folder, *now);  // a session begins
    }

    const bool before = payload->event == client.before_tool;
    const bool after = batch || payload->event == client.after_tool || payload->event == client.failed_tool;
    if (!after && (!before || call.mode == HookMode::advise)) return kGoOn;
    // Settings are those of the project that the agent works in.
    if (const auto cwd = payload->fields.find("cwd"); cwd != payload->fields.end() && cwd->is_string())
        (void)!::chdir(cwd->get<std::string>().c_str());
    const Result<HookVerdict> verdict = judge(call, arguments, log, end);
    if (!verdict) return broken(verdict.error().message);
    if (batch && call.mode == HookMode::halt && !verdict->over.empty()) return halt(verdict->over);
    if (verdict->kind == HookVerdict::Kind::pass || (batch && !unheard)) return kGoOn;
    if (verdict->kind == HookVerdict::Kind::advise) return after ? advise(call, *payload, *verdict) : kGoOn;
    if (!before) return kGoOn;  // it ran: another hook, or a time-out, let it through
    if (const auto problem = append_line(log, log_line(*payload, client.name, *now, verdict->message)))
        return broken(problem->message);
    return refuse(call, *payload, *verdict);
}

ExitStatus run(const CommandSpec& self, const Arguments& arguments) {
    const Result<Call> call = read_flags(arguments);
    if (!call) {
        usage_error(self, call.error().message);
        return kBroken;
    }
    limit_time(call->time_ms);
    return answer(*call, arguments);
}

}  // namespace

CommandSpec hook_command() {
    return {"hook",
            "",
            "what an agent calls before and behind its tools: says when it goes in circles",
            "Reads one payload of a hook from standard input, remembers it below $XDG_STATE_HOME/agent-audit/live, and "
            "answers what a supervisor under the policy would do now. Exit codes are those of hooks: 0 go on (with an "
            "answer on standard output, or without one), 2 the call must not run, for the reason on standard error; 1 "
            "something is wrong here, and the agent goes on. init sets it up.",
            kExamples,
            kFlags,
            run,
            false,
            {},
            {},
            kBroken};
}

}  // namespace agent_audit::cli
