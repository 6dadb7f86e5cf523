#pragma once

#include "support/simd.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace agent_audit::detectors {

/// Finds the places where a volatile part may be: a filter that looks at three bytes at a time, misses none and is
/// wrong now and then. It runs over every byte of every tool result, so it is branch-free and done 64 bytes at once.
///
/// Bit i of masks[k] says that the three bytes ending with byte 64k + i look like the inside of a volatile part.
inline constexpr std::size_t kScanBlock = 64;
inline constexpr std::size_t kScanChunk = 4096;  ///< bytes whose masks are found before they are looked at
using ScanMasks = std::array<std::uint64_t, kScanChunk / kScanBlock>;

/// Masks of the chunk of `text` that begins at `from`, a multiple of kScanChunk. Returns how many were written.
std::size_t scan_chunk(std::string_view text, std::size_t from, ScanMasks& masks, SimdLevel level);

}  // namespace agent_audit::detectors
