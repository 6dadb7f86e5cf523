#include "readers/all.hpp"
#include "readers/json/array_record.hpp"
#include "readers/json/document_reader.hpp"
#include "readers/json/format_util.hpp"
#include "readers/messages/text_call_args.hpp"
#include "readers/traces/trace_messages.hpp"

#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <string>

// Runs of tau-bench, an array of them:
//
//   [{"task_id":3,"trial":0,"reward":1.0,"info":{…},"traj":[{"role":"user","content":"…"},
//     {"role":"assistant","content":null,"tool_calls":[{"id":"…","function":{"name":"…","arguments":"{…}"}}]},
//     {"role":"tool","tool_call_id":"…","name":"…","content":"Error: …"}]}, …]
//
// whose agents may act in words, and hear of it as if somebody had said it:
//
//     {"role":"assistant","content":"Thought:\n…\nAction:\n{\"name\":\"…\",\"arguments\":{…}}"},
//     {"role":"user","content":"API output: …"}
//
// and of tau2, a document:
//
//   {"info":{"agent_info":{"llm":"…"}},"simulations":[{"id":"…","task_id":"3","trial":0,"termination_reason":"…",
//     "messages":[{"role":"assistant","tool_calls":[{"id":"…","name":"…","arguments":{…}}],"usage":{…},"cost":0.01},
//     {"role":"tool","id":"…","content":"…","error":false}]}]}
//
// A call by voice has no messages: what was said comes in pieces of a fraction of a second.
//
//     "ticks":[{"tick_id":0,"timestamp":"…","agent_chunk":{"content":"He"},"user_chunk":{"content":""},
//       "agent_tool_calls":[…],"agent_tool_results":[…],"user_tool_calls":[],"user_tool_results":[]}]

namespace agent_audit::readers {
namespace {

struct Call {
    std::string_view id, name;
    CallArgs args;
};

struct Turn {
    std::string_view role, id, call_id, name, requestor, timestamp, model;
    Content content;
    Reused<Call> calls;
    TokenCounts tokens;
    std::uint64_t cached = 0, cache_written = 0;
    double cost = 0;
    bool has_error_flag = false, is_error = false;

    void clear() { begin_again(*this, &Turn::calls); }
};

struct Run {
    std::string_view id, task, trial, termination, timestamp;
    RawText error;
    bool has_messages = false;
};

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
    return trim_blank(text);
}

class TauBench final : public DocumentReader {
public:
    TauBench() : DocumentReader("simulations") {}

protected:
    LineFate read_object(json::object object) override {
        bool simulations = false;
        model_ = {};
        const bool whole = read_fields(object, [&](const char* key, json::value& v) {
            if (key_is(key, "simulations"))
                simulations = is_array(v);
            else if (key_is(key, "info"))
                return find_model(v);
            return true;
        });
        if (!whole) return LineFate::malformed_json;
        if (simulations) return stream_records(object);
        return object.reset().error() ? LineFate::malformed_json : run(object);
    }

    LineFate read_array(json::array array) override {
        model_ = {};
        return read_each(array, [this](json::object object) {
            args_.clear();
            return run(object);
        });
    }

    LineFate read_element(json::object element) override { return run(element); }

private:
    bool find_model(json::value& info) {
        return each_field(info, [this](const char* key, json::value& v) {
            if (!key_is(key, "agent_info")) return true;
            return each_field(v, [this](const char* k, json::value& w) {
                if (key_is(k, "llm")) model_ = raw_string(w);
                return true;
            });
        });
    }

    static bool is_messages(const char* key) { return key_is(key, "traj") || key_is(key, "messages"); }

    // A run is a session.
    LineFate run(json::object object) {
        run_ = Run{};
        const bool whole = read_fields(object, [this](const char* key, json::value& v) {
            if (is_messages(key) || key_is(key, "ticks"))
                run_.has_messages |= is_array(v);
            else if (key_is(key, "id"))
                run_.id = raw_string(v);
            else if (key_is(key, "task_id"))
                run_.task = word(v);
            else if (key_is(key, "trial"))
                run_.trial = word(v);
            else if (key_is(key, "termination_reason"))
                run_.termination = raw_string(v);
            else if (key_is(key, "start_time"))
                run_.timestamp = raw_string(v);
            else if (key_is(key, "info"))
                return each_field(v, [this](const char* k, json::value& w) {
                    if (key_is(k, "error")) run_.error = any_text(w);
                    return true;
                });
            return true;
        });
        if (!whole) return LineFate::malformed_json;
        if (!run_.has_messages) return run_.task.empty() ? LineFate::unknown_kind : LineFate::missing_field;
        return play(object);
    }

    // Messages are counted through all runs, but within a line of a log that line is the place.
    LineFate play(json::object object) {
        if (object.reset().error()) return LineFate::malformed_json;
        const std::uint64_t before = emitted();
        open_ = false;
        std::size_t good = 0, bad = 0;
        said_by_user_.clear();
        said_by_agent_.clear();
        const bool whole = read_fields(object, [&](const char* key, json::value& v) {
            const bool ticks = key_is(key, "ticks") && good + bad == 0;
            return (!is_messages(key) && !ticks) || each_element(v, [&](json::value& element) {
                       json::object inner;
                       args_.clear();
                       place_message(element.raw_json_token().data());
                       if (is_object(element) && element.get_object().get(inner)) return false;
                       const LineFate fate = !is_object(element) ? LineFate::unknown_kind
                                             : ticks             ? tick(inner)
                                                                 : message(inner);
                       ++(fate == LineFate::understood ? good : bad);
                       return fate != LineFate::malformed_json;
                   });
        });
        if (!whole) return broken_off(before);
        if (good == 0 && bad > 0) return LineFate::missing_field;
        new_head();
        open();
        tell_user();
        tell_agent();
        new_head();
        head().turn = turn_;
        if (bad > 0) {
            emit(notice_of(NoticeLayer::reader, NoticeLevel::warning, "unreadable-elements",
                           plain("messages of an unknown kind, or without a needed field, were left out")));
        }
        end();
        return LineFate::understood;
    }

    void place_message(const char* start) {
        if (!record().counted) return;
        SourceSpan where = record().where;
        where.line = ++messages_;
        where.offset += offset_of(start);
        where.length = 0;
        set_place(where);
    }

    // ---- calls by voice -----------------------------------------------------------------------------------

    LineFate tick(json::object object) {
        m_.clear();
        user_calls_.clear();
        std::string_view agent, user;
        const auto content_into = [](std::string_view& into, json::value& v) {
            return each_field(v, [&into](const char* key, json::value& w) {
                if (key_is(key, "content")) into = raw_string(w);
                return true;
            });
        };
        const bool whole = read_fields(object, [&](const char* key, json::value& v) {
            if (key_is(key, "timestamp")) m_.timestamp = raw_string(v);
            if (key_is(key, "agent_chunk")) return content_into(agent, v);
            if (key_is(key, "user_chunk")) return content_into(user, v);
            if (key_is(key, "agent_tool_calls"))
                return each_element(v, [this](json::value& call) { return collect_call(call, m_.calls); });
            if (key_is(key, "user_tool_calls"))
                return each_element(v, [this](json::value& call) { return collect_call(call, user_calls_); });
            return true;
        });
        if (!whole) return LineFate::malformed_json;
        new_head();
        open();
        time_ = time_of(m_.timestamp);
        hear(agent, user);
        act_in_tick();
        return object.reset().error() ? LineFate::malformed_json : results_of_tick(object);
    }

    /// Who begins to speak ends what the other one said.
    void hear(std::string_view agent, std::string_view user) {
        constexpr std::size_t kLongest = 256u << 10;
        if (!user.empty() && said_by_user_.empty()) tell_agent();
        if (!agent.empty() && user.empty()) tell_user();
        if (said_by_user_.size() < kLongest) said_by_user_ += user;
        if (said_by_agent_.size() < kLongest) said_by_agent_ += agent;
    }

    void act_in_tick() {
        if (m_.calls.empty() && user_calls_.empty()) return;
        tell_user();
        tell_agent();
        new_head(0, turn_).time_ms = time_;
        emit_calls(user_calls_, Caller::user);
        head().response = ++responses_ | std::uint64_t{1} << 63;
        emit_calls(m_.calls, Caller::model);
    }

    LineFate results_of_tick(json::object object) {
        const auto one = [this](json::value& v) {
            json::object inner;
            if (!is_object(v)) return true;
            return !v.get_object().get(inner) && message(inner) != LineFate::malformed_json;
        };
        const bool whole = each_field(object, [&one](const char* key, json::value& v) {
            return (!key_is(key, "agent_tool_results") && !key_is(key, "user_tool_results")) || each_element(v, one);
        });
        return whole && alive() ? LineFate::understood : LineFate::malformed_json;
    }

    void tell_user() {
        if (said_by_user_.empty()) return;
        new_head(0, ++turn_).time_ms = time_;
        emit(TurnStart{});
        emit(Message{Role::user, Origin::human, text_of(said_by_user_), 0});
        said_by_user_.clear();
    }

    void tell_agent() {
        if (said_by_agent_.empty()) return;
        EventHeader& h = new_head(0, turn_);
        h.time_ms = time_;
        h.response = ++responses_ | std::uint64_t{1} << 63;
        emit(Message{Role::assistant, Origin::agent, text_of(said_by_agent_), 0});
        said_by_agent_.clear();
    }

    // ---- messages -----------------------------------------------------------------------------------------

    /// A string, or a number as it stands.
    static std::string_view word(json::value& v) {
        if (is_string(v)) return raw_string(v);
        return is_object(v) || is_array(v) || is_null(v) ? std::string_view{} : token(v);
    }

    // With the first message: a run without one that can be read is none.
    void open() {
        if (std::exchange(open_, true)) return;
        turn_ = 0;
        acting_ = false;
        label_.clear();
        if (!run_.task.empty()) label_ = "task ";
        label_ += run_.task.substr(0, kLongestLabel);
        if (!run_.trial.empty()) {
            label_ += " trial ";
            label_ += run_.trial.substr(0, kLongestLabel);
        }
        head().time_ms = time_of(run_.timestamp);
        SessionStart start;
        start.session_id = text_of(run_.id);
        start.model = text_of(model_);
        start.label = text_of(label_);
        emit(start);
    }

    void end() {
        if (!run_.error.empty()) {
            emit(notice_of(NoticeLayer::harness, NoticeLevel::error, "error", run_.error));
            emit(TurnEnd{TurnStatus::failed, -1});
        } else if (!run_.termination.empty()) {
            const bool stopped = run_.termination == "user_stop" || run_.termination == "agent_stop";
            emit(TurnEnd{stopped ? TurnStatus::completed : TurnStatus::failed, -1});
        }
    }

    LineFate message(json::object element) {
        m_.clear();
        if (!read_fields<&TauBench::collect>(element)) return LineFate::malformed_json;
        if (m_.role.empty()) return LineFate::missing_field;
        new_head();
        open();
        EventHeader& h = new_head(0, turn_);
        h.time_ms = time_of(m_.timestamp);
        if (m_.role == "user") return acting_ && is_output() ? output() : user();
        if (m_.role == "assistant") return assistant();
        if (m_.role == "tool") return result();
        if (m_.role != "system") return LineFate::unknown_kind;
        emit(Message{Role::system, Origin::injected, m_.content.text, 0});
        return LineFate::understood;
    }

    bool collect(const char* key, json::value& v) {
        switch (key[0]) {
            case 'c':
                if (key_is(key, "content"))
                    m_.content = read_content(v);
                else if (key_is(key, "cost"))
                    m_.cost = number_or(v, 0);
                break;
            case 'e':
                if (key_is(key, "error")) {
                    m_.is_error = is_true(v);
                    m_.has_error_flag = m_.is_error || v.raw_json_token()[0] == 'f';
                }
                break;
            case 'i':
                if (key_is(key, "id")) m_.id = raw_string(v);
                break;
            case 'n':
                if (key_is(key, "name")) m_.name = raw_string(v);
                break;
            case 'r':
                if (key_is(key, "role"))
                    m_.role = raw_string(v);
                else if (key_is(key, "raw_data"))
                    return collect_raw(v);
                break;
            case 't':
                if (key_is(key, "tool_call_id"))
                    m_.call_id = raw_string(v);
                else if (key_is(key, "timestamp"))
                    m_.timestamp = raw_string(v);
                else if (key_is(key, "tool_calls"))
                    return each_element(v, [this](json::value& call) { return collect_call(call, m_.calls); });
                break;
            case 'u':
                if (key_is(key, "usage")) return collect_usage(v);
                break;
            default: break;
        }
        return true;
    }

    bool collect_call(json::value& v, Reused<Call>& calls) {
        Call* call = is_object(v) ? calls.next() : nullptr;
        return !call || each_field(v, [&](const char* key, json::value& w) {
            if (key_is(key, "function"))
                return each_field(w, [&](const char* k, json::value& x) { return part(k, x, *call); });
            return part(key, w, *call);
        });
    }

    bool part(const char* key, json::value& v, Call& call) {
        if (key_is(key, "id"))
            call.id = raw_string(v);
        else if (key_is(key, "name"))
            call.name = raw_string(v);
        else if (key_is(key, "arguments") && !is_null(v))
            call.args = args_.digest_value({}, v);
        return true;
    }

    bool collect_usage(json::value& v) {
        return each_field(v, [this](const char* key, json::value& n) {
            if (key_is(key, "prompt_tokens"))
                m_.tokens.input = as_uint(n);
            else if (key_is(key, "completion_tokens"))
                m_.tokens.output = as_uint(n);
            return true;
        });
    }

    // What the provider answered: the model that a run of its own does not name, and what of the prompt was cached.
    bool collect_raw(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "model"))
                m_.model = raw_string(w);
            else if (key_is(key, "usage"))
                return collect_cached(w);
            return true;
        });
    }

    bool collect_cached(json::value& v) {
        return each_field(v, [this](const char* key, json::value& n) {
            if (key_is(key, "prompt_tokens_details")) return collect_cached(n);
            if (key_is(key, "cached_tokens") || key_is(key, "cache_read_input_tokens"))
                m_.cached = std::max(m_.cached, as_uint(n));
            else if (key_is(key, "cache_creation_tokens") || key_is(key, "cache_creation_input_tokens"))
                m_.cache_written = std::max(m_.cache_written, as_uint(n));
            return true;
        });
    }

    // Cached tokens are a part of the prompt's.
    TokenCounts tokens() const {
        TokenCounts t = m_.tokens;
        if (m_.cached > t.input || m_.cache_written > t.input - m_.cached) return t;
        t.input -= m_.cached + m_.cache_written;
        t.cache_read = m_.cached;
        t.cache_write = m_.cache_written;
        return t;
    }

    // ---- acting in words ----------------------------------------------------------------------------------

    bool is_output() const { return m_.content.text.bytes.starts_with(kOutput); }

    LineFate output() {
        acting_ = false;
        ToolResult result;
        result.name = text_of(tool_);
        result.text = m_.content.text;
        result.text.bytes.remove_prefix(kOutput.size());
        result.status = result.text.bytes.starts_with("Error") ? ResultStatus::error : ResultStatus::ok;
        emit(result);
        return LineFate::understood;
    }

    /// The last action of a text is what the program carries out; answering the human is one as well.
    bool act() {
        const RawText& text = m_.content.text;
        if (text.form != TextForm::json_string || text.bytes.rfind(kAction) == std::string_view::npos) return false;
        words_ = decode_json_string(text.bytes);
        const std::size_t at = words_.rfind(kAction);
        if (at == words_.npos) return false;
        const std::string_view action = trimmed(std::string_view(words_).substr(at + kAction.size()));
        if (!action.starts_with('{')) return false;
        const TextCall found{TextCall::Form::tagged, {}, std::string(action), true};
        const ToolCall call = call_args_.call_of(found, args_);
        if (call.name.empty()) return false;
        tool_ = call.name.bytes;
        std::string_view thought = trimmed(std::string_view(words_).substr(0, at));
        if (thought.starts_with(kThought)) thought = trimmed(thought.substr(kThought.size()));
        if (!thought.empty()) emit(Thinking{plain(thought), 0});
        acting_ = tool_ != kRespond;
        if (acting_)
            emit(call);
        else
            say(action);
        return true;
    }

    /// {"name":"respond","arguments":{"content":"…"}}
    void say(std::string_view action) {
        TracePart said;
        said.text = action;
        said.form = TextForm::json_value;
        take_field(said, "arguments");
        take_field(said, "content");
        emit(Message{Role::assistant, Origin::agent, RawText{said.text, said.form}, 0});
    }

    LineFate user() {
        acting_ = false;
        if (!m_.content.text.empty() || m_.calls.empty()) {
            head().turn = ++turn_;
            emit(TurnStart{});
            emit(Message{Role::user, Origin::human, m_.content.text, m_.content.media});
        }
        emit_calls(m_.calls, Caller::user);  // in tau2 the simulated human has tools, too
        return LineFate::understood;
    }

    LineFate assistant() {
        head().response = ++responses_ | std::uint64_t{1} << 63;
        acting_ = false;
        const bool acted = m_.calls.empty() && act();
        if (!acted && !m_.content.text.empty())
            emit(Message{Role::assistant, Origin::agent, m_.content.text, m_.content.media});
        emit_calls(m_.calls, Caller::model);
        const std::uint64_t cost = microusd(m_.cost);
        if (m_.tokens.total() == 0 && cost == 0) return LineFate::understood;
        Usage usage;
        usage.tokens = tokens();
        usage.model = text_of(m_.model);
        if (cost > 0) usage.cost_microusd = cost;
        emit(usage);
        return LineFate::understood;
    }

    void emit_calls(const Reused<Call>& calls, Caller caller) {
        for (const Call& c : calls) {
            if (c.name.empty()) continue;
            ToolCall call = call_of(c.id, c.name, c.args);
            call.caller = caller;
            emit(call);
        }
    }

    // The environments begin what failed with "Error", and nothing else.
    LineFate result() {
        ToolResult result;
        result.call_id = text_of(m_.call_id.empty() ? m_.id : m_.call_id);
        result.name = text_of(m_.name);
        result.text = m_.content.text;
        const bool failed = m_.has_error_flag ? m_.is_error : m_.content.text.bytes.starts_with("Error");
        result.status = failed ? ResultStatus::error : ResultStatus::ok;
        emit(result);
        return LineFate::understood;
    }

    static constexpr std::size_t kLongestLabel = 100;
    static constexpr std::string_view kAction = "Action:", kThought = "Thought:", kOutput = "API output: ",
                                      kRespond = "respond";

    Turn m_;
    Run run_;
    std::string label_;
    std::string_view model_;
    TextCallArgs call_args_;
    std::string words_, tool_;                  // of an action in words
    std::string said_by_user_, said_by_agent_;  // in pieces, until somebody else speaks or something is done
    Reused<Call> user_calls_;
    std::int64_t time_ = kNoTime;
    bool open_ = false, acting_ = false;
    std::uint32_t turn_ = 0;
    std::uint64_t responses_ = 0, messages_ = 0;
};

Score score(std::span<const ProbeRecord> sample, Framing) {
    for (const ProbeRecord& record : sample) {
        const auto inner = first_of(record);
        const ProbeRecord& r = inner ? *inner : record;
        const auto traj = r.raw("traj");
        if (traj && traj->starts_with('[') && (r.has("reward") || r.has("task_id"))) return kCertain;
        const auto simulations = r.raw("simulations");
        if (simulations && simulations->starts_with('[')) return kCertain;
        if (r.has("messages") && r.has("reward_info") && r.has("task_id")) return kCertain;
    }
    return 0;
}

constexpr std::string_view kStreams[] = {"simulations"};

constexpr RecordKindDoc kKinds[] = {
    {"{task_id, trial, traj}, {simulations: [{task_id, trial, messages}]}",
     "one session a run, named after task and trial"},
    {"user", "TurnStart and Message (human); ToolCall by the user where the simulated human has tools"},
    {"assistant: Thought, Action; user: API output", "of agents that act in words: Thinking, ToolCall, ToolResult"},
    {"assistant", "Message and ToolCall; in tau2 Usage with cost, and with the model and cached tokens of raw_data"},
    {"tool", "ToolResult: the error flag of tau2, else a text that begins with Error"},
    {"system", "Message (system)"},
    {"ticks", "calls by voice: Message of each stretch that one of them spoke, ToolCall, ToolResult"},
    {"termination_reason, info.error", "TurnEnd; Notice of the error"},
    {"reward, reward_info", "not read: what a run was worth is no part of the session"},
};

}  // namespace

ReaderSpec tau_bench() {
    return {"tau-bench",
            "tau-bench",
            "result files of tau-bench and tau2-bench",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::response_ids,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<TauBench>()); },
            kStreams};
}

}  // namespace agent_audit::readers
