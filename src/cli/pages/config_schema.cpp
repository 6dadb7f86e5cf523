#include "cli/pages/config_schema.hpp"

#include "cli/settings/config.hpp"
#include "cli/settings/options.hpp"
#include "pipeline/settings/plan.hpp"

#include <agent_audit/detectors/detector.hpp>
#include <agent_audit/pipeline/run_settings.hpp>
#include <agent_audit/support/json_text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

namespace agent_audit::cli {
namespace {

std::string text(std::string_view raw) {
    std::string out = "\"";
    append_json_escaped(out, raw);
    return out += '"';
}

constexpr std::string_view kTexts = R"({"type": "array", "items": {"type": "string"}})";

std::string type_words(OptionType type) {
    switch (type) {
        case OptionType::number: return R"("type": "number")";
        case OptionType::flag: return R"("type": "boolean")";
        case OptionType::list: return fmt::format(R"("anyOf": [{{"type": "string"}}, {}])", kTexts);
        case OptionType::text:
        case OptionType::size:
        case OptionType::path: break;
    }
    return R"("type": "string")";
}

// Ranges that options are checked against; those of rules stand with their parameters.
struct Range {
    std::string_view key;
    bool whole;
    int least;
    int most;
};
constexpr Range kRanges[] = {
    {"min-confidence", false, 0, 1}, {"max-findings", true, 1, 1'000'000}, {"jobs", true, 0, 256}};
constexpr std::string_view kSize = R"("type": "string", "pattern": "^([0-9]{4,10}|[1-9][0-9]*[KkMmGg](B|iB)?)$")";

// What the flag offers to a shell is all that it takes.
std::string type_of(const ConfigOption& option, const FlagSpec& flag) {
    if (const auto* range = std::ranges::find(kRanges, option.key, &Range::key); range != std::end(kRanges)) {
        return fmt::format(R"("type": "{}", "minimum": {}, "maximum": {})", range->whole ? "integer" : "number",
                           range->least, range->most);
    }
    if (option.type == OptionType::size) return std::string(kSize);
    if (option.type != OptionType::text || flag.offer.kind != Offer::Kind::word || flag.offer.or_file)
        return type_words(option.type);
    std::string words;
    for (const std::string_view word : flag.offer.words()) words += (words.empty() ? "" : ", ") + text(word);
    return fmt::format(R"("enum": [{}])", words);
}

std::string options() {
    std::string out;
    for (const ConfigKey& known : config_keys()) {
        const std::string name = "--" + std::string(known.option.key);
        const auto flag = std::ranges::find(scan_flags(), std::string_view(name), &FlagSpec::long_name);
        out += fmt::format("    {}: {{{}, \"description\": {}}},\n", text(known.option.key),
                           type_of(known.option, *flag), text(flag->doc));
    }
    return out;
}

// The parameters of a rule as properties, one line each.
std::string parameters(const DetectorSpec& rule, std::string_view indent) {
    std::string out;
    const ParamDoc* warn = nullptr;
    const std::vector<ParamDoc> params = rule.params();
    for (const ParamDoc& param : params) {
        if (param.name == "warn") warn = &param;
        out += fmt::format(
            "{}{}: {{\"type\": \"{}\", \"minimum\": {}, \"maximum\": {}, \"default\": {}, \"description\": {}}},\n",
            indent, text(param.name), param.integer ? "integer" : "number", param.min, param.max, param.default_value,
            text(param.doc));
    }
    if (warn) {
        out += fmt::format(
            "{}\"min-repeats\": {{\"type\": \"{}\", \"minimum\": {}, \"maximum\": {}, \"description\": \"a warning "
            "from here on, and no error before\"}},\n",
            indent, warn->integer ? "integer" : "number", warn->min, warn->max);
    }
    if (out.size() > 2) out.erase(out.size() - 2, 1);
    return out;
}

std::string rule_schema(const DetectorSpec& rule) {
    std::string out = fmt::format("        {}: {{\n          \"type\": \"object\",\n          \"description\": {},\n",
                                  text(rule.id), text(rule.summary));
    out += "          \"additionalProperties\": false,\n          \"properties\": {\n";
    out += "            \"severity\": {\"enum\": [\"error\", \"warning\", \"info\", \"off\"]}";
    std::string own = parameters(rule, "            ");
    if (!own.empty()) out += ",\n" + own;
    if (!own.empty() && out.ends_with('\n')) out.pop_back();
    if (rule.scope == Scope::lane && !own.empty()) {
        out +=
            ",\n            \"per-tool\": {\"type\": \"object\", \"additionalProperties\": {\"type\": \"object\", "
            "\"additionalProperties\": "
            "{\"type\": \"number\"}}, \"description\": \"parameters for findings about one tool\"}";
    }
    return out + "\n          }\n        }";
}

std::string rules() {
    std::string out;
    for (const DetectorSpec& rule : all_detectors()) out += (out.empty() ? "" : ",\n") + rule_schema(rule);
    const auto also = [&](std::string_view name, std::string_view id) {
        const std::size_t slash = id.find('/');  // in a pointer it is ~1
        out += fmt::format(",\n        {}: {{\"$ref\": \"#/properties/rules/properties/{}~1{}\"}}", text(name),
                           id.substr(0, slash), id.substr(slash + 1));
    };
    for (const DetectorSpec& rule : all_detectors()) also(rule.code, rule.id);
    for (const auto& [name, id] : former_rule_names()) also(name, id);
    return out;
}

std::string budget() {
    std::string out;
    for (const BudgetKey& key : budget_keys()) {
        out += fmt::format("{}        {}: {{\"type\": \"{}\", \"minimum\": 0, \"maximum\": {}, \"description\": {}}}",
                           out.empty() ? "" : ",\n", text(key.key), key.whole ? "integer" : "number", key.max,
                           text(key.doc));
    }
    return out;
}

// [errors], [engine], [calls] and [tools]: keys of the run's own settings, below their first word.
std::string groups() {
    const std::string value = fmt::format(
        R"({{"anyOf": [{{"type": ["string", "number"]}}, {{"type": "array", "items": {{"type": ["string", "number"]}}}}]}})");
    std::map<std::string, std::string> tables;
    for (const RunSettingDoc& doc : run_settings()) {
        const std::size_t dot = doc.key.find('.');
        const std::string group = doc.key.substr(0, dot);
        std::string key = doc.key.substr(dot + 1);
        std::string& table = tables[group];
        if (!table.empty()) table += ",\n";
        if (const std::size_t names = key.find(".<"); names != key.npos) {
            key.resize(names);
            table +=
                fmt::format("        {}: {{\"type\": \"object\", \"additionalProperties\": {}, \"description\": {}}}",
                            text(key), value, text(doc.doc));
        } else {
            table += fmt::format(
                "        {}: {{\"anyOf\": [{{\"type\": [\"string\", \"number\"]}}, {{\"type\": \"array\", \"items\": "
                "{{\"type\": [\"string\", "
                "\"number\"]}}}}], \"description\": {}}}",
                text(key), text(doc.doc));
        }
    }
    std::string out;
    for (const auto& [group, table] : tables) {
        out += fmt::format(
            "    {}: {{\n      \"type\": \"object\",\n      \"additionalProperties\": false,\n      \"properties\": "
            "{{\n{}\n      }}\n    }},\n",
            text(group), table);
    }
    return out;
}

constexpr std::string_view kLists = R"json(    "tool-class": {
      "type": "array",
      "items": {
        "type": "object",
        "required": ["match", "class"],
        "additionalProperties": false,
        "properties": {
          "match": {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": false,
            "properties": {
              "tool": {"type": "string", "description": "name of a tool, with or without mcp__server__ in front"},
              "command": {"type": "string", "description": "regular expression (RE2), found anywhere in the command"}
            }
          },
          "class": {"enum": ["other", "read", "search", "mutate", "verify", "shell", "poll", "polling", "wait", "note"]}
        }
      }
    },
    "suppress": {
      "type": "array",
      "items": {
        "type": "object",
        "required": ["rule", "reason"],
        "additionalProperties": false,
        "properties": {
          "rule": {"type": "string", "description": "id, code or group"},
          "match": {
            "type": "object",
            "additionalProperties": false,
            "properties": {
              "tool": {"type": "string", "description": "a tool of the finding; * and ? as in a shell"},
              "command": {"type": "string", "description": "regular expression (RE2), found in the main argument of the same call"},
              "path": {"type": "string", "description": "glob of the recording"},
              "project": {"type": "string", "description": "folder the session began in, or its last part"},
              "session": {"type": "string", "description": "session id; * and ? as in a shell"}
            }
          },
          "reason": {"type": "string", "minLength": 1},
          "until": {"type": "string", "format": "date", "description": "last day on which it holds"}
        }
      }
    }
)json";

}  // namespace

std::string config_schema() {
    std::string out = R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "agent-audit/config/1",
  "title": "agent-audit.toml",
  "type": "object",
  "additionalProperties": false,
  "properties": {
)json";
    out += options();
    out +=
        "    \"extends\": {\"type\": \"string\", \"description\": \"a policy (balanced, strict, permissive) or a file "
        "this one is laid over\"},\n";
    out +=
        "    \"rules\": {\n      \"type\": \"object\",\n      \"additionalProperties\": false,\n      \"properties\": "
        "{\n" +
        rules() + "\n      }\n    },\n";
    out +=
        "    \"budget\": {\n      \"type\": \"object\",\n      \"additionalProperties\": false,\n      \"properties\": "
        "{\n" +
        budget() + "\n      }\n    },\n";
    out += groups();
    return out.append(kLists).append("  }\n}\n");
}

}  // namespace agent_audit::cli
