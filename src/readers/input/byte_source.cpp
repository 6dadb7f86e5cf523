#include "readers/input/byte_source.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace agent_audit::readers {
namespace {

/// read(2), not disturbed by signals.
ssize_t read_some(int fd, char* into, std::size_t size) {
    for (;;) {
        const ssize_t got = ::read(fd, into, size);
        if (got >= 0 || errno != EINTR) return got;
    }
}

class FileBytes final : public ByteSource, public RandomBytes {
public:
    explicit FileBytes(Descriptor fd) : fd_(std::move(fd)) {}

    const RandomBytes* random() const override { return this; }

    std::uint64_t size() const override {
        struct stat status {};
        return ::fstat(fd_.get(), &status) == 0 && status.st_size > 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
    }

    std::size_t read_at(std::uint64_t offset, char* into, std::size_t size) const override {
        std::size_t done = 0;
        while (done < size) {
            const ssize_t got = ::pread(fd_.get(), into + done, size - done, static_cast<off_t>(offset + done));
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) break;
            done += static_cast<std::size_t>(got);
        }
        return done;
    }

    std::size_t read(char* into, std::size_t size) override {
        const ssize_t got = read_some(fd_.get(), into, size);
        if (got < 0) fail("read error: " + reason(errno));
        return got > 0 ? static_cast<std::size_t>(got) : 0;
    }

private:
    Descriptor fd_;
};

class PipeBytes final : public ByteSource {
public:
    PipeBytes(Descriptor fd, std::string first, std::function<void()> before_wait)
        : fd_(std::move(fd)), first_(std::move(first)), before_wait_(std::move(before_wait)) {}

    std::size_t read(char* into, std::size_t size) override {
        if (!first_.empty()) return take_first(into, size);
        for (;;) {
            if (!ready(0)) {
                before_wait_();
                ready(-1);
            }
            const ssize_t got = read_some(fd_.get(), into, size);
            if (got >= 0) return static_cast<std::size_t>(got);
            // Another reader of the same pipe was quicker, or the descriptor does not block.
            if (errno == EAGAIN || errno == EWOULDBLOCK) continue;
            fail("read error: " + reason(errno));
            return 0;
        }
    }

private:
    std::size_t take_first(char* into, std::size_t size) {
        const std::size_t n = std::min(size, first_.size());
        std::memcpy(into, first_.data(), n);
        first_.erase(0, n);
        return n;
    }

    bool ready(int timeout_ms) {
        pollfd request{fd_.get(), POLLIN, 0};
        for (;;) {
            const int n = ::poll(&request, 1, timeout_ms);
            if (n >= 0) return n > 0;
            if (errno != EINTR) return true;  // let read() name the trouble
        }
    }

    Descriptor fd_;
    std::string first_;
    std::function<void()> before_wait_;
};

class MemoryBytes final : public ByteSource, public RandomBytes {
public:
    MemoryBytes(std::string_view bytes, std::size_t piece)
        : all_(bytes), rest_(bytes), piece_(std::max<std::size_t>(piece, 1)) {}

    const RandomBytes* random() const override { return this; }
    std::uint64_t size() const override { return all_.size(); }

    std::size_t read_at(std::uint64_t offset, char* into, std::size_t size) const override {
        if (offset >= all_.size()) return 0;
        const std::string_view part = all_.substr(static_cast<std::size_t>(offset), size);
        std::memcpy(into, part.data(), part.size());
        return part.size();
    }

    std::size_t read(char* into, std::size_t size) override {
        const std::size_t n = std::min({size, piece_, rest_.size()});
        if (n > 0) std::memcpy(into, rest_.data(), n);
        rest_.remove_prefix(n);
        return n;
    }

private:
    std::string_view all_, rest_;
    std::size_t piece_;
};

class Stretch final : public ByteSource {
public:
    Stretch(const RandomBytes& whole, std::uint64_t from, std::uint64_t size, std::string_view what)
        : whole_(whole), at_(from), left_(size), what_(what) {}

    std::size_t read(char* into, std::size_t size) override {
        if (left_ == 0) return 0;
        const std::size_t got =
            whole_.read_at(at_, into, static_cast<std::size_t>(std::min<std::uint64_t>(size, left_)));
        at_ += got;
        left_ -= got;
        if (got == 0) {
            left_ = 0;
            fail(std::string(what_) + " is cut off");
        }
        return got;
    }

private:
    const RandomBytes& whole_;
    std::uint64_t at_, left_;
    std::string_view what_;
};

}  // namespace

Descriptor::~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
}

std::unique_ptr<ByteSource> file_bytes(Descriptor fd) { return std::make_unique<FileBytes>(std::move(fd)); }

std::unique_ptr<ByteSource> pipe_bytes(Descriptor fd, std::string first, std::function<void()> before_wait) {
    return std::make_unique<PipeBytes>(std::move(fd), std::move(first), std::move(before_wait));
}

std::unique_ptr<ByteSource> stretch_of(const RandomBytes& whole, std::uint64_t from, std::uint64_t size,
                                       std::string_view what) {
    return std::make_unique<Stretch>(whole, from, size, what);
}

std::unique_ptr<ByteSource> memory_bytes(std::string_view bytes, std::size_t piece) {
    return std::make_unique<MemoryBytes>(bytes, piece);
}

}  // namespace agent_audit::readers
