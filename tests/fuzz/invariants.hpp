#pragma once

#include <agent_audit/model/event.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <type_traits>
#include <variant>

namespace agent_audit::fuzz {

/// A broken promise is a finding, in every build: assert() would vanish with NDEBUG.
inline void promise(bool kept, const char* what) {
    if (kept) return;
    std::fprintf(stderr, "broken promise: %s\n", what);
    std::abort();
}

/// Reads every byte of every view of an event, so that the address sanitizer sees one that points astray.
class EventChecker final : public EventSink {
public:
    void on_event(const Event& event) override {
        promise(event.head.seq > last_seq_ || events_ == 0, "seq strictly increases");
        last_seq_ = event.head.seq;
        ++events_;
        // In a document of messages the line is the message's place in it, so there is no upper bound to hold it to.
        promise(event.head.where.line > 0, "lines count from 1");
        promise(event.head.where.file == 0, "an event names its input");
        touch(event.head.record_id);
        std::visit([this](const auto& body) { read(body); }, event.body);
    }

    std::uint64_t events() const { return events_; }
    unsigned char sum() const { return sum_; }

private:
    void touch(std::string_view bytes) {
        for (const char c : bytes) sum_ = static_cast<unsigned char>(sum_ + static_cast<unsigned char>(c));
    }
    void touch(const RawText& text) {
        touch(text.bytes);
        promise(text.form <= TextForm::json_value, "a text has one of the known forms");
    }
    template <class... Text>
    void touch_all(const Text&... texts) {
        (touch(texts), ...);
    }

    void read(const SessionStart& s) {
        touch_all(s.session_id, s.parent_session_id, s.forked_from, s.product_version, s.cwd, s.model, s.label);
    }
    void read(const ContextChange& c) { touch_all(c.model, c.cwd); }
    void read(const LaneOpen& l) { touch_all(l.agent_id, l.agent_type); }
    void read(const Message& m) { touch(m.text); }
    void read(const Thinking& t) { touch(t.text); }
    void read(const ToolCall& c) { touch_all(c.call_id, c.name, c.args, c.primary); }
    void read(const ToolResult& r) { touch_all(r.call_id, r.name, r.text); }
    void read(const Usage& u) { touch(u.model); }
    void read(const Compaction& c) { touch_all(c.summary, c.keep_from, c.ids); }
    void read(const Rewind& r) { touch(r.record_id); }
    void read(const Notice& n) { touch_all(n.code, n.text); }
    template <class Body>
    void read(const Body&) {
        static_assert(std::is_empty_v<Body> || std::is_same_v<Body, TurnEnd>, "this event has views: touch them");
    }

    std::uint64_t last_seq_ = 0;
    std::uint64_t events_ = 0;
    volatile unsigned char sum_ = 0;
};

}  // namespace agent_audit::fuzz
