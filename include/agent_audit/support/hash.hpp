#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace agent_audit {

/// XXH3-64 of the bytes. The value is the same on every machine and in every version of this
/// program (XXH3 is frozen since xxHash 0.8.0), so it may be written into baselines.
std::uint64_t stable_hash(std::string_view bytes, std::uint64_t seed = 0);

/// XXH3-128 of the bytes as 32 lower-case hex digits: the form of every published fingerprint.
std::string fingerprint_hex(std::string_view bytes);

/// Mixes two hashes into one; the order of the arguments matters.
constexpr std::uint64_t mix_hash(std::uint64_t a, std::uint64_t b) {
    std::uint64_t x = a ^ (b + 0x9e3779b97f4a7c15ULL + (a << 6) + (a >> 2));
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ULL;
    x ^= x >> 32;
    return x;
}

}  // namespace agent_audit
