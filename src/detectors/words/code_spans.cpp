#include "detectors/words/code_spans.hpp"

#include "support/ascii.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <string>

namespace agent_audit::detectors {
namespace {

constexpr char kTick = '`';

std::size_t words_in(std::string_view text) {
    std::size_t words = 0;
    for (std::size_t i = 0; i < text.size(); ++i) words += !is_space(text[i]) && (i == 0 || is_space(text[i - 1]));
    return words;
}

}  // namespace

std::uint64_t code_led_up_to(std::string_view text, std::size_t most_words) {
    constexpr std::size_t kShortest = 4;  // bytes: "`ls`" is named in passing
    std::string code;
    std::size_t words = 0;
    while (!text.empty()) {
        const std::size_t begin = std::min(text.find(kTick), text.size());
        words += words_in(text.substr(0, begin));
        if (words > most_words) return 0;
        text.remove_prefix(begin);
        const std::size_t ticks = std::min(text.find_first_not_of(kTick), text.size());
        const std::string_view fence = text.substr(0, ticks);
        text.remove_prefix(ticks);
        const std::size_t end = ticks == 0 ? text.size() : std::min(text.find(fence), text.size());
        std::ranges::copy_if(text.substr(0, end), std::back_inserter(code), [](char c) { return !is_space(c); });
        text.remove_prefix(std::min(end + ticks, text.size()));
    }
    return code.size() < kShortest ? 0 : stable_hash(code);
}

}  // namespace agent_audit::detectors
