#pragma once

#include "readers/codex/codex_payload.hpp"
#include "readers/json/json_util.hpp"

#include <agent_audit/model/event.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace agent_audit::readers {

/// What an item_completed event of a rollout tells: newer versions keep one for everything a turn consists of. Those
/// of calls say how the call ended, and are all there is of the calls that a script of the model's makes. All are views
/// of the record.
struct CodexItem {
    std::string_view type, id;
    std::string_view status;              ///< completed, failed, declined, inProgress
    std::string_view source;              ///< of a command: who started it, and how
    std::string_view process, typed;      ///< of what was typed into a command that runs
    std::string_view cwd;                 ///< of a command
    std::string_view tool, server, kind;  ///< of a call of neither a command nor a patch
    std::string_view about;               ///< a search's query, an image's path
    std::string_view error;               ///< why it failed, where that is said apart
    std::string_view printed;             ///< what a command printed, both streams as they came
    RawText answer;                       ///< of a tool: its texts
    rollout::Raw command, arguments, changes;
    std::optional<int> exit_code;
    std::optional<bool> success;
    std::int64_t duration_ms = -1;

    /// A call of the model's own has the id that its response item gave it; a script's get one of this form.
    bool of_script() const { return id.starts_with("exec-"); }
    bool of_human() const { return source == "user_shell" || source == "userShell"; }
    /// Nothing but its end is told, where it is the model's own call.
    bool ends_call() const;
    ResultStatus outcome() const;
    /// Writes into a payload what an *_end event of the same call would say.
    void tell_end(rollout::Payload& p) const;
};

/// Reads items, and says what the calls of scripts were in the words of the tools themselves.
class CodexItems {
public:
    /// False: the value is no JSON. Other values than objects are items without a type.
    bool read(std::string_view json);
    const CodexItem& item() const { return item_; }
    /// The same of an *_end event, with which older versions tell of a patch and of a call of a server.
    bool read_end(const rollout::Payload& end);

    /// A call as its tool takes it. `text`: its input is no JSON object. Valid until the next read().
    struct Call {
        std::string_view name;
        rollout::Raw arguments;
        RawText text;
    };
    /// Nothing: the item is no call.
    std::optional<Call> call();
    ToolResult result() const;

private:
    bool field(const char* key, json::value& v);
    bool answer_of_tool(json::value& v);
    Call command();
    bool write_patch();

    CodexItem item_;
    std::string name_, text_;  // of the call, where the item has only its parts
    json::parser parser_, again_;
};

}  // namespace agent_audit::readers
