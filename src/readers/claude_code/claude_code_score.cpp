#include "readers/claude_code/claude_code_score.hpp"

#include "readers/claude_code/claude_code_kinds.hpp"

#include <algorithm>

namespace agent_audit::readers {

Score claude_code_score_file(std::span<const ProbeRecord> sample, Framing) {
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
        if (claude_code_bookkeeping(type) && (r.has("sessionId") || r.has("leafUuid") || r.has("messageId")))
            best = std::max(best, 60);
        // Gemini CLI lists prompts beside its sessions, with a text as the message.
        const auto message = r.raw("message");
        if ((type == "user" || type == "assistant") && message && message->starts_with('{') &&
            (r.has("uuid") || r.has("sessionId") || r.has("isSidechain")))
            dialogue = true;
    }
    return dialogue ? std::max(best, 70) : best;
}

Score claude_code_score_stream(std::span<const ProbeRecord> sample, Framing) {
    Score best = 0;
    for (const ProbeRecord& r : sample) {
        if (!r.is_object() || !r.has("session_id") || r.has("sessionId")) continue;
        const std::string_view type = r.text("type");
        // Others begin their streams with nearly the same record, and write on in another way.
        if ((type == "message" && (r.has("text") || r.has("message_type"))) || type == "tool_call") return 0;
        if (type == "system" && r.has("agent_id") && r.has("conversation_id")) return 0;
        if (type == "system" && r.text("subtype") == "init" && r.has("tools"))
            best = std::max(best, r.has("slash_commands") ? kCertain : Score{96});
        if ((type == "assistant" || type == "user") && r.has("message") && r.has("parent_tool_use_id"))
            best = std::max(best, 95);
        if (type == "result" && r.has("num_turns")) best = std::max(best, 80);
    }
    return best;
}

}  // namespace agent_audit::readers
