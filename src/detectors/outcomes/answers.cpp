#include "detectors/outcomes/answers.hpp"

#include "detectors/words/number_words.hpp"
#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"
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

constexpr std::array<std::string_view, 13> kNothing{
    "no match", "no files",      "no file found", "no result", "no output",  "0 results", "0 matches",
    "found 0",  "nothing found", "none found",    "no data",   "no entries", "no items"};

// Words of an answer that says no, whatever its status.
constexpr std::array<std::string_view, 66> kRefusal{
    "error", "fail", "exception", "did not", "does not", "not found", "cannot", "can't", "could not", "couldn't",
    "forbidden", "invalid", "unable", "denied", "rejected", "refused", "missing", "unknown", "no such", "unauthorized",
    "timed out", "bad request", "incorrect", "insufficient", "illegal",
    // What a page says that is shown to people only.
    "enable javascript", "you are human", "not a robot",
    // What worlds and games say.
    "nothing happen", "no effect", "no visible change", "bump into", "is locked", "is full", "not enough",
    "don't understand", "do not understand", "not recognized", "not possible", "impossible", "not allowed",
    // What another model says.
    "i'm sorry", "i am sorry", "i apologize", "not have access", "n't have access", "no access to",
    // The same in other languages.
    "fehler", "konflikt", "nicht gefunden", "ungültig", "erreur", "introuvable", "échec", "no existe", "no encontrad",
    "ошибк", "не найден", "错误", "失败", "找不到", "エラー", "失敗", "오류", "\\u5931\\u8d25", "\\u9519\\u8bef"};

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

/// "0 errors", "no errors", "without error".
bool none_before(std::string_view head) {
    head = trimmed_end(head);
    if (head.ends_with("no") || head.ends_with("without")) return true;
    return head.ends_with('0') && (head.size() == 1 || !is_alnum(head[head.size() - 2]));
}

/// A word of refusal that is not taken back by what stands beside it.
bool refuses(const std::string& text) {
    static constexpr PhraseSet words(kRefusal);
    const std::string_view all = text;
    return words.any(all, [all](std::size_t at, std::string_view word) {
        std::string_view rest = all.substr(at + word.size());
        if (rest.starts_with("ed") || rest.starts_with("ure")) rest.remove_prefix(rest[0] == 'e' ? 2 : 3);
        const std::string_view head = all.substr(0, at);
        // 0 charts failed
        const bool counted = word == "fail" && none_before(head.substr(0, trimmed_end(head).find_last_of(' ') + 1));
        // "No visible change: 0 lines" counts something else.
        return (word.starts_with("no ") || !says_none(rest)) && !none_before(head) && !counted;
    });
}

std::string_view next_word(std::string_view& rest) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    return word;
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

/// "web1", "api-7d9f": the name of a thing that bears a number. A lone letter with one is a version, and try2 is the
/// next try.
bool is_numbered_name(std::string_view word) {
    constexpr std::array<std::string_view, 6> kTries{"try", "retry", "attempt", "run", "iteration", "round"};
    const auto in_name = [](char c) { return is_word(c) || c == '-'; };
    const auto letters = static_cast<std::size_t>(std::ranges::find_if_not(word, is_letter) - word.begin());
    return letters > 1 && std::ranges::all_of(word, in_name) &&
           std::ranges::find(kTries, word.substr(0, letters)) == kTries.end();
}

// What ends a word of an argument, as JSON or as a command.
bool ends_word(char c) {
    return c == ' ' || c == '"' || c == '\'' || c == '\\' || c == ',' || c == '{' || c == '}' || c == '[' || c == ']';
}

/// The one word in which two arguments differ, in each of them; empty when more differs, or less.
struct OtherWord {
    std::string_view one, other;
};
OtherWord only_other_word(std::string_view a, std::string_view b) {
    const std::size_t most = std::min(a.size(), b.size());
    std::size_t front = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
    std::size_t back = 0;
    while (back < most - front && a[a.size() - 1 - back] == b[b.size() - 1 - back]) ++back;
    while (front > 0 && !ends_word(a[front - 1])) --front;
    while (back > 0 && !ends_word(a[a.size() - back])) --back;
    const OtherWord word{a.substr(front, a.size() - back - front), b.substr(front, b.size() - back - front)};
    const auto is_word = [](std::string_view w) { return !w.empty() && std::ranges::none_of(w, ends_word); };
    return is_word(word.one) && is_word(word.other) ? word : OtherWord{};
}

/// "2024-05-20", "18:30".
bool is_date(std::string_view word) {
    if (word.size() < 4 || !is_digit(word.front()) || !is_digit(word.back())) return false;
    return std::ranges::all_of(word, [](char c) { return is_digit(c) || c == '-' || c == ':' || c == 'T'; }) &&
           word.find_first_of("-:") != word.npos;
}

/// app-2024-05-20.log and app-2024-05-21.log.
bool dated(std::string_view one, std::string_view other) {
    return one != other && same_but_numbers(one, other) && holds_date(one) && holds_date(other);
}

/// What a path is called, without its ending.
std::string_view bare_name(std::string_view word) {
    word.remove_prefix(word.find_last_of("/\\") + 1);  // npos + 1 = 0
    const std::size_t dot = word.rfind('.');
    return dot == word.npos || dot == 0 ? word : word.substr(0, dot);
}

/// The next part of a name, in lower case: retry and Policy of retryPolicy, api and key of api_key.
std::string next_part(std::string_view& name) {
    std::string part;
    std::size_t at = 0;
    while (at < name.size() && !is_letter(name[at])) ++at;
    for (bool was_small = false; at < name.size() && is_letter(name[at]); ++at) {
        const bool capital = is_upper(name[at]);
        if (capital && was_small) break;
        was_small = !capital;
        part += lower(name[at]);
    }
    name.remove_prefix(at);
    return part;
}

/// A part of three letters or more that stands in both; also when the one only begins with the other: config and
/// configs.
bool share_part(std::string_view a, std::string_view b) {
    constexpr std::size_t kShortest = 3;
    for (std::string x = next_part(a); !x.empty(); x = next_part(a)) {
        std::string_view rest = b;
        for (std::string y = next_part(rest); !y.empty(); y = next_part(rest)) {
            const bool begins = x.starts_with(y) || y.starts_with(x);
            if (begins && std::min(x.size(), y.size()) >= std::min(kShortest, std::max(x.size(), y.size())))
                return true;
        }
    }
    return false;
}

/// shop-7d9f8c6b5d-x2x4z and shop-7d9f8c6b5d-k9d2p: names of things of one kind that end in letters and digits which
/// were drawn for each.
bool differ_in_drawn_end(std::string_view one, std::string_view other) {
    constexpr std::size_t kShortest = 5;
    const auto shared = static_cast<std::size_t>(std::ranges::mismatch(one, other).in1 - one.begin());
    const std::size_t dash = one.substr(0, shared).find_last_of("-_");
    if (dash == one.npos) return false;
    one.remove_prefix(dash + 1);
    other.remove_prefix(dash + 1);
    const auto drawn = [&](std::string_view end) {
        const bool plain = std::ranges::all_of(end, [&](char c) { return is_digit(c) || is_lower(c); });
        const bool mixed = std::ranges::any_of(end, is_digit) && !std::ranges::all_of(end, is_digit);
        return plain && (mixed || end.find_first_of("aeiouy") == end.npos);
    };
    return one.size() == other.size() && one.size() >= kShortest && drawn(one) && drawn(other);
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

}  // namespace

bool holds_date(std::string_view text) {
    constexpr std::size_t kYear = 4, kMonth = 7;  // bytes of 2024, of 2024-05
    for (std::size_t dash = text.find('-', kYear); dash != text.npos; dash = text.find('-', dash + 1)) {
        const std::string_view month = text.substr(dash - kYear, kMonth);
        const bool begins = dash == kYear || !is_digit(text[dash - kYear - 1]);
        const bool century = month.starts_with("19") || month.starts_with("20");
        if (month.size() < kMonth || !begins || !century || !std::ranges::all_of(month.substr(0, kYear), is_digit))
            continue;
        const char behind = dash + 3 < text.size() ? text[dash + 3] : ' ';
        if (is_digit(month[kYear + 1]) && is_digit(month[kYear + 2]) && !is_digit(behind)) return true;
    }
    return false;
}

bool of_another_thing(const Step& a, const Step& b) {
    const auto is_cut = [](const Step& step) { return step.text.argument_size == StepText::kArgument; };
    if (a.tool != b.tool || is_cut(a) || is_cut(b)) return false;
    const auto [one, other] = only_other_word(a.text.argument().bytes, b.text.argument().bytes);
    constexpr std::string_view kPattern = "|()*+^$<>?=";
    if (one.empty() || one.front() == '-' || other.front() == '-') return false;
    if (one.find_first_of(kPattern) != one.npos || other.find_first_of(kPattern) != other.npos) return false;
    if ((is_date(one) && is_date(other)) || dated(one, other)) return true;
    const std::string_view x = bare_name(one), y = bare_name(other);
    if (same_but_numbers(x, y)) return x != y && is_numbered_name(x) && is_numbered_name(y);
    if (differ_in_drawn_end(x, y)) return true;
    const auto is_foreign = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
    const auto has_letter = [&](std::string_view w) {
        return std::ranges::any_of(w, [&](char c) { return is_letter(c) || is_foreign(c); });
    };
    if (std::ranges::any_of(x, is_foreign) && (x.find(y) != x.npos || y.find(x) != y.npos)) return false;
    return has_letter(x) && has_letter(y) && !share_part(x, y);
}

bool differ_in_date(const Step& a, const Step& b) {
    const auto [one, other] = only_other_word(a.text.argument().bytes, b.text.argument().bytes);
    return (is_date(one) && is_date(other)) || dated(one, other);
}

bool fail_alike(const Step& a, const Step& b) {
    if (a.error_key == b.error_key) return true;
    const auto [one, other] = only_other_word(a.text.argument().bytes, b.text.argument().bytes);
    std::string_view x = a.text.outcome().bytes, y = b.text.outcome().bytes;
    const bool cut = x.size() + one.size() > StepText::kOutcome || y.size() + other.size() > StepText::kOutcome;
    while (!one.empty() && !x.empty() && !y.empty()) {
        const bool named = x.starts_with(one) && y.starts_with(other);
        if (!named && x.front() != y.front()) return false;
        x.remove_prefix(named ? one.size() : 1);
        y.remove_prefix(named ? other.size() : 1);
    }
    return !one.empty() && (cut || (x.empty() && y.empty()));
}

bool is_no_result(RawText outcome) {
    std::string_view t = printed_in(outcome.bytes);
    if (t.size() > kLongestNothing) return false;
    while (t.ends_with("\\n") || t.ends_with('\n')) t.remove_suffix(t.ends_with('\n') ? 1 : 2);
    if (t.find_first_not_of(" \t\r\n[]{}()\"'\\") == t.npos || t == "null" || t == "None" || t == "Exit code 1" ||
        t == "Exit code: 1")
        return true;
    const std::string text = lowered(t);
    if (text.starts_with("no ") && (text.ends_with(" found") || text.ends_with(" found.")))
        return true;  // "No references found."
    return std::ranges::any_of(kNothing, [&](std::string_view nothing) {
        const std::size_t at = text.find(nothing);
        // "10 results" are not none.
        return at != text.npos && (at == 0 || nothing[0] != '0' || !is_digit(text[at - 1]));
    });
}

bool same_but_numbers(std::string_view a, std::string_view b) {
    std::size_t i = 0, j = 0;
    while (true) {
        while (i < a.size() && is_digit(a[i])) ++i;
        while (j < b.size() && is_digit(b[j])) ++j;
        if (i == a.size() || j == b.size()) return i == a.size() && j == b.size();
        if (a[i++] != b[j++]) return false;
    }
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

bool turns_down(const Step& step) {
    constexpr std::uint32_t kLongest = 240;  // bytes
    // What was done to a thing that is called an error: "Defect recorded: error 7".
    constexpr std::array<std::string_view, 9> kDone{"created", "recorded", "updated", "marked", "flagged",
                                                    "saved",   "added",    "logged",  "success"};
    if (step.tool_class != ToolClass::other || step.failed || step.opaque || step.command_bytes > 0) return false;
    const RawText said = step.text.outcome();
    return step.outcome_bytes <= kLongest && says_refusal(said.bytes) && !says_missing(said) && !is_no_result(said) &&
           !says_wrong_guess(said) && !contains_any(lowered(said.bytes), kDone);
}

bool name_another_thing(std::string_view before, std::string_view now) {
    constexpr std::string_view kOpens = "\"'=\\", kCloses = "\"'\\";
    const auto in_name = [](char c) {
        return is_alnum(c) || std::string_view("_-.@").find(c) != std::string_view::npos;
    };
    const std::size_t most = std::min(before.size(), now.size());
    std::size_t front = 0, back = 0;
    while (front < most && before[front] == now[front]) ++front;
    while (back < most - front && before[before.size() - 1 - back] == now[now.size() - 1 - back]) ++back;
    while (front > 0 && in_name(now[front - 1])) --front;
    while (back > 0 && in_name(now[now.size() - back])) --back;
    const std::string_view x = before.substr(front, before.size() - back - front),
                           y = now.substr(front, now.size() - back - front);
    const bool whole = (front == 0 || kOpens.find(now[front - 1]) != kOpens.npos) &&
                       (back == 0 || kCloses.find(now[now.size() - back]) != kCloses.npos);
    return whole && x != y && std::ranges::all_of(x, in_name) && std::ranges::all_of(y, in_name) &&
           std::ranges::any_of(x, is_letter) && std::ranges::any_of(y, is_letter);
}

bool says_refusal(std::string_view answer) {
    constexpr std::size_t kLooked = 4096;  // bytes
    return refuses(lowered(answer.substr(0, kLooked)));
}

Elsewhere elsewhere(const Step& a, const Step& b) {
    std::string_view x = a.text.argument().bytes, y = b.text.argument().bytes;
    const auto is_place = [](std::string_view word) {
        return word.find_first_of("/.") != word.npos && word.find_first_of("|()[]{}*+^$<>=") == word.npos;
    };
    bool moved = false, files = true;
    while (!x.empty() && !y.empty()) {
        const std::string_view one = next_word(x), other = next_word(y);
        if (one == other) continue;
        if (!is_place(one) || !is_place(other)) return other_word(a, b) ? Elsewhere::thing : Elsewhere::no;
        files = files && looks_like_path(one) && looks_like_path(other);
        moved = true;
    }
    if (!moved || !x.empty() || !y.empty()) return Elsewhere::no;
    return files ? Elsewhere::file : Elsewhere::place;
}

std::optional<std::size_t> other_word(const Step& a, const Step& b) {
    if (a.command_bytes == 0 || b.command_bytes == 0) return std::nullopt;
    if (a.text.argument_size == StepText::kArgument || b.text.argument_size == StepText::kArgument)
        return std::nullopt;  // cut
    std::string_view x = a.text.argument().bytes, y = b.text.argument().bytes, one, other;
    std::optional<std::size_t> place;
    for (std::size_t at = 0; !x.empty() && !y.empty(); ++at) {
        const std::string_view now = next_word(x), then = next_word(y);
        if (now == then) continue;
        if (place && (now != one || then != other)) return std::nullopt;
        if (!place) place = at;
        one = now;
        other = then;
    }
    constexpr std::string_view kPattern = "|()[]{}*+^$<>";
    const bool pattern = one.find_first_of(kPattern) != one.npos || other.find_first_of(kPattern) != other.npos;
    const bool counts_on = same_but_numbers(one, other) && !(is_numbered_name(one) && is_numbered_name(other));
    return x.empty() && y.empty() && !pattern && place != 0u && !counts_on ? place : std::nullopt;
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
