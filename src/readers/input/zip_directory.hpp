#pragma once

#include "readers/input/byte_source.hpp"

#include <agent_audit/support/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::readers {

/// How a file in an archive is named, to be shown to a person.
inline constexpr std::string_view kFileInArchive = "ARCHIVE/FOLDER/session.jsonl";

/// True when the bytes begin a ZIP archive, an empty one included.
bool is_zip(std::string_view first_bytes);

/// What the directory of an archive says about one of its entries. Names are labels: nothing is ever written to disk.
struct ZipEntry {
    std::uint64_t header = 0;  ///< where its local header stands
    std::uint64_t packed = 0;
    std::uint64_t size = 0;
    std::uint64_t end = 0;        ///< nothing of it may stand here or later: the next entry does
    std::uint64_t listed_at = 0;  ///< its place in the directory, where its name stands
    std::uint64_t name_hash = 0;
    std::uint32_t crc = 0;
    std::uint16_t method = 0;
    bool encrypted = false;
    std::string name{};  ///< in a list of files only: an evaluation has too many
};

struct ZipListing {
    std::vector<ZipEntry> entries;      ///< the log's head first, then its sessions as they stand in the file
    std::vector<std::string> problems;  ///< entries left out, one line each kind
};

/// The entries of an evaluation log: header.json (or _journal/start.json while it runs) and samples/*.json. An Error
/// when there is no readable directory or nothing of that kind in it. Entries that overlap are left out: that is how
/// small archives claim to be huge.
Result<ZipListing> list_evaluation(const RandomBytes& archive);

/// All files of an archive as they stand in it, with their names. Nothing where it is an evaluation log.
Result<ZipListing> list_files(const RandomBytes& archive);

/// The name of an entry for a message: printable and short.
std::string zip_entry_name(const RandomBytes& archive, const ZipEntry& entry);

}  // namespace agent_audit::readers
