#pragma once

#include <agent_audit/model/event.hpp>
#include <agent_audit/model/ingest.hpp>
#include <agent_audit/readers/reader.hpp>
#include <agent_audit/support/result.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit {

/// What the input layer promises and is limited to.
struct InputLimits {
    std::size_t max_record_bytes = 64u << 20;  ///< a longer record is skipped up to its end and counted
    std::size_t chunk_bytes = 256u << 10;      ///< read at a time
    std::uint64_t bomb_bytes = 1ull << 30;     ///< decompressed bytes from which on the ratio is watched
    unsigned bomb_ratio = 200;                 ///< decompressed : compressed beyond which reading stops
    int fifo_wait_ms = 2000;                   ///< how long a named pipe may have no writer
};

/// Buffers that live as long as a worker and serve one input after the other: growing memory for one file
/// after another is what makes many small files slow. One source at a time uses them, and they outlive it.
///
/// Peak memory does not grow with the number of workers: beyond 4 MiB only one of them in the process may hold a
/// buffer, the others wait for their turn inside open_input(), peek() or next(). So between two calls of next() a
/// worker must not wait for another worker.
class InputBuffers {
public:
    InputBuffers();
    ~InputBuffers();
    InputBuffers(const InputBuffers&) = delete;
    InputBuffers& operator=(const InputBuffers&) = delete;

    struct Impl;
    Impl& impl() { return *impl_; }

private:
    std::unique_ptr<Impl> impl_;
};

/// One input, cut into records.
class RecordSource {
public:
    virtual ~RecordSource() = default;

    /// The first records without consuming them: up to `max_records` that are non-blank and at hand within the
    /// first chunk (at least one, if there is one). Valid until the first next(). Decides the framing.
    virtual std::vector<Record> peek(std::size_t max_records) = 0;
    virtual Framing framing() const = 0;
    /// False where records stand in no lines of one file: the rows of a database, the files of a folder.
    virtual bool has_lines() const { return true; }
    /// True when the "line" of what was read is the number of a record: of an element of an array, of one of several
    /// documents, or in a document that is all there is (Record::counted). Ask at the end.
    virtual bool counts_records() const { return !has_lines(); }

    /// The first record when it is an object beyond the limit: an excerpt of its beginning that is valid JSON, long
    /// strings and arrays cut. Ask before peek(), which passes over such a line. Valid until the next call.
    virtual std::optional<Record> first_if_long() { return std::nullopt; }
    /// Objects beyond the limit are handed out in parts from now on, the elements of their top-level arrays of these
    /// names one by one. Ask before the first next(); the names outlive the source.
    virtual void stream_arrays(std::span<const std::string_view> names) { (void)names; }

    /// The id of the format that the records will be read in. A source that holds more for some formats hands it out.
    /// Tell before the first next().
    virtual void read_as(std::string_view format) { (void)format; }

    enum class Next : std::uint8_t {
        record,    ///< `out` is a record to be read
        blank,     ///< `out.where` is an empty record: fate blank
        too_long,  ///< `out.where` is a record beyond the limit: fate too_long
        end        ///< no more; look at error()
    };
    virtual Next next(Record& out) = 0;

    /// Why reading stopped early (I/O error, broken gzip stream, decompression bomb), as one line.
    virtual const std::optional<std::string>& error() const = 0;
    /// Bytes handed out so far, after decompression.
    virtual std::uint64_t bytes() const = 0;
    /// True when the first kilobytes hold NUL or other bytes that no text format has.
    /// Ask before the first next().
    virtual bool looks_binary() const = 0;
    /// What kind of file it is instead, and what to do about it, as one line: a table, an archive or a compression that
    /// is not read. Empty: none that is known. Ask before the first next().
    virtual std::string_view binary_kind() const { return {}; }
    /// The id of the format, where the container says it and the records need not be asked: a database has tables.
    virtual std::string_view stored_format() const { return {}; }
    /// True when there are sessions perhaps that cannot be read now: a database that is locked.
    virtual bool withheld() const { return false; }
    /// True when it was read, and is something else than sessions: error() says what. A database of another program.
    virtual bool foreign() const { return false; }
};

/// Opens a file, a FIFO or "-" (standard input). gzip and zstd are recognised by their magic bytes, never by the name.
/// So is a SQLite database, whose rows become the records: of those "line" is the position, from 1. A folder with a
/// file for each event of a session is one input, and so is a session with the file beside it that has its figures. A
/// path that goes on behind a ZIP or tar archive leads to a file in it. An Error means that the input cannot be opened;
/// everything later is in RecordSource::error().
Result<std::unique_ptr<RecordSource>> open_input(const std::string& path, std::uint32_t file_index,
                                                 const InputLimits& limits, InputBuffers& buffers);

/// The lines of a file, from 1, in which these bytes of an input stand; `offsets` rise, and count from the start of the
/// decompressed input. Reads the file once more as far as the last of them; no source of `buffers` may be open. Empty
/// where that cannot be done: standard input, pipes, files in an archive, what has become shorter since.
std::vector<std::uint64_t> lines_at(const std::string& path, std::span<const std::uint64_t> offsets,
                                    const InputLimits& limits, InputBuffers& buffers);

/// A source over bytes in memory that are read in pieces of `piece` bytes: for tests and fuzzing.
std::unique_ptr<RecordSource> memory_input(std::string_view bytes, std::uint32_t file_index, const InputLimits& limits,
                                           InputBuffers& buffers, std::size_t piece);

/// One thing to read, found from what the user named.
struct InputPath {
    std::string path;
    std::uint64_t size = 0;              ///< bytes on disk; 0 when unknown (pipes)
    bool named = false;                  ///< the user named it, or a glob of theirs did; otherwise found in a directory
    std::int64_t modified_ms = kNoTime;  ///< when it was last written, ms since 1970; kNoTime for pipes
    /// Inputs with the same number are files of one archive that can only be read from its beginning to its end: in
    /// the order of the list, by one worker. 0: of none.
    std::uint32_t in_order = 0;
    /// How long the part of `path` is that led here: a folder or archive that was named, with its slash, or what stands
    /// before the first wildcard. npos: named itself.
    std::size_t below = std::string::npos;
};

/// What the inputs of a run come to.
struct InputList {
    std::vector<InputPath> paths;       ///< sorted by path, each once; files of an archive as they stand in it
    std::vector<std::string> problems;  ///< one line each: missing, unreadable, directory without sessions, …
};

/// Expands files, directories (recursive; .jsonl .json .ndjson .traj .har .md with a known name, also .gz .zst;
/// databases as .db .sqlite .sqlite3 .vscdb; never following links out of the tree; no FIFOs, sockets or devices; no
/// copies of a session that stands beside them; for files with one event each their folder) and globs (* ? [..] **),
/// which count only where no file has that very name. Of an archive that is named, ZIP or tar, also compressed, the
/// files in it that look like sessions; of its path with more behind it that file, or those in that folder. "-" stays
/// "-". A link to a file that is in the list itself is dropped. The order of `named` does not matter.
InputList expand_inputs(const std::vector<std::string>& named);

/// Takes out of `list` what was found and not named itself, and matches one of the patterns: as in .gitignore, by its
/// path below what was named or by its path as it is listed. "*.bak.jsonl" is a name at any depth, "old/" a folder at
/// any depth, "runs/*.json" and "/a.jsonl" begin where the path does, "**" stands for any folders, and {a,b} for one of
/// the two. Where nothing is left, that is a problem of the list.
void leave_out(InputList& list, std::span<const std::string> patterns);
/// Whether one of the patterns matches a path that was found below a folder; `below` as in InputPath.
bool is_left_out(std::string_view path, std::size_t below, std::span<const std::string> patterns);
/// What is wrong with such a pattern; empty: nothing.
std::string exclusion_problem(std::string_view pattern);

}  // namespace agent_audit
