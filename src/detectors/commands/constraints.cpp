#include "detectors/commands/constraints.hpp"

#include "detectors/commands/call_target.hpp"
#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"

#include <agent_audit/model/tool_name.hpp>
#include <agent_audit/support/snake_case.hpp>
#include <agent_audit/support/suggest.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kGroup = "constraints.";

bool whole_number(std::string_view text, std::uint64_t& out) {
    std::string digits;
    for (const char c : text) {
        if (c != '_') digits.push_back(c);
    }
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
    return error == std::errc{} && end == digits.data() + digits.size();
}

// "3600", "90s", "30m", "1h"
bool duration(std::string_view text, std::uint64_t& out) {
    std::uint64_t unit = 1;
    if (!text.empty()) {
        if (text.back() == 'h') unit = 3600;
        if (text.back() == 'm') unit = 60;
        if (text.back() == 's' || text.back() == 'm' || text.back() == 'h') text.remove_suffix(1);
    }
    if (!whole_number(text, out) || out > 1'000'000'000) return false;
    out *= unit;
    return true;
}

bool money(std::string_view text, double& out) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc{} && end == text.data() + text.size() && out >= 0 && out < 1e9;
}

bool list(std::string_view text, std::vector<std::string>& out) {
    while (true) {
        const std::size_t end = std::min(text.find(','), text.size());
        std::string_view one = text.substr(0, end);
        while (one.starts_with(' ')) one.remove_prefix(1);
        while (one.ends_with(' ')) one.remove_suffix(1);
        if (one.empty()) return false;
        out.emplace_back(one);
        if (end == text.size()) return true;
        text.remove_prefix(end + 1);
    }
}

bool preset(std::string_view text, RunConstraints& out) {
    if (text != "published") return false;
    if (out.max_tool_calls == 0) out.max_tool_calls = 50;
    if (out.max_message_chars == 0) out.max_message_chars = 1'000'000;
    if (out.max_wall_time_s == 0) out.max_wall_time_s = 3600;
    return true;
}

constexpr std::string_view kNumber = "a whole number", kTime = "seconds, or a time such as 90s, 30m, 1h",
                           kMoney = "an amount of dollars", kList = "a list, comma separated", kPreset = "published";

bool take(std::string_view key, std::string_view value, RunConstraints& out) {
    if (key == "max-tool-calls") return whole_number(value, out.max_tool_calls);
    if (key == "max-message-chars") return whole_number(value, out.max_message_chars);
    if (key == "max-wall-time") return duration(value, out.max_wall_time_s);
    if (key == "max-turns") return whole_number(value, out.max_turns);
    if (key == "max-tokens") return whole_number(value, out.max_tokens);
    if (key == "max-cost") return money(value, out.max_cost_usd);
    if (key == "allowed-tools") return list(value, out.allowed_tools);
    if (key == "forbidden-tools") return list(value, out.forbidden_tools);
    if (key == "allowed-paths") return list(value, out.allowed_paths);
    if (key == "forbidden-paths") return list(value, out.forbidden_paths);
    if (key == "allowed-commands") return list(value, out.allowed_commands);
    if (key == "forbidden-commands") return list(value, out.forbidden_commands);
    return preset(value, out);
}

}  // namespace

const std::vector<ConstraintKey>& constraint_keys() {
    static const std::vector<ConstraintKey> keys{
        {"max-tool-calls", kNumber, "tool calls a session may make; the published example allows 50"},
        {"max-message-chars", kNumber,
         "characters (bytes as recorded) of all messages and tool results of a session; the published example allows "
         "1000000"},
        {"max-wall-time", kTime, "time from the first recorded time to the last; the published example allows 1h"},
        {"max-turns", kNumber, "human turns a session may take"},
        {"max-tokens", kNumber, "tokens a session may be billed for, prompt and output"},
        {"max-cost", kMoney, "dollars a session may cost by list price"},
        {"allowed-tools", kList, "the only tools that may be called; * stands for any part of a name"},
        {"forbidden-tools", kList, "tools that may not be called"},
        {"allowed-paths", kList,
         "the only files and directories that may be changed; *.md and the like are understood"},
        {"forbidden-paths", kList, "files and directories that may not be changed"},
        {"allowed-commands", kList, "the only commands that may be run, by their first words: git status,ls"},
        {"forbidden-commands", kList,
         "commands that may not be run, by their first words, wherever they stand in the line: git push,rm -rf"},
        {"preset", kPreset, "published = the three limits of the published example, where they are not set"},
    };
    return keys;
}

Result<RunConstraints> constraints_of(const Settings& settings) {
    RunConstraints out;
    std::vector<std::string_view> names;
    for (const ConstraintKey& key : constraint_keys()) names.push_back(key.name);
    // The preset fills in what nothing else sets, so it comes last.
    for (const bool presets : {false, true}) {
        for (const auto& [key, values] : settings.all()) {
            if (!key.starts_with(kGroup) || values.empty()) continue;
            const std::string_view name = std::string_view(key).substr(kGroup.size());
            if ((name == "preset") != presets) continue;
            const Setting& setting = values.back();
            const auto known = std::ranges::find(constraint_keys(), name, &ConstraintKey::name);
            if (known == constraint_keys().end()) {
                const std::string_view near = nearest(name, names);
                return Error{near.empty() ? fmt::format("{}: unknown setting '{}' (known in [constraints]: {})",
                                                        setting.origin, key, fmt::join(names, ", "))
                                          : fmt::format("{}: unknown setting '{}'; did you mean '{}{}'?",
                                                        setting.origin, key, kGroup, near)};
            }
            if (!take(name, setting.value, out))
                return Error{
                    fmt::format("{}: {} = \"{}\": expected {}", setting.origin, key, setting.value, known->value)};
        }
    }
    return out;
}

bool tool_matches(std::string_view name, std::string_view pattern) {
    const std::string whole = snake_case(name), bare = snake_case(bare_tool_name(name)), wanted = snake_case(pattern);
    const std::string low_name = lowered(name), low_bare = lowered(bare_tool_name(name)), low = lowered(pattern);
    if (pattern.find('*') == pattern.npos)
        return wanted == bare || wanted == whole || low == low_name || low == low_bare;
    // path_matches knows the star; a name without a slash is a file name to it.
    return path_matches(low_name, low) || path_matches(low_bare, low);
}

}  // namespace agent_audit::detectors
