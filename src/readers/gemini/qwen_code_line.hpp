#pragma once

#include "readers/json/format_util.hpp"

#include <cstdint>
#include <string_view>

namespace agent_audit::readers {

/// A part of a message.
struct QwenPart {
    enum class Kind : std::uint8_t { text, thought, call, response } kind = Kind::text;
    std::string_view id, name;
    RawText text, error;
    CallArgs args;
    std::uint32_t media = 0;
    std::uint64_t media_hash = 0;  // ToolResult::media_hash

    void add_media(std::string_view raw) {
        ++media;
        media_hash = with_media(media_hash, raw);
    }
};

/// What stands in one record, whatever its kind.
struct QwenLine {
    std::string_view uuid, parent, session_id, timestamp, type, subtype, cwd, version, model, agent_id, agent_name,
        provenance, call_status, call_id, error_type, turn_state, event, response_id, helper;
    RawText display;
    Reused<QwenPart> parts;
    TokenCounts tokens;
    std::uint64_t tokens_before = 0, tokens_after = 0, truncated = 0, window = 0;
    bool parent_null = false, has_message = false, sidechain = false, forked = false;

    void clear() { begin_again(*this, &QwenLine::parts); }
};

/// Collects the fields of a record of Qwen Code.
class QwenCollector {
public:
    QwenCollector(QwenLine& line, ArgsDigester& args) : line_(line), args_(args) {}

    /// False for broken JSON.
    bool collect(json::object object);

private:
    bool collect_field(const char* key, json::value& v);
    bool collect_message(json::value& v);
    bool collect_part(json::value& v);
    bool collect_function(json::value& v, QwenPart& part);
    bool collect_call_result(json::value& v);
    bool collect_usage(json::value& v);
    void count(std::uint64_t prompt, std::uint64_t output, std::uint64_t cached, std::uint64_t thoughts,
               std::uint64_t tool, std::uint64_t total);
    bool collect_ui_event(json::value& v);
    bool collect_payload(json::value& v);

    QwenLine& line_;
    ArgsDigester& args_;
};

}  // namespace agent_audit::readers
