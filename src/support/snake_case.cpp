#include "support/ascii.hpp"

#include <agent_audit/support/snake_case.hpp>

#include <cstddef>

namespace agent_audit {

std::string snake_case(std::string_view name) {
    constexpr std::size_t kLongest = 128;
    std::string out;
    for (std::size_t i = 0; i < name.size() && out.size() < kLongest; ++i) {
        const char c = name[i];
        if (is_upper(c)) {
            const bool word_begins = i > 0 && !is_upper(name[i - 1]);
            if (word_begins && !out.empty() && out.back() != '_') out += '_';
            out += lower(c);
        } else if (c == '-' || c == '.' || c == ' ') {
            out += '_';
        } else {
            out += c;
        }
    }
    return out;
}

}  // namespace agent_audit
