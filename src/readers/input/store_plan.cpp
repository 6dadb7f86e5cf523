#include "readers/input/store_plan.hpp"

#include "readers/json/json_util.hpp"
#include "readers/json/walk.hpp"
#include "support/json_escape.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

// The statements name columns, never *. Where an agent keeps an index its order is used, so that a session is read row
// by row and not sorted first.

namespace agent_audit::readers {
namespace {

// ---- opencode, from 1.2 on: ids sort by time ----------------------------------------------------------------

constexpr StoreNeed kOpencodeNeeds[] = {
    {"session", "id"}, {"message", "data"}, {"message", "session_id"}, {"part", "data"}, {"part", "message_id"}};
constexpr TakenColumn kOpencodeSession[] = {
    {"id", "id"},           {"parent_id", "parentID"}, {"directory", "directory"},
    {"version", "version"}, {"title", "title"},        {"time_created", "time_created", Take::number}};
constexpr TakenColumn kOpencodeMessage[] = {{"id", "id"}, {"session_id", "sessionID"}, {"data", {}, Take::document}};
constexpr TakenColumn kOpencodePart[] = {{"id", "id"}, {"message_id", "messageID"}, {"data", {}, Take::document}};
constexpr StoreLevel kOpencode[] = {
    {"session", "opencode.session", "SELECT rowid, id FROM session ORDER BY rowid", "rowid = ?2", kOpencodeSession},
    {"message", "opencode.message", "SELECT rowid, id FROM message WHERE session_id = ?1 ORDER BY id", "rowid = ?2",
     kOpencodeMessage},
    {"part", "opencode.part", "SELECT rowid FROM part WHERE message_id = ?1 ORDER BY id", "rowid = ?2", kOpencodePart},
};

// ---- opencode, from 2.0 on: a message with all its parts is one row, and brings those of before with it
// ---------------

constexpr StoreNeed kOpencode2Needs[] = {{"session_v2", "id"},
                                         {"session_message", "session_id"},
                                         {"session_message", "seq"},
                                         {"session_message", "type"},
                                         {"session_message", "data"}};
constexpr TakenColumn kOpencodeEntry[] = {
    {"id", "id"}, {"session_id", "sessionID"}, {"type", "type"}, {"data", {}, Take::document}};
constexpr StoreLevel kOpencode2[] = {
    {"session_v2", "opencode.session", "SELECT rowid, id FROM session_v2 ORDER BY rowid", "rowid = ?2",
     kOpencodeSession},
    {"session_message", "opencode.entry", "SELECT rowid FROM session_message WHERE session_id = ?1 ORDER BY seq",
     "rowid = ?2", kOpencodeEntry},
};
constexpr std::string_view kOpencode2InUse =
    "SELECT 1 FROM session_message WHERE session_id IN (SELECT id FROM session_v2) LIMIT 1";

// ---- goose, from 1.10 on: as its session files had it ---------------------------------------------------------

constexpr StoreNeed kGooseNeeds[] = {{"sessions", "id"}, {"messages", "session_id"}, {"messages", "content_json"}};
constexpr TakenColumn kGooseSession[] = {
    {"id", "id"},
    {"working_dir", "working_dir"},
    {"description", "description"},
    {"parent_session_id", "parent_session_id"},
    {"session_type", "session_type"},
    {"model_config_json", "model_config", Take::json},
    {"total_tokens", "total_tokens", Take::number},
    {"accumulated_input_tokens", "accumulated_input_tokens", Take::number},
    {"accumulated_output_tokens", "accumulated_output_tokens", Take::number},
    {"accumulated_total_tokens", "accumulated_total_tokens", Take::number},
    {"accumulated_cache_read_tokens", "accumulated_cache_read_tokens", Take::number},
    {"accumulated_cache_write_tokens", "accumulated_cache_write_tokens", Take::number},
};
constexpr TakenColumn kGooseMessage[] = {{"message_id", "id"},
                                         {"role", "role"},
                                         {"created_timestamp", "created", Take::number},
                                         {"content_json", "content", Take::json},
                                         {"metadata_json", "metadata", Take::json}};
constexpr StoreLevel kGoose[] = {
    {"sessions", "goose.session", "SELECT rowid, id FROM sessions ORDER BY rowid", "rowid = ?2", kGooseSession},
    {"messages", "goose.message", "SELECT rowid FROM messages WHERE session_id = ?1 ORDER BY rowid", "rowid = ?2",
     kGooseMessage},
};

// ---- Google's Agent Development Kit: an event is a JSON document, in older versions a row of columns -----------

// The key of the table is that of a session and the id of the event, in this order.
constexpr std::string_view kAdkEventKeys =
    "SELECT e.rowid FROM sessions s JOIN events e ON e.app_name = s.app_name AND e.user_id = s.user_id AND "
    "e.session_id = s.id WHERE s.rowid = ?1 ORDER BY e.timestamp, e.rowid";
constexpr StoreNeed kAdkNeeds[] = {{"sessions", "app_name"}, {"sessions", "id"},       {"events", "app_name"},
                                   {"events", "user_id"},    {"events", "session_id"}, {"events", "event_data"}};
constexpr TakenColumn kAdkSession[] = {{"id", "id"}, {"app_name", "app_name"}};
constexpr TakenColumn kAdkEvent[] = {{"event_data", {}, Take::document}};
constexpr StoreLevel kAdk[] = {
    {"sessions", "google-adk.session", "SELECT rowid, rowid FROM sessions ORDER BY rowid", "rowid = ?2", kAdkSession},
    {"events", "google-adk.event", kAdkEventKeys, "rowid = ?2", kAdkEvent},
};
constexpr StoreNeed kAdkOldNeeds[] = {{"sessions", "app_name"}, {"sessions", "id"},          {"events", "user_id"},
                                      {"events", "session_id"}, {"events", "invocation_id"}, {"events", "author"},
                                      {"events", "content"}};
constexpr TakenColumn kAdkOldEvent[] = {{"id", "id"},
                                        {"invocation_id", "invocation_id"},
                                        {"author", "author"},
                                        {"branch", "branch"},
                                        {"timestamp", "timestamp"},
                                        {"content", "content", Take::json},
                                        {"usage_metadata", "usage_metadata", Take::json},
                                        {"error_code", "error_code"},
                                        {"error_message", "error_message"}};
constexpr StoreLevel kAdkOld[] = {
    {"sessions", "google-adk.session", "SELECT rowid, rowid FROM sessions ORDER BY rowid", "rowid = ?2", kAdkSession},
    {"events", "google-adk.event", kAdkEventKeys, "rowid = ?2", kAdkOldEvent},
};

// ---- crush ----------------------------------------------------------------------------------------------------

constexpr StoreNeed kCrushNeeds[] = {{"sessions", "id"}, {"messages", "session_id"}, {"messages", "parts"}};
constexpr TakenColumn kCrushSession[] = {
    {"id", "id"},
    {"parent_session_id", "parent_session_id"},
    {"created_at", "created_at", Take::number},
    {"prompt_tokens", "prompt_tokens", Take::number},
    {"completion_tokens", "completion_tokens", Take::number},
    {"cost", "cost", Take::number},
};
constexpr TakenColumn kCrushMessage[] = {{"id", "id"},
                                         {"role", "role"},
                                         {"model", "model"},
                                         {"prism_model_id", "prism_model_id"},
                                         {"created_at", "created_at", Take::number},
                                         {"is_summary_message", "is_summary_message", Take::number},
                                         {"parts", "parts", Take::json}};
constexpr StoreLevel kCrush[] = {
    {"sessions", "crush.session", "SELECT rowid, id FROM sessions ORDER BY rowid", "rowid = ?2", kCrushSession},
    {"messages", "crush.message", "SELECT rowid FROM messages WHERE session_id = ?1 ORDER BY rowid", "rowid = ?2",
     kCrushMessage},
};

// ---- Hermes ---------------------------------------------------------------------------------------------------

constexpr StoreNeed kHermesNeeds[] = {
    {"sessions", "id"}, {"messages", "session_id"}, {"messages", "content"}, {"messages", "tool_calls"}};
constexpr TakenColumn kHermesSession[] = {
    {"id", "id"},
    {"parent_session_id", "parent_session_id"},
    {"model", "model"},
    {"cwd", "cwd"},
    {"started_at", "timestamp", Take::number},
    {"input_tokens", "input_tokens", Take::number},
    {"output_tokens", "output_tokens", Take::number},
    {"cache_read_tokens", "cache_read_tokens", Take::number},
    {"cache_write_tokens", "cache_write_tokens", Take::number},
    {"reasoning_tokens", "reasoning_tokens", Take::number},
    {"estimated_cost_usd", "estimated_cost_usd", Take::number},
    {"actual_cost_usd", "actual_cost_usd", Take::number},
    {"model_config", "model_config", Take::json},
};
constexpr TakenColumn kHermesMessage[] = {{"id", "id", Take::number},
                                          {"role", "role"},
                                          {"content", "content"},
                                          {"tool_call_id", "tool_call_id"},
                                          {"tool_name", "tool_name"},
                                          {"tool_calls", "tool_calls", Take::json},
                                          {"reasoning", "reasoning"},
                                          {"reasoning_content", "reasoning_content"},
                                          {"finish_reason", "finish_reason"},
                                          {"_compressed_summary", "_compressed_summary", Take::number},
                                          {"display_kind", "display_kind"},
                                          {"active", "active", Take::number},
                                          {"compacted", "compacted", Take::number},
                                          {"timestamp", "timestamp", Take::number}};
constexpr StoreLevel kHermes[] = {
    {"sessions", "hermes.session", "SELECT rowid, id FROM sessions ORDER BY rowid", "rowid = ?2", kHermesSession},
    {"messages", "hermes.message", "SELECT rowid FROM messages WHERE session_id = ?1 ORDER BY rowid", "rowid = ?2",
     kHermesMessage},
};

// ---- OpenClaw: the entries of its session files; large ones compressed -----------------------------------------

constexpr StoreNeed kOpenclawNeeds[] = {
    {"transcript_events", "session_id"}, {"transcript_events", "seq"}, {"transcript_events", "event_json"}};
constexpr TakenColumn kOpenclawEvent[] = {{"event_json", {}, Take::document}, {"event_zstd", {}, Take::document}};
constexpr StoreLevel kOpenclaw[] = {
    {"transcript_events",
     {},
     "SELECT DISTINCT session_id, session_id FROM transcript_events ORDER BY session_id",
     {},
     {}},
    {"transcript_events",
     {},
     "SELECT seq FROM transcript_events WHERE session_id = ?1 ORDER BY seq",
     "session_id = ?1 AND seq = ?2",
     kOpenclawEvent},
};

// ---- Kiro, Amazon Q: a conversation a row ---------------------------------------------------------------------

constexpr StoreNeed kKiroNeeds[] = {{"conversations_v2", "key"}, {"conversations_v2", "value"}};
constexpr StoreNeed kKiroOldNeeds[] = {{"conversations", "key"}, {"conversations", "value"}};
constexpr TakenColumn kKiroRow[] = {{"key", "cwd"}, {"value", {}, Take::document}};
constexpr StoreLevel kKiro[] = {
    {"conversations_v2", {}, "SELECT rowid FROM conversations_v2 ORDER BY rowid", "rowid = ?2", kKiroRow}};
constexpr StoreLevel kKiroOld[] = {
    {"conversations", {}, "SELECT rowid FROM conversations ORDER BY rowid", "rowid = ?2", kKiroRow}};

// ---- Zed ------------------------------------------------------------------------------------------------------

constexpr StoreNeed kZedNeeds[] = {{"threads", "id"}, {"threads", "data_type"}, {"threads", "data"}};
constexpr TakenColumn kZedRow[] = {{"id", "thread_id"}, {"parent_id", "parent_id"}, {"data", {}, Take::document}};
constexpr StoreLevel kZed[] = {
    {"threads", "zed.thread", "SELECT rowid FROM threads ORDER BY rowid", "rowid = ?2", kZedRow}};

// ---- Mastra: spans in the order in which they were stored -------------------------------------------------------

constexpr StoreNeed kMastraNeeds[] = {{"mastra_ai_spans", "traceId"},
                                      {"mastra_ai_spans", "spanId"},
                                      {"mastra_ai_spans", "spanType"},
                                      {"mastra_ai_spans", "startedAt"},
                                      {"mastra_ai_spans", "attributes"}};
constexpr TakenColumn kMastraSpan[] = {{"traceId", "traceId"},
                                       {"spanId", "spanId"},
                                       {"parentSpanId", "parentSpanId"},
                                       {"name", "name"},
                                       {"spanType", "spanType"},
                                       {"entityId", "entityId"},
                                       {"entityName", "entityName"},
                                       {"threadId", "threadId"},
                                       {"startedAt", "startedAt"},
                                       {"endedAt", "endedAt"},
                                       {"attributes", "attributes", Take::jsonb},
                                       {"metadata", "metadata", Take::jsonb},
                                       {"input", "input", Take::jsonb},
                                       {"output", "output", Take::jsonb},
                                       {"error", "error", Take::jsonb}};
// By the thousands: each piece of an answer is a span, and nobody's sessions are as many.
constexpr StoreLevel kMastra[] = {
    {"mastra_ai_spans", {}, "SELECT DISTINCT rowid >> 12, rowid >> 12 FROM mastra_ai_spans ORDER BY 1", {}, {}},
    {"mastra_ai_spans",
     {},
     "SELECT rowid FROM mastra_ai_spans WHERE rowid BETWEEN ?1 << 12 AND (?1 << 12) + 4095 ORDER BY rowid",
     "rowid = ?2",
     kMastraSpan}};
// Where nothing is traced, its memory: the messages of the AI SDK.
constexpr std::string_view kMastraInUse = "SELECT 1 FROM mastra_ai_spans LIMIT 1";
constexpr StoreNeed kMastraMemoryNeeds[] = {{"mastra_messages", "id"},
                                            {"mastra_messages", "thread_id"},
                                            {"mastra_messages", "content"},
                                            {"mastra_messages", "role"},
                                            {"mastra_messages", "createdAt"}};
constexpr TakenColumn kMastraMessage[] = {{"id", "id"},
                                          {"role", "role"},
                                          {"thread_id", "threadId"},
                                          {"createdAt", "createdAt"},
                                          {"content", "content", Take::jsonb}};
// All at once: it has no index by which the messages of a thread could be found.
constexpr StoreLevel kMastraMemory[] = {{"mastra_messages",
                                         {},
                                         "SELECT rowid FROM mastra_messages ORDER BY thread_id, createdAt, rowid",
                                         "rowid = ?2",
                                         kMastraMessage}};

// ---- Cursor's IDE: a composer lists its bubbles in order ---------------------------------------------------------

/// Lists longer than that are not anybody's conversation.
constexpr std::size_t kMostKeys = 1'000'000;

/// Parses `text`, which is copied for the sake of the parser's padding, and hands its object to `take`.
template <class Use>
void with_object(std::string_view text, Use&& use) {
    std::string padded(text);
    padded.resize(text.size() + simdjson::SIMDJSON_PADDING);
    json::document doc;
    json::object object;
    if (nested_parser(text.size()).iterate(padded.data(), text.size(), padded.size()).get(doc)) return;
    if (!doc.get_object().get(object)) use(object);
}

std::vector<std::string> bubbles_listed(std::string_view composer, std::string_view prefix) {
    std::vector<std::string> keys;
    with_object(composer, [&](json::object object) {
        each_field(object, [&](const char* key, json::value& v) {
            if (!key_is(key, "fullConversationHeadersOnly")) return true;
            return each_element(v, [&](json::value& header) {
                return each_field(header, [&](const char* k, json::value& id) {
                    if (key_is(k, "bubbleId") && keys.size() < kMostKeys)
                        keys.push_back(std::string(prefix).append(raw_string(id)));
                    return true;
                });
            });
        });
    });
    return keys;
}

std::vector<std::string> collect(Database& db, Statement& rows) {
    std::vector<std::string> keys;
    while (rows && keys.size() < kMostKeys && db.step(rows) == Outcome::row) keys.emplace_back(rows.bytes(0));
    return keys;
}

std::vector<std::string> bubbles_of(Database& db, std::string_view composer) {
    const std::string prefix = std::string("bubbleId:").append(composer).append(":");
    Statement row = db.prepare("SELECT value FROM cursorDiskKV WHERE key = 'composerData:' || ?1");
    if (!row) return {};
    row.bind(1, composer);
    std::vector<std::string> keys;
    if (db.step(row) == Outcome::row) keys = bubbles_listed(row.bytes(0), prefix);
    if (!keys.empty()) return keys;
    Statement all = db.prepare("SELECT key FROM cursorDiskKV WHERE key >= ?1 AND key < ?2 ORDER BY rowid");
    if (!all) return {};
    all.bind(1, prefix);
    all.bind(2, std::string_view(std::string(prefix, 0, prefix.size() - 1) + ';'));
    return collect(db, all);
}

constexpr StoreNeed kCursorNeeds[] = {{"cursorDiskKV", "key"}, {"cursorDiskKV", "value"}};
constexpr TakenColumn kCursorComposer[] = {{"value", {}, Take::document}};
constexpr TakenColumn kCursorBubble[] = {{"key", "key"}, {"value", {}, Take::document}};
constexpr StoreLevel kCursor[] = {
    {"cursorDiskKV", "cursor.composer",
     "SELECT key, substr(key, 14) FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;' "
     "ORDER BY rowid",
     "key = ?2", kCursorComposer},
    {"cursorDiskKV", "cursor.bubble", {}, "key = ?2", kCursorBubble, bubbles_of},
};

bool keeps_chat(Database& db, Statement& bubble, const std::string& chat) {
    const std::string prefix = "bubbleId:" + chat;
    bubble.bind(1, std::string_view(prefix + ":"));
    bubble.bind(2, std::string_view(prefix + ";"));
    const bool kept = db.step(bubble) == Outcome::row;
    bubble.reset();
    return kept;
}

// ---- Cursor's command line: blobs by hash, the newest root lists the messages ------------------------------------

std::string to_hex(std::string_view bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out;
    for (const char c : bytes) {
        out += kDigits[static_cast<unsigned char>(c) >> 4];
        out += kDigits[static_cast<unsigned char>(c) & 15];
    }
    return out;
}

/// Reads a protobuf number off `bytes`; false when it is cut off.
bool take_varint(std::string_view& bytes, std::uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
        const auto byte = static_cast<unsigned char>(bytes.front());
        bytes.remove_prefix(1);
        value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
        if (byte < 0x80) return true;
    }
    return false;
}

/// The hashes in a field of a message of protobuf, in order.
std::vector<std::string> hashes_in(std::string_view blob, std::uint64_t field) {
    constexpr std::size_t kHash = 32;
    std::vector<std::string> ids;
    std::uint64_t tag = 0, size = 0;
    while (take_varint(blob, tag) && ids.size() < kMostKeys) {
        switch (tag & 7) {
            case 0:
                if (!take_varint(blob, size)) return ids;
                break;
            case 1: blob.remove_prefix(std::min<std::size_t>(8, blob.size())); break;
            case 5: blob.remove_prefix(std::min<std::size_t>(4, blob.size())); break;
            case 2:
                if (!take_varint(blob, size) || size > blob.size()) return ids;
                if (tag >> 3 == field && size == kHash) ids.push_back(to_hex(blob.substr(0, kHash)));
                blob.remove_prefix(static_cast<std::size_t>(size));
                break;
            default: return ids;
        }
    }
    return ids;
}

/// The messages of a chat, those first that a compaction took out of it. What stayed of them is told once.
std::vector<std::string> messages_listed(Database& db, std::string_view root) {
    constexpr std::uint64_t kMessages = 1, kArchives = 13;
    Statement row = db.prepare("SELECT data FROM blobs WHERE id = ?1");
    if (!row) return {};
    const auto read = [&](std::string_view id) {
        row.reset();
        row.bind(1, id);
        return db.step(row) == Outcome::row ? std::string(row.bytes(0)) : std::string();
    };
    const std::string state = read(root);
    const std::vector<std::string> now = hashes_in(state, kMessages);
    const std::vector<std::string> archives = hashes_in(state, kArchives);
    if (archives.empty()) return now;
    std::unordered_set<std::string> told;
    std::vector<std::string> ids;
    const auto tell = [&](const std::vector<std::string>& listed) {
        for (const std::string& id : listed)
            if (ids.size() < kMostKeys && told.insert(id).second) ids.push_back(id);
    };
    for (const std::string& archive : archives) tell(hashes_in(read(archive), kMessages));
    tell(now);
    return ids;
}

std::vector<std::string> messages_of(Database& db, std::string_view meta) {
    const std::string text = meta.starts_with('{') ? std::string(meta) : from_hex(meta);
    std::string root;
    with_object(text, [&](json::object object) {
        each_field(object, [&](const char* key, json::value& v) {
            if (key_is(key, "latestRootBlobId")) root = raw_string(v);
            return true;
        });
    });
    std::vector<std::string> ids = messages_listed(db, root);
    if (!ids.empty()) return ids;
    Statement all = db.prepare("SELECT id FROM blobs WHERE substr(data, 1, 1) = x'7b' ORDER BY rowid");
    return all ? collect(db, all) : std::vector<std::string>{};
}

constexpr StoreNeed kCursorCliNeeds[] = {{"blobs", "id"}, {"blobs", "data"}, {"meta", "key"}, {"meta", "value"}};
constexpr TakenColumn kCursorAgent[] = {{"value", {}, Take::hex}};
constexpr TakenColumn kCursorMessage[] = {{"data", {}, Take::document}};
constexpr StoreLevel kCursorCli[] = {
    {"meta", "cursor.agent", "SELECT key, value FROM meta WHERE key = '0'", "key = ?2", kCursorAgent},
    {"blobs", "cursor.message", {}, "id = ?2", kCursorMessage, messages_of},
};

// What two stores share stands behind what tells them apart: the first that fits is it.
constexpr std::array kPlans{
    StorePlan{"opencode", kOpencode2Needs, {kOpencode2}, kOpencode2InUse},
    StorePlan{"opencode", kOpencodeNeeds, {kOpencode}},
    StorePlan{"goose", kGooseNeeds, {kGoose}},
    StorePlan{"google-adk", kAdkNeeds, {kAdk}},
    StorePlan{"google-adk", kAdkOldNeeds, {kAdkOld}},
    StorePlan{"crush", kCrushNeeds, {kCrush}},
    StorePlan{"hermes", kHermesNeeds, {kHermes}},
    StorePlan{"openclaw", kOpenclawNeeds, {kOpenclaw, true}},
    StorePlan{"cursor", kCursorNeeds, {kCursor}},
    StorePlan{"cursor", kCursorCliNeeds, {kCursorCli}},
    StorePlan{"kiro", kKiroNeeds, {kKiro}},
    StorePlan{"kiro", kKiroOldNeeds, {kKiroOld}},
    StorePlan{"zed", kZedNeeds, {kZed}},
    StorePlan{"mastra", kMastraNeeds, {kMastra}, kMastraInUse},
    StorePlan{"vercel-ai", kMastraMemoryNeeds, {kMastraMemory}},
};

}  // namespace

std::vector<std::string> stored_chats(const std::string& path, std::vector<std::string> chats) {
    constexpr std::size_t kLongest = 4096;  // bytes: of a key
    Database db(path, kLongest);
    if (!db.problem().empty() || !db.has("cursorDiskKV", "key")) return {};
    // A transcript tells of a chat with bubbles only: a composer without any may be kept elsewhere.
    Statement bubble = db.prepare("SELECT 1 FROM cursorDiskKV WHERE key >= ?1 AND key < ?2 LIMIT 1");
    if (!bubble) return {};
    std::erase_if(chats, [&](const std::string& chat) { return !keeps_chat(db, bubble, chat); });
    return chats;
}

std::span<const StorePlan> store_plans() { return kPlans; }

std::string from_hex(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
        const int high = hex_digit(text[i]), low = hex_digit(text[i + 1]);
        if (high < 0 || low < 0) break;
        out.push_back(static_cast<char>(high << 4 | low));
    }
    return out;
}

}  // namespace agent_audit::readers
