#include "detectors/engine/result_status.hpp"

#include "detectors/commands/command_state.hpp"
#include "detectors/commands/file_touch.hpp"
#include "detectors/commands/tool_words.hpp"
#include "detectors/engine/deeds.hpp"
#include "detectors/outcomes/answers.hpp"
#include "detectors/outcomes/error_class.hpp"
#include "detectors/outcomes/exit_code.hpp"
#include "detectors/outcomes/json_failure.hpp"
#include "detectors/outcomes/outcome_words.hpp"
#include "detectors/outcomes/refusal.hpp"
#include "detectors/outcomes/screen.hpp"
#include "detectors/outcomes/shown_error.hpp"
#include "detectors/outcomes/unparsed_place.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"

namespace agent_audit::detectors {
namespace {

// grep and its kin end with 1 when nothing matched: an answer, and no failure. Real trouble is 2, or says more.
bool found_nothing(const Step& step, RawText text, std::optional<int> code) {
    constexpr std::size_t kLongestNothing = 80;
    constexpr std::string_view kSandboxed =
        "exit code: 1, stdout: , stderr: ";  // Codex, of what printed nothing at all
    if (step.tool_class != ToolClass::search) return false;
    if (text.bytes.starts_with("failed in sandbox ") && text.bytes.ends_with(kSandboxed)) return true;
    if (text.size() > kLongestNothing && !says_only_code(text.bytes)) return false;
    return code ? *code == 1 : exit_code_in(text) == 1;
}

bool says_refused_edit(const Step& step, RawText text) {
    // Editors have many names: edit_lines of one server, edit_range of the next.
    const bool edits =
        step.tool_class == ToolClass::mutate || (step.tool_class == ToolClass::other && step.command_bytes == 0 &&
                                                 step.text.tool().find("edit") != std::string_view::npos);
    return edits && edit_refused(text);
}

// Not what prints or reads words that somebody else wrote: a command, a file.
bool speaks_for_itself(const Step& step) {
    const bool own_words = step.tool_class == ToolClass::other || step.tool_class == ToolClass::search ||
                           step.tool_class == ToolClass::mutate;
    return own_words && step.command_bytes == 0;
}

// "Error: HTTP 403 Forbidden", and nothing else, of what was to be fetched: no line that was found, which would have
// what was looked for in it.
bool found_only_line(const Step& step, RawText text) {
    constexpr std::size_t kLongest = 200;  // bytes
    const std::string_view asked = step.text.argument().bytes;
    return text.size() <= kLongest && !has_lines(text.bytes) && !asked.empty() &&
           text.bytes.find(asked) == std::string_view::npos;
}

// What another program died of is told by tools that run it.
[[gnu::noinline]] bool tells_failure(const Step& step, RawText answer) {
    return begins_with_failure(answer) || (step.tool_class == ToolClass::other && shows_crash(answer));
}

// "Error: E17 means that …", of a tool that is asked about the error E17.
bool explains_error(const Step& step, RawText text) {
    const std::string_view asked = step.text.argument().bytes;
    return step.text.tool().find("rror") != std::string_view::npos && !asked.empty() &&
           text.bytes.find(asked) != std::string_view::npos;
}

// A log that was read, the console of a browser: that something failed stands in it. What could not be read says so
// first.
bool shows_others_words(const Step& step, RawText text) {
    if (explains_error(step, text)) return true;
    const bool looks = step.tool_class == ToolClass::read || step.tool_class == ToolClass::search;
    return (shows_messages(step.text.tool()) && has_lines(text.bytes)) || (looks && !tells_failure(step, text));
}

// The title of an issue, the subject of a commit, the last line of a log: "TypeError: gate is undefined" stands there
// alone, and is none of the command's.
bool shows_others_line(const Step& step, RawText text) {
    constexpr std::string_view kShows[] = {"gh ", "glab ", "git log", "git show", "kubectl logs", "docker logs"};
    if (step.command_bytes == 0 || has_lines(text.bytes)) return false;
    const std::string_view name = text.bytes.substr(0, text.bytes.find(": "));
    return name.ends_with("Error") && is_upper(name[0]) && name.find(' ') == name.npos &&
           starts_with_any(step.text.argument().bytes, kShows);
}

// Many tools leave the flag for errors unset and say it in words; that a thing is not there is an answer, but not to a
// click on it.
ResultStatus told_by_tool(const Step& step, const ToolResult& result, ResultStatus status) {
    // No such column, no such table: of a query these are faults in it, and no answer.
    const auto queries = [&] { return asks_for_rows(step.text.argument().bytes); };
    const auto answers_a_question = [&] { return says_missing(result.text) && !does_something(step) && !queries(); };
    if (result.status == ResultStatus::unknown && status == ResultStatus::error && answers_a_question())
        return ResultStatus::ok;
    if (status != ResultStatus::unknown && status != ResultStatus::ok) return status;
    const bool words = (step.tool_class != ToolClass::search || found_only_line(step, result.text)) &&
                       tells_failure(step, result.text) && !shows_messages(step.text.tool());
    const bool acts_on_nothing = step.tool_class == ToolClass::other &&
                                 (says_missing(result.text) || says_out_of_reach(result.text.bytes)) &&
                                 acts_on_element(step);
    if (queries() && says_missing(result.text)) return ResultStatus::error;
    if (says_unavailable(result.text) && !shows_messages(step.text.tool())) return ResultStatus::error;
    return (words && !answers_a_question()) || acts_on_nothing || reports_failure(result.text) ? ResultStatus::error
                                                                                               : status;
}

// A program that fetches something ended well.
bool fetched(const Step& step, int exit_code) {
    const bool any = step.tool_class == ToolClass::shell || step.tool_class == ToolClass::poll;
    return exit_code == 0 && any && fetches(step.text.argument());
}

// mini-SWE-agent sets what a command printed between tags, behind its exit code.
RawText without_tags(RawText text) {
    constexpr std::string_view kCode = "<returncode>", kOutput = "<output>";
    constexpr std::size_t kNear = 40;  // bytes
    if (!text.bytes.starts_with(kCode)) return text;
    const std::size_t at = text.bytes.substr(0, kNear + kOutput.size()).find(kOutput);
    if (at == text.bytes.npos) return text;
    text.bytes.remove_prefix(at + kOutput.size());
    while (text.bytes.starts_with('\n') || text.bytes.starts_with("\\n"))
        text.bytes.remove_prefix(text.bytes[0] == '\n' ? 1 : 2);
    return text;
}

// Of a command that failed Node's exec() says "Command failed: npm test", and then what it printed. Some tools say it
// twice. What another program says of its own commands names others, and a search that printed nothing found nothing.
bool says_it_failed(const Step& step, std::string_view text) {
    constexpr std::string_view kFailed = "Command failed: ";
    constexpr std::size_t kCompared = 24;  // bytes of the command
    if (!text.starts_with(kFailed)) return false;
    while (text.starts_with(kFailed)) text.remove_prefix(kFailed.size());
    const std::string_view command = step.text.argument().bytes.substr(0, kCompared);
    if (command.empty() || !text.starts_with(command)) return false;
    while (text.ends_with('\n') || text.ends_with("\\n")) text.remove_suffix(text.ends_with('\n') ? 1 : 2);
    return step.tool_class != ToolClass::search || has_lines(text);
}

// What a command printed, when nobody says how it ended, or it fetched something. Programs that do end well with the
// page that says that the server is overloaded.
ResultStatus told_by_command(const Step& step, const ToolResult& result, std::optional<int> exit_code,
                             ResultStatus status) {
    constexpr std::size_t kLongestLine = 200;  // bytes: some loggers call all a success that returned
    const bool open = status == ResultStatus::unknown;
    const bool runs = step.tool_class == ToolClass::shell || step.tool_class == ToolClass::poll ||
                      step.tool_class == ToolClass::verify || (open && step.tool_class == ToolClass::mutate);
    if (open && says_it_failed(step, result.text.bytes)) return ResultStatus::error;
    if (open && runs && unparsed_place(result.text) != 0) return ResultStatus::error;
    if (!runs || (!open && status != ResultStatus::ok)) return status;
    const auto alone = [&] { return !exit_code && !has_lines(result.text.bytes); };
    const bool looked_at = open || result.text.size() <= kLongestLine;
    const RawText printed = without_tags(result.text);
    const bool busy = says_unavailable(printed) ||
                      (printed.bytes.starts_with('{') && fetched(step, exit_code.value_or(0)) && reports_busy(printed));
    const bool trouble = busy || (looked_at && ends_in_complaint(result.text) && (open || alone()));
    return trouble && !shows_log(step.text.argument()) ? ResultStatus::error : status;
}

// Some loggers call a tool a success that returned, whatever it returned. What only stands further inside may be
// another program's.
bool begins_with_code(std::string_view text) {
    constexpr std::string_view kWords = "xit code";
    return text.size() > kWords.size() && (text[0] == 'E' || text[0] == 'e') && text.substr(1).starts_with(kWords);
}

// "severity": "Error", "severity": 1: what a language server found wrong. That it could be asked says nothing of that.
bool finds_error(const Step& step, RawText text) {
    constexpr std::string_view kKey = "everity", kError = "rror", kErrors = "RROR";
    constexpr std::size_t kMost = 64u << 10;  // bytes
    if (step.tool_class != ToolClass::verify || step.command_bytes > 0) return false;
    const std::string_view said = text.bytes.substr(0, kMost);
    for (std::size_t at = said.find(kKey); at != said.npos; at = said.find(kKey, at)) {
        at = said.find_first_not_of("\\\": ", at + kKey.size());
        if (at == said.npos) return false;
        const std::string_view value = said.substr(at);
        const bool number = value.starts_with('1') && (value.size() == 1 || !is_digit(value[1]));
        if (number || value.substr(1).starts_with(kError) || value.substr(1).starts_with(kErrors)) return true;
    }
    return false;
}

// {"exit_code": 1, "stdout": …} and {"stdout": …, "exit_code": 1}: the first or the last that a runner says in its
// answer.
bool frames_with_code(std::string_view text) {
    constexpr std::string_view kNames[] = {"exit_code", "exitCode", "returncode"};
    constexpr std::string_view kAround = " \t\n\r\"\\";
    if (!text.starts_with('{')) return false;
    while (kAround.find(text.back()) != kAround.npos) text.remove_suffix(1);
    if (!text.ends_with('}')) return false;
    text.remove_prefix(1);
    const auto names_code = [&](std::string_view field) {
        field.remove_prefix(std::min(field.find_first_not_of(kAround), field.size()));
        return std::ranges::any_of(kNames, [field](std::string_view name) { return field.starts_with(name); });
    };
    const std::size_t comma = text.rfind(',');
    return names_code(text) || (comma != text.npos && names_code(text.substr(comma + 1)));
}

// A log of what failed in a run: printing it went well, the run did not.
bool shows_failed_run(const Step& step, RawText text) {
    constexpr std::string_view kFlag = "--log-failed";
    return step.tool_class == ToolClass::verify && !text.empty() &&
           step.text.argument().bytes.find(kFlag) != std::string_view::npos;
}

}  // namespace

std::optional<int> exit_code_of(const ToolResult& result) {
    const bool told = result.status != ResultStatus::unknown &&
                      !(result.status == ResultStatus::ok &&
                        (begins_with_code(result.text.bytes) || frames_with_code(result.text.bytes)));
    const bool open = !told && !result.exit_code && !result.text.empty();
    return open ? exit_code_in(result.text) : result.exit_code;
}

ResultStatus status_of(const ToolResult& result, std::optional<int> exit_code) {
    const bool contradicted = result.status == ResultStatus::ok && !result.exit_code && exit_code.value_or(0) != 0;
    if (result.status != ResultStatus::unknown && !contradicted) return result.status;
    if (exit_code && *exit_code != 0) return ResultStatus::error;
    if (exit_code) return ResultStatus::ok;
    return says_failure(result.text) ? ResultStatus::error : ResultStatus::unknown;
}

ResultStatus status_of(const Step& step, bool piped, const ToolResult& result, std::optional<int> exit_code) {
    // What is read or searched may tell of such a refusal.
    const bool looks = step.tool_class == ToolClass::read || step.tool_class == ToolClass::search;
    if (!looks && result.status == ResultStatus::unknown && !exit_code && refuses_call(result.text))
        return ResultStatus::denied;
    ResultStatus status = status_of(result, exit_code);
    const bool by_words = status == ResultStatus::error && result.status == ResultStatus::unknown && !exit_code;
    if (by_words && step.command_bytes > 0 && (shows_log(step.text.argument()) || shows_others_line(step, result.text)))
        return ResultStatus::unknown;
    if (by_words && step.command_bytes == 0 && shows_others_words(step, result.text)) status = ResultStatus::unknown;
    // "Exit Code: 137" of a pod is none of `kubectl describe`.
    const bool written = result.status == ResultStatus::unknown && !result.exit_code && exit_code.value_or(0) != 0;
    if (written && step.command_bytes > 0 && !begins_with_code(result.text.bytes) &&
        shown_by_command(step.text.argument().bytes) == Shown::container)
        return ResultStatus::unknown;
    // That the tool returned is a success to some loggers: what it says opens its answer.
    if ((status == ResultStatus::unknown || status == ResultStatus::ok) && says_refused_edit(step, result.text))
        status = ResultStatus::error;
    // A command whose text says that it failed did fail, whatever a pipe made of its exit code. Where none is recorded,
    // the text is all that a check says.
    const bool untold = !exit_code && status == ResultStatus::unknown && step.tool_class == ToolClass::verify;
    if ((piped || untold) && (status == ResultStatus::unknown || status == ResultStatus::ok) &&
        check_failed(result.text))
        status = ResultStatus::error;
    if (status != ResultStatus::error && (shows_failed_run(step, result.text) || finds_error(step, result.text)))
        status = ResultStatus::error;
    if (!exit_code && speaks_for_itself(step)) status = told_by_tool(step, result, status);
    if (step.command_bytes > 0 && (!exit_code || fetched(step, *exit_code)))
        status = told_by_command(step, result, exit_code, status);
    if (status == ResultStatus::error && found_nothing(step, result.text, exit_code)) status = ResultStatus::ok;
    return status;
}

}  // namespace agent_audit::detectors
