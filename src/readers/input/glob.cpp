#include "readers/input/glob.hpp"

#include <cstddef>

namespace agent_audit::readers {
namespace {

/// The length of the set at the beginning of `pattern`, brackets included; 0 when it is not closed.
std::size_t set_length(std::string_view pattern) {
    std::size_t i = 1;
    if (i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^')) ++i;
    const std::size_t close = pattern.find(']', i + 1);  // a ] right after the opening is a member
    return close == pattern.npos ? 0 : close + 1;
}

bool in_set(std::string_view set, char c) {
    set = set.substr(1, set.size() - 2);
    const bool negated = set.front() == '!' || set.front() == '^';
    if (negated) set.remove_prefix(1);
    const auto byte = [](char x) { return static_cast<unsigned char>(x); };
    bool found = false;
    for (std::size_t i = 0; i < set.size(); ++i) {
        if (i + 2 < set.size() && set[i + 1] == '-') {
            found = found || (byte(set[i]) <= byte(c) && byte(c) <= byte(set[i + 2]));
            i += 2;
        } else {
            found = found || set[i] == c;
        }
    }
    return found != negated;
}

/// Matches one byte against the head of the pattern; returns the length of that head, 0 for no match.
std::size_t match_one(std::string_view pattern, char c) {
    if (pattern.empty()) return 0;
    if (pattern[0] == '?') return 1;
    if (pattern[0] == '[') {
        if (const std::size_t length = set_length(pattern)) return in_set(pattern.substr(0, length), c) ? length : 0;
    }
    return pattern[0] == c ? 1 : 0;
}

}  // namespace

bool has_wildcards(std::string_view text) { return text.find_first_of(kWildcards) != text.npos; }

bool matches(std::string_view pattern, std::string_view name) {
    if (name.starts_with('.') && !pattern.starts_with('.')) return false;
    return matches_dotted(pattern, name);
}

bool matches_dotted(std::string_view pattern, std::string_view name) {
    std::size_t p = 0;
    std::size_t n = 0;
    // Only the last star can need another try, so no pattern makes this explode.
    std::size_t star = pattern.npos;
    std::size_t star_took_to = 0;
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            star_took_to = n;
        } else if (const std::size_t length = match_one(pattern.substr(p), name[n])) {
            p += length;
            ++n;
        } else if (star != pattern.npos) {
            p = star + 1;
            n = ++star_took_to;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

}  // namespace agent_audit::readers
