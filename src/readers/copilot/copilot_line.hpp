#pragma once

#include "readers/json/format_util.hpp"

#include <optional>
#include <string_view>

namespace agent_audit::readers {

/// A call that a message asks for.
struct CopilotRequest {
    std::string_view id, name;
    CallArgs args;
};

/// What the program has spent on a model, as it says at its end.
struct CopilotModelTotal {
    std::string_view model;
    TokenCounts tokens;
};

/// What stands in one event, whatever its kind.
struct CopilotLine {
    std::string_view type, id, timestamp, agent_id;
    std::string_view session_id, version, cwd, model, message_id, api_call_id, call_id, tool_name, error_code,
        agent_name, parent_call_id, up_to, source, delivery, trigger, outcome, source_session;
    Content content;
    RawText reasoning, result, error, summary, message;
    CallArgs args;
    std::uint64_t opaque_bytes = 0, tokens_before = 0, tokens_after = 0, context = 0, window = 0, sequence = 0;
    TokenCounts tokens;
    std::optional<int> exit_code;
    std::uint32_t media = 0;       // that a result gives the model beside its text
    std::uint64_t media_hash = 0;  // of those, as far as the record tells them apart
    Reused<CopilotRequest> requests;
    Reused<CopilotModelTotal, 100> totals;
    bool success = false, failed = false, has_data = false, continues = false, other_session = false;

    void clear() { begin_again(*this, &CopilotLine::requests, &CopilotLine::totals); }
};

/// Collects the fields of the data of an event of Copilot CLI.
class CopilotCollector {
public:
    CopilotCollector(CopilotLine& line, ArgsDigester& args) : line_(line), args_(args) {}

    /// One field of the data. False for broken JSON.
    bool collect(const char* key, json::value& v);

private:
    bool collect_context(json::value& v);
    bool collect_model_call(json::value& v);
    bool collect_request(json::value& v);
    bool collect_result(json::value& v);
    bool collect_exit(json::value& v);
    bool collect_binary(json::value& v);
    bool collect_error(json::value& v);
    bool collect_response_usage(json::value& v);
    bool collect_usage_record(json::value& v);
    bool collect_totals(json::value& v);

    CopilotLine& line_;
    ArgsDigester& args_;
};

}  // namespace agent_audit::readers
