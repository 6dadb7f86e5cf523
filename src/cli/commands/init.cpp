#include "cli/arguments/flag_words.hpp"
#include "cli/arguments/offers.hpp"
#include "cli/commands/command.hpp"
#include "cli/hooks/clients.hpp"
#include "cli/hooks/json_edit.hpp"
#include "cli/hooks/line_diff.hpp"
#include "cli/hooks/plugin_files.hpp"
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
    {"--client", "NAME", "the agent: claude-code, codex, gemini, qwen, pi, opencode or openclaw", false,
     offer_word(hook_client_names)},
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
    std::string folder, file;        // the agent's, and its settings in it
    std::vector<std::string> words;  // the hook's program and flags
    std::string command;             // the same for a shell
    bool remove = false, dry_run = false;
};

// What becomes of a file. Without text it is not there.
struct Change {
    std::string path;
    std::optional<std::string> before, after;
};

Result<std::string> folder_of(const HookClient& client, const std::string& scope) {
    if (scope == "project" || scope == "local") {
        if (scope == "local" && client.local_file.empty())
            return Error{fmt::format("{} has no settings of scope local", client.title)};
        return std::string(client.project_folder.empty() ? client.folder : client.project_folder);
    }
    if (scope != "user") return Error{"--scope = \"" + scope + "\": expected user, project or local"};
    if (!client.home_variable.empty()) {
        const char* named = std::getenv(std::string(client.home_variable).c_str());
        if (named && *named)
            return client.below_variable.empty() ? std::string(named)
                                                 : (fs::path(named) / client.below_variable).string();
    }
    const char* home = std::getenv("HOME");
    if (!home || !*home) return Error{"$HOME is not set: name --scope project"};
    return (fs::path(home) / client.folder).string();
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
    const std::string client = last_value(arguments.flags[kClient]);
    if (client.empty())
        return Error{fmt::format("--client is missing: {} (a project's settings begin with config init)",
                                 fmt::join(hook_client_names(), ", "))};
    plan.client = find_hook_client(client);
    if (!plan.client) {
        const std::vector<std::string_view> names = hook_client_names();
        const std::string_view near = nearest(client, names);
        return Error{"--client = \"" + client + "\": no such agent" +
                     (near.empty() ? "" : "; did you mean " + std::string(near) + "?")};
    }
    const std::string mode = last_value(arguments.flags[kMode], "advise"),
                      scope = last_value(arguments.flags[kScope], "user");
    if (!hook_mode(mode)) return Error{"--mode = \"" + mode + "\": expected advise, block or halt"};
    Result<std::string> folder = folder_of(*plan.client, scope);
    if (!folder) return folder.error();
    plan.folder = std::move(*folder);
    plan.file = scope == "local" ? plan.client->local_file : plan.client->file;
    plan.words = {program_word(), "hook", "--client", client};
    if (mode != "advise") plan.words.insert(plan.words.end(), {"--mode", mode});
    if (!arguments.flags[kPolicy].empty()) {
        std::string policy = last_value(arguments.flags[kPolicy]);
        const PolicyChoice choice = choose_policy(policy);
        if (!choice.bound) return Error{choice.problems.empty() ? "no such policy" : choice.problems.front()};
        std::error_code none;  // a file is meant from wherever the agent runs
        if (fs::exists(policy, none)) policy = fs::absolute(policy).string();
        plan.words.insert(plan.words.end(), {"--policy", policy});
    }
    // Agents that run hooks do it by a shell.
    for (const std::string& word : plan.words)
        plan.command.append(plan.command.empty() ? "" : " ").append(quoted_for_shell(word));
    plan.remove = !arguments.flags[kRemove].empty();
    plan.dry_run = !arguments.flags[kDryRun].empty();
    return plan;
}

// Also when this program was given another name.
bool is_ours(const Json& hook, const Plan& plan) {
    const auto command = hook.find("command");
    if (command == hook.end() || !command->is_string()) return false;
    const auto& text = command->get_ref<const std::string&>();
    const std::string own = quoted_for_shell(plan.words.front());
    const std::size_t program = text.starts_with(own) ? 0 : text.find("agent-audit");
    return program != text.npos && text.find(" hook --client ", program) != text.npos;
}

// An entry that holds our hook and no other.
bool is_our_entry(const Json& entry, const Plan& plan) {
    const auto hooks = entry.find("hooks");
    return entry.is_object() && hooks != entry.end() && hooks->is_array() && !hooks->empty() &&
           std::ranges::all_of(*hooks, [&](const Json& hook) { return hook.is_object() && is_ours(hook, plan); });
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
std::optional<Error> change_entries(JsonEdit& settings, const Plan& plan) {
    for (const HookEvent& event : plan.client->events) {
        const std::vector<std::string> keys{"hooks", std::string(event.name)};
        const Json entry = entry_for(plan, event);
        bool there = false;
        settings.remove_elements(keys, [&](const Json& element) {
            if (!is_our_entry(element, plan)) return false;
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

Result<std::optional<std::string>> text_of_file(const std::string& path) {
    std::error_code none;
    const fs::file_status there = fs::status(path, none);
    if (!fs::exists(there)) return std::optional<std::string>();
    // A pipe would be waited for.
    if (!fs::is_regular_file(there)) return Error{path + ": not a file; nothing was changed"};
    Result<std::string> text = read_file(path, kLongestSettings);
    if (!text) return text.error();
    return std::optional(std::move(*text));
}

std::string kept_path(const std::string& path) { return path + ".bak"; }

// What taking our hook out leaves of settings; empty: they are none.
std::string without_hook(std::string_view text, Plan plan) {
    plan.remove = true;
    Result<JsonEdit> settings = JsonEdit::parse(std::string(text));
    return settings && !change_entries(*settings, plan) ? settings->text() : std::string();
}

// The same of settings in which it was set before.
std::string set_and_taken_out(std::string_view text, Plan plan) {
    plan.remove = false;
    Result<JsonEdit> settings = JsonEdit::parse(std::string(text));
    return settings && !change_entries(*settings, plan) ? without_hook(settings->text(), plan) : std::string();
}

// What becomes of settings of which `rest` is left without our hook. Where that is what is left of what was kept when
// the hook was set, it is that to the byte: "{ }", and a list that was empty already. Settings that nobody had before
// init made them go.
std::optional<std::string> as_before_init(const std::string& rest, const Change& change, const Plan& plan) {
    if (rest == change.before) return rest;
    const Result<std::optional<std::string>> kept = text_of_file(kept_path(change.path));
    const std::string before = kept && *kept ? **kept : std::string();
    if (!before.empty() && without_hook(before, plan) == before && set_and_taken_out(before, plan) == rest)
        return before;
    if (rest == set_and_taken_out("", plan)) return std::nullopt;
    return rest;
}

Result<Change> change_of_settings(const Plan& plan) {
    Change change{(fs::path(plan.folder) / plan.file).string(), {}, {}};
    Result<std::optional<std::string>> before = text_of_file(change.path);
    if (!before) return before.error();
    change.before = std::move(*before);
    Result<JsonEdit> settings = JsonEdit::parse(change.before.value_or(""));
    std::optional<Error> problem;
    if (!settings)
        problem = settings.error();
    else
        problem = change_entries(*settings, plan);
    if (problem) return Error{change.path + ": " + problem->message + "; nothing was changed"};
    if (!plan.remove)
        change.after = settings->text();
    else if (change.before)
        change.after = as_before_init(settings->text(), change, plan);
    // A link leads to a file that somebody keeps elsewhere: it stays, with nothing in it.
    if (change.before && !change.after && fs::is_symlink(change.path)) change.after = "{}\n";
    return change;
}

Result<Change> change_of_plugin(const Plan& plan, const PluginFile& file) {
    Change change{(fs::path(plan.folder) / file.path).string(), {}, {}};
    Result<std::optional<std::string>> before = text_of_file(change.path);
    if (!before) return before.error();
    change.before = std::move(*before);
    if (change.before && !is_plugin_of_ours(*change.before))
        return Error{change.path + ": agent-audit did not write this file; nothing was changed"};
    if (!plan.remove) change.after = plugin_file_text(*plan.client, file, plan.words);
    return change;
}

// Those that change something.
Result<std::vector<Change>> changes(const Plan& plan) {
    std::vector<Change> all;
    if (plan.client->plugin.empty()) {
        Result<Change> change = change_of_settings(plan);
        if (!change) return change.error();
        all.push_back(std::move(*change));
    }
    for (const PluginFile& file : plan.client->plugin) {
        Result<Change> change = change_of_plugin(plan, file);
        if (!change) return change.error();
        all.push_back(std::move(*change));
    }
    std::erase_if(all, [](const Change& change) { return change.before == change.after; });
    return all;
}

// Beside the settings may lie what they were when the hook was set in another way. What a person kept there has no hook
// of ours.
bool is_kept_by_us(const std::string& path) {
    constexpr std::string_view kOurs = "agent-audit";
    const Result<std::optional<std::string>> text = text_of_file(path);
    return text && *text && (*text)->find(kOurs) != std::string::npos;
}

std::optional<Error> store(const Change& change, bool keep_before) {
    std::error_code problem;
    if (!change.after) {
        fs::remove(change.path, problem);
        if (problem) return Error{change.path + ": " + problem.message()};
        if (keep_before && is_kept_by_us(kept_path(change.path))) fs::remove(kept_path(change.path), problem);
        const fs::path folder = fs::path(change.path).parent_path();
        if (keep_before || folder.filename() == "agent-audit")
            fs::remove(folder, problem);  // which is done when it is empty
        return std::nullopt;
    }
    std::optional<mode_t> mode;
    struct stat info {};
    if (change.before && ::stat(change.path.c_str(), &info) == 0) mode = info.st_mode & 07777;
    if (!change.before) {
        const fs::path folder = fs::path(change.path).parent_path();
        fs::create_directories(folder, problem);
        if (problem) return Error{folder.string() + ": " + problem.message()};
    } else if (keep_before) {
        if (auto unkept = write_file(kept_path(change.path), *change.before, mode)) return unkept;
    }
    return write_file(change.path, *change.after, mode);
}

ExitStatus show(const std::vector<Change>& all) {
    std::string diff;
    for (const Change& change : all) {
        diff += report::visible(change.path) + "\n";
        const std::string lines = line_diff(change.before.value_or(""), change.after.value_or(""));
        for (std::size_t from = 0; from < lines.size();) {
            const std::size_t end = lines.find('\n', from);
            diff += report::visible(std::string_view(lines).substr(from, end - from)) + "\n";
            from = end + 1;
        }
    }
    return print(diff);
}

ExitStatus run(const CommandSpec& self, const Arguments& arguments) {
    const Result<Plan> plan = read_flags(arguments);
    if (!plan) return usage_error(self, plan.error().message);
    const Result<std::vector<Change>> all = changes(*plan);
    if (!all) {
        complain(report::visible(all.error().message));
        return ExitStatus::input;
    }
    const bool by_settings = plan->client->plugin.empty();
    const std::string place = by_settings ? (fs::path(plan->folder) / plan->file).string()
                                          : (fs::path(plan->folder) / plan->client->plugin.front().path).string();
    const std::string shown = report::visible(place);
    if (all->empty()) {
        hint(plan->remove ? shown + " has no hook of agent-audit" : shown + " has this hook already");
        return ExitStatus::clean;
    }
    if (plan->dry_run) return show(*all);
    for (const Change& change : *all) {
        if (const auto unwritten = store(change, by_settings)) {
            complain(report::visible(unwritten->message));
            return ExitStatus::internal;
        }
    }
    const Change& first = all->front();
    std::string more;
    if (by_settings && first.before && first.after) more = "; as it was before: " + kept_path(shown);
    if (by_settings && !first.after) more = ", and the file away: it held nothing else";
    hint(fmt::format("{} {}{}.", plan->remove ? "Took the hook out of" : "Set the hook in", shown, more));
    if (!plan->remove) hint(plan->client->next_step);
    return ExitStatus::clean;
}

}  // namespace

CommandSpec init_command() {
    return {"init",
            "--client NAME",
            "set agent-audit as a hook of an agent, or take it out again",
            "Adds one entry for each event of the agent that the hook needs, and leaves all else in the settings as it "
            "is, to the byte; what was there before is kept beside it as .bak. Settings that are no JSON are refused. "
            "pi, opencode and OpenClaw get a plugin instead, a file of their own that runs the hook.",
            kExamples,
            kFlags,
            run,
            false,
            {},
            {}};
}

}  // namespace agent_audit::cli
