#include "readers/codex/codex_output.hpp"

#include "readers/codex/codex_text.hpp"
#include "readers/json/walk.hpp"

#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <utility>

namespace agent_audit::readers {
namespace {

// Without the lines that older tools put in front of what a command printed: the time it took changes.
std::string_view without_header(std::string_view text) {
    constexpr std::string_view kBody = "\nOutput:\n";
    constexpr std::size_t kHeader = 400;  // bytes
    const bool header =
        text.starts_with("Exit code:") || text.starts_with("Wall time:") || text.starts_with("Chunk ID:");
    const std::size_t body = header ? text.substr(0, kHeader).find(kBody) : text.npos;
    return body == text.npos ? text : text.substr(body + kBody.size());
}

// What stands in a block of its own before what a tool of an MCP server answered.
bool is_header(std::string_view text) { return text.starts_with("Wall time:") && text.ends_with("\\nOutput:"); }

// A call in a script threw what it would have been answered.
bool was_refused(std::string_view text) {
    constexpr std::string_view kThrown = "Script error:\\n";
    return text.starts_with(kThrown) && codex_outcome(text.substr(kThrown.size())).status == ResultStatus::denied;
}

}  // namespace

using rollout::Blocks;
using rollout::Payload;

bool CodexOutputs::read(const Payload& p, ToolResult& result, bool calls_told) {
    printed_.clear();
    script_ = false;
    if (p.output.is_string()) {
        set_text(result, p.output.inside());
        return true;
    }
    if (p.type == "tool_search_output") {
        result.text = {p.output.json, TextForm::json_value};
        result.status = p.status == "failed" ? ResultStatus::error : ResultStatus::ok;
        return true;
    }
    json::document doc;
    json::value value;
    const std::string_view raw = p.output.json;
    if (raw[0] != '{' && raw[0] != '[') {
        result.opaque = true;  // null or a number: nothing was recorded
        return true;
    }
    if (again_.iterate(raw.data(), raw.size(), raw.size() + simdjson::SIMDJSON_PADDING).get(doc) ||
        doc.get_value().get(value)) {
        return false;
    }
    return raw[0] == '[' ? read_blocks(value, result, calls_told) : read_object(value, raw, result, calls_told);
}

bool CodexOutputs::read_blocks(json::value& value, ToolResult& result, bool calls_told) {
    Blocks blocks;
    if (!rollout::collect_blocks(value, blocks)) return false;
    result.opaque = blocks.texts == 0;
    const bool headed = blocks.texts > 1 && is_header(blocks.first);
    if (blocks.texts == 1 && blocks.media > 0) {
        result.text = blocks.text;
    } else if (headed || (blocks.texts > 1 && blocks.media > 0 && !codex_script(blocks.first))) {
        keep_texts(blocks.text.bytes, headed ? 1 : 0);
        join_printed(result);
    } else {
        set_blocks(result, blocks, calls_told);
    }
    result.media_count = blocks.media;
    result.media_hash = blocks.media_hash;
    result.media_stored = blocks.media_stored;
    return true;
}

// The texts of an array of blocks, without the first ones. Pictures among them are none.
void CodexOutputs::keep_texts(std::string_view raw, std::size_t without) {
    json::document doc;
    json::value value;
    if (again_.iterate(raw.data(), raw.size(), raw.size() + simdjson::SIMDJSON_PADDING).get(doc) ||
        doc.get_value().get(value))
        return;
    each_element(value, [&](json::value& v) {
        return each_field(v, [&](const char* key, json::value& w) {
            if (!key_is(key, "text") || !is_string(w)) return true;
            if (without == 0) printed_.push_back(raw_string(w));
            without -= without > 0 ? 1 : 0;
            return true;
        });
    });
}

void CodexOutputs::join_printed(ToolResult& result) {
    unwrapped_.clear();
    for (const std::string_view text : printed_) unwrapped_.append(unwrapped_.empty() ? "" : "\\n").append(text);
    result.text = text_of(unwrapped_);
}

void CodexOutputs::set_blocks(ToolResult& result, const Blocks& blocks, bool calls_told) {
    if (const auto script = codex_script(blocks.first)) return set_script(result, blocks, *script, calls_told);
    if (blocks.text.form == TextForm::json_string) return set_text(result, blocks.text.bytes);
    result.text = blocks.text;
}

// The first text is the header, and tells how long the script took; the others are what it said.
void CodexOutputs::set_script(ToolResult& result, const Blocks& blocks, const CodexScript& script, bool calls_told) {
    script_ = true;
    result.status = script.status;
    result.handle = text_of(script.handle);
    if (!script.body.empty()) printed_.push_back(script.body);
    if (blocks.texts > 1) keep_texts(blocks.text.bytes, 1);
    join_printed(result);
    if (script.status == ResultStatus::error && was_refused(unwrapped_)) result.status = ResultStatus::denied;
    if (calls_told || script.status != ResultStatus::ok) return;
    const CodexOutcome shown = codex_outcome(unwrapped_);
    if (!shown.exit_code) return;
    result.status = shown.status;
    result.exit_code = shown.exit_code;
}

// Between the string and the block array there was {"content": "…", "success": true}.
bool CodexOutputs::read_object(json::value& value, std::string_view raw, ToolResult& result, bool calls_told) {
    Blocks blocks;
    char success = 0;
    const bool whole = each_field(value, [&](const char* key, json::value& v) {
        if (key_is(key, "content")) return rollout::collect_blocks(v, blocks);
        if (key_is(key, "success")) success = v.raw_json_token()[0];
        return true;
    });
    if (!whole) return false;
    set_blocks(result, blocks, calls_told);
    if (!blocks.seen) result.text = {raw, TextForm::json_value};
    result.media_count = blocks.media;
    result.media_hash = blocks.media_hash;
    result.media_stored = blocks.media_stored;
    if (success == 't') result.status = ResultStatus::ok;
    if (success == 'f' && result.status != ResultStatus::denied) result.status = ResultStatus::error;
    return true;
}

std::vector<std::string> CodexOutputs::answers(std::size_t commands) {
    std::vector<std::string> out;
    const auto add = [&](std::string_view decoded) {
        out.emplace_back(decoded).append(simdjson::SIMDJSON_PADDING, ' ');
    };
    if (commands == 1) {
        add(decode_json_string(unwrapped_));
    } else if (printed_.size() == commands) {
        for (const std::string_view text : printed_) add(decode_json_string(text));
    } else if (printed_.size() == 1) {
        std::string list = decode_json_string(printed_[0]);
        const std::size_t size = list.size();
        list.append(simdjson::SIMDJSON_PADDING, ' ');
        json::document doc;
        json::value value;
        if (!list.starts_with('[') || again_.iterate(list.data(), size, list.size()).get(doc) ||
            doc.get_value().get(value))
            return {};
        each_element(value, [&](json::value& v) {
            add(raw_value(v));
            return out.size() <= commands;
        });
    }
    if (out.size() != commands) out.clear();
    return out;
}

// {"chunk_id":"…","exit_code":0,"output":"…","wall_time_seconds":0.1}; the number of the session where it goes on. Or
// what was made of it.
void CodexOutputs::read_answer(const std::string& answer, ToolResult& result) {
    const std::size_t size = answer.size() - simdjson::SIMDJSON_PADDING;
    const std::string_view text = std::string_view(answer).substr(0, size);
    const CodexOutcome told = codex_outcome(text);
    result.status = told.status;
    result.exit_code = told.exit_code;
    result.text = plain(without_header(text));
    json::document doc;
    json::object object;
    if (!text.starts_with('{') || again_.iterate(answer.data(), size, answer.size()).get(doc) ||
        doc.get_object().get(object))
        return;
    std::string_view session;
    each_field(object, [&](const char* key, json::value& v) {
        if (key_is(key, "output") && is_string(v))
            result.text = text_of(raw_string(v));
        else if (key_is(key, "wall_time_seconds"))
            result.duration_ms = static_cast<std::int64_t>(std::clamp(as_double(v, 0), 0.0, 1e9) * 1000);
        else if (key_is(key, "session_id") && !is_null(v))
            session = raw_value(v);
        return true;
    });
    if (session.empty() || result.exit_code) return;
    result.status = ResultStatus::running;
    result.handle = plain(session);
}

void CodexOutputs::set_text(ToolResult& result, std::string_view raw) {
    const CodexOutcome outcome = codex_outcome(raw);
    result.status = outcome.status;
    result.exit_code = outcome.exit_code;
    if (outcome.status == ResultStatus::running) result.handle = text_of(codex_session_id(raw));
    result.text = text_of(codex_body(raw));
    if (const auto inside = codex_wrapped_output(raw)) {
        // One layer of escapes off; the metadata, which holds a clock, stays out of the text.
        unwrapped_ = decode_json_string(*inside);
        result.text = text_of(unwrapped_);
    }
}

}  // namespace agent_audit::readers
