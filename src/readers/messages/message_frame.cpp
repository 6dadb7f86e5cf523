#include "readers/messages/message_frame.hpp"

#include "readers/json/walk.hpp"
#include "readers/messages/streamed_answer.hpp"

#include <utility>

namespace agent_audit::readers {
namespace {

constexpr int kDeepestWrapper = 3;

class FrameCollector {
public:
    FrameCollector(FrameKeys keys, Frame& frame, Parts& beside, ArgsDigester& args)
        : keys_(keys), frame_(frame), beside_(beside), args_(args) {}

    bool field(const char* key, json::value& v, int depth) {
        const bool history = key_is(key, "history") || key_is(key, "chat_history");
        if (key_is(key, "messages") || key_is(key, "contents") || (keys_ == FrameKeys::messages_or_history && history))
            return messages(v);
        // Training data calls them so where there are no others.
        if (key_is(key, "trajectory") && is_array(v)) {
            if (!frame_.has_messages_key) frame_.messages = raw_value(v);
            return true;
        }
        if (depth == 0 && key_is(key, "prompt") && is_array(v)) {
            prompt_ = raw_value(v);
            return true;
        }
        if (depth == 0 && key_is(key, "completion") && (is_array(v) || is_string(v))) {
            completion_ = raw_value(v);
            return true;
        }
        if (depth == 0 && key_is(key, "trajectories"))
            return each_element(v, [this](json::value& one) { return trajectory(one); });
        if (depth == 0 && is_array(v) && (key_is(key, "chosen") || key_is(key, "rejected"))) {
            (key_is(key, "chosen") ? chosen_ : rejected_) = raw_value(v);
            return true;
        }
        if (key_is(key, "system") || key_is(key, "systemInstruction") || key_is(key, "system_instruction")) {
            frame_.system = raw_value(v);
            return true;
        }
        if (key_is(key, "tools") || key_is(key, "functions") || key_is(key, "toolConfig")) {
            frame_.tools = raw_value(v);
            return true;
        }
        if (key_is(key, "task_id")) {
            frame_.task = is_string(v) ? raw_string(v) : token(v);
            return true;
        }
        if (depth == 0 && key_is(key, "message") && is_object(v)) {
            message_ = raw_value(v);
            return !message_.empty();
        }
        if (depth == 0 && key_is(key, "redact_message") && is_object(v)) {
            redacted_ = raw_value(v);
            return !redacted_.empty();
        }
        if (depth == 0 && step_field(key, v)) return true;
        if (depth == 0 && key_is(key, "message_id")) {
            numbered_ = !is_string(v) && !is_null(v);
            return true;
        }
        if (key_is(key, "choices")) return first_choice(v, "message");
        if (key_is(key, "candidates")) {
            if (beside_.role.empty() && is_array(v)) beside_.role = "assistant";  // some leave it out
            return first_choice(v, "content");
        }
        if ((key_is(key, "input") || key_is(key, "output")) && is_object(v) && depth < kDeepestWrapper)
            return each_field(v, [this, depth](const char* k, json::value& w) { return bedrock(k, w, depth + 1); });
        if (depth > 0 && key_is(key, "error") && is_object(v)) return error(v);
        if (is_wrapper(key) && is_object(v) && depth < kDeepestWrapper) {
            frame_.wrapped = true;
            if (key_is(key, "request")) return request(v, depth);
            return key_is(key, "response") && depth == 0 ? response(v) : inside_wrapper(v, depth);
        }
        return collect_part(key, v, beside_, args_);
    }

    // Strands keeps each message of a session in a record of its own, with its number beside it. Of one that was taken
    // back the model sees what stands there instead.
    bool unwrap() {
        if (!numbered_ || message_.empty() || frame_.has_messages_key || !beside_.role.empty()) return true;
        const std::string_view seen = redacted_.empty() ? message_ : redacted_;
        json::parser parser;
        json::document doc;
        json::object object;
        return !parser.iterate(seen.data(), seen.size(), seen.size() + simdjson::SIMDJSON_PADDING).get(doc) &&
               !doc.get_object().get(object) &&
               each_field(object, [this](const char* k, json::value& w) { return collect_part(k, w, beside_, args_); });
    }

    // A completion that is a text is the last message.
    void join() {
        frame_.is_step = finished_ && answered_;
        if (frame_.has_messages_key || !frame_.messages.empty()) return;
        if (!chosen_.empty() && !rejected_.empty()) {
            frame_.runs.push_back({conversation(chosen_, frame_.joined)});
            frame_.runs.push_back({conversation(rejected_, frame_.joined_rejected)});
        } else if (!prompt_.empty() && !completion_.empty()) {
            frame_.messages = conversation(completion_, frame_.joined);
        }
    }

private:
    /// The prompt and one answer to it, which may repeat the prompt or be a text.
    std::string_view conversation(std::string_view answer, std::string& all) const {
        const std::string_view asked = inside(prompt_);
        all.assign("[");
        if (answer.front() != '[') {
            all.append(asked).append(asked.empty() ? "" : ",");
            all.append(R"({"role":"assistant","content":)").append(answer).append("}");
        } else {
            const std::string_view said = inside(answer);
            if (!said.starts_with(asked)) all.append(asked).append(",");
            all.append(said);
        }
        all += ']';
        const std::size_t size = all.size();
        all.resize(size + simdjson::SIMDJSON_PADDING);
        return std::string_view(all).substr(0, size);
    }

    /// What stands between the brackets.
    static std::string_view inside(std::string_view array) {
        array = trim_blank(array);
        if (array.size() < 2 || array.back() != ']') return {};
        array = array.substr(1, array.size() - 2);
        while (!array.empty() && static_cast<unsigned char>(array.front()) <= ' ') array.remove_prefix(1);
        return trim_blank(array);
    }

    bool inside_wrapper(json::value& v, int depth) {
        return each_field(v, [this, depth](const char* k, json::value& w) { return field(k, w, depth + 1); });
    }

    // A time that stands in it is none of the answer.
    bool request(json::value& v, int depth) {
        const std::int64_t answered = std::exchange(beside_.time_ms, kNoTime);
        const bool whole = inside_wrapper(v, depth);
        if (beside_.time_ms != kNoTime) frame_.asked_ms = beside_.time_ms;
        beside_.time_ms = answered;
        return whole;
    }

    // A step of the AI SDK has the messages of its response, and beside them the body that they were made of.
    bool response(json::value& v) {
        json::object object;
        if (v.get_object().get(object)) return false;
        made_ = false;
        const bool looked = each_field(object, [this](const char* k, json::value& w) {
            made_ |= key_is(k, "messages") && is_array(w);
            return true;
        });
        if (!looked || object.reset().error()) return false;
        in_response_ = true;
        const bool whole = each_field(
            object, [this](const char* k, json::value& w) { return (made_ && key_is(k, "body")) || field(k, w, 1); });
        in_response_ = false;
        return whole;
    }

    // Anthropic and OpenAI say its type, Gemini a status.
    bool error(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "type") || key_is(key, "status") || (key_is(key, "code") && frame_.error_code.empty())) {
                if (!is_null(w)) frame_.error_code = is_string(w) ? raw_string(w) : token(w);
            } else if (key_is(key, "message")) {
                frame_.error = text_of(raw_string(w));
            }
            return true;
        });
    }

    // Of a step of the AI SDK, or of a run with all of its steps.
    bool step_field(const char* key, json::value& v) {
        if (key_is(key, "steps") && is_array(v)) {
            frame_.steps = raw_value(v);
        } else if (key_is(key, "callId") && is_string(v)) {
            frame_.run = raw_string(v);
        } else if (key_is(key, "stepNumber")) {
            frame_.step = as_uint(v);
        } else if (key_is(key, "finishReason")) {
            finished_ = true;
        } else {
            return false;
        }
        return true;
    }

    static bool is_wrapper(const char* key) {
        return key_is(key, "request") || key_is(key, "response") || key_is(key, "body");
    }

    // An episode of rLLM: each step has what the model was sent and what it answered, mostly all from the beginning.
    bool trajectory(json::value& v) {
        bool anew = true;
        return each_field(v, [this, &anew](const char* key, json::value& steps) {
            return !key_is(key, "steps") || each_element(steps, [this, &anew](json::value& step) {
                return each_field(step, [this, &anew](const char* k, json::value& w) {
                    if (!key_is(k, "chat_completions") || !is_array(w)) return true;
                    const std::string_view all = raw_value(w);
                    if (inside(all).empty()) return !all.empty();
                    frame_.runs.push_back({all, std::exchange(anew, false)});
                    return true;
                });
            });
        });
    }

    bool messages(json::value& v) {
        frame_.has_messages_key = true;
        answered_ |= in_response_;
        if (!is_array(v)) return true;
        frame_.messages = raw_value(v);
        return !frame_.messages.empty();  // an array without its end
    }

    // What Bedrock writes around a request and an answer: in its answers, and in its log of invocations.
    bool bedrock(const char* key, json::value& v, int depth) {
        if (key_is(key, "message")) return beside(v);
        const bool body = key_is(key, "inputBodyJson") || key_is(key, "outputBodyJson");
        if (!body && key_text(key).ends_with("TokenCount")) collect_usage_field(key, v, beside_.usage);
        if (body && is_array(v)) return streamed(raw_value(v), depth);
        if (!body || !is_object(v)) return true;
        frame_.wrapped = true;
        return inside_wrapper(v, depth);
    }

    bool streamed(std::string_view events, int depth) {
        StreamedAnswer answer;
        answer.add_all(events);
        std::string& whole = frame_.streamed = answer.take();
        const std::size_t size = whole.size();
        if (size == 0) return true;
        frame_.wrapped = true;
        whole.resize(size + simdjson::SIMDJSON_PADDING);
        json::parser parser;
        json::document doc;
        json::object object;
        return !parser.iterate(whole.data(), size, whole.size()).get(doc) && !doc.get_object().get(object) &&
               each_field(object, [this, depth](const char* k, json::value& w) { return field(k, w, depth + 1); });
    }

    bool beside(json::value& message) {
        return each_field(message,
                          [this](const char* key, json::value& v) { return collect_part(key, v, beside_, args_); });
    }

    // The others are alternatives that went nowhere.
    bool first_choice(json::value& v, std::string_view answer) {
        bool first = true;
        return each_element(v, [&](json::value& choice) {
            if (!std::exchange(first, false)) return true;
            return each_field(choice, [this, answer](const char* key, json::value& w) {
                return key_text(key) != answer || beside(w);
            });
        });
    }

    FrameKeys keys_;
    Frame& frame_;
    Parts& beside_;
    ArgsDigester& args_;
    std::string_view prompt_, completion_, chosen_, rejected_;
    std::string_view message_, redacted_;
    bool numbered_ = false;
    // What a step of the AI SDK is told by: it says how it finished, and its messages stand in the response.
    bool finished_ = false, in_response_ = false, answered_ = false, made_ = false;
};

}  // namespace

bool collect_frame(json::object record, FrameKeys keys, Frame& frame, Parts& beside, ArgsDigester& args) {
    FrameCollector collector(keys, frame, beside, args);
    if (!each_field(record, [&](const char* key, json::value& v) { return collector.field(key, v, 0); })) return false;
    collector.join();
    return collector.unwrap();
}

}  // namespace agent_audit::readers
