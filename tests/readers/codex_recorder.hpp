#pragma once

#include <agent_audit/model/event.hpp>
#include <agent_audit/readers/reader.hpp>

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace agent_audit::test {

/// Feeds hand-written lines to a reader and keeps everything it emits. Event views live as long as the recorder.
class Recorder final : public EventSink {
public:
    explicit Recorder(const ReaderSpec& spec) : reader_(spec.make()) {}

    Recorder& read(std::string_view line, bool last_unterminated = false) {
        ++line_;
        std::string padded(line);
        padded.append(kRecordPadding, ' ');
        Record record;
        record.text = {padded.data(), line.size()};
        record.where.line = line_;
        record.where.length = static_cast<std::uint32_t>(line.size());
        record.last_unterminated = last_unterminated;
        fates.push_back(reader_->read(record, *this));
        return *this;
    }
    Recorder& finish() {
        reader_->finish(*this);
        return *this;
    }

    void on_event(const Event& event) override {
        Event copy = event;
        copy.head.record_id = keep(copy.head.record_id);
        std::visit([this](auto& body) { keep_body(body); }, copy.body);
        events.push_back(copy);
    }

    template <class Body>
    std::vector<Body> all() const {
        std::vector<Body> out;
        for (const Event& event : events) {
            if (const auto* body = std::get_if<Body>(&event.body)) out.push_back(*body);
        }
        return out;
    }
    template <class Body>
    std::vector<EventHeader> heads() const {
        std::vector<EventHeader> out;
        for (const Event& event : events) {
            if (std::holds_alternative<Body>(event.body)) out.push_back(event.head);
        }
        return out;
    }
    LineFate fate() const { return fates.back(); }

    std::vector<Event> events;
    std::vector<LineFate> fates;

private:
    std::string_view keep(std::string_view text) { return bytes_.emplace_back(text); }
    void keep(RawText& text) { text.bytes = keep(text.bytes); }

    void keep_body(SessionStart& b) {
        for (RawText* t :
             {&b.session_id, &b.parent_session_id, &b.forked_from, &b.product_version, &b.cwd, &b.model, &b.label})
            keep(*t);
    }
    void keep_body(ContextChange& b) {
        keep(b.model);
        keep(b.cwd);
    }
    void keep_body(LaneOpen& b) {
        keep(b.agent_id);
        keep(b.agent_type);
    }
    void keep_body(LaneClose&) {}
    void keep_body(TurnStart&) {}
    void keep_body(TurnEnd&) {}
    void keep_body(Message& b) { keep(b.text); }
    void keep_body(Thinking& b) { keep(b.text); }
    void keep_body(ToolCall& b) {
        keep(b.call_id);
        keep(b.name);
        keep(b.args);
        keep(b.primary);
    }
    void keep_body(ToolResult& b) {
        keep(b.call_id);
        keep(b.name);
        keep(b.text);
    }
    void keep_body(Usage& b) { keep(b.model); }
    void keep_body(Compaction& b) {
        keep(b.summary);
        keep(b.keep_from);
        keep(b.ids);
    }
    void keep_body(Rewind& b) { b.record_id = keep(b.record_id); }
    void keep_body(Notice& b) {
        keep(b.code);
        keep(b.text);
    }

    std::unique_ptr<RecordReader> reader_;
    std::deque<std::string> bytes_;
    std::uint64_t line_ = 0;
};

}  // namespace agent_audit::test
