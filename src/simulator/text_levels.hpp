#pragma once

#include <agent_audit/simulator/text.hpp>

#include "support/simd.hpp"

#include <string_view>

namespace agent_audit::simulator {

/// measure() at one of simd_levels(): all give the same.
TextSizes measure_at(SimdLevel level, std::string_view wtf8);

}  // namespace agent_audit::simulator
