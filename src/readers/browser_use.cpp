#include "readers/all.hpp"
#include "readers/json/array_record.hpp"
#include "readers/json/document_reader.hpp"
#include "readers/json/format_util.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

// What browser-use saves of a run (AgentHistoryList), one document a run:
//
//   {"history":[{"model_output":{"current_state":{"evaluation_previous_goal":"…","memory":"…","next_goal":"…"},
//                                "action":[{"click_element":{"index":3}}]},
//                "result":[{"extracted_content":"…","is_done":false},{"error":"…"}],
//                "state":{"url":"…","title":"…","tabs":[…],"interacted_element":[…],"screenshot":"…"},
//                "metadata":{"step_start_time":1.5,"step_end_time":2.5,"input_tokens":900,"step_number":1}}],
//    "usage":{"total_prompt_tokens":1,"total_completion_tokens":2,"total_cost":0.1,"by_model":{"…":{…}}}}
//
// Later versions put what the model says of its state beside the actions, and keep the message of each step: the task
// stands in it, and nowhere else. The first action without a result was not reached. An action means the page it was
// done on: element 3 of another page is another element.

namespace agent_audit::readers {
namespace {

struct Action {
    std::string_view name;
    CallArgs args;
};

struct Outcome {
    RawText text, memory, error;
    bool done = false, failed = false;  // done, and without success
};

struct Step {
    std::string_view evaluation, memory, next_goal, url, message;
    RawText thinking;
    Reused<Action, 256> actions;
    Reused<Outcome, 256> results;
    std::uint64_t input_tokens = 0;
    std::int64_t began_ms = kNoTime, ended_ms = kNoTime;
    bool has_output = false, has_result = false, has_state = false;

    void clear() { begin_again(*this, &Step::actions, &Step::results); }
};

struct Document {
    std::string_view task, model;
    std::uint64_t prompt = 0, cached = 0, output = 0;
    double cost_usd = 0;
    bool has_history = false;
};

// What stands between the marks of the task in the message of a step, without the blanks around it.
std::string_view task_of(std::string_view message) {
    constexpr std::string_view kBegin = "<user_request>", kEnd = "</user_request>", kNewline = "\\n";
    const std::size_t at = message.find(kBegin);
    if (at == message.npos) return {};
    message.remove_prefix(at + kBegin.size());
    const std::size_t end = message.find(kEnd);
    if (end == message.npos) return {};
    message = message.substr(0, end);
    while (message.starts_with(kNewline)) message.remove_prefix(kNewline.size());
    while (message.ends_with(kNewline)) message.remove_suffix(kNewline.size());
    return message;
}

// Does the action name what it is about, wherever it is done? An address, a file, a search of the web.
bool is_free_of_page(const Action& action) {
    bool named = false;
    for (const CallField& field : action.args.fields) {
        if (field.name == "index") return false;
        named = named || field.name == "url" || field.name == "file_name" || field.name == "path" ||
                (field.name == "query" && action.name.starts_with("search"));
    }
    return named;
}

class BrowserUse final : public DocumentReader {
public:
    BrowserUse() : DocumentReader("history") {}

protected:
    LineFate read_object(json::object object) override {
        doc_ = Document{};
        bool step = false;
        const bool whole = read_fields(object, [&](const char* key, json::value& v) {
            step = step || key_is(key, "model_output");
            return collect_field(key, v);
        });
        if (!whole) return LineFate::malformed_json;
        if (doc_.has_history) {
            open_ = false;
            return stream_records(object);
        }
        if (!step) return LineFate::unknown_kind;
        return object.reset().error() ? LineFate::malformed_json : read_element(object);
    }

    LineFate read_array(json::array array) override {
        doc_ = Document{};
        open_ = false;
        const LineFate fate = read_elements(array);
        open_ = false;
        return fate;
    }

    bool read_rest(json::object fields) override { return read_fields<&BrowserUse::collect_field>(fields); }

    LineFate read_element(json::object element) override {
        step_.clear();
        if (!read_fields<&BrowserUse::collect_step>(element)) return LineFate::malformed_json;
        if (!step_.has_output && !step_.has_result && !step_.has_state) return LineFate::missing_field;
        tell();
        return LineFate::understood;
    }

    LineFate end_document(json::object) override {
        if (!open_) return LineFate::understood;
        open_ = false;
        new_head(0, turn_);
        Usage usage;
        usage.scope = UsageScope::session;
        usage.mode = UsageMode::cumulative;
        usage.tokens.cache_read = std::min(doc_.cached, doc_.prompt);
        usage.tokens.input = doc_.prompt - usage.tokens.cache_read;
        usage.tokens.output = doc_.output;
        usage.model = text_of(doc_.model);
        const std::uint64_t cost = microusd(doc_.cost_usd);
        if (cost > 0) usage.cost_microusd = cost;
        if (cost > 0 || usage.tokens.total() > 0) emit(usage);
        return LineFate::understood;
    }

private:
    bool collect_field(const char* key, json::value& v) {
        if (key_is(key, "history"))
            doc_.has_history = is_array(v);
        else if (key_is(key, "task"))
            doc_.task = raw_string(v);
        else if (key_is(key, "usage"))
            return each_field(v, [this](const char* k, json::value& w) { return collect_usage(k, w); });
        return true;
    }

    bool collect_usage(const char* key, json::value& v) {
        if (key_is(key, "total_prompt_tokens"))
            doc_.prompt = as_uint(v);
        else if (key_is(key, "total_prompt_cached_tokens"))
            doc_.cached = as_uint(v);
        else if (key_is(key, "total_completion_tokens"))
            doc_.output = as_uint(v);
        else if (key_is(key, "total_cost"))
            doc_.cost_usd = number_or(v, 0);
        else if (key_is(key, "by_model"))
            return each_field(v, [this](const char* name, json::value&) {
                if (doc_.model.empty()) doc_.model = key_text(name);
                return true;
            });
        return true;
    }

    bool collect_step(const char* key, json::value& v) {
        if (key_is(key, "model_output")) {
            step_.has_output = is_object(v);
            return each_field(v, [this](const char* k, json::value& w) { return collect_output(k, w); });
        }
        if (key_is(key, "result")) {
            step_.has_result = is_array(v);
            return each_element(v, [this](json::value& result) { return collect_result(result); });
        }
        if (key_is(key, "state")) {
            step_.has_state = is_object(v);
            return each_field(v, [this](const char* k, json::value& w) {
                if (key_is(k, "url")) step_.url = raw_string(w);
                return true;
            });
        }
        if (key_is(key, "metadata"))
            return each_field(v, [this](const char* k, json::value& w) {
                if (key_is(k, "step_start_time"))
                    step_.began_ms = unix_time(w);
                else if (key_is(k, "step_end_time"))
                    step_.ended_ms = unix_time(w);
                else if (key_is(k, "input_tokens"))
                    step_.input_tokens = as_uint(w);
                return true;
            });
        if (key_is(key, "state_message") && !(open_ && in_turn_)) step_.message = raw_string(v);
        return true;
    }

    bool collect_output(const char* key, json::value& v) {
        if (key_is(key, "current_state"))
            return each_field(v, [this](const char* k, json::value& w) { return collect_output(k, w); });
        if (key_is(key, "action"))
            return each_element(v, [this](json::value& action) { return collect_action(action); });
        if (key_is(key, "thinking"))
            step_.thinking = text_of(raw_string(v));
        else if (key_is(key, "evaluation_previous_goal"))
            step_.evaluation = raw_string(v);
        else if (key_is(key, "memory"))
            step_.memory = raw_string(v);
        else if (key_is(key, "next_goal"))
            step_.next_goal = raw_string(v);
        return true;
    }

    // {"click":{…}}: some write all actions there are, those that were not chosen as null, and the element beside them.
    bool collect_action(json::value& v) {
        Action* action = is_object(v) ? step_.actions.next() : nullptr;
        return each_field(v, [this, action](const char* key, json::value& w) {
            if (!action || !action->name.empty() || is_null(w) || key_is(key, "interacted_element")) return true;
            action->name = key_text(key);
            action->args = args_.digest_value({}, w);
            return true;
        });
    }

    bool collect_result(json::value& v) {
        Outcome* result = is_object(v) ? step_.results.next() : nullptr;
        return !result || each_field(v, [result](const char* key, json::value& w) {
            if (key_is(key, "extracted_content"))
                result->text = any_text(w);
            else if (key_is(key, "long_term_memory"))
                result->memory = any_text(w);
            else if (key_is(key, "error"))
                result->error = any_text(w);
            else if (key_is(key, "is_done"))
                result->done = is_true(w);
            else if (key_is(key, "success"))
                result->failed = w.raw_json_token()[0] == 'f';
            return true;
        });
    }

    void open() {
        if (std::exchange(open_, true)) return;
        in_turn_ = false;
        turn_ = 0;
        SessionStart start;
        start.model = text_of(doc_.model);
        emit(start);
    }

    // A run has a task, recorded or not. What comes after it was done is a task that was added.
    void begin_turn() {
        if (std::exchange(in_turn_, true)) return;
        head().turn = ++turn_;
        emit(TurnStart{});
        const std::string_view told = task_of(step_.message);
        const std::string_view task = told.empty() && turn_ == 1 ? doc_.task : told;
        if (!task.empty()) emit(Message{Role::user, Origin::human, text_of(task), 0});
    }

    void tell() {
        new_head();
        head().time_ms = step_.began_ms;
        open();
        begin_turn();
        head().turn = turn_;
        if (step_.has_output) said();
        for (std::size_t i = 0; i < step_.actions.size(); ++i) act(i);
        if (step_.input_tokens > 0) {
            Usage usage;
            usage.tokens.input = step_.input_tokens;
            emit(usage);
        }
        new_head(0, turn_).time_ms = step_.ended_ms;
        for (std::size_t i = 0; i < step_.actions.size(); ++i) {
            if (!step_.actions[i].name.empty() && answer_of(i).empty()) result(i);
        }
        for (const Outcome& outcome : results()) rest(outcome);
    }

    // What the model says of where it stands, as one message.
    void said() {
        head().response = ++responses_ | std::uint64_t{1} << 63;
        if (!step_.thinking.empty()) emit(Thinking{step_.thinking, 0});
        said_.clear();
        for (const std::string_view part : {step_.evaluation, step_.memory, step_.next_goal}) {
            if (part.empty()) continue;
            if (!said_.empty()) said_ += "\\n";
            said_ += part;
        }
        if (!said_.empty()) emit(Message{Role::assistant, Origin::agent, text_of(said_), 0});
    }

    std::span<const Outcome> results() const { return {step_.results.begin(), step_.results.end()}; }

    // The words with which the model says that it is done; nothing of any other action.
    std::string_view answer_of(std::size_t i) const {
        if (i >= step_.results.size() || !step_.results[i].done || !step_.results[i].error.empty()) return {};
        for (const CallField& field : step_.actions[i].args.fields) {
            if (field.name == "text" && field.is_string) return field.value;
        }
        return {};
    }

    void act(std::size_t i) {
        const Action& action = step_.actions[i];
        if (action.name.empty()) return;
        if (const std::string_view answer = answer_of(i); !answer.empty())
            return emit(Message{Role::assistant, Origin::agent, text_of(answer), 0});
        ToolCall call = call_of({}, action.name, action.args);
        if (!step_.url.empty() && !is_free_of_page(action))
            call.digest.canonical = mix_hash(call.digest.canonical, stable_hash(step_.url));
        emit(call);
    }

    // Results stand in the order of the actions.
    void result(std::size_t i) {
        ToolResult result;
        if (i < step_.results.size()) {
            const Outcome& said = step_.results[i];
            const bool error = !said.error.empty();
            result.text = error ? said.error : said.text.empty() ? said.memory : said.text;
            result.status = error ? ResultStatus::error : ResultStatus::ok;
        } else if (step_.has_result) {
            result.status = ResultStatus::cancelled;
        } else {
            return;
        }
        emit(result);
    }

    // An error where nothing was done is that of the request.
    void rest(const Outcome& outcome) {
        if (step_.actions.empty() && !outcome.error.empty())
            emit(notice_of(NoticeLayer::provider, NoticeLevel::error, "step-failed", outcome.error));
        if (!outcome.done || !std::exchange(in_turn_, false)) return;
        emit(TurnEnd{outcome.failed ? TurnStatus::failed : TurnStatus::completed, -1});
    }

    Document doc_;
    Step step_;
    bool open_ = false, in_turn_ = false;
    std::string said_;
    std::uint32_t turn_ = 0;
    std::uint64_t responses_ = 0;
};

bool is_step(const ProbeRecord& r) {
    return r.is_object() && r.has("model_output") && r.has("state") && (r.has("result") || r.has("metadata"));
}

Score score(std::span<const ProbeRecord> sample, Framing) {
    for (const ProbeRecord& r : sample) {
        if (!r.is_object()) {
            const auto first = first_of(r);
            if (first && is_step(*first)) return 98;
            continue;
        }
        if (is_step(r)) return 98;
        const auto steps = r.raw("history");
        if (!steps || !steps->starts_with('[')) continue;
        if (const auto first = first_of(ProbeRecord(*steps)); first && is_step(*first)) return 98;
        // A step with a picture may be too long to be seen whole.
        if (steps->find("\"model_output\"") != steps->npos && steps->find("\"action\"") != steps->npos) return 90;
    }
    return 0;
}

constexpr std::string_view kStreams[] = {"history"};

constexpr RecordKindDoc kKinds[] = {
    {"history, the first step", "TurnStart; Message (human) where the task is known: from its message, or beside it"},
    {"history, a step's model_output",
     "Thinking; Message (evaluation, memory and next goal as one); a ToolCall an action, which on another page is "
     "another one unless it names an address, a file or a search"},
    {"history, a step's result",
     "a ToolResult an action: an error, or what was extracted or is to be remembered; cancelled when it was not "
     "reached"},
    {"done", "Message (assistant) and TurnEnd; without success it failed"},
    {"history, a step without output", "Notice: the model gave no answer that could be used"},
    {"metadata", "times; Usage (input tokens, as the agent estimates them)"},
    {"usage", "Usage (totals of the run, cost) and the model"},
};

}  // namespace

ReaderSpec browser_use() {
    return {"browser-use",
            "browser-use",
            "saved histories of browser agents",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::token_usage | Signal::cost |
                Signal::timestamps | Signal::response_ids | Signal::reasoning,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<BrowserUse>()); },
            kStreams};
}

}  // namespace agent_audit::readers
