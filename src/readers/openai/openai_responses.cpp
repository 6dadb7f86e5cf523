#include "readers/all.hpp"
#include "readers/codex/codex_text.hpp"
#include "readers/json/document_reader.hpp"
#include "readers/json/ids.hpp"
#include "readers/messages/conversations.hpp"
#include "readers/messages/session_turns.hpp"
#include "readers/openai/responses_item.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

// OpenAI's Responses API: bare items, one a record, or requests and responses.
//
//   {"type":"message","role":"user","content":[{"type":"input_text","text":"…"}]}
//   {"type":"function_call","call_id":"…","name":"…","arguments":"{…}"}, {"type":"function_call_output",…}
//   {"model":"…","instructions":"…","tools":[…],"input":[items],"previous_response_id":"…"}
//   {"object":"response","id":"resp_…","output":[items],"usage":{"input_tokens":…,"input_tokens_details":{…},…}}
//
// also wrapped ({request, response}, {body}, {type: response.completed, response}). A request that does not name the
// response before it repeats the whole conversation: what was read before is passed over. Not so the rollouts of NeMo
// Gym, {responses_create_params, response, reward}: each is a run of its own, and many begin alike.

namespace agent_audit::readers {
namespace {

using responses::Frame;
using responses::Item;

// The events of a stream that repeat the whole response.
constexpr std::array<std::string_view, 3> kLastEvents{"response.completed", "response.failed", "response.incomplete"};

constexpr std::array<std::string_view, 3> kFieldsOfRun{"generatedItems", "modelResponses", "originalInput"};

class OpenAiResponses final : public JsonReader {
public:
    void use(const CallIdentity& identity) override {
        JsonReader::use(identity);
        inner_args_.use(identity);
    }

    void finish(EventSink& sink) override {
        set_sink(sink);
        turns_.tell_all([this](const Event& event) { tell(event); });
    }

protected:
    LineFate read_object(json::object object) override {
        top_ = Item{};
        frame_ = Frame{};
        input_ = output_ = {};
        event_ = {};
        bills_.clear();
        is_state_ = rollout_ = false;
        if (!read_fields(object, [this](const char* key, json::value& v) { return field(key, v, 0); }))
            return LineFate::malformed_json;
        if (event_.starts_with("response.") && !is_one_of(event_, kLastEvents)) return LineFate::ignored_kind;
        if (responses::is_item_type(top_.type)) {  // its own input and output, not those of a request
            if (!input_.empty()) top_.args = input_;
            input_ = output_ = {};
        }
        if (frame_.object == "response" || !input_.empty() || !output_.empty()) return exchange();
        if (top_.type.empty() && !top_.is_message())
            return top_.role.empty() ? LineFate::unknown_kind : LineFate::missing_field;
        // What no one knows may stand before a request, and is no session of its own.
        if (current_ == 0 && !top_.type.empty() && !responses::is_item_type(top_.type)) return LineFate::unknown_kind;
        open_bare();
        place(top_);
        return item(top_);
    }

    // Items without a frame.
    LineFate read_array(json::array array) override {
        frame_ = Frame{};
        top_ = Item{};
        output_ = {};
        bills_.clear();
        is_state_ = rollout_ = false;
        if (array.raw_json().get(input_)) return LineFate::malformed_json;
        const LineFate fate = exchange();
        return fate == LineFate::missing_field ? LineFate::unknown_kind : fate;
    }

private:
    struct History : Conversation {
        std::size_t inputs = 0;  // how many of its hashes the last request sent
        IdHash last_response = 0;
        std::uint32_t turn = 0;
        bool awaits_answer = false;  // the last request came without one
        std::uint64_t setting = 0;   // what was last said of it, and of the model
        IdHash told_model = 0;
    };

    // ---- collecting -------------------------------------------------------------------------------------

    bool field(const char* key, json::value& v, int depth) {
        const bool rollout = key_is(key, "responses_create_params") && is_object(v);
        rollout_ |= rollout;
        const bool wrapper = rollout || key_is(key, "request") || key_is(key, "response") || key_is(key, "body");
        if (wrapper && is_object(v) && depth < 3)
            return each_field(v, [this, depth](const char* k, json::value& w) { return field(k, w, depth + 1); });
        if (key_is(key, "type") && depth == 0) event_ = raw_string(v);
        const bool asks = top_.type.empty() || top_.type == "response.create";  // calls may have an input of words, too
        if (key_is(key, "input") && (is_array(v) || (is_string(v) && asks))) {
            input_ = raw_value(v);
            return true;
        }
        if (key_is(key, "output") && is_array(v)) {
            top_.output = output_ = raw_value(v);
            return true;
        }
        if (depth == 0 && is_one_of(key_text(key), kFieldsOfRun)) return field_of_run(key, v);
        return responses::collect(key, v, frame_) && responses::collect(key, v, top_);
    }

    // The state of a run of the Agents SDK for JavaScript: what it was asked, what it did, and the bills of its
    // requests.
    bool field_of_run(const char* key, json::value& v) {
        if (key_is(key, "originalInput") && (is_array(v) || is_string(v))) {
            input_ = raw_value(v);
        } else if (key_is(key, "generatedItems") && is_array(v)) {
            output_ = raw_value(v);
        } else if (key_is(key, "modelResponses")) {
            is_state_ = true;
            return each_element(v, [this](json::value& response) {
                if (!is_object(response) || bills_.size() >= Conversation::kMaxHashes) return true;
                TokenCounts& bill = bills_.emplace_back();
                return each_field(response, [&bill](const char* k, json::value& w) {
                    return !key_is(k, "usage") || responses::collect_usage(w, bill);
                });
            });
        }
        return true;
    }

    // ---- a request, a response, or both -----------------------------------------------------------------

    LineFate exchange() {
        const LineFate fate = one_exchange();
        if (real_sink_ != nullptr) {
            set_sink(*std::exchange(real_sink_, nullptr));
            unnumber(turns_.end());
        }
        turns_.tell_on(
            [this](std::uint64_t session) {
                return std::ranges::any_of(histories_.all(), [session](const History& h) {
                    return h.session == session && (h.calling || h.awaits_answer);
                });
            },
            [this](const Event& event) { tell(event); });
        return fate;
    }

    void tell(const Event& event) {
        std::visit([&](const auto& body) { emit(body, event.head); }, event.body);
    }

    LineFate one_exchange() {
        const SourceSpan& where = record().where;
        document_ = where.line == 1 && where.offset == 0 && record().counted;
        index_ = 0;
        good_ = bad_ = billed_ = 0;
        calling_ = false;
        if (!hash_inputs()) return LineFate::malformed_json;
        std::size_t known = find_history();
        open();
        setting();
        bool whole = said_as_text(known) || items(input_, known, false);
        responding_ = false;
        response_ = frame_.response_id.empty() ? 0 : id_hash(frame_.response_id);
        if (!is_state_) known = 0;
        if (!output_.empty()) whole = whole && items(output_, known, true);
        whole = whole && alive();
        place(Item{});
        outcome();
        history_->turn = turn_;
        history_->calling = calling_;
        history_->awaits_answer = output_.empty();
        history_->setting = last_setting_;
        history_->told_model = last_model_;
        if (!frame_.response_id.empty()) history_->last_response = id_hash(frame_.response_id);
        response_ = 0;
        responding_ = false;
        if (!whole) return LineFate::partial;
        if (good_ == 0 && bad_ > 0) return LineFate::missing_field;
        if (bad_ > 0) {
            emit(notice_of(NoticeLayer::reader, NoticeLevel::warning, "unreadable-items",
                           plain("items of an unknown kind, or without a needed field, were left out")));
        }
        return LineFate::understood;
    }

    template <class Take>
    bool each_item(std::string_view raw, Take&& take) {
        json::document doc;
        json::array array;
        if (raw.empty() || raw[0] != '[') return true;
        if (inner_.iterate(raw.data(), raw.size(), raw.size() + simdjson::SIMDJSON_PADDING).get(doc) ||
            doc.get_array().get(array))
            return false;
        for (auto element : array) {
            json::value value;
            if (std::move(element).get(value)) return false;
            Item one;
            const bool object = is_object(value);
            if (!each_field(value, [&one](const char* key, json::value& v) { return responses::collect(key, v, one); }))
                return false;
            take(one, object);
        }
        return true;
    }

    bool hash_inputs() {
        input_hashes_.clear();
        if (!input_.empty() && input_[0] == '"') input_hashes_.push_back(stable_hash(input_));
        const auto take = [this](const Item& one, bool object) {
            if (object && one.is_comparable() && input_hashes_.size() < Conversation::kMaxHashes)
                input_hashes_.push_back(one.hash());
        };
        return each_item(input_, take) && (!is_state_ || each_item(output_, take));
    }

    // Sets the history and says how many comparable items at the front were read before.
    std::size_t find_history() {
        std::size_t known = 0;
        history_ = nullptr;
        for (History& h : histories_.all()) {
            if (h.session == 0 || rollout_) continue;
            if (!frame_.previous.empty()) {
                if (h.last_response == id_hash(frame_.previous)) history_ = &h;
                continue;
            }
            const auto end = std::ranges::mismatch(h.hashes, input_hashes_).in2;
            const auto common = static_cast<std::size_t>(end - input_hashes_.begin());
            if (common <= known || common < h.inputs) continue;
            known = common;
            history_ = &h;
        }
        // An answer on a line of its own, behind its request.
        if (!history_ && input_.empty() && !rollout_) {
            const auto asked = std::ranges::max_element(histories_.all(), {}, &History::last_use);
            if (asked->session != 0 && asked->awaits_answer) history_ = &*asked;
        }
        fresh_ = !history_;
        if (fresh_) {
            history_ = &histories_.to_leave();
            lane_opens_ = histories_.is_beside(current_, id_hash(frame_.model), top_.tool_bytes);
            histories_.open(*history_, lane_opens_ ? current_ : 0);
        } else if (!is_told_on(*history_)) {
            lane_opens_ = history_->lane != 0;
        }
        if (fresh_ || !input_.empty()) {  // an answer names the model in full
            history_->model = id_hash(frame_.model);
            history_->tools = top_.tool_bytes;
        }
        History& h = *history_;
        histories_.use(h);
        if (known > 0 || fresh_)
            h.hashes = input_hashes_;
        else
            h.hashes.insert(h.hashes.end(), input_hashes_.begin(), input_hashes_.end());
        if (h.hashes.size() > Conversation::kMaxHashes) h.hashes.clear();
        h.inputs = h.hashes.size();
        return known;
    }

    bool is_told_on(const History& h) const {
        return turns_.in_pieces() ? h.session == current_ : turns_.is_open(h.session);
    }

    void open() {
        const bool told_on = is_told_on(*history_);
        if (HeldEvents* const held = turns_.begin(history_->session, true)) {
            real_sink_ = &sink();
            set_sink(*held);
        }
        turn_ = history_->turn;
        lane_ = 0;
        new_head().time_ms = frame_.time_ms;
        // Also when another session was told in between: what follows is no part of that one. Where no answers are
        // recorded an agent at work cannot be told from one that is done, and rules see more in one piece.
        if (!told_on) {
            announce();
        } else if (history_->session != current_) {
            current_ = history_->session;
            last_model_ = history_->told_model;
            last_setting_ = history_->setting;
        }
        lane_ = history_->lane;
        place(Item{});
        if (std::exchange(lane_opens_, false)) emit(LaneOpen{});
    }

    void announce() {
        current_ = history_->session;
        std::array<char, 24> label{};
        const auto end = std::to_chars(label.data(), label.data() + label.size(), current_).ptr;
        SessionStart start;
        start.session_id = text_of(frame_.conversation);
        start.model = text_of(frame_.model);
        start.label = plain({label.data(), static_cast<std::size_t>(end - label.data())});
        start.resumed = turns_.in_pieces() && !fresh_ && history_->awaits_answer;
        emit(start);
        last_model_ = id_hash(frame_.model);
        last_setting_ = 0;
    }

    void open_bare() {
        document_ = false;
        lane_ = 0;
        if (current_ != 0) return;
        current_ = kBare;
        new_head();
        emit(SessionStart{});
    }

    void setting() {
        ContextChange change;
        if (!frame_.model.empty() && id_hash(frame_.model) != last_model_) {
            last_model_ = id_hash(frame_.model);
            change.model = text_of(frame_.model);
        }
        const std::uint64_t bytes = frame_.instruction_bytes + top_.tool_bytes;
        if (bytes > 0 && bytes != last_setting_) change.system_prompt_bytes = last_setting_ = bytes;
        if (!change.model.empty() || change.system_prompt_bytes > 0) emit(change);
    }

    bool said_as_text(std::size_t& known) {
        if (input_.empty() || input_[0] != '"') return false;
        ++good_;
        if (is_state_ && known > 0) {
            --known;
            return true;
        }
        place(Item{});
        human(text_of(input_.substr(1, input_.size() - 2)), 0);
        return true;
    }

    // `known`: how many of the comparable items were told before, less those that it finds.
    bool items(std::string_view raw, std::size_t& known, bool output) {
        bool told_before = false;  // the response that is being passed over
        const bool whole = each_item(raw, [&](const Item& one, bool object) {
            ++index_;
            if (output && responding_ && one.type.ends_with("_output")) bill();
            if (!object) {
                ++bad_;
                return;
            }
            if (known > 0) {
                known -= one.is_comparable() ? 1 : 0;
                const bool said = output && !one.type.ends_with("_output");
                billed_ += said && !std::exchange(told_before, said) ? 1 : 0;
                told_before = said;
                return;
            }
            if (output && !is_state_ && one.is_comparable() && history_->hashes.size() < Conversation::kMaxHashes)
                history_->hashes.push_back(one.hash());
            inner_args_.clear();
            place(one);
            const LineFate fate = item(one);
            if (fate == LineFate::understood || fate == LineFate::ignored_kind)
                ++good_;
            else
                ++bad_;
        });
        if (output && responding_) bill();
        return whole;
    }

    // The model has said what it had to say.
    void bill() {
        if (billed_ >= bills_.size()) return;
        Usage usage;
        usage.tokens = bills_[billed_++];
        usage.model = text_of(frame_.model);
        head().response = last_response_;
        emit(usage);
    }

    void place(const Item& one) {
        EventHeader& h = new_head(lane_, lane_ == 0 ? turn_ : 0);
        h.time_ms = frame_.time_ms;
        h.record_id = one.id;
        if (document_ && index_ > 0) h.where.line = index_;
    }

    void outcome() {
        if (frame_.has_usage && frame_.tokens.total() > 0) {
            Usage usage;
            usage.tokens = frame_.tokens;
            usage.model = text_of(frame_.model);
            if (is_unique_id(frame_.response_id)) usage.message_key = id_hash(frame_.response_id);
            head().response = response_;
            emit(usage);
        }
        if (frame_.object != "response") return;
        if (top_.status == "incomplete")
            emit(notice_of(NoticeLayer::provider, NoticeLevel::warning, "incomplete", text_of(frame_.reason)));
        if (top_.status == "failed") {
            emit(notice_of(NoticeLayer::provider, NoticeLevel::error, "failed",
                           RawText{top_.error, TextForm::json_value}));
            emit(TurnEnd{TurnStatus::failed, -1});
        }
        if (top_.status == "cancelled") emit(TurnEnd{TurnStatus::aborted, -1});
    }

    // ---- items ------------------------------------------------------------------------------------------

    LineFate item(const Item& i) {
        if (i.is_message()) return message(i);
        const std::string_view type = i.type;
        if (!responses::is_item_type(type)) return type.empty() ? LineFate::missing_field : LineFate::unknown_kind;
        if (type == "item_reference" || type.starts_with("mcp_approval")) return LineFate::ignored_kind;
        if (type == "message") return LineFate::missing_field;
        if (type.ends_with("_output")) return result(i);
        if (type == "mcp_list_tools") {
            ContextChange change;
            change.system_prompt_bytes = i.tool_bytes;
            if (i.tool_bytes > 0) emit(change);
            return LineFate::understood;
        }
        if (type == "compaction") {
            Compaction compaction;
            compaction.trigger = CompactionTrigger::automatic;
            emit(compaction);
            return LineFate::understood;
        }
        respond();
        if (type != "reasoning") return call(i);
        emit(Thinking{i.summary.empty() ? i.text : i.summary, i.opaque_bytes});
        return LineFate::understood;
    }

    // What the model says between two inputs is one response.
    void respond() {
        if (!responding_ && response_ == 0) last_response_ = ++responses_ | std::uint64_t{1} << 63;
        responding_ = true;
        head().response = response_ != 0 ? response_ : last_response_;
    }

    LineFate message(const Item& i) {
        if (i.role.empty() || !i.has_content) return LineFate::missing_field;
        if (i.role == "user") {
            human(i.text, i.media);
        } else if (i.role == "assistant") {
            respond();
            Message message{Role::assistant, Origin::agent, i.text, i.media};
            message.speaker = text_of(i.agent);
            emit(message);
        } else if (i.role == "system" || i.role == "developer") {
            emit(Message{Role::system, Origin::injected, i.text, i.media});
        } else {
            return LineFate::unknown_kind;
        }
        return LineFate::understood;
    }

    void human(RawText text, std::uint32_t media) {
        responding_ = calling_ = false;
        if (lane_ != 0) return emit(Message{Role::user, Origin::agent, text, media});
        // What Codex says in the user's place, where its requests were recorded. It frames pictures of people, too.
        if (codex_injected(text.bytes) && !text.bytes.starts_with("<image"))
            return emit(Message{Role::user, Origin::injected, text, media});
        head().turn = ++turn_;
        emit(TurnStart{});
        emit(Message{Role::user, Origin::human, text, media});
    }

    LineFate call(const Item& i) {
        const bool named = i.type == "function_call" || i.type == "custom_tool_call" || i.type == "mcp_call";
        if (named && i.name.empty()) return LineFate::missing_field;
        // "web_search_call" is a call of web_search.
        const std::string_view tool =
            named ? i.name : i.type.substr(0, i.type.size() - std::string_view("_call").size());
        ToolCall call = call_of(i.call_id.empty() ? i.id : i.call_id, tool, digest(i));
        call.digest.canonical =
            mix_hash(call.digest.canonical, stable_hash(i.server));  // servers may share a tool's name
        call.script = i.type == "custom_tool_call" && codex_script_tool(i.name);
        emit(call);
        calling_ = !is_hosted(i.type);
        if (is_hosted(i.type)) hosted_result(i, call.call_id);
        return LineFate::understood;
    }

    // Run by the provider: the outcome stands in the same item, if anywhere.
    static bool is_hosted(std::string_view type) {
        return type == "web_search_call" || type == "file_search_call" || type == "code_interpreter_call" ||
               type == "image_generation_call" || type == "mcp_call";
    }

    void hosted_result(const Item& i, RawText call_id) {
        ToolResult result;
        result.call_id = call_id;
        const bool failed = !i.error.empty() || i.status == "failed" || i.status == "incomplete";
        result.status = failed ? ResultStatus::error : ResultStatus::ok;
        result.text = i.error.empty() ? output_text(i.output, result) : output_text(i.error, result);
        result.opaque = result.text.empty();
        emit(result);
    }

    LineFate result(const Item& i) {
        responding_ = calling_ = false;
        if (i.output.empty() && i.tool_bytes == 0 && i.status.empty()) return LineFate::missing_field;
        ToolResult result;
        result.call_id = text_of(i.call_id.empty() ? i.id : i.call_id);
        result.text = output_text(i.output, result);
        if (i.type == "computer_call_output") {  // a picture, and nothing that could be compared
            result.text = {};
            result.media_count = 1;
        }
        result.opaque = i.output.empty() || (result.text.empty() && result.media_count > 0);
        if (i.type == "apply_patch_call_output" && !i.status.empty())
            result.status = i.status == "failed" ? ResultStatus::error : ResultStatus::ok;
        if (i.type == "shell_call_output") result.exit_code = json_number_after(i.output, "\"exit_code\"");
        if (result.exit_code) result.status = status_of(result.exit_code);
        emit(result);
        return LineFate::understood;
    }

    // A string; blocks; an image; or whatever a tool gave back.
    RawText output_text(std::string_view raw, ToolResult& result) {
        if (raw.empty() || raw[0] == 'n') return {};
        if (raw[0] == '"') return text_of(raw.size() >= 2 ? raw.substr(1, raw.size() - 2) : raw);
        const RawText whole{raw, TextForm::json_value};
        json::document doc;
        json::value value;
        if (raw[0] == '{' && again(raw, doc, value)) return words_of(value, whole);
        if (raw[0] != '[' || !again(raw, doc, value)) return whole;
        const Content content = read_content(value);
        result.media_count = content.media;
        result.media_hash = content.media_hash;
        return content.text.empty() && content.media == 0 ? whole : content.text;
    }

    // {"type":"text","text":"…"}, or whatever else.
    static RawText words_of(json::value& value, RawText otherwise) {
        std::string_view type, words;
        const bool whole = each_field(value, [&](const char* key, json::value& v) {
            if (key_is(key, "type")) type = raw_string(v);
            if (key_is(key, "text")) words = raw_string(v);
            return true;
        });
        return whole && type == "text" ? text_of(words) : otherwise;
    }

    CallArgs digest(const Item& i) {
        if (i.args.empty() || i.args[0] == 'n') return {};
        if (i.args[0] == '"') {
            const std::string_view inside = i.args.substr(1, i.args.size() < 2 ? 0 : i.args.size() - 2);
            return i.type == "function_call" || i.type == "mcp_call" ? inner_args_.digest_string({}, inside)
                                                                     : inner_args_.digest_text({}, text_of(inside));
        }
        json::document doc;
        json::value value;
        if (!again(i.args, doc, value)) return inner_args_.digest_text({}, {i.args, TextForm::json_value});
        return inner_args_.digest_value({}, value);
    }

    // Behind the raw value is the rest of the record, so the padding a parser wants is there.
    bool again(std::string_view raw, json::document& doc, json::value& value) {
        return !again_.iterate(raw.data(), raw.size(), raw.size() + simdjson::SIMDJSON_PADDING).get(doc) &&
               !doc.get_value().get(value);
    }

    static constexpr std::uint64_t kBare = ~std::uint64_t{0};

    Item top_;
    Frame frame_;
    std::string_view input_, output_, event_;
    Conversations<History> histories_;
    SessionTurns turns_;
    EventSink* real_sink_ = nullptr;  // while the events of a record are held back
    std::vector<std::uint64_t> input_hashes_;
    History* history_ = nullptr;
    json::parser inner_, again_;
    ArgsDigester inner_args_;  // its texts live as long as an item, not as long as a record
    bool fresh_ = false, document_ = false, responding_ = false, calling_ = false, lane_opens_ = false;
    bool rollout_ = false;  // the record is a run of its own
    std::uint32_t lane_ = 0;
    std::size_t index_ = 0, good_ = 0, bad_ = 0;
    bool is_state_ = false;           // of a run: what it did is kept with what it was asked
    std::vector<TokenCounts> bills_;  // of the requests of a run, in their order
    std::size_t billed_ = 0;
    std::uint32_t turn_ = 0;
    std::uint64_t current_ = 0, responses_ = 0;
    IdHash response_ = 0, last_response_ = 0, last_model_ = 0;
    std::uint64_t last_setting_ = 0;
};

constexpr RecordKindDoc kKinds[] = {
    {"items, one a record", "one session a file"},
    {"{input, model, …}, {object: response, output, …}, {request, response}, arrays of items",
     "a session a conversation: requests that repeat it, or name the response before, continue it, and sessions that "
     "come in "
     "turns are told one after the other; a request of another "
     "model or with other tools, while its calls are open, is a lane of its session; SessionStart"},
    {"{responses_create_params, response}", "a rollout of NeMo Gym: one session a record"},
    {"message", "Message: a user's opens a turn; developer and system are system"},
    {"reasoning", "Thinking (summary, size of the encrypted part)"},
    {"function_call, custom_tool_call, local_shell_call, shell_call, apply_patch_call, computer_call, tool_search_call",
     "ToolCall"},
    {"…_output", "ToolResult; status of patches, exit codes of shells, else the text decides"},
    {"web_search_call, file_search_call, code_interpreter_call, image_generation_call, mcp_call",
     "ToolCall with its ToolResult"},
    {"mcp_list_tools; model, instructions, tools", "ContextChange"},
    {"usage", "Usage"},
    {"status: failed, incomplete, cancelled", "Notice, TurnEnd"},
    {"compaction", "Compaction"},
    {"callId, function_call_result; {type: …_item, rawItem}; {$schemaVersion, originalInput, generatedItems}",
     "the same items in the Agents SDK for JavaScript: history, newItems, and the state of a run with its Usage"},
    {"item_reference, mcp_approval_…, response.… events before the last", "ignored"},
};

}  // namespace

ReaderSpec openai_responses() {
    return {"openai-responses",
            "OpenAI Responses",
            "items of the Responses API: bare, in requests and in responses",
            Signal::tool_calls | Signal::tool_results | Signal::token_usage | Signal::response_ids | Signal::reasoning |
                Signal::compaction,
            kKinds,
            responses::score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<OpenAiResponses>()); }};
}

}  // namespace agent_audit::readers
