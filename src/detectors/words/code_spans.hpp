#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace agent_audit::detectors {

/// Of a text that says little but what stands between its backticks ("Good point. Use this: `a*b`"): a hash of that,
/// blanks left out. `most_words`: beside it. 0 = there is none, or more is said than that.
std::uint64_t code_led_up_to(std::string_view text, std::size_t most_words);

}  // namespace agent_audit::detectors
