#include "readers/all.hpp"
#include "readers/json/ids.hpp"
#include "readers/langchain/graph_lanes.hpp"
#include "readers/traces/trace_messages.hpp"
#include "readers/traces/trace_reader.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

// What astream_events(version="v2") and streamEvents() of LangChain and LangGraph give, one event a line. Each run of a
// model, a tool, a node or a graph has a beginning, perhaps pieces, and an end, and every end repeats what those inside
// it gave back: models and tools tell, and nodes only what none of theirs told.
//
//   {"event":"on_chat_model_start","run_id":"…","parent_ids":["…"],"name":"ChatOpenAI","tags":[],
//    "metadata":{"thread_id":"…","langgraph_checkpoint_ns":"agent:…"},"data":{"input":{"messages":[[…]]}}}
//   {"event":"on_chat_model_end","run_id":"…","name":"ChatOpenAI","data":{"input":{…},"output":{…}}}
//   {"event":"on_tool_end","run_id":"…","name":"search","data":{"input":{…},"output":{…}}}
//   {"event":"on_chain_end","run_id":"…","name":"tools","tags":["graph:step:2"],"data":{"output":{"messages":[…]}}}

namespace agent_audit::readers {
namespace {

constexpr std::size_t kMostRemembered = 200'000;  // hashes; beyond it all are forgotten
constexpr std::size_t kMostFailing = 256;         // tools whose node is not done
constexpr std::size_t kMostRoots = 1'000;
constexpr std::size_t kMostParents = 64;
constexpr std::string_view kInput = "__start__";  // the node that gives the graph what it was called with
constexpr int kDeepest = 32;                      // graphs within graphs

struct StreamEvent {
    std::string_view event, run, name, task, thread, model, agent;
    std::string_view root, input, output, error;  // the last three as JSON
    std::vector<std::string_view> parents;        // the outermost first
    bool is_node = false, has_parents = false;
};

void remember(std::unordered_set<std::uint64_t>& set, std::uint64_t key) {
    if (set.size() >= kMostRemembered) set.clear();
    set.insert(key);
}

/// One of those that a node was given, or gave back.
struct GivenMessage {
    TraceMessage message;
    TraceExtras extras;
};

class StreamEvents final : public TraceReader {
public:
    StreamEvents() : TraceReader("events") {}

protected:
    LineFate read_object(json::object object) override {
        e_ = StreamEvent{};
        if (!read_fields(object, [this](const char* key, json::value& v) { return collect(key, v, 0); }))
            return LineFate::malformed_json;
        if (e_.event.empty()) return LineFate::missing_field;
        if (!e_.event.starts_with("on_")) return LineFate::unknown_kind;
        find_root();
        span_place(place_of_part(nullptr));
        return tell_event();
    }
    LineFate read_element(json::object element) override { return read_object(element); }

private:
    struct Failing {
        std::string id, task, name, parent;
    };

    // An outermost run.
    struct Root {
        std::string run, name, thread;
        bool saw_tasks = false;
        bool failed = false;  // a model of the run did, and told of it
        MainGraph main;
        std::deque<Failing> failing;
        std::unordered_set<std::uint64_t> graphs;
    };

    // ---- the fields of an event --------------------------------------------------------------------------

    bool collect(const char* key, json::value& v, int depth) {
        switch (key[0]) {
            case 'd':
                if (key_is(key, "data")) return data(v, depth);
                break;
            case 'e':
                if (key_is(key, "event")) e_.event = raw_string(v);
                break;
            case 'm':
                if (key_is(key, "metadata"))
                    return each_field(v, [this](const char* k, json::value& w) { return metadata(k, w); });
                break;
            case 'n':
                if (key_is(key, "name")) e_.name = raw_string(v);
                break;
            case 'p':
                if (key_is(key, "parent_ids") && is_array(v)) {
                    e_.has_parents = true;
                    return each_element(v, [this](json::value& id) {
                        if (e_.parents.size() < kMostParents) e_.parents.push_back(raw_string(id));
                        return true;
                    });
                }
                break;
            case 'r':
                if (key_is(key, "run_id")) e_.run = raw_string(v);
                break;
            case 't':
                if (key_is(key, "tags"))
                    return each_element(v, [this](json::value& tag) {
                        e_.is_node |= raw_string(tag).starts_with("graph:step:");
                        return true;
                    });
                break;
            default: break;
        }
        return true;
    }

    // A client of the LangGraph server is sent the event as the data of another.
    bool data(json::value& v, int depth) {
        const bool wrapped = depth == 0 && e_.event == "events";
        return each_field(v, [&](const char* key, json::value& w) {
            if (wrapped) return collect(key, w, 1);
            if (key_is(key, "input"))
                e_.input = trim_blank(raw_value(w));
            else if (key_is(key, "output"))
                e_.output = trim_blank(raw_value(w));
            else if (key_is(key, "error"))
                e_.error = trim_blank(raw_value(w));
            return true;
        });
    }

    bool metadata(const char* key, json::value& v) {
        if (key_is(key, "langgraph_checkpoint_ns") || (key_is(key, "checkpoint_ns") && e_.task.empty()))
            e_.task = raw_string(v);
        else if (key_is(key, "thread_id"))
            e_.thread = raw_string(v);
        else if (key_is(key, "ls_model_name"))
            e_.model = raw_string(v);
        else if (key_is(key, "lc_agent_name"))
            e_.agent = raw_string(v);
        return true;
    }

    // ---- whose it is -------------------------------------------------------------------------------------

    // JavaScript's events do not say inside which run they are: the outermost begins while none is open. One that was
    // broken off has no end, but nothing outside a task is inside a graph.
    void find_root() {
        const bool begins = e_.event.ends_with("_start"), outside = e_.task.empty();
        if (e_.has_parents) {
            const std::string_view root = e_.parents.empty() ? e_.run : e_.parents.front();
            if (root != at_->run) go_to_root(root);
            if (e_.parents.empty()) at_->name = e_.name;
        } else if (begins && outside && (!root_open_ || (at_->saw_tasks && e_.name == at_->name))) {
            go_to_root(e_.run);
            *at_ = Root{};
            at_->run = e_.run;
            at_->name = e_.name;
            root_open_ = true;
        }
        at_->saw_tasks |= !outside;
        if (!is_stand_in(e_.thread)) at_->thread = e_.thread;
    }

    // Programs that serve several at a time may write them to one log.
    void go_to_root(std::string_view run) {
        if (roots_.size() >= kMostRoots) roots_.clear();
        at_ = &roots_[stable_hash(run)];
        at_->run = run;
    }

    // Where one word stands in place of all ids, the end of a model's run is that of the last that began.
    std::string id_of_run() {
        if (!is_stand_in(e_.run)) return std::string(e_.run);
        const bool goes_on = std::exchange(unnamed_open_, e_.event.ends_with("model_start"));
        if (!goes_on || !e_.event.ends_with("model_end")) ++unnamed_;
        return "run " + std::to_string(unnamed_);
    }

    // What was filtered may have no outermost run.
    std::string trace_key() const { return at_->thread.empty() ? at_->run : at_->thread + " " + at_->run; }

    TraceSpan span_of(TraceSpan::Kind kind) {
        TraceSpan s;
        s.kind = kind;
        s.trace = trace_key();
        s.conversation = at_->thread;
        s.id = id_of_run();
        s.parent = agent_around();
        s.name = e_.name;
        s.service = at_->name;
        if (kind == TraceSpan::Kind::request) s.model = e_.model;
        return s;
    }

    // The agent inside whose graph the run is, where that is not the session's own; or the tool, where no graphs are
    // told.
    std::string agent_around() {
        const std::string_view graph = graph_of(e_.task);
        if (!e_.task.empty()) return at_->main.is(graph) ? std::string{} : agent_of(graph);
        for (auto parent = e_.parents.rbegin(); parent != e_.parents.rend(); ++parent) {
            if (tools_.contains(stable_hash(*parent))) return std::string(*parent);
        }
        return {};
    }

    std::string agent_of(std::string_view graph, int depth = 0) {
        std::string id = "graph " + std::string(graph);
        if (at_->graphs.contains(stable_hash(graph))) return id;
        remember(at_->graphs, stable_hash(graph));
        TraceSpan agent;
        agent.kind = TraceSpan::Kind::agent;
        agent.trace = trace_key();
        agent.id = id;
        agent.name = graph.empty() ? at_->name : std::string(e_.agent.empty() ? node_of(graph) : e_.agent);
        if (!graph.empty())
            agent.parent = agent_of(depth < kDeepest ? graph_around(graph) : std::string_view{}, depth + 1);
        hold(std::move(agent));
        return id;
    }

    // ---- what is told ------------------------------------------------------------------------------------

    LineFate tell_event() {
        const std::string_view event = e_.event.substr(3);
        const bool model = event.starts_with("chat_model_") || event.starts_with("llm_");
        LineFate fate = LineFate::understood;
        if (model && !event.ends_with("_stream"))
            tell_model(event);
        else if (event == "tool_end" || event == "tool_error")
            tell_tool_run();
        else if (event == "chain_end" && e_.is_node && e_.name != kInput)
            tell_node();
        else if (event == "chain_error" && e_.run == at_->run && !at_->failed)
            tell_model(event);
        else
            fate = LineFate::ignored_kind;
        if (event == "tool_start") remember(tools_, stable_hash(e_.run));
        if (e_.run == at_->run && (event.ends_with("_end") || event.ends_with("_error"))) root_open_ = false;
        return fate;
    }

    void tell_model(std::string_view event) {
        TraceSpan s = span_of(TraceSpan::Kind::request);
        std::string_view task = e_.task;
        for (int depth = 0; !task.empty() && depth < kDeepest; ++depth, task = graph_of(task))
            remember(spoke_, stable_hash(task));
        const std::uint64_t key = mix_hash(stable_hash(s.trace), stable_hash(s.id));
        if (event.ends_with("_start")) {
            remember(begun_, key);
            collect_input(s);
        } else {
            s.completes = true;
            if (begun_.erase(key) == 0) collect_input(s);
            if (event.ends_with("_end")) collect_output(s);
        }
        if (event.ends_with("_error")) {
            s.failed = at_->failed = true;
            s.error = error_text();
        }
        hold(std::move(s));
    }

    void collect_input(TraceSpan& s) const {
        each_field_in(std::string(e_.input), [&s](const char* key, json::value& v) {
            if (key_is(key, "messages")) return collect_trace_messages(v, s.input);
            if (!key_is(key, "prompts")) return true;
            return each_element(v, [&s](json::value& prompt) {
                if (is_string(prompt) && s.input.size() < kMostTraceMessages)
                    s.input.emplace_back().add(TracePart::Kind::text).text = raw_string(prompt);
                return true;
            });
        });
    }

    // The message, or all that were generated with what was billed for them.
    void collect_output(TraceSpan& s) const {
        std::vector<TraceMessage> answers;
        TraceExtras extras;
        TokenCounts usage;
        const bool generations = e_.output.find("\"generations\"") != std::string_view::npos;
        if (generations)
            each_field_in(std::string(e_.output), [&](const char* key, json::value& v) {
                if (key_is(key, "generations")) return collect_trace_messages(v, answers, &extras);
                return !key_is(key, "llm_output") || each_field(v, [&usage](const char* k, json::value& w) {
                    return !(key_is(k, "token_usage") || key_is(k, "usage")) || collect_trace_usage(w, usage);
                });
            });
        if (answers.empty()) collect_trace_json(e_.output, answers, &extras);
        s.output = joined_answer(answers);
        take_extras(extras, s);
        if (s.tokens.total() == 0) s.tokens = usage;
    }

    static void take_extras(const TraceExtras& extras, TraceSpan& s) {
        s.tokens = extras.tokens;
        s.response_id = extras.response_id;
        if (!extras.model.empty()) s.model = extras.model;
    }

    std::string error_text() const {
        return std::string(e_.error.starts_with('"') && e_.error.size() > 1 ? e_.error.substr(1, e_.error.size() - 2)
                                                                            : std::string_view{});
    }

    // An error is told in the words in which the model heard of it, where its node goes on.
    void tell_tool_run() {
        TraceSpan s = span_of(TraceSpan::Kind::tool);
        s.has_args = !e_.input.empty();
        s.args.text = e_.input;
        s.args.form = TextForm::json_value;
        if (e_.event == "on_tool_error") {
            s.failed = true;
            s.error = error_text();
            if (at_->failing.size() >= kMostFailing) at_->failing.pop_front();
            at_->failing.push_back({s.id, std::string(e_.task), s.name, s.parent});
        } else if (!e_.output.empty()) {
            s.has_result = true;
            const bool text = e_.output.starts_with('"') && e_.output.size() > 1;
            s.result.text = text ? e_.output.substr(1, e_.output.size() - 2) : e_.output;
            s.result.form = text ? TextForm::json_string : TextForm::json_value;
            take_result(s.result);
            s.call_id = s.result.id;
            s.failed = s.result.failed;
            if (!s.call_id.empty()) remember(answered_, stable_hash(s.call_id));
        }
        hold(std::move(s));
    }

    // Nodes may call no model of the library's and no tool, and write what they got as messages of their own.
    void tell_node() {
        std::vector<GivenMessage> given;
        collect_given(e_.output, given);
        const bool spoke = spoke_.contains(stable_hash(e_.task));
        std::erase_if(given, [&](const GivenMessage& g) { return !is_news(g, spoke); });
        if (given.empty()) return;
        std::vector<GivenMessage> had;
        collect_given(e_.input, had);
        std::unordered_set<std::string> known;
        for (const GivenMessage& g : had) known.insert(g.extras.response_id);
        known.erase(std::string{});
        std::size_t index = 0;
        for (GivenMessage& g : given) {
            if (known.contains(g.extras.response_id)) continue;
            const bool first = index++ == 0;
            if (g.message.role == Role::assistant)
                tell_made_answer(g, first ? std::move(had) : std::vector<GivenMessage>{}, index);
            else
                tell_made_result(g);
        }
    }

    bool is_news(const GivenMessage& g, bool spoke) const {
        if (g.message.role == Role::assistant) return !spoke && !g.message.parts.empty();
        return std::ranges::any_of(g.message.parts, [this](const TracePart& p) {
            if (p.kind != TracePart::Kind::result || p.id.empty()) return false;
            return is_stand_in(p.id) ? failing_as(p.name) != at_->failing.end()
                                     : !answered_.contains(stable_hash(p.id));
        });
    }

    /// The tool of the node that failed, and of which the node has not told yet.
    std::deque<Failing>::const_iterator failing_as(std::string_view name) const {
        return std::ranges::find_if(
            at_->failing, [&](const Failing& f) { return f.task == e_.task && (f.name == name || name.empty()); });
    }

    void tell_made_answer(GivenMessage& g, std::vector<GivenMessage> had, std::size_t index) {
        TraceSpan s = span_of(TraceSpan::Kind::request);
        s.id += " " + std::to_string(index);
        for (GivenMessage& one : had) s.input.push_back(std::move(one.message));
        s.output = std::move(g.message);
        take_extras(g.extras, s);
        hold(std::move(s));
    }

    void tell_made_result(GivenMessage& g) {
        for (TracePart& part : g.message.parts) {
            if (part.kind != TracePart::Kind::result || part.id.empty()) continue;
            TraceSpan s = span_of(TraceSpan::Kind::tool);
            s.id += " " + part.id;
            s.name = part.name;
            const auto failing = failing_as(part.name);
            if (failing != at_->failing.end()) {
                s.id = failing->id;
                s.parent = failing->parent;
                at_->failing.erase(failing);
            }
            s.call_id = part.id;
            s.failed = part.failed;
            s.has_result = true;
            remember(answered_, stable_hash(part.id));
            s.result = std::move(part);
            hold(std::move(s));
        }
    }

    static void collect_given(std::string_view json_text, std::vector<GivenMessage>& out) {
        std::string text(json_text.starts_with('[') ? R"({"messages":)" + std::string(json_text) + "}"
                                                    : std::string(json_text));
        each_field_in(text, [&out](const char* key, json::value& v) {
            if (!key_is(key, "messages")) return true;
            return each_element(v, [&out](json::value& element) {
                std::vector<TraceMessage> one;
                GivenMessage given;
                if (!collect_trace_messages(element, one, &given.extras)) return false;
                if (one.size() == 1 && out.size() < kMostTraceMessages) {
                    given.message = std::move(one.front());
                    out.push_back(std::move(given));
                }
                return true;
            });
        });
    }

    StreamEvent e_;
    std::unordered_map<std::uint64_t, Root> roots_;
    Root* at_ = &roots_[0];
    bool root_open_ = false;
    std::unordered_set<std::uint64_t> begun_, spoke_, tools_, answered_;
    std::uint64_t unnamed_ = 0;
    bool unnamed_open_ = false;
};

Score score(std::span<const ProbeRecord> sample, Framing) {
    for (const ProbeRecord& record : sample) {
        if (!record.is_object()) continue;
        const ProbeRecord r = record.text("event") == "events" ? record.child("data") : record;
        const std::string_view event = r.text("event");
        constexpr std::array<std::string_view, 7> kRuns{"on_chain_",     "on_chat_model_", "on_llm_",   "on_tool_",
                                                        "on_retriever_", "on_prompt_",     "on_parser_"};
        if (starts_with_one_of(event, kRuns) && r.has("run_id") && r.has("data") && r.has("metadata")) return kCertain;
    }
    return 0;
}

constexpr RecordKindDoc kKinds[] = {
    {"metadata.thread_id, or the outermost run", "SessionStart"},
    {"metadata.langgraph_checkpoint_ns", "the lane: graphs inside a node or a tool have their own"},
    {"on_chat_model_start, on_llm_start", "what is new in the input: Message (human with TurnStart), ToolResult"},
    {"on_chat_model_end, on_llm_end", "Message, Thinking, ToolCall of the output; Usage"},
    {"on_tool_end", "ToolResult, and ToolCall unless an answer had it"},
    {"on_tool_error", "ToolResult error, in the words of the node's message where there is one"},
    {"on_chain_end of a node", "messages that none of its models and tools told"},
    {"on_chat_model_error, on_llm_error; on_chain_error of the outermost run", "Notice (provider)"},
    {"on_chain_start, on_chain_stream, on_chat_model_stream, on_tool_start, and all others", "ignored"},
};

}  // namespace

ReaderSpec langchain_events() {
    return {"langchain-events",
            "LangChain events",
            "what astream_events and streamEvents of LangChain and LangGraph give, one a line",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::token_usage |
                Signal::response_ids | Signal::reasoning,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<StreamEvents>()); }};
}

}  // namespace agent_audit::readers
