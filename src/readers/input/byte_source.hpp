#pragma once

#include "support/open_error.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace agent_audit::readers {

/// Bytes that can be read from any place: a regular file, or memory.
class RandomBytes {
public:
    virtual ~RandomBytes() = default;

    virtual std::uint64_t size() const = 0;
    /// Up to `size` bytes from `offset` on; fewer only at the end or when the file cannot be read.
    virtual std::size_t read_at(std::uint64_t offset, char* into, std::size_t size) const = 0;
};

/// Bytes one after the other, from wherever they come.
class ByteSource {
public:
    virtual ~ByteSource() = default;

    /// Up to `size` bytes (at least one); 0 means the end, or a failure that error() explains.
    virtual std::size_t read(char* into, std::size_t size) = 0;
    const std::optional<std::string>& error() const { return error_; }
    /// The same bytes in any order, if that is possible. Lives as long as this.
    virtual const RandomBytes* random() const { return nullptr; }

protected:
    void fail(std::string why) { error_ = std::move(why); }

private:
    std::optional<std::string> error_;
};

/// Owns a file descriptor.
class Descriptor {
public:
    explicit Descriptor(int fd = -1) : fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
    Descriptor& operator=(Descriptor&&) = delete;
    ~Descriptor();

    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }

private:
    int fd_;
};

std::unique_ptr<ByteSource> file_bytes(Descriptor fd);

/// A pipe, socket or terminal. `before_wait` runs whenever the next read would block.
/// `first` are bytes that were already taken from it.
std::unique_ptr<ByteSource> pipe_bytes(Descriptor fd, std::string first, std::function<void()> before_wait);

/// `bytes` in pieces of at most `piece`. The bytes must outlive the source.
std::unique_ptr<ByteSource> memory_bytes(std::string_view bytes, std::size_t piece);

/// `size` bytes from `from` on; `what` names the whole where it ends before that. It must outlive the source.
std::unique_ptr<ByteSource> stretch_of(const RandomBytes& whole, std::uint64_t from, std::uint64_t size,
                                       std::string_view what);

}  // namespace agent_audit::readers
