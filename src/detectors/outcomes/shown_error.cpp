#include "detectors/outcomes/shown_error.hpp"

#include "detectors/outcomes/retry_names.hpp"
#include "detectors/outcomes/run_names.hpp"
#include "detectors/words/phrases.hpp"
#include "detectors/words/raw_lines.hpp"
#include "support/ascii.hpp"
#include "support/find_near.hpp"
#include "support/phrase_set.hpp"

#include <agent_audit/model/tool_name.hpp>
#include <agent_audit/support/hash.hpp>
#include <agent_audit/support/snake_case.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLooked = 8u << 10;  // bytes, at the end of an answer

// What a program says that died, or could not go on. That it wrote ERROR into its log is less.
constexpr std::string_view kErrors[] = {"error: ",
                                        "exception: ",
                                        "uncaught ",
                                        "unhandled ",
                                        "panic: ",
                                        "panicked at",
                                        "fatal: ",
                                        "fatal error",
                                        "internal server error",
                                        "status of 5",
                                        "failed to compile",
                                        "segmentation fault",
                                        "crashloopbackoff",
                                        "imagepullbackoff",
                                        "errimagepull",
                                        "oomkilled",
                                        "createcontainerconfigerror",
                                        "runcontainererror",
                                        "failed to pull image",
                                        "back-off restarting",
                                        "address already in use",
                                        "eaddrinuse"};
constexpr PhraseSet kErrorSet(kErrors);
// Of them, the states of a pod: how often and how long ago stands behind them.
constexpr std::string_view kStates[] = {"CrashLoopBackOff", "ImagePullBackOff",           "ErrImagePull",
                                        "OOMKilled",        "CreateContainerConfigError", "RunContainerError"};
// Each has one of the pairs that may_name_run looks for: gs, .l, tl.
constexpr std::string_view kPods = " get pod", kDescribes = " describe pod";
constexpr std::string_view kRuns[] = {" logs", ".log", "journalctl", kDescribes, kPods};
constexpr PhraseSet kRunSet(kRuns);
// Behind a crash these tell that the next run went well.
constexpr std::string_view kAnswered = " 200";
constexpr std::string_view kWell[] = {"ready",   "listening", "started ",  "running", "serving",
                                      kAnswered, "healthy",   "connected", "succe",   "completed"};
constexpr PhraseSet kWellSet(kWell);
constexpr std::string_view kNot[] = {"not ", "n't ", "never ", "no longer ", "not fully "};
// Before an error, and at the end of what is told of it, these say that it is not there any more.
constexpr std::string_view kLacks[] = {"no longer", "without ", "instead of", "no ", "statt ", "sin ", "sans "};
constexpr PhraseSet kLackSet(kLacks);
constexpr std::string_view kGone[] = {
    "no longer appear", "no longer sh", "no longer see", "no longer there", "no longer pr",  "no longer in",
    "is gone",          "are gone",     "has gone",      "disappeared",     "is resolved",   "are resolved",
    "was resolved",     "is fixed",     "are fixed",     "was fixed",       "been resolved", "been fixed",
    "nicht mehr",       "ist weg",      "verschwunden",  "ya no ",          "desapareci",    "a disparu",
    "不再出现",         "消失",         "消えた",        "出なくな"};
constexpr PhraseSet kGoneSet(kGone);

// What shows the errors of a program in a page.
constexpr std::string_view kOfProgram[] = {"overlay", "consol", "konsol", "stack", "devtools", "コンソール", "控制台"};
constexpr PhraseSet kOfProgramSet(kOfProgram);

bool in_name(char c) { return is_word(c) || c == '.'; }

// Most commands have none of these pairs, and all are asked.
bool may_name_run(std::string_view command) {
#if AGENT_AUDIT_X86
    if (command.size() >= kPairBlock) {
        const std::size_t last = command.size() - kPairBlock;
        const auto hits_at = [&](std::size_t at) {
            const char* const from = command.data() + at;
            return pairs_at(from, 'g', 's') | pairs_at(from, '.', 'l') | pairs_at(from, 't', 'l');
        };
        unsigned hits = hits_at(last);
        for (std::size_t at = 0; at < last; at += kPairBlock - 1) hits |= hits_at(at);
        return hits != 0;
    }
#endif
    return true;
}

// TypeError: and Error: name what happened; "error: " and "ERROR: " stand before anything.
bool names_error(std::string_view text, std::size_t at, std::string_view mark) {
    return (mark != kErrors[0] && mark != kErrors[1]) || ((text[at] & 0x20) == 0 && (text[at + 1] & 0x20) != 0);
}

// Where the last of them stands in the text; npos = there is none.
std::size_t last_error(std::string_view text) {
    std::size_t last = text.npos;
    kErrorSet.any(text, [&](std::size_t at, std::string_view mark) {
        if (names_error(text, at, mark)) last = at;
        return false;
    });
    while (last != text.npos && last > 0 && in_name(text[last - 1]) && !inside_escape(text, last - 1)) --last;
    return last;
}

// Up to the end of its line, or where who tells of it ends what he quotes.
std::string_view said_at(std::string_view text, std::size_t at, Spelling spelling) {
    constexpr std::size_t kLongest = 160;  // bytes
    constexpr std::string_view kBehind[] = {" at ", " (", ". "};
    std::string_view said = text.substr(at, line_end(text, at, spelling) - at).substr(0, kLongest);
    if (at > 0 && (text[at - 1] == '"' || text[at - 1] == '`')) {
        const std::size_t quote = said.find(text[at - 1]);
        said = said.substr(0, quote == said.npos || quote == 0 || said[quote - 1] != '\\' ? quote : quote - 1);
    }
    for (const std::string_view end : kBehind) said = said.substr(0, said.find(end));
    const auto state = std::ranges::find_if(kStates, [said](std::string_view name) { return said.starts_with(name); });
    return state != std::end(kStates) ? *state : said;
}

// Who describes a page may say of an error that it is not there: in the words before it, or behind.
bool is_gone(std::string_view text, std::size_t at, std::size_t end, Spelling spelling) {
    constexpr std::size_t kNear = 48, kWords = 24;  // bytes
    const std::size_t line = line_end_before(text, at, spelling);
    const std::size_t begin = std::max(line == text.npos ? 0 : line, at - std::min(at, kNear));
    std::string_view near = text.substr(begin, at - begin);
    const std::size_t told = std::min(line_end(text, end, spelling), text.size());
    if (kGoneSet.said_in(text.substr(at, std::min(told, end + kNear) - at))) return true;
    near.remove_prefix(near.size() - std::min(near.size(), kWords));
    near.remove_prefix(near.find_last_of(".,;") + 1);  // npos + 1 is 0
    return kLackSet.said_in(near);
}

// The words "Error: card declined" that a page shows, and no program's: these stand in a console or over the page.
bool is_content(std::string_view text, std::size_t at, std::string_view said) {
    const bool quoted = said.starts_with("Error: ") && at > 0 && (text[at - 1] == '"' || text[at - 1] == '`');
    return quoted && !kOfProgramSet.in(text);
}

// "Uncaught TypeError: x is null". A bundler that cannot read a style sheet may say "Uncaught" as well.
bool is_of_script(std::string_view said) {
    constexpr std::string_view kScripts[] = {
        "Uncaught ", "Unhandled ", "TypeError: ", "RangeError: ", "ReferenceError: ", "unhandled ", "uncaught "};
    constexpr std::string_view kSheets[] = {"css",  "CSS",  "Css",   "sass",       "Sass",
                                            "scss", "less", "style", "odule build"};
    return contains_any(said, kScripts) && !contains_any(said, kSheets);
}

// What dies of the error shows nothing.
bool is_empty_page(std::string_view text) {
    constexpr std::string_view kEmpty[] = {" 0 elements", "is empty",   "empty page",   "empty body",   "page empty",
                                           "blank",       "white page", "no content",   "nothing is",   "nothing was",
                                           "ist leer",    "leere",      "página vacía", "page blanche", "page vide",
                                           "空白",        "真っ白"};
    static constexpr PhraseSet kEmptySet(kEmpty);
    return kEmptySet.in(text);
}

// "goroutine 1 [running]:" stands above the stack of a program that died.
bool ends_in_stack(std::string_view line) {
    return line.find("goroutine ") != line.npos && line.ends_with(':') && line.find('[') != line.npos;
}

// A word of those, whole at its beginning, and not "not ready".
bool tells_good_start(std::string_view text) {
    constexpr std::size_t kBefore = 12;  // bytes
    return kWellSet.any(text, [&](std::size_t at, std::string_view word) {
        const char behind = at + word.size() < text.size() ? text[at + word.size()] : ' ';
        if (word == kAnswered) return !in_name(behind);
        if (at == 0) return true;
        const char before = text[at - 1];
        if ((in_name(before) && !inside_escape(text, at - 1)) || (before == '[' && behind == ']')) return false;
        const std::string_view near = text.substr(at - std::min(at, kBefore), std::min(at, kBefore));
        return std::ranges::none_of(kNot, [&](std::string_view no) { return near.ends_with(no); });
    });
}

// Is this what the program said last, but for its stack and that it ended?
bool ends_log(std::string_view behind, Spelling spelling) {
    constexpr int kMost = 12;  // lines
    constexpr std::string_view kFrames[] = {"  at ", "\tat ", "\\tat "};
    int lines = 0;
    RawLines rest(behind, spelling);
    std::string_view line;
    (void)rest.next(line);  // the rest of its own
    bool stack = false;     // to the end: of all that a program of Go did
    while (rest.next(line) && !stack) {
        const bool frame = line.empty() || line.starts_with(' ') || line.starts_with('\t') || line.starts_with("\\t") ||
                           contains_any(line, kFrames);
        stack = ends_in_stack(line);
        if (!frame && ++lines > kMost) return false;
    }
    return !tells_good_start(behind);
}

// A service that has answered well since the same error before goes on in spite of it.
bool serves(std::string_view before, std::string_view said) {
    const std::size_t last = before.rfind(said);
    return before.substr(last == before.npos ? 0 : last).find(" 200") != before.npos;
}

// None of the pods is on its way yet.
bool are_pending(std::string_view text) {
    return text.find(" Pending ") != text.npos && text.find(" ContainerCreating ") == text.npos;
}

// "> srv.log 2>&1 &" writes a log and shows nothing of it.
bool is_written(std::string_view command, std::size_t at) {
    const std::size_t word = command.substr(0, at).rfind(' ') + 1;  // npos + 1 is 0
    return command[word] == '>' || trimmed(command.substr(0, word)).ends_with('>');
}

}  // namespace

Shown shown_by_command(std::string_view command) {
    if (!may_name_run(command)) return Shown::nothing;
    Shown shown = Shown::nothing;
    kRunSet.any(command, [&](std::size_t at, std::string_view found) {
        const bool pod = found == kDescribes || found == kPods;
        // console.log(x), auth.login
        const std::size_t end = at + found.size();
        const char behind = end < command.size() ? command[end] : ' ';
        if (!pod && (is_letter(behind) || behind == '(' || behind == '_')) return false;
        if (is_written(command, at)) return false;
        shown = pod ? Shown::container : Shown::log;
        return shown == Shown::log || command.find("kubectl") != command.npos;
    });
    return shown == Shown::container && command.find("kubectl") == command.npos ? Shown::nothing : shown;
}

bool starts_anew(std::string_view command) {
    struct Row {
        std::string_view program;
        std::array<std::string_view, 4> verbs;
    };
    static constexpr Row kRows[] = {{"kubectl ", {" delete ", " rollout restart", " replace ", " scale "}},
                                    {"docker ", {" rm ", " restart ", " run ", " up "}},
                                    {"podman ", {" rm ", " restart ", " run ", " up "}},
                                    {"helm ", {" uninstall ", " upgrade ", " install ", " rollback "}},
                                    {"systemctl ", {" restart ", " start ", " stop ", " reload-or-restart "}}};
    constexpr std::string_view kSudo = "sudo ";
    constexpr std::string_view kOther[] = {"kill ", "pkill ", "killall ", "fuser -k", "nohup ", "pm2 restart"};
    if (command.starts_with(kSudo)) command.remove_prefix(kSudo.size());
    if (starts_with_any(command, kOther)) return true;
    const auto row = std::ranges::find_if(kRows, [&](const Row& r) { return command.starts_with(r.program); });
    return row != std::end(kRows) &&
           std::ranges::any_of(row->verbs, [&](std::string_view verb) { return command.find(verb) != command.npos; });
}

std::string_view log_in(std::string_view command) {
    const std::size_t at = command.find(".log");
    if (at == command.npos) return {};
    const std::size_t begin = command.find_last_of(" <>\"'", at) + 1;  // npos + 1 is 0
    return command.substr(begin, command.find_first_of(" ;|&<>\"'\\", at) - begin);
}

bool names_log(std::string_view command) {
    return shown_by_command(command) == Shown::log || command.find("dmesg") != command.npos;
}

Shown shown_by_tool(std::string_view raw_name) {
    constexpr std::string_view kPages[] = {"screenshot", "snapshot", "screen", "console",
                                           "preview",    "image",    "page",   "vision"};
    constexpr std::string_view kLogs[] = {"log", "logs", "logcat"};
    Shown shown = Shown::nothing;
    const std::string name = snake_case(bare_tool_name(raw_name));
    for (std::string_view rest = name; !rest.empty();) {
        const std::string_view word = rest.substr(0, rest.find('_'));
        if (std::ranges::find(kLogs, word) != std::end(kLogs)) shown = Shown::log;
        if (std::ranges::find(kPages, word) != std::end(kPages)) return Shown::page;
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    }
    return shown;
}

bool look_at_one(std::string_view command, std::string_view other) {
    constexpr std::size_t kShortestId = 12;
    const auto is_id = [](std::string_view word) {
        return word.size() >= kShortestId && word.find_first_not_of("0123456789abcdef") == word.npos;
    };
    while (!command.empty() && !other.empty()) {
        const std::string_view a = command.substr(0, command.find(' ')), b = other.substr(0, other.find(' '));
        if (a != b && !(is_id(a) && is_id(b)) && !same_but_run_names(a, b)) return false;
        command.remove_prefix(std::min(a.size() + 1, command.size()));
        other.remove_prefix(std::min(b.size() + 1, other.size()));
    }
    return command.empty() && other.empty();
}

std::string_view last_error_in(RawText answer) {
    const std::string_view text = answer.bytes.substr(answer.size() - std::min(answer.size(), kLooked));
    const std::size_t at = last_error(text);
    if (at == text.npos) return {};
    return said_at(text, at, answer.form == TextForm::plain ? Spelling::plain : Spelling::escaped);
}

std::uint64_t shown_error(Shown shown, RawText answer) {
    constexpr std::uint64_t kNone = kShownMark << kShownMarkAt;
    const Spelling spelling = answer.form == TextForm::plain ? Spelling::plain : Spelling::escaped;
    const std::string_view text = answer.bytes.substr(answer.size() - std::min(answer.size(), kLooked));
    const std::size_t at = last_error(text);
    if (at == text.npos) return shown == Shown::container && are_pending(text) ? kPodsPending : kNone;
    const std::string_view said = said_at(text, at, spelling);
    const std::size_t end = at + said.size();
    if (shown == Shown::page && (is_gone(text, at, end, spelling) || is_content(text, at, said))) return kNone;
    if (shown == Shown::log && (!ends_log(text.substr(end), spelling) || serves(text.substr(0, at), said)))
        return kNone;
    const std::uint64_t key = kNone | stable_hash(unplaced(settled(said))) >> (64 - kShownMarkAt) | 1;
    return shown == Shown::page && is_of_script(said) && !is_empty_page(text) ? key | kBesideMark : key & ~kBesideMark;
}

}  // namespace agent_audit::detectors
