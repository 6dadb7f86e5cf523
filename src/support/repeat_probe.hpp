#pragma once

#include "support/simd.hpp"

#include <cstddef>
#include <string_view>

namespace agent_audit {

/// Tells at a glance that a text does not say the same thing over and over: the gate before everything that reads
/// words.
///
/// Finds every stretch of bytes that is periodic in the strict sense, with a period up to kProbedPeriod, if it looks
/// like words said four times or more: 60 words and 180 bytes in all, one or two words said 32 times, and no more than
/// a quarter of the unit without words at its end. Says yes now and then where there is no such stretch, never the
/// other way round. Works on escaped text as well.
///
/// How: anchors stand so close that one lies in every such stretch a whole round before its end. For each, the next
/// places with the same bytes are looked for, 64 at a time, as far away as that stretch's period can be; and where
/// there is one, how long both places go on alike decides. Long stretches need few anchors, short ones need no far
/// look, so all this costs a fraction of what reading the text costs.
bool may_repeat(std::string_view text, SimdLevel level = best_simd());

inline constexpr std::size_t kProbedPeriod = 64u << 10;

}  // namespace agent_audit
