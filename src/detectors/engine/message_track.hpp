#pragma once

#include "detectors/engine/text_places.hpp"

#include <agent_audit/detectors/detector.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace agent_audit::detectors {

/// What a model response said beside its calls, all parts together.
struct SaidMessage {
    static constexpr std::size_t kKept = 16u << 10;  ///< bytes of it that are kept

    TextPlace place;
    std::uint64_t hash = 0;
    std::uint64_t calls = 0;  ///< tool calls in the lane before it
    std::string text;         ///< as recorded, cut
    TextForm form = TextForm::plain;
    std::uint64_t speaker = 0;  ///< of a group, by name; 0 = nobody is named
};

/// Puts together what the agent says: a response may be recorded in parts, and a part twice. Reasoning is no part of
/// it. All rules about messages look here, so each is kept once.
class MessageTrack {
public:
    /// What the latest text was to the one before it.
    enum class Heard : std::uint8_t {
        part,          ///< another part of the message that is going on, or one of its parts again
        next,          ///< a message behind another one
        behind_calls,  ///< a message, with calls behind the one before it; also the first one
    };

    void hear(const AgentText& text, const LaneTrack& lane);
    /// A human spoke: what is said from here on is another message.
    void end() { speaking_ = false; }

    Heard heard() const { return heard_; }
    /// The latest message, as far as it is known.
    const SaidMessage& latest() const { return kept_[at_]; }
    /// The one before it, whole.
    const SaidMessage& before() const { return kept_[1 - at_]; }
    /// Was a message begun, with no word of a human behind it?
    bool speaking() const { return speaking_; }

private:
    void begin(const AgentText& text, const LaneTrack& lane);
    void add(const AgentText& text);

    std::array<SaidMessage, 2> kept_;  // used in turn: their memory stays
    std::size_t at_ = 0;
    Heard heard_ = Heard::behind_calls;
    bool speaking_ = false;
    std::uint64_t message_ = 0, last_part_ = 0;
};

}  // namespace agent_audit::detectors
