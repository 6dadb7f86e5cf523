#pragma once

#include "readers/input/byte_source.hpp"
#include "readers/input/decoders.hpp"
#include "readers/input/record_buffer.hpp"
#include "readers/input/value_framer.hpp"

#include <agent_audit/readers/input.hpp>

namespace agent_audit::readers {

/// Cuts bytes into records inside the record buffer of a worker. Bytes [begin_, end_) of the buffer are read and
/// not yet handed out; what is handed out stays where it was read.
class BufferedRecords final : public RecordSource {
public:
    /// Reads the first chunk, decides about compression and framing.
    BufferedRecords(std::unique_ptr<ByteSource> bytes, std::uint32_t file_index, const InputLimits& limits,
                    InputBuffers& buffers);
    ~BufferedRecords() override;

    std::vector<Record> peek(std::size_t max_records) override;
    Framing framing() const override { return framing_; }
    Next next(Record& out) override;
    const std::optional<std::string>& error() const override { return error_; }
    std::uint64_t bytes() const override { return offset_; }
    bool looks_binary() const override;
    /// It is a database: its pages are no records, and it must be opened by its path.
    bool is_database() const { return database_; }

private:
    void start(const InputLimits& limits, Decoders& decoders);
    void refuse_database(bool compressed);
    void skip_byte_order_mark();
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
    Next next_value(Record& out);
    Next skip_value(Record& out);
    Next skipped(Record& out, std::uint64_t offset, std::uint64_t length);
    Record record(std::size_t at, std::size_t length, std::uint64_t line, bool unterminated) const;

    RecordBuffer& buffer_;
    std::unique_ptr<ByteSource> bytes_;
    std::size_t max_record_;
    std::size_t chunk_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::size_t scanned_ = 0;   // unread bytes known to hold no newline
    std::uint64_t offset_ = 0;  // of begin_ in the decompressed input
    std::uint64_t line_ = 0;    // records handed out
    std::uint32_t file_;
    Framing framing_ = Framing::lines;
    bool at_end_ = false;
    bool database_ = false;
    ValueFramer framer_{false};
    std::vector<Record> passed_over_;  // over-long lines before the first record to peek at, last one first
    std::optional<std::string> error_;
};

}  // namespace agent_audit::readers
