#pragma once

#include <agent_audit/detectors/detector.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace agent_audit {
class LaneTrack;
}

namespace agent_audit::detectors {

/// What stays of a text when its bytes are gone: where it stood, and its first words for the evidence.
struct TextPlace {
    static constexpr std::size_t kKept = 256;

    Place at;
    Place end;  ///< the last part, where one text came in several
    TokenCounts spent;
    std::uint32_t compactions = 0, notices = 0;
    std::int64_t time_ms = kNoTime;
    TextForm form = TextForm::plain;
    std::string head;  ///< first bytes as recorded; the capacity is kept

    std::uint64_t good_steps = 0;  ///< of the lane until then

    void take(const AgentText& text, const LaneTrack& lane);
    RawText text() const { return {head, form}; }
    /// Its first words, decoded, one line, cut.
    std::string words() const;
};

/// A draft with places, evidence and flags filled in; the rule adds severity, message and because. With `waste`,
/// everything behind the first text is waste.
DraftFinding draft_of_texts(const DetectorSpec& spec, const TextPlace& first, const TextPlace& last, bool waste);

/// As the overload for steps: no window, no times, or within it.
bool within(const TextPlace& first, const TextPlace& last, int within_s);

/// A text in words for people: decoded, blanks folded, cut.
std::string plain_words(RawText text, std::size_t max = 100);

}  // namespace agent_audit::detectors
