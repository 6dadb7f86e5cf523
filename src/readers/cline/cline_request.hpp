#pragma once

#include "readers/json/json_util.hpp"

#include <agent_audit/model/event.hpp>

#include <string>
#include <string_view>

namespace agent_audit::readers {

/// What the panel of Cline and Roo Code knows of a request, the text of its entry "api_req_started".
struct ClineRequest {
    std::int64_t time_ms = kNoTime;
    TokenCounts tokens;
    std::uint64_t cost_microusd = 0;
    bool cancelled = false;

    bool has_figures() const { return tokens.total() > 0 || cost_microusd > 0; }
};

/// Reads JSON that stands in a string of a record.
class ClineText {
public:
    /// `text` is the string as it stands in the record; the object lives until the next call.
    bool parse(std::string_view text, json::object& object);
    /// False when it is no JSON; what could be read is in `request`.
    bool read(std::string_view text, ClineRequest& request);

private:
    std::string padded_;
    json::parser parser_;
    json::document document_;
};

}  // namespace agent_audit::readers
