#include "cli/settings/config.hpp"
#include "cli/commands/answer.hpp"
#include "cli/commands/command.hpp"
#include "cli/pages/starter_config.hpp"
#include "cli/results/rendering.hpp"
#include "cli/settings/config_mistakes.hpp"
#include "cli/settings/options.hpp"
#include "cli/terminal/output.hpp"
#include "cli/terminal/terminal.hpp"
#include "pipeline/settings/plan.hpp"
#include "pipeline/settings/silence.hpp"
#include "report/escape/sanitize.hpp"
#include "report/json/json_writer.hpp"
#include "support/date.hpp"

#include <agent_audit/detectors/detector.hpp>
#include <agent_audit/detectors/policy.hpp>
#include <agent_audit/pipeline/run_settings.hpp>
#include <agent_audit/support/suggest.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace agent_audit::cli {
namespace {

constexpr std::array<std::string_view, 3> kVerbs{"show", "check", "init"};
constexpr FlagSpec kFlags[] = {
    {"-f,--format", "FORMAT", "for show: text (default) or json", false, kOfferTextOrJson},
    {"-v,--verbose", "", "for show: also what nobody set", false},
    kConfigFlag,
    kNoConfigFlag,
};
enum Flag : std::size_t { kFormat, kVerbose, kConfig, kNoConfig };

constexpr Example kExamples[] = {
    {"agent-audit config show", "what holds here, and who says so"},
    {"agent-audit config show -v", "with every threshold that nobody set"},
    {"agent-audit config check", "is agent-audit.toml sound? (exit 2 when not)"},
    {"agent-audit config init agent-audit.toml", "a file to begin with"},
};

// One setting as it holds.
struct Row {
    std::string table;  // [budget], [rules."loop/cycle"]; empty = top
    std::string key;
    std::vector<std::string> values;  // more than one: a list
    bool quoted = true;
    std::string origin;  // "default"
};

constexpr std::string_view kVariablesOnly = "environment";  // table of what no file can say

struct Effective {
    std::vector<Row> rows;
    AuditPlan plan;  // suppressions and classes of tools
};

// The origin of an option without the key behind it: "agent-audit.toml:4: fail-on".
std::string place_of(const FlagValue& value, std::string_view key) {
    const std::string tail = fmt::format(": {}", key);
    return value.origin.ends_with(tail) ? value.origin.substr(0, value.origin.size() - tail.size()) : value.origin;
}

bool is_set(const Row& row) { return row.origin != "default"; }

Row option_row(const ConfigKey& known, const std::vector<FlagValue>& environment, const Config& config) {
    std::vector<FlagValue> values = environment;
    const bool said = !values.empty() || config.values(known.option.key, values);
    const OptionType type = known.option.type;
    Row row{"", std::string(known.option.key), {}, type != OptionType::number && type != OptionType::flag, "default"};
    if (!said) {
        if (!known.standard.empty()) row.values = {std::string(known.standard)};
        return row;
    }
    for (const FlagValue& value : values)
        row.values.push_back(type != OptionType::flag ? value.text : value.text == "0" ? "false" : "true");
    if (values.empty()) {
        row.origin = config.find(known.option.key)->origin;
    } else {
        row.origin = place_of(values.back(), known.option.key);
    }
    return row;
}

// What a rule's parameters are once the policy has had its word, and who said so.
void rule_rows(const DetectorSpec& rule, const Settings& settings, std::vector<Row>& rows) {
    const std::string table = fmt::format("[rules.\"{}\"]", rule.id);
    const auto add = [&](std::string key, const std::string& standard, bool quoted) {
        const Setting* set = settings.find(fmt::format("{}.{}", rule.id, key));
        if (!set && standard.empty()) return;
        rows.push_back({table, std::move(key), {set ? set->value : standard}, quoted, set ? set->origin : "default"});
    };
    add("severity", "", true);
    add("min-repeats", "", false);
    for (const ParamDoc& param : rule.params()) add(param.name, param.default_value, false);
    const std::string prefix = fmt::format("{}.per-tool.", rule.id);
    for (const auto& [key, values] : settings.all()) {
        if (!key.starts_with(prefix)) continue;
        const std::size_t dot = key.rfind('.');
        rows.push_back(
            {fmt::format("[rules.\"{}\".per-tool.\"{}\"]", rule.id, key.substr(prefix.size(), dot - prefix.size())),
             key.substr(dot + 1),
             {values.back().value},
             false,
             values.back().origin});
    }
}

void table_rows(const Settings& settings, std::vector<Row>& rows) {
    for (const auto& [key, values] : settings.all()) {
        if (!is_run_setting(key)) continue;
        const std::size_t dot = key.starts_with("tools.class.") || key.starts_with("calls.identity.")
                                    ? key.find('.', key.find('.') + 1)
                                    : key.find('.');
        Row row{fmt::format("[{}]", key.substr(0, dot)), key.substr(dot + 1), {}, true, values.back().origin};
        const bool adds = key.starts_with("errors.");
        for (const Setting& one : values) {
            if (!adds) row.values.clear();
            row.values.push_back(one.value);
        }
        rows.push_back(std::move(row));
    }
}

// The environment of scan is the environment here: the same flags, none of them typed.
Result<Effective> effective(const Arguments& arguments) {
    const auto choice = config_choice(arguments.flags[kConfig], arguments.flags[kNoConfig]);
    if (!choice) return choice.error();
    const Result<Config> config = load_config(*choice);
    if (!config) return config.error();
    const Result<Arguments> environment = parse_arguments(scan_flags(), {});
    if (!environment) return environment.error();
    Effective out;
    if (auto problem = apply_config(*config, out.plan)) return *problem;
    const auto flags = scan_flags();
    for (const ConfigKey& known : config_keys()) {
        const std::string name = "--" + std::string(known.option.key);
        const auto flag = std::ranges::find(flags, std::string_view(name), &FlagSpec::long_name);
        out.rows.push_back(
            option_row(known, environment->flags[static_cast<std::size_t>(flag - flags.begin())], *config));
    }
    // What no file can say, for completeness: a variable that is set changes what scan does here.
    for (std::size_t i = 0; i < flags.size(); ++i) {
        const std::string key(flags[i].long_name().substr(2));
        const auto has_key = [&](const ConfigKey& known) { return known.option.key == key; };
        const std::vector<FlagValue>& values = environment->flags[i];
        if (values.empty() || std::ranges::any_of(config_keys(), has_key)) continue;
        Row row{std::string(kVariablesOnly), key, {}, !flags[i].is_switch(), values.back().origin};
        if (flags[i].is_switch())
            row.values = {"true"};
        else
            for (const FlagValue& value : values) row.values.push_back(value.text);
        out.rows.push_back(std::move(row));
    }
    table_rows(out.plan.settings, out.rows);
    for (const DetectorSpec& rule : all_detectors()) rule_rows(rule, out.plan.settings, out.rows);
    return out;
}

// What scan would refuse is refused here, in the same words.
std::optional<Error> check(const Arguments& arguments) {
    std::vector<FlagSpec> flags(scan_flags().begin(), scan_flags().end());
    Result<Arguments> given = parse_arguments(scan_flags(), {});
    if (!given) return given.error();
    for (std::size_t i = 0; i < flags.size(); ++i) {
        if (flags[i].long_name() == kConfigFlag.long_name()) given->flags[i] = arguments.flags[kConfig];
        if (flags[i].long_name() == kNoConfigFlag.long_name()) given->flags[i] = arguments.flags[kNoConfig];
    }
    Result<ScanOptions> options = audit_options(flags, *given);
    if (!options) return options.error();
    const auto rules = bind_some_rules(options->plan);
    if (!rules) return rules.error();
    Report nothing;
    nothing.notes = overtaken_fail_counts(options->plan, *rules);
    nothing.least = options->plan.min_severity;
    report_settings_problems(nothing, *options);
    auto run = bind_run_settings(options->plan.settings);
    if (!run) return run.error();
    if (auto problem = use_tool_classes(options->plan.tool_classes, run->engine)) return problem;
    if (auto silences = Silences::make(options->plan); !silences) return silences.error();
    return std::nullopt;
}

// ---- show ----------------------------------------------------------------------------------------------------

// A TOML text; controls as \u escapes, so that nothing of a file reaches the terminal raw.
std::string toml_text(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
            out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
        } else {
            out += c;
        }
    }
    return out += '"';
}

std::string value_words(const Row& row) {
    std::vector<std::string> words;
    for (const std::string& value : row.values) words.push_back(row.quoted ? toml_text(value) : value);
    if (words.size() == 1) return words[0];
    std::string out = "[";
    for (const std::string& word : words) out.append(out.size() > 1 ? ", " : "").append(word);
    return out += ']';
}

void add_match(std::string& out, std::initializer_list<std::pair<std::string_view, std::string_view>> parts) {
    std::string inside;
    for (const auto& [key, value] : parts) {
        if (!value.empty()) inside += fmt::format("{}{} = {}", inside.empty() ? "" : ", ", key, toml_text(value));
    }
    if (!inside.empty()) out += fmt::format("match = {{ {} }}\n", inside);
}

std::string as_toml(const Effective& what, bool all) {
    std::string out, table;
    for (const Row& row : what.rows) {
        if (row.table == kVariablesOnly) continue;
        if (!all && !is_set(row) && !row.table.empty()) continue;
        if (row.values.empty() && !is_set(row)) continue;
        if (row.table != table) out += fmt::format("\n{}\n", table = row.table);
        out += fmt::format("{:<32} # {}\n", fmt::format("{} = {}", row.key, value_words(row)), row.origin);
    }
    for (const ToolClassRule& rule : what.plan.tool_classes) {
        out += fmt::format("\n[[tool-class]]                  # {}\n", rule.origin);
        add_match(out, {{"tool", rule.tool}, {"command", rule.command}});
        out += fmt::format("class = {}\n", toml_text(rule.tool_class));
    }
    for (const Suppression& one : what.plan.suppressions) {
        out += fmt::format("\n[[suppress]]                    # {}\nrule = {}\n", one.origin, toml_text(one.rule));
        const FindingMatch& m = one.match;
        add_match(out, {{"tool", m.tool},
                        {"command", m.command},
                        {"path", m.path},
                        {"project", m.project},
                        {"session", m.session}});
        out += fmt::format("reason = {}\n", toml_text(one.reason));
        if (one.until_days) out += fmt::format("until = {}\n", format_date(*one.until_days));
    }
    for (bool first = true; const Row& row : what.rows) {
        if (row.table != kVariablesOnly) continue;
        if (std::exchange(first, false)) out += "\n# set in the environment, where no key of a file stands for it\n";
        out += fmt::format("# {:<30} # {}\n", fmt::format("{} = {}", row.key, value_words(row)), row.origin);
    }
    std::string safe;
    while (!out.empty()) {
        const std::size_t end = out.find('\n');
        safe += report::visible(out.substr(0, end)) + "\n";
        out.erase(0, end + 1);
    }
    return safe;
}

std::string as_json(const Effective& what) {
    std::string out;
    const ByteSink sink = [&](std::string_view bytes) {
        out += bytes;
        return true;
    };
    report::JsonWriter json(sink);
    json.begin_object();
    json.text("schema", "agent-audit/config-show/1");
    json.key("settings").begin_array();
    for (const Row& row : what.rows) {
        json.newline();
        json.begin_object();
        json.known_text("table", row.table);
        json.text("key", row.key);
        json.key("values").begin_array();
        for (const std::string& value : row.values) json.text(value);
        json.end_array();
        json.text("origin", row.origin);
        json.end_object();
    }
    json.end_array();
    json.key("suppressions").begin_array();
    for (const Suppression& one : what.plan.suppressions) {
        json.newline();
        json.begin_object();
        json.text("rule", one.rule);
        json.text("reason", one.reason);
        if (one.until_days) json.text("until", format_date(*one.until_days));
        json.text("origin", one.origin);
        json.end_object();
    }
    json.end_array();
    json.end_object();
    json.newline();
    json.flush();
    return out;
}

ExitStatus show(const CommandSpec& self, const Arguments& arguments) {
    const Result<bool> json = asks_for_json(arguments, kFormat);
    if (!json) return usage_error(self, json.error().message);
    if (const auto problem = check(arguments)) return settings_error(self, arguments, *problem);
    const Result<Effective> what = effective(arguments);
    if (!what) return usage_error(self, what.error().message);
    return print(*json ? as_json(*what) : as_toml(*what, !arguments.flags[kVerbose].empty()), Printed::document);
}

// Without a file it is printed.
ExitStatus init(const std::string& path) {
    if (path.empty()) return print(starter_config(), Printed::document);
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) {
        complain(report::visible(path) + " exists already; nothing was written");
        return ExitStatus::usage;
    }
    Result<Output> out = Output::to_file(path);
    if (!out) {
        complain(out.error().message);
        return ExitStatus::internal;
    }
    out->write(starter_config());
    if (const auto problem = out->finish()) {
        complain(problem->message);
        return ExitStatus::internal;
    }
    hint("Wrote " + report::visible(path) + ". agent-audit config show says what holds.");
    return ExitStatus::clean;
}

ExitStatus run(const CommandSpec& self, const Arguments& given) {
    const std::string verb = given.operands.empty() ? "" : given.operands[0];
    if (std::ranges::find(kVerbs, verb) == kVerbs.end()) {
        const std::string_view near = nearest(verb, kVerbs);
        return usage_error(self, verb.empty()   ? "config show, check or init?"
                                 : near.empty() ? "config " + verb + ": expected show, check or init"
                                                : "config " + verb + ": expected show, check or init; did you mean " +
                                                      std::string(near) + "?");
    }
    if (verb == "show" && given.operands.size() == 1) return show(self, given);
    if (verb == "show" || given.operands.size() > 2)
        return usage_error(self, "config " + verb + " takes " + (verb == "show" ? "no file" : "one file"));
    if (verb == "init") return init(given.operands.size() == 2 ? given.operands[1] : "");
    Arguments arguments = given;
    if (given.operands.size() == 2) arguments.flags[kConfig] = {{given.operands[1], "--config"}};
    const auto choice = config_choice(arguments.flags[kConfig], arguments.flags[kNoConfig]);
    std::vector<Error> problems = choice ? config_mistakes(*choice) : std::vector<Error>{choice.error()};
    if (problems.empty()) {
        if (auto problem = check(arguments))
            problems.push_back(std::move(*problem));  // in the environment, or together
    }
    for (const Error& problem : problems) complain(problem.message);
    if (!problems.empty()) return ExitStatus::usage;
    const Result<Config> config = choice ? load_config(*choice) : Result<Config>(choice.error());
    if (!config) return usage_error(self, config.error().message);
    std::string out;
    for (const ConfigFile& file : config->files) out += report::visible(file.source) + ": ok\n";
    return print(out.empty() ? "no file of settings\n" : out);
}

}  // namespace

CommandSpec config_command() {
    return {"config",
            "show | check [FILE] | init [FILE]",
            "settings that hold here, with their origin",
            "Settings come from the command line, the environment (AGENT_AUDIT_<FLAG>), agent-audit.toml here or above "
            "up to the root of the repository, and the user's own file ($XDG_CONFIG_HOME/agent-audit/config.toml), in "
            "this order. show prints them as a file could say them, each with its origin; check says everything that "
            "is wrong, with file and line; init writes a file to begin with, and never over one that is there.",
            kExamples,
            kFlags,
            run,
            false,
            offer_one_of(kVerbs),
            kOfferFile};
}

}  // namespace agent_audit::cli
