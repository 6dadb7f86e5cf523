#pragma once

#include "detectors/words/act_words.hpp"
#include "support/simd.hpp"

namespace agent_audit::detectors {

/// add_words() at one of simd_levels(): all give the same.
void add_words_at(SimdLevel level, RawText text, std::size_t limit, ActWords& words);

}  // namespace agent_audit::detectors
