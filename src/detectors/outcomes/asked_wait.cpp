#include "detectors/outcomes/asked_wait.hpp"

#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>

namespace agent_audit::detectors {
namespace {

constexpr double kSecond = 1000, kMinute = 60 * kSecond, kHour = 60 * kMinute, kDay = 24 * kHour;

/// What stands before a time to wait, in lower case. `unit`: ms that a number without a unit means; 0: it means
/// nothing.
struct Lead {
    std::string_view words;
    double unit;
};
constexpr std::array kLeads{
    Lead{"retry-after-ms", 1},    Lead{"retry_after_ms", 1},    Lead{"retryafterms", 1},
    Lead{"retry-after", kSecond}, Lead{"retry_after", kSecond}, Lead{"retryafter", kSecond},
    Lead{"retry after", kSecond}, Lead{"retrydelay", kSecond},  Lead{"retry_delay", kSecond},
    Lead{"retry in", 0},          Lead{"again in", 0},          Lead{"again after", 0},
    Lead{"please wait", 0},
};

struct Unit {
    std::string_view word;
    double ms;
};
// Longer words stand before those that they begin with.
constexpr std::array kUnits{
    Unit{"milliseconds", 1},  Unit{"millisecond", 1},  Unit{"ms", 1},         Unit{"seconds", kSecond},
    Unit{"second", kSecond},  Unit{"secs", kSecond},   Unit{"sec", kSecond},  Unit{"s", kSecond},
    Unit{"minutes", kMinute}, Unit{"minute", kMinute}, Unit{"mins", kMinute}, Unit{"min", kMinute},
    Unit{"m", kMinute},       Unit{"hours", kHour},    Unit{"hour", kHour},   Unit{"h", kHour},
};

/// Takes the unit off the front; 0: there is none.
double take_unit(std::string_view& text) {
    std::string_view rest = text;
    if (rest.starts_with(' ')) rest.remove_prefix(1);
    for (const Unit& unit : kUnits) {
        if (!rest.starts_with(unit.word)) continue;
        rest.remove_prefix(unit.word.size());
        if (!rest.empty() && is_lower(rest.front())) return 0;  // "3 servers"
        text = rest;
        return unit.ms;
    }
    return 0;
}

/// What stands between a name and its value: `: "`, `_seconds": `, ` { seconds: `.
std::string_view behind_marks(std::string_view text) {
    constexpr std::string_view kMarks = " \t\r\n:=\"'>_{(", kNamed = "seconds";
    const auto skip = [&] { text.remove_prefix(std::min(text.find_first_not_of(kMarks), text.size())); };
    skip();
    if (text.starts_with(kNamed)) {
        text.remove_prefix(kNamed.size());
        skip();
    }
    return text;
}

/// "1.5s", "6m0s", "1 h 5 min", "30"; 0 where `text` begins with no time.
double time_at(std::string_view text, double bare) {
    double ms = 0;
    for (bool first = true;; first = false) {
        if (!first && text.starts_with(' ')) text.remove_prefix(1);
        if (text.empty() || text.front() < '0' || text.front() > '9') return ms;  // "inf" is a number, too
        double number = 0;
        const auto [end, error] =
            std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
        if (error != std::errc{}) return ms;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        const double unit = take_unit(text);
        if (unit == 0) return first ? number * bare : ms;
        ms += number * unit;
    }
}

}  // namespace

std::optional<std::int64_t> asked_wait_ms(RawText said) {
    constexpr std::size_t kBeginning = 4096;
    const std::string text = lowered(decoded(said, kBeginning));
    double longest = 0;
    for (const Lead& lead : kLeads) {
        for (std::size_t at = text.find(lead.words); at != text.npos; at = text.find(lead.words, at + 1)) {
            const std::string_view behind = behind_marks(std::string_view(text).substr(at + lead.words.size()));
            longest = std::max(longest, time_at(behind, lead.unit));
        }
    }
    if (longest <= 0) return std::nullopt;
    return static_cast<std::int64_t>(std::min(longest, kDay));
}

}  // namespace agent_audit::detectors
