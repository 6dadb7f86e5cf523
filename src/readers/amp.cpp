#include "readers/all.hpp"
#include "readers/json/document_reader.hpp"
#include "readers/json/ids.hpp"
#include "readers/messages/blocks.hpp"

#include <string>
#include <vector>

// Threads of Amp, one document each:
//
//   {"id":"T-…","created":1772445600000,"title":"…","messages":[{"role":"user","content":[…]},
//    {"role":"assistant","content":[{"type":"tool_use","id":"…","name":"Bash","input":{…}}],"usage":{…}},
//    {"role":"user","content":[{"type":"tool_result","toolUseID":"…","run":{"status":"done","result":…}}]},
//    {"role":"info","content":[{"type":"summary","summary":{"type":"message","summary":"…"}}]}],"env":{…}}
//
// Messages of a sub-agent have a parentToolUseId.

namespace agent_audit::readers {
namespace {

struct Parts {
    std::string_view role, model, state, agent;
    TokenCounts tokens;
    std::uint64_t window_tokens = 0;
    std::int64_t time_ms = kNoTime;
    bool has_content = false, has_messages = false;
};

class Amp final : public DocumentReader {
public:
    Amp() : DocumentReader("messages") {}

protected:
    LineFate read_object(json::object object) override {
        std::string_view id, parent;
        created_ = kNoTime;
        ledger_.clear();
        told_ = false;
        bool has_messages = false;
        const bool whole = read_fields(object, [&](const char* key, json::value& v) {
            if (key_is(key, "id"))
                id = raw_string(v);
            else if (key_is(key, "created"))
                created_ = unix_time(v);
            else if (key_is(key, "mainThreadID"))
                parent = raw_string(v);
            else if (key_is(key, "messages"))
                has_messages = is_array(v);
            else
                return collect_ledger(key, v);
            return true;
        });
        if (!whole) return LineFate::malformed_json;
        if (!has_messages) return id.empty() ? LineFate::unknown_kind : LineFate::missing_field;
        id_ = id;
        parent_ = parent;
        lanes_.clear();
        open_ = false;
        return stream_records(object);
    }

    bool read_rest(json::object fields) override { return read_fields<&Amp::collect_ledger>(fields); }

    LineFate end_document(json::object) override {
        open();
        // Where messages tell their usage they tell all of it, the ledger leaves out what was cached.
        if (told_) return LineFate::understood;
        for (const Entry& entry : ledger_) {
            new_head(0, turn_).time_ms = entry.time_ms;
            Usage usage;
            usage.tokens = entry.tokens;
            usage.model = text_of(entry.model);
            emit(usage);
        }
        return LineFate::understood;
    }

    LineFate read_element(json::object element) override {
        parts_ = Parts{};
        blocks_.clear();
        if (!read_fields<&Amp::collect>(element)) return LineFate::malformed_json;
        if (!parts_.has_content) return LineFate::missing_field;
        open();
        begin_message();
        if (parts_.role == "user") return user();
        if (parts_.role == "assistant") return assistant();
        if (parts_.role == "info") return info();
        return parts_.role.empty() ? LineFate::missing_field : LineFate::unknown_kind;
    }

private:
    // {"events":[{"timestamp":"…","model":"…","tokens":{"input":9,"output":9}}]}
    bool collect_ledger(const char* key, json::value& v) {
        if (!key_is(key, "usageLedger")) return true;
        return each_field(v, [this](const char* k, json::value& events) {
            return !key_is(k, "events") ||
                   each_element(events, [this](json::value& event) { return collect_event(event); });
        });
    }

    bool collect_event(json::value& event) {
        Entry entry;
        const bool whole = each_field(event, [&](const char* key, json::value& v) {
            if (key_is(key, "model"))
                entry.model = raw_string(v);
            else if (key_is(key, "timestamp"))
                entry.time_ms = time_of(raw_string(v));
            else if (key_is(key, "tokens"))
                return collect_figures(v, entry.tokens);
            return true;
        });
        if (entry.tokens.total() > 0 && ledger_.size() < kMostEntries) ledger_.push_back(std::move(entry));
        return whole;
    }

    static bool collect_figures(json::value& v, TokenCounts& tokens) {
        return each_field(v, [&](const char* key, json::value& n) {
            if (key_is(key, "input")) tokens.input = as_uint(n);
            if (key_is(key, "output")) tokens.output = as_uint(n);
            return true;
        });
    }

    bool collect(const char* key, json::value& v) {
        if (key_is(key, "role"))
            parts_.role = raw_string(v);
        else if (key_is(key, "parentToolUseId"))
            parts_.agent = raw_string(v);
        else if (key_is(key, "content")) {
            parts_.has_content = true;
            return collect_blocks(v, blocks_, args_);
        } else if (key_is(key, "meta"))
            return each_field(v, [this](const char* k, json::value& w) {
                if (key_is(k, "sentAt")) parts_.time_ms = unix_time(w);
                return true;
            });
        else if (key_is(key, "state"))
            return each_field(v, [this](const char* k, json::value& w) {
                if (key_is(k, "type")) parts_.state = raw_string(w);
                return true;
            });
        else if (key_is(key, "usage"))
            return each_field(v, [this](const char* k, json::value& n) {
                if (key_is(k, "model"))
                    parts_.model = raw_string(n);
                else if (key_is(k, "timestamp")) {
                    if (is_string(n)) parts_.time_ms = time_of(raw_string(n));
                } else if (key_is(k, "maxInputTokens"))
                    parts_.window_tokens = as_uint(n);
                else if (key_is(k, "inputTokens") || key_is(k, "input_tokens"))
                    parts_.tokens.input = as_uint(n);
                else if (key_is(k, "outputTokens") || key_is(k, "output_tokens"))
                    parts_.tokens.output = as_uint(n);
                else if (key_is(k, "cacheReadInputTokens") || key_is(k, "cache_read_input_tokens"))
                    parts_.tokens.cache_read = as_uint(n);
                else if (key_is(k, "cacheCreationInputTokens") || key_is(k, "cache_creation_input_tokens"))
                    parts_.tokens.cache_write = as_uint(n);
                return true;
            });
        return true;
    }

    void open() {
        if (open_) return;
        open_ = true;
        turn_ = 0;
        const EventHeader here = head();
        new_head().time_ms = created_;
        SessionStart start;
        start.session_id = text_of(id_);
        start.parent_session_id = text_of(parent_);
        start.sub_agent = !parent_.empty();
        emit(start);
        head() = here;
    }

    void begin_message() {
        std::uint32_t lane = 0;
        if (!parts_.agent.empty()) {
            const auto found = lanes_.find(id_hash(parts_.agent));
            lane = found.lane;
            if (found.opened) {
                new_head(lane).time_ms = parts_.time_ms;
                LaneOpen open;
                open.purpose = LanePurpose::task;
                open.agent_id = text_of(parts_.agent);
                emit(open);
            }
        }
        new_head(lane, lane == 0 ? turn_ : 0).time_ms = parts_.time_ms;
    }

    LineFate user() {
        bool begun = false;
        for (const ContentBlock& block : blocks_) {
            if (block.type == "tool_result") {
                result(block);
            } else if (block.media) {
                emit(Message{Role::user, Origin::injected, {}, 1});
            } else if (!block.text.empty()) {
                const Origin origin = block.hidden       ? Origin::injected
                                      : head().lane != 0 ? Origin::agent  // it was given its task
                                                         : Origin::human;
                if (origin == Origin::human && !std::exchange(begun, true)) {
                    head().turn = ++turn_;
                    emit(TurnStart{});
                }
                emit(Message{Role::user, origin, block.text, 0});
            }
        }
        return LineFate::understood;
    }

    void result(const ContentBlock& block) {
        ToolResult result = result_of(block);
        if (block.status == "error")
            result.status = ResultStatus::error;
        else if (block.status == "rejected-by-user" || result.text.bytes.starts_with("Tool rejected by plugin: "))
            result.status = ResultStatus::denied;
        else if (block.status == "cancelled")
            result.status = ResultStatus::cancelled;
        else if (block.status == "in-progress" || block.status == "blocked-on-user" || block.status == "queued")
            return;
        if (result.status == ResultStatus::ok) {
            result.exit_code = json_number_after(result.text.bytes, "\"exitCode\"");
            result.status = status_of(result.exit_code);
        }
        emit(result);
    }

    // What Amp and the human put beside the conversation. The last summary stands for all before it.
    LineFate info() {
        for (const ContentBlock& block : blocks_) {
            if (block.type == "summary") {
                if (!block.summary.empty()) compaction(block.summary);
            } else if (block.type == "manual_bash_invocation") {
                command(block);
            } else if (!block.text.empty()) {
                emit(Message{Role::user, Origin::injected, block.text, 0});
            }
        }
        return LineFate::understood;
    }

    void compaction(RawText summary) {
        Compaction compaction;
        compaction.summary = summary;
        compaction.keep = Keep::none;
        emit(compaction);
    }

    // Typed by the human; hidden ones the model is not told of.
    void command(const ContentBlock& block) {
        if (block.args.raw.empty()) return;
        const std::uint16_t flags = head().flags;
        if (block.hidden) head().flags |= kHidden;
        // Without an id its result would be that of a call of the model.
        command_id_ = "manual-" + std::to_string(++commands_);
        ContentBlock run = block;
        run.id = command_id_;
        ToolCall call = call_of(run.id, "Bash", run.args);
        call.caller = Caller::user;
        emit(call);
        result(run);
        head().flags = flags;
    }

    LineFate assistant() {
        head().response = ++responses_ | std::uint64_t{1} << 63;
        for (const ContentBlock& block : blocks_) {
            if (block.type == "tool_use") {
                if (!block.name.empty()) emit(call_of(block.id, block.name, block.args));
            } else if (block.type == "thinking" || block.type == "redacted_thinking") {
                emit(Thinking{block.text, block.opaque_bytes});
            } else if (!block.text.empty()) {
                emit(Message{Role::assistant, Origin::agent, block.text, 0});
            }
        }
        if (parts_.tokens.total() > 0) {
            Usage usage;
            usage.tokens = parts_.tokens;
            usage.model = text_of(parts_.model);
            usage.window_tokens = parts_.window_tokens;
            told_ = true;
            emit(usage);
        }
        if (parts_.state == "cancelled") emit(TurnEnd{TurnStatus::aborted, -1});
        if (parts_.state == "error") emit(TurnEnd{TurnStatus::failed, -1});
        return LineFate::understood;
    }

    struct Entry {
        std::string model;
        TokenCounts tokens;
        std::int64_t time_ms = kNoTime;
    };
    static constexpr std::size_t kMostEntries = 100'000;

    std::string_view id_, parent_;
    Parts parts_;
    LaneTable lanes_;
    std::vector<Entry> ledger_;
    bool told_ = false;  // a message its usage
    ContentBlocks blocks_;
    std::int64_t created_ = kNoTime;
    bool open_ = false;
    std::uint32_t turn_ = 0;
    std::uint64_t responses_ = 0, commands_ = 0;
    std::string command_id_;
};

// Where ids were taken out, what no other chat has beside its messages tells.
bool tells_of_thread(const ProbeRecord& r) {
    const auto created = r.raw("created");
    if (!created || !is_stand_in(r.text("id"))) return false;
    const bool number = created->front() >= '1' && created->front() <= '9';
    return number && (r.has("env") || r.has("usageLedger") || r.has("nextMessageId") || r.has("agentMode"));
}

Score score(std::span<const ProbeRecord> sample, Framing) {
    for (const ProbeRecord& r : sample) {
        const auto messages = r.raw("messages");
        if (!messages || !messages->starts_with('[') || r.has("model") || r.has("info")) continue;
        if (r.text("id").starts_with("T-") && r.has("created")) return kCertain;
        if (tells_of_thread(r)) return kCertain;
    }
    return 0;
}

constexpr std::string_view kStreams[] = {"messages"};

constexpr RecordKindDoc kKinds[] = {
    {"{id, created, messages}", "SessionStart and the messages"},
    {"user",
     "TurnStart and Message (human), hidden texts injected; ToolResult for each result, by the status of its run"},
    {"parentToolUseId", "LaneOpen, then the message in the sub-agent's lane"},
    {"info", "Compaction; ToolCall by the user and its ToolResult; Message (injected)"},
    {"assistant", "Message, Thinking and ToolCall, one a block; Usage; TurnEnd when it was cancelled or failed"},
};

}  // namespace

ReaderSpec amp() {
    return {"amp",
            "Amp",
            "thread files",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::token_usage | Signal::response_ids | Signal::reasoning | Signal::sub_agents |
                Signal::compaction,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<Amp>()); },
            kStreams};
}

}  // namespace agent_audit::readers
