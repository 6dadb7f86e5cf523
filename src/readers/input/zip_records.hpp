#pragma once

#include "readers/input/byte_source.hpp"
#include "readers/input/record_source.hpp"
#include "readers/input/zip_directory.hpp"

#include <agent_audit/readers/input.hpp>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace agent_audit::readers {

/// The records of an evaluation log in a ZIP archive, one entry after the other, each decompressed as it is read. A
/// damaged entry costs itself only: what is whole of it is read, error() names it, and the next one follows.
class ZipRecords final : public RecordSource {
public:
    ZipRecords(std::unique_ptr<ByteSource> archive, std::uint32_t file_index, const InputLimits& limits,
               InputBuffers& buffers);

    std::vector<Record> peek(std::size_t max_records) override;
    Framing framing() const override { return current_ ? current_->framing() : Framing::document; }
    Next next(Record& out) override;
    const std::optional<std::string>& error() const override { return error_; }
    std::uint64_t bytes() const override { return offset_ + (current_ ? current_->bytes() : 0); }
    bool looks_binary() const override { return !current_ || current_->looks_binary(); }

private:
    bool open_next();
    std::unique_ptr<ByteSource> open(const ZipEntry& entry, std::string& why_not) const;
    void close();
    void problem(std::string words);
    void problem_of(const ZipEntry& entry, std::string_view what);
    Record placed(Record record);

    std::unique_ptr<ByteSource> archive_;
    std::uint32_t file_;
    InputLimits limits_;
    InputBuffers& buffers_;
    std::vector<ZipEntry> entries_;
    std::size_t next_entry_ = 0;
    std::unique_ptr<BufferedRecords> current_;
    std::deque<std::pair<Next, Record>> passed_over_;  // without text: what was no record while looking for one
    std::uint64_t offset_ = 0, packed_ = 0;            // of the entries that are done
    std::uint64_t line_ = 0, last_line_ = 0;           // records of those, and the last one of this entry
    std::uint64_t problems_ = 0;
    std::optional<std::string> error_;
};

/// Records out of `bytes`, whatever they are packed in.
std::unique_ptr<RecordSource> records_of(std::unique_ptr<ByteSource> bytes, std::uint32_t file_index,
                                         const InputLimits& limits, InputBuffers& buffers);

}  // namespace agent_audit::readers
