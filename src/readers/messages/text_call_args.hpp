#pragma once

#include "readers/json/json_util.hpp"
#include "readers/messages/text_calls.hpp"

#include <agent_audit/model/event.hpp>

#include <string>
#include <string_view>

namespace agent_audit::readers {

/// Makes calls of those that stand in texts (text_calls.hpp): their names, and their arguments where those are JSON.
class TextCallArgs {
public:
    /// What it points to lies in `found` and in here, until the next one is made.
    ToolCall call_of(const TextCall& found, ArgsDigester& digester);

private:
    bool open(json::value& whole);
    bool read_json(const TextCall& found, ArgsDigester& digester, ToolCall& call);
    bool read_tagged(json::value& whole, ArgsDigester& digester, ToolCall& call, CallArgs& args);

    json::parser parser_;
    json::document document_;
    std::string padded_;  // the arguments, and behind them what simdjson may read
};

}  // namespace agent_audit::readers
