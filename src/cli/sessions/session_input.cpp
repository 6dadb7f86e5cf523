#include "cli/sessions/session_input.hpp"

#include "cli/terminal/output.hpp"
#include "report/redaction/redact.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace agent_audit::cli {
namespace {

Error cannot_keep() {
    return Error{std::string("standard input cannot be kept in a temporary file: ") + std::strerror(errno)};
}

// An open file that is in no folder any more.
int nameless_file() {
    const char* folder = std::getenv("TMPDIR");
    std::string name = std::string(folder && *folder ? folder : "/tmp") + "/agent-audit-XXXXXX";
    const int fd = ::mkstemp(name.data());
    if (fd >= 0) ::unlink(name.c_str());
    return fd;
}

}  // namespace

Result<SessionInput> SessionInput::open(const std::string& operand) {
    if (operand != "-") return SessionInput(operand, operand, -1);
    const int fd = nameless_file();
    if (fd < 0) return cannot_keep();
    SessionInput kept("/proc/self/fd/" + std::to_string(fd), "standard input", fd);
    std::array<char, 1u << 16> buffer;
    for (;;) {
        const ssize_t n = ::read(STDIN_FILENO, buffer.data(), buffer.size());
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) return kept;
        if (n < 0) return Error{std::string("standard input: ") + std::strerror(errno)};
        if (write_all(fd, {buffer.data(), static_cast<std::size_t>(n)}) != 0) return cannot_keep();
    }
}

SessionInput::SessionInput(SessionInput&& other) noexcept
    : path_(std::move(other.path_)), name_(std::move(other.name_)), fd_(std::exchange(other.fd_, -1)) {}

// A name in /proc/self/fd shares the place up to which the file was read.
const std::string& SessionInput::path() const {
    if (fd_ >= 0) ::lseek(fd_, 0, SEEK_SET);
    return path_;
}

SessionInput::~SessionInput() {
    if (fd_ >= 0) ::close(fd_);
}

std::optional<std::string> folder_for_session(const std::string& operand, std::string_view taker) {
    std::error_code unknown;
    if (!std::filesystem::is_directory(operand, unknown)) return std::nullopt;
    return fmt::format("\"{}\" is a folder: {} takes one session", operand, taker);
}

std::optional<Redact> redact_from(const std::string& word) {
    if (word.empty() || word == "secrets") return Redact::secrets;
    if (word == "strict") return Redact::strict;
    if (word == "none") return Redact::none;
    return std::nullopt;
}

advice::SessionMemory::TextFilter text_filter(Redact level) {
    if (level == Redact::none) return {};
    const auto redactor = std::make_shared<report::Redactor>(level);
    return [redactor](std::string_view text) { return redactor->text(text); };
}

std::optional<std::uint64_t> number_from(const std::string& word, std::uint64_t least) {
    std::uint64_t value = 0;
    const auto [at, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || at != word.data() + word.size() || value < least) return std::nullopt;
    return value;
}

}  // namespace agent_audit::cli
