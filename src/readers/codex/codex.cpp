#include "readers/all.hpp"
#include "readers/codex/codex_copies.hpp"
#include "readers/codex/codex_ends.hpp"
#include "readers/codex/codex_events.hpp"
#include "readers/codex/codex_item.hpp"
#include "readers/codex/codex_kinds.hpp"
#include "readers/codex/codex_output.hpp"
#include "readers/codex/codex_payload.hpp"
#include "readers/codex/codex_score.hpp"
#include "readers/codex/codex_script.hpp"
#include "readers/codex/codex_setting.hpp"
#include "readers/codex/codex_text.hpp"
#include "readers/codex/codex_totals.hpp"
#include "readers/codex/codex_untold.hpp"
#include "readers/json/json_reader.hpp"
#include "readers/json/walk.hpp"
#include "readers/messages/recent.hpp"

#include <agent_audit/support/hash.hpp>
#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Codex rollout files (~/.codex/sessions/**/rollout-*.jsonl). Every line is {timestamp, type, payload}; the model's
// items are response_item records, and event_msg records repeat most of them for the UI. Before September 2025 the
// items stood bare on the line, without wrapper, times and usage: the same items, so the same reader.

namespace agent_audit::readers {
namespace {

using rollout::Blocks;
using rollout::Payload;
using rollout::Raw;

class Codex final : public JsonReader {
public:
    explicit Codex(bool legacy) : legacy_(legacy) {}

    void finish(EventSink& sink) override {
        if (!untold_.any()) return;
        set_sink(sink);
        tell_untold(untold_.rest());
    }

protected:
    LineFate read_object(json::object object) override {
        return collect(object) ? interpret() : LineFate::malformed_json;
    }

    std::optional<LineFate> read_quickly(quick::Walk& walk) override {
        const char* const open = walk.past_blanks(walk.at());
        if (*open != '{') return std::nullopt;
        if (!collect(quick::object(&walk, open)) || !walk.finished()) return std::nullopt;
        return interpret();
    }

private:
    // ---- collecting -------------------------------------------------------------------------------------

    template <class Object>
    bool collect(Object object) {
        p_ = Payload{};
        timestamp_ = {};
        type_ = {};
        ordinal_ = CodexCopies::kNoOrdinal;
        payload_ = false;
        const auto take_payload = [this](const char* key, auto& v) { return rollout::collect_field(key, v, p_); };
        if (legacy_) return each_field(object, take_payload);
        return each_field(object, [&](const char* key, auto& v) {
            if (key_is(key, "timestamp"))
                timestamp_ = raw_string(v);
            else if (key_is(key, "type"))
                type_ = raw_string(v);
            else if (key_is(key, "ordinal"))
                ordinal_ = as_uint(v);
            else if (key_is(key, "payload") && is_object(v)) {
                payload_ = true;
                return each_field(v, take_payload);
            }
            return true;
        });
    }

    // ---- interpreting -----------------------------------------------------------------------------------

    LineFate interpret() {
        if (legacy_) return bare_line();
        if (type_.empty() || !payload_) return LineFate::missing_field;
        return wrapped_line();
    }

    LineFate wrapped_line() {
        begin();
        if (type_ == "response_item") return item();
        if (type_ == "event_msg") return event_msg();
        if (type_ == "turn_context") return turn_context();
        if (type_ == "session_meta") return session_meta();
        if (type_ == "compacted") return compacted();
        if (type_ == "inter_agent_communication") return from_agent();
        if (type_ == "token_usage_record") return request_made();
        return codex_ignored_record(type_) ? LineFate::ignored_kind : LineFate::unknown_kind;
    }

    LineFate bare_line() {
        timestamp_ = p_.time;
        begin();
        if (!p_.type.empty()) return item();
        if (!p_.record_type.empty()) return p_.record_type == "state" ? LineFate::ignored_kind : LineFate::unknown_kind;
        if (p_.id.empty()) return LineFate::missing_field;
        if (!p_.has_git && !p_.has_instructions && p_.time.empty()) return LineFate::unknown_kind;
        p_.prompt_bytes = p_.instruction_bytes;  // no message repeats them in this layout
        return session_meta();
    }

    void begin() {
        EventHeader& h = new_head(0, turn_);
        h.time_ms = time_of(timestamp_);
        copies_.see(p_, {type_, ordinal_, h.time_ms});
        if (copies_.copied()) h.flags |= kCopied;
    }

    LineFate session_meta() {
        if (p_.id.empty()) return LineFate::missing_field;
        const IdHash id = id_hash(p_.id);
        const std::int64_t now = head().time_ms;
        if (session_ != 0 && id != session_ && copies_.begins_parent(now)) return LineFate::understood;
        const bool resumed = id == session_;
        // The program was killed in the session before.
        if (!resumed && untold_.any()) tell_untold(untold_.rest());
        if (!resumed) open_session(id, now);
        SessionStart start = codex_session_start(p_);
        start.resumed = resumed;
        start.sub_agent = sub_agent_;
        emit(start);
        if (resumed) return LineFate::understood;
        if (const std::optional<ContextChange> change = setting_.begin(p_)) emit(*change);
        return LineFate::understood;
    }

    void open_session(IdHash id, std::int64_t now) {
        session_ = id;
        sub_agent_ = p_.sub_agent;
        turn_ = 0;
        turn_records_ = false;
        unproven_ = false;
        announced_ = 0;
        error_told_ = false;
        totals_.begin();
        setting_ = {};  // its model is told anew, also where the session before had the same
        paginated_ = p_.paginated;
        script_.calls.clear();
        copies_.begin(p_, {type_, ordinal_, now});
        new_head().time_ms = now;
    }

    LineFate turn_context() {
        if (const std::optional<ContextChange> change = setting_.turn(p_)) emit(*change);
        return LineFate::understood;
    }

    LineFate compacted() {
        emit(codex_compaction(p_));
        return LineFate::understood;
    }

    LineFate from_agent() {
        const std::optional<Message> message = codex_agent_message(p_);
        if (!message) return LineFate::missing_field;
        emit(*message);
        return LineFate::understood;
    }

    // ---- response items ---------------------------------------------------------------------------------

    LineFate item() {
        head().record_id = p_.id;
        if (p_.type.empty()) return LineFate::missing_field;
        switch (p_.type[0]) {
            case 'a':
                if (p_.type == "agent_message") return from_agent();
                if (p_.type == "additional_tools") return additional_tools();
                break;
            case 'c':
                if (p_.type == "custom_tool_call") return custom_tool_call();
                if (p_.type == "custom_tool_call_output") return output();
                break;
            case 'f':
                if (p_.type == "function_call") return function_call();
                if (p_.type == "function_call_output") return output();
                break;
            case 'i':
                if (p_.type == "image_generation_call") return hosted_call("image_generation");
                break;
            case 'l':
                if (p_.type == "local_shell_call") return typed_call("local_shell", p_.action);
                break;
            case 'm':
                if (p_.type == "message") return message();
                break;
            case 'r':
                if (p_.type == "reasoning") return reasoning();
                break;
            case 't':
                if (p_.type == "tool_search_call") return typed_call("tool_search", p_.arguments);
                if (p_.type == "tool_search_output") return output();
                break;
            case 'w':
                if (p_.type == "web_search_call") return hosted_call("web_search");
                break;
            default: break;
        }
        return codex_ignored_item(p_.type) ? LineFate::ignored_kind : LineFate::unknown_kind;
    }

    LineFate message() {
        if (p_.role.empty() || !p_.content.seen) return LineFate::missing_field;
        if (p_.role == "user") return user_message();
        Message m{Role::assistant, Origin::agent, p_.content.text, p_.content.media};
        if (p_.role != "assistant") {
            m.role = Role::system;
            m.origin = Origin::injected;
        }
        emit(m);
        return LineFate::understood;
    }

    LineFate user_message() {
        const Blocks& content = p_.content;
        const bool program = p_.writer == rollout::Writer::program || p_.writer == rollout::Writer::hook;
        if (content.humans == 0 || program) {
            const Origin origin = p_.writer == rollout::Writer::hook ? Origin::hook : Origin::injected;
            emit(Message{Role::user, origin, content.text, content.media});
            return LineFate::understood;
        }
        // The UI's copy came first and was taken for the message.
        if (announced_ != 0 && announced_ == id_hash(content.human.bytes)) {
            announced_ = 0;
            return LineFate::ignored_kind;
        }
        human(content.human, content.media);
        unproven_ = true;
        return LineFate::understood;
    }

    // A sub-agent's prompt was written by the agent that started it.
    void human(RawText text, std::uint32_t media) {
        if (!turn_records_) start_turn();
        emit(Message{Role::user, sub_agent_ ? Origin::agent : Origin::human, text, media});
    }

    void start_turn() {
        head().turn = ++turn_;
        emit(TurnStart{});
    }

    LineFate reasoning() {
        Thinking thinking;
        thinking.text = p_.summary.texts > 0 ? p_.summary.text : p_.content.text;
        thinking.opaque_bytes = p_.opaque_bytes;
        emit(thinking);
        return LineFate::understood;
    }

    LineFate additional_tools() {
        if (!p_.output.seen()) return LineFate::missing_field;
        ContextChange change;
        change.system_prompt_bytes = p_.output.json.size();
        emit(change);
        return LineFate::understood;
    }

    LineFate function_call() {
        if (p_.name.empty()) return LineFate::missing_field;
        emit_call(text_of(p_.name), digest(p_.name, p_.arguments), text_of(p_.call_id));
        return LineFate::understood;
    }

    LineFate custom_tool_call() {
        if (p_.name.empty()) return LineFate::missing_field;
        const CallArgs args =
            p_.input.is_string() ? args_.digest_text(p_.name, text_of(p_.input.inside())) : digest(p_.name, p_.input);
        emit_call(text_of(p_.name), args, text_of(p_.call_id));
        script_calls_ = false;
        if (codex_script_tool(p_.name) && p_.input.is_string()) begin_script();
        return LineFate::understood;
    }

    // ---- calls that only the text of a script tells of --------------------------------------------------

    // Without items, how they ended is known when the script has.
    void begin_script() {
        constexpr std::size_t kMostCalls = 32, kLongestScript = 256u << 10;
        script_.calls.clear();
        if (paginated_ || p_.input.json.size() > kLongestScript) return;
        script_.calls = calls_of_script(decode_json_string(p_.input.inside()), kMostCalls);
        std::erase_if(script_.calls, [](const ScriptCall& call) { return !is_told_by_script(call.tool); });
        script_.id.assign(p_.call_id);
        script_.where = record().where;
        script_.time_ms = head().time_ms;
    }

    // Patches and calls of servers have records of their own.
    static bool is_told_by_script(std::string_view tool) {
        constexpr std::string_view kTold[] = {"exec_command", "shell_command", "shell", "write_stdin", "update_plan"};
        return std::ranges::find(kTold, tool) != std::end(kTold);
    }

    // A script that failed, or that has not ended, is a step itself. An exit code that it printed is that of a call.
    void end_script(ToolResult& script) {
        if (script.status == ResultStatus::running) return;
        const std::vector<ScriptCall> calls = std::exchange(script_.calls, {});
        if (script.status == ResultStatus::error && !script.exit_code) return;
        script.status = ResultStatus::ok;
        script.exit_code.reset();
        const EventHeader as_it_was = head();
        const std::vector<std::string> answers = outputs_.answers(calls.size());
        for (std::size_t i = 0; i < calls.size(); ++i) {
            const std::string id = script_.id + "/" + std::to_string(i + 1);
            head().flags = as_it_was.flags | kHidden | kSynthetic;
            head().where = script_.where;
            head().time_ms = script_.time_ms;
            const std::string_view tool = calls[i].tool;
            emit_call(text_of(tool), digest(tool, {calls[i].json()}), text_of(id), Caller::code);
            head().where = as_it_was.where;
            head().time_ms = as_it_was.time_ms;
            ToolResult result;
            result.call_id = text_of(id);
            if (answers.empty())
                result.opaque = true;
            else
                outputs_.read_answer(answers[i], result);
            emit(result);
        }
        head() = as_it_was;
    }

    LineFate typed_call(std::string_view tool, const Raw& arguments) {
        emit_call(plain(tool), digest(tool, arguments), text_of(p_.call_id.empty() ? p_.id : p_.call_id));
        return LineFate::understood;
    }

    // Calls the provider runs itself: no output is recorded, so the call answers itself, content unknown.
    LineFate hosted_call(std::string_view tool) {
        RawText call_id = text_of(p_.call_id.empty() ? p_.id : p_.call_id);
        if (call_id.empty()) call_id = plain(tool);
        emit_call(plain(tool), digest(tool, p_.action), call_id);
        ToolResult result;
        result.call_id = call_id;
        result.status = p_.status == "failed" ? ResultStatus::error : ResultStatus::ok;
        result.opaque = true;
        head().flags |= kSynthetic;
        emit(result);
        return LineFate::understood;
    }

    CallArgs digest(std::string_view tool, const Raw& arguments) {
        if (arguments.is_string()) return args_.digest_string(tool, arguments.inside());
        if (!arguments.seen() || arguments.json[0] == 'n') {
            CallArgs none = ArgsDigester::digest_none(tool);
            none.digest.opaque = !arguments.seen();
            return none;
        }
        // The value was skipped over before the tool's name was known. Behind it is the rest of the record, so
        // the padding a parser wants is there.
        json::document doc;
        json::value value;
        const std::string_view raw = arguments.json;
        if (raw[0] == '{' &&
            !again_.iterate(raw.data(), raw.size(), raw.size() + simdjson::SIMDJSON_PADDING).get(doc) &&
            !doc.get_value().get(value)) {
            return args_.digest_value(tool, value);
        }
        return args_.digest_text(tool, {raw, TextForm::json_value});
    }

    void emit_call(RawText name, const CallArgs& args, RawText call_id, Caller caller = Caller::model) {
        ToolCall call;
        call.script = caller == Caller::model && p_.type == "custom_tool_call" && codex_script_tool(p_.name);
        call.call_id = call_id;
        call.name = p_.space.starts_with("mcp__") ? in_space(name) : name;
        call.args = args.raw;
        call.primary = codex_command(args.primary, args.raw);
        call.digest = args.digest;
        call.fields = args.fields;
        call.caller = caller;
        // Two servers may offer tools of one name.
        if (!p_.space.empty()) {
            const std::uint64_t space = stable_hash(p_.space);
            call.digest.canonical = mix_hash(call.digest.canonical, space);
        }
        if (caller == Caller::model && call_id.bytes.starts_with("exec-")) named_alike_.put(id_hash(call_id.bytes), 0);
        emit(call);
    }

    // Tools of a server are called by both names everywhere else, and rules name them so.
    [[gnu::cold]] RawText in_space(RawText name) {
        space_name_.assign(p_.space).append(p_.space.ends_with("__") ? "" : "__").append(name.bytes);
        return {space_name_, name.form};
    }

    LineFate output() {
        if (!p_.output.seen()) return LineFate::missing_field;
        ToolResult result;
        result.call_id = text_of(p_.call_id);
        result.name = text_of(p_.name);
        if (!outputs_.read(p_, result, script_calls_)) return LineFate::malformed_json;
        // What the program has to say, as the output of a call that nobody made.
        if (p_.call_id.empty() && !p_.name.empty()) {
            emit(Message{Role::user, Origin::injected, result.text, result.media_count});
            return LineFate::understood;
        }
        ends_.complete(id_hash(p_.call_id), result);
        setting_.name_refuser(result);
        if (!script_.calls.empty() && outputs_.is_script()) end_script(result);
        emit(result);
        return LineFate::understood;
    }

    // ---- event messages ---------------------------------------------------------------------------------

    LineFate event_msg() {
        if (p_.type.empty()) return LineFate::missing_field;
        if (p_.type == "token_count") return token_count();
        if (p_.type == "task_started" || p_.type == "turn_started") {
            turn_records_ = true;
            unproven_ = false;
            if (untold_.any()) tell_untold(untold_.rest());
            start_turn();
            return LineFate::understood;
        }
        if (p_.type == "task_complete" || p_.type == "turn_complete") return turn_complete();
        if (p_.type == "turn_aborted") return turn_end(TurnStatus::aborted);
        if (p_.type == "user_message") return ui_user_message();
        if (p_.type == "thread_rolled_back") return rolled_back();
        if (p_.type == "patch_apply_end" || p_.type == "mcp_tool_call_end" || p_.type == "exec_command_end") {
            return call_end();
        }
        if (p_.type == "item_completed") return item_completed();
        if (p_.type == "error") return failed();
        if (p_.type == "stream_error") return notice(NoticeLevel::warning, NoticeLayer::provider);
        if (p_.type == "warning") return notice(NoticeLevel::warning, NoticeLayer::harness);
        return codex_ignored_event(p_.type) ? LineFate::ignored_kind : LineFate::unknown_kind;
    }

    LineFate token_count() {
        if (!p_.total.seen && !p_.last.seen) {
            return p_.info_null ? LineFate::ignored_kind : LineFate::missing_field;  // null: rate limits only
        }
        if (untold_.any()) tell_untold(untold_.told(p_.last));
        Usage usage = totals_.told(p_, (head().flags & kCopied) != 0);
        usage.model = text_of(setting_.model());
        usage.message_key = codex_usage_key(timestamp_, (p_.total.seen ? p_.total : p_.last).counts());
        emit(usage);
        return LineFate::understood;
    }

    // A running total follows, with the same figures, and tells them. Or none does.
    LineFate request_made() {
        if (!p_.last.seen) return LineFate::missing_field;
        if ((head().flags & kCopied) != 0 || p_.last.all_zero()) return LineFate::ignored_kind;
        untold_.met({p_.last, record().where, head().time_ms, codex_usage_key(timestamp_, p_.last.counts())});
        return LineFate::understood;
    }

    [[gnu::cold]] void tell_untold(const std::vector<CodexUntold::Request>& requests) {
        if (requests.empty()) return;
        const EventHeader now = head();
        const SourceSpan here = record().where;
        for (const CodexUntold::Request& request : requests) {
            set_place(request.where);
            new_head(0, turn_).time_ms = request.time_ms;
            Usage usage = totals_.told_alone(request.counters);
            usage.model = text_of(setting_.model());
            usage.message_key = request.key;
            emit(usage);
        }
        set_place(here);
        EventHeader& h = new_head(0, turn_);
        h.time_ms = now.time_ms;
        h.flags = now.flags;
    }

    LineFate failed() {
        error_told_ = true;
        return notice(NoticeLevel::error, NoticeLayer::provider);
    }

    // A turn that failed says why, unless an event of its own did.
    LineFate turn_complete() {
        if (p_.message.empty()) return turn_end(TurnStatus::completed);
        if (!error_told_) notice(NoticeLevel::error, NoticeLayer::provider);
        return turn_end(TurnStatus::failed);
    }

    LineFate turn_end(TurnStatus status) {
        error_told_ = false;
        emit(TurnEnd{status, p_.duration_ms});
        return LineFate::understood;
    }

    // The UI's copy of what a human typed. It proves a message that was taken for a human's, and gives the one
    // that looked injected (an attached image comes first) or is not recorded.
    LineFate ui_user_message() {
        if (!p_.kind.empty() && p_.kind != "plain") return LineFate::ignored_kind;
        if (unproven_) {
            unproven_ = false;
            return LineFate::ignored_kind;
        }
        if (p_.message.empty() || codex_injected(p_.message)) return LineFate::ignored_kind;
        human(text_of(p_.message), 0);
        announced_ = id_hash(p_.message);
        return LineFate::understood;
    }

    LineFate rolled_back() {
        const std::optional<Rewind> rewind = codex_rewind(p_);
        if (!rewind) return LineFate::missing_field;
        emit(*rewind);
        return LineFate::understood;
    }

    // How a call of the model's ended, or a call that a script of the model's made. All else is told by other records.
    LineFate item_completed() {
        if (!items_.read(p_.item.json)) return LineFate::malformed_json;
        const CodexItem& item = items_.item();
        if (item.id.empty() || item.of_human()) return LineFate::ignored_kind;
        if (item.of_script() && !named_alike_.contains(id_hash(item.id))) return call_of_script();
        if (!item.ends_call()) return LineFate::ignored_kind;
        item.tell_end(p_);
        return call_end();
    }

    // The model is shown what its script makes of the answer, and not the answer.
    LineFate call_of_script() {
        const std::optional<CodexItems::Call> made = items_.call();
        const IdHash id = id_hash(items_.item().id);
        if (!made || told_.contains(id)) return LineFate::ignored_kind;
        told_.put(id, 0);
        head().flags |= kHidden;
        CallArgs args =
            made->text.empty() ? digest(made->name, made->arguments) : args_.digest_text(made->name, made->text);
        // The same command is another one elsewhere.
        if (!items_.item().cwd.empty())
            args.digest.canonical = mix_hash(args.digest.canonical, stable_hash(items_.item().cwd));
        emit_call(text_of(made->name), args, text_of(items_.item().id), Caller::code);
        emit(items_.result());
        script_calls_ = true;
        return LineFate::understood;
    }

    // Comes before or after the output of the same call, which has the text.
    LineFate call_end() {
        const IdHash id = id_hash(p_.call_id);
        if (id == 0) return LineFate::missing_field;
        if (p_.status == "declined") p_.end_status = ResultStatus::denied;
        if (p_.call_id.starts_with("exec-") && p_.type != "item_completed" && !named_alike_.contains(id))
            return p_.type == "exec_command_end" || !items_.read_end(p_) ? LineFate::ignored_kind : call_of_script();
        if (ends_.waits_for_output(id, p_)) return LineFate::understood;
        ToolResult result = codex_update(p_);
        setting_.name_refuser(result);
        emit(result);
        return LineFate::understood;
    }

    LineFate notice(NoticeLevel level, NoticeLayer layer) {
        const std::optional<Notice> told = codex_notice(p_, level, layer);
        if (!told) return LineFate::missing_field;
        emit(*told);
        return LineFate::understood;
    }

    const bool legacy_;
    Payload p_;
    std::string_view timestamp_, type_;
    std::uint64_t ordinal_ = CodexCopies::kNoOrdinal;  // number of the record in its thread, where records have one
    bool payload_ = false;

    IdHash session_ = 0;
    CodexCopies copies_;
    bool sub_agent_ = false;
    bool error_told_ = false;  // of the turn, before its end
    std::uint32_t turn_ = 0;
    bool turn_records_ = false;  // task_started seen: human messages start no turn of their own
    bool unproven_ = false;      // a human message from a response item waits for its UI copy
    IdHash announced_ = 0;       // a UI copy that came before its response item
    CodexTotals totals_;
    std::string space_name_;  // of a call of a server's tool
    CodexUntold untold_;
    CodexSetting setting_;
    CodexOutputs outputs_;
    CodexEnds ends_;
    Recent<std::uint8_t, 16> named_alike_;  // calls of the model's own whose ids look like those of a script's
    Recent<std::uint8_t, 16> told_;         // calls of scripts, which an item and an event may tell
    CodexItems items_;
    bool script_calls_ = false;  // since the newest script began
    bool paginated_ = false;
    struct {
        std::vector<ScriptCall> calls;
        std::string id;
        SourceSpan where;
        std::int64_t time_ms = kNoTime;
    } script_;  // the newest one
    json::parser again_;
};

}  // namespace

ReaderSpec codex() {
    return {"codex",
            "OpenAI Codex CLI",
            "rollout files of Codex, September 2025 and later",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::token_usage | Signal::timestamps | Signal::reasoning | Signal::sub_agents | Signal::compaction,
            codex_kind_docs(),
            codex_score_rollout,
            []() -> std::unique_ptr<RecordReader> { return std::make_unique<Codex>(false); }};
}

ReaderSpec codex_legacy() {
    return {"codex-legacy",
            "OpenAI Codex CLI",
            "rollout files of Codex before September 2025: bare items, no times, no usage",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes | Signal::reasoning,
            codex_legacy_kind_docs(),
            codex_score_legacy,
            []() -> std::unique_ptr<RecordReader> { return std::make_unique<Codex>(true); }};
}

}  // namespace agent_audit::readers
