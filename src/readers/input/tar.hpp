#pragma once

#include "readers/input/byte_source.hpp"

#include <agent_audit/model/event.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace agent_audit::readers {

/// A tar archive is a row of blocks of so many bytes.
inline constexpr std::size_t kTarBlock = 512;

/// True when the bytes begin a tar archive: a whole block with the mark of POSIX or GNU tar and the right checksum.
bool is_tar(std::string_view first_bytes);

/// A regular file in a tar archive, as its headers tell of it. The name is a label: nothing is ever written to disk.
struct TarEntry {
    std::string name;
    std::uint64_t place = 0;             ///< where its bytes begin in the archive
    std::uint64_t size = 0;              ///< bytes
    std::int64_t modified_ms = kNoTime;  ///< ms since 1970
};

/// Reads a tar archive from its beginning to its end: ustar, pax and GNU's long names. Links, folders and devices are
/// passed over.
class TarStream {
public:
    explicit TarStream(std::unique_ptr<ByteSource> bytes);
    /// Over bytes that outlive it.
    explicit TarStream(const RandomBytes& bytes) : random_(&bytes) {}

    /// The next file; what is left of the one before is passed over. Nothing at the end, or when error() says why not.
    std::optional<TarEntry> next();
    /// Bytes of the file; 0 at its end, or when error() says why.
    std::size_t read(char* into, std::size_t size);
    /// Why the archive cannot be read on, as one line. Then next() and read() return nothing more.
    const std::optional<std::string>& error() const { return error_; }

private:
    enum class Header : std::uint8_t { file, none, end };

    bool read_block(char* into);
    Header header(TarEntry& entry);
    bool take_long(std::uint64_t size, std::string& text);
    bool skip(std::uint64_t bytes);
    bool finish_entry();
    std::size_t take(char* into, std::size_t size);
    /// The bytes end here, and should not.
    void fail_at_end() { fail(bytes_ && bytes_->error() ? *bytes_->error() : "the tar archive is cut off"); }
    void fail(std::string why) {
        if (!error_) error_ = std::move(why);
        over_ = true;
    }

    std::unique_ptr<ByteSource> bytes_;
    const RandomBytes* random_;  // where bytes can be passed over without reading them
    std::uint64_t place_ = 0;    // in the archive
    std::uint64_t left_ = 0;     // of the entry
    std::uint64_t padding_ = 0;  // behind it
    std::string name_, pax_;     // what stands before a header and belongs to it
    std::optional<std::string> error_;
    bool over_ = false;
};

}  // namespace agent_audit::readers
