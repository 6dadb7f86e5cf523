#include "readers/input/archive.hpp"
#include "readers/input/buffers.hpp"
#include "readers/input/byte_source.hpp"
#include "readers/input/companion_records.hpp"
#include "readers/input/database_records.hpp"
#include "readers/input/folder_records.hpp"
#include "readers/input/record_source.hpp"
#include "readers/input/storage_files.hpp"
#include "readers/input/zip_directory.hpp"
#include "readers/input/zip_records.hpp"

#include <agent_audit/readers/input.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <string>
#include <utility>

namespace agent_audit {

InputBuffers::InputBuffers() : impl_(std::make_unique<Impl>()) {}
InputBuffers::~InputBuffers() = default;

namespace readers {
namespace {

// Whoever asked knows the path, and names it.
Error cannot_open(const std::string& path, std::string_view why) {
    return {fmt::format("cannot {}: {}", path == "-" ? "read" : "open", why)};
}

/// The descriptor that a name such as "-" or "/dev/fd/63" stands for. It is duplicated rather than opened
/// again: only so does it end when its writer, who may be gone already, is done.
std::optional<int> inherited_descriptor(std::string_view path) {
    if (path == "-" || path == "/dev/stdin") return STDIN_FILENO;
    for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
        if (!path.starts_with(folder)) continue;
        int fd = -1;
        const auto [end, failure] = std::from_chars(path.data() + folder.size(), path.data() + path.size(), fd);
        if (failure == std::errc{} && end == path.data() + path.size() && fd >= 0) return fd;
    }
    return std::nullopt;
}

/// Opens without blocking on a pipe whose writer has not come yet.
Descriptor open_without_waiting(const std::string& path) {
    if (const auto fd = inherited_descriptor(path)) return Descriptor(::fcntl(*fd, F_DUPFD_CLOEXEC, 0));
    for (;;) {
        const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (fd >= 0 || errno != EINTR) return Descriptor(fd);
    }
}

/// Waits until somebody writes to a named pipe. The first byte, if one came with it, is put into `first`.
bool wait_for_writer(int fd, int patience_ms, std::string& first) {
    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + std::chrono::milliseconds(patience_ms);
    for (;;) {
        char byte = 0;
        const ssize_t got = ::read(fd, &byte, 1);
        if (got > 0) first.push_back(byte);
        if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))) return true;
        if (got < 0 && errno != EINTR) return true;  // the first real read will say what is wrong
        // Nothing and no writer. Their coming does not wake poll(), so look again every few milliseconds;
        // their having come and gone does.
        pollfd request{fd, POLLIN, 0};
        if (::poll(&request, 1, 5) > 0 && (request.revents & POLLHUP) != 0) return true;
        if (Clock::now() >= deadline) return false;
    }
}

Result<std::unique_ptr<ByteSource>> bytes_of(const std::string& path, const InputLimits& limits,
                                             InputBuffers& buffers) {
    Descriptor fd = open_without_waiting(path);
    if (!fd) return cannot_open(path, reason(errno));
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0) return cannot_open(path, reason(errno));

    const bool inherited = inherited_descriptor(path).has_value();
    auto give_back_turn = [&records = buffers.impl().records] { records.before_wait(); };
    if (S_ISREG(status.st_mode)) {
#ifdef POSIX_FADV_SEQUENTIAL
        // Small files are read before the advice could help.
        constexpr off_t kWorthIt = 4 << 20;
        if (status.st_size > kWorthIt) ::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
        return file_bytes(std::move(fd));
    }
    if (S_ISDIR(status.st_mode)) return cannot_open(path, "is a directory");
    if (S_ISFIFO(status.st_mode)) {
        std::string first;
        if (!inherited && !wait_for_writer(fd.get(), limits.fifo_wait_ms, first)) {
            return cannot_open(path, "a named pipe to which nobody writes (no writer)");
        }
        return pipe_bytes(std::move(fd), std::move(first), give_back_turn);
    }
    // A terminal or a socket is fine as standard input; as a named input it is a mistake.
    if (inherited) return pipe_bytes(std::move(fd), {}, give_back_turn);
    return cannot_open(path, S_ISSOCK(status.st_mode) ? "is a socket" : "is a device");
}

/// What is called a log grows by lines, and whoever reads a pipe wants each line when it comes.
bool expects_lines(std::string_view path) {
    if (inherited_descriptor(path)) return true;
    for (const std::string_view packed : {".gz", ".zst"}) {
        if (path.ends_with(packed)) path.remove_suffix(packed.size());
    }
    return path.ends_with(".jsonl") || path.ends_with(".ndjson");
}

/// A file that can be opened a second time by its path.
bool is_plain_file(const std::string& path) {
    struct stat status {};
    return !inherited_descriptor(path) && ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

/// The name of "folder/../file" in an archive, which knows no way back; all else of it stays as it is written there.
std::string without_way_back(const std::string& name) {
    const std::filesystem::path file(name), folder = file.parent_path();
    return folder.filename() == ".." ? folder.parent_path().parent_path() / file.filename() : file;
}

Result<std::unique_ptr<RecordSource>> records_in_archive(const std::string& path, const PathInArchive& inside,
                                                         std::uint32_t file_index, const InputLimits& limits,
                                                         InputBuffers& buffers) {
    OpenArchive& archive = buffers.impl().archive;
    if (auto events = archive.event_files(inside, limits); events && !events.value().empty()) {
        auto open = [&archive, limits, where = inside.archive](const std::string& file) {
            return archive.open({where, without_way_back(file.substr(where.size() + 1))}, limits);
        };
        return std::unique_ptr<RecordSource>(std::make_unique<FolderRecords>(
            path, std::move(events.value()), file_index, limits, buffers, std::move(open)));
    }
    auto bytes = buffers.impl().archive.open(inside, limits);
    if (!bytes) return bytes.error();
    auto records = std::make_unique<BufferedRecords>(std::move(bytes.value()), file_index, limits, buffers);
    if (expects_lines(path)) records->expect_lines();
    return std::unique_ptr<RecordSource>(std::move(records));
}

}  // namespace

std::unique_ptr<RecordSource> records_of(std::unique_ptr<ByteSource> bytes, std::uint32_t file_index,
                                         const InputLimits& limits, InputBuffers& buffers) {
    auto records = std::make_unique<BufferedRecords>(std::move(bytes), file_index, limits, buffers);
    if (!records->is_archive()) return records;
    bytes = records->take_bytes();
    records.reset();  // gives the buffer back
    return std::make_unique<ZipRecords>(std::move(bytes), file_index, limits, buffers);
}

}  // namespace readers

Result<std::unique_ptr<RecordSource>> open_input(const std::string& path, std::uint32_t file_index,
                                                 const InputLimits& limits, InputBuffers& buffers) {
    auto bytes = readers::bytes_of(path, limits, buffers);
    if (!bytes) {
        if (const auto inside = readers::path_in_archive(path))
            return readers::records_in_archive(path, *inside, file_index, limits, buffers);
        std::vector<std::string> events = readers::event_files_in(path);
        if (events.empty()) return bytes.error();
        return std::unique_ptr<RecordSource>(
            std::make_unique<readers::FolderRecords>(path, std::move(events), file_index, limits, buffers));
    }
    if (readers::Companion companion = readers::companion_of(path);
        companion.is_there() && readers::is_plain_file(path)) {
        bytes.value().reset();
        return std::unique_ptr<RecordSource>(
            std::make_unique<readers::CompanionRecords>(path, std::move(companion), file_index, limits, buffers));
    }
    if (readers::StorageFiles stored = readers::storage_files_of(path); !stored.names.empty()) {
        bytes.value().reset();
        return std::unique_ptr<RecordSource>(std::make_unique<readers::FolderRecords>(
            std::move(stored.folder), std::move(stored.names), file_index, limits, buffers));
    }
    auto records = readers::records_of(std::move(bytes.value()), file_index, limits, buffers);
    auto* const buffered = dynamic_cast<readers::BufferedRecords*>(records.get());
    if (buffered && readers::expects_lines(path)) buffered->expect_lines();
    if (!buffered || !buffered->is_database() || !readers::is_plain_file(path)) return records;
    records.reset();  // gives the buffer back
    return std::unique_ptr<RecordSource>(std::make_unique<readers::DatabaseRecords>(path, file_index, limits, buffers));
}

std::unique_ptr<RecordSource> memory_input(std::string_view bytes, std::uint32_t file_index, const InputLimits& limits,
                                           InputBuffers& buffers, std::size_t piece) {
    return readers::records_of(readers::memory_bytes(bytes, piece), file_index, limits, buffers);
}

}  // namespace agent_audit
