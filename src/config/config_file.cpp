#include <agent_audit/config/config_file.hpp>

#include "config/pattern.hpp"
#include "config/toml_tree.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

namespace agent_audit {
namespace {

constexpr std::array<std::string_view, 5> kOwnKeys{"extends", "rules", "tool-class", "budget", "suppress"};
constexpr std::array<std::string_view, 5> kMatchKeys{"tool", "command", "path", "project", "session"};
constexpr std::array<std::string_view, 4> kSuppressKeys{"rule", "match", "reason", "until"};
constexpr std::array<std::string_view, 2> kToolClassKeys{"match", "class"};
constexpr std::array<std::string_view, 2> kToolMatchKeys{"tool", "command"};
constexpr std::array<std::string_view, 4> kSeverities{"error", "warning", "info", "off"};

constexpr std::array kBudget{
    BudgetKey{"session-tokens", "tokens", "tokens a session may be billed for, prompt and output", 1e12},
    BudgetKey{"wasted-tokens", "wasted-tokens", "tokens that the loops found in a session may have wasted", 1e12},
    BudgetKey{"cost-usd", "max-cost", "dollars a session may cost by list price", 1e9, false},
    BudgetKey{"window-share", "window-share",
              "percent of the context window that a request may fill; up to 1 it is a share", 100, false},
    BudgetKey{"turns", "turns", "human turns a session may take", 1e12},
    BudgetKey{"responses", "responses", "model responses a session may take", 1e12},
    BudgetKey{"tool-calls", "tool-calls", "tool calls a session may make", 1e12},
    BudgetKey{"minutes", "minutes", "minutes from the first to the last recorded time", 1e12},
    BudgetKey{"failed-calls-from", "failed-calls-from", "how many failed tool calls are too many: 1 = none may fail",
              1e12},
    BudgetKey{"denied-by-rule-from", "denied-by-rule-from",
              "how many calls denied by a rule, a hook or a mode are too many: 1 = none may be", 1e12},
    BudgetKey{"denied-by-person-from", "denied-by-person-from",
              "how many calls denied by a person are too many: 1 = none may be", 1e12},
};
constexpr std::string_view kBudgetRule = "budget/limits";

// A parameter as settings hold it: text, typed by the rule that owns it.
std::optional<std::string> scalar(const TomlValue& value) {
    if (const auto* flag = std::get_if<bool>(&value.data)) return *flag ? "1" : "0";
    if (const auto* whole = std::get_if<std::int64_t>(&value.data)) return fmt::format("{}", *whole);
    if (const auto* real = std::get_if<double>(&value.data)) return fmt::format("{}", *real);
    if (const auto* text = std::get_if<std::string>(&value.data)) return *text;
    return std::nullopt;
}

bool is_flag(const TomlValue& value) { return std::holds_alternative<bool>(value.data); }

std::string dashed(std::string name) {
    std::ranges::replace(name, '_', '-');
    return name;
}

class Reader {
public:
    Reader(std::string_view source, const ConfigWords& words) : toml_(source), words_(words) { out_.source = source; }

    ConfigFile read(const TomlTable& root, std::vector<Error>& problems) {
        only_known(root);
        for (const ConfigOption& known : words_.options) option(root, known);
        if (const auto name = toml_.text(root, "extends")) out_.extends.push_back({*name, origin(root, "extends")});
        if (const TomlTable* table = toml_.table(root, "rules")) rules(*table);
        if (const TomlTable* table = toml_.table(root, "budget")) budget(*table);
        for (const std::string_view name : words_.groups) {
            if (const TomlTable* table = toml_.table(root, name)) group(std::string(name), *table, 0);
        }
        for (const TomlValue* entry : toml_.tables(root, "tool-class")) tool_class(*entry);
        for (const TomlValue* entry : toml_.tables(root, "suppress")) suppress(*entry);
        for (Error& problem : toml_.problems()) problems.push_back(std::move(problem));
        return std::move(out_);
    }

private:
    std::string origin(const TomlTable& table, std::string_view key) const {
        return toml_.origin(table.find(key)->line);
    }

    void only_known(const TomlTable& root) {
        std::vector<std::string_view> known(kOwnKeys.begin(), kOwnKeys.end());
        for (const ConfigOption& one : words_.options) known.push_back(one.key);
        known.insert(known.end(), words_.groups.begin(), words_.groups.end());
        toml_.only(root, "key", known);
    }

    void option(const TomlTable& root, const ConfigOption& known) {
        const TomlEntry* entry = root.find(known.key);
        if (!entry) return;
        ConfigValue value{std::string(known.key), {}, fmt::format("{}: {}", toml_.origin(entry->line), known.key)};
        switch (known.type) {
            case OptionType::text:
            case OptionType::path:
                if (auto text = toml_.text(root, known.key)) value.texts = {std::move(*text)};
                break;
            case OptionType::flag:
                if (const auto flag = toml_.flag(root, known.key)) value.texts = {*flag ? "1" : "0"};
                break;
            case OptionType::size:
                if (auto text = toml_.text(root, known.key, "a size such as \"64M\"")) value.texts = {std::move(*text)};
                break;
            case OptionType::number:
                if (toml_.number(root, known.key)) value.texts = {*scalar(entry->value)};
                break;
            case OptionType::list:
                if (auto texts = toml_.texts(root, known.key)) value.texts = std::move(*texts);
                break;
        }
        if (!value.texts.empty() || known.type == OptionType::list) out_.options.push_back(std::move(value));
    }

    // ---- rules -----------------------------------------------------------------------------------------------

    void rules(const TomlTable& table) {
        for (const TomlEntry& entry : table.entries) {
            const auto* rule = std::get_if<TomlTable>(&entry.value.data);
            if (!rule) {
                toml_.fail(entry.line, fmt::format("rules.{}: expected a table: [rules.\"group/name\"]", entry.key));
                continue;
            }
            out_.rules.push_back({entry.key, toml_.origin(entry.line)});
            for (const TomlEntry& one : rule->entries) {
                if (one.key == "severity") {
                    if (const auto word = toml_.word(*rule, "severity", kSeverities))
                        set(entry.key + ".severity", *word, one.line);
                } else if (one.key == "per-tool") {
                    per_tool(entry.key, *rule);
                } else {
                    parameter(fmt::format("{}.{}", entry.key, dashed(one.key)), one);
                }
            }
        }
    }

    void per_tool(const std::string& rule, const TomlTable& table) {
        const TomlTable* tools = toml_.table(table, "per-tool");
        if (!tools) return;
        for (const TomlEntry& tool : tools->entries) {
            const auto* params = std::get_if<TomlTable>(&tool.value.data);
            if (!params) {
                toml_.fail(tool.line,
                           fmt::format("per-tool.{}: expected a table with parameters of the rule", tool.key));
                continue;
            }
            for (const TomlEntry& one : params->entries) {
                if (one.key == "severity") {
                    toml_.fail(one.line, "severity: is set for a rule, not for one of its tools");
                    continue;
                }
                parameter(fmt::format("{}.per-tool.{}.{}", rule, tool.key, dashed(one.key)), one);
            }
        }
    }

    void parameter(std::string key, const TomlEntry& entry) {
        const bool number =
            std::holds_alternative<std::int64_t>(entry.value.data) || std::holds_alternative<double>(entry.value.data);
        if (!number) {
            const bool flag = is_flag(entry.value);  // enabled = false
            return toml_.fail(entry.line, fmt::format("{}: expected a number{}", entry.key,
                                                      flag ? "; severity = \"off\" switches a rule off" : ""));
        }
        set(std::move(key), *scalar(entry.value), entry.line);
    }

    void set(std::string key, std::string value, std::uint32_t line) {
        out_.settings.set(std::move(key), {std::move(value), toml_.origin(line)});
    }

    // ---- tables ----------------------------------------------------------------------------------------------

    void budget(const TomlTable& table) {
        std::vector<std::string_view> known;
        for (const BudgetKey& key : kBudget) known.push_back(key.key);
        toml_.only(table, "key of [budget]", known);
        for (const BudgetKey& key : kBudget) {
            const TomlEntry* entry = table.find(key.key);
            if (!entry) continue;
            std::optional<std::string> value;
            if (key.whole) {
                if (const auto whole = toml_.whole(table, key.key, 0, static_cast<std::int64_t>(key.max)))
                    value = fmt::format("{}", *whole);
            } else if (toml_.number(table, key.key, 0, key.max)) {
                value = scalar(entry->value);
            }
            if (value) limit(key, *value, entry->line);
        }
    }

    // The same limit has a name in [rules."budget/limits"] too. Which of two would be meant nobody can tell.
    void limit(const BudgetKey& key, const std::string& value, std::uint32_t line) {
        const std::string name = fmt::format("{}.{}", kBudgetRule, key.param);
        const Setting* other = out_.settings.find(name);
        if (!other || other->value == value) return set(name, value, line);
        toml_.fail(line, fmt::format("{} = {}: [rules.\"{}\"] says {} = {} ({}); they are the same limit", key.key,
                                     value, kBudgetRule, key.param, other->value, other->origin));
    }

    // [errors] transient = ["…"], [tools.class] run_suite = "verify": one setting a key. A list of patterns is as many
    // settings, any other list is one with commas. Nothing here is switched on or off.
    void group(const std::string& name, const TomlTable& table, int depth) {
        for (const TomlEntry& entry : table.entries) {
            const std::string key = fmt::format("{}.{}", name, entry.key);
            if (const auto* inner = std::get_if<TomlTable>(&entry.value.data); inner && depth < 2) {
                group(key, *inner, depth + 1);
            } else if (const auto value = scalar(entry.value); value && !is_flag(entry.value)) {
                set(key, *value, entry.line);
            } else if (!list(name, key, entry)) {
                toml_.fail(entry.line, fmt::format("{}: expected a text, a number or a list of them", entry.key));
            }
        }
    }

    bool list(std::string_view group, const std::string& key, const TomlEntry& entry) {
        const auto* items = std::get_if<TomlArray>(&entry.value.data);
        if (!items) return false;
        if (items->empty()) {
            toml_.fail(entry.line, fmt::format("{}: the list is empty; leave the key out", entry.key));
            return true;
        }
        const bool codes = key.ends_with("-codes"), patterns = group == "errors" && !codes;
        std::vector<std::string> words;
        for (const TomlValue& item : *items) {
            const bool text = std::holds_alternative<std::string>(item.data);
            if (!text && !(codes && std::holds_alternative<std::int64_t>(item.data))) return false;
            words.push_back(*scalar(item));
        }
        if (!patterns) {
            set(key, fmt::format("{}", fmt::join(words, ",")), entry.line);
        } else {
            for (std::size_t i = 0; i < words.size(); ++i) set(key, words[i], (*items)[i].line);
        }
        return true;
    }

    // ---- lists -----------------------------------------------------------------------------------------------

    void tool_class(const TomlValue& entry) {
        const auto& table = std::get<TomlTable>(entry.data);
        toml_.only(table, "key of [[tool-class]]", kToolClassKeys);
        ToolClassRule rule;
        bool sound = true;
        rule.origin = toml_.origin(entry.line);
        if (const TomlTable* match = toml_.table(table, "match")) {
            toml_.only(*match, "key of match", kToolMatchKeys);
            rule.tool = toml_.text(*match, "tool").value_or("");
            rule.command = toml_.text(*match, "command").value_or("");
            sound = check_pattern(*match, "command", rule.command);
        }
        const bool known = !words_.tool_classes.empty();
        rule.tool_class =
            (known ? toml_.word(table, "class", words_.tool_classes) : toml_.text(table, "class")).value_or("");
        if (!table.find("class") || (rule.tool_class.empty() && !known))
            toml_.fail(entry.line, "a tool class needs class = \"…\"");
        if (rule.tool.empty() && rule.command.empty())
            toml_.fail(entry.line, "a tool class needs match = { tool = \"…\" } or a command");
        if (!rule.tool_class.empty() && sound) out_.tool_classes.push_back(std::move(rule));
    }

    // Where the pattern stands is known here alone. False when it is none.
    bool check_pattern(const TomlTable& table, std::string_view key, std::string_view expression) {
        const auto pattern = expression.empty() ? std::nullopt : std::optional(Pattern::make(expression));
        if (!pattern || *pattern) return true;
        toml_.fail(table.find(key)->line, fmt::format("{} = {}", key, pattern->error().message));
        return false;
    }

    void suppress(const TomlValue& entry) {
        const auto& table = std::get<TomlTable>(entry.data);
        toml_.only(table, "key of [[suppress]]", kSuppressKeys);
        Suppression one;
        bool sound = true;
        one.origin = toml_.origin(entry.line);
        one.rule = toml_.text(table, "rule").value_or("");
        one.reason = toml_.text(table, "reason").value_or("");
        if (const TomlTable* match = toml_.table(table, "match")) {
            toml_.only(*match, "key of match", kMatchKeys);
            one.match = {toml_.text(*match, "tool").value_or(""), toml_.text(*match, "command").value_or(""),
                         toml_.text(*match, "path").value_or(""), toml_.text(*match, "project").value_or(""),
                         toml_.text(*match, "session").value_or("")};
            sound = check_pattern(*match, "command", one.match.command);
        }
        if (const auto date = toml_.date(table, "until")) {
            const std::chrono::sys_days day =
                std::chrono::year(date->year) / std::chrono::month(date->month) / std::chrono::day(date->day);
            one.until_days = day.time_since_epoch().count();
        }
        const auto is_blank = [](const std::string& text) { return text.find_first_not_of(" \t\r\n") == text.npos; };
        if (one.rule.empty() && !table.find("rule")) toml_.fail(entry.line, "a suppression needs a rule");
        if (is_blank(one.reason)) toml_.fail(entry.line, "a suppression needs a reason");
        if (!one.rule.empty() && sound) out_.suppressions.push_back(std::move(one));
    }

    TomlReader toml_;
    const ConfigWords& words_;
    ConfigFile out_;
};

}  // namespace

std::span<const BudgetKey> budget_keys() { return kBudget; }

Result<ConfigFile> parse_config_file(std::string_view text, std::string_view source, const ConfigWords& words) {
    std::vector<Error> problems;
    ConfigFile file = parse_config_file(text, source, words, problems);
    if (!problems.empty()) return problems.front();
    return file;
}

ConfigFile parse_config_file(std::string_view text, std::string_view source, const ConfigWords& words,
                             std::vector<Error>& problems) {
    const Result<TomlTable> root = parse_toml(text, source);
    if (root) return Reader(source, words).read(*root, problems);
    problems.push_back(root.error());
    ConfigFile nothing;
    nothing.source = source;
    return nothing;
}

}  // namespace agent_audit
