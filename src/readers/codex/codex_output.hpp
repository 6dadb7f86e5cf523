#pragma once

#include "readers/codex/codex_payload.hpp"
#include "readers/codex/codex_text.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::readers {

/// What the outputs of calls in a rollout say. The form changed with the years: a string with header lines, JSON in a
/// string, blocks, an object around them.
class CodexOutputs {
public:
    /// Sets the text, its media, the outcome and the handle of what still runs. False: the output is no JSON. The text
    /// is valid until the next call and no longer than the payload. `calls_told`: were the calls that a script made
    /// recorded by themselves? Where they were not, an exit code that it shows is taken for its own.
    bool read(const rollout::Payload& p, ToolResult& result, bool calls_told = false);

    /// Was the output read last that of a script?
    bool is_script() const { return script_; }
    /// What so many commands came to that the script ran whose output was read last, as it printed that: one after the
    /// other, or as one list. Empty: it cannot be told which is which.
    std::vector<std::string> answers(std::size_t commands);
    /// The outcome of a command by one of the answers, which have to outlive the result.
    void read_answer(const std::string& answer, ToolResult& result);

private:
    bool read_blocks(json::value& value, ToolResult& result, bool calls_told);
    bool read_object(json::value& value, std::string_view raw, ToolResult& result, bool calls_told);
    void keep_texts(std::string_view raw, std::size_t without);
    void join_printed(ToolResult& result);
    void set_blocks(ToolResult& result, const rollout::Blocks& blocks, bool calls_told);
    void set_text(ToolResult& result, std::string_view raw);
    void set_script(ToolResult& result, const rollout::Blocks& blocks, const CodexScript& script, bool calls_told);

    std::string unwrapped_;
    std::vector<std::string_view> printed_;  // by the script, text by text, raw
    bool script_ = false;
    json::parser again_;
};

}  // namespace agent_audit::readers
