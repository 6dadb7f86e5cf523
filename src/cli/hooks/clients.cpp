#include "cli/hooks/clients.hpp"

#include "cli/hooks/plugin_texts.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace agent_audit::cli {
namespace {

// What fails at a tool goes to an event of its own in Claude Code only, and what it turns down itself to none but that
// of the whole response.
constexpr HookEvent kClaudeEvents[] = {{"SessionStart"},
                                       {"UserPromptSubmit"},
                                       {"PreToolUse", true},
                                       {"PostToolUse", true},
                                       {"PostToolUseFailure", true},
                                       {"PostToolBatch"},
                                       {"PostCompact"},
                                       {"Stop"}};
constexpr HookEvent kCodexEvents[] = {{"SessionStart"},      {"UserPromptSubmit"}, {"PreToolUse", true},
                                      {"PostToolUse", true}, {"PostCompact"},      {"Stop"}};
// Plugins of ours tell what agents without such hooks do by these names.
constexpr std::span<const HookEvent> kPluginEvents = kCodexEvents;
constexpr HookEvent kGeminiEvents[] = {
    {"SessionStart"}, {"BeforeAgent"}, {"BeforeTool", true}, {"AfterTool", true}, {"AfterAgent"}};
constexpr HookEvent kQwenEvents[] = {
    {"SessionStart"}, {"UserPromptSubmit"}, {"PreToolUse", true}, {"PostToolUse", true}, {"Stop"}};

// Checked against the agents: Codex and Qwen Code end no run for a hook, Claude Code none for a call that failed or did
// not run, but behind the response that made it.
constexpr std::string_view kClaudeHalts[] = {"PostToolUse", "PostToolBatch"};
constexpr std::string_view kPluginHalts[] = {"PreToolUse", "PostToolUse"};
constexpr std::string_view kGeminiHalts[] = {"BeforeTool", "AfterTool"};

constexpr PluginFile kOpencodePlugin[] = {{"plugin/agent-audit.js", plugin_texts::opencode_js, true}};
constexpr PluginFile kPiExtension[] = {{"extensions/agent-audit.js", plugin_texts::pi_js, true}};

constexpr PluginFile kOpenclawPlugin[] = {
    {"extensions/agent-audit/index.js", plugin_texts::openclaw_js, true},
    {"extensions/agent-audit/openclaw.plugin.json", plugin_texts::openclaw_plugin_json},
    {"extensions/agent-audit/package.json", plugin_texts::openclaw_package_json},
};

constexpr std::array kClients{
    HookClient{.name = "claude-code",
               .title = "Claude Code",
               .home_variable = "CLAUDE_CONFIG_DIR",
               .folder = ".claude",
               .file = "settings.json",
               .local_file = "settings.local.json",
               .events = kClaudeEvents,
               .before_tool = "PreToolUse",
               .after_tool = "PostToolUse",
               .failed_tool = "PostToolUseFailure",
               .after_batch = "PostToolBatch",
               .halting = kClaudeHalts,
               .next_step = "Sessions that begin from now on have it; /hooks shows it."},
    HookClient{.name = "codex",
               .title = "Codex",
               .home_variable = "CODEX_HOME",
               .folder = ".codex",
               .file = "hooks.json",
               .events = kCodexEvents,
               .before_tool = "PreToolUse",
               .after_tool = "PostToolUse",
               .next_step = "Start codex and trust the new hooks with /hooks: until then they do not run."},
    HookClient{.name = "gemini",
               .title = "Gemini CLI",
               .folder = ".gemini",
               .file = "settings.json",
               .timeout_ms = true,
               .events = kGeminiEvents,
               .before_tool = "BeforeTool",
               .after_tool = "AfterTool",
               .halting = kGeminiHalts,
               .next_step = "Sessions that begin from now on have it; /hooks shows it."},
    HookClient{.name = "qwen",
               .title = "Qwen Code",
               .folder = ".qwen",
               .file = "settings.json",
               .timeout_ms = true,
               .events = kQwenEvents,
               .before_tool = "PreToolUse",
               .after_tool = "PostToolUse",
               .next_step = "Sessions that begin from now on have it."},
    HookClient{.name = "pi",
               .title = "pi",
               .home_variable = "PI_CODING_AGENT_DIR",
               .folder = ".pi/agent",
               .project_folder = ".pi",
               .plugin = kPiExtension,
               .events = kPluginEvents,
               .before_tool = "PreToolUse",
               .after_tool = "PostToolUse",
               .halting = kPluginHalts,
               .next_step = "Sessions that begin from now on have it, and /reload loads it into those that run."},
    HookClient{.name = "opencode",
               .title = "opencode",
               .home_variable = "XDG_CONFIG_HOME",
               .below_variable = "opencode",
               .folder = ".config/opencode",
               .project_folder = ".opencode",
               .plugin = kOpencodePlugin,
               .events = kPluginEvents,
               .before_tool = "PreToolUse",
               .after_tool = "PostToolUse",
               .halting = kPluginHalts,
               .next_step = "opencode has it when it is started again."},
    HookClient{.name = "openclaw",
               .title = "OpenClaw",
               .home_variable = "OPENCLAW_STATE_DIR",
               .folder = ".openclaw",
               .plugin = kOpenclawPlugin,
               .events = kPluginEvents,
               .before_tool = "PreToolUse",
               .after_tool = "PostToolUse",
               .next_step =
                   "Let OpenClaw load it and tell it when somebody speaks: openclaw plugins enable agent-audit && "
                   "openclaw config set plugins.entries.agent-audit.hooks.allowConversationAccess true"},
};

}  // namespace

std::optional<HookMode> hook_mode(std::string_view word) {
    const auto* const at = std::ranges::find(kHookModes, word);
    if (at == std::end(kHookModes)) return std::nullopt;
    return static_cast<HookMode>(at - std::begin(kHookModes));
}

std::span<const HookClient> hook_clients() { return kClients; }

std::vector<std::string_view> hook_client_names() {
    std::vector<std::string_view> names;
    for (const HookClient& client : kClients) names.push_back(client.name);
    return names;
}

const HookClient* find_hook_client(std::string_view name) {
    const auto at = std::ranges::find(kClients, name, &HookClient::name);
    return at == kClients.end() ? nullptr : &*at;
}

}  // namespace agent_audit::cli
