#include "cli/arguments/offers.hpp"
#include "cli/commands/command.hpp"
#include "cli/hooks/clients.hpp"
#include "cli/hooks/json_edit.hpp"
#include "cli/hooks/line_diff.hpp"
#include "cli/sessions/session_lines.hpp"
#include "cli/terminal/output.hpp"
#include "cli/terminal/terminal.hpp"
#include "report/escape/sanitize.hpp"

#include <agent_audit/pipeline/policy_replay.hpp>
#include <agent_audit/pipeline/text_tokens.hpp>
#include <agent_audit/support/suggest.hpp>

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace agent_audit::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view kScopes[] = {"user", "project", "local"};
constexpr std::uint64_t kLongestSettings = 4u << 20;
constexpr int kTimeoutSeconds = 5;  // the hook itself gives up after a fifth of a second

constexpr FlagSpec kFlags[] = {
    {"--client", "NAME", "the agent: claude-code, codex, gemini or qwen", false, offer_word(hook_client_names)},
    {"--scope", "SCOPE",
     "user (default): your settings, for all projects; project: those of the project in the current folder; local: the "
     "same for you alone (Claude Code)",
     false, offer_one_of(kScopes)},
    {"--mode", "MODE", "what the hook may do: advise (default), block or halt; see agent-audit hook --help", false,
     offer_one_of(kHookModes)},
    {"--policy", "POLICY", "when it speaks: a built-in policy or a policy file (default: balanced)", false,
     offer_word(policy_words, true)},
    {"--remove", "", "take the hook out again", false},
    {"--dry-run", "", "show what would change, and change nothing", false},
};
enum Flag : std::size_t { kClient, kScope, kMode, kPolicy, kRemove, kDryRun };

constexpr Example kExamples[] = {
    {"agent-audit init --client claude-code --dry-run", "what would change in ~/.claude/settings.json?"},
    {"agent-audit init --client claude-code", "advice for the model when it goes in circles, in every session"},
    {"agent-audit init --client gemini --scope project --mode block", "in this project, and loops are cut short"},
    {"agent-audit init --client claude-code --remove", "as it was before"},
};

struct Plan {
    const HookClient* client = nullptr;
    std::string path, command;
    bool remove = false, dry_run = false;
};

std::string value_of(const Arguments& arguments, Flag flag, std::string_view otherwise) {
    return arguments.flags[flag].empty() ? std::string(otherwise) : arguments.flags[flag].back().text;
}

Result<std::string> settings_path(const HookClient& client, const std::string& scope) {
    if (scope == "project") return (fs::path(client.folder) / client.file).string();
    if (scope == "local") {
        if (client.local_file.empty()) return Error{fmt::format("{} has no settings of scope local", client.title)};
        return (fs::path(client.folder) / client.local_file).string();
    }
    if (scope != "user") return Error{"--scope = \"" + scope + "\": expected user, project or local"};
    if (!client.home_variable.empty()) {
        const char* named = std::getenv(std::string(client.home_variable).c_str());
        if (named && *named) return (fs::path(named) / client.file).string();
    }
    const char* home = std::getenv("HOME");
    if (!home || !*home) return Error{"$HOME is not set: name --scope project"};
    return (fs::path(home) / client.folder / client.file).string();
}

std::string own_path() {
    char path[PATH_MAX];
    const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
    return length > 0 && length < static_cast<ssize_t>(sizeof path)
               ? std::string(path, static_cast<std::size_t>(length))
               : std::string();
}

// The bare name where a shell finds this very program under it, so that settings can be shared between machines.
std::string program_word() {
    constexpr std::string_view kName = "agent-audit";
    const std::string own = own_path();
    if (own.empty()) return std::string(kName);
    const char* path = std::getenv("PATH");
    for (std::string_view left = path ? path : ""; !left.empty();) {
        const std::size_t end = left.find(':');
        const fs::path there = fs::path(left.substr(0, end)) / kName;
        std::error_code none;
        if (fs::exists(there, none)) return fs::equivalent(there, own, none) ? std::string(kName) : own;
        left = end == left.npos ? std::string_view() : left.substr(end + 1);
    }
    return own;
}

Result<Plan> read_flags(const Arguments& arguments) {
    Plan plan;
    if (!arguments.operands.empty()) return Error{"init takes no operands"};
    const std::string client = value_of(arguments, kClient, "");
    if (client.empty())
        return Error{
            "--client is missing: claude-code, codex, gemini or qwen (a project's settings begin with config init)"};
    plan.client = find_hook_client(client);
    if (!plan.client) {
        const std::vector<std::string_view> names = hook_client_names();
        const std::string_view near = nearest(client, names);
        return Error{"--client = \"" + client + "\": no such agent" +
                     (near.empty() ? "" : "; did you mean " + std::string(near) + "?")};
    }
    const std::string mode = value_of(arguments, kMode, "advise");
    if (!hook_mode(mode)) return Error{"--mode = \"" + mode + "\": expected advise, block or halt"};
    Result<std::string> path = settings_path(*plan.client, value_of(arguments, kScope, "user"));
    if (!path) return path.error();
    plan.path = std::move(*path);
    // All agents run their hooks by a shell.
    plan.command = quoted_for_shell(program_word()) + " hook --client " + client;
    if (mode != "advise") plan.command += " --mode " + mode;
    if (!arguments.flags[kPolicy].empty()) {
        std::string policy = value_of(arguments, kPolicy, "");
        const PolicyChoice choice = choose_policy(policy);
        if (!choice.bound) return Error{choice.problems.empty() ? "no such policy" : choice.problems.front()};
        std::error_code none;  // a file is meant from wherever the agent runs
        if (fs::exists(policy, none)) policy = fs::absolute(policy).string();
        plan.command += " --policy " + quoted_for_shell(policy);
    }
    plan.remove = !arguments.flags[kRemove].empty();
    plan.dry_run = !arguments.flags[kDryRun].empty();
    return plan;
}

bool is_ours(const Json& hook) {
    const auto command = hook.find("command");
    if (command == hook.end() || !command->is_string()) return false;
    const auto& text = command->get_ref<const std::string&>();
    const std::size_t program = text.find("agent-audit");
    return program != text.npos && text.find(" hook --client ", program) != text.npos;
}

// An entry that holds our hook and no other.
bool is_our_entry(const Json& entry) {
    const auto hooks = entry.find("hooks");
    return entry.is_object() && hooks != entry.end() && hooks->is_array() && !hooks->empty() &&
           std::ranges::all_of(*hooks, [](const Json& hook) { return hook.is_object() && is_ours(hook); });
}

Json entry_for(const Plan& plan, const HookEvent& event) {
    Json hook{{"type", "command"}, {"command", plan.command}};
    if (plan.client->timeout_ms) hook["name"] = "agent-audit";
    hook["timeout"] = plan.client->timeout_ms ? kTimeoutSeconds * 1000 : kTimeoutSeconds;
    Json entry = Json::object();
    if (event.of_tools) entry["matcher"] = "*";
    entry["hooks"] = Json::array({hook});
    return entry;
}

// An entry that is there already, word for word, stays where it is.
std::optional<Error> change(JsonEdit& settings, const Plan& plan) {
    for (const HookEvent& event : plan.client->events) {
        const std::vector<std::string> keys{"hooks", std::string(event.name)};
        const Json entry = entry_for(plan, event);
        bool there = false;
        settings.remove_elements(keys, [&](const Json& element) {
            if (!is_our_entry(element)) return false;
            if (plan.remove || there || element != entry) return true;
            there = true;
            return false;
        });
        if (plan.remove || there) continue;
        if (auto problem = settings.append_element(keys, entry)) return problem;
    }
    return std::nullopt;
}

std::optional<Error> write_file(const std::string& path, std::string_view text, std::optional<mode_t> mode) {
    Result<Output> out = Output::to_file(path);
    if (!out) return out.error();
    out->write(text);
    if (auto problem = out->finish()) return problem;
    if (mode && ::chmod(path.c_str(), *mode) != 0) return Error{path + ": its permissions cannot be set"};
    return std::nullopt;
}

std::optional<Error> store(const Plan& plan, const std::string& before, const std::string& after, bool existed) {
    std::optional<mode_t> mode;
    struct stat info {};
    if (existed && ::stat(plan.path.c_str(), &info) == 0) mode = info.st_mode & 07777;
    if (!existed) {
        std::error_code problem;
        const fs::path folder = fs::path(plan.path).parent_path();
        fs::create_directories(folder, problem);
        if (problem) return Error{folder.string() + ": " + problem.message()};
    } else if (auto problem = write_file(plan.path + ".bak", before, mode)) {
        return problem;
    }
    return write_file(plan.path, after, mode);
}

ExitStatus run(const CommandSpec& self, const Arguments& arguments) {
    const Result<Plan> plan = read_flags(arguments);
    if (!plan) return usage_error(self, plan.error().message);
    const std::string shown = report::visible(plan->path);
    std::error_code none;
    const bool existed = fs::exists(plan->path, none);
    std::string before;
    if (existed) {
        Result<std::string> text = read_file(plan->path, kLongestSettings);
        if (!text) {
            complain(report::visible(text.error().message));
            return ExitStatus::input;
        }
        before = std::move(*text);
    }
    Result<JsonEdit> settings = JsonEdit::parse(before);
    std::optional<Error> problem;
    if (!settings)
        problem = settings.error();
    else
        problem = change(*settings, *plan);
    if (problem) {
        complain(shown + ": " + report::visible(problem->message) + "; nothing was changed");
        return ExitStatus::input;
    }
    if (existed ? settings->text() == before : plan->remove) {
        hint(plan->remove ? shown + " has no hook of agent-audit" : shown + " has this hook already");
        return ExitStatus::clean;
    }
    if (plan->dry_run) {
        std::string diff = shown + "\n";
        const std::string lines = line_diff(before, settings->text());
        for (std::size_t from = 0; from < lines.size();) {
            const std::size_t end = lines.find('\n', from);
            diff += report::visible(std::string_view(lines).substr(from, end - from)) + "\n";
            from = end + 1;
        }
        return print(diff);
    }
    if (const auto unwritten = store(*plan, before, settings->text(), existed)) {
        complain(report::visible(unwritten->message));
        return ExitStatus::internal;
    }
    hint(fmt::format("{} {}{}.", plan->remove ? "Took the hook out of" : "Set the hook in", shown,
                     existed ? "; as it was before: " + shown + ".bak" : ""));
    if (!plan->remove) hint(plan->client->next_step);
    return ExitStatus::clean;
}

}  // namespace

CommandSpec init_command() {
    return {"init",
            "--client NAME",
            "set agent-audit as a hook of an agent, or take it out again",
            "Adds one entry for each event of the agent that the hook needs, and leaves all else in the settings as it "
            "is, to the byte; what was there before is kept beside it as .bak. Settings that are no JSON are refused.",
            kExamples,
            kFlags,
            run,
            false,
            {},
            {}};
}

}  // namespace agent_audit::cli
