#include <agent_audit/support/snake_case.hpp>

#include <cctype>
#include <cstddef>

namespace agent_audit {

std::string snake_case(std::string_view name) {
    constexpr std::size_t kLongest = 128;
    std::string out;
    for (std::size_t i = 0; i < name.size() && out.size() < kLongest; ++i) {
        const auto c = static_cast<unsigned char>(name[i]);
        if (std::isupper(c)) {
            const bool word_begins = i > 0 && !std::isupper(static_cast<unsigned char>(name[i - 1]));
            if (word_begins && !out.empty() && out.back() != '_') out += '_';
            out += static_cast<char>(std::tolower(c));
        } else if (c == '-' || c == '.' || c == ' ') {
            out += '_';
        } else {
            out += static_cast<char>(c);
        }
    }
    return out;
}

}  // namespace agent_audit
