#include "detectors/outcomes/exit_code.hpp"

#include "detectors/outcomes/crash_line.hpp"
#include "support/ascii.hpp"
#include "support/phrase_set.hpp"
#include "support/triple_filter.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string_view>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kWindow = 400;  // looked at, at each end

/// A text with the questions that both searches ask.
struct Look {
    explicit Look(RawText text) : t(text.bytes), escaped(text.form != TextForm::plain) {}

    std::string_view t;
    bool escaped;  // line ends are the two bytes \n

    char at(std::size_t i) const { return i < t.size() ? t[i] : '\0'; }
    bool has(std::size_t i, std::string_view word) const { return i <= t.size() && t.substr(i).starts_with(word); }
    bool ends(std::size_t i, std::string_view word) const { return i <= t.size() && t.substr(0, i).ends_with(word); }

    bool line_begins(std::size_t i) const {
        while (i > 0 && t[i - 1] == ' ') --i;
        return i == 0 || (escaped ? ends(i, "\\n") || ends(i, "\\r") : t[i - 1] == '\n' || t[i - 1] == '\r');
    }
    // From its beginning to the end of the text; empty where it begins far above, as in a text of one line.
    std::string_view line_around(std::size_t i) const {
        const std::size_t first = i - std::min(i, kWindow);
        const std::string_view before = t.substr(first, i - first), end = escaped ? "\\n" : "\n";
        const std::size_t at = before.rfind(end);
        if (at == before.npos) return first == 0 ? t : std::string_view{};
        return t.substr(first + at + end.size());
    }
    bool line_ends(std::size_t i) const {
        while (at(i) == ' ' || at(i) == '.') ++i;
        return i >= t.size() || (escaped ? has(i, "\\n") || has(i, "\\r") : t[i] == '\n' || t[i] == '\r');
    }
};

/// Calls found(i) for every i in the first and last kWindow bytes at which a triple of the filter ends, until it
/// returns true; says whether it did.
template <class Found>
bool any_hit(std::string_view text, const TripleTables& tables, Found found) {
    std::array<std::uint64_t, 2 * kWindow / kTripleBlock + 1> masks;
    const auto search = [&](std::size_t from, std::size_t size) {
        const std::size_t blocks = find_triples(tables, text.substr(from), 0, size, masks);
        for (std::size_t k = 0; k < blocks; ++k) {
            for (std::uint64_t mask = masks[k]; mask != 0; mask &= mask - 1) {
                if (found(from + k * kTripleBlock + static_cast<unsigned>(__builtin_ctzll(mask)))) return true;
            }
        }
        return false;
    };
    if (text.size() <= 2 * kWindow) return search(0, text.size());
    return search(0, kWindow) || search(text.size() - kWindow, kWindow);
}

// ---- exit codes

enum class Where : std::uint8_t { anywhere, line };

struct CodeForm {
    std::string_view before;  ///< ends right before the number
    std::string_view after;   ///< what must follow the number; empty: anything but a letter
    Where where;
};

// Best evidence first.
constexpr std::array kCodeForms{
    CodeForm{"Exit code ", "", Where::anywhere},
    CodeForm{"Exit code: ", "", Where::anywhere},
    CodeForm{"Exit Code: ", "", Where::anywhere},
    CodeForm{"Process exited with code ", "", Where::line},
    CodeForm{"exited with exit code ", "", Where::anywhere},
    CodeForm{"Command exited with code ", "", Where::line},
    CodeForm{"exit_code\":", "", Where::anywhere},
    CodeForm{"exit_code\\\":", "", Where::anywhere},
    CodeForm{"exit_code\": ", "", Where::anywhere},
    CodeForm{"exit_code\\\": ", "", Where::anywhere},
    CodeForm{"exitCode\":", "", Where::anywhere},
    CodeForm{"exitCode\\\":", "", Where::anywhere},
    CodeForm{"exitCode\": ", "", Where::anywhere},
    CodeForm{"exitCode\\\": ", "", Where::anywhere},
    CodeForm{"returncode\":", "", Where::anywhere},
    CodeForm{"returncode\\\":", "", Where::anywhere},
    CodeForm{"returncode\": ", "", Where::anywhere},
    CodeForm{"returncode\\\": ", "", Where::anywhere},
    CodeForm{"exitcode: ", " (", Where::anywhere},
    CodeForm{"returncode>", "<", Where::anywhere},
    CodeForm{"completed with exit code ", "]", Where::anywhere},
    CodeForm{"completed with exit code ", ".", Where::anywhere},
    CodeForm{"(exit code ", ")", Where::line},
    CodeForm{"(exit code: ", ")", Where::line},
    CodeForm{"[exit code ", "]", Where::line},
    CodeForm{"[exit code: ", "]", Where::line},
    CodeForm{"exit code ", "", Where::line},
    CodeForm{"exit code: ", "", Where::line},
};

constexpr std::array kCodeTriples{Triple{0, {"x", "i", "t"}}, Triple{1, {"r", "n", "c"}}};
constexpr TripleTables kCodeTables{kCodeTriples};

struct Code {
    std::size_t form = kCodeForms.size();
    int value = 0;
};

constexpr std::size_t anchor(std::string_view before) { return std::min(before.find("xit"), before.find("rnc")); }

/// Takes the number of a form whose words surround the "xit" or "rnc" at `i`, if it is better evidence than `best`.
void read_code(const Look& look, std::size_t i, Code& best) {
    for (std::size_t f = 0; f < best.form; ++f) {
        const CodeForm& form = kCodeForms[f];
        const std::size_t begin = i - anchor(form.before);
        if (i < anchor(form.before) || !look.has(begin, form.before)) continue;
        if (form.where == Where::line && !look.line_begins(begin)) continue;
        const char* number = look.t.data() + begin + form.before.size();
        int value = 0;
        const auto [end, error] = std::from_chars(number, look.t.data() + look.t.size(), value);
        const auto after = static_cast<std::size_t>(end - look.t.data());
        const bool whole = form.after.empty() ? !is_word(look.at(after)) : look.has(after, form.after);
        if (error == std::errc::invalid_argument || !whole) continue;
        best = {f, error == std::errc{} ? value : std::numeric_limits<int>::max()};
        return;
    }
}

// ---- failures

constexpr std::array kFailureTriples{
    Triple{0, {"A", "I", "L"}},      // FAILED, FAIL
    Triple{1, {"T", "r", "a"}},      // Traceback
    Triple{2, {"r", "o", "r"}},      // error
    Triple{3, {"R*", "R*", "O! "}},  // npm ERR!, ERROR:, make: ***
    Triple{4, {"ai", "lc", ":k"}},   // fatal:, panic:, panicked
    Triple{5, {"m", "m", "a"}},      // command not found
    Triple{6, {"u", "c", "h"}},      // No such file
    Triple{7, {"Sn", "ei", "ge"}},   // Segmentation fault, Permission denied
};
constexpr TripleTables kFailureTables{kFailureTriples};

/// FAILED where a test or build tool puts it: at the beginning of a line, or at its end. Not in the middle of a
/// sentence or of a program, and not when it counts nothing ("0 FAILED", "FAILED: 0").
bool says_failed(const Look& look, std::size_t begin) {
    const std::size_t end = begin + 6;
    // "Hunk #1 FAILED at 3."
    if (look.has(end, " at ") && begin >= 8) {
        std::size_t digits = begin - 1;
        while (digits > 0 && is_digit(look.t[digits - 1])) --digits;
        if (look.t[begin - 1] == ' ' && look.ends(digits, "Hunk #")) return true;
    }
    if (look.line_begins(begin)) {
        std::size_t i = end;
        while (look.at(i) == ' ' || look.at(i) == ':' || look.at(i) == '=') ++i;
        const bool nothing = i > end && look.at(i) == '0' && !is_digit(look.at(i + 1));
        return !nothing &&
               (look.line_ends(end) || std::string_view(" :(").find(look.at(end)) != std::string_view::npos);
    }
    const bool at_end = look.line_ends(end) || look.has(end, " [") || look.has(end, "  ]") || look.has(end, ". ");
    if (!at_end || look.t[begin - 1] != ' ') return false;
    const bool nothing = look.ends(begin, "0 ") && (begin < 3 || !is_digit(look.t[begin - 3]));
    return !nothing && !look.ends(begin, "no ") && !look.ends(begin, "not ") && !look.ends(begin, "NOT ");
}

/// "--- FAIL: TestX" and "FAIL\tpackage" of go test.
bool go_test_failed(const Look& look, std::size_t begin) {
    if (begin >= 4 && look.has(begin - 4, "--- FAIL:")) return look.line_begins(begin - 4);
    return look.line_begins(begin) && look.has(begin + 4, look.escaped ? "\\t" : "\t");
}

/// What stands before ": error" makes it a compiler's: a line number, "file.ts(3,4)", or the name of one program.
bool names_source(const Look& look, std::size_t colon) {
    if (colon == 0) return false;
    if (is_digit(look.t[colon - 1]) || look.t[colon - 1] == ')') return true;
    std::size_t i = colon;
    while (i > 0 && (is_word(look.t[i - 1]) || look.t[i - 1] == '-' || look.t[i - 1] == '.' || look.t[i - 1] == '+'))
        --i;
    // The letter of an escape before the name is not part of it.
    if (look.escaped && i > 0 && look.t[i - 1] == '\\' && look.at(i) == 'n') ++i;
    return i < colon && look.line_begins(i);
}

/// "error: 8.59", as a fit says how far off it is.
bool is_measure(std::string_view behind) {
    behind.remove_prefix(std::min(behind.find_first_not_of(" -"), behind.size()));
    return fraction_size(behind) > 0;
}

/// "error: …", "error[E0382]: …", "file.c:3:4: error: …", "a.ts(1,2): error TS2304: …", "npm error …".
bool compiler_error(const Look& look, std::size_t begin) {
    const char next = look.at(begin + 5);
    if (look.ends(begin, "npm ")) return next == ' ' && look.line_begins(begin - 4);
    bool coded = false;
    for (const std::string_view code : {"[E", " TS", " C"}) {
        coded = coded || (look.has(begin + 5, code) && is_digit(look.at(begin + 5 + code.size())));
    }
    if (next != ':' && !coded) return false;
    std::size_t start = begin;
    if (look.ends(start, "fatal ")) start -= 6;
    if (look.line_begins(start)) return next == '[' || (next == ':' && !is_measure(look.t.substr(begin + 6)));
    return look.ends(start, ": ") && names_source(look, start - 2);
}

/// "An error occurred (AccessDenied) when calling the PutObject operation: …" of the AWS command line.
bool aws_error(const Look& look, std::size_t begin) {
    constexpr std::string_view kCalling = ") when calling the ";
    constexpr std::size_t kLongestCode = 64;  // bytes
    if (!look.ends(begin, "An ") || !look.has(begin, "error occurred (")) return false;
    return look.t.substr(begin, kLongestCode + kCalling.size()).find(kCalling) != std::string_view::npos;
}

/// "cmd: words" to the end of the line, as shells and the C library say it.
bool ends_complaint(const Look& look, std::size_t begin, std::string_view words) {
    if (!look.has(begin, words)) return false;
    return (look.ends(begin, ": ") || look.ends(begin, "] ")) &&
           (look.line_ends(begin + words.size()) || look.has(begin + words.size(), ": "));
}

/// "ImportError: cannot import name 'tomllib'", "sqlite3.OperationalError: no such table: jobs": all that some runners
/// hand on of a crash. In the midst of a text such a line may be told of.
bool opens_with_exception(const Look& look, std::size_t error) {
    constexpr std::size_t kLongest = 80;  // bytes of the name
    std::size_t begin = error;
    while (begin > 0 && error - begin < kLongest && (is_word(look.t[begin - 1]) || look.t[begin - 1] == '.')) --begin;
    const std::size_t dot = look.t.substr(0, error).rfind('.');
    const std::size_t name = dot == std::string_view::npos ? begin : dot + 1;
    return begin == 0 && name < error && is_upper(look.t[name]);
}

/// Whether the triple that ends at `i` is part of words that say so.
bool failure_at(const Look& look, std::size_t i) {
    const std::size_t a = i - 2;
    const auto begins = [&](std::size_t back, std::string_view word) { return a >= back && look.has(a - back, word); };
    switch (look.t[a]) {
        case 'A':
            if (begins(1, "FAILED")) return says_failed(look, a - 1);
            return begins(1, "FAIL") && go_test_failed(look, a - 1);
        case 'T': return look.has(a, "Traceback (most recent call last)");
        case 'r':
            if (!begins(2, "Error"))
                return begins(2, "error") && (compiler_error(look, a - 2) || aws_error(look, a - 2));
            if (look.at(a + 3) == ')') return begins_with_crash(look.line_around(a));
            return look.has(a + 3, ": ") && (look.line_begins(a - 2) || opens_with_exception(look, a - 2));
        case 'R':
            if (begins(1, "ERROR: ")) return look.line_begins(a - 1);
            return begins(5, "npm ERR!") && look.line_begins(a - 5);
        case '*':
            if (look.at(a + 3) == '(') return look.line_begins(a) && begins_with_crash(look.t.substr(a));
            return begins(1, "*** [") && look.ends(a - 1, ": ");
        case 'a': return begins(3, "fatal: ") && look.line_begins(a - 3);
        case 'i':
            if (begins(3, "panic: ")) return look.line_begins(a - 3);
            return begins(3, "panicked at ") && look.ends(a - 3, "' ");
        case 'm': return begins(2, "command not found") && ends_complaint(look, a - 2, "command not found");
        case 'u':
            return begins(4, "No such file or directory") && ends_complaint(look, a - 4, "No such file or directory");
        case 'n': return begins(13, "Permission denied") && ends_complaint(look, a - 13, "Permission denied");
        case 'S':
            return look.has(a, "Segmentation fault") && (look.line_ends(a + 18) || look.has(a + 18, " (core dumped)"));
        default: return false;
    }
}

}  // namespace

std::optional<int> exit_code_in(RawText text) {
    const Look look(text);
    Code best;
    any_hit(text.bytes, kCodeTables, [&](std::size_t i) {
        read_code(look, i - 2, best);
        return best.form == 0;
    });
    if (best.form == kCodeForms.size()) return std::nullopt;
    return best.value;
}

bool says_failure(RawText text) {
    const Look look(text);
    return any_hit(text.bytes, kFailureTables, [&](std::size_t i) { return failure_at(look, i); });
}

namespace {

// What checks count; behind the first mark how they say that all is well, behind the second that all is lost. Of the
// hooks of a commit each has a line: "pylint......Failed".
constexpr std::string_view kVerdicts[] = {"failed",
                                          "failing",
                                          "failure",
                                          "errors",
                                          " error",
                                          "problems (",
                                          "problem (",
                                          "# fail",
                                          "\u2139 fail",
                                          "issues:",
                                          "issue:",
                                          "offenses detected",
                                          "offense detected",
                                          " passed",
                                          " passing",
                                          "test result: ok",
                                          "build success",
                                          "no issues found",
                                          "0 issues.",
                                          "no offenses detected",
                                          "build failed",
                                          "build failure",
                                          "compilation failed",
                                          "could not compile",
                                          "elifecycle",
                                          "command failed with exit code",
                                          "failed to run task",
                                          "error task failed",
                                          "run failed: command",
                                          "build stopped: subcommand failed",
                                          "build did not complete successfully",
                                          "did not complete successfully: exit code",
                                          ": *** [",
                                          "** test failed **",
                                          "code style issues found",
                                          "would be reformatted",
                                          "...failed",
                                          "modified by this hook"};
constexpr std::size_t kFirstGood = 13, kFirstBroken = 20;
constexpr PhraseSet kVerdictSet(kVerdicts);
static_assert(kVerdicts[kFirstGood] == " passed" && kVerdicts[kFirstBroken] == "build failed");

bool above_zero(std::string_view digits) { return digits.find_first_not_of('0') != std::string_view::npos; }

// "1 tests failed": what is counted may stand between.
std::string_view without_counted(std::string_view before) {
    constexpr std::string_view kCounted[] = {"tests", "test", "checks", "specs", "suites", "files"};
    for (bool again = true; again;) {
        while (before.ends_with(' ')) before.remove_suffix(1);
        again = false;
        for (const std::string_view word : kCounted) {
            if (!before.ends_with(word)) continue;
            before.remove_suffix(word.size());
            again = true;
        }
    }
    return before;
}

/// A number above 0 right before or, behind a colon or an equals sign, after the word.
bool counts_some(const Look& look, std::size_t at, std::string_view word) {
    const std::string_view text = look.t;
    const std::size_t end = without_counted(text.substr(0, at)).size();
    std::size_t begin = end;
    while (begin > 0 && is_digit(text[begin - 1])) --begin;
    const bool whole = begin < end && (look.line_begins(begin) ||
                                       (!is_word(text[begin - 1]) && text[begin - 1] != '.' && text[begin - 1] != ':'));
    if (whole && above_zero(text.substr(begin, end - begin))) return true;
    std::size_t after = at + word.size();
    if (after < text.size() && text[after] == 's') ++after;
    const bool node = word.ends_with("# fail") || word.ends_with("\u2139 fail");  // a runner that needs no colon
    if (after >= text.size() || (text[after] != ':' && text[after] != '=' && !(node && text[after] == ' ')))
        return false;
    ++after;
    while (after < text.size() && text[after] == ' ') ++after;
    std::size_t last = after;
    while (last < text.size() && is_digit(text[last])) ++last;
    return last > after && above_zero(text.substr(after, last - after));
}

/// "5 issues:" counts where it begins a line, as the last word of a linter; in the midst of a sentence it may be
/// anything.
bool begins_line(const Look& look, std::size_t at) {
    while (at > 0 && (is_digit(look.t[at - 1]) || look.t[at - 1] == ' ')) --at;
    return look.line_begins(at);
}

struct Verdict {
    bool some_failed = false, well = false, broken = false;  // well or broken: what was said last
    bool none() const { return !some_failed && !well && !broken; }
    bool failed() const { return some_failed || broken; }
};

Verdict verdict_in(const Look& look) {
    Verdict verdict;
    verdict.some_failed = kVerdictSet.any(look.t, [&](std::size_t at, std::string_view word) {
        const auto row = static_cast<std::size_t>(std::find(std::begin(kVerdicts), std::end(kVerdicts), word) -
                                                  std::begin(kVerdicts));
        if (row < kFirstGood) {
            if (word.starts_with("issue") && !begins_line(look, at)) return false;
            if (word.starts_with("problem") && look.has(at + word.size(), "0 error")) return false;  // warnings
            return counts_some(look, at, word);
        }
        if (word == "0 issues." && !look.line_begins(at)) return false;
        verdict.broken = row >= kFirstBroken;
        verdict.well = !verdict.broken;
        return false;
    });
    return verdict;
}

}  // namespace

namespace {

// It stands at the end; what stands in front is asked where there is none.
Verdict verdict_of(RawText text) {
    const std::string_view t = text.bytes;
    const auto verdict = [&](std::string_view part) { return verdict_in(Look({part, text.form})); };
    const Verdict tail = verdict(t.substr(t.size() - std::min(t.size(), kWindow)));
    if (!tail.none() || t.size() <= kWindow) return tail;
    return verdict(t.substr(0, std::min(kWindow, t.size() - kWindow)));
}

}  // namespace

bool check_failed(RawText text) {
    const Verdict verdict = verdict_of(text);
    return verdict.none() ? says_failure(text) : verdict.failed();
}

bool counts_failures(RawText text) { return verdict_of(text).some_failed; }

bool edit_refused(RawText text) {
    // What editing tools of the field answer when the place to be changed is not there. It opens their answer.
    static constexpr std::string_view kRefusals[] = {"No replacement was performed",
                                                     "String to replace not found",
                                                     "Search block not found",
                                                     "Search text not found",
                                                     "search block not found",
                                                     "old_string not found",
                                                     "old_str not found",
                                                     "No match found for",
                                                     "Could not find the string",
                                                     "Could not find exact match",
                                                     "Failed to apply",
                                                     "failed to apply",
                                                     "Patch failed",
                                                     "patch failed",
                                                     "No changes were made",
                                                     "Unable to apply",
                                                     "File has not been read yet",
                                                     "Found multiple matches",
                                                     "Multiple occurrences of",
                                                     "Your proposed edit has introduced",
                                                     "Edit failed",
                                                     "Edit rejected",
                                                     "The edit was rejected",
                                                     "The edit was not applied",
                                                     "No edit was made",
                                                     "No edits were made",
                                                     "Invalid patch"};
    constexpr std::string_view kTag = "<tool_use_error>";
    constexpr std::size_t kSecond = 4;  // "The edit was …" is no "The file was …"
    constexpr auto pair_of = [](std::string_view words) {
        return (static_cast<unsigned char>(words[0]) * 31u + static_cast<unsigned char>(words[kSecond])) % 256;
    };
    static constexpr auto kPairs = [=] {
        std::array<bool, 256> pairs{};
        for (const std::string_view refusal : kRefusals) pairs[pair_of(refusal)] = true;
        return pairs;
    }();
    std::string_view head = text.bytes.substr(0, 200);
    if (head.starts_with(kTag)) return true;
    if (head.size() <= kSecond || !kPairs[pair_of(head)]) return false;  // most edits are acknowledged
    return std::ranges::any_of(kRefusals, [head](std::string_view refusal) { return head.starts_with(refusal); });
}

}  // namespace agent_audit::detectors
