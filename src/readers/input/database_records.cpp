#include "readers/input/database_records.hpp"

#include "readers/input/buffers.hpp"
#include "readers/input/jsonb.hpp"
#include "readers/json/json_bytes.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace agent_audit::readers {
namespace {

constexpr std::size_t kMostSessions = 1'000'000;
constexpr std::size_t kLongestRecord = (1u << 30) - 1;
/// Rows begin behind the header of the file, so to speak: nothing of a database stands at offset 0.
constexpr std::uint64_t kHeaderBytes = 100;
constexpr std::size_t kPeekBytes = 1u << 20;
constexpr std::size_t kKeepUnpacked = 1u << 20;

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

bool is_json_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789+-.eE") == text.npos &&
           (text[0] == '-' || (text[0] >= '0' && text[0] <= '9'));
}

}  // namespace

DatabaseRecords::DatabaseRecords(const std::string& path, std::uint32_t file_index, const InputLimits& limits,
                                 InputBuffers& buffers)
    : db_(path, std::min(limits.max_record_bytes, kLongestRecord)),
      buffer_(buffers.impl().records),
      decoders_(buffers.impl().decoders),
      limits_(limits),
      max_record_(std::clamp<std::size_t>(limits.max_record_bytes, 1, kLongestRecord)),
      file_(file_index) {
    if (!buffer_.reserve(max_record_ + kRecordPadding)) {
        over_ = true;
        error_ = "not enough memory for records of " + std::to_string(max_record_) + " bytes";
        return;
    }
    if (db_.usable()) choose_plans();
    if (!db_.usable()) {
        end();
    } else if (plans_.empty()) {
        over_ = foreign_ = true;
        error_ = "a SQLite database, but without the tables of a session store that is known here";
    }
}

DatabaseRecords::~DatabaseRecords() { buffer_.shrink_to(0); }

// ---- which rows -------------------------------------------------------------------------------------------

void DatabaseRecords::choose_plans() {
    for (const StorePlan& plan : store_plans()) {
        if (!format_.empty() && plan.format != format_) continue;
        const bool fits =
            std::ranges::all_of(plan.needs, [this](const StoreNeed& need) { return db_.has(need.table, need.column); });
        if (!fits || (!plan.in_use.empty() && !any_row(plan.in_use))) continue;
        plans_.push_back(&plan);
        format_ = plan.format;
        if (!plan.in_use.empty()) return;
    }
}

bool DatabaseRecords::any_row(std::string_view sql) {
    Statement statement = db_.prepare(sql);
    return statement && db_.step(statement) == Outcome::row;
}

/// Columns that this version of the store does not have are left out.
std::string DatabaseRecords::row_statement(const StoreLevel& level) {
    std::string sql = "SELECT ";
    for (const TakenColumn& column : level.columns) {
        if (sql.size() > 7) sql += ", ";
        sql += db_.has(level.table, column.column) ? column.column : std::string_view("NULL");
    }
    return sql.append(" FROM ").append(level.table).append(" WHERE ").append(level.where);
}

bool DatabaseRecords::open_levels(const StoreChain& chain) {
    cursors_.clear();
    for (const StoreLevel& level : chain.levels) {
        Cursor& cursor = cursors_.emplace_back();
        cursor.level = &level;
        if (!level.list) cursor.keys = db_.prepare(level.keys);
        if (!level.columns.empty()) cursor.row = db_.prepare(row_statement(level));
    }
    return db_.usable();
}

/// They are few and short, and read at once: so nothing is locked between one session and the next.
bool DatabaseRecords::list_sessions() {
    sessions_.clear();
    next_session_ = 0;
    Cursor& top = cursors_.front();
    Key key;
    while (sessions_.size() < kMostSessions && next_key(top, key)) sessions_.push_back(std::move(key));
    if (sessions_.size() == kMostSessions && next_key(top, key) && !error_)
        error_ = "reading stopped after the first million of its rows";
    top.keys.reset();
    return db_.usable();
}

bool DatabaseRecords::next_chain() {
    if (next_plan_ == plans_.size()) return false;
    return open_levels(plans_[next_plan_++]->chain) && list_sessions();
}

void DatabaseRecords::descend(std::size_t level, DatabaseValue above) {
    Cursor& cursor = cursors_[level];
    cursor.above = std::move(above);
    if (cursor.level->list) {
        cursor.listed = cursor.level->list(db_, text_of(cursor.above));
        cursor.next_listed = 0;
    } else {
        cursor.keys.bind(1, cursor.above.get());
    }
    depth_ = level;
}

bool DatabaseRecords::next_key(Cursor& cursor, Key& key) {
    if (!cursor.keys) return cursor.next_listed < cursor.listed.size();
    if (db_.step(cursor.keys) != Outcome::row) return false;
    key.key = cursor.keys.value(0);
    key.below = cursor.keys.columns() > 1 ? cursor.keys.value(1) : DatabaseValue{};
    return true;
}

// ---- one after the other ------------------------------------------------------------------------------------

RecordSource::Next DatabaseRecords::next(Record& out) {
    if (peeked_.empty()) return advance(out);
    Kept first = std::move(peeked_.front());
    peeked_.pop_front();
    return hand_out(std::move(first), out);
}

std::vector<Record> DatabaseRecords::peek(std::size_t max_records) {
    std::size_t kept = 0;
    for (const Kept& one : peeked_) kept += one.text.size();
    while (peeked_.size() < max_records && kept < kPeekBytes) {
        Record record;
        const Next next = advance(record);
        if (next == Next::end) break;
        peeked_.push_back(keep(record, next));
        kept += peeked_.back().text.size();
    }
    std::vector<Record> found;
    for (const Kept& one : peeked_) {
        if (one.next != Next::record || found.size() == max_records) continue;
        found.push_back(one.record);
        found.back().text = std::string_view(one.text).substr(0, one.text.size() - kRecordPadding);
    }
    return found;
}

DatabaseRecords::Kept DatabaseRecords::keep(const Record& record, Next next) const {
    Kept kept{std::string(record.text), record, next};
    kept.text.resize(kept.text.size() + kRecordPadding);
    return kept;
}

RecordSource::Next DatabaseRecords::hand_out(Kept kept, Record& out) {
    handed_out_ = std::move(kept);
    out = handed_out_.record;
    out.text = std::string_view(handed_out_.text).substr(0, handed_out_.text.size() - kRecordPadding);
    return handed_out_.next;
}

RecordSource::Next DatabaseRecords::advance(Record& out) {
    buffer_.shrink_to(0);
    if (unpacked_.capacity() > kKeepUnpacked) unpacked_ = {};
    if (pending_) return hand_out(*std::exchange(pending_, std::nullopt), out);
    Next next = Next::end;
    while (!over_ && db_.usable()) {
        if (depth_ > 0 ? advance_below(out, next) : advance_session(out, next)) return next;
        if (depth_ == 0 && next_session_ == sessions_.size() && !next_chain()) break;
    }
    return end();
}

RecordSource::Next DatabaseRecords::end() {
    if (!over_) {
        over_ = true;
        for (Cursor& cursor : cursors_) cursor = {};
        db_.check_unchanged();
    }
    if (!error_ && !db_.problem().empty()) error_ = db_.problem();
    return Next::end;
}

/// The next row of the level under way; false when it is over.
bool DatabaseRecords::advance_below(Record& out, Next& next) {
    Cursor& cursor = cursors_[depth_];
    Key key;
    if (!next_key(cursor, key)) {
        if (cursor.keys) cursor.keys.reset();
        --depth_;
        return false;
    }
    next = make_record(cursor, key.key, out);
    if (next == Next::end) return false;
    if (std::exchange(header_due_, false)) next = put_header_before(next, out, cursor);
    if (depth_ + 1 < cursors_.size()) descend(depth_ + 1, std::move(key.below));
    return true;
}

/// The next session and its own row; false when it has none, or there are no more.
bool DatabaseRecords::advance_session(Record& out, Next& next) {
    if (next_session_ == sessions_.size()) return false;
    Key& session = sessions_[next_session_++];
    const bool has_row = !cursors_.front().level->columns.empty();
    if (has_row) next = make_record(cursors_.front(), session.key, out);
    if (cursors_.size() > 1) descend(1, std::move(session.below));
    header_due_ = plans_[next_plan_ - 1]->chain.wants_header;
    return has_row && next != Next::end;
}

RecordSource::Next DatabaseRecords::put_header_before(Next next, Record& out, const Cursor& cursor) {
    if (next == Next::record && ProbeRecord(out.text).text("type") == "session") return next;
    pending_ = keep(out, next);
    size_ = 0;
    too_long_ = false;
    put(R"({"type":"session","id":)");
    put_string(text_of(cursor.above));
    put("}");
    --line_;
    bytes_ -= pending_->record.where.length;
    const Next header = finished(out, Next::record);
    pending_->record.where.line = ++line_;
    pending_->record.where.offset = kHeaderBytes + bytes_;
    bytes_ += pending_->record.where.length;
    return header;
}

RecordSource::Next DatabaseRecords::finished(Record& out, Next next) {
    if (next == Next::record && too_long_) next = Next::too_long;
    if (unreadable_) size_ = 0;
    std::memset(buffer_.data() + size_, 0, kRecordPadding);
    out.text = {buffer_.data(), next == Next::record ? size_ : 0};
    out.where = {file_, static_cast<std::uint32_t>(size_), ++line_, kHeaderBytes + bytes_};
    out.last_unterminated = false;
    bytes_ += size_;
    db_.count_row();
    return next;
}

// ---- one record -------------------------------------------------------------------------------------------

RecordSource::Next DatabaseRecords::make_record(Cursor& cursor, const DatabaseValue& key, Record& out) {
    size_ = 0;
    too_long_ = unreadable_ = false;
    Statement& row = cursor.row;
    row.bind(1, cursor.above.get());
    if (cursor.level->list)
        row.bind(2, cursor.listed[cursor.next_listed++]);
    else
        row.bind(2, key.get());
    Next next = Next::record;
    switch (db_.step(row)) {
        case Outcome::row: build(cursor, true); break;
        case Outcome::done: build(cursor, false); break;  // listed, but not there
        case Outcome::too_long: next = Next::too_long; break;
        case Outcome::damaged: unreadable_ = true; break;
        case Outcome::failed: next = Next::end; break;
    }
    row.reset();
    return next == Next::end ? next : finished(out, next);
}

void DatabaseRecords::build(Cursor& cursor, bool has_row) {
    bool first = true;
    if (!cursor.level->row.empty()) {
        put_key("row", first);
        put_string(cursor.level->row);
    }
    bool closed = false;
    for (std::size_t i = 0; has_row && !closed && i < cursor.level->columns.size(); ++i)
        closed = put_column(cursor.row, static_cast<int>(i), cursor.level->columns[i], first);
    if (!closed) put(first ? "{}" : "}");
}

/// True when the column closed the record.
bool DatabaseRecords::put_column(Statement& row, int index, const TakenColumn& column, bool& first) {
    if (row.is_null(index)) return false;
    if (column.take == Take::number && !row.is_number(index)) return false;
    std::string_view text = row.bytes(index);
    switch (column.take) {
        case Take::text:
            put_key(column.key, first);
            put_string(text);
            return false;
        case Take::number:
            if (!is_json_number(text)) return false;
            put_key(column.key, first);
            put(text);
            return false;
        case Take::jsonb:
            if (row.is_blob(index)) {
                unpacked_.clear();
                if (append_jsonb(text, unpacked_)) text = unpacked_;  // or text after all, or a record that is broken
            }
            [[fallthrough]];
        case Take::json:
            text = trimmed(text);
            if (text.empty()) return false;
            put_key(column.key, first);
            put(text);
            return false;
        case Take::hex:
            if (!text.starts_with('{')) {
                unpacked_ = from_hex(text);
                text = unpacked_;
            }
            put_document(text, first);
            return true;
        case Take::document: put_document(unpacked(text), first); return true;
    }
    return false;
}

void DatabaseRecords::put(std::string_view text) {
    if (too_long_ || text.size() > max_record_ - size_) {
        too_long_ = true;
        return;
    }
    buffer_.grow_to(size_ + text.size() + kRecordPadding);
    if (!text.empty())
        std::memcpy(buffer_.data() + size_, text.data(), text.size());  // an empty view may have no address
    size_ += text.size();
}

void DatabaseRecords::put_key(std::string_view key, bool& first) {
    put(first ? "{\"" : ",\"");
    put(key);
    put("\":");
    first = false;
}

void DatabaseRecords::put_string(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    put("\"");
    std::size_t plain = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c >= 0x20 && c != '"' && c != '\\') continue;
        put(text.substr(plain, i - plain));
        plain = i + 1;
        const char escaped[] = {'\\', 'u', '0', '0', kDigits[c >> 4], kDigits[c & 15]};
        if (c == '\n')
            put("\\n");
        else if (c == '"' || c == '\\')
            put({c == '"' ? "\\\"" : "\\\\", 2});
        else
            put({escaped, sizeof escaped});
    }
    put(text.substr(plain));
    put("\"");
}

/// The fields of a document behind those that are there already. What is no object stays what it is.
void DatabaseRecords::put_document(std::string_view text, bool& first) {
    text = trimmed(text);
    if (std::exchange(first, false)) return put(text);
    if (!text.starts_with('{')) {
        put(",\"value\":");
        put(text);
        return put("}");
    }
    text.remove_prefix(1);
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    if (!text.starts_with('}')) put(",");
    put(text);
}

std::string_view DatabaseRecords::unpacked(std::string_view text) {
    if (compression_of(text) != Compression::zstd) return text;
    const std::string_view beginning = text.substr(0, kDecoderInput);
    const auto bytes = decoded_bytes(Compression::zstd, memory_bytes(text.substr(beginning.size()), kDecoderInput),
                                     beginning, limits_, decoders_);
    constexpr std::size_t kPiece = 64u << 10;
    unpacked_.clear();
    for (;;) {
        const std::size_t have = unpacked_.size();
        unpacked_.resize(have + kPiece);
        const std::size_t got = bytes->read(unpacked_.data() + have, kPiece);
        unpacked_.resize(have + got);
        if (got == 0) break;
        if (unpacked_.size() > max_record_) {
            too_long_ = true;
            return {};
        }
    }
    unreadable_ = bytes->error().has_value();
    return unpacked_;
}

}  // namespace agent_audit::readers
