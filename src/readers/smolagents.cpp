#include "readers/all.hpp"
#include "readers/json/array_record.hpp"
#include "readers/json/document_reader.hpp"
#include "readers/json/format_util.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

// The memory of agents of smolagents: the steps of agent.memory, in an array, one a line, or in the result of a run.
//
//   {"task":"…","task_images":null}
//   {"step_number":1,"timing":{"start_time":1.5,"end_time":2.5,"duration":1.0},"model_output":"Thought: …",
//    "tool_calls":[{"id":"…","type":"function","function":{"name":"python_interpreter","arguments":"print(1)"}}],
//    "observations":"Execution logs:\n1","error":{"type":"AgentExecutionError","message":"…"},
//    "token_usage":{"input_tokens":1,"output_tokens":2},"is_final_answer":false}
//   {"plan":"…","timing":{…},"token_usage":{…}}
//   {"output":"…","state":"success","steps":[…],"token_usage":{…}}
//
// The observations are those of all calls of a step. Older versions write "step" and the times beside it. The messages
// a step was sent repeat everything before it and are not read.

namespace agent_audit::readers {
namespace {

struct Call {
    std::string_view id, name;
    CallArgs args;
};

struct Step {
    std::string_view error_type;
    RawText task, system_prompt, plan, observations, error;
    Content output;
    Reused<Call, 256> calls;
    TokenCounts tokens;
    std::int64_t began_ms = kNoTime, ended_ms = kNoTime;
    std::uint32_t images = 0;
    bool has_task = false, has_system_prompt = false, has_plan = false, has_number = false, is_final = false;

    void clear() { begin_again(*this, &Step::calls); }
};

// What an agent says before its program: that stands in the call as well.
RawText without_program(RawText output) {
    constexpr std::array<std::string_view, 3> kMarks{"<code>", "Code:\\n", "```"};
    std::size_t end = output.bytes.size();
    for (const std::string_view mark : kMarks) end = std::min(end, output.bytes.find(mark));
    output.bytes = output.bytes.substr(0, end);
    while (output.bytes.ends_with("\\n")) output.bytes.remove_suffix(2);
    return output;
}

class Smolagents final : public DocumentReader {
public:
    Smolagents() : DocumentReader("steps") {}

protected:
    LineFate read_object(json::object object) override {
        bool steps = false;
        const bool whole = read_fields(object, [&](const char* key, json::value& v) {
            steps |= key_is(key, "steps") && is_array(v);
            return true;
        });
        if (!whole) return LineFate::malformed_json;
        if (!steps) return object.reset().error() ? LineFate::malformed_json : read_element(object);
        open_ = false;
        return stream_records(object);
    }

    LineFate end_document(json::object) override {
        open_ = false;
        return LineFate::understood;
    }

    LineFate read_array(json::array array) override {
        open_ = false;
        const LineFate fate = read_elements(array);
        open_ = false;
        return fate;
    }

    LineFate read_element(json::object element) override {
        s_.clear();
        if (!read_fields<&Smolagents::collect>(element)) return LineFate::malformed_json;
        if (!s_.has_task && !s_.has_system_prompt && !s_.has_plan && !s_.has_number) return LineFate::unknown_kind;
        new_head();
        head().time_ms = s_.began_ms;
        if (!std::exchange(open_, true)) {
            turn_ = 0;
            emit(SessionStart{});
        }
        EventHeader& h = new_head(0, turn_);
        h.time_ms = s_.began_ms;
        tell();
        return LineFate::understood;
    }

private:
    bool collect(const char* key, json::value& v) {
        if (key_is(key, "task")) {
            s_.has_task = is_string(v);
            s_.task = text_of(raw_string(v));
        } else if (key_is(key, "task_images"))
            return each_element(v, [this](json::value&) {
                ++s_.images;
                return true;
            });
        else if (key_is(key, "system_prompt")) {
            s_.has_system_prompt = is_string(v);
            s_.system_prompt = text_of(raw_string(v));
        } else if (key_is(key, "plan")) {
            s_.has_plan = is_string(v);
            s_.plan = text_of(raw_string(v));
        } else if (key_is(key, "step_number") || key_is(key, "step"))
            s_.has_number |= !is_null(v);
        else if (key_is(key, "start_time"))
            s_.began_ms = unix_time(v);
        else if (key_is(key, "end_time"))
            s_.ended_ms = unix_time(v);
        else if (key_is(key, "timing"))
            return each_field(v, [this](const char* k, json::value& w) {
                if (key_is(k, "start_time"))
                    s_.began_ms = unix_time(w);
                else if (key_is(k, "end_time"))
                    s_.ended_ms = unix_time(w);
                return true;
            });
        else if (key_is(key, "model_output"))
            s_.output = read_content(v);
        else if (key_is(key, "observations"))
            s_.observations = any_text(v);
        else if (key_is(key, "is_final_answer"))
            s_.is_final = is_true(v);
        else if (key_is(key, "error"))
            return collect_error(v);
        else if (key_is(key, "token_usage"))
            return each_field(v, [this](const char* k, json::value& w) {
                if (key_is(k, "input_tokens"))
                    s_.tokens.input = as_uint(w);
                else if (key_is(k, "output_tokens"))
                    s_.tokens.output = as_uint(w);
                return true;
            });
        else if (key_is(key, "tool_calls"))
            return each_element(v, [this](json::value& call) { return collect_call(call); });
        return true;
    }

    bool collect_error(json::value& v) {
        if (!is_object(v)) {
            s_.error = any_text(v);
            return true;
        }
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "type"))
                s_.error_type = raw_string(w);
            else if (key_is(key, "message"))
                s_.error = any_text(w);
            return true;
        });
    }

    bool collect_call(json::value& v) {
        Call* call = is_object(v) ? s_.calls.next() : nullptr;
        return !call || each_field(v, [this, call](const char* key, json::value& w) {
            if (key_is(key, "id")) call->id = raw_string(w);
            return !key_is(key, "function") || each_field(w, [this, call](const char* k, json::value& x) {
                if (key_is(k, "name"))
                    call->name = raw_string(x);
                else if (key_is(k, "arguments") && !is_null(x))
                    call->args = args_.digest_value({}, x);
                return true;
            });
        });
    }

    void tell() {
        if (s_.has_task) {
            head().turn = ++turn_;
            emit(TurnStart{});
            emit(Message{Role::user, Origin::human, s_.task, s_.images});
            return;
        }
        if (s_.has_system_prompt) {
            emit(Message{Role::system, Origin::injected, s_.system_prompt, 0});
            return;
        }
        head().response = ++responses_ | std::uint64_t{1} << 63;
        if (s_.has_plan) {
            if (!s_.plan.empty()) emit(Message{Role::assistant, Origin::agent, s_.plan, 0});
            return spent();
        }
        acted();
    }

    void spent() {
        if (s_.tokens.total() == 0) return;
        Usage usage;
        usage.tokens = s_.tokens;
        emit(usage);
    }

    void acted() {
        bool program = false;
        for (const Call& call : calls()) program |= call.name == "python_interpreter";
        const RawText said = program ? without_program(s_.output.text) : s_.output.text;
        if (!said.empty()) emit(Message{Role::assistant, Origin::agent, said, 0});
        for (const Call& call : calls()) {
            if (!call.name.empty()) emit(call_of(call.id, call.name, call.args));
        }
        spent();
        head().response = 0;
        head().time_ms = s_.ended_ms;
        results();
        const bool limit = s_.error_type == "AgentMaxStepsError";
        if (limit) emit(notice_of(NoticeLayer::harness, NoticeLevel::warning, s_.error_type, s_.error));
        if (s_.is_final || limit) emit(TurnEnd{limit ? TurnStatus::failed : TurnStatus::completed, -1});
    }

    std::span<const Call> calls() const { return {s_.calls.begin(), s_.calls.size()}; }

    // The first call has the text of all. Where nothing was called, an answer could not be read, or there was none.
    void results() {
        const bool failed = !s_.error.empty() || !s_.error_type.empty();
        if (calls().empty()) {
            if (failed && s_.error_type == "AgentGenerationError")
                emit(notice_of(NoticeLayer::provider, NoticeLevel::error, s_.error_type, s_.error));
            else if (failed && s_.error_type != "AgentMaxStepsError")
                emit(Message{Role::user, Origin::injected, s_.error, 0});
            return;
        }
        bool first = true;
        for (const Call& call : calls()) {
            if (call.name.empty()) continue;
            ToolResult result;
            result.call_id = text_of(call.id);
            if (std::exchange(first, false))
                result.text = observed();
            else
                result.opaque = true;
            result.status = failed ? ResultStatus::error : ResultStatus::ok;
            emit(result);
        }
    }

    RawText observed() {
        if (s_.error.empty() || s_.observations.empty() || s_.error.form != s_.observations.form)
            return s_.error.empty() ? s_.observations : s_.error;
        both_.assign(s_.observations.bytes).append("\\n").append(s_.error.bytes);
        return {both_, s_.error.form};
    }

    Step s_;
    bool open_ = false;
    std::uint32_t turn_ = 0;
    std::uint64_t responses_ = 0;
    std::string both_;
};

bool is_step(const ProbeRecord& r) {
    if (!r.is_object()) return false;
    if (r.has("task") && r.has("task_images")) return true;
    return (r.has("step_number") || r.has("step")) && r.has("observations") && r.has("model_output") &&
           r.has("tool_calls");
}

Score score(std::span<const ProbeRecord> sample, Framing) {
    constexpr std::array<std::string_view, 3> kMarks{R"("tool_calls")", R"("observations")", R"("model_output")"};
    for (const ProbeRecord& record : sample) {
        const auto inner = first_of(record);
        const ProbeRecord& r = inner ? *inner : record;
        if (!r.is_object()) continue;
        if (is_step(r)) return 96;
        const auto steps = r.raw("steps");
        const auto first = steps ? first_of(ProbeRecord(*steps)) : std::nullopt;
        if (first && is_step(*first)) return 97;
        // The prompt or a plan may come first.
        if (first &&
            std::ranges::all_of(kMarks, [&](std::string_view mark) { return steps->find(mark) != steps->npos; }))
            return 95;
    }
    return 0;
}

constexpr std::string_view kStreams[] = {"steps"};

constexpr RecordKindDoc kKinds[] = {
    {"steps, one a line, in an array, or in the result of a run", "one session"},
    {"task", "TurnStart, Message (human)"},
    {"system_prompt", "Message (system)"},
    {"plan", "Message, Usage"},
    {"a step's model_output", "Message; of one with a program what stands before it"},
    {"a step's tool_calls", "ToolCall: the program of the agent, or the tools it chose"},
    {"a step's observations and error",
     "ToolResult, the text at the first call; without a call a Message (injected), or Notice where there was no "
     "answer"},
    {"token_usage", "Usage"},
    {"is_final_answer, AgentMaxStepsError", "TurnEnd; Notice for the latter"},
};

}  // namespace

ReaderSpec smolagents() {
    return {"smolagents",
            "smolagents",
            "memory steps: one a line, arrays, results of runs",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::token_usage |
                Signal::timestamps | Signal::response_ids,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<Smolagents>()); },
            kStreams};
}

}  // namespace agent_audit::readers
