#pragma once

#include "readers/json/json_util.hpp"

#include <string_view>

namespace agent_audit::readers {

/// An event of an answer's stream, whichever API it is of: the values that one of them has. All are views of its text.
struct StreamedEvent {
    std::string_view type, object, id, model, index, message, block, delta, usage, choices, response, item, candidates,
        gemini_usage, gemini_id, gemini_model, chunk, error, done, prompt_count, answer_count, thinking;
    std::string_view converse, converse_key;

    /// False for broken JSON.
    bool collect(json::object fields);
};

/// An event of a stream, told from whatever else may stand on a line.
bool is_stream_event(const ProbeRecord& record);
/// The same where an answer in one piece may stand as well: in a log that is no text/event-stream.
bool is_only_stream_event(const ProbeRecord& record);
/// The same of Ollama's, whose answers in one piece look like their last event.
bool is_ollama_event(const ProbeRecord& record);

}  // namespace agent_audit::readers
