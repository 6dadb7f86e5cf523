#pragma once

#include "support/simd.hpp"

#include <agent_audit/tokens/text_tally.hpp>

#include <cstdint>

namespace agent_audit {

/// tally(), estimate_tokens() and TextFeatures::add() at one of simd_levels(): all give the same.
TextTally tally_at(SimdLevel level, RawText text);
std::uint64_t estimate_tokens_at(SimdLevel level, RawText text);
TextFeatures features_at(SimdLevel level, RawText text, const TextFeatures& before);

}  // namespace agent_audit
