#include "readers/codex/codex_text.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>
#include <utility>

namespace agent_audit::readers {
namespace {

constexpr std::size_t kEnd = 400;  // how much of each end of an output is looked at

constexpr std::array<std::string_view, 17> kInjectedPrefixes{"<environment_context>",
                                                             "<user_instructions>",
                                                             "# AGENTS.md instructions",
                                                             "<turn_aborted>",
                                                             "<skill",
                                                             "<subagent_notification>",
                                                             "<image",
                                                             "<user_shell_command>",
                                                             "<hook_prompt",
                                                             "<goal_context",
                                                             "<permissions instructions>",
                                                             "<collaboration_mode>",
                                                             "<model_switch>",
                                                             "<personality_spec>",
                                                             "<INSTRUCTIONS>",
                                                             "<recommended_plugins>",
                                                             "<codex_internal_context"};

// How an output begins when the call itself did not work out. Nothing of it ran.
constexpr std::array<std::string_view, 10> kFailedPrefixes{"apply_patch verification failed",
                                                           "failed to parse function arguments",
                                                           "unsupported call",
                                                           "exec_command failed",
                                                           "unsupported custom tool call",
                                                           "write_stdin failed",
                                                           "failed in sandbox",
                                                           "execution error",
                                                           "failed to apply patch",
                                                           "unable to locate image at "};

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// Digits after what follows "exit": a few words, then blanks, colons, quotes and their backslashes.
std::optional<int> code_after(std::string_view t) {
    if (t.starts_with("ed with ")) t.remove_prefix(8);
    if (t.starts_with("exit ")) t.remove_prefix(5);
    if (!t.empty() && (t[0] == ' ' || t[0] == '_')) t.remove_prefix(1);
    if (!t.starts_with("code") && !t.starts_with("Code")) return std::nullopt;
    t.remove_prefix(4);
    std::size_t i = 0;
    while (i < t.size() && i < 4 && (t[i] == ' ' || t[i] == ':' || t[i] == '"' || t[i] == '\\')) ++i;
    if (i == 0) return std::nullopt;
    const bool negative = i < t.size() && t[i] == '-';
    if (negative) ++i;
    int value = 0;
    std::size_t digits = 0;
    for (; i < t.size() && t[i] >= '0' && t[i] <= '9' && digits < 9; ++i, ++digits) value = value * 10 + (t[i] - '0');
    if (digits == 0) return std::nullopt;
    return negative ? -value : value;
}

// Every spelling contains "xit", and x is rare: one pass by memchr.
std::optional<int> exit_code(std::string_view t) {
    const char* const end = t.data() + t.size();
    for (const char* p = t.data(); p < end; ++p) {
        p = static_cast<const char*>(std::memchr(p, 'x', static_cast<std::size_t>(end - p)));
        if (!p) return std::nullopt;
        const std::string_view rest(p, static_cast<std::size_t>(end - p));
        if (!rest.starts_with("xit")) continue;
        if (const auto code = code_after(rest.substr(3))) return code;
    }
    return std::nullopt;
}

CodexOutcome from_code(int code) { return {code == 0 ? ResultStatus::ok : ResultStatus::error, code}; }

CodexOutcome from_words(std::string_view raw, std::string_view head) {
    for (const std::string_view prefix : kFailedPrefixes) {
        if (raw.starts_with(prefix)) {
            // "exec_command failed … rejected by user", or by a rule: "Rejected(… rejected: … are not permitted)".
            const bool refused = has(head, "rejected by user") || has(head, "Rejected(");
            return {refused ? ResultStatus::denied : ResultStatus::error, {}};
        }
    }
    if (raw.starts_with("aborted")) return {ResultStatus::cancelled, {}};
    // "approval policy is Never; reject command — you cannot ask …": nobody was asked.
    if (raw.starts_with("approval policy is ") && has(head, "reject command")) return {ResultStatus::denied, {}};
    // A long output that happens to speak of denial is not a denial; nor is the kernel's "Permission denied".
    if (raw.size() > 2 * kEnd) return {};
    // "Command blocked by PreToolUse hook: reason. Command: make", "Tool call blocked by …"
    if (head.starts_with("Command blocked by ") || head.starts_with("Tool call blocked by "))
        return {ResultStatus::denied, {}};
    if (has(head, "rejected by") || head.starts_with("rejected") || has(head, "Rejected(") ||
        has(head, "was rejected") || has(head, "approval denied") || has(head, "denied by") ||
        (has(head, "approval") && has(head, "denied"))) {
        return {ResultStatus::denied, {}};
    }
    return {};
}

constexpr std::string_view kBody = "\\nOutput:";

bool has_header(std::string_view raw) {
    return raw.starts_with("Chunk ID:") || raw.starts_with("Wall time:") || raw.starts_with("Exit code:");
}

// Blanks and escaped line breaks that a writer of JSON puts between tokens.
std::string_view without_blanks(std::string_view t) {
    while (t.starts_with(' ') || t.starts_with("\\n")) t.remove_prefix(t[0] == ' ' ? 1 : 2);
    return t;
}
std::string_view without_blanks_behind(std::string_view t) {
    while (t.ends_with(' ') || t.ends_with("\\n")) t.remove_suffix(t.back() == ' ' ? 1 : 2);
    return t;
}

// Takes tokens off the front of `t`, whatever blanks stand before each; false leaves a part of them taken.
bool take(std::string_view& t, std::initializer_list<std::string_view> tokens) {
    for (const std::string_view token : tokens) {
        t = without_blanks(t);
        if (!t.starts_with(token)) return false;
        t.remove_prefix(token.size());
    }
    return true;
}

constexpr std::string_view kQuote = R"(\")", kOutputKey = R"(\"output\")", kMetadataKey = R"(\"metadata\")";

// Cuts `t` before the last quote that only `tokens` and blanks follow. They stand in the order in which they are met
// from the end.
std::optional<std::string_view> before_closing(std::string_view t, std::initializer_list<std::string_view> tokens) {
    for (const std::string_view token : tokens) {
        t = without_blanks_behind(t);
        if (!t.ends_with(token)) return std::nullopt;
        t.remove_suffix(token.size());
    }
    return t;
}

}  // namespace

std::optional<std::string_view> codex_wrapped_output(std::string_view raw) {
    if (raw.empty() || raw[0] != '{') return std::nullopt;
    if (std::string_view body = raw; take(body, {"{", kOutputKey, ":", kQuote})) {
        const auto metadata = body.rfind(kMetadataKey);
        if (metadata == body.npos || body.size() - metadata > kEnd) return std::nullopt;
        return before_closing(body.substr(0, metadata), {",", kQuote});
    }
    std::string_view body = raw;
    if (!take(body, {"{", kMetadataKey, ":", "{"})) return std::nullopt;
    const auto output = body.substr(0, kEnd).find(kOutputKey);
    if (output == body.npos) return std::nullopt;
    body.remove_prefix(output);
    if (!take(body, {kOutputKey, ":", kQuote})) return std::nullopt;
    return before_closing(body, {"}", kQuote});
}

CodexOutcome codex_outcome(std::string_view raw) {
    if (const auto inside = codex_wrapped_output(raw)) {
        const auto begin = static_cast<std::size_t>(inside->data() - raw.data());
        if (const auto code = exit_code(raw.substr(begin + inside->size()))) return from_code(*code);
        if (const auto code = exit_code(raw.substr(0, begin))) return from_code(*code);
        return {};
    }
    std::string_view head = raw.substr(0, kEnd);
    // Newer outputs open with header lines; what the command itself printed comes after them.
    if (has_header(raw)) {
        head = head.substr(0, head.find(kBody));
        if (has(head, "Process running with session ID")) return {ResultStatus::running, {}};
        if (const auto code = exit_code(head)) return from_code(*code);
        return {has(head, "\\naborted by user") ? ResultStatus::cancelled : ResultStatus::unknown, {}};
    }
    if (raw.starts_with("aborted")) return {ResultStatus::cancelled, {}};
    if (has(head, "Process running with session ID")) return {ResultStatus::running, {}};
    if (raw.starts_with("apply_patch verification failed")) return {ResultStatus::error, {}};
    if (const auto code = exit_code(head)) return from_code(*code);
    if (raw.size() > kEnd) {
        if (const auto code = exit_code(raw.substr(std::max(kEnd, raw.size() - kEnd)))) return from_code(*code);
    }
    return from_words(raw, head);
}

bool codex_script_tool(std::string_view name) { return name == "exec" || name == "functions.exec"; }

std::optional<CodexScript> codex_script(std::string_view raw) {
    constexpr std::string_view kScript = "Script ", kRuns = "running with cell ID ";
    constexpr std::size_t kHeader = 200;  // bytes
    if (!raw.starts_with(kScript)) return std::nullopt;
    std::string_view head = raw.substr(kScript.size(), kHeader);
    const std::size_t output = head.find(kBody);
    if (head.find("\\nWall time ") > output || output == head.npos) return std::nullopt;
    CodexScript script;
    script.body = raw.substr(kScript.size() + output + kBody.size());
    if (script.body.starts_with("\\n")) script.body.remove_prefix(2);
    head = head.substr(0, head.find("\\n"));
    if (head == "completed" || head == "terminated") {
        script.status = ResultStatus::ok;
    } else if (head == "failed") {
        script.status = ResultStatus::error;
    } else if (head.starts_with(kRuns)) {
        script.status = ResultStatus::running;
        script.handle = head.substr(kRuns.size());
    }
    return script;
}

std::string_view codex_session_id(std::string_view raw) {
    constexpr std::string_view kMark = "Process running with session ID ";
    std::string_view head = raw.substr(0, kEnd);
    if (has_header(raw)) head = head.substr(0, head.find(kBody));
    const auto at = head.find(kMark);
    if (at == head.npos) return {};
    head.remove_prefix(at + kMark.size());
    return head.substr(0, std::min(head.find_first_not_of("0123456789"), head.size()));
}

std::string_view codex_body(std::string_view raw) {
    if (!has_header(raw)) return raw;
    const auto at = raw.substr(0, kEnd).find(kBody);
    if (at == raw.npos) return raw;
    raw.remove_prefix(at + kBody.size());
    if (raw.starts_with("\\n")) raw.remove_prefix(2);
    return raw;
}

bool codex_injected(std::string_view raw) {
    // Nearly every human text is told apart by its first byte.
    if (raw.empty() || (raw[0] != '<' && raw[0] != '#')) return false;
    return std::ranges::any_of(kInjectedPrefixes, [raw](std::string_view p) { return raw.starts_with(p); });
}

RawText codex_command(RawText primary, RawText args) {
    if (primary.form != TextForm::json_value || !primary.bytes.starts_with('[')) return primary;
    const char* const end = args.bytes.data() + args.bytes.size();
    const char* p = primary.bytes.data() + 1;
    if (p <= args.bytes.data() || p >= end) return primary;
    std::string_view flag, last;
    for (; p < end && *p != ']'; ++p) {
        if (*p == '[' || *p == '{') return primary;  // not a command line
        if (*p != '"') continue;
        const char* const begin = ++p;
        while (p < end && *p != '"') p += *p == '\\' ? 2 : 1;
        if (p >= end) return primary;
        flag = std::exchange(last, {begin, static_cast<std::size_t>(p - begin)});
    }
    if (p >= end) return primary;
    constexpr std::array<std::string_view, 5> kLineFollows{"-lc", "-c", "-Command", "/c", "/C"};
    if (std::ranges::find(kLineFollows, flag) != kLineFollows.end()) return {last, TextForm::json_string};
    return {{primary.bytes.data(), static_cast<std::size_t>(p + 1 - primary.bytes.data())}, TextForm::json_value};
}

bool codex_image_tag(std::string_view raw) { return raw.starts_with("<image") || raw.starts_with("</image"); }

}  // namespace agent_audit::readers
