#include "readers/all.hpp"
#include "readers/factory_droid/factory_droid_words.hpp"
#include "readers/json/json_reader.hpp"
#include "readers/messages/blocks.hpp"

#include <array>
#include <string>

// Session files of Factory Droid:
//
//   {"type":"session_start","id":"…","title":"…","sessionTitle":"…","owner":"…","version":2,"cwd":"…"}
//   {"type":"message","id":"…","parentId":"…","timestamp":"…","message":{"role":"user","content":[blocks]}}
//   {"type":"todo_state",…}, {"type":"compaction_state","summaryText":"…"}
//   {"type":"agent_turn_outcome","turnId":"…","reason":"completed"}
//
// What a session took stands in <id>.settings.json beside it, which is read first:
//
//   {"model":"…","tokenUsage":{"inputTokens":1,"outputTokens":1,"cacheReadTokens":1,…},…}

namespace agent_audit::readers {
namespace {

struct Line {
    std::string_view type, id, timestamp, cwd, role, visibility, source, model, reason, parent_session, forked_from;
    std::string_view fork_point, parent_message;
    RawText summary, reasoning;
    std::string_view settings_model;
    TokenCounts tokens;
    std::uint64_t opaque_bytes = 0;
    bool has_message = false, has_tokens = false;
};

class FactoryDroid final : public JsonReader {
protected:
    LineFate read_object(json::object object) override {
        line_ = Line{};
        blocks_.clear();
        if (!read_fields<&FactoryDroid::collect>(object)) return LineFate::malformed_json;
        if (line_.type == "session_start") return session();
        if (line_.type == "message") return message();
        if (line_.type == "compaction_state") return compaction();
        if (line_.type == "agent_turn_outcome") return turn_end();
        if (line_.type.empty() && line_.has_tokens && !open_) return settings();
        if (line_.type == "todo_state" || line_.type == "session_end") return LineFate::ignored_kind;
        return LineFate::unknown_kind;
    }

private:
    bool collect(const char* key, json::value& v) {
        if (key_is(key, "type"))
            line_.type = raw_string(v);
        else if (key_is(key, "id"))
            line_.id = raw_string(v);
        else if (key_is(key, "timestamp"))
            line_.timestamp = raw_string(v);
        else if (key_is(key, "cwd"))
            line_.cwd = raw_string(v);
        else if (key_is(key, "callingSessionId"))
            line_.parent_session = raw_string(v);
        else if (key_is(key, "parent"))
            line_.forked_from = raw_string(v);
        else if (key_is(key, "parentId"))
            line_.parent_message = raw_string(v);
        else if (key_is(key, "forkedAtMessageId"))
            line_.fork_point = raw_string(v);
        else if (key_is(key, "reason"))
            line_.reason = raw_string(v);
        else if (key_is(key, "summaryText") || key_is(key, "summary"))
            line_.summary = text_of(raw_string(v));
        else if (key_is(key, "model"))
            line_.settings_model = raw_string(v);
        else if (key_is(key, "tokenUsage"))
            return collect_tokens(v);
        else if (key_is(key, "message")) {
            line_.has_message = is_object(v);
            return each_field(v, [this](const char* k, json::value& w) {
                if (key_is(k, "role"))
                    line_.role = raw_string(w);
                else if (key_is(k, "visibility"))
                    line_.visibility = raw_string(w);
                else if (key_is(k, "userMessageSource"))
                    line_.source = raw_string(w);
                else if (key_is(k, "modelId"))
                    line_.model = raw_string(w);
                else if (key_is(k, "openaiReasoningSummary"))
                    line_.reasoning = text_of(raw_string(w));
                else if (key_is(k, "openaiEncryptedContent"))
                    line_.opaque_bytes = raw_string(w).size();
                else if (key_is(k, "content"))
                    return collect_blocks(w, blocks_, args_);
                return true;
            });
        }
        return true;
    }

    // Thoughts are part of what was put out.
    bool collect_tokens(json::value& v) {
        line_.has_tokens = is_object(v);
        return each_field(v, [this](const char* key, json::value& n) {
            TokenCounts& t = line_.tokens;
            if (key_is(key, "inputTokens"))
                t.input = as_uint(n);
            else if (key_is(key, "outputTokens"))
                t.output = as_uint(n);
            else if (key_is(key, "cacheReadTokens"))
                t.cache_read = as_uint(n);
            else if (key_is(key, "cacheCreationTokens"))
                t.cache_write = as_uint(n);
            else if (key_is(key, "thinkingTokens"))
                t.reasoning = as_uint(n);
            return true;
        });
    }

    LineFate settings() {
        constexpr std::size_t kLongestModel = 200;  // bytes
        spent_ = line_.tokens;
        spent_.reasoning = std::min(spent_.reasoning, spent_.output);
        spent_model_.assign(line_.settings_model.substr(0, kLongestModel));
        return LineFate::understood;
    }

    // A sum, and no prompt that was sent before the first message.
    void tell_spent() {
        if (spent_.total() == 0) return;
        Usage usage;
        usage.scope = UsageScope::session;
        usage.tokens = std::exchange(spent_, {});
        usage.model = text_of(spent_model_);
        emit(usage);
    }

    LineFate session() {
        if (line_.id.empty()) return LineFate::missing_field;
        const IdHash id = id_hash(line_.id);
        new_head().time_ms = time_of(line_.timestamp);
        SessionStart start;
        start.session_id = text_of(line_.id);
        start.parent_session_id = text_of(line_.parent_session);
        start.forked_from = text_of(line_.forked_from);
        start.sub_agent = sub_agent_ = !line_.parent_session.empty();
        start.cwd = text_of(line_.cwd);
        start.resumed = open_ && id == session_;
        if (!start.resumed) {
            turn_ = 0;
            model_ = 0;
        }
        open_ = true;
        session_ = id;
        fork_point_ = start.resumed || line_.forked_from.empty() ? 0 : id_hash(line_.fork_point);
        past_fork_point_ = false;
        emit(start);
        tell_spent();
        return LineFate::understood;
    }

    void begin() {
        if (!open_) {
            open_ = true;
            new_head().time_ms = time_of(line_.timestamp);
            emit(SessionStart{});
            tell_spent();
        }
        EventHeader& h = new_head(0, turn_);
        h.time_ms = time_of(line_.timestamp);
        h.record_id = line_.id;
        if (copied()) h.flags |= kCopied;
    }

    // A fork begins with the messages of the session that it was made from, up to one it names, and with how their
    // turns ended. What it took itself is counted from the fork on, which an answer to that message tells where the
    // message cannot be read.
    bool copied() {
        if (fork_point_ == 0) return false;
        past_fork_point_ = past_fork_point_ || id_hash(line_.parent_message) == fork_point_;
        if (past_fork_point_ && line_.type == "message") {
            fork_point_ = 0;
            return false;
        }
        past_fork_point_ = past_fork_point_ || id_hash(line_.id) == fork_point_;
        return true;
    }

    LineFate message() {
        if (!line_.has_message || line_.role.empty()) return LineFate::missing_field;
        begin();
        if (line_.visibility == "user_only") return shown();
        if (line_.role == "assistant") return assistant();
        if (line_.role == "user") return user();
        return LineFate::unknown_kind;
    }

    // The program tells the human something; the model never sees it.
    LineFate shown() {
        head().flags |= kHidden | kSynthetic;
        for (const ContentBlock& block : blocks_)
            if (!block.text.empty())
                emit(notice_of(NoticeLayer::harness, NoticeLevel::warning, "user_only", block.text));
        return LineFate::understood;
    }

    LineFate user() {
        const bool by_program = line_.visibility == "llm_only" || line_.source == "automation";
        bool begun = false;
        std::uint32_t media = 0;
        for (const ContentBlock& block : blocks_) media += block.media ? 1 : 0;
        for (const ContentBlock& block : blocks_) {
            if (block.type == "tool_result") {
                emit(droid_result(result_of(block)));
                continue;
            }
            if (block.text.empty()) continue;
            const bool asked = !by_program && !block.text.bytes.starts_with("<system-");
            if (asked && !std::exchange(begun, true)) {
                head().turn = ++turn_;
                emit(TurnStart{});
            }
            const Origin origin = !asked ? Origin::injected : sub_agent_ ? Origin::agent : Origin::human;
            emit(Message{Role::user, origin, block.text, std::exchange(media, 0u)});
        }
        return LineFate::understood;
    }

    LineFate assistant() {
        model();
        head().response = line_.id.empty() ? ++responses_ | std::uint64_t{1} << 63 : id_hash(line_.id);
        if (!line_.reasoning.empty() || line_.opaque_bytes > 0) emit(Thinking{line_.reasoning, line_.opaque_bytes});
        for (const ContentBlock& block : blocks_) {
            if (block.type == "tool_use") {
                if (!block.name.empty()) emit(call_of(block.id, block.name, block.args));
            } else if (block.type == "thinking" || block.type == "redacted_thinking") {
                if (!block.text.empty() || block.opaque_bytes > 0) emit(Thinking{block.text, block.opaque_bytes});
            } else if (block.type == "tool_result") {
                emit(droid_result(result_of(block)));
            } else if (!block.text.empty()) {
                emit(Message{Role::assistant, Origin::agent, block.text, 0});
            }
        }
        return LineFate::understood;
    }

    void model() {
        const IdHash model = id_hash(line_.model);
        if (model == 0 || model == model_) return;
        model_ = model;
        ContextChange change;
        change.model = text_of(line_.model);
        emit(change);
    }

    LineFate turn_end() {
        if (!open_) return LineFate::ignored_kind;
        begin();
        const std::string_view reason = line_.reason;
        const bool model = reason.starts_with("model_");  // model_request_rejected
        if (model) emit(notice_of(NoticeLayer::provider, NoticeLevel::error, "error", text_of(reason)));
        const bool failed = model || reason == "error" || reason.starts_with("structured_output_");
        const bool stopped = reason == "cancelled" || reason == "permission_rejected" || reason == "process_exit";
        emit(TurnEnd{reason == "completed" ? TurnStatus::completed
                     : stopped             ? TurnStatus::aborted
                     : failed              ? TurnStatus::failed
                                           : TurnStatus::unknown,
                     -1});
        return LineFate::understood;
    }

    LineFate compaction() {
        begin();
        Compaction compaction;
        compaction.summary = line_.summary;
        emit(compaction);
        return LineFate::understood;
    }

    Line line_;
    ContentBlocks blocks_;
    bool open_ = false, sub_agent_ = false, past_fork_point_ = false;
    IdHash session_ = 0, model_ = 0;
    IdHash fork_point_ = 0;  // the last message that stands in another file as well
    std::uint32_t turn_ = 0;
    std::uint64_t responses_ = 0;
    TokenCounts spent_;  // by the session, as long as nobody was told
    std::string spent_model_;
};

// Others frame their messages in the same way, but write into them when and by which model they were made.
bool is_message(const ProbeRecord& r) {
    if (r.text("type") != "message" || !r.has("id") || !r.has("timestamp")) return false;
    const ProbeRecord message = r.child("message");
    const std::string_view role = message.text("role");
    const bool made = message.has("timestamp") || message.has("api") || message.has("provider") || message.has("usage");
    const auto content = message.raw("content");
    return !made && (role == "user" || role == "assistant") && content && content->starts_with('[');
}

Score score(std::span<const ProbeRecord> sample, Framing) {
    Score best = 0;
    for (const ProbeRecord& r : sample) {
        if (!r.is_object()) continue;
        const std::string_view type = r.text("type");
        if (type == "session_start" && r.has("id") && (r.has("owner") || r.has("sessionTitle"))) return kCertain;
        if (type == "todo_state" || type == "compaction_state") best = 80;
        if (is_message(r)) best = std::max(best, 70);
    }
    return best;
}

constexpr RecordKindDoc kKinds[] = {
    {"session_start", "SessionStart"},
    {"message, user",
     "TurnStart and Message (human, or the agent's that asks a sub-agent); what only the model sees, or automation "
     "wrote, injected; ToolResult"},
    {"message, assistant", "Message, Thinking and ToolCall, one a block; ContextChange when the model is another one"},
    {"message, user_only", "Notice"},
    {"compaction_state", "Compaction"},
    {"agent_turn_outcome", "TurnEnd; Notice (provider) when the model was not to be had"},
    {"<id>.settings.json beside it", "Usage (of the session)"},
    {"todo_state, session_end", "ignored"},
};

}  // namespace

ReaderSpec factory_droid() {
    return {"factory-droid",
            "Factory Droid",
            "session files",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::timestamps | Signal::response_ids | Signal::reasoning | Signal::compaction,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<FactoryDroid>()); }};
}

}  // namespace agent_audit::readers
