#pragma once

#include "support/simd.hpp"

#include <agent_audit/tokens/calibration.hpp>

#include <cstdint>

namespace agent_audit {

/// estimate_tokens() and TextFeatures::add() at one of simd_levels(): all give the same.
std::uint64_t estimate_tokens_at(SimdLevel level, RawText text);
TextFeatures features_at(SimdLevel level, RawText text, const TextFeatures& before);

}  // namespace agent_audit
