#include "convert/all.hpp"
#include "convert/call_ids.hpp"
#include "convert/session_converter.hpp"

#include <agent_audit/model/event_words.hpp>
#include <agent_audit/support/json_text.hpp>

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

// Chat Completions, one conversation a line: a session's main conversation, then those of its sub-agents.
//
//   {"model":"…","metadata":{"session_id":"…","source_format":"…"},"messages":[{"role":"user","content":"…"},
//    {"role":"assistant","content":"…","reasoning_content":"…","tool_calls":[{"id":"…","type":"function","function":
//    {"name":"…","arguments":"{…}"}}],"usage":{…}},{"role":"tool","tool_call_id":"…","content":"…","is_error":true}]}
//
// Messages of the program around the agent (reminders, hooks, summaries) are system messages.
// Beyond the API's own fields: metadata, reasoning_content, usage on the message it paid for, is_error, status and
// exit_code where the recording says so, and model on a message that another one wrote than the conversation names.

namespace agent_audit::convert {
namespace {

constexpr std::size_t kMaxMessage = 4u << 20;        // an assistant's message is cut in two beyond
constexpr std::size_t kMaxLaneMessage = 256u << 10;  // the same for sub-agents, who may be many at the same time

// The assistant's message that is being put together.
struct Spoken {
    bool open = false;
    IdHash response = 0;
    std::string content, reasoning, calls;  // the insides of JSON strings, and of an array
    std::vector<std::string> results;       // messages that came while it may still go on: they stand behind it
    std::size_t results_size = 0;
    bool has_content = false;
    bool billed = false;  // after it was spoken: without an id, what is spoken next was asked for by another request
    std::string speaker;
    std::string model;  // as a JSON string
    Spent spent;

    std::size_t size() const { return content.size() + reasoning.size() + calls.size() + results_size; }
};

struct Lane {
    std::string metadata;  // fields of its own, as JSON
    std::string model;     // that the conversation names, as a JSON string
    std::string model_now;
    bool begun = false;
    bool billed_before = false;  // figures without an id come before the first word of what they are for
    Spoken spoken;
    Spent unpaid;  // usage that came when no message was open
    std::string unpaid_model;
    CallIds ids;
};

std::string usage_json(const Spent& spent) {
    const TokenCounts t = spent.tokens();
    std::string out = fmt::format(R"({{"prompt_tokens":{},"completion_tokens":{},"total_tokens":{})", t.prompt(),
                                  t.output, t.total());
    if (t.cache_read > 0 || t.cache_write > 0) {
        out += fmt::format(R"(,"prompt_tokens_details":{{"cached_tokens":{})", t.cache_read);
        if (t.cache_write > 0) out += fmt::format(R"(,"cache_write_tokens":{})", t.cache_write);
        if (t.cache_write_1h > 0) out += fmt::format(R"(,"ephemeral_1h_input_tokens":{})", t.cache_write_1h);
        out += '}';
    }
    if (t.reasoning > 0) out += fmt::format(R"(,"completion_tokens_details":{{"reasoning_tokens":{}}})", t.reasoning);
    if (spent.cost_microusd > 0)
        out += fmt::format(R"(,"cost":{:.6f})", static_cast<double>(spent.cost_microusd) / 1e6);
    return out += '}';
}

class Chat final : public SessionConverter<Lane> {
public:
    Chat(const ConverterOptions& options, const ConverterOutput& out) : SessionConverter(options, out, "messages") {}

private:
    void take(Lane& lane, const Event& event) override {
        std::visit([&](const auto& body) { take(lane, event.head, body); }, event.body);
    }

    // ---- sessions ---------------------------------------------------------------------------------------------

    void begin_session(const SessionStart& start) override {
        Lane& main = lanes_[0];
        put_field(main.metadata, "session_id", start.session_id);
        put_field(main.metadata, "label", start.label);
        put_field(main.metadata, "parent_session_id", start.parent_session_id);
        put_field(main.metadata, "cwd", start.cwd);
        if (!start.model.empty()) texts_.append_string(main.model, start.model);
    }

    void put_field(std::string& fields, std::string_view name, RawText value) {
        if (value.empty()) return;
        fields += fields.empty() ? "\"" : ",\"";
        fields += name;
        fields += "\":";
        texts_.append_string(fields, value);
    }

    void write_session() override {
        for (auto& [number, lane] : lanes_) {
            number_ = number;
            flush(lane);
            if (!lane.begun && lane.unpaid.any()) {  // requests of which nothing else was recorded
                speaking(lane, {});
                flush(lane);
            }
            if (!lane.begun) continue;
            if (number != 0) spool_.write(number, out_);
            std::string end = "]";
            if (lane.unpaid.any()) end += ",\"usage\":" + usage_json(lane.unpaid);
            out_.write(end += "}\n");
        }
    }

    // Main messages are written as they come, those of sub-agents when the main conversation is over.
    void put(Lane& lane, std::string_view message) {
        const std::string before = std::exchange(lane.begun, true) ? "," : opening(lane);
        if (number_ == 0) {
            out_.write(before);
            out_.write(message);
        } else {
            spool_.append(number_, before);
            spool_.append(number_, message);
        }
    }

    std::string opening(Lane& lane) {
        std::string out = "{";
        if (lane.model.empty()) lane.model = lanes_[0].model;
        if (!lane.model.empty()) out += "\"model\":" + lane.model + ",";
        out += "\"metadata\":{\"source_format\":";
        texts_.append_string(out, format_);
        if (!lane.metadata.empty()) out += "," + lane.metadata;
        return out += "},\"messages\":[";
    }

    // ---- messages ---------------------------------------------------------------------------------------------

    void take(Lane& lane, const EventHeader& head, const Message& b) {
        if (b.role == Role::assistant) {
            Spoken& spoken = speaking(lane, head);
            spoken.has_content = true;
            append_line(spoken.content, b.text);
            if (!b.speaker.empty()) spoken.speaker = quoted(b.speaker);
            return;
        }
        // What neither a human nor another agent said came from the program around them.
        const bool said = b.origin == Origin::human || b.origin == Origin::agent || b.origin == Origin::queued;
        std::string message = fmt::format(R"({{"role":"{}","content":)", said ? word(b.role) : "system");
        if (b.text.empty() && b.media_count > 0)
            message += "\"[image]\"";
        else
            texts_.append_string(message, b.text);
        if (!b.speaker.empty()) message += ",\"name\":" + quoted(b.speaker);
        flush(lane);
        put(lane, message += '}');
    }

    void take(Lane& lane, const EventHeader& head, const Thinking& b) {
        if (!b.text.empty()) append_line(speaking(lane, head).reasoning, b.text);
    }

    void take(Lane& lane, const EventHeader& head, const ToolCall& b) {
        std::string& calls = speaking(lane, head).calls;
        if (!calls.empty()) calls += ',';
        calls += "{\"id\":";
        texts_.append_string(calls, lane.ids.open(texts_.decoded(b.call_id)));
        const std::string args = texts_.arguments(b);
        // A tool whose input is text, not arguments, is called a custom one there.
        const bool custom = !args.starts_with('{');
        calls += custom ? R"(,"type":"custom","custom":{"name":)" : R"(,"type":"function","function":{"name":)";
        texts_.append_string(calls, b.name);
        calls += custom ? ",\"input\":" : ",\"arguments\":";
        texts_.append_string(calls, args);
        calls += "}}";
    }

    // A response may go on behind the first result of its calls. Its calls are one message all the same, as they were
    // made.
    void take(Lane& lane, const EventHeader&, const ToolResult& b) {
        std::string message = R"({"role":"tool","tool_call_id":)";
        texts_.append_string(message, lane.ids.answer(texts_.decoded(b.call_id)));
        message += ",\"content\":";
        if (b.text.empty() && b.media_count > 0)
            message += "\"[image]\"";
        else
            texts_.append_string(message, b.text);
        if (b.status == ResultStatus::error || b.status == ResultStatus::denied) message += ",\"is_error\":true";
        if (b.status == ResultStatus::ok) message += ",\"is_error\":false";
        // What a flag cannot say.
        if (b.status == ResultStatus::denied || b.status == ResultStatus::cancelled ||
            b.status == ResultStatus::running)
            message += fmt::format(R"(,"status":"{}")", word(b.status));
        if (b.exit_code) message += fmt::format(R"(,"exit_code":{})", *b.exit_code);
        message += '}';
        if (!lane.spoken.open) return put(lane, message);
        lane.spoken.results_size += message.size();
        lane.spoken.results.push_back(std::move(message));
        if (lane.spoken.size() > most()) flush(lane);
    }

    void take(Lane& lane, const EventHeader& head, const Usage& b) {
        const Spent spent = spending_.take(b, (head.flags & kCopied) != 0);
        if (!spent.any()) return;
        const bool here = is_of_spoken(lane, head);
        (here ? lane.spoken.spent : lane.unpaid) += spent;
        lane.spoken.billed = lane.spoken.billed || here;
        if (!b.model.empty()) (here ? lane.spoken.model : lane.unpaid_model) = quoted(b.model);
    }

    // Figures with an id are for the response of that id. Others come behind it, before or after the results of its
    // calls; or before its first word, and then those after results are the next one's.
    static bool is_of_spoken(Lane& lane, const EventHeader& head) {
        const Spoken& spoken = lane.spoken;
        if (spoken.results.empty()) {
            if (head.response == 0) lane.billed_before = !spoken.open;
            return spoken.open;
        }
        if (head.response != 0) return head.response == spoken.response;
        return spoken.response == 0 && !spoken.billed && !lane.billed_before;
    }

    // What the conversation goes on from, where the recording says it.
    void take(Lane& lane, const EventHeader&, const Compaction& b) {
        if (b.phase != CompactionPhase::end || b.summary.empty()) return;
        flush(lane);
        std::string message = R"({"role":"system","content":)";
        texts_.append_string(message, b.summary);
        put(lane, message += '}');
    }

    void take(Lane& lane, const EventHeader&, const LaneOpen& b) {
        if (!lane.metadata.empty()) return;
        put_field(lane.metadata, "agent_id", b.agent_id);
        put_field(lane.metadata, "agent_type", b.agent_type);
    }

    void take(Lane& lane, const EventHeader&, const ContextChange& b) {
        if (b.model.empty()) return;
        lane.model_now = quoted(b.model);
        if (lane.model.empty() && !lane.begun) lane.model = lane.model_now;
    }

    template <class Body>
    void take(Lane&, const EventHeader&, const Body&) {}

    // The assistant's message this belongs to; another response begins another message.
    Spoken& speaking(Lane& lane, const EventHeader& head) {
        Spoken& spoken = lane.spoken;
        const bool same = head.response != 0 && spoken.response == head.response;
        const bool named = spoken.response != 0 || head.response != 0;
        const bool other =
            !same && (!spoken.results.empty() || (named ? spoken.response != 0 && head.response != 0 : spoken.billed));
        if (other || spoken.size() > most()) flush(lane);
        if (!spoken.open) {
            spoken.spent += std::exchange(lane.unpaid, {});
            spoken.model = std::exchange(lane.unpaid_model, {});
            if (spoken.model.empty()) spoken.model = lane.model_now;
        }
        spoken.open = true;
        if (head.response != 0) spoken.response = head.response;
        return spoken;
    }

    std::size_t most() const { return number_ == 0 ? kMaxMessage : kMaxLaneMessage; }

    void append_line(std::string& inside, RawText text) {
        if (!inside.empty()) inside += "\\n";
        std::string piece;
        texts_.append_string(piece, text);
        inside.append(piece, 1, piece.size() - 2);
    }

    std::string quoted(RawText text) {
        std::string out;
        texts_.append_string(out, text);
        return out;
    }

    void flush(Lane& lane) {
        Spoken spoken = std::exchange(lane.spoken, {});
        if (!spoken.open) return;
        std::string message = R"({"role":"assistant","content":)";
        message += spoken.has_content || spoken.calls.empty() ? "\"" + spoken.content + "\"" : "null";
        if (!spoken.speaker.empty()) message += ",\"name\":" + spoken.speaker;
        if (!spoken.model.empty() && spoken.model != lane.model) message += ",\"model\":" + spoken.model;
        if (!spoken.reasoning.empty()) message += ",\"reasoning_content\":\"" + spoken.reasoning + "\"";
        if (!spoken.calls.empty()) message += ",\"tool_calls\":[" + spoken.calls + "]";
        if (spoken.spent.any()) message += ",\"usage\":" + usage_json(spoken.spent);
        put(lane, message += '}');
        for (const std::string& result : spoken.results) put(lane, result);
    }
};

std::unique_ptr<Converter> make(const ConverterOptions& options, const ConverterOutput& out) {
    return std::make_unique<Chat>(options, out);
}

}  // namespace

ConverterSpec chat() { return {"chat", "Chat Completions messages, one conversation a line", make}; }

}  // namespace agent_audit::convert
