#include "detectors/outcomes/other_thing.hpp"

#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

namespace agent_audit::detectors {
namespace {

std::string_view next_word(std::string_view& rest) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    return word;
}

/// "web1", "api-7d9f", "c07": the name of a thing that bears a number. A lone letter with one is a version, unless
/// zeros are put before it, and try2 is the next try.
bool is_numbered_name(std::string_view word) {
    constexpr std::array<std::string_view, 6> kTries{"try", "retry", "attempt", "run", "iteration", "round"};
    const auto in_name = [](char c) { return is_word(c) || c == '-'; };
    const auto letters = static_cast<std::size_t>(std::ranges::find_if_not(word, is_letter) - word.begin());
    const bool padded = letters == 1 && word.size() > 2 && word[1] == '0';
    return (letters > 1 || padded) && std::ranges::all_of(word, in_name) &&
           std::ranges::find(kTries, word.substr(0, letters)) == kTries.end();
}

// What ends a word of an argument, as JSON or as a command.
bool ends_word(char c) {
    return c == ' ' || c == '"' || c == '\'' || c == '\\' || c == ',' || c == '{' || c == '}' || c == '[' || c == ']';
}

/// Where two texts differ: the stretch in each of them, and how many bytes stand before it and behind it in both.
struct Difference {
    std::string_view one, other;
    std::size_t front = 0, back = 0;
};
// From the beginning of a word to the end of one: `in_word(c)` says what words are made of.
template <class InWord>
Difference difference(std::string_view a, std::string_view b, InWord in_word) {
    const std::size_t most = std::min(a.size(), b.size());
    auto front = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
    std::size_t back = 0;
    while (back < most - front && a[a.size() - 1 - back] == b[b.size() - 1 - back]) ++back;
    while (front > 0 && in_word(a[front - 1])) --front;
    while (back > 0 && in_word(a[a.size() - back])) --back;
    return {a.substr(front, a.size() - back - front), b.substr(front, b.size() - back - front), front, back};
}

/// The one word in which two arguments differ, in each of them; empty when more differs, or less.
struct OtherWord {
    std::string_view one, other;
};
OtherWord only_other_word(std::string_view a, std::string_view b) {
    const Difference found = difference(a, b, [](char c) { return !ends_word(c); });
    const auto is_one = [](std::string_view text) { return !text.empty() && std::ranges::none_of(text, ends_word); };
    return is_one(found.one) && is_one(found.other) ? OtherWord{found.one, found.other} : OtherWord{};
}

/// "2024-05-20", "18:30".
bool is_date(std::string_view word) {
    if (word.size() < 4 || !is_digit(word.front()) || !is_digit(word.back())) return false;
    return std::ranges::all_of(word, [](char c) { return is_digit(c) || c == '-' || c == ':' || c == 'T'; }) &&
           word.find_first_of("-:") != word.npos;
}

/// 2024-05-20, app-2024-05.log
bool holds_dashed_date(std::string_view text) {
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

/// app-2024-05-20.log and app-2024-05-21.log.
bool dated(std::string_view one, std::string_view other) {
    return one != other && same_but_numbers(one, other) && holds_dashed_date(one) && holds_dashed_date(other);
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

bool in_name(char c) { return is_alnum(c) || static_cast<unsigned char>(c) >= 0x80; }

// Bytes at the beginning of both that are the same, up to where a name ends in both.
std::size_t same_begin(std::string_view a, std::string_view b) {
    auto at = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
    const auto inside = [&](std::string_view text) { return at < text.size() && in_name(text[at]); };
    while (at > 0 && in_name(a[at - 1]) && (inside(a) || inside(b))) --at;
    return at;
}

std::size_t same_end(std::string_view a, std::string_view b) {
    std::size_t size = 0;
    while (size < std::min(a.size(), b.size()) && a[a.size() - 1 - size] == b[b.size() - 1 - size]) ++size;
    const auto inside = [&](std::string_view text) {
        return size < text.size() && in_name(text[text.size() - 1 - size]);
    };
    while (size > 0 && in_name(a[a.size() - size]) && (inside(a) || inside(b))) --size;
    return size;
}

std::string_view next_name(std::string_view& rest) {
    rest.remove_prefix(static_cast<std::size_t>(std::ranges::find_if(rest, in_name) - rest.begin()));
    const std::string_view name =
        rest.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(rest, in_name) - rest.begin()));
    rest.remove_prefix(name.size());
    return name;
}

bool share_a_name(std::string_view a, std::string_view b) {
    constexpr std::size_t kShortest = 2;
    for (std::string_view name = next_name(a); !name.empty(); name = next_name(a)) {
        std::string_view rest = b;
        for (std::string_view other = next_name(rest); !other.empty(); other = next_name(rest)) {
            const bool part = name.find(other) != name.npos || other.find(name) != other.npos;
            if (part && std::min(name.size(), other.size()) >= kShortest) return true;
        }
    }
    return false;
}

// src/index.ts and lib/index.ts: one file is looked for in several places.
bool same_file_name(std::string_view one, std::string_view other) {
    const std::size_t a = one.rfind('/'), b = other.rfind('/');
    if (a == one.npos && b == other.npos) return false;
    return one.substr(a + 1) == other.substr(b + 1);  // npos + 1 = 0
}

std::string_view host_of(std::string_view text) {
    constexpr std::string_view kScheme = "://", kWww = "www.";
    const std::size_t at = text.find(kScheme);
    if (at == text.npos) return {};
    text.remove_prefix(at + kScheme.size());
    if (text.starts_with(kWww)) text.remove_prefix(kWww.size());
    return text.substr(0, text.find_first_of("/:?#\"' "));
}

// b["logs"] and acme-logs, b["media"] and acme-media: one thing is named in two ways, and then the next one.
bool differ_alike(const OtherWord& a, const OtherWord& b) {
    const auto any = [](char) { return false; };
    const Difference one = difference(a.one, a.other, any), other = difference(b.one, b.other, any);
    return !one.one.empty() && !one.other.empty() && one.one == other.one && one.other == other.other;
}

// The AG of "Egon AG": how firms say what they are.
bool is_firm_form(std::string_view word) {
    constexpr std::string_view kForms[] = {"AG", "SE",  "KG",  "OHG", "UG",  "SA",  "SL",   "SAS", "SARL",
                                           "NV", "BV",  "AB",  "AS",  "OY",  "LLC", "LLP",  "LP",  "PLC",
                                           "KK", "SPA", "SRL", "ULC", "INC", "LTD", "GMBH", "PTE"};
    return std::ranges::find(kForms, word) != std::end(kForms);
}

// "Rosa Tran", "Jean-Luc de Vries", "Egon AG": two to four words, of which the first and the last begin with a capital
// and none has a digit.
bool is_full_name(std::string_view text) {
    constexpr std::size_t kFewest = 2, kMost = 4;
    std::size_t words = 0;
    bool capital = false;
    while (!text.empty()) {
        const std::string_view word = next_word(text);
        const bool letters = std::ranges::all_of(
            word, [](char c) { return is_letter(c) || c == '-' || c == '.' || static_cast<unsigned char>(c) >= 0x80; });
        capital = !word.empty() && (is_upper(word.front()) || static_cast<unsigned char>(word.front()) >= 0x80);
        const bool cries = word.size() > 1 && std::ranges::none_of(word, is_lower);
        const bool firm = cries && words > 0 && is_firm_form(word);
        if (word.empty() || !letters || (cries && !firm) || (!capital && words == 0)) return false;
        ++words;
    }
    return capital && words >= kFewest && words <= kMost;
}

// Two arguments that differ in nothing but the full name of somebody.
bool differ_in_full_name(std::string_view a, std::string_view b) {
    constexpr std::string_view kQuotes = "\"'\\";
    const std::size_t most = std::min(a.size(), b.size());
    auto front = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
    std::size_t back = 0;
    while (back < most - front && a[a.size() - 1 - back] == b[b.size() - 1 - back]) ++back;
    while (front > 0 && kQuotes.find(a[front - 1]) == kQuotes.npos) --front;
    while (back > 0 && kQuotes.find(a[a.size() - back]) == kQuotes.npos) --back;
    return is_full_name(a.substr(front, a.size() - back - front)) &&
           is_full_name(b.substr(front, b.size() - back - front)) && a != b;
}

// https://mill.example/diary/2025/01/03
bool holds_dated_path(std::string_view address) {
    constexpr std::size_t kYear = 6;  // bytes of /2025/
    if (!address.starts_with("http")) return false;
    const std::size_t at = std::min(address.find("/20"), address.find("/19"));
    if (at == address.npos) return false;
    const std::string_view path = address.substr(at);
    return path.size() > kYear && std::ranges::all_of(path.substr(1, kYear - 2), is_digit) && path[kYear - 1] == '/' &&
           is_digit(path[kYear]);
}

/// berlin and bonn of berlin.shop.corp.net and bonn.shop.corp.net: what tells two hosts of one domain apart. Empty
/// where they are none.
OtherWord host_labels(std::string_view one, std::string_view other) {
    const auto is_host = [](std::string_view word) {
        return std::ranges::count(word, '.') > 1 &&
               std::ranges::all_of(word, [](char c) { return is_alnum(c) || c == '.' || c == '-'; }) &&
               std::ranges::any_of(word, is_letter);
    };
    if (!is_host(one) || !is_host(other)) return {};
    std::size_t end = 0;
    while (end < std::min(one.size(), other.size()) && one[one.size() - 1 - end] == other[other.size() - 1 - end])
        ++end;
    const std::size_t dot = one.find('.', one.size() - end);
    if (dot == one.npos) return {};
    const std::size_t domain = one.size() - dot;
    return {one.substr(0, dot), other.substr(0, other.size() - domain)};
}

/// 3f9a1c2 and 9284800: two commits. One without a letter among them may be, two are numbers.
bool are_revisions(std::string_view one, std::string_view other) {
    constexpr std::size_t kShortest = 7, kLongest = 40;
    const auto is_hex = [](std::string_view word) { return word.find_first_not_of("0123456789abcdef") == word.npos; };
    const auto is_mixed = [](std::string_view word) {
        return std::ranges::any_of(word, is_digit) && std::ranges::any_of(word, is_letter);
    };
    return one.size() == other.size() && one.size() >= kShortest && one.size() <= kLongest && is_hex(one) &&
           is_hex(other) && (is_mixed(one) || is_mixed(other));
}

}  // namespace

bool holds_date(std::string_view text) { return holds_dashed_date(text) || holds_dated_path(text); }

bool of_other_person(const Step& a, const Step& b) {
    return a.tool == b.tool && a.command_bytes == 0 &&
           differ_in_full_name(a.text.argument().bytes, b.text.argument().bytes);
}

bool of_another_thing(const Step& a, const Step& b) {
    const auto is_cut = [](const Step& step) { return step.text.argument_size == StepText::kArgument; };
    if (a.tool != b.tool || is_cut(a) || is_cut(b)) return false;
    if (of_other_person(a, b) || differ_in_dated_path(a, b)) return true;
    const auto [one, other] = only_other_word(a.text.argument().bytes, b.text.argument().bytes);
    constexpr std::string_view kPattern = "|()*+^$<>?=";
    if (one.empty() || one.front() == '-' || other.front() == '-') return false;
    if (one.find_first_of(kPattern) != one.npos || other.find_first_of(kPattern) != other.npos) return false;
    if ((is_date(one) && is_date(other)) || dated(one, other)) return true;
    const OtherWord host = host_labels(one, other);
    const std::string_view x = host.one.empty() ? bare_name(one) : host.one,
                           y = host.one.empty() ? bare_name(other) : host.other;
    if (same_but_numbers(x, y)) return x != y && is_numbered_name(x) && is_numbered_name(y);
    if (differ_in_drawn_end(x, y) || are_revisions(one, other)) return true;
    const auto is_foreign = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
    const auto has_letter = [&](std::string_view w) {
        return std::ranges::any_of(w, [&](char c) { return is_letter(c) || is_foreign(c); });
    };
    if (std::ranges::any_of(x, is_foreign) && (x.find(y) != x.npos || y.find(x) != y.npos)) return false;
    return has_letter(x) && has_letter(y) && !share_part(x, y);
}

bool of_another_setting(const Step& a, const Step& b) {
    const auto is_cut = [](const Step& step) { return step.text.argument_size == StepText::kArgument; };
    if (a.tool != b.tool || a.command_bytes == 0 || b.command_bytes == 0 || is_cut(a) || is_cut(b)) return false;
    if (a.text.argument().bytes.find('=') == std::string_view::npos) return false;
    const auto [one, other] = only_other_word(a.text.argument().bytes, b.text.argument().bytes);
    const std::size_t equals = one.find('=');
    if (!one.starts_with('-') || equals == one.npos || one.substr(0, equals) != other.substr(0, other.find('=')))
        return false;
    // A path is a guess where something lies, a number is raised.
    const auto is_value = [](std::string_view word) {
        return std::ranges::any_of(word, is_letter) && word.find_first_of("/$:") == word.npos;
    };
    return is_value(one.substr(equals + 1)) && is_value(other.substr(equals + 1));
}

bool differ_in_date(const Step& a, const Step& b) {
    const auto [one, other] = only_other_word(a.text.argument().bytes, b.text.argument().bytes);
    return (is_date(one) && is_date(other)) || dated(one, other) || differ_in_dated_path(a, b);
}

bool differ_in_dated_path(const Step& a, const Step& b) {
    constexpr std::size_t kYear = 6, kDay = 10;  // bytes of /2025/, of 2025/01/03
    const std::string_view one = a.text.argument().bytes, other = b.text.argument().bytes;
    const auto differ = static_cast<std::size_t>(std::ranges::mismatch(one, other).in1 - one.begin());
    if (one.size() != other.size() || differ == one.size()) return false;
    const std::size_t before = one.find_last_not_of("/0123456789", differ);
    const std::string_view path = one.substr(before == one.npos ? 0 : before + 1);  // /2025/01/03?page=2
    const bool century = path.starts_with("/19") || path.starts_with("/20");
    if (!century || path.size() <= kYear || path[kYear - 1] != '/' || !is_digit(path[kYear])) return false;
    const std::size_t end = static_cast<std::size_t>(path.data() - one.data()) + 1 +
                            std::min(kDay, path.substr(1).find_first_not_of("/0123456789"));
    return same_but_numbers(one, other) && (end >= one.size() || one.substr(end) == other.substr(end));
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
        const bool same_pair = now == one && then == other;
        if (place && !same_pair && !differ_alike({one, other}, {now, then})) return std::nullopt;
        if (place && !same_pair) {
            const Difference core = difference(one, other, [](char) { return false; });
            one = core.one;
            other = core.other;
        } else if (!place) {
            one = now;
            other = then;
            place = at;
        }
    }
    constexpr std::string_view kPattern = "|()[]{}*+^$<>";
    const bool pattern = one.find_first_of(kPattern) != one.npos || other.find_first_of(kPattern) != other.npos;
    const bool counts_on = same_but_numbers(one, other) && !(is_numbered_name(one) && is_numbered_name(other));
    return x.empty() && y.empty() && !pattern && place != 0u && !counts_on ? place : std::nullopt;
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

bool differ_in_one_name(std::string_view one, std::string_view other) {
    constexpr std::string_view kOpens = "\"'=\\", kCloses = "\"'\\";
    const auto in_value = [](char c) {
        return is_alnum(c) || std::string_view("_-.@").find(c) != std::string_view::npos;
    };
    const auto [x, y, front, back] = difference(one, other, in_value);
    const bool whole = (front == 0 || kOpens.find(one[front - 1]) != kOpens.npos) &&
                       (back == 0 || kCloses.find(one[one.size() - back]) != kCloses.npos);
    return whole && x != y && std::ranges::all_of(x, in_value) && std::ranges::all_of(y, in_value) &&
           std::ranges::any_of(x, is_letter) && std::ranges::any_of(y, is_letter);
}

bool name_unrelated_things(std::string_view one, std::string_view other) {
    if (same_but_numbers(one, other) || (host_of(one).empty() && same_file_name(one, other))) return false;
    const std::size_t begin = same_begin(one, other);
    one.remove_prefix(begin);
    other.remove_prefix(begin);
    const std::size_t end = same_end(one, other);
    one.remove_suffix(end);
    other.remove_suffix(end);
    const std::string a = lowered(one), b = lowered(other);
    return std::ranges::any_of(a, in_name) && std::ranges::any_of(b, in_name) && !share_a_name(a, b);
}

bool same_site(std::string_view one, std::string_view other) {
    const std::string_view host = host_of(one), next = host_of(other);
    // What all sites of a kind end in is no name of theirs.
    const auto named = [](std::string_view site) { return site.substr(0, site.rfind('.')); };
    return host.empty() || next.empty() || host == next || share_a_name(named(host), named(next));
}

}  // namespace agent_audit::detectors
