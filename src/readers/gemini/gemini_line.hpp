#pragma once

#include "readers/json/format_util.hpp"

#include <agent_audit/support/hash.hpp>

#include <string>
#include <string_view>

namespace agent_audit::readers {

/// A call of a tool, with what became of it.
struct GeminiCall {
    std::string_view id, name, status, timestamp;
    CallArgs args;
    RawText output, error, display;
    std::uint32_t media = 0;
    std::uint64_t media_hash = 0;  // ToolResult::media_hash
};

/// A thought of the model, as the program lists it.
struct GeminiThought {
    RawText subject, description;
};

/// What a session says of itself, in its document or in its first line.
struct GeminiHeader {
    std::string_view session_id, project_hash, start_time, kind;
};

/// What stands in one record, whatever its kind: a message, or what is to be done with those before it.
struct GeminiLine {
    std::string_view type, id, timestamp, model, rewind_to;
    std::string_view first_removed;    // by a patch
    Content content, shown;            // as the model was sent it; as the person typed it, where that is something else
    std::string joined, joined_shown;  // these, where they are several parts
    Reused<GeminiCall> calls;
    Reused<GeminiThought> thoughts;
    TokenCounts tokens;
    bool has_messages = false, has_set = false, set_has_messages = false;
    bool has_patch = false, newest_removed = false;

    void clear() {
        begin_again(*this, &GeminiLine::calls, &GeminiLine::thoughts, &GeminiLine::joined, &GeminiLine::joined_shown);
    }
};

/// What was before a record, as far as reading it depends on that.
struct GeminiBefore {
    IdHash newest = 0;              ///< the message that was told last
    std::string* masked = nullptr;  ///< takes the ids of outputs that are masked, as a list; null: nobody asks
};

/// Collects the fields of a record of Gemini CLI.
class GeminiCollector {
public:
    GeminiCollector(GeminiLine& line, GeminiHeader& header, ArgsDigester& args, const GeminiBefore& before)
        : line_(line), header_(header), args_(args), before_(before) {}

    /// False for broken JSON.
    bool collect(json::object& object);

private:
    bool collect_field(const char* key, json::value& v);
    bool collect_removed(std::string_view id);
    bool collect_tokens(json::value& v);
    bool collect_thought(json::value& v);
    bool collect_call(json::value& v);

    GeminiLine& line_;
    GeminiHeader& header_;
    ArgsDigester& args_;
    GeminiBefore before_;
};

/// A text, a part, or several: their texts are joined as the program joins them, in `joined`, which has to live as long
/// as the content. Thoughts are told elsewhere. `masked`: as in GeminiBefore. False for broken JSON.
bool collect_gemini_content(json::value& v, Content& content, std::string& joined, std::string* masked = nullptr);

}  // namespace agent_audit::readers
