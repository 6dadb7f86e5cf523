#include "readers/messages/held_events.hpp"

#include <string_view>
#include <variant>

namespace agent_audit::readers {
namespace {

template <class Take>
void each_word(SessionStart& b, Take&& take) {
    for (RawText* text :
         {&b.session_id, &b.parent_session_id, &b.forked_from, &b.product_version, &b.cwd, &b.model, &b.label})
        take(text->bytes);
}
template <class Take>
void each_word(ContextChange& b, Take&& take) {
    take(b.model.bytes);
    take(b.cwd.bytes);
}
template <class Take>
void each_word(LaneOpen& b, Take&& take) {
    take(b.agent_id.bytes);
    take(b.agent_type.bytes);
}
template <class Take>
void each_word(LaneClose&, Take&&) {}
template <class Take>
void each_word(TurnStart&, Take&&) {}
template <class Take>
void each_word(TurnEnd&, Take&&) {}
template <class Take>
void each_word(Message& b, Take&& take) {
    take(b.text.bytes);
    take(b.speaker.bytes);
}
template <class Take>
void each_word(Thinking& b, Take&& take) {
    take(b.text.bytes);
}
template <class Take>
void each_word(ToolCall& b, Take&& take) {
    for (RawText* text : {&b.call_id, &b.name, &b.args, &b.primary}) take(text->bytes);
}
template <class Take>
void each_word(ToolResult& b, Take&& take) {
    for (RawText* text : {&b.call_id, &b.name, &b.text, &b.handle}) take(text->bytes);
}
template <class Take>
void each_word(Usage& b, Take&& take) {
    take(b.model.bytes);
}
template <class Take>
void each_word(Compaction& b, Take&& take) {
    for (RawText* text : {&b.summary, &b.keep_from, &b.ids}) take(text->bytes);
}
template <class Take>
void each_word(Rewind& b, Take&& take) {
    take(b.record_id);
}
template <class Take>
void each_word(Notice& b, Take&& take) {
    take(b.code.bytes);
    take(b.text.bytes);
}

}  // namespace

void HeldEvents::on_event(const Event& event) {
    Held& held = events_.emplace_back(Held{event, {}});
    // The arguments are met one by one again when they are asked for: their names would have to be kept, too.
    if (auto* call = std::get_if<ToolCall>(&held.event.body)) call->fields = {};
    const auto each = [&held](auto&& take) {
        take(held.event.head.record_id);
        std::visit([&take](auto& body) { each_word(body, take); }, held.event.body);
    };
    std::size_t size = 0;
    each([&size](std::string_view& word) { size += word.size(); });
    held.words.reserve(size + kRecordPadding);
    each([&held](std::string_view& word) {
        const std::size_t at = held.words.size();
        held.words.append(word);
        word = std::string_view(held.words).substr(at, word.size());
    });
    held.words.resize(size + kRecordPadding);  // within what was reserved: nothing moves
    size_ += sizeof(Held) + held.words.capacity();
}

}  // namespace agent_audit::readers
