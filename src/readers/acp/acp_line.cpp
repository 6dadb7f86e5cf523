#include "readers/acp/acp_line.hpp"

#include "readers/json/format_util.hpp"

#include <agent_audit/support/time.hpp>

namespace agent_audit::readers {
namespace {

// How captures call the message that they frame.
constexpr std::array<std::string_view, 7> kFrames{"message", "msg", "payload", "frame", "data", "raw", "json"};
constexpr std::array<std::string_view, 5> kTimes{"timestamp", "ts", "time", "at", "timestamp_ms"};

// What a tool gave back beside what is shown, the best first.
constexpr std::array<std::string_view, 9> kOutputs{
    "formatted_output", "aggregated_output", "output", "stdout", "content", "text", "result", "error", "message"};

class Collector {
public:
    explicit Collector(AcpLine& line) : line_(line) {}

    bool message(json::object object, bool framed) {
        return each_field(object, [this, framed](const char* key, json::value& v) {
            const std::string_view name = key_text(key);
            if (name == "jsonrpc") {
                line_.is_rpc = true;
            } else if (name == "id") {
                if (framed || line_.id.empty()) line_.id = raw_value(v);
            } else if (name == "method") {
                line_.method = raw_string(v);
            } else if (name == "params") {
                return params(v);
            } else if (name == "result") {
                line_.has_result = true;
                return result(v);
            } else if (name == "error") {
                return error(v);
            } else if (!framed && is_object(v) && is_one_of(name, kFrames)) {
                json::object inner;
                return !v.get_object().get(inner) && message(inner, true);
            } else if (!framed && is_one_of(name, kTimes)) {
                line_.time_ms = is_string(v) ? time_ms(raw_string(v)) : unix_time(v);
            }
            return true;
        });
    }

private:
    bool error(json::value& v) {
        line_.has_error = !is_null(v);
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "message")) line_.error = any_text(w);
            return true;
        });
    }

    bool params(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "sessionId"))
                line_.session_id = raw_string(w);
            else if (key_is(key, "cwd"))
                line_.cwd = raw_string(w);
            else if (key_is(key, "terminalId"))
                line_.terminal_id = raw_string(w);
            else if (key_is(key, "prompt"))
                line_.prompt = read_content(w);
            else if (key_is(key, "update") || key_is(key, "toolCall"))
                return update(w);
            else if (key_is(key, "options"))
                return each_element(w, [this](json::value& one) { return option(one); });
            return true;
        });
    }

    bool option(json::value& v) {
        std::string_view id, kind;
        const bool whole = each_field(v, [&](const char* key, json::value& w) {
            if (key_is(key, "optionId"))
                id = raw_string(w);
            else if (key_is(key, "kind"))
                kind = raw_string(w);
            return true;
        });
        if (kind.starts_with("reject") && line_.refusing_count < AcpLine::kMaxOptions)
            line_.refusing[line_.refusing_count++] = id;
        return whole;
    }

    bool update(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) { return update_field(key, w); });
    }

    bool update_field(const char* key, json::value& v) {
        const std::string_view name = key_text(key);
        if (name == "sessionUpdate")
            line_.update = raw_string(v);
        else if (name == "messageId")
            line_.message_id = raw_string(v);
        else if (name == "toolCallId")
            line_.call_id = raw_string(v);
        else if (name == "name")
            line_.name = raw_string(v);
        else if (name == "title")
            line_.title = raw_string(v);
        else if (name == "kind")
            line_.kind = raw_string(v);
        else if (name == "status")
            line_.status = raw_string(v);
        else if (name == "state")
            line_.state = raw_string(v);
        else if (name == "stopReason")
            line_.stop_reason = raw_string(v);
        else if (name == "content" || name == "summary")
            return content(v);
        else if (name == "rawInput")
            input(v);
        else if (name == "rawOutput")
            return output(v);
        else if (name == "used")
            line_.used = as_uint(v);
        else if (name == "size")
            line_.window = as_uint(v);
        else if (name == "cost")
            return cost(v);
        else if (name == "usage")
            return usage(v);
        else if (name == "description" || name == "error")
            line_.notice = any_text(v);
        else if (name == "_meta")
            return meta(v);
        return true;
    }

    void input(json::value& v) {
        if (is_object(v))
            line_.input = raw_value(v);
        else if (is_string(v))
            line_.input_text = text_of(raw_string(v));
    }

    // A block, or a list of blocks, of which a tool's stand in frames: {"type":"content","content":{…}}
    bool content(json::value& v) {
        if (is_array(v)) return each_element(v, [this](json::value& one) { return block(one); });
        return block(v);
    }

    bool block(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) {
            const std::string_view name = key_text(key);
            if (name == "text")
                add_text(raw_string(w));
            else if (name == "data")
                ++line_.media;  // of an image or a sound
            else if (name == "terminalId")
                line_.shown_terminal = raw_string(w);
            else if (name == "newText")
                add_text(raw_string(w));
            else if (name == "content" && is_object(w))
                return block(w);
            return true;
        });
    }

    void add_text(std::string_view raw) {
        if (raw.empty()) return;
        if (line_.text.empty()) {
            line_.text = text_of(raw);
            return;
        }
        if (line_.joined.empty()) line_.joined.assign(line_.text.bytes);
        line_.joined.append("\\n").append(raw);
        line_.text = text_of(line_.joined);
    }

    bool output(json::value& v) {
        if (!is_object(v)) {
            if (!is_null(v)) line_.output = any_text(v);
            return true;
        }
        return each_field(v, [this](const char* key, json::value& w) {
            const std::string_view name = key_text(key);
            if (name == "exit_code" || name == "exitCode") {
                line_.exit_code = small_int(w);
                return true;
            }
            const auto rank = static_cast<std::size_t>(std::ranges::find(kOutputs, name) - kOutputs.begin());
            if (rank == kOutputs.size() || rank >= line_.output_rank) return true;
            const RawText text = any_text(w);
            if (text.empty()) return true;
            line_.output = text;
            line_.output_rank = rank;
            return true;
        });
    }

    // Agents note the tool's own name, and what a command printed and returned.
    bool meta(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) {
            const std::string_view name = key_text(key);
            if (!is_object(w)) return true;
            return each_field(w, [this, name](const char* k, json::value& x) {
                if (key_is(k, "toolName") && line_.name.empty())
                    line_.name = raw_string(x);
                else if (name == "terminal_exit" && key_is(k, "exit_code"))
                    line_.exit_code = small_int(x);
                else if (name == "terminal_output" && key_is(k, "data") && line_.output.empty())
                    line_.output = any_text(x);
                return true;
            });
        });
    }

    bool cost(json::value& v) {
        double amount = -1;
        bool dollars = true;
        const bool whole = each_field(v, [&](const char* key, json::value& w) {
            if (key_is(key, "amount"))
                amount = number_or(w, -1);
            else if (key_is(key, "currency"))
                dollars = raw_string(w) == "USD";
            return true;
        });
        if (dollars) line_.cost = amount;
        return whole;
    }

    bool usage(json::value& v) {
        return each_field(v, [this](const char* key, json::value& n) {
            if (key_is(key, "inputTokens"))
                line_.usage.input = as_uint(n);
            else if (key_is(key, "outputTokens"))
                line_.usage.output = as_uint(n);
            else if (key_is(key, "cachedReadTokens"))
                line_.usage.cache_read = as_uint(n);
            else if (key_is(key, "cachedWriteTokens"))
                line_.usage.cache_write = as_uint(n);
            else if (key_is(key, "thoughtTokens"))
                line_.usage.reasoning = as_uint(n);
            else if (key_is(key, "totalTokens"))
                line_.total = as_uint(n);
            return true;
        });
    }

    bool result(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "sessionId"))
                line_.session_id = raw_string(w);
            else if (key_is(key, "stopReason"))
                line_.stop_reason = raw_string(w);
            else if (key_is(key, "usage"))
                return usage(w);
            else if (key_is(key, "output"))
                line_.terminal_output = any_text(w);
            else if (key_is(key, "exitCode"))
                line_.exit_code = small_int(w);
            else if (key_is(key, "outcome") || key_is(key, "exitStatus"))
                return answer(w);
            return true;
        });
    }

    bool answer(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "outcome"))
                line_.outcome = raw_string(w);
            else if (key_is(key, "optionId"))
                line_.option = raw_string(w);
            else if (key_is(key, "exitCode"))
                line_.exit_code = small_int(w);
            return true;
        });
    }

    AcpLine& line_;
};

}  // namespace

bool read_acp_line(json::object object, AcpLine& line) { return Collector(line).message(object, false); }

}  // namespace agent_audit::readers
