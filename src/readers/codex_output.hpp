#pragma once

#include "readers/codex_payload.hpp"
#include "readers/codex_text.hpp"

#include <string>
#include <string_view>

namespace agent_audit::readers {

/// What the outputs of calls in a rollout say. The form changed with the years: a string with header lines, JSON in a
/// string, blocks, an object around them.
class CodexOutputs {
public:
    /// Sets the text, its media, the outcome and the handle of what still runs. False: the output is no JSON. The text
    /// is valid until the next call and no longer than the payload. `calls_told`: were the calls that a script made
    /// recorded by themselves? Where they were not, an exit code that it shows is taken for its own.
    bool read(const rollout::Payload& p, ToolResult& result, bool calls_told = false);

private:
    bool read_blocks(json::value& value, ToolResult& result, bool calls_told);
    bool read_object(json::value& value, std::string_view raw, ToolResult& result, bool calls_told);
    void set_blocks(ToolResult& result, const rollout::Blocks& blocks, bool calls_told);
    void set_text(ToolResult& result, std::string_view raw);
    void set_script(ToolResult& result, const rollout::Blocks& blocks, const CodexScript& script, bool calls_told);

    std::string unwrapped_;
    json::parser again_;
};

}  // namespace agent_audit::readers
