#include "report/exchange/uri_base.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace agent_audit::report {
namespace {

bool is_unreserved(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_' || c == '~' || c == '/';
}

// ~ stands in front of what was a home directory before redaction.
bool is_outside(std::string_view path) {
    return path.starts_with('/') || path.starts_with('~') || path.starts_with("../") || path == "..";
}

std::string_view folder_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == path.npos ? std::string_view{} : path.substr(0, slash + 1);
}

std::string_view common_folder(std::string_view a, std::string_view b) {
    const auto differ = std::ranges::mismatch(a, b).in1;
    return folder_of(a.substr(0, static_cast<std::size_t>(differ - a.begin())));
}

}  // namespace

std::string uri_encoded(std::string_view path) {
    std::string out;
    for (const char c : path) {
        if (is_unreserved(c))
            out += c;
        else
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

InputUris::InputUris(const Report& report, FindingWords& words) {
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < report.inputs.size(); ++i) {
        paths.push_back(words.raw_path(i));
        const std::string& path = paths.back();
        outside_.push_back(is_outside(path));
        if (!outside_.back()) {
            uses_working_directory_ = true;
        } else if (!uses_elsewhere_) {
            elsewhere_ = folder_of(path);
            uses_elsewhere_ = true;
        } else {
            elsewhere_ = std::string(common_folder(elsewhere_, folder_of(path)));
        }
    }
    for (std::size_t i = 0; i < paths.size(); ++i) {
        const std::size_t from = outside_[i] ? elsewhere_.size() : 0;
        std::string_view rest = std::string_view(paths[i]).substr(from);
        rest.remove_prefix(std::min(rest.find_first_not_of('/'), rest.size()));  // relative, whatever the base is
        const std::string uri = uri_encoded(rest);
        uris_.push_back(uri.empty() ? "unknown" : uri);
    }
}

std::string InputUris::beside(std::string_view path) {
    while (path.starts_with("./")) path.remove_prefix(2);
    if (is_outside(path)) path.remove_prefix(folder_of(path).size());
    uses_working_directory_ = true;
    const std::string uri = uri_encoded(path);
    return uri.empty() ? "unknown" : uri;
}

}  // namespace agent_audit::report
