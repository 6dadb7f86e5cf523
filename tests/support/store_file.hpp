#pragma once

#include "support/store_tables.hpp"

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
