#include "advice/calls/background.hpp"

#include "advice/words/text.hpp"
#include "detectors/outcomes/exit_code.hpp"
#include "support/ascii.hpp"

#include <agent_audit/simulator/js_value.hpp>
#include <agent_audit/simulator/session.hpp>

#include <algorithm>
#include <array>
#include <charconv>

namespace agent_audit::advice {
namespace {

using simulator::JsValue;

constexpr std::size_t kHead = 600, kTail = 400;
constexpr std::size_t kLongestName = 80;
constexpr std::size_t kLongestArguments = 4u << 10;  // who asks after a command says little

bool of_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.' || c == ':';
}

std::string name_at(std::string_view text, std::size_t at) {
    while (at < text.size() && (text[at] == ' ' || text[at] == ':' || text[at] == '=' || text[at] == '#' ||
                                text[at] == '"' || text[at] == '\'' || text[at] == '`'))
        ++at;
    std::size_t end = at;
    while (end < text.size() && end - at < kLongestName && of_name(text[end])) ++end;
    while (end > at && (text[end - 1] == '.' || text[end - 1] == ':')) --end;
    return std::string(text.substr(at, end - at));
}

std::string ends_of(std::string_view words) {
    std::string out(words.substr(0, kHead));
    if (words.size() > kHead)
        out.append("\n").append(words.substr(std::max(kHead, words.size() - std::min(words.size(), kTail))));
    return out;
}

std::optional<int> number_after(std::string_view text, std::string_view mark) {
    const std::size_t at = text.rfind(mark);
    if (at == text.npos) return std::nullopt;
    std::size_t from = at + mark.size();
    while (from < text.size() && (text[from] == ' ' || text[from] == ':' || text[from] == '"')) ++from;
    int value = 0;
    const auto [end, error] = std::from_chars(text.data() + from, text.data() + text.size(), value);
    if (error != std::errc() || end == text.data() + from) return std::nullopt;
    return value;
}

bool has_any(std::string_view low, std::initializer_list<std::string_view> marks) {
    return std::ranges::any_of(marks, [&](std::string_view mark) { return low.find(mark) != low.npos; });
}

std::string between(std::string_view text, std::string_view open, std::string_view close) {
    const std::size_t at = text.find(open);
    if (at == text.npos) return {};
    const std::size_t end = text.find(close, at + open.size());
    if (end == text.npos) return {};
    return one_line(text.substr(at + open.size(), end - at - open.size()), kLongestName);
}

}  // namespace

std::string handle_in(std::string_view answer) {
    const std::string text = ends_of(answer);
    const std::string low = lowered(text);
    constexpr std::array<std::string_view, 16> kMarks{"running with session id",
                                                      "still running (session ",
                                                      "background with id",
                                                      "running with id",
                                                      "with shellid",
                                                      "shellid:",
                                                      "shell id",
                                                      "bash_id",
                                                      "task_id",
                                                      "task id",
                                                      "job id",
                                                      "background pids",
                                                      "terminal id",
                                                      "session id",
                                                      "agentid:",
                                                      "agent_id:"};
    for (const std::string_view mark : kMarks) {
        const std::size_t at = low.find(mark);
        if (at == low.npos) continue;
        if (std::string name = name_at(text, at + mark.size()); !name.empty()) return name;
    }
    return {};
}

bool goes_on_in_background(const ToolResult& result, std::string_view words) {
    if (result.status == ResultStatus::running) return true;
    if (result.status == ResultStatus::error || result.status == ResultStatus::denied) return false;
    return has_any(lowered(words.substr(0, 400)),
                   {"running in background", "running in the background", "still running", "running with session id",
                    "moved to the background", "working in the background"});
}

std::vector<std::string> handles_asked(RawText arguments) {
    constexpr std::array<std::string_view, 14> kKeys{"sessionid", "bashid",    "shellid",    "taskid", "jobid",
                                                     "processid", "commandid", "terminalid", "id",     "pid",
                                                     "cellid",    "taskids",   "name",       "session"};
    std::vector<std::string> out;
    const auto value = arguments_of(arguments, kLongestArguments);
    const auto* members = value ? value->members() : nullptr;
    if (!members) return out;
    const auto take = [&](const JsValue& one) {
        if (const std::string* text = one.string()) {
            out.push_back(text->substr(0, kLongestName));
        } else if (const double* number = one.number()) {
            // Names that are numbers are whole and small.
            if (*number >= 0 && *number < 1e15) out.push_back(std::to_string(static_cast<std::uint64_t>(*number)));
        }
    };
    for (const auto& [key, member] : *members) {
        const std::string plain = plain_key(std::string_view(key).substr(0, 40));
        if (std::ranges::find(kKeys, std::string_view(plain)) == kKeys.end() || out.size() >= 8) continue;
        if (const auto* list = member.array()) {
            for (const JsValue& one : *list) take(one);
        } else {
            take(member);
        }
    }
    return out;
}

bool stops_it(std::string_view tool, RawText arguments) {
    const std::string low = lowered(tool);
    if (has_any(low, {"kill", "stop", "terminate", "cancel"})) return true;
    const auto value = arguments_of(arguments, kLongestArguments);
    if (!value) return false;
    for (const std::string_view key : {"action", "command"}) {
        const std::string* said = (*value)[key].string();
        if (said &&
            (*said == "kill" || *said == "stop" || *said == "terminate" || *said == "remove" || *said == "clear"))
            return true;
    }
    for (const std::string_view key : {"chars", "input", "data"}) {
        const std::string* typed = (*value)[key].string();
        if (typed && (typed->find('\x03') != typed->npos || typed->find('\x04') != typed->npos)) return true;
    }
    return false;
}

Ending ending_of(const ToolResult& result, std::string_view words) {
    if (result.status == ResultStatus::running) return {};
    if (result.exit_code) return {true, result.exit_code};
    const std::string text = ends_of(words);
    const std::string low = lowered(text);
    if (has_any(low, {"still running", "<status>running", "running with session id", "\"status\": \"running\"",
                      "\"status\":\"running\""}))
        return {};
    for (const std::string_view mark :
         {"<exit_code>", "\"exit_code\"", "\"exitcode\"", "exited with code", "exit code", "exitcode:"}) {
        if (const auto code = number_after(low, mark)) return {true, code};
    }
    if (const auto code = detectors::exit_code_in({text, TextForm::plain})) return {true, code};
    if (has_any(low, {"<status>completed", "\"status\": \"completed\"", "\"status\":\"completed\"", "<status>success"}))
        return {true, 0};
    if (has_any(low, {"<status>failed", "\"status\": \"failed\"", "\"status\":\"failed\""})) return {true, 1};
    return {};
}

std::string changed_file_told(RawText message) {
    constexpr std::size_t kLooked = 400, kLongest = 1u << 20;
    if (message.bytes.substr(0, kLooked).find("edited_text_file") == message.bytes.npos) return {};
    const auto value = arguments_of(message, kLongest);
    const std::string* type = value ? (*value)["type"].string() : nullptr;
    const std::string* name = value ? (*value)["filename"].string() : nullptr;
    return type && name && *type == "edited_text_file" ? one_line(clean(*name), 300) : std::string();
}

std::optional<TaskNotice> task_notice(std::string_view message) {
    if (message.find("<task-notification>") == message.npos) return std::nullopt;
    TaskNotice notice;
    notice.handle = between(message, "<task-id>", "</task-id>");
    if (notice.handle.empty()) return std::nullopt;
    const std::string low = lowered(message.substr(0, 8u << 10));
    const std::string status = between(low, "<status>", "</status>");
    notice.ending.ended = !status.empty() && status != "running";
    notice.ending.exit_code = number_after(low, "exit code");
    if (!notice.ending.exit_code && status == "completed") notice.ending.exit_code = 0;
    if (!notice.ending.exit_code && status == "failed") notice.ending.exit_code = 1;
    return notice;
}

}  // namespace agent_audit::advice
