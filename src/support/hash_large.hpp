#pragma once

#include <cstdint>
#include <string_view>

namespace agent_audit {

/// XXH3-64 by the library's kernel for this processor (AVX-512, AVX2, SSE2), chosen at run time.
std::uint64_t hash_large(std::string_view bytes, std::uint64_t seed);

}  // namespace agent_audit
