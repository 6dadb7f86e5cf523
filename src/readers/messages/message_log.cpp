#include "readers/messages/message_log.hpp"

#include "readers/json/json_reader.hpp"
#include "readers/json/torn_document.hpp"
#include "readers/json/walk.hpp"
#include "readers/messages/continuations.hpp"
#include "readers/messages/conversations.hpp"
#include "readers/messages/message_frame.hpp"
#include "readers/messages/message_speech.hpp"
#include "readers/messages/session_turns.hpp"

#include <agent_audit/support/hash.hpp>

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

class MessageLog final : public MessageSpeech {
public:
    explicit MessageLog(bool team) : MessageSpeech(team) {}

    void use(const CallIdentity& identity) override {
        JsonReader::use(identity);
        message_args_.use(identity);
    }

    void finish(EventSink& sink) override {
        set_sink(sink);
        speak_last();
        tell_all();
    }

protected:
    LineFate read_object(json::object object) override {
        top_.clear();
        frame_ = Frame{};
        if (!collect(object)) return LineFate::malformed_json;
        if (!frame_.runs.empty()) return runs();
        if (!frame_.messages.empty()) return conversation();
        if (frame_.has_messages_key) return LineFate::missing_field;
        if (!frame_.steps.empty() && top_.role.empty()) return steps();
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
        for (const std::string_view key : team_ ? std::span<const std::string_view>(kHistoryArrays) : kMessageArrays) {
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
    // What was last said of the setting.
    struct Setting {
        IdHash model = 0, system = 0, tools = 0;
    };
    struct History : Conversation {
        bool replied = false;  // the answer to the last request was recorded with it
        MessageScene scene;
        Setting setting;
        HeldCalls held;
        IdHash run = 0;  // of the AI SDK, whose steps do not repeat those before them; 0 = none
    };
    using Continuation = readers::Continuation<History>;

    // The fields of a record, around its messages and of an answer beside them.
    bool collect(json::object object) {
        const FrameKeys keys = team_ ? FrameKeys::messages_or_history : FrameKeys::messages;
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
        const Continuation from = goes_on_with(array);
        if (!open_messages(doc, array)) return LineFate::malformed_json;

        History& history = from.history ? *from.history : histories_.to_leave();
        begin_conversation(history, from);
        history.run = id_hash(frame_.run);
        const LineFate fate = stream(array, history, from);
        if (!top_.role.empty() && fate != LineFate::missing_field) {
            place_message(next_index_, {});
            understood(top_);
        } else if (top_.usage.seen && fate == LineFate::understood) {
            place_message(next_index_, {});
            // An answer that is not written down has its bill all the same. Behind that of a step are its results.
            if (message_.role != "assistant" && !frame_.is_step) last_response_ = next_response();
            head().response = last_response_;
            usage(top_);
        }
        if (!frame_.error_code.empty() || !frame_.error.empty()) refused();
        keep_scene(history, top_.role == "assistant");
        tell_on();
        return fate;
    }

    // What a run did, when it had ended: each step is as good as a record of its own.
    LineFate steps() {
        json::parser parser;
        json::document doc;
        json::array array;
        std::vector<std::string_view> steps;
        const std::string_view raw = frame_.steps;
        if (parser.iterate(raw.data(), raw.size(), raw.size() + simdjson::SIMDJSON_PADDING).get(doc) ||
            doc.get_array().get(array))
            return LineFate::malformed_json;
        for (auto item : array) {
            json::value step;
            if (std::move(item).get(step)) return LineFate::malformed_json;
            steps.push_back(raw_value(step));
        }
        LineFate fate = LineFate::unknown_kind;
        run_begins_ = 0;
        for (const std::string_view step : steps) {
            const LineFate one = step_of_run(parser, step);
            if (fate != LineFate::understood) fate = one;
            run_begins_ += next_index_;
        }
        run_begins_ = 0;
        return fate;
    }

    LineFate step_of_run(json::parser& parser, std::string_view step) {
        json::document doc;
        json::object object;
        top_.clear();
        args_.clear();
        frame_ = Frame{};
        if (parser.iterate(step.data(), step.size(), step.size() + simdjson::SIMDJSON_PADDING).get(doc) ||
            doc.get_object().get(object) || !collect(object))
            return LineFate::malformed_json;
        return frame_.messages.empty() ? LineFate::missing_field : conversation();
    }

    // A step that names its run does not repeat what the run did before it.
    Continuation goes_on_with(json::array& array) {
        if (anew_) return {};
        if (!frame_.is_step || frame_.run.empty()) return find_history(array);
        return frame_.step == 0 ? Continuation{} : run_so_far();
    }

    Continuation run_so_far() {
        const IdHash run = id_hash(frame_.run);
        const auto same =
            std::ranges::find_if(histories_.all(), [run](const History& h) { return h.session != 0 && h.run == run; });
        return same == histories_.all().end() ? Continuation{} : Continuation{&*same};
    }

    void refused() {
        place_message(next_index_, {});
        head().time_ms = top_.time_ms;
        Notice notice;
        notice.level = NoticeLevel::error;
        notice.layer = NoticeLayer::provider;
        notice.code = text_of(frame_.error_code);
        notice.text = frame_.error;
        emit(notice);
    }

    LineFate runs() {
        LineFate fate = LineFate::missing_field;
        run_begins_ = 0;
        for (const Frame::Run& run : frame_.runs) {
            frame_.messages = run.messages;
            anew_ = run.anew;
            const LineFate one = conversation();
            if (fate != LineFate::understood) fate = one;
            run_begins_ += next_index_;
        }
        anew_ = false;
        run_begins_ = 0;
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
        if (!read_fields(message, [this](const char* key, json::value& v) {
                return collect_part(key, v, message_, message_args_);
            }))
            return LineFate::malformed_json;
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
        if (last_ != &history || !from.history) held_ = from.history ? std::move(history.held) : HeldCalls{};
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
        scene_ = MessageScene{};
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
        where.line = run_begins_ + index + 1;
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

    // ---- one message ------------------------------------------------------------------------------------

    LineFate understood(const Parts& m) {
        if (m.role.starts_with('_')) return LineFate::ignored_kind;
        if (!m.has_content && m.calls.all().empty() && m.refusal.empty() && m.reasoning.empty() &&
            m.role != "assistant" && m.role != "session_meta") {
            return LineFate::missing_field;
        }
        EventHeader& h = head();
        h.time_ms = m.time_ms == kNoTime && &m != &top_ ? frame_.asked_ms : m.time_ms;
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

    Parts top_, message_;
    Frame frame_;
    std::string closed_;  // a cut document with its brackets closed
    ArgsDigester message_args_;
    json::parser inner_;
    Conversations<History> histories_;
    History* parts_ = nullptr;    // of the document whose parts are read
    History* pending_ = nullptr;  // a session to be announced by its first new message
    bool odd_parts_ = false;      // some without a role
    bool parts_are_lines_ = false;
    bool torn_ = false;
    bool anew_ = false;           // what is read now goes on with nothing
    std::size_t run_begins_ = 0;  // messages of a document in front of the conversation that is read
    History* last_ = nullptr;     // the conversation of the last record
    bool lane_opens_ = false;
    bool pending_resumes_ = false;
    bool document_ = false;
    std::size_t next_index_ = 0;
    SessionTurns turns_;
    EventSink* real_sink_ = nullptr;  // while the events of a record are held back
    bool requests_ = false;           // conversations may go on in later records: they are requests, no documents
    HistorySearch<History> search_;
    std::uint64_t current_ = 0;  // number of the session the last event belongs to; 0 = none yet
    IdHash last_model_ = 0, last_system_ = 0, last_tools_ = 0;
};

}  // namespace

std::unique_ptr<RecordReader> make_message_log() { return std::make_unique<MessageLog>(false); }
std::unique_ptr<RecordReader> make_history_log() { return std::make_unique<MessageLog>(true); }

}  // namespace agent_audit::readers
