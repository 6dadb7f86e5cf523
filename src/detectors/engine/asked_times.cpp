#include "detectors/engine/asked_times.hpp"

#include "detectors/engine/number_words.hpp"
#include "support/find_near.hpp"

#include <algorithm>
#include <optional>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kRead = 4096;  // bytes of a message: what is wanted stands in front
constexpr std::uint64_t kMost = 1000;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string_view without_word(std::string_view text, std::string_view word) {
    return text.ends_with(word) ? trimmed_end(text.substr(0, text.size() - word.size())) : text;
}

// "It failed 5 times": told, not wished.
bool happened(std::string_view before) {
    before = trimmed_end(before);
    for (const std::string_view filler : {"already", "about", "some", "at least", "another", "a"}) before = without_word(before, filler);
    return before.ends_with("ed") || before.ends_with("happens") || before.ends_with("fails") || before.ends_with("ran") ||
           before.ends_with("了");
}

std::uint32_t times_before(std::string_view head) {
    head = without_word(trimmed_end(head), "more");
    const std::optional<std::uint64_t> times = number_before(head);
    return times && *times >= 2 && *times <= kMost && !happened(head) ? static_cast<std::uint32_t>(*times) : 0;
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
