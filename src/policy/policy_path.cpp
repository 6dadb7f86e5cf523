#include "policy/policy_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace agent_audit::policy {
namespace {

// A part of a path as it is written in a file.
std::string shown_part(std::string_view part) {
    const auto bare = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    };
    if (!part.empty() && std::ranges::all_of(part, bare)) return std::string(part);
    return in_quotes(part);
}

}  // namespace

std::vector<std::string_view> parts_of(std::string_view key) {
    std::vector<std::string_view> out;
    for (std::size_t from = 0;;) {
        const std::size_t dot = key.find('.', from);
        out.push_back(key.substr(from, dot - from));
        if (dot == key.npos) return out;
        from = dot + 1;
    }
}

std::string in_quotes(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (c == '\n')
            out += "\\n";
        else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
            out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
        else
            out += c;
    }
    return out + '"';
}

std::string shown(const Path& path) {
    std::string out;
    for (const std::string& part : path) out += (out.empty() ? "" : ".") + shown_part(part);
    return out;
}

}  // namespace agent_audit::policy
