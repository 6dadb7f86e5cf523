#include "readers/messages/message_log.hpp"

#include "readers/json/array_record.hpp"
#include "readers/messages/message_roles.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

namespace agent_audit::readers {
namespace {

constexpr std::size_t kDialects = static_cast<std::size_t>(MessageDialect::ai_sdk) + 1;

// Keys of other formats that also have a role, a content or messages somewhere. Beside messages of the record's own
// they say nothing: training data and the logs of applications have ids of all kinds.
constexpr std::array<std::string_view, 23> kForeignKeys{"sessionId",
                                                        "uuid",
                                                        "parentUuid",
                                                        "payload",
                                                        "traceSchema",
                                                        "conversations",
                                                        "run_type",
                                                        "resourceSpans",
                                                        "trajectory_format",
                                                        "trajectory",
                                                        "instance_id",
                                                        "schema_version",
                                                        "samples",
                                                        "history",
                                                        "parts",
                                                        "projectHash",
                                                        "conversation_id",
                                                        "protocol_version",
                                                        "customType",
                                                        "message",
                                                        "simulations",
                                                        "traj",
                                                        "dotted_order"};

// A whole JSON string in the raw text. Inside another string its quotes would be escaped, so this cannot be
// fooled by a text that talks about it.
// Not by find(): it stops at every quote, and the first record of a document may be all of it.
bool has_token(std::string_view raw, std::string_view quoted) {
    return memmem(raw.data(), raw.size(), quoted.data(), quoted.size()) != nullptr;
}

bool holds_messages(const ProbeRecord& r, std::string_view key) {
    const auto raw = r.raw(key);
    return raw && raw->starts_with('[') && has_token(*raw, "\"role\"");
}

std::optional<ProbeRecord> first_in(const ProbeRecord& r, std::string_view key) {
    const auto raw = r.raw(key);
    return raw ? first_of(ProbeRecord(*raw)) : std::nullopt;
}

// Parts of Gemini's messages have no type: what they are is the name of their only field.
bool is_gemini_message(const ProbeRecord& r) {
    const auto part = first_in(r, "parts");
    if (!part || part->has("type") || part->has("kind") || r.has("content")) return false;
    constexpr std::array<std::string_view, 8> kParts{"text",          "functionCall",      "functionResponse",
                                                     "function_call", "function_response", "inlineData",
                                                     "inline_data",   "fileData"};
    return std::ranges::any_of(kParts, [&part](std::string_view key) { return part->has(key); });
}

bool holds_gemini(const ProbeRecord& r) {
    const auto asked = first_in(r, "contents"), answer = first_in(r, "candidates");
    return (asked && is_gemini_message(*asked)) || (answer && answer->has("content"));
}

bool holds_conversation(const ProbeRecord& r) {
    if (holds_messages(r, "messages") && !r.has("info")) {
        // Messages that are made of parts with a type are those of a user interface.
        const auto first = first_in(r, "messages");
        return !first || !first->has("parts") || first->has("content");
    }
    for (const std::string_view wrapper : {"request", "response", "body"}) {
        const ProbeRecord inner = r.child(wrapper);
        if (inner.is_object() && (holds_messages(inner, "messages") || inner.has("choices") || holds_gemini(inner)))
            return true;
    }
    if (holds_messages(r.child("input").child("inputBodyJson"), "messages")) return true;
    const auto choices = r.raw("choices");
    return (choices && has_token(*choices, "\"message\"")) || holds_gemini(r);
}

bool is_message(const ProbeRecord& r) {
    return !r.text("role").empty() && (r.has("content") || r.has("tool_calls") || r.has("function_call"));
}

// A message of a session that Strands keeps, one a file.
bool is_numbered_message(const ProbeRecord& r) {
    if (!r.has("message_id") || !r.has("redact_message") || !r.has("message")) return false;
    const ProbeRecord message = r.child("message");
    return is_message(message) && r.text("message_id").empty();
}

bool is_foreign(const ProbeRecord& r) {
    if (std::ranges::any_of(kForeignKeys, [&r](std::string_view key) { return r.has(key); })) return true;
    return r.text("role").starts_with('_') || (r.has("source") && r.has("kind"));
}

bool holds_list(const ProbeRecord& r, std::string_view key) { return first_in(r, key).has_value(); }

// Messages that are told from whatever else is called so: the first one says who speaks, and what.
bool begins_with_message(const ProbeRecord& r, std::string_view key = "messages") {
    const auto first = first_in(r, key);
    return first && is_message(*first);
}

// What a model was asked and what it answered, as two halves of a conversation.
bool holds_halves(const ProbeRecord& r) {
    const auto completion = r.raw("completion");
    return completion && !r.has("messages") && begins_with_message(r, "prompt") &&
           (completion->starts_with('"') || begins_with_message(r, "completion"));
}

// Two answers to the same, of which one was chosen.
bool holds_pair(const ProbeRecord& r) {
    return r.has("chosen") && r.has("rejected") && begins_with_message(r, "chosen") &&
           begins_with_message(r, "rejected");
}

// An episode of rLLM: its steps hold the messages.
bool holds_episode(const ProbeRecord& r) {
    const auto raw = r.has("episode_id") ? r.raw("trajectories") : std::nullopt;
    return raw && raw->starts_with('[') && has_token(*raw, "\"chat_completions\"") && has_token(*raw, "\"role\"");
}

// What generateText() of the AI SDK gave back: its steps hold the messages.
bool holds_steps(const ProbeRecord& r) {
    const auto first = first_in(r, "steps");
    return first && first->has("finishReason") && begins_with_message(first->child("response"));
}

bool holds_messages_of_its_own(const ProbeRecord& r) {
    // What a record says that it is.
    constexpr std::array<std::string_view, 3> kOthersNames{"trajectory_format", "projectHash", "traceSchema"};
    // Lists in which another format keeps what was said and done.
    constexpr std::array<std::string_view, 5> kOtherLists{"conversations", "samples", "history", "simulations", "traj"};
    const bool holds = begins_with_message(r) || begins_with_message(r.child("request")) ||
                       begins_with_message(r.child("body")) || begins_with_message(r, "trajectory") ||
                       holds_halves(r) || holds_pair(r) || holds_episode(r) || holds_steps(r);
    // Steps of another kind are a format of their own.
    const bool steps = holds_list(r, "trajectory") && !begins_with_message(r, "trajectory");
    return holds && !steps && std::ranges::none_of(kOthersNames, [&r](std::string_view key) { return r.has(key); }) &&
           std::ranges::none_of(kOtherLists, [&r](std::string_view key) { return holds_list(r, key); });
}

bool speaks_anthropic(const ProbeRecord& r) {
    const std::string_view json = r.json();
    if (has_token(json, "\"tool_use\"") || has_token(json, "\"tool_result\"")) return true;
    if (has_token(json, "\"cache_read_input_tokens\"") && !has_token(json, "\"prompt_tokens\"")) return true;
    return has_token(json, "\"thinking\"") && has_token(json, "\"signature\"");
}

bool speaks_chat(const ProbeRecord& r) {
    const std::string_view json = r.json();
    return has_token(json, "\"tool_calls\"") || has_token(json, "\"tool_call_id\"") ||
           has_token(json, "\"function_call\"") || has_token(json, "\"choices\"");
}

bool speaks_converse(const ProbeRecord& r) {
    return has_token(r.json(), "\"toolUse\"") || has_token(r.json(), "\"toolResult\"") ||
           has_token(r.json(), "\"toolSpec\"");
}

bool speaks_ai_sdk(const ProbeRecord& r) {
    const std::string_view json = r.json();
    return has_token(json, "\"toolCallId\"") &&
           (has_token(json, "\"tool-call\"") || has_token(json, "\"tool-result\""));
}

MessageDialect dialect_of(const ProbeRecord& r) {
    if (is_numbered_message(r)) return MessageDialect::bedrock_converse;
    const auto first = first_of(r);
    if (is_gemini_message(first ? *first : r) || holds_gemini(r) || holds_gemini(r.child("request")))
        return MessageDialect::gemini_api;
    if (speaks_converse(r)) return MessageDialect::bedrock_converse;
    if (speaks_ai_sdk(r)) return MessageDialect::ai_sdk;
    if (speaks_anthropic(r)) return MessageDialect::anthropic_messages;
    return speaks_chat(r) ? MessageDialect::chat_completions : MessageDialect::none;
}

bool is_array_of_messages(const ProbeRecord& r) {
    const std::string_view json = r.json();
    const auto open = json.find_first_not_of(" \t\r\n");
    if (open == json.npos || json[open] != '[') return false;
    const auto first = json.find_first_not_of(" \t\r\n", open + 1);
    return first != json.npos && json[first] == '{' && has_token(json, "\"role\"");
}

// The result of a chat between agents. Programs of all kinds call the messages of a user so; those of agents have
// names.
bool holds_talk_of_team(const ProbeRecord& r) {
    const auto raw = r.raw("chat_history");
    const auto first = raw && !r.has("messages") ? first_of(ProbeRecord(*raw)) : std::nullopt;
    return first && is_message(*first) && has_token(*raw, "\"name\"") && (r.has("summary") || r.has("cost"));
}

}  // namespace

HistoryLook look_at_history(std::span<const ProbeRecord> sample) {
    constexpr std::array<std::string_view, 5> kOthersWithHistory{"trajectory", "instance_id", "conversation_id",
                                                                 "messages", "workspaceDirectory"};
    constexpr std::array<std::string_view, 3> kNoMembers{"human", "log", "session_meta"};
    HistoryLook seen;
    std::size_t histories = 0, messages = 0;
    std::string_view first_name;
    bool names = false, members = false, logs = false, humans = false;
    for (const ProbeRecord& r : sample) {
        if (holds_messages(r, "history")) {
            if (std::ranges::any_of(kOthersWithHistory, [&r](std::string_view key) { return r.has(key); })) return {};
            ++histories;
            continue;
        }
        if (is_foreign(r)) return {};
        if (holds_talk_of_team(r)) {
            ++histories;
            continue;
        }
        if (!is_message(r)) continue;
        ++messages;
        const std::string_view role = r.text("role"), name = r.text("name");
        logs |= role == "log";
        humans |= role == "human";
        if (!is_api_role(role)) {
            members |= std::ranges::find(kNoMembers, role) == kNoMembers.end();
        } else if ((role == "user" || role == "assistant") && !name.empty() && !is_human_name(name)) {
            if (first_name.empty()) first_name = name;
            names |= name != first_name;
        }
    }
    seen.documents = histories > 0 && histories * 2 >= sample.size();
    // Where a framework logs between them, one speaker with a name is a member as well, and so is a human.
    names |= logs && (humans || !first_name.empty());
    seen.team = (names || members) && messages * 2 >= sample.size();
    return seen;
}

MessageLogLook look_at_messages(std::span<const ProbeRecord> sample) {
    MessageLogLook seen;
    std::size_t ours = 0;
    std::array<std::size_t, kDialects> of_dialect{};
    for (const ProbeRecord& r : sample) {
        const bool holds_messages = holds_messages_of_its_own(r);
        const bool gemini = is_gemini_message(r), numbered = is_numbered_message(r);
        if (!holds_messages && !gemini && !numbered && is_foreign(r)) return {};
        if (holds_messages || holds_conversation(r) || is_array_of_messages(r)) {
            seen.sessions = true;
        } else if (is_message(r) || gemini || numbered) {
            seen.odd_roles |= !is_api_role(r.text("role")) && !gemini && !numbered;
        } else {
            continue;
        }
        ++ours;
        ++of_dialect[static_cast<std::size_t>(dialect_of(r))];
    }
    if (ours == 0 || ours * 2 < sample.size()) return {};
    // Most messages say nothing that tells; where none does they are the commonest.
    of_dialect[0] = 0;
    const auto most = std::ranges::max_element(of_dialect);
    seen.dialect =
        *most == 0 ? MessageDialect::chat_completions : static_cast<MessageDialect>(most - of_dialect.begin());
    return seen;
}

}  // namespace agent_audit::readers
