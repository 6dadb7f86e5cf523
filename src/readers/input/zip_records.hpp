#pragma once

#include "readers/input/byte_source.hpp"
#include "readers/input/parted_records.hpp"
#include "readers/input/zip_directory.hpp"

#include <agent_audit/readers/input.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace agent_audit::readers {

/// The records of an evaluation log in a ZIP archive, one entry after the other, each decompressed as it is read. A
/// damaged entry costs itself only: what is whole of it is read, error() names it, and the next one follows.
class ZipRecords final : public PartedRecords {
public:
    ZipRecords(std::unique_ptr<ByteSource> archive, std::uint32_t file_index, const InputLimits& limits,
               InputBuffers& buffers);

    Framing framing() const override { return current() ? current()->framing() : Framing::document; }

protected:
    std::unique_ptr<BufferedRecords> open_part() override;
    void part_ended(const std::optional<std::string>& error) override;
    bool may_grow() const override { return false; }  // the archive does, if anything

private:
    void problem_of(const ZipEntry& entry, std::string_view what);

    std::unique_ptr<ByteSource> archive_;
    std::uint32_t file_;
    InputLimits limits_;
    InputBuffers& buffers_;
    std::vector<ZipEntry> entries_;
    std::size_t next_entry_ = 0;
    std::uint64_t packed_ = 0;  // bytes of the entries that are over
};

/// Records out of `bytes`, whatever they are packed in.
std::unique_ptr<RecordSource> records_of(std::unique_ptr<ByteSource> bytes, std::uint32_t file_index,
                                         const InputLimits& limits, InputBuffers& buffers);

}  // namespace agent_audit::readers
