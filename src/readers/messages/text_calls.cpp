#include "readers/messages/text_calls.hpp"

#include "support/ascii.hpp"

#include <algorithm>
#include <array>

namespace agent_audit::readers {
namespace {

std::string_view trim(std::string_view t) {
    while (!t.empty() && static_cast<unsigned char>(t.front()) <= ' ') t.remove_prefix(1);
    while (!t.empty() && static_cast<unsigned char>(t.back()) <= ' ') t.remove_suffix(1);
    return t;
}

// Where a line begins with `word`, from `from` on.
std::size_t find_line(std::string_view text, std::string_view word, std::size_t from = 0) {
    for (std::size_t at = text.find(word, from); at != text.npos; at = text.find(word, at + 1)) {
        if (at == 0 || text[at - 1] == '\n') return at;
    }
    return text.npos;
}

std::string_view line_at(std::string_view text, std::size_t at) {
    const auto end = text.find('\n', at);
    return text.substr(at, end == text.npos ? text.npos : end - at);
}

std::string_view first_word(std::string_view text) {
    std::size_t end = 0;
    while (end < text.size() && is_word(text[end])) ++end;
    return text.substr(0, end);
}

// ---- calls ----------------------------------------------------------------------------------------------

constexpr std::string_view kCallTag = "<tool_call>", kCallEnd = "</tool_call>";
constexpr std::string_view kResponseTag = "<tool_response>", kResponseEnd = "</tool_response>";
constexpr std::string_view kActions[] = {"Action", "ACTION"}, kThoughts[] = {"Thought", "THOUGHT", "Think"},
                           kObservations[] = {"Observation", "OBSERVATION"};
constexpr std::string_view kActionInput = "Action Input";

// Behind a mark at the beginning of a text, "Action:" or numbered "Action 3:"; npos where there is none.
std::size_t behind_mark(std::string_view text, std::string_view word) {
    if (!text.starts_with(word)) return text.npos;
    std::size_t at = word.size();
    while (at < text.size() && text[at] == ' ') ++at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at < text.size() && text[at] == ':' ? at + 1 : text.npos;
}

// Behind the mark at the beginning of the next line that has one, from `from` on.
std::size_t find_mark(std::string_view text, std::string_view word, std::size_t from = 0) {
    for (std::size_t at = find_line(text, word, from); at != text.npos; at = find_line(text, word, at + 1)) {
        if (const std::size_t behind = behind_mark(text.substr(at), word); behind != text.npos) return at + behind;
    }
    return text.npos;
}

void add(std::vector<TextCall>& calls, TextCall::Form form, std::string_view tool, std::string_view args) {
    args = trim(args);
    if (tool.empty() || calls.size() == kMaxTextCalls) return;
    calls.push_back({form, std::string(tool), std::string(args), args.starts_with('{') && args.ends_with('}')});
}

void tagged_calls(std::string_view text, std::vector<TextCall>& calls) {
    for (std::size_t at = text.find(kCallTag); at != text.npos; at = text.find(kCallTag, at)) {
        at += kCallTag.size();
        const auto end = text.find(kCallEnd, at);
        if (end == text.npos) return;
        add(calls, TextCall::Form::tagged, "search", text.substr(at, end - at));  // unless JSON names another tool
        at = end;
    }
}

struct Fence {
    std::string_view language, body;
    std::size_t end = std::string_view::npos;
};

std::optional<Fence> fence_from(std::string_view text, std::size_t from) {
    const auto open = text.find("```", from);
    if (open == text.npos) return std::nullopt;
    const std::string_view language = trim(line_at(text, open + 3));
    const auto body = text.find('\n', open);
    if (body == text.npos) return std::nullopt;
    const auto close = text.find("```", body);
    if (close == text.npos) return std::nullopt;
    return Fence{language, text.substr(body + 1, close - body - 1), close + 3};
}

// The tool that a line of glue code runs: tool._run(…). Plain scripts are run by the interpreter itself.
std::string_view tool_of(std::string_view language, std::string_view body) {
    const auto run = body.find("._run(");
    if (run != body.npos) {
        std::size_t begin = run;
        while (begin > 0 && is_word(body[begin - 1])) --begin;
        if (begin < run) return body.substr(begin, run - begin);
    }
    return language == "python" || language == "py" ? "python" : "bash";
}

bool is_runnable(std::string_view language) {
    constexpr std::array<std::string_view, 5> languages{"bash", "sh", "shell", "python", "py"};
    return std::ranges::find(languages, language) != languages.end();
}

bool has_thought(std::string_view text) {
    return std::ranges::any_of(kThoughts, [text](std::string_view word) { return find_mark(text, word) != text.npos; });
}

// Behind the mark of the last action in a text; npos where there is none.
std::size_t last_action(std::string_view text) {
    std::size_t at = text.npos;
    for (const std::string_view mark : kActions) {
        for (std::size_t next = find_mark(text, mark); next != text.npos; next = find_mark(text, mark, next)) at = next;
    }
    return at;
}

void react_call(std::string_view text, std::vector<TextCall>& calls) {
    constexpr std::size_t kLongestAct = 200;
    const std::size_t at = last_action(text);
    if (at == text.npos) return;
    std::string_view name = trim(line_at(text, at));
    if (name.empty() || name.starts_with("```")) {
        const auto fence = fence_from(text, at);
        const auto gap = text.substr(at, text.find("```", at) - at);
        if (fence && trim(gap).empty())
            return add(calls, TextCall::Form::react, tool_of(fence->language, fence->body), fence->body);
    }
    const std::string_view tool = first_word(name);
    if (const auto from = find_mark(text, kActionInput, at); from != text.npos) {
        auto end = find_line(text, "Observation", from);
        if (end == text.npos) end = text.size();
        // A name of several words is a name all the same.
        return add(calls, TextCall::Form::react, name.size() <= 64 ? name : tool, text.substr(from, end - from));
    }
    if (name.empty()) name = trim(text.substr(at));  // on the line below
    const std::string_view verb = first_word(name), rest = name.substr(verb.size());
    if (rest.size() >= 2 &&
        ((rest.front() == '[' && rest.back() == ']') || (rest.front() == '(' && rest.back() == ')'))) {
        return add(calls, TextCall::Form::react, verb, rest.substr(1, rest.size() - 2));
    }
    const bool sentence = !verb.empty() && name.size() <= kLongestAct && name.find('\n') == name.npos;
    if (sentence && has_thought(text)) add(calls, TextCall::Form::react, kActTool, name);
}

// "finish[42]", "Action: answer": the task ends there.
bool ends_task(const TextCall& call) {
    const std::string verb = lowered(call.tool == kActTool ? first_word(call.args) : std::string_view(call.tool));
    return verb.starts_with("finish") || verb == "answer" || verb == "stop" || verb == "done" || verb == "final";
}

// Is the one call of a text left to the world to answer?
bool is_awaited(std::string_view text, const TextCall& call) {
    const bool worded = call.form == TextCall::Form::react || call.form == TextCall::Form::code;
    if (!worded || !has_thought(text) || ends_task(call)) return false;
    std::string_view said = trim(text);
    if (said.ends_with("```")) return true;
    if (said.ends_with(']') || said.ends_with(')')) said = trim(said.substr(0, said.size() - 1));
    return call.form == TextCall::Form::react && said.ends_with(call.args);
}

// All blocks of a message are run together, in the order they stand.
void code_call(std::string_view text, std::vector<TextCall>& calls) {
    std::string body;
    std::string_view tool;
    std::size_t at = 0;
    while (const auto fence = fence_from(text, at)) {
        at = fence->end;
        if (!is_runnable(fence->language)) continue;
        if (tool.empty()) tool = tool_of(fence->language, fence->body);
        body += fence->body;
    }
    if (!tool.empty()) add(calls, TextCall::Form::code, tool, body);
}

void function_calls(std::string_view text, std::vector<TextCall>& calls) {
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view whole = line_at(text, at);
        at += whole.size() + 1;
        std::string_view line = trim(whole);
        if (line.starts_with("- ")) line = trim(line.substr(2));
        if (line.starts_with('`') && line.ends_with('`') && line.size() > 2) line = line.substr(1, line.size() - 2);
        const std::string_view tool = first_word(line);
        if (tool.size() < 3 || line.size() < tool.size() + 2 || line[tool.size()] != '(' || line.back() != ')')
            continue;
        add(calls, TextCall::Form::function, tool, line.substr(tool.size() + 1, line.size() - tool.size() - 2));
    }
}

// ---- answers --------------------------------------------------------------------------------------------

bool runs_code(std::string_view speaker) {
    std::string name;
    for (const char c : speaker.substr(0, 64)) {
        if (c != '_' && c != '-' && c != ' ') name += lower(c);
    }
    return name == "computerterminal" || name == "terminal" || name.ends_with("executor") ||
           name.ends_with("interpreter");
}

std::vector<std::string_view> tagged_answers(std::string_view text) {
    std::vector<std::string_view> answers;
    for (std::size_t at = text.find(kResponseTag); at != text.npos; at = text.find(kResponseTag, at)) {
        at += kResponseTag.size();
        const auto end = std::min(text.find(kResponseEnd, at), text.size());
        if (answers.size() < kMaxTextCalls) answers.push_back(trim(text.substr(at, end - at)));
        at = end;
    }
    return answers;
}

std::vector<std::string_view> function_answers(std::string_view text) {
    constexpr std::string_view kResult = "Result of ";
    std::vector<std::string_view> answers;
    for (std::size_t at = find_line(text, kResult); at != text.npos && answers.size() < kMaxTextCalls;) {
        const auto next = find_line(text, kResult, at + 1);
        answers.push_back(trim(text.substr(at, next == text.npos ? next : next - at)));
        at = next;
    }
    return answers;
}

// ---- reports --------------------------------------------------------------------------------------------

// The longest quoted piece; the quote that ends it stands before a blank, a full stop or the end.
std::string_view quoted_in(std::string_view action) {
    const auto open = action.find('\'');
    if (open == action.npos) return {};
    for (auto close = action.find('\'', open + 1); close != action.npos; close = action.find('\'', close + 1)) {
        if (close + 1 == action.size() || action[close + 1] == ' ' || action[close + 1] == '.') {
            return action.substr(open + 1, close - open - 1);
        }
    }
    return {};
}

// The page that a typed text led to is named after it: then the box was one to search with.
std::string_view typed_tool(std::string_view action, std::string_view typed, std::string_view result) {
    if (action.ends_with("address bar.") || action.ends_with("address bar")) return "visit_url";
    const auto title = result.find('[');
    if (action.find("search") != action.npos || action.find("Search") != action.npos) return "web_search";
    return title != result.npos && !typed.empty() && result.substr(title + 1).starts_with(typed) ? "web_search"
                                                                                                 : "input_text";
}

std::string_view browser_tool(std::string_view action, std::string_view subject, std::string_view result) {
    if (action.starts_with("I typed")) return typed_tool(action, subject, result);
    if (action.find("back button") != action.npos) return "history_back";
    if (action.starts_with("I clicked")) return "click";
    if (action.starts_with("I scrolled up")) return "scroll_up";
    if (action.starts_with("I scrolled")) return "scroll_down";
    if (action.starts_with("I hovered")) return "hover";
    if (action.starts_with("I navigated") || action.starts_with("I visited") || action.starts_with("I opened"))
        return "visit_url";
    return "browse";
}

std::optional<Report> browser_report(std::string_view text) {
    constexpr std::string_view kSeen = "Here is a screenshot of ";
    if (!text.starts_with("I ")) return std::nullopt;
    const auto seen = find_line(text, kSeen);
    if (seen == text.npos || seen > 2000) return std::nullopt;
    Report report;
    report.action = trim(text.substr(0, seen));
    report.result = text.substr(seen);
    report.subject = quoted_in(report.action);
    report.tool = browser_tool(report.action, report.subject, report.result);
    return report;
}

// Error 404: what a browser shows in place of a page.
bool is_error_title(std::string_view title) {
    constexpr std::string_view kError = "Error ";
    if (!title.starts_with(kError) || title.size() != kError.size() + 3) return false;
    title.remove_prefix(kError.size());
    return (title[0] == '4' || title[0] == '5') && std::ranges::all_of(title, is_digit);
}

// Address, title and viewport are where the reader is; below the line stands what was read.
std::optional<Report> file_report(std::string_view text) {
    constexpr std::string_view kAddress = "Address: ";
    if (!text.starts_with(kAddress)) return std::nullopt;
    const auto rule = find_line(text, "=====");
    const auto viewport = find_line(text, "Viewport position:");
    if (rule == text.npos || viewport == text.npos || viewport > rule) return std::nullopt;
    Report report;
    report.tool = "open_file";
    report.subject = trim(line_at(text, kAddress.size()));
    report.action = trim(line_at(text, viewport));
    constexpr std::string_view kTitle = "Title: ";
    const auto title = find_line(text, kTitle);
    report.failed = title < rule && is_error_title(trim(line_at(text, title + kTitle.size())));
    const auto body = text.find('\n', rule);
    report.result = body == text.npos ? std::string_view{} : text.substr(body + 1);
    return report;
}

}  // namespace

bool may_hold_calls(std::string_view text) {
    return text.find(kCallTag) != text.npos || text.find("```") != text.npos || text.find(')') != text.npos ||
           std::ranges::any_of(kActions, [text](std::string_view mark) { return text.find(mark) != text.npos; });
}

std::vector<TextCall> calls_in(std::string_view text) {
    std::vector<TextCall> calls;
    tagged_calls(text, calls);
    if (calls.empty()) react_call(text, calls);
    if (calls.empty()) code_call(text, calls);
    if (calls.empty()) function_calls(text, calls);
    if (calls.size() == 1) calls[0].awaited = is_awaited(text, calls[0]);
    return calls;
}

std::vector<std::string_view> answers_in(std::string_view speaker, std::string_view text, TextCall::Form form) {
    const std::string_view said = trim(text);
    if (form == TextCall::Form::tagged)
        return said.starts_with(kResponseTag) ? tagged_answers(said) : std::vector<std::string_view>{};
    if (form == TextCall::Form::function) {
        return said.starts_with("Result of ") ? function_answers(said) : std::vector<std::string_view>{};
    }
    for (const std::string_view mark : kObservations) {
        if (const std::size_t behind = behind_mark(said, mark); behind != said.npos) return {trim(said.substr(behind))};
    }
    if (form != TextCall::Form::code) return {};
    if (said.starts_with("exitcode:") || said.starts_with("<returncode>")) return {said};
    if (runs_code(speaker) && !said.starts_with("There is no code")) return {said};
    return {};
}

std::optional<Report> report_in(std::string_view text) {
    if (auto report = browser_report(text)) return report;
    return file_report(text);
}

bool tells_failure(std::string_view text) {
    constexpr std::array<std::string_view, 14> kWords{
        "error",          "apologi",     "failed",  "unable", "not found", "could not",      "couldn't",
        "wasn't applied", "not applied", "did not", "didn't", "undefined", "does not exist", "persist"};
    const std::string said = lowered(trim(text).substr(0, 300));
    if (said.find("successful") != said.npos) return false;
    return std::ranges::any_of(kWords, [&said](std::string_view word) { return said.find(word) != said.npos; });
}

bool writes(std::string_view tool) {
    const std::string name = lowered(tool);
    return name.find("edit") != name.npos || name.find("write") != name.npos || name.find("patch") != name.npos;
}

bool only_looks(std::string_view tool) {
    constexpr std::array<std::string_view, 9> kWords{"open", "read", "search", "find",      "get",
                                                     "list", "view", "show",   "definition"};
    const std::string name = lowered(tool);
    return std::ranges::any_of(kWords, [&name](std::string_view word) { return name.find(word) != name.npos; });
}

}  // namespace agent_audit::readers
