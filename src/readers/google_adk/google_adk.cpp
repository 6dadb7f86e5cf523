#include "readers/all.hpp"
#include "readers/google_adk/google_adk_event.hpp"
#include "readers/json/any_time.hpp"
#include "readers/json/array_record.hpp"
#include "readers/json/document_reader.hpp"

#include <array>
#include <string>

// What Google's Agent Development Kit keeps of a run: sessions, their events alone, and the cases and results of
// evaluations. Python writes its fields in snake case or, by alias, in camel case; the other languages in camel case.
//
//   {"id":"…","app_name":"…","user_id":"…","state":{},"events":[…],"last_update_time":1700000000.5}
//   {"author":"user","invocation_id":"e-…","content":{"role":"user","parts":[{"text":"…"}]},"timestamp":1700000000.1}
//   {"author":"helper","invocation_id":"e-…","content":{"role":"model","parts":[{"text":"…","thought":true},
//    {"function_call":{"id":"…","name":"…","args":{…}}}]},"usage_metadata":{…},"model_version":"…"}
//   {"author":"helper",…,"content":{"role":"user","parts":[{"function_response":{"id":"…","name":"…","response":{…}}}]}}
//   {"author":"user",…,"actions":{"compaction":{"start_timestamp":…,"end_timestamp":…,"compacted_content":{…}}}}
//   {"eval_set_id":"…","eval_cases":[{"eval_id":"…","conversation":[{"user_content":{…},"intermediate_data":{…},
//    "final_response":{…}}]}]}
//   {"eval_set_result_id":"…","eval_case_results":[{"eval_id":"…","session_id":"…","session_details":{…}}]}

namespace agent_audit::readers {
namespace {

constexpr std::size_t kMostTurns = 10'000;  // whose invocations are known; a rewind goes back a few

/// What the framework asks a person by way of a call; the model sees neither it nor its answer.
bool is_asked_by_framework(const AdkPart& part) { return part.name.starts_with("adk_request_"); }

class GoogleAdk final : public DocumentReader {
public:
    GoogleAdk() : DocumentReader("events") {}

protected:
    LineFate read_object(json::object object) override {
        doc_ = Document{};
        session_id_ = {};  // of a document that broke off
        if (!collect_document(object) || !alive()) return LineFate::malformed_json;
        if (doc_.has_events) return session(object);
        if (doc_.has_cases) return cases(object);
        if (object.reset().error()) return LineFate::malformed_json;
        m_.clear();
        if (doc_.row == "google-adk.session") return begin_session(doc_.id, {});
        if (doc_.has_conversation || doc_.has_details || doc_.has_measured) return eval_case(object);
        return read_event(object);
    }

    LineFate read_array(json::array array) override {
        session_id_ = {};
        return read_elements(array);
    }

    LineFate read_element(json::object element) override {
        if (!in_cases_) return read_event(element);
        doc_ = Document{};
        if (!collect_document(element) || !alive() || element.reset().error()) return LineFate::malformed_json;
        return eval_case(element);
    }

    LineFate end_document(json::object) override {
        close();
        return LineFate::understood;
    }

private:
    struct Document {
        std::string_view id, row, eval_id, session_id;
        bool has_events = false, has_cases = false, has_conversation = false, has_details = false, has_measured = false;
    };

    bool collect_document(json::object object) {
        return each_field(object, [this](const char* key, json::value& v) {
            if (key_is(key, "id"))
                doc_.id = raw_string(v);
            else if (key_is(key, "row"))
                doc_.row = raw_string(v);
            else if (key_is(key, "eval_id", "evalId"))
                doc_.eval_id = raw_string(v);
            else if (key_is(key, "session_id", "sessionId"))
                doc_.session_id = raw_string(v);
            else if (key_is(key, "events"))
                doc_.has_events |= is_array(v);
            else if (is_cases(key))
                doc_.has_cases |= is_array(v);
            else if (key_is(key, "conversation"))
                doc_.has_conversation |= is_array(v);
            else if (key_is(key, "session_details", "sessionDetails"))
                doc_.has_details |= is_object(v);
            else if (key_is(key, "eval_metric_result_per_invocation", "evalMetricResultPerInvocation"))
                doc_.has_measured |= is_array(v);
            return true;
        });
    }

    static bool is_cases(const char* key) {
        return key_is(key, "eval_cases", "evalCases") || key_is(key, "eval_case_results", "evalCaseResults");
    }

    LineFate session(json::object object) {
        open_ = false;
        session_id_ = doc_.id;
        return stream_records(object);
    }

    void close() {
        open_ = false;
        session_id_ = {};
    }

    LineFate begin_session(std::string_view id, std::string_view label) {
        open_ = true;
        turn_ = 0;
        lanes_.clear();
        turns_.clear();
        waiting_.clear();
        waits_ = false;
        billed_ = {};
        new_head().time_ms = m_.time_ms;
        SessionStart start;
        start.session_id = text_of(id);
        start.label = text_of(label);
        emit(start);
        return LineFate::understood;
    }

    // ---- evaluations: a case is a session -----------------------------------------------------------------------

    LineFate cases(json::object object) {
        in_cases_ = true;
        const LineFate fate = stream_arrays(object, is_cases);
        in_cases_ = false;
        return fate;
    }

    // A result has the session of the run; without it the invocations that were measured.
    LineFate eval_case(json::object object) {
        const Document doc = doc_;
        if (!doc.has_conversation && !doc.has_details && !doc.has_measured)
            return doc.eval_id.empty() ? LineFate::missing_field : LineFate::ignored_kind;  // not run yet
        m_.clear();
        (void)begin_session(doc.session_id.empty() ? doc.eval_id : doc.session_id, doc.eval_id);
        const std::uint64_t begun = emitted();
        const bool whole = read_fields(object, [&](const char* key, json::value& v) {
            if (key_is(key, "conversation")) return invocations(v);
            if (key_is(key, "session_details", "sessionDetails"))
                return each_field(v,
                                  [this](const char* k, json::value& w) { return !key_is(k, "events") || events(w); });
            if (!doc.has_details && key_is(key, "eval_metric_result_per_invocation", "evalMetricResultPerInvocation"))
                return each_element(v, [this](json::value& one) {
                    return each_field(one, [this](const char* k, json::value& w) {
                        return !key_is(k, "actual_invocation", "actualInvocation") || !is_object(w) || invocation(w);
                    });
                });
            return true;
        });
        open_ = false;
        if (!whole) return broken_off(begun);
        return LineFate::understood;
    }

    bool events(json::value& v) {
        return each_element(v, [this](json::value& element) {
            json::object object;
            return !is_object(element) ||
                   (!element.get_object().get(object) && read_event(object) != LineFate::malformed_json);
        });
    }

    bool invocations(json::value& v) {
        return each_element(v, [this](json::value& one) { return !is_object(one) || invocation(one); });
    }

    // What was asked comes first, what was answered last, wherever they stand.
    bool invocation(json::value& v) {
        json::object object;
        if (v.get_object().get(object)) return false;
        return invocation_part(object, Step::question) && invocation_part(object, Step::middle) &&
               invocation_part(object, Step::answer);
    }

    enum class Step : std::uint8_t { question, middle, answer };

    bool invocation_part(json::object object, Step step) {
        if (object.reset().error()) return false;
        m_.clear();
        tool_responses_.clear();
        const bool whole = read_fields(object, [this, step](const char* key, json::value& v) {
            if (key_is(key, "creation_timestamp", "creationTimestamp"))
                m_.time_ms = any_time(v);
            else if (key_is(key, "user_content", "userContent"))
                return step != Step::question || fields_.content(v);
            else if (key_is(key, "final_response", "finalResponse"))
                return step != Step::answer || fields_.content(v);
            else if (key_is(key, "intermediate_data", "intermediateData"))
                return step != Step::middle || intermediate(v);
            return true;
        });
        if (!whole) return false;
        if (step == Step::question) m_.author = "user";
        if (step == Step::middle)
            tool_uses();
        else
            (void)tell();
        return true;
    }

    bool intermediate(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "tool_uses", "toolUses")) return fields_.functions(w, AdkWhat::call, m_.parts);
            if (key_is(key, "tool_responses", "toolResponses"))
                return fields_.functions(w, AdkWhat::result, tool_responses_);
            if (!key_is(key, "invocation_events", "invocationEvents")) return true;
            const bool whole = events(w);
            m_.clear();
            return whole;
        });
    }

    // They are listed apart: each call, then what it gave.
    void tool_uses() {
        for (std::size_t i = 0; i < m_.parts.size(); ++i) {
            const AdkPart& call = m_.parts[i];
            begin_record(0);
            head().response = ++responses_ | kCounted;
            emit_part(call);
            for (std::size_t k = 0; k < tool_responses_.size(); ++k) {
                const AdkPart& response = tool_responses_[k];
                if (call.id.empty() ? k != i : response.id != call.id) continue;
                head().response = 0;
                emit_part(response);
                break;
            }
        }
        m_.parts.clear();
    }

    // ---- events -------------------------------------------------------------------------------------------------

    LineFate read_event(json::object object) {
        m_.clear();
        if (!read_fields(object, [this](const char* key, json::value& v) { return fields_.collect(key, v); }))
            return LineFate::malformed_json;
        if (m_.author.empty()) return LineFate::missing_field;
        if (m_.partial) return LineFate::ignored_kind;  // said whole behind the last piece
        return tell();
    }

    // ---- telling ------------------------------------------------------------------------------------------------

    LineFate tell() {
        const bool by_user = m_.author == "user";
        if (!open_) (void)begin_session(session_id_, {});
        begin_record(lane_of(m_.branch));
        if (m_.compaction) return compaction();
        if (!m_.rewind_to.empty()) rewind();
        const std::uint64_t before = emitted();
        for (const std::string_view id : m_.long_running) wait_for(id);
        if (by_user)
            question();
        else
            answer();
        if (emitted() > before) return LineFate::understood;
        return m_.has_content || m_.has_actions ? LineFate::ignored_kind : LineFate::missing_field;
    }

    EventHeader& begin_record(std::uint32_t lane) {
        EventHeader& h = new_head(lane, lane == 0 ? turn_ : 0);
        h.time_ms = m_.time_ms;
        h.record_id = m_.id;
        return h;
    }

    // Agents that run side by side do not see each other: each has its branch. Others take turns in one conversation.
    std::uint32_t lane_of(std::string_view branch) {
        const auto dot = branch.rfind('.');
        if (dot == branch.npos) return 0;
        const LaneTable::Found found = lanes_.find(id_hash(branch));
        if (!found.opened) return found.lane;
        LaneOpen lane;
        lane.parent_lane = lanes_.known(id_hash(branch.substr(0, dot)));
        lane.purpose = LanePurpose::task;
        lane.agent_id = text_of(branch);
        lane.agent_type = text_of(m_.author);
        begin_record(found.lane);
        emit(lane);
        return found.lane;
    }

    LineFate compaction() {
        Compaction c;
        c.trigger = CompactionTrigger::automatic;
        c.summary = m_.summary;
        emit(c);
        return LineFate::understood;
    }

    void rewind() {
        const IdHash to = id_hash(m_.rewind_to);
        const auto at = std::ranges::find(turns_, to);
        if (at == turns_.end()) return;
        Rewind back;
        back.target = RewindTarget::last_turns;
        back.count = static_cast<std::uint64_t>(turns_.end() - at);
        emit(back);
        turns_.erase(at, turns_.end());
    }

    void question() {
        const auto media = static_cast<std::uint32_t>(
            std::ranges::count_if(m_.parts, [](const AdkPart& part) { return part.what == AdkWhat::media; }));
        bool spoken = false;
        for (const AdkPart& part : m_.parts) {
            if (part.what == AdkWhat::result)
                emit_part(part);
            else if (part.what == AdkWhat::text && !part.text.empty())
                human(part.text, std::exchange(spoken, true) ? 0 : media);
        }
        if (!spoken && media > 0) human({}, media);
        if (!m_.heard.empty()) human(m_.heard, 0);
    }

    void human(RawText text, std::uint32_t media) {
        const IdHash invocation = id_hash(m_.invocation);
        if (turn_ == 0 || turns_.empty() || invocation == 0 || turns_.back() != invocation) {
            if (turns_.size() >= kMostTurns) turns_.clear();
            turns_.push_back(invocation);
            ++turn_;
            if (head().lane == 0) head().turn = turn_;
            emit(TurnStart{});
        }
        emit(Message{Role::user, Origin::human, text, media});
    }

    void answer() {
        const bool gives = std::ranges::any_of(m_.parts, [](const AdkPart& p) { return p.what == AdkWhat::result; });
        const bool told = is_billed();
        if (told)
            head().response = billed_.response;
        else if (!gives || m_.role != "user")
            head().response = m_.turn_id.empty() ? ++responses_ | kCounted : id_hash(m_.turn_id);
        for (const AdkPart& part : m_.parts) emit_part(part);
        if (!m_.heard.empty()) {
            head().response = 0;
            human(m_.heard, 0);
        }
        if (!m_.said.empty()) say(m_.said);
        if (!told) emit_usage();
        if (m_.error_code.empty()) return;
        emit(notice_of(NoticeLayer::provider, NoticeLevel::error, m_.error_code, text_of(m_.error_message)));
    }

    void say(RawText text) {
        const bool by_program = m_.role == "user";
        Message message{by_program ? Role::user : Role::assistant, by_program ? Origin::injected : Origin::agent, text};
        message.speaker = text_of(m_.author);
        emit(message);
    }

    void emit_part(const AdkPart& part) {
        if (part.what == AdkWhat::text && !part.text.empty()) {
            if (part.thought)
                emit(Thinking{part.text, 0});
            else
                say(part.text);
        } else if (part.what == AdkWhat::call && !part.name.empty() && !is_asked_by_framework(part)) {
            emit(call_of(part.id, part.name, part.args));
        } else if (part.what == AdkWhat::result && !is_asked_by_framework(part)) {
            emit_result(part);
        }
    }

    // What takes long gives a first result at once, and another one when it is done.
    void emit_result(const AdkPart& part) {
        ToolResult result;
        result.call_id = text_of(part.id);
        result.name = text_of(part.name);
        result.text = part.text;
        result.exit_code = part.exit_code;
        result.media_count = part.media;
        result.status = part.status;
        const IdHash id = id_hash(part.id);
        if (waits_ && waiting_.has(id)) {
            result.update = answered_.has(id);
            if (!result.update && result.status == ResultStatus::unknown) result.status = ResultStatus::running;
        }
        if (result.status == ResultStatus::running) {
            wait_for(part.id);
            answered_.add(id);
        } else if (result.status == ResultStatus::unknown && part.exit_code) {
            result.status = status_of(part.exit_code);
        }
        emit(result);
    }

    void wait_for(std::string_view id) {
        if (id.empty()) return;
        waits_ = true;
        waiting_.add(id_hash(id));
    }

    // An answer that is streamed comes as an event for its words, one for its calls, and one for its end: each has the
    // same bill. The prompt of another request is longer.
    bool is_billed() const {
        return m_.tokens.total() > 0 && m_.turn_id.empty() && !m_.invocation.empty() &&
               billed_.invocation == id_hash(m_.invocation) && billed_.lane == head().lane &&
               billed_.tokens == m_.tokens;
    }

    void emit_usage() {
        if (m_.tokens.total() == 0) return;
        billed_ = {id_hash(m_.invocation), head().lane, head().response, m_.tokens};
        Usage usage;
        usage.tokens = m_.tokens;
        usage.model = text_of(m_.model);
        if (!m_.turn_id.empty()) usage.mode = UsageMode::replace;  // each event of an answer has it
        emit(usage);
    }

    static constexpr std::uint64_t kCounted = std::uint64_t{1} << 63;

    struct Billed {
        IdHash invocation = 0;
        std::uint32_t lane = 0;
        IdHash response = 0;
        TokenCounts tokens;
    };

    Document doc_;
    Billed billed_;                // the last answer that told what it took
    std::string_view session_id_;  // of a document whose events begin
    AdkEvent m_;
    AdkCollector fields_{m_, args_};
    AdkParts tool_responses_;
    LaneTable lanes_;
    RecentIds waiting_, answered_;  // calls that take long; those of them that have given a first result
    std::vector<IdHash> turns_;     // invocations that a person began
    bool open_ = false, in_cases_ = false, waits_ = false;
    std::uint32_t turn_ = 0;
    std::uint64_t responses_ = 0;
};

bool has_either(const ProbeRecord& r, std::string_view snake, std::string_view camel) {
    return r.has(snake) || r.has(camel);
}

bool is_known(const ProbeRecord& r) {
    if (r.text("row").starts_with("google-adk.")) return true;
    if (r.has("author") && has_either(r, "invocation_id", "invocationId"))
        return r.child("content").is_object() || r.child("actions").is_object() || r.has("partial") ||
               has_either(r, "error_code", "errorCode");
    if (r.has("events")) return has_either(r, "app_name", "appName") && has_either(r, "user_id", "userId");
    if (has_either(r, "eval_cases", "evalCases")) return true;
    if (has_either(r, "eval_case_results", "evalCaseResults")) return true;
    return has_either(r, "eval_id", "evalId") &&
           (r.has("conversation") ||
            has_either(r, "eval_metric_result_per_invocation", "evalMetricResultPerInvocation"));
}

Score score(std::span<const ProbeRecord> sample, Framing) {
    for (const ProbeRecord& record : sample) {
        const auto inner = first_of(record);
        const ProbeRecord& r = inner ? *inner : record;
        if (r.is_object() && is_known(r)) return 97;
    }
    return 0;
}

constexpr std::string_view kStreams[] = {"events"};

constexpr RecordKindDoc kKinds[] = {
    {"{id, app_name, user_id, events: […]}", "one session; fields in snake or camel case"},
    {"rows of a session database", "one session each, with its events"},
    {"events, one a line or in an array", "one session a file"},
    {"author user", "TurnStart and Message (human)"},
    {"text, thought", "Message, Thinking"},
    {"function_call, executable_code", "ToolCall"},
    {"function_response, code_execution_result",
     "ToolResult: what it says of error, isError, status, exit_code, outcome; of a long-running call running first"},
    {"adk_request_…", "ignored: what the framework asks a person"},
    {"branch", "a lane of its own for an agent that runs beside others"},
    {"actions.compaction", "Compaction"},
    {"actions.rewind_before_invocation_id", "Rewind"},
    {"usage_metadata", "Usage"},
    {"error_code", "Notice (provider)"},
    {"partial", "ignored: said whole behind the last piece"},
    {"{eval_cases: […]}, {eval_case_results: […]}",
     "one session a case: from its conversation, its session_details or the invocations that were measured"},
};

}  // namespace

ReaderSpec google_adk() {
    return {"google-adk",
            "Google ADK",
            "Agent Development Kit: sessions and their databases, events, cases and results of evaluations",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::token_usage | Signal::timestamps | Signal::response_ids | Signal::reasoning |
                Signal::sub_agents | Signal::compaction,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<GoogleAdk>()); },
            kStreams};
}

}  // namespace agent_audit::readers
