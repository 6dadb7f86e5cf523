#include "readers/message_log.hpp"

#include "readers/continuations.hpp"
#include "readers/conversations.hpp"
#include "readers/json_util.hpp"
#include "readers/message_frame.hpp"
#include "readers/message_parts.hpp"
#include "readers/message_roles.hpp"
#include "readers/session_turns.hpp"
#include "readers/text_call_args.hpp"
#include "readers/text_calls.hpp"
#include "readers/torn_document.hpp"
#include "readers/walk.hpp"

#include <agent_audit/support/hash.hpp>
#include <agent_audit/support/unescape.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace agent_audit::readers {
namespace {

constexpr std::array<std::string_view, 6> kInjectedPrefixes{
    "<returncode>", "Observation:", "OBSERVATION:", "exitcode:", "<system-reminder>", "<tool_response>"};

// What the machinery around an orchestrator notes under its name: no model said it.
constexpr std::array<std::string_view, 8> kOfMachinery{"Next speaker ",      "Stalled....",  "Replan counter exceeded",
                                                       "Request satisfied.", "(replanning)", "No agent selected.",
                                                       "Max rounds (",       "Max time ("};

enum class Flavour : std::uint8_t { messages, history };

class MessageLog final : public JsonReader {
public:
    explicit MessageLog(Flavour flavour) : flavour_(flavour) {}

    void use(const CallIdentity& identity) override {
        JsonReader::use(identity);
        message_args_.use(identity);
    }

    void finish(EventSink& sink) override {
        set_sink(sink);
        if (scene_.outcomes_kept_back) settle_held({});
        held_.calls.clear();
        tell_all();
    }

protected:
    LineFate read_object(json::object object) override {
        top_.clear();
        frame_ = Frame{};
        if (!collect(object)) return LineFate::malformed_json;
        if (!frame_.messages.empty()) return conversation();
        if (frame_.has_messages_key) return LineFate::missing_field;
        if (top_.role.empty()) return top_.has_content ? LineFate::missing_field : LineFate::unknown_kind;
        if (last_) choose_sink(*last_);
        place_whole_record();
        const LineFate fate = understood(top_);
        if (fate == LineFate::understood && top_.role == "assistant") answer_of_own_line();
        tell_on();
        return fate;
    }

    // A record that is an array: a conversation without a frame.
    LineFate read_array(json::array array) override {
        top_.clear();
        frame_ = Frame{};
        if (array.raw_json().get(frame_.messages)) return LineFate::malformed_json;
        const LineFate fate = conversation();
        return fate == LineFate::missing_field ? LineFate::unknown_kind : fate;
    }

    // A document that ends too early, not a line that another writer tore.
    LineFate read_torn(std::string_view text) override {
        if (!record().last_unterminated) return LineFate::malformed_json;
        const bool team = flavour_ == Flavour::history;
        for (const std::string_view key : team ? std::span<const std::string_view>(kHistoryArrays) : kMessageArrays) {
            const std::size_t size = close_torn(text, key, closed_);
            if (size == 0) continue;
            set_base(closed_.data());
            args_.clear();
            new_head();
            torn_ = true;
            const LineFate fate = read_documents({closed_.data(), size});
            torn_ = false;
            return fate == LineFate::understood ? LineFate::partial : fate;
        }
        return LineFate::malformed_json;
    }

    LineFate read_part(json::object part) override {
        if (record().part != RecordPart::head && parts_ == nullptr) return LineFate::unknown_kind;
        if (parts_) choose_sink(*parts_);
        const LineFate fate = record().part == RecordPart::head   ? open_parts(part)
                              : record().part == RecordPart::tail ? close_parts(part)
                                                                  : one_message(part);
        if (record().part == RecordPart::tail) tell_on();
        restore_sink();
        return fate;
    }

private:
    // How far a conversation has come.
    struct Scene {
        std::uint32_t turn = 0;
        bool someone_spoke = false;
        bool group_chat = false;          // assistants have names: then a named "user" is just another agent
        bool structured = false;          // calls have fields of their own: what looks like one in a text is talk
        bool outcomes_kept_back = false;  // actions are logged, what came of them is not
        bool calling = false;             // the last message was an answer whose calls have no result yet
        bool waits = false;  // it was no answer, or one with calls: the conversation has not come to its end
    };
    // What was last said of the setting.
    struct Setting {
        IdHash model = 0, system = 0, tools = 0;
    };
    // Calls found in a text, until the next message shows whether they were made. One message at most.
    struct Held {
        std::vector<TextCall> calls;
        EventHeader head;
    };
    struct History : Conversation {
        bool replied = false;  // the answer to the last request was recorded with it
        Scene scene;
        Setting setting;
        Held held;
    };
    using Continuation = readers::Continuation<History>;

    // The fields of a record, around its messages and of an answer beside them.
    bool collect(json::object object) {
        const bool team = flavour_ == Flavour::history;
        const FrameKeys keys = team ? FrameKeys::messages_or_history : FrameKeys::messages;
        const bool whole = collect_frame(object, keys, frame_, top_, args_);
        requests_ |= frame_.wrapped;
        return whole;
    }

    // ---- a record that holds a conversation -------------------------------------------------------------

    LineFate conversation() {
        // A document of its own is cut no further by the input layer: its messages are the records.
        // Within a line of a log, or an element of a larger document, that record is the place.
        const SourceSpan& whole = record().where;
        const std::string_view text = record().text;
        document_ = whole.line == 1 && whole.offset == 0 && record().counted && is_inside(text, frame_.messages.data());

        json::document doc;
        json::array array;
        if (!open_messages(doc, array)) return LineFate::malformed_json;
        const Continuation from = find_history(array);
        if (!open_messages(doc, array)) return LineFate::malformed_json;

        History& history = from.history ? *from.history : histories_.to_leave();
        begin_conversation(history, from);
        const LineFate fate = stream(array, history, from);
        if (!top_.role.empty() && fate != LineFate::missing_field) {
            place_message(next_index_, {});
            understood(top_);
        } else if (top_.usage.seen && fate == LineFate::understood) {
            place_message(next_index_, {});
            // An answer that is not written down has its bill all the same.
            if (message_.role != "assistant") last_response_ = next_response();
            head().response = last_response_;
            usage(top_);
        }
        keep_scene(history, top_.role == "assistant");
        tell_on();
        return fate;
    }

    void keep_scene(History& history, bool replied) {
        history.replied = replied;
        scene_.waits |= !held_.calls.empty();
        history.scene = scene_;
        history.setting = {last_model_, last_system_, last_tools_};
        history.calling = replied && scene_.calling;
    }

    // A log may hold a request and its answer one after the other: the next request repeats both.
    void answer_of_own_line() {
        if (last_) keep_scene(*last_, true);
    }

    // ---- a conversation that is handed out in parts -----------------------------------------------------

    LineFate open_parts(json::object head) {
        top_.clear();
        frame_ = Frame{};
        parts_ = nullptr;
        if (!collect(head)) return LineFate::malformed_json;
        if (!frame_.has_messages_key) return LineFate::unknown_kind;
        parts_ = &histories_.to_leave();
        odd_parts_ = false;
        parts_are_lines_ = record().counted;
        begin_conversation(*parts_, {});
        return LineFate::understood;
    }

    LineFate one_message(json::object message) {
        message_.clear();
        message_args_.clear();
        const bool whole = each_field(
            message, [this](const char* key, json::value& v) { return collect_part(key, v, message_, message_args_); });
        if (!whole || !alive()) return LineFate::malformed_json;
        ++next_index_;
        if (message_.role.empty()) {
            odd_parts_ = true;
            return LineFate::missing_field;
        }
        place_whole_record();
        return understood(message_);
    }

    LineFate close_parts(json::object rest) {
        History& history = *std::exchange(parts_, nullptr);
        const LineFate fate = collect(rest) && alive() ? LineFate::understood : LineFate::malformed_json;
        place_whole_record();
        // Where messages are counted as lines, what stands beside them is one more.
        if (parts_are_lines_) head().where.line = next_index_ + 1;
        if (odd_parts_) complain("message-without-role", "messages without a role were left out");
        if (fate == LineFate::understood) answer_of_record();
        history.hashes.clear();  // too long to be compared: what repeats it begins a session of its own
        keep_scene(history, history.replied);
        return fate == LineFate::understood && record().last_unterminated ? LineFate::partial : fate;
    }

    // What a record tells beside its messages.
    void answer_of_record() {
        if (!top_.role.empty()) {
            understood(top_);
        } else if (top_.usage.seen) {
            head().response = last_response_;
            usage(top_);
        }
    }

    bool open_messages(json::document& doc, json::array& array) {
        const std::string_view raw = frame_.messages;
        if (doc.is_alive())
            doc.rewind();  // broken JSON kills a document
        else if (inner_.iterate(raw.data(), raw.size(), raw.size() + simdjson::SIMDJSON_PADDING).get(doc))
            return false;
        return !doc.get_array().get(array);
    }

    static bool is_inside(std::string_view text, const char* at) {
        return !std::less<>{}(at, text.data()) && std::less<>{}(at, text.data() + text.size());
    }
    static std::size_t offset_in(std::string_view text, const char* at) {
        return static_cast<std::size_t>(at - text.data());
    }

    static std::uint64_t known_by(const Parts& m) { return known_as(history_hash(m), m.role == "assistant"); }

    // Which recorded history do these messages begin with, if any?
    Continuation find_history(json::array& array) {
        search_.begin();
        for (History& h : histories_.all()) {
            if (h.session != 0 && h.scene.someone_spoke && !h.hashes.empty()) search_.add(h);
        }
        for (auto item : array) {
            if (search_.is_over()) break;
            json::value element;
            if (std::move(item).get(element) || !collect_message(element)) return {};
            search_.next(known_by(message_));
        }
        return search_.end(torn_);
    }

    bool collect_message(json::value& element) {
        message_.clear();
        message_args_.clear();
        return each_field(
            element, [this](const char* key, json::value& v) { return collect_part(key, v, message_, message_args_); });
    }

    void begin_conversation(History& history, const Continuation& from) {
        next_index_ = from.skip;
        if (last_ != nullptr && last_ != &history) last_->held = std::move(held_);
        if (last_ != &history || !from.history) held_ = from.history ? std::move(history.held) : Held{};
        last_ = &history;
        requests_ |= from.history != nullptr || !top_.model.empty();
        if (from.history) {
            go_on(history, from.known);
        } else {
            begin_anew(history);
        }
        choose_sink(history);
        histories_.use(history);
        history.model = id_hash(top_.model);
        history.tools = id_hash(frame_.tools);
        lane_ = history.lane;
    }

    void begin_anew(History& history) {
        const bool beside = histories_.is_beside(current_, id_hash(top_.model), id_hash(frame_.tools));
        histories_.open(history, beside ? current_ : 0);
        scene_ = Scene{};
        if (beside) {
            lane_opens_ = true;
        } else {
            pending_ = &history;
            last_system_ = last_tools_ = last_model_ = 0;
        }
    }

    void go_on(History& history, std::size_t known) {
        history.hashes.resize(known);
        scene_ = history.scene;
        const bool open = turns_.in_pieces() ? current_ == history.session : turns_.is_open(history.session);
        lane_opens_ = history.lane != 0 && !open;
        if (open) {
            if (current_ == history.session) return;
            current_ = history.session;
            last_model_ = history.setting.model;
            last_system_ = history.setting.system;
            last_tools_ = history.setting.tools;
            return;
        }
        // Another session was told in between, and what follows is no part of it. Where no answers are recorded an
        // agent at work cannot be told from one that is done, and rules see more in one piece.
        pending_ = &history;
        pending_resumes_ = turns_.in_pieces() && !history.replied;
    }

    // ---- one session after the other --------------------------------------------------------------------

    void choose_sink(const History& history) {
        HeldEvents* const held = turns_.begin(history.session, requests_);
        if (held == nullptr) return;
        real_sink_ = &sink();
        set_sink(*held);
    }

    void restore_sink() {
        if (real_sink_ == nullptr) return;
        set_sink(*std::exchange(real_sink_, nullptr));
        unnumber(turns_.end());
    }

    bool goes_on_later(std::uint64_t session) {
        return std::ranges::any_of(histories_.all(),
                                   [session](const History& h) { return h.session == session && h.scene.waits; });
    }

    void tell_on() {
        restore_sink();
        turns_.tell_on([this](std::uint64_t session) { return goes_on_later(session); },
                       [this](const Event& event) { tell(event); });
    }

    void tell_all() {
        turns_.tell_all([this](const Event& event) { tell(event); });
    }

    void tell(const Event& event) {
        std::visit([&](const auto& body) { emit(body, event.head); }, event.body);
    }

    LineFate stream(json::array& array, History& history, const Continuation& from) {
        std::size_t index = 0;
        std::size_t good = from.known;
        std::size_t bad = 0;
        for (auto item : array) {
            json::value element;
            if (std::move(item).get(element)) return good > 0 ? LineFate::partial : LineFate::malformed_json;
            const std::size_t i = index++;
            if (i < from.known) continue;
            const std::string_view start = element.raw_json_token();
            if (!collect_message(element)) return good > 0 ? LineFate::partial : LineFate::malformed_json;
            if (history.hashes.size() < Conversation::kMaxHashes) history.hashes.push_back(known_by(message_));
            next_index_ = index;
            if (i < from.skip) continue;
            if (message_.role.empty()) {
                ++bad;
                continue;
            }
            ++good;
            place_message(i, start);
            understood(message_);
        }
        // Too long to be compared: what repeats it begins a session of its own.
        if (index > Conversation::kMaxHashes) history.hashes.clear();
        if (good == 0) return LineFate::missing_field;
        if (bad > 0) complain("message-without-role", "messages without a role were left out");
        return LineFate::understood;
    }

    void place_message(std::size_t index, std::string_view start) {
        new_head(lane_, lane_ == 0 ? scene_.turn : 0);
        if (!document_) return;
        SourceSpan& where = head().where;
        where.line = index + 1;
        if (!start.empty() && is_inside(record().text, start.data())) {
            where.offset = record().where.offset + offset_in(record().text, start.data());
            where.length = 0;
        }
    }

    void place_whole_record() {
        document_ = false;
        new_head(lane_, lane_ == 0 ? scene_.turn : 0);
    }

    // ---- sessions and setting ---------------------------------------------------------------------------

    void open_session(const Parts& m) {
        if (!pending_ && current_ != 0) return open_lane();
        EventHeader h = head();
        h.turn = h.lane = 0;
        h.record_id = {};
        SessionStart start;
        start.model = text_of(m.model.empty() ? top_.model : m.model);
        std::array<char, 24> label{};
        if (pending_) {
            const auto end = std::to_chars(label.data(), label.data() + label.size(), pending_->session).ptr;
            start.label = frame_.task.empty() ? plain({label.data(), static_cast<std::size_t>(end - label.data())})
                                              : text_of(frame_.task);
            start.resumed = pending_resumes_;
            current_ = pending_->session;
        } else {
            current_ = kWholeFile;
        }
        pending_ = nullptr;
        pending_resumes_ = false;
        last_model_ = id_hash(start.model.bytes);
        emit(start, h);
        open_lane();
    }

    void open_lane() {
        if (std::exchange(lane_opens_, false)) emit(LaneOpen{});
    }

    void setting(const Parts& m) {
        // What a message was asked or told says nothing about who answers it.
        const bool heard = last_model_ != 0 && (m.role == "user" || m.role == "system" || m.role == "tool");
        const std::string_view model = m.model.empty() && !heard ? top_.model : m.model;
        ContextChange change;
        if (!model.empty() && id_hash(model) != last_model_) {
            last_model_ = id_hash(model);
            change.model = text_of(model);
        }
        const IdHash system = id_hash(frame_.system);
        const IdHash tools = id_hash(frame_.tools);
        const bool told = !frame_.system.empty() || !frame_.tools.empty();  // not by an answer
        if (told && (system != last_system_ || tools != last_tools_)) {
            last_system_ = system;
            last_tools_ = tools;
            change.system_prompt_bytes = frame_.system.size() + frame_.tools.size();
        }
        if (!change.model.empty() || change.system_prompt_bytes > 0) emit(change);
    }

    void complain(std::string_view code, std::string_view text) {
        Notice notice;
        notice.level = NoticeLevel::warning;
        notice.code = plain(code);
        notice.text = plain(text);
        emit(notice);
    }

    // ---- one message ------------------------------------------------------------------------------------

    LineFate understood(const Parts& m) {
        if (m.role.starts_with('_')) return LineFate::ignored_kind;
        if (!m.has_content && m.calls.all().empty() && m.refusal.empty() && m.reasoning.empty() &&
            m.role != "assistant" && m.role != "session_meta") {
            return LineFate::missing_field;
        }
        EventHeader& h = head();
        h.time_ms = m.time_ms;
        h.record_id = m.id;
        open_session(m);
        setting(m);
        speak(m);
        complain_of_unknown(m);
        if (m.blocks.dropped() || m.calls.dropped()) {
            complain("too-many-blocks", "a message with more than 10000 content blocks: the rest was not read");
        }
        return LineFate::understood;
    }

    void speak(const Parts& m) {
        const bool first = !scene_.someone_spoke;
        scene_.calling = m.role == "assistant" && (!m.calls.all().empty() || has_calls(m));
        scene_.waits = m.role != "assistant" || scene_.calling;
        if (m.role == "session_meta") return;  // became SessionStart or ContextChange
        if (m.role == "system" || m.role == "developer") {
            if (!m.blocks.all().empty()) emit(Message{Role::system, Origin::injected, joined_text(m), media_count(m)});
            return;
        }
        if (flavour_ == Flavour::history && is_of_machinery(m)) return noted(m);
        scene_.structured |= !m.calls.all().empty() || has_calls(m);
        if (!held_.calls.empty() && settle(m)) return;
        if (m.role == "log") return logged(m);
        scene_.someone_spoke = true;
        if (m.role == "tool" || m.role == "function") return tool_result(m);
        if (m.role == "human") return human(m);
        if (m.role == "user") {
            const bool agent = !m.name.empty() && !is_human_name(m.name);
            return agent && scene_.group_chat ? assistant(m) : user(m);
        }
        // In a group chat every speaker is an agent, and the first one hands out the task.
        const bool group = m.role != "assistant" || !m.name.empty();
        scene_.group_chat |= group;
        if (first && group && m.calls.all().empty() && !has_calls(m)) return human(m);
        assistant(m);
    }

    // "Orchestrator (thought)" is said to nobody. A line that tells the answer of the team stays a message.
    bool is_of_machinery(const Parts& m) {
        if (!m.role.starts_with("Orchestrator (") || m.role.starts_with("Orchestrator (->")) return false;
        const std::string_view text = joined_text(m).bytes;
        return std::ranges::any_of(kOfMachinery, [text](std::string_view start) { return text.starts_with(start); }) &&
               text.find("FINAL ANSWER") == text.npos;
    }

    // No notice: that would say that somebody warned the agent.
    void noted(const Parts& m) {
        head().flags |= kSynthetic;
        emit(Message{Role::system, Origin::injected, joined_text(m), 0});
    }

    // Lines the framework wrote about itself.
    void logged(const Parts& m) {
        scene_.someone_spoke = true;
        const RawText text = joined_text(m);
        // A new instance begins from nothing: what it does again is no repetition.
        const bool begins = text.bytes.starts_with("Initialized ") && text.bytes.find(" instance ") != text.bytes.npos;
        if (begins) {
            head().turn = ++scene_.turn;
            emit(TurnStart{});
        }
        head().flags |= kSynthetic;
        emit(begins ? Message{Role::user, Origin::queued, text, media_count(m)}
                    : Message{Role::system, Origin::injected, text, media_count(m)});
    }

    // The name an agent speaks under; none in plain conversations.
    static RawText speaker(const Parts& m) {
        if (!m.name.empty()) return text_of(m.name);
        return !is_api_role(m.role) ? text_of(m.role) : RawText{};
    }

    void say(const Parts& m, RawText text) {
        Message message{Role::assistant, Origin::agent, text, 0};
        message.speaker = speaker(m);
        emit(message);
    }

    // ---- calls inside texts -----------------------------------------------------------------------------

    // Longer texts are documents; no call stands that deep in one.
    static constexpr std::size_t kLongestText = 256u << 10;

    static std::string decoded(RawText text) {
        return text.form == TextForm::json_string ? decode_json_string(text.bytes, kLongestText)
                                                  : std::string(text.bytes.substr(0, kLongestText));
    }

    // Says what an agent's message holds: a report of something done, calls to be answered, or just words.
    void speech(const Parts& m, RawText text) {
        if (scene_.structured || text.empty()) return say(m, text);
        if (scene_.group_chat && reported(m, text)) return;
        if (!may_hold_calls(text.bytes)) return say(m, text);
        held_.calls = calls_in(decoded(text));
        held_.head = head();
        held_.head.record_id = {};
        scene_.outcomes_kept_back |= m.name.starts_with("Inner-") && m.name.ends_with("-Assistant");
        if (!scene_.outcomes_kept_back) return say(m, text);
        std::erase_if(held_.calls,
                      [](const TextCall& c) { return c.form != TextCall::Form::react || c.tool == kActTool; });
        const auto action = held_.calls.empty() ? text.bytes.npos : text.bytes.rfind("\\nAction:");
        say(m, {text.bytes.substr(0, action), text.form});
    }

    bool reported(const Parts& m, RawText text) {
        const std::string whole = decoded(text);
        const auto report = report_in(whole);
        if (!report) return false;
        say(m, plain(report->action));
        ToolCall call;
        call.name = plain(report->tool);
        call.primary = plain(report->subject.empty() ? report->action : report->subject);
        call.digest = ArgsDigester::digest_none(report->tool).digest;
        call.digest.canonical =
            mix_hash(call.digest.canonical, mix_hash(stable_hash(report->subject), stable_hash(report->action)));
        emit(call);
        ToolResult result;
        result.text = plain(report->result);
        if (report->failed) result.status = ResultStatus::error;
        emit(result);
        return true;
    }

    // The message after one with calls: true when it was their answer and nothing else.
    bool settle(const Parts& m) {
        if (scene_.outcomes_kept_back) {
            settle_held(decoded(joined_text(m)));
            return false;
        }
        const Held held = std::move(held_);
        held_.calls.clear();
        if (m.role != "user" && m.role != "tool" && m.role != "function" && !scene_.group_chat) return false;
        const std::string text = decoded(joined_text(m));
        auto answers = answers_in(m.name.empty() ? m.role : m.name, text, held.calls.front().form);
        if (answers.empty() && held.calls.front().awaited && !scene_.group_chat) answers.push_back(text);
        if (answers.empty()) return false;
        scene_.someone_spoke = true;
        const std::size_t count = std::min(answers.size(), held.calls.size());
        for (std::size_t i = 0; i < count; ++i) make_call(held, held.calls[i]);
        // More calls than answers: one answer for all of them belongs to the first.
        for (std::size_t i = 0; i < count; ++i) {
            ToolResult result;
            result.text = plain(answers[i]);
            emit(result);
        }
        return true;
    }

    // What came of them is not in the log. A look shows the same as long as nothing was written, so its outcome is
    // named after the call; a change took place unless the agent's next words say otherwise. What a command printed
    // nobody knows.
    void settle_held(std::string_view next) {
        constexpr std::string_view kThought = "Thought:";
        const auto thought = next.substr(0, 64).find(kThought);
        if (thought != next.npos) next.remove_prefix(thought + kThought.size());
        const Held held = std::move(held_);
        held_.calls.clear();
        for (const TextCall& c : held.calls) {
            make_call(held, c);
            const bool look = only_looks(c.tool);
            const bool failed = !look && tells_failure(next);
            ToolResult result;
            result.status = failed                   ? ResultStatus::error
                            : look || writes(c.tool) ? ResultStatus::ok
                                                     : ResultStatus::unknown;
            result.opaque = result.status != ResultStatus::ok;
            // Two looks at different things did not show the same.
            const std::string unseen = look ? "(outcome not recorded) " + c.args : std::string{};
            result.text = plain(unseen);
            emit(result, held.head);
        }
    }

    // The text was heard when it was said: the call repeats no byte of it.
    void make_call(const Held& held, const TextCall& call) { emit(text_call_args_.call_of(call, args_), held.head); }

    void human(const Parts& m) { human(m, joined_text(m)); }

    void human(const Parts& m, RawText text) {
        if (lane_ != 0) return emit(Message{Role::user, Origin::agent, text, media_count(m)});
        head().turn = ++scene_.turn;
        emit(TurnStart{});
        emit(Message{Role::user, Origin::human, text, media_count(m)});
    }

    void user(const Parts& m) {
        bool results = false;
        for (const Block& b : m.blocks.all()) {
            if (!is_result_block(b.type)) continue;
            results = true;
            result_block(b);
        }
        const bool typed =
            !results && std::ranges::any_of(m.blocks.all(), is_reminder) &&
            std::ranges::any_of(m.blocks.all(), [](const Block& b) { return !b.text.empty() && !is_reminder(b); });
        if (typed) return human_among_reminders(m);
        const RawText text = joined_text(m);
        const std::uint32_t pictures = media_count(m);
        if (text.empty() && pictures == 0 && results) return;
        const bool injected = results || std::ranges::any_of(kInjectedPrefixes, [&text](std::string_view prefix) {
                                  return text.bytes.starts_with(prefix);
                              });
        if (!injected) return human(m);
        emit(Message{Role::user, Origin::injected, text, pictures});
    }

    void human_among_reminders(const Parts& m) {
        human(m, readers::joined_text(m, SpokenBlocks::but_reminders, joined_));
        emit(Message{Role::user, Origin::injected, readers::joined_text(m, SpokenBlocks::reminders, joined_), 0});
    }

    std::uint64_t next_response() { return mix_hash(++responses_, kWholeFile) | 1; }

    void assistant(const Parts& m) {
        head().response = last_response_ = m.id.empty() ? next_response() : id_hash(m.id);
        if (!m.reasoning.empty()) emit(Thinking{m.reasoning, 0});
        for (const Block& b : m.blocks.all()) assistant_block(m, b);
        if (!m.refusal.empty()) say(m, m.refusal);
        for (const Block& c : m.calls.all()) tool_call(c);
        usage(m);
    }

    void assistant_block(const Parts& m, const Block& b) {
        if (is_thinking_block(b.type)) {
            if (!b.text.empty() || b.opaque_bytes > 0) emit(Thinking{b.text, b.opaque_bytes});
        } else if (is_call_block(b.type)) {
            tool_call(b);
        } else if (is_result_block(b.type)) {  // results of server-side tools stand in the response
            result_block(b);
        } else if (b.type == "compaction") {
            Compaction compaction;
            compaction.summary = b.content.text;
            compaction.trigger = CompactionTrigger::automatic;
            compaction.keep = Keep::none;
            emit(compaction);
        } else if (!b.text.empty()) {
            speech(m, b.text);
        }
    }

    // A call in words that nobody has told us of must not look like an agent that calls nothing.
    void complain_of_unknown(const Parts& m) {
        for (const Block& b : m.blocks.all()) {
            if (!is_unknown_block(b)) continue;
            constexpr std::size_t kLongestName = 60;
            complain("unknown-block", fmt::format("content blocks of the kind '{}', which is not known, were left out",
                                                  b.type.substr(0, kLongestName)));
        }
    }

    void tool_call(const Block& b) {
        ToolCall call;
        call.call_id = text_of(b.id);
        call.name = text_of(b.name);
        call.args = b.args.raw;
        call.primary = b.args.primary;
        call.digest = b.args.digest;
        if (b.args.raw.empty() && !call.digest.opaque) call.digest = ArgsDigester::digest_none(b.name).digest;
        emit(call);
    }

    void result_block(const Block& b) {
        ToolResult result;
        result.call_id = text_of(b.id);
        result.text = b.content.text;
        result.media_count = b.content.media;
        result.opaque = result.text.empty() && result.media_count > 0;
        result.status = b.status;
        result.exit_code = b.exit_code;
        emit(result);
    }

    void tool_result(const Parts& m) {
        bool blocks = false;
        for (const Block& b : m.blocks.all()) {
            if (!is_result_block(b.type)) continue;
            blocks = true;
            result_block(b);
        }
        if (blocks) return;
        ToolResult result;
        result.call_id = text_of(m.call_id);
        result.name = text_of(m.name);
        result.text = joined_text(m);
        result.media_count = media_count(m);
        result.opaque = result.text.empty() && result.media_count > 0;
        result.exit_code = m.exit_code;
        if (m.status == "denied")
            result.status = ResultStatus::denied;
        else if (m.status == "cancelled")
            result.status = ResultStatus::cancelled;
        else if (m.status == "running")
            result.status = ResultStatus::running;
        else if (m.has_error_flag)
            result.status = m.is_error ? ResultStatus::error : ResultStatus::ok;
        else if (m.status == "error")
            result.status = ResultStatus::error;
        else if (m.status == "success")
            result.status = ResultStatus::ok;
        emit(result);
    }

    void usage(const Parts& m) {
        if (!m.usage.seen) return;
        Usage usage;
        usage.tokens = m.usage.tokens();
        const std::uint64_t cost = microusd(m.usage.cost_usd);
        if (usage.tokens.total() == 0 && cost == 0) return;
        usage.model = text_of(m.model);
        if (cost > 0) usage.cost_microusd = cost;
        // Providers' ids are long and unique; short ones are counters that repeat in every file.
        if (m.id.size() >= 16) usage.message_key = id_hash(m.id);
        emit(usage);
    }

    RawText joined_text(const Parts& m) { return readers::joined_text(m, SpokenBlocks::all, joined_); }

    static constexpr std::uint64_t kWholeFile = ~std::uint64_t{0};

    Flavour flavour_;
    Parts top_, message_;
    Frame frame_;
    Held held_;
    TextCallArgs text_call_args_;
    std::string closed_;  // a cut document with its brackets closed
    ArgsDigester message_args_;
    json::parser inner_;
    std::string joined_;
    Conversations<History> histories_;
    History* parts_ = nullptr;    // of the document whose parts are read
    History* pending_ = nullptr;  // a session to be announced by its first new message
    bool odd_parts_ = false;      // some without a role
    bool parts_are_lines_ = false;
    bool torn_ = false;
    History* last_ = nullptr;  // the conversation of the last record
    std::uint32_t lane_ = 0;
    bool lane_opens_ = false;
    bool pending_resumes_ = false;
    bool document_ = false;
    std::size_t next_index_ = 0;
    SessionTurns turns_;
    EventSink* real_sink_ = nullptr;  // while the events of a record are held back
    bool requests_ = false;           // conversations may go on in later records: they are requests, no documents
    HistorySearch<History> search_;
    std::uint64_t responses_ = 0;
    std::uint64_t current_ = 0;  // number of the session the last event belongs to; 0 = none yet
    IdHash last_response_ = 0, last_model_ = 0, last_system_ = 0, last_tools_ = 0;
    Scene scene_;
};

}  // namespace

std::unique_ptr<RecordReader> make_message_log() { return std::make_unique<MessageLog>(Flavour::messages); }
std::unique_ptr<RecordReader> make_history_log() { return std::make_unique<MessageLog>(Flavour::history); }

}  // namespace agent_audit::readers
