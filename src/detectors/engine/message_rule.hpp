#pragma once

#include "detectors/engine/lane_track.hpp"

#include <agent_audit/detectors/detector.hpp>

#include <cstdint>

namespace agent_audit::detectors {

/// Base of the rules about messages that follow each other without a call in between.
class MessageRule : public Detector {
public:
    void on_text(const AgentText& text, const LaneTrack& lane) final {
        if (text.reasoning) {
            thinking_ = true;
            return on_thought(text, lane);
        }
        if (thinking_) end_thinking();
        if (lane.messages().heard() == MessageTrack::Heard::part) return;
        if (lane.messages().heard() == MessageTrack::Heard::behind_calls)
            start_afresh(lane.messages().before());
        else
            end_message(lane.messages().before());
        speaking_ = true;
    }
    void on_segment_end(const LaneTrack& lane) final {
        if (thinking_) end_thinking();
        const SaidMessage& said = lane.messages().latest();
        const bool goes_on =
            (lane.told_to_go_on() && outlasts_go_ahead()) || (lane.told_again() && speaking_ && outlasts_answer(said));
        if (!goes_on) return start_afresh(said);
        end_message(said);
    }
    void finish(const LaneTrack* lane) final {
        if (thinking_) end_thinking();
        start_afresh(lane->messages().latest());
    }

protected:
    virtual void on_message(const SaidMessage& said) = 0;
    /// A call or a human came in between: nothing that was said before counts any more.
    virtual void on_fresh_start() = 0;
    /// Reasoning, which is no message.
    virtual void on_thought(const AgentText&, const LaneTrack&) {}
    /// Something was said behind it, or a human spoke.
    virtual void end_thoughts() {}
    /// A human said no more than to go on. False: that is a fresh start as any other word of a human.
    virtual bool outlasts_go_ahead() { return false; }
    /// A human answered what had been answered with the same number before. False: that is a fresh start, too.
    virtual bool outlasts_answer(const SaidMessage&) { return false; }

private:
    void end_message(const SaidMessage& said) {
        if (speaking_) {
            on_message(said);
            ++messages_;
        }
        speaking_ = false;
    }

    // A message alone, with calls before and after it, is how most work goes: no rule has to hear of it.
    void start_afresh(const SaidMessage& said) {
        if (messages_ > 0) {
            end_message(said);
            on_fresh_start();
        }
        speaking_ = false;
        messages_ = 0;
    }

    void end_thinking() {
        thinking_ = false;
        end_thoughts();
    }

    bool speaking_ = false, thinking_ = false;
    std::uint64_t messages_ = 0;  // handed on since the last fresh start
};

}  // namespace agent_audit::detectors
