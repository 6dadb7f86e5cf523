#include "readers/all.hpp"
#include "readers/json/array_record.hpp"
#include "readers/json/document_reader.hpp"
#include "readers/json/format_util.hpp"
#include "readers/json/raw_text.hpp"

#include <algorithm>
#include <array>
#include <string>

// Trajectories of SWE-agent, one document a run:
//
//   {"trajectory":[{"action":"ls\n","observation":"…","response":"…","thought":"…","execution_time":0.1}],
//    "history":[{"role":"system","content":"…"},…],"environment":"swe_main",
//    "info":{"exit_status":"submitted","model_stats":{"tokens_sent":1,"tokens_received":2,"instance_cost":0.1}}}
//
// A run with several attempts has them all in "attempts", each such a document, and in itself a copy of the best; when
// it was stopped before one was chosen, it has nothing else.
//
// A step is a thought, the command it leads to and what came of it. The history repeats all of it; only what stands
// before its first answer, the task, is read. Whether a command failed stands in the text alone, and which file an edit
// changes in what it shows afterwards: edits act on the file that was opened last.

namespace agent_audit::readers {
namespace {

struct Opening {
    std::string_view role;
    RawText text;
    bool demo = false;
};

struct Document {
    std::string_view environment, exit_status, model;
    std::array<Opening, 8> openings;  // system prompt, demonstrations, task
    std::size_t opening_count = 0;
    std::uint64_t sent = 0, received = 0;
    double cost_usd = 0;
    bool has_trajectory = false, has_attempts = false, answered = false;
};

struct Step {
    RawText observation, response, thought;
    std::string_view action;
    std::string_view state;  // an object, or the text of one
    double seconds = -1;
    bool has_action = false, has_observation = false;
};

// SWE-agent's own commands; everything else is typed into a shell.
constexpr std::array<std::string_view, 27> kCommands{
    "open",         "goto",        "scroll_up",          "scroll_down",    "create",        "edit",
    "insert",       "append",      "search_dir",         "search_file",    "find_file",     "submit",
    "view",         "undo_edit",   "str_replace_editor", "exit_forfeit",   "connect_start", "connect_sendline",
    "connect_exec", "debug_start", "debug_step",         "debug_continue", "debug_exec",    "debug_stop",
    "disassemble",  "decompile",   "view_image"};

// How its commands say no; what a shell says is looked at with all other texts.
constexpr std::array<std::string_view, 6> kRefusals{"Your proposed edit has introduced",
                                                    "Your edit was not applied",
                                                    "No replacement was performed",
                                                    "Invalid arguments",
                                                    "ERROR:",
                                                    "Error:"};

// A word of an action; those in quotes without them.
std::string_view word_of(std::string_view action, std::size_t number) {
    for (;; --number) {
        action.remove_prefix(std::min(action.find_first_not_of(' '), action.size()));
        const std::string_view quote = action.starts_with("\\\"") ? "\\\"" : action.starts_with('\'') ? "'" : "";
        const std::string_view rest = action.substr(quote.size());
        const std::size_t end = std::min(quote.empty() ? rest.find_first_of(" \\") : rest.find(quote), rest.size());
        if (number == 0) return rest.substr(0, end);
        action = rest.substr(std::min(end + quote.size(), rest.size()));
        if (action.empty()) return {};
    }
}

// What a step's state says under a name.
std::string_view told_by_state(std::string_view state, std::string_view name) {
    const std::size_t at = state.find(name);
    if (at == state.npos) return {};
    state.remove_prefix(at + name.size());
    state.remove_prefix(std::min(state.find_first_not_of("\\\" :"), state.size()));
    const std::string_view value = state.substr(0, state.find_first_of("\\\""));
    return value == "n/a" ? std::string_view() : value;
}

// The file of which a part is shown: "[File: /testbed/setup.py (94 lines total)]".
std::string_view shown_file(std::string_view observation) {
    constexpr std::string_view kMark = "[File: ", kEnd = " lines total)]";
    constexpr std::size_t kLooked = 2048;
    observation = observation.substr(0, kLooked);
    const std::size_t at = observation.find(kMark);
    if (at == observation.npos) return {};
    observation.remove_prefix(at + kMark.size());
    const std::string_view head = observation.substr(0, observation.find(kEnd));
    if (head.size() == observation.size()) return {};
    const std::string_view path = head.substr(0, head.rfind(" ("));
    return path.find_first_of("\\\"") == path.npos ? path : std::string_view();
}

// The model in the settings with which the run can be had again, a text of JSON.
std::string_view model_of(std::string_view settings) {
    constexpr std::string_view kMark = R"(\"model\":{\"name\":\")";
    const std::size_t at = settings.find(kMark);
    if (at == settings.npos) return {};
    settings.remove_prefix(at + kMark.size());
    return settings.substr(0, settings.find('\\'));
}

// What the harness does when a run is over without a word of the model: some versions write it down as a command.
bool is_exit(std::string_view action) {
    return (action.starts_with("exit_") && action != "exit_forfeit") || action == "early_exit";
}
bool tells_exit(std::string_view text) { return text.starts_with("Exit due to ") || text.starts_with("Exited "); }

std::string_view tool_of(std::string_view action) {
    const std::string_view word = action.substr(0, action.find_first_of(" \\"));
    return is_one_of(word, kCommands) ? word : std::string_view("bash");
}

class SweAgent final : public DocumentReader {
public:
    SweAgent() : DocumentReader("trajectory") {}

protected:
    LineFate read_object(json::object object) override {
        const LineFate fate = run(object);
        if (fate != LineFate::unknown_kind || !doc_.has_attempts) return fate;
        return object.reset().error() ? LineFate::malformed_json : attempts(object);
    }

    bool read_rest(json::object fields) override { return read_fields<&SweAgent::collect_field>(fields); }

    LineFate end_document(json::object) override {
        end_of_run();
        return LineFate::understood;
    }

    LineFate read_element(json::object element) override {
        step_ = Step{};
        const bool whole = read_fields(element, [this](const char* key, json::value& v) {
            if (key_is(key, "action")) {
                step_.has_action = is_string(v);
                step_.action = trim_back(raw_string(v));
            } else if (key_is(key, "observation")) {
                step_.has_observation = is_string(v);
                step_.observation = text_of(raw_string(v));
            } else if (key_is(key, "response"))
                step_.response = text_of(raw_string(v));
            else if (key_is(key, "thought"))
                step_.thought = text_of(raw_string(v));
            else if (key_is(key, "state"))
                step_.state = is_string(v) ? raw_string(v) : raw_value(v);
            else if (key_is(key, "execution_time"))
                step_.seconds = number_or(v, -1);
            return true;
        });
        if (!whole) return LineFate::malformed_json;
        if (!step_.has_action && !step_.has_observation && step_.response.empty()) return LineFate::missing_field;
        step();
        return LineFate::understood;
    }

private:
    LineFate run(json::object object) {
        doc_ = Document{};
        if (!read_fields<&SweAgent::collect_field>(object)) return LineFate::malformed_json;
        if (!doc_.has_trajectory) return LineFate::unknown_kind;
        open_ = false;
        open_file_.clear();
        return stream_records(object);
    }

    LineFate attempts(json::object object) {
        LineFate fate = LineFate::unknown_kind;
        const bool whole = each_field(object, [&](const char* key, json::value& v) {
            json::array all;
            if (!key_is(key, "attempts") || !is_array(v)) return true;
            if (v.get_array().get(all)) return false;
            fate = read_each(all, [this](json::object one) { return run(one); });
            return !broke_off(fate);
        });
        return !whole && fate == LineFate::unknown_kind ? LineFate::malformed_json : fate;
    }

    bool collect_field(const char* key, json::value& v) {
        if (key_is(key, "trajectory"))
            doc_.has_trajectory = is_array(v);
        else if (key_is(key, "attempts"))
            doc_.has_attempts = is_array(v);
        else if (key_is(key, "environment"))
            doc_.environment = raw_string(v);
        else if (key_is(key, "replay_config"))
            doc_.model = model_of(raw_string(v));
        else if (key_is(key, "history"))
            return each_element(v, [this](json::value& message) { return collect_opening(message); });
        else if (key_is(key, "info"))
            return each_field(v, [this](const char* k, json::value& w) { return collect_info(k, w); });
        return true;
    }

    bool collect_opening(json::value& v) {
        if (doc_.answered || doc_.opening_count == doc_.openings.size()) return true;
        Opening opening;
        const bool good = each_field(v, [&opening](const char* key, json::value& w) {
            if (key_is(key, "role"))
                opening.role = raw_string(w);
            else if (key_is(key, "content"))
                opening.text = read_content(w).text;
            else if (key_is(key, "is_demo"))
                opening.demo = is_true(w);
            return true;
        });
        if (opening.role == "assistant" && !opening.demo)
            doc_.answered = true;
        else
            doc_.openings[doc_.opening_count++] = opening;
        return good;
    }

    bool collect_info(const char* key, json::value& v) {
        if (key_is(key, "exit_status")) doc_.exit_status = raw_string(v);
        if (!key_is(key, "model_stats")) return true;
        return each_field(v, [this](const char* k, json::value& w) {
            if (key_is(k, "tokens_sent"))
                doc_.sent = as_uint(w);
            else if (key_is(k, "tokens_received"))
                doc_.received = as_uint(w);
            else if (key_is(k, "instance_cost"))
                doc_.cost_usd = number_or(w, 0);
            return true;
        });
    }

    void open() {
        if (open_) return;
        open_ = true;
        const EventHeader here = head();
        new_head();
        SessionStart start;
        start.label = text_of(doc_.environment);
        start.cwd = text_of(told_by_state(step_.state, "working_dir"));
        start.model = text_of(doc_.model);
        emit(start);
        std::size_t task = doc_.opening_count;  // the last user message that is no demonstration
        for (std::size_t i = 0; i < doc_.opening_count; ++i) {
            if (doc_.openings[i].role == "user" && !doc_.openings[i].demo) task = i;
        }
        for (std::size_t i = 0; i < doc_.opening_count; ++i) opening(doc_.openings[i], i == task);
        if (task == doc_.opening_count) {  // a run has a task, recorded or not
            head().turn = 1;
            emit(TurnStart{});
        }
        head() = here;
        head().turn = 1;
    }

    void opening(const Opening& opening, bool task) {
        if (task) {
            head().turn = 1;
            emit(TurnStart{});
        }
        const std::uint16_t flags = head().flags;
        if (opening.demo) head().flags |= kCopied;
        const Role role = opening.role == "system" ? Role::system
                          : opening.role == "user" ? Role::user
                                                   : Role::assistant;
        const Origin origin = task ? Origin::human : role == Role::assistant ? Origin::agent : Origin::injected;
        emit(Message{role, origin, opening.text, 0});
        head().flags = flags;
    }

    void step() {
        open();
        head().turn = 1;
        head().response = ++responses_ | std::uint64_t{1} << 63;
        const RawText text = step_.thought.empty() && step_.action.empty() ? step_.response : step_.thought;
        if (is_exit(step_.action) || (step_.action.empty() && tells_exit(text.bytes))) return left(text);
        if (!text.empty()) emit(Message{Role::assistant, Origin::agent, text, 0});
        if (step_.action.empty()) {  // an answer without a command: the harness complains
            head().response = 0;
            if (!step_.observation.empty()) emit(Message{Role::user, Origin::injected, step_.observation, 0});
            return;
        }
        const std::string_view tool = tool_of(step_.action);
        emit(call_of({}, tool, arguments(tool)));
        if (!step_.has_observation) return;
        head().response = 0;
        ToolResult result;
        result.text = step_.observation;
        if (starts_with_one_of(result.text.bytes, kRefusals)) result.status = ResultStatus::error;
        if (step_.seconds >= 0 && step_.seconds < 1e9)
            result.duration_ms = static_cast<std::int64_t>(step_.seconds * 1000);
        emit(result);
    }

    void left(RawText why) {
        head().response = 0;
        --responses_;
        for (const RawText& text : {why, step_.observation}) {
            if (!text.empty()) emit(Message{Role::user, Origin::injected, text, 0});
        }
    }

    // What was typed; of its own commands the file beside it, as other tools name theirs.
    CallArgs arguments(std::string_view tool) {
        constexpr std::array<std::string_view, 3> kEdits{"edit", "insert", "append"};  // the file that is open
        CallArgs args = args_.digest_text({}, text_of(step_.action));
        if (const std::string_view shown = shown_file(step_.observation.bytes); !shown.empty() && tool != "bash")
            whole_path(shown, open_file_);
        const bool edits = is_one_of(tool, kEdits), edits_by_name = tool == "str_replace_editor";
        if (edits) {
            path_ = open_file_;
            if (!path_.empty()) args.digest.canonical = mix_hash(args.digest.canonical, stable_hash(path_));
        } else if (edits_by_name || tool == "open" || tool == "create") {
            whole_path(word_of(step_.action, edits_by_name ? 2 : 1), path_);
        } else {
            return args;
        }
        if (path_.empty()) return args;
        args_text_ = "{";
        if (edits_by_name) args_text_.append("\"command\":\"").append(word_of(step_.action, 1)).append("\",");
        args_text_.append("\"path\":\"").append(path_).append("\",\"action\":\"").append(step_.action).append("\"}");
        args.raw = {args_text_, TextForm::json_value};
        args.primary = text_of(path_);
        return args;
    }

    void whole_path(std::string_view path, std::string& out) const {
        out.clear();
        if (path.find_first_of("\\\"") != path.npos) return;
        while (path.starts_with("./")) path.remove_prefix(2);
        const std::string_view directory = told_by_state(step_.state, "working_dir");
        if (!path.empty() && !path.starts_with('/') && !path.starts_with('~') && !directory.empty())
            out.append(directory).append("/");
        out.append(path);
    }

    void end_of_run() {
        open();
        head().turn = 1;
        Usage usage;
        usage.scope = UsageScope::session;
        usage.mode = UsageMode::cumulative;
        usage.tokens.input = doc_.sent;
        usage.tokens.output = doc_.received;
        usage.model = text_of(doc_.model);
        const std::uint64_t cost = microusd(doc_.cost_usd);
        if (cost > 0) usage.cost_microusd = cost;
        if (cost > 0 || usage.tokens.total() > 0) emit(usage);
        if (doc_.exit_status.empty()) return;
        const bool submitted = doc_.exit_status == "submitted";
        if (!submitted) emit(notice_of(NoticeLayer::harness, NoticeLevel::warning, doc_.exit_status, {}));
        emit(TurnEnd{submitted ? TurnStatus::completed : TurnStatus::failed, -1});
    }

    Document doc_;
    Step step_;
    bool open_ = false;
    std::string open_file_, path_, args_text_;
    std::uint64_t responses_ = 0;
};

Score score(std::span<const ProbeRecord> sample, Framing) {
    for (const ProbeRecord& r : sample) {
        if (!r.is_object()) continue;
        const auto attempts = r.has("trajectory") ? std::nullopt : r.raw("attempts");
        if (attempts && attempts->starts_with('[') && attempts->find("\"trajectory\"") != attempts->npos &&
            attempts->find("\"observation\"") != attempts->npos)
            return 95;
        const auto steps = r.raw("trajectory");
        if (!steps || !steps->starts_with('[')) continue;
        const bool ours = steps->find("\"action\"") != steps->npos && steps->find("\"observation\"") != steps->npos;
        if (ours && (r.has("history") || r.has("environment") || r.has("info"))) return kCertain;
        if (r.has("history") && r.has("info")) return 80;
    }
    return 0;
}

constexpr std::string_view kStreams[] = {"trajectory"};

constexpr RecordKindDoc kKinds[] = {
    {"history, up to the first answer", "Message (system), copies of demonstrations, TurnStart and Message (human)"},
    {"trajectory, a step",
     "Message (thought), ToolCall (action; an edit with the file that it changes) and ToolResult (observation)"},
    {"trajectory, a step without action", "Message and what the harness said to it (injected)"},
    {"trajectory, a step with which the harness leaves (exit_cost)", "Message (injected)"},
    {"attempts, where nothing else is there", "one session an attempt"},
    {"info.model_stats", "Usage (totals of the run, cost)"},
    {"replay_config", "the model"},
    {"info.exit_status", "TurnEnd; Notice unless submitted"},
};

}  // namespace

ReaderSpec swe_agent() {
    return {"swe-agent",
            "SWE-agent",
            "trajectories (.traj)",
            Signal::tool_calls | Signal::tool_results | Signal::token_usage | Signal::cost,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<SweAgent>()); },
            kStreams};
}

}  // namespace agent_audit::readers
