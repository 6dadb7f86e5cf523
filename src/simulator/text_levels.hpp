#pragma once

#include <agent_audit/simulator/text.hpp>

#include "support/simd.hpp"

#include <optional>
#include <string_view>

namespace agent_audit::simulator {

/// measure() and measure_json_string() at one of simd_levels(): all give the same.
TextSizes measure_at(SimdLevel level, std::string_view wtf8);
std::optional<TextSizes> measure_json_string_at(SimdLevel level, std::string_view raw);

}  // namespace agent_audit::simulator
