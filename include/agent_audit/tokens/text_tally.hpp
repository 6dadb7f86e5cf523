#pragma once

#include <agent_audit/model/text.hpp>
#include <agent_audit/tokens/calibration.hpp>
#include <agent_audit/tokens/lengths.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace agent_audit {

/// What one pass over a text counts: runs of like characters, of which its tokens are estimated and learnt, and what
/// its lengths are made of.
struct TextTally {
    std::size_t bytes = 0;    ///< as they stand, escapes and all
    std::uint64_t chars = 0;  ///< code points

    std::uint64_t letter_runs = 0, long_letters = 0;  ///< long: behind the seventh of a run
    std::uint64_t digit_groups = 0;
    std::uint64_t punctuation_runs = 0, more_punctuation = 0;  ///< more: behind the second of a run
    std::uint64_t newline_runs = 0;
    std::uint64_t long_blanks = 0;  ///< runs of more than one
    std::uint64_t cjk = 0, others = 0;

    bool sound = true;          ///< else lengths are for slower counts: odd escapes, control characters, broken UTF-8
    std::uint64_t escapes = 0;  ///< of two characters, which JSON.stringify writes alike
    std::uint64_t marks_escaped = 0;  ///< quotes and backslashes among them
    std::uint64_t marks = 0;          ///< quotes outside escapes; backslashes too where there are no escapes
    std::uint64_t pairs = 0;          ///< characters of two UTF-16 units
    std::uint64_t weight = 0;         ///< what characters weigh beyond their units

    std::uint64_t hundredths() const;
    std::uint64_t tokens() const;  ///< estimate_tokens()
    void add_to(TextFeatures& features) const;
    /// Of the text itself; nothing: a slower count must say.
    std::optional<TextSizes> sizes() const;
    /// Of the bytes as they stand, as a text: JSON in place of what it says.
    std::optional<TextSizes> sizes_as_written() const;
};

/// One pass over a text as it stands in the recording, whatever its form.
TextTally tally(RawText text);

}  // namespace agent_audit
