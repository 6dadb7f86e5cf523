#include "readers/json/raw_blanks.hpp"

#include <cstddef>

namespace agent_audit::readers {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool is_escaped_blank(char c) { return c == 'n' || c == 'r' || c == 't'; }

bool ends_with_escape(std::string_view raw) {
    const std::size_t slashes = raw.size() - 1 - (raw.substr(0, raw.size() - 1).find_last_not_of('\\') + 1);
    return is_escaped_blank(raw.back()) && slashes % 2 == 1;
}

}  // namespace

std::string_view without_blanks_in_front(std::string_view raw) {
    while (!raw.empty()) {
        const bool escape = raw[0] == '\\' && raw.size() > 1 && is_escaped_blank(raw[1]);
        if (!escape && !is_blank(raw[0])) break;
        raw.remove_prefix(escape ? 2 : 1);
    }
    return raw;
}

std::string_view without_blanks_behind(std::string_view raw) {
    while (!raw.empty()) {
        const bool escape = ends_with_escape(raw);
        if (!escape && !is_blank(raw.back())) break;
        raw.remove_suffix(escape ? 2 : 1);
    }
    return raw;
}

}  // namespace agent_audit::readers
