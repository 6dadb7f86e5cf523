#include "detectors/speech/times_order.hpp"

#include "detectors/speech/asked_times.hpp"
#include "detectors/words/phrases.hpp"

#include <cstddef>
#include <string_view>

namespace agent_audit::detectors {
namespace {

// "Run it ten times", "soak it 10x", and not "start 8 workers": what is to be done so often may be told anywhere.
bool may_count_times(std::string_view sentence) {
    constexpr std::string_view kTimes[] = {" times", " runs", " rounds", " iteration", " repetition", "次",
                                           "遍",     "回",    "mal",     " fois",      " veces",      " volte",
                                           " vezes", " keer", " gånger", " razy",      " раз"};
    const auto factor = [](std::string_view text) {
        for (std::size_t x = text.find('x'); x != text.npos; x = text.find('x', x + 1)) {
            if (x > 0 && text[x - 1] >= '0' && text[x - 1] <= '9') return true;
        }
        return false;
    };
    return contains_any(sentence, kTimes) || factor(sentence);
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
