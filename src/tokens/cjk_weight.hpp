#pragma once

#include <cstdint>

namespace agent_audit::tokens {

/// What a code point weighs beyond its UTF-16 length in OpenClaw's estimate, in quarters of a token: 0 for most.
std::uint64_t cjk_weight(char32_t c);

}  // namespace agent_audit::tokens
