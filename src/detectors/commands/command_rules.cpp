#include "detectors/commands/command_rules.hpp"

#include "detectors/commands/tool_class.hpp"

#include <agent_audit/model/tool_name.hpp>
#include <agent_audit/support/snake_case.hpp>
#include <agent_audit/support/unescape.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace agent_audit {
namespace {

constexpr std::size_t kLooked = 4096;  // bytes of a command: heredocs and inline scripts can be huge
constexpr std::size_t kMostRules = 256;

// The command as a person would type it; ["bash","-lc","…"] is its last element.
std::string words_of(RawText command) {
    std::string_view bytes = command.bytes.substr(0, kLooked);
    if (command.form == TextForm::plain) return std::string(bytes);
    if (command.form == TextForm::json_value && bytes.starts_with('[')) {
        if (const auto last = bytes.rfind(",\""); last != bytes.npos) bytes = bytes.substr(last + 2);
        if (bytes.ends_with("\"]")) bytes.remove_suffix(2);
    }
    return decode_json_string(bytes);
}

}  // namespace

Result<std::shared_ptr<const CommandRules>> CommandRules::make(std::span<const ToolClassRule> rules) {
    const std::shared_ptr<CommandRules> out(new CommandRules);
    for (const ToolClassRule& rule : rules) {
        if (rule.command.empty()) continue;
        const auto found = detectors::tool_class_named(rule.tool_class);
        if (!found || out->rules_.size() >= kMostRules) {
            return Error{fmt::format("{}: class = \"{}\": expected one of {}, polling", rule.origin, rule.tool_class,
                                     fmt::join(detectors::tool_class_names(), ", "))};
        }
        auto compiled = Pattern::make(rule.command);
        if (!compiled) return Error{fmt::format("{}: command = {}", rule.origin, compiled.error().message)};
        out->rules_.push_back({snake_case(rule.tool), std::move(*compiled), *found});
    }
    return std::shared_ptr<const CommandRules>(out);
}

bool CommandRules::fits(const Rule& rule, std::string_view tool) {
    return rule.tool.empty() || detectors::same_tool(rule.tool, tool);
}

bool CommandRules::about(std::string_view tool) const {
    return std::ranges::any_of(rules_, [&](const Rule& rule) { return fits(rule, tool); });
}

std::optional<ToolClass> CommandRules::classify(std::string_view tool, RawText command) const {
    const std::string words = words_of(command);
    for (const Rule& rule : rules_) {
        if (fits(rule, tool) && rule.command.found_in(words)) return rule.tool_class;
    }
    return std::nullopt;
}

}  // namespace agent_audit

namespace agent_audit::detectors {

std::optional<ToolClass> tool_class_named(std::string_view word) {
    if (word == "polling") return ToolClass::poll;
    const auto classes = tool_class_names();
    const auto found = std::ranges::find(classes, word);
    if (found == classes.end()) return std::nullopt;
    return static_cast<ToolClass>(found - classes.begin());
}

bool same_tool(std::string_view wanted, std::string_view known) {
    const std::string name = snake_case(wanted);
    constexpr std::size_t kLongestCharacter = 4;  // bytes: a name is cut in front of one
    const bool cut = known.size() + kLongestCharacter > StepText::kTool && known.ends_with(StepText::kCutMark);
    if (cut) known.remove_suffix(StepText::kCutMark.size());
    for (const std::string_view form : {known, bare_tool_name(known)}) {
        const std::string seen = snake_case(form);
        if (name == seen || (cut && std::string_view(name).starts_with(seen))) return true;
    }
    return false;
}

}  // namespace agent_audit::detectors
