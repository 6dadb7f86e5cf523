#include "detectors/speech/tells_again.hpp"

#include "support/ascii.hpp"

#include <algorithm>
#include <cstddef>

namespace agent_audit::detectors {

bool tells_again(std::string_view before, std::string_view now) {
    constexpr std::size_t kLongest = 120, kShortest = 4;  // bytes of a message, digits of a number
    if (before.size() > kLongest || now.size() > kLongest) return false;
    const auto is_of_number = [](char c) { return is_digit(c); };
    while (!now.empty()) {
        const auto begin = static_cast<std::size_t>(std::ranges::find_if(now, is_of_number) - now.begin());
        now.remove_prefix(begin);
        const auto size = static_cast<std::size_t>(std::ranges::find_if_not(now, is_of_number) - now.begin());
        const std::size_t at = size < kShortest ? before.npos : before.find(now.substr(0, size));
        if (at != before.npos) {
            const bool begins = at == 0 || !is_digit(before[at - 1]);
            const bool ends = at + size == before.size() || !is_digit(before[at + size]);
            if (begins && ends) return true;
        }
        now.remove_prefix(size);
    }
    return false;
}

}  // namespace agent_audit::detectors
