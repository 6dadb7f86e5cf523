#include "readers/http/http_exchange.hpp"

#include "readers/input/decoders.hpp"
#include "readers/json/any_time.hpp"
#include "readers/json/format_util.hpp"

#include <agent_audit/support/json_text.hpp>
#include <agent_audit/support/unescape.hpp>

#include <array>
#include <utility>

namespace agent_audit::readers {
namespace {

bool is_body(json::value& v) { return is_string(v) || is_object(v) || is_array(v); }

// What stands in an object around the text of a body.
bool collect_wrapped_text(json::value& v, Half& half, std::string_view& text) {
    return each_field(v, [&](const char* key, json::value& w) {
        if (key_is(key, "text"))
            text = token(w);
        else if (key_is(key, "params") && is_array(w))
            half.fields = trim_blank(raw_value(w));
        else if (key_is(key, "encoding"))
            half.encoding = raw_string(w);
        return true;
    });
}

bool collect_half(const char* key, json::value& v, Half& half) {
    if (key_is(key, "body")) {
        if (is_body(v)) half.body = raw_value(v);
    } else if (key_is(key, "postData") || (key_is(key, "content") && is_object(v))) {
        return collect_wrapped_text(v, half, half.body);
    } else if (key_is(key, "content") || key_is(key, "text") || key_is(key, "body_raw")) {
        if (is_string(v)) half.fallback = raw_value(v);
    } else if (key_is(key, "chunks")) {
        if (is_array(v)) half.chunks = raw_value(v);
    } else if (key_is(key, "url") || key_is(key, "path")) {
        half.url = raw_string(v);
    } else if (key_is(key, "method")) {
        half.has_method = is_string(v);
    } else if (key_is(key, "status") || key_is(key, "status_code") || key_is(key, "statusCode")) {
        half.has_status = true;
    } else if (key_is(key, "timestamp") || key_is(key, "timestamp_start")) {
        half.time_ms = any_time(v);
    }
    return true;
}

// {"request":{"model":"…","messages":[…]},"response":{"message":{…},"done":true}}: the bodies alone, as wrappers of
// Ollama's clients write them. Of an answer that was streamed, its pieces.
constexpr std::array<std::string_view, 2> kBareRequest{"messages", "prompt"};
constexpr std::array<std::string_view, 2> kBareAnswer{"done", "done_reason"};

bool collect_side(json::value& v, Half& half, const std::array<std::string_view, 2>& known_by) {
    if (is_array(v)) {
        half.body = trim_blank(raw_value(v));
        return true;
    }
    json::object object;
    if (!is_object(v)) return true;
    if (v.get_object().get(object)) return false;
    bool bare = false;
    const bool whole = each_field(object, [&](const char* k, json::value& w) {
        bare |= is_one_of(key_text(k), known_by);
        return collect_half(k, w, half);
    });
    if (!whole || !bare || !half.body.empty() || half.has_method || half.has_status) return whole;
    return !object.reset().error() && !object.raw_json().get(half.body);
}

}  // namespace

bool collect_frame(json::value& v, Frame& frame) {
    const bool whole = each_field(v, [&frame](const char* key, json::value& w) {
        if (key_is(key, "type"))
            frame.sent = raw_string(w) == "send";
        else if (key_is(key, "time"))
            frame.time_ms = any_time(w);
        else if (key_is(key, "data") && is_string(w))
            frame.data = decode_json_string(raw_string(w));
        return true;
    });
    if (!frame.data.starts_with('{')) frame.data.clear();
    return whole;
}

bool is_realtime(const Exchange& connection) {
    if (connection.request.url.find("realtime") != std::string_view::npos) return true;
    for (const std::string_view event : {R"(\"session.created\")", R"(\"conversation.item.created\")",
                                         R"(\"conversation.item.added\")", R"(\"response.done\")"}) {
        if (connection.frames.find(event) != std::string_view::npos) return true;
    }
    return false;
}

bool collect_exchange(const char* key, json::value& v, Exchange& exchange) {
    if (key_is(key, "request")) return collect_side(v, exchange.request, kBareRequest);
    if (key_is(key, "response")) return collect_side(v, exchange.response, kBareAnswer);
    if (key_is(key, "requestBody") || key_is(key, "request_body")) {
        if (is_body(v)) exchange.request.body = raw_value(v);
    } else if (key_is(key, "responseBody") || key_is(key, "response_body")) {
        if (is_body(v)) exchange.response.body = raw_value(v);
    } else if (key_is(key, "startedDateTime")) {
        exchange.time_ms = any_time(v);
    } else if (key_is(key, "time")) {
        exchange.duration_ms = number_or(v, 0);
    } else if (key_is(key, "_webSocketMessages")) {
        if (is_array(v)) exchange.frames = raw_value(v);
        if (exchange.frames.find('{') == exchange.frames.npos) exchange.frames = {};  // nothing went over it
    } else if (key_is(key, "_meta")) {
        exchange.has_note = is_object(v);
        return each_field(v, [&](const char* k, json::value& w) {
            if (key_is(k, "ts")) exchange.flat.time_ms = any_time(w);
            return true;
        });
    } else {
        return collect_half(key, v, exchange.flat);
    }
    return true;
}

std::string text_of_body(std::string_view body, bool base64) {
    if (body.size() < 2 || body.front() != '"') return {};
    std::string text = decode_json_string(body.substr(1, body.size() - 2));
    std::string decoded;
    constexpr std::size_t kMostBytes = std::size_t{64} << 20;
    return base64 && from_base64(text, decoded) ? decoded_text(std::move(decoded), kMostBytes) : text;
}

bool is_whole_object(const std::string& text) {
    simdjson::dom::parser parser;
    simdjson::dom::element element;
    return !parser.parse(text).get(element) && element.is_object();
}

}  // namespace agent_audit::readers
