#include "readers/input/zip_records.hpp"

#include "readers/input/buffers.hpp"
#include "readers/input/zip_entry.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace agent_audit::readers {

ZipRecords::ZipRecords(std::unique_ptr<ByteSource> archive, std::uint32_t file_index, const InputLimits& limits,
                       InputBuffers& buffers)
    : archive_(std::move(archive)), file_(file_index), limits_(limits), buffers_(buffers) {
    auto listing = list_evaluation(*archive_->random());
    if (!listing) {
        problem(listing.error().message);
        return;
    }
    entries_ = std::move(listing->entries);
    for (std::string& words : listing->problems) problem(std::move(words));
}

std::unique_ptr<BufferedRecords> ZipRecords::open_part() {
    while (next_entry_ < entries_.size()) {
        const std::uint64_t unpacked = ended_bytes();
        if (unpacked > limits_.bomb_bytes && unpacked / std::max(limits_.bomb_ratio, 1u) > packed_) {
            problem(fmt::format("looks like a decompression bomb: {} bytes came out of {}", unpacked, packed_));
            next_entry_ = entries_.size();
            return nullptr;
        }
        const ZipEntry& entry = entries_[next_entry_++];
        auto bytes = zip_entry_bytes(*archive_->random(), entry, limits_, buffers_.impl().decoders);
        if (bytes) {
            return std::make_unique<BufferedRecords>(std::move(bytes.value()), file_, limits_, buffers_,
                                                     BufferedRecords::Unpack::no);
        }
        problem_of(entry, bytes.error().message);
    }
    return nullptr;
}

void ZipRecords::part_ended(const std::optional<std::string>& error) {
    const ZipEntry& entry = entries_[next_entry_ - 1];
    if (error) problem_of(entry, *error);
    packed_ += entry.packed;
}

void ZipRecords::problem_of(const ZipEntry& entry, std::string_view what) {
    problem(fmt::format("entry '{}' of the ZIP archive: {}", zip_entry_name(*archive_->random(), entry), what));
}

}  // namespace agent_audit::readers
