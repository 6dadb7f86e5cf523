#include "detectors/engine/error_identity.hpp"

#include "detectors/outcomes/answers.hpp"
#include "detectors/outcomes/build_noise.hpp"
#include "detectors/outcomes/outcome.hpp"
#include "detectors/outcomes/retry_names.hpp"
#include "detectors/outcomes/screen.hpp"
#include "detectors/outcomes/shown_error.hpp"
#include "detectors/words/phrases.hpp"
#include "detectors/words/raw_lines.hpp"
#include "support/ascii.hpp"
#include "support/phrase_set.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>

namespace agent_audit::detectors {
namespace {

constexpr std::uint64_t kErrorsOfTool = 0x6572726f7273ULL;  // keeps a tool's errors apart from its calls
constexpr int kMarkAt = 48;                                 // where the mark of a missing module stands in the identity
constexpr std::uint64_t kMissingModule = 0x6d6f;            // that mark
constexpr std::uint64_t kOffline = 0x6f66666c696e65ULL;     // of all that failed because nothing can be reached
constexpr std::uint64_t kShort = 0x73686f7274ULL;           // of what died of too little memory, or disk
constexpr std::uint64_t kLacked = 0x6c61636b73ULL;          // of calls without an argument
constexpr std::uint64_t kDenied = 0x64656e696564ULL;        // keeps what may not be touched apart from other errors

// The argument to quote is a path, unless it is the patch itself.
std::string_view named_file(std::string_view argument) {
    const bool patch =
        argument.starts_with("*** ") || argument.starts_with("--- ") || argument.find('\n') != argument.npos;
    return patch ? std::string_view{} : argument;
}

bool is_command(const Step& step) {
    switch (step.tool_class) {
        case ToolClass::shell:
        case ToolClass::verify:
        case ToolClass::poll: return true;
        case ToolClass::search:
        case ToolClass::read: return step.command_bytes > 0;
        default: return false;
    }
}

// A text without some words of it, wherever they stand.
std::string without(std::string_view text, std::string_view words) {
    std::string rest;
    rest.reserve(text.size());
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t said = std::min(text.find(words, from), text.size());
        rest.append(text, from, said - from);
        from = said + words.size();
    }
    return rest;
}

// A click that waits for `#submit`, and one that waits for `.button`, wait for something in the same words.
std::string without_argument(std::string_view text, std::string_view argument) {
    constexpr std::size_t kShortest = 3;
    if (argument.size() < kShortest || argument.size() == StepText::kArgument) return std::string(text);
    return without(text, argument);
}

// What a validation quotes of the input that it did not take: another value is refused for the same reason. Empty = it
// quotes none.
std::string without_quoted_input(std::string_view text) {
    struct Quote {
        std::string_view begin, end;
    };
    static constexpr Quote kQuotes[] = {{"input_value=", ", input_type"},
                                        {"instead was `", "`"},
                                        {"received '", "'"},
                                        {"received \"", "\""},
                                        {"received \\\"", "\\\""}};
    static constexpr PhraseSet begins(std::array<std::string_view, 3>{"input_value=", "instead was `", "received "});
    constexpr std::size_t kLooked = 4096;  // bytes
    const std::string_view behind = text.substr(std::min(text.size(), kLooked));
    text = text.substr(0, kLooked);
    std::string rest;
    if (!begins.in(text)) return rest;
    std::size_t done = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto quote =
            std::ranges::find_if(kQuotes, [&](const Quote& q) { return text.substr(at).starts_with(q.begin); });
        if (quote == std::end(kQuotes)) continue;
        const std::size_t from = at + quote->begin.size(), to = text.find(quote->end, from);
        if (to == text.npos) break;
        rest.append(text, done, from - done);
        done = at = to;
    }
    return done == 0 ? rest : rest.append(text, done).append(behind);
}

// PostgreSQL quotes of the query the line that it did not like, and points into it: what is asked in other words fails
// for the same reason.
std::string_view without_quoted_query(std::string_view text) {
    constexpr std::string_view kError = "ERROR:", kLines[] = {"\\nLINE ", "\nLINE "};
    constexpr std::size_t kErrorLooked = 64, kLooked = 512;  // bytes
    if (text.substr(0, kErrorLooked).find(kError) == text.npos) return text;
    const std::string_view front = text.substr(0, kLooked);
    for (const std::string_view line : kLines) {
        const std::size_t at = front.find(line);
        const char number = at == front.npos || at + line.size() >= front.size() ? ' ' : front[at + line.size()];
        if (number >= '0' && number <= '9') return text.substr(0, at);
    }
    return text;
}

// The line that `text` ends in, however its ends are spelt; none where it is longer than such lines are.
std::string_view last_line(std::string_view text) {
    constexpr std::size_t kLongest = 128;
    const std::size_t cut = text.size() - std::min(text.size(), kLongest);
    std::string_view line = text.substr(cut);
    const std::size_t end = line.rfind('\n'), spelt = line.rfind("\\n");
    if (end == line.npos && spelt == line.npos) return cut == 0 ? line : std::string_view{};
    if (spelt != line.npos && (end == line.npos || spelt > end)) return line.substr(spelt + 2);
    return line.substr(end + 1);
}

// What the machine lacks, as a program says it that died of it: the name of a module. A path is a file of the project's
// own. Python says it last, node first: the middle is not looked at, for every failure comes through here. What a
// compiler or a runner of tests says so is one mistake among others.
std::string_view missing_module(std::string_view text) {
    constexpr std::size_t kFront = 192, kBack = 96;  // bytes
    constexpr std::string_view kModule = " module ", kNamed = "named ";
    const auto found_in = [kModule](std::string_view part) -> const char* {
        if (part.empty()) return nullptr;  // an answer without text has no address either
        const void* at = ::memmem(part.data(), part.size(), kModule.data(), kModule.size());
        return at ? static_cast<const char*>(at) : nullptr;
    };
    const char* found = found_in(text.substr(text.size() - std::min(text.size(), kBack)));
    if (!found && text.size() > kBack) found = found_in(text.substr(0, kFront));
    if (!found) return {};
    const auto at = static_cast<std::size_t>(found - text.data());
    std::string_view name = text.substr(at + kModule.size());
    const std::string_view before = last_line(text.substr(0, at));
    if (name.starts_with(kNamed) && before.ends_with(": No") && before.find(' ') == before.size() - 3) {
        name.remove_prefix(kNamed.size());
    } else if (before != "Error: Cannot find") {
        return {};
    }
    name.remove_prefix(std::min(name.find_first_not_of("\\'\""), name.size()));
    name = name.substr(0, name.find_first_of("\\'\"\n \r"));
    const bool own = name.empty() || name.front() == '.' || name.front() == '/';
    return own ? std::string_view{} : name;
}

// `python3 - <<EOF`, `python3 -c "…"`, `cat > try.py <<EOF`, which goes on behind what is kept of it.
bool hands_to_python(const Step& step) {
    const std::string_view command = step.text.argument().bytes;
    if (step.command_bytes == 0 || step.tool_class == ToolClass::verify) return false;
    const bool handed = command.find("<<") != command.npos || command.find("-c ") != command.npos;
    if (!handed) return false;
    return command.find("python") != command.npos || command.find(".py") != command.npos;
}

// The error of a program that was handed to Python as it is called (`python3 - <<EOF`, `python3 -c`), as the line that
// names it. The next one is another program, whose lines are numbered in another way. Empty = none, or it says no more
// than its kind.
[[gnu::noinline]] std::string_view error_of_script(const Step& step, RawText text) {
    constexpr std::size_t kLooked = 2048;  // bytes, at the end
    constexpr std::string_view kPrograms[] = {"<stdin>", "<string>"}, kNames[] = {"Error: ", "Exception: "};
    const std::string_view end = text.bytes.substr(text.bytes.size() - std::min(text.bytes.size(), kLooked));
    if (end.find("Traceback (most recent call last)") == end.npos) return {};
    std::size_t frame = end.npos;
    for (const std::string_view program : kPrograms) {
        const std::size_t at = end.rfind(program);
        if (at != end.npos && (frame == end.npos || at > frame)) frame = at;
    }
    if (frame == end.npos && step.text.argument().bytes.find("<<") != std::string_view::npos)
        frame = end.rfind(", line ");  // of a file that this command wrote, or that its program called
    if (frame == end.npos || end.substr(0, frame).find("Traceback (most recent call last)") == end.npos) return {};
    RawLines lines(end.substr(frame), text.form == TextForm::plain ? Spelling::plain : Spelling::escaped);
    std::string_view line;
    (void)lines.next(line);
    while (lines.next(line)) {
        if (!line.starts_with("  ")) return contains_any(line, kNames) ? line : std::string_view{};
    }
    return {};
}

constexpr std::string_view kDenials[] = {"permission denied", "operation not permitted", "read-only file system"};
constexpr PhraseSet kDenialSet(kDenials);

// Where a path begins in a command, and where it ends.
constexpr std::string_view kBeforePath = " \"'=>(", kBehindPath = " \"'\\;|&)<>,";

// The path of a command that the system does not let it touch, whatever program tried: `echo … >> /etc/app.conf`,
// `sed -i … /etc/app.conf`, which wants a file beside it. Empty = no such refusal, or nobody knows of what.
std::string_view denied_path(std::string_view command, std::string_view text) {
    constexpr std::size_t kLongest = 400;  // bytes: a search may have met what it may not read, and gone on
    constexpr std::size_t kShortest = 4;
    if (command.empty() || text.size() > kLongest || !kDenialSet.in(text)) return {};
    for (std::size_t at = command.find('/'); at != command.npos; at = command.find('/', at)) {
        const std::size_t end = std::min(command.find_first_of(kBehindPath, at), command.size());
        const std::string_view path = command.substr(at, end - at);
        const bool begins = at == 0 || kBeforePath.find(command[at - 1]) != kBeforePath.npos;
        const std::string_view folder = path.substr(0, path.rfind('/') + 1);
        at = end;
        if (begins && path.size() >= kShortest && folder.size() > 1 && text.find(folder) != text.npos) return path;
    }
    return {};
}

bool begins_with_shell(std::string_view line) {
    constexpr std::string_view kShells[] = {"bash", "sh", "zsh", "dash", "ksh", "(eval)"};
    const std::string_view program = line.substr(0, line.find(':'));
    return program.size() < line.size() &&
           std::ranges::find(kShells, program.substr(program.rfind('/') + 1)) != std::end(kShells);  // npos + 1 is 0
}

// What a shell says of a command that it cannot read: "unexpected EOF while looking for matching `"'". The line it
// stands in is one of the command, which is another one each time. Empty = it could read it, or a program ran.
std::string_view unread_command(RawText text) {
    constexpr std::size_t kLongest = 600, kFront = 64;  // bytes
    constexpr std::string_view kComplaints[] = {"unexpected EOF", "syntax error", "Syntax error", "unmatched ",
                                                "parse error near"};
    if (text.size() > kLongest) return {};
    const std::string_view front = text.bytes.substr(0, kFront);
    if (front.find("sh:") == front.npos && front.find("(eval)") == front.npos) return {};
    RawLines lines(text.bytes, text.form == TextForm::plain ? Spelling::plain : Spelling::escaped);
    for (std::string_view line; lines.next(line);) {
        if (!begins_with_shell(line)) continue;
        for (const std::string_view complaint : kComplaints) {
            if (const std::size_t at = line.find(complaint); at != line.npos) return line.substr(at);
        }
    }
    return {};
}

// What a hook or a service says of a message that it was given in quotes it says of the next one, too. Empty = it
// repeats none.
std::string without_quoted_words(std::string_view text, std::string_view command) {
    constexpr std::size_t kShortest = 8, kLeft = 64;  // bytes, of the words and of what else is said
    std::string rest;
    for (std::size_t at = command.find('"'); at != command.npos; at = command.find('"', at + 1)) {
        const std::size_t end = command.find('"', at + 1);
        if (end == command.npos) break;
        std::string_view words = command.substr(at + 1, end - at - 1);
        if (words.ends_with('\\')) words.remove_suffix(1);
        at = end;
        if (words.size() < kShortest || words.find(' ') == words.npos || text.find(words) == text.npos) continue;
        rest = without(rest.empty() ? text : std::string_view(rest), words);
    }
    return rest.size() < kLeft ? std::string() : rest;
}

// The last line of a traceback of Python that a tool hands on: which line of which program it was stands above, and the
// next program is another one. Empty = there is none, or it says no more than its kind.
std::string_view error_of_cell(RawText text) {
    constexpr std::size_t kLooked = 1024;  // bytes, at the end
    constexpr std::string_view kBegin = "Traceback (most recent call last)", kNames[] = {"Error: ", "Exception: "};
    if (text.bytes.find(kBegin) == text.bytes.npos) return {};
    RawLines lines(text.bytes.substr(text.bytes.size() - std::min(text.bytes.size(), kLooked)),
                   text.form == TextForm::plain ? Spelling::plain : Spelling::escaped);
    std::string_view last;
    for (std::string_view line; lines.next(line);) {
        if (!line.empty()) last = line;
    }
    return !last.starts_with(' ') && contains_any(last, kNames) ? last : std::string_view{};
}

// The machine has no network, whoever wanted it: npm, yarn and pnpm. That one name is not known may be that name.
bool has_no_network(std::string_view text) {
    static constexpr PhraseSet offline(std::array<std::string_view, 4>{
        "eai_again", "temporary failure in name resolution", "enetunreach", "network is unreachable"});
    constexpr std::size_t kLooked = 2048;  // bytes
    return offline.in(text.substr(0, kLooked));
}

// What the machine had too little of when the program died, in whatever words: so many bytes were wanted, so many free.
// Empty = it died of something else, or may have. Said where it ends, for a warning may speak of memory as well.
std::string_view lacking(std::string_view text) {
    static constexpr std::string_view kLacks[] = {"No space left on device",
                                                  "ENOSPC",
                                                  "Disk quota exceeded",
                                                  "out of memory",
                                                  "OutOfMemory",
                                                  "Out of memory",
                                                  "MemoryError",
                                                  "oom-kill",
                                                  "annot allocate memory",
                                                  "OOMKilled",
                                                  "exit code 137",
                                                  "exited with code 137"};
    constexpr std::size_t kOfDisk = 3;  // of them, the first
    static constexpr PhraseSet lacks(kLacks);
    constexpr std::size_t kEnd = 256;  // bytes
    std::string_view lacked;
    lacks.any(text.substr(text.size() - std::min(text.size(), kEnd)), [&](std::size_t, std::string_view found) {
        const bool disk = std::find(kLacks, kLacks + kOfDisk, found) != kLacks + kOfDisk;
        if (lacked.empty() || !disk) lacked = disk ? "disk" : "memory";
        return !disk;
    });
    return lacked;
}

// "Error: tool 'save_docx' does not exist": another name is as unknown, and is the only thing that differs.
std::uint64_t key_of_no_tool(const Step& step, RawText text) {
    constexpr std::size_t kLongest = 2048;  // bytes
    const std::string_view name = step.text.tool();
    if (name.empty() || text.size() > kLongest || text.bytes.find(name) == text.bytes.npos || !says_no_tool(text))
        return 0;
    return error_key({without(text.bytes, name), text.form}) | 1;
}

// "write_to_file without value for required parameter 'content'": what the call lacks, whichever file it was for and
// whatever is advised. Empty = it lacks nothing that is named.
std::string_view lacked_parameter(std::string_view text) {
    constexpr std::size_t kLooked = 600;  // bytes
    constexpr std::string_view kQuotes = "'\"`\\", kBehind = "'\"`\\ ,.:;\n";
    static constexpr PhraseSet lacks(std::array<std::string_view, 9>{
        "required parameter ", "required argument ", "required field ", "required property ", "required parameter: ",
        "required argument: ", "positional argument: ", "missing parameter ", "missing argument "});
    std::string_view name;
    text = text.substr(0, kLooked);
    lacks.any(text, [&](std::size_t at, std::string_view phrase) {
        const std::string_view behind = text.substr(at + phrase.size());
        const std::size_t begin = behind.find_first_not_of(kQuotes);
        if (begin == 0 || begin == behind.npos) return false;
        name = behind.substr(begin, behind.find_first_of(kBehind, begin) - begin);
        return !name.empty();
    });
    return name;
}

// Gradle says the same of `build` and `clean build`, between lines that tell how it fared.
bool ends_gradle(std::string_view text) {
    constexpr std::size_t kEnd = 128;  // bytes
    return text.substr(text.size() - std::min(text.size(), kEnd)).find("BUILD FAILED in ") != text.npos;
}

// Does a text, or a line of it, say that something went wrong? The first letter of a word may be large, or all of
// "error"; "fail" alone counts in capitals only.
bool names_trouble(std::string_view text) {
    static constexpr std::string_view kFail = "fail", kError = "rror";
    static constexpr std::string_view kWords[] = {kError,   kFail,      "xception", "ailed",  "ailure",
                                                  "enied",  "efused",   "ot found", "annot ", "nvalid",
                                                  "nable ", "imed out", "raceback"};
    static constexpr PhraseSet words(kWords);
    return words.any(text, [text](std::size_t at, std::string_view word) {
        const std::string_view said = text.substr(at, word.size());
        if (said == word) return word != kFail;
        return (word == kFail || word == kError) && std::ranges::none_of(said, is_lower);
    });
}

// What went wrong in a run, as its log names it: the lines that tell of trouble, with the indented ones below, where
// the file, the symbol or the test stands. How many they are, how often each came and in which order is no part of it.
std::uint64_t causes_in(std::string_view text, TextForm form, Spelling spelling, int lines_below = 3) {
    constexpr std::size_t kLooked = 16u << 10;  // bytes, at the end
    constexpr std::size_t kMost = 64;           // lines
    RawLines lines(text.substr(text.size() - std::min(text.size(), kLooked)), spelling);
    std::array<std::uint64_t, kMost> named;
    std::size_t count = 0;
    int below = 0;
    for (std::string_view line; count < kMost && lines.next(line);) {
        if (line.empty()) continue;
        const bool trouble = names_trouble(line);
        below = trouble ? lines_below : line.starts_with(' ') ? below - 1 : 0;
        if (trouble || below > 0) named[count++] = error_key({line, form});
    }
    const auto end = named.begin() + static_cast<std::ptrdiff_t>(count);
    std::sort(named.begin(), end);
    std::uint64_t key = 0;
    std::for_each(named.begin(), std::unique(named.begin(), end), [&key](std::uint64_t k) { key = mix_hash(key, k); });
    return key;
}

// A log begins alike however it ends, and ends alike whatever went wrong: that stands in its last lines, and in those
// that tell of trouble. 0 = the text is no such log.
[[gnu::noinline]] std::uint64_t end_of_log(RawText text) {
    constexpr std::size_t kHead = 300, kFewest = 6;  // bytes; lines
    constexpr std::size_t kLooked = 4096;            // bytes, at the end
    if (names_trouble(text.bytes.substr(0, kHead))) return 0;
    const Spelling spelling = text.form == TextForm::plain ? Spelling::plain : Spelling::escaped;
    RawLines lines(text.bytes.substr(text.bytes.size() - std::min(text.bytes.size(), kLooked)), spelling);
    std::array<std::string_view, 3> last;
    std::size_t count = 0;
    for (std::string_view line; lines.next(line);) {
        if (!line.empty()) last[count++ % last.size()] = line;
    }
    if (count < kFewest) return 0;
    std::uint64_t key =
        mix_hash(causes_in(text.bytes, text.form, spelling), error_key({last_error_in(text), text.form}));
    for (std::size_t i = 0; i < last.size(); ++i)
        key = mix_hash(key, error_key({last[(count + i) % last.size()], text.form}));
    return key | 1;
}

// "Error: the workflow failed. Its log:" says nothing of why: of a long answer the lines below its first ones tell.
// What is indented there may be the stack, with whatever the call was given. 0 = it is none.
[[gnu::noinline]] std::uint64_t causes_below(RawText text) {
    constexpr std::size_t kHead = 300;  // bytes
    constexpr std::uint32_t kFewest = 10;
    if (text.size() <= kHead || !names_trouble(text.bytes.substr(0, kHead))) return 0;
    const Spelling spelling = text.form == TextForm::plain ? Spelling::plain : Spelling::escaped;
    const std::size_t first = line_end(text.bytes, 0, spelling);
    if (first == text.bytes.npos) return 0;
    const std::string_view below = text.bytes.substr(first);
    constexpr std::size_t kLooked = 16u << 10;  // bytes
    return count_lines(below.substr(0, kLooked), spelling) < kFewest ? 0 : causes_in(below, text.form, spelling, 0);
}

}  // namespace

std::uint64_t refusal_identity(const Step& step, RawText text) {
    return error_key({without_argument(text.bytes, step.text.argument().bytes), text.form});
}

std::uint64_t error_identity(const Step& step, RawText text, OutcomeMemory& outcomes, const EditOrders& edits) {
    text.bytes = without_quoted_query(without_reminder(text.bytes));
    // Which script asked for it, and in which line, stands above that.
    if (step.command_bytes > 0) {
        if (const std::string_view name = missing_module(text.bytes); !name.empty())
            return kMissingModule << kMarkAt | mix_hash(step.tool, stable_hash(name, kMissingModule)) >> (64 - kMarkAt);
    }
    const std::string_view command = step.command_bytes > 0 ? step.text.argument().bytes : std::string_view{};
    if (const std::string_view path = denied_path(command, text.bytes); !path.empty())
        return mix_hash(step.tool, stable_hash(path, kDenied)) | 1;
    if (!command.empty()) {
        if (const std::string_view complaint = unread_command(text); !complaint.empty())
            return mix_hash(step.tool, stable_hash(complaint, kErrorsOfTool)) | 1;
    }
    if (command.empty()) {
        if (const std::uint64_t key = key_of_no_tool(step, text); key != 0) return key;
        if (const std::string_view name = lacked_parameter(text.bytes); !name.empty())
            return mix_hash(step.tool, stable_hash(name, kLacked)) | 1;
    }
    if (hands_to_python(step)) {
        if (const std::string_view line = error_of_script(step, text); !line.empty())
            return mix_hash(step.tool, stable_hash(line, kErrorsOfTool)) | 1;
    }
    if (step.command_bytes == 0 && step.tool_class == ToolClass::other) {
        if (const std::string_view line = error_of_cell(text); !line.empty())
            return mix_hash(step.tool, stable_hash(line, kErrorsOfTool)) | 1;
    }
    std::string told = without_quoted_words(text.bytes, command);
    if (!told.empty()) text.bytes = told;
    if (step.tool_class == ToolClass::verify && ends_gradle(text.bytes)) {
        told = without_progress(text).text;
        if (!told.empty()) text.bytes = told;
    }
    const auto of_command = [&] { return outcomes.name(mix_hash(step.tool, kErrorsOfTool), text, true, false); };
    if (is_command(step)) return of_command();
    if (acts_on_element(step)) return error_key({without_argument(text.bytes, step.text.argument().bytes), text.form});
    if (step.tool_class != ToolClass::mutate) {
        constexpr std::size_t kLog = 500;  // bytes
        const std::string valued = without_quoted_input(text.bytes);
        if (!valued.empty()) text.bytes = valued;
        const std::uint64_t end = text.size() > kLog ? end_of_log(text) : 0;
        if (end != 0) return end;
        // Of a thing that is not there the id is what was asked for.
        const std::string unnumbered =
            says_missing(text) ? std::string() : without_request_ids(text.bytes.substr(0, kLog));
        const std::uint64_t key = error_key(unnumbered.empty() ? text : RawText{unnumbered, text.form});
        const std::uint64_t causes = text.size() > kLog ? causes_below(text) : 0;
        return causes == 0 ? key : mix_hash(key, causes) | 1;
    }
    const std::string kept =
        without_echo(text.bytes, edits.of(step.call_at.seq), named_file(step.text.argument().bytes));
    const bool echoes = !text.bytes.starts_with(kept);  // a patch that is given to a shell
    return step.command_bytes > 0 && !echoes ? of_command() : error_key({kept, text.form});
}

std::uint64_t identity_of_outage(const Step& step, RawText text) {
    return step.command_bytes > 0 && has_no_network(text.bytes) ? mix_hash(step.tool, kOffline) | 1 : 0;
}

std::uint64_t identity_of_shortage(const Step& step, RawText text) {
    // A test that names such an error has found one.
    const bool runs = step.command_bytes > 0 && step.tool_class != ToolClass::verify;
    const std::string_view lacks = runs ? lacking(text.bytes) : std::string_view{};
    return lacks.empty() ? 0 : mix_hash(step.call, stable_hash(lacks, kShort)) | 1;
}

std::uint64_t identity_of_draft(const Step& step, RawText text) {
    if (!missing_module(text.bytes).empty()) return 0;
    const std::string_view line = error_of_cell({without_reminder(text.bytes), text.form});
    return line.empty() ? 0 : mix_hash(step.tool, stable_hash(line, kErrorsOfTool)) | 1;
}

bool is_missing_module(std::uint64_t error_key) { return error_key >> kMarkAt == kMissingModule; }

}  // namespace agent_audit::detectors
