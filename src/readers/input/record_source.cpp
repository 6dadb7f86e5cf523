#include "readers/input/record_source.hpp"

#include "readers/input/buffers.hpp"
#include "readers/input/database.hpp"
#include "readers/input/framing.hpp"
#include "readers/input/tar.hpp"
#include "readers/input/utf16.hpp"
#include "readers/input/zip_directory.hpp"
#include "readers/json/json_bytes.hpp"
#include "support/saturate.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace agent_audit::readers {
namespace {

/// What framing is decided on, at least.
constexpr std::size_t kLook = 64u << 10;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::size_t kLargestChunk = 2u << 20;
/// Over-long lines at the beginning that are passed over in search of a record to peek at.
constexpr std::size_t kPassOver = 16;

/// Spans hold 32-bit lengths, and simdjson reads no more either.
constexpr std::size_t kLongestRecord = std::numeric_limits<std::uint32_t>::max() - (1u << 20);

}  // namespace

BufferedRecords::BufferedRecords(std::unique_ptr<ByteSource> bytes, std::uint32_t file_index, const InputLimits& limits,
                                 InputBuffers& buffers, Unpack unpack)
    : buffer_(buffers.impl().records),
      bytes_(std::move(bytes)),
      max_record_(std::clamp<std::size_t>(limits.max_record_bytes, 1, kLongestRecord)),
      chunk_(std::clamp<std::size_t>(limits.chunk_bytes, 1, kLargestChunk)),
      file_(file_index) {
    // The longest record with its carriage return, or the first look, and a chunk behind it.
    const std::size_t most = std::max(max_record_ + 1, kLook) + chunk_;
    if (buffer_.reserve(most + kRecordPadding)) {
        start(limits, buffers.impl().decoders, unpack);
    } else {
        at_end_ = true;
        error_ = "not enough memory for records of " + std::to_string(max_record_) + " bytes";
    }
}

BufferedRecords::~BufferedRecords() { buffer_.shrink_to(0); }

void BufferedRecords::start(const InputLimits& limits, Decoders& decoders, Unpack unpack) {
    while (end_ < kMagicBytes && !at_end_) read_up_to(kDecoderInput - end_);
    const Compression how = unpack == Unpack::yes ? compression_of(unread()) : Compression::none;
    if (how != Compression::none) {
        read_again(decoded_bytes(how, std::move(bytes_), unread(), limits, decoders));
        while (end_ < kMagicBytes && !at_end_) read_up_to(kDecoderInput - end_);
    }
    if (is_utf16(unread())) read_again(utf8_of_utf16(std::move(bytes_), unread()));
    const std::size_t look = std::max(chunk_, kLook);
    while (end_ < look && !at_end_) read_up_to(look - end_);

    if (is_zip(unread())) {
        archive_ = bytes_->random() != nullptr;
        error_ = "a ZIP archive is read from a file only: its directory stands at its end";
        end_ = 0;
        at_end_ = true;
    }
    if (is_tar(unread())) {
        error_ = "a tar archive: a file in it is named as in " + std::string(kFileInArchive);
        end_ = 0;
        at_end_ = true;
    }
    if (unread().starts_with(kDatabaseMagic)) return refuse_database(how != Compression::none);
    const bool marked = unread().starts_with(kByteOrderMark);
    std::string_view text = unread().substr(marked ? kByteOrderMark.size() : 0);
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    framing_ = decide_framing(text, at_end_);
    if (marked) pass_over_mark(text.starts_with('{'));
    framer_ = ValueFramer(framing_ == Framing::elements);
}

/// What was read so far is the beginning of what `bytes` makes of it.
void BufferedRecords::read_again(std::unique_ptr<ByteSource> bytes) {
    bytes_ = std::move(bytes);
    end_ = 0;
    at_end_ = false;
    error_.reset();
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

std::string_view BufferedRecords::binary_kind() const { return known_binary(unread()); }

// What stands before an object becomes a part of it, as blanks do: a document begins where its file does, which tells
// readers that it is no element of a larger one.
void BufferedRecords::pass_over_mark(bool before_object) {
    marked_ = before_object && framing_ != Framing::elements;
    if (marked_)
        std::ranges::fill_n(buffer_.data() + begin_, static_cast<std::ptrdiff_t>(kByteOrderMark.size()), ' ');
    else
        consume(kByteOrderMark.size());
}

/// Blanks at the beginning of the input, before the first record.
std::size_t BufferedRecords::lead() const {
    if (line_ > 0 || offset_ > 0) return 0;
    const std::string_view text = unread();
    const auto first = std::ranges::find_if_not(text, [](char c) { return is_blank(c); });
    return static_cast<std::size_t>(first - text.begin());
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
    facts_ = {};
}

RecordSource::Next BufferedRecords::next(Record& out) {
    // A huge record was handed out and is over now. Of a document in parts, moving what is left costs more.
    if (begin_ > kBigBuffer && (!document_ || begin_ > end_ - begin_)) compact();
    if (!passed_over_.empty()) {
        out = passed_over_.back();
        passed_over_.pop_back();
        return Next::too_long;
    }
    if (document_) {
        if (!document_->over) return next_part(out);
        end_document();
    }
    return framing_ == Framing::lines ? next_line(out) : next_value(out);
}

std::vector<Record> BufferedRecords::peek(std::size_t max_records) {
    if (max_records == 0) return {};
    return framing_ == Framing::lines ? peek_lines(max_records) : peek_values(max_records);
}

Record BufferedRecords::record(std::size_t at, std::size_t length, std::uint64_t line, bool unterminated) const {
    return {{buffer_.data() + at, length}, {file_, saturated(length), line, offset_ + (at - begin_)}, unterminated};
}

/// Looks beyond the first chunk only for the sake of the first record that may tell something.
bool BufferedRecords::may_read_on(const std::vector<Record>& found) const {
    if (at_end_ || unread().size() > max_record_ + 1) return false;
    return std::ranges::all_of(found, [](const Record& r) { return is_no_record(r.text); });
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
    scanned_ = 0;  // looked at again, for the facts of the line
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
        const char* const newline = scans_.newline(from, from + scanned_, from + size, facts_);
        if (newline != from + size) {
            const auto length = static_cast<std::size_t>(newline - from);
            return hand_out_line(out, length, length + 1, false);
        }
        scanned_ = size;
        if (size > max_record_ + 1) return begin_document() ? next_part(out) : skip_line(out);
        if (at_end_) return size == 0 ? Next::end : hand_out_line(out, size, size, true);
        fill();
    }
}

RecordSource::Next BufferedRecords::hand_out_line(Record& out, std::size_t length, std::size_t used,
                                                  bool unterminated) {
    if (length > 0 && buffer_.data()[begin_ + length - 1] == '\r') {
        --length;
        --facts_.controls;
    }
    if (length > max_record_ && begin_document()) return next_part(out);
    const bool alone = line_ == 0 && !expects_lines_ && is_last_line(used);
    // Of the first of many lines it is no part.
    if (marked_ && line_ == 0 && !alone) [[unlikely]] {
        begin_ += kByteOrderMark.size();
        offset_ += kByteOrderMark.size();
        length -= kByteOrderMark.size();
        used -= kByteOrderMark.size();
    }
    out = record(begin_, length, ++line_, unterminated);
    out.facts = facts_;
    out.counted = alone;
    consume(used);
    if (length > max_record_) {
        out.text = {};
        return Next::too_long;
    }
    return length == 0 || (is_blank(out.text.front()) && is_blank(out.text)) ? Next::blank : Next::record;
}

/// Nothing but blanks is behind the first `used` of the unread bytes.
bool BufferedRecords::is_last_line(std::size_t used) {
    while (is_blank(unread().substr(used))) {
        if (at_end_ || end_ - begin_ > max_record_) return at_end_;
        fill();
    }
    return false;
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
    out = {{}, {file_, saturated(length), ++line_, offset}, false};
    return Next::too_long;
}

// Elements and documents.

std::vector<Record> BufferedRecords::peek_values(std::size_t max_records) {
    std::vector<Record> found;
    const bool may_pass_over = passed_over_.empty();
    ValueFramer ahead = framer_;
    std::size_t at = 0;  // within unread()
    while (found.size() < max_records) {
        const ValueFramer::Cut cut = ahead.cut(unread().substr(at), at_end_);
        if (cut.step == ValueFramer::Step::need_more) {
            // An array may begin with an element beyond the limit: what follows still tells its format.
            const bool too_long = found.empty() && !at_end_ && unread().size() - at > max_record_ + 1;
            if (too_long && may_pass_over && framing_ == Framing::elements && passed_over_.size() < kPassOver) {
                consume(at);
                at = 0;
                framer_ = ahead;
                skip_value(passed_over_.emplace_back());
                ahead = framer_;
                continue;
            }
            if (!may_read_on(found)) break;
            fill();
            continue;
        }
        if (cut.step == ValueFramer::Step::record && cut.length <= max_record_) {
            found.push_back(record(begin_ + at, cut.length, line_ + found.size() + 1, cut.unterminated));
        }
        at += cut.used;
    }
    if (may_pass_over) std::ranges::reverse(passed_over_);
    return found;
}

RecordSource::Next BufferedRecords::next_value(Record& out) {
    for (;;) {
        const ValueFramer::Cut cut = framer_.cut(unread().substr(lead_), at_end_);
        if (cut.step == ValueFramer::Step::need_more) {
            if (unread().size() > lead_ + max_record_ + 1) return begin_document() ? next_part(out) : skip_value(out);
            if (at_end_) return Next::end;
            fill();
            continue;
        }
        if (cut.step == ValueFramer::Step::record) {
            if (cut.length > max_record_) {
                if (begin_document()) return next_part(out);
                consume(std::exchange(lead_, 0));
                const Next next = skipped(out, offset_, cut.length);
                consume(cut.used);
                return next;
            }
            const std::size_t lead = std::exchange(lead_, 0);
            out = record(begin_, lead + cut.length, ++line_, cut.unterminated);
            out.counted = true;
            consume(lead + cut.used);
            return Next::record;
        }
        pass_over(cut.used);
    }
}

/// Separators; blanks before the first document become a part of it.
void BufferedRecords::pass_over(std::size_t separators) {
    if (framing_ == Framing::document && line_ == 0 && offset_ == 0)
        lead_ += separators;
    else
        consume(separators);
}

/// Passes over a value that is too long, to where it ends.
RecordSource::Next BufferedRecords::skip_value(Record& out) {
    const std::uint64_t offset = offset_ + std::exchange(lead_, 0);
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

// Documents in parts.

namespace {

/// For detection: a few elements are enough, and their first words.
constexpr JsonExcerpt::Limits kExcerpt{1u << 20, 256u << 10, 4u << 10};

JsonExcerpt::Limits frame_limits(std::size_t max_record) {
    const std::size_t all = std::clamp<std::size_t>(max_record, 64u << 10, 4u << 20);
    return {all, all / 4, all / 8};
}

}  // namespace

std::optional<Record> BufferedRecords::first_if_long() {
    if (!first_is_long()) return std::nullopt;
    std::string_view text = unread().substr(lead());
    if (framing_ == Framing::lines) text = text.substr(0, text.find('\n'));
    JsonExcerpt excerpt(kExcerpt);
    for (std::size_t used = 0; !text.empty(); text.remove_prefix(used)) {
        if (excerpt.walk(text, used) == JsonExcerpt::Stop::end) break;
    }
    excerpt_ = excerpt.take(kRecordPadding);
    Record first{{excerpt_.data(), excerpt_.size() - kRecordPadding}, {file_, 0, line_ + 1, offset_}, false};
    first.abridged = true;
    return first;
}

/// Reads no further than it takes to know.
bool BufferedRecords::first_is_long() {
    if (at_end_ && unread().size() <= max_record_) return false;
    if (framing_ == Framing::lines) {
        std::size_t seen = 0;
        const std::size_t before = lead();
        while (unread().substr(before).starts_with('{')) {
            const std::size_t newline = unread().find('\n', seen);
            if (newline != std::string_view::npos) return newline > max_record_ + 1;
            seen = unread().size();
            if (seen > max_record_ + 1 || at_end_) return seen > max_record_ + 1;
            fill();
        }
        return false;
    }
    for (;;) {  // separators: next() would drop them as well
        ValueFramer past = framer_;
        const ValueFramer::Cut cut = past.cut(unread().substr(lead_), at_end_);
        if (cut.step != ValueFramer::Step::skip) break;
        framer_ = past;
        pass_over(cut.used);
    }
    ValueFramer ahead = framer_;
    while (unread().substr(lead_).starts_with('{')) {
        const ValueFramer::Cut cut = ahead.cut(unread().substr(lead_), at_end_);
        if (cut.step == ValueFramer::Step::record) return cut.length > max_record_;
        if (unread().size() > lead_ + max_record_ + 1) return true;
        fill();
    }
    return false;
}

bool BufferedRecords::begin_document() {
    const std::size_t before = lead();
    if (arrays_.empty() || !unread().substr(before).starts_with('{')) return false;
    const bool first = offset_ == 0;
    consume(before);
    lead_ = 0;
    framer_.forget_record();
    document_.emplace(DocumentFramer(arrays_, frame_limits(max_record_)));
    document_->offset = first ? 0 : offset_;
    document_->line = ++line_;
    // Whether a first line beyond the limit is the only one cannot be seen yet, but hardly any log begins so.
    const bool may_count = framing_ == Framing::document || (framing_ == Framing::lines && !expects_lines_);
    document_->counts_elements = may_count && line_ == 1 && first;
    counted_parts_ = counted_parts_ || document_->counts_elements;
    return true;
}

/// What is at hand of the document; in a log that is its line at most. `whole`: nothing follows.
std::string_view BufferedRecords::unread_of_document(bool& whole) {
    Document& d = *document_;
    if (framing_ == Framing::lines && !d.line_end) {
        const std::size_t newline =
            unread().find('\n', static_cast<std::size_t>(std::max(d.searched, offset_) - offset_));
        d.searched = offset_ + unread().size();
        if (newline != std::string_view::npos) d.line_end = offset_ + newline;
    }
    whole = at_end_ || d.line_end;
    return d.line_end ? unread().substr(0, static_cast<std::size_t>(*d.line_end - offset_)) : unread();
}

RecordSource::Next BufferedRecords::next_part(Record& out) {
    for (;;) {
        bool whole = false;
        const std::string_view text = unread_of_document(whole);
        const DocumentFramer::Cut cut = document_->framer.cut(text, whole);
        switch (cut.step) {
            case DocumentFramer::Step::need_more:
                if (document_->framer.in_array() && text.size() > max_record_ + 1)
                    return skip_element(out, text.size());
                fill();
                break;
            case DocumentFramer::Step::skip: consume(cut.used); break;
            case DocumentFramer::Step::element:
                out = record(begin_, cut.length, 0, cut.unterminated && at_end_ && !document_->line_end);
                out.where = place_of_element(offset_, cut.length);
                out.part = RecordPart::element;
                out.counted = document_->counts_elements;
                consume(cut.used);
                if (cut.length <= max_record_) return Next::record;
                out.text = {};
                return Next::too_long;
            case DocumentFramer::Step::head: consume(cut.used); return frame_part(out, RecordPart::head, false);
            case DocumentFramer::Step::tail:
                consume(cut.used);
                document_->over = true;
                return frame_part(out, RecordPart::tail, cut.unterminated);
            case DocumentFramer::Step::no_array:
                consume(cut.used);
                document_->over = true;
                out = {{}, {file_, saturated(offset_ - document_->offset), document_->line, document_->offset}, false};
                return Next::too_long;
        }
    }
}

RecordSource::Next BufferedRecords::frame_part(Record& out, RecordPart part, bool unterminated) {
    const Document& d = *document_;
    out = {d.framer.frame(), {file_, saturated(offset_ - d.offset), d.line, d.offset}, unterminated};
    out.part = part;
    out.abridged = d.framer.abridged();
    out.counted = d.counts_elements;
    return Next::record;
}

SourceSpan BufferedRecords::place_of_element(std::uint64_t offset, std::uint64_t length) {
    Document& d = *document_;
    ++d.elements;
    return {file_, saturated(length), d.counts_elements ? d.elements : d.line, offset};
}

/// Passes over an element that is too long; the framer saw its first `seen` bytes.
RecordSource::Next BufferedRecords::skip_element(Record& out, std::size_t seen) {
    ValueFramer& elements = document_->framer.elements();
    const std::uint64_t offset = offset_;
    consume(seen);
    for (;;) {
        bool whole = false;
        const std::string_view text = unread_of_document(whole);
        const std::size_t end = elements.skip(text);
        consume(std::min(end, text.size()));
        if (end != ValueFramer::kNoEnd || whole) break;
        fill();
    }
    elements.forget_record();
    out = {{}, place_of_element(offset, offset_ - offset), false};
    out.part = RecordPart::element;
    return Next::too_long;
}

/// In a log the line is over as well; should more stand in it, that is a record of the same line.
void BufferedRecords::end_document() {
    while (framing_ == Framing::lines) {
        bool whole = false;
        const std::string_view text = unread_of_document(whole);
        const auto rest = std::ranges::find_if(text, [](char c) { return !is_blank(c); });
        consume(static_cast<std::size_t>(rest - text.begin()));
        if (rest != text.end()) {
            --line_;
            break;
        }
        if (whole) {
            if (document_->line_end) consume(1);
            break;
        }
        fill();
    }
    document_.reset();
}

}  // namespace agent_audit::readers
