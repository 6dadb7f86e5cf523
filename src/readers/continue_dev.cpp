#include "readers/all.hpp"
#include "readers/json/array_record.hpp"
#include "readers/json/document_reader.hpp"
#include "readers/json/format_util.hpp"

#include <algorithm>
#include <utility>
#include <vector>

// Sessions of Continue, of its extension and of its command line (cn), one document each:
//
//   {"sessionId":"…","title":"…","workspaceDirectory":"file:///…","chatModelTitle":"…",
//    "history":[{"message":{"role":"user","content":[{"type":"text","text":"…"}]},"contextItems":[{"content":"…"}]},
//               {"message":{"role":"thinking","content":"…"}},
//               {"message":{"role":"assistant","content":"…","toolCalls":[{"id":"…","function":{"name":"…",
//                "arguments":"{…}"}}],"usage":{"promptTokens":1,"completionTokens":2}},  cn:
//                {"prompt_tokens":1,"model":"…",…}
//                "toolCallStates":[{"toolCallId":"…","status":"done","output":[{"content":"…"}]}],
//                "promptLogs":[{"modelTitle":"…",…}],"conversationSummary":"…"},
//               {"message":{"role":"tool","content":"…","toolCallId":"…"}}],
//    "usage":{"totalCost":0.1,"promptTokens":1,"completionTokens":2,"promptTokensDetails":{…}}}
//
// Older versions have one toolCallState, and a message of the role tool that says its output once more. What a summary
// stands for are all messages up to its own.

namespace agent_audit::readers {
namespace {

/// A call, of which the message and the state of the item both tell.
struct Call {
    std::string_view id, name, arguments, status, told;  // told: what the terminal says of a command
    CallArgs args;
    RawText output;
    bool has_args = false, has_output = false;
};

struct Tokens {
    std::uint64_t prompt = 0, output = 0, cached = 0, written = 0, reasoning = 0;
    double cost_usd = 0;
    std::string_view model;

    // What of it `part` has not told.
    Tokens without(const Tokens& part) const {
        const auto rest = [](std::uint64_t all, std::uint64_t some) { return all - std::min(all, some); };
        Tokens left = *this;
        left.prompt = rest(prompt, part.prompt);
        left.output = rest(output, part.output);
        left.cached = std::min(rest(cached, part.cached), left.prompt);
        left.written = std::min(rest(written, part.written), left.prompt);
        return left;
    }

    void add(const Tokens& more) {
        prompt += more.prompt;
        output += more.output;
        cached += more.cached;
        written += more.written;
    }

    // Providers count what was cached inside the prompt, or beside it: then it may be more than that.
    TokenCounts counts() const {
        TokenCounts t;
        t.input = cached + written <= prompt ? prompt - cached - written : prompt;
        t.cache_read = cached;
        t.cache_write = written;
        t.output = output;
        t.reasoning = std::min(reasoning, output);
        return t;
    }
};

struct Item {
    std::string_view role, call_id, model, summary;
    Content content;
    RawText reasoning;
    std::uint64_t opaque_bytes = 0;
    std::vector<Call> calls;
    Reused<RawText> context;
    Tokens tokens;
    bool has_message = false;

    void clear() { begin_again(*this, &Item::calls, &Item::context); }
};

struct Document {
    std::string_view session_id, folder, model;
    Tokens tokens;
    bool has_history = false;
};

std::string_view path_of(std::string_view folder) {
    constexpr std::string_view kFile = "file://";
    if (folder.starts_with(kFile)) folder.remove_prefix(kFile.size());
    return folder;
}

// Of these the state says only that they ran.
bool is_shell(std::string_view tool) { return tool == "Bash" || tool.ends_with("run_terminal_command"); }

class Continue final : public DocumentReader {
public:
    Continue() : DocumentReader("history") {}

protected:
    LineFate read_object(json::object object) override {
        doc_ = Document{};
        if (!read_fields<&Continue::collect_field>(object)) return LineFate::malformed_json;
        if (!doc_.has_history) return LineFate::unknown_kind;
        open_ = false;
        return stream_records(object);
    }

    bool read_rest(json::object fields) override { return read_fields<&Continue::collect_field>(fields); }

    LineFate read_element(json::object element) override {
        item_.clear();
        if (!read_fields<&Continue::collect_item>(element)) return LineFate::malformed_json;
        if (!item_.has_message || item_.role.empty()) return LineFate::missing_field;
        open();
        new_head(0, turn_);
        return tell();
    }

    LineFate end_document(json::object) override {
        if (!open_) return LineFate::understood;
        new_head(0, turn_);
        Usage usage;
        usage.scope = UsageScope::session;
        usage.mode = UsageMode::cumulative;
        usage.tokens = doc_.tokens.without(billed_).counts();
        const std::uint64_t cost = microusd(doc_.tokens.cost_usd);
        if (cost > 0) usage.cost_microusd = cost;
        if (cost > 0 || usage.tokens.total() > 0) emit(usage);
        return LineFate::understood;
    }

private:
    bool collect_field(const char* key, json::value& v) {
        if (key_is(key, "history"))
            doc_.has_history = is_array(v);
        else if (key_is(key, "sessionId"))
            doc_.session_id = raw_string(v);
        else if (key_is(key, "workspaceDirectory"))
            doc_.folder = path_of(raw_string(v));
        else if (key_is(key, "chatModelTitle"))
            doc_.model = raw_string(v);
        else if (key_is(key, "usage"))
            return collect_usage(v, doc_.tokens);
        return true;
    }

    static bool collect_usage(json::value& v, Tokens& tokens) {
        return each_field(v, [&tokens](const char* key, json::value& w) {
            if (key_is(key, "promptTokens") || key_is(key, "prompt_tokens"))
                tokens.prompt = as_uint(w);
            else if (key_is(key, "completionTokens") || key_is(key, "completion_tokens"))
                tokens.output = as_uint(w);
            else if (key_is(key, "totalCost"))
                tokens.cost_usd = number_or(w, 0);
            else if (key_is(key, "model"))
                tokens.model = raw_string(w);
            else if (key_is(key, "promptTokensDetails") || key_is(key, "prompt_tokens_details") ||
                     key_is(key, "completion_tokens_details"))
                return each_field(w, [&tokens](const char* k, json::value& x) {
                    if (key_is(k, "cachedTokens") || key_is(k, "cached_tokens"))
                        tokens.cached = as_uint(x);
                    else if (key_is(k, "cacheWriteTokens") || key_is(k, "cache_write_tokens"))
                        tokens.written = as_uint(x);
                    else if (key_is(k, "reasoning_tokens"))
                        tokens.reasoning = as_uint(x);
                    return true;
                });
            return true;
        });
    }

    bool collect_item(const char* key, json::value& v) {
        if (key_is(key, "message")) {
            item_.has_message = is_object(v);
            return each_field(v, [this](const char* k, json::value& w) { return collect_message(k, w); });
        }
        if (key_is(key, "contextItems"))
            return each_element(v, [this](json::value& context) { return collect_context(context); });
        if (key_is(key, "toolCallStates"))
            return each_element(v, [this](json::value& state) { return collect_state(state); });
        if (key_is(key, "toolCallState")) return collect_state(v);
        if (key_is(key, "promptLogs"))
            return each_element(v, [this](json::value& log) {
                return each_field(log, [this](const char* k, json::value& w) {
                    if (key_is(k, "modelTitle")) item_.model = raw_string(w);
                    return true;
                });
            });
        if (key_is(key, "reasoning"))
            return each_field(v, [this](const char* k, json::value& w) {
                if (key_is(k, "text")) item_.reasoning = text_of(raw_string(w));
                return true;
            });
        if (key_is(key, "conversationSummary")) item_.summary = raw_string(v);
        return true;
    }

    bool collect_message(const char* key, json::value& v) {
        if (key_is(key, "role"))
            item_.role = raw_string(v);
        else if (key_is(key, "content"))
            item_.content = read_content(v);
        else if (key_is(key, "toolCallId"))
            item_.call_id = raw_string(v);
        else if (key_is(key, "redactedThinking"))
            item_.opaque_bytes = raw_string(v).size();
        else if (key_is(key, "usage"))
            return collect_usage(v, item_.tokens);
        else if (key_is(key, "toolCalls"))
            return each_element(v, [this](json::value& element) {
                Call call;
                if (!is_object(element)) return true;
                if (!collect_call(element, call)) return false;
                merge(call);
                return true;
            });
        return true;
    }

    bool collect_context(json::value& v) {
        RawText* text = is_object(v) ? item_.context.next() : nullptr;
        return !text || each_field(v, [text](const char* key, json::value& w) {
            if (key_is(key, "content")) *text = text_of(raw_string(w));
            return true;
        });
    }

    // {"id":"…","type":"function","function":{"name":"…","arguments":"{…}"}}
    bool collect_call(json::value& v, Call& call) {
        return each_field(v, [this, &call](const char* key, json::value& w) {
            if (key_is(key, "id")) call.id = raw_string(w);
            if (!key_is(key, "function")) return true;
            return each_field(w, [this, &call](const char* k, json::value& x) {
                if (key_is(k, "name"))
                    call.name = raw_string(x);
                else if (key_is(k, "arguments") && is_string(x))
                    call.arguments = raw_string(x);
                else if (key_is(k, "arguments") && is_object(x)) {
                    call.args = args_.digest_value({}, x);
                    call.has_args = true;
                }
                return true;
            });
        });
    }

    bool collect_state(json::value& v) {
        Call call;
        if (!is_object(v)) return true;
        std::string_view id;
        const bool whole = each_field(v, [&](const char* key, json::value& w) {
            if (key_is(key, "toolCallId"))
                id = raw_string(w);
            else if (key_is(key, "toolCall"))
                return collect_call(w, call);
            else if (key_is(key, "status"))
                call.status = raw_string(w);
            else if (key_is(key, "output"))
                return collect_output(w, call);
            return true;
        });
        if (!id.empty()) call.id = id;
        if (whole) merge(call);
        return whole;
    }

    // Mostly one text; several are shown as the list they are.
    bool collect_output(json::value& v, Call& call) {
        if (!is_array(v)) {
            call.has_output = !is_null(v);
            call.output = any_text(v);
            return true;
        }
        json::array items;
        std::string_view all;
        if (v.get_array().get(items) || items.raw_json().get(all) || items.reset().error()) return false;
        std::size_t texts = 0;
        for (auto item : items) {
            json::value element;
            if (std::move(item).get(element)) return false;
            const bool whole = each_field(element, [&call, &texts](const char* key, json::value& w) {
                if (key_is(key, "content") && ++texts == 1)
                    call.output = text_of(raw_string(w));
                else if (key_is(key, "status"))
                    call.told = raw_string(w);
                return true;
            });
            if (!whole) return false;
        }
        call.has_output = texts > 0;
        if (texts > 1) call.output = {trim_blank(all), TextForm::json_value};
        return true;
    }

    // What is told of one call at two places; the first arguments count.
    void merge(const Call& told) {
        constexpr std::size_t kMost = 256;  // in one answer: they are looked for one by one
        auto call = std::ranges::find_if(
            item_.calls, [&told](const Call& known) { return !told.id.empty() && known.id == told.id; });
        if (call == item_.calls.end()) {
            if (item_.calls.size() == kMost) return;
            call = item_.calls.insert(call, Call{});
        }
        call->id = told.id;
        if (call->name.empty()) call->name = told.name;
        if (!told.status.empty()) call->status = told.status;
        if (!told.told.empty()) call->told = told.told;
        if (told.has_output) call->output = told.output;
        call->has_output |= told.has_output;
        if (call->has_args) return;
        call->has_args = told.has_args || !told.arguments.empty();
        if (told.has_args)
            call->args = told.args;
        else if (!told.arguments.empty())
            call->args = args_.digest_string({}, told.arguments);
    }

    void open() {
        if (std::exchange(open_, true)) return;
        turn_ = 0;
        billed_ = {};
        thinking_ = summed_up_ = false;
        answered_.clear();
        model_ = 0;
        new_head();
        SessionStart start;
        start.session_id = text_of(doc_.session_id);
        start.cwd = text_of(doc_.folder);
        start.model = text_of(doc_.model);
        emit(start);
    }

    LineFate tell() {
        const bool after_summary = std::exchange(summed_up_, !item_.summary.empty());
        LineFate fate = LineFate::understood;
        if (item_.role == "user")
            user(after_summary);
        else if (item_.role == "assistant" || item_.role == "thinking")
            answer();
        else if (item_.role == "tool")
            fate = returned();
        else if (item_.role == "system")
            emit(Message{Role::system, Origin::injected, item_.content.text, 0});
        else
            fate = item_.summary.empty() ? LineFate::unknown_kind : fate;
        if (!item_.summary.empty()) summed_up();
        return fate;
    }

    // What a person attached stands before what they wrote. After a summary the command line goes on by itself.
    void user(bool after_summary) {
        thinking_ = false;
        if (after_summary && item_.content.text.bytes == "continue") {
            emit(Message{Role::user, Origin::injected, item_.content.text, 0});
            return;
        }
        head().turn = ++turn_;
        emit(TurnStart{});
        for (const RawText& text : std::span(item_.context.begin(), item_.context.size())) {
            if (!text.empty()) emit(Message{Role::user, Origin::injected, text, 0});
        }
        emit(Message{Role::user, Origin::human, item_.content.text, item_.content.media});
    }

    // A thought is an item of its own in front of what was thought out.
    void answer() {
        const bool thought = item_.role == "thinking";
        if (!std::exchange(thinking_, thought)) ++responses_;
        if (const IdHash model = id_hash(item_.model); model != 0 && model != std::exchange(model_, model)) {
            ContextChange change;
            change.model = text_of(item_.model);
            emit(change);
        }
        head().response = responses_ | std::uint64_t{1} << 63;
        if (thought) {
            if (!item_.content.text.empty() || item_.opaque_bytes > 0)
                emit(Thinking{item_.content.text, item_.opaque_bytes});
        } else {
            if (!item_.reasoning.empty()) emit(Thinking{item_.reasoning, 0});
            // A compacted session begins with its summary as an answer.
            if (!item_.content.text.empty() && item_.content.text.bytes != item_.summary)
                emit(Message{Role::assistant, Origin::agent, item_.content.text, 0});
        }
        for (const Call& call : item_.calls) {
            if (!call.name.empty()) emit(call_of(call.id, call.name, call.args));
        }
        if (item_.tokens.counts().total() > 0) {
            Usage usage;
            usage.tokens = item_.tokens.counts();
            usage.model = text_of(item_.tokens.model);
            emit(usage);
            billed_.add(item_.tokens);
        }
        head().response = 0;
        for (const Call& call : item_.calls) result(call);
    }

    void result(const Call& call) {
        const bool denied = call.status == "canceled", failed = call.status == "errored";
        if (call.name.empty() || (!call.has_output && !denied && !failed)) return;
        ToolResult result;
        result.call_id = text_of(call.id);
        result.text = call.output;
        if (denied)
            result.status = ResultStatus::denied;
        else if (failed || call.told.starts_with("Command failed"))
            result.status = ResultStatus::error;
        else if (call.status == "done" && !is_shell(call.name))
            result.status = ResultStatus::ok;
        if (is_shell(call.name)) result.exit_code = number_after(call.told, "code ");
        answered_.add(id_hash(call.id));
        emit(result);
    }

    LineFate returned() {
        if (item_.call_id.empty()) return LineFate::missing_field;
        if (answered_.has(id_hash(item_.call_id))) return LineFate::ignored_kind;
        ToolResult result;
        result.call_id = text_of(item_.call_id);
        result.text = item_.content.text;
        emit(result);
        return LineFate::understood;
    }

    void summed_up() {
        Compaction compaction;
        compaction.summary = text_of(item_.summary);
        compaction.keep = Keep::none;
        emit(compaction);
    }

    Document doc_;
    Item item_;
    RecentIds answered_;
    bool open_ = false, thinking_ = false, summed_up_ = false;
    Tokens billed_;  // by the answers
    std::uint32_t turn_ = 0;
    std::uint64_t responses_ = 0;
    IdHash model_ = 0;
};

bool is_item(const ProbeRecord& r) {
    const ProbeRecord message = r.child("message");
    return message.is_object() && message.has("role") && message.has("content") &&
           (r.has("contextItems") || r.has("toolCallStates") || r.has("editorState") || r.has("promptLogs"));
}

Score score(std::span<const ProbeRecord> sample, Framing) {
    for (const ProbeRecord& r : sample) {
        if (!r.is_object()) continue;
        const auto history = r.raw("history");
        if (!history || !history->starts_with('[')) continue;
        if (r.has("sessionId") && r.has("workspaceDirectory")) return kCertain;
        const auto first = first_of(ProbeRecord(*history));
        if (first && is_item(*first)) return 97;
    }
    return 0;
}

constexpr std::string_view kStreams[] = {"history"};

constexpr RecordKindDoc kKinds[] = {
    {"user", "TurnStart, Message (human); contextItems as Message (injected) in front of it"},
    {"user, “continue” right behind a summary", "Message (injected): the command line goes on by itself"},
    {"thinking, reasoning", "Thinking"},
    {"assistant", "Message, ToolCall, Usage"},
    {"toolCallStates, toolCallState",
     "ToolResult: the status decides, of a terminal what is said of its command; canceled is denied"},
    {"tool", "ToolResult, unless the state of its call has told it"},
    {"system", "Message (system)"},
    {"conversationSummary", "Compaction: nothing before it is kept"},
    {"promptLogs", "the model"},
    {"usage", "Usage of the session: the cost, and tokens of which no answer told"},
};

}  // namespace

ReaderSpec continue_dev() {
    return {"continue",
            "Continue",
            "sessions of the extension and of cn",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::token_usage | Signal::cost | Signal::response_ids | Signal::reasoning | Signal::compaction,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<Continue>()); },
            kStreams};
}

}  // namespace agent_audit::readers
