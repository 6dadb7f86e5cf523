#include "readers/input/zip_entry.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace agent_audit::readers {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kLocalBytes = 30;
enum Method : std::uint16_t { kStored = 0, kDeflate = 8, kZstdDraft = 20, kZstd = 93 };

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

Result<std::unique_ptr<ByteSource>> zip_entry_bytes(const RandomBytes& archive, const ZipEntry& entry,
                                                    const InputLimits& limits, Decoders& decoders) {
    if (entry.encrypted) return Error{"is encrypted"};
    Compression how = Compression::none;
    if (entry.method == kDeflate)
        how = Compression::deflate;
    else if (entry.method == kZstd || entry.method == kZstdDraft)
        how = Compression::zstd;
    else if (entry.method != kStored)
        return Error{fmt::format("is compressed in a way that is not read (method {})", entry.method)};

    char local[kLocalBytes] = {};
    if (archive.read_at(entry.header, local, sizeof local) < sizeof local ||
        !std::string_view(local, 4).starts_with("PK\x03\x04"sv))
        return Error{"is not where the directory says"};
    const auto small = [&local](std::size_t at) {
        return static_cast<std::uint64_t>(static_cast<unsigned char>(local[at]) |
                                          static_cast<unsigned char>(local[at + 1]) << 8);
    };
    const std::uint64_t from = entry.header + kLocalBytes + small(26) + small(28);
    if (from > entry.end || entry.packed > entry.end - from) return Error{"reaches into what follows it"};
    auto bytes = decoded_bytes(how, stretch_of(archive, from, entry.packed, "the ZIP archive"), {}, limits, decoders);
    return std::unique_ptr<ByteSource>(std::make_unique<CheckedBytes>(std::move(bytes), entry));
}

}  // namespace agent_audit::readers
