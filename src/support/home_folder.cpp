#include "support/home_folder.hpp"

#include "support/ascii.hpp"

#include <algorithm>

namespace agent_audit {
namespace {

bool is_name_byte(char c) { return is_word(c) || c == '-' || c == '.' || static_cast<unsigned char>(c) >= 0x80; }

// The length of the folder that holds the home directories when `path` begins with one, its last slash included:
// those of Unix, of systems that keep them below /var or /usr, and Windows' drives as its Unix shells spell them.
std::size_t homes_length(std::string_view path) {
    for (const std::string_view homes : {"/home/", "/Users/", "/var/home/", "/usr/home/"}) {
        if (path.starts_with(homes)) return homes.size();
    }
    for (const std::string_view drives : {"/", "/mnt/", "/cygdrive/"}) {
        const std::size_t drive = drives.size();
        if (!path.starts_with(drives) || path.size() <= drive || !is_letter(path[drive])) continue;
        const std::string_view rest = path.substr(drive + 1);
        const bool small = rest.starts_with("/users/") && drives != "/";  // /r/users/ is a route
        if (rest.starts_with("/Users/") || small) return drive + 1 + 7;
    }
    return 0;
}

std::size_t windows_homes_length(std::string_view path) {
    if (path.size() <= 9 || path[1] != ':' || !is_letter(path[0])) return 0;
    const std::size_t slash = path.find_first_not_of("\\/", 2);
    if (slash == path.npos || slash == 2) return 0;
    const std::string_view word = path.substr(slash, 5);
    const std::size_t name = path.find_first_not_of("\\/", slash + 5);
    const bool users = std::ranges::equal(word, std::string_view("users"), {}, lower);
    return !users || name == path.npos || name == slash + 5 ? 0 : name;
}

// Most paths are told by their second byte: those in /src, /tests, /usr/lib hold nobody's home.
bool may_be_home(std::string_view path) {
    if (path.size() < 2) return false;
    if (path[0] != '/') return path[1] == ':';
    switch (path[1]) {
        case 'h':
        case 'U':
        case 'v':
        case 'u':
        case 'm':
        case 'c':
        case 'r': return true;
        default: return path.size() > 2 && path[2] == '/';
    }
}

}  // namespace

std::size_t home_length(std::string_view path) {
    if (!may_be_home(path)) return 0;
    constexpr std::string_view kRoot = "/root";
    const std::size_t root = kRoot.size();
    if (path.starts_with(kRoot) && (path.size() == root || !is_name_byte(path[root]))) return root;
    const std::size_t name = path.starts_with('/') ? homes_length(path) : windows_homes_length(path);
    std::size_t end = name;
    while (end > 0 && end < path.size() && is_name_byte(path[end])) ++end;
    return end == name ? 0 : end;
}

}  // namespace agent_audit
