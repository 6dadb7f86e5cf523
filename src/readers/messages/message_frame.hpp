#pragma once

#include "readers/json/json_util.hpp"
#include "readers/messages/message_parts.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::readers {

/// What stands around the messages of a record. All of it is raw JSON of the record.
struct Frame {
    std::string_view messages;  ///< the array; a view of `joined` where the record has it in two halves
    std::string joined;         ///< `prompt` and `completion` of training data, as one array
    std::string joined_rejected;
    /// A record of training data may hold several conversations; `messages` is then empty. `anew`: what it repeats of
    /// others is another run of the same.
    struct Run {
        std::string_view messages;
        bool anew = true;
    };
    std::vector<Run> runs;
    /// What a run of the AI SDK did, a request each, as records of their own; and of one such step the number, and
    /// which run it is of. Since version 7 each has its own messages alone, before they are all that the run had so
    /// far.
    std::string_view steps, run;
    std::uint64_t step = 0;
    bool is_step = false;
    std::string streamed;  ///< an answer that stands there as the events of its stream, in one piece
    std::string_view system, tools;
    std::string_view task;        ///< what `task_id` says, without its quotes
    std::string_view error_code;  ///< of a request that was refused; both raw, both empty where it was not
    RawText error;
    bool has_messages_key = false;
    bool wrapped = false;             ///< a request or a response stands in the record
    std::int64_t asked_ms = kNoTime;  ///< when the request was sent, where that is said
};

/// Under which names a record keeps its messages, beside `messages` and `trajectory`.
enum class FrameKeys : unsigned char { messages, messages_or_history };

/// Takes the fields of a record: those around its messages into `frame`, and those of a message that stands beside
/// them, as the answer to a request does, into `beside`. Requests and responses are often wrapped; their fields count
/// as if they stood at the top. False = malformed.
bool collect_frame(json::object record, FrameKeys keys, Frame& frame, Parts& beside, ArgsDigester& args);

}  // namespace agent_audit::readers
