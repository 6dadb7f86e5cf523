#include "detectors/speech/times_order.hpp"

#include "detectors/speech/asked_times.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace agent_audit::detectors {
namespace {

// "10x", "zehnmal", "10 mal"; not "small" and "normal".
bool says_factor(std::string_view sentence) {
    constexpr std::string_view kFactors[] = {"x", "mal"};
    constexpr std::string_view kGerman[] = {"zwei", "drei", "vier", "fünf",  "sechs",   "sieben",
                                            "acht", "neun", "zehn", "zwölf", "zwanzig", "hundert"};
    return std::ranges::any_of(kFactors, [&](std::string_view factor) {
        for (std::size_t at = sentence.find(factor); at != sentence.npos; at = sentence.find(factor, at + 1)) {
            const std::string_view before = sentence.substr(0, at), behind = sentence.substr(at + factor.size());
            if (before.empty() || (!behind.empty() && is_letter(behind.front()))) continue;
            const bool german = factor != kFactors[0] &&
                                (before.ends_with(' ') ||
                                 std::ranges::any_of(kGerman, [&](auto number) { return before.ends_with(number); }));
            if (german || is_digit(before.back())) return true;
        }
        return false;
    });
}

// "Run it ten times", "soak it 10x", and not "start 8 workers": what is to be done so often may be told anywhere.
bool may_count_times(std::string_view sentence) {
    constexpr std::string_view kTimes[] = {" times", " runs",   " rounds", " iteration", " repetition", "次",
                                           "遍",     "回",      " fois",   " veces",     " volte",      " vezes",
                                           " keer",  " gånger", " razy",   " раз"};
    return contains_any(sentence, kTimes) || says_factor(sentence);
}

}  // namespace

TimesOrder times_order(RawText request) {
    constexpr std::size_t kMost = 4096, kMostWords = 1024;  // bytes
    const std::string text = decoded(request, kMost);
    TimesOrder order;
    const bool times = any_sentence(text, [&](std::string_view sentence) {
        if (asked_times(sentence) == 0) return false;
        order.words += lowered(sentence) + '\n';
        return may_count_times(sentence);
    });
    order.things = !times && !order.words.empty();
    if (!order.things) order.words = lowered(std::string_view(text).substr(0, kMostWords));
    return order;
}

}  // namespace agent_audit::detectors
