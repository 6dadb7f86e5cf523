#include "readers/all.hpp"
#include "readers/traces/trace_messages.hpp"
#include "readers/traces/trace_reader.hpp"

#include <string>

// Runs of LangSmith: one a line, in an array, in {"runs":[…]}, nested as child_runs, or as its SDK posts them.
//
//   {"id":"…","trace_id":"…","parent_run_id":null,"dotted_order":"…","run_type":"llm","name":"ChatOpenAI",
//    "start_time":"…","end_time":"…","inputs":{"messages":[…]},"outputs":{"choices":[{"message":{…}}],"usage":{…}}}
//   {"id":"…","trace_id":"…","parent_run_id":"…","run_type":"tool","name":"search","inputs":{…},"outputs":{"output":"…"},"error":null}
//   {"post":[{…}],"patch":[{…}]}        what was known when the run began, and when it ended

namespace agent_audit::readers {
namespace {

constexpr int kDeepestRun = 32;

struct Run {
    TraceSpan span;
    std::string_view type, status;
    TracePart inputs, outputs;
    TokenCounts counted;
    SourceSpan where;
    bool has_order = false;
};

class LangSmith final : public TraceReader {
public:
    LangSmith() : TraceReader("runs") {}

protected:
    LineFate read_object(json::object object) override {
        bool runs = false, batch = false;
        const bool whole = read_fields(object, [&](const char* key, json::value& v) {
            runs |= key_is(key, "runs") && is_array(v);
            batch |= (key_is(key, "post") || key_is(key, "patch")) && is_array(v);
            return true;
        });
        if (!whole) return LineFate::malformed_json;
        if (runs) return stream_records(object);
        if (object.reset().error()) return LineFate::malformed_json;
        return batch ? read_batch(object) : read_element(object);
    }

    LineFate read_element(json::object element) override {
        held_ = 0;
        if (!read_tree(element, nullptr) || !alive()) return held_ > 0 ? LineFate::partial : LineFate::malformed_json;
        return held_ > 0 ? LineFate::understood : LineFate::missing_field;
    }

private:
    LineFate read_batch(json::object object) {
        held_ = 0;
        const bool whole = read_fields(object, [this](const char* key, json::value& v) {
            if (!key_is(key, "post") && !key_is(key, "patch")) return true;
            return each_element(v, [this](json::value& run) {
                json::object one;
                if (!is_object(run)) return true;
                const char* const start = run.raw_json_token().data();
                return !run.get_object().get(one) && read_tree(one, start);
            });
        });
        if (!whole) return held_ > 0 ? LineFate::partial : LineFate::malformed_json;
        return held_ > 0 ? LineFate::understood : LineFate::missing_field;
    }

    /// Children may leave out what their root says.
    bool read_tree(json::object object, const char* start) {
        tree_.clear();
        if (!read_run(object, start, 0)) return false;
        for (Run& run : tree_) {
            TraceSpan& s = run.span;
            const TraceSpan& root = tree_.back().span;
            if (!is_run(run)) continue;
            if (s.trace.empty()) s.trace = root.trace.empty() ? root.id : root.trace;
            if (s.parent.empty() && &run != &tree_.back()) s.parent = root.id;
        }
        for (Run& run : tree_) {
            if (!is_run(run)) continue;
            interpret(run);
            span_place(run.where);
            hold(std::move(run.span));
            ++held_;
        }
        tree_.clear();
        return true;
    }

    // One whose id was taken out cannot be completed by another record.
    static bool is_run(const Run& run) { return !run.type.empty() || (run.has_order && !run.span.id.empty()); }

    bool read_run(json::object object, const char* start, int depth) {
        Run run;
        run.where = place_of_part(start);
        const bool whole = each_field(object, [&](const char* key, json::value& v) {
            if (key_is(key, "child_runs") && depth < kDeepestRun)
                return each_element(v, [&](json::value& child) {
                    json::object one;
                    if (!is_object(child)) return true;
                    const char* const begin = child.raw_json_token().data();
                    return !child.get_object().get(one) && read_run(one, begin, depth + 1);
                });
            return collect(key, v, run);
        });
        if (tree_.size() < kMostSpans) tree_.push_back(std::move(run));
        return whole;
    }

    bool collect(const char* key, json::value& v, Run& run) {
        TraceSpan& s = run.span;
        switch (key[0]) {
            case 'c':
                if (key_is(key, "completion_tokens")) run.counted.output = as_uint(v);
                break;
            case 'd': run.has_order |= key_is(key, "dotted_order") && is_string(v); break;
            case 'e':
                if (key_is(key, "end_time"))
                    s.end_ns = time_in_ns(v);
                else if (key_is(key, "error") && is_string(v)) {
                    s.error = raw_string(v);
                    s.failed = true;
                } else if (key_is(key, "extra"))
                    return extra(v, s);
                break;
            case 'i':
                if (key_is(key, "id"))
                    s.id = raw_string(v);
                else if (key_is(key, "inputs") && !is_null(v))
                    copy_value(v, run.inputs);
                break;
            case 'n':
                if (key_is(key, "name")) s.name = raw_string(v);
                break;
            case 'o':
                if (key_is(key, "outputs") && !is_null(v)) copy_value(v, run.outputs);
                break;
            case 'p':
                if (key_is(key, "parent_run_id"))
                    s.parent = raw_string(v);
                else if (key_is(key, "prompt_tokens"))
                    run.counted.input = as_uint(v);
                break;
            case 'r':
                if (key_is(key, "run_type")) run.type = raw_string(v);
                break;
            case 's':
                if (key_is(key, "start_time"))
                    s.begin_ns = time_in_ns(v);
                else if (key_is(key, "status"))
                    s.failed |= raw_string(v) == "error";
                break;
            case 't':
                if (key_is(key, "trace_id"))
                    s.trace = raw_string(v);
                else if (key_is(key, "total_cost")) {
                    const std::string cost(is_string(v) ? raw_string(v).substr(0, 40) : token(v).substr(0, 40));
                    s.cost_microusd = microusd(std::strtod(cost.c_str(), nullptr));
                }
                break;
            default: break;
        }
        return true;
    }

    static bool extra(json::value& v, TraceSpan& s) {
        return each_field(v, [&s](const char* key, json::value& w) {
            const bool metadata = key_is(key, "metadata");
            if (!metadata && !key_is(key, "invocation_params")) return true;
            return each_field(w, [&s, metadata](const char* k, json::value& x) {
                if (!metadata) {
                    if ((key_is(k, "model") || key_is(k, "model_name")) && s.model.empty()) s.model = raw_string(x);
                } else if (key_is(k, "ls_model_name"))
                    s.model = raw_string(x);
                else if (key_is(k, "thread_id") || key_is(k, "session_id") || key_is(k, "conversation_id"))
                    s.conversation = raw_string(x);
                return true;
            });
        });
    }

    static void interpret(Run& run) {
        TraceSpan& s = run.span;
        if (s.parent.empty()) s.service = s.name;
        // What was posted at the end does not repeat the kind of the run.
        const bool unknown = run.type.empty();
        if (run.type == "llm")
            s.kind = TraceSpan::Kind::request;
        else if (run.type == "tool")
            s.kind = TraceSpan::Kind::tool;
        if (run.type == "llm" || unknown) request(run);
        if (run.type == "tool" || unknown) tool(run);
    }

    static void request(Run& run) {
        TraceSpan& s = run.span;
        each_field_in(run.inputs.text, [&s](const char* key, json::value& v) {
            if (key_is(key, "messages") || key_is(key, "input")) {
                if (!is_string(v)) return collect_trace_messages(v, s.input);
                s.input.emplace_back().add(TracePart::Kind::text).text = raw_string(v);
            } else if (key_is(key, "prompt") && is_string(v)) {
                s.input.emplace_back().add(TracePart::Kind::text).text = raw_string(v);
            } else if (key_is(key, "prompts")) {
                return each_element(v, [&s](json::value& prompt) {
                    if (is_string(prompt) && s.input.size() < kMostTraceMessages)
                        s.input.emplace_back().add(TracePart::Kind::text).text = raw_string(prompt);
                    return true;
                });
            } else if (key_is(key, "system") && is_string(v)) {
                TraceMessage system{Role::system, {}};
                system.add(TracePart::Kind::text).text = raw_string(v);
                s.input.insert(s.input.begin(), std::move(system));
            } else if (key_is(key, "model") && is_string(v) && s.model.empty())
                s.model = raw_string(v);
            return true;
        });
        answer(run);
    }

    static void answer(Run& run) {
        TraceSpan& s = run.span;
        TraceExtras extras;
        std::vector<TraceMessage> answers;
        TokenCounts usage;
        bool bare = false;
        each_field_in(run.outputs.text, [&](const char* key, json::value& v) {
            if (key_is(key, "choices") || key_is(key, "generations") || key_is(key, "messages") ||
                key_is(key, "output") || key_is(key, "message")) {
                if (!is_string(v)) return collect_trace_messages(v, answers, &extras);
                answers.emplace_back().add(TracePart::Kind::text).text = raw_string(v);
            } else if (key_is(key, "usage_metadata") || (key_is(key, "usage") && usage.total() == 0)) {
                return collect_trace_usage(v, usage);
            } else if (key_is(key, "llm_output")) {
                return each_field(v, [&](const char* k, json::value& w) {
                    if (key_is(k, "token_usage") || key_is(k, "usage")) return collect_trace_usage(w, usage);
                    if (key_is(k, "model_name")) extras.model = raw_string(w);
                    return true;
                });
            } else if (key_is(key, "id") && is_string(v))
                s.response_id = raw_string(v);
            else if (key_is(key, "model") && is_string(v))
                extras.model = raw_string(v);
            bare |= key_is(key, "content") || key_is(key, "tool_calls");
            return true;
        });
        if (answers.empty() && bare) collect_trace_json(run.outputs.text, answers, &extras);
        s.output = joined_answer(answers);
        if (s.response_id.empty()) s.response_id = extras.response_id;
        if (!extras.model.empty()) s.model = extras.model;
        s.tokens = usage.total() > 0 ? usage : extras.tokens.total() > 0 ? extras.tokens : run.counted;
    }

    // The argument is the arguments, or the model's call with them; the result is a text, or a message with it.
    static void tool(Run& run) {
        TraceSpan& s = run.span;
        s.args = run.inputs;
        s.has_args = !run.inputs.text.empty();
        bool is_call = false;
        TracePart inner;
        std::string id;
        each_field_in(run.inputs.text, [&](const char* key, json::value& v) {
            if (key_is(key, "type"))
                is_call |= raw_string(v) == "tool_call";
            else if (key_is(key, "id"))
                id = raw_string(v);
            else if (key_is(key, "args") && !is_null(v))
                copy_value(v, inner);
            return true;
        });
        if (is_call) {
            s.args = inner;
            s.call_id = id;
        }
        // A client that hides what tools return posts an empty object.
        s.has_result = !run.outputs.text.empty() && run.outputs.text != "{}";
        if (s.has_result) s.result = run.outputs;
        take_field(s.result, "output");
        take_result(s.result);
        if (s.call_id.empty()) s.call_id = s.result.id;
        s.failed |= s.result.failed;
    }

    std::vector<Run> tree_;  // its root last
    std::uint64_t held_ = 0;
};

Score score(std::span<const ProbeRecord> sample, Framing) {
    for (const ProbeRecord& r : sample) {
        if (!r.is_object()) continue;
        if (!r.text("run_type").empty() && (r.has("dotted_order") || r.has("trace_id") || r.has("child_runs")))
            return kCertain;
        for (const std::string_view key : {"post", "patch", "runs"}) {
            const auto runs = r.raw(key);
            if (runs && runs->starts_with('[') &&
                (runs->find("\"dotted_order\"") != runs->npos || runs->find("\"run_type\"") != runs->npos))
                return kCertain;
        }
    }
    return 0;
}

constexpr RecordKindDoc kKinds[] = {
    {"trace_id, or metadata.thread_id / session_id over several",
     "SessionStart; runs in the order in which they began"},
    {"run_type llm", "Message, Thinking, ToolCall of the outputs; Usage"},
    {"inputs.messages, prompt", "what is new in them: Message (human with TurnStart), ToolResult"},
    {"run_type tool", "ToolResult, and ToolCall unless an answer had it; a lane, where it asks a model itself"},
    {"error", "ToolResult error; Notice (provider) for llm"},
    {"post, patch", "two halves of a run"},
    {"run_type chain, retriever, prompt, parser, embedding", "ignored"},
};

}  // namespace

ReaderSpec langsmith() {
    return {"langsmith",
            "LangSmith",
            "runs: one a line, arrays, trees of child_runs, batches of the SDK",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::token_usage |
                Signal::timestamps | Signal::response_ids,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<LangSmith>()); }};
}

}  // namespace agent_audit::readers
