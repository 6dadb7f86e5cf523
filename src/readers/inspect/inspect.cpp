#include "readers/all.hpp"
#include "readers/inspect/inspect_timeline.hpp"
#include "readers/json/document_reader.hpp"
#include "readers/json/format_util.hpp"

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

// Evaluation logs of Inspect. One sample is one session; the ZIP form (.eval) has the head and each sample as a
// document of its own, the JSON form has them in one:
//
//   {"version":2,"status":"success","eval":{"task":"…","model":"…","packages":{"inspect_ai":"…"}},"samples":[…]}
//   {"id":1,"epoch":1,"uuid":"…","messages":[
//      {"role":"user","source":"input","content":"…"},
//      {"id":"m1","role":"assistant","content":"…","tool_calls":[{"id":"c","function":"bash","arguments":{…}}]},
//      {"role":"tool","tool_call_id":"c","content":"…","error":{"type":"timeout","message":"…"}}],
//    "events":[{"event":"model","timestamp":"…","output":{"choices":[{"message":{"id":"m1"}}],"usage":{…}}},
//      {"event":"tool","id":"c","timestamp":"…","completed":"…"}],
//    "attachments":{"<hash>":"…"}}
//
// The conversation is told by the messages. The events tell when things happened and what they cost; their prompts,
// which repeat the conversation each time, are passed over.

namespace agent_audit::readers {
namespace {

struct Head {
    std::string_view task, model, product_version;
    bool has_eval = false, has_samples = false;
};

struct Call {
    std::string_view id, name;
    CallArgs args;
};

/// One message, or the text that stands for it.
struct Spoken {
    std::string_view role, source, id, call_id, function, model, error_type;
    RawText error, reasoning, text;
    std::uint64_t opaque_bytes = 0;
    std::uint32_t media = 0;
    std::size_t texts = 0;
    Reused<Call> calls;

    void clear() { begin_again(*this, &Spoken::calls); }
};

constexpr std::string_view kStreams[] = {"samples"};

constexpr std::string_view kAttachment = "attachment://";

class Inspect final : public DocumentReader {
public:
    Inspect() : DocumentReader("samples") {}

protected:
    LineFate read_object(json::object object) override {
        Head head;
        bool sample = false, messages = false;
        const bool whole = read_fields(object, [&](const char* key, json::value& v) {
            sample |= key_is(key, "epoch");
            messages |= key_is(key, "messages") && is_array(v);
            return collect_head(key, v, head);
        });
        if (!whole) return LineFate::malformed_json;
        if (sample && messages && !head.has_eval) {
            if (object.reset().error()) return LineFate::malformed_json;
            return read_element(object);
        }
        const bool may_follow = record().part == RecordPart::head && head.has_samples;
        if (!head.has_eval && !may_follow)
            return sample || head.has_samples ? LineFate::missing_field : LineFate::unknown_kind;
        remember(head);
        return head.has_samples ? stream_records(object) : LineFate::understood;
    }

    LineFate read_element(json::object sample) override {
        if (!collect_sample(sample) || !alive()) return LineFate::malformed_json;
        if (!has_messages_ || id_.empty()) return LineFate::missing_field;
        if (sample.reset().error()) return LineFate::malformed_json;
        open();
        const bool whole = read_fields(sample, [this](const char* key, json::value& v) {
            if (!key_is(key, "messages")) return true;
            return each_element(v, [this](json::value& message) { return read_message(message); });
        });
        if (!whole) return LineFate::malformed_json;
        close();
        return LineFate::understood;
    }

private:
    // ---- the head ---------------------------------------------------------------------------------------

    bool collect_head(const char* key, json::value& v, Head& head) {
        if (key_is(key, "samples")) {
            head.has_samples = is_array(v);
        } else if (key_is(key, "eval")) {
            head.has_eval = is_object(v);
            return each_field(v, [&head](const char* k, json::value& w) {
                if (key_is(k, "task"))
                    head.task = raw_string(w);
                else if (key_is(k, "model"))
                    head.model = raw_string(w);
                else if (key_is(k, "packages"))
                    return each_field(w, [&head](const char* name, json::value& version) {
                        if (key_is(name, "inspect_ai")) head.product_version = raw_string(version);
                        return true;
                    });
                return true;
            });
        }
        return true;
    }

    /// In a ZIP the samples are records of their own, so the head must outlive its record.
    void remember(const Head& head) {
        constexpr std::size_t kLongest = 512;
        task_.assign(head.task.substr(0, kLongest));
        model_.assign(head.model.substr(0, kLongest));
        version_.assign(head.product_version.substr(0, kLongest));
    }

    // ---- a sample, first time: what stands around the messages --------------------------------------------

    bool collect_sample(json::object& sample) {
        id_ = uuid_ = limit_ = {};
        epoch_ = 0;
        error_ = {};
        has_messages_ = false;
        timeline_.clear();
        attachments_.clear();
        totals_.clear();
        return each_field(sample, [this](const char* key, json::value& v) {
            if (key_is(key, "id"))
                id_ = is_string(v) ? raw_string(v) : token(v);
            else if (key_is(key, "epoch"))
                epoch_ = as_uint(v);
            else if (key_is(key, "uuid"))
                uuid_ = raw_string(v);
            else if (key_is(key, "messages"))
                has_messages_ = is_array(v);
            else if (key_is(key, "events"))
                return each_element(v, [this](json::value& event) { return timeline_.collect(event); });
            else if (key_is(key, "attachments"))
                return each_field(v, [this](const char* hash, json::value& text) {
                    if (attachments_.size() < InspectTimeline::kMost)
                        attachments_[id_hash(key_text(hash))] = raw_string(text);
                    return true;
                });
            else if (key_is(key, "model_usage"))
                return each_field(v, [this](const char* model, json::value& usage) {
                    InspectRequest total;
                    total.model = key_text(model);
                    if (totals_.size() < kMaxModels) totals_.push_back(total);
                    return InspectTimeline::collect_usage(usage, totals_.back());
                });
            else if (key_is(key, "error"))
                return each_field(v, [this](const char* k, json::value& w) {
                    if (key_is(k, "message")) error_ = text_of(raw_string(w));
                    return true;
                });
            else if (key_is(key, "limit"))
                return each_field(v, [this](const char* k, json::value& w) {
                    if (key_is(k, "type")) limit_ = raw_string(w);
                    return true;
                });
            return true;
        });
    }

    // ---- a sample, second time: its messages -------------------------------------------------------------

    void open() {
        turn_ = 0;
        next_shrink_ = 0;
        last_ms_ = timeline_.start_ms();
        label_.assign(task_);
        if (!label_.empty()) label_ += ' ';
        label_ += id_;
        label_ += " epoch ";
        label_ += std::to_string(epoch_);
        SourceSpan at = head().where;  // of the sample
        at.line = told_ + 1;
        at.length = 0;
        set_place(at);
        new_head().time_ms = timeline_.start_ms();
        SessionStart start;
        start.session_id = text_of(uuid_.empty() ? id_ : uuid_);
        start.product_version = text_of(version_);
        start.model = text_of(model_);
        start.label = text_of(label_);
        emit(start);
    }

    /// A sample is one record, or a part of one: its messages are what a reader of the report can count.
    void place(std::uint64_t number, std::size_t offset) {
        SourceSpan at = record().where;
        at.line = number;
        at.offset += offset;
        at.length = 0;
        set_place(at);
    }

    bool read_message(json::value& v) {
        if (!is_object(v)) return true;
        spoken_.clear();
        args_.clear();
        const char* const start = v.raw_json_token().data();
        if (!collect_message(v) || !alive()) return false;
        place(++told_, offset_of(start));
        new_head(0, turn_);
        say();
        return true;
    }

    bool collect_message(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) {
            Spoken& s = spoken_;
            if (key_is(key, "role"))
                s.role = raw_string(w);
            else if (key_is(key, "source"))
                s.source = raw_string(w);
            else if (key_is(key, "id"))
                s.id = raw_string(w);
            else if (key_is(key, "tool_call_id"))
                s.call_id = raw_string(w);
            else if (key_is(key, "function"))
                s.function = raw_string(w);
            else if (key_is(key, "model"))
                s.model = raw_string(w);
            else if (key_is(key, "content"))
                return collect_content(w);
            else if (key_is(key, "tool_calls"))
                return each_element(w, [this](json::value& call) { return collect_call(call); });
            else if (key_is(key, "error"))
                return each_field(w, [&s](const char* k, json::value& x) {
                    if (key_is(k, "type"))
                        s.error_type = raw_string(x);
                    else if (key_is(k, "message"))
                        s.error = text_of(raw_string(x));
                    return true;
                });
            return true;
        });
    }

    bool collect_content(json::value& v) {
        if (is_string(v)) {
            add_text(raw_string(v));
            return true;
        }
        return each_element(v, [this](json::value& part) {
            std::string_view type, text, reasoning;
            std::uint64_t signature = 0;
            const bool whole = each_field(part, [&](const char* key, json::value& w) {
                if (key_is(key, "type"))
                    type = raw_string(w);
                else if (key_is(key, "text"))
                    text = raw_string(w);
                else if (key_is(key, "reasoning"))
                    reasoning = raw_string(w);
                else if (key_is(key, "signature"))
                    signature = raw_string(w).size();
                return true;
            });
            if (type == "text")
                add_text(text);
            else if (type == "reasoning") {
                spoken_.reasoning = resolved(reasoning);
                spoken_.opaque_bytes += signature;
            } else if (type == "image" || type == "audio" || type == "video" || type == "document")
                ++spoken_.media;
            return whole;
        });
    }

    /// Text parts as one text: nearly always there is only one.
    void add_text(std::string_view raw) {
        const RawText text = resolved(raw);
        if (text.empty()) return;
        if (++spoken_.texts == 1) {
            spoken_.text = text;
            return;
        }
        if (spoken_.texts == 2) joined_.assign(spoken_.text.bytes);
        joined_ += "\\n";
        joined_ += text.bytes;
        spoken_.text = text_of(joined_);
    }

    /// Long texts stand elsewhere in the sample.
    RawText resolved(std::string_view raw) const {
        if (!raw.starts_with(kAttachment)) return text_of(raw);
        const auto found = attachments_.find(id_hash(raw.substr(kAttachment.size())));
        return text_of(found == attachments_.end() ? raw : found->second);
    }

    bool collect_call(json::value& v) {
        Call* call = is_object(v) ? spoken_.calls.next() : nullptr;
        if (!call) return true;
        return each_field(v, [&](const char* key, json::value& w) {
            if (key_is(key, "id"))
                call->id = raw_string(w);
            else if (key_is(key, "function"))
                call->name = raw_string(w);
            else if (key_is(key, "arguments") && !is_null(w))
                call->args = args_.digest_value({}, w);
            return true;
        });
    }

    // ---- events of ours -----------------------------------------------------------------------------------

    void say() {
        const Spoken& s = spoken_;
        if (s.role == "assistant") return assistant();
        head().time_ms = last_ms_;
        head().record_id = s.id;
        if (s.role == "tool") return tool();
        if (s.role == "system") return emit(Message{Role::system, Origin::injected, s.text, s.media});
        if (s.role != "user") return;
        // Those of the input are what the sample asks; solvers put others between the answers of the model.
        const bool human = turn_ == 0 || s.source == "input";
        if (human) {
            head().turn = ++turn_;
            emit(TurnStart{});
        }
        emit(Message{Role::user, human ? Origin::human : Origin::injected, s.text, s.media});
    }

    void assistant() {
        const Spoken& s = spoken_;
        const InspectTiming timing = timeline_.of(s.id);
        if (timing.request > 0) compactions_before(timing.request);
        const std::int64_t time = timing.end_ms == kNoTime ? timing.begin_ms : timing.end_ms;
        if (time != kNoTime) last_ms_ = time;
        head().time_ms = last_ms_;
        head().record_id = s.id;
        head().response = s.id.empty() ? ++responses_ | std::uint64_t{1} << 63 : id_hash(s.id);
        if (!s.reasoning.empty() || s.opaque_bytes > 0) emit(Thinking{s.reasoning, s.opaque_bytes});
        if (!s.text.empty()) emit(Message{Role::assistant, Origin::agent, s.text, s.media});
        for (const Call& call : s.calls) emit(call_of(call.id, call.name, call.args));
        if (timing.request > 0) usage(timeline_.requests()[timing.request - 1]);
    }

    void tool() {
        const Spoken& s = spoken_;
        const InspectTiming timing = timeline_.of(s.call_id);
        ToolResult result;
        result.call_id = text_of(s.call_id);
        result.name = text_of(s.function);
        result.text = s.text.empty() ? s.error : s.text;
        result.media_count = s.media;
        result.opaque = result.text.empty() && s.media > 0;
        result.status = s.error_type.empty()         ? ResultStatus::ok
                        : s.error_type == "approval" ? ResultStatus::denied
                                                     : ResultStatus::error;
        if (timing.end_ms != kNoTime) {
            if (timing.begin_ms != kNoTime && timing.end_ms >= timing.begin_ms)
                result.duration_ms = timing.end_ms - timing.begin_ms;
            head().time_ms = last_ms_ = timing.end_ms;
        }
        emit(result);
    }

    void usage(InspectRequest& request) {
        if (!request.has_usage || std::exchange(request.told, true)) return;
        Usage usage;
        usage.tokens = request.tokens;
        usage.tokens.reasoning = std::min(usage.tokens.reasoning, usage.tokens.output);
        usage.model = text_of(request.model);
        if (const std::uint64_t cost = microusd(request.cost_usd); cost > 0) usage.cost_microusd = cost;
        if (usage.tokens.total() > 0 || usage.cost_microusd) emit(usage);
    }

    void compactions_before(std::size_t request) {
        const auto& shrinks = timeline_.shrinks();
        for (; next_shrink_ < shrinks.size() && shrinks[next_shrink_].after_request < request; ++next_shrink_) {
            const InspectShrink& shrink = shrinks[next_shrink_];
            head().time_ms = shrink.time_ms;
            Compaction compaction;
            compaction.trigger = CompactionTrigger::automatic;
            if (shrink.before > 0) compaction.tokens_before = shrink.before;
            if (shrink.after > 0) compaction.tokens_after = shrink.after;
            emit(compaction);
        }
    }

    // Requests whose answer is not among the messages were made by sub-agents and graders, or were compacted away; they
    // cost all the same. The totals serve where no request tells anything.
    void close() {
        new_head(0, turn_).time_ms = timeline_.end_ms();
        compactions_before(timeline_.requests().size() + 1);
        bool any = false;
        for (InspectRequest& request : timeline_.requests()) {
            any |= request.has_usage;
            new_head(0, turn_).time_ms = request.time_ms;
            usage(request);
        }
        new_head(0, turn_).time_ms = timeline_.end_ms();
        if (!any) {
            for (InspectRequest& total : totals_) usage(total);
        }
        if (!error_.empty()) emit(notice_of(NoticeLayer::harness, NoticeLevel::error, "sample-error", error_));
        if (!limit_.empty()) emit(notice_of(NoticeLayer::harness, NoticeLevel::warning, "limit", text_of(limit_)));
        if (turn_ > 0) emit(TurnEnd{error_.empty() ? TurnStatus::completed : TurnStatus::failed, -1});
    }

    static constexpr std::size_t kMaxModels = 100;

    std::string task_, model_, version_, label_, joined_;
    std::string_view id_, uuid_, limit_;
    RawText error_;
    std::uint64_t epoch_ = 0, responses_ = 0;
    std::uint64_t told_ = 0;  // messages of the whole input
    bool has_messages_ = false;
    std::unordered_map<IdHash, std::string_view> attachments_;
    std::vector<InspectRequest> totals_;
    InspectTimeline timeline_;
    std::size_t next_shrink_ = 0;
    std::int64_t last_ms_ = kNoTime;
    Spoken spoken_;
    std::uint32_t turn_ = 0;
};

Score score(std::span<const ProbeRecord> sample, Framing) {
    Score best = 0;
    for (const ProbeRecord& r : sample) {
        if (!r.is_object()) continue;
        const ProbeRecord eval = r.child("eval");
        if (eval.is_object() && r.has("version") && (eval.has("task") || eval.has("run_id"))) return kCertain;
        if (r.has("epoch") && r.has("id") && r.has("messages") &&
            (r.has("target") || r.has("events") || r.has("scores")))
            best = 95;
    }
    return best;
}

constexpr RecordKindDoc kKinds[] = {
    {"eval, plan, stats: the head", "task, model and version, for every session"},
    {"sample", "SessionStart, one session a sample and epoch; TurnEnd"},
    {"message: system, user", "Message; source input, or the first one: TurnStart and human, others injected"},
    {"message: assistant", "Thinking, Message, ToolCall; its time and Usage from the model event of that id"},
    {"message: tool", "ToolResult: error decides, approval means denied; its duration from the tool event"},
    {"attachment://…", "the text that it stands for"},
    {"event: model", "Usage; of requests without a message at the end of the session"},
    {"event: compaction", "Compaction, before the next answer"},
    {"sample error, limit", "Notice (harness)"},
    {"model_usage", "Usage, where no request has its own"},
    {"other events, scores, store, summaries", "ignored"},
};

}  // namespace

ReaderSpec inspect() {
    return {"inspect",
            "Inspect",
            "evaluation logs: .json and .eval (ZIP)",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::token_usage |
                Signal::timestamps | Signal::response_ids | Signal::reasoning | Signal::compaction,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<Inspect>()); },
            kStreams};
}

}  // namespace agent_audit::readers
