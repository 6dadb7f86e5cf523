#pragma once

#include "readers/json/json_util.hpp"

#include <cstdint>
#include <string>
#include <string_view>

// What went over the wire, as proxies and browsers write it down: a request with its response, or a connection.

namespace agent_audit::readers {

/// A request or a response. All views are raw JSON of the record.
struct Half {
    std::string_view body, fallback, chunks;  // `fallback`: of a body that is null
    std::string_view fields;                  // of a form
    std::string_view url, encoding;
    std::int64_t time_ms = kNoTime;
    bool has_method = false, has_status = false;
};

struct Exchange {
    Half request, response, flat;  // `flat`: of a line that is one of them
    std::string_view frames;       // of a WebSocket, both ways
    std::int64_t time_ms = kNoTime;
    double duration_ms = 0;
    bool has_note = false;  // of the proxy, beside what it says of a session
    SourceSpan where;
};

/// A message of a WebSocket: what a client asks with, or an event.
struct Frame {
    bool sent = false;
    std::int64_t time_ms = kNoTime;
    std::string data;
};

/// Takes one field of an exchange. False when its JSON is broken.
bool collect_exchange(const char* key, json::value& v, Exchange& exchange);
/// {"type":"send","time":1750000000.5,"opcode":1,"data":"{…}"}; of one without JSON no data. False when it is broken.
bool collect_frame(json::value& v, Frame& frame);

/// Whether items and sound go over a connection, so that who sends what is no request and no answer.
bool is_realtime(const Exchange& connection);

/// The text of a body; empty where it is no text.
std::string text_of_body(std::string_view body, bool base64);
/// A text that is said to be JSON, and is: nothing else may be put into a record.
bool is_whole_object(const std::string& text);

}  // namespace agent_audit::readers
