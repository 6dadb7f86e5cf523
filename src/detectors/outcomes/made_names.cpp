#include "detectors/outcomes/made_names.hpp"

#include "detectors/outcomes/retry_names.hpp"
#include "detectors/words/tokens.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLongest = 16u << 10;  // bytes

bool is_number(std::string_view t) { return std::ranges::all_of(t, is_digit); }

/// A token and what stands in front of it.
struct Named {
    std::string_view token;
    std::string_view before;  // the token before it
    char mark = '\0';         // right in front
};

// Without case, hyphens and underscores.
std::string plain_name(std::string_view name) {
    std::string plain;
    for (const char c : name) {
        if (c != '_' && c != '-') plain += is_letter(c) ? static_cast<char>(c | 0x20) : c;
    }
    return plain;
}

// "id", "ticketId", "issue_number", "uuid"; the ticket in "Created ticket 4410".
bool names_thing(std::string_view before) {
    constexpr std::string_view kEnds[] = {"id", "iid", "uuid", "guid", "key", "ref", "reference", "nr", "nummer"};
    constexpr std::string_view kNumbered[] = {
        "appointment", "booking", "card", "case",     "comment",  "document", "entry",       "event",
        "invoice",     "issue",   "job",  "meeting",  "message",  "note",     "number",      "order",
        "payment",     "post",    "pull", "record",   "reminder", "request",  "reservation", "task",
        "ticket",      "user",    "rev",  "revision", "seq",      "serial",   "etag"};
    const std::string name = plain_name(before);
    return std::ranges::any_of(kEnds, [&](std::string_view end) { return name.ends_with(end); }) ||
           std::ranges::any_of(kNumbered, [&](std::string_view word) {
               return name == word || (word == "number" && name.ends_with(word));
           });
}

// TCK-4410 and TCK-4413: the letters in front are those of the kind.
bool same_kind(std::string_view x, std::string_view y) {
    const auto kind = [](std::string_view t) { return t.substr(0, std::min(t.find_first_of("0123456789"), t.size())); };
    const std::string_view of_x = kind(x);
    return !of_x.empty() && of_x == kind(y) && is_number(x.substr(of_x.size())) && is_number(y.substr(of_x.size()));
}

// As they are drawn: of one length, letters and digits in no order.
bool are_drawn(std::string_view x, std::string_view y) {
    constexpr std::size_t kShortest = 8;
    constexpr int kFewestTurns = 2;  // from letters to digits and back
    const auto mixed = [](std::string_view t) {
        int turns = 0;
        for (std::size_t i = 1; i < t.size(); ++i) turns += is_digit(t[i]) != is_digit(t[i - 1]);
        return turns >= kFewestTurns;
    };
    return x.size() == y.size() && x.size() >= kShortest && (mixed(x) || mixed(y));
}

// Of what is called an id fewer will do: "code_id": "90a8b4". Not a word that happens to have such letters.
bool are_short_hex(std::string_view x, std::string_view y) {
    constexpr std::size_t kShortest = 4;
    const auto hex = [](std::string_view t) { return std::ranges::all_of(t, is_hex); };
    const auto digit = [](std::string_view t) { return std::ranges::any_of(t, is_digit); };
    return x.size() == y.size() && x.size() >= kShortest && hex(x) && hex(y) && (digit(x) || digit(y));
}

bool is_new_name(const Named& x, const Named& y) {
    if (x.before != y.before || x.mark != y.mark) return false;
    if (are_drawn(x.token, y.token) || same_kind(x.token, y.token)) return true;
    if (names_thing(x.before) && are_short_hex(x.token, y.token)) return true;
    const bool numbers = is_number(x.token) && is_number(y.token);
    return numbers && (x.mark == '#' || x.mark == '/' || names_thing(x.before));
}

}  // namespace

bool same_but_made_names(std::string_view before, std::string_view now) {
    if (before.size() > kLongest || now.size() > kLongest) return false;
    const std::string a = settled(before), b = settled(now);
    Named x, y;
    std::size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
        // The letter of an escape belongs to no word.
        const std::size_t mark = a[i] == '\\' ? 2 : 1;
        x.token = mark == 2 ? std::string_view{} : token_at(a, i);
        y.token = b[j] == '\\' ? std::string_view{} : token_at(b, j);
        if (x.token.empty() || y.token.empty()) {
            if (std::string_view(a).substr(i, mark) != std::string_view(b).substr(j, mark)) return false;
            x.mark = y.mark = a[i];
            i += mark;
            j += mark;
            continue;
        }
        if (x.token != y.token && !is_new_name(x, y)) return false;
        i += x.token.size();
        j += y.token.size();
        x.before = y.before = x.token == y.token ? x.token : std::string_view{};
        x.mark = y.mark = '\0';
    }
    return i >= a.size() && j >= b.size();
}

std::string without_made_names(std::string_view answer) {
    constexpr std::string_view kMarks = ": =\"'\\#", kTrace = "trace";
    constexpr std::size_t kFewest = 3;
    std::string out;
    std::string_view before;
    for (std::size_t i = 0; i < answer.size();) {
        const std::string_view token = token_at(answer, i);
        if (token.empty()) {
            if (kMarks.find(answer[i]) == kMarks.npos) before = {};
            out += answer[i++];
            continue;
        }
        const bool numbered = token.size() >= kFewest && std::ranges::any_of(token, is_digit);
        const bool made = numbered && !before.empty() && (before == kTrace || names_thing(before));
        out += made ? std::string_view("#") : token;
        before = token;
        i += token.size();
    }
    return out;
}

}  // namespace agent_audit::detectors
