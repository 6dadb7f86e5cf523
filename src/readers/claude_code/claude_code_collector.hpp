#pragma once

#include "readers/claude_code/claude_code_line.hpp"
#include "readers/claude_code/claude_code_parts.hpp"
#include "readers/claude_code/run_totals.hpp"
#include "readers/json/json_util.hpp"
#include "readers/json/repeated_fields.hpp"
#include "readers/json/walk.hpp"

#include <algorithm>
#include <string_view>
#include <type_traits>
#include <utility>

namespace agent_audit::readers {

/// Collects the fields of a line in document order, by simdjson or by the quick way: one text for both, so that they
/// cannot come to differ. It stands in a header because the compiler is to make one function of the quick way.
class ClaudeCodeCollector {
public:
    /// `totals`: where the totals of the run go that a result tells; null where lines have none.
    ClaudeCodeCollector(ArgsDigester& args, RunTotals* totals) : args_(args), totals_(totals) {}

    ClaudeCodeLine& line() { return line_; }
    const ClaudeCodeLine& line() const { return line_; }

    /// Reads a line. False for broken JSON.
    bool read(json::object object) {
        line_.clear();
        return collect<json::value>(object);
    }
    bool read(quick::object object) {
        line_.clear();
        origin_.restart();
        return collect<quick::value>(object);
    }

    /// A figure of a usage. Every response repeats them on each of its lines: one letter decides which name to compare.
    template <class Value>
    [[gnu::always_inline]] static bool collect_figure(const char* key, Value& n, TokenCounts& tokens,
                                                      std::string_view* advised = nullptr,
                                                      std::uint64_t* total = nullptr) {
        switch (key[0]) {
            case 'i':
                if (key_is(key, "input_tokens"))
                    tokens.input = as_uint(n);
                else if (advised && key_is(key, "iterations"))
                    look_for_advisor(n, *advised);
                break;
            case 'o':
                if (key_is(key, "output_tokens"))
                    tokens.output = as_uint(n);
                else if (key_is(key, "output_tokens_details"))
                    return collect_reasoning(n, tokens);
                break;
            case 'c':
                if (key_is(key, "cache_read_input_tokens"))
                    tokens.cache_read = as_uint(n);
                else if (key_is(key, "cache_creation_input_tokens"))
                    tokens.cache_write = std::max(tokens.cache_write, as_uint(n));
                else if (key_is(key, "cache_creation"))
                    return collect_cache_writes(n, tokens);
                break;
            case 't':
                if (total && key_is(key, "total_tokens")) *total = as_uint(n);
                break;
            default: break;
        }
        return true;
    }

private:
    template <class Value>
    static constexpr bool kQuick = std::is_same_v<Value, quick::value>;

    template <class Value>
    bool collect(ObjectOf<Value> object) {
        for (auto item : object) {
            FieldOf<Value> field;
            if (std::move(item).get(field)) return false;
            const char* key = field.key().raw();
            Value v = std::move(field).value();
            look_at_origin<Value>(key);
            if (take_totals(key, v)) continue;
            if (!collect_field(key, v)) return false;
        }
        return true;
    }

    // ---- what is the same on many lines in a row: where they come from, and which response they belong to -------

    // The quick way alone knows them. What is rare stands in functions of its own: the places it asks for would be
    // worked out for every line.
    template <class Value>
    void look_at_origin(const char* key) {
        if constexpr (kQuick<Value>) {
            if (origin_.is_read()) [[unlikely]]
                go_on_with_origin(key);
        }
    }
    /// At a field with which the origin may begin: passes over all of it if it is the one before.
    static void begin_origin(const char*, json::value&) {}
    void begin_origin(const char* key, quick::value& v) {
        if (!origin_.is_read()) is_known_origin(key, v.walk());
    }
    /// Behind a field that mostly stands before it: then its own first field need not be looked for.
    static void pass_over_origin_behind(json::value&) {}
    void pass_over_origin_behind(quick::value& v) {
        const char* const comma = v.walk().at();
        if (comma[0] == ',' && comma[1] == '"' && key_is(comma + 2, "isSidechain"))
            pass_over_next_origin(comma + 2, v.walk());
    }
    [[gnu::noinline]] void pass_over_next_origin(const char* key, quick::Walk& walk) {
        const char* const value = key + std::string_view("isSidechain\":").size();
        if (value[-1] != ':' || (*value != 't' && *value != 'f')) return;
        if (!origin_.pass_over_next(key, walk, {&line_.cwd, &line_.session_id, &line_.version})) return;
        line_.sidechain = *value == 't';
        line_.has_sidechain = true;
    }
    [[gnu::noinline]] void is_known_origin(const char* key, quick::Walk& walk) {
        origin_.pass_over(key, walk, {&line_.cwd, &line_.session_id, &line_.version});
    }
    [[gnu::noinline]] void go_on_with_origin(const char* key) {
        if (tells_origin(key))
            origin_.go_on();
        else
            origin_.end(key, {&line_.cwd, &line_.session_id, &line_.version});
    }
    static bool tells_origin(const char* key) {
        switch (key[0]) {
            case 'i': return key_is(key, "isSidechain");
            case 'u': return key_is(key, "userType");
            case 'c': return key_is(key, "cwd");
            case 's': return key_is(key, "sessionId");
            case 'v': return key_is(key, "version");
            case 'g': return key_is(key, "gitBranch");
            case 'e': return key_is(key, "entrypoint");
            default: return false;
        }
    }

    template <class Value>
    void look_at_response(const char* key) {
        if constexpr (kQuick<Value>) {
            if (response_.is_read()) [[unlikely]]
                go_on_with_response(key);
        }
    }
    static bool begin_response(const char*, json::value&) { return false; }
    bool begin_response(const char* key, quick::value& v) {
        return !response_.is_read() && is_known_response(key, v.walk());
    }
    [[gnu::noinline]] bool is_known_response(const char* key, quick::Walk& walk) {
        return response_.pass_over(key, walk, {&line_.model, &line_.message_id, &line_.role});
    }
    [[gnu::noinline]] void go_on_with_response(const char* key) {
        if (tells_response(key))
            response_.go_on();
        else
            response_.end(key, {&line_.model, &line_.message_id, &line_.role});
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
                if (key_is(key, "agentId") || key_is(key, "agent_id"))
                    line_.agent_id = raw_string(v);
                else if (key_is(key, "attachment"))
                    return claude_code_parts::collect_attachment(v, line_);
                else if (key_is(key, "attempt"))
                    line_.attempt = static_cast<int>(as_int(v, 0));
                break;
            case 'c':
                if (key_is(key, "cwd"))
                    line_.cwd = raw_string(v);
                else if (key_is(key, "content")) {
                    if (is_string(v)) line_.content = text_of(raw_string(v));
                } else if (key_is(key, "compactMetadata") || key_is(key, "compact_metadata"))
                    return claude_code_parts::collect_compaction(v, line_);
                break;
            case 'd':
                if (key_is(key, "data")) return claude_code_parts::collect_data(v, line_);
                if (key_is(key, "durationMs") || key_is(key, "duration_ms")) line_.duration_ms = as_int(v, -1);
                break;
            case 'e':
                if (key_is(key, "error")) return claude_code_parts::collect_error(v, line_);
                if (key_is(key, "error_status")) claude_code_parts::keep_status(v, line_);
                if (key_is(key, "error_code")) line_.error_code = raw_string(v);
                if (key_is(key, "errors")) return claude_code_parts::collect_errors(v, line_);
                break;
            case 'f':
                if (key_is(key, "fallbackModel") || key_is(key, "fallback_model")) line_.top_model = raw_string(v);
                break;
            case 'i':
                if (key_is(key, "isSidechain")) {
                    line_.sidechain = is_true(v);
                    line_.has_sidechain = true;
                    begin_origin(key, v);
                } else if (key_is(key, "isMeta") || key_is(key, "isSynthetic"))
                    line_.meta = is_true(v);
                else if (key_is(key, "isCompactSummary"))
                    line_.compact_summary = is_true(v);
                else if (key_is(key, "isVisibleInTranscriptOnly"))
                    line_.transcript_only = is_true(v);
                else if (key_is(key, "isApiErrorMessage") || key_is(key, "is_api_error_message"))
                    line_.api_error = is_true(v);
                else if (key_is(key, "isReplay"))
                    line_.replay = is_true(v);
                else if (key_is(key, "is_error"))
                    line_.is_error = is_true(v);
                break;
            case 'm':
                // A blob is a message that is sent again: nothing of it is looked at.
                if (key_is(key, "message")) return line_.type == "api-request-blob" || collect_message(v);
                if (key_is(key, "microcompactMetadata")) return claude_code_parts::collect_compaction(v, line_);
                if (key_is(key, "model")) line_.top_model = raw_string(v);
                break;
            case 'o':
                if (key_is(key, "operation"))
                    line_.subtype = raw_string(v);  // of a queue-operation
                else if (key_is(key, "origin"))
                    return claude_code_parts::collect_writer(v, line_);
                break;
            case 'p':
                if (key_is(key, "parentUuid")) {
                    line_.parent_uuid = raw_string(v);
                    line_.parent_null = !is_string(v);
                    pass_over_origin_behind(v);
                } else if (key_is(key, "parent_tool_use_id"))
                    line_.parent_tool_use_id = raw_string(v);
                else if (key_is(key, "promptSource"))
                    line_.prompt_source = raw_string(v);
                break;
            case 'r':
                if (key_is(key, "requestId") || key_is(key, "request_id"))
                    line_.request_id = raw_string(v);
                else if (key_is(key, "rendered"))
                    return claude_code_parts::collect_rendered(v, line_);
                else if (key_is(key, "retryAttempt"))
                    line_.attempt = static_cast<int>(as_int(v, 0));
                else if (key_is(key, "retryInMs") || key_is(key, "retry_delay_ms"))
                    line_.retry_in_ms = as_int(v, -1);
                break;
            case 's':
                if (key[1] == 'l') break;  // "slug", on most lines of newer versions, is none of these
                if (key_is(key, "sessionId") || key_is(key, "session_id"))
                    line_.session_id = raw_string(v);
                else if (key_is(key, "subtype"))
                    line_.subtype = raw_string(v);
                else if (key[1] == 'o') {  // "sourceToolAssistantUUID", behind most results, is none of these either
                    if (key_is(key, "sourceToolUseID")) line_.source_tool_use_id = raw_string(v);
                } else if (key_is(key, "subagent_type"))
                    line_.agent_type = raw_string(v);
                else if (key_is(key, "scope"))
                    line_.scope = raw_string(v);
                else if (key_is(key, "shape"))
                    line_.shape = is_object(v) ? claude_code_parts::json_of(v) : RawText{};
                else if (key_is(key, "supersedes"))
                    line_.ids = claude_code_parts::json_of(v);
                break;
            case 't':
                if (key_is(key, "type"))
                    line_.type = raw_string(v);
                else if (key_is(key, "timestamp"))
                    line_.timestamp = raw_string(v);
                else if (key[4] == 'U')
                    break;  // toolUseResult repeats the result, often half of the bytes: not looked at
                else if (key_is(key, "toolDenialKind"))
                    line_.reason = raw_string(v);
                else if (key_is(key, "tool_use_id"))
                    line_.refused_call = raw_string(v);
                else if (key_is(key, "total_cost_usd") || key_is(key, "totalCostUSD"))
                    line_.cost_usd = as_double(v, -1);
                else if (key_is(key, "terminal_reason"))
                    line_.ending = raw_string(v);
                else if (key_is(key, "tool_result_meta"))
                    return claude_code_parts::collect_result_meta(v, line_);
                break;
            case 'u':
                if (key_is(key, "uuid"))
                    line_.uuid = raw_string(v);
                else if (key_is(key, "userType"))
                    begin_origin(key, v);
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
            look_at_response<Value>(key);
            switch (key[0]) {
                case 'c':
                    if (key_is(key, "content") && !collect_content(w)) return false;
                    break;
                case 'i':
                    if (key_is(key, "id")) line_.message_id = raw_string(w);
                    break;
                case 'm':
                    if (key_is(key, "model") && !begin_response(key, w)) line_.model = raw_string(w);
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
                if (ClaudeCodeBlock* block = line_.next_block()) {
                    block->type = "text";
                    block->text = text_of(raw_string(element));
                }
                continue;
            }
            if (!is_object(element)) continue;
            ClaudeCodeBlock* block = line_.next_block();
            if (!block) continue;
            ObjectOf<Value> object;
            if (element.get_object().get(object) || !collect_block<Value>(object, *block)) return false;
        }
        return true;
    }

    template <class Value>
    bool collect_block(ObjectOf<Value> object, ClaudeCodeBlock& block) {
        bool late_name = false;
        for (auto item : object) {
            FieldOf<Value> field;
            if (std::move(item).get(field)) return false;
            const char* key = field.key().raw();
            Value v = std::move(field).value();
            switch (key[0]) {
                case 't':
                    if (key_is(key, "type"))
                        block.type = raw_string(v);
                    else if (key_is(key, "text") || key_is(key, "thinking"))
                        block.text = text_of(raw_string(v));
                    else if (key_is(key, "tool_use_id"))
                        block.id = raw_string(v);
                    break;
                case 'i':
                    if (key_is(key, "id"))
                        block.id = raw_string(v);
                    else if (key_is(key, "input")) {
                        if (block.name.empty())
                            late_name = true;
                        else
                            block.args = args_.digest_value(block.name, v);
                    } else if (key_is(key, "is_error"))
                        block.is_error = is_true(v);
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
    bool collect_late_input(ObjectOf<Value> object, ClaudeCodeBlock& block) {
        return each_field(object, [&](const char* key, Value& v) {
            if (key_is(key, "input")) block.args = args_.digest_value(block.name, v);
            return true;
        });
    }

    template <class Value>
    bool collect_usage(Value& v) {
        if (!is_object(v) || pass_over_usage(v)) return true;
        ObjectOf<Value> usage;
        if (v.get_object().get(usage)) return false;
        const bool first = !line_.has_usage;
        line_.has_usage = true;
        std::uint64_t total = 0;
        for (auto item : usage) {
            FieldOf<Value> field;
            if (std::move(item).get(field)) return false;
            const char* key = field.key().raw();
            Value n = std::move(field).value();
            if (!collect_figure(key, n, line_.usage, &line_.advised, &total)) return false;
        }
        if (total > 0) take_out_cached(total);
        if (first && line_.advised.empty()) keep_usage(v);
        return true;
    }

    // Qwen Code writes the same frame with the counts of its own service, whose input has the cached tokens in it. A
    // sum of input and output alone tells.
    void take_out_cached(std::uint64_t total) {
        TokenCounts& t = line_.usage;
        if (t.input + t.output == total && t.cache_read <= t.input) t.input -= t.cache_read;
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
        if (!totals_) return false;
        if (key_is(key, "usage")) return collect_usage(v);
        if (key_is(key, "modelUsage")) return collect_totals(v, false);
        if (line_.totals_alone && key_is(key, "total_cost_usd")) return true;  // of what came before as well
        return key_is(key, "model_usage_since_last_result") && collect_totals(v, true);
    }
    bool collect_totals(json::value& v, bool alone);

    // What was bought for an hour is dearer than what lives five minutes. The sum of both may stand beside them or not.
    template <class Value>
    static bool collect_cache_writes(Value& v, TokenCounts& tokens) {
        if (!is_object(v)) return true;
        const bool no_sum = tokens.cache_write == 0;
        std::uint64_t short_lived = 0;
        const bool whole = each_field(v, [&](const char* key, Value& n) {
            if (key_is(key, "ephemeral_1h_input_tokens"))
                tokens.cache_write_1h = as_uint(n);
            else if (no_sum && key_is(key, "ephemeral_5m_input_tokens"))
                short_lived = as_uint(n);
            return true;
        });
        if (no_sum) tokens.cache_write = short_lived + tokens.cache_write_1h;
        return whole;
    }

    template <class Value>
    [[gnu::noinline]] static bool collect_reasoning(Value& v, TokenCounts& tokens) {
        return !is_object(v) || each_field(v, [&tokens](const char* key, Value& n) {
            if (key_is(key, "thinking_tokens")) tokens.reasoning = as_uint(n);
            return true;
        });
    }

    ArgsDigester& args_;
    RunTotals* totals_;
    ClaudeCodeLine line_;
    quick::RepeatedFields<3> origin_, response_;
    quick::Repeated repeated_usage_;
    TokenCounts usage_;  // what it says
};

}  // namespace agent_audit::readers
