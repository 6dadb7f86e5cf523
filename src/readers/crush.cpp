#include "readers/all.hpp"
#include "readers/messages/conversation.hpp"

#include <array>

// Rows of crush's database.
//
//   {"row":"crush.session","id":"…","parent_session_id":"…","created_at":1772445600}
//   {"row":"crush.message","id":"…","role":"assistant","model":"…","created_at":1772445601,"parts":[
//     {"type":"text","data":{"text":"…"}},{"type":"tool_call","data":{"id":"c","name":"bash","input":"{…}"}},
//     {"type":"finish","data":{"reason":"tool_use"}}]}

namespace agent_audit::readers {
namespace {

constexpr std::array<std::string_view, 5> kRefused{"user denied permission", "User denied permission",
                                                   "permission denied", "Tool call blocked by hook.",
                                                   "Turn halted by hook."};
constexpr std::array<std::string_view, 3> kCut{"Tool execution canceled", "tool execution canceled",
                                               "Error: user cancelled"};
constexpr std::array<std::string_view, 3> kRunning{
    "Background shell started with ID: ", "Command is taking longer than expected and has been moved to",
    "Status: running"};
constexpr std::string_view kGoOn = "The previous session was interrupted because it got too long, the initial user ";
// As it is written, and as Go writes it into JSON.
constexpr std::array<std::string_view, 2> kFolder{R"(\n\n<cwd>)", R"(\n\n\u003ccwd\u003e)"};

struct Part {
    std::string_view type, id, name, reason;
    RawText text, message;
    CallArgs args;
    std::uint64_t opaque_bytes = 0;
    std::optional<int> exit_code;
    RawText command, details;
    bool is_error = false, hidden = false, media = false;
};

struct Row {
    std::string_view row, id, parent, role, model, served;
    Reused<Part> parts;
    std::int64_t time_ms = kNoTime;
    double cost_usd = 0;
    bool has_parts = false, is_summary = false;
};

class Crush final : public ConversationReader {
protected:
    LineFate read_object(json::object object) override {
        begin_again(row_, &Row::parts);
        if (!read_fields<&Crush::collect>(object)) return LineFate::malformed_json;
        if (row_.row == "crush.session") return session();
        if (row_.row != "crush.message") return LineFate::unknown_kind;
        return row_.role.empty() || !row_.has_parts ? LineFate::missing_field : message();
    }

private:
    bool collect(const char* key, json::value& v) {
        if (key_is(key, "row"))
            row_.row = raw_string(v);
        else if (key_is(key, "id"))
            row_.id = raw_string(v);
        else if (key_is(key, "parent_session_id"))
            row_.parent = raw_string(v);
        else if (key_is(key, "role"))
            row_.role = raw_string(v);
        else if (key_is(key, "model"))
            row_.model = raw_string(v);
        else if (key_is(key, "prism_model_id"))
            row_.served = raw_string(v);
        else if (key_is(key, "cost"))
            row_.cost_usd = number_or(v, 0);
        else if (key_is(key, "created_at"))
            row_.time_ms = unix_time(v);
        else if (key_is(key, "is_summary_message"))
            row_.is_summary = as_uint(v) != 0;
        else if (key_is(key, "parts")) {
            row_.has_parts = is_array(v);
            return each_element(v, [this](json::value& element) {
                Part* part = is_object(element) ? row_.parts.next() : nullptr;
                return !part || each_field(element, [part, this](const char* k, json::value& w) {
                    if (key_is(k, "type")) part->type = raw_string(w);
                    if (!key_is(k, "data")) return true;
                    return each_field(
                        w, [part, this](const char* d, json::value& x) { return collect_data(d, x, *part); });
                });
            });
        }
        return true;
    }

    bool collect_data(const char* key, json::value& v, Part& part) {
        if (key_is(key, "text") || key_is(key, "thinking") || key_is(key, "content") || key_is(key, "output"))
            part.text = any_text(v);
        else if (key_is(key, "id") || key_is(key, "tool_call_id"))
            part.id = raw_string(v);
        else if (key_is(key, "name"))
            part.name = raw_string(v);
        else if (key_is(key, "input")) {
            if (!is_null(v)) part.args = args_.digest_value({}, v);
        } else if (key_is(key, "is_error"))
            part.is_error = is_true(v);
        else if (key_is(key, "reason"))
            part.reason = raw_string(v);
        else if (key_is(key, "message"))
            part.message = any_text(v);
        else if (key_is(key, "details"))
            part.details = any_text(v);
        else if (key_is(key, "hidden"))
            part.hidden = is_true(v);
        else if (key_is(key, "command"))
            part.command = text_of(raw_string(v));
        else if (key_is(key, "exit_code"))
            part.exit_code = small_int(v);
        else if (key_is(key, "signature") || key_is(key, "thought_signature"))
            part.opaque_bytes += raw_string(v).size();
        else if (key_is(key, "responses_data")) {
            if (!is_null(v)) part.opaque_bytes += raw_value(v).size();
        } else if (key_is(key, "data"))
            part.media = !raw_string(v).empty();
        return true;
    }

    LineFate session() {
        if (row_.id.empty()) return LineFate::missing_field;
        SessionStart start;
        start.session_id = text_of(row_.id);
        start.parent_session_id = text_of(row_.parent);
        start.sub_agent = !row_.parent.empty();
        begin_session(start, row_.time_ms);
        model_ = 0;
        // The running total of the session, that of its sub-agents included.
        const std::uint64_t cost = start.sub_agent ? 0 : microusd(row_.cost_usd);
        if (cost > 0) {
            Usage usage;
            usage.scope = UsageScope::session;
            usage.mode = UsageMode::cumulative;
            usage.cost_microusd = cost;
            emit(usage);
        }
        return LineFate::understood;
    }

    LineFate message() {
        const std::string_view role = row_.role;
        if (role != "user" && role != "assistant" && role != "tool" && role != "system") return LineFate::unknown_kind;
        begin_message(role == "assistant", row_.time_ms, row_.id);
        // A router is asked for by its name, and says which model answered.
        const std::string_view model = row_.served.empty() ? row_.model : row_.served;
        if (!model.empty() && id_hash(model) != model_) {
            model_ = id_hash(model);
            ContextChange change;
            change.model = text_of(model);
            emit(change);
        }
        for (const Part& part : row_.parts) one_part(part);
        return LineFate::understood;
    }

    void one_part(const Part& part) {
        if (part.type == "text") return text(part);
        if (part.type == "reasoning") return thinking(part);
        if (part.type == "tool_call" && !part.name.empty()) return emit(call_of(part.id, part.name, part.args));
        if (part.type == "tool_result") return result(part);
        if (part.type == "shell_command") return shell(part);
        if (part.type == "image_url" || part.type == "binary") return injected(Role::user, {}, 1);
        if (part.type == "finish") return finished(part);
    }

    void thinking(const Part& part) {
        if (!part.text.empty() || part.opaque_bytes > 0) emit(Thinking{part.text, part.opaque_bytes});
    }

    void text(const Part& part) {
        if (row_.is_summary) {
            summary(part.text);
        } else if (row_.role == "assistant") {
            answer(part.text);
        } else if (row_.role == "user") {
            // Crush has it go on where it was, after a compaction with the prompt once more.
            const bool own = part.hidden || part.text.bytes.starts_with(kGoOn);
            own ? injected(Role::user, part.text) : human(part.text);
        } else {
            injected(Role::system, part.text);
        }
    }

    // One that failed half way is written too, and leaves the context as it was.
    void summary(RawText text) {
        Compaction compaction;
        compaction.summary = text;
        const auto failed = [](const Part& part) { return part.type == "finish" && part.reason == "error"; };
        if (std::ranges::any_of(row_.parts, failed)) compaction.phase = CompactionPhase::failed;
        emit(compaction);
    }

    void result(const Part& part) {
        ToolResult result;
        result.call_id = text_of(part.id);
        result.name = text_of(part.name);
        result.text = part.text;
        result.media_count = part.media;
        result.opaque = part.text.empty() && part.media;
        result.exit_code = exit_code_of(part);
        result.status = status_of(part, result.exit_code);
        emit(result);
    }

    // Of a command its code is the last line, in front of the folder it ended in; elsewhere it is somebody's words.
    static std::optional<int> exit_code_of(const Part& part) {
        constexpr std::string_view kSaid = "Exit code ";
        constexpr std::size_t kTail = 600;
        if (!part.name.empty() && part.name != "bash" && part.name != "job_output") return std::nullopt;
        std::string_view text = part.text.bytes;
        if (text.size() > kTail) text.remove_prefix(text.size() - kTail);
        const std::size_t at = text.rfind(kSaid);
        if (at == text.npos || (at > 0 && !text.substr(0, at).ends_with("\\n"))) return std::nullopt;
        text.remove_prefix(at + kSaid.size());
        const std::string_view behind = text.substr(std::min(text.find_first_not_of("-0123456789"), text.size()));
        if (!behind.empty() && !starts_with_one_of(behind, kFolder)) return std::nullopt;
        return number_after(text.substr(0, 11), {});
    }

    static ResultStatus status_of(const Part& part, std::optional<int> exit_code) {
        const std::string_view text = part.text.bytes;
        if (part.is_error || part.name.empty()) {
            if (starts_with_one_of(text, kRefused)) return ResultStatus::denied;
            if (starts_with_one_of(text, kCut)) return ResultStatus::cancelled;
        }
        if (part.is_error || exit_code.value_or(0) != 0) return ResultStatus::error;
        const bool command = part.name == "bash" || part.name == "job_output";
        return command && starts_with_one_of(text, kRunning) ? ResultStatus::running : ResultStatus::ok;
    }

    // A command that the human typed: it answers itself.
    void shell(const Part& part) {
        if (part.command.empty()) return;
        ToolCall call = call_of(row_.id, "bash", args_.digest_text({}, part.command));
        call.caller = Caller::user;
        emit(call);
        ToolResult result;
        result.call_id = text_of(row_.id);
        result.text = part.text;
        result.exit_code = part.exit_code;
        result.status = readers::status_of(part.exit_code);
        emit(result);
    }

    void finished(const Part& part) {
        if (part.reason == "canceled" || part.reason == "permission_denied")
            return emit(TurnEnd{TurnStatus::aborted, -1});
        const bool filtered = part.reason == "content_filter";
        if (part.reason != "error" && !filtered) return;
        // The message is a title then: Provider Error.
        const RawText said = part.details.empty() ? part.message : part.details;
        emit(notice_of(NoticeLayer::provider, NoticeLevel::error, filtered ? "content_filter" : "error", said));
        emit(TurnEnd{TurnStatus::failed, -1});
    }

    Row row_;
    IdHash model_ = 0;
};

Score score(std::span<const ProbeRecord> sample, Framing) {
    return std::ranges::any_of(sample, [](const ProbeRecord& r) { return r.text("row").starts_with("crush."); })
               ? kCertain
               : 0;
}

constexpr RecordKindDoc kKinds[] = {
    {"row session", "SessionStart"},
    {"message, user", "TurnStart and Message (human); what Crush has it go on with: injected"},
    {"message, assistant",
     "Message, Thinking and ToolCall, one a part; Compaction when it is a summary; ContextChange (model)"},
    {"message, tool", "ToolResult: is_error, for commands the exit code"},
    {"part shell_command", "ToolCall by the user and its ToolResult"},
    {"part finish", "TurnEnd when it was cancelled; Notice (provider) and TurnEnd when it failed or was filtered"},
};

}  // namespace

ReaderSpec crush() {
    return {"crush",
            "Crush",
            "its SQLite database",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::timestamps | Signal::response_ids | Signal::reasoning | Signal::compaction | Signal::cost,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<Crush>()); }};
}

}  // namespace agent_audit::readers
