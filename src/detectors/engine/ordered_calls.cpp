#include "detectors/engine/ordered_calls.hpp"

#include "detectors/words/number_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"

#include <agent_audit/model/finding.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace agent_audit::detectors {
namespace {

bool in_word(char c) { return is_lower(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80; }

// Words of a text in lower case; underscores and signs part them.
template <class Is>
bool any_word(std::string_view text, Is&& is) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = at;
        while (at < text.size() && in_word(text[at])) ++at;
        if (at > begin && is(text.substr(begin, at - begin))) return true;
        ++at;
    }
    return false;
}

// worker, workers; start, started, starte.
bool same_stem(std::string_view a, std::string_view b) {
    constexpr std::size_t kShortest = 4;
    if (a.size() > b.size()) std::swap(a, b);
    return a == b || (a.size() >= kShortest && b.starts_with(a));
}

// They stand in any order, or before the name of anything.
bool says_little(std::string_view word) {
    constexpr std::string_view kLittle[] = {"and",  "the",  "for", "with",  "all",  "them",  "then", "same", "into",
                                            "from", "that", "new", "each",  "one",  "times", "tell", "test", "sample",
                                            "more", "user", "app", "https", "http", "www",   "com",  "src",  "tmp"};
    return word.size() < 3 || std::ranges::find(kLittle, word) != std::end(kLittle);
}

bool shares_word(std::string_view call, std::string_view order) {
    return any_word(call, [&](std::string_view word) {
        return !says_little(word) && any_word(order, [&](std::string_view other) { return same_stem(word, other); });
    });
}

// The tool's name in words, and what it is about.
std::string words_of(const FindingCall& call) {
    std::string words;
    for (const char c : call.tool) {
        if (is_upper(c) && !words.empty() && is_lower(words.back())) words += ' ';
        words += lower(c);
    }
    return words + ' ' + lowered(call.argument);
}

// What a program needs before anything can be started.
bool installs(const DraftFinding& draft, std::string_view call) {
    constexpr std::string_view kInstalls[] = {" install",        "npm ci",  "npm i ",      "yarn add",
                                              "pnpm add",        "uv sync", "poetry lock", "cargo fetch",
                                              "go mod download", "go get ", "bundle ",     "dotnet restore"};
    return draft.by_command && contains_any(call, kInstalls);
}
constexpr std::string_view kInstallWords[] = {"install", "npm ",  "npm,",   "pip ", "yarn",   "pnpm",   "depend",
                                              "packag",  "setup", "set up", "apt",  "bundle", "restore"};

bool is_file_name(std::string_view text) {
    return !text.empty() && text.find_first_of(" \n{") == text.npos && text.find("://") == text.npos &&
           text.find_first_of("./\\") != text.npos;
}

// get_board, list_users
bool is_named_as_look(std::string_view call) {
    constexpr std::string_view kLooks[] = {"get_", "list_", "read_", "show_", "find_", "view_", "describe_"};
    call = call.substr(0, call.find(' '));
    call.remove_prefix(std::min(call.size(), call.rfind("__") == call.npos ? 0 : call.rfind("__") + 2));
    return starts_with_any(call, kLooks);
}

// Sent over the network, whatever with.
bool is_request(std::string_view call) {
    constexpr std::string_view kRequests[] = {"://",     "curl", "wget",   "localhost", "http",    "fetch",
                                              "request", "ping", "socket", "navigate",  "webhook", "post"};
    return contains_any(call, kRequests);
}

// "Take 10 screenshots", "make 5 requests", "check it six times": looks carry these out.
bool wants_looks(std::string_view order) {
    constexpr std::string_view kLooks[] = {"request", "quer",     "call",  "search",  "look",   "check", "measur",
                                           "sampl",   "screen",   "photo", "reading", "ping",   "poll",  "fetch",
                                           "hit",     "snapshot", "scan",  "visit",   "load",   "read",  "get ",
                                           "capture", "picture",  "probe", "open",    "lookup", "view",  "take "};
    return contains_any(order, kLooks);
}

bool wants_checks(std::string_view order) {
    constexpr std::string_view kChecks[] = {"run", "build", "check", "compil", "lint",
                                            "job", "test",  "bench", "suite",  "pipeline"};
    return any_word(order, [&](std::string_view word) { return word != "test" && starts_with_any(word, kChecks); });
}

// Of rounds of several calls the class is that of the last one, which says nothing of the others.
bool may_be_so(const DraftFinding& draft, const FindingCall& of, const TimesOrder& order) {
    const std::string call = words_of(of);
    const bool alone = draft.finding.calls.size() == 1;
    const auto failures = std::accumulate(draft.errors.begin(), draft.errors.end(), std::uint64_t{0});
    const bool failed = failures >= (alone ? 1 : draft.finding.repeats * draft.finding.calls.size());
    const bool looks = (alone && (draft.tool_class == ToolClass::read || draft.tool_class == ToolClass::search)) ||
                       is_named_as_look(call);
    const bool file = !draft.by_command && is_file_name(of.argument);
    const bool patch = of.argument.find("*** Begin Patch") != of.argument.npos;
    // An edit that fails makes none of what was ordered.
    if (failed && (file || patch) && draft.tool_class == ToolClass::mutate) return false;
    if (installs(draft, call)) return contains_any(order.words, kInstallWords) || has_wide_letter(order.words);
    // A look after each start has something to see.
    if (!failed && !draft.finding.contiguous) return true;
    if (looks && order.things) return wants_looks(order.words) || (!file && is_request(call));
    if (shares_word(call, order.words)) return true;
    if (!order.things) return !(looks && file) || wants_looks(order.words);
    if (alone && draft.tool_class == ToolClass::verify) return wants_checks(order.words);
    // Whatever was to be there in so many copies is not: only where it is sent may that be what was to be seen.
    return !failed || is_request(call) || has_wide_letter(order.words);
}

// "A room for tomorrow 10 am": what stands behind the number of an hour.
bool is_clock(std::string_view behind) {
    constexpr std::string_view kClocks[] = {"am", "pm", "a.m", "p.m", "uhr", "h", "hrs", "o'clock", "点", "點"};
    return std::ranges::any_of(kClocks, [behind](std::string_view word) {
        return behind.starts_with(word) && (behind.size() == word.size() || !in_word(behind[word.size()]));
    });
}

// "20 minutes", "50 µl each", "80 %": what is measured is not counted off.
bool is_measure(std::string_view behind) {
    constexpr std::string_view kUnits[] = {"sec",  "min",  "hour", "day",   "week",   "month", "year",  "ms",   "%",
                                           "per",  "µ",    "ml",   "mg",    "kg",     "gb",    "mb",    "kb",   "px",
                                           "deg",  "euro", "usd",  "doll",  "stunde", "tag",   "woche", "jahr", "heure",
                                           "jour", "hora", "día",  "giorn", "分",     "秒",    "小时",  "时",   "時"};
    behind.remove_prefix(std::min(behind.find_first_not_of(" -*`"), behind.size()));
    return starts_with_any(behind, kUnits) || is_clock(behind);
}

// "issue 50", "line 64", "MILL-81", ":80": the number is that of one thing.
bool names_place(std::string_view before) {
    constexpr std::string_view kMarks = "#:-./_",
                               kNames[] = {"issue", "ticket",  "line",  "lines", "port",   "page", "version", "pr",
                                           "bug",   "chapter", "row",   "no",    "number", "nr",   "id",      "step",
                                           "zeile", "seite",   "ligne", "línea", "room",   "build"};
    if (!before.empty() && (kMarks.find(before.back()) != kMarks.npos || is_letter(before.back()))) return true;
    before = trimmed(before);
    while (before.ends_with('.')) before.remove_suffix(1);
    const std::string_view word = before.substr(before.find_last_of(" ,;(\n") + 1);  // npos + 1 = 0
    return std::ranges::find(kNames, word) != std::end(kNames);
}

// A number in a text that counts things.
template <class Is>
bool any_count(std::string_view text, Is&& is) {
    constexpr std::uint64_t kFewest = 4, kMost = 200;
    for (std::size_t end = 1; end <= text.size(); ++end) {
        if (!in_word(text[end - 1]) || (end < text.size() && (is_lower(text[end]) || is_digit(text[end])))) continue;
        std::string_view head = text.substr(0, end);
        const std::optional<std::uint64_t> number = number_before(head);
        if (number && *number >= kFewest && *number <= kMost && !is_measure(text.substr(end)) && !names_place(head) &&
            is(*number))
            return true;
    }
    return false;
}

// "ok", "clicked": a few words that tell nothing of the thing.
bool tells_nothing(std::string_view answer) {
    constexpr std::size_t kLongest = 24;  // bytes
    return answer.size() <= kLongest && std::ranges::none_of(answer, is_digit);
}

}  // namespace

bool counts_off(const DraftFinding& draft, std::string_view request) {
    constexpr std::string_view kRules[] = {"loop/exact-repeat", "loop/known-answers", "loop/revisit-ratio",
                                           "loop/near-repeat",  "loop/cycle",         "loop/poll-no-progress"};
    const Finding& f = draft.finding;
    const auto failures = std::accumulate(draft.errors.begin(), draft.errors.end(), std::uint64_t{0});
    const bool looks = draft.tool_class == ToolClass::read || draft.tool_class == ToolClass::search ||
                       draft.tool_class == ToolClass::verify;
    if (failures > 0 || looks || f.calls.empty() || f.evidence.empty() ||
        std::ranges::find(kRules, f.rule) == std::end(kRules))
        return false;
    constexpr std::size_t kKeys = 4;  // "yes"
    const std::string call = words_of(f.calls.front());
    const std::size_t typed = f.calls.front().argument.size();
    // A program that runs is answered, or it is waited for.
    const bool waits = draft.tool_class == ToolClass::poll && (typed == 0 || typed > kKeys);
    if (waits || is_named_as_look(call)) return false;
    constexpr std::uint64_t kTelling = 8;  // of five things five calls may be chance
    constexpr std::size_t kShort = 48;     // bytes: a thought in so many words shares some with any text
    const bool named = shares_word(call, request);
    const bool related = named || (typed > 0 && typed <= kKeys);  // "y", whatever the installer asks
    const bool deed = named && tells_nothing(f.evidence.back().text) && typed <= kShort;
    return any_count(request, [&](std::uint64_t number) {
        return f.repeats <= number + 1 && (deed || (related && number >= kTelling && f.repeats + 1 >= number));
    });
}

bool may_carry_out(const DraftFinding& draft, const TimesOrder& order) {
    const auto& calls = draft.finding.calls;
    return calls.empty() ||
           std::ranges::any_of(calls, [&](const FindingCall& call) { return may_be_so(draft, call, order); });
}

}  // namespace agent_audit::detectors
