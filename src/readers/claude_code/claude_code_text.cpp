#include "readers/claude_code/claude_code_text.hpp"

#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

namespace agent_audit::readers {
namespace {

// Text the program puts into user records on its own behalf.
constexpr std::array<std::string_view, 25> kInjectedPrefixes{"<command-name>",
                                                             "<command-message>",
                                                             "<local-command-stdout>",
                                                             "<local-command-stderr>",
                                                             "<local-command-caveat>",
                                                             "<bash-stdout>",
                                                             "<bash-stderr>",
                                                             "<task-notification>",
                                                             "<system-reminder>",
                                                             "<ide_opened_file>",
                                                             "<ide_selection>",
                                                             "Base directory for this skill",
                                                             "Caveat:",
                                                             "Stop hook feedback",
                                                             "This session is being continued",
                                                             "<tick>",
                                                             "<fork-boilerplate>",
                                                             "<forked-skill-launch",
                                                             "<fetched-web-content",
                                                             "<untrusted-widget-state",
                                                             "<mcp-resource-update",
                                                             "<mcp-polling-update",
                                                             "<post-tool-use-hook>",
                                                             "<user-prompt-submit-hook>",
                                                             "<remote-review"};

// How the program begins what another agent sent: the one that started this one, a member of its team, another session.
constexpr std::array<std::string_view, 7> kFromAgents{"<teammate-message",
                                                      "<coordinator-relay",
                                                      "<cross-session-message",
                                                      "<agent-message",
                                                      "Another Claude session sent a message:",
                                                      "The coordinator sent a message while you were working:",
                                                      "A peer session sent a message while you were working:"};

// What the program says beside results that is no reminder in a tag.
constexpr std::array<std::string_view, 8> kSaidBesideResults{
    "Tool loaded.", "Tools loaded.", "[Image: ",     "[SYSTEM ",
    "[Tool ",       "PreToolUse:",   "PostToolUse:", "UserPromptSubmit"};

// A tag of the program around what a human pasted.
constexpr std::string_view kPasted = "<pasted_content id=";

// Commands of the program itself: what stands behind them is a setting.
constexpr std::array<std::string_view, 12> kOwnCommands{"/add-dir", "/clear", "/compact", "/config",
                                                        "/context", "/cost",  "/exit",    "/login",
                                                        "/logout",  "/model", "/quit",    "/resume"};

// Before this version the program gave all models the same window, unless a user chose a longer one.
constexpr std::array<unsigned, 3> kLongWindowsSince{2, 1, 75};
constexpr std::uint64_t kUsualWindow = 200'000;  // tokens

bool starts_with_any(std::string_view text, std::span<const std::string_view> prefixes) {
    return std::ranges::any_of(
        prefixes, [text](std::string_view p) { return !text.empty() && text[0] == p[0] && text.starts_with(p); });
}

std::string_view inside(std::string_view text, std::string_view open, std::string_view close) {
    const auto at = text.find(open);
    if (at == text.npos) return {};
    text.remove_prefix(at + open.size());
    return text.substr(0, std::min(text.find(close), text.size()));
}

// Blanks off both ends of a text with its escapes.
std::string_view trimmed(std::string_view raw) {
    const auto blank = [](std::string_view two) { return two == "\\n" || two == "\\r" || two == "\\t"; };
    while (!raw.empty()) {
        if (raw.front() == ' ')
            raw.remove_prefix(1);
        else if (blank(raw.substr(0, 2)))
            raw.remove_prefix(2);
        else if (raw.back() == ' ')
            raw.remove_suffix(1);
        else if (raw.size() > 2 && raw[raw.size() - 3] != '\\' && blank(raw.substr(raw.size() - 2)))
            raw.remove_suffix(2);
        else
            break;
    }
    return raw;
}

}  // namespace

bool claude_code_begins_with_tag(std::string_view text) {
    return text.size() > 1 && !text.starts_with(kPasted) && text[0] == '<' &&
           ((text[1] >= 'a' && text[1] <= 'z') || (text[1] >= 'A' && text[1] <= 'Z'));
}

bool claude_code_injected(std::string_view text) { return starts_with_any(text, kInjectedPrefixes); }

bool claude_code_from_agent(std::string_view text) { return starts_with_any(text, kFromAgents); }

ClaudeCodeWriter claude_code_writer(std::string_view origin) {
    if (origin.empty()) return ClaudeCodeWriter::unknown;
    if (origin == "human" || origin == "channel") return ClaudeCodeWriter::human;
    return origin == "peer" || origin == "coordinator" ? ClaudeCodeWriter::agent : ClaudeCodeWriter::program;
}

bool claude_code_typed_beside_results(std::string_view text) {
    return !text.empty() && !claude_code_begins_with_tag(text) && !starts_with_any(text, kSaidBesideResults);
}

std::string_view claude_code_typed_behind_command(std::string_view text) {
    const bool prompt = text.starts_with("<command-message>") ||
                        (text.starts_with("<command-name>") &&
                         inside(text, "<command-message>", "</command-message>").find(" is running") != text.npos);
    if (!prompt) return {};
    const std::string_view name = inside(text, "<command-name>", "</command-name>");
    if (!name.starts_with('/') || std::ranges::find(kOwnCommands, name) != kOwnCommands.end()) return {};
    return trimmed(inside(text, "<command-args>", "</command-args>"));
}

std::string_view claude_code_shell_input(std::string_view text) {
    return trimmed(inside(text, "<bash-input>", "</bash-input>"));
}

ClaudeCodeShellOutput claude_code_shell_output(std::string_view text) {
    return {inside(text, "<bash-stdout>", "</bash-stdout>"), inside(text, "<bash-stderr>", "</bash-stderr>")};
}

bool claude_code_refused(std::string_view text) {
    constexpr std::size_t kLongestName = 200;  // of a tool
    if (text.starts_with("The user doesn't want to") || text.starts_with("[Request interrupted by user")) return true;
    // "PreToolUse:Bash hook error: [COMMAND]: reason"
    if (text.starts_with("PreToolUse:")) return text.substr(0, kLongestName).find(" hook error: ") != text.npos;
    if (text.starts_with("Claude requested permissions to ")) return text.find("haven't granted it") != text.npos;
    if (text.starts_with("PreToolUse:")) return text.find(" hook error: [") != text.npos;
    // "… has been denied.", "… was denied by …", "… denied by plugin …"
    return (text.starts_with("Permission to use ") || text.starts_with("Permission for this ")) &&
           text.find(" denied") != text.npos;
}

bool claude_code_refused_by_rule(std::string_view kind) {
    return kind == "permission-rule" || kind.starts_with("automode-");
}

std::optional<int> claude_code_exit_code(std::string_view text) {
    constexpr std::string_view prefix = "Exit code ";
    if (!text.starts_with(prefix)) return std::nullopt;
    int code = 0;
    std::size_t i = prefix.size();
    for (; i < text.size() && i < prefix.size() + 6 && text[i] >= '0' && text[i] <= '9'; ++i) {
        code = code * 10 + (text[i] - '0');
    }
    return i > prefix.size() ? std::optional<int>(code) : std::nullopt;
}

std::uint64_t claude_code_usual_window(std::string_view version) {
    std::array<unsigned, 3> parts{};
    const char* at = version.data();
    const char* const end = at + version.size();
    for (unsigned& part : parts) {
        const auto [stop, error] = std::from_chars(at, end, part);
        if (error != std::errc()) return 0;
        at = stop < end && *stop == '.' ? stop + 1 : stop;
    }
    return parts < kLongWindowsSince ? kUsualWindow : 0;
}

std::string_view claude_code_error(std::string_view raw) {
    if (!raw.ends_with('.')) return raw;
    const std::size_t at = raw.find(R"(\n\nThis tool's input schema was not in your prompt when you called it.)");
    if (at == raw.npos) return raw;
    const std::string_view error = raw.substr(0, at);
    return without_torn_escape(error).size() < error.size() ? raw : error;
}

}  // namespace agent_audit::readers
