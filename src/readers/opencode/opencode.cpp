#include "readers/all.hpp"
#include "readers/json/document_reader.hpp"
#include "readers/json/ids.hpp"
#include "readers/opencode/opencode_message.hpp"

#include <optional>
#include <string>

// Sessions of opencode, exported as one document, or the rows of its database, which hold the same in pieces:
//
//   {"info":{"id":"ses_…","directory":"…"},"messages":[{"info":{"id":"msg_…","role":"assistant"},"parts":[{"type":"tool",…}]}]}
//
//   {"row":"opencode.session","id":"ses_…","directory":"…"}        without "row" in files, one each, before version 1.2
//   {"row":"opencode.message","id":"msg_…","role":"assistant","modelID":"…","tokens":{…}}
//   {"row":"opencode.part","id":"prt_…","type":"tool","callID":"…","tool":"bash","state":{"status":"completed","input":{…},"output":"…"}}
//
// From version 2.0 on a message is one row, whatever it is:
//
//   {"row":"opencode.entry","id":"msg_…","type":"user","text":"…","time":{"created":1}}
//   {"row":"opencode.entry","id":"msg_…","type":"assistant","model":{"id":"…"},"tokens":{…},
//    "content":[{"type":"tool","id":"…","name":"shell","state":{"status":"completed","input":{…},"content":[{"type":"text","text":"…"}]}}]}
//
// What `opencode run --format json` prints has a line for each part that is finished, and not the prompt:
//
//   {"type":"tool_use","timestamp":1,"sessionID":"ses_…","part":{"id":"prt_…","messageID":"msg_…","type":"tool",…}}

namespace agent_audit::readers {
namespace {

// Versions that wrote no total, and which providers counted reasoning apart. Of newer ones the figures are apart.
bool reasons_apart(std::string_view version, std::string_view model) {
    const bool old = version.starts_with("0.") || version.starts_with("1.0.") || version.starts_with("1.1.");
    return !old || model.find("gemini") != model.npos || model.find("grok") != model.npos;
}

// {"tool":"edit","error":"…"}: the tool that was called.
std::string_view meant_by(std::string_view args) {
    constexpr std::string_view kKey = "\"tool\"";
    const auto at = args.find(kKey);
    const auto begin = at == args.npos ? at : args.find_first_not_of(" \t\r\n:", at + kKey.size());
    if (begin == args.npos || args[begin] != '"') return {};
    const auto end = args.find('"', begin + 1);
    return end == args.npos ? std::string_view{} : args.substr(begin + 1, end - begin - 1);
}

constexpr std::string_view kStreams[] = {"messages"};

constexpr std::array<std::string_view, 5> kIgnoredEntries{"agent-switched", "model-switched", "location-switched",
                                                          "display", "invocation"};
constexpr std::array<std::string_view, 7> kPrinted{"step_start",  "tool_use", "text", "reasoning",
                                                   "step_finish", "error",    "done"};
constexpr std::array<std::string_view, 5> kIgnoredParts{"agent", "patch", "snapshot", "step-start", "todo"};

class Opencode final : public DocumentReader {
public:
    Opencode() : DocumentReader("messages") {}

    void finish(EventSink& sink) override {
        set_sink(sink);
        end_message();
    }

protected:
    LineFate read_object(json::object object) override {
        std::string_view row, id;
        bool has_info = false, has_messages = false, printed = false, has_place = false;
        const bool whole = read_fields(object, [&](const char* key, json::value& v) {
            if (key_is(key, "row"))
                row = raw_string(v);
            else if (key_is(key, "id"))
                id = raw_string(v);
            else if (key_is(key, "sessionID"))
                printed = is_string(v);
            else if (key_is(key, "directory") || key_is(key, "messageID") || key_is(key, "role"))
                has_place = true;
            else if (key_is(key, "info"))
                has_info = is_object(v);
            else if (key_is(key, "messages"))
                has_messages = is_array(v);
            return true;
        });
        if (!whole || object.reset().error()) return LineFate::malformed_json;
        if (row.empty() && has_place && !has_info) row = row_of_file(id);
        if (!row.empty()) return read_row(row, object);
        if (printed && !has_info) return read_printed(object);
        if (!has_info && record().part != RecordPart::head) return LineFate::unknown_kind;  // else it may stand behind
        if (!has_messages) return LineFate::missing_field;
        return read_document(object);
    }

    LineFate read_element(json::object element) override {
        info_ = OpencodeInfo{};
        parts_.clear();
        bool has_info = false;
        const bool whole = read_fields(element, [&](const char* key, json::value& v) {
            if (key_is(key, "info")) {
                has_info = is_object(v);
                return each_field(v, [this](const char* k, json::value& w) { return fields_.collect_info(k, w); });
            }
            return !key_is(key, "parts") || fields_.collect_parts(v);
        });
        if (!whole) return LineFate::malformed_json;
        if (!has_info) return LineFate::missing_field;
        const LineFate fate = message();
        if (fate != LineFate::understood) return fate;
        if (by_model_) tell_responses_apart();
        for (const OpencodePart& part : parts_) one_part(part);
        end_message();
        return fate;
    }

private:
    // Before there was a database each row was a file, and its id said which.
    static std::string_view row_of_file(std::string_view id) {
        return id.starts_with("ses_")   ? "opencode.session"
               : id.starts_with("msg_") ? "opencode.message"
               : id.starts_with("prt_") ? "opencode.part"
                                        : std::string_view{};
    }

    // In an export a message is a response of its own, even where its id was taken out and one word put in for all.
    void tell_responses_apart() {
        const IdHash id = response_;
        if (id == last_id_) response_ = mix_hash(id, ++same_ids_) | 1;
        last_id_ = id;
    }

    LineFate read_row(std::string_view row, json::object object) {
        if (row == "opencode.part") {
            parts_.clear();
            OpencodePart& part = *parts_.next();
            if (!read_fields(object,
                             [&](const char* key, json::value& v) { return fields_.collect_part(key, v, part); }))
                return LineFate::malformed_json;
            return part.type.empty() ? LineFate::missing_field : one_part(part);
        }
        if (row == "opencode.entry") return read_entry(object);
        if (row != "opencode.session" && row != "opencode.message") return LineFate::unknown_kind;
        info_ = OpencodeInfo{};
        if (!read_fields(object, [this](const char* key, json::value& v) { return fields_.collect_info(key, v); }))
            return LineFate::malformed_json;
        if (row == "opencode.message") return message();
        if (info_.id.empty()) return LineFate::missing_field;
        session();
        return LineFate::understood;
    }

    LineFate read_entry(json::object object) {
        info_ = OpencodeInfo{};
        entry_ = OpencodeEntry{};
        parts_.clear();
        if (!read_fields(object, [this](const char* key, json::value& v) { return fields_.collect_entry(key, v); }))
            return LineFate::malformed_json;
        return entry();
    }

    LineFate read_printed(json::object object) {
        info_ = OpencodeInfo{};
        parts_.clear();
        OpencodePart& part = *parts_.next();
        std::string_view type;
        const bool whole = read_fields(object, [&](const char* key, json::value& v) {
            if (key_is(key, "type"))
                type = raw_string(v);
            else if (key_is(key, "timestamp"))
                info_.time_ms = unix_time(v);
            else if (key_is(key, "sessionID"))
                info_.id = raw_string(v);
            else if (key_is(key, "error"))
                return fields_.collect_error(v, &info_.error, info_.error_text);
            else if (key_is(key, "part"))
                return each_field(v, [&](const char* k, json::value& w) { return fields_.collect_part(k, w, part); });
            return true;
        });
        if (!whole) return LineFate::malformed_json;
        if (!is_one_of(type, kPrinted)) return LineFate::unknown_kind;
        const IdHash id = id_hash(info_.id);
        if (id == 0) return LineFate::missing_field;
        if (std::exchange(printed_, id) != id) session();
        message_ms_ = info_.time_ms;
        return type == "error" || type == "done" ? printed_end(type == "error") : printed_part(part);
    }

    LineFate read_document(json::object object) {
        info_ = OpencodeInfo{};
        const bool whole = read_fields(object, [this](const char* key, json::value& v) {
            if (!key_is(key, "info")) return true;
            return each_field(v, [this](const char* k, json::value& w) { return fields_.collect_info(k, w); });
        });
        if (!whole) return LineFate::malformed_json;
        session();
        const LineFate fate = stream_records(object);
        return fate == LineFate::malformed_json ? LineFate::partial : fate;  // the session has begun
    }

    // ---- interpreting -----------------------------------------------------------------------------------

    void session() {
        end_message();
        turn_ = 0;
        model_.clear();
        version_.assign(info_.version.substr(0, 20));
        new_head().time_ms = info_.time_ms;
        head().record_id = info_.id;
        SessionStart start;
        start.session_id = text_of(info_.id);
        start.parent_session_id = text_of(info_.parent);
        start.sub_agent = !info_.parent.empty();
        start.cwd = text_of(info_.directory);
        start.product_version = text_of(info_.version);
        emit(start);
    }

    LineFate entry() {
        if (entry_.type.empty()) return LineFate::missing_field;
        const bool by_model = entry_.type == "assistant";
        if (by_model || entry_.type == "user") {
            info_.role = entry_.type;
            const LineFate fate = message();
            for (const OpencodePart& part : parts_) one_part(part);
            if (!by_model) said_by_user();
            end_message();
            return fate;
        }
        end_message();
        if (is_one_of(entry_.type, kIgnoredEntries)) return LineFate::ignored_kind;
        new_head(0, turn_).time_ms = info_.time_ms;
        head().record_id = info_.id;
        if (entry_.type == "idle") return idle();
        if (entry_.type == "compaction") return compaction();
        if (entry_.type == "shell") return shell();
        if (entry_.type != "synthetic" && entry_.type != "system" && entry_.type != "skill")
            return LineFate::unknown_kind;
        const Role role = entry_.type == "system" ? Role::system : Role::user;
        emit(Message{role, Origin::injected, entry_.text, entry_.files});
        return LineFate::understood;
    }

    void said_by_user() {
        new_head(0, turn_).time_ms = message_ms_;
        head().record_id = info_.id;
        OpencodePart said;
        said.text = entry_.text;
        text(said);
        if (entry_.files > 0) emit(Message{Role::user, Origin::injected, {}, entry_.files});
    }

    // All is done that was asked for. What went wrong with the last answer has been told with it.
    LineFate idle() {
        if (entry_.outcome.empty()) return LineFate::ignored_kind;
        if (std::exchange(ended_, true)) return LineFate::understood;
        emit(TurnEnd{entry_.outcome == "succeeded" ? TurnStatus::completed
                     : entry_.outcome == "failed"  ? TurnStatus::failed
                                                   : TurnStatus::aborted,
                     -1});
        return LineFate::understood;
    }

    // The request that wrote the summary is told with it.
    LineFate compaction() {
        if (info_.tokens.seen) {
            key_ = message_key();
            steps_ = 0;
            if (!info_.model.empty()) model_.assign(info_.model);
            usage(info_.tokens, info_.cost, UsageScope::session);
        }
        Compaction compaction;
        compaction.trigger = entry_.reason == "auto" ? CompactionTrigger::automatic : CompactionTrigger::manual;
        if (entry_.status == "running")
            compaction.phase = CompactionPhase::begin;
        else if (entry_.status == "failed")
            compaction.phase = CompactionPhase::failed;
        else
            compaction.summary = entry_.summary;
        emit(compaction);
        return LineFate::understood;
    }

    // A command that the user ran.
    LineFate shell() {
        ToolCall call = call_of(info_.id, {}, entry_.command);
        call.name = plain("bash");
        call.caller = Caller::user;
        emit(call);
        ToolResult result;
        result.call_id = text_of(info_.id);
        result.name = plain("bash");
        result.text = entry_.output;
        result.exit_code = entry_.exit_code;
        result.status = entry_.exit_code ? status_of(entry_.exit_code) : ResultStatus::unknown;
        emit(result);
        return LineFate::understood;
    }

    LineFate message() {
        end_message();
        if (info_.role.empty()) return LineFate::missing_field;
        if (info_.role != "user" && info_.role != "assistant") return LineFate::unknown_kind;
        by_model_ = info_.role == "assistant";
        is_summary_ = by_model_ && info_.is_summary;
        begun_ = stepped_ = ended_ = false;
        message_ms_ = info_.time_ms;
        response_ = by_model_ ? id_hash(info_.id) : 0;
        key_ = by_model_ ? message_key() : 0;
        steps_ = 0;
        if (by_model_) {
            model_.assign(info_.model);
            end_.where = head().where;
            end_.tokens = info_.tokens;
            end_.cost = info_.cost;
            keep_error();
        }
        return LineFate::understood;
    }

    void keep_error() {
        end_.due = true;
        end_.aborted = info_.error == "MessageAbortedError" || info_.error.ends_with("aborted");
        end_.failed = !info_.error.empty() && !end_.aborted;
        end_.code.assign(info_.error.substr(0, kLongestError));
        end_.text.assign(info_.error_text.bytes.substr(0, kLongestError));
        end_.form = info_.error_text.form;
    }

    LineFate printed_part(const OpencodePart& part) {
        if (part.type.empty()) return LineFate::missing_field;
        end_ = End{};
        by_model_ =
            !part.synthetic;  // else the program has it go on, for example after a compaction, which is not told
        if (part.compacted) {
            new_head(0, turn_).time_ms = message_ms_;
            Compaction compaction;
            compaction.trigger = CompactionTrigger::automatic;
            emit(compaction);
        }
        if (const IdHash id = id_hash(part.message_id); id != response_) {
            response_ = id;
            key_ = is_unique_id(part.message_id) ? id : 0;
            steps_ = 0;
        }
        return one_part(part);
    }

    // A run that failed says that it is done as well.
    LineFate printed_end(bool failed) {
        new_head(0, turn_).time_ms = message_ms_;
        if (failed) {
            end_ = End{};
            end_.where = head().where;
            keep_error();
            end_message();
        } else if (!end_.failed && !end_.aborted) {
            emit(TurnEnd{TurnStatus::completed, -1});
        }
        return LineFate::understood;
    }

    // A fork gives new ids to the messages that it copies; their times stay.
    std::uint64_t message_key() const {
        if (info_.time_ms != kNoTime) {
            const auto times =
                mix_hash(static_cast<std::uint64_t>(info_.time_ms), static_cast<std::uint64_t>(info_.completed_ms));
            return mix_hash(times, id_hash(info_.model));
        }
        return is_unique_id(info_.id) ? id_hash(info_.id) : 0;
    }

    // What a message says of its end, once its parts are told.
    void end_message() {
        if (!std::exchange(end_.due, false)) return;
        const SourceSpan here = new_head().where;
        set_place(end_.where);
        new_head(0, turn_).time_ms = message_ms_;
        head().response = response_;
        if (!stepped_ && end_.tokens.seen) usage(end_.tokens, end_.cost, scope_of_message());
        if (end_.failed) emit(notice_of(NoticeLayer::provider, NoticeLevel::error, end_.code, {end_.text, end_.form}));
        if (end_.aborted) emit(TurnEnd{TurnStatus::aborted, -1});
        if (end_.failed) emit(TurnEnd{TurnStatus::failed, -1});
        ended_ = end_.aborted || end_.failed;
        set_place(here);
    }

    LineFate one_part(const OpencodePart& part) {
        if (is_one_of(part.type, kIgnoredParts)) return LineFate::ignored_kind;
        new_head(0, turn_).time_ms = part.begun_ms != kNoTime ? part.begun_ms : message_ms_;
        head().record_id = part.id;
        head().response = by_model_ ? response_ : 0;
        end_.where = head().where;
        if (part.type == "text") return text(part);
        if (part.type == "tool") return tool(part);
        if (part.type == "reasoning") {
            if (!part.text.empty()) emit(Thinking{part.text, 0});
            return LineFate::understood;
        }
        if (part.type == "step-finish") {
            stepped_ = true;
            if (part.tokens.seen) usage(part.tokens, part.cost, scope_of_message());
            return LineFate::understood;
        }
        if (part.type == "file") {
            emit(
                Message{by_model_ ? Role::assistant : Role::user, by_model_ ? Origin::agent : Origin::injected, {}, 1});
            return LineFate::understood;
        }
        if (part.type == "retry") return retry(part);
        if (part.type == "subtask") return subtask(part);
        if (part.type != "compaction") return LineFate::unknown_kind;
        Compaction compaction;
        compaction.phase = CompactionPhase::begin;
        compaction.trigger = part.automatic ? CompactionTrigger::automatic : CompactionTrigger::manual;
        emit(compaction);
        return LineFate::understood;
    }

    LineFate text(const OpencodePart& part) {
        if (part.ignored) head().flags |= kHidden;
        if (part.text.empty()) return LineFate::understood;
        if (is_summary_) {
            Compaction compaction;
            compaction.summary = part.text;
            emit(compaction);
        } else if (by_model_) {
            emit(Message{Role::assistant, Origin::agent, part.text, 0});
        } else {
            const bool human = !part.synthetic && !part.ignored;
            if (human) begin_turn();
            emit(Message{Role::user, human ? Origin::human : Origin::injected, part.text, 0});
        }
        return LineFate::understood;
    }

    void begin_turn() {
        if (std::exchange(begun_, true)) return;
        head().turn = ++turn_;
        emit(TurnStart{});
    }

    // A command that the human ran and a sub-agent carries out. Its words are those of the command, not the human's.
    LineFate subtask(const OpencodePart& part) {
        if (by_model_ || part.command.empty()) return LineFate::ignored_kind;
        begin_turn();
        return LineFate::understood;
    }

    LineFate tool(const OpencodePart& part) {
        if (part.tool.empty()) return LineFate::missing_field;
        // A call that cannot be made is handed to a tool that says so, and has the name that the model said as
        // argument.
        const std::string_view meant = part.tool == "invalid" ? meant_by(part.args.raw.bytes) : std::string_view{};
        const bool invalid = !meant.empty();
        emit(call_of(part.call_id, invalid ? meant : part.tool, part.args));
        if (part.status != "completed" && part.status != "error") return LineFate::understood;  // never answered
        ToolResult result;
        result.call_id = text_of(part.call_id);
        result.exit_code = part.exit_code;
        result.media_count = part.media;
        result.media_hash = part.media_hash;
        if (part.status == "error") {
            result.text = part.error.empty() ? part.output : part.error;
            const std::string_view why = result.text.bytes;
            const bool refused =
                why.find("rejected permission") != why.npos || why.find("which prevents you") != why.npos;
            const bool cut = why.starts_with("Tool execution aborted");
            result.status = refused ? ResultStatus::denied : cut ? ResultStatus::cancelled : ResultStatus::error;
        } else {
            result.text = part.output;
            result.status = invalid || is_cut_off(part) ? ResultStatus::error : status_of(part.exit_code);
        }
        if (part.begun_ms != kNoTime && part.ended_ms >= part.begun_ms) {
            result.duration_ms = part.ended_ms - part.begun_ms;
            head().time_ms = part.ended_ms;
        }
        emit(result);
        return LineFate::understood;
    }

    // Of a command that took too long the program tells behind its output, and no exit code.
    static bool is_cut_off(const OpencodePart& part) {
        constexpr std::size_t kNote = 512;
        const std::string_view text = part.output.bytes;
        return part.no_exit_code &&
               text.substr(text.size() - std::min(text.size(), kNote)).find(" exceeding timeout ") != text.npos;
    }

    LineFate retry(const OpencodePart& part) {
        Notice notice = notice_of(NoticeLayer::provider, NoticeLevel::warning, "retry", part.error);
        notice.attempt = static_cast<int>(std::min<std::uint64_t>(part.attempt, 1'000'000));
        emit(notice);
        return LineFate::understood;
    }

    // The request that wrote a summary was not a prompt of this conversation.
    UsageScope scope_of_message() const { return is_summary_ ? UsageScope::session : UsageScope::request; }

    void usage(const OpencodeTokens& tokens, double cost, UsageScope scope) {
        Usage usage;
        usage.scope = scope;
        usage.tokens = tokens.counts(reasons_apart(version_, model_));
        if (const std::uint64_t paid = microusd(cost); paid > 0) usage.cost_microusd = paid;
        if (usage.tokens.total() == 0 && !usage.cost_microusd) return;
        usage.model = text_of(model_);
        if (key_ != 0) {
            const TokenCounts& t = usage.tokens;
            for (const std::uint64_t part : {++steps_, t.input, t.cache_write, t.cache_read, t.output})
                usage.message_key = mix_hash(usage.message_key, part);
            usage.message_key = mix_hash(key_, usage.message_key) | 1;
        }
        emit(usage);
    }

    static constexpr std::size_t kLongestError = 4096;

    struct End {
        SourceSpan where;  // of what was told last
        OpencodeTokens tokens;
        double cost = 0;
        std::string code, text;
        TextForm form = TextForm::plain;
        bool due = false, aborted = false, failed = false;
    };

    OpencodeInfo info_;
    OpencodeEntry entry_;
    Reused<OpencodePart> parts_;
    OpencodeCollector fields_{info_, entry_, parts_, args_};
    std::string model_, version_;
    End end_;
    std::int64_t message_ms_ = kNoTime;
    IdHash response_ = 0, last_id_ = 0;  // of the message; the id of the last one in an export
    IdHash printed_ = 0;                 // the session whose run is printed
    std::uint64_t same_ids_ = 0;
    std::uint64_t key_ = 0, steps_ = 0;  // of the message, and how many requests it has told
    std::uint32_t turn_ = 0;
    bool by_model_ = false, is_summary_ = false, begun_ = false, stepped_ = false;
    bool ended_ = false;  // the last answer ended its turn
};

// What an export says of its session, with the ids taken out.
bool is_unnamed_session(const ProbeRecord& info) {
    return info.is_object() && is_stand_in(info.text("id")) && info.child("time").has("created") &&
           info.has("version") && (info.has("directory") || info.has("title"));
}

Score score(std::span<const ProbeRecord> sample, Framing) {
    for (const ProbeRecord& r : sample) {
        const auto messages = r.raw("messages");
        const ProbeRecord info = r.child("info");
        const bool messages_are_there = messages && messages->starts_with('[');
        if (messages_are_there && (info.text("id").starts_with("ses") || is_unnamed_session(info))) return kCertain;
        if (r.text("row").starts_with("opencode.")) return kCertain;
        if (r.text("id").starts_with("ses_") && r.has("directory") && r.has("version") && r.has("time"))
            return kCertain;
        const bool printed = r.text("sessionID").starts_with("ses") && is_one_of(r.text("type"), kPrinted);
        if (printed && (r.child("part").has("messageID") || r.has("error"))) return kCertain;
    }
    return 0;
}

constexpr RecordKindDoc kKinds[] = {
    {"{info, messages}; row session, or its file", "SessionStart"},
    {"a printed line: step_start, tool_use, text, reasoning, step_finish",
     "as its part; SessionStart before the first"},
    {"a printed line: text after a compaction", "Compaction; Message (injected)"},
    {"a printed line: error, done", "Notice (provider) and TurnEnd"},
    {"message, user", "TurnStart with its first text"},
    {"message, assistant", "Usage when no step says it; Notice and TurnEnd when it was cut off or failed"},
    {"part text", "Message; synthetic: injected; in a message that is a summary: Compaction"},
    {"part reasoning", "Thinking"},
    {"part tool",
     "ToolCall and ToolResult: status, for commands the exit code; of the tool `invalid` the call that was meant"},
    {"part step-finish", "Usage"},
    {"part compaction", "Compaction (begin)"},
    {"part retry", "Notice (provider)"},
    {"part file", "Message (injected, media)"},
    {"part subtask of a command", "TurnStart"},
    {"part step-start, snapshot, patch, agent, todo", "ignored"},
    {"row entry: user, assistant", "as a message and its parts, all in one row"},
    {"row entry: synthetic, system, skill", "Message (injected)"},
    {"row entry: shell", "ToolCall by the user and its ToolResult"},
    {"row entry: compaction", "Usage of its request; Compaction (summary; begin while it runs; failed)"},
    {"row entry: idle", "TurnEnd"},
    {"row entry: agent-switched, model-switched, location-switched, display, invocation", "ignored"},
};

}  // namespace

ReaderSpec opencode() {
    return {"opencode",
            "opencode",
            "exported sessions, its SQLite database, before that its files, and what a run prints",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::token_usage | Signal::timestamps | Signal::response_ids | Signal::reasoning |
                Signal::compaction | Signal::cost,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<Opencode>()); },
            kStreams};
}

}  // namespace agent_audit::readers
