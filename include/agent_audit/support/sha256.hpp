#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace agent_audit {

/// SHA-256 (FIPS 180-4) of bytes that come in pieces: for formats that name files by it. Not for fingerprints of ours,
/// which are stable_hash() and fingerprint_hex().
class Sha256 {
public:
    void add(std::string_view bytes);
    /// 64 lower-case hex digits of everything added; nothing may be added afterwards.
    std::string hex();

private:
    void block(const unsigned char* bytes);

    std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<unsigned char, 64> rest_{};
    std::size_t held_ = 0;      // bytes of rest_
    std::uint64_t length_ = 0;  // bytes in all
};

}  // namespace agent_audit
