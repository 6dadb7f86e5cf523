#include "readers/pi/openclaw_prompt.hpp"

#include "readers/json/raw_blanks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace agent_audit::readers {
namespace {

constexpr std::string_view kLineEnd = "\\n";
constexpr std::string_view kContext = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>",
                           kContextEnd = "<<<END_OPENCLAW_INTERNAL_CONTEXT>>>";

// Wake-ups and other words the gateway puts into the user's mouth.
constexpr std::array<std::string_view, 14> kInjectedPrefixes{"[OpenClaw heartbeat poll]",
                                                             "[Inter-session message]",
                                                             "[cron",
                                                             "System:",
                                                             "System (untrusted):",
                                                             "[System",
                                                             "[Queued announce",
                                                             "A new session was started via /new or /reset",
                                                             "Read HEARTBEAT.md",
                                                             "An async command completion event",
                                                             "An async command you ran earlier has completed",
                                                             "[Internal task completion event]",
                                                             "OpenClaw runtime context (internal)",
                                                             kContext};

bool begins_with_notice(std::string_view text) {
    return text.starts_with("System:") || text.starts_with("System (untrusted):");
}

// Bytes of a block of metadata that begins here: a line that says so, and what is fenced below it. 0 = none.
std::size_t metadata_size(std::string_view text) {
    constexpr std::size_t kLongestHead = 120;
    constexpr std::string_view kFence = "```";
    const std::size_t head = text.substr(0, kLongestHead).find(kLineEnd);
    if (head == text.npos) return 0;
    const std::string_view says = text.substr(0, head);
    if (!says.ends_with("(untrusted metadata):") && !says.ends_with("(untrusted, for context):")) return 0;
    if (!text.substr(head + kLineEnd.size()).starts_with(kFence)) return 0;
    const std::size_t close = text.find("\\n```", head + kLineEnd.size() + kFence.size());
    if (close == text.npos) return 0;
    return std::min(text.find(kLineEnd, close + kLineEnd.size()), text.size());
}

// "2026-05-05 19:26", the parts joined by a blank or a T.
bool is_minute(std::string_view text) {
    constexpr std::string_view kForm = "0000-00-00 00:00";
    if (text.size() < kForm.size()) return false;
    for (std::size_t i = 0; i < kForm.size(); ++i) {
        const char c = text[i];
        const bool fits = kForm[i] == '0' ? c >= '0' && c <= '9' : c == kForm[i] || (kForm[i] == ' ' && c == 'T');
        if (!fits) return false;
    }
    return true;
}

// Bytes of the stamp that begins a message: [Tue 2026-05-05 19:26 GMT+5:30], or with the channel and who speaks in
// place of the day. A time without zone, or with nothing before it, is what people paste from logs. 0 = none.
std::size_t stamp_size(std::string_view text) {
    constexpr std::size_t kLongest = 160, kMinute = 16, kLongestZone = 16;
    if (!text.starts_with('[')) return 0;
    const std::size_t close = text.substr(0, kLongest).find(']');
    if (close == text.npos) return 0;
    const std::string_view inside = text.substr(1, close - 1);
    std::size_t at = inside.find(" 20");
    while (at != inside.npos && !is_minute(inside.substr(at + 1))) at = inside.find(" 20", at + 1);
    if (at == inside.npos || at == 0) return 0;
    std::string_view zone = inside.substr(at + 1 + kMinute);
    if (zone.size() > 2 && zone[0] == ':') zone.remove_prefix(3);  // seconds
    if (zone != "Z" && !(zone.size() > 1 && zone.size() <= kLongestZone && zone[0] == ' ')) return 0;
    return close + 1;
}

// Where the person begins behind notices: at an envelope that begins a line. Notices may run over several lines.
std::size_t person_behind_notices(std::string_view text) {
    for (std::size_t at = text.find(kLineEnd); at != text.npos; at = text.find(kLineEnd, at)) {
        at += kLineEnd.size();
        const std::string_view line = text.substr(at);
        if (stamp_size(line) > 0 || metadata_size(line) > 0) return at;
    }
    return text.npos;
}

}  // namespace

GatewayPrompt split_gateway_prompt(std::string_view prompt) {
    GatewayPrompt out{{}, prompt};
    if (prompt.starts_with(kContext)) {
        const std::size_t end = prompt.find(kContextEnd);
        if (end == prompt.npos) return out;
        const std::string_view person = without_blanks_in_front(prompt.substr(end + kContextEnd.size()));
        if (person.empty()) return out;
        out = {prompt.substr(0, end + kContextEnd.size()), person};
    } else if (begins_with_notice(prompt)) {
        const std::size_t person = person_behind_notices(prompt);
        if (person == prompt.npos) return out;
        out = {prompt.substr(0, person), prompt.substr(person)};
    }
    for (std::size_t size = metadata_size(out.text); size > 0; size = metadata_size(out.text))
        out.text = without_blanks_in_front(out.text.substr(size));
    if (const std::size_t size = stamp_size(out.text); size > 0)
        out.text = without_blanks_in_front(out.text.substr(size));
    return out;
}

bool gateway_wrote(std::string_view text) {
    return std::ranges::any_of(kInjectedPrefixes, [text](std::string_view p) { return text.starts_with(p); });
}

bool timer_wrote(std::string_view text) {
    return text.starts_with("[OpenClaw heartbeat poll]") || text.starts_with("Read HEARTBEAT.md") ||
           text.starts_with("[cron");
}

}  // namespace agent_audit::readers
