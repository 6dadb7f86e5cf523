#pragma once

#include "readers/codex_payload.hpp"

#include <string>
#include <string_view>

namespace agent_audit::readers {

/// What the outputs of calls in a rollout say. The form changed with the years: a string with header lines, JSON in a
/// string, blocks, an object around them.
class CodexOutputs {
public:
    /// Sets the text, its media, the outcome and the handle of what still runs. False: the output is no JSON. The text
    /// is valid until the next call and no longer than the payload.
    bool read(const rollout::Payload& p, ToolResult& result);

private:
    bool read_blocks(json::value& value, ToolResult& result);
    bool read_object(json::value& value, std::string_view raw, ToolResult& result);
    void set_text(ToolResult& result, std::string_view raw);

    std::string unwrapped_;
    json::parser again_;
};

}  // namespace agent_audit::readers
