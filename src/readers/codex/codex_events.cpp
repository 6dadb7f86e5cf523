#include "readers/codex/codex_events.hpp"

#include "readers/json/json_util.hpp"

namespace agent_audit::readers {

using rollout::Payload;

SessionStart codex_session_start(const Payload& p) {
    SessionStart start;
    start.session_id = text_of(p.id);
    start.parent_session_id = text_of(p.parent);
    start.forked_from = text_of(p.forked_from);
    start.product_version = text_of(p.version);
    start.cwd = text_of(p.cwd);
    start.model = text_of(p.model);
    start.label = text_of(p.agent_label);
    start.housekeeping = p.housekeeping;
    return start;
}

Compaction codex_compaction(const Payload& p) {
    Compaction compaction;
    compaction.keep = p.has_replacement ? Keep::replacement : Keep::unknown;
    compaction.summary = text_of(p.message);
    return compaction;
}

std::optional<Message> codex_agent_message(const Payload& p) {
    Message message{Role::user, Origin::agent, p.content.text, p.content.media};
    if (message.text.empty()) message.text = text_of(p.message);
    if (!p.content.seen && message.text.empty()) return std::nullopt;
    return message;
}

std::optional<Rewind> codex_rewind(const Payload& p) {
    if (p.num_turns == 0) return std::nullopt;
    Rewind rewind;
    rewind.target = RewindTarget::last_turns;
    rewind.count = p.num_turns;
    return rewind;
}

ToolResult codex_update(const Payload& p) {
    ToolResult result;
    result.call_id = text_of(p.call_id);
    result.status = p.end_status;
    result.exit_code = p.exit_code;
    result.duration_ms = p.duration_ms;
    result.text = text_of(p.end_text);
    result.update = true;
    return result;
}

std::optional<Notice> codex_notice(const Payload& p, NoticeLevel level, NoticeLayer layer) {
    if (p.message.empty()) return std::nullopt;
    Notice n;
    n.level = level;
    n.layer = layer;
    n.text = text_of(p.message);
    if (p.error_info.is_string())
        n.code = text_of(p.error_info.inside());
    else if (p.error_info.seen() && p.error_info.json[0] == '{')
        n.code = {p.error_info.json, TextForm::json_value};
    return n;
}

}  // namespace agent_audit::readers
