#include "readers/all.hpp"
#include "readers/json/array_record.hpp"
#include "readers/json/document_reader.hpp"
#include "readers/json/format_util.hpp"
#include "readers/json/raw_text.hpp"
#include "readers/messages/text_calls.hpp"

#include <agent_audit/support/unescape.hpp>

#include <charconv>
#include <string>

// Training data in the manner of ShareGPT: a conversation a record, in lines or in one array.
//
//   {"conversations":[{"from":"human","value":"…"},{"from":"function_call","value":"{\"name\":…,\"arguments\":…}"},
//     {"from":"observation","value":"…"},{"from":"gpt","value":"…"}],"tools":"[…]","system":"…"}
//
// and its successor with typed values:
//
//   {"messages":[{"role":"assistant","content":[{"type":"reasoning","value":"…"},{"type":"tool_call","value":"{…}"}]},
//     {"role":"tool","content":[{"type":"text","value":"…"}]}],"tools":"[…]"}
//
// Nothing has an id: results answer calls in their order.

namespace agent_audit::readers {
namespace {

struct Part {
    std::string_view type;
    RawText text;
};

enum class Speaker : std::uint8_t { nobody, human, agent, system, call, result };

Speaker speaker_of(std::string_view from) {
    constexpr std::array<std::string_view, 2> kHumans{"human", "user"};
    constexpr std::array<std::string_view, 7> kAgents{"gpt", "assistant", "model", "chatgpt", "bing", "bard", "bot"};
    constexpr std::array<std::string_view, 2> kCalls{"function_call", "tool_call"};
    constexpr std::array<std::string_view, 6> kResults{"observation",       "tool",     "function_response",
                                                       "function-response", "function", "tool_response"};
    if (is_one_of(from, kHumans)) return Speaker::human;
    if (is_one_of(from, kAgents)) return Speaker::agent;
    if (is_one_of(from, kCalls)) return Speaker::call;
    if (is_one_of(from, kResults)) return Speaker::result;
    return from == "system" || from == "developer" ? Speaker::system : Speaker::nobody;
}

bool is_list(const char* key) { return key_is(key, "conversations") || key_is(key, "messages"); }

class ShareGpt final : public DocumentReader {
public:
    ShareGpt() : DocumentReader("conversations") {}

    void use(const CallIdentity& identity) override {
        JsonReader::use(identity);
        inner_args_.use(identity);
    }

protected:
    LineFate read_object(json::object object) override {
        id_ = system_ = tools_ = {};
        bool list = false;
        const bool whole = read_fields(object, [&](const char* key, json::value& v) {
            if (is_list(key))
                list |= is_array(v);
            else if (key_is(key, "id"))
                id_ = raw_string(v);
            else if (key_is(key, "system"))
                system_ = raw_string(v);
            else if (key_is(key, "tools"))
                tools_ = raw_value(v);
            return true;
        });
        if (!whole) return LineFate::malformed_json;
        if (!list) return LineFate::unknown_kind;
        open_ = answering_ = false;
        open_calls_ = 0;
        return conversation(object);
    }

    LineFate read_array(json::array array) override {
        return read_each(array, [this](json::object object) {
            args_.clear();
            return read_object(object);
        });
    }

    LineFate read_element(json::object element) override {
        from_ = {};
        parts_.clear();
        const bool whole = read_fields(element, [this](const char* key, json::value& v) {
            if (key_is(key, "from") || key_is(key, "role"))
                from_ = raw_string(v);
            else if (key_is(key, "value") || key_is(key, "content"))
                return collect(v);
            return true;
        });
        if (!whole) return LineFate::malformed_json;
        if (from_.empty() || parts_.empty()) return LineFate::missing_field;
        open();
        new_head(0, turn_);
        return speak(speaker_of(from_));
    }

private:
    LineFate conversation(json::object object) {
        if (object.reset().error()) return LineFate::malformed_json;
        const std::uint64_t before = emitted();
        LineFate fate = LineFate::understood;
        const bool whole = each_field(object, [&](const char* key, json::value& v) {
            if (!is_list(key) || !is_array(v)) return true;
            fate = stream_array(v);
            return !broke_off(fate);
        });
        new_head(0, turn_);
        close_calls();
        if (fate == LineFate::missing_field || fate == LineFate::unknown_kind) return fate;
        if (whole && alive() && fate == LineFate::understood) return fate;
        return broken_off(before);
    }

    // With the first message: a conversation without one that can be read is none.
    void open() {
        if (std::exchange(open_, true)) return;
        turn_ = 0;
        new_head();
        std::array<char, 24> number{};
        const auto end = std::to_chars(number.data(), number.data() + number.size(), ++conversations_).ptr;
        SessionStart start;
        start.session_id = text_of(id_);
        start.label = plain({number.data(), static_cast<std::size_t>(end - number.data())});
        emit(start);
        if (system_.empty() && tools_.size() <= 2) return;
        ContextChange change;
        change.system_prompt_bytes = system_.size() + tools_.size();
        emit(change);
    }

    // A string, or blocks.
    bool collect(json::value& v) {
        if (is_string(v)) {
            if (Part* part = parts_.next()) *part = {"text", text_of(raw_string(v))};
            return true;
        }
        return each_element(v, [this](json::value& block) {
            Part* part = is_object(block) ? parts_.next() : nullptr;
            return !part || each_field(block, [part](const char* key, json::value& w) {
                if (key_is(key, "type"))
                    part->type = raw_string(w);
                else if (key_is(key, "value") || key_is(key, "text"))
                    part->text = any_text(w);
                return true;
            });
        });
    }

    LineFate speak(Speaker who) {
        if (who != Speaker::result) close_calls();
        switch (who) {
            case Speaker::human: return human();
            case Speaker::agent: return agent();
            case Speaker::result:
                for (const Part& part : parts_) result(part.text);
                return LineFate::understood;
            case Speaker::call:
                respond();
                for (const Part& part : parts_) calls(part.text);
                return LineFate::understood;
            case Speaker::system:
                for (const Part& part : parts_) emit(Message{Role::system, Origin::injected, part.text, 0});
                return LineFate::understood;
            default: return LineFate::unknown_kind;
        }
    }

    LineFate human() {
        head().turn = ++turn_;
        emit(TurnStart{});
        for (const Part& part : parts_) emit(Message{Role::user, Origin::human, part.text, 0});
        return LineFate::understood;
    }

    LineFate agent() {
        respond();
        for (const Part& part : parts_) {
            if (part.type == "reasoning" || part.type == "thinking") {
                emit(Thinking{part.text, 0});
            } else if (part.type == "tool_call" || part.type == "function_call") {
                calls(part.text);
            } else if (!part.text.empty()) {
                emit(Message{Role::assistant, Origin::agent, part.text, 0});
                if (part.text.bytes.find("<tool_call>") != std::string_view::npos) tagged_calls(part.text);
            }
        }
        return LineFate::understood;
    }

    void respond() { head().response = ++responses_ | std::uint64_t{1} << 63; }

    // ---- calls ------------------------------------------------------------------------------------------

    // {"name":…,"arguments":…} or a list of such, as text or as it is.
    void calls(RawText text) {
        padded_ = decoded(text, kLongestText);
        if (!structured_calls()) {
            ToolCall call;
            call.name = plain("function_call");
            call.args = call.primary = text;
            call.digest = inner_args_.digest_text(call.name.bytes, text).digest;
            emit_call(call);
        }
    }

    void tagged_calls(RawText text) {
        for (const TextCall& call : calls_in(decoded(text, kLongestText))) {
            if (call.form != TextCall::Form::tagged || !call.json) continue;
            padded_ = call.args;
            structured_calls();
        }
    }

    /// Reads `padded_`. False when it holds no calls.
    bool structured_calls() {
        inner_args_.clear();
        json::document doc;
        if (!parse(doc)) return false;
        bool any = false;
        json::object object;
        json::array array;
        if (padded_[padded_.find_first_not_of(" \t\r\n")] == '[') {
            if (doc.get_array().get(array)) return false;
            for (auto item : array) {
                json::value element;
                if (std::move(item).get(element) || !is_object(element) || element.get_object().get(object)) break;
                if (!one_call(object)) break;
                any = true;
            }
        } else if (!doc.get_object().get(object)) {
            any = one_call(object);
        }
        return any;
    }

    bool parse(json::document& doc) {
        const std::size_t size = padded_.size();
        if (padded_.find_first_of("{[") != padded_.find_first_not_of(" \t\r\n") || size == 0) return false;
        padded_.append(kRecordPadding, ' ');
        return padded_.find_first_not_of(" \t\r\n") < size &&
               !inner_.iterate(padded_.data(), size, padded_.size()).get(doc);
    }

    bool one_call(json::object object) {
        std::string_view name;
        CallArgs args;
        const bool whole = each_field(object, [&](const char* key, json::value& v) {
            if (key_is(key, "name"))
                name = raw_string(v);
            else if ((key_is(key, "arguments") || key_is(key, "parameters")) && !is_null(v))
                args = inner_args_.digest_value({}, v);
            return true;
        });
        if (!whole || name.empty()) return false;
        emit_call(call_of({}, name, args));
        return true;
    }

    void emit_call(const ToolCall& call) {
        ++open_calls_;
        emit(call);
    }

    // ---- results ----------------------------------------------------------------------------------------

    void result(RawText text) {
        answering_ = true;
        if (text.bytes.find("<tool_response>") != std::string_view::npos) {
            const std::string whole = decoded(text, kLongestText);
            const auto answers = answers_in("tool", whole, TextCall::Form::tagged);
            for (const std::string_view answer : answers) emit_result(returned(answer), false);
            if (!answers.empty()) return;
        }
        if (open_calls_ > 1 && several_results(text)) return;
        emit_result(text, false);
    }

    // {"tool_call_id":"…","name":"…","content":…}: the id is another one every time, the content is what was returned.
    RawText returned(std::string_view answer) {
        constexpr std::size_t kHead = 256;
        if (answer.substr(0, kHead).find("\"tool_call_id\"") == answer.npos) return plain(answer);
        padded_ = answer;
        json::document doc;
        json::object object;
        RawText content;
        bool found = false;
        const bool whole = parse(doc) && !doc.get_object().get(object) &&
                           each_field(object, [&content, &found](const char* key, json::value& v) {
                               if (!key_is(key, "content")) return true;
                               content = any_text(v);
                               return found = true;
                           });
        return whole && found ? content : plain(answer);
    }

    // One list with an entry for each of the calls.
    bool several_results(RawText text) {
        const auto first = text.bytes.find_first_not_of(" \t\r\n");
        if (first == std::string_view::npos || text.bytes[first] != '[') return false;
        padded_ = decoded(text, kLongestText);
        json::document doc;
        json::array array;
        std::size_t count = 0;
        if (!parse(doc) || doc.get_array().get(array) || array.count_elements().get(count) || count != open_calls_)
            return false;
        for (auto item : array) {
            json::value element;
            if (std::move(item).get(element)) break;
            emit_result(is_object(element) ? text_inside(element) : any_text(element), false);
        }
        return true;
    }

    static RawText text_inside(json::value& v) {
        json::object object;
        std::string_view raw;
        RawText content;
        if (v.get_object().get(object) || object.raw_json().get(raw) || object.reset().error()) return {};
        const bool whole = each_field(object, [&content](const char* key, json::value& w) {
            if (key_is(key, "content")) content = any_text(w);
            return true;
        });
        return whole && !content.empty() ? content : RawText{raw, TextForm::json_value};
    }

    void emit_result(RawText text, bool opaque) {
        if (open_calls_ > 0) --open_calls_;
        ToolResult result;
        result.text = text;
        result.opaque = opaque;
        emit(result);
    }

    // One text stood for the results of several calls: the others have theirs in it.
    void close_calls() {
        if (answering_) {
            head().flags |= kSynthetic;
            while (open_calls_ > 0) emit_result({}, true);
            head().flags &= static_cast<std::uint16_t>(~kSynthetic);
        }
        answering_ = false;
        open_calls_ = 0;
    }

    // No call is longer.
    static constexpr std::size_t kLongestText = 4u << 20;

    std::string_view from_, id_, system_, tools_;
    Reused<Part> parts_;
    std::string padded_;
    json::parser inner_;
    ArgsDigester inner_args_;
    std::size_t open_calls_ = 0;
    bool open_ = false, answering_ = false;
    std::uint32_t turn_ = 0;
    std::uint64_t conversations_ = 0, responses_ = 0;
};

// ---- detection ------------------------------------------------------------------------------------------

bool has_token(std::string_view raw, std::string_view quoted) { return raw.find(quoted) != raw.npos; }

// The first block that has a type keeps its text in a "value".
bool has_typed_values(std::string_view messages) {
    if (!has_token(messages, "\"value\"")) return false;
    json::document doc;
    json::array list;
    if (record_parser(messages.size())
            .iterate(messages.data(), messages.size(), messages.size() + kRecordPadding)
            .get(doc) ||
        doc.get_array().get(list)) {
        return false;
    }
    bool typed = false, value = false;
    for (auto item : list) {
        json::value message;
        if (std::move(item).get(message)) break;
        const bool whole = each_field(message, [&](const char* key, json::value& v) {
            if (!key_is(key, "content")) return true;
            return each_element(v, [&](json::value& block) {
                return each_field(block, [&](const char* k, json::value&) {
                    typed |= key_is(k, "type");
                    value |= key_is(k, "value");
                    return true;
                });
            });
        });
        if (!whole || typed) break;
    }
    return typed && value;
}

Score score(std::span<const ProbeRecord> sample, Framing) {
    Score best = 0;
    for (const ProbeRecord& record : sample) {
        const auto inner = first_of(record);
        const ProbeRecord& r = inner ? *inner : record;
        const auto talk = r.raw("conversations");
        if (talk && talk->starts_with('[')) {
            if (has_token(*talk, "\"from\"") && has_token(*talk, "\"value\"")) return 95;
            if (has_token(*talk, "\"role\"") && has_token(*talk, "\"content\"")) best = 85;
        }
        const auto messages = r.raw("messages");
        if (messages && messages->starts_with('[')) {
            if (has_token(*messages, "\"from\"") && has_token(*messages, "\"value\"") &&
                !has_token(*messages, "\"role\""))
                return 90;
            if (has_typed_values(*messages)) return 90;
        }
    }
    return best;
}

constexpr RecordKindDoc kKinds[] = {
    {"{conversations, tools, system}, {messages, tools}",
     "one session a record, numbered; ContextChange (size of tools and system prompt)"},
    {"human, user", "TurnStart and Message (human)"},
    {"gpt, assistant", "Message, Thinking (reasoning) and ToolCall (tool_call, or tags in the text)"},
    {"function_call, tool_call", "ToolCall, or several of a list"},
    {"observation, tool", "ToolResult, in the order of the calls; a list with one entry a call is one each"},
    {"system", "Message (system)"},
};

}  // namespace

ReaderSpec sharegpt() {
    return {"sharegpt",
            "ShareGPT",
            "training data with from and value, or with typed values",
            Signal::tool_calls | Signal::tool_results | Signal::response_ids,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<ShareGpt>()); }};
}

}  // namespace agent_audit::readers
