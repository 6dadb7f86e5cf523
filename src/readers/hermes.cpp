#include "readers/all.hpp"
#include "readers/messages/conversation.hpp"

#include <agent_audit/support/hash.hpp>
#include <agent_audit/support/hash_map.hpp>
#include <agent_audit/support/unescape.hpp>

#include <array>
#include <string>

// Rows of Hermes' database, and sessions exported from it, {…columns,"messages":[…rows]}.
//
//   {"row":"hermes.session","id":"…","model":"…","timestamp":1772445600.5,"input_tokens":900,"output_tokens":40}
//   {"row":"hermes.message","role":"assistant","content":"…","reasoning":"…","tool_calls":[{"id":"c","function":
//    {"name":"terminal","arguments":"{…}"}}],"timestamp":1772445601.5}
//   {"row":"hermes.message","role":"tool","tool_call_id":"c","tool_name":"terminal","content":"{\"output\": \"…\"}"}
//
// Its session files have the same messages, a line each, behind one that says what the session began with:
//
//   {"role":"session_meta","model":"…","platform":"telegram","tools":[…],"timestamp":"2026-03-02T10:00:00.5"}
//   {"role":"user","content":"…","timestamp":"2026-03-02T10:00:01.5"}
//
// When it compacts it leaves the rows, and writes behind them a summary and once more what is kept, with the old times.

namespace agent_audit::readers {
namespace {

struct Call {
    std::string_view id, name;
    CallArgs args;
};

struct Row {
    std::string_view row, id, parent, model, cwd, role, call_id, tool, finish, shown_as, branch, delegate;
    RawText content, reasoning, reasoning_content;
    Reused<Call> calls;
    TokenCounts tokens;
    double cost_usd = 0, estimate_usd = 0;
    std::int64_t time_ms = kNoTime;
    std::uint32_t media = 0;
    bool has_content = false, is_summary = false, let_go = false, archived = true;
};

// Rows whose text the program wrote, by what the desktop makes of them.
constexpr std::array<std::string_view, 4> kProgramKinds{"auto_continue", "hidden", "internal_notification",
                                                        "model_switch"};

// The same by their first words, of versions that note no kind.
constexpr std::array<std::string_view, 6> kProgramTexts{"[Your active task list was preserved across context",
                                                        "[ASYNC DELEGATION ",
                                                        "[IMPORTANT: Background process",
                                                        "[Continuing toward your ",
                                                        "[PRIOR CONTEXT",
                                                        "Review the conversation above and "};

constexpr std::string_view kPartsMark = R"(\u0000json:)";

constexpr std::array<std::string_view, 2> kSummaryTexts{"[CONTEXT COMPACTION", "[CONTEXT SUMMARY]:"};

// Messages that are remembered; those beyond are taken for new.
constexpr std::size_t kMostKnown = 49'152;

class Hermes final : public ConversationReader {
protected:
    LineFate read_object(json::object object) override {
        begin_again(row_, &Row::calls);
        exported_ = false;
        if (!read_fields<&Hermes::collect>(object)) return LineFate::malformed_json;
        if (exported_) return LineFate::understood;
        if (row_.row == "hermes.session") return session();
        if (row_.row.empty() && !row_.role.empty()) return line_of_file();
        if (row_.row != "hermes.message") return LineFate::unknown_kind;
        return message_row();
    }

private:
    LineFate line_of_file() {
        if (row_.role != "session_meta") return message_row();
        SessionStart start;
        start.model = text_of(row_.model);
        start.resumed = std::exchange(begun_file_, true);
        begin_session(start, row_.time_ms);
        return LineFate::understood;
    }

    LineFate message_row() {
        if (row_.role.empty()) return LineFate::missing_field;
        if (row_.reasoning.empty()) row_.reasoning = row_.reasoning_content;
        if (!row_.has_content && row_.calls.empty() && row_.reasoning.empty()) return LineFate::missing_field;
        return message();
    }

    // An exported session is its row, with those of its messages behind the other columns.
    bool collect_messages(json::value& v) {
        if (!is_array(v) || session() != LineFate::understood) return true;
        exported_ = true;
        return each_element(v, [this](json::value& element) {
            begin_again(row_, &Row::calls);
            args_.clear();
            if (!each_field(element, [this](const char* key, json::value& w) { return collect(key, w); })) return false;
            message_row();
            return true;
        });
    }

    bool collect(const char* key, json::value& v) {
        if (key_is(key, "row"))
            row_.row = raw_string(v);
        else if (key_is(key, "id"))
            row_.id = is_string(v) ? raw_string(v) : raw_value(v);
        else if (key_is(key, "active"))
            row_.let_go = as_int(v, 1) == 0;
        else if (key_is(key, "compacted"))
            row_.archived = as_uint(v) > 0;
        else if (key_is(key, "parent_session_id"))
            row_.parent = raw_string(v);
        else if (key_is(key, "model"))
            row_.model = raw_string(v);
        else if (key_is(key, "cwd"))
            row_.cwd = raw_string(v);
        else if (key_is(key, "role"))
            row_.role = raw_string(v);
        else if (key_is(key, "content")) {
            row_.has_content = true;
            if (is_array(v)) {
                const Content content = read_content(v);
                row_.content = content.text;
                row_.media = content.media;
                return true;
            }
            row_.content = any_text(v);
            if (row_.content.bytes.starts_with(kPartsMark)) take_parts();
        } else if (key_is(key, "reasoning"))
            row_.reasoning = text_of(raw_string(v));
        else if (key_is(key, "reasoning_content"))
            row_.reasoning_content = text_of(raw_string(v));
        else if (key_is(key, "_compressed_summary"))
            row_.is_summary = as_uint(v) > 0;
        else if (key_is(key, "display_kind"))
            row_.shown_as = raw_string(v);
        else if (key_is(key, "model_config"))
            return each_field(v, [this](const char* k, json::value& w) {
                if (key_is(k, "_branched_from"))
                    row_.branch = raw_string(w);
                else if (key_is(k, "_delegate_from"))
                    row_.delegate = raw_string(w);
                return true;
            });
        else if (key_is(key, "tool_call_id"))
            row_.call_id = raw_string(v);
        else if (key_is(key, "tool_name"))
            row_.tool = raw_string(v);
        else if (key_is(key, "finish_reason"))
            row_.finish = raw_string(v);
        else if (key_is(key, "timestamp") || key_is(key, "started_at"))
            row_.time_ms = is_string(v) ? time_of(raw_string(v)) : unix_time(v);
        else if (key_is(key, "messages"))
            return collect_messages(v);
        else if (key_is(key, "tool_calls"))
            return each_element(v, [this](json::value& element) { return collect_call(element); });
        else
            collect_tokens(key, v);
        return true;
    }

    // Pictures and texts of one message stand in the column as JSON, behind a mark.
    void take_parts() {
        parts_ = decode_json_string(row_.content.bytes.substr(kPartsMark.size()));
        const std::size_t size = parts_.size();
        parts_.append(kRecordPadding, ' ');
        json::document doc;
        json::value list;
        if (parts_parser_.iterate(parts_.data(), size, parts_.size()).get(doc) || doc.get_value().get(list)) return;
        const Content content = read_content(list);
        if (content.text.empty() && content.media == 0) return;
        row_.content = content.text;
        row_.media = content.media;
    }

    void collect_tokens(const char* key, json::value& v) {
        if (key_is(key, "input_tokens"))
            row_.tokens.input = as_uint(v);
        else if (key_is(key, "output_tokens"))
            row_.tokens.output = as_uint(v);
        else if (key_is(key, "cache_read_tokens"))
            row_.tokens.cache_read = as_uint(v);
        else if (key_is(key, "cache_write_tokens"))
            row_.tokens.cache_write = as_uint(v);
        else if (key_is(key, "reasoning_tokens"))
            row_.tokens.reasoning = as_uint(v);
        else if (key_is(key, "estimated_cost_usd"))
            row_.estimate_usd = number_or(v, 0);
        else if (key_is(key, "actual_cost_usd"))
            row_.cost_usd = number_or(v, 0);
    }

    bool collect_call(json::value& v) {
        Call* call = is_object(v) ? row_.calls.next() : nullptr;
        return !call || each_field(v, [call, this](const char* key, json::value& w) {
            if (key_is(key, "id"))
                call->id = raw_string(w);
            else if (key_is(key, "function"))
                return each_field(w, [call, this](const char* k, json::value& x) {
                    if (key_is(k, "name"))
                        call->name = raw_string(x);
                    else if (key_is(k, "arguments") && !is_null(x))
                        call->args = args_.digest_value({}, x);
                    return true;
                });
            return true;
        });
    }

    LineFate session() {
        if (row_.id.empty()) return LineFate::missing_field;
        SessionStart start;
        start.session_id = text_of(row_.id);
        start.parent_session_id = text_of(row_.parent);
        // What a session was made of is handed down to those that go on with it.
        sub_agent_ = !row_.delegate.empty() && row_.delegate == row_.parent;
        start.sub_agent = sub_agent_;
        if (!row_.branch.empty() && row_.branch == row_.parent) start.forked_from = text_of(row_.branch);
        start.model = text_of(row_.model);
        start.cwd = text_of(row_.cwd);
        undone_.clear();
        begin_session(start, row_.time_ms);
        if (row_.tokens.total() > 0) {  // the totals of the session, as they were when it was last saved
            Usage usage;
            usage.scope = UsageScope::session;
            usage.mode = UsageMode::cumulative;
            usage.tokens = row_.tokens;
            const std::uint64_t cost = microusd(row_.cost_usd > 0 ? row_.cost_usd : row_.estimate_usd);
            if (cost > 0) usage.cost_microusd = cost;
            emit(usage);
        }
        return LineFate::understood;
    }

    LineFate message() {
        const std::string_view role = row_.role;
        begin_message(role == "assistant", row_.time_ms, {}).record_id = row_.id;
        take_back();
        if (told_before()) head().flags |= kCopied;
        if (row_.is_summary || (role == "user" && starts_with_one_of(row_.content.bytes, kSummaryTexts))) {
            summary();
        } else if (role == "user") {
            user();
        } else if (role == "assistant") {
            if (!row_.reasoning.empty()) emit(Thinking{row_.reasoning, 0});
            answer(row_.content);
            for (const Call& call : row_.calls) {
                if (!call.name.empty()) emit(call_of(call.id, call.name, call.args));
            }
        } else if (role == "tool") {
            result();
        } else if (role == "system" || role == "developer") {
            injected(Role::system, row_.content);
        } else {
            return role == "session_meta" ? LineFate::ignored_kind : LineFate::unknown_kind;
        }
        return LineFate::understood;
    }

    // What the person undoes or has tried again stays, but is let go without being archived. Old versions archived
    // without saying so: they are known by the summary that follows.
    void take_back() {
        const bool undone = row_.let_go && !row_.archived;
        if (undone && undone_.empty()) undone_.assign(row_.id);
        if (undone || undone_.empty()) return;
        if (!row_.is_summary) emit(Rewind{RewindTarget::before_record, undone_, 0});
        undone_.clear();
    }

    // The same time to the millisecond, and the same words: of a result its call is enough, for its text is cut down.
    bool told_before() {
        if (row_.time_ms == kNoTime) return false;
        std::uint64_t what = mix_hash(static_cast<std::uint64_t>(row_.time_ms), stable_hash(row_.role));
        what = mix_hash(what, stable_hash(row_.role == "tool" ? row_.call_id : row_.content.bytes));
        for (const Call& call : row_.calls) what = mix_hash(what, stable_hash(call.id));
        if (known_.contains(what)) return true;
        if (known_.size() < kMostKnown) known_.try_emplace(what);
        return false;
    }

    void summary() {
        Compaction compaction;
        compaction.summary = row_.content;
        emit(compaction);
    }

    void user() {
        if (is_one_of(row_.shown_as, kProgramKinds) || starts_with_one_of(row_.content.bytes, kProgramTexts)) {
            injected(Role::user, row_.content);
        } else if ((head().flags & kCopied) != 0) {
            asked();
        } else if (sub_agent_ || !row_.content.empty() || row_.media > 0) {
            begin_turn();
            asked();
        }
    }

    void asked() {
        if (row_.content.empty() && row_.media == 0) return;
        emit(Message{Role::user, sub_agent_ ? Origin::agent : Origin::human, row_.content, row_.media});
    }

    // Tools answer in JSON, kept as text: {"output": "…", "exit_code": 1, "error": null}.
    void result() {
        ToolResult result;
        result.call_id = text_of(row_.call_id);
        result.name = text_of(row_.tool);
        result.text = row_.content;
        result.media_count = row_.media;
        result.opaque = row_.content.empty() && row_.media > 0;
        result.exit_code = json_number_after(row_.content.bytes, R"(\"exit_code\")");
        const std::string_view text = row_.content.bytes;
        if (result.exit_code)
            result.status = status_of(result.exit_code);
        else if (text.starts_with(R"({\"error\": \")") || text.starts_with(R"({\"error\":\")"))
            result.status = ResultStatus::error;
        emit(result);
    }

    Row row_;
    HashMap<bool> known_;  // messages, by time and words
    json::parser parts_parser_;
    std::string parts_;
    std::string undone_;  // the first of the rows that were just taken back
    bool sub_agent_ = false, exported_ = false, begun_file_ = false;
};

bool is_exported(const ProbeRecord& r) {
    const auto messages = r.raw("messages");
    return messages && messages->starts_with('[') && r.has("started_at") && r.has("source") && r.has("model_config");
}

bool begins_file(const ProbeRecord& r) {
    return r.text("role") == "session_meta" && !r.has("type") && (r.has("tools") || r.has("platform"));
}

// Its answers say why they ended, and when, and have no id and no usage.
bool is_answer_of_file(const ProbeRecord& r) {
    return r.text("role") == "assistant" && r.has("finish_reason") && r.has("timestamp") && !r.has("id") &&
           !r.has("usage") && !r.has("type");
}

Score score(std::span<const ProbeRecord> sample, Framing) {
    if (std::ranges::any_of(sample, [](const ProbeRecord& r) { return r.text("row").starts_with("hermes."); }))
        return kCertain;
    if (std::ranges::any_of(sample, [](const ProbeRecord& r) { return is_exported(r) || begins_file(r); })) return 95;
    return std::ranges::any_of(sample, is_answer_of_file) ? 85 : 0;
}

constexpr RecordKindDoc kKinds[] = {
    {"row session; an exported session", "SessionStart; Usage (totals) with cost"},
    {"session_meta of a session file", "SessionStart, resumed when repeated"},
    {"message, user",
     "TurnStart and Message (human, or the agent's that asks a sub-agent); notes of the program injected"},
    {"message, _compressed_summary", "Compaction"},
    {"a message with the time and the words of an earlier one", "the same events, marked as copies"},
    {"a message behind others that are not active, nor compacted", "Rewind first"},
    {"message, assistant", "Thinking, Message and ToolCall"},
    {"message, tool", "ToolResult: the exit code or error in its JSON, else the text decides"},
    {"message, system", "Message (system)"},
};

}  // namespace

ReaderSpec hermes() {
    return {"hermes",
            "Hermes agent",
            "its SQLite database, sessions exported from it, session files",
            Signal::tool_calls | Signal::tool_results | Signal::token_usage | Signal::timestamps |
                Signal::response_ids | Signal::reasoning | Signal::compaction | Signal::cost,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<Hermes>()); }};
}

}  // namespace agent_audit::readers
