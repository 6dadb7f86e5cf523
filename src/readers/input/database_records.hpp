#pragma once

#include "readers/input/database.hpp"
#include "readers/input/decoders.hpp"
#include "readers/input/record_buffer.hpp"
#include "readers/input/store_plan.hpp"

#include <agent_audit/readers/input.hpp>

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace agent_audit::readers {

/// The rows of an agent's database as records: a session's own row, then its messages in order, each followed by what
/// belongs to it. One row is held at a time; between two sessions nothing of the database is locked.
class DatabaseRecords final : public RecordSource {
public:
    DatabaseRecords(const std::string& path, std::uint32_t file_index, const InputLimits& limits,
                    InputBuffers& buffers);
    ~DatabaseRecords() override;

    std::vector<Record> peek(std::size_t max_records) override;
    Framing framing() const override { return Framing::lines; }
    bool has_lines() const override { return false; }
    Next next(Record& out) override;
    const std::optional<std::string>& error() const override { return error_; }
    std::uint64_t bytes() const override { return bytes_; }
    bool looks_binary() const override { return false; }
    std::string_view stored_format() const override { return format_; }
    bool withheld() const override { return db_.withheld(); }
    bool foreign() const override { return foreign_; }

private:
    /// A row of a level above the records: its key, and what the level below calls ?1.
    struct Key {
        DatabaseValue key, below;
    };
    /// A level of the chain under way.
    struct Cursor {
        const StoreLevel* level = nullptr;
        Statement keys, row;
        std::vector<std::string> listed;  // with StoreLevel::list
        std::size_t next_listed = 0;
        DatabaseValue above;
    };
    /// A record that waits to be handed out.
    struct Kept {
        std::string text;
        Record record;
        Next next = Next::end;
    };

    void choose_plans();
    bool any_row(std::string_view sql);
    bool next_chain();
    bool open_levels(const StoreChain& chain);
    bool list_sessions();
    std::string row_statement(const StoreLevel& level);
    void descend(std::size_t level, DatabaseValue above);
    bool next_key(Cursor& cursor, Key& key);

    Next advance(Record& out);
    bool advance_below(Record& out, Next& next);
    bool advance_session(Record& out, Next& next);
    Next make_record(Cursor& cursor, const DatabaseValue& key, Record& out);
    Next put_header_before(Next next, Record& out, const Cursor& cursor);
    Next finished(Record& out, Next next);
    Next hand_out(Kept kept, Record& out);
    Kept keep(const Record& record, Next next) const;
    Next end();

    void build(Cursor& cursor, bool has_row);
    bool put_column(Statement& row, int index, const TakenColumn& column, bool& first);
    void put(std::string_view text);
    void put_string(std::string_view text);
    void put_key(std::string_view key, bool& first);
    void put_document(std::string_view text, bool& first);
    std::string_view unpacked(std::string_view text);

    Database db_;
    RecordBuffer& buffer_;
    Decoders& decoders_;
    InputLimits limits_;
    std::size_t max_record_;
    std::uint32_t file_;

    std::string format_;
    std::vector<const StorePlan*> plans_;
    std::size_t next_plan_ = 0;
    std::vector<Key> sessions_;
    std::size_t next_session_ = 0;
    std::vector<Cursor> cursors_;  // by level
    std::size_t depth_ = 0;        // cursors under way: levels 1 … depth_
    bool header_due_ = false;

    std::size_t size_ = 0;  // of the record being built
    bool too_long_ = false;
    bool unreadable_ = false;  // a part of it was compressed, and cannot be unpacked
    std::string unpacked_;
    std::optional<Kept> pending_;
    std::deque<Kept> peeked_;
    Kept handed_out_;
    std::uint64_t line_ = 0;
    std::uint64_t bytes_ = 0;
    bool over_ = false;
    bool foreign_ = false;
    std::optional<std::string> error_;
};

}  // namespace agent_audit::readers
