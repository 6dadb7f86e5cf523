#pragma once

#include "support/simd.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace agent_audit::simulator {

/// append_identifiers() at one of simd_levels(): all give the same.
void append_identifiers_at(SimdLevel level, std::vector<std::uint64_t>& out, std::string_view text, bool escaped);

}  // namespace agent_audit::simulator
