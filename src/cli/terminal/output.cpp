#include "cli/terminal/output.hpp"

#include <agent_audit/pipeline/discover.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

namespace agent_audit::cli {
namespace {

constexpr std::size_t kBuffer = 64u << 10;

Error cannot_write(std::string_view path, int error) {
    return {"cannot write " + std::string(path.empty() ? "standard output" : path) + ": " + std::strerror(error)};
}

// Links are followed: the file they lead to is replaced, the link stays.
std::string behind_links(const std::string& path) {
    const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
    return real ? std::string(real.get()) : path;
}

std::string folder_of(const std::string& path) {
    const std::string folder = std::filesystem::path(path).parent_path().string();
    return folder.empty() ? "." : folder;
}

// A signal ends the program between two instructions. What it leaves behind has to stand where a handler may look: at
// a fixed place, ready to be handed to unlink().
struct Unfinished {
    static constexpr std::size_t kLongest = 4096;
    std::atomic<int> state{0};  // 0 free, 1 being written, 2 valid
    char path[kLongest];
};
constexpr std::size_t kUnfinished = 32;
Unfinished unfinished[kUnfinished];

extern "C" void remove_unfinished(int signal) {
    for (Unfinished& file : unfinished) {
        if (file.state.load(std::memory_order_acquire) == 2) ::unlink(file.path);
    }
    std::signal(signal, SIG_DFL);
    ::raise(signal);
}

constexpr int kEndingSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

// Signals that come meanwhile are delivered when it is over.
class SignalsHeld {
public:
    SignalsHeld() {
        sigset_t held;
        ::sigemptyset(&held);
        for (const int signal : kEndingSignals) ::sigaddset(&held, signal);
        ::pthread_sigmask(SIG_BLOCK, &held, &before_);
    }
    ~SignalsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsHeld(const SignalsHeld&) = delete;
    SignalsHeld& operator=(const SignalsHeld&) = delete;

private:
    sigset_t before_;
};

// Signals that the caller chose to ignore (nohup) stay ignored.
void clean_up_on_signals() {
    for (const int signal : kEndingSignals) {
        struct sigaction action {};
        if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
        action.sa_handler = remove_unfinished;
        ::sigaction(signal, &action, nullptr);
    }
}

void remember(const std::string& temporary) {
    if (temporary.size() >= Unfinished::kLongest) return;
    clean_up_on_signals();
    for (Unfinished& file : unfinished) {
        int free = 0;
        if (!file.state.compare_exchange_strong(free, 1)) continue;
        temporary.copy(file.path, temporary.size());
        file.path[temporary.size()] = '\0';
        file.state.store(2, std::memory_order_release);
        return;
    }
}

// A file that a signal does not leave behind, from its birth on; -1, and why in errno. Its name is filled in.
int make_unfinished(std::string& temporary) {
    const SignalsHeld held;
    const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);  // 0600 from birth
    if (fd >= 0) remember(temporary);
    return fd;
}

void forget(const std::string& temporary) {
    for (Unfinished& file : unfinished) {
        if (file.state.load() == 2 && temporary == file.path) file.state.store(0);
    }
}

bool is_folder(const std::string& path) {
    std::error_code unknown;  // a folder that may not be entered: opening says so
    return std::filesystem::is_directory(path, unknown);
}

bool is_special(const std::string& path) {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

}  // namespace

int write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(fd, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno;
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

Output::Output(int fd, std::string path, std::string temporary)
    : fd_(fd), path_(std::move(path)), target_(path_), temporary_(std::move(temporary)) {}

Output::Output(Output&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      errno_(other.errno_),
      path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      buffer_(std::move(other.buffer_)) {}

Output::~Output() {
    if (fd_ >= 0 && !path_.empty()) ::close(fd_);
    if (temporary_.empty()) return;
    ::unlink(temporary_.c_str());
    forget(temporary_);
}

Output Output::to_stdout() { return Output(STDOUT_FILENO, {}, {}); }

Result<Output> Output::to_file(const std::string& path) {
    if (is_special(path)) {
        const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
        if (fd < 0) return cannot_write(path, errno);
        return Output(fd, path, {});
    }
    const std::string target = behind_links(path);
    if (is_folder(target)) return cannot_write(path, EISDIR);
    std::string temporary = folder_of(target) + "/." + std::filesystem::path(target).filename().string() + ".XXXXXX";
    const int fd = make_unfinished(temporary);
    if (fd < 0) return cannot_write(path, errno);
    Output output(fd, path, std::move(temporary));
    output.target_ = target;
    return output;
}

ByteSink Output::sink() {
    return [this](std::string_view bytes) { return put(bytes); };
}

bool Output::put(std::string_view bytes) {
    if (errno_ != 0) return false;
    buffer_ += bytes;
    return buffer_.size() < kBuffer || flush();
}

bool Output::flush() {
    if (errno_ == 0) errno_ = write_all(fd_, buffer_);
    buffer_.clear();
    return errno_ == 0;
}

bool Output::broken_pipe() const { return errno_ == EPIPE; }

std::optional<Error> Output::finish() {
    flush();
    if (!path_.empty()) {
        if (::close(std::exchange(fd_, -1)) != 0 && errno_ == 0) errno_ = errno;
        if (errno_ == 0 && !temporary_.empty()) {
            if (::rename(temporary_.c_str(), target_.c_str()) != 0)
                errno_ = errno;
            else
                forget(std::exchange(temporary_, {}));
        }
    }
    if (errno_ == 0) return std::nullopt;
    return cannot_write(path_, errno_);
}

std::optional<Error> unwritable(const std::string& path) {
    if (is_special(path)) return std::nullopt;
    const std::string target = behind_links(path);
    if (is_folder(target)) return cannot_write(path, EISDIR);
    if (::access(folder_of(target).c_str(), W_OK | X_OK) != 0) return cannot_write(path, errno);
    return std::nullopt;
}

std::optional<Error> replaces_input(const std::string& output, std::span<const std::string> inputs) {
    struct stat written {};
    if (output == "-" || ::stat(output.c_str(), &written) != 0 || !S_ISREG(written.st_mode)) return std::nullopt;
    for (const std::string& input : inputs) {
        struct stat read {};
        if (input == "-" || ::stat(input.c_str(), &read) != 0) continue;
        if (read.st_dev != written.st_dev || read.st_ino != written.st_ino) continue;
        return Error{"--output = \"" + output + "\": that is the input " + input + ", which is left as it is"};
    }
    return std::nullopt;
}

std::optional<Error> replaces_recording(const std::string& output, std::span<const std::string_view> own) {
    struct stat there {};
    if (output == "-" || ::stat(output.c_str(), &there) != 0 || !S_ISREG(there.st_mode) || there.st_size == 0)
        return std::nullopt;
    const std::string_view format = recorded_format(output);
    if (format.empty() || std::ranges::find(own, format) != own.end()) return std::nullopt;
    return Error{"--output = \"" + output + "\": a recording of " + std::string(format) +
                 " is there, which is left as it is"};
}

void occupy_standard_streams() {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
        // Lowest free number first, so this lands on fd. Output is opened for reading: writing must still fail.
        const int mode = fd == STDERR_FILENO ? O_WRONLY : O_RDONLY;
        if (::open("/dev/null", mode) < 0) return;
    }
}

}  // namespace agent_audit::cli
