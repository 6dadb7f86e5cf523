#include "readers/codex/codex_item.hpp"

#include "readers/json/format_util.hpp"
#include "readers/json/walk.hpp"

#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <climits>

namespace agent_audit::readers {
namespace {

using rollout::Raw;

constexpr std::size_t kLongestPatch = 1u << 20;  // bytes; what follows of a larger one tells nothing more

void keep_longer(std::string_view& into, std::string_view text) {
    if (text.size() > into.size()) into = text;
}

// The lines of a new file as a patch has them.
void add_lines(std::string& patch, std::string_view content) {
    while (!content.empty()) {
        const std::size_t end = std::min(content.find('\n'), content.size());
        patch.append("+").append(content.substr(0, end)).append("\n");
        content.remove_prefix(std::min(end + 1, content.size()));
    }
}

struct FileChange {
    std::string_view kind, moved_to;
    std::string text;  // the new file, or the difference
};

bool collect_change(json::value& v, FileChange& out) {
    return each_field(v, [&out](const char* key, json::value& w) {
        if (key_is(key, "type"))
            out.kind = raw_string(w);
        else if (key_is(key, "move_path"))
            out.moved_to = raw_string(w);
        else if (key_is(key, "content") || key_is(key, "unified_diff"))
            out.text = decode_json_string(raw_string(w), kLongestPatch);
        return true;
    });
}

void add_change(std::string& patch, std::string_view path, const FileChange& change) {
    const bool added = change.kind == "add", removed = change.kind == "delete";
    patch.append(added ? "*** Add File: " : removed ? "*** Delete File: " : "*** Update File: ").append(path) += '\n';
    if (removed) return;
    if (!change.moved_to.empty()) patch.append("*** Move to: ").append(decode_json_string(change.moved_to)) += '\n';
    if (added) return add_lines(patch, change.text);
    patch += change.text;
    if (!patch.ends_with('\n')) patch += '\n';
}

}  // namespace

bool CodexItem::ends_call() const {
    return type == "CommandExecution" || type == "McpToolCall" || type == "FileChange" || type == "DynamicToolCall";
}

ResultStatus CodexItem::outcome() const {
    if (status == "declined") return ResultStatus::denied;
    if (exit_code) return *exit_code == 0 ? ResultStatus::ok : ResultStatus::error;
    if (status == "failed" || success == false || !error.empty()) return ResultStatus::error;
    // What was typed into a command that goes on has arrived; how the command ends is told elsewhere.
    if (status != "completed" || type == "CommandExecution") return ResultStatus::unknown;
    return ResultStatus::ok;
}

void CodexItem::tell_end(rollout::Payload& p) const {
    p.call_id = id;
    p.status = status;
    p.end_status = outcome();
    p.exit_code = exit_code;
    p.duration_ms = duration_ms;
    p.end_text = error;
}

bool CodexItems::read(std::string_view json) {
    item_ = {};
    json::document doc;
    json::object object;
    if (json.empty() || json[0] != '{') return true;
    if (parser_.iterate(json.data(), json.size(), json.size() + simdjson::SIMDJSON_PADDING).get(doc) ||
        doc.get_object().get(object))
        return false;
    return each_field(object, [this](const char* key, json::value& v) { return field(key, v); });
}

bool CodexItems::read_end(const rollout::Payload& end) {
    const bool patch = end.type == "patch_apply_end";
    if (!read(end.invocation.json)) return false;
    item_.type = patch ? "FileChange" : "McpToolCall";
    item_.id = end.call_id;
    item_.changes = end.changes;
    item_.duration_ms = end.duration_ms;
    item_.status = end.end_status == ResultStatus::ok      ? "completed"
                   : end.end_status == ResultStatus::error ? "failed"
                                                           : "";
    if (end.status == "declined") item_.status = end.status;
    item_.error = end.end_text;
    return true;
}

bool CodexItems::field(const char* key, json::value& v) {
    CodexItem& i = item_;
    struct Text {
        std::string_view name;
        std::string_view CodexItem::*into;
    };
    constexpr Text kTexts[] = {{"type", &CodexItem::type},     {"id", &CodexItem::id},
                               {"status", &CodexItem::status}, {"source", &CodexItem::source},
                               {"cwd", &CodexItem::cwd},       {"process_id", &CodexItem::process},
                               {"tool", &CodexItem::tool},     {"interaction_input", &CodexItem::typed},
                               {"server", &CodexItem::server}, {"query", &CodexItem::about},
                               {"path", &CodexItem::about},    {"prompt", &CodexItem::about},
                               {"kind", &CodexItem::kind}};
    for (const Text& text : kTexts) {
        if (key_text(key) != text.name) continue;
        i.*text.into = raw_string(v);
        return true;
    }
    if (key_is(key, "command"))
        i.command.json = raw_value(v);
    else if (key_is(key, "arguments"))
        i.arguments.json = raw_value(v);
    else if (key_is(key, "changes"))
        i.changes.json = raw_value(v);
    else if (key_is(key, "aggregated_output") || key_is(key, "formatted_output") || key_is(key, "stdout") ||
             key_is(key, "stderr"))
        keep_longer(i.printed, raw_string(v));
    else if (key_is(key, "exit_code")) {
        const std::int64_t code = as_int(v, INT64_MIN);
        if (code >= INT_MIN && code <= INT_MAX) i.exit_code = static_cast<int>(code);
    } else if (key_is(key, "success")) {
        if (!is_null(v)) i.success = is_true(v);
    } else if (key_is(key, "duration"))
        return rollout::collect_duration(v, i.duration_ms);
    else if (key_is(key, "error")) {
        if (is_string(v)) i.error = raw_string(v);
        return each_field(v, [&i](const char* k, json::value& w) {
            if (key_is(k, "message")) i.error = raw_string(w);
            return true;
        });
    } else if (key_is(key, "result") || key_is(key, "content_items"))
        return answer_of_tool(v);
    return true;
}

// {"content":[…],"isError":false} of a server, and the blocks alone of other tools.
bool CodexItems::answer_of_tool(json::value& v) {
    rollout::Blocks blocks;
    if (is_array(v)) {
        if (!rollout::collect_blocks(v, blocks)) return false;
    } else if (!each_field(v, [&](const char* key, json::value& w) {
                   if (key_is(key, "content")) return rollout::collect_blocks(w, blocks);
                   if (key_is(key, "isError") && is_true(w)) item_.success = false;
                   return true;
               })) {
        return false;
    }
    item_.answer = blocks.text;
    return true;
}

std::optional<CodexItems::Call> CodexItems::call() {
    const CodexItem& i = item_;
    if (i.type == "CommandExecution") return command();
    if (i.type == "FileChange") {
        if (!write_patch()) return std::nullopt;
        return Call{"apply_patch", {}, plain(text_)};
    }
    if (i.type == "McpToolCall" && !i.tool.empty()) {
        return Call{server_tool(i.server, i.tool, name_), i.arguments, {}};
    }
    if (i.type == "DynamicToolCall" && !i.tool.empty()) return Call{i.tool, i.arguments, {}};
    if (i.type == "CollabAgentToolCall" && !i.tool.empty()) return Call{i.tool, {}, text_of(i.about)};
    if (i.type == "WebSearch") return Call{"web_search", {}, text_of(i.about)};
    if (i.type == "Extension" && !i.kind.empty()) {  // "web.search"
        name_.assign(i.kind);
        std::ranges::replace(name_, '.', '_');
        return Call{name_, {}, text_of(i.about)};
    }
    if (i.type == "Sleep") return Call{"sleep", {}, {}};
    if (i.type == "ImageView") return Call{"view_image", {}, text_of(i.about)};
    return std::nullopt;
}

CodexItems::Call CodexItems::command() {
    const CodexItem& i = item_;
    if (i.source != "unified_exec_interaction" && i.source != "unifiedExecInteraction")
        return {"exec_command", i.command, {}};
    text_.assign(R"({"session_id":")").append(i.process).append(R"(","chars":")").append(i.typed).append("\"}");
    return {"write_stdin", {}, {text_, TextForm::json_value}};
}

bool CodexItems::write_patch() {
    text_.assign("*** Begin Patch\n");
    json::document doc;
    json::object changes;
    const std::string_view raw = item_.changes.json;
    if (raw.empty() || raw[0] != '{' ||
        again_.iterate(raw.data(), raw.size(), raw.size() + simdjson::SIMDJSON_PADDING).get(doc) ||
        doc.get_object().get(changes))
        return false;
    std::size_t files = 0;
    const bool whole = each_field(changes, [&](const char* key, json::value& v) {
        FileChange change;
        if (!collect_change(v, change)) return false;
        ++files;
        if (text_.size() < kLongestPatch) add_change(text_, decode_json_string(key_text(key)), change);
        return true;
    });
    text_ += "*** End Patch\n";
    return whole && files > 0;
}

ToolResult CodexItems::result() const {
    const CodexItem& i = item_;
    ToolResult result;
    result.call_id = text_of(i.id);
    result.status = i.outcome();
    result.exit_code = i.exit_code;
    result.duration_ms = i.duration_ms;
    result.text = i.printed.empty() ? i.answer : text_of(i.printed);
    if (result.text.empty()) result.text = text_of(i.error);
    // A patch that was carried out has nothing to say, and a command may print nothing.
    result.opaque = result.text.empty() && i.type != "CommandExecution" && i.type != "FileChange";
    return result;
}

}  // namespace agent_audit::readers
