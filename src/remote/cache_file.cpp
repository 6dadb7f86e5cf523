#include "remote/cache_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace agent_audit::remote {
namespace {

std::string file_of(const std::string& dir, const std::string& key) { return dir + "/" + key + ".json"; }

bool write_all(int file, const std::string& body) {
    std::size_t done = 0;
    while (done < body.size()) {
        const ssize_t wrote = ::write(file, body.data() + done, body.size() - done);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return false;
        done += static_cast<std::size_t>(wrote);
    }
    return true;
}

}  // namespace

std::optional<std::string> read_cache_file(const std::string& dir, const std::string& key, std::size_t most) {
    const int file = ::open(file_of(dir, key).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) return std::nullopt;
    struct stat facts {};
    std::optional<std::string> out;
    if (::fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size >= 0 &&
        static_cast<std::size_t>(facts.st_size) <= most) {
        std::string body(static_cast<std::size_t>(facts.st_size), '\0');
        std::size_t done = 0;
        while (done < body.size()) {
            const ssize_t got = ::read(file, body.data() + done, body.size() - done);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) break;
            done += static_cast<std::size_t>(got);
        }
        if (done == body.size()) out = std::move(body);
    }
    ::close(file);
    return out;
}

bool write_cache_file(const std::string& dir, const std::string& key, const std::string& body) {
    constexpr mode_t kOwnerDir = 0700, kOwnerFile = 0600;
    if (::mkdir(dir.c_str(), kOwnerDir) != 0 && errno != EEXIST) return false;
    const std::string whole = file_of(dir, key), part = whole + "." + std::to_string(::getpid()) + ".part";
    const int file = ::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kOwnerFile);
    if (file < 0) return false;
    const bool written = write_all(file, body);
    const bool closed = ::close(file) == 0;
    if (written && closed && std::rename(part.c_str(), whole.c_str()) == 0) return true;
    ::unlink(part.c_str());
    return false;
}

}  // namespace agent_audit::remote
