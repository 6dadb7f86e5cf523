#include "readers/all.hpp"
#include "readers/kiro/kiro_command.hpp"
#include "readers/messages/conversation.hpp"

#include <string>
#include <vector>

// Session logs of Kiro CLI, which only grow:
//
//   {"version":"v1","kind":"Prompt","data":{"message_id":"…","content":[{"kind":"text","data":"…"}],
//     "meta":{"timestamp":1772445600}}}
//   {"version":"v1","kind":"AssistantMessage","data":{"message_id":"…","content":[{"kind":"text","data":"…"},
//     {"kind":"toolUse","data":{"toolUseId":"c","name":"shell","input":{…}}}]}}
//   {"version":"v1","kind":"ToolResults","data":{"message_id":"…","content":[{"kind":"toolResult","data":
//     {"toolUseId":"c","content":[{"kind":"text","data":"…"}],"status":"success"}}],"results":{"c":{"result":…}}}}
//   {"version":"v1","kind":"Compaction","data":{"summary":"…","messages_snapshot":[…]}}
//   {"version":"v1","kind":"ResetTo","data":{"target_index":4}}
//   {"version":"v1","kind":"CancelledPrompt"}, {"version":"v1","kind":"Clear"}
//
// Beside it stands what is known of the whole session, one document that is read first:
//
//   {"session_id":"…","cwd":"…","created_at":"…","session_state":{"rts_model_state":{"model_info":{"model_id":"…"}},
//    "conversation_metadata":{"user_turn_metadatas":[{"input_token_count":9,…}]}}}

namespace agent_audit::readers {
namespace {

struct Block {
    std::string_view kind, id, name, status, model;
    RawText text;
    CallArgs args;
    std::uint64_t opaque_bytes = 0;
    std::uint32_t media = 0;
};

struct Line {
    std::string_view kind, id;
    Reused<Block> blocks;
    Reused<std::string_view> cancelled;  // ids of calls
    RawText context, summary;
    std::int64_t time_ms = kNoTime;
    std::uint64_t target = 0;
    bool has_content = false, has_target = false;
};

/// What stands beside the log.
struct Session {
    std::string_view id, cwd, created, model, reason;
    std::uint64_t window_tokens = 0;
    TokenCounts tokens;
};

/// What was the last message of the conversation after each of the last entries: a reset names an entry by its index.
/// One is made when a turn is broken off, and goes back to where that began.
class LastMessages {
public:
    void add(std::string_view id) {
        if (ids_.size() < kMost)
            ids_.emplace_back(id);
        else
            ids_[count_ % kMost] = id;
        ++count_;
    }
    /// After the first `entries` of them; null when that is too long ago, or yet to come.
    const std::string* after(std::uint64_t entries) const {
        if (entries > count_ || entries + kMost < count_) return nullptr;
        return entries == 0 ? &nothing_ : &ids_[(entries - 1) % kMost];
    }
    std::uint64_t count() const { return count_; }

private:
    static constexpr std::size_t kMost = 4096;
    std::vector<std::string> ids_;
    std::string nothing_;
    std::uint64_t count_ = 0;
};

class KiroCli final : public ConversationReader {
protected:
    LineFate read_object(json::object object) override {
        begin_again(line_, &Line::blocks, &Line::cancelled);
        session_ = {};
        const bool whole = read_fields(object, [this](const char* key, json::value& v) {
            if (key_is(key, "kind")) line_.kind = raw_string(v);
            if (!key_is(key, "data")) return collect_session(key, v);
            return each_field(v, [this](const char* k, json::value& w) { return collect(k, w); });
        });
        if (!whole) return LineFate::malformed_json;
        if (line_.kind.empty() && !session_.id.empty()) return session();
        const LineFate fate = interpret();
        if (fate == LineFate::understood) entries_.add(last_);
        return fate;
    }

private:
    bool collect_session(const char* key, json::value& v) {
        if (key_is(key, "session_id"))
            session_.id = raw_string(v);
        else if (key_is(key, "cwd"))
            session_.cwd = raw_string(v);
        else if (key_is(key, "created_at"))
            session_.created = raw_string(v);
        else if (key_is(key, "session_created_reason"))
            session_.reason = raw_string(v);
        else if (key_is(key, "session_state"))
            return each_field(v, [this](const char* k, json::value& w) {
                if (key_is(k, "conversation_metadata")) return collect_bill(w);
                return !key_is(k, "rts_model_state") || collect_model(w);
            });
        return true;
    }

    bool collect_model(json::value& v) {
        return each_field(v, [this](const char* key, json::value& info) {
            return !key_is(key, "model_info") || each_field(info, [this](const char* k, json::value& w) {
                if (key_is(k, "model_id")) session_.model = raw_string(w);
                if (key_is(k, "context_window_tokens")) session_.window_tokens = as_uint(w);
                return true;
            });
        });
    }

    // Of each turn; many versions write zeros.
    bool collect_bill(json::value& v) {
        return each_field(v, [this](const char* key, json::value& turns) {
            if (!key_is(key, "user_turn_metadatas")) return true;
            return each_element(turns, [this](json::value& turn) {
                return each_field(turn, [this](const char* k, json::value& n) {
                    TokenCounts& t = session_.tokens;
                    if (key_is(k, "input_token_count")) t.input += as_uint(n);
                    if (key_is(k, "output_token_count")) t.output += as_uint(n);
                    if (key_is(k, "cache_read_input_token_count")) t.cache_read += as_uint(n);
                    if (key_is(k, "cache_write_input_token_count")) t.cache_write += as_uint(n);
                    return true;
                });
            });
        });
    }

    LineFate session() {
        SessionStart start;
        start.session_id = text_of(session_.id);
        start.cwd = text_of(session_.cwd);
        if (session_.model != "auto") start.model = text_of(session_.model);
        start.sub_agent = session_.reason == "subagent";
        begin_session(start, time_of(session_.created));
        if (session_.window_tokens > 0) {
            ContextChange change;
            change.window_tokens = session_.window_tokens;
            emit(change);
        }
        if (session_.tokens.total() > 0) {
            Usage usage;
            usage.scope = UsageScope::session;  // a sum, and no prompt that was sent before the first message
            usage.tokens = session_.tokens;
            emit(usage);
        }
        return LineFate::understood;
    }

    bool collect(const char* key, json::value& v) {
        if (key_is(key, "message_id"))
            line_.id = raw_string(v);
        else if (key_is(key, "content")) {
            line_.has_content = is_array(v);
            return each_element(v, [this](json::value& block) { return collect_block(block); });
        } else if (key_is(key, "meta"))
            return each_field(v, [this](const char* k, json::value& w) {
                if (key_is(k, "timestamp")) line_.time_ms = is_string(w) ? time_of(raw_string(w)) : unix_time(w);
                if (key_is(k, "additional_context") || key_is(k, "additionalContext")) line_.context = any_text(w);
                return true;
            });
        else if (key_is(key, "results"))
            return each_field(v, [this](const char* id, json::value& w) { return collect_outcome(key_text(id), w); });
        else if (key_is(key, "summary"))
            line_.summary = text_of(raw_string(v));
        else if (key_is(key, "target_index")) {
            line_.has_target = true;
            line_.target = as_uint(v);
        }
        return true;
    }

    // {"tool":…,"result":"Cancelled"}; of the others the content says the same.
    bool collect_outcome(std::string_view id, json::value& v) {
        return each_field(v, [&](const char* key, json::value& w) {
            if (!key_is(key, "result") || raw_string(w) != "Cancelled") return true;
            if (std::string_view* cancelled = line_.cancelled.next()) *cancelled = id;
            return true;
        });
    }

    // {"kind":"text","data":"…"} or {"kind":"toolUse","data":{…}}
    bool collect_block(json::value& v) {
        Block* block = is_object(v) ? line_.blocks.next() : nullptr;
        if (!block) return true;
        return each_field(v, [&](const char* key, json::value& w) {
            if (key_is(key, "kind")) block->kind = raw_string(w);
            if (!key_is(key, "data")) return true;
            if (is_string(w)) block->text = text_of(raw_string(w));
            return each_field(w, [&](const char* k, json::value& x) { return collect_data(k, x, *block); });
        });
    }

    bool collect_data(const char* key, json::value& v, Block& block) {
        if (key_is(key, "toolUseId"))
            block.id = raw_string(v);
        else if (key_is(key, "name"))
            block.name = raw_string(v);
        else if (key_is(key, "status"))
            block.status = raw_string(v);
        else if (key_is(key, "modelId"))
            block.model = raw_string(v);
        else if (key_is(key, "input")) {
            if (!is_null(v)) block.args = args_.digest_value({}, v);
        } else if (key_is(key, "text"))
            block.text = any_text(v);
        else if (key_is(key, "signature"))
            block.opaque_bytes += raw_string(v).size();
        else if (key_is(key, "redactedContent")) {
            if (!is_null(v)) block.opaque_bytes += raw_value(v).size();
        } else if (key_is(key, "content"))
            return collect_result(v, block);
        return true;
    }

    // [{"kind":"text","data":"…"},{"kind":"json","data":{…}},{"kind":"image",…}]; several texts are taken as they
    // stand.
    static bool collect_result(json::value& v, Block& block) {
        json::array parts;
        if (!is_array(v)) {
            block.text = any_text(v);
            return true;
        }
        if (v.get_array().get(parts)) return false;
        std::string_view all;
        if (parts.raw_json().get(all) || parts.reset().error()) return false;
        std::size_t texts = 0;
        for (auto item : parts) {
            json::value part;
            if (std::move(item).get(part)) return false;
            RawText text;
            bool image = false;
            const bool whole = each_field(part, [&](const char* key, json::value& w) {
                if (key_is(key, "kind")) image = raw_string(w) == "image";
                if (key_is(key, "data")) text = any_text(w);
                return true;
            });
            if (!whole) return false;
            if (image)
                ++block.media;
            else if (!text.empty() && ++texts == 1)
                block.text = text;
        }
        if (texts > 1) block.text = {all, TextForm::json_value};
        return true;
    }

    LineFate interpret() {
        if (line_.kind == "Prompt") return line_.has_content ? prompt() : LineFate::missing_field;
        if (line_.kind == "AssistantMessage") return line_.has_content ? assistant() : LineFate::missing_field;
        if (line_.kind == "ToolResults") return line_.has_content ? results() : LineFate::missing_field;
        if (line_.kind == "Compaction") return compaction();
        if (line_.kind == "ResetTo") return line_.has_target ? reset() : LineFate::missing_field;
        if (line_.kind == "CancelledPrompt") return cancelled();
        if (line_.kind == "Clear") return clear();
        return line_.kind.empty() ? LineFate::missing_field : LineFate::unknown_kind;
    }

    void begin(bool by_model = false) { begin_message(by_model, line_.time_ms, line_.id); }

    // `by_user`: what a cancelled prompt takes back.
    LineFate said(bool by_user) {
        before_user_ = by_user ? last_ : std::string();
        by_user_ = by_user;
        last_ = line_.id;
        return LineFate::understood;
    }

    LineFate prompt() {
        begin();
        const auto typed = [](const Block& b) { return b.kind == "text" && !b.text.empty(); };
        if (std::ranges::any_of(line_.blocks, typed)) begin_turn();
        injected(Role::user, line_.context);  // what hooks add
        for (const Block& block : line_.blocks) {
            if (block.kind == "image")
                injected(Role::user, {}, 1);
            else if (block.kind == "text")
                human(block.text);
        }
        return said(true);
    }

    LineFate assistant() {
        begin(true);
        for (const Block& block : line_.blocks) {
            if (block.kind == "toolUse") {
                if (!block.name.empty()) emit(call_of(block.id, block.name, block.args));
            } else if (block.kind == "thinking") {
                thinking(block);
            } else if (block.kind == "text") {
                answer(block.text);
            }
        }
        return said(false);
    }

    void thinking(const Block& block) {
        // "auto": whichever it takes.
        if (!block.model.empty() && block.model != "auto" && id_hash(block.model) != model_) {
            model_ = id_hash(block.model);
            ContextChange change;
            change.model = text_of(block.model);
            emit(change);
        }
        if (!block.text.empty() || block.opaque_bytes > 0) emit(Thinking{block.text, block.opaque_bytes});
    }

    // Words beside the results: a prompt that was typed while a call was pending.
    LineFate results() {
        begin();
        for (const Block& block : line_.blocks) {
            if (block.kind == "toolResult") result(block);
        }
        for (const Block& block : line_.blocks) {
            if (block.kind == "text") human(block.text);
        }
        return said(true);
    }

    void result(const Block& block) {
        ToolResult result;
        result.call_id = text_of(block.id);
        result.text = block.text;
        result.media_count = block.media;
        result.opaque = result.text.empty() && result.media_count > 0;
        const std::string_view text = block.text.bytes;
        const bool is_json = block.text.form == TextForm::json_value;
        const KiroExit ended = is_json ? kiro_exit(text) : KiroExit{};
        const bool cut = text.starts_with("Tool use was cancelled") || text.starts_with("Tool use was approved, but") ||
                         std::ranges::find(line_.cancelled, block.id) != line_.cancelled.end();
        result.exit_code = ended.code;
        result.status = text.starts_with("Tool use was denied")   ? ResultStatus::denied
                        : cut                                     ? ResultStatus::cancelled
                        : block.status == "error" || ended.failed ? ResultStatus::error
                        : block.status == "success"               ? ResultStatus::ok
                                                                  : ResultStatus::unknown;
        emit(result);
    }

    LineFate compaction() {
        begin();
        Compaction compaction;
        compaction.summary = line_.summary;
        emit(compaction);
        return LineFate::understood;
    }

    LineFate clear() {
        begin();
        Compaction compaction;
        compaction.kind = CompactionKind::reset;
        compaction.trigger = CompactionTrigger::manual;
        compaction.keep = Keep::none;
        emit(compaction);
        last_.clear();
        return LineFate::understood;
    }

    LineFate reset() {
        begin();
        if (const std::string* last = entries_.after(line_.target)) {
            last_ = *last;
            go_back();
        }
        return LineFate::understood;
    }

    LineFate cancelled() {
        begin();
        emit(TurnEnd{TurnStatus::aborted, -1});
        if (std::exchange(by_user_, false)) {
            last_ = before_user_;
            go_back();
        }
        return LineFate::understood;
    }

    void go_back() {
        by_user_ = false;
        Rewind rewind;
        if (!last_.empty()) rewind.target = RewindTarget::to_record;
        rewind.record_id = last_;
        emit(rewind);
    }

    Line line_;
    Session session_;
    LastMessages entries_;
    std::string last_, before_user_;  // ids of messages
    bool by_user_ = false;            // the last message is
    IdHash model_ = 0;
};

bool is_entry(const ProbeRecord& r) {
    constexpr std::array<std::string_view, 5> kWithData{"Prompt", "AssistantMessage", "ToolResults", "Compaction",
                                                        "ResetTo"};
    const std::string_view kind = r.text("kind");
    if (r.text("version") != "v1") return false;
    return (r.has("data") && is_one_of(kind, kWithData)) || kind == "CancelledPrompt" || kind == "Clear";
}

Score score(std::span<const ProbeRecord> sample, Framing) {
    return std::ranges::any_of(sample, is_entry) ? kCertain : 0;
}

constexpr RecordKindDoc kKinds[] = {
    {"{session_id, …}.json beside it", "SessionStart; ContextChange (window); Usage (totals)"},
    {"Prompt", "TurnStart and Message (human); what hooks added: injected"},
    {"AssistantMessage", "Message, Thinking and ToolCall, one a block; ContextChange (model)"},
    {"ToolResults", "ToolResult: status, for commands the exit status; a prompt beside them: Message (human)"},
    {"Compaction", "Compaction"},
    {"Clear", "Compaction (reset)"},
    {"ResetTo", "Rewind"},
    {"CancelledPrompt", "TurnEnd (aborted) and Rewind"},
};

}  // namespace

ReaderSpec kiro_cli() {
    return {"kiro-cli",
            "Kiro CLI",
            "session logs",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::response_ids | Signal::reasoning | Signal::compaction,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<KiroCli>()); }};
}

}  // namespace agent_audit::readers
