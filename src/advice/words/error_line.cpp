#include "advice/words/error_line.hpp"

#include "advice/words/text.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <array>

namespace agent_audit::advice {
namespace {

constexpr std::size_t kLongestLine = 600;  // what is looked at of one
constexpr std::size_t kChars = 160;

// What a line is worth. Of equals the first one counts, in a traceback the last.
enum Worth : int { kNothing, kEcho, kSaysLittle, kSomething, kConsequence, kSpeaksOfError, kNamesIt };

// "error:" with words behind it; "ERROR:" alone is a banner.
bool says_which(std::string_view low) {
    constexpr std::array<std::string_view, 12> kMarks{"error: ",     "error:\"", "error\": \"", "error\":\"",
                                                      "exception: ", "fatal: ",  "panic: ",     "error ts",
                                                      "error[e",     "err! ",    "panicked at", "assertion"};
    return std::ranges::any_of(kMarks, [&](std::string_view mark) {
        const std::size_t at = low.find(mark);
        if (at == low.npos) return false;
        const std::string_view rest = low.substr(at + mark.size());
        return std::ranges::count_if(rest, is_letter) >= 4;
    });
}

bool says_what_is_wrong(std::string_view low) {
    constexpr std::array<std::string_view, 31> kPhrases{"no such file",
                                                        "cannot find",
                                                        "can't find",
                                                        "can't cd",
                                                        "not found",
                                                        "permission denied",
                                                        "access denied",
                                                        "forbidden",
                                                        "unauthorized",
                                                        "could not",
                                                        "unable to",
                                                        "unexpected",
                                                        "is not recognized",
                                                        "timed out",
                                                        "refused",
                                                        "already in use",
                                                        "command not found",
                                                        "did not",
                                                        "no replacement was performed",
                                                        "required for",
                                                        "is required",
                                                        "is restricted",
                                                        "not allowed",
                                                        "are ignored by",
                                                        "no rule to make target",
                                                        "doesn't exist",
                                                        "nothing to commit",
                                                        "no changes added",
                                                        "nothing added to commit",
                                                        "does not match",
                                                        "out of memory"};
    return std::ranges::any_of(kPhrases, [&](std::string_view phrase) { return low.find(phrase) != low.npos; });
}

// "HTTP 403", "(401)", "status code 500", "returned error: 404".
bool has_http_status(std::string_view low) {
    for (const std::string_view mark : {"http ", "http/1.1 ", "http/2 ", "status code ",
                                        "status code: ", "status: ", "error (", "returned error: ", "error code: "}) {
        const std::size_t at = low.find(mark);
        if (at == low.npos) continue;
        const std::string_view number = low.substr(at + mark.size(), 4);
        if (number.size() >= 3 && (number[0] == '4' || number[0] == '5') && is_digit(number[1]) &&
            is_digit(number[2]) && (number.size() == 3 || !is_digit(number[3])))
            return true;
    }
    return false;
}

bool says_none(std::string_view low) {
    return has_word(low, "0 errors") || has_word(low, "no errors") || has_word(low, "0 failed") ||
           has_word(low, "0 failures") || has_word(low, "without errors");
}

// Warnings, notes of the shell that ran it, numbers alone, halves of JSON.
bool says_little(std::string_view low) {
    if (low.starts_with("warning") || low.starts_with("warn ") || low.starts_with("exit code") ||
        low.find("deprecat") != low.npos)
        return true;
    if (low.starts_with("process exited") || low.starts_with("wall time") || low.starts_with("chunk id") ||
        low.starts_with("node:internal"))
        return true;
    if (low.starts_with("-- ") || low.starts_with("(command exited")) return true;
    if (low.starts_with("at line:") || low.find("categoryinfo") != low.npos ||
        low.find("fullyqualifiederrorid") != low.npos)
        return true;
    if (low.starts_with("found ") && std::ranges::count(low, ' ') < 4) return true;
    return std::ranges::count_if(low, is_letter) < 6 || low.find("\"status\"") != low.npos;
}

bool is_consequence(std::string_view low) {
    for (const std::string_view mark : {"make: ***", "make[", "gmake: ***", "gmake[", "npm err! code", "npm err! errno",
                                        "elifecycle", "exit status", "exited with code", "see also"}) {
        if (low.find(mark) != low.npos) return true;
    }
    return false;
}

int worth_of(std::string_view line) {
    const std::string low = lowered(line);
    if (low.find_first_not_of(" \t-=*#~^|+") == low.npos) return kNothing;
    if (low[0] == '+' || low.starts_with("$ ") || low.starts_with("> ") || low.starts_with("    at ")) return kEcho;
    if (says_none(low) || says_little(low))
        return says_which(low) && !low.starts_with("warning") ? kSpeaksOfError : kSaysLittle;
    if (is_consequence(low)) return says_what_is_wrong(low) ? kSpeaksOfError : kConsequence;
    if (has_http_status(low) || says_what_is_wrong(low)) return kNamesIt;
    if (says_which(low)) return kNamesIt;
    if (line.find("FAILED") != line.npos || line.find("FAIL ") != line.npos || line.starts_with("E   ") ||
        low.starts_with("e: "))
        return kNamesIt;
    for (const std::string_view word :
         {"error", "fail", "exception", "denied", "invalid", "missing", "unknown", "rejected", "conflict"}) {
        if (low.find(word) != low.npos) return kSpeaksOfError;
    }
    return kSomething;
}

// "ValueError: no such thing" behind the frames of a traceback; `rest` begins at "Traceback".
std::string_view traceback_end(std::string_view rest) {
    std::string_view last;
    bool first = true;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (!first && !line.empty() && is_letter(line[0])) {
            const std::size_t colon = line.find(':');
            const std::string_view name = line.substr(0, std::min(colon, line.size()));
            const bool names = name.find(' ') == name.npos &&
                               (name.ends_with("Error") || name.ends_with("Exception") || name.ends_with("Warning") ||
                                name.find('.') != name.npos || name.ends_with("Exit"));
            if (names) last = line;
        }
        first = false;
    }
    return last;
}

// Of the last error that a traceback tells; empty without one.
std::string end_of_traceback(std::string_view text) {
    const std::size_t trace = text.find("Traceback (most recent call last)");
    return trace == text.npos ? std::string() : one_line(traceback_end(text.substr(trace)), kChars);
}

std::string best_line(std::string_view text) {
    std::string_view best, after;
    int worth = kNothing;
    bool alone = false;  // the best line so far is a banner, and what it announces stands on the next one
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, std::min(end, kLongestLine));
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (line.find_first_not_of(" \t\r") == line.npos) continue;
        if (alone && after.empty()) after = line;
        const int now = worth_of(line);
        if (now <= worth) continue;
        best = line;
        worth = now;
        after = {};
        alone =
            line.size() < 40 && line.find_last_not_of(" \r") != line.npos && line[line.find_last_not_of(" \r")] == ':';
    }
    std::string out = one_line(best, kChars);
    if (alone && !after.empty()) out = one_line(out + " " + one_line(after, kChars), kChars);
    return out;
}

// ---- what people paste -------------------------------------------------------------------------------------------

template <class List>
bool begins_with_any(std::string_view text, const List& words) {
    return std::ranges::any_of(words, [&](std::string_view word) { return text.starts_with(word); });
}

// Items of lists, headings, questions, orders and code: they speak of errors, and are none.
bool is_written(std::string_view line, std::string_view low) {
    constexpr std::array<std::string_view, 17> kOrders{
        "if ",     "when ",  "whenever ", "should ", "refrain ", "do not ", "don't ", "make sure ", "ensure ",
        "return ", "raise ", "throw ",    "handle ", "assert ",  "expect ", "catch ", "except "};
    constexpr std::array<std::string_view, 5> kCode{"print(", "printf(", "println", "console.", "logger."};
    constexpr std::array<std::string_view, 6> kItems{"- ", "* ", "#", "> ", "\u2022", "|"};
    if (begins_with_any(line, kItems) || line.ends_with('?') || begins_with_any(low, kOrders)) return true;
    if (std::ranges::any_of(kCode, [&](std::string_view code) { return low.find(code) != low.npos; })) return true;
    const std::size_t number = std::min(line.find_first_not_of("0123456789"), line.size());
    return number > 0 && (line.substr(number).starts_with(". ") || line.substr(number).starts_with(") "));
}

// "TypeError: x is not a function", "java.io.IOException: …", wherever it stands.
bool names_error_class(std::string_view line) {
    for (std::size_t colon = line.find(':'); colon != line.npos; colon = line.find(':', colon + 1)) {
        const std::string_view before = line.substr(0, colon);
        const std::string_view name = before.substr(before.find_last_of(" ([") + 1);  // npos + 1 is 0
        constexpr std::size_t kLeast = 6;                                             // more than "Error"
        const bool named = name.size() >= kLeast && (name.ends_with("Error") || name.ends_with("Exception"));
        if (named &&
            std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c) || c == '.' || c == '_'; }) &&
            std::ranges::count_if(line.substr(colon), is_letter) >= 4) {
            return true;
        }
    }
    return false;
}

// Begins as the programs print it, maybe behind a time, a place in a file or the name of who says it.
bool begins_as_printed(std::string_view line, std::string_view low) {
    constexpr std::array<std::string_view, 17> kMarks{"error: ",
                                                      "error ts",
                                                      "error[e",
                                                      "error - ",
                                                      "error in ./",
                                                      "fatal: ",
                                                      "panic: ",
                                                      "exception: ",
                                                      "err! ",
                                                      "npm err! ",
                                                      "panicked at",
                                                      "assertion failed",
                                                      "module not found",
                                                      "http/1.1 4",
                                                      "http/1.1 5",
                                                      "request failed with status code",
                                                      "exception in thread"};
    constexpr std::array<std::string_view, 22> kBefore{
        "uncaught", "unhandled", "caught",  "npm",      "build",  "compile",  "compilation", "compiler",
        "syntax",   "type",      "runtime", "internal", "server", "network",  "api",         "request",
        "fatal",    "critical",  "error",   "warn",     "thread", "exception"};
    constexpr std::size_t kMostBefore = 6;  // words
    std::string_view rest = low;
    for (std::size_t n = 0; n <= kMostBefore && !rest.empty(); ++n) {
        for (const std::string_view mark : kMarks) {
            if (rest.starts_with(mark) && std::ranges::count_if(rest.substr(mark.size()), is_letter) >= 4) return true;
        }
        const std::size_t end = std::min(rest.find(' '), rest.size());
        const std::string_view word = rest.substr(0, end);
        const bool of_output = word.starts_with('\'') || word.find_first_of(":/\\.[]()=_!|>0123456789") != word.npos;
        if (!of_output && std::ranges::find(kBefore, word) == kBefore.end()) break;
        rest.remove_prefix(end);
        rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    }
    const bool of_tests = line.starts_with("FAILED ") || line.starts_with("FAIL ");
    return (of_tests && line.find_first_of("/.:") != line.npos) || line.starts_with("E   ");
}

// "bash: foo: command not found": a program says it behind its name.
bool is_said_by_program(std::string_view line, std::string_view low) {
    constexpr std::array<std::string_view, 12> kSaid{
        ": no such file",      ": command not found",       ": permission denied", ": not found",
        ": access denied",     ": cannot access",           ": cannot open",       ": connection refused",
        ": could not resolve", ": operation not permitted", ": unable to access",  ": out of memory"};
    if (low.find("is not recognized as an internal or external command") != low.npos ||
        low.starts_with("cannot find module "))
        return true;
    const std::string_view name = line.substr(0, line.find(' '));
    if (!name.ends_with(':') || (name[0] >= 'A' && name[0] <= 'Z')) return false;
    return std::ranges::any_of(kSaid, [&](std::string_view said) { return low.find(said) != low.npos; });
}

}  // namespace

std::string telling_line(std::string_view clean) {
    std::string last = end_of_traceback(clean);
    return last.empty() ? best_line(clean) : last;
}

std::string pasted_error(std::string_view clean) {
    if (std::string last = end_of_traceback(clean); !last.empty()) return last;
    for (std::string_view rest = clean; !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        std::string_view line = rest.substr(0, std::min(end, kLongestLine));
        rest.remove_prefix(std::min(end + 1, rest.size()));
        line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
        line = line.substr(0, line.find_last_not_of(" \t\r") + 1);  // npos + 1 is 0
        if (line.empty()) continue;
        const std::string low = lowered(line);
        if (is_written(line, low) || says_none(low)) continue;
        if (begins_as_printed(line, low) || names_error_class(line) || is_said_by_program(line, low))
            return one_line(line, kChars);
    }
    return {};
}

}  // namespace agent_audit::advice
