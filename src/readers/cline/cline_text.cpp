#include "readers/cline/cline_text.hpp"

#include "readers/json/format_util.hpp"
#include "readers/json/raw_text.hpp"

#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <utility>

namespace agent_audit::readers::cline_text {
namespace {

bool is_name(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

// Blanks and escaped newlines.
std::string_view trim_front(std::string_view raw) {
    for (;;) {
        if (raw.starts_with(' '))
            raw.remove_prefix(1);
        else if (raw.starts_with("\\n") || raw.starts_with("\\r") || raw.starts_with("\\t"))
            raw.remove_prefix(2);
        else
            return raw;
    }
}

constexpr std::array<std::string_view, 37> kTools{"access_mcp_resource",
                                                  "apply_diff",
                                                  "apply_patch",
                                                  "ask_followup_question",
                                                  "attempt_completion",
                                                  "browser_action",
                                                  "codebase_search",
                                                  "condense",
                                                  "delete_file",
                                                  "edit_file",
                                                  "execute_command",
                                                  "fetch_instructions",
                                                  "focus_chain",
                                                  "generate_explanation",
                                                  "generate_image",
                                                  "insert_content",
                                                  "list_code_definition_names",
                                                  "list_files",
                                                  "load_mcp_documentation",
                                                  "new_rule",
                                                  "new_task",
                                                  "plan_mode_respond",
                                                  "plan_mode_response",
                                                  "read_command_output",
                                                  "read_file",
                                                  "replace_in_file",
                                                  "report_bug",
                                                  "run_slash_command",
                                                  "search_and_replace",
                                                  "search_files",
                                                  "switch_mode",
                                                  "update_todo_list",
                                                  "use_mcp_tool",
                                                  "use_skill",
                                                  "web_fetch",
                                                  "web_search",
                                                  "write_to_file"};

struct Tag {
    std::string_view name, inside;
    std::size_t end = 0;  // behind the closing tag
};

// The tag that opens at `at`, with what stands in it. What a file holds may look like a closing tag, so of contents the
// last one counts.
std::optional<Tag> tag_at(std::string_view raw, std::size_t at, bool last) {
    std::size_t end = at + 1;
    while (end < raw.size() && is_name(raw[end])) ++end;
    if (end == at + 1 || end >= raw.size() || raw[end] != '>' || end - at > 64) return std::nullopt;
    Tag tag;
    tag.name = raw.substr(at + 1, end - at - 1);
    std::string closing = "</";
    closing += tag.name;
    closing += '>';
    const auto close = last ? raw.rfind(closing) : raw.find(closing, end + 1);
    if (close == raw.npos || close < end + 1) return std::nullopt;
    tag.inside = raw.substr(end + 1, close - end - 1);
    tag.end = close + closing.size();
    return tag;
}

// Every parameter becomes a string; without parameters the whole inside is one.
std::string args_of(std::string_view inside) {
    constexpr int kMaxParameters = 32;
    std::string out = "{";
    std::size_t at = inside.find('<');
    for (int count = 0; at != inside.npos && count < kMaxParameters; ++count) {
        const bool text = inside.substr(at).starts_with("<content>") || inside.substr(at).starts_with("<diff>");
        const auto tag = tag_at(inside, at, text);
        if (!tag) break;
        if (out.size() > 1) out += ',';
        out += '"';
        out += tag->name;
        out += "\":\"";
        out += trim_back(trim_front(tag->inside));
        out += '"';
        at = inside.find('<', tag->end);
    }
    return out + '}';
}

// Where a string ends that stands in JSON kept as a string: at the first quote with one backslash before it.
std::size_t end_of_inner(std::string_view raw, std::size_t at) {
    while (at + 1 < raw.size()) {
        if (raw[at] != '\\') {
            ++at;
        } else if (raw[at + 1] == '"') {
            return at;
        } else if (raw[at + 1] == '\\') {
            at += 2;  // a backslash of the inner string, and what it escapes
            at += at < raw.size() && raw[at] == '\\' ? 2 : 1;
        } else {
            at += 2;
        }
    }
    return raw.npos;
}

std::string_view past_notices(std::string_view text) {
    constexpr std::string_view kOpening = "<mode_notice>", kClosing = "</mode_notice>";
    while (text.starts_with(kOpening)) {
        const auto end = text.find(kClosing);
        if (end == text.npos) break;
        text = trim_front(text.substr(end + kClosing.size()));
    }
    return text;
}

// Tools of the SDK that do one thing answer with an object, kept as text, which ends with what became of it.
bool is_failed_operation(std::string_view raw) {
    constexpr std::size_t kEnd = 96;
    if (!raw.starts_with("{\\\"query\\\":")) return false;
    return raw.substr(raw.size() - std::min(raw.size(), kEnd)).find("\\\"success\\\":false") != raw.npos;
}

}  // namespace

std::optional<ResultText> result_in(std::string_view raw) {
    constexpr std::string_view kEnd = "] Result:";
    constexpr std::size_t kLongestHead = 64u << 10;  // a head quotes the whole command
    if (!raw.starts_with('[')) return std::nullopt;
    std::size_t name = 1;
    while (name < raw.size() && is_name(raw[name])) ++name;
    const bool headed = raw.substr(name).starts_with(" for '") || raw.substr(name).starts_with(kEnd);
    const auto end = name > 1 && headed ? raw.substr(0, kLongestHead).find(kEnd, name) : raw.npos;
    if (end == raw.npos) return std::nullopt;
    return ResultText{raw.substr(1, name - 1), trim_front(raw.substr(end + kEnd.size()))};
}

bool is_refusal(std::string_view why) {
    constexpr std::size_t kEnd = 96;
    if (why.substr(why.size() - std::min(why.size(), kEnd)).find("NOT a tool or system failure") != why.npos)
        return true;
    return why.starts_with("Command not executed: ") && why.substr(0, 400).find(" in plan mode") != why.npos;
}

ResultStatus status_in(std::string_view raw) {
    constexpr std::array<std::string_view, 4> kErrors{"The tool execution failed", "Error:", "[ERROR]",
                                                      "{\\\"status\\\":\\\"error\\\""};
    constexpr std::array<std::string_view, 3> kDenials{"The user denied", "User denied",
                                                       "{\\\"status\\\":\\\"denied\\\""};
    if (starts_with_one_of(raw, kErrors)) return ResultStatus::error;
    if (starts_with_one_of(raw, kDenials)) return ResultStatus::denied;
    constexpr std::string_view kError = "{\\\"error\\\":\\\"";
    if (raw.starts_with(kError) && is_refusal(raw.substr(kError.size()))) return ResultStatus::denied;
    return is_failed_operation(raw) ? ResultStatus::error : ResultStatus::ok;
}

std::optional<CompactionTrigger> compaction_in(std::string_view raw) {
    if (const auto result = result_in(raw.substr(0, 400))) raw = result->text;
    raw = trim_front(raw);
    if (raw.starts_with("This session is being continued from a previous conversation that ran out of context"))
        return CompactionTrigger::automatic;
    if (raw.starts_with("The user has accepted the condensed conversation summary you generated"))
        return CompactionTrigger::manual;
    return std::nullopt;
}

std::optional<HumanWords> words_in(std::string_view raw, std::string_view tag) {
    const std::string_view text = trim_back(trim_front(raw));
    const auto at = text.find('<');
    if (at == text.npos || !text.substr(at + 1).starts_with(tag)) return std::nullopt;
    const std::string_view before = text.substr(0, at);
    if (!before.empty() && !before.starts_with("The user ") && !before.starts_with("You seem to be having trouble"))
        return std::nullopt;
    const auto found = tag_at(text, at, true);
    if (!found || found->name != tag || found->end != text.size()) return std::nullopt;
    return HumanWords{trim_back(before), trim_back(trim_front(found->inside))};
}

std::optional<Feedback> feedback_in(std::string_view raw) {
    constexpr std::string_view kStatus = R"({\"status\":\")", kFeedback = R"(\",\"feedback\":\")", kEnd = R"(\"})";
    if (!raw.starts_with(kStatus)) return std::nullopt;
    for (const std::string_view status : {"denied", "approved", "guidance"}) {
        const std::string_view rest = raw.substr(kStatus.size());
        if (!rest.starts_with(status) || !rest.substr(status.size()).starts_with(kFeedback)) continue;
        const std::size_t begin = kStatus.size() + status.size() + kFeedback.size();
        const std::size_t end = end_of_inner(raw, begin);
        if (end == raw.npos || !raw.substr(end).starts_with(kEnd)) return std::nullopt;
        const std::string_view result = status == "denied" ? raw.substr(0, begin - kFeedback.size() + 2)
                                                           : trim_front(raw.substr(end + kEnd.size()));
        return Feedback{decode_json_string(raw.substr(begin, end - begin)), result};
    }
    return std::nullopt;
}

std::string_view typed_in(std::string_view raw) {
    std::string_view text = past_notices(trim_front(raw));
    for (const auto& [opening, closing] :
         {std::pair{"<user_input ", "</user_input>"}, std::pair{"<user_command ", "</user_command>"}}) {
        const std::string_view whole = trim_back(text);
        const auto inside = text.starts_with(opening) && whole.ends_with(closing) ? text.find('>') : text.npos;
        if (inside == text.npos) continue;
        text = whole.substr(0, whole.size() - std::string_view(closing).size()).substr(inside + 1);
        text = past_notices(trim_front(text));
    }
    return text;
}

UserText kind_of(std::string_view raw) {
    constexpr std::array<std::string_view, 10> kInjected{
        "<environment_details>",
        "[TASK RESUMPTION]",
        "[ERROR]",
        "<feedback>",
        "[SYSTEM] ",
        "<file_content",
        "<explicit_instructions",
        "# task_progress",
        "<hook_context",
        "The user approved switching to act mode. Continue with the approved plan now."};
    raw = trim_front(raw);
    if (raw.starts_with("Are you sure you've completed the goal:") && raw.find("mark_goal_complete") != raw.npos)
        return UserText::injected;
    if (raw.find("<user_message>") != raw.npos) return UserText::human;
    if (starts_with_one_of(raw, kInjected)) return UserText::injected;
    const std::string_view head = raw.substr(0, 400);
    const bool passed_over =
        (raw.starts_with("Tool [") && head.find("was not executed") != head.npos) || raw.starts_with("Skipping tool [");
    return passed_over ? UserText::not_run : UserText::human;
}

std::vector<TagCall> tag_calls_in(std::string_view raw) {
    std::vector<TagCall> calls;
    for (std::size_t at = raw.find('<'); at != raw.npos && calls.size() < kMaxTagCalls; at = raw.find('<', at)) {
        std::size_t end = at + 1;
        while (end < raw.size() && is_name(raw[end])) ++end;
        const std::string_view name = raw.substr(at + 1, end - at - 1);
        const auto tag = std::ranges::binary_search(kTools, name) ? tag_at(raw, at, false) : std::nullopt;
        if (!tag) {
            at = end;
            continue;
        }
        calls.push_back({tag->name, args_of(tag->inside)});
        at = tag->end;
    }
    return calls;
}

}  // namespace agent_audit::readers::cline_text
