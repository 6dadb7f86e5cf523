#include "readers/input/buffers.hpp"
#include "readers/input/byte_source.hpp"
#include "readers/input/decoders.hpp"
#include "readers/input/utf16.hpp"

#include <agent_audit/readers/input.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_audit {
namespace readers {
namespace {

/// Counts the lines of a text that comes in pieces, up to each of some places in it.
class LineCount {
public:
    explicit LineCount(std::span<const std::uint64_t> offsets) : offsets_(offsets) { lines_.reserve(offsets.size()); }

    void see(std::string_view piece) {
        for (; !done() && offsets_[lines_.size()] <= seen_ + piece.size(); lines_.push_back(line_)) {
            const auto ahead = static_cast<std::size_t>(offsets_[lines_.size()] - seen_);
            take(piece.substr(0, ahead));
            piece.remove_prefix(ahead);
        }
        take(piece);
    }
    bool done() const { return lines_.size() == offsets_.size(); }
    std::vector<std::uint64_t> lines() && { return std::move(lines_); }

private:
    void take(std::string_view bytes) {
        line_ += static_cast<std::uint64_t>(std::ranges::count(bytes, '\n'));
        seen_ += bytes.size();
    }

    std::span<const std::uint64_t> offsets_;
    std::uint64_t seen_ = 0, line_ = 1;
    std::vector<std::uint64_t> lines_;
};

std::unique_ptr<ByteSource> regular_file(const std::string& path) {
    if (path == "-") return nullptr;
    Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat status {};
    if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return nullptr;
    return file_bytes(std::move(fd));
}

/// What a file is recognised by.
std::string beginning_of(ByteSource& bytes) {
    std::string first(kMagicBytes, '\0');
    std::size_t size = 0;
    for (std::size_t n = 1; n > 0 && size < first.size(); size += n)
        n = bytes.read(first.data() + size, first.size() - size);
    first.resize(size);
    return first;
}

}  // namespace
}  // namespace readers

std::vector<std::uint64_t> lines_at(const std::string& path, std::span<const std::uint64_t> offsets,
                                    const InputLimits& limits, InputBuffers& buffers) {
    using namespace readers;
    std::unique_ptr<ByteSource> bytes = regular_file(path);
    if (!bytes) return {};
    std::string first = beginning_of(*bytes);
    if (const Compression how = compression_of(first); how != Compression::none) {
        bytes = decoded_bytes(how, std::move(bytes), first, limits, buffers.impl().decoders);
        first = beginning_of(*bytes);
    }
    LineCount count(offsets);
    if (is_utf16(first))
        bytes = utf8_of_utf16(std::move(bytes), first);
    else
        count.see(first);
    std::vector<char> piece(64u << 10);
    for (std::size_t n = 1; n > 0 && !count.done();) {
        n = bytes->read(piece.data(), piece.size());
        count.see({piece.data(), n});
    }
    return count.done() ? std::move(count).lines() : std::vector<std::uint64_t>();
}

}  // namespace agent_audit
