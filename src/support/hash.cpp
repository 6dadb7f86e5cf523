#include <agent_audit/support/hash.hpp>

#include <xxhash.h>

#include <array>

namespace agent_audit {

std::uint64_t stable_hash(std::string_view bytes, std::uint64_t seed) {
    return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::string fingerprint_hex(std::string_view bytes) {
    const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out(32, '0');
    for (std::size_t i = 0; i < 16; ++i) {
        out[15 - i] = digits[(hash.high64 >> (4 * i)) & 15];
        out[31 - i] = digits[(hash.low64 >> (4 * i)) & 15];
    }
    return out;
}

}  // namespace agent_audit
