#include "readers/all.hpp"
#include "readers/cline/cline_asked.hpp"
#include "readers/cline/cline_message.hpp"
#include "readers/cline/cline_request.hpp"
#include "readers/cline/cline_result.hpp"
#include "readers/cline/cline_text.hpp"
#include "readers/json/array_record.hpp"
#include "readers/json/document_reader.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <utility>

// Tasks of Cline and Roo Code, api_conversation_history.json:
//
//   [{"role":"user","content":[{"type":"text","text":"<task>…</task>"},{"type":"text","text":"<environment_details>…"}],"ts":…},
//    {"role":"assistant","content":[{"type":"tool_use","id":"…","name":"read_file","input":{…}}],"ts":…,
//     "modelInfo":{"modelId":"…"},"metrics":{"tokens":{"prompt":…,"completion":…,"cached":…},"cost":…}},
//    {"role":"user","content":[{"type":"text","text":"[read_file for 'a.ts']
//    Result:"},{"type":"text","text":"…"}],"ts":…}]
//
// Where versions keep no metrics there, the figures of the requests come from ui_messages.json beside it, which is read
// first (see cline_ui.cpp).
//
// The same messages in parts of the AI SDK, with results of their own role, of Roo Code's second version:
//
//   {"version":2,"messages":[{"role":"user","content":"…","ts":…},
//     {"role":"assistant","content":[{"type":"tool-call","toolCallId":"…","toolName":"read_file","input":{…}}],"ts":…},
//     {"role":"tool","content":[{"type":"tool-result","toolCallId":"…","output":{"type":"text","value":"…"}}],"ts":…}]}
//
// and of the Cline SDK, one document:
//
//   {"version":1,"agent":"lead","sessionId":"…","system_prompt":"…","messages":[{"id":"…","role":"assistant","content":[…],
//     "ts":…,"modelInfo":{"id":"…"},"metrics":{"inputTokens":…,"cacheReadTokens":…,…}},
//    {"role":"user","metadata":{"kind":"compaction_summary","summary":"…","tokensBefore":…},"content":[…]}]}

namespace agent_audit::readers {
namespace {

class Cline final : public DocumentReader {
public:
    Cline() : DocumentReader("messages") {}

    void use(const CallIdentity& identity) override {
        JsonReader::use(identity);
        tag_args_.use(identity);
    }

    // Requests that were never answered were paid for as well.
    void finish(EventSink& sink) override {
        set_sink(sink);
        if (!open_ || metered_) return;
        for (; !requests_.empty(); requests_.pop_front()) {
            new_head(0, turn_).time_ms = requests_.front().time_ms;
            unanswered(requests_.front());
        }
    }

protected:
    LineFate read_object(json::object object) override {
        session_ = agent_ = {};
        prompt_bytes_ = 0;
        has_messages_ = false;
        if (!collect_frame(object) || !alive()) return LineFate::malformed_json;
        if (!has_messages_) {
            if (!session_.empty()) return LineFate::missing_field;
            return object.reset().error() ? LineFate::malformed_json : read_element(object);
        }
        open_ = false;
        return stream_records(object);
    }

    bool read_rest(json::object fields) override {
        prompt_bytes_ = 0;
        if (!collect_frame(fields)) return false;
        if (open_) announce_prompt();
        return true;
    }

    LineFate end_document(json::object) override {
        open();
        return LineFate::understood;
    }

    LineFate read_array(json::array array) override {
        session_ = agent_ = {};
        return read_elements(array);
    }

    LineFate read_element(json::object element) override {
        parts_.clear();
        if (!ClineMessageCollector(parts_, args_).collect(element) || !alive()) return LineFate::malformed_json;
        if (parts_.is_truncation) return truncation();
        if (parts_.role.empty() && !parts_.shown.empty()) return shown();
        if (parts_.type == "reasoning") return reasoning();
        if (parts_.role.empty()) return parts_.has_content ? LineFate::missing_field : LineFate::unknown_kind;
        if (!parts_.has_content) return LineFate::missing_field;
        const std::string_view role = parts_.role;
        if (role != "user" && role != "assistant" && role != "tool" && role != "error") return LineFate::unknown_kind;
        begin();
        if (role == "error" || parts_.failed) return failure();
        if (parts_.is_summary) return summary();
        return role == "assistant" ? assistant() : user();
    }

private:
    // ---- collecting -------------------------------------------------------------------------------------

    bool collect_frame(json::object object) {
        return each_field(object, [this](const char* key, json::value& v) {
            if (key_is(key, "messages"))
                has_messages_ |= is_array(v);
            else if (key_is(key, "sessionId"))
                session_ = raw_string(v);
            else if (key_is(key, "agent"))
                agent_ = raw_string(v);
            else if (key_is(key, "system_prompt") || key_is(key, "systemPrompt"))
                prompt_bytes_ = raw_string(v).size();
            return true;
        });
    }

    // ---- sessions ---------------------------------------------------------------------------------------

    void open() {
        if (open_) return;
        open_ = true;
        turn_ = 0;
        model_ = 0;
        const EventHeader here = head();
        new_head().time_ms = parts_.time_ms;
        SessionStart start;
        start.label = text_of(agent_);
        start.sub_agent = of_sub_agent();
        // A sub-agent has an id since version 3, which begins with its parent's.
        const std::size_t own = session_.find("__");
        if (!start.sub_agent || own != session_.npos) start.session_id = text_of(session_);
        if (start.sub_agent) start.parent_session_id = text_of(session_.substr(0, own));
        emit(start);
        announce_prompt();
        head() = here;
    }

    // The document of such a one names the session that it works for.
    bool of_sub_agent() const { return agent_ == "subagent" || agent_ == "teammate"; }

    void announce_prompt() {
        if (prompt_bytes_ == 0) return;
        ContextChange change;
        change.system_prompt_bytes = prompt_bytes_;
        emit(change);
    }

    void begin() {
        open();
        EventHeader& h = new_head(0, turn_);
        h.time_ms = parts_.time_ms;
        h.record_id = parts_.id;
        const IdHash model = id_hash(parts_.model);
        if (model == 0 || model == model_) return;
        model_ = model;
        ContextChange change;
        change.model = text_of(parts_.model);
        emit(change);
    }

    // The messages before it stay in the file, and those of Roo are marked. They were sent all the same.
    LineFate summary() {
        Compaction compaction;
        compaction.summary = parts_.summary;
        if (compaction.summary.empty() && !parts_.blocks.empty()) compaction.summary = parts_.blocks[0].text;
        if (parts_.tokens_before > 0) compaction.tokens_before = parts_.tokens_before;
        emit(compaction);
        return LineFate::understood;
    }

    LineFate truncation() {
        begin();
        Compaction compaction;
        compaction.kind = CompactionKind::truncate;
        compaction.trigger = CompactionTrigger::automatic;
        emit(compaction);
        return LineFate::understood;
    }

    // The SDK keeps what went wrong for who reads the session again; the model is not told.
    LineFate failure() {
        head().flags |= kHidden | kSynthetic;
        for (const ContentBlock& block : parts_.blocks)
            if (!block.text.empty()) emit(notice_of(NoticeLayer::provider, NoticeLevel::error, "error", block.text));
        return LineFate::understood;
    }

    LineFate reasoning() {
        begin();
        emit(Thinking{parts_.summary, parts_.opaque_bytes});
        return LineFate::understood;
    }

    // ---- the user's side --------------------------------------------------------------------------------

    LineFate user() {
        begun_ = false;
        answered_ = false;
        media_ = 0;
        for (const ContentBlock& block : parts_.blocks) media_ += block.type == "image" || block.media ? 1 : 0;
        bool pending = false;  // a headline without its text
        for (const ContentBlock& block : parts_.blocks) {
            if (block.type == "tool_result") {
                structured_result(block);
                continue;
            }
            RawText text = block.text.empty() && block.type == "file" ? block.content.text : block.text;
            if (text.empty()) continue;
            const auto result = cline_text::result_in(text.bytes);
            if (pending) {
                const bool its_text = !result && cline_text::kind_of(text.bytes) != cline_text::UserText::injected;
                text_result(tool_, its_text ? text : RawText{});
                pending = false;
                if (its_text) continue;
            }
            if (!result) {
                said(block, text);
            } else if (result->text.empty()) {
                tool_ = result->tool;
                pending = true;
            } else {
                text_result(result->tool, text_of(result->text));
            }
        }
        if (pending) text_result(tool_, {});
        return LineFate::understood;
    }

    void said(const ContentBlock& block, RawText text) {
        if (parts_.program) {
            emit(Message{Role::user, Origin::injected, text, 0});
            return;
        }
        if (take_feedback(text)) {
            human(text_of(feedback_));
            return;
        }
        if (text.form == TextForm::json_string) text.bytes = cline_text::typed_in(text.bytes);
        if (const auto words = cline_text::words_in(text.bytes, "feedback"); words && block.type != "file") {
            human(text_of(words->said));
            return;
        }
        const auto kind = block.type == "file" ? cline_text::UserText::injected : cline_text::kind_of(text.bytes);
        if (kind == cline_text::UserText::not_run) {
            ToolResult result;
            result.text = text;
            result.status = ResultStatus::cancelled;
            emit(result);
            return;
        }
        // Beside results stand reminders; a human's words come in tags of their own there.
        const bool tagged = text.bytes.starts_with("<task>") || text.bytes.find("<user_message>") != text.bytes.npos;
        if (kind == cline_text::UserText::injected || (answered_ && !tagged)) {
            emit(Message{Role::user, Origin::injected, text, 0});
            return;
        }
        human(text);
    }

    void human(RawText text) {
        if (parts_.steering) {
            emit(Message{Role::user, of_sub_agent() ? Origin::agent : Origin::queued, text, std::exchange(media_, 0u)});
            return;
        }
        if (!std::exchange(begun_, true)) {
            head().turn = ++turn_;
            emit(TurnStart{});
        }
        const Origin origin = of_sub_agent() ? Origin::agent : Origin::human;
        emit(Message{Role::user, origin, text, std::exchange(media_, 0u)});
    }

    // A human who denies a call, or is shown what was done, may say why or what is missing: that is no part of the
    // result.
    void answer(ToolResult& result) {
        std::optional<cline_text::HumanWords> words;
        if (result.text.form == TextForm::json_string) {
            words = cline_text::words_in(result.text.bytes, "feedback");
            if (!words) words = cline_text::words_in(result.text.bytes, "user_message");
        }
        if (words) result.text.bytes = words->before;
        emit(result);
        if (const auto trigger = cline_text::compaction_in(result.text.bytes)) {
            Compaction compaction;
            compaction.trigger = *trigger;
            if (*trigger == CompactionTrigger::automatic) compaction.summary = result.text;
            emit(compaction);
        }
        if (words) human(text_of(words->said));
    }

    void structured_result(const ContentBlock& block) {
        answered_ = true;
        ToolResult result = result_of(block);
        const bool said = take_feedback(result.text);
        const ResultStatus told =
            result.text.form == TextForm::json_string ? cline_text::status_in(result.text.bytes) : ResultStatus::ok;
        if (told != ResultStatus::ok) result.status = told;
        if (!block.failure.empty()) result.status = ResultStatus::error;
        add_exit_code(result, block.failure.empty() ? result.text.bytes : block.failure);
        answer(result);
        if (said) human(text_of(feedback_));
    }

    void text_result(std::string_view tool, RawText text) {
        answered_ = true;
        ToolResult result;
        result.name = text_of(tool);
        result.text = text;
        const bool said = take_feedback(result.text);
        result.status = cline_text::status_in(result.text.bytes);
        add_exit_code(result, result.text.bytes);
        answer(result);
        if (said) human(text_of(feedback_));
    }

    bool take_feedback(RawText& text) {
        if (text.form != TextForm::json_string) return false;
        auto feedback = cline_text::feedback_in(text.bytes);
        if (!feedback) return false;
        feedback_ = std::move(feedback->said);
        text.bytes = feedback->result;
        return true;
    }

    static void add_exit_code(ToolResult& result, std::string_view told) {
        const std::string_view head = told.substr(0, 400);
        if (!head.starts_with("Command ") && !head.starts_with("The command ")) return;
        for (const std::string_view phrase : {"Exit code: ", "exit code: ", "exit code ", "exited with code "}) {
            result.exit_code = number_after(head, phrase);
            if (result.exit_code) break;
        }
        if (result.exit_code.value_or(0) != 0 && result.status == ResultStatus::ok) result.status = ResultStatus::error;
    }

    // ---- the model's side -------------------------------------------------------------------------------

    LineFate assistant() {
        head().response = parts_.id.empty() ? ++responses_ | std::uint64_t{1} << 63 : id_hash(parts_.id);
        // Figures of requests that failed come before the answer: behind it they would part its calls from their
        // results.
        const auto answered = has_figures() ? std::nullopt : next_answered();
        bool structured = false;
        for (const ContentBlock& block : parts_.blocks) structured |= block.type == "tool_use";
        if (!parts_.reasoning.empty()) emit(Thinking{parts_.reasoning, 0});
        for (const ContentBlock& call : parts_.activities) activity(call);
        for (const ContentBlock& block : parts_.blocks) {
            if (block.type == "tool_use") {
                if (!block.name.empty()) emit(structured_call(block));
            } else if (block.type == "thinking" || block.type == "redacted_thinking" || block.type == "reasoning") {
                if (!block.text.empty() || block.opaque_bytes > 0) emit(Thinking{block.text, block.opaque_bytes});
            } else if (!block.text.empty()) {
                emit(Message{Role::assistant, Origin::agent, block.text, 0});
                if (!structured) tag_calls(block.text.bytes);
            }
        }
        if (has_figures())
            usage();
        else if (answered && answered->has_figures())
            emit(usage_of(*answered));
        return LineFate::understood;
    }

    ToolCall structured_call(const ContentBlock& block) {
        ToolCall call = call_of(block.id, block.name, block.args);
        if (call.primary.empty() && call.args.bytes.starts_with('{')) call.primary = asked_.of(call.args.bytes);
        return call;
    }

    void activity(const ContentBlock& call) {
        if (call.name.empty()) return;
        emit(structured_call(call));
        if (call.content.seen || call.is_error) emit(result_of(call));
    }

    void tag_calls(std::string_view raw) {
        if (raw.find('<') == raw.npos) return;
        for (const cline_text::TagCall& found : cline_text::tag_calls_in(raw)) {
            tag_args_.clear();
            padded_ = found.args;
            const std::size_t size = padded_.size();
            padded_.append(kRecordPadding, ' ');
            json::document doc;
            json::object object;
            CallArgs args;
            if (tag_parser_.iterate(padded_.data(), size, padded_.size()).get(doc) || doc.get_object().get(object))
                args = tag_args_.digest_text({}, {found.args, TextForm::json_string});
            else
                args = tag_args_.digest_object({}, object);
            emit(call_of({}, found.name, args));
        }
    }

    // ---- figures ----------------------------------------------------------------------------------------

    LineFate shown() {
        if (parts_.shown != "api_req_started") return LineFate::ignored_kind;
        ClineRequest request;
        request.time_ms = parts_.time_ms;
        panel_text_.read(parts_.shown_text, request);
        constexpr std::size_t kMostRequests = 1u << 16;
        if (requests_.size() < kMostRequests) requests_.push_back(request);
        return LineFate::understood;
    }

    bool has_figures() const { return parts_.tokens.total() > 0 || microusd(parts_.cost) > 0; }

    void usage() {
        TokenCounts t = parts_.tokens;
        // In the SDK's figures the input holds what came from the cache.
        if (parts_.input_holds_cache && t.cache_read + t.cache_write <= t.input)
            t.input -= t.cache_read + t.cache_write;
        const std::uint64_t cost = microusd(parts_.cost);
        metered_ = true;
        Usage usage;
        usage.tokens = t;
        usage.model = text_of(parts_.model);
        if (cost > 0) usage.cost_microusd = cost;
        // A compacted copy of a session lies beside it and repeats its last messages.
        const auto call = std::ranges::find(parts_.blocks, "tool_use", &ContentBlock::type);
        if (call != parts_.blocks.end()) usage.message_key = cline_response_key(call->id, t);
        if (usage.message_key == 0 && !parts_.id.empty() && parts_.time_ms != kNoTime)
            usage.message_key = mix_hash(id_hash(parts_.id), static_cast<std::uint64_t>(parts_.time_ms)) | 1;
        emit(usage);
        while (next_was_sent()) requests_.pop_front();
    }

    // The last request before an answer is the one it answers; those between two answers failed.
    std::optional<ClineRequest> next_answered() {
        std::optional<ClineRequest> answered;
        while (next_was_sent()) {
            if (answered) unanswered(*answered);
            answered = requests_.front();
            requests_.pop_front();
            if (parts_.time_ms == kNoTime) break;  // without times each answer has one
        }
        return answered;
    }

    bool next_was_sent() const {
        return !requests_.empty() && (parts_.time_ms == kNoTime || requests_.front().time_ms <= parts_.time_ms);
    }

    void unanswered(const ClineRequest& request) {
        if (!request.has_figures()) return;
        const std::uint64_t response = std::exchange(head().response, ++responses_ | std::uint64_t{1} << 63);
        emit(usage_of(request));
        head().response = response;
    }

    static Usage usage_of(const ClineRequest& request) {
        Usage usage;
        usage.tokens = request.tokens;
        if (request.cost_microusd > 0) usage.cost_microusd = request.cost_microusd;
        return usage;
    }

    std::string_view session_, agent_, tool_;
    ClineMessage parts_;
    std::string padded_, feedback_;
    json::parser tag_parser_;
    ArgsDigester tag_args_;
    ClineAsked asked_;
    ClineText panel_text_;
    std::deque<ClineRequest> requests_;  // of the panel, not yet answered
    bool has_messages_ = false, open_ = false, begun_ = false, answered_ = false;
    bool metered_ = false;  // the messages have figures of their own
    std::uint64_t prompt_bytes_ = 0;
    std::uint32_t turn_ = 0, media_ = 0;
    IdHash model_ = 0;
    std::uint64_t responses_ = 0;
};

bool is_number(std::optional<std::string_view> raw) {
    return raw && !raw->empty() && raw->front() >= '0' && raw->front() <= '9';
}

bool has_token(std::string_view raw, std::string_view quoted) { return raw.find(quoted) != raw.npos; }

Score score(std::span<const ProbeRecord> sample, Framing framing) {
    std::size_t dated = 0, tagged = 0, messages = 0;
    bool elements = framing == Framing::elements;
    for (const ProbeRecord& record : sample) {
        const auto inner = first_of(record);
        const ProbeRecord& r = inner ? *inner : record;
        const auto list = r.raw("messages");
        if (list && list->starts_with('[') && r.has("sessionId")) {
            if (r.has("agent") && (r.has("system_prompt") || r.has("version"))) return kCertain;
            if (has_token(*list, "\"modelInfo\"") || r.has("system_prompt")) return 90;
        }
        if (list && list->starts_with('[') && r.raw("version") == "2" && has_token(*list, "\"ts\"")) return 92;
        const auto content = r.raw("content");
        const bool message = content && (r.text("role") == "user" || r.text("role") == "assistant") && !r.has("parts");
        if (!message) continue;
        ++messages;
        elements |= !record.is_object();
        if (is_number(r.raw("ts"))) ++dated;
        for (const std::string_view mark : {"<environment_details>", "] Result:", "\"<task>"})
            tagged += has_token(*content, mark) ? 1 : 0;
        if (r.has("condenseId") || r.has("condenseParent") || r.has("isTruncationMarker") || r.has("modelInfo"))
            ++tagged;
    }
    if (messages == 0 || messages * 2 < sample.size()) return 0;
    if (elements && dated > 0) return tagged > 0 ? 96 : 92;
    return tagged > 0 ? (elements ? 92 : dated > 0 ? 90 : 0) : 0;
}

constexpr std::string_view kStreams[] = {"messages"};

constexpr RecordKindDoc kKinds[] = {
    {"api_conversation_history.json: [{role, content, ts}]", "one session a file"},
    {"{version: 2, messages}", "the same, in parts of the AI SDK"},
    {"{sessionId, agent, messages}", "one session a document; ContextChange (size of the system prompt)"},
    {"user",
     "TurnStart and Message (human); also feedback, which may stand in a result; surroundings and reminders injected"},
    {"[tool for '…'] Result:, tool_result",
     "ToolResult; without an id it answers the oldest call; failed or denied by its first words"},
    {"Tool […] was not executed, Skipping tool […]", "ToolResult (cancelled)"},
    {"assistant",
     "Message, Thinking and ToolCall, one a block; calls in tags where there are no others; Usage with cost"},
    {"modelToolActivities", "ToolCall and ToolResult of what the provider ran"},
    {"error; displayRole error", "Notice (provider)"},
    {"isSummary, compaction_summary; results of summarize_task and condense", "Compaction"},
    {"isTruncationMarker, overflow_truncation", "Compaction (truncate)"},
    {"reasoning", "Thinking"},
    {"ui_messages.json beside it: api_req_started", "Usage with cost of the answers that have none; all else ignored"},
    {"modelInfo", "ContextChange (model)"},
};

}  // namespace

ReaderSpec cline() {
    return {"cline",
            "Cline, Roo Code",
            "task histories, and session documents of the Cline SDK",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::token_usage | Signal::timestamps | Signal::response_ids | Signal::reasoning |
                Signal::compaction | Signal::cost,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<Cline>()); },
            kStreams};
}

}  // namespace agent_audit::readers
