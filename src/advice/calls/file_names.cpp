#include "advice/calls/file_names.hpp"

#include <algorithm>
#include <cstddef>

namespace agent_audit::advice {
namespace {

bool has_drive(std::string_view path) { return path.size() > 2 && path[1] == ':'; }

bool equal_letters(char x, char y) { return x == y || ((x == '/' || x == '\\') && (y == '/' || y == '\\')); }

}  // namespace

std::string slashed(std::string_view path) {
    std::string out(path);
    std::ranges::replace(out, '\\', '/');
    const bool drive = out.size() > 2 && out[1] == ':' && out[2] == '/';
    if (drive)
        out = std::string("/") + static_cast<char>(out[0] >= 'A' && out[0] <= 'Z' ? out[0] - 'A' + 'a' : out[0]) +
              out.substr(2);
    return out;
}

bool same_path(std::string_view a, std::string_view b) {
    if (a == b) return true;
    if (has_drive(a) != has_drive(b) && (a.starts_with('/') || b.starts_with('/'))) return slashed(a) == slashed(b);
    return std::ranges::equal(a, b, equal_letters);
}

bool same_file(std::string_view a, std::string_view b) {
    if (same_path(a, b)) return true;
    const std::string_view& shorter = a.size() < b.size() ? a : b;
    const std::string_view& longer = a.size() < b.size() ? b : a;
    if (shorter.find_first_of("/\\") == shorter.npos || longer.size() <= shorter.size()) return false;
    const std::size_t from = longer.size() - shorter.size();
    if (longer[from - 1] != '/' && longer[from - 1] != '\\') return false;
    return std::ranges::equal(longer.substr(from), shorter, equal_letters);
}

}  // namespace agent_audit::advice
