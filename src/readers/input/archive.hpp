#pragma once

#include "readers/input/byte_source.hpp"
#include "readers/input/decoders.hpp"
#include "readers/input/tar.hpp"
#include "readers/input/zip_directory.hpp"

#include <agent_audit/model/event.hpp>
#include <agent_audit/readers/input.hpp>
#include <agent_audit/support/result.hpp>

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

// Archives of session files: ZIP, and tar, also compressed with gzip or zstd. A file in one has a path that goes on
// behind the archive's own: "traces.tar.gz/run/7.jsonl". Nothing is ever written to disk.

namespace agent_audit::readers {

struct PathInArchive {
    std::string archive, name;
};

/// Where a path leads on behind a regular file, those two parts of it.
std::optional<PathInArchive> path_in_archive(const std::string& path);

/// A file in an archive, as its directory or its headers tell of it.
struct ArchivedFile {
    std::string name;
    std::uint64_t size = 0;  ///< bytes, decompressed
    std::int64_t modified_ms = kNoTime;
};

struct ArchivedFiles {
    std::vector<ArchivedFile> files;    ///< as they stand in the archive, each name once
    std::vector<std::string> problems;  ///< why there may be more, one line each
    bool in_order = false;              ///< must be read from the beginning to the end: a compressed tar archive
};

/// What the archive at `path` holds; nothing where the file is none, or an evaluation log, which is one input. A
/// compressed tar archive is decompressed for it.
std::optional<ArchivedFiles> files_in_archive(const std::string& path, const InputLimits& limits);

/// An archive that stays open from one of its files to the next. Of a compressed tar archive that is asked for its
/// files in their order each byte is decompressed once.
class OpenArchive {
public:
    /// The bytes of a file, valid until the next call. One source at a time.
    Result<std::unique_ptr<ByteSource>> open(const PathInArchive& path, const InputLimits& limits);
    /// The names of the files in a folder that are a session together, in their order; none for other folders, and none
    /// in a compressed tar archive, whose files come as they stand.
    Result<std::vector<std::string>> event_files(const PathInArchive& folder, const InputLimits& limits);

private:
    struct Identity {
        std::string path;
        dev_t device = 0;
        ino_t inode = 0;
        off_t size = 0;
        std::int64_t modified_ms = kNoTime;
        bool operator==(const Identity&) const = default;
    };

    struct Stored {  // a file of a tar archive that can be read at any place
        std::uint64_t place = 0, size = 0;
    };

    std::optional<Error> open_file(const std::string& path, const InputLimits& limits);
    void list_tar();
    void list_event(std::string_view name);
    Result<std::unique_ptr<ByteSource>> from_stream(const PathInArchive& path, const InputLimits& limits);
    Result<std::unique_ptr<ByteSource>> from_tar(const std::string& name) const;
    Result<std::unique_ptr<ByteSource>> from_zip(const std::string& name, const InputLimits& limits);
    void close();

    Identity open_;
    Decoders decoders_;                 // of the archive: its files may be compressed as well
    std::unique_ptr<ByteSource> file_;  // what can be read at any place; files by the hash of their name
    std::unordered_map<std::uint64_t, ZipEntry> zipped_;
    std::unordered_map<std::uint64_t, Stored> stored_;
    using Numbered = std::pair<std::uint64_t, std::string>;
    std::map<std::string, std::vector<Numbered>, std::less<>> events_;  // names of files, by their folder
    std::unique_ptr<TarStream> stream_;                                 // or what can not
    bool at_beginning_ = false;                                         // of that
};

}  // namespace agent_audit::readers
