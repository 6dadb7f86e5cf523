#include "readers/input/archive.hpp"

#include "readers/input/find_files.hpp"
#include "readers/input/session_names.hpp"
#include "readers/input/zip_entry.hpp"

#include <agent_audit/support/hash.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace agent_audit::readers {
namespace {

/// More files than any archive of sessions has; what is kept of each is its path.
constexpr std::size_t kMostFiles = 200'000;
constexpr std::string_view kTar = "the tar archive";

std::unique_ptr<ByteSource> file_at(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    return fd < 0 ? nullptr : file_bytes(Descriptor(fd));
}

enum class Kind : std::uint8_t { none, zip, tar };

/// An archive and how it is packed, told by its first bytes.
struct Opened {
    Kind kind = Kind::none;
    std::unique_ptr<ByteSource> bytes;  ///< from the beginning, decompressed
};

std::size_t read_whole(ByteSource& bytes, char* into, std::size_t size) {
    std::size_t have = 0;
    while (have < size) {
        const std::size_t got = bytes.read(into + have, size - have);
        if (got == 0) break;
        have += got;
    }
    return have;
}

// From its beginning; nothing where it is gone meanwhile.
std::unique_ptr<ByteSource> unpacked(const std::string& path, Compression how, const InputLimits& limits,
                                     Decoders& decoders) {
    auto file = file_at(path);
    return file ? decoded_bytes(how, std::move(file), {}, limits, decoders) : nullptr;
}

Opened open_archive(const std::string& path, const InputLimits& limits, Decoders& decoders) {
    std::array<char, kTarBlock> first{};
    auto file = file_at(path);
    if (!file) return {};
    const std::string_view beginning(first.data(), file->random()->read_at(0, first.data(), first.size()));
    if (is_zip(beginning)) return {Kind::zip, std::move(file)};
    const Compression how = compression_of(beginning);
    if (how == Compression::none) return {is_tar(beginning) ? Kind::tar : Kind::none, std::move(file)};
    std::size_t have = 0;
    if (auto look = unpacked(path, how, limits, decoders)) have = read_whole(*look, first.data(), first.size());
    if (!is_tar({first.data(), have})) return {};
    auto bytes = unpacked(path, how, limits, decoders);
    return {bytes ? Kind::tar : Kind::none, std::move(bytes)};
}

ArchivedFiles files_of(TarStream& tar, bool in_order) {
    ArchivedFiles out;
    out.in_order = in_order;
    std::unordered_set<std::uint64_t> names;
    std::size_t again = 0;
    while (auto entry = tar.next()) {
        if (!names.insert(stable_hash(entry->name)).second) {
            ++again;
            continue;
        }
        if (out.files.size() == kMostFiles) {
            out.problems.push_back(fmt::format("the tar archive has more files than the {} that are read", kMostFiles));
            break;
        }
        out.files.push_back({std::move(entry->name), entry->size, entry->modified_ms});
    }
    if (again > 0)
        out.problems.push_back(fmt::format("the tar archive has {} file{} again under a name of before: not read",
                                           again, again == 1 ? "" : "s"));
    if (tar.error()) out.problems.push_back(*tar.error());
    return out;
}

/// A file of a tar archive: bytes of the stream, as long as nobody asks for the next file.
class TarredBytes final : public ByteSource {
public:
    explicit TarredBytes(TarStream& tar) : tar_(tar) {}

    std::size_t read(char* into, std::size_t size) override {
        const std::size_t got = tar_.read(into, size);
        if (got == 0 && tar_.error()) fail(*tar_.error());
        return got;
    }

private:
    TarStream& tar_;
};

Error no_such_file(std::string_view name) {
    return {fmt::format("cannot open: there is no file '{}' in the archive", name)};
}

}  // namespace

std::optional<PathInArchive> path_in_archive(const std::string& path) {
    struct stat status {};
    for (std::size_t slash = path.rfind('/'); slash != path.npos && slash > 0; slash = path.rfind('/', slash - 1)) {
        std::string before = path.substr(0, slash);
        if (::stat(before.c_str(), &status) == 0)
            return S_ISREG(status.st_mode) ? std::optional(PathInArchive{std::move(before), path.substr(slash + 1)})
                                           : std::nullopt;
        if (errno != ENOTDIR) return std::nullopt;
    }
    return std::nullopt;
}

std::optional<ArchivedFiles> files_in_archive(const std::string& path, const InputLimits& limits) {
    Decoders decoders;
    Opened archive = open_archive(path, limits, decoders);
    if (archive.kind == Kind::none) return std::nullopt;
    if (archive.kind == Kind::tar) {
        const bool in_order = archive.bytes->random() == nullptr;
        TarStream tar(std::move(archive.bytes));
        return files_of(tar, in_order);
    }
    auto listing = list_files(*archive.bytes->random());
    if (!listing) return ArchivedFiles{{}, {listing.error().message}, false};
    if (listing->entries.empty() && listing->problems.empty()) return std::nullopt;
    ArchivedFiles out;
    out.problems = std::move(listing->problems);
    struct stat status {};
    const std::int64_t time = ::stat(path.c_str(), &status) == 0 ? modified_ms(status) : kNoTime;
    for (ZipEntry& entry : listing->entries) out.files.push_back({std::move(entry.name), entry.size, time});
    return out;
}

void OpenArchive::close() {
    open_ = {};
    stream_.reset();
    file_.reset();
    zipped_.clear();
    stored_.clear();
    events_.clear();
}

std::optional<Error> OpenArchive::open_file(const std::string& path, const InputLimits& limits) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return Error{fmt::format("cannot open: {}", reason(errno))};
    Identity now{path, status.st_dev, status.st_ino, status.st_size, modified_ms(status)};
    if (now == open_) return std::nullopt;
    close();
    Opened archive = open_archive(path, limits, decoders_);
    if (archive.kind == Kind::none) return Error{"cannot open: a part of the path is not a directory, and no archive"};
    if (archive.kind == Kind::zip) {
        auto listing = list_files(*archive.bytes->random());
        if (!listing) return listing.error();
        for (ZipEntry& entry : listing->entries) {
            list_event(entry.name);
            entry.name = {};
            zipped_.emplace(entry.name_hash, entry);
        }
        file_ = std::move(archive.bytes);
    } else if (archive.bytes->random()) {
        file_ = std::move(archive.bytes);
        list_tar();
    } else {
        stream_ = std::make_unique<TarStream>(std::move(archive.bytes));
        at_beginning_ = true;
    }
    open_ = std::move(now);
    return std::nullopt;
}

void OpenArchive::list_tar() {
    TarStream tar(*file_->random());
    while (const auto entry = stored_.size() < kMostFiles ? tar.next() : std::nullopt) {
        if (stored_.try_emplace(stable_hash(entry->name), Stored{entry->place, entry->size}).second)
            list_event(entry->name);
    }
}

void OpenArchive::list_event(std::string_view name) {
    const std::size_t slash = name.rfind('/');
    if (slash == name.npos) return;
    const auto number = event_number(name.substr(0, slash), name.substr(slash + 1));
    if (number) events_[std::string(name.substr(0, slash))].emplace_back(*number, name.substr(slash + 1));
}

Result<std::vector<std::string>> OpenArchive::event_files(const PathInArchive& folder, const InputLimits& limits) {
    if (auto problem = open_file(folder.archive, limits)) return std::move(*problem);
    std::vector<std::string> names;
    const auto found = events_.find(folder.name);
    if (found == events_.end()) return names;
    std::ranges::sort(found->second);
    for (const auto& [number, name] : found->second) names.push_back(name);
    return names;
}

Result<std::unique_ptr<ByteSource>> OpenArchive::open(const PathInArchive& path, const InputLimits& limits) {
    if (auto problem = open_file(path.archive, limits)) return std::move(*problem);
    if (stream_) return from_stream(path, limits);
    return stored_.empty() ? from_zip(path.name, limits) : from_tar(path.name);
}

Result<std::unique_ptr<ByteSource>> OpenArchive::from_zip(const std::string& name, const InputLimits& limits) {
    const auto entry = zipped_.find(stable_hash(name));
    if (entry == zipped_.end()) return no_such_file(name);
    auto bytes = zip_entry_bytes(*file_->random(), entry->second, limits, decoders_);
    if (!bytes) return Error{"cannot open: " + bytes.error().message};
    return bytes;
}

Result<std::unique_ptr<ByteSource>> OpenArchive::from_tar(const std::string& name) const {
    const auto entry = stored_.find(stable_hash(name));
    if (entry == stored_.end()) return no_such_file(name);
    return stretch_of(*file_->random(), entry->second.place, entry->second.size, kTar);
}

// Forward from where it stands; what stands before that needs a second beginning.
Result<std::unique_ptr<ByteSource>> OpenArchive::from_stream(const PathInArchive& path, const InputLimits& limits) {
    for (;;) {
        const bool whole = std::exchange(at_beginning_, false);
        while (const auto entry = stream_->next()) {
            if (entry->name == path.name) return std::unique_ptr<ByteSource>(std::make_unique<TarredBytes>(*stream_));
        }
        const Error why = stream_->error() ? Error{"cannot open: " + *stream_->error()} : no_such_file(path.name);
        close();
        if (whole) return why;
        if (auto problem = open_file(path.archive, limits)) return std::move(*problem);
    }
}

}  // namespace agent_audit::readers
