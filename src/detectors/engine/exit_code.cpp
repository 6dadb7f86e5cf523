#include "detectors/engine/exit_code.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kEdge = 400;

struct Edges {
    std::string_view head;
    std::string_view tail;  // empty when the head is everything
};

Edges edges(std::string_view text) {
    if (text.size() <= 2 * kEdge) return {text, {}};
    return {text.substr(0, kEdge), text.substr(text.size() - kEdge)};
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// What stands between the words and the number: `Exit code: 1`, `exit_code":1`, `returncode>1<`, `exitcode: 1 (`.
std::optional<int> number_after(std::string_view text, std::size_t at) {
    std::size_t skipped = 0;
    while (at < text.size() && skipped < 4 && (text[at] == ' ' || text[at] == ':' || text[at] == '"' || text[at] == '\\' ||
                                               text[at] == '>' || text[at] == '=')) {
        ++at;
        ++skipped;
    }
    const bool negative = at < text.size() && text[at] == '-';
    at += negative;
    int value = 0;
    std::size_t digits = 0;
    for (; at < text.size() && is_digit(text[at]) && digits < 9; ++at, ++digits) value = value * 10 + (text[at] - '0');
    if (digits == 0) return std::nullopt;
    return negative ? -value : value;
}

// The words every agent uses around a code. All contain "xit" or "eturncode", which is searched first.
constexpr std::array<std::string_view, 7> kCodeWords{"xit code",  "xit Code",  "xited with code", "xited with exit code",
                                                     "xit_code",  "xitcode",   "eturncode"};

std::optional<int> find_code(std::string_view text) {
    for (const std::string_view probe : {std::string_view("xit"), std::string_view("eturncode")}) {
        for (auto at = text.find(probe); at != text.npos; at = text.find(probe, at + 1)) {
            const std::string_view rest = text.substr(at);
            for (const std::string_view words : kCodeWords) {
                if (!rest.starts_with(words)) continue;
                if (const auto code = number_after(text, at + words.size())) return code;
            }
        }
    }
    return std::nullopt;
}

// Phrases that stand at the start of a line when something failed.
constexpr std::array<std::string_view, 13> kLineStarts{
    "Traceback (most recent call last)", "npm ERR!", "npm error", "fatal: ", "panic: ", "error: ", "Error: ", "ERROR: ",
    "error[E", "FAILED", "Segmentation fault", "make: *** ", "E   "};

// Phrases that end a line of a shell's complaint ("bash: foo: command not found").
constexpr std::array<std::string_view, 4> kLineEnds{"command not found", "No such file or directory", "Permission denied",
                                                    "is not recognized as an internal or external command"};

bool counts_nothing(std::string_view line) {
    return line.find("0 failed") != line.npos || line.find("0 errors") != line.npos || line.find("no error") != line.npos;
}

// `src/x.cpp:12:5: error: …`, `x.ts(3,4): error TS2322: …`
bool compiler_error(std::string_view line) {
    const auto at = line.find("error");
    if (at == line.npos || at < 4) return false;
    const std::string_view before = line.substr(0, at);
    const bool place = before.ends_with(": ") && std::ranges::any_of(before, is_digit);
    const std::size_t after = at + 5;
    return place && (after == line.size() || line[after] == ':' || line.substr(after, 3) == " TS");
}

bool failing_line(std::string_view line) {
    if (line.size() < 4 || counts_nothing(line)) return false;
    for (const std::string_view start : kLineStarts) {
        if (line.starts_with(start) && (start != "FAILED" || line.size() == 6 || !is_word(line[6]))) return true;
    }
    // A shell names itself or the program first: "sh: 1: foo: not found"; prose does not.
    for (const std::string_view end : kLineEnds) {
        if (line.ends_with(end) && line.substr(0, line.size() - end.size()).find(": ") != line.npos) return true;
    }
    return compiler_error(line);
}

// Calls `see` for each line; in JSON text a line ends with the two bytes \n.
template <class See>
bool any_line(RawText form, std::string_view text, See see) {
    std::size_t start = 0;
    while (start < text.size()) {
        std::size_t end = form.form == TextForm::plain ? text.find('\n', start) : text.find("\\n", start);
        const std::size_t width = form.form == TextForm::plain ? 1 : 2;
        if (end == text.npos) end = text.size();
        if (see(text.substr(start, end - start))) return true;
        start = end + width;
    }
    return false;
}

// One pass that rules out nearly every text: each phrase above holds one of these.
bool may_fail(std::string_view text) {
    for (const std::string_view word : {std::string_view("rror"), std::string_view("ERR"), std::string_view("FAILED"),
                                        std::string_view("Traceback"), std::string_view("fatal: "), std::string_view("panic: "),
                                        std::string_view("not found"), std::string_view("No such file"),
                                        std::string_view("denied"), std::string_view("fault"), std::string_view("*** "),
                                        std::string_view("E   "), std::string_view("not recognized")}) {
        if (text.find(word) != text.npos) return true;
    }
    return false;
}

}  // namespace

std::optional<int> exit_code_in(RawText text) {
    const Edges e = edges(text.bytes);
    if (const auto code = find_code(e.head)) return code;
    return e.tail.empty() ? std::nullopt : find_code(e.tail);
}

bool says_failure(RawText text) {
    const Edges e = edges(text.bytes);
    for (const std::string_view part : {e.head, e.tail}) {
        if (may_fail(part) && any_line(text, part, failing_line)) return true;
    }
    return false;
}

}  // namespace agent_audit::detectors
