#include "support/hash_large.hpp"

#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h>  // redirects the calls below to its run-time dispatch
#else
#include <xxhash.h>
#endif

namespace agent_audit {

std::uint64_t hash_large(std::string_view bytes, std::uint64_t seed) {
    return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

}  // namespace agent_audit
