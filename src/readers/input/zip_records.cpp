#include "readers/input/zip_records.hpp"

#include "readers/input/buffers.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

namespace agent_audit::readers {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kLocalBytes = 30;
enum Method : std::uint16_t { kStored = 0, kDeflate = 8, kZstdDraft = 20, kZstd = 93 };

/// A stretch of the archive.
class Stretch final : public ByteSource {
public:
    Stretch(const RandomBytes& archive, std::uint64_t from, std::uint64_t size)
        : archive_(archive), at_(from), left_(size) {}

    std::size_t read(char* into, std::size_t size) override {
        const std::size_t got =
            archive_.read_at(at_, into, static_cast<std::size_t>(std::min<std::uint64_t>(size, left_)));
        at_ += got;
        left_ -= got;
        return got;
    }

private:
    const RandomBytes& archive_;
    std::uint64_t at_, left_;
};

/// Holds an entry to what the directory says of it: its size and its checksum.
class CheckedBytes final : public ByteSource {
public:
    CheckedBytes(std::unique_ptr<ByteSource> bytes, const ZipEntry& entry)
        : bytes_(std::move(bytes)), size_(entry.size), crc_wanted_(entry.crc) {}

    std::size_t read(char* into, std::size_t size) override {
        if (over_) return 0;
        std::size_t got = bytes_->read(into, size);
        if (got == 0) return finish();
        if (got > size_ - done_) {
            got = static_cast<std::size_t>(size_ - done_);
            stop(fmt::format("is larger than the {} bytes that the directory says", size_));
        }
        done_ += got;
        crc_ = ::crc32_z(crc_, reinterpret_cast<const Bytef*>(into), got);
        return got;
    }

private:
    std::size_t finish() {
        if (bytes_->error())
            stop(*bytes_->error());
        else if (done_ < size_)
            stop(fmt::format("ends after {} of the {} bytes that the directory says", done_, size_));
        else if (crc_ != crc_wanted_)
            stop("is damaged: its checksum is wrong");
        over_ = true;
        return 0;
    }
    void stop(std::string why) {
        fail(std::move(why));
        over_ = true;
    }

    std::unique_ptr<ByteSource> bytes_;
    std::uint64_t size_, done_ = 0;
    uLong crc_ = 0;
    std::uint32_t crc_wanted_;
    bool over_ = false;
};

}  // namespace

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
        std::string why_not;
        if (auto bytes = open(entry, why_not)) {
            return std::make_unique<BufferedRecords>(std::move(bytes), file_, limits_, buffers_,
                                                     BufferedRecords::Unpack::no);
        }
        problem_of(entry, why_not);
    }
    return nullptr;
}

std::unique_ptr<ByteSource> ZipRecords::open(const ZipEntry& entry, std::string& why_not) const {
    const auto cannot = [&why_not](std::string why) {
        why_not = std::move(why);
        return nullptr;
    };
    if (entry.encrypted) return cannot("is encrypted");
    Compression how = Compression::none;
    if (entry.method == kDeflate)
        how = Compression::deflate;
    else if (entry.method == kZstd || entry.method == kZstdDraft)
        how = Compression::zstd;
    else if (entry.method != kStored)
        return cannot(fmt::format("is compressed in a way that is not read (method {})", entry.method));

    char local[kLocalBytes] = {};
    const RandomBytes& archive = *archive_->random();
    if (archive.read_at(entry.header, local, sizeof local) < sizeof local ||
        !std::string_view(local, 4).starts_with("PK\x03\x04"sv))
        return cannot("is not where the directory says");
    const auto small = [&local](std::size_t at) {
        return static_cast<std::uint64_t>(static_cast<unsigned char>(local[at]) |
                                          static_cast<unsigned char>(local[at + 1]) << 8);
    };
    const std::uint64_t from = entry.header + kLocalBytes + small(26) + small(28);
    if (from > entry.end || entry.packed > entry.end - from) return cannot("reaches into what follows it");
    auto bytes = decoded_bytes(how, std::make_unique<Stretch>(archive, from, entry.packed), {}, limits_,
                               buffers_.impl().decoders);
    return std::make_unique<CheckedBytes>(std::move(bytes), entry);
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
