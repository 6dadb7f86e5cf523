#include "readers/all.hpp"
#include "readers/json_util.hpp"
#include "readers/repeated_fields.hpp"
#include "readers/run_totals.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

// Claude Code session files (~/.claude/projects/**/*.jsonl), sub-agent files beside them, and what
// `claude -p --output-format stream-json` prints. One model response is spread over several lines, one content
// block each, that share message.id and repeat the usage; most "user" records are not a human.

namespace agent_audit::readers {
namespace {

struct Block {
    std::string_view type;
    std::string_view id;    // tool_use: id; tool_result: tool_use_id
    std::string_view name;
    RawText text;
    CallArgs args;
    Content content;
    std::uint64_t opaque_bytes = 0;
    bool is_error = false;
};

constexpr std::size_t kMaxBlocks = 10'000;

// One line, collected in document order; interpreted when all keys are known.
struct Line {
    std::string_view type, subtype, uuid, parent_uuid, timestamp, session_id, request_id, agent_id, cwd, version;
    std::string_view parent_tool_use_id, source_tool_use_id, error_text, top_model, denial_kind;
    bool sidechain = false, has_sidechain = false, meta = false, compact_summary = false, transcript_only = false;
    bool api_error = false, parent_null = false, replay = false;
    bool has_message = false;
    std::string_view message_id, role, model;
    std::vector<Block> blocks;  // reused: grows once
    std::size_t block_count = 0;
    bool dropped_blocks = false;
    RawText text;               // message.content as a string
    bool has_text = false;
    bool has_usage = false, has_totals = false;
    TokenCounts usage;
    std::string_view advised;   // the parts of a usage among which an advisor's are
    RawText content;            // top-level content of system records
    RawText attachment;
    std::string_view attachment_type, command_mode;
    RawText attachment_prompt;
    std::string_view data_agent_id;
    RawText data_message;
    // compaction metadata
    std::string_view trigger;
    std::uint64_t pre_tokens = 0, post_tokens = 0, tokens_saved = 0;
    RawText ids;
    std::int64_t duration_ms = -1, retry_in_ms = -1;
    int attempt = 0;
    double cost_usd = -1;
    bool is_error = false;

    void clear() {
        std::vector<Block> keep = std::move(blocks);
        *this = Line{};
        blocks = std::move(keep);
    }
    // Null beyond the limit: a message of a million empty blocks is an attack on our memory, not a message.
    Block* next_block() {
        if (block_count == kMaxBlocks) {
            dropped_blocks = true;
            return nullptr;
        }
        if (block_count == blocks.size()) blocks.emplace_back();
        Block& block = blocks[block_count++];
        block = Block{};
        return &block;
    }
};

bool starts_with_any(std::string_view text, std::span<const std::string_view> prefixes) {
    return std::ranges::any_of(prefixes, [text](std::string_view p) { return text.starts_with(p); });
}

// Text the program puts into user records on its own behalf.
constexpr std::array<std::string_view, 15> kInjectedPrefixes{
    "<command-name>", "<command-message>", "<local-command-stdout>", "<local-command-stderr>",
    "<local-command-caveat>", "<bash-stdout>", "<bash-stderr>", "<task-notification>", "<system-reminder>",
    "<ide_opened_file>", "<ide_selection>", "Base directory for this skill", "Caveat:", "Stop hook feedback",
    "This session is being continued"};

constexpr std::array<std::string_view, 18> kBookkeeping{
    "summary", "file-history-snapshot", "queue-operation", "custom-title", "ai-title", "last-prompt", "mode",
    "permission-mode", "pr-link", "frame-link", "agent-name", "tag", "agent-color", "agent-setting",
    "worktree-state", "content-replacement", "stream_event", "rate_limit_event"};

bool is_one_of(std::string_view word, std::span<const std::string_view> words) {
    return std::ranges::find(words, word) != words.end();
}

std::optional<int> leading_exit_code(std::string_view text) {
    constexpr std::string_view prefix = "Exit code ";
    if (!text.starts_with(prefix)) return std::nullopt;
    int code = 0;
    std::size_t i = prefix.size();
    for (; i < text.size() && i < prefix.size() + 6 && text[i] >= '0' && text[i] <= '9'; ++i) {
        code = code * 10 + (text[i] - '0');
    }
    return i > prefix.size() ? std::optional<int>(code) : std::nullopt;
}

class ClaudeCode final : public JsonReader {
public:
    explicit ClaudeCode(bool stream) : stream_(stream) {}

protected:
    LineFate read_object(json::object object) override {
        line_.clear();
        if (!collect<json::value>(object)) return LineFate::malformed_json;
        return interpret();
    }

    std::optional<LineFate> read_quickly(quick::Walk& walk) override {
        const char* const open = walk.past_blanks(walk.at());
        if (*open != '{') return std::nullopt;
        line_.clear();
        origin_.restart();
        if (!collect<quick::value>(quick::object(&walk, open)) || !walk.finished()) return std::nullopt;
        // A record within the record, or a part that is read again: simdjson has seen both.
        if (!line_.data_message.empty() || !line_.advised.empty()) return std::nullopt;
        if (stream_ && line_.type == "result") return std::nullopt;
        return interpret();
    }

private:
    // ---- collecting -------------------------------------------------------------------------------------

    template <class Value>
    bool collect(ObjectOf<Value> object) {
        for (auto item : object) {
            FieldOf<Value> field;
            if (std::move(item).get(field)) return false;
            const char* key = field.key().raw();
            Value v = std::move(field).value();
            if (pass_over_origin(key, v) || take_totals(key, v)) continue;
            if (!collect_field(key, v)) return false;
        }
        return true;
    }

    // ---- what is the same on many lines in a row: where they come from, and which response they belong to -------

    static bool pass_over_origin(const char*, json::value&) { return false; }
    bool pass_over_origin(const char* key, quick::value& v) {
        const quick::RepeatedFields<3>::Strings strings{&line_.cwd, &line_.session_id, &line_.version};
        if (!origin_.is_read()) return key_is(key, "userType") && origin_.pass_over(key, v.walk(), strings);
        if (tells_origin(key)) origin_.go_on();
        else origin_.end(key, strings);
        return false;
    }
    static bool tells_origin(const char* key) {
        switch (key[0]) {
            case 'u': return key_is(key, "userType");
            case 'c': return key_is(key, "cwd");
            case 's': return key_is(key, "sessionId");
            case 'v': return key_is(key, "version");
            case 'g': return key_is(key, "gitBranch");
            case 'e': return key_is(key, "entrypoint");
            default: return false;
        }
    }

    static bool pass_over_response(const char*, json::value&) { return false; }
    bool pass_over_response(const char* key, quick::value& v) {
        const quick::RepeatedFields<3>::Strings strings{&line_.model, &line_.message_id, &line_.role};
        if (!response_.is_read()) return key_is(key, "model") && response_.pass_over(key, v.walk(), strings);
        if (tells_response(key)) response_.go_on();
        else response_.end(key, strings);
        return false;
    }
    static bool tells_response(const char* key) {
        switch (key[0]) {
            case 'm': return key_is(key, "model");
            case 'i': return key_is(key, "id");
            case 't': return key_is(key, "type");
            case 'r': return key_is(key, "role");
            default: return false;
        }
    }

    static bool pass_over_usage(json::value&) { return false; }
    bool pass_over_usage(quick::value& v) {
        if (line_.has_usage || !repeated_usage_.stands_at(v.at(), v.walk().end())) return false;
        line_.has_usage = true;
        line_.usage = usage_;
        v.walk().go_to(v.at() + repeated_usage_.size());
        return true;
    }
    static void keep_usage(json::value&) {}
    void keep_usage(quick::value& v) {
        repeated_usage_.keep(v.at(), v.walk().at());
        usage_ = line_.usage;
    }

    template <class Value>
    [[gnu::always_inline]] bool collect_field(const char* key, Value v) {
        switch (key[0]) {
            case 'a':
                if (key_is(key, "agentId")) line_.agent_id = raw_string(v);
                else if (key_is(key, "attachment")) return collect_attachment(v);
                break;
            case 'c':
                if (key_is(key, "cwd")) line_.cwd = raw_string(v);
                else if (key_is(key, "content")) { if (is_string(v)) line_.content = text_of(raw_string(v)); }
                else if (key_is(key, "compactMetadata") || key_is(key, "compact_metadata")) return collect_compaction(v);
                break;
            case 'd':
                if (key_is(key, "data")) return collect_data(v);
                if (key_is(key, "durationMs") || key_is(key, "duration_ms")) line_.duration_ms = as_int(v, -1);
                break;
            case 'e':
                if (key_is(key, "error")) return collect_error(v);
                break;
            case 'f':
                if (key_is(key, "fallbackModel")) line_.top_model = raw_string(v);
                break;
            case 'i':
                if (key_is(key, "isSidechain")) {
                    line_.sidechain = is_true(v);
                    line_.has_sidechain = true;
                } else if (key_is(key, "isMeta")) line_.meta = is_true(v);
                else if (key_is(key, "isCompactSummary")) line_.compact_summary = is_true(v);
                else if (key_is(key, "isVisibleInTranscriptOnly")) line_.transcript_only = is_true(v);
                else if (key_is(key, "isApiErrorMessage")) line_.api_error = is_true(v);
                else if (key_is(key, "isReplay")) line_.replay = is_true(v);
                else if (key_is(key, "is_error")) line_.is_error = is_true(v);
                break;
            case 'm':
                if (key_is(key, "message")) return collect_message(v);
                if (key_is(key, "microcompactMetadata")) return collect_compaction(v);
                if (key_is(key, "model")) line_.top_model = raw_string(v);
                break;
            case 'p':
                if (key_is(key, "parentUuid")) {
                    line_.parent_uuid = raw_string(v);
                    line_.parent_null = !is_string(v);
                } else if (key_is(key, "parent_tool_use_id")) line_.parent_tool_use_id = raw_string(v);
                break;
            case 'r':
                if (key_is(key, "requestId") || key_is(key, "request_id")) line_.request_id = raw_string(v);
                else if (key_is(key, "retryAttempt")) line_.attempt = static_cast<int>(as_int(v, 0));
                else if (key_is(key, "retryInMs")) line_.retry_in_ms = as_int(v, -1);
                break;
            case 's':
                if (key_is(key, "sessionId") || key_is(key, "session_id")) line_.session_id = raw_string(v);
                else if (key_is(key, "subtype")) line_.subtype = raw_string(v);
                else if (key_is(key, "sourceToolUseID")) line_.source_tool_use_id = raw_string(v);
                break;
            case 't':
                if (key_is(key, "type")) line_.type = raw_string(v);
                else if (key_is(key, "timestamp")) line_.timestamp = raw_string(v);
                else if (key_is(key, "toolDenialKind")) line_.denial_kind = raw_string(v);
                else if (key_is(key, "total_cost_usd")) line_.cost_usd = as_double(v, -1);
                break;  // toolUseResult repeats the result, often half of the bytes: not looked at
            case 'u':
                if (key_is(key, "uuid")) line_.uuid = raw_string(v);
                break;
            case 'v':
                if (key_is(key, "version")) line_.version = raw_string(v);
                break;
            default: break;
        }
        return true;
    }

    template <class Value>
    bool collect_message(Value& v) {
        if (!is_object(v)) return true;
        ObjectOf<Value> message;
        if (v.get_object().get(message)) return false;
        line_.has_message = true;
        response_.restart();
        for (auto item : message) {
            FieldOf<Value> field;
            if (std::move(item).get(field)) return false;
            const char* key = field.key().raw();
            Value w = std::move(field).value();
            if (pass_over_response(key, w)) continue;
            switch (key[0]) {
                case 'c':
                    if (key_is(key, "content") && !collect_content(w)) return false;
                    break;
                case 'i':
                    if (key_is(key, "id")) line_.message_id = raw_string(w);
                    break;
                case 'm':
                    if (key_is(key, "model")) line_.model = raw_string(w);
                    break;
                case 'r':
                    if (key_is(key, "role")) line_.role = raw_string(w);
                    break;
                case 'u':
                    if (key_is(key, "usage") && !collect_usage(w)) return false;
                    break;
                default: break;
            }
        }
        return true;
    }

    template <class Value>
    bool collect_content(Value& v) {
        if (is_string(v)) {
            line_.text = text_of(raw_string(v));
            line_.has_text = true;
            return true;
        }
        if (!is_array(v)) return true;
        ArrayOf<Value> blocks;
        if (v.get_array().get(blocks)) return false;
        for (auto item : blocks) {
            Value element;
            if (std::move(item).get(element)) return false;
            if (is_string(element)) {
                if (Block* block = line_.next_block()) {
                    block->type = "text";
                    block->text = text_of(raw_string(element));
                }
                continue;
            }
            if (!is_object(element)) continue;
            Block* block = line_.next_block();
            if (!block) continue;
            ObjectOf<Value> object;
            if (element.get_object().get(object) || !collect_block<Value>(object, *block)) return false;
        }
        return true;
    }

    template <class Value>
    bool collect_block(ObjectOf<Value> object, Block& block) {
        bool late_name = false;
        for (auto item : object) {
            FieldOf<Value> field;
            if (std::move(item).get(field)) return false;
            const char* key = field.key().raw();
            Value v = std::move(field).value();
            switch (key[0]) {
                case 't':
                    if (key_is(key, "type")) block.type = raw_string(v);
                    else if (key_is(key, "text") || key_is(key, "thinking")) block.text = text_of(raw_string(v));
                    else if (key_is(key, "tool_use_id")) block.id = raw_string(v);
                    break;
                case 'i':
                    if (key_is(key, "id")) block.id = raw_string(v);
                    else if (key_is(key, "input")) {
                        if (block.name.empty()) late_name = true;
                        else block.args = args_.digest_value(block.name, v);
                    }
                    else if (key_is(key, "is_error")) block.is_error = is_true(v);
                    break;
                case 'n':
                    if (key_is(key, "name")) block.name = raw_string(v);
                    break;
                case 'c':
                    if (key_is(key, "content")) block.content = read_content(v);
                    break;
                case 's':
                    if (key_is(key, "signature")) block.opaque_bytes = raw_string(v).size();
                    break;
                case 'd':
                    if (key_is(key, "data")) block.opaque_bytes = raw_string(v).size();
                    break;
                default: break;
            }
        }
        // The digest needs the tool's name, and here it stands behind the arguments.
        return !late_name || (!object.reset().error() && collect_late_input<Value>(object, block));
    }

    template <class Value>
    bool collect_late_input(ObjectOf<Value> object, Block& block) {
        for (auto item : object) {
            FieldOf<Value> field;
            if (std::move(item).get(field)) return false;
            const char* key = field.key().raw();
            Value v = std::move(field).value();
            if (key_is(key, "input")) block.args = args_.digest_value(block.name, v);
        }
        return true;
    }

    template <class Value>
    bool collect_usage(Value& v) {
        if (!is_object(v) || pass_over_usage(v)) return true;
        ObjectOf<Value> usage;
        if (v.get_object().get(usage)) return false;
        const bool first = !line_.has_usage;
        line_.has_usage = true;
        for (auto item : usage) {
            FieldOf<Value> field;
            if (std::move(item).get(field)) return false;
            const char* key = field.key().raw();
            Value n = std::move(field).value();
            if (!collect_figure(key, n, line_.usage, &line_.advised)) return false;
        }
        if (first && line_.advised.empty()) keep_usage(v);
        return true;
    }

    // Every response repeats this block on each of its lines: one letter decides which name to compare.
    template <class Value>
    [[gnu::always_inline]] static bool collect_figure(const char* key, Value& n, TokenCounts& tokens,
                                                      std::string_view* advised = nullptr) {
        switch (key[0]) {
            case 'i':
                if (key_is(key, "input_tokens")) tokens.input = as_uint(n);
                else if (advised && key_is(key, "iterations")) look_for_advisor(n, *advised);
                break;
            case 'o':
                if (key_is(key, "output_tokens")) tokens.output = as_uint(n);
                break;
            case 'c':
                if (key_is(key, "cache_read_input_tokens")) tokens.cache_read = as_uint(n);
                else if (key_is(key, "cache_creation_input_tokens")) tokens.cache_write = std::max(tokens.cache_write, as_uint(n));
                else if (key_is(key, "cache_creation")) return collect_cache_writes(n, tokens);
                break;
            default: break;
        }
        return true;
    }

    // What a request consists of, mostly of one message. What an advisor took is no part of the sums beside it.
    template <class Value>
    static void look_for_advisor(Value& v, std::string_view& advised) {
        const std::string_view raw = raw_value(v);
        if (raw.find("visor_message") != raw.npos) advised = raw;  // begins with a letter that is rare here
    }

    // The totals of a run, in the result that ends a stream. It comes once: the quick way leaves it to simdjson.
    static bool take_totals(const char*, quick::value&) { return false; }
    bool take_totals(const char* key, json::value& v) {
        if (!stream_) return false;
        if (key_is(key, "usage")) return collect_usage(v);
        return key_is(key, "modelUsage") && collect_totals(v);
    }

    // {"<model>":{"inputTokens":1,"outputTokens":2,"cacheReadInputTokens":3,"cacheCreationInputTokens":4}}
    bool collect_totals(json::value& v) {
        run_.clear();
        line_.has_totals = true;
        if (!is_object(v)) return true;
        json::object models;
        if (v.get_object().get(models)) return false;
        for (auto item : models) {
            json::field field;
            if (std::move(item).get(field)) return false;
            const std::string_view name = key_text(field.key().raw());
            json::value one = std::move(field).value();
            TokenCounts* total = is_object(one) ? run_.total_of(name) : nullptr;
            if (total && !collect_total(one, *total)) return false;
        }
        return true;
    }

    static bool collect_total(json::value& v, TokenCounts& tokens) {
        json::object figures;
        if (v.get_object().get(figures)) return false;
        for (auto item : figures) {
            json::field field;
            if (std::move(item).get(field)) return false;
            const char* key = field.key().raw();
            json::value n = std::move(field).value();
            if (key_is(key, "inputTokens")) tokens.input = as_uint(n);
            else if (key_is(key, "outputTokens")) tokens.output = as_uint(n);
            else if (key_is(key, "cacheReadInputTokens")) tokens.cache_read = as_uint(n);
            else if (key_is(key, "cacheCreationInputTokens")) tokens.cache_write = as_uint(n);
        }
        return true;
    }

    // What was bought for an hour is dearer than what lives five minutes. The sum of both may stand beside them or not.
    template <class Value>
    static bool collect_cache_writes(Value& v, TokenCounts& tokens) {
        if (!is_object(v)) return true;
        ObjectOf<Value> writes;
        if (v.get_object().get(writes)) return false;
        const bool no_sum = tokens.cache_write == 0;
        std::uint64_t short_lived = 0;
        for (auto item : writes) {
            FieldOf<Value> field;
            if (std::move(item).get(field)) return false;
            const char* key = field.key().raw();
            Value n = std::move(field).value();
            if (key_is(key, "ephemeral_1h_input_tokens")) tokens.cache_write_1h = as_uint(n);
            else if (no_sum && key_is(key, "ephemeral_5m_input_tokens")) short_lived = as_uint(n);
        }
        if (no_sum) tokens.cache_write = short_lived + tokens.cache_write_1h;
        return true;
    }

    template <class Value>
    bool collect_compaction(Value& v) {
        if (!is_object(v)) return true;
        ObjectOf<Value> object;
        if (v.get_object().get(object)) return false;
        for (auto item : object) {
            FieldOf<Value> field;
            if (std::move(item).get(field)) return false;
            const char* key = field.key().raw();
            Value w = std::move(field).value();
            if (key_is(key, "trigger")) line_.trigger = raw_string(w);
            else if (key_is(key, "preTokens") || key_is(key, "pre_tokens")) line_.pre_tokens = as_uint(w);
            else if (key_is(key, "postTokens") || key_is(key, "post_tokens")) line_.post_tokens = as_uint(w);
            else if (key_is(key, "tokensSaved")) line_.tokens_saved = as_uint(w);
            else if (key_is(key, "compactedToolIds")) line_.ids = {raw_value(w), TextForm::json_value};
            else if (key_is(key, "preservedMessages") && is_object(w)) {
                ObjectOf<Value> preserved;
                if (w.get_object().get(preserved)) return false;
                for (auto inner : preserved) {
                    FieldOf<Value> part;
                    if (std::move(inner).get(part)) return false;
                    const char* name = part.key().raw();
                    Value x = std::move(part).value();
                    if (key_is(name, "uuids") || (key_is(name, "allUuids") && line_.ids.empty())) {
                        line_.ids = {raw_value(x), TextForm::json_value};
                    }
                }
            }
        }
        return true;
    }

    template <class Value>
    bool collect_attachment(Value& v) {
        if (!is_object(v)) return true;
        ObjectOf<Value> object;
        std::string_view raw;
        if (v.get_object().get(object) || object.raw_json().get(raw) || object.reset().error()) return false;
        line_.attachment = {raw, TextForm::json_value};
        for (auto item : object) {
            FieldOf<Value> field;
            if (std::move(item).get(field)) return false;
            const char* key = field.key().raw();
            Value w = std::move(field).value();
            if (key_is(key, "type")) line_.attachment_type = raw_string(w);
            else if (key_is(key, "prompt")) line_.attachment_prompt = read_content(w).text;
            else if (key_is(key, "commandMode")) line_.command_mode = raw_string(w);
        }
        return true;
    }

    // progress.data: only a sub-agent's message is of interest; its parts are read later, when its type is known.
    template <class Value>
    bool collect_data(Value& v) {
        if (!is_object(v)) return true;
        ObjectOf<Value> object;
        if (v.get_object().get(object)) return false;
        for (auto item : object) {
            FieldOf<Value> field;
            if (std::move(item).get(field)) return false;
            const char* key = field.key().raw();
            Value w = std::move(field).value();
            if (key_is(key, "agentId")) line_.data_agent_id = raw_string(w);
            else if (key_is(key, "message") && is_object(w)) line_.data_message = {raw_value(w), TextForm::json_value};
        }
        return true;
    }

    template <class Value>
    bool collect_error(Value& v) {
        if (is_string(v)) {
            line_.error_text = raw_string(v);
            return true;
        }
        if (!is_object(v)) return true;
        ObjectOf<Value> object;
        if (v.get_object().get(object)) return false;
        for (auto item : object) {
            FieldOf<Value> field;
            if (std::move(item).get(field)) return false;
            const char* key = field.key().raw();
            Value w = std::move(field).value();
            if (key_is(key, "formatted") || (key_is(key, "message") && line_.error_text.empty())) {
                line_.error_text = raw_string(w);
            }
        }
        return true;
    }

    // ---- interpreting -----------------------------------------------------------------------------------

    LineFate interpret() {
        if (line_.type.empty()) return LineFate::missing_field;
        if (line_.type == "user" || line_.type == "assistant") {
            if (!line_.has_message) return LineFate::missing_field;
            begin_record();
            return message();
        }
        if (line_.type == "system") return system();
        if (line_.type == "attachment") return attachment();
        if (line_.type == "progress") return progress();
        if (line_.type == "result" && stream_) return result();
        if (is_one_of(line_.type, kBookkeeping)) {
            if (!line_.session_id.empty()) open_session();
            return LineFate::ignored_kind;
        }
        return LineFate::unknown_kind;
    }

    void open_session() {
        if (open_) return;
        open_ = true;
        SessionStart start;
        start.session_id = text_of(line_.session_id);
        start.cwd = text_of(line_.cwd);
        start.product_version = text_of(line_.version);
        start.model = text_of(line_.model.empty() ? line_.top_model : line_.model);
        // A sub-agent's own file begins inside the side conversation and names the agent.
        if (line_.sidechain && !line_.agent_id.empty()) {
            own_agent_ = id_hash(line_.agent_id);
            start.sub_agent = true;
            start.parent_session_id = start.session_id;
            start.label = text_of(line_.agent_id);
            start.housekeeping = line_.agent_id.starts_with("acompact") || line_.agent_id.starts_with("aprompt_suggestion");
        }
        new_head().time_ms = time_of(line_.timestamp);
        emit(start);
    }

    void begin_record() {
        open_session();
        const std::uint32_t lane = lane_of_record();
        if (lanes_.size() <= lane) lanes_.resize(lane + 1);
        EventHeader& h = new_head(lane, lanes_[lane].turn);
        h.time_ms = time_of(line_.timestamp);
        h.record_id = line_.uuid;
        h.response = id_hash(line_.message_id);
        if (line_.replay) h.flags |= kCopied;
    }

    // ---- lanes ------------------------------------------------------------------------------------------

    std::uint32_t lane_of_record() {
        if (!line_.parent_tool_use_id.empty()) return lane_for(id_hash(line_.parent_tool_use_id), line_.parent_tool_use_id);
        if (!line_.sidechain) return 0;
        const IdHash agent = id_hash(line_.agent_id);
        if (agent != 0) return agent == own_agent_ ? 0 : lane_for(agent, line_.agent_id);
        return inline_side_lane();
    }

    std::uint32_t lane_for(IdHash key, std::string_view agent) {
        for (const auto& [known, lane] : lane_keys_) {
            if (known == key) return lane;
        }
        // A hostile file could open a lane per line: beyond the cap they share the last one.
        if (lane_keys_.size() >= kMaxLanes) return lane_keys_.back().second;
        const auto lane = static_cast<std::uint32_t>(lane_keys_.size() + 1);
        lane_keys_.emplace_back(key, lane);
        lanes_.resize(std::max<std::size_t>(lanes_.size(), lane + 1));
        LaneOpen open;
        open.agent_id = text_of(agent);
        open.purpose = agent.starts_with("acompact") ? LanePurpose::compaction
                       : agent.starts_with("aprompt_suggestion") ? LanePurpose::suggestion : LanePurpose::task;
        new_head(lane).time_ms = time_of(line_.timestamp);
        emit(open);
        return lane;
    }

    // 2025 files keep sub-agents inline without an agent id: a side record without parent opens a lane, the
    // others follow their parent.
    std::uint32_t inline_side_lane() {
        const IdHash self = id_hash(line_.uuid);
        std::uint32_t lane = 0;
        if (line_.parent_null || line_.parent_uuid.empty()) {
            lane = lane_for(self, {});
        } else {
            const IdHash parent = id_hash(line_.parent_uuid);
            lane = last_side_lane_;
            for (const SideRecord& seen : side_records_) {
                if (seen.id == parent) lane = seen.lane;
            }
            if (lane == 0) lane = lane_for(parent, {});
        }
        if (side_records_.size() < kRemembered) side_records_.emplace_back();
        side_records_[side_next_++ % kRemembered] = {self, lane};
        last_side_lane_ = lane;
        return lane;
    }

    LineFate message() {
        const LineFate fate = line_.type == "user" ? user() : assistant();
        if (line_.dropped_blocks) {
            Notice notice;
            notice.level = NoticeLevel::warning;
            notice.code = plain("too-many-blocks");
            notice.text = plain("a message with more than 10000 content blocks: the rest was not read");
            emit(notice);
        }
        return fate;
    }

    // ---- user records -----------------------------------------------------------------------------------

    LineFate user() {
        bool results = false;
        for (std::size_t i = 0; i < line_.block_count; ++i) {
            if (line_.blocks[i].type == "tool_result") {
                tool_result(line_.blocks[i]);
                results = true;
            }
        }
        if (line_.has_text) {
            user_text(line_.text, 0);
            return LineFate::understood;
        }
        std::uint32_t media = 0;
        for (std::size_t i = 0; i < line_.block_count; ++i) {
            const std::string_view type = line_.blocks[i].type;
            media += type == "image" || type == "document";
        }
        for (std::size_t i = 0; i < line_.block_count; ++i) {
            Block& block = line_.blocks[i];
            if (block.type != "text") continue;
            // Text beside results is a reminder or a note of the program, unless it is an interrupt.
            user_text(block.text, media, results);
            media = 0;
        }
        if (media > 0) user_text({}, media, results);
        return LineFate::understood;
    }

    void tool_result(const Block& block) {
        ToolResult result;
        result.call_id = text_of(block.id);
        result.text = block.content.text;
        result.media_count = block.content.media;
        result.opaque = block.content.seen && block.content.text.empty() && block.content.media > 0;
        result.status = ResultStatus::ok;
        if (block.is_error) {
            const std::string_view text = result.text.bytes;
            result.exit_code = leading_exit_code(text);
            result.status = ResultStatus::error;
            if (refused(text) || !line_.denial_kind.empty()) {
                result.status = ResultStatus::denied;
            } else if (text.starts_with("<tool_use_error>Sibling tool call errored") ||
                       text.starts_with("<tool_use_error>Cancelled")) {
                result.status = ResultStatus::cancelled;
            }
        }
        emit(result);
    }

    // By a human, or by a rule where nobody could be asked.
    static bool refused(std::string_view text) {
        if (text.starts_with("The user doesn't want to") || text.starts_with("[Request interrupted by user")) return true;
        if (text.starts_with("Claude requested permissions to ")) return text.find("haven't granted it") != text.npos;
        return (text.starts_with("Permission to use ") || text.starts_with("Permission for this action ")) &&
               text.find("has been denied") != text.npos;
    }

    Origin origin_of(std::string_view text, bool beside_results) const {
        if (line_.compact_summary) return Origin::summary;
        if (line_.meta || line_.transcript_only || !line_.source_tool_use_id.empty() || beside_results) return Origin::injected;
        if (starts_with_any(text, kInjectedPrefixes)) return Origin::injected;
        if (head().lane != 0 || own_agent()) return Origin::agent;  // a sub-agent is briefed by its parent
        return Origin::human;
    }

    bool own_agent() const { return own_agent_ != 0; }

    void user_text(RawText text, std::uint32_t media, bool beside_results = false) {
        if (text.bytes.starts_with("[Request interrupted by user")) {
            emit(TurnEnd{TurnStatus::aborted, -1});
            return;
        }
        if (line_.compact_summary) {
            // A boundary record has already announced it; the summary completes that.
            head().flags |= kPartial;
            emit(Message{Role::user, Origin::summary, text, media});
            return;
        }
        if (text.bytes.starts_with("<bash-input>")) {
            ToolCall call;
            call.name = plain("bash");
            call.args = text;
            call.primary = text;
            call.caller = Caller::user;
            call.digest.canonical = stable_hash(text.bytes);
            emit(call);
            return;
        }
        if (text.bytes.starts_with("<bash-stdout>")) {
            ToolResult result;
            result.text = text;
            result.status = ResultStatus::ok;
            emit(result);
            return;
        }
        const Origin origin = origin_of(text.bytes, beside_results);
        if (origin == Origin::human) human_begins();
        emit(Message{Role::user, origin, text, media});
    }

    void human_begins() {
        EventHeader& h = head();
        const IdHash parent = id_hash(line_.parent_uuid);
        if (parent != 0 && std::ranges::find(parents_, parent) != parents_.end()) {
            emit(Rewind{RewindTarget::to_record, line_.parent_uuid, 0});
        }
        remember_parent(parent);
        h.turn = ++lanes_[h.lane].turn;
        emit(TurnStart{});
    }

    void remember_parent(IdHash parent) {
        if (parent == 0) return;
        if (parents_.size() < kRemembered) parents_.emplace_back();
        parents_[parent_next_++ % kRemembered] = parent;
    }

    // ---- assistant records ------------------------------------------------------------------------------

    LineFate assistant() {
        remember_parent(id_hash(line_.parent_uuid));
        if (line_.api_error || line_.model == "<synthetic>") {
            Notice notice;
            notice.level = line_.api_error ? NoticeLevel::error : NoticeLevel::info;
            notice.layer = NoticeLayer::provider;
            notice.code = text_of(line_.error_text);
            if (line_.has_text) notice.text = line_.text;
            for (std::size_t i = 0; i < line_.block_count && notice.text.empty(); ++i) notice.text = line_.blocks[i].text;
            // An answer that was cut off or refused was billed; the program's own words were not.
            if (line_.has_usage && line_.usage.total() > 0 && line_.model != "<synthetic>") usage();
            head().flags |= kSynthetic;
            emit(notice);
            return LineFate::understood;
        }
        // Figures first: whoever estimates tokens where none are recorded then need not look at this text.
        if (line_.has_usage) usage();
        if (line_.has_text) emit(Message{Role::assistant, Origin::agent, line_.text, 0});
        for (std::size_t i = 0; i < line_.block_count; ++i) assistant_block(line_.blocks[i]);
        return LineFate::understood;
    }

    void assistant_block(const Block& block) {
        if (block.type == "text") {
            emit(Message{Role::assistant, Origin::agent, block.text, 0});
        } else if (block.type == "thinking" || block.type == "redacted_thinking") {
            emit(Thinking{block.text, block.opaque_bytes});
        } else if (block.type == "tool_use" || block.type == "server_tool_use" || block.type == "mcp_tool_use") {
            ToolCall call;
            call.call_id = text_of(block.id);
            call.name = text_of(block.name);
            call.args = block.args.raw;
            call.primary = block.args.primary;
            call.digest = block.args.digest;
            call.fields = block.args.fields;
            if (call.digest.canonical == 0) call.digest = ArgsDigester::digest_none(block.name).digest;
            emit(call);
        } else if (block.type.ends_with("_tool_result")) {  // results of server-side tools stand in the response
            ToolResult result;
            result.call_id = text_of(block.id);
            result.text = block.content.text;
            result.status = block.is_error ? ResultStatus::error : ResultStatus::ok;
            emit(result);
        }
    }

    void usage() {
        Usage usage;
        usage.scope = UsageScope::request;
        usage.mode = UsageMode::replace;
        usage.tokens = line_.usage;
        usage.model = text_of(line_.model);
        usage.message_key = id_hash(line_.message_id);
        usage.request_key = id_hash(line_.request_id);
        if (usage.request_key == 0 && is_word(line_.message_id) && !stream_) tell_apart(usage);
        usage.sidechain = line_.sidechain;
        if (!line_.advised.empty()) advisors(usage);
        tell(usage, line_.model);
    }

    void tell(const Usage& usage, std::string_view model) {
        emit(usage);
        if (stream_) run_.told(usage, model);
    }

    static bool is_word(std::string_view id) {
        constexpr std::size_t kUnique = 12;  // characters; ids that are have twenty and more
        return id.size() < kUnique && std::ranges::none_of(id, [](char c) { return c >= '0' && c <= '9'; });
    }

    // Some gateways give all responses the same id, a word, and no request an id: then the prompt tells them apart.
    static void tell_apart(Usage& usage) {
        if (usage.message_key != 0) usage.message_key = mix_hash(usage.message_key, usage.tokens.prompt()) | 1;
    }

    // Another model that was asked within the request, at its own price. It is told first: the lane goes on with the
    // model that answers.
    void advisors(const Usage& of) {
        json::document doc;
        json::array parts;
        const std::string_view raw = line_.advised;
        if (inner_parser_.iterate(raw.data(), raw.size(), raw.size() + simdjson::SIMDJSON_PADDING).get(doc) ||
            doc.get_array().get(parts)) {
            return;
        }
        std::uint64_t number = 0;
        for (auto item : parts) {
            json::value part;
            std::string_view model;
            Usage usage = of;
            usage.scope = UsageScope::session;  // no prompt of this conversation
            usage.tokens = {};
            if (std::move(item).get(part) || !collect_advice(part, model, usage.tokens)) return;
            if (model.empty()) continue;
            usage.model = text_of(model);
            if (of.message_key != 0) usage.message_key = mix_hash(of.message_key, ++number) | 1;
            tell(usage, model);
        }
    }

    // `model` stays empty where the part is no advisor's.
    static bool collect_advice(json::value& v, std::string_view& model, TokenCounts& tokens) {
        if (!is_object(v)) return true;
        json::object part;
        if (v.get_object().get(part)) return false;
        bool advice = false;
        for (auto item : part) {
            json::field field;
            if (std::move(item).get(field)) return false;
            const char* key = field.key().raw();
            json::value n = std::move(field).value();
            if (key_is(key, "type")) advice = raw_string(n) == "advisor_message";
            else if (key_is(key, "model")) model = raw_string(n);
            else if (!collect_figure(key, n, tokens)) return false;
        }
        if (!advice) model = {};
        return true;
    }

    void rest_of_run() {
        const std::optional<TokenCounts> all = line_.has_totals ? std::nullopt : std::optional(line_.usage);
        for (const RunTotals::More& more : run_.rest(all)) {
            Usage usage;
            usage.scope = UsageScope::session;
            usage.tokens = more.tokens;
            usage.model = text_of(more.model);
            if (more.of) {
                usage.mode = UsageMode::replace;
                usage.message_key = more.of->message;
                usage.request_key = more.of->request;
            }
            emit(usage);
        }
    }

    // ---- the rest ---------------------------------------------------------------------------------------

    LineFate system() {
        if (line_.session_id.empty() && !open_) return LineFate::missing_field;
        begin_record();
        if (line_.subtype == "compact_boundary" || line_.subtype == "microcompact_boundary") return compaction();
        if (line_.subtype == "api_error") {
            Notice notice;
            notice.level = NoticeLevel::warning;
            notice.layer = NoticeLayer::provider;
            notice.text = text_of(line_.error_text);
            notice.attempt = line_.attempt;
            notice.retry_in_ms = line_.retry_in_ms;
            emit(notice);
            return LineFate::understood;
        }
        if (line_.subtype == "turn_duration") {
            emit(TurnEnd{TurnStatus::completed, line_.duration_ms});
            return LineFate::understood;
        }
        if (line_.subtype == "model_refusal_fallback") {
            Notice notice;
            notice.level = NoticeLevel::warning;
            notice.layer = NoticeLayer::provider;
            notice.text = line_.content;
            emit(notice);
            ContextChange change;
            change.model = text_of(line_.top_model);
            emit(change);
            return LineFate::understood;
        }
        if (line_.subtype == "init") {
            ContextChange change;
            change.model = text_of(line_.top_model);
            change.cwd = text_of(line_.cwd);
            emit(change);
            return LineFate::understood;
        }
        if (line_.subtype == "stop_hook_summary" || line_.subtype == "informational" || line_.subtype == "local_command" ||
            line_.subtype == "away_summary" || line_.subtype == "hook_response" || line_.subtype == "hook_started" ||
            line_.subtype == "status" || line_.subtype == "bridge_status") {
            return LineFate::ignored_kind;
        }
        return LineFate::unknown_kind;
    }

    LineFate compaction() {
        Compaction compaction;
        const bool micro = line_.subtype == "microcompact_boundary";
        compaction.kind = micro ? CompactionKind::clear_tool_results : CompactionKind::summary;
        compaction.trigger = line_.trigger == "auto"     ? CompactionTrigger::automatic
                             : line_.trigger == "manual" ? CompactionTrigger::manual
                                                         : CompactionTrigger::unknown;
        if (line_.pre_tokens > 0) compaction.tokens_before = line_.pre_tokens;
        if (line_.post_tokens > 0) compaction.tokens_after = line_.post_tokens;
        if (micro && line_.pre_tokens > line_.tokens_saved && line_.tokens_saved > 0) {
            compaction.tokens_after = line_.pre_tokens - line_.tokens_saved;
        }
        compaction.ids = line_.ids;
        compaction.keep = micro || !line_.ids.empty() ? Keep::ids : Keep::none;
        emit(compaction);
        return LineFate::understood;
    }

    LineFate attachment() {
        if (line_.attachment.empty()) return LineFate::missing_field;
        begin_record();
        if (line_.attachment_type == "queued_command") {
            const bool human = line_.command_mode != "task-notification" &&
                               !starts_with_any(line_.attachment_prompt.bytes, kInjectedPrefixes);
            if (human) {
                EventHeader& h = head();
                h.turn = ++lanes_[h.lane].turn;
                emit(TurnStart{});
            }
            emit(Message{Role::user, human ? Origin::queued : Origin::injected, line_.attachment_prompt, 0});
            return LineFate::understood;
        }
        const bool hook = line_.attachment_type.starts_with("hook_");
        emit(Message{Role::user, hook ? Origin::hook : Origin::injected, line_.attachment, 0});
        return LineFate::understood;
    }

    // A copy of a message inside the parent's file: of a sub-agent, or of a skill that runs as one.
    LineFate progress() {
        if (line_.data_message.empty()) return LineFate::ignored_kind;
        const std::string_view inner = line_.data_message.bytes;
        const std::string agent(line_.data_agent_id);
        const std::string session(line_.session_id);
        json::document doc;
        json::object object;
        if (inner_parser_.iterate(inner.data(), inner.size(), inner.size() + simdjson::SIMDJSON_PADDING).get(doc) ||
            doc.get_object().get(object)) {
            return LineFate::ignored_kind;
        }
        line_.clear();
        if (!collect<json::value>(object)) return LineFate::malformed_json;
        if (line_.type != "user" && line_.type != "assistant") return LineFate::ignored_kind;
        if (!line_.has_message) return LineFate::missing_field;
        line_.session_id = session;
        line_.agent_id = agent;
        line_.sidechain = true;
        begin_record();
        return message();
    }

    LineFate result() {
        begin_record();
        if (line_.cost_usd >= 0 && line_.cost_usd < 1e9) {  // beyond that it is no amount of money
            Usage usage;
            usage.scope = UsageScope::session;
            usage.mode = UsageMode::cumulative;
            usage.cost_microusd = static_cast<std::uint64_t>(line_.cost_usd * 1e6 + 0.5);
            emit(usage);
        }
        if (line_.has_totals || line_.has_usage) rest_of_run();
        emit(TurnEnd{line_.is_error ? TurnStatus::failed : TurnStatus::completed, line_.duration_ms});
        return LineFate::understood;
    }

    struct Lane {
        std::uint32_t turn = 0;
    };
    struct SideRecord {
        IdHash id = 0;
        std::uint32_t lane = 0;
    };
    static constexpr std::size_t kMaxLanes = 4096;
    static constexpr std::size_t kRemembered = 1024;

    const bool stream_;
    bool open_ = false;
    IdHash own_agent_ = 0;
    Line line_;
    quick::RepeatedFields<3> origin_, response_;
    quick::Repeated repeated_usage_;
    TokenCounts usage_;          // what it says
    json::parser inner_parser_;  // for a sub-agent's message inside a progress record; allocates when first used
    std::vector<Lane> lanes_{1};
    std::vector<std::pair<IdHash, std::uint32_t>> lane_keys_;
    std::vector<SideRecord> side_records_;  // ring; real parents are at most 299 records back
    std::size_t side_next_ = 0;
    std::uint32_t last_side_lane_ = 0;
    std::vector<IdHash> parents_;  // ring: parents that have a human or assistant child
    std::size_t parent_next_ = 0;
    RunTotals run_;
};

Score score_file(std::span<const ProbeRecord> sample, Framing) {
    Score best = 0;
    bool dialogue = false;
    for (const ProbeRecord& r : sample) {
        if (!r.is_object()) continue;
        const std::string_view type = r.text("type");
        if (r.has("sessionId") && r.has("uuid") && (r.has("isSidechain") || r.has("parentUuid")) && !type.empty() &&
            type != "tool_result" && !r.has("systemPayload")) {
            // Others write the same frame, with another message in it.
            const ProbeRecord message = r.child("message");
            if (!message.has("parts") && (r.has("isSidechain") || message.has("role"))) return kCertain;
        }
        if (is_one_of(type, kBookkeeping) && (r.has("sessionId") || r.has("leafUuid") || r.has("messageId"))) best = std::max(best, 60);
        // Gemini CLI lists prompts beside its sessions, with a text as the message.
        const auto message = r.raw("message");
        if ((type == "user" || type == "assistant") && message && message->starts_with('{') &&
            (r.has("uuid") || r.has("sessionId")))
            dialogue = true;
    }
    return dialogue ? std::max(best, 70) : best;
}

Score score_stream(std::span<const ProbeRecord> sample, Framing) {
    for (const ProbeRecord& r : sample) {
        if (!r.is_object() || !r.has("session_id") || r.has("sessionId")) continue;
        const std::string_view type = r.text("type");
        if (type == "system" && r.text("subtype") == "init" && r.has("tools")) return kCertain;
        if ((type == "assistant" || type == "user") && r.has("message") && r.has("parent_tool_use_id")) return 95;
        if (type == "result" && r.has("num_turns")) return 80;
    }
    return 0;
}

constexpr RecordKindDoc kKinds[] = {
    {"assistant", "one content block: Message, Thinking or ToolCall; Usage (repeated, the best counts), and that of an advisor"},
    {"assistant, isApiErrorMessage", "Notice (provider error); Usage where a model was billed"},
    {"user, text", "Message: human, or injected by the origin rules; TurnStart for a human"},
    {"user, tool_result", "ToolResult: ok, error, denied, cancelled"},
    {"user, [Request interrupted…]", "TurnEnd (aborted)"},
    {"user, isCompactSummary", "Message (summary)"},
    {"user, <bash-input>/<bash-stdout>", "ToolCall by the user and its ToolResult"},
    {"system, compact_boundary", "Compaction (summary)"},
    {"system, microcompact_boundary", "Compaction (cleared tool results)"},
    {"system, api_error", "Notice (provider, with attempt and wait)"},
    {"system, turn_duration", "TurnEnd (completed)"},
    {"attachment", "Message (injected, hook, or queued human text)"},
    {"progress with a message", "a sub-agent's message in its own lane"},
    {"progress, other; titles; snapshots; modes", "ignored"},
    {"stream-json: system init, result", "ContextChange; Usage (cost, and what the responses had not told) and TurnEnd"},
};

}  // namespace

ReaderSpec claude_code() {
    return {"claude-code",
            "Claude Code",
            "session files and sub-agent files of Claude Code",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::token_usage | Signal::timestamps | Signal::response_ids | Signal::reasoning |
                Signal::sub_agents | Signal::compaction,
            kKinds,
            score_file,
            []() -> std::unique_ptr<RecordReader> { return std::make_unique<ClaudeCode>(false); }};
}

ReaderSpec claude_code_stream() {
    return {"claude-code-stream",
            "Claude Code",
            "what claude -p --output-format stream-json prints",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::token_usage | Signal::response_ids | Signal::reasoning | Signal::sub_agents |
                Signal::compaction | Signal::cost,
            kKinds,
            score_stream,
            []() -> std::unique_ptr<RecordReader> { return std::make_unique<ClaudeCode>(true); }};
}

}  // namespace agent_audit::readers
