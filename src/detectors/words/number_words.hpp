#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace agent_audit::detectors {

/// A text without blanks, dashes and marks of emphasis at its end.
std::string_view trimmed_end(std::string_view text);

/// A quick look: false when the text, which ends with a letter, has no English number at its end.
bool may_end_with_number(std::string_view text);

/// The number at the end of a text in lower case, in digits, English or Chinese ("at most ten", "15 ", 二十), which is
/// cut off it. Versions, decimals and numbers of eight digits are none.
std::optional<std::uint64_t> number_before(std::string_view& head);

}  // namespace agent_audit::detectors
