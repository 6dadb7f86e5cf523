#include "detectors/commands/wait_arguments.hpp"

#include <agent_audit/support/snake_case.hpp>

#include <algorithm>
#include <string>
#include <string_view>

namespace agent_audit::detectors {
namespace {

// The last word of a name, or its only one: timeout_ms, maxWaitSeconds, duration.
bool names_time(std::string_view key) {
    constexpr std::string_view kWords[] = {"timeout", "seconds",  "secs",  "sec",      "s",    "ms",   "milliseconds",
                                           "minutes", "duration", "delay", "interval", "wait", "time", "sleep"};
    const std::string name = snake_case(key);
    const std::size_t last = name.rfind('_');
    const std::string_view word = std::string_view(name).substr(last == name.npos ? 0 : last + 1);
    return name.starts_with("timeout") || std::ranges::find(kWords, word) != std::end(kWords);
}

// Where the number at `at`, which may stand in quotes, ends; `at`: there is none.
std::size_t behind_number(std::string_view text, std::size_t at) {
    constexpr std::string_view kQuote = "\"\\", kDigits = "0123456789.";
    const std::size_t first = text.find_first_not_of(kQuote, at);
    if (first == text.npos || text[first] < '0' || text[first] > '9') return at;
    const std::size_t last = std::min(text.find_first_not_of(kDigits, first), text.size());
    return std::min(text.find_first_not_of(kQuote, last), text.size());
}

// The name in front of the colon at `colon`.
std::string_view name_before(std::string_view text, std::size_t colon) {
    constexpr std::string_view kMarks = "\"\\ ";
    const std::size_t last = text.find_last_not_of(kMarks, colon == 0 ? 0 : colon - 1);
    if (last == text.npos || last >= colon) return {};
    const std::size_t quote = text.find_last_of('"', last);
    return quote == text.npos ? std::string_view{} : text.substr(quote + 1, last - quote);
}

}  // namespace

std::string without_wait_times(std::string_view args) {
    constexpr std::size_t kLongest = 400;  // bytes
    std::string out;
    if (args.size() > kLongest) return out;
    std::size_t kept = 0;
    for (std::size_t colon = args.find(':'); colon != args.npos; colon = args.find(':', colon + 1)) {
        const std::size_t value = std::min(args.find_first_not_of(' ', colon + 1), args.size());
        const std::size_t end = behind_number(args, value);
        if (end == value || !names_time(name_before(args, colon))) continue;
        out.append(args.substr(kept, value - kept));
        kept = end;
    }
    return kept == 0 ? out : out.append(args.substr(kept));
}

}  // namespace agent_audit::detectors
