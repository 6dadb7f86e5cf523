#pragma once

#include "readers/json/format_util.hpp"

#include <string_view>

namespace agent_audit::readers {

struct KimiCodeCall {
    std::string_view id, name;
    CallArgs args;
};

/// What stands in one record, whatever its kind.
struct KimiCodeLine {
    std::string_view type, event_type, role, origin, trigger, phase, agent, protocol, model, alias, part_type, step,
        message_id;
    std::string_view call_id, name, source, reason, error_name, summary;
    Content input, content, output;
    RawText think, text, error, cwd;
    CallArgs args;
    TokenCounts tokens;
    Reused<KimiCodeCall, 1000> calls;
    std::int64_t time_ms = kNoTime, delay_ms = -1;
    std::uint64_t count = 0, attempt = 0, before = 0, after = 0, encrypted_bytes = 0, system_bytes = 0,
                  context_tokens = 0;
    bool has_message = false, has_event = false, has_result = false, has_usage = false, has_input = false,
         is_error = false;

    void clear() { begin_again(*this, &KimiCodeLine::calls); }
};

/// Collects the fields of a record of Kimi Code's wire log.
class KimiCodeCollector {
public:
    KimiCodeCollector(KimiCodeLine& line, ArgsDigester& args) : line_(line), args_(args) {}

    /// One field of the record. False for broken JSON.
    bool collect(const char* key, json::value& v);

private:
    bool collect_event(const char* key, json::value& v);
    bool collect_message(const char* key, json::value& v);
    bool collect_error(json::value& v);
    bool collect_origin(json::value& v);
    bool collect_content(json::value& v);
    bool collect_call(json::value& v);
    bool collect_result(json::value& v);
    bool collect_usage(json::value& v);

    KimiCodeLine& line_;
    ArgsDigester& args_;
};

}  // namespace agent_audit::readers
