#include "readers/all.hpp"
#include "readers/cline/cline_asked.hpp"
#include "readers/cline/cline_result.hpp"
#include "readers/cline/cline_text.hpp"
#include "readers/json/format_util.hpp"
#include "readers/json/json_reader.hpp"

#include <array>
#include <utility>

// What Cline's program for the terminal prints with --json. The prompt is not in it:
//
//   {"ts":"…","type":"hook_event","hookEventName":"agent_start","agentId":"agent_…","parentAgentId":null}
//   {"ts":"…","type":"agent_event","event":{"type":"iteration_start","iteration":1}}
//   {"ts":"…","type":"agent_event","event":{"type":"content_end","contentType":"text","text":"…"}}
//   {"ts":"…","type":"agent_event","event":{"type":"usage","inputTokens":9,"outputTokens":2,"cacheReadTokens":5}}
//   {"ts":"…","type":"agent_event","event":{"type":"content_start","contentType":"tool","toolName":"…","input":{…}}}
//   {"ts":"…","type":"agent_event","event":{"type":"content_end","contentType":"tool","toolCallId":"…","output":[…]}}
//   {"ts":"…","type":"run_result","finishReason":"completed","text":"…"}
//
// Events do not name their agent. Those between the start and the end of a sub-agent are taken for its own, as the
// agent that called it waits.

namespace agent_audit::readers {
namespace {

constexpr std::array<std::string_view, 5> kHooks{"agent_start", "agent_end", "agent_error", "tool_call", "tool_result"};
constexpr std::array<std::string_view, 6> kIgnoredEvents{"iteration_end", "content_update", "done",
                                                         "media",         "status",         "text"};

struct Line {
    std::string_view time, type, hook, agent, parent, finish;
    std::string_view event, content;  // what kind of event, and of what
    RawText text, message;
    ContentBlock call;
    TokenCounts tokens;
    double cost = 0;
    std::int64_t duration_ms = -1;
    bool is_event = false, warning = false;
};

class ClineStream final : public JsonReader {
public:
    // A run that was cut off before the calls of its last response.
    void finish(EventSink& sink) override {
        set_sink(sink);
        line_ = Line{};
        settle({});
    }

protected:
    LineFate read_object(json::object object) override {
        line_ = Line{};
        const bool whole = read_fields(object, [this](const char* key, json::value& v) {
            if (key_is(key, "ts"))
                line_.time = raw_string(v);
            else if (key_is(key, "type"))
                line_.type = raw_string(v);
            else if (key_is(key, "hookEventName"))
                line_.hook = raw_string(v);
            else if (key_is(key, "agentId"))
                line_.agent = raw_string(v);
            else if (key_is(key, "parentAgentId"))
                line_.parent = raw_string(v);
            else if (key_is(key, "finishReason"))
                line_.finish = raw_string(v);
            else if (key_is(key, "durationMs"))
                line_.duration_ms = as_int(v, -1);
            else if (key_is(key, "message"))
                line_.message = text_of(raw_string(v));
            else if (key_is(key, "event")) {
                line_.is_event = is_object(v);
                return each_field(v, [this](const char* k, json::value& w) { return collect_event(k, w); });
            }
            return true;
        });
        if (!whole) return LineFate::malformed_json;
        if (line_.type == "hook_event") return hook();
        if (line_.type == "agent_event") return line_.is_event ? event() : LineFate::missing_field;
        if (line_.type == "run_result") return end(line_.finish);
        if (line_.type == "run_aborted") return end("aborted");
        if (line_.type == "error") return stopped();
        return LineFate::unknown_kind;
    }

private:
    // ---- collecting -------------------------------------------------------------------------------------

    bool collect_event(const char* key, json::value& v) {
        if (key_is(key, "type"))
            line_.event = raw_string(v);
        else if (key_is(key, "contentType"))
            line_.content = raw_string(v);
        else if (key_is(key, "text") || key_is(key, "reasoning"))
            line_.text = text_of(raw_string(v));
        else if (key_is(key, "message"))
            line_.message = text_of(raw_string(v));
        else if (key_is(key, "recoverable"))
            line_.warning = is_true(v);
        else if (key_is(key, "toolName"))
            line_.call.name = raw_string(v);
        else if (key_is(key, "toolCallId"))
            line_.call.id = raw_string(v);
        else if (key_is(key, "input") && !is_null(v))
            line_.call.args = args_.digest_value({}, v);
        else if (key_is(key, "output"))
            return is_object(v) ? collect_answer(v) : collect_cline_result(v, line_.call);
        else if (key_is(key, "error"))
            return collect_error(v);
        else if (key_is(key, "durationMs"))
            line_.duration_ms = as_int(v, -1);
        else
            collect_figure(key, v);
        return true;
    }

    // The input holds what came from the cache.
    void collect_figure(const char* key, json::value& v) {
        if (key_is(key, "inputTokens"))
            line_.tokens.input = as_uint(v);
        else if (key_is(key, "outputTokens"))
            line_.tokens.output = as_uint(v);
        else if (key_is(key, "cacheReadTokens"))
            line_.tokens.cache_read = as_uint(v);
        else if (key_is(key, "cacheWriteTokens"))
            line_.tokens.cache_write = as_uint(v);
        else if (key_is(key, "cost"))
            line_.cost = number_or(v, 0);
    }

    // Of an event that failed, or of a call.
    bool collect_error(json::value& v) {
        if (is_string(v)) line_.message = text_of(raw_string(v));
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "message")) line_.message = text_of(raw_string(w));
            return true;
        });
    }

    // {"query":"…","result":"…","error":"…","success":false}; {"error":"…"} alone when nothing was done.
    bool collect_answer(json::value& v) {
        ContentBlock& call = line_.call;
        call.content.seen = true;
        return each_field(v, [&call](const char* key, json::value& w) {
            if (key_is(key, "error"))
                call.failure = raw_string(w);
            else if (key_is(key, "result") || key_is(key, "text"))
                call.content.text = any_text(w);
            return true;
        });
    }

    // ---- agents -----------------------------------------------------------------------------------------

    LineFate hook() {
        if (!is_one_of(line_.hook, kHooks)) return LineFate::unknown_kind;
        if (line_.hook.starts_with("agent_")) settle({});
        if (line_.hook == "agent_start") return line_.parent.empty() ? open(line_.agent) : open_lane();
        const bool sub_agent = !line_.parent.empty() && lane_ > 0;
        if (!sub_agent || (line_.hook != "agent_end" && line_.hook != "agent_error")) return LineFate::ignored_kind;
        begin();
        emit(LaneClose{});
        if (--running_ == 0) lane_ = 0;
        return LineFate::understood;
    }

    LineFate open(std::string_view id) {
        turn_ = lanes_ = lane_ = running_ = 0;
        open_ = true;
        ended_ = false;
        new_head().time_ms = time_of(line_.time);
        SessionStart start;
        start.session_id = text_of(id);
        emit(start);
        return LineFate::understood;
    }

    LineFate open_lane() {
        if (!open_) open({});
        lane_ = ++lanes_;
        ++running_;
        new_head(lane_, turn_).time_ms = time_of(line_.time);
        LaneOpen lane;
        lane.agent_id = text_of(line_.agent);
        emit(lane);
        return LineFate::understood;
    }

    void begin() {
        if (!open_) open({});
        new_head(lane_, turn_).time_ms = time_of(line_.time);
    }

    // ---- events -----------------------------------------------------------------------------------------

    LineFate event() {
        if (line_.event.empty()) return LineFate::missing_field;
        if (line_.event == "iteration_end") settle({});
        if (is_one_of(line_.event, kIgnoredEvents)) return LineFate::ignored_kind;
        begin();
        if (line_.event == "iteration_start") {
            ++responses_;
            return LineFate::understood;
        }
        if (line_.event == "content_start") return line_.content == "tool" ? call() : LineFate::ignored_kind;
        if (line_.event == "content_end") return line_.content == "tool" ? result() : said();
        if (line_.event == "usage") return usage();
        if (line_.event == "error") return error();
        if (line_.event != "notice") return LineFate::unknown_kind;
        emit(notice_of(NoticeLayer::harness, NoticeLevel::warning, "notice", line_.message));
        return LineFate::understood;
    }

    void respond() { head().response = responses_ | std::uint64_t{1} << 63; }

    LineFate said() {
        if (line_.text.empty()) return LineFate::ignored_kind;
        respond();
        if (line_.content == "reasoning")
            emit(Thinking{line_.text, 0});
        else
            emit(Message{Role::assistant, Origin::agent, line_.text, 0});
        return LineFate::understood;
    }

    LineFate call() {
        const ContentBlock& asked = line_.call;
        if (asked.name.empty()) return LineFate::missing_field;
        settle(asked.id);
        respond();
        ToolCall call = call_of(asked.id, asked.name, asked.args);
        if (call.primary.empty() && call.args.bytes.starts_with('{')) call.primary = asked_.of(call.args.bytes);
        emit(call);
        return LineFate::understood;
    }

    LineFate result() {
        const ContentBlock& done = line_.call;
        if (done.id.empty()) return LineFate::missing_field;
        const std::string_view why = done.failure.empty() ? line_.message.bytes : done.failure;
        ToolResult result = result_of(done);
        if (result.text.empty()) result.text = text_of(why);
        if (!why.empty()) result.status = cline_text::is_refusal(why) ? ResultStatus::denied : ResultStatus::error;
        result.exit_code = number_after(why.substr(0, kHead), "exited with code ");
        result.duration_ms = line_.duration_ms;
        emit(result);
        return LineFate::understood;
    }

    LineFate usage() {
        TokenCounts t = line_.tokens;
        if (t.cache_read + t.cache_write <= t.input) t.input -= t.cache_read + t.cache_write;
        if (t.total() == 0) return LineFate::ignored_kind;
        settle({});
        waiting_ = {t, line_.cost};
        return LineFate::understood;
    }

    // Figures come before the calls of their response, the first of which tells it from others.
    void settle(std::string_view call) {
        const TokenCounts t = std::exchange(waiting_.tokens, {});
        if (t.total() == 0) return;
        begin();
        respond();
        Usage usage;
        usage.tokens = t;
        usage.message_key = cline_response_key(call, t);
        if (const std::uint64_t cost = microusd(waiting_.cost); cost > 0) usage.cost_microusd = cost;
        emit(usage);
    }

    // That calls failed is said by their results.
    LineFate error() {
        if (line_.message.bytes.substr(0, kHead).find(" tool call(s) failed: ") != std::string_view::npos)
            return LineFate::ignored_kind;
        const NoticeLevel level = line_.warning ? NoticeLevel::warning : NoticeLevel::error;
        emit(notice_of(NoticeLayer::provider, level, "error", line_.message));
        return LineFate::understood;
    }

    // The program itself cannot go on.
    LineFate stopped() {
        begin();
        emit(notice_of(NoticeLayer::harness, NoticeLevel::error, "error", line_.message));
        return LineFate::understood;
    }

    LineFate end(std::string_view how) {
        settle({});
        lane_ = running_ = 0;
        begin();
        if (std::exchange(ended_, true)) return LineFate::understood;
        emit(TurnEnd{how == "completed" ? TurnStatus::completed
                     : how == "aborted" ? TurnStatus::aborted
                     : how == "error"   ? TurnStatus::failed
                                        : TurnStatus::unknown,
                     line_.duration_ms});
        return LineFate::understood;
    }

    static constexpr std::size_t kHead = 400;

    struct Figures {
        TokenCounts tokens;
        double cost = 0;
    };

    Line line_;
    Figures waiting_;
    ClineAsked asked_;
    std::uint64_t responses_ = 0;
    std::uint32_t turn_ = 0, lanes_ = 0, lane_ = 0,
                  running_ = 0;  // lanes that began, the one that speaks, how many run
    bool open_ = false, ended_ = false;
};

Score score(std::span<const ProbeRecord> sample, Framing) {
    for (const ProbeRecord& r : sample) {
        if (!r.has("ts")) continue;
        if (r.text("type") == "hook_event" && r.has("hookEventName") && r.has("agentId")) return kCertain;
        if (r.text("type") == "agent_event" && r.child("event").has("type")) return 95;
    }
    return 0;
}

constexpr RecordKindDoc kKinds[] = {
    {"hook_event: agent_start", "SessionStart; LaneOpen of a sub-agent"},
    {"hook_event: agent_end, agent_error", "LaneClose of a sub-agent"},
    {"hook_event: tool_call, tool_result", "ignored"},
    {"agent_event: content_end", "Message, Thinking or ToolResult; a refusal by its words"},
    {"agent_event: content_start of a tool", "ToolCall"},
    {"agent_event: usage", "Usage with cost"},
    {"agent_event: error", "Notice (provider), unless it says that calls failed"},
    {"agent_event: notice", "Notice (harness)"},
    {"agent_event: iteration_start", "begins a response"},
    {"agent_event: iteration_end, content_update, done", "ignored"},
    {"error", "Notice (harness)"},
    {"run_result, run_aborted", "TurnEnd"},
};

}  // namespace

ReaderSpec cline_stream() {
    return {"cline-stream",
            "Cline",
            "what `cline --json` prints",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::token_usage | Signal::timestamps | Signal::response_ids | Signal::reasoning |
                Signal::sub_agents | Signal::cost,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<ClineStream>()); }};
}

}  // namespace agent_audit::readers
