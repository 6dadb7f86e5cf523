#pragma once

#include "readers/json/format_util.hpp"
#include "readers/messages/tool_output.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

// The fields of a UI message of the Vercel AI SDK, as its versions 4 to 6 write them.

namespace agent_audit::readers {

enum class VercelWhat : std::uint8_t { nothing, text, reasoning, step, tool, media };

/// A part of a message, or a call of version 4's list.
struct VercelPart {
    std::string_view type, name, call_id, state;
    RawText text, error;
    CallArgs args;
    ToolOutput output;
    std::uint32_t step = 0;  // of version 4's list of calls
    bool has_output = false, denied = false, failed = false;
    std::size_t nested_begin = 0, nested_end = 0;  // calls that its program made

    bool has_result() const {
        return has_output || denied || state == "output-available" || state == "output-error" || state == "result" ||
               state == "output-denied" || state == "output-redacted";
    }
};

/// What a part is, by its type.
VercelWhat vercel_what(std::string_view type);

/// A message with all that stands in it.
struct VercelMessage {
    std::string_view id, role, chat, model, error, compacted;
    RawText content, reasoning;
    Reused<VercelPart> parts, invocations, nested;
    std::uint32_t attachments = 0;
    TokenCounts tokens;
    std::optional<std::uint64_t> context_tokens;
    std::int64_t time_ms = kNoTime;
    bool has_parts = false, has_invocations = false, has_content = false;
    bool synthetic = false, partial = false, compaction = false;

    void clear() { begin_again(*this, &VercelMessage::parts, &VercelMessage::invocations, &VercelMessage::nested); }
};

/// Collects the fields of a message. All functions are false for broken JSON.
class VercelCollector {
public:
    VercelCollector(VercelMessage& message, ArgsDigester& args) : message_(message), args_(args) {}

    void begin() { in_nested_ = false; }
    bool collect(const char* key, json::value& v);

private:
    bool metadata(const char* key, json::value& v);
    bool parts(json::value& v, Reused<VercelPart>& into);
    bool collect_part(const char* key, json::value& v, VercelPart& part);
    bool nested(json::value& v, VercelPart& part);

    VercelMessage& message_;
    ArgsDigester& args_;
    bool in_nested_ = false;
};

}  // namespace agent_audit::readers
