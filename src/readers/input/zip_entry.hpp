#pragma once

#include "readers/input/byte_source.hpp"
#include "readers/input/decoders.hpp"
#include "readers/input/zip_directory.hpp"

#include <agent_audit/readers/input.hpp>
#include <agent_audit/support/result.hpp>

#include <memory>

namespace agent_audit::readers {

/// The bytes of an entry, decompressed as they are read, and held to the size and the checksum that the directory says:
/// what differs is in error() at the end. The archive outlives them. One source at a time uses `decoders`. An Error,
/// without the entry's name, where it cannot be begun.
Result<std::unique_ptr<ByteSource>> zip_entry_bytes(const RandomBytes& archive, const ZipEntry& entry,
                                                    const InputLimits& limits, Decoders& decoders);

}  // namespace agent_audit::readers
