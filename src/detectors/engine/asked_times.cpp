#include "detectors/engine/asked_times.hpp"

#include "detectors/engine/number_words.hpp"
#include "detectors/engine/phrases.hpp"
#include "support/find_near.hpp"
#include "support/phrase_set.hpp"

#include <algorithm>
#include <optional>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kRead = 4096;  // bytes of a message: what is wanted stands in front
constexpr std::uint64_t kMost = 1000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
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

// "soak 10x", and not "10x faster".
std::uint32_t times_as_factor(std::string_view text, std::size_t x) {
    constexpr std::string_view kCompared[] = {"faster", "slower", "more", "less", "speed", "better", "smaller", "larger", "bigger", "cheaper", "the "};
    std::size_t end = x + 1;
    if (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) return 0;
    while (end < text.size() && (text[end] == ' ' || text[end] == '-')) ++end;
    if (std::ranges::any_of(kCompared, [&](std::string_view word) { return text.substr(end).starts_with(word); })) return 0;
    return times_before(text.substr(0, x));
}

// "Send 10 test events": a call for each, and every one of them alike.
std::uint32_t copies_behind(std::string_view text, std::size_t verb_end) {
    const std::size_t blank = text.find(' ', verb_end);
    return blank == text.npos ? 0 : times_before(text.substr(verb_end, blank - verb_end));
}

// What stands behind the number; with a blank at its end, before it.
constexpr std::string_view kMarks[] = {" times", " runs",  " rounds", " iterations", " repetitions", "次", "遍",
                                       "send ",  "post ",  "publish ", "fire ",      "emit ",        "trigger ", "enqueue ", "roll ", "flip ", "take ", "create "};
constexpr PhraseSet kMarkSet(kMarks);

// "I tried it ten times", "do not run it ten times", "handle 10 times more", "send 10 events in one call": no wish for calls.
bool is_no_wish(std::string_view text, std::size_t at, std::size_t end) {
    constexpr std::string_view kBefore[] = {"i tried", "i ran", "i've ", "we tried", "we ran", "do not ", "don't ", "don’t ", "never ", "should handle", "has failed", "was "};
    constexpr std::string_view kBehind[] = {" more ", " faster", " slower", " as many", " as much", " as fast", " larger", " bigger", " in one ", " in a single ", " at once"};
    constexpr std::size_t kBehindLooked = 40;
    const std::size_t begin = text.substr(0, at).find_last_of(".!?\n") + 1;  // npos + 1 = 0
    const std::string before = lowered(text.substr(begin, at - begin)), behind = lowered(text.substr(end, kBehindLooked));
    const std::size_t stop = std::min(behind.find_first_of(".!?\n"), behind.size());
    return contains_any(before, kBefore) || contains_any(std::string_view(behind).substr(0, stop), kBehind);
}

std::uint32_t asked_by(std::string_view text, std::size_t at, std::string_view mark) {
    const std::size_t end = at + mark.size();
    std::uint32_t times = 0;
    if (mark.ends_with(' ')) {
        times = at > 0 && is_letter(text[at - 1]) ? 0 : copies_behind(text, end);
    } else if (!mark.starts_with(' ') || end == text.size() || !is_letter(text[end])) {
        times = times_before(text.substr(0, at));
    }
    return times > 0 && is_no_wish(text, at, end) ? 0 : times;
}

}  // namespace

std::uint32_t asked_times(std::string_view text) {
    text = text.substr(0, kRead);
    std::uint32_t most = 0;
    kMarkSet.any(text, [&](std::size_t at, std::string_view mark) {
        most = std::max(most, asked_by(text, at, mark));
        return false;
    });
    for (std::size_t x = find_near(text, 0, 'x'); x != text.npos; x = find_near(text, x + 1, 'x')) {
        if (x > 0 && is_digit(text[x - 1])) most = std::max(most, times_as_factor(text, x));
    }
    return most;
}

}  // namespace agent_audit::detectors
