#define XXH_INLINE_ALL
#include <agent_audit/support/hash.hpp>

#include "support/hash_large.hpp"

#include <xxhash.h>

namespace agent_audit {

// Ids and arguments are short: for them the call into the library costs as much as the hash. Long texts go to the
// kernel that the processor runs best. XXH3 gives the same value either way.
std::uint64_t stable_hash(std::string_view bytes, std::uint64_t seed) {
    constexpr std::size_t kShort = 240;
    if (bytes.size() <= kShort) return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
    return hash_large(bytes, seed);
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
