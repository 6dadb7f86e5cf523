#include "readers/all.hpp"
#include "readers/json/format_util.hpp"
#include "readers/json/ids.hpp"
#include "readers/json/json_reader.hpp"

#include <array>
#include <string>
#include <vector>

// The wire log of Kimi CLI, and its context file, which has the same conversation as the model sees it.
//
//   {"type":"metadata","protocol_version":"1.6"}
//   {"timestamp":1772445600.5,"message":{"type":"ToolCall","payload":{"id":"c","function":{"name":"Shell","arguments":"{\"co"}}}}
//   {"timestamp":…,"message":{"type":"ToolCallPart","payload":{"arguments_part":"mmand\":\"ls\"}"}}}
//   {"timestamp":…,"message":{"type":"SubagentEvent","payload":{"parent_tool_call_id":"c","event":{"type":"…","payload":{…}}}}}
//   {"role":"_checkpoint","id":0}, {"role":"assistant","content":[…],"tool_calls":[…]}        the context file
//
// Arguments come in pieces, and what a sub-agent does comes between them: each lane has the call it is told of.

namespace agent_audit::readers {
namespace {

struct Call {
    std::string_view id, name, arguments;
    bool has_arguments = false;
};

struct Line {
    std::string_view type, top_type, protocol, part_type, role;
    std::string_view arguments_part, result_id, message_id, parent_call, agent_id, agent_type;
    Content input, content, output;
    RawText think, text, note;
    std::uint64_t encrypted_bytes = 0, context_tokens = 0, window_tokens = 0, token_count = 0;
    TokenCounts tokens;
    Call call;
    Reused<Call, 1000> calls;
    std::int64_t time_ms = kNoTime, step = 0;
    int depth = 0;  // of the event whose type that is
    bool has_message = false, has_input = false, is_error = false, has_result = false, has_usage = false;

    void clear() {
        auto keep = std::move(calls);
        *this = Line{};
        calls = std::move(keep);
        calls.clear();
    }
};

struct Lane {
    std::string id, name, arguments;  // the call whose arguments are still coming
    EventHeader head;
    IdHash response = 0;
    bool pending = false;
};

constexpr std::array<std::string_view, 14> kQuiet{"ApprovalRequest", "ApprovalResponse", "ApprovalRequestResolved",
                                                  "Notification",    "HookTriggered",    "HookResolved",
                                                  "HookRequest",     "PlanDisplay",      "QuestionRequest",
                                                  "MCPLoadingBegin", "MCPLoadingEnd",    "BtwBegin",
                                                  "BtwEnd",          "ToolCallRequest"};

constexpr std::size_t kLongestArguments = 4u << 20;

// What Kimi says of a result stands before it, in tags of its own: that it went well, or ERROR and why.
std::string_view note_of(std::string_view text) {
    constexpr std::string_view kOpen = "<system>", kClose = "</system>";
    std::size_t end = 0;
    while (text.substr(end).starts_with(kOpen)) {
        const auto close = text.find(kClose, end);
        if (close == text.npos) break;
        end = close + kClose.size();
        if (text.substr(end).starts_with("\\n")) end += 2;
    }
    return text.substr(0, end);
}

class KimiCli final : public JsonReader {
public:
    void finish(EventSink& sink) override {
        set_sink(sink);
        for (Lane& lane : open_calls_) flush(lane);
        tell_prompt();
    }

protected:
    LineFate read_object(json::object object) override {
        line_.clear();
        if (!read_fields<&KimiCli::collect_top>(object)) return LineFate::malformed_json;
        if (!line_.role.empty()) return context_record();
        if (line_.top_type == "metadata") {
            open_session();
            return LineFate::understood;
        }
        if (!line_.has_message) return LineFate::unknown_kind;
        return line_.type.empty() ? LineFate::missing_field : wire_record();
    }

private:
    // ---- collecting -------------------------------------------------------------------------------------

    bool collect_top(const char* key, json::value& v) {
        if (key_is(key, "timestamp"))
            line_.time_ms = unix_time(v);
        else if (key_is(key, "type"))
            line_.top_type = raw_string(v);
        else if (key_is(key, "protocol_version"))
            line_.protocol = raw_string(v);
        else if (key_is(key, "message")) {
            line_.has_message = is_object(v);
            return collect_message(v, 0);
        } else if (key_is(key, "role"))
            line_.role = raw_string(v);
        else if (key_is(key, "content"))
            return collect_content(v);
        else if (key_is(key, "tool_call_id"))
            line_.result_id = raw_string(v);
        else if (key_is(key, "token_count"))
            line_.token_count = as_uint(v);
        else if (key_is(key, "tool_calls"))
            return each_element(v, [this](json::value& call) {
                Call* next = is_object(call) ? line_.calls.next() : nullptr;
                return !next || collect_call(call, *next);
            });
        return true;
    }

    bool collect_message(json::value& v, int depth) {
        return each_field(v, [this, depth](const char* key, json::value& w) {
            if (key_is(key, "payload"))
                return each_field(
                    w, [this, depth](const char* k, json::value& x) { return collect_payload(k, x, depth); });
            // That of the innermost event, also where its frame names its own behind it.
            if (key_is(key, "type") && depth >= line_.depth) {
                line_.type = raw_string(w);
                line_.depth = depth;
            }
            return true;
        });
    }

    bool collect_payload(const char* key, json::value& v, int depth) {
        switch (key[0]) {
            case 'a':
                if (key_is(key, "arguments_part"))
                    line_.arguments_part = raw_string(v);
                else if (key_is(key, "agent_id"))
                    line_.agent_id = raw_string(v);
                break;
            case 'c':
                if (key_is(key, "context_tokens")) line_.context_tokens = as_uint(v);
                break;
            case 'e':
                if (key_is(key, "event") && depth < 8) return collect_message(v, depth + 1);
                if (key_is(key, "encrypted")) line_.encrypted_bytes = raw_string(v).size();
                break;
            case 'f':
                if (key_is(key, "function")) return collect_function(v, line_.call);
                break;
            case 'i':
                if (key_is(key, "id")) line_.call.id = raw_string(v);
                break;
            case 'm':
                if (key_is(key, "max_context_tokens"))
                    line_.window_tokens = as_uint(v);
                else if (key_is(key, "message_id"))
                    line_.message_id = raw_string(v);
                break;
            case 'n':
                if (key_is(key, "n")) line_.step = as_int(v, 0);
                break;
            case 'p':
                if (key_is(key, "parent_tool_call_id")) line_.parent_call = raw_string(v);
                break;
            case 'r':
                if (key_is(key, "return_value")) return collect_result(v);
                break;
            case 's':
                if (key_is(key, "subagent_type")) line_.agent_type = raw_string(v);
                break;
            case 't':
                if (key_is(key, "task_tool_call_id"))
                    line_.parent_call = raw_string(v);
                else if (key_is(key, "tool_call_id"))
                    line_.result_id = raw_string(v);
                else if (key_is(key, "type"))
                    line_.part_type = raw_string(v);
                else if (key_is(key, "think"))
                    line_.think = text_of(raw_string(v));
                else if (key_is(key, "text"))
                    line_.text = text_of(raw_string(v));
                else if (key_is(key, "token_usage"))
                    return collect_usage(v);
                break;
            case 'u':
                if (key_is(key, "user_input")) {
                    line_.input = read_content(v);
                    line_.has_input = true;
                }
                break;
            default: break;
        }
        return true;
    }

    static bool collect_function(json::value& v, Call& call) {
        return each_field(v, [&call](const char* key, json::value& w) {
            if (key_is(key, "name"))
                call.name = raw_string(w);
            else if (key_is(key, "arguments")) {
                call.arguments = raw_string(w);
                call.has_arguments = is_string(w);
            }
            return true;
        });
    }

    static bool collect_call(json::value& v, Call& call) {
        return each_field(v, [&call](const char* key, json::value& w) {
            if (key_is(key, "id"))
                call.id = raw_string(w);
            else if (key_is(key, "function"))
                return collect_function(w, call);
            return true;
        });
    }

    bool collect_result(json::value& v) {
        line_.has_result = is_object(v);
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "is_error"))
                line_.is_error = is_true(w);
            else if (key_is(key, "output"))
                line_.output = read_content(w);
            else if (key_is(key, "message"))
                line_.note = text_of(raw_string(w));
            return true;
        });
    }

    bool collect_usage(json::value& v) {
        line_.has_usage = is_object(v);
        return each_field(v, [this](const char* key, json::value& n) {
            if (key_is(key, "input_other"))
                line_.tokens.input = as_uint(n);
            else if (key_is(key, "output"))
                line_.tokens.output = as_uint(n);
            else if (key_is(key, "input_cache_read"))
                line_.tokens.cache_read = as_uint(n);
            else if (key_is(key, "input_cache_creation"))
                line_.tokens.cache_write = as_uint(n);
            return true;
        });
    }

    // Of the context file: the last thought, and all texts as one.
    bool collect_content(json::value& v) {
        line_.content = Content{};
        joined_.clear();
        if (is_string(v)) {
            line_.content = read_content(v);
            return true;
        }
        line_.content.seen = true;
        return each_element(v, [this](json::value& part) {
            return each_field(part, [this](const char* key, json::value& w) {
                if (key_is(key, "think"))
                    line_.think = text_of(raw_string(w));
                else if (key_is(key, "text") && is_string(w))
                    add_text(raw_string(w));
                else if (key_is(key, "image_url"))
                    ++line_.content.media;
                return true;
            });
        });
    }

    void add_text(std::string_view raw) {
        RawText& text = line_.content.text;
        if (text.empty()) {
            text = text_of(raw);
            return;
        }
        if (joined_.empty()) joined_.assign(text.bytes);
        joined_ += "\\n";
        joined_ += raw;
        text = text_of(joined_);
    }

    // ---- sessions and lanes -----------------------------------------------------------------------------

    void open_session() {
        new_head().time_ms = line_.time_ms;
        SessionStart start;
        start.product_version = text_of(line_.protocol);
        start.resumed = open_;
        open_ = true;
        emit(start);
    }

    Lane& begin() {
        if (!open_) open_session();
        const std::uint32_t lane = lane_of_line();
        if (open_calls_.size() <= lane) open_calls_.resize(lane + 1);
        new_head(lane, lane == 0 ? turn_ : 0).time_ms = line_.time_ms;
        return open_calls_[lane];
    }

    std::uint32_t lane_of_line() {
        const std::string_view agent = line_.agent_id.empty() ? line_.parent_call : line_.agent_id;
        if (agent.empty()) return 0;
        const auto [lane, opened] = lanes_.find(id_hash(agent));
        if (opened) {
            new_head(lane).time_ms = line_.time_ms;
            LaneOpen open;
            open.purpose = LanePurpose::task;
            open.agent_id = text_of(agent);
            open.agent_type = text_of(line_.agent_type);
            emit(open);
        }
        return lane;
    }

    // ---- the wire ---------------------------------------------------------------------------------------

    LineFate wire_record() {
        const std::string_view type = line_.type;
        if (is_one_of(type, kQuiet)) return LineFate::ignored_kind;
        Lane& lane = begin();
        if (type == "ToolCallPart") return add_part(lane);
        if (type == "ToolResult") return result(lane);
        flush(lane);
        if (type == "TurnBegin" || type == "SteerInput") return turn(type == "SteerInput");
        if (type == "StepBegin") return step(lane);
        if (type == "ContentPart") return content(lane);
        if (type == "ToolCall") return call(lane);
        if (type == "StatusUpdate") return status(lane);
        if (type == "TurnEnd") return turn_end(TurnStatus::completed);
        if (type == "StepInterrupted") return turn_end(TurnStatus::aborted);
        if (type == "CompactionBegin" || type == "CompactionEnd") return compaction(type == "CompactionBegin");
        if (type == "StepRetry") {
            emit(notice_of(NoticeLayer::provider, NoticeLevel::warning, type, line_.text));
            return LineFate::understood;
        }
        return LineFate::unknown_kind;
    }

    LineFate turn(bool steered) {
        if (!line_.has_input) return LineFate::missing_field;
        const bool human = head().lane == 0;
        if (human && !steered) {
            head().turn = ++turn_;
            in_turn_ = true;
            emit(TurnStart{});
        }
        const Origin origin = !human ? Origin::agent : steered ? Origin::queued : Origin::human;
        emit(Message{Role::user, origin, line_.input.text, line_.input.media});
        return LineFate::understood;
    }

    LineFate step(Lane& lane) {
        lane.response = ++responses_ | std::uint64_t{1} << 63;
        return LineFate::understood;
    }

    LineFate content(Lane& lane) {
        head().response = lane.response;
        if (!line_.think.empty() || line_.encrypted_bytes > 0) emit(Thinking{line_.think, line_.encrypted_bytes});
        if (!line_.text.empty()) emit(Message{Role::assistant, Origin::agent, line_.text, 0});
        return LineFate::understood;
    }

    LineFate call(Lane& lane) {
        if (line_.call.name.empty()) return LineFate::missing_field;
        head().response = lane.response;
        lane.pending = true;
        lane.head = head();
        lane.head.record_id = {};
        lane.id.assign(line_.call.id);
        lane.name.assign(line_.call.name);
        lane.arguments.assign(line_.call.arguments);
        return LineFate::understood;
    }

    // Pieces of a JSON string, joined with their escapes, are the string.
    LineFate add_part(Lane& lane) {
        if (!lane.pending) return LineFate::ignored_kind;  // the file begins in the middle
        if (lane.arguments.size() + line_.arguments_part.size() <= kLongestArguments)
            lane.arguments += line_.arguments_part;
        return LineFate::understood;
    }

    void flush(Lane& lane) {
        if (!lane.pending) return;
        lane.pending = false;
        const CallArgs args = lane.arguments.empty() ? CallArgs{} : args_.digest_string({}, lane.arguments);
        emit(call_of(lane.id, lane.name, args), lane.head);
    }

    // May come while the arguments of the next call are still being told.
    LineFate result(Lane& lane) {
        if (line_.result_id.empty() || !line_.has_result) return LineFate::missing_field;
        if (lane.pending && lane.id == line_.result_id) flush(lane);
        ToolResult result;
        result.call_id = text_of(line_.result_id);
        result.text = line_.output.text.empty() ? line_.note : line_.output.text;
        result.media_count = line_.output.media;
        const std::string_view note = line_.note.bytes;
        result.exit_code = number_after(note, "exit code: ");
        if (!line_.is_error)
            result.status = status_of(result.exit_code);
        else if (note.find("rejected by the user") != note.npos)
            result.status = ResultStatus::denied;
        else
            result.status = ResultStatus::error;
        emit(result);
        return LineFate::understood;
    }

    LineFate status(Lane& lane) {
        head().response = lane.response;
        if (!line_.has_usage && line_.context_tokens == 0) return LineFate::understood;
        Usage usage;
        usage.tokens = line_.tokens;
        if (!is_stand_in(line_.message_id)) {
            usage.mode = UsageMode::replace;
            usage.message_key = id_hash(line_.message_id);
        } else if (line_.time_ms != kNoTime && line_.tokens.total() > 0) {  // copied by a fork, with its time
            usage.message_key = mix_hash(static_cast<std::uint64_t>(line_.time_ms), figures_hash(line_.tokens)) | 1;
        }
        if (line_.context_tokens > 0) usage.context_tokens = line_.context_tokens;
        usage.window_tokens = line_.window_tokens;
        emit(usage);
        return LineFate::understood;
    }

    LineFate turn_end(TurnStatus status) {
        if (head().lane == 0 && std::exchange(in_turn_, false)) emit(TurnEnd{status, -1});
        return LineFate::understood;
    }

    LineFate compaction(bool begins) {
        Compaction compaction;
        compaction.phase = begins ? CompactionPhase::begin : CompactionPhase::end;
        emit(compaction);
        return LineFate::understood;
    }

    // ---- the context file -------------------------------------------------------------------------------

    LineFate context_record() {
        const std::string_view role = line_.role;
        if (role == "_checkpoint") return LineFate::ignored_kind;
        begin();
        if (role == "_system_prompt" || role == "system") {
            emit(Message{Role::system, Origin::injected, line_.content.text, 0});
            return LineFate::understood;
        }
        if (role == "_usage") return context_usage();
        tell_prompt();
        if (role == "user") return context_user();
        if (role == "assistant") return context_assistant();
        if (role == "tool") return context_result();
        return role.starts_with('_') ? LineFate::ignored_kind : LineFate::unknown_kind;
    }

    // What the context holds, written twice a response: before it, which is its prompt, and after it, with the answer.
    LineFate context_usage() {
        Usage usage;
        usage.context_tokens = line_.token_count;
        if (answered_ && line_.token_count >= prompt_tokens_) {
            head().response = context_response();
            usage.tokens.input = std::exchange(prompt_tokens_, 0);
            usage.tokens.output = line_.token_count - usage.tokens.input;
        } else {
            tell_prompt();
            prompt_tokens_ = line_.token_count;
        }
        answered_ = false;
        emit(usage);
        return LineFate::understood;
    }

    // A response without the second figure: its prompt was paid for all the same.
    void tell_prompt() {
        if (!std::exchange(answered_, false)) return;
        head().response = context_response();
        Usage usage;
        usage.context_tokens = prompt_tokens_;
        usage.tokens.input = std::exchange(prompt_tokens_, 0);
        emit(usage);
        head().response = 0;
    }

    std::uint64_t context_response() const { return responses_ | std::uint64_t{1} << 63; }

    LineFate context_user() {
        if (!line_.content.seen) return LineFate::missing_field;
        const bool human = !line_.content.text.bytes.starts_with("<system");
        if (human) {
            head().turn = ++turn_;
            emit(TurnStart{});
        }
        emit(Message{Role::user, human ? Origin::human : Origin::injected, line_.content.text, line_.content.media});
        return LineFate::understood;
    }

    LineFate context_assistant() {
        ++responses_;
        head().response = context_response();
        answered_ = prompt_tokens_ > 0;
        if (!line_.think.empty()) emit(Thinking{line_.think, 0});
        if (!line_.content.text.empty()) emit(Message{Role::assistant, Origin::agent, line_.content.text, 0});
        for (const Call& call : line_.calls) {
            const CallArgs args = call.arguments.empty() ? CallArgs{} : args_.digest_string({}, call.arguments);
            if (!call.name.empty()) emit(call_of(call.id, call.name, args));
        }
        return LineFate::understood;
    }

    LineFate context_result() {
        if (line_.result_id.empty()) return LineFate::missing_field;
        ToolResult result;
        result.call_id = text_of(line_.result_id);
        result.text = line_.content.text;
        result.media_count = line_.content.media;
        result.media_hash = line_.content.media_hash;
        const std::string_view note = note_of(result.text.bytes);
        result.exit_code = number_after(note, "exit code: ");
        if (note.starts_with("<system>ERROR")) {
            const bool refused = note.find("rejected by the user") != note.npos;
            result.status = refused ? ResultStatus::denied : ResultStatus::error;
        }
        emit(result);
        return LineFate::understood;
    }

    Line line_;
    std::string joined_;  // the texts of a content in parts
    bool open_ = false, in_turn_ = false;
    std::uint32_t turn_ = 0;
    std::uint64_t responses_ = 0;
    std::uint64_t prompt_tokens_ = 0;  // of the context file: what stood in the context before the next response
    bool answered_ = false;            // that response was read, its second figure not yet
    LaneTable lanes_;
    std::vector<Lane> open_calls_;  // by lane
};

// A block of the type "think". Other formats have tools of that name.
bool holds_thought(std::string_view blocks) {
    constexpr std::string_view kThink = "\"think\"", kType = "\"type\"";
    for (std::size_t at = blocks.find(kThink); at != blocks.npos; at = blocks.find(kThink, at + 1)) {
        const auto cut = [](std::string_view t) {
            while (t.ends_with(' ')) t.remove_suffix(1);
            return t;
        };
        const std::string_view before = cut(blocks.substr(0, at));
        if (before.ends_with(':') && cut(before.substr(0, before.size() - 1)).ends_with(kType)) return true;
    }
    return false;
}

Score score(std::span<const ProbeRecord> sample, Framing) {
    constexpr std::array<std::string_view, 9> kTypes{"TurnBegin",    "StepBegin",    "ContentPart",
                                                     "ToolCall",     "ToolCallPart", "ToolResult",
                                                     "StatusUpdate", "TurnEnd",      "SubagentEvent"};
    Score best = 0;
    for (const ProbeRecord& r : sample) {
        if (!r.is_object()) continue;
        const ProbeRecord message = r.child("message");
        if (r.has("timestamp") && message.has("payload") && is_one_of(message.text("type"), kTypes)) return kCertain;
        if (r.text("type") == "metadata" && r.has("protocol_version")) best = std::max(best, 60);
        const std::string_view role = r.text("role");
        if (role == "_system_prompt" || role == "_checkpoint" || role == "_usage") return kCertain;
        const auto content = r.raw("content");
        const bool thinks = content && content->starts_with('[') && holds_thought(*content);
        if (role == "assistant" && thinks) best = std::max(best, 90);
    }
    return best;
}

constexpr RecordKindDoc kKinds[] = {
    {"metadata", "SessionStart"},
    {"TurnBegin, SteerInput", "TurnStart and Message (human); Message (queued)"},
    {"ContentPart", "Message or Thinking"},
    {"ToolCall and its ToolCallPart", "ToolCall, when its arguments are complete"},
    {"ToolResult", "ToolResult: is_error, else the exit code decides"},
    {"StatusUpdate", "Usage, how full the context is"},
    {"SubagentEvent", "LaneOpen, then the event in the sub-agent's lane"},
    {"TurnEnd, StepInterrupted", "TurnEnd"},
    {"CompactionBegin, CompactionEnd", "Compaction"},
    {"StepRetry", "Notice (provider)"},
    {"approvals, hooks, notifications", "ignored"},
    {"context file: _system_prompt, user, assistant, tool, _usage", "Message, Thinking, ToolCall, ToolResult, Usage"},
};

}  // namespace

ReaderSpec kimi_cli() {
    return {"kimi-cli",
            "Kimi CLI",
            "wire logs and context files",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::token_usage | Signal::timestamps | Signal::response_ids | Signal::reasoning |
                Signal::sub_agents | Signal::compaction,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<KimiCli>()); }};
}

}  // namespace agent_audit::readers
