#include "detectors/outcomes/answers.hpp"

#include "detectors/words/number_words.hpp"
#include "detectors/words/phrases.hpp"
#include "detectors/words/raw_lines.hpp"
#include "support/among.hpp"
#include "support/ascii.hpp"
#include "support/phrase_set.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kShortLine = 64;
constexpr std::size_t kLongestNothing = 120;

constexpr std::array<std::string_view, 15> kNothing{
    "(0 rows)",  "empty set", "no match",      "no files",   "no file found", "no result",  "no output", "0 results",
    "0 matches", "found 0",   "nothing found", "none found", "no data",       "no entries", "no items"};

// Words of an answer that says no, whatever its status.
constexpr std::array<std::string_view, 78> kRefusal{
    "error", "fail", "exception", "did not", "does not", "not found", "cannot", "can't", "could not", "couldn't",
    "forbidden", "invalid", "unable", "denied", "rejected", "refused", "missing", "unknown", "no such", "unauthorized",
    "timed out", "bad request", "incorrect", "insufficient", "illegal",
    // What a page says that is shown to people only.
    "enable javascript", "you are human", "not a robot",
    // What worlds and games say.
    "nothing happen", "no effect", "no visible change", "bump into", "is locked", "is full", "not enough",
    "don't understand", "do not understand", "not recognized", "not possible", "impossible", "not allowed",
    // What another model says.
    "i'm sorry", "i am sorry", "i apologize", "not have access", "n't have access", "no access to", "not able to",
    "n't able to",
    // The same in other languages.
    "fehler", "konflikt", "nicht gefunden", "ungültig", "erreur", "introuvable", "échec", "no existe", "no encontrad",
    "konnte nicht", "nicht möglich", "n'a pas pu", "pas possible", "no se pudo", "no es posible", "não foi possível",
    "não é possível", "无法", "できません", "ошибк", "не найден", "错误", "失败", "找不到", "エラー", "失敗", "오류",
    "\\u5931\\u8d25", "\\u9519\\u8bef"};

/// Whether what follows a word makes it a denial of itself: "isError": false, "errors": [], "failed": 0, errors=0.
bool says_none(std::string_view rest) {
    // "errors 0" counts them; "error 0" is a code.
    if (rest.starts_with("s 0") && (rest.size() == 3 || (!is_alnum(rest[3]) && rest[3] != '.'))) return true;
    const std::size_t value = rest.find_first_not_of("s\\\"': =");
    if (value == rest.npos || value == 0 || value > 8) return false;
    if (rest.substr(0, value).find_first_of(":=") == rest.npos) return false;
    rest.remove_prefix(value);
    // "NoneType" is no "none".
    const auto is = [rest](std::string_view word) {
        const char behind = rest.size() > word.size() ? rest[word.size()] : ' ';
        return rest.starts_with(word) && !is_alnum(behind);
    };
    if (rest[0] == '0') return is("0") && !rest.starts_with("0.");
    return is("false") || is("null") || is("none") || rest.starts_with("[]") || rest.starts_with("{}");
}

/// What is measured may be called an error: "max_error_mm": 3.2, error_rate=0.1, "failures": 3. A code is another
/// matter: "error": 404, "error_code": 12.
bool is_measured(std::string_view rest) {
    constexpr std::string_view kNames = "abcdefghijklmnopqrstuvwxyz0123456789_%",
                               kBetween = "\\\"': =", kDigits = "0123456789";
    const std::size_t name = std::min(rest.find_first_not_of(kNames), rest.size());
    if (rest.substr(0, name).find("code") != rest.npos) return false;
    const std::size_t value = std::min(rest.find_first_not_of(kBetween, name), rest.size());
    if (rest.substr(name, value - name).find_first_of(":=") == rest.npos) return false;
    rest.remove_prefix(value);
    if (rest.starts_with('-')) rest.remove_prefix(1);
    if (fraction_size(rest) > 0) return true;
    const std::size_t whole = std::min(rest.find_first_not_of(kDigits), rest.size());
    return whole > 0 && name > 0 && (whole == rest.size() || !is_letter(rest[whole]));
}

/// "0 errors", "no errors", "without error".
bool none_before(std::string_view head) {
    head = trimmed_end(head);
    if (head.ends_with("no") || head.ends_with("without")) return true;
    return head.ends_with('0') && (head.size() == 1 || !is_alnum(head[head.size() - 2]));
}

/// "Redirected to https://intra.example/sso/login": whoever asked is not let in.
bool leads_to_login(std::string_view text) {
    constexpr std::string_view kLogins[] = {"login", "log-in", "signin", "sign-in", "sign_in", "/sso", "/auth"};
    const std::size_t at = text.find("redirect");
    return at != text.npos && contains_any(text.substr(at), kLogins);
}

/// A word of refusal that is not taken back by what stands beside it.
bool refuses(const std::string& text) {
    if (leads_to_login(text)) return true;
    static constexpr PhraseSet words(kRefusal);
    const std::string_view all = text;
    return words.any(all, [all](std::size_t at, std::string_view word) {
        std::string_view rest = all.substr(at + word.size());
        const std::string_view behind = rest;
        if (rest.starts_with("ed") || rest.starts_with("ure")) rest.remove_prefix(rest[0] == 'e' ? 2 : 3);
        const std::string_view head = all.substr(0, at);
        // 0 charts failed
        const bool counted = word == "fail" && none_before(head.substr(0, trimmed_end(head).find_last_of(' ') + 1));
        // "No visible change: 0 lines" counts something else.
        if ((!word.starts_with("no ") && says_none(rest)) || none_before(head) || counted) return false;
        return (word != "error" && word != "fail" && word != "exception") || !is_measured(behind);
    });
}

struct Words {
    std::array<std::uint64_t, 40> hash;
    std::size_t count = 0;

    bool has(std::uint64_t h) const { return std::find(hash.begin(), hash.begin() + count, h) != hash.begin() + count; }
};

Words words_of(std::string_view text) {
    Words words;
    std::size_t i = 0;
    const auto in_word = [&](std::size_t k) { return is_word(text[k]) || static_cast<unsigned char>(text[k]) >= 0x80; };
    while (i < text.size() && words.count < words.hash.size()) {
        while (i < text.size() && !in_word(i)) ++i;
        std::size_t end = i;
        while (end < text.size() && in_word(end)) ++end;
        if (end == i) break;
        const std::uint64_t h = stable_hash(text.substr(i, end - i));
        if (!words.has(h)) words.hash[words.count++] = h;
        i = end;
    }
    return words;
}

// {"exit_code": 0, "stdout": "no leaks found", "stderr": ""}: what stands in stdout, where that is all.
std::string_view stdout_in(std::string_view answer) {
    constexpr std::string_view kOut = "stdout", kErr = "stderr", kMarks = "\\\": ";
    const std::size_t out = answer.find(kOut), err = answer.find(kErr, out == answer.npos ? 0 : out);
    if (out == answer.npos || err == answer.npos) return answer;
    const std::string_view behind = answer.substr(err + kErr.size());
    const std::size_t value = behind.find_first_not_of(kMarks);
    if (value != behind.npos && behind[value] != ',' && behind[value] != '}') return answer;
    std::string_view said = answer.substr(out + kOut.size(), err - out - kOut.size());
    said.remove_prefix(std::min(said.find_first_not_of(kMarks), said.size()));
    while (!said.empty() && (kMarks.find(said.back()) != kMarks.npos || said.back() == ',')) said.remove_suffix(1);
    return said;
}

// "<returncode>0</returncode>\n<output>\n</output>": what the command printed stands between the marks.
std::string_view printed_in(std::string_view answer) {
    if (answer.starts_with('{')) return stdout_in(answer);
    constexpr std::string_view kCode = "<returncode>", kBegin = "<output>", kEnd = "</output>";
    const std::size_t begin = answer.starts_with(kCode) ? answer.find(kBegin) : answer.npos;
    const std::size_t end = begin == answer.npos ? begin : answer.find(kEnd, begin);
    if (end == answer.npos) return answer;
    answer = answer.substr(begin + kBegin.size(), end - begin - kBegin.size());
    while (answer.starts_with("\\n") || answer.starts_with('\n')) answer.remove_prefix(answer.front() == '\n' ? 1 : 2);
    return answer;
}

// Short answers that say no in words that mean more, or less, within a long one.
bool says_no_in_short(const std::string& lower) {
    static constexpr std::string_view kNo[] = {
        "not available",  "unavailable", "declin",      "inaudible",    "out of office", "unreachable", "is offline",
        "not responding", "no response", "has expired", "code expired", "jammed",        "unhealthy"};
    static constexpr PhraseSet words(kNo);
    return words.in(lower);
}

}  // namespace

bool is_no_result(RawText outcome) {
    std::string_view t = printed_in(outcome.bytes);
    if (t.size() > kLongestNothing) return false;
    while (t.ends_with("\\n") || t.ends_with('\n')) t.remove_suffix(t.ends_with('\n') ? 1 : 2);
    if (t.find_first_not_of(" \t\r\n[]{}()\"'\\") == t.npos || t == "null" || t == "None" || t == "Exit code 1" ||
        t == "Exit code: 1")
        return true;
    const std::string text = lowered(t);
    // "No references found.", "No projects matched the filters in …"
    if (text.starts_with("no ") &&
        (text.ends_with(" found") || text.ends_with(" found.") || text.find(" matched the ") != text.npos))
        return true;
    static constexpr PhraseSet words(kNothing);
    // "10 results" are not none.
    return words.any(text, [&](std::size_t at, std::string_view nothing) {
        return at == 0 || nothing[0] != '0' || !is_digit(text[at - 1]);
    });
}

bool says_missing(RawText outcome) {
    constexpr std::array<std::string_view, 4> kMissing{"not found", "not_found", "does not exist", "doesn't exist"};
    return outcome.size() <= kLongestNothing && contains_any(lowered(outcome.bytes), kMissing) &&
           !says_no_tool(outcome);
}

bool asks_for_rows(std::string_view query) {
    constexpr std::string_view kSelect = "select ";
    return std::ranges::equal(query.substr(0, kSelect.size()), kSelect, {},
                              [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
}

std::string asked_table(std::string_view query) {
    constexpr std::string_view kFrom = " from ", kSpaces = " \t\n";
    const std::string lower = lowered(query);
    const std::size_t from = lower.find(kFrom);
    if (from == lower.npos) return {};
    const std::size_t begin = lower.find_first_not_of(kSpaces, from + kFrom.size());
    if (begin == lower.npos || lower[begin] == '(') return {};
    // What the text ends with may be cut.
    const std::size_t end = lower.find_first_of(" \t\n\\;,()", begin);
    std::string table =
        end == lower.npos && lower.size() == StepText::kArgument ? "" : lower.substr(begin, end - begin);
    table.erase(0, table.rfind('.') + 1);  // npos + 1 = 0
    std::erase_if(table, [](char c) { return c == '"' || c == '`' || c == '\''; });
    return table;
}

bool says_wrong_guess(RawText outcome) {
    constexpr std::array<std::string_view, 9> kWrong{"incorrect", "wrong",       "not correct",
                                                     "not right", "not quite",   "nope",
                                                     "try again", "guess again", "not the answer"};
    constexpr std::size_t kLongestVerdict = 48;  // bytes
    const std::string_view said = outcome.bytes;
    const bool bare = said.size() <= kLongestVerdict && said.find_first_of("0123456789:") == said.npos;
    return bare && contains_any(lowered(said), kWrong);
}

bool says_no_tool(RawText outcome) {
    constexpr std::array<std::string_view, 5> kGone{"not found", "does not exist", "doesn't exist", "not available",
                                                    "unknown"};
    constexpr std::array<std::string_view, 2> kTools{"tool", "function"};
    constexpr std::size_t kLooked = 160;  // bytes
    const std::string text = lowered(outcome.bytes.substr(0, kLooked));
    return contains_any(text, kTools) && contains_any(text, kGone);
}

bool is_acknowledgement(const Step& step) {
    if (step.failed || step.tool_class == ToolClass::read || step.tool_class == ToolClass::search) return false;
    const bool tells = step.tool_class != ToolClass::mutate && step.tool_class != ToolClass::other &&
                       printed_in(step.text.outcome().bytes).size() > kShortLine;
    return !tells && !refuses(lowered(step.text.outcome().bytes));
}

bool says_only_done(const Step& step) {
    constexpr std::uint32_t kLongest = 40;  // bytes
    constexpr std::string_view kDone[] = {"ok",           "okay",      "done", "success",   "successful",
                                          "successfully", "succeeded", "true", "completed", "executed",
                                          "status",       "result",    "null", "none",      "error"};
    if (step.tool_class != ToolClass::other || step.failed || step.outcome_bytes > kLongest) return false;
    const std::string text = lowered(step.text.outcome().bytes);
    bool any = false;
    for (std::string_view rest = text; !rest.empty();) {
        const auto is_letter = [](char c) { return is_alnum(c) || static_cast<unsigned char>(c) >= 0x80; };
        const auto begin = static_cast<std::size_t>(std::ranges::find_if(rest, is_letter) - rest.begin());
        rest.remove_prefix(begin);
        const std::string_view word =
            rest.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(rest, is_letter) - rest.begin()));
        if (word.empty()) break;
        if (std::ranges::find(kDone, word) == std::end(kDone)) return false;
        any = any || (word != "status" && word != "result" && word != "null" && word != "none" && word != "error");
        rest.remove_prefix(word.size());
    }
    return any;
}

bool denies_by_field(const Step& step) {
    constexpr std::uint32_t kLongest = 240;  // bytes
    // Of a thing that may be so or otherwise ("locked", "archived"), or that comes with time ("ready", "approved"),
    // false says nothing.
    constexpr std::string_view kGood[] = {"ok",       "success",     "succeeded", "successful", "valid",
                                          "accepted", "deliverable", "passed",    "silenced"};
    constexpr std::string_view kFalse = "alse", kMarks = "\\\"': ";
    if (step.tool_class != ToolClass::other || step.failed || step.opaque || step.command_bytes > 0 ||
        step.outcome_bytes > kLongest)
        return false;
    const std::string_view said = step.text.outcome().bytes;
    for (std::size_t at = said.find(kFalse); at != said.npos; at = said.find(kFalse, at + 1)) {
        std::string_view name = said.substr(0, at == 0 ? 0 : at - 1);
        if (at == 0 || (said[at - 1] != 'f' && said[at - 1] != 'F') || name.find_last_not_of(kMarks) == name.npos)
            continue;
        const bool keyed = name.substr(name.find_last_not_of(kMarks)).find(':') != name.npos;
        name = name.substr(0, name.find_last_not_of(kMarks) + 1);
        name.remove_prefix(name.find_last_of("\"'{, \\") + 1);  // npos + 1 = 0
        if (keyed && std::ranges::find(kGood, name) != std::end(kGood)) return true;
    }
    return false;
}

bool turns_down(const Step& step) {
    constexpr std::uint32_t kLongest = 240;  // bytes
    // What was done to a thing that is called an error: "Defect recorded: error 7".
    constexpr std::array<std::string_view, 9> kDone{"created", "recorded", "updated", "marked", "flagged",
                                                    "saved",   "added",    "logged",  "success"};
    if (step.tool_class != ToolClass::other || step.failed || step.opaque || step.command_bytes > 0) return false;
    const RawText said = step.text.outcome();
    if (step.outcome_bytes > kLongest) return false;
    const std::string lower = lowered(said.bytes);
    return (refuses(lower) || says_no_in_short(lower)) && !says_missing(said) && !is_no_result(said) &&
           !says_wrong_guess(said) && !contains_any(lower, kDone);
}

bool says_refusal(std::string_view answer) {
    constexpr std::size_t kLooked = 4096;  // bytes
    return refuses(lowered(answer.substr(0, kLooked)));
}

WordOfNo word_of_no(const Step& step) {
    constexpr std::uint32_t kLongest = 96;  // bytes, with what a runner says of the call
    constexpr std::string_view
        kNo[] = {"no", "No", "false", "False"},
        kVerdicts[] = {"unsat",      "UNSAT",      "unsatisfiable", "UNSATISFIABLE",       "s UNSATISFIABLE",
                       "infeasible", "INFEASIBLE", "Infeasible",    "model is infeasible", "problem is infeasible"},
        kStates[] = {"inactive", "disabled", "unknown", "absent", "stopped", "off", "missing", "masked"};
    const RawText said = step.text.outcome();
    if (!step.failed || step.command_bytes == 0 || step.outcome_bytes > kLongest) return WordOfNo::none;
    RawLines lines(said.bytes, said.form == TextForm::plain ? Spelling::plain : Spelling::escaped);
    WordOfNo word = WordOfNo::none;
    for (std::string_view line; lines.next(line);) {
        if (among(line, kNo))
            word = WordOfNo::no;
        else if (among(line, kVerdicts))
            word = WordOfNo::verdict;
        else if (among(line, kStates))
            word = WordOfNo::state;
        else if (!line.empty() && !line.starts_with("Exit code") && !line.starts_with("exit code"))
            return WordOfNo::none;
    }
    return word;
}

bool is_passed_check(const Step& step) {
    return step.tool_class == ToolClass::verify && !step.failed && !refuses(lowered(step.text.outcome().bytes));
}

double shared_words(const Step& a, const Step& b) {
    const Words x = words_of(a.text.argument().bytes), y = words_of(b.text.argument().bytes);
    std::size_t shared = 0;
    for (std::size_t i = 0; i < x.count; ++i) shared += y.has(x.hash[i]);
    const std::size_t all = x.count + y.count - shared;
    return all == 0 ? 1 : static_cast<double>(shared) / static_cast<double>(all);
}

}  // namespace agent_audit::detectors
