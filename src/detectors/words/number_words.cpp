#include "detectors/words/number_words.hpp"

#include "detectors/words/last_words.hpp"
#include "support/ascii.hpp"

#include <array>
#include <utility>

namespace agent_audit::detectors {
namespace {

constexpr std::pair<std::string_view, std::uint64_t> kNumbers[] = {
    {"one", 1},     {"two", 2},     {"three", 3},  {"four", 4},    {"five", 5},      {"six", 6},    {"seven", 7},
    {"eight", 8},   {"nine", 9},    {"ten", 10},   {"eleven", 11}, {"twelve", 12},   {"dozen", 12}, {"fifteen", 15},
    {"twenty", 20}, {"thirty", 30}, {"forty", 40}, {"fifty", 50},  {"hundred", 100}, {"a", 1},      {"an", 1}};
constexpr std::pair<std::string_view, std::uint64_t> kChineseNumbers[] = {
    {"一", 1}, {"二", 2}, {"两", 2}, {"三", 3}, {"四", 4}, {"五", 5}, {"六", 6}, {"七", 7}, {"八", 8}, {"九", 9}};

// 十, 二十, 十五, 三: as limits are written.
std::optional<std::uint64_t> chinese_number(std::string_view& head) {
    const auto digit = [](std::string_view glyph) -> std::uint64_t {
        for (const auto& [word, value] : kChineseNumbers) {
            if (word == glyph) return value;
        }
        return 0;
    };
    const auto last = [&] { return head.size() >= 3 ? head.substr(head.size() - 3) : std::string_view{}; };
    std::uint64_t units = digit(last());
    const bool had_units = units > 0;
    if (had_units) head.remove_suffix(3);
    if (last() != "十") return had_units ? std::optional(units) : std::nullopt;
    head.remove_suffix(3);
    std::uint64_t tens = digit(last());
    if (tens > 0) {
        head.remove_suffix(3);
    } else {
        tens = 1;
    }
    return tens * 10 + units;
}

}  // namespace

std::string_view trimmed_end(std::string_view text) {
    while (!text.empty() && (text.back() == ' ' || text.back() == '-' || text.back() == '*' || text.back() == '`'))
        text.remove_suffix(1);
    return text;
}

bool may_end_with_number(std::string_view text) {
    static constexpr LastWords words([] {
        std::array<std::string_view, std::size(kNumbers)> out;
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = kNumbers[i].first;
        return out;
    }());
    return words.may_end(text);
}

std::optional<std::uint64_t> number_before(std::string_view& head) {
    head = trimmed_end(head);
    std::size_t begin = head.size();
    while (begin > 0 && is_digit(head[begin - 1])) --begin;
    if (begin < head.size()) {
        // 3.10 and v2 are none, and neither is a number of seven digits.
        if (head.size() - begin > 7) return std::nullopt;
        if (begin > 0 && (head[begin - 1] == '.' || is_letter(head[begin - 1]))) return std::nullopt;
        std::uint64_t value = 0;
        for (const char c : head.substr(begin)) value = value * 10 + static_cast<std::uint64_t>(c - '0');
        head = head.substr(0, begin);
        return value;
    }
    if (!head.empty() && head.back() < 0) return chinese_number(head);
    while (begin > 0 && is_letter(head[begin - 1])) --begin;
    for (const auto& [word, value] : kNumbers) {
        if (head.substr(begin) != word) continue;
        head = head.substr(0, begin);
        return value;
    }
    return std::nullopt;
}

}  // namespace agent_audit::detectors
