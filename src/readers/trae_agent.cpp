#include "readers/all.hpp"
#include "readers/json/document_reader.hpp"
#include "readers/json/format_util.hpp"

#include <algorithm>
#include <string>
#include <utility>

// Trajectories of Trae Agent, one document a run:
//
//   {"task":"…","start_time":"…","end_time":"…","provider":"anthropic","model":"…","max_steps":20,
//    "llm_interactions":[{"timestamp":"…","input_messages":[{"role":"system","content":"…"},{"role":"user","content":"…"},
//                           {"role":"user","tool_result":{"call_id":"…","success":true,"result":"…","error":null}}],
//                         "response":{"content":"…","usage":{"input_tokens":1,"output_tokens":2,…},
//                                     "tool_calls":[{"call_id":"…","name":"…","arguments":{…}}]}}],
//    "agent_steps":[{"tool_results":[…],"error":null}],"success":true,"final_result":"…"}
//
// The input of a request is what came since the one before. What the last calls returned went into no request any more
// and stands in the last step alone.

namespace agent_audit::readers {
namespace {

struct Returned {
    std::string_view call_id;
    RawText result, error;
    bool has_flag = false, failed = false;
};

struct Sent {
    std::string_view role;
    RawText text;
    Returned returned;
    bool is_result = false, is_call = false;
};

struct Asked {
    std::string_view id, name;
    CallArgs args;
};

struct Interaction {
    std::string_view timestamp, model;
    RawText answer;
    Reused<Sent> input;
    Reused<Asked> calls;
    TokenCounts tokens;
    bool has_input = false, has_response = false;

    void clear() { begin_again(*this, &Interaction::input, &Interaction::calls); }
};

struct Document {
    std::string_view task, model, provider, start_time, end_time;
    RawText outcome, error;      // of the run, of its last step
    Reused<Returned, 256> last;  // results of the last step
    bool has_interactions = false, success = false;

    void clear() { begin_again(*this, &Document::last); }
};

// The folder a task is about is told in front of it.
std::string_view folder_of(std::string_view opening) {
    constexpr std::string_view kMark = "[Project root path]:\\n";
    const std::size_t at = opening.find(kMark);
    if (at == opening.npos) return {};
    opening.remove_prefix(at + kMark.size());
    return opening.substr(0, opening.find("\\n"));
}

class TraeAgent final : public DocumentReader {
public:
    TraeAgent() : DocumentReader("llm_interactions") {}

protected:
    LineFate read_object(json::object object) override {
        doc_.clear();
        if (!read_fields<&TraeAgent::collect_field>(object)) return LineFate::malformed_json;
        if (!doc_.has_interactions) return LineFate::unknown_kind;
        open_ = false;
        return stream_records(object);
    }

    bool read_rest(json::object fields) override { return read_fields<&TraeAgent::collect_field>(fields); }

    LineFate read_element(json::object element) override {
        it_.clear();
        if (!read_fields<&TraeAgent::collect_interaction>(element)) return LineFate::malformed_json;
        if (!it_.has_input && !it_.has_response) return LineFate::missing_field;
        new_head().time_ms = time_of(doc_.start_time);
        open();
        new_head(0, turn_);  // only the time of the answer is recorded
        input();
        head().time_ms = time_of(it_.timestamp);
        if (it_.has_response) response();
        return LineFate::understood;
    }

    LineFate end_document(json::object) override {
        if (!open_) return LineFate::understood;
        open_ = false;
        new_head(0, turn_).time_ms = time_of(doc_.end_time);
        for (const Returned& returned : std::span(doc_.last.begin(), doc_.last.size())) {
            if (!returned.call_id.empty()) result(returned);
        }
        if (!doc_.error.empty()) emit(notice_of(NoticeLayer::harness, NoticeLevel::error, "step-error", doc_.error));
        if (doc_.end_time.empty()) return LineFate::understood;  // it was not seen to end
        if (!doc_.success && doc_.error.empty())
            emit(notice_of(NoticeLayer::harness, NoticeLevel::warning, "no-success", doc_.outcome));
        emit(TurnEnd{doc_.success ? TurnStatus::completed : TurnStatus::failed, -1});
        return LineFate::understood;
    }

private:
    bool collect_field(const char* key, json::value& v) {
        if (key_is(key, "llm_interactions"))
            doc_.has_interactions = is_array(v);
        else if (key_is(key, "task"))
            doc_.task = raw_string(v);
        else if (key_is(key, "model"))
            doc_.model = raw_string(v);
        else if (key_is(key, "provider"))
            doc_.provider = raw_string(v);
        else if (key_is(key, "start_time"))
            doc_.start_time = raw_string(v);
        else if (key_is(key, "end_time"))
            doc_.end_time = raw_string(v);
        else if (key_is(key, "success"))
            doc_.success = is_true(v);
        else if (key_is(key, "final_result"))
            doc_.outcome = any_text(v);
        else if (key_is(key, "agent_steps"))
            return each_element(v, [this](json::value& step) { return collect_step(step); });
        return true;
    }

    bool collect_step(json::value& v) {
        doc_.last.clear();
        doc_.error = {};
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "error")) doc_.error = any_text(w);
            if (!key_is(key, "tool_results")) return true;
            return each_element(w, [this](json::value& returned) {
                Returned* next = is_object(returned) ? doc_.last.next() : nullptr;
                return !next || collect_returned(returned, *next);
            });
        });
    }

    static bool collect_returned(json::value& v, Returned& returned) {
        return each_field(v, [&returned](const char* key, json::value& w) {
            if (key_is(key, "call_id"))
                returned.call_id = raw_string(w);
            else if (key_is(key, "result"))
                returned.result = any_text(w);
            else if (key_is(key, "error"))
                returned.error = any_text(w);
            else if (key_is(key, "success")) {
                returned.failed = w.raw_json_token()[0] == 'f';
                returned.has_flag = returned.failed || is_true(w);
            }
            return true;
        });
    }

    bool collect_interaction(const char* key, json::value& v) {
        if (key_is(key, "timestamp"))
            it_.timestamp = raw_string(v);
        else if (key_is(key, "model"))
            it_.model = raw_string(v);
        else if (key_is(key, "input_messages")) {
            it_.has_input = is_array(v);
            return each_element(v, [this](json::value& message) { return collect_message(message); });
        } else if (key_is(key, "response")) {
            it_.has_response = is_object(v);
            return each_field(v, [this](const char* k, json::value& w) { return collect_response(k, w); });
        }
        return true;
    }

    bool collect_message(json::value& v) {
        Sent* sent = is_object(v) ? it_.input.next() : nullptr;
        return !sent || each_field(v, [sent](const char* key, json::value& w) {
            if (key_is(key, "role"))
                sent->role = raw_string(w);
            else if (key_is(key, "content"))
                sent->text = any_text(w);
            else if (key_is(key, "tool_call"))
                sent->is_call = is_object(w);
            else if (key_is(key, "tool_result") && is_object(w)) {
                sent->is_result = true;
                return collect_returned(w, sent->returned);
            }
            return true;
        });
    }

    bool collect_response(const char* key, json::value& v) {
        if (key_is(key, "content"))
            it_.answer = any_text(v);
        else if (key_is(key, "usage"))
            return each_field(v, [this](const char* k, json::value& w) {
                if (key_is(k, "input_tokens"))
                    it_.tokens.input = as_uint(w);
                else if (key_is(k, "output_tokens"))
                    it_.tokens.output = as_uint(w);
                else if (key_is(k, "cache_creation_input_tokens"))
                    it_.tokens.cache_write = as_uint(w);
                else if (key_is(k, "cache_read_input_tokens"))
                    it_.tokens.cache_read = as_uint(w);
                else if (key_is(k, "reasoning_tokens"))
                    it_.tokens.reasoning = as_uint(w);
                return true;
            });
        else if (key_is(key, "tool_calls"))
            return each_element(v, [this](json::value& element) {
                Asked* call = is_object(element) ? it_.calls.next() : nullptr;
                return !call || each_field(element, [this, call](const char* k, json::value& w) {
                    if (key_is(k, "call_id"))
                        call->id = raw_string(w);
                    else if (key_is(k, "name"))
                        call->name = raw_string(w);
                    else if (key_is(k, "arguments") && !is_null(w))
                        call->args = args_.digest_value({}, w);
                    return true;
                });
            });
        return true;
    }

    void open() {
        if (std::exchange(open_, true)) return;
        turn_ = 0;
        begun_ = false;
        answered_.clear();
        model_ = id_hash(doc_.model);
        SessionStart start;
        start.model = text_of(doc_.model);
        for (const Sent& sent : std::span(it_.input.begin(), it_.input.size())) {
            if (sent.role == "user" && start.cwd.empty()) start.cwd = text_of(folder_of(sent.text.bytes));
        }
        emit(start);
    }

    // Should an input begin from the beginning again, what is new in it stands behind the last answer.
    void input() {
        std::size_t first = 0;
        if (begun_ && !it_.input.empty() && it_.input[0].role == "system") {
            for (std::size_t i = 0; i < it_.input.size(); ++i)
                first = it_.input[i].role == "assistant" || it_.input[i].is_call ? i + 1 : first;
        }
        for (std::size_t i = first; i < it_.input.size(); ++i) {
            const Sent& sent = it_.input[i];
            if (sent.is_result)
                result(sent.returned);
            else if (!sent.is_call)
                told(sent);
        }
        begun_ = true;
    }

    // After the task nobody speaks but the program, even in the name of the model.
    void told(const Sent& sent) {
        if (sent.text.empty()) return;
        if (sent.role == "user" && turn_ == 0) return task(sent.text);
        const Role role = sent.role == "system"      ? Role::system
                          : sent.role == "assistant" ? Role::assistant
                                                     : Role::user;
        emit(Message{role, Origin::injected, sent.text, 0});
    }

    // The program writes something in front of what a person asked for.
    void task(RawText text) {
        head().turn = turn_ = 1;
        emit(TurnStart{});
        const std::size_t at = doc_.task.empty() ? text.bytes.npos : text.bytes.find(doc_.task);
        if (at != text.bytes.npos) {
            if (at > 0) emit(Message{Role::user, Origin::injected, text_of(text.bytes.substr(0, at)), 0});
            text = text_of(doc_.task);
        }
        emit(Message{Role::user, Origin::human, text, 0});
    }

    void response() {
        if (const IdHash model = id_hash(it_.model); model != 0 && model != std::exchange(model_, model)) {
            ContextChange change;
            change.model = text_of(it_.model);
            emit(change);
        }
        head().response = ++responses_ | std::uint64_t{1} << 63;
        if (!it_.answer.empty()) emit(Message{Role::assistant, Origin::agent, it_.answer, 0});
        for (const Asked& call : std::span(it_.calls.begin(), it_.calls.size())) {
            if (!call.name.empty()) emit(call_of(call.id, call.name, call.args));
        }
        if (it_.tokens.total() == 0) return;
        Usage usage;
        usage.tokens = it_.tokens;
        // Anthropic counts what was cached beside the input, the others inside it.
        const std::uint64_t cached = it_.tokens.cache_read + it_.tokens.cache_write;
        if (doc_.provider != "anthropic" && cached <= it_.tokens.input) usage.tokens.input -= cached;
        emit(usage);
    }

    // Of a command that wrote to both, both are sent.
    void result(const Returned& returned) {
        const IdHash id = id_hash(returned.call_id);
        if (answered_.has(id)) return;
        answered_.add(id);
        ToolResult result;
        result.call_id = text_of(returned.call_id);
        result.text = returned.result.empty() ? returned.error : returned.result;
        if (!returned.result.empty() && !returned.error.empty() && returned.result.form == returned.error.form) {
            both_.assign(returned.result.bytes).append("\\n").append(returned.error.bytes);
            result.text.bytes = both_;
        }
        if (returned.has_flag) result.status = returned.failed ? ResultStatus::error : ResultStatus::ok;
        emit(result);
    }

    Document doc_;
    Interaction it_;
    RecentIds answered_;
    bool open_ = false, begun_ = false;
    std::uint32_t turn_ = 0;
    std::uint64_t responses_ = 0;
    IdHash model_ = 0;
    std::string both_;
};

Score score(std::span<const ProbeRecord> sample, Framing) {
    for (const ProbeRecord& r : sample) {
        if (!r.is_object()) continue;
        const auto interactions = r.raw("llm_interactions");
        if (interactions && interactions->starts_with('[') &&
            (r.has("agent_steps") || interactions->find("\"input_messages\"") != interactions->npos))
            return 99;
    }
    return 0;
}

constexpr std::string_view kStreams[] = {"llm_interactions"};

constexpr RecordKindDoc kKinds[] = {
    {"input_messages, the first from a user",
     "TurnStart, Message (human): the task; what the program writes in front of it (injected)"},
    {"input_messages, later ones", "Message (injected), also in the name of the model"},
    {"input_messages, tool_result", "ToolResult: success decides"},
    {"response", "Message, ToolCall, Usage"},
    {"agent_steps, the last one", "ToolResult of calls no request was told of; Notice (its error)"},
    {"success, final_result", "TurnEnd of a run that was seen to end; Notice where it had no success"},
};

}  // namespace

ReaderSpec trae_agent() {
    return {"trae-agent",
            "Trae Agent",
            "trajectories (trajectory_*.json)",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::token_usage |
                Signal::timestamps | Signal::response_ids,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<TraeAgent>()); },
            kStreams};
}

}  // namespace agent_audit::readers
