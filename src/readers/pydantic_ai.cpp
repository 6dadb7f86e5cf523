#include "readers/all.hpp"
#include "readers/json/array_record.hpp"
#include "readers/json/document_reader.hpp"
#include "readers/json/format_util.hpp"
#include "readers/messages/told_messages.hpp"

#include <array>
#include <string>

// Messages of Pydantic AI as result.all_messages_json() and its neighbours dump them: one a line, in an array, or as a
// field of what a program keeps around them.
//
//   {"kind":"request","parts":[{"part_kind":"system-prompt","content":"…"},{"part_kind":"user-prompt","content":"…"}],
//    "instructions":"…","timestamp":"…"}
//   {"kind":"response","parts":[{"part_kind":"thinking","content":"…"},{"part_kind":"text","content":"…"},
//    {"part_kind":"tool-call","tool_name":"…","args":"{…}","tool_call_id":"…"}],
//    "usage":{"input_tokens":9,"cache_read_tokens":4,"output_tokens":2,"details":{…}},"model_name":"…","timestamp":"…"}
//   {"kind":"request","parts":[{"part_kind":"tool-return","tool_name":"…","content":…,"tool_call_id":"…","outcome":"…"},
//    {"part_kind":"retry-prompt","tool_name":"…","content":"…" or [{"type":"missing","loc":[…],"msg":"…"}], …}]}

namespace agent_audit::readers {
namespace {

constexpr int kDeepestWrapper = 2;

/// Under which names programs keep the messages of a conversation.
constexpr std::array<std::string_view, 6> kLists{"messages",     "message_history", "all_messages",
                                                 "new_messages", "message_list",    "history"};

enum class Kind : std::uint8_t { unknown, system, user, result, retry, text, thinking, call, compaction, file };

Kind kind_of(std::string_view kind) {
    if (kind == "system-prompt") return Kind::system;
    if (kind == "user-prompt") return Kind::user;
    if (kind == "tool-return" || kind == "builtin-tool-return") return Kind::result;
    if (kind == "retry-prompt") return Kind::retry;
    if (kind == "text") return Kind::text;
    if (kind == "thinking") return Kind::thinking;
    if (kind == "tool-call" || kind == "builtin-tool-call") return Kind::call;
    if (kind == "compaction") return Kind::compaction;
    return kind == "file" ? Kind::file : Kind::unknown;
}

struct Part {
    std::string_view kind, call_id, name, outcome, signature;
    RawText text;
    CallArgs args;
    std::uint32_t media = 0;
};

struct Turn {
    std::string_view kind, model, id, timestamp, finish_reason, conversation;
    RawText instructions;
    Reused<Part> parts;
    TokenCounts tokens;
    bool has_parts = false;

    void clear() { begin_again(*this, &Turn::parts); }
    bool has(Kind wanted) const {
        return std::ranges::any_of(parts, [wanted](const Part& part) { return kind_of(part.kind) == wanted; });
    }
};

class PydanticAi final : public DocumentReader {
public:
    PydanticAi() : DocumentReader("messages") {}

protected:
    LineFate read_object(json::object object) override {
        bool messages = false, message = false, wrapped = false;
        const bool whole = read_fields(object, [&](const char* key, json::value& v) {
            messages |= key_is(key, "messages") && is_array(v);
            message |= key_is(key, "parts") && is_array(v);
            wrapped |= key_is(key, "message") && is_object(v);
            return true;
        });
        if (!whole) return LineFate::malformed_json;
        if (messages) {
            told_.begin_list();
            return stream_records(object);
        }
        if (object.reset().error()) return LineFate::malformed_json;
        return message || wrapped ? read_element(object) : unwrap(object);
    }

    LineFate read_array(json::array array) override {
        told_.begin_list();
        return read_elements(array);
    }

    LineFate read_element(json::object element) override {
        m_.clear();
        const bool whole = read_fields(element, [this](const char* key, json::value& v) {
            // A program may keep the message beside its own ids.
            if (key_is(key, "message") && is_object(v) && !m_.has_parts)
                return each_field(v, [this](const char* k, json::value& w) { return collect(k, w); });
            return collect(key, v);
        });
        if (!whole) return LineFate::malformed_json;
        if (!m_.has_parts) return LineFate::missing_field;
        if (m_.kind != "request" && m_.kind != "response")
            return m_.kind.empty() ? LineFate::missing_field : LineFate::unknown_kind;
        return tell();
    }

private:
    LineFate unwrap(json::object object) {
        return stream_all_found([this, &object] {
            return each_field(object, [this](const char* key, json::value& v) { return wrapped(key, v, 0); });
        });
    }

    bool wrapped(const char* key, json::value& v, int depth) {
        if (is_array(v) && is_one_of(key_text(key), kLists)) {
            told_.begin_list();
            return stream_found(v);
        }
        return depth >= kDeepestWrapper ||
               each_field(v, [this, depth](const char* k, json::value& w) { return wrapped(k, w, depth + 1); });
    }

    bool collect(const char* key, json::value& v) {
        switch (key[0]) {
            case 'c':
                if (key_is(key, "conversation_id")) m_.conversation = raw_string(v);
                break;
            case 'f':
                if (key_is(key, "finish_reason")) m_.finish_reason = raw_string(v);
                break;
            case 'i':
                if (key_is(key, "instructions") && is_string(v)) m_.instructions = text_of(raw_string(v));
                break;
            case 'k':
                if (key_is(key, "kind")) m_.kind = raw_string(v);
                break;
            case 'm':
                if (key_is(key, "model_name")) m_.model = raw_string(v);
                break;
            case 'p':
                if (key_is(key, "parts")) return parts(v);
                if (key_is(key, "provider_response_id")) m_.id = raw_string(v);
                break;
            case 't':
                if (key_is(key, "timestamp") && is_string(v)) m_.timestamp = raw_string(v);
                break;
            case 'u':
                if (key_is(key, "usage")) return usage(v);
                break;
            case 'v':
                if (key_is(key, "vendor_id")) m_.id = raw_string(v);
                break;
            default: break;
        }
        return true;
    }

    bool parts(json::value& v) {
        m_.has_parts |= is_array(v);
        return each_element(v, [this](json::value& element) {
            Part* part = is_object(element) ? m_.parts.next() : nullptr;
            return !part || each_field(element, [this, part](const char* key, json::value& w) {
                return collect_part(key, w, *part);
            });
        });
    }

    bool collect_part(const char* key, json::value& v, Part& part) {
        if (key_is(key, "part_kind"))
            part.kind = raw_string(v);
        else if (key_is(key, "tool_call_id"))
            part.call_id = raw_string(v);
        else if (key_is(key, "tool_name"))
            part.name = raw_string(v);
        else if (key_is(key, "outcome"))
            part.outcome = raw_string(v);
        else if (key_is(key, "signature"))
            part.signature = raw_string(v);
        else if (key_is(key, "timestamp") && m_.timestamp.empty())
            m_.timestamp = raw_string(v);
        else if (key_is(key, "args") && !is_null(v))
            part.args = args_.digest_value({}, v);
        else if (key_is(key, "content"))
            return content(v, part);
        return true;
    }

    // Words; whatever a function returned; words and files of a person.
    static bool content(json::value& v, Part& part) {
        json::object object;
        json::array array;
        std::string_view raw;
        if (is_object(v)) {
            bool media = false;
            if (v.get_object().get(object) || !file_or_words(object, part, media)) return false;
            if (media || !part.text.empty()) return true;
            if (object.reset().error() || object.raw_json().get(raw)) return false;
        } else if (is_array(v)) {
            bool plain = true;
            if (v.get_array().get(array) || !words_and_files(array, part, plain)) return false;
            if (plain) return true;
            part.media = 0;
            if (array.reset().error() || array.raw_json().get(raw)) return false;
        } else {
            part.text = any_text(v);
            return true;
        }
        part.text = {raw, TextForm::json_value};
        return true;
    }

    // Not plain: several words, or what is neither words nor a file.
    static bool words_and_files(json::array array, Part& part, bool& plain) {
        std::size_t words = 0;
        for (auto item : array) {
            json::value element;
            json::object object;
            if (std::move(item).get(element)) return false;
            if (is_string(element)) {
                ++words;
                part.text = text_of(raw_string(element));
            } else if (is_object(element)) {
                bool media = false;
                if (element.get_object().get(object) || !file_or_words(object, part, media)) return false;
                words += !media;
                plain &= media || !part.text.empty();
            } else {
                plain = false;
            }
        }
        plain &= words <= 1;
        return true;
    }

    // Text content with a mark for the program, a mark for a cache, or a file and where it is.
    static bool file_or_words(json::object object, Part& part, bool& media) {
        RawText words;
        std::string_view kind;
        const bool whole = each_field(object, [&](const char* key, json::value& v) {
            if (key_is(key, "kind"))
                kind = raw_string(v);
            else if (key_is(key, "content") && is_string(v))
                words = text_of(raw_string(v));
            return true;
        });
        const bool file = kind == "binary" || kind == "uploaded-file" || kind.ends_with("-url");
        part.media += file;
        media = file || kind == "cache-point";
        if (kind == "text" || kind == "text-content") part.text = words;
        return whole;
    }

    // Cached tokens are a part of the input, under their names of today or those of the provider.
    bool usage(json::value& v) {
        std::uint64_t input = 0, output = 0, read = 0, written = 0, reasoning = 0;
        const auto count = [&](auto&& self, json::value& w) -> bool {
            return each_field(w, [&](const char* key, json::value& n) {
                if (key_is(key, "details")) return self(self, n);
                if (key_is(key, "input_tokens") || key_is(key, "request_tokens"))
                    input = std::max(input, as_uint(n));
                else if (key_is(key, "output_tokens") || key_is(key, "response_tokens"))
                    output = std::max(output, as_uint(n));
                else if (key_is(key, "cache_read_tokens") || key_is(key, "cached_tokens") ||
                         key_is(key, "cache_read_input_tokens") || key_is(key, "cached_content_tokens"))
                    read = std::max(read, as_uint(n));
                else if (key_is(key, "cache_write_tokens") || key_is(key, "cache_creation_input_tokens"))
                    written = std::max(written, as_uint(n));
                else if (key_is(key, "reasoning_tokens") || key_is(key, "thoughts_tokens"))
                    reasoning = as_uint(n);
                return true;
            });
        };
        const bool whole = count(count, v);
        const bool inside = read <= input && written <= input - read;
        m_.tokens = {inside ? input - read - written : input, written, read, output, std::min(reasoning, output)};
        return whole;
    }

    // ---- telling ------------------------------------------------------------------------------------------------

    /// What a message is known by when a later list repeats it.
    std::uint64_t message_key() const {
        std::uint64_t key = mix_hash(stable_hash(m_.kind), stable_hash(m_.timestamp));
        for (const Part& part : m_.parts) {
            key = mix_hash(key, mix_hash(stable_hash(part.kind), stable_hash(part.call_id)));
            key = mix_hash(key, mix_hash(stable_hash(part.text.bytes), part.args.digest.canonical));
        }
        return key;
    }

    // Without its time a first message may as well be another run that was asked the same.
    bool is_repeated() {
        const ToldMessages::Seen seen = told_.look(message_key(), !m_.timestamp.empty());
        if (seen.begins_anew && !goes_on()) open_ = false;
        return seen.repeated;
    }

    bool goes_on() const {
        const IdHash conversation = id_hash(m_.conversation);
        return open_ && conversation != 0 && conversation == conversation_;
    }

    void open() {
        if (std::exchange(open_, true)) return;
        turn_ = 0;
        instructions_ = 0;
        SessionStart start;
        start.session_id = text_of(m_.conversation);
        start.model = text_of(m_.model);
        emit(start);
    }

    LineFate tell() {
        if (is_repeated()) return LineFate::ignored_kind;
        conversation_ = id_hash(m_.conversation);
        const std::int64_t time = time_of(m_.timestamp);
        new_head().time_ms = time;
        open();
        EventHeader& h = new_head(0, turn_);
        h.time_ms = time;
        if (m_.kind == "response")
            response();
        else
            request();
        return LineFate::understood;
    }

    void request() {
        const std::uint64_t instructions = stable_hash(m_.instructions.bytes);
        if (!m_.instructions.empty() && instructions != std::exchange(instructions_, instructions))
            emit(Message{Role::system, Origin::injected, m_.instructions, 0});
        // Beside results a prompt holds what a function wanted to be said with its own.
        const bool by_function = m_.has(Kind::result) || m_.has(Kind::retry);
        bool begun = false;
        for (const Part& part : m_.parts) {
            switch (kind_of(part.kind)) {
                case Kind::system: emit(Message{Role::system, Origin::injected, part.text, 0}); break;
                case Kind::result: result(part); break;
                case Kind::retry: retry(part); break;
                case Kind::user:
                    if (by_function) {
                        emit(Message{Role::user, Origin::injected, part.text, part.media});
                        break;
                    }
                    if (!std::exchange(begun, true)) {
                        head().turn = ++turn_;
                        emit(TurnStart{});
                    }
                    emit(Message{Role::user, Origin::human, part.text, part.media});
                    break;
                default: break;
            }
        }
    }

    void response() {
        head().response = m_.id.empty() ? ++responses_ | std::uint64_t{1} << 63 : id_hash(m_.id);
        for (const Part& part : m_.parts) answer(part);
        if (m_.finish_reason == "error" || m_.finish_reason == "content_filter")
            emit(notice_of(NoticeLayer::provider, NoticeLevel::error, m_.finish_reason, {}));
        if (m_.tokens.total() == 0) return;
        Usage usage;
        usage.tokens = m_.tokens;
        usage.model = text_of(m_.model);
        emit(usage);
    }

    void answer(const Part& part) {
        switch (kind_of(part.kind)) {
            case Kind::thinking:
                if (!part.text.empty() || !part.signature.empty())
                    emit(Thinking{part.text, part.text.empty() ? part.signature.size() : 0});
                break;
            case Kind::text:
                if (!part.text.empty()) emit(Message{Role::assistant, Origin::agent, part.text, 0});
                break;
            case Kind::file: emit(Message{Role::assistant, Origin::agent, {}, std::max(part.media, 1u)}); break;
            case Kind::call:
                if (!part.name.empty()) emit(call_of(part.call_id, part.name, part.args));
                break;
            case Kind::result: result(part); break;  // of a tool that the provider runs
            case Kind::compaction: {
                Compaction c;
                c.trigger = CompactionTrigger::automatic;
                c.summary = part.text;
                emit(c);
                break;
            }
            default: break;
        }
    }

    void result(const Part& part) {
        ToolResult result;
        result.call_id = text_of(part.call_id);
        result.name = text_of(part.name);
        result.text = part.text;
        result.media_count = part.media;
        if (part.outcome == "success")
            result.status = ResultStatus::ok;
        else if (part.outcome == "failed")
            result.status = ResultStatus::error;
        else if (part.outcome == "denied")
            result.status = ResultStatus::denied;
        emit(result);
    }

    // The model is to try again: the call it made failed, or without one its answer was not what was asked for.
    void retry(const Part& part) {
        if (part.name.empty()) {
            emit(Message{Role::user, Origin::injected, part.text, 0});
            return;
        }
        ToolResult result;
        result.call_id = text_of(part.call_id);
        result.name = text_of(part.name);
        result.text = part.text;
        result.status = ResultStatus::error;
        emit(result);
    }

    Turn m_;
    bool open_ = false;
    std::uint32_t turn_ = 0;
    std::uint64_t responses_ = 0, instructions_ = 0;
    IdHash conversation_ = 0;
    ToldMessages told_;
};

bool is_message(const ProbeRecord& r) {
    const std::string_view kind = r.text("kind");
    if (kind != "request" && kind != "response") return false;
    const auto parts = r.raw("parts");
    return parts && parts->find("\"part_kind\"") != parts->npos;
}

bool begins_with_message(const ProbeRecord& r) {
    return std::ranges::any_of(kLists, [&r](std::string_view list) {
        const auto raw = r.raw(list);
        const auto first = raw ? first_of(ProbeRecord(*raw)) : std::nullopt;
        return first && (is_message(*first) || is_message(first->child("message")));
    });
}

Score score(std::span<const ProbeRecord> sample, Framing) {
    constexpr std::array<std::string_view, 4> kWrappers{"state", "result", "data", "session"};
    for (const ProbeRecord& record : sample) {
        const auto inner = first_of(record);
        const ProbeRecord& r = inner ? *inner : record;
        if (!r.is_object()) continue;
        if (is_message(r) || is_message(r.child("message")) || begins_with_message(r)) return 97;
        for (const std::string_view wrapper : kWrappers) {
            if (begins_with_message(r.child(wrapper))) return 97;
        }
    }
    return 0;
}

constexpr std::string_view kStreams[] = {"messages"};

constexpr RecordKindDoc kKinds[] = {
    {"{kind, parts}, one a line or in an array", "one session a file"},
    {"{messages: […]}, {message_history: […]}, an array on a line",
     "one session; what repeats an earlier list or has its conversation_id goes on with it"},
    {"system-prompt, instructions", "Message (system), where they change"},
    {"user-prompt", "TurnStart and Message (human); beside results Message (injected)"},
    {"text, thinking, file", "Message, Thinking"},
    {"tool-call, builtin-tool-call", "ToolCall"},
    {"tool-return, builtin-tool-return", "ToolResult: outcome decides"},
    {"retry-prompt", "ToolResult error; without a tool Message (injected)"},
    {"compaction", "Compaction"},
    {"usage", "Usage, under the names of all versions"},
    {"finish_reason error, content_filter", "Notice (provider)"},
};

}  // namespace

ReaderSpec pydantic_ai() {
    return {"pydantic-ai",
            "Pydantic AI",
            "messages of Pydantic AI: one a line, arrays, documents around them",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::token_usage |
                Signal::timestamps | Signal::response_ids | Signal::reasoning | Signal::compaction,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<PydanticAi>()); },
            kStreams};
}

}  // namespace agent_audit::readers
