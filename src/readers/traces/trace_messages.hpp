#pragma once

#include "readers/json/walk.hpp"
#include "readers/traces/trace_reader.hpp"

#include <string>
#include <string_view>
#include <vector>

// Messages as tracers write them down: those of the providers, and those of the libraries around them.
//
//   {"role":"user","content":"…"},
//   {"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{…}"}}]}
//   {"role":"assistant","parts":[{"type":"tool_call","id":"c","name":"f","arguments":{…}}]}        OpenTelemetry
//   {"role":"assistant","content":[{"type":"tool-call","toolCallId":"c","toolName":"f","input":{…}}]}      Vercel AI
//   SDK
//   {"lc":1,"id":["langchain",…,"AIMessage"],"kwargs":{"content":"…","tool_calls":[{"name":"f","args":{…},"id":"c"}]}}
//   {"type":"function_call","call_id":"c","name":"f","arguments":"{…}"}                            OpenAI Responses

namespace agent_audit::readers {

/// What stands beside the messages of a response.
struct TraceExtras {
    std::string response_id, model;
    TokenCounts tokens;
};

inline constexpr std::size_t kMostTraceMessages = 10'000;

/// Appends the message, the array of messages, or the array of arrays that `v` is. False for broken JSON.
bool collect_trace_messages(json::value& v, std::vector<TraceMessage>& out, TraceExtras* extras = nullptr);

/// The same for JSON text inside a string, as it stands there with its escapes; anything but JSON gives nothing.
void collect_trace_text(std::string_view raw, std::vector<TraceMessage>& out, TraceExtras* extras = nullptr);

/// The same for JSON as it stands.
void collect_trace_json(std::string_view text, std::vector<TraceMessage>& out, TraceExtras* extras = nullptr);

/// The blocks of one message, as JSON inside a string: [{"text":"…"},{"toolUse":{…}}]. False where it is anything else.
bool collect_trace_blocks(std::string_view raw, TraceMessage& message);

/// Token counts under the names that providers and tracers give them. Consumes `v`.
bool collect_trace_usage(json::value& v, TokenCounts& tokens);

/// Why a span failed: words, or an object with a message, and in its data the words of a tool where it has any.
bool collect_trace_error(json::value& v, TraceSpan& span);

/// The fields of a JSON object that was copied out of a span, whose kind was not known then; other texts have none.
template <class Take>
void each_field_in(const std::string& text, Take&& take) {
    std::string padded(text);
    padded.resize(text.size() + simdjson::SIMDJSON_PADDING);
    json::parser parser;
    json::document doc;
    json::object object;
    if (text.empty() || text.front() != '{') return;
    if (parser.iterate(padded.data(), text.size(), padded.size()).get(doc) || doc.get_object().get(object)) return;
    each_field(object, take);
}

Role trace_role(std::string_view word);
/// One message out of all parts that the model answered: tracers split an answer as they like.
TraceMessage joined_answer(std::vector<TraceMessage>& messages);
/// A string as it stands, or any other JSON as text. Consumes `v`.
void copy_value(json::value& v, TracePart& into);
/// The field of the JSON object that `part` is, instead of it. False, and nothing changed, where there is none.
bool take_field(TracePart& part, std::string_view name);
/// Where `part` is a message with a result, that result: its text, the id of its call, and whether it failed.
void take_result(TracePart& part);
/// The same where the message is JSON in a string, or stands in {"output":…}. False, and nothing changed, where `part`
/// is anything else.
bool take_tool_message(TracePart& part);

}  // namespace agent_audit::readers
