#include "readers/input/session_names.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace agent_audit::readers {
namespace {

/// 8-4-4-4-12 hexadecimal digits.
bool is_uuid(std::string_view text) {
    if (text.size() != 36) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        const bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        if (dash ? c != '-' : !hex) return false;
    }
    return true;
}

/// Takes `ending` off `name`, if it is there.
bool strip(std::string_view& name, std::string_view ending) {
    if (!name.ends_with(ending)) return false;
    name.remove_suffix(ending.size());
    return true;
}

/// "<session>.checkpoint.<uuid>.jsonl" repeats the whole history of its session.
bool is_checkpoint(std::string_view name) {
    constexpr std::size_t kUuid = 36;
    if (!strip(name, ".jsonl") || name.size() < kUuid) return false;
    const bool uuid = is_uuid(name.substr(name.size() - kUuid));
    name.remove_suffix(kUuid);
    return uuid && name.ends_with(".checkpoint.");
}

bool has_session_ending(std::string_view name) {
    static constexpr std::array<std::string_view, 8> kEndings{".jsonl", ".json", ".ndjson", ".traj",
                                                              ".eval",  ".har",  ".sse",    ".aider.chat.history.md"};
    // "a.jsonl.reset.<time>" and "a.jsonl.deleted.<time>" are archived, not copies.
    return has_database_ending(name) ||
           std::ranges::any_of(kEndings, [&](std::string_view ending) { return name.ends_with(ending); }) ||
           name.find(".jsonl.reset.") != name.npos || name.find(".jsonl.deleted.") != name.npos;
}

// What Cline and Roo Code sent, and what they showed: the figures of many versions stand only there.
constexpr std::string_view kSent = "api_conversation_history.json";
constexpr std::array<std::string_view, 2> kShown{"ui_messages.json", "claude_messages.json"};

// Harbor makes a trajectory of what an agent wrote, and leaves that beside it: the agent's own trajectory, or the
// folder of its sessions. Those tell more.
constexpr std::string_view kConverted = "trajectory.json";
constexpr std::string_view kOwnSessions = "sessions";
constexpr std::array<std::string_view, 5> kOwnTrajectories{"mini-swe-agent.trajectory.json",
                                                           "swe-agent.trajectory.json", "openhands.trajectory.json",
                                                           "gemini-cli.trajectory.json", "gemini-cli.trajectory.jsonl"};

// opencode's folder of sessions, beside those of their messages and parts.
constexpr std::string_view kStorage = "storage", kSessions = "session";

constexpr std::string_view kTranscripts = "agent-transcripts";

/// Takes the last part off `path`.
std::string_view take_last(std::string_view& path) {
    const std::size_t slash = path.rfind('/');
    const std::string_view last = path.substr(slash == path.npos ? 0 : slash + 1);
    path = path.substr(0, slash == path.npos ? 0 : slash);
    return last;
}

/// Transcripts of sub-agents lie in a folder of the chat that asked for them, and nothing else says so.
std::string note_of(std::string_view folder) {
    if (take_last(folder) != "subagents") return {};
    const std::string_view parent = take_last(folder);
    if (!is_uuid(parent) || take_last(folder) != kTranscripts) return {};
    return R"({"row":"cursor-agent.sub-agent","parent":")" + std::string(parent) + "\"}";
}

// "…/agents/agent_<id>/messages", of a session that Strands keeps.
bool holds_messages_of_agent(std::string_view folder) {
    return take_last(folder) == "messages" && take_last(folder).starts_with("agent_") && take_last(folder) == "agents";
}

}  // namespace

bool has_database_ending(std::string_view name) {
    static constexpr std::array<std::string_view, 4> kDatabases{".db", ".sqlite", ".sqlite3", ".vscdb"};
    return std::ranges::any_of(kDatabases, [&](std::string_view ending) { return name.ends_with(ending); });
}

SessionName session_name(std::string_view name) {
    SessionName found;
    std::string_view plain = name;
    const bool compressed = strip(plain, ".gz") || strip(plain, ".zst");
    found.wanted = has_session_ending(plain) && !is_checkpoint(plain);
    if (!found.wanted) return found;
    if (compressed) found.unless.emplace_back(plain);
    std::string_view stem = plain;
    // The sidecar of a session repeats its prompts.
    if (strip(stem, ".trajectory.jsonl")) found.unless.push_back(std::string(stem) + ".jsonl");
    // Kimi's context file tells the same conversation as the wire log beside it, and less of it.
    if (plain == "context.jsonl") found.unless.emplace_back("wire.jsonl");
    if (plain == kConverted) found.unless.assign(kOwnTrajectories.begin(), kOwnTrajectories.end());
    // OpenHands keeps the events of which its trajectory is made.
    if (plain == kConverted || plain == "openhands.trajectory.json") found.unless.emplace_back(kOwnSessions);
    // What Claude Code says of a sub-agent is read with its session.
    if (stem = plain; strip(stem, ".meta.json") && stem.starts_with("agent-"))
        found.unless.push_back(std::string(stem) + ".jsonl");
    // What a session of Factory Droid took is read with it.
    if (stem = plain; strip(stem, ".settings.json") && is_uuid(stem))
        found.unless.push_back(std::string(stem) + ".jsonl");
    // What OpenHands knows of a whole conversation is read with its events.
    if (plain == "base_state.json") found.unless.emplace_back("events");
    // OpenHands' evaluations take the best of several attempts at a task, and keep the files of all attempts.
    if (plain == "output.jsonl") found.unless.emplace_back("output.critic_attempt_1.jsonl");
    // What Cline showed of a task is in what the model saw; its figures are read as a companion.
    if (std::ranges::find(kShown, plain) != kShown.end()) found.unless.emplace_back(kSent);
    return found;
}

Companions companions_of(std::string_view folder, std::string_view name) {
    if (name == kSent) return {{kShown.begin(), kShown.end()}, "cline"};
    // Kiro CLI keeps the folder, the model and the bill of a session beside its log.
    if (!strip(name, ".jsonl")) return {};
    // Claude Code says beside the file of a sub-agent what it is, and which call asked for it.
    if (name.starts_with("agent-")) return {{std::string(name) + ".meta.json"}, "claude-code"};
    if (folder.ends_with("subagents")) return {{}, "cursor-agent", note_of(folder)};
    if (!is_uuid(name)) return {};
    if (folder.ends_with("sessions/cli")) return {{std::string(name) + ".json"}, "kiro-cli"};
    return {{std::string(name) + ".settings.json"}, "factory-droid"};
}

std::string_view transcribed_chat(std::string_view path) {
    std::string_view name = take_last(path);
    return strip(name, ".jsonl") && path.find(kTranscripts) != path.npos ? name : std::string_view();
}

std::string_view stored_chat(std::string_view path) {
    if (take_last(path) != "store.db") return {};
    const std::string_view chat = take_last(path);
    return is_uuid(chat) ? chat : std::string_view();
}

StoredSession stored_session(std::string_view path) {
    std::string_view id = take_last(path);
    if (!id.starts_with("ses_") || !strip(id, ".json")) return {};
    take_last(path);  // the project
    if (take_last(path) != "session") return {};
    const std::string_view folder = path;
    return take_last(path) == kStorage ? StoredSession{folder, id} : StoredSession{};
}

std::optional<std::uint64_t> event_number(std::string_view folder, std::string_view name) {
    if (!strip(name, ".json")) return std::nullopt;
    constexpr std::string_view kMessage = "message_";
    const bool message = name.starts_with(kMessage) && holds_messages_of_agent(folder);
    if (message) name.remove_prefix(kMessage.size());
    const bool prefixed = name.starts_with("event-");
    if (prefixed) name.remove_prefix(6);
    std::uint64_t number = 0;
    const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (failure != std::errc{}) return std::nullopt;
    name.remove_prefix(static_cast<std::size_t>(end - name.data()));
    constexpr std::size_t kUuid = 36;
    if (prefixed)
        return name.size() > kUuid && name.front() == '-' && is_uuid(name.substr(1)) ? std::optional(number)
                                                                                     : std::nullopt;
    const bool events = message || folder == "events" || folder.ends_with("/events");
    return events && name.empty() ? std::optional(number) : std::nullopt;
}

bool is_skipped_directory(std::string_view name) { return name == "node_modules" || name == ".git"; }

// OpenHands keeps pages of its events, to read them faster, and every request as it was sent: the whole conversation so
// far, as often as the model was asked.
std::string_view repeated_directory(std::string_view name) {
    if (name == "event_cache") return "events";
    if (name == "completions") return "sessions";
    if (name == "llm_completions") return "output.jsonl";
    if (name == "message" || name == "part") return kSessions;
    return {};
}

// Harbor puts what an agent left of a trial into a folder of this name. opencode's messages and parts are read with
// their session.
bool has_copies_beside(std::string_view folder, std::string_view original) {
    const std::string_view name = folder.substr(folder.rfind('/') + 1);
    if (original == kSessions) return name == kStorage;
    return original != kOwnSessions || name == "agent";
}

}  // namespace agent_audit::readers
