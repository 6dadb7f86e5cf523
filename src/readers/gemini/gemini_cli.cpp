#include "readers/all.hpp"
#include "readers/gemini/gemini_mcp.hpp"
#include "readers/gemini/gemini_shell.hpp"
#include "readers/json/document_reader.hpp"
#include "readers/json/format_util.hpp"
#include "readers/json/ids.hpp"
#include "readers/json/raw_blanks.hpp"

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

struct Call {
    std::string_view id, name, status, timestamp;
    CallArgs args;
    RawText output, error, display;
};

struct Thought {
    RawText subject, description;
};

struct Header {
    std::string_view session_id, project_hash, start_time, kind;
};

struct Line {
    std::string_view type, id, timestamp, model, rewind_to;
    std::string_view first_removed;  // by a patch
    Content content, shown;          // as the model was sent it; as the person typed it, where that is something else
    Reused<Call> calls;
    Reused<Thought> thoughts;
    TokenCounts tokens;
    bool has_messages = false, has_set = false, set_has_messages = false;
    bool has_patch = false, newest_removed = false;

    void clear() { begin_again(*this, &Line::calls, &Line::thoughts); }
};

// What of a message has become events already.
struct Told {
    IdHash id = 0;
    std::size_t thoughts = 0, calls = 0;
    std::uint64_t results = 0;  // a bit for each of the first 64 calls; a message with more is written in one go
    std::uint64_t tokens = 0;
    bool text = false;
};

constexpr std::string_view kSetting = "<session_context>", kSummary = "<state_snapshot>";
constexpr std::string_view kMasked = "<tool_output_masked>";
constexpr std::size_t kMostMasked = 1u << 20;  // bytes of ids

// What the program says in the user's place.
bool said_by_program(std::string_view text) {
    constexpr std::array<std::string_view, 4> kOwn{kSetting, "User has manually exited Plan Mode.",
                                                   "System: Please continue.", "System: Potential loop detected."};
    return starts_with_one_of(text, kOwn);
}

// The setting and behind it the first prompt, in one: so begins a history that is written again.
bool begins_history(std::string_view text) {
    constexpr std::string_view kEnd = "</session_context>";
    if (!text.starts_with(kSetting)) return false;
    const std::size_t end = text.find(kEnd);
    return end != text.npos && !without_blanks_in_front(text.substr(end + kEnd.size())).empty();
}

// What hooks add to a prompt, in front of it or behind it.
struct Prompt {
    std::string_view before, said, behind;
};

Prompt without_hooks(std::string_view text) {
    constexpr std::string_view kOpen = "<hook_context>", kClose = "</hook_context>";
    Prompt prompt{{}, text, {}};
    if (text.starts_with(kOpen)) {
        const auto end = text.find(kClose);
        prompt.before = end == text.npos ? text : text.substr(0, end + kClose.size());
        prompt.said = without_blanks_in_front(text.substr(prompt.before.size()));
    }
    if (prompt.said.ends_with(kClose)) {
        const auto at = prompt.said.rfind(kOpen);
        if (at == prompt.said.npos) return prompt;
        prompt.behind = prompt.said.substr(at);
        prompt.said = prompt.said.substr(0, at);
    }
    return prompt;
}

class GeminiCli final : public DocumentReader {
public:
    GeminiCli() : DocumentReader("messages") {}

protected:
    LineFate read_object(json::object object) override {
        line_.clear();
        header_ = Header{};
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
    // ---- collecting -------------------------------------------------------------------------------------

    bool collect(json::object& object) {
        return each_field(object, [this](const char* key, json::value& v) { return collect_field(key, v); });
    }

    bool collect_field(const char* key, json::value& v) {
        switch (key[0]) {
            case '$':
                if (key_is(key, "$rewindTo")) line_.rewind_to = raw_string(v);
                if (key_is(key, "$patch")) {
                    line_.has_patch = true;
                    return each_field(v, [this](const char* k, json::value& w) {
                        return !key_is(k, "removeIds") ||
                               each_element(w, [this](json::value& id) { return collect_removed(raw_string(id)); });
                    });
                }
                if (key_is(key, "$set")) {
                    line_.has_set = true;
                    return each_field(v, [this](const char* k, json::value& w) {
                        if (key_is(k, "messages")) line_.set_has_messages = is_array(w);
                        return true;
                    });
                }
                break;
            case 'c':
                if (key_is(key, "content"))
                    return collect_content(v, line_.content, joined_, rewriting_ ? &masked_ : nullptr);
                break;
            case 'd':
                if (key_is(key, "displayContent")) return collect_content(v, line_.shown, joined_shown_);
                break;
            case 'i':
                if (key_is(key, "id")) line_.id = raw_string(v);
                break;
            case 'k':
                if (key_is(key, "kind")) header_.kind = raw_string(v);
                break;
            case 'm':
                if (key_is(key, "model"))
                    line_.model = raw_string(v);
                else if (key_is(key, "messages"))
                    line_.has_messages = is_array(v);
                break;
            case 'p':
                if (key_is(key, "projectHash")) header_.project_hash = raw_string(v);
                break;
            case 's':
                if (key_is(key, "sessionId"))
                    header_.session_id = raw_string(v);
                else if (key_is(key, "startTime"))
                    header_.start_time = raw_string(v);
                break;
            case 't':
                if (key_is(key, "type"))
                    line_.type = raw_string(v);
                else if (key_is(key, "timestamp"))
                    line_.timestamp = raw_string(v);
                else if (key_is(key, "tokens"))
                    return collect_tokens(v);
                else if (key_is(key, "thoughts"))
                    return each_element(v, [this](json::value& thought) { return collect_thought(thought); });
                else if (key_is(key, "toolCalls"))
                    return each_element(v, [this](json::value& call) { return collect_call(call); });
                break;
            default: break;
        }
        return true;
    }

    // A text, a part, or several: their texts are joined as the program joins them. Thoughts are told elsewhere.
    // `masked` takes the ids of the outputs that are masked.
    static bool collect_content(json::value& v, Content& content, std::string& joined, std::string* masked = nullptr) {
        content.seen = is_string(v) || is_object(v) || is_array(v);
        if (!is_array(v)) return collect_text(v, content, joined, masked);
        return each_element(v, [&](json::value& part) { return collect_text(part, content, joined, masked); });
    }

    static bool collect_text(json::value& v, Content& content, std::string& joined, std::string* masked) {
        std::string_view text;
        bool thought = false;
        if (is_string(v)) {
            text = raw_string(v);
        } else if (!each_field(v, [&](const char* key, json::value& w) {
                       if (key_is(key, "text"))
                           text = raw_string(w);
                       else if (key_is(key, "thought"))
                           thought = is_true(w);
                       else if (key_is(key, "inlineData") || key_is(key, "fileData"))
                           ++content.media;
                       else if (masked && key_is(key, "functionResponse"))
                           return collect_masked(w, *masked);
                       return true;
                   })) {
            return false;
        }
        if (text.empty() || thought) return true;
        if (content.text.empty()) {
            content.text = text_of(text);
            return true;
        }
        if (content.text.bytes.data() != joined.data()) joined.assign(content.text.bytes);
        joined += text;
        content.text = text_of(joined);
        return true;
    }

    // {"id":"…","name":"…","response":{"output":"<tool_output_masked>…"}}
    static bool collect_masked(json::value& v, std::string& masked) {
        std::string_view id;
        bool is_masked = false;
        const bool good = each_field(v, [&](const char* key, json::value& w) {
            if (key_is(key, "id")) id = raw_string(w);
            if (!key_is(key, "response")) return true;
            return each_field(w, [&](const char* k, json::value& x) {
                if (key_is(k, "output")) is_masked = raw_string(x).starts_with(kMasked);
                return true;
            });
        });
        if (is_masked && !id.empty() && masked.size() < kMostMasked)
            masked.append(masked.empty() ? "[\"" : ",\"").append(id).append("\"");
        return good;
    }

    bool collect_removed(std::string_view id) {
        if (line_.first_removed.empty()) line_.first_removed = id;
        line_.newest_removed |= newest_ != 0 && id_hash(id) == newest_;
        return true;
    }

    // The input includes what was cached; thoughts come on top of the output, tool prompts on top of the input.
    bool collect_tokens(json::value& v) {
        if (!is_object(v)) return true;
        std::uint64_t input = 0, output = 0, cached = 0, thoughts = 0, tool = 0;
        const bool good = each_field(v, [&](const char* key, json::value& n) {
            if (key_is(key, "input"))
                input = as_uint(n);
            else if (key_is(key, "output"))
                output = as_uint(n);
            else if (key_is(key, "cached"))
                cached = as_uint(n);
            else if (key_is(key, "thoughts"))
                thoughts = as_uint(n);
            else if (key_is(key, "tool"))
                tool = as_uint(n);
            return true;
        });
        cached = std::min(cached, input);
        line_.tokens = {input - cached + tool, 0, cached, output + thoughts, thoughts};
        return good;
    }

    bool collect_thought(json::value& v) {
        Thought* thought = is_object(v) ? line_.thoughts.next() : nullptr;
        if (!thought) return true;
        return each_field(v, [&](const char* key, json::value& w) {
            if (key_is(key, "subject"))
                thought->subject = text_of(raw_string(w));
            else if (key_is(key, "description"))
                thought->description = text_of(raw_string(w));
            return true;
        });
    }

    bool collect_call(json::value& v) {
        Call* call = is_object(v) ? line_.calls.next() : nullptr;
        if (!call) return true;
        return each_field(v, [&](const char* key, json::value& w) {
            if (key_is(key, "id"))
                call->id = raw_string(w);
            else if (key_is(key, "name"))
                call->name = raw_string(w);
            else if (key_is(key, "status"))
                call->status = raw_string(w);
            else if (key_is(key, "timestamp"))
                call->timestamp = raw_string(w);
            else if (key_is(key, "resultDisplay"))
                call->display = any_text(w);
            else if (key_is(key, "args") && !is_null(w))
                call->args = args_.digest_value({}, w);
            else if (key_is(key, "result"))
                return each_element(w, [&](json::value& part) { return collect_part(part, *call); });
            return true;
        });
    }

    static bool collect_part(json::value& part, Call& call) {
        return each_field(part, [&call](const char* key, json::value& v) {
            if (!key_is(key, "functionResponse")) return true;
            return each_field(v, [&call](const char* k, json::value& w) {
                if (!key_is(k, "response")) return true;
                return each_field(w, [&call](const char* name, json::value& text) {
                    if (key_is(name, "output"))
                        call.output = any_text(text);
                    else if (key_is(name, "error"))
                        call.error = any_text(text);
                    return true;
                });
            });
        });
    }

    // ---- sessions ---------------------------------------------------------------------------------------

    LineFate document(json::object object) {
        pending_ = true;
        return stream_records(object);
    }

    void open_session() {
        const Header header = header_;
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

    struct Update {
        bool replaces = false;       // it begins with something else than the history did
        std::string_view last = {};  // the last of its messages that was known before
    };

    // The messages of an update take the place of all before: that is how a compressed history is stored.
    LineFate checkpoint(json::object object) {
        const bool fresh = !said_anything_;
        Update update;
        if (!alive() || object.reset().error() || (!fresh && !look_through(object, update)))
            return LineFate::malformed_json;
        if (!fresh && !update.replaces) return synchronised(update);
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
                return fate != LineFate::partial && fate != LineFate::malformed_json;
            });
        });
        in_checkpoint_ = false;
        return fate == LineFate::malformed_json && !fresh ? LineFate::partial : fate;
    }

    bool look_through(json::object& object, Update& update) {
        bool begun = false;
        return each_field(object, [&](const char* key, json::value& v) {
            if (!key_is(key, "$set")) return true;
            return each_field(v, [&](const char* k, json::value& w) {
                if (!key_is(k, "messages")) return true;
                return each_element(w, [&](json::value& message) { return look_at(message, update, begun); });
            });
        });
    }

    bool look_at(json::value& message, Update& update, bool& begun) {
        std::string_view id;
        bool setting = false;
        const bool good = each_field(message, [&](const char* key, json::value& v) {
            if (key_is(key, "id")) id = raw_string(v);
            if (begun || !key_is(key, "content")) return true;
            Content content;
            const bool whole = collect_content(v, content, joined_);
            setting = content.text.bytes.starts_with(kSetting);
            return whole;
        });
        const IdHash hash = id_hash(id);
        const bool known = known_.has(hash) || (hash != 0 && hash == first_);
        if (known) update.last = id;
        if (!begun && !setting) {
            begun = true;
            update.replaces = !known;
        }
        return good;
    }

    // The history is as it was, but for what was taken back with a prompt that was cut off.
    LineFate synchronised(const Update& update) {
        const IdHash last = id_hash(update.last);
        if (last == 0 || last == newest_) return LineFate::understood;
        begin();
        newest_ = last;
        emit(Rewind{RewindTarget::to_record, update.last, 0});
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
        if (speech && first_ == 0 && !line_.content.text.bytes.starts_with(kSetting)) first_ = id;
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
            rewriting_ = type == "user" && first_ != 0 && begins_history(text) && text.find(kSummary) == text.npos;
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
        const bool own = said_by_program(line_.content.text.bytes);
        emit(Message{Role::user, own ? Origin::injected : Origin::human, line_.content.text, line_.content.media});
    }

    // The answer of a tool.
    bool says_nothing() const { return line_.content.text.empty() && line_.content.media == 0; }

    LineFate user() {
        if (!line_.content.seen) return LineFate::missing_field;
        if (says_nothing()) return LineFate::understood;
        // An image alone is what a tool has read.
        if (line_.content.text.empty() || said_by_program(line_.content.text.bytes)) {
            emit(Message{Role::user, Origin::injected, line_.content.text, line_.content.media});
            return LineFate::understood;
        }
        if (in_checkpoint_) {  // a user who was not there before: the summary
            emit(Message{Role::user, Origin::summary, line_.content.text, line_.content.media});
            return LineFate::understood;
        }
        if (line_.content.text.bytes.starts_with(kSummary)) return summary();
        if (sub_agent_) {
            emit(Message{Role::user, Origin::agent, line_.content.text, line_.content.media});
            return LineFate::understood;
        }
        if (copying_) {
            copy_of_user();
            return LineFate::understood;
        }
        const Prompt prompt = without_hooks(line_.content.text.bytes);
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
            const Thought& thought = line_.thoughts[told.thoughts];
            const RawText text = thought.description.empty() ? thought.subject : thought.description;
            if (!text.empty()) emit(Thinking{text, 0});
        }
        if (!told.text && !line_.content.text.empty()) {
            told.text = true;
            emit(Message{Role::assistant, Origin::agent, line_.content.text, line_.content.media});
        }
        const std::size_t before = told.calls;
        for (; told.calls < line_.calls.size(); ++told.calls) {
            const Call& call = line_.calls[told.calls];
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
            const Call& call = line_.calls[i];
            const std::uint64_t bit = i < 64 ? std::uint64_t{1} << i : 0;
            if ((told.results & bit) != 0 || (bit == 0 && i < first_new) || call.name.empty()) continue;
            if (call.status != "success" && call.status != "error" && call.status != "cancelled") continue;
            told.results |= bit;
            result(call);
        }
    }

    void result(const Call& call) {
        if (const std::int64_t time = time_of(call.timestamp); time != kNoTime) head().time_ms = time;
        ToolResult result;
        result.call_id = text_of(call.id);
        result.name = text_of(call.name);
        result.text = !call.error.empty() ? call.error : !call.output.empty() ? call.output : call.display;
        const bool shell = call.name == "run_shell_command";
        if (shell) result.exit_code = number_after(result.text.bytes, "Exit Code: ");
        result.status = status(call, result);
        result.text = shell ? shell_answer(result.text) : mcp_answer(result.text, said_);
        emit(result);
    }

    // "success" says that the tool ran; what a command made of it stands in the text.
    static ResultStatus status(const Call& call, const ToolResult& result) {
        const std::string_view text = result.text.bytes;
        if (call.status == "success") return status_of(result.exit_code);
        const bool refused = text.find("did not allow") != text.npos || text.find("denied by policy") != text.npos;
        if (refused) return ResultStatus::denied;
        return call.status == "error" ? ResultStatus::error : ResultStatus::cancelled;
    }

    Header header_;
    Line line_;
    std::string said_;                   // by an MCP tool
    std::string joined_, joined_shown_;  // texts of several parts
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
