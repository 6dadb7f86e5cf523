#include "readers/all.hpp"
#include "readers/gemini/gemini_line.hpp"
#include "readers/gemini/gemini_prompt.hpp"
#include "readers/gemini/gemini_result.hpp"
#include "readers/gemini/gemini_update.hpp"
#include "readers/json/document_reader.hpp"
#include "readers/json/format_util.hpp"
#include "readers/json/ids.hpp"

#include <array>

// Session files of Gemini CLI, first one document a session, since 2026 one record a line:
//
//   {"sessionId":"…","projectHash":"…","startTime":"…","messages":[…]}     the document, or the first line without them
//   {"id":"…","type":"user","timestamp":"…","content":"…"}
//   {"id":"…","type":"gemini","content":"…","thoughts":[…],"toolCalls":[…],"tokens":{…},"model":"…"}
//   {"$set":{"lastUpdated":"…"}}, {"$rewindTo":"<message id>"}, {"$patch":{"updates":[…],"removeIds":["<message id>"]}}
//
// In lines a message is written again under its id whenever it grew: what is new in it becomes events. An update with
// messages is the whole history as it is sent now: after a compression, after a resume, or without what was cut off.
// The program's own account of the setting stands in front of it, as a user's message; and so do the answers of tools
// that have a line of their own, which the calls have told. Newer versions write the summary, and once more what stayed
// behind it, as lines under new ids, and then a patch that removes the old ones. When it masks old outputs, it writes
// all of the history again under new ids, the setting and the first prompt in one, calls and answers as parts of the
// content, nothing with figures, and then an update with all of it.

namespace agent_audit::readers {
namespace {

// What of a message has become events already.
struct Told {
    IdHash id = 0;
    std::size_t thoughts = 0, calls = 0;
    std::uint64_t results = 0;  // a bit for each of the first 64 calls; a message with more is written in one go
    std::uint64_t tokens = 0;
    bool text = false;
};

class GeminiCli final : public DocumentReader {
public:
    GeminiCli() : DocumentReader("messages") {}

protected:
    LineFate read_object(json::object object) override {
        line_.clear();
        header_ = GeminiHeader{};
        if (!collect(object) || !alive()) return LineFate::malformed_json;
        if (line_.has_set || line_.has_patch) copying_ = false;
        if (rewriting_ && (line_.set_has_messages || line_.has_patch)) tell_masked();
        if (line_.has_messages) return document(object);
        if (line_.has_patch) return patch();
        if (!line_.rewind_to.empty()) return rewind();
        if (line_.has_set) return line_.set_has_messages ? checkpoint(object) : LineFate::ignored_kind;
        if (!line_.type.empty()) return message();
        if (header_.session_id.empty()) return LineFate::unknown_kind;
        open_session();
        return LineFate::understood;
    }

    bool read_rest(json::object fields) override {
        line_.clear();
        return collect(fields);
    }

    LineFate end_document(json::object) override {
        if (pending_) open_session();
        return LineFate::understood;
    }

    LineFate read_element(json::object element) override {
        line_.clear();
        if (!collect(element) || !alive()) return LineFate::malformed_json;
        const LineFate fate = line_.type.empty() ? LineFate::missing_field : message();
        copying_ = false;  // nothing is written twice in a list
        return fate;
    }

private:
    bool collect(json::object& object) {
        const GeminiBefore before{newest_, rewriting_ ? &masked_ : nullptr};
        return GeminiCollector(line_, header_, args_, before).collect(object);
    }

    // ---- sessions ---------------------------------------------------------------------------------------

    LineFate document(json::object object) {
        pending_ = true;
        return stream_records(object);
    }

    void open_session() {
        const GeminiHeader header = header_;
        const IdHash id = id_hash(header.session_id);
        const EventHeader here = head();
        new_head();
        head().time_ms = time_of(header.start_time);
        SessionStart start;
        start.session_id = text_of(header.session_id);
        start.model = text_of(line_.model);
        start.sub_agent = sub_agent_ = header.kind == "subagent";
        start.resumed = open_ && id != 0 && id == session_;
        if (!start.resumed) {
            turn_ = 0;
            told_ = {};
            known_.clear();
            first_ = newest_ = 0;
            said_anything_ = false;
        }
        pending_ = false;
        open_ = true;
        session_ = id;
        rewriting_ = false;  // the program ended in the midst of it
        masked_.clear();
        emit(start);
        head() = here;
    }

    LineFate rewind() {
        const bool known = known_.has(id_hash(line_.rewind_to));
        begin();
        emit(Rewind{known ? RewindTarget::before_record : RewindTarget::all, known ? line_.rewind_to : "", 0});
        return LineFate::understood;
    }

    // What a prompt that was cut off had begun is removed from the end; what a summary stands for, from the beginning.
    LineFate patch() {
        if (!line_.newest_removed || !known_.has(id_hash(line_.first_removed))) return LineFate::ignored_kind;
        begin();
        newest_ = 0;
        emit(Rewind{RewindTarget::before_record, line_.first_removed, 0});
        return LineFate::understood;
    }

    // The messages of an update take the place of all before: that is how a compressed history is stored.
    LineFate checkpoint(json::object object) {
        const bool fresh = !said_anything_;
        GeminiUpdate update(known_, first_);
        if (!alive() || object.reset().error() || (!fresh && !update.look_through(object)))
            return LineFate::malformed_json;
        if (!fresh && !update.replaces()) return synchronised(update);
        if (!fresh) {
            if (!alive() || object.reset().error()) return LineFate::malformed_json;
            begin();
            Compaction compaction;
            compaction.keep = Keep::replacement;
            emit(compaction);
            first_ = 0;
        }
        in_checkpoint_ = !fresh;
        LineFate fate = LineFate::understood;
        each_field(object, [&](const char* key, json::value& v) {
            if (!key_is(key, "$set")) return true;
            return each_field(v, [&](const char* k, json::value& w) {
                if (key_is(k, "messages") && is_array(w)) fate = stream_array(w);
                return !broke_off(fate);
            });
        });
        in_checkpoint_ = false;
        return fate == LineFate::malformed_json && !fresh ? LineFate::partial : fate;
    }

    // The history is as it was, but for what was taken back with a prompt that was cut off.
    LineFate synchronised(const GeminiUpdate& update) {
        const IdHash last = id_hash(update.last());
        if (last == 0 || last == newest_) return LineFate::understood;
        begin();
        newest_ = last;
        emit(Rewind{RewindTarget::to_record, update.last(), 0});
        return LineFate::understood;
    }

    // ---- messages ---------------------------------------------------------------------------------------

    void begin() {
        if (!open_ || pending_) open_session();
        EventHeader& h = new_head(0, turn_);
        h.time_ms = time_of(line_.timestamp);
        h.record_id = line_.id;
        if (copying_) h.flags |= kCopied;
    }

    LineFate message() {
        const std::string_view type = line_.type;
        const bool speech = type == "user" || type == "gemini";
        if (!speech && type != "info" && type != "warning" && type != "error") return LineFate::unknown_kind;
        begin();
        const IdHash id = message_id();
        const bool again = known_.has(id);
        if (id != 0 && !again) known_.add(id);
        said_anything_ = true;
        if (speech) newest_ = id;
        if (speech && first_ == 0 && !line_.content.text.bytes.starts_with(kGeminiSetting)) first_ = id;
        if (rewrites(again)) return LineFate::understood;
        if (type == "gemini") return model(id, again);
        if (again) {
            if (in_checkpoint_) copy_of_user();
            return LineFate::understood;
        }
        if (type == "user") return user();
        return notice(type);
    }

    // Whether this is a part of the history that is written again. An answer with figures is a new one, should the
    // update behind it be missing.
    bool rewrites(bool again) {
        if (again || in_checkpoint_) return false;
        const std::string_view type = line_.type, text = line_.content.text.bytes;
        if (!rewriting_) {
            rewriting_ =
                type == "user" && first_ != 0 && begins_gemini_history(text) && text.find(kGeminiSummary) == text.npos;
            return rewriting_;
        }
        if (line_.tokens.total() > 0) tell_masked();
        return rewriting_ && (type == "user" || type == "gemini");
    }

    void tell_masked() {
        rewriting_ = false;
        if (masked_.empty()) return;
        masked_ += ']';
        begin();
        Compaction compaction;
        compaction.kind = CompactionKind::clear_tool_results;
        compaction.trigger = CompactionTrigger::automatic;
        compaction.keep = Keep::ids;
        compaction.ids = {masked_, TextForm::json_value};
        emit(compaction);
        masked_.clear();
    }

    // A message that is written again keeps its time, which tells it where one word stands in place of all ids, or
    // none.
    IdHash message_id() const {
        constexpr std::size_t kShortestWord = 3;  // characters
        const bool letter = !line_.id.empty() && line_.id.size() < kShortestWord;
        if (letter || !is_stand_in(line_.id)) return id_hash(line_.id);
        if (line_.timestamp.empty()) return 0;
        return mix_hash(stable_hash(line_.timestamp), stable_hash(line_.type)) | 1;
    }

    void copy_of_user() {
        if (line_.type != "user" || says_nothing()) return;
        head().flags |= kCopied;
        const bool own = said_by_gemini_cli(line_.content.text.bytes);
        emit(Message{Role::user, own ? Origin::injected : Origin::human, line_.content.text, line_.content.media});
    }

    // The answer of a tool.
    bool says_nothing() const { return line_.content.text.empty() && line_.content.media == 0; }

    LineFate user() {
        if (!line_.content.seen) return LineFate::missing_field;
        if (says_nothing()) return LineFate::understood;
        // An image alone is what a tool has read.
        if (line_.content.text.empty() || said_by_gemini_cli(line_.content.text.bytes)) {
            emit(Message{Role::user, Origin::injected, line_.content.text, line_.content.media});
            return LineFate::understood;
        }
        if (in_checkpoint_) {  // a user who was not there before: the summary
            emit(Message{Role::user, Origin::summary, line_.content.text, line_.content.media});
            return LineFate::understood;
        }
        if (line_.content.text.bytes.starts_with(kGeminiSummary)) return summary();
        if (sub_agent_) {
            emit(Message{Role::user, Origin::agent, line_.content.text, line_.content.media});
            return LineFate::understood;
        }
        if (copying_) {
            copy_of_user();
            return LineFate::understood;
        }
        const GeminiPrompt prompt = without_gemini_hooks(line_.content.text.bytes);
        inject(prompt.before);
        line_.content.text = text_of(prompt.said);
        if (!says_nothing()) {
            head().turn = ++turn_;
            emit(TurnStart{});
            typed();
        }
        inject(prompt.behind);
        return LineFate::understood;
    }

    void inject(std::string_view text) {
        if (!text.empty()) emit(Message{Role::user, Origin::injected, text_of(text), 0});
    }

    // Files that the person named, and commands, stand in the content with what they hold.
    void typed() {
        const Content& whole = line_.content;
        const RawText shown = line_.shown.text;
        if (shown.empty() || shown.bytes == whole.text.bytes) {
            emit(Message{Role::user, Origin::human, whole.text, whole.media});
            return;
        }
        emit(Message{Role::user, Origin::human, shown, 0});
        const bool behind = whole.text.bytes.starts_with(shown.bytes);
        emit(Message{Role::user, Origin::injected, text_of(whole.text.bytes.substr(behind ? shown.bytes.size() : 0)),
                     whole.media});
    }

    // What follows it at once, in a row, is what stayed of the conversation.
    LineFate summary() {
        Compaction compaction;
        compaction.keep = Keep::replacement;
        emit(compaction);
        emit(Message{Role::user, Origin::summary, line_.content.text, line_.content.media});
        copying_ = true;
        return LineFate::understood;
    }

    LineFate notice(std::string_view type) {
        const RawText text = line_.content.text;
        const bool error = type == "error";
        const bool provider = text.bytes.find("API Error") != std::string_view::npos;
        emit(notice_of(error && provider ? NoticeLayer::provider : NoticeLayer::harness,
                       error               ? NoticeLevel::error
                       : type == "warning" ? NoticeLevel::warning
                                           : NoticeLevel::info,
                       type, text));
        if (text.bytes.starts_with("Request cancelled")) emit(TurnEnd{TurnStatus::aborted, -1});
        return LineFate::understood;
    }

    LineFate model(IdHash id, bool again) {
        Told unnamed;
        Told& told = id == 0 ? unnamed : told_of(id);
        if (again && in_checkpoint_) {
            told = Told{};
            told.id = id;
            head().flags |= kCopied;
        }
        head().response = id != 0 ? id : mix_hash(++responses_, session_) | 1;
        for (; told.thoughts < line_.thoughts.size(); ++told.thoughts) {
            const GeminiThought& thought = line_.thoughts[told.thoughts];
            const RawText text = thought.description.empty() ? thought.subject : thought.description;
            if (!text.empty()) emit(Thinking{text, 0});
        }
        if (!told.text && !line_.content.text.empty()) {
            told.text = true;
            emit(Message{Role::assistant, Origin::agent, line_.content.text, line_.content.media});
        }
        const std::size_t before = told.calls;
        for (; told.calls < line_.calls.size(); ++told.calls) {
            const GeminiCall& call = line_.calls[told.calls];
            if (!call.name.empty()) emit(call_of(call.id, call.name, call.args));
        }
        usage(id, told);
        results(told, before);
        return LineFate::understood;
    }

    Told& told_of(IdHash id) {
        for (Told& told : told_) {
            if (told.id == id) return told;
        }
        Told& oldest = told_[next_told_++ % told_.size()];
        oldest = Told{};
        oldest.id = id;
        return oldest;
    }

    void usage(IdHash id, Told& told) {
        if (line_.tokens.total() == told.tokens || (head().flags & kCopied) != 0) return;
        told.tokens = line_.tokens.total();
        Usage usage;
        usage.mode = id != 0 ? UsageMode::replace : UsageMode::add;
        usage.tokens = line_.tokens;
        usage.model = text_of(line_.model);
        if (id != 0) usage.message_key = mix_hash(id, session_) | 1;
        emit(usage);
    }

    void results(Told& told, std::size_t first_new) {
        head().response = 0;
        for (std::size_t i = 0; i < line_.calls.size(); ++i) {
            const GeminiCall& call = line_.calls[i];
            const std::uint64_t bit = i < 64 ? std::uint64_t{1} << i : 0;
            if ((told.results & bit) != 0 || (bit == 0 && i < first_new) || call.name.empty()) continue;
            if (call.status != "success" && call.status != "error" && call.status != "cancelled") continue;
            told.results |= bit;
            result(call);
        }
    }

    void result(const GeminiCall& call) {
        if (const std::int64_t time = time_of(call.timestamp); time != kNoTime) head().time_ms = time;
        emit(gemini_result(call, said_));
    }

    GeminiHeader header_;
    GeminiLine line_;
    std::string said_;  // by an MCP tool
    bool open_ = false, pending_ = false, in_checkpoint_ = false, said_anything_ = false, sub_agent_ = false;
    bool copying_ = false;                         // a summary was told, and what stayed is written once more
    bool rewriting_ = false;                       // the whole history is written once more, its old outputs masked
    std::string masked_;                           // ids of these, as a list
    IdHash session_ = 0, first_ = 0, newest_ = 0;  // the first message of the conversation, and the one told last
    std::uint32_t turn_ = 0;
    std::uint64_t responses_ = 0;
    RecentIds known_;
    std::array<Told, 32> told_{};  // only the newest messages still grow
    std::size_t next_told_ = 0;
};

Score score(std::span<const ProbeRecord> sample, Framing) {
    bool model = false;
    for (const ProbeRecord& r : sample) {
        if (!r.is_object()) continue;
        if (r.has("sessionId") && r.has("projectHash")) return kCertain;
        if (r.text("type") == "gemini" && r.has("timestamp") && r.has("content") && !r.has("sessionId"))
            model |= r.has("id") || r.has("tokens") || r.has("thoughts");
    }
    return model ? 90 : 0;
}

constexpr std::string_view kStreams[] = {"messages"};

constexpr RecordKindDoc kKinds[] = {
    {"{sessionId, projectHash, …}", "SessionStart; with messages: the whole session"},
    {"user",
     "TurnStart and Message (human, and what its displayContent does not show: injected); what the program says "
     "itself: injected; answers of tools: nothing"},
    {"gemini", "Thinking, Message, ToolCall and ToolResult for each of toolCalls, Usage"},
    {"gemini, written again under its id", "what is new in it"},
    {"info, warning, error", "Notice; a cancelled request ends the turn"},
    {"user, a summary", "Compaction (replacement) and Message (summary); what follows it at once are copies"},
    {"$rewindTo", "Rewind"},
    {"$patch", "Rewind when it removes the last message, else ignored"},
    {"$set with messages, of another beginning", "Compaction (replacement); messages known before are copies"},
    {"$set with messages, other", "Rewind when the last ones are gone, else nothing"},
    {"a history that is written again with masked outputs", "Compaction (cleared tool results)"},
    {"$set, other", "ignored"},
};

}  // namespace

ReaderSpec gemini_cli() {
    return {"gemini-cli",
            "Gemini CLI",
            "session files: one document, or one record a line",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::token_usage | Signal::timestamps | Signal::response_ids | Signal::reasoning |
                Signal::compaction,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<GeminiCli>()); },
            kStreams};
}

}  // namespace agent_audit::readers
