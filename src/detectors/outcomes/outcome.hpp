#pragma once

#include <agent_audit/model/text.hpp>

#include <cstdint>
#include <string_view>

namespace agent_audit::detectors {

/// What a tool answered, as one number: equal for two answers that differ only in their volatile parts
/// (volatile_parts.hpp) and in the blanks beside those, which shift columns.
struct OutcomeDigest {
    std::uint64_t hash = 0;
    bool opaque = false;  ///< nothing but a placeholder for content that was cut out: equal to nothing
};

/// `error` is part of the digest: an error never equals a result. An empty outcome is an outcome like any other.
OutcomeDigest digest_outcome(RawText text, bool error);

/// True for a placeholder alone: content that was elided, redacted or is an image.
bool is_opaque_outcome(RawText text);

/// The text without the ends of lines, as they are or as JSON spells them, that it ends in.
inline std::string_view without_line_ends(std::string_view text) {
    while (text.ends_with('\n') || text.ends_with("\\n")) text.remove_suffix(text.ends_with('\n') ? 1 : 2);
    return text;
}

/// The text without what the agent tells its model below it in a <system-reminder>, such as how often the call was
/// made: no part of the answer. A text that is nothing else stays.
std::string_view without_reminder(std::string_view text);

/// What an error says: the first 200 characters that are left after volatile parts and runs of digits became one mark
/// each. A character of a JSON string counts as it is spelled.
std::uint64_t error_key(RawText text);

/// Hash of the text with every run of digits as one mark.
std::uint64_t shape_hash(RawText text);

}  // namespace agent_audit::detectors
