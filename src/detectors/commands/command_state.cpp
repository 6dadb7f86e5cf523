#include "detectors/commands/command_state.hpp"

#include "detectors/commands/programs.hpp"
#include "detectors/commands/shell_line.hpp"
#include "detectors/outcomes/shown_error.hpp"
#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"
#include "support/phrase_set.hpp"

#include <agent_audit/detectors/step.hpp>
#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLongestState = 400;   // bytes of an answer that is a state and little else
constexpr std::size_t kLineLooked = 1024;    // of a command line, for what follows its check
constexpr std::size_t kCommandLooked = 256;  // bytes of a command: what it runs stands in front

// The last ones are a state only as a value: {"status": "running"}, <status>running</status>. A quote within a JSON
// string is spelled with its escape.
constexpr std::string_view kUnfinished[] = {
    "in_progress",      "in progress",    "inprogress",     "in-progress",     "pending",         "queued",
    "creating",         "provisioning",   "not ready",      "not_ready",       "initializing",    "still running",
    "still processing", "still building", "still working",  "still waiting",   ">running<",       "running\"",
    "running\\\"",      "building\"",     "building\\\"",   "processing\"",    "processing\\\"",  "progressing\"",
    "progressing\\\"",  "deploying\"",    "deploying\\\"",  "starting\"",      "starting\\\"",    "waiting\"",
    "waiting\\\"",      "uploading\"",    "uploading\\\"",  "done\":false",    "done\": false",   "done\\\":false",
    "done\\\": false",  "ready\":false",  "ready\": false", "ready\\\":false", "ready\\\": false"};
constexpr PhraseSet kUnfinishedSet(kUnfinished);

constexpr std::string_view kMeasures[] = {"bench", "hyperfine", "perf stat", "timeit",     "/time ",         "time ./",
                                          "wrk ",  "measure",   "iperf",     "time_total", "explain analyze"};
constexpr PhraseSet kMeasureSet(kMeasures);

// "RUNNING", and nothing else.
bool is_state_alone(std::string_view answer) {
    constexpr std::string_view kAlone[] = {"running",  "building",  "processing", "waiting",
                                           "starting", "deploying", "uploading"};
    while (answer.ends_with('\n') || answer.ends_with('.') || answer.ends_with(' ')) answer.remove_suffix(1);
    return std::ranges::any_of(kAlone, [&](std::string_view state) {
        return std::ranges::equal(answer, state, [](char a, char b) { return (a | 0x20) == b; });
    });
}

// Beside one that shows a log: not what reads, nor what starts a program that writes one (docker compose up). A program
// that reads from elsewhere names what it does there: ssh mill 'tail mill.log'.
bool speaks_beside_log(std::string_view command) {
    constexpr std::string_view kShows[] = {
        " logs",         "journalctl", "dmesg",           "tail ",         "cat ", "grep ", "systemctl",
        "supervisorctl", "launchctl",  "Restart-Service", "Start-Service", "pm2 ", "nomad "};
    switch (program_of(without_folder(command).substr(0, without_folder(command).find(' ')))) {
        case Program::read:
        case Program::search:
        case Program::quiet:
        case Program::pause:
        case Program::editor:
        case Program::container:
        case Program::look: return false;
        case Program::mutate:
        case Program::verify:
        case Program::runner:
        case Program::git:
        case Program::each:
        case Program::probe: return true;
        default: return !contains_any(command, kShows);
    }
}

// How many bytes at the front draw a cell of a bar: "####   ", "████▌", "━━╸", also as \u2588.
std::size_t cell_size(std::string_view text) {
    constexpr std::string_view kPlain = "#=-.>* ", kDrawn[] = {"\xe2\x94", "\xe2\x95", "\xe2\x96"}, kEscape = "\\u25";
    if (text.empty()) return 0;
    if (kPlain.find(text[0]) != kPlain.npos) return 1;
    if (text.starts_with(kEscape)) return std::min<std::size_t>(text.size(), 6);
    return text.size() >= 3 && std::ranges::find(kDrawn, text.substr(0, 2)) != std::end(kDrawn) ? 3 : 0;
}

// "[####    ]", "|████▌   |", "━━━━╸───"; "[ 45%]" is none.
bool draws_bar(std::string_view line) {
    constexpr std::size_t kFewest = 8;
    for (std::size_t at = 0; at < line.size();) {
        const bool framed = line[at] == '[' || line[at] == '|';
        if (!framed && cell_size(line.substr(at)) < 3) {
            ++at;
            continue;
        }
        std::size_t end = at + framed, cells = 0;
        for (std::size_t n = cell_size(line.substr(end)); n > 0; n = cell_size(line.substr(end))) {
            end += n;
            ++cells;
        }
        const bool closed = end < line.size() && (line[end] == ']' || line[end] == '|');
        if (cells >= kFewest && (closed || !framed)) return true;
        at = std::max(end, at + 1);
    }
    return false;
}

// "[#####     ] 50%": what is drawn last is not full yet.
bool shows_bar_under_way(std::string_view answer) {
    constexpr std::string_view kNumber = "0123456789.", kFull = "100";
    const std::size_t sign = answer.rfind('%');
    if (sign == answer.npos) return false;
    std::size_t number = sign;
    while (number > 0 && kNumber.find(answer[number - 1]) != kNumber.npos) --number;
    if (number == sign || answer.substr(number, sign - number).starts_with(kFull)) return false;
    std::size_t begin = answer.rfind('\n', sign), end = std::min(answer.find('\n', sign), answer.find("\\n", sign));
    begin = begin == answer.npos ? 0 : begin;
    if (const std::size_t escaped = answer.rfind("\\n", sign); escaped != answer.npos) begin = std::max(begin, escaped);
    return draws_bar(answer.substr(begin, end == answer.npos ? end : end - begin));
}

constexpr std::string_view kCompilers[] = {"cc", "c++", "gcc", "g++", "clang", "clang++", "rustc", "nvcc", "gfortran"};

// What few commands do.
bool begins_compiling(std::string_view line) {
    const std::string_view program = line.substr(0, line.find(' '));
    return (program == "cd" || std::ranges::find(kCompilers, program) != std::end(kCompilers)) &&
           line.find(" -o ") != line.npos;
}

// Nothing but `gcc -O3 mill.c -o mill`, perhaps elsewhere: told otherwise, a compiler makes another program.
bool compiles(const std::vector<ShellCommand>& commands) {
    const auto runs = [](const ShellCommand& one) {
        const std::string_view program = one.text.substr(0, one.text.find(' '));
        const bool makes = one.text.find(" -o ") != one.text.npos;
        return program == "cd" || (makes && std::ranges::find(kCompilers, program) != std::end(kCompilers));
    };
    return !commands.empty() && std::ranges::all_of(commands, runs) && !commands.back().text.starts_with("cd ");
}

}  // namespace

bool says_unfinished(RawText answer) {
    constexpr std::size_t kWord = 16;
    if (answer.size() > kLongestState) return false;
    if (answer.size() <= kWord && is_state_alone(answer.bytes)) return true;
    if (shows_bar_under_way(answer.bytes)) return true;
    return kUnfinishedSet.any(answer.bytes, [&](std::size_t at, std::string_view state) {
        if (state.back() != '"') return true;
        const std::size_t next = answer.bytes.find_first_not_of(' ', at + state.size());
        return next == answer.bytes.npos || answer.bytes[next] != ':';  // {"waiting": true} has it as a name
    });
}

namespace {

// "rendering", "ENCODING": something goes on. What is so for good, and what went wrong, does not.
bool names_work(std::string_view word) {
    constexpr std::size_t kShortest = 6, kLongest = 24;
    constexpr std::string_view kLasts[] = {"nothing",     "missing",   "warning",  "failing",  "passing",
                                           "working",     "listening", "serving",  "existing", "crashing",
                                           "functioning", "operating", "standing", "erroring", "conflicting",
                                           "everything",  "something", "string",   "outgoing", "incoming"};
    if (word.size() < kShortest || word.size() > kLongest) return false;
    const std::string lower = lowered(word);
    return lower.ends_with("ing") && std::ranges::all_of(lower, [](char c) { return is_lower(c) || c == '_'; }) &&
           std::ranges::find(kLasts, std::string_view(lower)) == std::end(kLasts);
}

constexpr std::string_view kValueMarks = "\\\"' ";  // around a name or a value, spelled with its escape or not

// The value of a field whose name ends so, in JSON or as `state: rendering`; empty = there is none.
std::string_view value_behind(std::string_view answer, std::size_t name_end) {
    const std::size_t colon = answer.find_first_not_of(kValueMarks, name_end);
    if (colon == answer.npos || (answer[colon] != ':' && answer[colon] != '=')) return {};
    const std::size_t begin = std::min(answer.find_first_not_of(kValueMarks, colon + 1), answer.size());
    const std::string_view value = answer.substr(begin);
    return value.substr(0, std::min(value.find_first_of("\\\"',;}\n "), value.size()));
}

template <std::size_t N, class Is>
bool any_field(std::string_view answer, const std::string_view (&names)[N], Is&& is) {
    return std::ranges::any_of(names, [&](std::string_view name) {
        const std::size_t at = answer.find(name);
        return at != answer.npos && is(value_behind(answer, at + name.size()));
    });
}

bool is_held(std::string_view holder) {
    return !holder.empty() && holder != "null" && holder != "none" && holder != "None" && holder != "false" &&
           holder != "0" && holder != "nobody";
}

}  // namespace

bool says_under_way(RawText answer) {
    constexpr std::string_view kStates[] = {"state",  "status", "phase", "stage", "State",
                                            "Status", "Phase",  "Stage", "STATE", "STATUS"};
    constexpr std::string_view kHolders[] = {"locked_by",     "lockedBy",         "held_by",    "heldBy",
                                             "lock_holder",   "lock_owner",       "lockOwner",  "waiting_for",
                                             "waitingFor",    "waiting_on",       "blocked_by", "queue_position",
                                             "queuePosition", "position_in_queue"};
    constexpr std::string_view kHeld[] = {"lock is held by", "is locked by", "held by ", " in the queue", "in queue",
                                          "waiting for ",    "Waiting for ", "not yet ", "Not yet "};
    if (answer.size() > kLongestState) return false;
    std::string_view text = answer.bytes;
    while (text.ends_with('.') || text.ends_with('\n') || text.ends_with(' ')) text.remove_suffix(1);
    constexpr std::size_t kLine = 120;  // bytes; in a log it may have been long ago
    const bool line = text.size() <= kLine && text.find('\n') == text.npos && text.find("\\n") == text.npos;
    return names_work(text) || any_field(text, kStates, names_work) || any_field(text, kHolders, is_held) ||
           (line && contains_any(text, kHeld));
}

bool measures(RawText command) {
    const std::string_view front = command.bytes.substr(0, kCommandLooked);
    return front.starts_with("time ") || kMeasureSet.said_in(front);
}

bool fetches(RawText command) {
    constexpr std::string_view kPrograms[] = {"curl ", "wget ", "Invoke-WebRequest ", "Invoke-RestMethod "};
    return contains_any(command.bytes, kPrograms);
}

bool shows_log(RawText command) {
    if (!names_log(command.bytes)) return false;
    const std::string line = decoded(command, kCommandLooked);
    std::vector<ShellCommand> commands = shell_commands(line);
    // Of a command that was cut its last word may be a piece of one.
    if (command.size() >= StepText::kArgument && commands.size() > 1) commands.pop_back();
    return std::ranges::none_of(commands, speaks_beside_log, &ShellCommand::text);
}

bool asks_for_processes(RawText command) {
    constexpr std::string_view kPrograms[] = {"lsof", "pgrep", "pidof", "fuser"};
    constexpr std::string_view kCounts[] = {" -c", "wc -l", "--count"};
    const auto has = [&](std::string_view words) { return command.bytes.find(words) != std::string_view::npos; };
    return std::ranges::any_of(kPrograms, has) && std::ranges::none_of(kCounts, has);
}

bool pauses_long(RawText command) {
    constexpr std::string_view kSleep = "sleep ";
    constexpr double kLong = 10;
    const std::size_t at = command.bytes.find(kSleep);
    if (at == command.bytes.npos) return false;
    const char* begin = command.bytes.data() + at + kSleep.size();
    const char* end = command.bytes.data() + command.bytes.size();
    double seconds = 0;
    const auto [unit, error] = std::from_chars(begin, end, seconds);
    if (error != std::errc{}) return true;  // sleep $DELAY
    return seconds >= kLong || (unit != end && (*unit == 'm' || *unit == 'h'));
}

std::int64_t named_pause_ms(RawText command) {
    constexpr std::string_view kSleep = "sleep ";
    constexpr double kSecond = 1000, kMinute = 60 * kSecond, kHour = 60 * kMinute, kDay = 24 * kHour;
    const std::size_t at = command.bytes.find(kSleep);
    if (at == command.bytes.npos) return 0;
    const char* begin = command.bytes.data() + at + kSleep.size();
    const char* end = command.bytes.data() + command.bytes.size();
    double number = 0;
    const auto [unit, error] = std::from_chars(begin, end, number, std::chars_format::fixed);
    if (error != std::errc{} || !(number > 0)) return 0;
    const double factor = unit == end ? kSecond : *unit == 'm' ? kMinute : *unit == 'h' ? kHour : kSecond;
    return static_cast<std::int64_t>(std::min(number * factor, kDay));
}

std::string without_pauses(RawText command) {
    constexpr std::size_t kLongest = 512;  // bytes
    constexpr std::string_view kSleep = "leep ", kUnits[] = {"-Seconds ", "-Milliseconds ", "-s ", "-m "},
                               kAmount = "0123456789.smh ";
    std::string out;
    std::string_view rest = command.bytes;
    if (rest.size() > kLongest) return out;
    for (std::size_t at = rest.find(kSleep); at != rest.npos; at = rest.find(kSleep)) {
        out.append(rest.substr(0, at + kSleep.size()));
        rest.remove_prefix(at + kSleep.size());
        for (const std::string_view unit : kUnits) {
            if (rest.starts_with(unit)) rest.remove_prefix(unit.size());
        }
        rest.remove_prefix(std::min(rest.find_first_not_of(kAmount), rest.size()));
    }
    return out.empty() ? out : out.append(rest);
}

namespace {

// Behind a pipe: what shows the output, or its end, and picks no lines. Behind the first of two pipes: another command.
bool shows_on(std::string_view rest) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" &"), rest.size()));
    constexpr std::string_view kShows[] = {"|", "tail", "head", "tee", "cat"};
    return std::ranges::any_of(kShows, [&](std::string_view word) { return rest.starts_with(word); });
}

bool is_quoted(std::string_view line, std::size_t at) {
    char quote = '\0';
    for (const char c : line.substr(0, at)) {
        if (quote == '\0' ? c == '\'' || c == '"' : c == quote) quote = quote == '\0' ? c : '\0';
    }
    return quote != '\0';
}

// `pytest > out.log 2>&1` before `tail -30 out.log`.
[[gnu::noinline]] bool shows_what_was_written(std::string_view rest, std::string_view before) {
    for (std::size_t at = before.find('>'); at != before.npos; at = before.find('>', at + 1)) {
        const std::size_t begin = before.find_first_not_of("> ", at);
        if (begin == before.npos || before[begin] == '&' || is_quoted(before, at)) continue;
        const std::string_view target = before.substr(begin, before.find_first_of(" ;&|)", begin) - begin);
        const bool file = !target.empty() && !target.starts_with("/dev/");
        if (file && rest.find(target) != rest.npos) return true;
    }
    return false;
}

// `npm test; echo done`, or what shows the file into which the check wrote.
bool says_or_shows(std::string_view rest, std::string_view before) {
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    constexpr std::string_view kShows[] = {"tail ", "cat ", "head ", "grep ", "sed "};
    return rest.starts_with("echo") || rest.starts_with("true") ||
           (starts_with_any(rest, kShows) && shows_what_was_written(rest, before));
}

// `rest`: what stands behind "git".
bool goes_elsewhere(std::string_view rest) {
    constexpr std::string_view kMakers[] = {"-b", "-B", "-c", "-C", "--create", "--force-create", "--orphan"};
    const auto next = [&rest] {
        rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
        const std::string_view word = rest.substr(0, rest.find(' '));
        rest.remove_prefix(word.size());
        return word;
    };
    rest = past_git_options(rest, GitOptions::all);
    const std::string_view verb = next();
    if (verb != "checkout" && verb != "switch") return false;
    std::string_view target;
    for (std::string_view word = next(); !word.empty(); word = next()) {
        if (std::ranges::find(kMakers, word) != std::end(kMakers) || word == "--") return false;
        if (word.starts_with('-') && word != "-") continue;
        if (word.find_first_of("<>") != word.npos) break;
        if (!target.empty()) return false;  // files of that revision
        target = word;
    }
    const bool file = target.starts_with('.') || (target.find('.') != target.npos && looks_like_path(target));
    return !target.empty() && !file;
}

}  // namespace

bool visits_revision(RawText command) {
    const bool may_compile = begins_compiling(command.bytes);
    if ((!may_compile && command.bytes.find("git ") == command.bytes.npos) || command.size() > kLineLooked)
        return false;
    const std::string text =
        command.form == TextForm::plain ? std::string(command.bytes) : decode_json_string(command.bytes, kLineLooked);
    const std::vector<ShellCommand> commands = shell_commands(text);
    if (may_compile && compiles(commands)) return true;
    return std::ranges::any_of(commands, [](const ShellCommand& one) {
        return one.text.starts_with("git ") && goes_elsewhere(one.text.substr(4));
    });
}

bool hides_exit_code(RawText command) {
    const std::string_view line = command.bytes.substr(0, kLineLooked);
    const auto any = [line](char mark, auto&& hides) {
        for (std::size_t at = line.find(mark); at != line.npos; at = line.find(mark, at + 1)) {
            if (hides(line.substr(at + 1), line.substr(0, at)) && !is_quoted(line, at)) return true;
        }
        return false;
    };
    return (any('|', [](std::string_view rest, std::string_view) { return shows_on(rest); }) ||
            any(';', says_or_shows)) &&
           line.find("pipefail") == line.npos;
}

}  // namespace agent_audit::detectors
