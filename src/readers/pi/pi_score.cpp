#include "readers/pi/pi_score.hpp"

#include <string_view>

namespace agent_audit::readers {
namespace {

struct Look {
    bool header = false, entries = false, messages = false, openclaw = false, foreign = false;
};

// A message of pi's libraries as it is sent, with no entry around it.
bool is_bare_message(const ProbeRecord& r) {
    const std::string_view role = r.text("role");
    if (role == "toolResult") return r.has("toolCallId") && r.has("content");
    return role == "assistant" && r.has("api") && r.has("provider") && r.has("usage") && r.has("stopReason");
}

Look look(std::span<const ProbeRecord> sample) {
    Look seen;
    for (const ProbeRecord& r : sample) {
        if (!r.is_object()) continue;
        const std::string_view type = r.text("type");
        if (type == "session_start" || r.has("traceSchema") || r.has("payload") || r.has("sessionId"))
            seen.foreign = true;
        if (type == "session" && r.has("id") && r.has("timestamp") && (r.has("cwd") || r.has("version")))
            seen.header = true;
        if (r.text("kind") == "header" && r.has("id") && r.has("createdAt") && r.has("version")) seen.header = true;
        if (type.empty() && is_bare_message(r)) seen.messages = true;
        if (type == "message" && r.has("timestamp")) {
            const ProbeRecord message = r.child("message");
            if (!message.text("role").empty()) seen.entries = true;
            // The gateway writes who speaks in front of what he says.
            const auto content = message.raw("content");
            const bool relayed = content && content->find("(untrusted metadata)") != content->npos;
            if (relayed || message.text("provider") == "openclaw") seen.openclaw = true;
        }
        if (type == "custom" || type == "custom_message") {
            const std::string_view custom = r.text("customType");
            if (custom.starts_with("openclaw") || custom == "model-snapshot") seen.openclaw = true;
        }
    }
    return seen;
}

// The two formats differ in who wrote them only: exactly one of them claims a file.
Score score_as(bool openclaw, std::span<const ProbeRecord> sample) {
    const Look seen = look(sample);
    if (seen.foreign || seen.openclaw != openclaw) return 0;
    if (seen.header) return openclaw || seen.entries ? kCertain : 90;
    if (seen.messages && !openclaw) return 95;
    return seen.entries ? 60 : 0;
}

}  // namespace

Score pi_score(std::span<const ProbeRecord> sample, Framing) { return score_as(false, sample); }
Score openclaw_score(std::span<const ProbeRecord> sample, Framing) { return score_as(true, sample); }

}  // namespace agent_audit::readers
