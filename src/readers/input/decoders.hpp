#pragma once

#include "readers/input/byte_source.hpp"

#include <agent_audit/readers/input.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace agent_audit::readers {

/// Compressed bytes are read this many at a time.
inline constexpr std::size_t kDecoderInput = 64u << 10;
/// Bytes needed to recognise a compressed stream.
inline constexpr std::size_t kMagicBytes = 4;

enum class Compression : std::uint8_t {
    none,
    gzip,
    zstd,
    deflate,  ///< without any frame, as archives have it: never recognised by its bytes
};
Compression compression_of(std::string_view first_bytes);

/// Decoder state and input buffer, made when first needed and reused from input to input.
class Decoders {
public:
    Decoders();
    ~Decoders();
    Decoders(const Decoders&) = delete;
    Decoders& operator=(const Decoders&) = delete;

    struct Impl;
    Impl& impl() { return *impl_; }

private:
    std::unique_ptr<Impl> impl_;
};

/// The decompressed bytes of `compressed`, of which `first` (at most kDecoderInput bytes) was already read.
/// Members and frames that follow each other are one stream. One source at a time uses `decoders`.
std::unique_ptr<ByteSource> decoded_bytes(Compression how, std::unique_ptr<ByteSource> compressed,
                                          std::string_view first, const InputLimits& limits, Decoders& decoders);

/// The text that `bytes` are when they are decompressed, by what they begin with; at most `most` bytes of it. `bytes`
/// themselves where nothing says that they are compressed.
std::string decoded_text(std::string bytes, std::size_t most);

}  // namespace agent_audit::readers
