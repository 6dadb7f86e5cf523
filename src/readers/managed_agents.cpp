#include "readers/all.hpp"
#include "readers/json/format_util.hpp"
#include "readers/json/ids.hpp"
#include "readers/json/json_reader.hpp"

#include <array>
#include <string>

// Sessions of Anthropic's managed agents: their events, one a line, or the calls of a client that recorded them.
//
//   ["client.beta.sessions.create",{"type":"session","id":"…","agent":{"name":"…","model":{"id":"…"},"system":"…"}}]
//   ["client.beta.sessions.events.stream",{"type":"agent.tool_use","id":"e1","name":"web_fetch","input":{…},"processed_at":"…"}]
//   {"type":"agent.tool_result","tool_use_id":"e1","content":[…],"is_error":false,"processed_at":"…"}
//   {"type":"span.model_request_end","model_request_start_id":"…","model_usage":{…}}
//
// What a client sends comes back in the stream with an id, so only the stream is read; so are lists of events, of which
// those that the stream had already are left out.

namespace agent_audit::readers {
namespace {

struct Parts {
    std::string_view type, id, time, name, call_id, thread, start_id, stop, result, agent_name, model, title;
    std::string_view error_type;
    RawText error, system;
    Content content;
    CallArgs args;
    TokenCounts tokens;
    bool is_error = false, has_usage = false, has_args = false, has_events = false;
};

class ManagedAgents final : public JsonReader {
protected:
    LineFate read_object(json::object object) override { return read_one(object, 0); }

    // [method, answer], or a list of events.
    LineFate read_array(json::array array) override {
        std::string_view method;
        LineFate fate = LineFate::ignored_kind;
        bool any = false;
        for (auto item : array) {
            json::value v;
            if (std::move(item).get(v)) return LineFate::malformed_json;
            if (is_string(v)) {
                method = raw_string(v);
                continue;
            }
            json::object object;
            if (!is_object(v) || is_sent(method)) continue;
            if (v.get_object().get(object)) return LineFate::malformed_json;
            const LineFate one = read_one(object, 0);
            if (one == LineFate::malformed_json) return any ? LineFate::partial : one;
            if (!any || one == LineFate::understood) fate = one;
            any = true;
        }
        if (!any && method.empty()) return LineFate::unknown_kind;
        return fate;
    }

private:
    static bool is_sent(std::string_view method) {
        return method.ends_with(".send") || method.ends_with(".update") || method.ends_with(".delete");
    }

    LineFate read_one(json::object object, int depth) {
        args_.clear();
        p_ = Parts{};
        if (!read_fields<&ManagedAgents::collect>(object)) return LineFate::malformed_json;
        if (p_.has_events && depth < 2) return read_list(object, depth);
        if (p_.type.empty()) return LineFate::missing_field;
        if (!is_stand_in(p_.id) && p_.type != "session" && seen_.has(id_hash(p_.id))) return LineFate::ignored_kind;
        const LineFate fate = interpret();
        if (fate == LineFate::understood) seen_.add(id_hash(p_.id));
        return fate;
    }

    /// {"data":[events]}: a page of them.
    LineFate read_list(json::object object, int depth) {
        if (object.reset().error()) return LineFate::malformed_json;
        LineFate fate = LineFate::ignored_kind;
        const std::uint64_t before = emitted();
        const bool whole = each_field(object, [&](const char* key, json::value& v) {
            if (!key_is(key, "data") && !key_is(key, "events")) return true;
            return each_element(v, [&](json::value& event) {
                json::object one;
                if (!is_object(event)) return true;
                if (event.get_object().get(one)) return false;
                const LineFate f = read_one(one, depth + 1);
                if (f == LineFate::understood) fate = f;
                return f != LineFate::malformed_json;
            });
        });
        if (whole) return fate;
        return broken_off(before);
    }

    // ---- collecting -------------------------------------------------------------------------------------

    bool collect(const char* key, json::value& v) {
        switch (key[0]) {
            case 'a':
                if (key_is(key, "agent")) return collect_agent(v);
                if (key_is(key, "agent_name")) p_.agent_name = raw_string(v);
                break;
            case 'c':
                if (key_is(key, "content") && !is_null(v))
                    p_.content = read_content(v);
                else if (key_is(key, "custom_tool_use_id"))
                    p_.call_id = raw_string(v);
                else if (key_is(key, "created_at") && p_.time.empty())
                    p_.time = raw_string(v);
                break;
            case 'd': p_.has_events |= key_is(key, "data") && is_array(v); break;
            case 'e':
                if (key_is(key, "error")) return collect_error(v);
                p_.has_events |= key_is(key, "events") && is_array(v);
                break;
            case 'i':
                if (key_is(key, "id"))
                    p_.id = raw_string(v);
                else if (key_is(key, "is_error"))
                    p_.is_error = is_true(v);
                else if (key_is(key, "input") && !is_null(v)) {
                    p_.args = args_.digest_value({}, v);
                    p_.has_args = true;
                }
                break;
            case 'm':
                if (key_is(key, "mcp_tool_use_id"))
                    p_.call_id = raw_string(v);
                else if (key_is(key, "model_request_start_id"))
                    p_.start_id = raw_string(v);
                else if (key_is(key, "model_usage"))
                    return collect_usage(v);
                break;
            case 'n':
                if (key_is(key, "name")) p_.name = raw_string(v);
                break;
            case 'p':
                if (key_is(key, "processed_at")) p_.time = raw_string(v);
                break;
            case 'r':
                if (key_is(key, "result")) p_.result = raw_string(v);
                break;
            case 's':
                if (key_is(key, "session_thread_id"))
                    p_.thread = raw_string(v);
                else if (key_is(key, "stop_reason"))
                    return each_field(v, [this](const char* k, json::value& w) {
                        if (key_is(k, "type")) p_.stop = raw_string(w);
                        return true;
                    });
                break;
            case 't':
                if (key_is(key, "type"))
                    p_.type = raw_string(v);
                else if (key_is(key, "tool_use_id"))
                    p_.call_id = raw_string(v);
                else if (key_is(key, "title"))
                    p_.title = raw_string(v);
                break;
            default: break;
        }
        return true;
    }

    bool collect_agent(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "name"))
                p_.agent_name = raw_string(w);
            else if (key_is(key, "system"))
                p_.system = text_of(raw_string(w));
            else if (key_is(key, "model")) {
                if (is_string(w)) p_.model = raw_string(w);
                return each_field(w, [this](const char* k, json::value& x) {
                    if (key_is(k, "id")) p_.model = raw_string(x);
                    return true;
                });
            }
            return true;
        });
    }

    bool collect_error(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "type"))
                p_.error_type = raw_string(w);
            else if (key_is(key, "message"))
                p_.error = text_of(raw_string(w));
            return true;
        });
    }

    bool collect_usage(json::value& v) {
        p_.has_usage = is_object(v);
        return each_field(v, [this](const char* key, json::value& n) {
            if (key_is(key, "input_tokens"))
                p_.tokens.input = as_uint(n);
            else if (key_is(key, "output_tokens"))
                p_.tokens.output = as_uint(n);
            else if (key_is(key, "cache_read_input_tokens"))
                p_.tokens.cache_read = as_uint(n);
            else if (key_is(key, "cache_creation_input_tokens"))
                p_.tokens.cache_write = as_uint(n);
            return true;
        });
    }

    // ---- events -----------------------------------------------------------------------------------------

    LineFate interpret() {
        const std::string_view type = p_.type;
        if (type == "session") return session();
        if (type.starts_with("user.")) return user();
        if (type.starts_with("agent.")) return agent();
        if (type.starts_with("span.")) return span();
        if (type.starts_with("session.")) return status();
        return LineFate::unknown_kind;
    }

    // Asked for again while the session runs, it is the same one.
    LineFate session() {
        if (p_.id.empty()) return LineFate::missing_field;
        const IdHash id = id_hash(p_.id);
        if (open_ && session_ == id) return LineFate::ignored_kind;
        open(id);
        return LineFate::understood;
    }

    void open(IdHash id) {
        open_ = true;
        session_ = id;
        turn_ = 0;
        in_turn_ = false;
        threads_.clear();
        new_head().time_ms = time_of(p_.time);
        SessionStart start;
        const bool known = p_.type == "session";
        if (known) {
            start.session_id = text_of(p_.id);
            start.model = text_of(p_.model);
            start.label = text_of(p_.title.empty() ? p_.agent_name : p_.title);
        }
        emit(start);
        if (!known || (p_.system.empty() && p_.model.empty())) return;
        ContextChange change;
        change.model = text_of(p_.model);
        change.system_prompt_bytes = p_.system.size();
        emit(change);
    }

    void begin() {
        if (!open_) open(0);
        const std::uint32_t lane = threads_.known(id_hash(p_.thread));
        EventHeader& h = new_head(lane, lane == 0 ? turn_ : 0);
        h.time_ms = time_of(p_.time);
        h.record_id = p_.id;
    }

    LineFate user() {
        const std::string_view type = p_.type;
        if (type == "user.tool_confirmation") {
            if (p_.result == "deny") denied_.add(id_hash(p_.call_id));
            return LineFate::understood;
        }
        begin();
        if (type == "user.custom_tool_result") return result();
        if (type == "user.interrupt") {
            end_turn(TurnStatus::aborted);
            return LineFate::understood;
        }
        if (type != "user.message" && type != "user.define_outcome") return LineFate::unknown_kind;
        if (head().lane != 0) {
            emit(Message{Role::user, Origin::agent, p_.content.text, p_.content.media});
            return LineFate::understood;
        }
        const bool queued = in_turn_;  // it waits until the agent is done
        if (!queued) {
            in_turn_ = true;
            head().turn = ++turn_;
            emit(TurnStart{});
        }
        emit(Message{Role::user, queued ? Origin::queued : Origin::human, p_.content.text, p_.content.media});
        return LineFate::understood;
    }

    LineFate agent() {
        const std::string_view type = p_.type;
        begin();
        head().response = response_;
        if (type == "agent.message") {
            emit(Message{Role::assistant, Origin::agent, p_.content.text, p_.content.media});
        } else if (type == "agent.thinking") {
            emit(Thinking{p_.content.text, 0});
        } else if (type == "agent.tool_use" || type == "agent.mcp_tool_use" || type == "agent.custom_tool_use") {
            if (p_.id.empty() || p_.name.empty()) return LineFate::missing_field;
            emit(call_of(p_.id, p_.name, p_.args));
        } else if (type == "agent.tool_result" || type == "agent.mcp_tool_result") {
            return result();
        } else if (type == "agent.thread_context_compacted") {
            Compaction compaction;
            compaction.trigger = CompactionTrigger::automatic;
            emit(compaction);
        } else if (type == "agent.thread_message_sent" || type == "agent.thread_message_received") {
            return LineFate::ignored_kind;  // the threads' own events say it
        } else {
            return LineFate::unknown_kind;
        }
        return LineFate::understood;
    }

    LineFate result() {
        if (p_.call_id.empty()) return LineFate::missing_field;
        head().response = 0;
        ToolResult result;
        result.call_id = text_of(p_.call_id);
        result.text = p_.content.text;
        result.media_count = p_.content.media;
        result.media_hash = p_.content.media_hash;
        result.opaque = result.text.empty() && result.media_count > 0;
        result.status = denied_.has(id_hash(p_.call_id)) ? ResultStatus::denied
                        : p_.is_error                    ? ResultStatus::error
                                                         : ResultStatus::ok;
        emit(result);
        return LineFate::understood;
    }

    LineFate span() {
        if (p_.type == "span.model_request_start") {
            response_ = id_hash(p_.id);
            return LineFate::understood;
        }
        if (p_.type != "span.model_request_end") return LineFate::ignored_kind;
        begin();
        head().response = p_.start_id.empty() ? response_ : id_hash(p_.start_id);
        response_ = 0;
        if (p_.has_usage && p_.tokens.total() > 0) {
            Usage usage;
            usage.tokens = p_.tokens;
            if (is_unique_id(p_.start_id)) usage.message_key = id_hash(p_.start_id);
            emit(usage);
        }
        if (p_.is_error) emit(notice_of(NoticeLayer::provider, NoticeLevel::error, "model-request-failed", p_.error));
        return LineFate::understood;
    }

    LineFate status() {
        const std::string_view type = p_.type;
        if (type == "session.thread_created") return thread();
        if (type == "session.error") {
            begin();
            const std::string_view code = p_.error_type.empty() ? type : p_.error_type;
            emit(notice_of(NoticeLayer::provider, NoticeLevel::error, code, p_.error));
            return LineFate::understood;
        }
        const bool idle = type == "session.status_idle";
        if (!idle && type != "session.status_terminated") return LineFate::ignored_kind;
        begin();
        if (!idle)
            end_turn(TurnStatus::failed);
        else if (p_.stop != "requires_action")  // a human is asked something; the turn goes on
            end_turn(p_.stop == "retries_exhausted" ? TurnStatus::failed : TurnStatus::completed);
        return LineFate::understood;
    }

    LineFate thread() {
        begin();
        const auto [lane, opened] = threads_.find(id_hash(p_.thread));
        if (p_.thread.empty() || !opened) return LineFate::ignored_kind;
        head().lane = lane;
        head().turn = 0;
        LaneOpen open;
        open.purpose = LanePurpose::task;
        open.agent_id = text_of(p_.thread);
        open.agent_type = text_of(p_.agent_name);
        emit(open);
        return LineFate::understood;
    }

    void end_turn(TurnStatus status) {
        if (head().lane == 0 && std::exchange(in_turn_, false)) emit(TurnEnd{status, -1});
    }

    Parts p_;
    bool open_ = false, in_turn_ = false;
    IdHash session_ = 0, response_ = 0;
    std::uint32_t turn_ = 0;
    LaneTable threads_;
    RecentIds seen_, denied_;
};

bool is_event(const ProbeRecord& r) {
    constexpr std::array<std::string_view, 4> kFamilies{"user.", "agent.", "session.", "span."};
    return r.has("processed_at") && starts_with_one_of(r.text("type"), kFamilies);
}

// [method, answer]: what follows the method, if it is an object.
ProbeRecord answer_of(std::string_view json) {
    const auto object = json.find('{');
    return ProbeRecord(object == json.npos ? std::string_view{} : json.substr(object));
}

Score score(std::span<const ProbeRecord> sample, Framing) {
    Score best = 0;
    for (const ProbeRecord& r : sample) {
        if (r.is_object()) {
            if (is_event(r)) return kCertain;
            const auto data = r.raw("data");
            if (data && data->find("\"processed_at\"") != data->npos) best = std::max(best, 80);
            if (r.text("type") == "session" && r.has("agent") && r.has("environment_id")) best = std::max(best, 90);
            continue;
        }
        const std::string_view json = r.json();
        if (!json.starts_with("[\"client.beta.sessions.")) continue;
        best = std::max(best, is_event(answer_of(json)) ? kCertain : 90);
    }
    return best;
}

constexpr RecordKindDoc kKinds[] = {
    {"session", "SessionStart; ContextChange with model and size of the system prompt"},
    {"user.message", "TurnStart and Message (human); queued while the agent works"},
    {"user.custom_tool_result", "ToolResult"},
    {"user.tool_confirmation", "a result of a call that was denied is denied"},
    {"user.interrupt", "TurnEnd (aborted)"},
    {"agent.message, agent.thinking", "Message, Thinking"},
    {"agent.tool_use, agent.mcp_tool_use, agent.custom_tool_use", "ToolCall"},
    {"agent.tool_result, agent.mcp_tool_result", "ToolResult: is_error decides"},
    {"agent.thread_context_compacted", "Compaction"},
    {"span.model_request_start, span.model_request_end", "one response; Usage"},
    {"session.status_idle, session.status_terminated", "TurnEnd, unless a human is asked"},
    {"session.error", "Notice (provider)"},
    {"session.thread_created", "LaneOpen"},
    {"[method, …] of a client that sends", "ignored: the stream repeats it"},
    {"other states", "ignored"},
};

}  // namespace

ReaderSpec managed_agents() {
    return {"managed-agents",
            "Anthropic managed agents",
            "events of sessions, and recordings of their API",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::token_usage |
                Signal::timestamps | Signal::response_ids | Signal::reasoning | Signal::sub_agents | Signal::compaction,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<ManagedAgents>()); }};
}

}  // namespace agent_audit::readers
