#include "readers/all.hpp"
#include "readers/json/array_record.hpp"
#include "readers/json/document_reader.hpp"
#include "readers/json/format_util.hpp"
#include "readers/json/ids.hpp"
#include "readers/langchain/graph_lanes.hpp"
#include "readers/langchain/langchain_message.hpp"
#include "readers/langchain/langchain_score.hpp"
#include "readers/langchain/message_chunks.hpp"
#include "readers/langchain/stream_lines.hpp"
#include "readers/langchain/told_messages.hpp"
#include "readers/messages/message_roles.hpp"
#include "readers/messages/session_turns.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>

// Messages of LangChain and LangGraph as programs dump them: one a line, in an array, as messages[] of a state or of
// its updates, in the three forms that the library itself writes, and in pieces as it streams them.
//
//   {"type":"human","content":"…","additional_kwargs":{},"response_metadata":{},"id":"…"}
//   {"type":"ai","content":"…","tool_calls":[{"name":"…","args":{…},"id":"…","type":"tool_call"}],
//    "usage_metadata":{"input_tokens":9,"output_tokens":2,"input_token_details":{"cache_read":4}}}
//   {"type":"tool","content":"…","tool_call_id":"…","name":"…","status":"error"}
//   {"type":"ai","data":{"content":"…", …}}                                                        messages_to_dict
//   {"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessage"],"kwargs":{…}}   dumps
//   {"values":{"messages":[…]}}, {"agent":{"messages":[…]}}                                        LangGraph
//   [{"type":"AIMessageChunk","content":"…","tool_call_chunks":[{"index":0,"id":"…","name":"…","args":"{\""}], …},
//    {"langgraph_step":1,"langgraph_node":"agent","langgraph_checkpoint_ns":"agent:…","thread_id":"…"}]   "messages"

namespace agent_audit::readers {
namespace {

constexpr std::size_t kMostThreads = 10'000;
constexpr int kDeepestWrapper = 2;

// Modes of a stream that say nothing of the conversation that the others do not.
constexpr std::array<std::string_view, 4> kOtherModes{"custom", "debug", "tasks", "checkpoints"};

// Under these a state holds the whole conversation so far; under any other name is what one node added.
constexpr std::array<std::string_view, 7> kStates{"values", "channel_values", "output", "outputs",
                                                  "result", "state",          "input"};

class LangChain final : public DocumentReader {
public:
    LangChain() : DocumentReader("messages") {}

    void finish(EventSink& sink) override {
        set_sink(sink);
        while (std::optional<OpenAnswer> answer = answers_.one()) tell_answer(*answer);
        turns_.tell_all([this](const Event& event) { tell_held(event); });
    }

protected:
    LineFate read_object(json::object object) override {
        bool messages = false, message = false, other = false;
        std::string_view mode, data, graphs;
        told_.look_anew();
        const bool whole = read_fields(object, [&](const char* key, json::value& v) {
            message |= key_is(key, "type") && is_string(v);
            other |= key_is(key, "type") && is_one_of(raw_string(v), kOtherModes);
            if ((key_is(key, "type") || key_is(key, "event")) && mode.empty()) {
                const std::string_view word = raw_string(v);
                mode = stream_mode(word);
                if (const auto bar = word.find('|'); !mode.empty() && bar != word.npos) graphs = word.substr(bar + 1);
            }
            if (key_is(key, "data")) data = raw_value(v);
            if (key_is(key, "ns") && is_array(v)) graphs = trim_blank(raw_value(v));
            if (!key_is(key, "messages") || !is_array(v)) return true;
            messages = true;
            json::array list;
            return told_.session_is_new() || (!v.get_array().get(list) && look_at_state(list));
        });
        if (!whole) return LineFate::malformed_json;
        if (messages) {
            whole_state_ = graph_.empty();
            const LineFate fate = stream_records(object);
            whole_state_ &= record().part == RecordPart::head;  // its messages are still to come
            return fate;
        }
        if (!mode.empty() && !data.empty() && !in_part_) return read_stream_part(mode, data, graphs);
        if (other && !graphs.empty()) return LineFate::ignored_kind;
        if (object.reset().error()) return LineFate::malformed_json;
        return message ? read_element(object) : unwrap(object);
    }

    LineFate read_array(json::array array) override {
        if (const ToldState told = told_state(record().text); !told.state.empty()) {
            std::string_view all;
            return array.raw_json().get(all) ? LineFate::malformed_json : streamed(told.state, told.graphs);
        }
        if (const std::optional<LineFate> fate = read_pairs(array)) return *fate;
        if (!alive() || array.reset().error()) return LineFate::malformed_json;
        args_.clear();
        whole_state_ = true;
        told_.look_anew();
        return told_.session_is_new() || look_at_state(array) ? read_elements(array) : LineFate::malformed_json;
    }

    LineFate read_element(json::object element) override {
        if (!m_.collect(element, args_) || !alive()) return LineFate::malformed_json;
        const LangChainKind kind = langchain_kind(m_.type);
        if (kind == LangChainKind::unknown) return m_.type.empty() ? LineFate::missing_field : LineFate::unknown_kind;
        if (kind == LangChainKind::ignored) return LineFate::ignored_kind;
        return m_.says_something() ? tell_listed(kind) : LineFate::missing_field;
    }

private:
    // What stream() gives in several modes at a time.
    LineFate streamed(std::string_view state, std::string_view graphs) {
        json::document doc;
        json::object object;
        graphs_told_ = !graphs.empty();
        graph_ = joined_graphs(graphs);
        const LineFate fate = streamed(state, doc, object);
        graphs_told_ = false;
        graph_.clear();
        return fate;
    }

    LineFate streamed(std::string_view state, json::document& doc, json::object& object) {
        if (inner_.iterate(state.data(), state.size(), state.size() + simdjson::SIMDJSON_PADDING).get(doc) ||
            doc.get_object().get(object))
            return LineFate::malformed_json;
        return read_object(object);
    }

    // {"type":"messages","ns":[…],"data":[message, metadata]}
    LineFate read_stream_part(std::string_view mode, std::string_view data, std::string_view graphs) {
        in_part_ = true;
        LineFate fate = LineFate::unknown_kind;
        json::document doc;
        json::array list;
        if (data.starts_with('{') && !mode.starts_with("messages"))
            fate = streamed(trim_blank(data), graphs);
        else if (data.starts_with('[') && mode.starts_with("messages"))
            fate = inner_.iterate(data.data(), data.size(), data.size() + simdjson::SIMDJSON_PADDING).get(doc) ||
                           doc.get_array().get(list)
                       ? LineFate::malformed_json
                   : mode == "messages"
                       ? read_pairs(list).value_or(LineFate::unknown_kind)
                       : read_each(list, [&](json::object message) {
                             return mode == "messages/partial" ? read_so_far(message) : read_element(message);
                         });
        in_part_ = false;
        return fate;
    }

    // The LangGraph server repeats an answer with each piece that came to it.
    LineFate read_so_far(json::object message) {
        beside_ = {};
        if (!m_.collect(message, args_, true)) return LineFate::malformed_json;
        if (langchain_kind(m_.type) != LangChainKind::agent || is_stand_in(m_.id)) return LineFate::ignored_kind;
        const std::uint64_t key = OpenAnswers::key_of(m_.id, beside_);
        const std::optional<OpenAnswer> before = answers_.with_key(key);
        const SourceSpan here = place();
        if (before) set_place(before->where);
        const LineFate fate = add_piece(key);
        set_place(here);
        return fate;
    }

    // ---- messages as they are streamed -------------------------------------------------------------------

    // [message, metadata], ["messages",[message, metadata]], [["tools:1"],"messages",[message, metadata]], or a list of
    // pairs. Of any other array the beginning was looked at, and nothing is known of it.
    std::optional<LineFate> read_pairs(json::array array) {
        std::optional<LineFate> fate;
        json::array pair;
        std::size_t at = 0;
        m_.clear();
        beside_ = {};
        for (auto item : array) {
            json::value element;
            if (std::move(item).get(element)) return LineFate::malformed_json;
            if (is_string(element) && !fate && is_one_of(raw_string(element), kOtherModes)) {
                fate = LineFate::ignored_kind;
            } else if (is_array(element)) {
                if (element.get_array().get(pair) || !collect_pair(pair)) return LineFate::malformed_json;
            } else if (is_object(element) && !collect_half(element, at)) {
                return LineFate::malformed_json;
            }
            if (beside_.known) {
                const LineFate one = streamed_message();
                if (!fate || one == LineFate::understood) fate = one;
                beside_ = {};
            } else if (!fate && at > 1) {
                break;
            }
            ++at;
        }
        return fate;
    }

    // The pair, or what stands around it in a list of such lines.
    bool collect_pair(json::array pair, bool inner = false) {
        std::size_t at = 0;
        m_.clear();
        for (auto item : pair) {
            json::value element;
            json::array list;
            if (std::move(item).get(element)) return false;
            if (is_object(element) && !collect_half(element, at)) return false;
            if (is_array(element) && !inner && (element.get_array().get(list) || !collect_pair(list, true)))
                return false;
            if (++at > 2 && !beside_.known) break;
        }
        return true;
    }

    bool collect_half(json::value& element, std::size_t at) {
        json::object message;
        if (at > 0) return at > 1 || m_.type.empty() || beside_.collect(element);
        return !element.get_object().get(message) && m_.collect(message, args_, true);
    }

    LineFate streamed_message() {
        const LangChainKind kind = langchain_kind(m_.type);
        if (kind == LangChainKind::unknown || kind == LangChainKind::ignored)
            return kind == LangChainKind::unknown ? LineFate::unknown_kind : LineFate::ignored_kind;
        const bool piece = m_.type.starts_with("AIMessageChunk");
        const std::uint64_t key = OpenAnswers::key_of(m_.id, beside_);
        while (std::optional<OpenAnswer> answer = answers_.ended_by(key, beside_, !piece, m_.call_id))
            tell_answer(*answer);
        if (piece) return add_piece(key);
        m_.read_blocks();
        if (m_.model.empty() && kind == LangChainKind::agent) m_.model = beside_.model;
        if (!m_.says_something()) return LineFate::missing_field;
        const std::optional<OpenAnswer> open = answers_.with_key(key);  // the message says all that its pieces did
        from_ = beside_;
        return tell(kind);
    }

    LineFate add_piece(std::uint64_t key) {
        if (!is_stand_in(m_.id) && told_.has_id(m_.id)) return LineFate::ignored_kind;
        if (answers_.full() && !answers_.has(key)) tell_answer(*answers_.one());
        OpenAnswer& answer = answers_.open(key, m_.id, beside_);
        if (answer.where.line == 0) answer.where = place();
        answers_.add(answer, {m_.content.text.bytes, m_.blocks, m_.thought.bytes, m_.model, m_.billed()});
        for (const CallPiece& call : m_.pieces) answers_.add_call(answer, call);
        // A model that does not stream gives all in one piece.
        for (std::size_t i = 0; m_.pieces.empty() && i < m_.calls.size(); ++i)
            answers_.add_call(answer, {{},
                                       m_.calls[i].id,
                                       m_.calls[i].name,
                                       m_.calls[i].args.raw.bytes,
                                       m_.calls[i].args.raw.form == TextForm::json_value});
        return LineFate::understood;
    }

    // The answer takes the place of the message that is read for as long as it is told.
    void tell_answer(const OpenAnswer& answer) {
        if (!answer.says_something()) return;
        const SourceSpan here = place();
        const bool whole_state = std::exchange(whole_state_, false);
        const ToldMessages::Look look = told_.look_anew();
        std::swap(m_, kept_);
        m_.clear();
        m_.type = "ai";
        m_.id = answer.id;
        m_.model = answer.model;
        m_.content.text = text_of(answer.text);
        m_.thought = text_of(answer.thought);
        m_.tokens = answer.tokens;
        for (const OpenAnswer::Call& call : answer.calls) {
            if (LangChainCall* const one = m_.calls.next()) *one = {call.id, call.name, args_of(call)};
        }
        from_ = beside_of(answer);
        set_place(answer.where);
        tell(LangChainKind::agent);
        padded_.clear();
        whole_state_ = whole_state;
        told_.go_on_with(look);
        set_place(here);
        new_head();
        std::swap(m_, kept_);
    }

    // Several modes tell of one message: a state or an update may have it before its stream is over.
    LineFate tell_listed(LangChainKind kind) {
        const std::string task = graph_.empty() ? std::string{} : graph_ + "|";
        from_ = {};
        from_.task = task;
        from_.known = graphs_told_;
        const StreamMetadata from = from_;
        while (std::optional<OpenAnswer> answer = answers_.ended_by(0, {}, true, m_.call_id)) tell_answer(*answer);
        const std::optional<OpenAnswer> open = is_stand_in(m_.id) ? std::nullopt : answers_.with_key(id_hash(m_.id));
        from_ = open ? beside_of(*open) : from;
        return tell(kind);
    }

    static StreamMetadata beside_of(const OpenAnswer& answer) {
        StreamMetadata beside;
        beside.task = answer.task;
        beside.thread = answer.thread;
        beside.agent = answer.agent;
        beside.known = true;
        return beside;
    }

    CallArgs args_of(const OpenAnswer::Call& call) {
        json::document doc;
        json::value args;
        if (!call.is_json) return args_.digest_string({}, call.args);
        padded_.emplace_back(call.args).resize(call.args.size() + simdjson::SIMDJSON_PADDING);
        const std::string& text = padded_.back();
        if (inner_.iterate(text.data(), call.args.size(), text.size()).get(doc) || doc.get_value().get(args)) return {};
        return args_.digest_value({}, args);
    }

    // A state, or what the nodes of a graph added to it.
    LineFate unwrap(json::object object) {
        found_ = false;
        const std::uint64_t before = emitted();
        if (!read_fields(object, [this](const char* key, json::value& v) { return wrapped(key, v, 1); }))
            return broken_off(before);
        return found_ ? LineFate::understood : LineFate::unknown_kind;
    }

    bool wrapped(const char* key, json::value& v, int depth) {
        if (!is_object(v)) return true;
        const bool state = is_one_of(key_text(key), kStates);
        return each_field(v, [this, state, depth](const char* k, json::value& w) {
            if (!key_is(k, "messages")) return depth >= kDeepestWrapper || wrapped(k, w, depth + 1);
            if (!is_array(w)) return true;
            found_ = true;
            whole_state_ = state && graph_.empty();
            told_.look_anew();
            json::array messages;
            const bool goes_on = state && !told_.session_is_new();
            if (goes_on && (w.get_array().get(messages) || !look_at_state(messages))) return false;
            const LineFate fate = goes_on ? stream_array(messages) : stream_array(w);
            whole_state_ = false;
            return !broke_off(fate);
        });
    }

    // ---- what a state repeats whose messages have no ids, or one word in place of all of them ------------

    // The array stands at its beginning again afterwards.
    bool look_at_state(json::array& messages) {
        told_.look_anew();
        for (auto item : messages) {
            json::value element;
            if (std::move(item).get(element) || !look_at_message(element)) break;
        }
        return alive() && !messages.reset().error();
    }

    // False: no more need be looked at.
    bool look_at_message(json::value& element) {
        json::object message;
        args_.clear();
        if (!is_object(element)) return true;
        if (element.get_object().get(message) || !m_.collect(message, args_)) return false;
        const LangChainKind kind = langchain_kind(m_.type);
        if (kind == LangChainKind::unknown || kind == LangChainKind::ignored || !m_.says_something()) return true;
        return told_.look_at(m_);
    }

    // ---- a message ---------------------------------------------------------------------------------------

    // A state repeats what the ones before it held; one that begins with something new is another conversation.
    bool is_told() {
        const bool begins = std::exchange(whole_state_, false);
        const ToldMessages::Found found = told_.find(m_);
        if (begins && !found.of_this_session) leave_thread();
        return found.told;
    }

    void open() {
        if (std::exchange(open_, true)) return;
        const auto known = threads_.find(thread_);
        at_ = known != threads_.end() ? known->second : Thread{};
        if (at_.number == 0) at_.number = ++sessions_;
        told_.begin_session();
    }

    // A session is told in one piece, so that it begins once.
    void begin_session() {
        if (at_.begun && (!turns_.in_pieces() || at_.number == begun_)) return;
        at_.begun = true;
        begun_ = at_.number;
        new_head();
        SessionStart start;
        start.session_id = text_of(thread_name_);
        start.model = text_of(m_.model);
        emit(start);
    }

    // Conversations may come by turns. What was told before the first name of one belongs to it.
    void go_to_thread(std::string_view name) {
        const IdHash thread = is_stand_in(name) ? 0 : id_hash(name);
        if (thread == 0 || thread == thread_) return;
        if (!open_ || thread_ != 0) leave_thread();
        thread_ = thread;
        thread_name_ = name;
    }

    void leave_thread() {
        if (threads_.size() >= kMostThreads) threads_.clear();
        if (open_ && thread_ != 0) threads_[thread_] = at_;
        open_ = false;
        thread_ = 0;
        thread_name_.clear();
    }

    // The agent that speaks has a lane of its own where it runs inside a node of another.
    std::uint32_t open_lane(bool speaks) {
        const std::string_view graph = graph_of(from_.task);
        if (!from_.known || (graph.empty() && !speaks) || at_.main.is(graph)) return 0;
        const IdHash session = mix_hash(at_.number, 1);
        const LaneTable::Found found = lanes_.find(mix_hash(session, id_hash(graph)));
        if (!found.opened) return found.lane;
        new_head(found.lane);
        LaneOpen open;
        open.parent_lane = lanes_.known(mix_hash(session, id_hash(graph_around(graph))));
        open.purpose = LanePurpose::task;
        open.agent_id = text_of(graph);
        open.agent_type = text_of(from_.agent.empty() ? node_of(graph) : from_.agent);
        emit(open);
        return found.lane;
    }

    LineFate tell(LangChainKind kind) {
        const StreamMetadata from = std::exchange(from_, {});
        if (is_told()) return LineFate::ignored_kind;
        from_ = from;
        go_to_thread(from.thread);
        open();
        told_.add(m_);
        EventSink* const real_sink = &sink();
        HeldEvents* const held = turns_.begin(at_.number, thread_ != 0);
        if (held) set_sink(*held);
        begin_session();
        const LineFate fate = tell_here(kind);
        from_ = {};
        if (held) {
            set_sink(*real_sink);
            unnumber(turns_.end());
        }
        turns_.tell_on([](std::uint64_t) { return true; }, [this](const Event& event) { tell_held(event); });
        return fate;
    }

    void tell_held(const Event& event) {
        std::visit([&](const auto& body) { emit(body, event.head); }, event.body);
        begun_ = 0;
    }

    LineFate tell_here(LangChainKind kind) {
        const std::uint32_t lane = open_lane(kind == LangChainKind::agent);
        new_head(lane, lane == 0 ? at_.turn : 0);
        if (kind == LangChainKind::agent) return answer();
        if (kind == LangChainKind::tool) return result();
        if (kind == LangChainKind::system) {
            emit(Message{Role::system, Origin::injected, m_.content.text, 0});
            return LineFate::understood;
        }
        // A member of a team reports in the place of the user, under its name.
        const bool first = lane == 0 && !std::exchange(at_.spoken, true);
        const bool human = first || (lane == 0 && (m_.name.empty() || is_human_name(m_.name)));
        if (human) {
            head().turn = ++at_.turn;
            emit(TurnStart{});
        }
        emit(Message{Role::user, human ? Origin::human : Origin::agent, m_.content.text, m_.content.media});
        return LineFate::understood;
    }

    LineFate answer() {
        at_.spoken |= head().lane == 0;
        head().response = ++responses_ | std::uint64_t{1} << 63;
        if (!m_.thought.empty()) emit(Thinking{m_.thought, 0});
        if (!m_.content.text.empty()) emit(Message{Role::assistant, Origin::agent, m_.content.text, 0});
        for (const LangChainCall& call : m_.all_calls()) {
            if (!call.name.empty()) emit(call_of(call.id, call.name, call.args));
        }
        Usage usage;
        usage.tokens = m_.billed();
        usage.model = text_of(m_.model);
        if (usage.tokens.total() > 0) emit(usage);
        return LineFate::understood;
    }

    // Older versions have no status; what a tool raised begins so. That it is "success" says only that the tool
    // returned: a shell that ran a failing command did, too.
    LineFate result() {
        ToolResult result;
        result.call_id = text_of(m_.call_id);
        result.name = text_of(m_.name);
        result.text = m_.content.text;
        if (m_.status == "error" || (m_.status.empty() && m_.content.text.bytes.starts_with("Error: ")))
            result.status = ResultStatus::error;
        emit(result);
        return LineFate::understood;
    }

    // Where a conversation stands.
    struct Thread {
        std::uint64_t number = 0;
        std::uint32_t turn = 0;
        bool begun = false, spoken = false;
        MainGraph main;
    };

    LangChainMessage m_, kept_;
    bool open_ = false, found_ = false, in_part_ = false;
    bool graphs_told_ = false;
    std::string graph_;  // whose state is read, where that is told
    OpenAnswers answers_;
    std::deque<std::string> padded_;  // arguments of the answer that is told
    StreamMetadata beside_, from_;    // of the record, and of the message that is told
    LaneTable lanes_;
    std::unordered_map<IdHash, Thread> threads_;  // all but the one that is open
    Thread at_;
    IdHash thread_ = 0;  // 0: it has no name
    std::string thread_name_;
    std::uint64_t sessions_ = 0, begun_ = 0;  // the one that was begun last
    SessionTurns turns_;
    json::parser inner_;
    bool whole_state_ = false;  // the next message is the first of a state
    std::uint64_t responses_ = 0;
    ToldMessages told_;
};

constexpr std::string_view kStreams[] = {"messages"};

constexpr RecordKindDoc kKinds[] = {
    {"{type, content, …}, {type, data}, {lc, id, kwargs}", "a message; one session a file of them"},
    {"{messages: […]}, {values: {messages: […]}}",
     "one session; a state that repeats an earlier one by the ids of its messages continues it"},
    {"{agent: {messages: […]}}, {tools: {messages: […]}}", "what a node added: continues the session"},
    {"[\"values\", {…}], [[…], {…}], [[…], \"updates\", {…}]",
     "the same, as several modes or graphs within graphs are streamed; the names of the graphs tell the lane"},
    {"{type, ns, data}, {event, data}", "the same, where every mode is wrapped alike"},
    {"[message, metadata], [\"messages\", [message, metadata]], [[…], \"messages\", [message, metadata]]",
     "a message as it is streamed; thread_id tells the session, langgraph_checkpoint_ns the lane"},
    {"{event: messages/partial, data}, {event: messages/complete, data}", "the same, as the LangGraph server sends it"},
    {"AIMessageChunk of such a stream", "a piece of the answer of its id, told when its step of the graph is over"},
    {"human", "TurnStart and Message (human); with the name of an agent: Message (agent)"},
    {"ai", "Message, Thinking (reasoning_content), ToolCall (tool_calls, invalid_tool_calls); Usage"},
    {"tool, function", "ToolResult: status decides"},
    {"system", "Message (system)"},
    {"remove", "ignored"},
};

}  // namespace

ReaderSpec langchain() {
    return {"langchain",
            "LangChain",
            "messages of LangChain and LangGraph: one a line, arrays, states, updates, streams, serialised objects",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::token_usage |
                Signal::response_ids | Signal::reasoning,
            kKinds,
            langchain_score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<LangChain>()); },
            kStreams};
}

}  // namespace agent_audit::readers
