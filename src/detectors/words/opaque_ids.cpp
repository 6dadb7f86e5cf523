#include "detectors/words/opaque_ids.hpp"

#include "detectors/words/tokens.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLongest = 4096;  // bytes: a longer answer that differs has more to say than an id
constexpr std::size_t kMostApart = 64;  // bytes by which ids may make two answers differ in length
constexpr int kFewestTurns = 3;         // from letters to digits and back, of an id
constexpr std::size_t kShortestWord = 3;
constexpr int kFewestWords = 3;

bool is_number(std::string_view t) { return !t.empty() && std::ranges::all_of(t, is_digit); }
bool is_word(std::string_view t) {
    return t.size() >= kShortestWord && std::ranges::all_of(t, [](char c) { return is_letter(c) || c == '_'; });
}

// As long as a commit's name or a SHA-256: they tell what something is.
bool is_content_hash(std::string_view t) {
    return (t.size() == 40 || t.size() == 64) && std::ranges::all_of(t, is_hex);
}

// Seconds, milliseconds or more since 1970, from 2001 on.
bool is_epoch(std::string_view t) { return t.size() >= 10 && t.size() <= 19 && t[0] == '1' && is_number(t); }

/// What stands before a token: the one before it, and the character between them.
struct Before {
    std::string_view token;
    char mark = '\0';
    bool epoch = false;  // that token was a time
};

bool ends_with_thread(std::string_view word) {
    constexpr std::string_view kNames[] = {"thread", "Thread", "goroutine"};
    return std::ranges::any_of(kNames, [&](std::string_view name) { return word.ends_with(name); });
}

// Two different numbers that each were drawn by chance, or tell the time.
bool are_drawn(std::string_view a, std::string_view b, const Before& before) {
    // "drain.go:58 +0x1d": how far into a function, as it was built.
    if (before.mark == '+' && a.starts_with("0x") && b.starts_with("0x")) return true;
    if (!is_number(a) || !is_number(b)) return false;
    if (is_epoch(a) && is_epoch(b) && a.size() == b.size()) return true;
    if (before.epoch && before.mark == '.') return true;
    const bool host = is_number(before.token) || before.token == "localhost";
    const bool port = before.mark == ':' && host && a.size() >= 4 && a.size() <= 5 && b.size() >= 4 && b.size() <= 5;
    const bool cell = before.mark == '[' && (before.token == "In" || before.token == "Out");  // of a notebook
    return port || cell || ends_with_thread(before.token);
}

// "Case 48213", "(Ref 3FA9C1)", "[challenge 9f3a61c02b]": under what an answer was filed. Short numbers count
// something.
bool are_filed(std::string_view a, std::string_view b, const Before& before) {
    constexpr std::size_t kShortest = 5;
    constexpr std::string_view kNames[] = {"Case",      "case",     "Ref",       "ref",      "Reference",
                                           "reference", "incident", "challenge", "Incident", "Challenge"};
    const auto numbered = [](std::string_view t) { return t.size() >= kShortest && std::ranges::any_of(t, is_digit); };
    return std::string_view(" #:").find(before.mark) != std::string_view::npos && numbered(a) && numbered(b) &&
           std::ranges::find(kNames, before.token) != std::end(kNames);
}

// Thread-12 and pool-3-thread-7: the number behind the last hyphen.
bool are_threads(std::string_view a, std::string_view b) {
    const std::size_t i = a.rfind('-'), j = b.rfind('-');
    return i != a.npos && i == j && a.substr(0, i) == b.substr(0, j) && ends_with_thread(a.substr(0, i)) &&
           is_number(a.substr(i + 1)) && is_number(b.substr(j + 1));
}

// 4d98eb0f: digits and letters from a to f, or a time.
bool is_drawn_name(std::string_view t) {
    constexpr std::size_t kShortest = 6;
    const bool hex = t.size() >= kShortest && std::ranges::all_of(t, [](char c) { return is_hex(c) || c == '-'; });
    return (hex && !is_content_hash(t)) || is_epoch(t) || is_opaque_id(t);
}

// What stands before the value, up to the blank before it, says that it names this run alone.
bool is_handed_over(std::string_view before) {
    constexpr std::string_view kNames[] = {"trace", "request", "nonce", "correlation", "idempotency", "span_id"};
    constexpr std::size_t kLooked = 32;  // bytes
    before.remove_prefix(before.size() - std::min(before.size(), kLooked));
    if (before.empty() || std::string_view("=: ").find(before.back()) == std::string_view::npos) return false;
    std::string name(before.substr(0, before.find_last_not_of("=: ") + 1));  // npos + 1 = 0
    std::ranges::transform(name, name.begin(), lower);
    name.erase(0, name.find_last_of(" \"'\\") + 1);
    return std::ranges::any_of(kNames, [&](std::string_view one) { return name.find(one) != name.npos; });
}

// "> /tmp/check-" stands before it.
bool is_written_under_tmp(std::string_view before) {
    constexpr std::string_view kTmp = "/tmp/";
    const std::size_t tmp = before.rfind(kTmp);
    if (tmp == before.npos || before.find(' ', tmp) != before.npos) return false;
    const std::size_t mark = before.substr(0, tmp).find_last_not_of(' ');
    return mark != before.npos && before[mark] == '>';
}

}  // namespace

bool same_but_drawn_names(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    std::string_view known_a, known_b;
    for (std::size_t i = 0; i < a.size();) {
        if (a[i] == b[i]) {
            ++i;
            continue;
        }
        if (!is_token(a[i]) || !is_token(b[i])) return false;
        // From the hyphen, or what else no name of digits has, before the first byte that differs.
        std::size_t begin = i, end = i;
        while (begin > 0 && (is_digit(a[begin - 1]) || is_letter(a[begin - 1]))) --begin;
        while (end < a.size() && is_token(a[end])) ++end;
        const std::string_view x = a.substr(begin, end - begin), y = b.substr(begin, end - begin);
        const bool again = !known_a.empty() && x == known_a && y == known_b;
        const std::string_view before = a.substr(0, begin);
        if (!again &&
            !(is_drawn_name(x) && is_drawn_name(y) && (is_handed_over(before) || is_written_under_tmp(before))))
            return false;
        known_a = x;
        known_b = y;
        i = end;
    }
    return !known_a.empty();
}

bool is_opaque_id(std::string_view t) {
    if (t.size() < kShortestOpaqueId || is_content_hash(t)) return false;
    int turns = 0;
    for (std::size_t i = 1; i < t.size() && turns < kFewestTurns; ++i)
        turns += (is_digit(t[i]) && is_letter(t[i - 1])) || (is_letter(t[i]) && is_digit(t[i - 1]));
    return turns >= kFewestTurns;
}

std::string_view without_cell_number_of(std::string_view text) {
    constexpr std::string_view kOut = "Out[";
    if (!text.starts_with(kOut)) return text;
    const std::size_t end = text.find(']');
    return end != text.npos && is_number(text.substr(kOut.size(), end - kOut.size())) ? text.substr(end) : text;
}

bool same_but_stash(std::string_view a, std::string_view b) {
    constexpr std::string_view kDropped = "Dropped ", kName = "stash@{";
    const auto without_hash = [&](std::string_view text) {
        const std::size_t at = text.rfind(kDropped);
        const std::size_t name = at == text.npos ? at : text.find(kName, at);
        return name == text.npos ? std::string_view{} : text.substr(0, text.find('(', name));
    };
    const std::string_view rest = without_hash(a);
    return !rest.empty() && rest == without_hash(b);
}

bool same_but_ids(std::string_view a, std::string_view b) {
    const std::size_t apart = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
    if (a.size() > kLongest || b.size() > kLongest || apart > kMostApart) return false;
    int words = 0;
    Before before;
    std::size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
        const std::string_view x = token_at(a, i), y = token_at(b, j);
        if (x.empty() || y.empty()) {
            if (a[i] != b[j]) return false;
            before.mark = a[i];
            ++i;
            ++j;
            continue;
        }
        const bool equal = x == y;
        if (!equal && !(is_opaque_id(x) && is_opaque_id(y)) && !are_drawn(x, y, before) && !are_threads(x, y) &&
            !are_filed(x, y, before))
            return false;
        words += equal && is_word(x);
        before = {x, '\0', !equal && is_epoch(x)};
        i += x.size();
        j += y.size();
    }
    return i == a.size() && j == b.size() && words >= kFewestWords;
}

}  // namespace agent_audit::detectors
