#include "cli/hooks/hook_payload.hpp"

#include <agent_audit/support/hash.hpp>
#include <agent_audit/support/unescape.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace agent_audit::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kDeepest = 100;
// A result of a few thousand tokens is kept as it is; a thousand lines of 16 KiB are read in some milliseconds.
constexpr std::size_t kLongestText = 8u << 10, kHead = 5u << 10, kTail = 2u << 10;
constexpr std::size_t kLongestLine = 64u << 10;

constexpr std::array<std::string_view, 19> kKept{
    "session_id",    "cwd",    "hook_event_name",        "tool_name",       "tool_use_id",     "tool_input",
    "tool_response", "error",  "is_interrupt",           "duration_ms",     "agent_id",        "agent_type",
    "source",        "prompt", "last_assistant_message", "prompt_response", "compact_summary", "timestamp",
    "tool_calls"};

std::string text_field(const Json& object, const char* name) {
    const auto at = object.find(name);
    return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

// From the end of the text; a character that the cut goes through is left out.
std::string_view tail_of(std::string_view text, std::size_t bytes) {
    text.remove_prefix(text.size() - bytes);
    while (!text.empty() && (static_cast<unsigned char>(text.front()) & 0xC0) == 0x80) text.remove_prefix(1);
    return text;
}

std::string shortened(const std::string& text) {
    return fmt::format("{}\n[… {} bytes, {} …]\n{}", cut_utf8(text, kHead), text.size(), fingerprint_hex(text),
                       tail_of(text, kTail));
}

void shorten_texts(Json& value) {
    if (value.is_string()) {
        const auto& text = value.get_ref<const std::string&>();
        if (text.size() > kLongestText) value = shortened(text);
    } else if (value.is_structured()) {
        for (auto& child : value) shorten_texts(child);
    }
}

std::string dumped(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

Result<HookPayload> read_payload(std::string_view text) {
    bool deep = false;
    Json fields = Json::parse(
        text,
        [&deep](int depth, Json::parse_event_t, Json&) {
            deep = deep || depth > kDeepest;
            return depth <= kDeepest;
        },
        false);
    if (deep) return Error{"the payload is nested too deeply"};
    if (!fields.is_object()) return Error{"the payload on standard input is no JSON object"};
    HookPayload payload{text_field(fields, "hook_event_name"), text_field(fields, "session_id"), std::move(fields)};
    if (payload.event.empty()) return Error{"the payload has no \"hook_event_name\""};
    return payload;
}

std::string_view client_of(const HookPayload& payload) {
    constexpr std::array<std::string_view, 5> kGemini{"BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent",
                                                      "PreCompress"};
    if (std::ranges::find(kGemini, payload.event) != kGemini.end()) return "gemini";
    if (payload.fields.contains("turn_id")) return "codex";
    const std::string transcript = text_field(payload.fields, "transcript_path");
    if (transcript.find("/.qwen/") != transcript.npos) return "qwen";
    if (payload.fields.contains("prompt_id") || transcript.find("/.claude/") != transcript.npos) return "claude-code";
    return {};
}

bool keep_turned_down(HookPayload& payload) {
    const auto calls = payload.fields.find("tool_calls");
    if (calls == payload.fields.end() || !calls->is_array()) return false;
    Json kept = Json::array();
    for (Json& call : *calls) {
        if (call.is_object() && text_field(call, "tool_response").starts_with("<tool_use_error>"))
            kept.push_back(std::move(call));
    }
    *calls = std::move(kept);
    return !calls->empty();
}

std::string log_line(const HookPayload& payload, std::string_view client, std::int64_t time_ms,
                     std::string_view refused) {
    Json kept = Json::object();
    for (const auto& [name, value] : payload.fields.items()) {
        if (std::ranges::find(kKept, name) != kKept.end()) kept[name] = value;
    }
    for (auto& value : kept) shorten_texts(value);
    // Many short texts are long, too.
    for (const char* name : {"tool_response", "tool_input", "tool_calls"}) {
        if (!kept.contains(name) || dumped(kept).size() <= kLongestLine) continue;
        std::string text = shortened(dumped(payload.fields[name]));
        if (name == std::string_view("tool_input"))
            kept[name] = Json{{"text", std::move(text)}};
        else
            kept[name] = std::move(text);
    }
    Json line{{"agent_audit_hook", 1}, {"client", client}, {"time_ms", time_ms}};
    if (!refused.empty()) line["refused"] = refused;
    line["payload"] = std::move(kept);
    return dumped(line) + "\n";
}

}  // namespace agent_audit::cli
