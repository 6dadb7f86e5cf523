#pragma once

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

namespace agent_audit::test {

/// Bytes that go into a column as a BLOB.
struct Blob {
    std::string bytes;
};
using Cell = std::variant<std::nullptr_t, std::int64_t, double, std::string, Blob>;

/// A database that a test writes.
class StoreFile {
public:
    explicit StoreFile(const std::string& path) { REQUIRE(::sqlite3_open(path.c_str(), &db_) == SQLITE_OK); }
    ~StoreFile() { close(); }
    StoreFile(const StoreFile&) = delete;
    StoreFile& operator=(const StoreFile&) = delete;

    void close() {
        ::sqlite3_close(db_);
        db_ = nullptr;
    }

    StoreFile& run(const std::string& sql) {
        char* why = nullptr;
        const int code = ::sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, &why);
        const std::string text = why ? why : "";
        ::sqlite3_free(why);
        REQUIRE_MESSAGE(code == SQLITE_OK, sql << ": " << text);
        return *this;
    }

    /// One row; `into` is "table" or "table(column, …)".
    StoreFile& add(const std::string& into, std::initializer_list<Cell> cells) {
        std::string sql = "INSERT INTO " + into + " VALUES (";
        for (std::size_t i = 0; i < cells.size(); ++i) sql += i == 0 ? "?" : ",?";
        sqlite3_stmt* row = nullptr;
        REQUIRE_MESSAGE(::sqlite3_prepare_v2(db_, (sql + ")").c_str(), -1, &row, nullptr) == SQLITE_OK, sql);
        int index = 0;
        for (const Cell& cell : cells) bind(row, ++index, cell);
        CHECK(::sqlite3_step(row) == SQLITE_DONE);
        ::sqlite3_finalize(row);
        return *this;
    }

private:
    static void bind(sqlite3_stmt* row, int index, const Cell& cell) {
        if (const auto* n = std::get_if<std::int64_t>(&cell)) ::sqlite3_bind_int64(row, index, *n);
        if (const auto* d = std::get_if<double>(&cell)) ::sqlite3_bind_double(row, index, *d);
        if (const auto* s = std::get_if<std::string>(&cell))
            ::sqlite3_bind_text64(row, index, s->data(), s->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
        if (const auto* b = std::get_if<Blob>(&cell))
            ::sqlite3_bind_blob64(row, index, b->bytes.data(), b->bytes.size(), SQLITE_TRANSIENT);
    }

    sqlite3* db_ = nullptr;
};

// The layouts of the stores, as far as they matter.
inline constexpr const char* kOpencodeTables =
    "CREATE TABLE session(id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT, version TEXT, "
    "time_created INTEGER, time_updated INTEGER);"
    "CREATE TABLE message(id TEXT PRIMARY KEY, session_id TEXT NOT NULL, time_created INTEGER, data TEXT NOT NULL);"
    "CREATE TABLE part(id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT, time_created INTEGER, data TEXT);"
    "CREATE INDEX m ON message(session_id); CREATE INDEX p ON part(message_id);";
inline constexpr const char* kGooseTables =
    "CREATE TABLE sessions(id TEXT PRIMARY KEY, description TEXT, session_type TEXT, working_dir TEXT, created_at TIMESTAMP, "
    "total_tokens INTEGER, accumulated_input_tokens INTEGER, accumulated_output_tokens INTEGER, model_config_json TEXT, "
    "parent_session_id TEXT);"
    "CREATE TABLE messages(id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT NOT NULL, role TEXT, "
    "content_json TEXT NOT NULL, created_timestamp INTEGER, metadata_json TEXT);"
    "CREATE INDEX s ON messages(session_id);";
inline constexpr const char* kCrushTables =
    "CREATE TABLE sessions(id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT, prompt_tokens INTEGER, "
    "completion_tokens INTEGER, cost REAL, updated_at INTEGER, created_at INTEGER);"
    "CREATE TABLE messages(id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts TEXT, model TEXT, created_at INTEGER, "
    "updated_at INTEGER, is_summary_message INTEGER);"
    "CREATE INDEX s ON messages(session_id);"
    "CREATE TRIGGER t AFTER INSERT ON messages BEGIN UPDATE sessions SET updated_at = 0 WHERE id = new.session_id; END;";
inline constexpr const char* kHermesTables =
    "CREATE TABLE sessions(id TEXT PRIMARY KEY, source TEXT, model TEXT, cwd TEXT, parent_session_id TEXT, started_at REAL, "
    "input_tokens INTEGER, output_tokens INTEGER, cache_read_tokens INTEGER);"
    "CREATE TABLE messages(id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT, content TEXT, "
    "tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL, finish_reason TEXT, reasoning TEXT);"
    "CREATE INDEX s ON messages(session_id);";
inline constexpr const char* kOpenclawTables =
    "CREATE TABLE session_nodes(session_key TEXT PRIMARY KEY, current_session_id TEXT, entry_json TEXT);"
    "CREATE TABLE transcript_events(session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT, created_at INTEGER, "
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
    "CREATE TABLE threads(id TEXT PRIMARY KEY, summary TEXT, updated_at TEXT, data_type TEXT, data BLOB, parent_id TEXT);";

/// Two sessions of a user's message each; enough where the store itself is not what is tested.
inline void write_opencode(const std::string& path, int messages = 1) {
    StoreFile store(path);
    store.run(kOpencodeTables).run("BEGIN");
    for (const std::string session : {"ses_1", "ses_2"}) {
        store.add("session(id, directory, time_created)", {session, "/home/ada", std::int64_t{1772445600000}});
        for (int i = 0; i < messages; ++i) {
            const std::string id = session + "_msg_" + std::to_string(1000 + i);
            store.add("message(id, session_id, data)", {id, session, R"({"role":"user"})"});
            store.add("part(id, message_id, data)", {id + "p", id, R"({"type":"text","text":"say )" + id + "\"}"});
        }
    }
    store.run("COMMIT");
}

}  // namespace agent_audit::test
