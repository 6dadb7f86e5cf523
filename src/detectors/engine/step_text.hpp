#pragma once

#include <agent_audit/detectors/step.hpp>
#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace agent_audit::detectors {

/// The beginning of `from`, as far as there is room. Returns its length.
template <std::size_t kRoom>
std::uint8_t copy_front(std::string_view from, std::array<char, kRoom>& to) {
    static_assert(kRoom <= UINT8_MAX);
    const std::size_t n = std::min(from.size(), kRoom);
    if (n > 0) std::memcpy(to.data(), from.data(), n);
    return static_cast<std::uint8_t>(n);
}

/// Of a name that does not fit, its beginning, to the end of a character, and the mark.
inline void keep_name(StepText& text, std::string_view name) {
    text.tool_size = copy_front(name, text.tool_bytes);
    if (name.size() <= StepText::kTool) return;
    const std::string_view kept = cut_utf8(text.tool(), StepText::kTool - StepText::kCutMark.size());
    std::ranges::copy(StepText::kCutMark, text.tool_bytes.begin() + static_cast<std::ptrdiff_t>(kept.size()));
    text.tool_size = static_cast<std::uint8_t>(kept.size() + StepText::kCutMark.size());
}

inline void keep_argument(StepText& text, RawText argument) {
    text.argument_size = copy_front(argument.bytes, text.argument_bytes);
    text.argument_form = argument.form;
}

inline void keep_outcome(StepText& text, RawText outcome) {
    text.outcome_size = copy_front(outcome.bytes, text.outcome_bytes);
    text.outcome_form = outcome.form;
}

}  // namespace agent_audit::detectors
