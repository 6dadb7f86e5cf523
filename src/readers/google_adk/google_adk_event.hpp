#pragma once

#include "readers/json/format_util.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

// The fields of an event of Google's Agent Development Kit, in either spelling.

namespace agent_audit::readers {

/// True for a field in snake case or in camel case.
template <std::size_t N, std::size_t M>
bool key_is(const char* key, const char (&snake)[N], const char (&camel)[M]) {
    return key_is(key, snake) || key_is(key, camel);
}

enum class AdkWhat : std::uint8_t { nothing, text, call, result, media };

struct AdkPart {
    AdkWhat what = AdkWhat::nothing;
    bool thought = false;
    std::string_view id, name;
    RawText text;
    CallArgs args;
    ResultStatus status = ResultStatus::unknown;
    std::optional<int> exit_code;
    std::uint32_t media = 0;
};
using AdkParts = Reused<AdkPart>;

struct AdkEvent {
    std::string_view id, invocation, author, branch, role, model, turn_id, error_code, error_message, rewind_to;
    AdkParts parts;
    Reused<std::string_view, 64> long_running;
    RawText heard, said, summary;  // transcriptions of what was spoken; what a compaction left
    TokenCounts tokens;
    std::int64_t time_ms = kNoTime;
    bool partial = false, has_content = false, has_actions = false, compaction = false;

    void clear() { begin_again(*this, &AdkEvent::parts, &AdkEvent::long_running); }
};

/// Collects the fields. All functions take one field, or the value of one, and are false for broken JSON.
class AdkCollector {
public:
    AdkCollector(AdkEvent& event, ArgsDigester& args) : event_(event), args_(args) {}

    bool collect(const char* key, json::value& v);
    bool content(json::value& v);
    /// Calls, or what they gave, that are listed apart from any content.
    bool functions(json::value& v, AdkWhat what, AdkParts& into);

private:
    bool actions(json::value& v);
    bool summary(json::value& v);
    bool usage(json::value& v);
    bool collect_part(const char* key, json::value& v, AdkPart& part);
    bool function(json::value& v, AdkWhat what, AdkPart& part);

    AdkEvent& event_;
    ArgsDigester& args_;
};

}  // namespace agent_audit::readers
