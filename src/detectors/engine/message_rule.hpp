#pragma once

#include "detectors/engine/text_places.hpp"

#include <agent_audit/detectors/detector.hpp>
#include <agent_audit/support/hash.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace agent_audit::detectors {

/// What a model response said beside its calls, all parts together.
struct SaidMessage {
    TextPlace place;
    std::uint64_t hash = 0;
    std::string text;  ///< as recorded; as much of it as the rule asked for
    TextForm form = TextForm::plain;
    std::uint64_t speaker = 0;  ///< of a group, by name; 0 = nobody is named
};

/// Base of the rules about messages that follow each other without a call in between. A response may be recorded in
/// parts, and a part twice: it is one message. Reasoning is none.
class MessageRule : public Detector {
public:
    explicit MessageRule(std::size_t kept_bytes) : kept_bytes_(kept_bytes) {}

    void on_text(const AgentText& text, const LaneTrack& lane) final {
        if (text.reasoning) return;
        const bool same = speaking_ && text.message == message_ && text.calls == calls_;
        if (same && text.hash == last_part_) return;
        if (!same) {
            if (text.calls != calls_) {
                start_afresh();
            } else {
                end_message();
            }
            begin(text, lane);
        } else {
            said_.hash = mix_hash(said_.hash, text.hash);
            said_.place.end = text.at;
            said_.place.spent = text.spent;
            said_.text += ' ';
        }
        last_part_ = text.hash;
        if (said_.text.size() < kept_bytes_) said_.text += text.text.bytes.substr(0, kept_bytes_ - said_.text.size());
    }
    void on_segment_end(const LaneTrack& lane) final {
        const bool goes_on =
            (lane.told_to_go_on() && outlasts_go_ahead()) || (lane.told_again() && speaking_ && outlasts_answer(said_));
        if (!goes_on) return end();
        end_message();
    }
    void finish(const LaneTrack*) final { end(); }

protected:
    virtual void on_message(const SaidMessage& said) = 0;
    /// A call or a human came in between: nothing that was said before counts any more.
    virtual void on_fresh_start() = 0;
    /// A human said no more than to go on. False: that is a fresh start as any other word of a human.
    virtual bool outlasts_go_ahead() { return false; }
    /// A human answered what had been answered with the same number before. False: that is a fresh start, too.
    virtual bool outlasts_answer(const SaidMessage&) { return false; }

private:
    void begin(const AgentText& text, const LaneTrack& lane) {
        speaking_ = true;
        message_ = text.message;
        calls_ = text.calls;
        said_.place.take(text, lane);
        said_.hash = text.hash;
        said_.text.clear();
        said_.form = text.text.form;
        said_.speaker = text.speaker.empty() ? 0 : stable_hash(name_of(text.speaker.bytes)) | 1;
    }

    // "Orchestrator (-> Coder)": whom he speaks to is no part of his name.
    static std::string_view name_of(std::string_view speaker) { return speaker.substr(0, speaker.find(" (")); }

    void end_message() {
        if (speaking_) {
            on_message(said_);
            ++messages_;
        }
        speaking_ = false;
    }

    // A message alone, with calls before and after it, is how most work goes: no rule has to hear of it.
    void start_afresh() {
        if (messages_ > 0) {
            end_message();
            on_fresh_start();
        }
        speaking_ = false;
        messages_ = 0;
    }

    void end() { start_afresh(); }

    std::size_t kept_bytes_;
    SaidMessage said_;
    bool speaking_ = false;
    std::uint64_t messages_ = 0;  // handed on since the last fresh start
    std::uint64_t message_ = 0, calls_ = 0, last_part_ = 0;
};

}  // namespace agent_audit::detectors
