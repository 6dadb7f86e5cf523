#include "detectors/engine/message_track.hpp"

#include <agent_audit/support/hash.hpp>

namespace agent_audit::detectors {
namespace {

// "Orchestrator (-> Coder)": whom he speaks to is no part of his name.
std::string_view name_of(std::string_view speaker) { return speaker.substr(0, speaker.find(" (")); }

}  // namespace

void MessageTrack::hear(const AgentText& text, const LaneTrack& lane) {
    const bool after_calls = text.calls != latest().calls;
    if (speaking_ && text.message == message_ && !after_calls) {
        heard_ = Heard::part;
        if (text.hash != last_part_) add(text);
    } else {
        heard_ = after_calls ? Heard::behind_calls : Heard::next;
        at_ = 1 - at_;
        begin(text, lane);
    }
    last_part_ = text.hash;
}

void MessageTrack::begin(const AgentText& text, const LaneTrack& lane) {
    speaking_ = true;
    message_ = text.message;
    SaidMessage& said = kept_[at_];
    said.place.take(text, lane);
    said.hash = text.hash;
    said.calls = text.calls;
    said.text.assign(text.text.bytes.substr(0, SaidMessage::kKept));
    said.form = text.text.form;
    said.speaker = text.speaker.empty() ? 0 : stable_hash(name_of(text.speaker.bytes)) | 1;
}

void MessageTrack::add(const AgentText& text) {
    SaidMessage& said = kept_[at_];
    said.hash = mix_hash(said.hash, text.hash);
    said.place.end = text.at;
    said.place.spent = text.spent;
    said.text += ' ';
    if (said.text.size() < SaidMessage::kKept)
        said.text += text.text.bytes.substr(0, SaidMessage::kKept - said.text.size());
}

}  // namespace agent_audit::detectors
