#include "readers/all.hpp"
#include "readers/json/array_record.hpp"
#include "readers/json/document_reader.hpp"
#include "readers/json/ids.hpp"
#include "readers/vercel_ai/vercel_ai_message.hpp"

#include <array>
#include <string>
#include <unordered_map>
#include <unordered_set>

// What the Vercel AI SDK keeps of a chat: its UI messages, versions 4 to 6, one a line, in an array, or as a document
// or a request around them; and Mux, whose logs are made of them.
//
//   {"id":"…","role":"user","parts":[{"type":"text","text":"…"},{"type":"file","mediaType":"…","url":"…"}]}
//   {"id":"…","role":"assistant","parts":[{"type":"step-start"},{"type":"reasoning","text":"…"},
//    {"type":"tool-<name>","toolCallId":"…","state":"output-available","input":{…},"output":…},
//    {"type":"dynamic-tool","toolName":"…","toolCallId":"…","state":"output-error","input":{…},"errorText":"…"}],
//    "metadata":{"timestamp":1700000000000,"model":"…","usage":{"inputTokens":9,"outputTokens":2}}}
//   {"id":"…","role":"assistant","content":"…","toolInvocations":[{"state":"result","step":0,"toolCallId":"…",
//    "toolName":"…","args":{…},"result":…}],"parts":[{"type":"tool-invocation","toolInvocation":{…}}]}       version 4
//   {"id":"…","messages":[…]}

namespace agent_audit::readers {
namespace {

constexpr std::size_t kMostRemembered = 200'000;  // messages and open calls; beyond it all are forgotten

class VercelAi final : public DocumentReader {
public:
    VercelAi() : DocumentReader("messages") {}

protected:
    LineFate read_object(json::object object) override {
        bool messages = false;
        chat_ = {};
        const bool whole = read_fields(object, [&](const char* key, json::value& v) {
            if (key_is(key, "messages"))
                messages |= is_array(v);
            else if (key_is(key, "id"))
                chat_ = raw_string(v);
            return true;
        });
        if (!whole) return LineFate::malformed_json;
        if (messages) {
            first_of_list_ = true;
            return stream_records(object);
        }
        chat_ = {};
        return object.reset().error() ? LineFate::malformed_json : read_element(object);
    }

    LineFate read_array(json::array array) override {
        chat_ = {};
        first_of_list_ = true;
        return read_each(array, [this](json::object object) {
            args_.clear();
            return read_element(object);
        });
    }

    LineFate read_element(json::object element) override {
        m_.clear();
        fields_.begin();
        if (!read_fields(element, [this](const char* key, json::value& v) { return fields_.collect(key, v); }))
            return LineFate::malformed_json;
        if (m_.role.empty()) return LineFate::missing_field;
        if (m_.role == "data") return LineFate::ignored_kind;
        if (m_.role != "user" && m_.role != "assistant" && m_.role != "system") return LineFate::unknown_kind;
        if (!m_.has_parts && !m_.has_invocations && !m_.has_content) return LineFate::missing_field;
        return tell();
    }

private:
    // ---- which messages are new ---------------------------------------------------------------------------------

    /// What a message is known by when it comes again; 0: by nothing. An answer may have grown.
    std::uint64_t message_key(IdHash chat) const {
        if (is_stand_in(m_.id)) return unnamed_key(chat);
        const std::uint64_t key = mix_hash(mix_hash(stable_hash(m_.id), chat), stable_hash(m_.role));
        return m_.role == "assistant" ? key : mix_hash(key, first_words());
    }

    // Where ids were taken out, a message that comes again has its place in a list that begins with the same words. An
    // answer may have grown.
    std::uint64_t unnamed_key(IdHash chat) const {
        const std::uint64_t place = mix_hash(mix_hash(position_, chat), list_);
        return mix_hash(place, m_.role == "assistant" ? 0 : first_words()) | 1;
    }

    // Requests and documents repeat what was told: of a message that was, so many parts.
    std::optional<std::size_t> parts_told() {
        if (first_of_list_) list_ = first_words();
        position_ = first_of_list_ ? 0 : position_ + 1;
        const IdHash chat = id_hash(chat_id());
        const std::uint64_t key = message_key(chat);
        const auto known = key == 0 ? told_.end() : told_.find(key);
        const bool is_new = known == told_.end();
        const bool list = std::exchange(first_of_list_, false);
        if (chat != 0 ? chat != chat_told_ : (list && is_new)) open_ = false;
        chat_told_ = chat;
        if (!is_new) return std::exchange(known->second, std::max(known->second, m_.parts.size()));
        if (key == 0) return std::nullopt;
        if (told_.size() >= kMostRemembered) told_.clear();
        told_.emplace(key, m_.parts.size());
        return std::nullopt;
    }

    std::string_view chat_id() const { return m_.chat.empty() ? chat_ : m_.chat; }

    std::uint64_t first_words() const {
        for (const VercelPart& part : m_.parts) {
            if (!part.text.empty()) return stable_hash(part.text.bytes);
        }
        return stable_hash(m_.content.bytes);
    }

    // ---- telling ------------------------------------------------------------------------------------------------

    LineFate tell() {
        const std::optional<std::size_t> told = parts_told();
        new_head().time_ms = m_.time_ms;
        open();
        EventHeader& h = new_head(0, turn_);
        h.time_ms = m_.time_ms;
        h.record_id = m_.id;
        note_model();
        if (told) return told_again(*told);
        if (m_.role == "assistant")
            answer(0);
        else
            speak();
        return LineFate::understood;
    }

    void open() {
        if (std::exchange(open_, true)) return;
        turn_ = 0;
        model_ = stable_hash(m_.model);
        SessionStart start;
        start.session_id = text_of(chat_id());
        start.model = text_of(m_.model);
        start.resumed = chats_.has(chat_told_);
        if (!start.resumed) chats_.add(chat_told_);
        emit(start);
    }

    // Only answers name it, and their sums are no requests.
    void note_model() {
        const std::uint64_t model = stable_hash(m_.model);
        if (m_.model.empty() || std::exchange(model_, model) == model) return;
        ContextChange change;
        change.model = text_of(m_.model);
        emit(change);
    }

    LineFate told_again(std::size_t told) {
        const std::uint64_t before = emitted();
        if (m_.role == "assistant") {
            for (std::size_t i = 0; i < std::min(told, m_.parts.size()); ++i) late_result(m_.parts[i]);
            for (const VercelPart& part : m_.invocations) late_result(part);
            if (m_.parts.size() > told) answer(told);
        }
        return emitted() > before ? LineFate::understood : LineFate::ignored_kind;
    }

    void late_result(const VercelPart& part) {
        if (!part.has_result() || waiting_.erase(id_hash(part.call_id)) == 0) return;
        result(part);
    }

    void speak() {
        const bool system = m_.role == "system", human = !system && !m_.synthetic;
        std::uint32_t media = m_.attachments;
        for (const VercelPart& part : m_.parts) media += vercel_what(part.type) == VercelWhat::media;
        bool spoken = false;
        const auto say = [&](RawText text) {
            if (human && !spoken) {
                head().turn = ++turn_;
                emit(TurnStart{});
            }
            emit(Message{system ? Role::system : Role::user, human ? Origin::human : Origin::injected, text,
                         std::exchange(spoken, true) ? 0 : media});
        };
        for (const VercelPart& part : m_.parts) {
            if (vercel_what(part.type) == VercelWhat::text && !part.text.empty()) say(part.text);
        }
        if (!spoken && (!m_.content.empty() || media > 0)) say(m_.content);
    }

    // Steps are marked, except in version 4 before its last releases and in Mux; there one ends with its calls. Of
    // calls in a row nothing tells then whether they were made at once: each is a step.
    void answer(std::size_t from) {
        steps_ = 0;
        if (m_.compaction && from == 0) return compaction();
        if (m_.parts.size() == 0) return old_answer();
        const bool marked = std::ranges::any_of(
            m_.parts, [](const VercelPart& part) { return vercel_what(part.type) == VercelWhat::step; });
        std::size_t begin = from;
        bool after_call = false;
        for (std::size_t i = from; i < m_.parts.size(); ++i) {
            const VercelWhat what = vercel_what(m_.parts[i].type);
            const bool next = marked ? what == VercelWhat::step : after_call && what != VercelWhat::nothing;
            if (next && i > begin) {
                step(m_.parts, begin, i);
                begin = i;
            }
            after_call = what == VercelWhat::tool || (after_call && what == VercelWhat::nothing);
        }
        step(m_.parts, begin, m_.parts.size());
        end_answer();
    }

    void compaction() {
        Compaction c;
        c.trigger = m_.compacted == "user" ? CompactionTrigger::manual : CompactionTrigger::automatic;
        for (const VercelPart& part : m_.parts) {
            if (vercel_what(part.type) == VercelWhat::text && c.summary.empty()) c.summary = part.text;
        }
        emit(c);
        end_answer();
    }

    // Calls beside what was said in all steps together, each with the number of its step.
    void old_answer() {
        for (std::size_t i = 0; i < m_.invocations.size();) {
            std::size_t end = i + 1;
            while (end < m_.invocations.size() && m_.invocations[end].step == m_.invocations[i].step) ++end;
            step(m_.invocations, i, end);
            i = end;
        }
        if (!m_.reasoning.empty() || !m_.content.empty()) begin_step();
        if (!m_.reasoning.empty()) emit(Thinking{m_.reasoning, 0});
        if (!m_.content.empty()) emit(Message{Role::assistant, Origin::agent, m_.content, 0});
        end_answer();
    }

    void begin_step() {
        ++steps_;
        head().response = ++responses_ | std::uint64_t{1} << 63;
    }

    void step(const Reused<VercelPart>& parts, std::size_t begin, std::size_t end) {
        const auto says = [&](std::size_t i) {
            const VercelWhat what = &parts == &m_.invocations ? VercelWhat::tool : vercel_what(parts[i].type);
            return what == VercelWhat::tool ? !name_of(parts[i]).empty()
                                            : what == VercelWhat::media || !parts[i].text.empty();
        };
        std::size_t first = begin;
        while (first < end && !says(first)) ++first;
        if (first == end) return;
        begin_step();
        const IdHash response = head().response;
        for (std::size_t i = first; i < end; ++i) {
            if (says(i)) say(parts[i], &parts == &m_.invocations);
        }
        for (std::size_t i = first; i < end; ++i) {
            const bool tool = &parts == &m_.invocations || vercel_what(parts[i].type) == VercelWhat::tool;
            if (!tool || name_of(parts[i]).empty()) continue;
            if (parts[i].has_result())
                result(parts[i]);
            else
                wait_for(parts[i]);
        }
        head().response = response;
    }

    void say(const VercelPart& part, bool is_call) {
        const VercelWhat what = is_call ? VercelWhat::tool : vercel_what(part.type);
        if (what == VercelWhat::text)
            emit(Message{Role::assistant, Origin::agent, part.text, 0});
        else if (what == VercelWhat::reasoning)
            emit(Thinking{part.text, 0});
        else if (what == VercelWhat::media)
            emit(Message{Role::assistant, Origin::agent, {}, 1});
        else if (what == VercelWhat::tool)
            call(part);
    }

    static std::string_view name_of(const VercelPart& part) {
        constexpr std::string_view kTool = "tool-";
        if (!part.name.empty() || !part.type.starts_with(kTool) || part.type == "tool-invocation") return part.name;
        return part.type.substr(kTool.size());
    }

    void call(const VercelPart& part) {
        ToolCall call = call_of(part.call_id, name_of(part), part.args);
        call.script = part.nested_end > part.nested_begin;
        emit(call);
    }

    void result(const VercelPart& part) {
        head().response = 0;
        for (std::size_t i = part.nested_begin; i < part.nested_end; ++i) by_program(m_.nested[i]);
        ToolResult result;
        result.call_id = text_of(part.call_id);
        result.name = text_of(name_of(part));
        result.text = part.error.empty() ? part.output.text : part.error;
        result.exit_code = part.output.exit_code;
        result.media_count = part.output.media;
        result.status = status(part);
        result.opaque = part.state == "output-redacted";
        emit(result);
    }

    static ResultStatus status(const VercelPart& part) {
        if (part.denied || part.state == "output-denied") return ResultStatus::denied;
        if (part.state == "output-error" || part.failed) return ResultStatus::error;
        if (part.output.status == ResultStatus::unknown && part.output.exit_code)
            return status_of(part.output.exit_code);
        return part.output.status;
    }

    void by_program(const VercelPart& part) {
        const std::uint16_t flags = head().flags;
        head().flags |= kHidden;
        ToolCall call = call_of(part.call_id, part.name, part.args);
        call.caller = Caller::code;
        emit(call);
        if (part.has_result()) {
            ToolResult result;
            result.call_id = text_of(part.call_id);
            result.text = part.output.text;
            result.exit_code = part.output.exit_code;
            result.status = status(part);
            emit(result);
        }
        head().flags = flags;
    }

    void wait_for(const VercelPart& part) {
        if (part.call_id.empty()) return;
        if (waiting_.size() >= kMostRemembered) waiting_.clear();
        waiting_.insert(id_hash(part.call_id));
    }

    // What stands at a message is the sum over its steps.
    void end_answer() {
        if (m_.tokens.total() > 0) {
            Usage usage;
            usage.tokens = m_.tokens;
            usage.model = text_of(m_.model);
            usage.context_tokens = m_.context_tokens;
            if (steps_ > 1) usage.scope = UsageScope::session;
            emit(usage);
        }
        if (!m_.error.empty())
            emit(notice_of(NoticeLayer::provider, NoticeLevel::error, "error", text_of(m_.error)));
        else if (m_.partial)
            emit(TurnEnd{TurnStatus::aborted, -1});
    }

    VercelMessage m_;
    VercelCollector fields_{m_, args_};
    std::string_view chat_;  // of the document that is read
    IdHash chat_told_ = 0;
    RecentIds chats_;
    bool open_ = false, first_of_list_ = false;
    std::uint64_t position_ = 0, list_ = 0;  // of the message in its list; how that begins
    std::uint32_t turn_ = 0, steps_ = 0;
    std::uint64_t responses_ = 0, model_ = 0;
    std::unordered_map<std::uint64_t, std::size_t> told_;  // messages, and one more than parts of them
    std::unordered_set<std::uint64_t> waiting_;            // calls without a result
};

bool is_message(const ProbeRecord& r) {
    const std::string_view role = r.text("role");
    if ((role != "user" && role != "assistant" && role != "system") || r.has("info")) return false;
    const ProbeRecord content = r.child("content");
    const bool inside = content.is_object() && content.has("format");  // Mastra's storage
    for (const std::string_view list : {"parts", "toolInvocations"}) {
        const auto raw = inside ? content.raw(list) : r.raw(list);
        const auto first = raw ? first_of(ProbeRecord(*raw)) : std::nullopt;
        if (!first) continue;
        if (list == "toolInvocations") return first->has("toolCallId") && first->has("state");
        const std::string_view type = first->text("type");
        if (type == "text" || type == "reasoning") return first->has("text") || first->has("reasoning");
        if (type == "tool-invocation") return first->child("toolInvocation").is_object() || first->has("toolCallId");
        if (type == "step-start" || type.starts_with("data-") || type.starts_with("source")) return true;
        return type == "file" ? first->has("url") || first->has("mimeType")
                              : vercel_what(type) == VercelWhat::tool && first->has("state");
    }
    return false;
}

// The first message that shows it: one that was only text in version 4 has no parts.
bool holds_messages(const ProbeRecord& r) {
    const auto first = first_in(r, "messages");
    return first && is_message(*first);
}

Score score(std::span<const ProbeRecord> sample, Framing) {
    for (const ProbeRecord& record : sample) {
        const auto inner = first_of(record);
        const ProbeRecord& r = inner ? *inner : record;
        if (r.is_object() && (is_message(r) || holds_messages(r))) return 90;
    }
    return 0;
}

constexpr std::string_view kStreams[] = {"messages"};

constexpr RecordKindDoc kKinds[] = {
    {"{id, role, parts}, one a line or in an array",
     "one session a file; with chatId, threadId or workspaceId one each"},
    {"{id, role, content: {format, parts}, threadId}", "the same in the storage of Mastra"},
    {"{id, messages: […]}", "one session an id; what repeats an earlier list goes on with it"},
    {"user, system", "TurnStart and Message (human), Message (system); synthetic: Message (injected)"},
    {"step-start", "another response of the model"},
    {"text, reasoning, file", "Message, Thinking"},
    {"tool-<name>, dynamic-tool, tool-invocation, toolInvocations",
     "ToolCall; ToolResult: state, approval, and what the output says of error, isError, success, exitCode"},
    {"nestedCalls", "ToolCall and ToolResult of the program that the call ran"},
    {"metadata, annotations", "Usage; its model and time; Notice (error); TurnEnd aborted (partial)"},
    {"metadata.compacted", "Compaction"},
    {"source-…, data-…", "ignored"},
};

}  // namespace

ReaderSpec vercel_ai() {
    return {"vercel-ai",
            "Vercel AI SDK",
            "UI messages of versions 4 to 6, one a line, in arrays, in chats; Mux",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::token_usage | Signal::timestamps | Signal::response_ids | Signal::reasoning |
                Signal::compaction,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<VercelAi>()); },
            kStreams};
}

}  // namespace agent_audit::readers
