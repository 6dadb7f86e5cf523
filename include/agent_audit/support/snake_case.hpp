#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace agent_audit {

/// CamelCase, kebab-case, dots and blanks to snake_case; ASCII only, at most 128 bytes of it.
std::string snake_case(std::string_view name);

/// The order of names by their letters and digits alone, ASCII case apart: below zero, zero or above. Zero for a name
/// in all its spellings: PowerShell, powershell, power_shell, Power-Shell.
constexpr int compare_names(std::string_view a, std::string_view b) {
    const auto next = [](std::string_view name, std::size_t& at) {
        while (at < name.size() && (name[at] == '_' || name[at] == '-' || name[at] == '.' || name[at] == ' ')) ++at;
        if (at == name.size()) return -1;
        const char c = name[at++];
        return static_cast<int>(static_cast<unsigned char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c));
    };
    for (std::size_t i = 0, j = 0;;) {
        const int x = next(a, i), y = next(b, j);
        if (x != y || x < 0) return x - y;
    }
}
constexpr bool same_name(std::string_view a, std::string_view b) { return compare_names(a, b) == 0; }

}  // namespace agent_audit
