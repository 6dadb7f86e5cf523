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

bool is_timeout(std::string_view key) { return snake_case(key).starts_with("timeout"); }

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

std::string without_moments(std::string_view args) {
    constexpr std::string_view kShape = "dddd-dd-ddTdd:dd", kRest = "0123456789:.+-Z";
    const auto fits = [&](std::size_t at) {
        return std::ranges::equal(args.substr(at, kShape.size()), kShape, [](char c, char shape) {
            return shape == 'd' ? c >= '0' && c <= '9' : c == shape || (shape == 'T' && c == ' ');
        });
    };
    std::string out;
    std::size_t kept = 0;
    for (std::size_t at = 0; at + kShape.size() <= args.size(); ++at) {
        if (!fits(at)) continue;
        out.append(args.substr(kept, at - kept));
        kept = std::min(args.find_first_not_of(kRest, at + kShape.size()), args.size());
        at = kept;
    }
    return kept == 0 ? out : out.append(args.substr(kept));
}

bool names_only_pause(std::string_view args) {
    constexpr std::size_t kLongest = 100;  // bytes
    std::size_t colon = args.size() > kLongest ? args.npos : args.find(':');
    const bool any = colon != args.npos;
    for (; colon != args.npos; colon = args.find(':', colon + 1)) {
        const std::size_t value = std::min(args.find_first_not_of(' ', colon + 1), args.size());
        const std::string_view key = name_before(args, colon);
        if (behind_number(args, value) == value || !names_time(key) || is_timeout(key)) return false;
    }
    return any;
}

}  // namespace agent_audit::detectors
