#include "detectors/engine/asked_times.hpp"

#include "support/find_near.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kRead = 4096;  // bytes of a message: what is wanted stands in front
constexpr std::uint32_t kMost = 1000;

struct Numeral {
    std::string_view word;
    std::uint32_t value;
};
constexpr std::array kNumerals{
    Numeral{"two", 2},     Numeral{"three", 3},    Numeral{"four", 4},    Numeral{"five", 5},    Numeral{"six", 6},
    Numeral{"seven", 7},   Numeral{"eight", 8},    Numeral{"nine", 9},    Numeral{"ten", 10},    Numeral{"eleven", 11},
    Numeral{"twelve", 12}, Numeral{"dozen", 12},   Numeral{"fifteen", 15}, Numeral{"twenty", 20}, Numeral{"thirty", 30},
    Numeral{"forty", 40},  Numeral{"fifty", 50},   Numeral{"hundred", 100}, Numeral{"两", 2},     Numeral{"三", 3},
    Numeral{"四", 4},      Numeral{"五", 5},       Numeral{"六", 6},      Numeral{"七", 7},      Numeral{"八", 8},
    Numeral{"九", 9},      Numeral{"十", 10},      Numeral{"二十", 20},   Numeral{"一百", 100}};

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

std::string_view without_blanks(std::string_view text) {
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

std::string_view without_word(std::string_view text, std::string_view word) {
    return text.ends_with(word) ? without_blanks(text.substr(0, text.size() - word.size())) : text;
}

// Takes the number off the end of `text`; 0 = there is none.
std::uint32_t take_number(std::string_view& text) {
    std::size_t begin = text.size();
    while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9') --begin;
    if (begin < text.size()) {
        std::uint32_t value = 0;
        for (const char c : text.substr(begin)) value = std::min(kMost + 1, value * 10 + static_cast<std::uint32_t>(c - '0'));
        const bool alone = begin == 0 || (!is_letter(text[begin - 1]) && text[begin - 1] != '.' && text[begin - 1] != '-');
        text = text.substr(0, begin);
        return alone && value <= kMost ? value : 0;
    }
    std::uint32_t found = 0;
    std::size_t longest = 0;
    for (const Numeral& numeral : kNumerals) {
        if (!text.ends_with(numeral.word) || numeral.word.size() <= longest) continue;
        const std::size_t rest = text.size() - numeral.word.size();
        if (is_letter(numeral.word[0]) && rest > 0 && is_letter(text[rest - 1])) continue;
        found = numeral.value;
        longest = numeral.word.size();
    }
    text.remove_suffix(longest);
    return found;
}

// "It failed 5 times": told, not wished.
bool happened(std::string_view before) {
    before = without_blanks(before);
    for (const std::string_view filler : {"already", "about", "some", "at least", "another", "a"}) before = without_word(before, filler);
    return before.ends_with("ed") || before.ends_with("happens") || before.ends_with("fails") || before.ends_with("ran") ||
           before.ends_with("了");
}

std::uint32_t times_before(std::string_view head) {
    head = without_blanks(head);
    head = without_word(head, "more");
    const std::uint32_t times = take_number(head);
    return times >= 2 && !happened(head) ? times : 0;
}

}  // namespace

std::uint32_t asked_times(std::string_view text) {
    text = text.substr(0, kRead);
    std::uint32_t most = 0;
    // Found by two bytes that are rare beside each other: most messages have none of these words.
    each_pair_near(text, 'i', 'm', [&](std::size_t at) {
        constexpr std::string_view kTimes = " times";
        if (at < 2 || text.substr(at - 2, kTimes.size()) != kTimes) return;
        const std::size_t end = at - 2 + kTimes.size();
        if (end < text.size() && is_letter(text[end])) return;
        most = std::max(most, times_before(text.substr(0, at - 2)));
    });
    for (const std::string_view mark : {"次", "遍"}) {
        each_pair_near(text, mark[0], mark[1], [&](std::size_t at) {
            if (text.substr(at).starts_with(mark)) most = std::max(most, times_before(text.substr(0, at)));
        });
    }
    return most;
}

}  // namespace agent_audit::detectors
