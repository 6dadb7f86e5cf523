#include "cli/settings/config.hpp"

#include "cli/terminal/environment.hpp"
#include "cli/terminal/terminal.hpp"
#include "pipeline/settings/plan.hpp"
#include "pipeline/settings/tool_class_words.hpp"

#include <agent_audit/detectors/detector.hpp>
#include <agent_audit/pipeline/run_settings.hpp>
#include <agent_audit/pipeline/text_tokens.hpp>
#include <agent_audit/support/suggest.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <utility>

namespace agent_audit::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLargestFile = 1u << 20;
constexpr int kMostExtended = 8;
constexpr std::array<std::string_view, 3> kPolicyNames{"balanced", "strict", "permissive"};

constexpr std::array kKeys{
    ConfigKey{{"format", OptionType::text}, "text"},
    ConfigKey{{"fail-on", OptionType::text}, "error"},
    ConfigKey{{"policy", OptionType::text}, "balanced"},
    ConfigKey{{"min-severity", OptionType::text}, "info"},
    ConfigKey{{"min-confidence", OptionType::number}, "0"},
    ConfigKey{{"select", OptionType::list}, ""},
    ConfigKey{{"ignore", OptionType::list}, ""},
    ConfigKey{{"as", OptionType::list}, ""},
    ConfigKey{{"exclude", OptionType::list}, ""},
    ConfigKey{{"baseline", OptionType::path}, ""},
    ConfigKey{{"prices", OptionType::path}, ""},
    ConfigKey{{"max-findings", OptionType::number}, ""},  // depends on the output format
    ConfigKey{{"input-format", OptionType::text}, ""},
    ConfigKey{{"max-line-size", OptionType::size}, "64M"},
    ConfigKey{{"strict-input", OptionType::flag}, "false"},
    ConfigKey{{"jobs", OptionType::number}, "0"},
    ConfigKey{{"redact", OptionType::text}, ""},  // depends on the output format
    ConfigKey{{"color", OptionType::text}, "auto"},
    ConfigKey{{"progress", OptionType::text}, "auto"},
};
constexpr auto kOptions = [] {
    std::array<ConfigOption, kKeys.size()> options{};
    for (std::size_t i = 0; i < kKeys.size(); ++i) options[i] = kKeys[i].option;
    return options;
}();

bool is_file(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

// Whether something of this name is meant to be read. A folder, or a link that leads nowhere, is a mistake that reading
// it will tell; to pass it over would be to run without the settings that somebody wrote.
bool is_meant(const fs::path& path) {
    std::error_code ignored;
    if (is_file(path) || fs::is_directory(path, ignored)) return true;
    return fs::is_symlink(path, ignored) && !fs::exists(path, ignored);
}

fs::path user_file() {
    fs::path folder = environment("XDG_CONFIG_HOME");
    if (folder.is_absolute()) return folder / "agent-audit" / "config.toml";
    folder = environment("HOME");
    return folder.is_absolute() ? folder / ".config" / "agent-audit" / "config.toml" : fs::path();
}

// Whose home it is says nothing to a reader of a message.
std::string shown(const fs::path& path) {
    const std::string home = environment("HOME"), text = path.string();
    if (home.size() > 1 && text.starts_with(home + "/")) return "~" + text.substr(home.size());
    return text;
}

class Loader {
public:
    void load(const std::string& path, const std::string& name, int depth = 0) {
        const Result<std::string> text = read_file(path, kLargestFile);
        if (!text) return problems.push_back(text.error());
        ConfigFile file =
            parse_config_file(*text, name, {kOptions, run_setting_groups(), tool_class_words()}, problems);
        place_paths(file, fs::path(path).parent_path());
        std::error_code unknown;  // of a working directory that is gone: paths hold as they are typed
        const fs::path whole = fs::absolute(path, unknown).lexically_normal();
        for (Suppression& one : file.suppressions) one.folder = unknown ? std::string() : whole.parent_path().string();
        if (!file.extends.empty()) {
            if (auto problem = extend(file, file.extends.front(), path, depth)) problems.push_back(std::move(*problem));
        }
        config.files.push_back(std::move(file));
    }

    Config config;
    std::vector<Error> problems;

private:
    // Paths in a file are meant from its own folder.
    static void place_paths(ConfigFile& file, const fs::path& folder) {
        for (ConfigValue& value : file.options) {
            const auto known = std::ranges::find(kOptions, value.key, &ConfigOption::key);
            if (known->type != OptionType::path) continue;
            for (std::string& path : value.texts) path = (folder / path).lexically_normal().string();
        }
    }

    std::optional<Error> extend(ConfigFile& file, const Setting& base, const std::string& path, int depth) {
        const bool has_policy = std::ranges::find(file.options, "policy", &ConfigValue::key) != file.options.end();
        if (std::ranges::find(kPolicyNames, base.value) != kPolicyNames.end()) {
            if (!has_policy) file.options.push_back({"policy", {base.value}, base.origin + ": extends"});
            return std::nullopt;
        }
        const fs::path other = fs::path(path).parent_path() / base.value;
        if (!is_file(other)) {
            const std::string_view near = nearest(base.value, kPolicyNames);
            return Error{
                fmt::format("{}: extends = \"{}\": neither a policy (balanced, strict, permissive) nor a file{}",
                            base.origin, base.value, near.empty() ? "" : fmt::format("; did you mean {}?", near))};
        }
        if (depth >= kMostExtended)
            return Error{fmt::format("{}: extends = \"{}\": files extend each other", base.origin, base.value)};
        load(other.string(), shown(other), depth + 1);
        return std::nullopt;
    }
};

std::string canonical_key(const std::string& key) {
    const std::size_t dot = std::min(key.find('.'), key.size());
    return std::string(canonical_rule(key.substr(0, dot))) + key.substr(dot);
}

}  // namespace

std::span<const ConfigKey> config_keys() { return kKeys; }

const ConfigValue* Config::find(std::string_view key) const {
    for (auto file = files.rbegin(); file != files.rend(); ++file) {
        const auto found = std::ranges::find(file->options, key, &ConfigValue::key);
        if (found != file->options.end()) return &*found;
    }
    return nullptr;
}

bool Config::values(std::string_view key, std::vector<FlagValue>& into) const {
    const ConfigValue* found = find(key);
    if (!found) return false;
    for (const std::string& text : found->texts) into.push_back({text, found->origin});
    return true;
}

Result<ConfigChoice> config_choice(std::span<const FlagValue> config, std::span<const FlagValue> no_config) {
    const auto typed = [](std::span<const FlagValue> values) {
        return !values.empty() && values.back().origin.starts_with("--");
    };
    if (typed(config) && typed(no_config)) return Error{"--config and --no-config: which?"};
    ConfigChoice choice;
    if (!config.empty() && !typed(no_config)) {
        if (config.back().text.empty()) return Error{config.back().origin + " needs a file"};
        choice.file = config.back().text;
    } else {
        choice.none = !no_config.empty();
    }
    return choice;
}

std::string find_upwards(std::string_view name) {
    std::error_code failed;
    fs::path folder = fs::current_path(failed);
    if (failed) return {};
    const fs::path home = environment("HOME");
    fs::path relative;
    for (;;) {
        if (is_meant(folder / name)) return (relative / name).string();
        if (fs::exists(folder / ".git", failed) || folder == home || folder == folder.root_path()) return {};
        folder = folder.parent_path();
        relative /= "..";
    }
}

namespace {

// Settings that nobody reads would be noticed by what they do not do. Only here: a look at every folder above is not
// worth it.
void say_misnamed() {
    static bool said = false;  // doctor reads the settings as scan does, and once more to look at each file
    if (std::exchange(said, true)) return;
    for (const char* name : {".agent-audit.toml", "agent_audit.toml"}) {
        if (is_meant(name)) complain(fmt::format("{} sets nothing: settings stand in {}", name, kConfigName));
    }
}

}  // namespace

Config load_config(const ConfigChoice& choice, std::vector<Error>& problems) {
    Loader loader;
    if (choice.none) return {};
    if (choice.file) {
        loader.load(*choice.file, *choice.file);
    } else {
        if (const fs::path user = user_file(); is_meant(user)) loader.load(user.string(), shown(user));
        const std::string project = find_upwards(kConfigName);
        if (project.empty()) {
            say_misnamed();
        } else {
            loader.load(project, project);
        }
    }
    problems.insert(problems.end(), loader.problems.begin(), loader.problems.end());
    return std::move(loader.config);
}

Result<Config> load_config(const ConfigChoice& choice) {
    std::vector<Error> problems;
    Config config = load_config(choice, problems);
    if (!problems.empty()) return problems.front();
    return config;
}

std::vector<Error> unknown_rules(const ConfigFile& file) {
    std::vector<Error> out;
    for (const Setting& rule : file.rules) {
        if (find_detector(canonical_rule(rule.value))) continue;
        const auto problem = unknown_rule(rule.value);
        out.push_back(
            {fmt::format("{}: {}", rule.origin,
                         problem ? problem->message : fmt::format("'{}' is a group, not a rule", rule.value))});
    }
    return out;
}

std::optional<Error> apply_config(const Config& config, AuditPlan& plan) {
    for (const ConfigFile& file : config.files) {
        if (const auto problems = unknown_rules(file); !problems.empty()) return problems.front();
        for (const auto& [key, values] : file.settings.all()) {
            for (const Setting& setting : values)
                plan.settings.set(is_run_setting(key) ? key : canonical_key(key), setting);
        }
        plan.suppressions.insert(plan.suppressions.end(), file.suppressions.begin(), file.suppressions.end());
        // The first that matches wins, so the stronger file comes first.
        plan.tool_classes.insert(plan.tool_classes.begin(), file.tool_classes.begin(), file.tool_classes.end());
    }
    return std::nullopt;
}

}  // namespace agent_audit::cli
