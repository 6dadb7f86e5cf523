#pragma once

namespace agent_audit::test {

// The layouts of the stores, as far as they matter.
inline constexpr const char* kOpencodeTables =
    "CREATE TABLE session(id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT, version "
    "TEXT, "
    "time_created INTEGER, time_updated INTEGER);"
    "CREATE TABLE message(id TEXT PRIMARY KEY, session_id TEXT NOT NULL, time_created INTEGER, data TEXT NOT NULL);"
    "CREATE TABLE part(id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT, time_created INTEGER, data "
    "TEXT);"
    "CREATE INDEX m ON message(session_id); CREATE INDEX p ON part(message_id);";
inline constexpr const char* kGooseTables =
    "CREATE TABLE sessions(id TEXT PRIMARY KEY, description TEXT, session_type TEXT, working_dir TEXT, created_at "
    "TIMESTAMP, "
    "total_tokens INTEGER, accumulated_input_tokens INTEGER, accumulated_output_tokens INTEGER, model_config_json "
    "TEXT, "
    "parent_session_id TEXT);"
    "CREATE TABLE messages(id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT NOT NULL, role TEXT, "
    "content_json TEXT NOT NULL, created_timestamp INTEGER, metadata_json TEXT);"
    "CREATE INDEX s ON messages(session_id);";
inline constexpr const char* kAdkTables =
    "CREATE TABLE sessions(app_name TEXT, user_id TEXT, id TEXT, state TEXT, create_time REAL, update_time REAL, "
    "PRIMARY KEY(app_name, user_id, id));"
    "CREATE TABLE events(id TEXT, app_name TEXT, user_id TEXT, session_id TEXT, invocation_id TEXT, timestamp REAL, "
    "event_data TEXT, PRIMARY KEY(app_name, user_id, session_id, id));";
inline constexpr const char* kAdkOldTables =
    "CREATE TABLE sessions(app_name TEXT, user_id TEXT, id TEXT, state TEXT, PRIMARY KEY(app_name, user_id, id));"
    "CREATE TABLE events(id TEXT, app_name TEXT, user_id TEXT, session_id TEXT, invocation_id TEXT, author TEXT, "
    "actions BLOB, branch TEXT, timestamp DATETIME, content TEXT, usage_metadata TEXT, error_code TEXT, error_message "
    "TEXT, PRIMARY KEY(id, app_name, user_id, session_id));";
inline constexpr const char* kCrushTables =
    "CREATE TABLE sessions(id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT, prompt_tokens INTEGER, "
    "completion_tokens INTEGER, cost REAL, updated_at INTEGER, created_at INTEGER);"
    "CREATE TABLE messages(id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts TEXT, model TEXT, created_at "
    "INTEGER, "
    "updated_at INTEGER, is_summary_message INTEGER, prism_model_id TEXT);"
    "CREATE INDEX s ON messages(session_id);"
    "CREATE TRIGGER t AFTER INSERT ON messages BEGIN UPDATE sessions SET updated_at = 0 WHERE id = new.session_id; "
    "END;";
inline constexpr const char* kHermesTables =
    "CREATE TABLE sessions(id TEXT PRIMARY KEY, source TEXT, model TEXT, cwd TEXT, parent_session_id TEXT, started_at "
    "REAL, "
    "input_tokens INTEGER, output_tokens INTEGER, cache_read_tokens INTEGER);"
    "CREATE TABLE messages(id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT, content TEXT, "
    "tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL, finish_reason TEXT, reasoning TEXT);"
    "CREATE INDEX s ON messages(session_id);";
inline constexpr const char* kOpenclawTables =
    "CREATE TABLE session_nodes(session_key TEXT PRIMARY KEY, current_session_id TEXT, entry_json TEXT);"
    "CREATE TABLE transcript_events(session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT, created_at "
    "INTEGER, "
    "event_zstd BLOB, event_utf8_bytes INTEGER, PRIMARY KEY(session_id, seq));";
inline constexpr const char* kCursorTables =
    "CREATE TABLE ItemTable(key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);"
    "CREATE TABLE cursorDiskKV(key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);";
inline constexpr const char* kCursorCliTables =
    "CREATE TABLE blobs(id TEXT PRIMARY KEY, data BLOB); CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT);";
inline constexpr const char* kKiroTables =
    "CREATE TABLE conversations(key TEXT PRIMARY KEY, value TEXT);"
    "CREATE TABLE conversations_v2(key TEXT NOT NULL, conversation_id TEXT NOT NULL, value TEXT NOT NULL, "
    "created_at INTEGER, updated_at INTEGER, PRIMARY KEY(key, conversation_id));";
inline constexpr const char* kZedTables =
    "CREATE TABLE threads(id TEXT PRIMARY KEY, summary TEXT, updated_at TEXT, data_type TEXT, data BLOB, parent_id "
    "TEXT);";

inline constexpr const char* kMastraTables =
    "CREATE TABLE mastra_ai_spans(traceId TEXT, spanId TEXT, parentSpanId TEXT, name TEXT, spanType TEXT, entityId "
    "TEXT, "
    "entityName TEXT, threadId TEXT, startedAt TEXT, endedAt TEXT, attributes TEXT, metadata TEXT, input TEXT, output "
    "TEXT, error TEXT, PRIMARY KEY (traceId, spanId));";

}  // namespace agent_audit::test
