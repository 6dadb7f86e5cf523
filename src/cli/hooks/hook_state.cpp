#include "cli/hooks/hook_state.hpp"

#include "cli/terminal/output.hpp"

#include <agent_audit/pipeline/text_tokens.hpp>
#include <agent_audit/support/hash.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <optional>
#include <utility>

namespace agent_audit::cli {
namespace {

namespace fs = std::filesystem;

constexpr long kWaitMs = 50, kStepMs = 2;
constexpr std::int64_t kKeptMs = 7ll * 24 * 3600 * 1000;
constexpr std::size_t kMostRemoved = 1000;  // of one call: a hook has little time

class File {
public:
    explicit File(int fd) : fd_(fd) {}
    File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    File(const File&) = delete;
    File& operator=(File&&) = delete;
    ~File() {
        if (fd_ >= 0) ::close(fd_);
    }
    int fd() const { return fd_; }

private:
    int fd_;
};

Error about(const std::string& path, int error) { return {path + ": " + std::strerror(error)}; }

bool lock(int fd) {
    for (long waited = 0; ::flock(fd, LOCK_EX | LOCK_NB) != 0; waited += kStepMs) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || waited >= kWaitMs) return false;
        const timespec step{0, kStepMs * 1'000'000};
        ::nanosleep(&step, nullptr);
    }
    return true;
}

// The file that has the name now: one that was replaced while we waited for its lock is nobody's any more.
bool still_named(int fd, const std::string& path) {
    struct stat mine {};
    struct stat named {};
    return ::fstat(fd, &mine) == 0 && ::stat(path.c_str(), &named) == 0 && mine.st_ino == named.st_ino &&
           mine.st_dev == named.st_dev;
}

Result<File> open_locked(const std::string& path) {
    constexpr int kTries = 5;
    for (int i = 0; i < kTries; ++i) {
        File file(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (file.fd() < 0) return about(path, errno);
        if (!lock(file.fd())) return Error{path + ": another hook is at work on it"};
        if (still_named(file.fd(), path)) return file;
    }
    return Error{path + ": is replaced all the time"};
}

// The newer three quarters, and the line. The rename keeps the lock's file until we let go of it.
std::optional<Error> begin_anew(const std::string& path, std::string_view line, std::uint64_t& end) {
    const Result<std::string> all = read_file(path, 4 * kLongestLog);
    if (!all) return all.error();
    std::string_view kept = *all;
    const std::size_t from = kept.find('\n', kept.size() - std::min<std::size_t>(kept.size(), kLongestLog / 4 * 3));
    kept = from == kept.npos ? std::string_view() : kept.substr(from + 1);
    Result<Output> out = Output::to_file(path);
    if (!out) return out.error();
    out->write(kept);
    out->write(line);
    end = kept.size() + line.size();
    return out->finish();
}

}  // namespace

Result<std::string> live_folder() {
    const char* state = std::getenv("XDG_STATE_HOME");
    if (state && *state == '/') return (fs::path(state) / "agent-audit" / "live").string();
    const char* home = std::getenv("HOME");
    if (!home || *home != '/') return Error{"neither $XDG_STATE_HOME nor $HOME is set: nothing can be remembered"};
    return (fs::path(home) / ".local" / "state" / "agent-audit" / "live").string();
}

std::string log_path(const std::string& folder, std::string_view client, std::string_view session) {
    constexpr std::size_t kLongest = 80;
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    };
    const bool exact = !session.empty() && session.size() <= kLongest && std::ranges::all_of(session, plain);
    const std::string name = exact ? std::string(session) : fingerprint_hex(session);
    return (fs::path(folder) / (std::string(client) + "-" + name + ".jsonl")).string();
}

std::optional<Error> append_line(const std::string& path, std::string_view line, std::uint64_t* end) {
    std::error_code problem;
    const fs::path folder = fs::path(path).parent_path();
    if (fs::create_directories(folder, problem)) fs::permissions(folder, fs::perms::owner_all, problem);
    if (problem) return Error{folder.string() + ": " + problem.message()};
    const Result<File> file = open_locked(path);
    if (!file) return file.error();
    struct stat info {};
    if (::fstat(file->fd(), &info) != 0) return about(path, errno);
    if (!S_ISREG(info.st_mode)) return Error{path + ": is no file"};
    std::uint64_t longer = static_cast<std::uint64_t>(info.st_size) + line.size();
    if (end) *end = longer;
    if (longer > kLongestLog) return begin_anew(path, line, end ? *end : longer);
    const int error = write_all(file->fd(), line);
    if (error == 0) return std::nullopt;
    if (::ftruncate(file->fd(), info.st_size) != 0) return about(path, errno);
    return about(path, error);
}

void remove_old_logs(const std::string& folder, std::int64_t now_ms) {
    std::error_code problem;
    std::size_t seen = 0;
    for (fs::directory_iterator file(folder, problem); !problem && file != fs::directory_iterator();
         file.increment(problem)) {
        struct stat info {};
        const std::string path = file->path().string();
        if (++seen > kMostRemoved) return;
        if (file->path().extension() != ".jsonl" || ::lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode))
            continue;
        if (now_ms - static_cast<std::int64_t>(info.st_mtime) * 1000 > kKeptMs) ::unlink(path.c_str());
    }
}

}  // namespace agent_audit::cli
