#pragma once

#include <agent_audit/simulator/js_value.hpp>
#include <agent_audit/simulator/text.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::simulator {

/// Roles as pi and OpenClaw have them; what other agents call theirs is mapped to these.
enum class Role : std::uint8_t {
    user,
    assistant,
    tool_result,
    bash,                ///< a command the person ran: two blocks, command and output
    compaction_summary,  ///< one block
    branch_summary,      ///< one block
    custom,
    system,
    other
};

/// The name pi and OpenClaw give a role: "toolResult", "bashExecution" …
std::string_view role_name(Role role);

/// What a content block holds.
enum class BlockKind : std::uint8_t { text, thinking, redacted_thinking, image, tool_call, other };

/// What a tool call's arguments are: JavaScript's JSON.stringify tells undefined, null and values apart.
enum class ArgsState : std::uint8_t { absent, null, present };

/// One content block of a message.
struct Block {
    BlockKind kind = BlockKind::other;
    ArgsState args = ArgsState::absent;
    bool pi_call =
        false;  ///< a tool call written as pi and OpenClaw write it ("toolCall"); others pair, but count apart
    bool has_text = false;  ///< `text` was recorded; a text block without one is kept, but counts nothing
    Text text;         ///< text or thinking; redacted data; of a tool call JSON.stringify(arguments); of a block of
                       ///< type "toolResult" what stands in its "text"; else nothing
    Text signature;    ///< of thinking
    std::string id;    ///< of a tool call
    std::string name;  ///< of a tool call
    std::shared_ptr<const JsValue> json;  ///< as recorded, null when it was made here
};

/// A text that was not recorded.
Block text_block(std::string wtf8);

/// How `content` was written. A string is one text block here.
enum class ContentShape : std::uint8_t { absent, text, blocks, odd };

/// Why an answer ended; none: the recording does not say.
enum class StopReason : std::uint8_t { none, other, stop, length, tool_use, error, aborted };

/// Provider usage in the terms of pi and OpenClaw: input excludes what was read from or written to the cache.
struct Usage {
    double input = 0, output = 0, cache_read = 0, cache_write = 0, total = 0;
    /// OpenClaw's contextUsage: what the provider says the context holds, or that it does not say.
    enum class Context : std::uint8_t { none, available, unavailable } context = Context::none;
    double context_tokens = 0;
};

/// One message of the view. Values never change: an edit makes another one, so that a view can be compared and undone
/// by comparing pointers.
struct Msg {
    Role role = Role::other;
    ContentShape shape = ContentShape::absent;
    StopReason stop = StopReason::none;
    bool is_error = false;
    bool tool_name_recorded = false;  ///< toolName was a string, if an empty one
    bool excluded = false;            ///< excludeFromContext
    bool runtime_context = false;     ///< OpenClaw's own notes for one request; no summary sees them
    bool carrier = false;             ///< such a note that no cut may start with
    bool injected = false;  ///< written by the recorded agent's program: pi and OpenClaw have it as a custom message
    std::vector<Block> blocks;
    std::string call_id;    ///< of a result; the first of the names under which agents write it
    std::string tool_name;  ///< of a result
    std::optional<Usage> usage;
    std::optional<double> time_ms;
    std::size_t source_index = 0;
    std::uint64_t details_units = 0;      ///< UTF-16 length of JSON.stringify(details), what a text is long
    std::shared_ptr<const JsValue> json;  ///< as recorded, null when it was made here

    // What differs from `json`.
    bool content_edited = false, name_edited = false, claimed = false, details_dropped = false;
};

using MsgPtr = std::shared_ptr<const Msg>;
/// Whether it has the role `user` in pi and OpenClaw. A null message has none.
inline bool has_user_role(const Msg* message) { return message && message->role == Role::user && !message->injected; }
/// What a request would send, oldest first. A null entry stands for something that was no message.
using View = std::vector<MsgPtr>;

/// A message of pi or OpenClaw; null for what is no object.
MsgPtr message_of(std::shared_ptr<const JsValue> json, std::size_t source_index = 0);
/// The messages of an array; empty for anything else. The array is kept alive by them.
View view_of(const std::shared_ptr<const JsValue>& array);

/// The message as JavaScript would write it: the recorded fields in their order, edited ones in place.
JsValue json_of(const Msg& message);
JsValue json_of(const Block& block);
JsValue json_of(const View& view);

/// The same message with other content. Blocks that keep their `json` keep their unknown fields.
MsgPtr with_blocks(const Msg& message, std::vector<Block> blocks);
/// The same message with one text block as content.
MsgPtr with_text(const Msg& message, std::string wtf8);

/// What an edit does to a message. trim keeps head and tail, clear leaves a placeholder, mask a preview.
enum class Action : std::uint8_t { trim, clear, truncate, drop, summarise, mask };

/// A message that another takes the place of.
struct Edit {
    std::size_t index = 0;
    Action action = Action::trim;
    MsgPtr message;
};
using Edits = std::vector<Edit>;

/// Later edits of one message win.
void apply_edits(const Edits& edits, View& view);

}  // namespace agent_audit::simulator
