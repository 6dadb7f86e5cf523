#pragma once

#include <agent_audit/support/result.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;
struct sqlite3_value;

namespace agent_audit::readers {

/// How every SQLite database begins.
inline constexpr std::string_view kDatabaseMagic{"SQLite format 3\0", 16};

/// What a step of a statement or the opening of a database came to.
enum class Outcome : std::uint8_t {
    row,
    done,
    too_long,  ///< a value beyond the limit: this row only
    damaged,   ///< this row or page cannot be read; others perhaps
    failed,    ///< no use in going on: busy, out of memory, not to be read without writing
};

struct CloseDatabase {
    void operator()(sqlite3* db) const;
};
struct FinalizeStatement {
    void operator()(sqlite3_stmt* statement) const;
};
struct FreeValue {
    void operator()(sqlite3_value* value) const;
};
/// A value that outlives the row it came from.
using DatabaseValue = std::unique_ptr<sqlite3_value, FreeValue>;
/// Its text; empty for none.
std::string_view text_of(const DatabaseValue& value);

/// One prepared SELECT. Views into its columns live until the next step or reset.
class Statement {
public:
    Statement() = default;
    explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
    explicit operator bool() const { return statement_ != nullptr; }

    void bind(int index, const sqlite3_value* value);
    void bind(int index, std::string_view text);
    Outcome step();
    /// Gives back the row and, when no other statement is under way, the lock.
    void reset();

    bool is_null(int column) const;
    /// Text or blob as it stands; numbers as SQLite writes them.
    std::string_view bytes(int column);
    bool is_number(int column) const;
    bool is_blob(int column) const;
    int columns() const;
    /// A copy; nothing for a value that is too long to be a key.
    DatabaseValue value(int column);

private:
    std::unique_ptr<sqlite3_stmt, FinalizeStatement> statement_;
};

/// A database opened for reading: nothing beside it is made, nothing in it is changed, and whoever writes to it is
/// waited for a moment only. What its schema says is not trusted: no views, triggers, extensions or odd functions.
class Database {
public:
    /// Opens what `path` names. Values of more than `longest` bytes are not read.
    Database(const std::string& path, std::size_t longest);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    /// Why it could not be opened, or what went wrong last; empty when nothing did.
    const std::string& problem() const { return problem_; }
    /// There is something here, but not now: busy, or in need of its owner.
    bool withheld() const { return withheld_; }
    /// False when a statement failed for good.
    bool usable() const { return usable_; }

    /// An ordinary table of that name with that column.
    bool has(std::string_view table, std::string_view column);
    /// `sql` is ours, never the database's.
    Statement prepare(std::string_view sql);
    /// Steps, and remembers what goes wrong.
    Outcome step(Statement& statement);
    /// Tells that a row was handed out: work is allowed in proportion to what it gives. A database that gives more rows
    /// than its files have bytes is damaged, and of no use from there on.
    void count_row();
    /// To be asked at the end: what was read without a lock must not have been written to meanwhile.
    void check_unchanged();

private:
    struct Identity {
        std::int64_t size = -1, seconds = 0, nanoseconds = 0, wal_size = 0;
        bool operator==(const Identity&) const = default;
    };
    static Identity identity_of(const std::string& path);
    static int on_progress(void* self);

    bool choose_mode(const std::string& path, std::string& uri);
    void restrict(std::size_t longest);
    void read_schema();
    void fail(int code);

    std::unique_ptr<sqlite3, CloseDatabase> db_;
    Statement look_;    // for a table
    std::string path_;  // as the system resolves it
    std::string problem_;
    Identity before_;
    std::uint64_t work_ = 0, allowed_ = 0, rows_ = 0;
    bool immutable_ = false;
    bool withheld_ = false;
    bool usable_ = true;
};

}  // namespace agent_audit::readers
