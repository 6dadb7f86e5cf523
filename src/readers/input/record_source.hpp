#pragma once

#include "support/byte_scan.hpp"

#include "readers/input/byte_source.hpp"
#include "readers/input/decoders.hpp"
#include "readers/input/document_framer.hpp"
#include "readers/input/record_buffer.hpp"
#include "readers/input/value_framer.hpp"

#include <agent_audit/readers/input.hpp>

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace agent_audit::readers {

/// Cuts bytes into records inside the record buffer of a worker. Bytes [begin_, end_) of the buffer are read and
/// not yet handed out; what is handed out stays where it was read.
class BufferedRecords final : public RecordSource {
public:
    enum class Unpack : bool { no, yes };
    /// Reads the first chunk, decides about compression and framing. Unpack::no: the bytes were decompressed already.
    BufferedRecords(std::unique_ptr<ByteSource> bytes, std::uint32_t file_index, const InputLimits& limits,
                    InputBuffers& buffers, Unpack unpack = Unpack::yes);
    ~BufferedRecords() override;

    std::vector<Record> peek(std::size_t max_records) override;
    Framing framing() const override { return framing_; }
    std::optional<Record> first_if_long() override;
    bool counts_records() const override {
        return framing_ != Framing::lines || counted_parts_ || (line_ == 1 && !expects_lines_);
    }
    void stream_arrays(std::span<const std::string_view> names) override { arrays_ = names; }
    Next next(Record& out) override;
    const std::optional<std::string>& error() const override { return error_; }
    std::uint64_t bytes() const override { return offset_; }
    bool looks_binary() const override;
    std::string_view binary_kind() const override;
    /// More lines may come at any time, so that the only one there is counts as a line and not as a document.
    void expect_lines() { expects_lines_ = true; }
    /// It is a database: its pages are no records, and it must be opened by its path.
    bool is_database() const { return database_; }
    /// It is a ZIP archive that can be read at any place: take_bytes() gives it back, and nothing is left here.
    bool is_archive() const { return archive_; }
    std::unique_ptr<ByteSource> take_bytes() { return std::move(bytes_); }

private:
    void start(const InputLimits& limits, Decoders& decoders, Unpack unpack);
    void read_again(std::unique_ptr<ByteSource> bytes);
    void refuse_database(bool compressed);
    void pass_over_mark(bool before_object);
    std::size_t lead() const;
    void pass_over(std::size_t separators);
    void fill();
    void read_up_to(std::size_t size);
    void compact();
    void consume(std::size_t bytes);
    std::string_view unread() const { return {buffer_.data() + begin_, end_ - begin_}; }

    std::vector<Record> peek_lines(std::size_t max_records);
    std::vector<Record> peek_values(std::size_t max_records);
    void pass_over_long_lines();
    bool may_read_on(const std::vector<Record>& found) const;

    Next next_line(Record& out);
    Next hand_out_line(Record& out, std::size_t length, std::size_t used, bool unterminated);
    Next skip_line(Record& out);
    bool is_last_line(std::size_t used);
    Next next_value(Record& out);
    Next skip_value(Record& out);
    Next skipped(Record& out, std::uint64_t offset, std::uint64_t length);

    bool first_is_long();
    bool begin_document();
    Next next_part(Record& out);
    std::string_view unread_of_document(bool& whole);
    Next frame_part(Record& out, RecordPart part, bool unterminated);
    Next skip_element(Record& out, std::size_t seen);
    SourceSpan place_of_element(std::uint64_t offset, std::uint64_t length);
    void end_document();
    Record record(std::size_t at, std::size_t length, std::uint64_t line, bool unterminated) const;

    RecordBuffer& buffer_;
    std::unique_ptr<ByteSource> bytes_;
    std::size_t max_record_;
    std::size_t chunk_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::size_t scanned_ = 0;  // unread bytes known to hold no newline
    ByteFacts facts_;          // of those
    const ByteScans& scans_ = byte_scans();
    std::uint64_t offset_ = 0;  // of begin_ in the decompressed input
    std::uint64_t line_ = 0;    // records handed out
    std::size_t lead_ = 0;      // unread blanks before the first document, which become a part of it
    std::uint32_t file_;
    Framing framing_ = Framing::lines;
    bool at_end_ = false;
    bool expects_lines_ = false;
    bool marked_ = false;         // it began with a byte order mark, of which blanks were made
    bool counted_parts_ = false;  // a document came in parts, whose elements are counted
    bool database_ = false;
    bool archive_ = false;
    ValueFramer framer_{false};
    std::span<const std::string_view> arrays_;  // whose elements are handed out when the object is too long
    /// A document that is handed out in parts.
    struct Document {
        explicit Document(DocumentFramer f) : framer(std::move(f)) {}

        DocumentFramer framer;
        std::uint64_t offset = 0, line = 0;
        std::uint64_t elements = 0;
        bool counts_elements = false;  // their number takes the place of the line
        bool over = false;
        // Within a line of a log: where it ends, and up to where it is known not to.
        std::optional<std::uint64_t> line_end = std::nullopt;
        std::uint64_t searched = 0;
    };
    std::optional<Document> document_;
    std::string excerpt_;              // of the first record, for detection
    std::vector<Record> passed_over_;  // over-long lines before the first record to peek at, last one first
    std::optional<std::string> error_;
};

}  // namespace agent_audit::readers
