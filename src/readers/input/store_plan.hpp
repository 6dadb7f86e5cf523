#pragma once

#include "readers/input/database.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::readers {

/// How a column becomes a part of a record.
enum class Take : std::uint8_t {
    text,      ///< a JSON string
    number,    ///< a number; anything else is left out
    json,      ///< JSON as it stands, under a name
    jsonb,     ///< the same, or what SQLite keeps in place of it (jsonb.hpp)
    document,  ///< JSON whose fields become those of the record; of several such columns the first that is not null
    hex,       ///< the same, written in hexadecimal digits
};

struct TakenColumn {
    std::string_view column;
    std::string_view key;  ///< its name in the record
    Take take = Take::text;
};

/// The rows of one table that belong to a session, or to a row of one.
struct StoreLevel {
    std::string_view table;
    std::string_view row;    ///< value of the record's "row"; empty: none
    std::string_view keys;   ///< SELECT key [, what the level below calls ?1]; ?1 is what the level above gave
    std::string_view where;  ///< of one row: ?1 as above, ?2 its key
    std::span<const TakenColumn> columns;  ///< empty: its rows are no records
    /// In place of `keys` where SQL cannot tell: the keys, in order.
    std::vector<std::string> (*list)(Database& db, std::string_view above) = nullptr;
};

/// The levels of one kind of session, sessions first.
struct StoreChain {
    std::span<const StoreLevel> levels;
    /// The first record of a session should be {"type":"session",…}; where it is not, one is put before it.
    bool wants_header = false;
};

struct StoreNeed {
    std::string_view table, column;
};

/// A database of an agent: how to know it, and in which order its rows are records.
struct StorePlan {
    std::string_view format;  ///< id of the reader
    std::span<const StoreNeed> needs;
    StoreChain chain;
    /// A SELECT that gives a row once these tables are in use. They hold then what was in the older ones of the format
    /// too, which are left as they were: plans behind this one are not for this database. Without a row this plan is
    /// not.
    std::string_view in_use = {};
};

/// Bytes written in hexadecimal digits, up to the first that is none.
std::string from_hex(std::string_view text);

/// Which of these chats the editor's database at `path` keeps with what was said in them.
std::vector<std::string> stored_chats(const std::string& path, std::vector<std::string> chats);

/// All of them. A database may hold several chains of one format; the first plan that fits names the format.
std::span<const StorePlan> store_plans();

}  // namespace agent_audit::readers
