#include "detectors/commands/tool_class.hpp"

#include "support/among.hpp"

#include <algorithm>
#include <array>

namespace agent_audit {
namespace {

constexpr std::array<std::string_view, 9> kClassNames{"other", "read", "search", "mutate", "verify",
                                                      "shell", "poll", "wait",   "note"};

}  // namespace

std::string_view name(ToolClass tool_class) { return kClassNames[static_cast<std::size_t>(tool_class)]; }

namespace detectors {

std::span<const std::string_view> tool_class_names() { return kClassNames; }

namespace {

// What stands behind a key of a JSON object, and all that follows it; empty = no such key.
std::string_view behind_key(std::string_view args, std::string_view key) {
    const std::size_t at = args.find(key);
    if (at == args.npos) return {};
    args.remove_prefix(at + key.size());
    args.remove_prefix(std::min(args.find_first_not_of(" :"), args.size()));
    return args;
}

// write_stdin without characters only looks at a running program.
bool types_something(std::string_view args) {
    const std::string_view typed = behind_key(args, "\"chars\"");
    return !typed.empty() && !typed.starts_with("\"\"");
}

// A terminal that gets no keys shows what has come since.
bool types_no_key(RawText primary, std::string_view args) {
    return primary.empty() && behind_key(args, "\"keystrokes\"").starts_with("\"\"");
}

}  // namespace

bool stops_program(RawText primary, RawText args, std::span<const CallField> fields) {
    constexpr std::string_view kKeys[] = {"C-c", "ctrl+c", "ctrl-c", "^C"};
    constexpr std::string_view kEscape = "\\u0003", kByte = "\x03";
    if (among(primary.bytes, kKeys)) return true;
    // A name that no argument has, and none is, is looked for in vain.
    const auto says_chars = [](const CallField& field) { return field.name == "chars" || field.value == "chars"; };
    if (!fields.empty() && std::ranges::none_of(fields, says_chars)) return false;
    std::string_view typed = behind_key(args.bytes, "\"chars\"");
    if (!typed.starts_with('"')) return false;
    typed.remove_prefix(1);
    bool any = false;
    for (; typed.starts_with(kEscape) || typed.starts_with(kByte); any = true)
        typed.remove_prefix(typed.starts_with(kByte) ? kByte.size() : kEscape.size());
    return any && typed.starts_with('"');
}

std::string_view session_asked(std::string_view args) {
    std::string_view name = behind_key(args, "\"session_id\"");
    if (name.starts_with('"')) name.remove_prefix(1);
    return name.substr(0, std::min(name.find_first_not_of("0123456789"), name.size()));
}

ToolClass classify_call(const ToolNameClass& tool, RawText primary, RawText args) {
    constexpr std::string_view kWaits = "wait";
    if (tool.runs_shell) {
        return tool.stdin_poll && types_no_key(primary, args.bytes) ? ToolClass::poll : classify_command(primary);
    }
    if (tool.stdin_poll) {
        return types_something(args.bytes) ? ToolClass::shell : ToolClass::poll;
    }
    if (tool.by_action) {
        const auto says = [&](std::string_view word) {
            return args.bytes.substr(0, 2048).find(word) != args.bytes.npos;
        };
        if (tool.tool_class == ToolClass::mutate) return says("\"view\"") ? ToolClass::read : ToolClass::mutate;
        if (says("\"poll\"") || says("\"log\"") || says("\"list\"")) return ToolClass::poll;
        return ToolClass::shell;
    }
    // {"action":"wait"} of a tool that works a computer, which shows the screen then: its name tells nothing.
    if (tool.tool_class == ToolClass::other && primary.bytes == kWaits) return ToolClass::poll;
    return tool.tool_class;
}

}  // namespace detectors
}  // namespace agent_audit
