#include "readers/input/record_source.hpp"

#include "readers/input/buffers.hpp"
#include "readers/input/database.hpp"
#include "readers/input/framing.hpp"
#include "readers/input/json_bytes.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace agent_audit::readers {
namespace {

/// What framing is decided on, at least.
constexpr std::size_t kLook = 64u << 10;
constexpr std::size_t kLargestChunk = 2u << 20;
/// Over-long lines at the beginning that are passed over in search of a record to peek at.
constexpr std::size_t kPassOver = 16;

/// Spans hold 32-bit lengths, and simdjson reads no more either.
constexpr std::size_t kLongestRecord = std::numeric_limits<std::uint32_t>::max() - (1u << 20);

std::uint32_t span_length(std::uint64_t bytes) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

BufferedRecords::BufferedRecords(std::unique_ptr<ByteSource> bytes, std::uint32_t file_index, const InputLimits& limits,
                                 InputBuffers& buffers)
    : buffer_(buffers.impl().records),
      bytes_(std::move(bytes)),
      max_record_(std::clamp<std::size_t>(limits.max_record_bytes, 1, kLongestRecord)),
      chunk_(std::clamp<std::size_t>(limits.chunk_bytes, 1, kLargestChunk)),
      file_(file_index) {
    // The longest record with its carriage return, or the first look, and a chunk behind it.
    const std::size_t most = std::max(max_record_ + 1, kLook) + chunk_;
    if (buffer_.reserve(most + kRecordPadding)) {
        start(limits, buffers.impl().decoders);
    } else {
        at_end_ = true;
        error_ = "not enough memory for records of " + std::to_string(max_record_) + " bytes";
    }
}

BufferedRecords::~BufferedRecords() { buffer_.shrink_to(0); }

void BufferedRecords::start(const InputLimits& limits, Decoders& decoders) {
    while (end_ < kMagicBytes && !at_end_) read_up_to(kDecoderInput - end_);
    const Compression how = compression_of(unread());
    if (how != Compression::none) {
        bytes_ = decoded_bytes(how, std::move(bytes_), unread(), limits, decoders);
        end_ = 0;
        at_end_ = false;
        error_.reset();
    }
    const std::size_t look = std::max(chunk_, kLook);
    while (end_ < look && !at_end_) read_up_to(look - end_);

    if (unread().starts_with(kDatabaseMagic)) return refuse_database(how != Compression::none);
    skip_byte_order_mark();
    std::string_view text = unread();
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    framing_ = decide_framing(text, at_end_);
    framer_ = ValueFramer(framing_ == Framing::elements);
}

void BufferedRecords::refuse_database(bool compressed) {
    database_ = !compressed;
    at_end_ = true;
    begin_ = end_ = 0;
    error_ = compressed ? "a compressed SQLite database: unpack it first"
                        : "a SQLite database cannot be read from a stream: name its file";
}

// Asked only about inputs that no format fits, so it is found out only then.
bool BufferedRecords::looks_binary() const { return database_ || looks_like_binary(unread()); }

void BufferedRecords::skip_byte_order_mark() {
    if (unread().starts_with("\xef\xbb\xbf")) consume(3);
}

/// One read of at most `size` bytes behind what is there.
void BufferedRecords::read_up_to(std::size_t size) {
    buffer_.grow_to(end_ + size);
    const std::size_t got = bytes_->read(buffer_.data() + end_, size);
    end_ += got;
    if (got > 0) return;
    at_end_ = true;
    error_ = bytes_->error();
}

/// Reads a whole chunk, so that nothing depends on the pieces in which bytes arrive.
void BufferedRecords::fill() {
    compact();
    const std::size_t wanted = end_ + chunk_;
    while (end_ < wanted && !at_end_) read_up_to(wanted - end_);
}

/// Carries what is unread to the front.
void BufferedRecords::compact() {
    if (begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    buffer_.shrink_to(end_);
}

void BufferedRecords::consume(std::size_t bytes) {
    begin_ += bytes;
    offset_ += bytes;
    scanned_ = 0;
}

RecordSource::Next BufferedRecords::next(Record& out) {
    if (begin_ > kBigBuffer) compact();  // a huge record was handed out and is over now
    if (!passed_over_.empty()) {
        out = passed_over_.back();
        passed_over_.pop_back();
        return Next::too_long;
    }
    return framing_ == Framing::lines ? next_line(out) : next_value(out);
}

std::vector<Record> BufferedRecords::peek(std::size_t max_records) {
    if (max_records == 0) return {};
    return framing_ == Framing::lines ? peek_lines(max_records) : peek_values(max_records);
}

Record BufferedRecords::record(std::size_t at, std::size_t length, std::uint64_t line, bool unterminated) const {
    return {{buffer_.data() + at, length}, {file_, span_length(length), line, offset_ + (at - begin_)}, unterminated};
}

/// Looks beyond the first chunk only for the sake of the first record.
bool BufferedRecords::may_read_on(const std::vector<Record>& found) const {
    return found.empty() && !at_end_ && unread().size() <= max_record_ + 1;
}

// Lines.

namespace {

std::string_view without_carriage_return(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

}  // namespace

std::vector<Record> BufferedRecords::peek_lines(std::size_t max_records) {
    pass_over_long_lines();
    std::vector<Record> found;
    std::size_t at = 0;  // within unread()
    std::uint64_t line = line_;
    while (found.size() < max_records) {
        const std::string_view rest = unread().substr(at);
        const std::size_t newline = rest.find('\n');
        const bool last = newline == rest.npos;
        if (last && (rest.empty() || !at_end_)) {
            if (!may_read_on(found)) break;
            fill();
            continue;
        }
        ++line;
        const std::string_view text = without_carriage_return(rest.substr(0, newline));
        if (!is_blank(text) && text.size() <= max_record_)
            found.push_back(record(begin_ + at, text.size(), line, last));
        at += last ? rest.size() : newline + 1;
    }
    return found;
}

/// A log may begin with a line beyond the limit: what follows still tells its format.
void BufferedRecords::pass_over_long_lines() {
    if (!passed_over_.empty()) return;
    while (passed_over_.size() < kPassOver) {
        while (unread().find('\n', scanned_) == std::string_view::npos && !at_end_ &&
               unread().size() <= max_record_ + 1) {
            scanned_ = unread().size();
            fill();
        }
        const std::size_t length = std::min(unread().find('\n', scanned_), unread().size());
        if (without_carriage_return(unread().substr(0, length)).size() <= max_record_) break;
        Record passed;
        skip_line(passed);
        passed_over_.push_back(passed);
    }
    std::ranges::reverse(passed_over_);
}

RecordSource::Next BufferedRecords::next_line(Record& out) {
    for (;;) {
        const char* const from = buffer_.data() + begin_;
        const std::size_t size = end_ - begin_;
        if (const void* const newline = std::memchr(from + scanned_, '\n', size - scanned_)) {
            const auto length = static_cast<std::size_t>(static_cast<const char*>(newline) - from);
            return hand_out_line(out, length, length + 1, false);
        }
        scanned_ = size;
        if (size > max_record_ + 1) return skip_line(out);
        if (at_end_) return size == 0 ? Next::end : hand_out_line(out, size, size, true);
        fill();
    }
}

RecordSource::Next BufferedRecords::hand_out_line(Record& out, std::size_t length, std::size_t used,
                                                  bool unterminated) {
    if (length > 0 && buffer_.data()[begin_ + length - 1] == '\r') --length;
    out = record(begin_, length, ++line_, unterminated);
    consume(used);
    if (length > max_record_) {
        out.text = {};
        return Next::too_long;
    }
    return length == 0 || (is_blank(out.text.front()) && is_blank(out.text)) ? Next::blank : Next::record;
}

/// Passes over a line that is too long, to the newline or the end, one chunk in memory at a time.
RecordSource::Next BufferedRecords::skip_line(Record& out) {
    const std::uint64_t offset = offset_;
    bool returned = false;  // the last byte so far is a carriage return
    for (;;) {
        const std::size_t newline = unread().find('\n');
        const std::string_view part = unread().substr(0, newline);
        if (!part.empty()) returned = part.ends_with('\r');
        consume(part.size());
        if (newline != std::string_view::npos || at_end_) {
            const Next next = skipped(out, offset, offset_ - offset - (returned ? 1 : 0));
            if (newline != std::string_view::npos) consume(1);
            return next;
        }
        fill();
    }
}

RecordSource::Next BufferedRecords::skipped(Record& out, std::uint64_t offset, std::uint64_t length) {
    out = {{}, {file_, span_length(length), ++line_, offset}, false};
    return Next::too_long;
}

// Elements and documents.

std::vector<Record> BufferedRecords::peek_values(std::size_t max_records) {
    std::vector<Record> found;
    ValueFramer ahead = framer_;
    std::size_t at = 0;  // within unread()
    while (found.size() < max_records) {
        const ValueFramer::Cut cut = ahead.cut(unread().substr(at), at_end_);
        if (cut.step == ValueFramer::Step::need_more) {
            if (!may_read_on(found)) break;
            fill();
            continue;
        }
        if (cut.step == ValueFramer::Step::record && cut.length <= max_record_) {
            found.push_back(record(begin_ + at, cut.length, line_ + found.size() + 1, cut.unterminated));
        }
        at += cut.used;
    }
    return found;
}

RecordSource::Next BufferedRecords::next_value(Record& out) {
    for (;;) {
        const ValueFramer::Cut cut = framer_.cut(unread(), at_end_);
        if (cut.step == ValueFramer::Step::need_more) {
            if (unread().size() > max_record_ + 1) return skip_value(out);
            if (at_end_) return Next::end;
            fill();
            continue;
        }
        if (cut.step == ValueFramer::Step::record) {
            if (cut.length > max_record_) {
                const Next next = skipped(out, offset_, cut.length);
                consume(cut.used);
                return next;
            }
            out = record(begin_, cut.length, ++line_, cut.unterminated);
            consume(cut.used);
            return Next::record;
        }
        consume(cut.used);
    }
}

/// Passes over a value that is too long, to where it ends.
RecordSource::Next BufferedRecords::skip_value(Record& out) {
    const std::uint64_t offset = offset_;
    consume(end_ - begin_);
    for (;;) {
        const std::size_t end = framer_.skip(unread());
        if (end != ValueFramer::kNoEnd) {
            consume(end);
            break;
        }
        consume(end_ - begin_);
        if (at_end_) {
            framer_ = ValueFramer(framing_ == Framing::elements);
            break;
        }
        fill();
    }
    return skipped(out, offset, offset_ - offset);
}

}  // namespace agent_audit::readers
