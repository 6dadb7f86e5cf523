#include "detectors/engine/message_track.hpp"

#include <agent_audit/support/hash.hpp>

#include <utility>

namespace agent_audit::detectors {
namespace {

// "Orchestrator (-> Coder)": whom he speaks to is no part of his name.
std::string_view name_of(std::string_view speaker) { return speaker.substr(0, speaker.find(" (")); }

}  // namespace

void MessageTrack::hear(const AgentText& text, const LaneTrack& lane) {
    const bool after_calls = text.calls != latest_.calls;
    if (speaking_ && text.message == message_ && !after_calls) {
        heard_ = Heard::part;
        if (text.hash != last_part_) add(text);
    } else {
        heard_ = after_calls ? Heard::behind_calls : Heard::next;
        std::swap(latest_, before_);
        begin(text, lane);
    }
    last_part_ = text.hash;
}

void MessageTrack::begin(const AgentText& text, const LaneTrack& lane) {
    speaking_ = true;
    message_ = text.message;
    latest_.place.take(text, lane);
    latest_.hash = text.hash;
    latest_.calls = text.calls;
    latest_.text.assign(text.text.bytes.substr(0, SaidMessage::kKept));
    latest_.form = text.text.form;
    latest_.speaker = text.speaker.empty() ? 0 : stable_hash(name_of(text.speaker.bytes)) | 1;
}

void MessageTrack::add(const AgentText& text) {
    latest_.hash = mix_hash(latest_.hash, text.hash);
    latest_.place.end = text.at;
    latest_.place.spent = text.spent;
    latest_.text += ' ';
    if (latest_.text.size() < SaidMessage::kKept)
        latest_.text += text.text.bytes.substr(0, SaidMessage::kKept - latest_.text.size());
}

}  // namespace agent_audit::detectors
