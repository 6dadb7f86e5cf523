#include "readers/input/database.hpp"

#include "readers/input/byte_source.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <utility>

namespace agent_audit::readers {
namespace {

constexpr int kPatienceMs = 1000;
/// Schemas and our own statements must fit, however small the records may be.
constexpr std::size_t kLeastLength = 1u << 20;
/// Steps of SQLite's machine: what a table of a few million rows takes to be searched, and what a row may cost.
constexpr int kWorkStep = 100'000;
constexpr std::uint64_t kFreeWork = 200'000'000;
constexpr std::uint64_t kWorkPerRow = 4'000;

std::string resolved(const std::string& path) {
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
    return real ? std::string(real.get()) : path;
}

std::int64_t size_of(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 ? static_cast<std::int64_t>(status.st_size) : -1;
}

/// The header says whether changes go to a write-ahead log.
bool uses_wal(const std::string& path) {
    std::array<char, 20> header{};
    const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    const bool read = fd && ::pread(fd.get(), header.data(), header.size(), 0) == static_cast<ssize_t>(header.size());
    return read && (header[18] == 2 || header[19] == 2);
}

std::string uri_of(const std::string& path) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string uri = path.starts_with('/') ? "file://" : "file:";
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
                           c == '.' || c == '-' || c == '_';
        if (plain)
            uri += c;
        else
            (uri += '%', uri += kDigits[byte >> 4], uri += kDigits[byte & 15]);
    }
    return uri;
}

}  // namespace

void CloseDatabase::operator()(sqlite3* db) const { ::sqlite3_close_v2(db); }
void FinalizeStatement::operator()(sqlite3_stmt* statement) const { ::sqlite3_finalize(statement); }
void FreeValue::operator()(sqlite3_value* value) const { ::sqlite3_value_free(value); }

std::string_view text_of(const DatabaseValue& value) {
    if (!value) return {};
    const auto* text = reinterpret_cast<const char*>(::sqlite3_value_text(value.get()));
    const int size = ::sqlite3_value_bytes(value.get());
    return text && size > 0 ? std::string_view(text, static_cast<std::size_t>(size)) : std::string_view{};
}

// ---- statements -------------------------------------------------------------------------------------------

void Statement::bind(int index, const sqlite3_value* value) {
    if (value)
        ::sqlite3_bind_value(statement_.get(), index, value);
    else
        ::sqlite3_bind_null(statement_.get(), index);
}

void Statement::bind(int index, std::string_view text) {
    ::sqlite3_bind_text64(statement_.get(), index, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

void Statement::reset() { ::sqlite3_reset(statement_.get()); }

bool Statement::is_blob(int column) const { return ::sqlite3_column_type(statement_.get(), column) == SQLITE_BLOB; }
bool Statement::is_null(int column) const { return ::sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }

bool Statement::is_number(int column) const {
    const int type = ::sqlite3_column_type(statement_.get(), column);
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

std::string_view Statement::bytes(int column) {
    sqlite3_stmt* const s = statement_.get();
    // Text first: in a database in UTF-16 it is converted.
    const bool blob = ::sqlite3_column_type(s, column) == SQLITE_BLOB;
    const void* const data =
        blob ? ::sqlite3_column_blob(s, column) : static_cast<const void*>(::sqlite3_column_text(s, column));
    const int size = ::sqlite3_column_bytes(s, column);
    return data && size > 0 ? std::string_view(static_cast<const char*>(data), static_cast<std::size_t>(size))
                            : std::string_view{};
}

int Statement::columns() const { return ::sqlite3_column_count(statement_.get()); }

DatabaseValue Statement::value(int column) {
    constexpr int kLongestKey = 4096;
    sqlite3_stmt* const s = statement_.get();
    if (::sqlite3_column_type(s, column) != SQLITE_INTEGER && ::sqlite3_column_bytes(s, column) > kLongestKey)
        return {};
    return DatabaseValue(::sqlite3_value_dup(::sqlite3_column_value(s, column)));
}

Outcome Statement::step() {
    switch (::sqlite3_step(statement_.get()) & 0xff) {
        case SQLITE_ROW: return Outcome::row;
        case SQLITE_DONE: return Outcome::done;
        case SQLITE_TOOBIG: return Outcome::too_long;
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
        case SQLITE_FORMAT:
        case SQLITE_IOERR: return Outcome::damaged;
        default: return Outcome::failed;
    }
}

// ---- the database -----------------------------------------------------------------------------------------

Database::Database(const std::string& path, std::size_t longest) : path_(resolved(path)), before_(identity_of(path_)) {
    std::string uri;
    if (!choose_mode(path_, uri)) return;
    sqlite3* db = nullptr;
    const int code = ::sqlite3_open_v2(
        uri.c_str(), &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE,
        nullptr);
    db_.reset(db);
    if (code != SQLITE_OK || !db) {
        fail(db ? ::sqlite3_extended_errcode(db) : code);
        return;
    }
    restrict(longest);
    read_schema();
}

/// The schema is read now, so that a lock or a damaged first page is known before anything else. SQLite before 3.41
/// takes its own functions of JSON for unsafe, and a schema with an index of them (Kilo) for damaged: it is read once
/// more, trusted. That lets in nothing else, as we have no functions of our own, and views and triggers stay off.
void Database::read_schema() {
    const auto look = [this] {
        Statement first = prepare("SELECT 1 FROM sqlite_schema LIMIT 1");
        if (first) step(first);
        return problem_.empty();
    };
    if (look()) return;
    usable_ = false;
    if ((::sqlite3_errcode(db_.get()) & 0xff) != SQLITE_CORRUPT) return;
    ::sqlite3_db_config(db_.get(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1, nullptr);
    std::string problem = std::exchange(problem_, {});
    usable_ = look();
    if (!usable_) problem_ = std::move(problem);
}

Database::~Database() = default;

Database::Identity Database::identity_of(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return {};
    return {static_cast<std::int64_t>(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
            std::max<std::int64_t>(size_of(path + "-wal"), 0)};
}

/// A reader of a database with a write-ahead log would make files beside it, and leave them there. Without anything
/// in the log it is not needed; with something, its index must be there already and is only looked at.
bool Database::choose_mode(const std::string& path, std::string& uri) {
    uri = uri_of(path) + "?mode=ro";
    if (!uses_wal(path)) return true;
    if (before_.wal_size == 0) {
        immutable_ = true;
        uri += "&immutable=1";
        return true;
    }
    if (size_of(path + "-shm") >= 0) {
        uri += "&readonly_shm=1";
        return true;
    }
    problem_ =
        "its newest rows are in the file that ends in -wal, which cannot be read without writing because the one "
        "that ends in -shm is missing: open it once with the program it belongs to, or scan a copy that was";
    withheld_ = true;
    usable_ = false;
    return false;
}

void Database::restrict(std::size_t longest) {
    sqlite3* const db = db_.get();
    ::sqlite3_extended_result_codes(db, 1);
    ::sqlite3_busy_timeout(db, kPatienceMs);
    for (const int on : {SQLITE_DBCONFIG_DEFENSIVE, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE})
        ::sqlite3_db_config(db, on, 1, nullptr);
    for (const int off : {SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW,
                          SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER})
        ::sqlite3_db_config(db, off, 0, nullptr);
    const std::size_t most = std::clamp<std::size_t>(longest, kLeastLength, std::numeric_limits<int>::max() - 1);
    ::sqlite3_limit(db, SQLITE_LIMIT_LENGTH, static_cast<int>(most));
    ::sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    ::sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
    allowed_ = kFreeWork;
    ::sqlite3_progress_handler(db, kWorkStep, &Database::on_progress, this);
}

int Database::on_progress(void* self) {
    auto* const database = static_cast<Database*>(self);
    database->work_ += kWorkStep;
    return database->work_ > database->allowed_ ? 1 : 0;
}

// No row takes less than a byte. Where an index and its table contradict each other, the same rows could be found for
// ever.
void Database::count_row() {
    allowed_ += kWorkPerRow;
    if (++rows_ <= static_cast<std::uint64_t>(std::max<std::int64_t>(before_.size, 0) + before_.wal_size)) return;
    problem_ = "the database is damaged: it gives more rows than it can hold";
    usable_ = false;
}

// Only SQLite's fixed words: its longer messages quote names out of the database.
void Database::fail(int code) {
    usable_ = false;
    switch (code & 0xff) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            withheld_ = true;
            problem_ = "the database is busy: another program holds it locked (waited 1 s)";
            return;
        case SQLITE_READONLY:
            withheld_ = true;
            problem_ = "the database needs its owner: a write was interrupted, and undoing it would change the file";
            return;
        case SQLITE_CANTOPEN:
            withheld_ = true;
            problem_ = "the database or a file beside it cannot be opened for reading";
            return;
        case SQLITE_INTERRUPT:
            problem_ = "reading stopped: its rows can only be found by searching whole tables again and again";
            return;
        case SQLITE_NOMEM: problem_ = "not enough memory to read the database"; return;
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
        case SQLITE_FORMAT: problem_ = "the database is damaged"; return;
        default: problem_ = std::string("the database cannot be read: ") + ::sqlite3_errstr(code & 0xff); return;
    }
}

Statement Database::prepare(std::string_view sql) {
    if (!db_) return {};
    sqlite3_stmt* statement = nullptr;
    const int code = ::sqlite3_prepare_v3(db_.get(), sql.data(), static_cast<int>(sql.size()),
                                          SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    if (code != SQLITE_OK) {
        const bool schema = (code & 0xff) == SQLITE_ERROR;
        fail(code);
        if (schema) problem_ = "the database is not laid out as its tables' names suggest";
    }
    return Statement(statement);
}

Outcome Database::step(Statement& statement) {
    const Outcome outcome = statement.step();
    if (outcome == Outcome::failed) fail(::sqlite3_extended_errcode(db_.get()));
    if (outcome == Outcome::damaged)
        problem_ = "the database is damaged: what could not be read of it is counted as malformed, or missing";
    return outcome;
}

bool Database::has(std::string_view table, std::string_view column) {
    // Views, and tables that a module of SQLite makes up, have no page of their own.
    if (!look_) look_ = prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1 AND rootpage > 0");
    if (!look_) return false;
    look_.bind(1, table);
    const bool found = step(look_) == Outcome::row;
    look_.reset();
    if (!found) return false;
    return ::sqlite3_table_column_metadata(db_.get(), "main", std::string(table).c_str(), std::string(column).c_str(),
                                           nullptr, nullptr, nullptr, nullptr, nullptr) == SQLITE_OK;
}

void Database::check_unchanged() {
    if (!immutable_ || !problem_.empty() || identity_of(path_) == before_) return;
    problem_ = "the database was written to while it was read: scan it again";
}

}  // namespace agent_audit::readers
