#include "convert/all.hpp"
#include "convert/texts.hpp"

#include <agent_audit/model/event_words.hpp>
#include <agent_audit/support/json_text.hpp>

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <variant>

// Our own events, one a line (schema: agent-audit schema events):
//
//   {"agent_audit_events":1,"tool":{"name":"agent-audit","version":"…"}}
//   {"kind":"input","path":"…","format":"…","signals":[…]}
//   {"kind":"message","seq":1,"line":1,"offset":0,"length":98,"role":"user","origin":"human","text":"…"}
//   {"kind":"input_end","records":{"total":12,"understood":12}}
//
// Texts are written as they stand in the recording, escapes and all: reading them back must give the same bytes, or
// hashes and estimates would change. <field>_form says so where a field is not the inside of a JSON string.

namespace agent_audit::convert {
namespace {

class Events final : public Converter {
public:
    Events(const ConverterOptions& options, const ConverterOutput& out)
        : version_(options.tool_version), texts_(options.redact), out_(out) {}

    void begin_input(const InputHead& input) override {
        if (!std::exchange(begun_, true)) {
            line_.begin();
            line_.raw("agent_audit_events", R"(1,"tool":{"name":"agent-audit","version":)");
            texts_.append_string(line_.text(), version_);
            out_.write(line_.end("}}\n"));
        }
        line_.begin();
        line_.word("kind", "input");
        texts_.append_string(line_.key("path").text(), input.path);
        line_.word("format", input.format);
        line_.key("signals").raw("[");
        bool first = true;
        for (const SignalInfo& signal : kSignals) {
            if (!input.signals.has(signal.signal)) continue;
            line_.raw(std::exchange(first, false) ? "\"" : ",\"");
            line_.raw(signal.name);
            line_.raw("\"");
        }
        out_.write(line_.end("]}\n"));
    }

    void end_input(const IngestStats& stats) override {
        line_.begin();
        line_.word("kind", "input_end");
        line_.key("records").raw(fmt::format("{{\"total\":{}", stats.records()));
        for (std::size_t fate = 0; fate < kLineFateCount; ++fate) {
            if (stats.fates[fate] > 0) line_.raw(fmt::format(",\"{}\":{}", kLineFates[fate].name, stats.fates[fate]));
        }
        out_.write(line_.end("}}\n"));
    }

    void on_event(const Event& event) override {
        line_.begin();
        line_.word("kind", kEventKinds[event.body.index()]);
        head(event.head);
        std::visit([this](const auto& body) { write(body); }, event.body);
        out_.write(line_.end());
    }

    void finish() override {}
    bool wants_more() const override { return !out_.failed(); }

private:
    void head(const EventHeader& h) {
        line_.number("seq", h.seq);
        line_.number("line", h.where.line);
        line_.number("offset", h.where.offset);
        known("length", h.where.length);
        if (h.time_ms != kNoTime) line_.integer("time_ms", h.time_ms);
        text("record_id", {h.record_id, TextForm::json_string});
        hash("response", h.response);
        known("lane", h.lane);
        known("turn", h.turn);
        if (h.flags == 0) return;
        line_.key("flags").raw("[");
        bool first = true;
        for (const auto& [flag, name] : kFlagWords) {
            if ((h.flags & flag) == 0) continue;
            line_.raw(std::exchange(first, false) ? "\"" : ",\"");
            line_.raw(name);
            line_.raw("\"");
        }
        line_.raw("]");
    }

    void write(const SessionStart& b) {
        text("session_id", b.session_id);
        text("parent_session_id", b.parent_session_id);
        text("forked_from", b.forked_from);
        text("product_version", b.product_version);
        text("cwd", b.cwd);
        text("model", b.model);
        text("label", b.label);
        flag("resumed", b.resumed);
        flag("sub_agent", b.sub_agent);
        flag("housekeeping", b.housekeeping);
    }
    void write(const ContextChange& b) {
        text("model", b.model);
        text("cwd", b.cwd);
        known("window_tokens", b.window_tokens);
        known("system_prompt_bytes", b.system_prompt_bytes);
    }
    void write(const LaneOpen& b) {
        known("parent_lane", b.parent_lane);
        line_.word("purpose", word(b.purpose));
        text("agent_id", b.agent_id);
        text("agent_type", b.agent_type);
    }
    void write(const LaneClose&) {}
    void write(const TurnStart&) {}
    void write(const TurnEnd& b) {
        line_.word("status", word(b.status));
        if (b.duration_ms != -1) line_.integer("duration_ms", b.duration_ms);
    }
    void write(const Message& b) {
        line_.word("role", word(b.role));
        line_.word("origin", word(b.origin));
        sized_text("text", b.text);
        known("media_count", b.media_count);
        text("speaker", b.speaker);
    }
    void write(const Thinking& b) {
        sized_text("text", b.text);
        known("opaque_bytes", b.opaque_bytes);
    }
    void write(const ToolCall& b) {
        text("call_id", b.call_id);
        text("name", b.name);
        sized_text("args", b.args);
        text("primary", b.primary);
        // The digest is made of the arguments: without their secrets it is made anew.
        if (!texts_.redacts()) line_.word("digest", fmt::format("{:016x}", b.digest.canonical));
        flag("opaque", b.digest.opaque);
        line_.word("caller", word(b.caller));
        flag("script", b.script);
    }
    void write(const ToolResult& b) {
        text("call_id", b.call_id);
        text("name", b.name);
        line_.word("status", word(b.status));
        if (b.exit_code) line_.integer("exit_code", *b.exit_code);
        sized_text("text", b.text);
        known("media_count", b.media_count);
        if (b.media_hash != 0) line_.word("media_hash", fmt::format("{:016x}", b.media_hash));
        flag("media_stored", b.media_stored);
        flag("opaque", b.opaque);
        flag("update", b.update);
        if (b.refused_by != Refuser::unknown) line_.word("refused_by", word(b.refused_by));
        if (b.duration_ms != -1) line_.integer("duration_ms", b.duration_ms);
        text("handle", b.handle);
    }
    void write(const Usage& b) {
        line_.word("scope", word(b.scope));
        line_.word("mode", word(b.mode));
        line_.number("input", b.tokens.input);
        line_.number("cache_write", b.tokens.cache_write);
        line_.number("cache_read", b.tokens.cache_read);
        line_.number("output", b.tokens.output);
        known("reasoning", b.tokens.reasoning);
        known("cache_write_1h", b.tokens.cache_write_1h);
        text("model", b.model);
        hash("message_key", b.message_key);
        hash("request_key", b.request_key);
        flag("sidechain", b.sidechain);
        flag("rest", b.rest);
        optional("cost_microusd", b.cost_microusd);
        optional("context_tokens", b.context_tokens);
        known("window_tokens", b.window_tokens);
    }
    void write(const Compaction& b) {
        line_.word("phase", word(b.phase));
        line_.word("how", word(b.kind));
        line_.word("trigger", word(b.trigger));
        optional("tokens_before", b.tokens_before);
        optional("tokens_after", b.tokens_after);
        sized_text("summary", b.summary);
        line_.word("keep", word(b.keep));
        text("keep_from", b.keep_from);
        known("keep_index", b.keep_index);
        text("ids", b.ids);
    }
    void write(const Rewind& b) {
        line_.word("target", word(b.target));
        text("target_id", {b.record_id, TextForm::json_string});
        known("count", b.count);
    }
    void write(const Notice& b) {
        line_.word("level", word(b.level));
        line_.word("layer", word(b.layer));
        text("code", b.code);
        text("text", b.text);
        if (b.attempt != 0) line_.integer("attempt", b.attempt);
        if (b.retry_in_ms != -1) line_.integer("retry_in_ms", b.retry_in_ms);
    }

    // ---- fields -----------------------------------------------------------------------------------------------

    void known(std::string_view name, std::uint64_t value) {
        if (value != 0) line_.number(name, value);
    }
    void optional(std::string_view name, const std::optional<std::uint64_t>& value) {
        if (value) line_.number(name, *value);
    }
    void flag(std::string_view name, bool value) {
        if (value) line_.flag(name);
    }
    void hash(std::string_view name, std::uint64_t value) {
        if (value != 0) line_.word(name, fmt::format("{:016x}", value));
    }

    void sized_text(std::string_view name, RawText recorded) {
        if (recorded.empty()) return;
        text(name, recorded);
        line_.number(fmt::format("{}_bytes", name), recorded.size());
    }

    void text(std::string_view name, RawText recorded) {
        if (recorded.empty()) return;
        const RawText t = texts_.redacts() ? texts_.redacted(recorded, redacted_) : recorded;
        switch (t.form) {
            case TextForm::json_string:
                if (!is_json_string(t.bytes)) return encoded(name, t.bytes, "string_base64");
                return line_.word(name, t.bytes);
            case TextForm::json_value:
                // A bare null would be a field that is not there.
                if (t.bytes != "null" && is_json_on_one_line(t.bytes)) {
                    line_.raw(name, t.bytes);
                    if (t.bytes.front() == '"') form(name, "json");
                    return;
                }
                if (!is_utf8(t.bytes)) return encoded(name, t.bytes, "json_base64");
                return escaped(name, t.bytes, "json_text");
            case TextForm::plain:
                if ((t.bytes.front() == '{' || t.bytes.front() == '[') && is_json_on_one_line(t.bytes)) {
                    line_.raw(name, t.bytes);
                    return form(name, "plain");
                }
                if (!is_utf8(t.bytes)) return encoded(name, t.bytes, "plain_base64");
                return escaped(name, t.bytes, "plain");
        }
    }

    void form(std::string_view name, std::string_view what) { line_.word(fmt::format("{}_form", name), what); }
    void escaped(std::string_view name, std::string_view bytes, std::string_view what) {
        line_.key(name).raw("\"");
        append_json_escaped(line_.text(), bytes);
        line_.raw("\"");
        form(name, what);
    }
    void encoded(std::string_view name, std::string_view bytes, std::string_view what) {
        line_.word(name, base64(bytes));
        form(name, what);
    }

    std::string version_;
    Texts texts_;
    Sink out_;
    JsonLine line_;
    std::string redacted_;
    bool begun_ = false;
};

std::unique_ptr<Converter> make(const ConverterOptions& options, const ConverterOutput& out) {
    return std::make_unique<Events>(options, out);
}

}  // namespace

ConverterSpec events() { return {"events", "our own events, complete, one JSON object a line", make}; }

}  // namespace agent_audit::convert
