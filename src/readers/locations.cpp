#include <agent_audit/readers/locations.hpp>
#include <agent_audit/readers/reader.hpp>

#include <algorithm>

namespace agent_audit {
namespace {

// A variable that moves an agent's folder comes first; a system that has no such folder just does not have it, so the
// places of all systems stand side by side.
constexpr RootPath kAcpx[] = {{"", ".acpx"}};
constexpr RootPath kAmazonQ[] = {
    {"XDG_DATA_HOME", "amazon-q"}, {"", ".local/share/amazon-q"}, {"", "Library/Application Support/amazon-q"}};
constexpr RootPath kAmp[] = {{"AMP_DATA_DIR", ""}, {"XDG_DATA_HOME", "amp"}, {"", ".local/share/amp"}};
constexpr RootPath kAntigravity[] = {{"", ".gemini/antigravity"}};  // encrypted, as Windsurf's
constexpr RootPath kAugment[] = {{"", ".augment"}};
constexpr RootPath kClaude[] = {{"CLAUDE_CONFIG_DIR", ""}, {"", ".claude"}, {"", ".config/claude"}};
constexpr RootPath kClineSdk[] = {{"CLINE_DIR", ""}, {"", ".cline"}};
constexpr RootPath kCodeBuddy[] = {{"CODEBUDDY_CONFIG_DIR", ""}, {"", ".codebuddy"}};
constexpr RootPath kCodex[] = {{"CODEX_HOME", ""}, {"", ".codex"}};
constexpr RootPath kContinue[] = {{"CONTINUE_GLOBAL_DIR", ""}, {"", ".continue"}};
constexpr RootPath kCopilot[] = {{"COPILOT_HOME", ""}, {"COPILOT_CLI_HOME", ""}, {"", ".copilot"}};
constexpr RootPath kCursor[] = {{"CURSOR_CONFIG_DIR", ""}, {"CURSOR_DATA_DIR", ""}, {"", ".cursor"}};
// Folders of VS Code and the editors made from it: the first part of a glob below them is the editor.
constexpr RootPath kEditors[] = {{"APPDATA", ""},
                                 {"XDG_CONFIG_HOME", ""},
                                 {"", ".config"},
                                 {"", "Library/Application Support"},
                                 {"", ".vscode-server"}};
constexpr RootPath kFactory[] = {{"", ".factory"}};
constexpr RootPath kGemini[] = {{"GEMINI_CLI_HOME", ".gemini"}, {"", ".gemini"}};
constexpr RootPath kGoose[] = {{"GOOSE_PATH_ROOT", "data"},
                               {"XDG_DATA_HOME", "goose"},
                               {"APPDATA", "Block/goose/data"},
                               {"", ".local/share/goose"}};
constexpr RootPath kGrok[] = {{"", ".grok"}};
constexpr RootPath kHermes[] = {{"HERMES_HOME", ""}, {"", ".hermes"}};
constexpr RootPath kKilo[] = {{"", ".kilocode"}};
constexpr RootPath kKiloData[] = {{"XDG_DATA_HOME", "kilo"}, {"", ".local/share/kilo"}};
constexpr RootPath kKimi[] = {{"KIMI_SHARE_DIR", ""}, {"", ".kimi"}};
constexpr RootPath kKimiCode[] = {{"KIMI_CODE_HOME", ""}, {"", ".kimi-code"}};
constexpr RootPath kKiro[] = {{"KIRO_HOME", ""}, {"", ".kiro"}};
constexpr RootPath kKiroCli[] = {
    {"XDG_DATA_HOME", "kiro-cli"}, {"", ".local/share/kiro-cli"}, {"", "Library/Application Support/kiro-cli"}};
constexpr RootPath kLetta[] = {{"LETTA_LOCAL_BACKEND_DIR", ""}, {"", ".letta/lc-local-backend"}};
constexpr RootPath kMux[] = {{"MUX_ROOT", ""}, {"", ".mux"}};
constexpr RootPath kOmp[] = {{"", ".omp/agent"}};
constexpr RootPath kOpenclaw[] = {{"OPENCLAW_STATE_DIR", ""}, {"", ".openclaw"}, {"", ".clawdbot"}, {"", ".moltbot"}};
constexpr RootPath kOpencode[] = {{"XDG_DATA_HOME", "opencode"}, {"", ".local/share/opencode"}};
constexpr RootPath kOpenhands[] = {{"", ".openhands"}};
constexpr RootPath kPi[] = {{"PI_CODING_AGENT_DIR", ""}, {"", ".pi/agent"}};
constexpr RootPath kQwen[] = {{"QWEN_RUNTIME_DIR", ""}, {"QWEN_HOME", ""}, {"", ".qwen"}};
constexpr RootPath kWindsurf[] = {{"", ".codeium/windsurf"}};
constexpr RootPath kWorkBuddy[] = {{"", ".workbuddy"}};
constexpr RootPath kZed[] = {
    {"XDG_DATA_HOME", "zed"}, {"", ".local/share/zed"}, {"", "Library/Application Support/Zed"}};

using enum LocationKind;
constexpr std::string_view kNotYet{};  // no reader for it

constexpr Location kLocations[] = {
    {"acpx", kAcpx, "sessions/*.stream*.ndjson", "acp"},
    {"amazon-q", kAmazonQ, "data.sqlite3", "kiro", store},
    {"amp", kAmp, "threads/T-*.json", "amp"},
    {"antigravity", kAntigravity, "conversations/*.pb", kNotYet},
    {"auggie", kAugment, "sessions/*.json", "auggie"},
    {"claude-code", kClaude, "projects/*/*.jsonl", "claude-code"},
    {"claude-code", kClaude, "projects/*/*/subagents/agent-*.jsonl", "claude-code", sub_agent},
    {"claude-code", kClaude, "projects/*/*/subagents/workflows/*/agent-*.jsonl", "claude-code", sub_agent},
    {"claude-code", kClaude, "projects/*/agent-*.jsonl", "claude-code", sub_agent},
    {"cline", kEditors, "*/User/globalStorage/saoudrizwan.claude-dev/tasks/*/api_conversation_history.json", "cline"},
    {"cline", kEditors, "data/User/globalStorage/saoudrizwan.claude-dev/tasks/*/api_conversation_history.json",
     "cline"},
    {"cline", kClineSdk, "data/sessions/*/*.messages.json", "cline"},
    {"codebuddy", kCodeBuddy, "projects/*/*.jsonl", "codebuddy"},
    {"codebuddy", kCodeBuddy, "projects/*/*/subagents/agent-*.jsonl", "codebuddy", sub_agent},
    {"codex", kCodex, "sessions/*/*/*/rollout-*.jsonl", "codex"},
    {"codex", kCodex, "sessions/*/*/*/rollout-*.jsonl.zst", "codex"},
    {"codex", kCodex, "archived_sessions/rollout-*.jsonl", "codex"},
    {"codex", kCodex, "archived_sessions/rollout-*.jsonl.zst", "codex"},
    {"continue", kContinue, "sessions/*-*.json", "continue"},
    {"copilot-chat", kEditors, "*/User/workspaceStorage/*/chatSessions/*.json", "copilot-chat"},
    {"copilot-chat", kEditors, "*/User/workspaceStorage/*/chatSessions/*.jsonl", "copilot-chat"},
    {"copilot-cli", kCopilot, "session-state/*/events.jsonl", "copilot-cli"},
    {"cursor", kCursor, "projects/*/agent-transcripts/*/*.jsonl", "cursor-agent"},
    {"cursor", kCursor, "projects/*/agent-transcripts/*/subagents/*.jsonl", "cursor-agent", sub_agent},
    {"cursor", kCursor, "chats/*/*/store.db", "cursor", store},
    {"cursor", kEditors, "Cursor/User/globalStorage/state.vscdb", "cursor", store},
    {"factory-droid", kFactory, "sessions/*/*.jsonl", "factory-droid"},
    {"gemini-cli", kGemini, "tmp/*/chats/session-*.json", "gemini-cli"},
    {"gemini-cli", kGemini, "tmp/*/chats/session-*.jsonl", "gemini-cli"},
    {"gemini-cli", kGemini, "tmp/*/chats/*/*.jsonl", "gemini-cli", sub_agent},
    {"goose", kGoose, "sessions/*.jsonl", "goose"},
    {"goose", kGoose, "sessions/sessions.db", "goose", store},
    {"grok", kGrok, "sessions/*/*/updates.jsonl", "acp"},
    {"hermes", kHermes, "sessions/*.jsonl", "hermes"},
    {"hermes", kHermes, "state.db", "hermes", store},
    {"hermes", kHermes, "profiles/*/state.db", "hermes", store},
    {"kilo", kEditors, "*/User/globalStorage/kilocode.kilo-code/tasks/*/api_conversation_history.json", "cline"},
    {"kilo", kEditors, "data/User/globalStorage/kilocode.kilo-code/tasks/*/api_conversation_history.json", "cline"},
    {"kilo", kKilo, "cli/global/tasks/*/api_conversation_history.json", "cline"},
    {"kilo", kKiloData, "kilo.db", "opencode", store},
    {"kimi-cli", kKimi, "sessions/*/*/wire.jsonl", "kimi-cli"},
    {"kimi-cli", kKimi, "sessions/*/*/context.jsonl", "kimi-cli"},
    {"kimi-code", kKimiCode, "sessions/*/*/agents/*/wire.jsonl", "kimi-code"},
    {"kiro", kKiroCli, "data.sqlite3", "kiro", store},
    {"kiro", kKiro, "sessions/cli/*.jsonl", "kiro-cli"},
    {"letta-code", kLetta, "conversations/*/messages.jsonl", "pi"},
    {"mux", kMux, "sessions/*/chat.jsonl", "vercel-ai"},
    {"omp", kOmp, "sessions/*/*.jsonl", "pi"},
    {"openclaw", kOpenclaw, "agents/*/sessions/*.jsonl", "openclaw"},
    {"openclaw", kOpenclaw, "agents/*/sessions/*.jsonl.reset.*", "openclaw"},
    {"openclaw", kOpenclaw, "agents/*/sessions/*.jsonl.deleted.*", "openclaw"},
    {"openclaw", kOpenclaw, "agents/*/openclaw-agent.sqlite", "openclaw", store},
    {"openclaw", kOpenclaw, "agents/*/agent/openclaw-agent.sqlite", "openclaw", store},
    {"opencode", kOpencode, "opencode.db", "opencode", store},
    {"opencode", kOpencode, "storage/session/*/*.json", "opencode"},
    {"openhands", kOpenhands, "sessions/*/events", "openhands", folder},
    {"openhands", kOpenhands, "conversations/*/events", "openhands", folder},
    {"pi", kPi, "sessions/*/*.jsonl", "pi"},
    {"qwen-code", kQwen, "projects/*/chats/*.jsonl", "qwen-code"},
    {"qwen-code", kQwen, "projects/*/chats/archive/*.jsonl", "qwen-code"},
    {"qwen-code", kQwen, "projects/*/subagents/*/agent-*.jsonl", "qwen-code", sub_agent},
    {"roo", kEditors, "*/User/globalStorage/rooveterinaryinc.roo-cline/tasks/*/api_conversation_history.json", "cline"},
    {"roo", kEditors, "data/User/globalStorage/rooveterinaryinc.roo-cline/tasks/*/api_conversation_history.json",
     "cline"},
    {"windsurf", kWindsurf, "cascade/*.pb", kNotYet},
    {"workbuddy", kWorkBuddy, "projects/*/*.jsonl", "codebuddy"},
    {"workbuddy", kWorkBuddy, "projects/*/*/subagents/agent-*.jsonl", "codebuddy", sub_agent},
    {"zed", kZed, "threads/threads.db", "zed", store},
};

}  // namespace

std::span<const Location> all_locations() { return kLocations; }

std::vector<std::string_view> likely_formats() {
    std::vector<std::string_view> ids;
    for (const ReaderSpec& spec : all_readers()) ids.push_back(spec.id);
    const auto is_left_by_an_agent = [](std::string_view id) {
        return std::ranges::find(kLocations, id, &Location::format) != std::end(kLocations);
    };
    std::stable_partition(ids.begin(), ids.end(), is_left_by_an_agent);
    return ids;
}

}  // namespace agent_audit
