#include "readers/all.hpp"
#include "readers/json/document_reader.hpp"
#include "readers/json/format_util.hpp"
#include "readers/json/ids.hpp"

#include <array>
#include <optional>

// Trajectories of mini-SWE-agent, whose only tool is a shell:
//
//   {"info":{"model_stats":{"instance_cost":0.1,"api_calls":2},"exit_status":"Submitted"},"messages":[…],
//    "trajectory_format":"mini-swe-agent-1.1"}
//   {"role":"assistant","content":"…","extra":{"actions":[{"command":"ls","tool_call_id":"c1"}],"response":{"usage":{…}}}}
//   {"role":"tool","tool_call_id":"c1","content":"…","extra":{"returncode":0}}
//   {"object":"response","id":"…","output":[…],"usage":{…},"extra":{"actions":[…]}}            of the Responses API
//   {"type":"function_call_output","call_id":"c1","output":"…","extra":{"returncode":0}}
//
// Before 1.1 the command was a fenced block in the text and the answer the next user message; the oldest files are a
// bare array of messages.

namespace agent_audit::readers {
namespace {

struct Action {
    std::string_view id, name;
    CallArgs args;
};

struct Info {
    std::string_view version, exit_status, model, cwd;
    double cost_usd = 0;
};

struct Parts {
    std::string_view role, type, call_id, interrupt, exit_status, response_id, model;
    std::string_view own_id, own_model;  // of a message that is a response as a whole
    Content content;
    RawText reasoning, answer;
    Reused<Action, 1000> actions, tool_calls;
    TokenCounts tokens;
    double cost_usd = 0;
    std::optional<int> returncode;
    std::int64_t time_ms = kNoTime;
    bool has_content = false, has_messages = false, is_response = false, not_executed = false;

    void clear() {
        auto keep_actions = std::move(actions);
        auto keep_calls = std::move(tool_calls);
        *this = Parts{};
        actions = std::move(keep_actions);
        tool_calls = std::move(keep_calls);
        actions.clear();
        tool_calls.clear();
    }
};

// The command of a text: what stands between ```bash (or ```mswea_bash_command) and ```. The text is still escaped. Of
// two none is carried out.
std::optional<std::string_view> fenced_command(std::string_view text) {
    constexpr std::string_view kClose = "\\n```";
    for (const std::string_view fence : {"```mswea_bash_command\\n", "```bash\\n"}) {
        std::optional<std::string_view> only;
        for (auto open = text.find(fence); open != text.npos; open = text.find(fence, open)) {
            open += fence.size();
            const auto close = text.find(kClose, open);
            if (close == text.npos) break;
            if (only) return std::nullopt;
            only = text.substr(open, close - open);
            open = close + kClose.size();
        }
        if (only) return only;
    }
    return std::nullopt;
}

// What interrupts a run because of the user, or is what the first version wrote then.
constexpr std::array<std::string_view, 3> kUserInterrupts{"UserInterruption", "UserRejection", "UserNewTask"};
constexpr std::array<std::string_view, 3> kUserWords{"Interrupted by user: ", "Command not executed. The user rejected",
                                                     "The user added a new task: "};
constexpr std::string_view kNotExecuted = "action was not executed";
constexpr std::string_view kTimedOut = "The last command <command>";

// What interrupts a run because of the model.
constexpr std::string_view kFormatError = "FormatError";

std::optional<int> returncode_in(std::string_view text) {
    constexpr std::string_view open = "<returncode>";
    return text.starts_with(open) ? number_after(text.substr(0, 60), open) : std::nullopt;
}

class MiniSweAgent final : public DocumentReader {
public:
    MiniSweAgent() : DocumentReader("messages") {}

protected:
    LineFate read_object(json::object object) override {
        m_.clear();
        info_ = Info{};
        if (!collect(object) || !alive()) return LineFate::malformed_json;
        if (!m_.has_messages) return m_.role.empty() && m_.type.empty() ? LineFate::unknown_kind : message();
        open_ = false;
        return stream_records(object);
    }

    bool read_rest(json::object fields) override {
        m_.clear();
        return collect(fields);
    }

    LineFate end_document(json::object) override {
        end_of_run();
        return LineFate::understood;
    }

    LineFate read_element(json::object element) override {
        m_.clear();
        return collect(element) && alive() ? message() : LineFate::malformed_json;
    }

private:
    // ---- collecting -------------------------------------------------------------------------------------

    bool collect(json::object& object) {
        return each_field(object, [this](const char* key, json::value& v) {
            switch (key[0]) {
                case 'c':
                    if (key_is(key, "content")) {
                        m_.has_content = true;
                        m_.content = read_content(v);
                    } else if (key_is(key, "call_id"))
                        m_.call_id = raw_string(v);
                    break;
                case 'e':
                    if (key_is(key, "extra"))
                        return each_field(v, [this](const char* k, json::value& w) { return collect_extra(k, w); });
                    break;
                case 'i':
                    if (key_is(key, "info"))
                        return each_field(v, [this](const char* k, json::value& w) { return collect_info(k, w); });
                    if (key_is(key, "id")) m_.own_id = raw_string(v);
                    break;
                case 'm':
                    if (key_is(key, "messages"))
                        m_.has_messages = is_array(v);
                    else if (key_is(key, "model"))
                        m_.own_model = raw_string(v);
                    break;
                case 'o':
                    if (key_is(key, "object"))
                        m_.is_response = raw_string(v) == "response";
                    else if (key_is(key, "output")) {
                        if (is_array(v)) return collect_output(v);
                        if (is_string(v)) m_.content.text = text_of(raw_string(v));
                        m_.has_content = is_string(v);
                    }
                    break;
                case 'r':
                    if (key_is(key, "role"))
                        m_.role = raw_string(v);
                    else if (key_is(key, "reasoning_content"))
                        m_.reasoning = text_of(raw_string(v));
                    break;
                case 't':
                    if (key_is(key, "tool_call_id"))
                        m_.call_id = raw_string(v);
                    else if (key_is(key, "type"))
                        m_.type = raw_string(v);
                    else if (key_is(key, "tool_calls"))
                        return each_element(v, [this](json::value& call) { return collect_call(call); });
                    break;
                case 'u':
                    if (key_is(key, "usage") && is_object(v)) return collect_usage(v);
                    break;
                default: break;
            }
            return true;
        });
    }

    // What a response of the Responses API says; its calls stand in the actions beside it.
    bool collect_output(json::value& v) {
        return each_element(v, [this](json::value& item) {
            std::string_view type;
            Content content, summary;
            const bool whole = each_field(item, [&](const char* key, json::value& w) {
                if (key_is(key, "type"))
                    type = raw_string(w);
                else if (key_is(key, "content"))
                    content = read_content(w);
                else if (key_is(key, "summary"))
                    summary = read_content(w);
                return true;
            });
            if (type == "message" && m_.content.text.empty()) m_.content = content;
            if (type == "reasoning" && m_.reasoning.empty())
                m_.reasoning = content.text.empty() ? summary.text : content.text;
            return whole;
        });
    }

    bool collect_info(const char* key, json::value& v) {
        if (key_is(key, "exit_status"))
            info_.exit_status = raw_string(v);
        else if (key_is(key, "mini_version"))
            info_.version = raw_string(v);
        else if (key_is(key, "model_stats")) {
            return each_field(v, [this](const char* k, json::value& w) {
                if (key_is(k, "instance_cost")) info_.cost_usd = number_or(w, 0);
                return true;
            });
        } else if (key_is(key, "config")) {
            return each_field(v, [this](const char* k, json::value& w) {
                if (!key_is(k, "model") && !key_is(k, "environment")) return true;
                return each_field(w, [this](const char* name, json::value& x) {
                    if (key_is(name, "model_name"))
                        info_.model = raw_string(x);
                    else if (key_is(name, "cwd"))
                        info_.cwd = raw_string(x);
                    return true;
                });
            });
        }
        return true;
    }

    bool collect_extra(const char* key, json::value& v) {
        if (key_is(key, "actions"))
            return each_element(v, [this](json::value& action) { return collect_action(action); });
        if (key_is(key, "response")) return collect_response(v);
        if (key_is(key, "model_response") && is_string(v) && m_.answer.empty()) m_.answer = text_of(raw_string(v));
        if (key_is(key, "cost"))
            m_.cost_usd = number_or(v, 0);
        else if (key_is(key, "timestamp"))
            m_.time_ms = is_string(v) ? time_of(raw_string(v)) : unix_time(v);
        else if (key_is(key, "returncode"))
            m_.returncode = small_int(v);
        else if (key_is(key, "exception_info"))
            m_.not_executed = raw_string(v) == kNotExecuted;
        else if (key_is(key, "interrupt_type"))
            m_.interrupt = raw_string(v);
        else if (key_is(key, "exit_status"))
            m_.exit_status = raw_string(v);
        return true;
    }

    bool collect_action(json::value& v) {
        Action* action = is_object(v) ? m_.actions.next() : nullptr;
        if (!action) return true;
        action->name = "bash";
        return each_field(v, [&](const char* key, json::value& w) {
            if (key_is(key, "tool_call_id"))
                action->id = raw_string(w);
            else if ((key_is(key, "command") || key_is(key, "action")) && is_string(w))
                action->args = args_.digest_text({}, text_of(raw_string(w)));
            return true;
        });
    }

    // Only read where no actions stand beside them.
    bool collect_call(json::value& v) {
        Action* call = is_object(v) ? m_.tool_calls.next() : nullptr;
        if (!call) return true;
        return each_field(v, [&](const char* key, json::value& w) {
            if (key_is(key, "id")) call->id = raw_string(w);
            if (!key_is(key, "function")) return true;
            return each_field(w, [&](const char* k, json::value& x) {
                if (key_is(k, "name"))
                    call->name = raw_string(x);
                else if (key_is(k, "arguments") && !is_null(x))
                    call->args = args_.digest_value({}, x);
                return true;
            });
        });
    }

    bool collect_response(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "id"))
                m_.response_id = raw_string(w);
            else if (key_is(key, "model"))
                m_.model = raw_string(w);
            else if (key_is(key, "usage"))
                return collect_usage(w);
            else if (m_.interrupt == kFormatError && (key_is(key, "choices") || key_is(key, "output")))
                return each_element(w, [this](json::value& choice) { return collect_answer(choice); });
            return true;
        });
    }

    // An answer that could not be carried out is no message of its own: it stands with the complaint about it. A choice
    // of Chat Completions, or an item of the Responses API.
    bool collect_answer(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "message"))
                return each_field(w, [this](const char* k, json::value& x) {
                    if (key_is(k, "content") && is_string(x) && m_.answer.empty())
                        m_.answer = text_of(raw_string(x));
                    else if (key_is(k, "tool_calls"))
                        return each_element(x, [this](json::value& call) { return collect_call(call); });
                    return true;
                });
            if (key_is(key, "content") && !is_null(w) && m_.answer.empty()) m_.answer = read_content(w).text;
            return true;
        });
    }

    bool collect_usage(json::value& v) {
        std::uint64_t prompt = 0, output = 0, cached = 0, written = 0, reasoning = 0;
        const bool good = each_field(v, [&](const char* key, json::value& n) {
            if (key_is(key, "prompt_tokens") || key_is(key, "input_tokens"))
                prompt = as_uint(n);
            else if (key_is(key, "completion_tokens") || key_is(key, "output_tokens"))
                output = as_uint(n);
            else if (key_is(key, "cache_creation_input_tokens"))
                written = as_uint(n);
            else if (is_object(n))
                return each_field(n, [&](const char* k, json::value& d) {
                    if (key_is(k, "cached_tokens")) cached = as_uint(d);
                    if (key_is(k, "reasoning_tokens")) reasoning = as_uint(d);
                    return true;
                });
            return true;
        });
        cached = std::min(cached, prompt);
        written = std::min(written, prompt - cached);
        m_.tokens = {prompt - cached - written, written, cached, output, reasoning};
        return good;
    }

    // ---- messages ---------------------------------------------------------------------------------------

    void begin() {
        if (!open_) {
            open_ = true;
            turn_ = 0;
            unanswered_ = 0;
            costs_ = false;
            new_head().time_ms = m_.time_ms;
            SessionStart start;
            start.cwd = text_of(info_.cwd);
            start.product_version = text_of(info_.version);
            start.model = text_of(info_.model.empty() ? m_.model : info_.model);
            emit(start);
        }
        new_head(0, turn_).time_ms = m_.time_ms;
    }

    LineFate message() {
        if (m_.role == "exit" || !m_.exit_status.empty()) return exit_message();
        if (m_.is_response || m_.role == "assistant") return assistant();
        if (m_.type == "function_call_output" || m_.role == "tool") return result();
        if (m_.role.empty()) return LineFate::missing_field;
        if (!m_.has_content) return LineFate::missing_field;
        if (m_.role == "system" || m_.role == "developer") {
            begin();
            emit(Message{Role::system, Origin::injected, m_.content.text, 0});
            return LineFate::understood;
        }
        if (m_.role != "user") return LineFate::unknown_kind;
        return user();
    }

    LineFate user() {
        if (m_.interrupt == kFormatError) return refused_answer();
        if (!m_.actions.empty()) return typed();
        const bool by_user = is_one_of(m_.interrupt, kUserInterrupts) ||
                             (m_.interrupt.empty() && starts_with_one_of(m_.content.text.bytes, kUserWords));
        const bool answer = m_.returncode || (unanswered_ > 0 && m_.interrupt.empty());
        if (answer && !by_user) return result();
        begin();
        const bool human = turn_ == 0 || by_user;
        if (human) {
            head().turn = ++turn_;
            emit(TurnStart{});
        }
        unanswered_ = 0;
        emit(Message{Role::user, human ? Origin::human : Origin::injected, m_.content.text, m_.content.media});
        return LineFate::understood;
    }

    // Commands that the user typed in the place of the model.
    LineFate typed() {
        begin();
        unanswered_ = 0;
        for (const Action& action : m_.actions) {
            ++unanswered_;
            ToolCall call = call_of(action.id, action.name, action.args);
            call.caller = Caller::user;
            emit(call);
        }
        return LineFate::understood;
    }

    // What the model said, and what the harness said to it: the same words again are a loop as any other.
    LineFate refused_answer() {
        begin();
        unanswered_ = 0;
        const bool recorded = !m_.answer.empty() || !m_.tool_calls.empty() || m_.tokens.total() > 0;
        if (recorded) {
            respond();
            if (!m_.answer.empty()) emit(Message{Role::assistant, Origin::agent, m_.answer, 0});
            for (const Action& call : m_.tool_calls) emit(call_of(call.id, call.name, call.args));
            usage();
            head().response = 0;
        }
        for (const Action& call : m_.tool_calls) {
            ToolResult result;
            result.call_id = text_of(call.id);
            result.text = m_.content.text;
            result.status = ResultStatus::error;
            emit(result);
        }
        if (m_.tool_calls.empty()) emit(Message{Role::user, Origin::injected, m_.content.text, m_.content.media});
        return LineFate::understood;
    }

    void respond() {
        const bool named = !m_.response_id.empty();
        head().response = named ? id_hash(m_.response_id) : ++responses_ | std::uint64_t{1} << 63;
    }

    LineFate assistant() {
        if (m_.is_response) {
            m_.response_id = m_.own_id;
            m_.model = m_.own_model;
        }
        begin();
        respond();
        if (!m_.reasoning.empty()) emit(Thinking{m_.reasoning, 0});
        if (!m_.content.text.empty()) emit(Message{Role::assistant, Origin::agent, m_.content.text, 0});
        unanswered_ = 0;
        const auto& calls = m_.actions.empty() ? m_.tool_calls : m_.actions;
        for (const Action& call : calls) one_call(call);
        if (calls.empty() && m_.content.text.form == TextForm::json_string) {
            if (const auto command = fenced_command(m_.content.text.bytes)) {
                one_call({{}, "bash", args_.digest_text({}, text_of(*command))});
            }
        }
        usage();
        return LineFate::understood;
    }

    void one_call(const Action& action) {
        if (action.name.empty()) return;
        ++unanswered_;
        emit(call_of(action.id, action.name, action.args));
    }

    void usage() {
        const std::uint64_t cost = microusd(m_.cost_usd);
        if (m_.tokens.total() == 0 && cost == 0) return;
        Usage usage;
        usage.tokens = m_.tokens;
        usage.model = text_of(m_.model);
        if (cost > 0) usage.cost_microusd = cost;
        costs_ |= cost > 0;
        if (is_unique_id(m_.response_id)) usage.message_key = id_hash(m_.response_id);
        emit(usage);
    }

    LineFate result() {
        if (!m_.has_content) return LineFate::missing_field;
        begin();
        if (unanswered_ > 0) --unanswered_;
        ToolResult result;
        result.call_id = text_of(m_.call_id);
        result.text = m_.content.text;
        result.media_count = m_.content.media;
        result.exit_code = m_.returncode ? m_.returncode : returncode_in(result.text.bytes);
        if (result.exit_code) result.status = status_of(result.exit_code);
        if (result.text.bytes.starts_with(kTimedOut)) result.status = ResultStatus::error;
        if (m_.not_executed) {  // the user would not have it, or it was the word that ends the run
            result.exit_code.reset();
            result.status = ResultStatus::cancelled;
        }
        emit(result);
        return LineFate::understood;
    }

    LineFate exit_message() {
        begin();
        // The last command may be answered by the end of the run: what it submits.
        if (unanswered_ > 0 && m_.has_content && m_.role != "exit") result();
        end_turn(m_.exit_status.empty() ? info_.exit_status : m_.exit_status);
        return LineFate::understood;
    }

    void end_of_run() {
        m_.clear();
        begin();
        const std::uint64_t cost = microusd(info_.cost_usd);
        if (cost > 0 && !costs_) {
            Usage usage;
            usage.scope = UsageScope::session;
            usage.mode = UsageMode::cumulative;
            usage.cost_microusd = cost;
            emit(usage);
        }
        if (turn_ > 0) end_turn(info_.exit_status);
        open_ = false;
    }

    void end_turn(std::string_view status) {
        if (status.empty() || ended_turn_ == turn_) return;
        ended_turn_ = turn_;
        const bool submitted = status == "Submitted";
        if (!submitted) emit(notice_of(NoticeLayer::harness, NoticeLevel::warning, status, {}));
        emit(TurnEnd{submitted                      ? TurnStatus::completed
                     : status == "UserInterruption" ? TurnStatus::aborted
                                                    : TurnStatus::failed,
                     -1});
    }

    Info info_;
    Parts m_;
    bool open_ = false, costs_ = false;
    std::uint32_t turn_ = 0, ended_turn_ = 0;
    std::size_t unanswered_ = 0;
    std::uint64_t responses_ = 0;
};

Score score(std::span<const ProbeRecord> sample, Framing framing) {
    bool fence = false, answer = false;
    for (const ProbeRecord& r : sample) {
        if (!r.is_object()) continue;
        if (r.text("trajectory_format").starts_with("mini-swe-agent")) return kCertain;
        const ProbeRecord info = r.child("info");
        if (info.is_object() && (info.has("exit_status") || info.has("model_stats")) && r.has("messages")) return 90;
        const std::string_view role = r.text("role");
        if (role.empty()) continue;
        fence |= role == "assistant" && fenced_command(r.text("content")).has_value();
        answer |= role == "user" && returncode_in(r.text("content")).has_value();
    }
    return framing == Framing::elements && fence && answer ? 95 : 0;
}

constexpr std::string_view kStreams[] = {"messages"};

constexpr RecordKindDoc kKinds[] = {
    {"{info, messages, trajectory_format}", "one session; without the frame: a bare array of messages"},
    {"system", "Message (system)"},
    {"user, the first", "TurnStart and Message (human): the task"},
    {"assistant", "Message, Thinking, a ToolCall for each action or the fenced command; Usage"},
    {"tool; user after a command", "ToolResult with the return code"},
    {"user, other", "Message (injected); of the user (an interruption, a new task): a turn; a command typed: ToolCall"},
    {"user, FormatError", "the Message, ToolCall and Usage of the answer that is complained about, and the complaint"},
    {"exit; info.exit_status", "TurnEnd"},
    {"info.model_stats", "Usage (cost), where no message has one"},
};

}  // namespace

ReaderSpec mini_swe_agent() {
    return {"mini-swe-agent",
            "mini-SWE-agent",
            "trajectories (.traj.json) of all versions",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::token_usage | Signal::response_ids | Signal::reasoning | Signal::cost,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<MiniSweAgent>()); },
            kStreams};
}

}  // namespace agent_audit::readers
