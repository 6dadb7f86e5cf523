#pragma once

#include "invariants.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace agent_audit::fuzz {

/// A file that exists in memory only, under a path like any other.
class MemoryFile {
public:
    explicit MemoryFile(std::string_view bytes) : fd_(memfd_create("session", MFD_CLOEXEC)) {
        promise(fd_ >= 0, "memfd_create works here");
        while (!bytes.empty()) {
            const auto written = ::write(fd_, bytes.data(), bytes.size());
            promise(written > 0, "memory files can be written");
            bytes.remove_prefix(static_cast<std::size_t>(written));
        }
    }
    ~MemoryFile() { ::close(fd_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    /// Not /proc/self/fd: such a name stands for an inherited descriptor, which is read from where it stands, the end.
    std::string path() const { return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(fd_); }

private:
    int fd_;
};

}  // namespace agent_audit::fuzz
